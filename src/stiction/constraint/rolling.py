"""Wheels and balls that roll on a plane."""

from collections.abc import Sequence
from dataclasses import dataclass

from stiction.constraint.constraint import CONSTRAINTS, WORLD
from stiction.constraint.frames import FrameConstraint
from stiction.fields import direction, number
from stiction.parts.kinds import Ports
from stiction.spatial import Vector
from stiction.trace.functions import Scalar, sqrt


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class Rolling(FrameConstraint):
    """A wheel, or a ball, that rolls on a plane of the world without slipping: its lowest point rests. It is kept on
    the plane, and its velocity there is kept at 0; where a wheel may lean and turn, that is no equation of positions.

    Signals: "constraint.NAME.force.normal", ".force.x", ".force.y" [N]: with which it pushes the plane, along the
    normal and along two directions of the plane.

    Attributes:
        between: the frame at the centre of the wheel, and "world".
        radius: [m].
        axis: of the wheel, in the axes of its frame; None: a ball.
        normal: of the plane, away from it.
        height: of the plane along its normal, from the world's origin [m].

    Example:
        >>> import stiction
        >>> stiction.Rolling(between=("wheel", "world"), radius=0.3, axis=(0, 1, 0)).multipliers
        ('force.normal', 'force.x', 'force.y')
    """

    units = {"force": "N"}
    multipliers = ("force.normal", "force.x", "force.y")
    folded = ("normal", "axis")

    radius: float = number(above=0)
    axis: tuple[float, ...] | None = direction(None, optional=True)
    normal: tuple[float, ...] = direction((0.0, 0.0, 1.0))
    height: float = number(0.0)

    def conflicts(self) -> Sequence:
        """The plane is that of the world."""
        why = f"between is {tuple(self.between)!r}; allowed: a frame or body, and 'world'"
        return [*super().conflicts(), (tuple(self.between[1:]) != (WORLD,), why)]

    def _down(self, motion: Ports) -> Vector:
        """From the centre to the lowest point."""
        n = Vector(*self.normal)
        if self.axis is None:
            return n * -self.radius
        a = self.pose(motion, "first").rotation @ Vector(*self.axis)
        lean = n.dot(a)
        return (a * lean - n) * (self.radius / sqrt(1 - lean * lean))

    def gaps(self, motion: Ports) -> list[Scalar]:
        """Of the lowest point over the plane."""
        lowest = self.pose(motion, "first").position + self._down(motion)
        return [Vector(*self.normal).dot(lowest) - self.height]

    def velocities(self, motion: Ports) -> list[Scalar]:
        """Of the lowest point along the plane."""
        twist = self.twist(motion, "first")
        slip = twist.linear + twist.angular.cross(self._down(motion))
        x, y = _in_plane(self.normal)
        return [slip.dot(x), slip.dot(y)]


def _in_plane(normal: Sequence[float]) -> tuple[Vector, Vector]:
    """Two directions of a plane: x and y of the world, as far as they lie in it."""
    a, b, c = normal
    if abs(c) < 0.5:
        size = (a * a + b * b) ** 0.5
        y = Vector(-b / size, a / size, 0.0)
        return y.cross(Vector(*normal)), y
    size = (a * a + c * c) ** 0.5
    x = Vector(c / size, 0.0, -a / size)
    return x, Vector(*normal).cross(x)
