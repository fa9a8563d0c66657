"""Bodies, which turn force into motion: a mass on a line, a free rigid body, one that never moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stiction.errors import RobotError
from stiction.fields import LARGEST, instances, number, numbers
from stiction.parts.kinds import FRAME_INPUTS, FRAME_OUTPUTS, Admittance, Ports
from stiction.parts.registry import PARTS
from stiction.robot.mass_properties import MassProperties
from stiction.robot.origin import Origin
from stiction.robot.ports import GRAVITY
from stiction.robot.shape import Shape
from stiction.robot.solid import Solid
from stiction.spatial import ZERO, Twist, Vector, from_quaternion, quaternion_rate
from stiction.trace.functions import Scalar, sqrt


def _turned_too_far(quaternion: tuple[float, ...]) -> tuple[bool, str]:
    wrong = abs(sum(x * x for x in quaternion) - 1) > 1e-6
    return wrong, f"quaternion is {quaternion}; allowed: length 1, such as (1, 0, 0, 0)"


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class Mass(Admittance):
    """A mass on a line, network (7). Ports: force [N] in; position [m] and velocity [m/s] out.

    Attributes:
        mass: [kg]; or an inertia [kg m²] where positions are angles.
        position: at the start [m].
        velocity: at the start [m/s].

    Example:
        >>> from stiction.parts import Mass
        >>> Mass(mass=2.0).rates([0.0, 3.0], {"force": [4.0]}, 0.0)
        [3.0, 2.0]
    """

    inputs = {"force": 1}
    outputs = {"position": 1, "velocity": 1}
    units = {"position": "m", "velocity": "m/s"}
    start_fields = ("position", "velocity")

    mass: float = number(above=0)
    position: float = number(0.0)
    velocity: float = number(0.0)

    def start(self) -> Mapping[str, float]:
        """Position and velocity."""
        return {"position": self.position, "velocity": self.velocity}

    def motion(self, own: list[Scalar]) -> Ports:
        """Position and velocity."""
        return {"position": own[:1], "velocity": own[1:]}

    def positions(self) -> int:
        """The position is one number."""
        return 1

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """The rate of the position is the velocity [m/s]."""
        return own[1:]

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """One entry: the mass [kg]."""
        return [[self.mass]]

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Newton's law."""
        return [self.mass * accelerations[0]]

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The force along the line [N]."""
        return forces["force"]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic, and no potential energy [J]."""
        return self.mass * own[1] * own[1] / 2, 0


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class FreeBody(Admittance):
    """A rigid body, network (25), (26): 13 states. Ports, in the world's axes: force [N] at the centre of mass and
    moment [N·m] in; position [m] and velocity [m/s] of the centre of mass, quaternion (w, x, y, z) and angular velocity
    [rad/s] out.

    Attributes:
        mass: [kg].
        inertia: principal values about the centre of mass, along the body's axes [kg m²], 3 numbers.
        position: at the start [m].
        quaternion: at the start, body to world.
        velocity: at the start [m/s].
        angular: angular velocity at the start, in the body's axes [rad/s].
        gravity: acceleration of free fall [m/s²]; by default that of the scene, or (0, 0, −9.81).
        shapes: what it touches others with, in the body's axes, from the centre of mass.

    Example:
        >>> from stiction.parts import FreeBody
        >>> len(FreeBody(mass=1.0, inertia=(0.1, 0.1, 0.1)).start())
        13
    """

    inputs = FRAME_INPUTS
    outputs = FRAME_OUTPUTS
    units = {"position": "m", "velocity": "m/s", "quaternion": "1", "angular": "rad/s"}
    start_fields = ("position", "quaternion", "velocity", "angular")
    described = ("shapes",)

    mass: float = number(above=0)
    inertia: tuple[float, float, float] = numbers(3)
    position: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 0.0))
    quaternion: tuple[float, float, float, float] = numbers(4, default=(1.0, 0.0, 0.0, 0.0))
    velocity: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 0.0))
    angular: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 0.0))
    gravity: tuple[float, float, float] | None = numbers(3, default=None, optional=True)
    shapes: tuple[Shape, ...] = instances(Shape, ())

    @classmethod
    def of(cls, *solids: Solid, **more: Any) -> "FreeBody":
        """A body made of solids, which are its shapes, too. Its centre of mass is where `position` is, its axes are
        those of the solids: principal axes, therefore.

        Example:
            >>> import stiction
            >>> box = stiction.parts.FreeBody.of(stiction.Box(size=(0.1, 0.2, 0.3), mass=6.0), position=(0, 0, 1))
            >>> [round(x, 3) for x in box.inertia]
            [0.065, 0.05, 0.025]
        """
        mass, center, inertia = MassProperties.of_solids(*solids)
        aside = np.abs(inertia - np.diag(np.diag(inertia))).max()
        if aside > 1e-9 * np.abs(inertia).max():
            raise RobotError(
                "FreeBody.of: the axes of these solids are no principal axes of inertia; turn them, so that they are"
            )
        shapes = tuple(
            replace(s, origin=Origin(xyz=tuple(np.array(s.origin.xyz) - center), rpy=s.origin.rpy)) for s in solids
        )
        moments = tuple(np.diag(inertia).tolist())
        if not all(0 < x < LARGEST for x in (mass, *moments)):
            raise RobotError(
                f"FreeBody.of: these solids have the mass {mass:g} kg and the moments of inertia "
                f"{', '.join(f'{x:g}' for x in moments)} kg m²; allowed: above 0 and below {LARGEST:g}. "
                "Look at their sizes and masses (SI: metres and kilograms)"
            )
        return cls(mass=mass, inertia=moments, shapes=shapes, **more)

    def conflicts(self) -> Sequence:
        """Moments of inertia obey the triangle inequality, and quaternions have unit length."""
        a, b, c = self.inertia
        possible = (a > 0) & (b > 0) & (c > 0)
        for one, others in ((a, b + c), (b, c + a), (c, a + b)):
            possible = possible & (one * (1 - 1e-9) <= others)
        why = f"inertia is {self.inertia}; allowed: numbers above 0, the largest at most the sum of the others"
        return [_turned_too_far(self.quaternion), (possible == False, why)]  # noqa: E712  # arrays of them, too

    @property
    def pull(self) -> tuple[float, float, float]:
        """Acceleration of free fall [m/s²]."""
        return GRAVITY if self.gravity is None else self.gravity

    def start(self) -> Mapping[str, float]:
        """Position, quaternion, velocity in the world and angular velocity in the body's axes."""
        names = [
            f"{p}{c}"
            for p, cs in (("position.", "xyz"), ("quaternion.", "wxyz"), ("velocity.", "xyz"), ("angular.", "xyz"))
            for c in cs
        ]
        return dict(zip(names, (*self.position, *self.quaternion, *self.velocity, *self.angular), strict=True))

    def motion(self, own: list[Scalar]) -> Ports:
        """Position, velocity, quaternion and angular velocity in the world's axes."""
        R = from_quaternion(own[3:7])
        turned = R @ Vector(*own[10:])
        return {
            "position": own[:3],
            "rotation": R.numbers,
            "quaternion": own[3:7],
            "velocity": own[7:10],
            "angular": list(turned),
        }

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

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Newton's and Euler's laws, the latter in the body's axes."""
        w = Vector(*own[10:])
        spin, turning = (
            Vector(*(i * x for i, x in zip(self.inertia, each, strict=True))) for each in (w, accelerations[3:])
        )
        forces = [self.mass * (a - g) for a, g in zip(accelerations[:3], self.pull, strict=True)]
        return [*forces, *(turning + w.cross(spin))]

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The force, and the moment in the body's axes."""
        return [*forces["force"], *(from_quaternion(own[3:7]).T @ Vector(*forces["moment"]))]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        weights = [self.mass] * 3 + list(self.inertia)
        kinetic = sum((m * v * v for m, v in zip(weights, own[7:], strict=True)), start=0) / 2
        return kinetic, -self.mass * Vector(*self.pull).dot(Vector(*own[:3]))

    def unit_twists(self, own: list[Scalar]) -> list[Twist]:
        """Along the world's axes, and about the body's."""
        turning = [Vector(*column) for column in from_quaternion(own[3:7]).T.rows]
        center = Vector(*own[:3])
        along = [Twist(ZERO, Vector(*(int(j == k) for j in range(3)))) for k in range(3)]
        return [*along, *(Twist(w, center.cross(w)) for w in turning)]

    def reaches(self) -> list[tuple[int, int]]:
        """All move the one body."""
        return [(0, 0)] * 6

    def places(self) -> dict[str, int]:
        """There is one."""
        return {"": 0}

    def quaternions(self) -> Sequence[slice]:
        """Behind the position."""
        return [slice(3, 7)]

    def settle(self, own: list[Scalar]) -> list[Scalar]:
        """The quaternion takes unit length again."""
        w, x, y, z = own[3:7]
        size = sqrt(w * w + x * x + y * y + z * z)
        return [*own[:3], *(c / size for c in own[3:7]), *own[7:]]


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class Fixed(Admittance):
    """A body that never moves: the world, as `PenaltyJoint` sees it. Ports as those of `FreeBody`.

    Attributes:
        position: [m].
        quaternion: body to world.
        shapes: with which others touch it.

    Example:
        >>> from stiction.parts import Fixed
        >>> Fixed(position=(0, 0, 1)).motion([])["position"]
        [0.0, 0.0, 1.0]
    """

    inputs = FreeBody.inputs
    outputs = FreeBody.outputs
    units = FreeBody.units

    position: tuple[float, float, float] = numbers(3, default=(0.0, 0.0, 0.0))
    quaternion: tuple[float, float, float, float] = numbers(4, default=(1.0, 0.0, 0.0, 0.0))
    shapes: tuple[Shape, ...] = instances(Shape, ())
    described = ("shapes",)

    def conflicts(self) -> Sequence:
        """Quaternions have unit length."""
        return [_turned_too_far(self.quaternion)]

    def motion(self, own: list[Scalar]) -> Ports:
        """Its pose, at rest."""
        return {
            "position": list(self.position),
            "rotation": from_quaternion(list(self.quaternion)).numbers,
            "quaternion": list(self.quaternion),
            "velocity": [0, 0, 0],
            "angular": [0, 0, 0],
        }

    def positions(self) -> int:
        """It has no position that could change."""
        return 0

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """Nothing moves."""
        return []

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """It has no velocities."""
        return []

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """It takes no force."""
        return []

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """Nothing: forces on it do no work."""
        return []

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """It has no energy [J]."""
        return 0, 0
