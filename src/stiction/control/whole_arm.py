"""Controllers of whole robots, with a model of them: computed torque, compensation, impedance.

They read positions and velocities of all joints and give torques at the joints, which scenes turn into commands of the
drives. The model is that of the scene, rotors and springs included, until its parameters are set otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from stiction.control.registry import CONTROLLERS
from stiction.fields import Validated, instance, number, numbers, real, shortened, text
from stiction.parts.kinds import Clock, Digital, Ports
from stiction.parts.robot_body import RobotBody
from stiction.parts.two_point import TwoPointSpring
from stiction.robot.kinematics import frame_index
from stiction.spatial import Vector
from stiction.trace.functions import Scalar, clip
from stiction.trace.parameters import Parametric, component_names

FEEDBACK = ("position", "velocity")
TRACKING = (*FEEDBACK, "target", "target_velocity")
PER_JOINT = ("coulomb", "viscous", "limit")  # fields that have a number for each joint


@dataclass(frozen=True, kw_only=True)
class Model(Validated, Parametric):
    """A robot as its controller knows it.

    Attributes:
        body: the robot, with ports for the frames that its springs and its controller need.
        springs: those between points of it and of what is fixed, by name.
        anchors: where fixed ends of springs are in the world [m], by name.
    """

    transparent = ("body",)

    body: RobotBody
    springs: Mapping[str, TwoPointSpring]
    anchors: Mapping[str, tuple[float, ...]]

    def structure(self) -> tuple:
        """Also between which points its springs are."""
        return (*super().structure(), tuple(spring.between for spring in self.springs.values()))

    def motion(self, q: list[Scalar], v: list[Scalar]) -> Ports:
        """How its frames move."""
        return self.body.motion([*q, *v])

    def torque(self, q: list[Scalar], v: list[Scalar], a: Sequence[Scalar]) -> list[Scalar]:
        """What this motion takes at the joints: inverse dynamics, less what springs give."""
        needed = self.body.inverse_dynamics([*q, *v], list(a))
        if not self.springs:
            return needed
        moving, forces = self.motion(q, v), self.no_forces()
        for spring in self.springs.values():
            seen: dict[str, list[Scalar]] = {}
            ends = dict(zip(("first", "second"), spring.between, strict=True))
            for word, end in ends.items():
                frame = end.partition(".")[2]
                for port in FEEDBACK:
                    still = list(self.anchors[end]) if port == "position" and end in self.anchors else [0, 0, 0]
                    seen[f"{word}_{port}"] = still if end in self.anchors else moving[f"{frame}.{port}"]
            pulls, _ = spring.force(seen, [], 0, 0)
            for word, end in ends.items():
                if end not in self.anchors:
                    target = f"{end.partition('.')[2]}.force"
                    forces[target] = [x + y for x, y in zip(forces[target], pulls[f"{word}_force"], strict=True)]
        given = self.body.generalized_forces([*q, *v], forces)
        return [x - y for x, y in zip(needed, given, strict=True)]

    def mass_matrix(self, q: list[Scalar]) -> list[list[Scalar]]:
        """M(q), rotors included."""
        return self.body.mass_matrix([*q, *([0] * self.body.robot.nv)])

    def at_rest(self, q: list[Scalar]) -> list[Scalar]:
        """What rest takes at the joints: gravity, less what springs give."""
        still = [0] * self.body.robot.nv
        return self.torque(q, still, still)

    def no_forces(self) -> dict[str, list[Scalar]]:
        """Inputs of the robot, all 0."""
        return {port: [0] * size for port, size in self.body.inputs.items()}


@dataclass(frozen=True, kw_only=True)
class ArmController(Digital):
    """What all of them have. Ports: position, velocity and, of most, set-points of all joints in; torque out.

    Attributes:
        clock: when it ticks.
        coulomb: torque against Coulomb friction of each joint [N·m or N], (n,) or one for all.
        viscous: coefficient against viscous friction of each joint [N·m·s/rad or N·s/m], likewise.
        coulomb_velocity: velocity below which the former fades [rad/s or m/s].
        limit: largest torque of each joint [N·m or N], likewise.
    """

    reads: ClassVar[tuple[str, ...]] = TRACKING
    per_joint: ClassVar[tuple[str, ...]] = PER_JOINT
    pairs = False
    model: ClassVar[Model]  # as soon as it is on a robot
    outputs = {"torque": 0}
    units = {"torque": "N·m or N"}

    clock: Clock = instance(Clock, words="a Clock, such as Clock(period=2e-3)")
    coulomb: float | Sequence[float] = 0.0
    viscous: float | Sequence[float] = 0.0
    coulomb_velocity: float = number(1e-3, above=0)
    limit: float | Sequence[float] = 1e12

    @property
    def tool(self) -> str | None:
        """The frame that it watches, if any."""
        return None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.per_joint:
            self._many(name, None)

    def on(
        self, body: RobotBody, springs: Mapping[str, TwoPointSpring], anchors: Mapping[str, tuple[float, ...]]
    ) -> "ArmController":
        """The same for a robot: with its model, and as many gains as it has joints. Springs are those between points
        of the robot, and anchors, where they are fixed in the world [m].
        """
        n = body.robot.nv
        gains: dict[str, Any] = {name: self._many(name, n) for name in self.per_joint}
        made = replace(self, **gains)
        ends = {end for spring in springs.values() for end in spring.between if end not in anchors}
        frames = {end.partition(".")[2] for end in ends}
        if self.tool is not None:
            frame_index(body.robot, self.tool)  # refuses what is not there
            frames.add(self.tool)
        whole = replace(body, frames=tuple(sorted(frames)))
        made._set("model", Model(body=whole, springs=dict(springs), anchors=dict(anchors)))
        made._set("inputs", dict.fromkeys(self.reads, n))
        made._set("outputs", {"torque": n})
        return made

    def _many(self, name: str, n: int | None) -> tuple[float, ...]:
        """A number for each of n joints, of which there may be any number."""
        value: Any = getattr(self, name)
        try:
            several = hasattr(value, "__len__") and not isinstance(value, str)
            found = tuple(real(x) for x in value) if several else (real(value),) * (n or 1)
            if (n is not None and len(found) != n) or not found or min(found) < 0:
                raise ValueError
        except (TypeError, ValueError):
            each = "each joint" if n is None else f"each of {n} joints"
            raise self.refusal(
                f"{name} is {shortened(repr(value))}; allowed: a number, 0 or above, or one for {each}"
            ) from None
        return found

    def with_parameters(self, substitution: Any) -> "ArmController":
        """Its own numbers, and those of its model: "model.LINK.mass"."""
        twin = super().with_parameters(substitution)
        twin._set("model", self.model.with_parameters(substitution.inside("model")))
        return twin

    def memory(self) -> Mapping[str, float]:
        """The errors of all joints, where there is a target."""
        n = self.outputs["torque"] if "target" in self.reads else 0
        return {f"error.{name}": 0.0 for name in (component_names(n) if n > 1 else [""] * n)}

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """The torques, friction aside."""
        raise NotImplementedError

    def sliding(self, inputs: Ports) -> list[Scalar]:
        """The velocities that friction is compensated for: those of the set-points, or as measured."""
        return list(inputs.get("target_velocity", inputs["velocity"]))

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torques at a tick."""
        torques: list[Scalar] = []
        given = self.wish(list(inputs["position"]), list(inputs["velocity"]), inputs)
        numbers_: Any = zip(given, self.sliding(inputs), self.coulomb, self.viscous, self.limit, strict=True)  # type: ignore[arg-type]
        for torque, v, coulomb, viscous, limit in numbers_:
            friction = coulomb * clip(v / self.coulomb_velocity, -1, 1) + viscous * v
            torques.append(clip(torque + friction, -limit, limit))
        away = [a - b for a, b in zip(inputs.get("target", ()), inputs["position"], strict=False)]
        return {"torque": torques}, away


