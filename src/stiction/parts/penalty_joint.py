"""A joint between free bodies that holds by stiff springs: I_joint of network.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stiction.fields import instance, number, numbers
from stiction.friction.dry import Dry
from stiction.friction.law import Law
from stiction.parts.friction import FrictionPart, RubbingPart
from stiction.parts.kinds import Ports, Spring
from stiction.parts.registry import PARTS
from stiction.spatial import Vector, from_quaternion
from stiction.trace.functions import Scalar

BODY = {"position": 3, "quaternion": 4, "velocity": 3, "angular": 3}


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class PenaltyJoint(RubbingPart):
    """A hinge between bodies a and b, with friction about its axis. Ports: position [m], quaternion, velocity [m/s] and
    angular velocity [rad/s] of both bodies in, as `FreeBody` and `Fixed` give them ("position_a", ...); forces [N] and
    moments [N·m] on both out ("force_a", "moment_a", ...), to be wired with gain 1.

    Attributes:
        anchor_a: where the joint is, in a's axes, from a's centre of mass [m].
        anchor_b: the same in b.
        axis: of the hinge, the same in a's and in b's axes; made a unit vector.
        stiffness: against parting [N/m].
        damping: against parting [N·s/m].
        turning_stiffness: against tilting of the axis [N·m/rad].
        turning_damping: against tilting of the axis [N·m·s/rad].
        law: friction about the axis; a dry law needs its stiffness and damping.

    Example:
        >>> from stiction.parts import PenaltyJoint
        >>> turning = {"turning_stiffness": 100.0, "turning_damping": 0.1}
        >>> joint = PenaltyJoint(anchor_b=(-0.1, 0, 0), stiffness=1e5, damping=10.0, **turning)
        >>> sorted(joint.outputs)
        ['force_a', 'force_b', 'moment_a', 'moment_b']
    """

    inputs = {f"{port}_{body}": size for body in "ab" for port, size in BODY.items()}
    outputs = {f"{port}_{body}": 3 for body in "ab" for port in ("force", "moment")}
    folded = ("axis",)
    units = {"force_a": "N", "force_b": "N", "moment_a": "N·m", "moment_b": "N·m"} | {
        key: "N·m" if key == "margin" else "rad/s" if key == "fastest" else unit
        for key, unit in FrictionPart.units.items()
        if key != "torque"
    }

    stiffness: float = number(least=0)
    damping: float = number(least=0)
    turning_stiffness: float = number(least=0)
    turning_damping: float = number(least=0)
    anchor_a: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 0.0))
    anchor_b: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 0.0))
    axis: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 1.0))
    law: Law | None = instance(Law, default=None, words="a friction law", optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        length = sum(x * x for x in self.axis) ** 0.5
        self._set("axis", tuple(x / length for x in self.axis))

    def conflicts(self) -> Sequence:
        """The axis has a direction."""
        short = sum(x * x for x in self.axis) < 1e-18
        return [(short, f"axis is {self.axis}; allowed: a vector with a direction, such as (0, 0, 1)")]

    def start(self) -> Mapping[str, float]:
        """The states of the law, at 0."""
        return {} if self.law is None else dict.fromkeys(self.law.states, 0.0)

    def unit(self, signal: str) -> str:
        """Those of its law among them."""
        word = signal.partition(".")[0]
        return self.units.get(word) or (self.law.units.get(word, "rad") if self.law is not None else "")

    def _geometry(self, motion: Ports) -> tuple[list[Vector], list[Vector], Vector, Vector]:
        """Arms to the joint, axes, parting and its rate, in the world's axes."""
        arms, axes, points, speeds = [], [], [], []
        for body, anchor in (("a", self.anchor_a), ("b", self.anchor_b)):
            R = from_quaternion(motion[f"quaternion_{body}"])
            arm = R @ Vector(*anchor)
            arms.append(arm)
            axes.append(R @ Vector(*self.axis))
            points.append(Vector(*motion[f"position_{body}"]) + arm)
            speeds.append(Vector(*motion[f"velocity_{body}"]) + Vector(*motion[f"angular_{body}"]).cross(arm))
        return arms, axes, points[1] - points[0], speeds[1] - speeds[0]

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Springs and dampers against parting and tilting, friction about the axis."""
        arms, axes, parting, rate = self._geometry(motion)
        force = parting * -self.stiffness - rate * self.damping
        turning = Vector(*motion["angular_b"]) - Vector(*motion["angular_a"])
        spin = turning.dot(axes[0])
        tilting = turning - axes[0] * spin
        torque, rates = self.law.flow(spin, own, step) if self.law is not None else (0, [])
        moment = axes[1].cross(axes[0]) * self.turning_stiffness - tilting * self.turning_damping - axes[0] * torque
        return _on_both(force, arms, moment), list(rates)

    def surface_velocity(self, motion: Ports) -> list[Scalar]:
        """How fast b turns on a about the axis [rad/s]."""
        turning = Vector(*motion["angular_b"]) - Vector(*motion["angular_a"])
        return [turning.dot(from_quaternion(motion["quaternion_a"]) @ Vector(*self.axis))]

    def mode(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding, 2 sliding."""
        return self._law.mode(self.surface_velocity(motion)[0], own, step)

    def margin(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m]."""
        return self._law.margin(self.surface_velocity(motion)[0], own, step)

    @property
    def remembers(self) -> bool:
        """Whether its law does."""
        return self.law is not None and type(self.law).settled is not Law.settled

    def settle(self, motion: Ports, own: list[Scalar]) -> list[Scalar]:
        """The states of the law after a step."""
        return self._law.settled(self.surface_velocity(motion)[0], own)

    @property
    def _law(self) -> Law:
        assert self.law is not None
        return self.law

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """Parting in three directions, tilting in two, and the bristle of a dry law about the axis."""
        arms, axes, _, _ = self._geometry(motion)
        found = []
        for unit in (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)):
            found.append(Spring(_on_both(unit, arms, Vector(0, 0, 0)), self.stiffness, self.damping))
            across = unit - axes[0] * axes[0].dot(unit)
            moment = _on_both(Vector(0, 0, 0), arms, across)
            found.append(Spring(moment, self.turning_stiffness, self.turning_damping))
        if isinstance(self.law, Dry) and self.law.stiffness is not None and self.law.damping is not None:
            turning = _on_both(Vector(0, 0, 0), arms, axes[0])
            found.append(Spring(turning, self.law.stiffness, self.law.damping, bristle=True, staged=True))
        return found

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of parting, tilting and the bristle [J]."""
        _, axes, parting, _ = self._geometry(motion)
        springs = self.stiffness * parting.dot(parting) / 2 + self.turning_stiffness * (1 - axes[0].dot(axes[1]))
        return springs + (self.law.stored(own) if self.law is not None else 0)


def _on_both(force: Vector, arms: list[Vector], moment: Vector) -> Ports:
    """The outputs under a force and a moment on body b, and their opposites on body a."""
    return {
        "force_a": list(-force),
        "force_b": list(force),
        "moment_a": list(-(arms[0].cross(force) + moment)),
        "moment_b": list(arms[1].cross(force) + moment),
    }
