"""Admittances: a mass, a rigid body, a robot."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stiction.dynamics.mechanism import Mechanism
from stiction.errors import InputError
from stiction.robot.motion import GRAVITY, ROADS
from stiction.robot.numbers import Assembly, Numbers
from stiction.robot.robot import Robot
from stiction.simulation.part import Admittance, Ports
from stiction.spatial import Vector, from_quaternion, quaternion_rate
from stiction.trace.functions import Scalar, sqrt


def _floats(owner: str, what: str, values: Any, length: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(x) for x in values)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != length or not all(abs(x) < 1e12 for x in numbers):
        raise InputError(f"{owner}: {what} is {values!r}; allowed: {length} finite numbers")
    return numbers


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

    mass: float
    position: float = 0.0
    velocity: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < float(self.mass) < 1e12:
            raise InputError(f"Mass: mass is {self.mass}; allowed: a number above 0")
        object.__setattr__(self, "mass", float(self.mass))

    def start(self) -> Mapping[str, float]:
        """Position and velocity."""
        return {"position": self.position, "velocity": self.velocity}

    def motion(self, own: list[Scalar]) -> Ports:
        """Position and velocity."""
        return {"position": own[:1], "velocity": own[1:]}

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> list[Scalar]:
        """Newton's law."""
        return [own[1], forces["force"][0] / self.mass]


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
        gravity: acceleration of free fall [m/s²].

    Example:
        >>> from stiction.simulation.bodies import FreeBody
        >>> len(FreeBody(mass=1.0, inertia=(0.1, 0.1, 0.1)).start())
        13
    """

    inputs = {"force": 3, "moment": 3}
    outputs = {"position": 3, "velocity": 3, "quaternion": 4, "angular": 3}

    mass: float
    inertia: tuple[float, float, float]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gravity: tuple[float, float, float] = GRAVITY

    def __post_init__(self) -> None:
        for what, size in (("inertia", 3), ("position", 3), ("quaternion", 4), ("velocity", 3), ("angular", 3), ("gravity", 3)):
            object.__setattr__(self, what, _floats("FreeBody", what, getattr(self, what), size))
        if not 0 < float(self.mass) < 1e12 or min(self.inertia) <= 0:
            raise InputError(f"FreeBody: mass is {self.mass} and inertia {self.inertia}; allowed: numbers above 0")
        object.__setattr__(self, "mass", float(self.mass))

    def start(self) -> Mapping[str, float]:
        """Position, quaternion, velocity in the world and angular velocity in the body's axes."""
        names = [f"{p}{c}" for p, cs in (("position.", "xyz"), ("quaternion.", "wxyz"), ("velocity.", "xyz"), ("angular.", "xyz")) for c in cs]
        return dict(zip(names, (*self.position, *self.quaternion, *self.velocity, *self.angular), strict=True))

    def motion(self, own: list[Scalar]) -> Ports:
        """Position, velocity, quaternion and angular velocity in the world's axes."""
        turned = from_quaternion(own[3:7]) @ Vector(*own[10:])
        return {"position": own[:3], "velocity": own[7:10], "quaternion": own[3:7], "angular": list(turned)}

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> list[Scalar]:
        """Newton's and Euler's laws."""
        R, w = from_quaternion(own[3:7]), Vector(*own[10:])
        moment = R.T @ Vector(*forces["moment"])
        spin = Vector(*(i * x for i, x in zip(self.inertia, w, strict=True)))
        turning = moment - w.cross(spin)
        accelerations = [f / self.mass + g for f, g in zip(forces["force"], self.gravity, strict=True)]
        return [*own[7:10], *quaternion_rate(own[3:7], w), *accelerations, *(x / i for x, i in zip(turning, self.inertia, strict=True))]

    def settle(self, own: list[Scalar]) -> list[Scalar]:
        """The quaternion takes unit length again."""
        w, x, y, z = own[3:7]
        size = sqrt(w * w + x * x + y * y + z * z)
        return [*own[:3], *(c / size for c in own[3:7]), *own[7:]]


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
        object.__setattr__(self, "q", _floats("RobotBody", "q", self.q if len(self.q) else r.neutral, r.nq))
        object.__setattr__(self, "v", _floats("RobotBody", "v", self.v if len(self.v) else [0.0] * r.nv, r.nv))
        object.__setattr__(self, "gravity", _floats("RobotBody", "gravity", self.gravity, 3))
        object.__setattr__(self, "inputs", {"torque": r.nv})
        object.__setattr__(self, "outputs", {"q": r.nq, "v": r.nv})
        object.__setattr__(self, "mechanism", r.mechanism)

    def with_numbers(self, number: Callable[[str, float], Any]) -> "RobotBody":
        """The same robot with the numbers of its description replaced; start values are no part of the formulas."""
        twin = copy.copy(self)
        object.__setattr__(twin, "gravity", tuple(number(f"gravity.{c}", x) for c, x in zip("xyz", self.gravity, strict=True)))
        chosen = Numbers(lambda k, name, x: number(f"robot.{name or k}", x))
        object.__setattr__(twin, "mechanism", Assembly(self.robot, chosen).mechanism)
        return twin

    def start(self) -> Mapping[str, float]:
        """Positions and velocities, by the names of the robot."""
        names = [*(f"q.{n}" for n in self.robot.position_names), *(f"v.{n}" for n in self.robot.velocity_names)]
        return dict(zip(names, (*self.q, *self.v), strict=True))

    def motion(self, own: list[Scalar]) -> Ports:
        """Positions and velocities."""
        return {"q": own[: self.robot.nq], "v": own[self.robot.nq :]}

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> list[Scalar]:
        """Forward dynamics."""
        m: Mechanism = self.mechanism  # type: ignore[attr-defined]
        q, v = own[: m.nq], own[m.nq :]
        return [*m.position_rates(q, v), *ROADS[self.robot.forward_road](m, q, v, forces["torque"], Vector(*self.gravity))]

    def settle(self, own: list[Scalar]) -> list[Scalar]:
        """Quaternions take unit length again."""
        kept = list(own)
        for body in self.robot.mechanism.bodies:
            if body.quaternion:
                size = sqrt(sum((x * x for x in own[body.quaternion]), start=0))
                kept[body.quaternion] = [x / size for x in own[body.quaternion]]
        return kept