def tracking_errors(inputs: Ports, stiffness: Any, damping: Any) -> list[Scalar]:
    """Stiffness · (target − position) + damping · (its rate)."""
    both = zip(inputs["target"], inputs["position"], inputs["target_velocity"], inputs["velocity"], strict=True)
    return [k * (q - x) + d * (dq - v) for (q, x, dq, v), k, d in zip(both, stiffness, damping, strict=True)]


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class ComputedTorque(ArmController):
    """τ = inverse dynamics at the acceleration a_ref + stiffness · ε + damping · ε̇, and friction compensation.

    Attributes:
        stiffness: gain of the error [1/s²], (n,) or one for all.
        damping: gain of its rate [1/s], likewise.

    Example:
        >>> import stiction
        >>> brain = stiction.ComputedTorque(clock=stiction.Clock(period=1e-3), stiffness=400.0, damping=40.0)
        >>> move = stiction.PointToPoint(start=[0, 0], stop=[1, 1], velocity=1.0, acceleration=5.0)
        >>> scene = stiction.Scene(robot=stiction.library.two_link(), control={"robot": brain}, reference=move)
        >>> run = stiction.simulate(scene, duration=2.0, step=1e-3)
        >>> bool(abs(run["q.elbow"][-1] - 1) < 1e-6)
        True
    """

    reads = (*TRACKING, "target_acceleration")
    per_joint = (*PER_JOINT, "stiffness", "damping")

    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """Inverse dynamics of the wanted acceleration."""
        pulls = tracking_errors(inputs, self.stiffness, self.damping)
        return self.model.torque(q, v, [a + x for a, x in zip(inputs["target_acceleration"], pulls, strict=True)])


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class GravityCompensation(ArmController):
    """τ = g(q), less what springs give, and friction compensation by the measured velocities: an arm that can be led by
    hand.

    Attributes:
        damping: torque against the velocity [N·m·s/rad or N·s/m], (n,) or one for all.

    Example:
        >>> import stiction
        >>> brain = stiction.GravityCompensation(clock=stiction.Clock(period=1e-3))
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(2), control={"robot": brain}, q=[0.5, 0.3])
        >>> run = stiction.simulate(scene, duration=1.0, step=1e-3)
        >>> bool(abs(run["q.joint1"][-1] - 0.5) < 1e-9)
        True
    """

    reads = FEEDBACK
    per_joint = (*PER_JOINT, "damping")

    damping: float | Sequence[float] = 0.0

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """What rest takes."""
        still = self.model.at_rest(q)
        return [x - d * y for x, d, y in zip(still, self.damping, v, strict=True)]  # type: ignore[arg-type]


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class JointImpedance(ArmController):
    """τ = stiffness · ε + damping · ε̇ + g(q): joints behave as springs and dampers about the reference.

    Attributes:
        stiffness: of each joint [N·m/rad or N/m], (n,) or one for all.
        damping: of each joint [N·m·s/rad or N·s/m], likewise.

    Example:
        >>> import stiction
        >>> brain = stiction.JointImpedance(clock=stiction.Clock(period=1e-3), stiffness=20.0, damping=5.0)
        >>> arm = stiction.library.two_link(lengths=(0.5, 0.5))
        >>> still = {"shoulder": 0.0, "elbow": 0.5}
        >>> scene = stiction.Scene(robot=arm, control={"robot": brain}, reference=still, torque={"elbow": 1.0})
        >>> run = stiction.simulate(scene, duration=5.0, step=1e-3)
        >>> round(float(run["q.elbow"][-1]), 4)  # 0.5 rad + 1 N·m / 20 N·m/rad
        0.55
    """

    per_joint = (*PER_JOINT, "stiffness", "damping")

    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """Springs, dampers and gravity."""
        still = self.model.at_rest(q)
        return [a + b for a, b in zip(still, tracking_errors(inputs, self.stiffness, self.damping), strict=True)]


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class CartesianImpedance(ArmController):
    """τ = Jᵀ f + g(q): a tool behaves as if springs and dampers held it to where the reference has it.

    Turns are counted by the sine of their angle, about the axis of the turn.

    Attributes:
        frame: the tool: a frame or link of the robot.
        stiffness: along the axes of the world [N/m], 3 numbers.
        damping: likewise [N·s/m].
        rotational_stiffness: about them [N·m/rad], 3 numbers.
        rotational_damping: likewise [N·m·s/rad].

    Example:
        >>> import stiction
        >>> springs = {"stiffness": (500, 500, 500), "damping": (50, 50, 50)}
        >>> brain = stiction.CartesianImpedance(clock=stiction.Clock(period=1e-3), frame="tip", **springs)
        >>> brain.rotational_stiffness
        (0.0, 0.0, 0.0)
    """

    frame: str = text()
    stiffness: Sequence[float] = numbers(3)
    damping: Sequence[float] = numbers(3)
    rotational_stiffness: Sequence[float] = numbers(3, default=(0.0, 0.0, 0.0))
    rotational_damping: Sequence[float] = numbers(3, default=(0.0, 0.0, 0.0))

    @property
    def tool(self) -> str:
        """Its frame."""
        return self.frame

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """The springs' pull on the tool, carried to the joints, and gravity."""
        here, there = (
            self.model.motion(q, v),
            self.model.motion(list(inputs["target"]), list(inputs["target_velocity"])),
        )

        def apart(port: str) -> Vector:
            return Vector(*there[f"{self.frame}.{port}"]) - Vector(*here[f"{self.frame}.{port}"])

        turn = turn_between(here[f"{self.frame}.rotation"], there[f"{self.frame}.rotation"])
        force = _pull(self.stiffness, apart("position"), self.damping, apart("velocity"))
        moment = _pull(self.rotational_stiffness, turn, self.rotational_damping, apart("angular"))
        forces = self.model.no_forces() | {f"{self.frame}.force": force, f"{self.frame}.moment": moment}
        pulled = self.model.body.generalized_forces([*q, *v], forces)
        still = self.model.at_rest(q)
        return [a + b for a, b in zip(still, pulled, strict=True)]


def _pull(stiffness: Sequence[Scalar], way: Vector, damping: Sequence[Scalar], rate: Vector) -> list[Scalar]:
    return [k * x + d * v for k, x, d, v in zip(stiffness, way, damping, rate, strict=True)]


def turn_between(here: Sequence[Scalar], there: Sequence[Scalar]) -> Vector:
    """Axis times sine of the angle from one rotation to another, whose numbers come row by row: half the sum of the
    cross products of their columns.
    """
    total = Vector(0, 0, 0)
    for k in range(3):
        total = total + Vector(*here[k::3]).cross(Vector(*there[k::3]))
    return total * (1 / 2)
