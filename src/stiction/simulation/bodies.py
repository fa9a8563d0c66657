"""Admittances: a mass, a rigid body, a body that never moves, a robot."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stiction.dynamics.composite_body import mass_matrix
from stiction.dynamics.energy import kinetic_energy, potential_energy
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import inverse_dynamics
from stiction.errors import InputError
from stiction.part import Admittance, Ports, floats, number
from stiction.robot.assembly import Assembly
from stiction.robot.dynamics import FORWARD_DYNAMICS, GRAVITY
from stiction.robot.robot import Robot
from stiction.robot.substitution import Substitution
from stiction.spatial import Vector, from_quaternion, quaternion_rate
from stiction.trace.functions import Scalar, sqrt
from stiction.trace.numbered import Numbering


def _unit_length(owner: str, quaternion: tuple[float, ...]) -> None:
    if abs(sum(x * x for x in quaternion) - 1) > 1e-6:
        raise InputError(f"{owner}: quaternion is {quaternion}; allowed: length 1, such as (1, 0, 0, 0)")


@dataclass(frozen=True, kw_only=True)
class Mass(Admittance):
    """A mass on a line, network (7). Ports: force [N] in; position [m] and velocity [m/s] out.

    Attributes:
        mass: [kg]; or an inertia [kg m²] where positions are angles.
        position: at the start [m].
        velocity: at the start [m/s].

    Example:
        >>> from stiction.simulation.bodies import Mass
        >>> Mass(mass=2.0).rates([0.0, 3.0], {"force": [4.0]}, 0.0)
        [3.0, 2.0]
    """

    inputs = {"force": 1}
    outputs = {"position": 1, "velocity": 1}
    units = {"position": "m", "velocity": "m/s"}
    first_values = ("position", "velocity")

    mass: float
    position: float = 0.0
    velocity: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", number("Mass", "mass", self.mass, zero=False))
        for what in ("position", "velocity"):
            object.__setattr__(self, what, floats("Mass", what, (getattr(self, what),), 1)[0])

    def start(self) -> Mapping[str, float]:
        """Position and velocity."""
        return {"position": self.position, "velocity": self.velocity}

    def motion(self, own: list[Scalar]) -> Ports:
        """Position and velocity."""
        return {"position": own[:1], "velocity": own[1:]}

    def positions(self) -> int:
        """One."""
        return 1

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """The velocity."""
        return own[1:]

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """The mass."""
        return [[self.mass]]

    def load(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Newton's law."""
        return [self.mass * accelerations[0]]

    def generalised(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The force."""
        return forces["force"]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic, and no potential energy [J]."""
        return self.mass * own[1] * own[1] / 2, 0


@dataclass(frozen=True, kw_only=True)
class FreeBody(Admittance):
    """A rigid body, network (25), (26): 13 states. Ports, in the world's axes: force [N] at the centre of mass and moment [N·m] in;
    position [m] and velocity [m/s] of the centre of mass, quaternion (w, x, y, z) and angular velocity [rad/s] out.

    Attributes:
        mass: [kg].
        inertia: principal values about the centre of mass, along the body's axes [kg m²], 3 numbers.
        position: at the start [m].
        quaternion: at the start, body to world.
        velocity: at the start [m/s].
        angular: angular velocity at the start, in the body's axes [rad/s].
        gravity: acceleration of free fall [m/s²]; by default that of the scene, or (0, 0, −9.81).

    Example:
        >>> from stiction.simulation.bodies import FreeBody
        >>> len(FreeBody(mass=1.0, inertia=(0.1, 0.1, 0.1)).start())
        13
    """

    inputs = {"force": 3, "moment": 3}
    outputs = {"position": 3, "velocity": 3, "quaternion": 4, "angular": 3}
    units = {"position": "m", "velocity": "m/s", "quaternion": "1", "angular": "rad/s"}
    first_values = ("position", "quaternion", "velocity", "angular")

    mass: float
    inertia: tuple[float, float, float]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gravity: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        for what, size in (("inertia", 3), ("position", 3), ("quaternion", 4), ("velocity", 3), ("angular", 3), ("gravity", 3)):
            if getattr(self, what) is not None or what != "gravity":
                object.__setattr__(self, what, floats("FreeBody", what, getattr(self, what), size))
        _unit_length("FreeBody", self.quaternion)
        small, middle, large = sorted(self.inertia)
        if small <= 0 or small + middle < large * (1 - 1e-9):
            raise InputError(f"FreeBody: inertia is {self.inertia}; allowed: numbers above 0, the largest at most the sum of the others")
        object.__setattr__(self, "mass", number("FreeBody", "mass", self.mass, zero=False))

    @property
    def pull(self) -> tuple[float, float, float]:
        """Acceleration of free fall [m/s²]."""
        return GRAVITY if self.gravity is None else self.gravity

    def start(self) -> Mapping[str, float]:
        """Position, quaternion, velocity in the world and angular velocity in the body's axes."""
        names = [f"{p}{c}" for p, cs in (("position.", "xyz"), ("quaternion.", "wxyz"), ("velocity.", "xyz"), ("angular.", "xyz")) for c in cs]
        return dict(zip(names, (*self.position, *self.quaternion, *self.velocity, *self.angular), strict=True))

    def motion(self, own: list[Scalar]) -> Ports:
        """Position, velocity, quaternion and angular velocity in the world's axes."""
        turned = from_quaternion(own[3:7]) @ Vector(*own[10:])
        return {"position": own[:3], "velocity": own[7:10], "quaternion": own[3:7], "angular": list(turned)}

    def positions(self) -> int:
        """Position and quaternion."""
        return 7

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """Velocity, and the rate of the quaternion."""
        return [*own[7:10], *quaternion_rate(own[3:7], Vector(*own[10:]))]

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """Mass and inertia on the diagonal."""
        weights = [self.mass] * 3 + list(self.inertia)
        return [[weights[i] if i == j else 0 for j in range(6)] for i in range(6)]

    def load(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Newton's and Euler's laws, the latter in the body's axes."""
        w = Vector(*own[10:])
        spin, turning = (Vector(*(i * x for i, x in zip(self.inertia, each, strict=True))) for each in (w, accelerations[3:]))
        forces = [self.mass * (a - g) for a, g in zip(accelerations[:3], self.pull, strict=True)]
        return [*forces, *(turning + w.cross(spin))]

    def generalised(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The force, and the moment in the body's axes."""
        return [*forces["force"], *(from_quaternion(own[3:7]).T @ Vector(*forces["moment"]))]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        weights = [self.mass] * 3 + list(self.inertia)
        kinetic = sum((m * v * v for m, v in zip(weights, own[7:], strict=True)), start=0) / 2
        return kinetic, -self.mass * Vector(*self.pull).dot(Vector(*own[:3]))

    def settle(self, own: list[Scalar]) -> list[Scalar]:
        """The quaternion takes unit length again."""
        w, x, y, z = own[3:7]
        size = sqrt(w * w + x * x + y * y + z * z)
        return [*own[:3], *(c / size for c in own[3:7]), *own[7:]]


@dataclass(frozen=True, kw_only=True)
class Fixed(Admittance):
    """A body that never moves: the world, as `PenaltyJoint` sees it. Ports as those of `FreeBody`.

    Attributes:
        position: [m].
        quaternion: body to world.

    Example:
        >>> from stiction.simulation.bodies import Fixed
        >>> Fixed(position=(0, 0, 1)).motion([])["position"]
        [0.0, 0.0, 1.0]
    """

    inputs = FreeBody.inputs
    outputs = FreeBody.outputs
    units = FreeBody.units

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for what, size in (("position", 3), ("quaternion", 4)):
            object.__setattr__(self, what, floats("Fixed", what, getattr(self, what), size))
        _unit_length("Fixed", self.quaternion)

    def motion(self, own: list[Scalar]) -> Ports:
        """Where it is."""
        return {"position": list(self.position), "quaternion": list(self.quaternion), "velocity": [0, 0, 0], "angular": [0, 0, 0]}

    def positions(self) -> int:
        """None."""
        return 0

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """Nothing moves."""
        return []

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """Empty."""
        return []

    def load(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Nothing."""
        return []

    def generalised(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """Nothing: forces on it do no work."""
        return []

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """None."""
        return 0, 0


@dataclass(frozen=True, kw_only=True)
class RobotBody(Admittance):
    """A robot, network (8). Ports: torque [N·m or N] in; positions q and velocities v out.

    Attributes:
        robot: the robot.
        q: positions at the start [rad or m]; the neutral ones if empty.
        v: velocities at the start [rad/s or m/s]; rest if empty.
        gravity: acceleration of free fall [m/s²].

    Example:
        >>> import stiction
        >>> from stiction.simulation.bodies import RobotBody
        >>> RobotBody(robot=stiction.library.two_link()).outputs
        {'q': 2, 'v': 2}
    """

    robot: Robot
    q: tuple[float, ...] = ()
    v: tuple[float, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY

    def __post_init__(self) -> None:
        r = self.robot
        object.__setattr__(self, "q", floats("RobotBody", "q", self.q if len(self.q) else r.neutral, r.nq))
        object.__setattr__(self, "v", floats("RobotBody", "v", self.v if len(self.v) else [0.0] * r.nv, r.nv))
        object.__setattr__(self, "gravity", floats("RobotBody", "gravity", self.gravity, 3))
        object.__setattr__(self, "inputs", {"torque": r.nv})
        object.__setattr__(self, "outputs", {"q": r.nq, "v": r.nv})
        object.__setattr__(self, "mechanism", r.mechanism)

    def with_numbers(self, number: Numbering) -> "RobotBody":
        """The same robot with the numbers of its description replaced; start values are no part of the formulas."""
        twin = copy.copy(self)
        object.__setattr__(twin, "gravity", tuple(number(f"gravity.{c}", x) for c, x in zip("xyz", self.gravity, strict=True)))
        inner = number.inside("robot")
        replaced = {name: inner(name, x) for name, x in self.robot.parameters.items() if inner.is_freed(name)}
        parameter = Substitution(lambda k, name, x: inner(name or str(k), x), replaced)
        object.__setattr__(twin, "mechanism", Assembly(self.robot, parameter).mechanism)
        return twin

    def start(self) -> Mapping[str, float]:
        """Positions and velocities, by the names of the robot."""
        names = [*(f"q.{n}" for n in self.robot.position_names), *(f"v.{n}" for n in self.robot.velocity_names)]
        return dict(zip(names, (*self.q, *self.v), strict=True))

    def unit(self, signal: str) -> str:
        """By the kind of the joint."""
        kind, _, name = signal.partition(".")
        joint = self.robot.joint(name if any(j.name == name for j in self.robot.joints) else name.rpartition(".")[0])
        if joint.kind in ("spherical", "floating"):
            return {"q": "1 or m", "v": "rad/s or m/s"}.get(kind, "N·m or N")
        linear = joint.kind == "prismatic" or (joint.kind == "planar" and not name.endswith(".turn"))
        return {"q": ("rad", "m"), "v": ("rad/s", "m/s")}.get(kind, ("N·m", "N"))[linear]

    def motion(self, own: list[Scalar]) -> Ports:
        """Positions and velocities."""
        q, v = self._split(own)
        return {"q": q, "v": v}

    def _mechanism(self) -> Mechanism:
        return self.mechanism  # type: ignore[attr-defined]

    def positions(self) -> int:
        """Of the robot."""
        return self.robot.nq

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """q̇ = N(q) v."""
        return self._mechanism().position_rates(*self._split(own))

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """M(q), rotors included."""
        return mass_matrix(self._mechanism(), self._split(own)[0])

    def load(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Inverse dynamics."""
        return inverse_dynamics(self._mechanism(), *self._split(own), list(accelerations), Vector(*self.gravity))

    def generalised(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The torques."""
        return forces["torque"]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        m, (q, v) = self._mechanism(), self._split(own)
        return kinetic_energy(m, q, v), potential_energy(m, q, Vector(*self.gravity))

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> list[Scalar]:
        """Forward dynamics, by the method that suits the size of the robot."""
        forward_dynamics = FORWARD_DYNAMICS[self.robot.forward_method]
        return [*self.position_rates(own), *forward_dynamics(self._mechanism(), *self._split(own), forces["torque"], Vector(*self.gravity))]

    def _split(self, own: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        return own[: self.robot.nq], own[self.robot.nq :]

    def settle(self, own: list[Scalar]) -> list[Scalar]:
        """Quaternions take unit length again."""
        kept = list(own)
        for body in self.robot.mechanism.bodies:
            if body.quaternion:
                size = sqrt(sum((x * x for x in own[body.quaternion]), start=0))
                kept[body.quaternion] = [x / size for x in own[body.quaternion]]
        return kept
