"""The robot as the formulas see it: bodies in a tree, each with a joint to its parent, all numbers scalars of any kind.

The motions of every kind of joint are constant in the body's own frame, so no formula needs their rates. Joints of
other kinds are chains of these, with bodies without inertia between them: a floating joint is a translation in the axes
of the joint's frame and then a spherical joint. Its linear velocities are therefore those of the link's origin in axes
that do not turn with the link.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from stiction.spatial import (
    IDENTITY,
    NO_INERTIA,
    ZERO,
    Angle,
    Inertia,
    Matrix,
    Pose,
    Twist,
    Vector,
    from_quaternion,
    quaternion_rate,
    turned,
)
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, cos, sin, where

POSITIONS = {"revolute": 1, "prismatic": 1, "single": 1, "translation": 3, "spherical": 4}
VELOCITIES = {"revolute": 1, "prismatic": 1, "single": 1, "translation": 3, "spherical": 3}
UNIT_VECTORS = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))


@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that carries it.

    Attributes:
        index: its place among the bodies.
        parent: index of the parent body; −1 is the world.
        kind: "revolute", "prismatic", "translation" (along x, y and z) or "spherical" (quaternion w, x, y, z); in a
            loop over bodies "single" is either of the first two.
        axis: unit vector of a revolute or prismatic joint, in the body's frame.
        origin: pose of the joint's frame in the parent's frame, at rest position.
        inertia: in the body's frame; `NO_INERTIA` itself for a body that is no link, inside a joint made of several.
        q: index of its first position.
        v: index of its first velocity: the rate of a single position, of the three of a translation, or the body's
            angular velocity relative to its parent, in the body's axes.
        rotor: inertia of the rotor that turns with its one velocity alone, as felt there [kg m² or kg].
        turning: of a single joint: 1 if it is revolute, 0 if it is prismatic.
    """

    index: int
    parent: int
    kind: str
    axis: Vector
    origin: Pose
    inertia: Inertia
    q: int
    v: int
    rotor: Scalar = 0
    turning: Scalar = 1

    @property
    def shape(self) -> int:
        """Bodies of one shape differ by numbers alone."""
        return POSITIONS[self.kind]

    @property
    def pattern(self) -> tuple:
        """Its shape, and which of its numbers are structure."""
        return (self.shape, *map(_known, self.numbers[4:]))

    @property
    def numbers(self) -> list[Scalar]:
        """All about it, as numbers."""
        places, turning = (self.index, self.parent, self.q, self.v), int(self.kind == "revolute")
        return [*places, self.rotor, turning, *self.axis, *self.origin.numbers, *self.inertia.numbers]

    @staticmethod
    def of_numbers(kind: str, x: Sequence[Scalar]) -> "Body":
        """The body of a kind with these numbers."""
        index, parent, q, v, rotor, turning = x[:6]
        origin, inertia = Pose.of_numbers(x[9:21]), Inertia.of_numbers(x[21:])
        return Body(index, parent, kind, Vector(*x[6:9]), origin, inertia, q, v, rotor, turning)

    @property
    def motions(self) -> tuple[Twist, ...]:
        """The twists of the body, in its own frame, at unit speed of each of its velocities."""
        if self.kind == "revolute":
            return (Twist(self.axis, ZERO),)
        if self.kind == "prismatic":
            return (Twist(ZERO, self.axis),)
        if self.kind == "single":
            return (Twist(self.axis * self.turning, self.axis * (1 - self.turning)),)
        return tuple(Twist(axis, ZERO) if self.kind == "spherical" else Twist(ZERO, axis) for axis in UNIT_VECTORS)

    @property
    def velocities(self) -> list[int]:
        """Indices of its velocities."""
        return [self.v + k for k in range(VELOCITIES[self.kind])]

    def angle(self, q: list[Scalar]) -> Angle:
        """Sine and cosine by which it is turned; those of 0 where it does not turn about one axis."""
        if VELOCITIES[self.kind] > 1 or self.kind == "prismatic":
            return Angle(0, 1)
        x = q[self.q] if self.kind == "revolute" else self.turning * q[self.q]
        return Angle(sin(x), cos(x))

    def pose(self, q: list[Scalar], angle: Angle | None = None) -> Pose:
        """Pose of the body in its parent's frame; the angle is that of q, where it is known."""
        return Pose(self._turned(q, angle or self.angle(q)), self.origin.position + self._shift(q))

    def _turned(self, q: list[Scalar], angle: Angle) -> Matrix:
        R = self.origin.rotation
        if VELOCITIES[self.kind] == 1:
            return R if self.kind == "prismatic" else turned(R, self.axis, angle)
        return R @ from_quaternion(self._quaternion(q)) if self.kind == "spherical" else R

    def _shift(self, q: list[Scalar]) -> Vector:
        R = self.origin.rotation
        if self.kind in ("prismatic", "single"):
            along = R @ self.axis * (1 - self.turning) if self.kind == "single" else R @ self.axis
            return along * q[self.q]
        return R @ Vector(*(q[self.q + k] for k in range(3))) if self.kind == "translation" else ZERO

    def _quaternion(self, q: list[Scalar]) -> list[Scalar]:
        return [q[self.q + k] for k in range(4)]

    def twist(self, v: list[Scalar]) -> Twist:
        """Twist of the body relative to its parent, in its own frame."""
        total = Twist(ZERO, ZERO)
        for motion, k in zip(self.motions, self.velocities, strict=True):
            total = total + motion * v[k]
        return total

    def rates(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """Rates of change of its positions: q̇ = N(q) v."""
        own = [v[k] for k in self.velocities]
        return quaternion_rate(self._quaternion(q), Vector(*own)) if self.kind == "spherical" else own

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

    @cached_property
    def aligned(self) -> "Aligned":
        """The same robot in frames in which every joint turns about z, or slides along it: less work, where axes are
        numbers and not structure.
        """
        turns = [alignment(body) for body in self.bodies]
        bodies = []
        for body, R in zip(self.bodies, turns, strict=True):
            carrier = turns[body.parent].T if body.parent >= 0 else IDENTITY
            origin = Pose(carrier @ body.origin.rotation @ R, carrier @ body.origin.position)
            inertia = body.inertia if body.inertia is NO_INERTIA else body.inertia.seen_from(Pose(R.T))
            axis = UNIT_VECTORS[2] if VELOCITIES[body.kind] == 1 else body.axis
            bodies.append(replace(body, origin=origin, inertia=inertia, axis=axis))
        return Aligned(tuple(bodies), self.rotors, tuple(turns))

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

    @cached_property
    def owners(self) -> list[int]:
        """The body of each velocity."""
        places = {v: body.index for body in self.bodies for v in body.velocities}
        return [places[v] for v in range(self.nv)]

    @cached_property
    def motions(self) -> list[Twist]:
        """The twist of its body, in the body's frame, at unit speed of each velocity."""
        found = {v: S for body in self.bodies for v, S in zip(body.velocities, body.motions, strict=True)}
        return [found[v] for v in range(self.nv)]

    def path(self, k: int) -> list[Body]:
        """The bodies that carry body k, the root's first, itself last."""
        found: list[Body] = []
        while k >= 0:
            found.insert(0, self.bodies[k])
            k = self.bodies[k].parent
        return found

    def carriers(self, c: int) -> list[tuple[int, int | None, bool]]:
        """The velocities that carry velocity c, those of its own body first: each with the body from which one comes to
        theirs (None where one is there), and whether that is also c's.
        """
        *_, own = path = self.path(self.owners[c])
        found: list[tuple[int, int | None, bool]] = [(v, None, True) for v in own.velocities if v < c]
        for body, below in zip(path[-2::-1], path[:0:-1], strict=True):
            first, *more = body.velocities
            found += [(first, below.index, False), *((v, None, False) for v in more)]
        return found

    def position_rates(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """Rates of change of all positions: q̇ = N(q) v."""
        return [rate for body in self.bodies for rate in body.rates(q, v)]

    def rotor_torque(self, a: list[Scalar]) -> list[Scalar]:
        """Torque that accelerates the rotors."""
        if self.rotors is None:
            return [0] * self.nv
        return [
            sum((entry * x for entry, x in zip(row, a, strict=True) if not _none(entry)), start=0)
            for row in self.rotors
        ]


@dataclass(frozen=True)
class Aligned(Mechanism):
    """A mechanism in turned frames.

    Attributes:
        turns: how each frame is turned.
    """

    turns: tuple[Matrix, ...] = ()


def alignment(body: Body) -> Matrix:
    """A rotation that takes z to the axis of a joint: of zeros and ones for axes along a coordinate."""
    if VELOCITIES[body.kind] > 1:
        return IDENTITY
    x, y, z = (_known(component) for component in body.axis)
    if None in (x, y, z):  # Duff and others 2017
        x, y, z = body.axis
        s = where(z < 0, -1, 1)
        a = -1 / (s + z)
        first, second = (1 + s * x * x * a, s * x * y * a, -s * x), (x * y * a, s + y * y * a, -y)
    elif z:
        first, second = (1, 0, 0), (0, int(z), 0)
    elif x:
        first, second = (0, 1, 0), (0, 0, int(x))
    else:
        first, second = (0, 0, 1), (int(y or 0), 0, 0)
    return Matrix((first, second, body.axis)).T


def _known(x: Scalar) -> float | None:
    """A number that is structure; None if it is a parameter."""
    if isinstance(x, Expr):
        return x.data if x.op == "const" else None
    return x if isinstance(x, int) else None


def _none(entry: Scalar) -> bool:
    return isinstance(entry, int) and entry == 0
