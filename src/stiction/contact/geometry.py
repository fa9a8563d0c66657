"""Points, lines and triangles: where they are to each other, and how they move."""

from typing import NamedTuple

from stiction.spatial import Pose, Twist, Vector
from stiction.trace.functions import Scalar, clip, maximum, sqrt, where

TINY = 1e-300  # no division by 0
FAR = 1e300  # m that nothing is apart


class At(NamedTuple):
    """A point of a body: where it is in the world, and its place and velocity as the target sees them."""

    center: Vector
    place: Vector
    velocity: Vector


class Pair(NamedTuple):
    """Two bodies: where they are, and how they move; a target that does not move is the world."""

    pose: Pose
    twist: Twist
    target: Pose
    carried: Twist
    fixed: bool

    def place(self, point: Vector) -> tuple[Vector, Vector]:
        """Where a point of the first is, in the world and as the target sees it."""
        center = self.pose.point(point)
        return center, center if self.fixed else self.target.rotation.T @ (center - self.target.position)

    def at(self, point: Vector) -> At:
        """A point of the first, and how it moves."""
        center, place = self.place(point)
        moves = _velocity(self.pose, self.twist, center)
        if self.fixed:
            return At(center, place, moves)
        relative = moves - _velocity(self.target, self.carried, center)
        return At(center, place, self.target.rotation.T @ relative)

    def out(self, x: Vector) -> Vector:
        """A direction of the target in the world."""
        return x if self.fixed else self.target.rotation @ x


def _velocity(pose: Pose, twist: Twist, x: Vector) -> Vector:
    """Velocity of a point of a body whose frame's origin has this twist."""
    return twist.linear + twist.angular.cross(x - pose.position)


def length(x: Vector) -> Scalar:
    """The length of a vector."""
    return sqrt(x.dot(x))


def tangent(n: Vector) -> Vector:
    """A unit vector across a unit vector, which changes with it smoothly but where z changes its sign (Duff and others
    2017).
    """
    s = where(n.z < 0, -1, 1)
    a = -1 / (s + n.z)
    return Vector(1 + s * n.x * n.x * a, s * n.x * n.y * a, -s * n.x)


def nearest_on_line(x: Vector, a: Vector, b: Vector) -> Vector:
    """The point between a and b that is nearest to x."""
    along = b - a
    part = clip(along.dot(x - a) / maximum(along.dot(along), TINY), 0, 1)
    return a + along * part


def nearest_on_triangle(x: Vector, a: Vector, b: Vector, c: Vector) -> Vector:
    """The point of a triangle that is nearest to x: of its plane, if that is inside, else of its edges."""
    n = (b - a).cross(c - a)
    edges = ((a, b), (b, c), (c, a))
    outside = [n.cross(q - p).dot(x - p) < 0 for p, q in edges]
    found = x - n * (n.dot(x - a) / maximum(n.dot(n), TINY))
    beside = outside[0] | outside[1] | outside[2]
    square = where(beside, FAR, 0)
    for p, q in edges:
        y = nearest_on_line(x, p, q)
        away = x - y
        nearer = away.dot(away) < square
        found = Vector(*(where(nearer, u, w) for u, w in zip(y, found, strict=True)))
        square = where(nearer, away.dot(away), square)
    return found
