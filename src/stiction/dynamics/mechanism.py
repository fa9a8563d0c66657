"""The robot as the formulas see it: bodies in a tree, each with a joint to its parent, all numbers scalars of any kind."""

from dataclasses import dataclass

from stiction.spatial import ZERO, Inertia, Matrix, Pose, Twist, Vector, about, from_quaternion, quaternion_rate
from stiction.spatial.vector import IDENTITY
from stiction.trace.functions import Scalar

POSITIONS = {"revolute": 1, "prismatic": 1, "spherical": 4, "floating": 7}
VELOCITIES = {"revolute": 1, "prismatic": 1, "spherical": 3, "floating": 6}
X, Y, Z = Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)


@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that carries it.

    Attributes:
        parent: index of the parent body; −1 is the world.
        kind: "revolute", "prismatic", "spherical" (quaternion w, x, y, z) or "floating" (position, then quaternion).
        axis: unit vector of a revolute or prismatic joint, in the body's frame.
        origin: pose of the joint's frame in the parent's frame, at rest position.
        inertia: in the body's frame.
        q: index of its first position. A quaternion is w, x, y, z.
        v: index of its first velocity: the joint's rate, or the body's twist relative to its parent, in the body's axes.
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
        turns = tuple(Twist(axis, ZERO) for axis in (X, Y, Z))
        return turns if self.kind == "spherical" else turns + tuple(Twist(ZERO, axis) for axis in (X, Y, Z))

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
        if self.kind == "prismatic":
            return IDENTITY
        return from_quaternion(q[self.quaternion or slice(0)])

    def _shift(self, q: list[Scalar]) -> Vector:
        if self.kind == "prismatic":
            return self.axis * q[self.q]
        return Vector(*q[self.q : self.q + 3]) if self.kind == "floating" else ZERO

    def twist(self, v: list[Scalar]) -> Twist:
        """Twist of the body relative to its parent, in its own frame."""
        total = Twist(ZERO, ZERO)
        for motion, k in zip(self.motions, self.velocities, strict=True):
            total = total + motion * v[k]
        return total

    def rates(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """Rates of change of its positions: q̇ = N(q) v."""
        if self.kind in ("revolute", "prismatic"):
            return [v[self.v]]
        turning = quaternion_rate(q[self.quaternion or slice(0)], Vector(*v[self.v : self.v + 3]))
        if self.kind == "spherical":
            return turning
        moved = self._turn(q) @ Vector(*v[self.v + 3 : self.v + 6])
        return [*moved, *turning]

    @property
    def quaternion(self) -> slice | None:
        """Where its quaternion stands among the positions, if it has one."""
        first = self.q + (3 if self.kind == "floating" else 0)
        return slice(first, first + 4) if self.kind in ("spherical", "floating") else None


@dataclass(frozen=True)
class Mechanism:
    """A tree of bodies, parents before children.

    Attributes:
        bodies: in the order of their velocities.
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

    def position_rates(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """q̇ = N(q) v."""
        return [rate for body in self.bodies for rate in body.rates(q, v)]

    def rotor_torque(self, a: list[Scalar]) -> list[Scalar]:
        """Torque that accelerates the rotors."""
        if self.rotors is None:
            return [0] * self.nv
        return [sum((entry * x for entry, x in zip(row, a, strict=True)), start=0) for row in self.rotors]
