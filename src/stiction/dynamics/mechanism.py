"""The robot as the formulas see it: bodies in a tree, each with a joint to its parent, all numbers scalars of any kind.

The motions of every kind of joint are constant in the body's own frame, so no formula needs their rates. Joints of
other kinds are chains of these, with bodies without inertia between them: a floating joint is a translation in the axes
of the joint's frame and then a spherical joint. Its linear velocities are therefore those of the link's origin in axes
that do not turn with the link.
"""

from dataclasses import dataclass

from stiction.spatial import (
    IDENTITY,
    NO_INERTIA,
    ZERO,
    Inertia,
    Matrix,
    Pose,
    Twist,
    Vector,
    about,
    from_quaternion,
    quaternion_rate,
)
from stiction.trace.functions import Scalar

POSITIONS = {"revolute": 1, "prismatic": 1, "translation": 3, "spherical": 4}
VELOCITIES = {"revolute": 1, "prismatic": 1, "translation": 3, "spherical": 3}
UNIT_VECTORS = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))


@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that carries it.

    Attributes:
        parent: index of the parent body; −1 is the world.
        kind: "revolute", "prismatic", "translation" (along x, y and z) or "spherical" (quaternion w, x, y, z).
        axis: unit vector of a revolute or prismatic joint, in the body's frame.
        origin: pose of the joint's frame in the parent's frame, at rest position.
        inertia: in the body's frame; `NO_INERTIA` itself for a body that is no link, inside a joint made of several.
        q: index of its first position.
        v: index of its first velocity: the rate of a single position, of the three of a translation, or the body's
            angular velocity relative to its parent, in the body's axes.
    """

    parent: int
    kind: str
    axis: Vector
    origin: Pose
    inertia: Inertia
    q: int
    v: int

    @property
    def motions(self) -> tuple[Twist, ...]:
        """The twists of the body, in its own frame, at unit speed of each of its velocities."""
        if self.kind == "revolute":
            return (Twist(self.axis, ZERO),)
        if self.kind == "prismatic":
            return (Twist(ZERO, self.axis),)
        return tuple(Twist(axis, ZERO) if self.kind == "spherical" else Twist(ZERO, axis) for axis in UNIT_VECTORS)

    @property
    def velocities(self) -> range:
        """Indices of its velocities."""
        return range(self.v, self.v + VELOCITIES[self.kind])

    def pose(self, q: list[Scalar]) -> Pose:
        """Pose of the body in its parent's frame."""
        return self.origin @ Pose(self._turn(q), self._shift(q))

    def _turn(self, q: list[Scalar]) -> Matrix:
        if self.kind == "revolute":
            return about(self.axis, q[self.q])
        return from_quaternion(q[self.quaternion]) if self.quaternion else IDENTITY

    def _shift(self, q: list[Scalar]) -> Vector:
        if self.kind == "prismatic":
            return self.axis * q[self.q]
        return Vector(*q[self.q : self.q + 3]) if self.kind == "translation" else ZERO

    def twist(self, v: list[Scalar]) -> Twist:
        """Twist of the body relative to its parent, in its own frame."""
        total = Twist(ZERO, ZERO)
        for motion, k in zip(self.motions, self.velocities, strict=True):
            total = total + motion * v[k]
        return total

    def rates(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """Rates of change of its positions: q̇ = N(q) v."""
        own = [v[k] for k in self.velocities]
        return quaternion_rate(q[self.quaternion], Vector(*own)) if self.quaternion else own

    @property
    def quaternion(self) -> slice | None:
        """Where its quaternion stands among the positions, if it has one."""
        return slice(self.q, self.q + 4) if self.kind == "spherical" else None


@dataclass(frozen=True)
class Mechanism:
    """A tree of bodies, parents before children.

    Attributes:
        bodies: in the order of their positions.
        rotors: inertia of the rotors as felt at the velocities [kg m² or kg]: an (nv, nv) matrix as lists, or None.
    """

    bodies: tuple[Body, ...]
    rotors: list[list[Scalar]] | None = None

    @property
    def nq(self) -> int:
        """Number of positions."""
        return sum(POSITIONS[b.kind] for b in self.bodies)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(VELOCITIES[b.kind] for b in self.bodies)

    @property
    def links(self) -> list[int]:
        """Indices of the bodies that are links, and not pieces inside a joint."""
        return [k for k, body in enumerate(self.bodies) if body.inertia is not NO_INERTIA]

    def position_rates(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """Rates of change of all positions: q̇ = N(q) v."""
        return [rate for body in self.bodies for rate in body.rates(q, v)]

    def rotor_torque(self, a: list[Scalar]) -> list[Scalar]:
        """Torque that accelerates the rotors."""
        if self.rotors is None:
            return [0] * self.nv
        return [sum((entry * x for entry, x in zip(row, a, strict=True)), start=0) for row in self.rotors]
