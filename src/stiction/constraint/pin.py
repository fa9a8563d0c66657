"""Two frames pinned or welded together: what closes a loop."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stiction.constraint.constraint import CONSTRAINTS
from stiction.constraint.frames import FrameConstraint
from stiction.fields import direction, numbers
from stiction.parts.kinds import Ports
from stiction.spatial import Pose, Vector
from stiction.trace.functions import Scalar

FORCES = ("force.x", "force.y", "force.z")
AXES = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class Pin(FrameConstraint):
    """A point of one frame stays at a point of another: a ball joint; with an axis, a hinge. In a mechanism that moves
    in a plane both are a hinge: rows that follow from others are left out.

    Signals: "constraint.NAME.force.x" … [N], with which the first end pushes the second, in the world's axes; of a
    hinge also "constraint.NAME.moment.1" and ".2" [N·m], about two directions across its axis.

    Attributes:
        between: the two ends: links or frames of robots, such as "robot.link3", bodies, or "world" as the second.
        first_point: the point in the axes of the first end, from its origin [m].
        second_point: the point in those of the second [m].
        axis: of a hinge, in the axes of the first end; None: a ball joint.
        second_axis: the same in those of the second; None: as the first.

    Example:
        >>> import stiction
        >>> pin = stiction.Pin(between=("robot.coupler", "world"), first_point=(0.4, 0, 0), second_point=(1, 0, 0))
        >>> pin.multipliers
        ('force.x', 'force.y', 'force.z')
    """

    units = {"force": "N", "moment": "N·m"}
    folded = ("axis", "second_axis")

    first_point: tuple[float, ...] = numbers(3, default=(0.0, 0.0, 0.0))
    second_point: tuple[float, ...] = numbers(3, default=(0.0, 0.0, 0.0))
    axis: tuple[float, ...] | None = direction(None, optional=True)
    second_axis: tuple[float, ...] | None = direction(None, optional=True)

    @property
    def multipliers(self) -> tuple[str, ...]:
        """The force, and the moment of a hinge across its axis."""
        return FORCES if self.axis is None else (*FORCES, "moment.1", "moment.2")

    def conflicts(self) -> Sequence:
        """An axis of the second end needs one of the first."""
        why = "second_axis is given and axis is not; give both, or axis alone where both ends have the same"
        return [*super().conflicts(), (self.second_axis is not None and self.axis is None, why)]

    def gaps(self, motion: Ports) -> list[Scalar]:
        """Between the points; and the axis of the second across two directions of the first."""
        first, second = (self.pose(motion, end) for end in ("first", "second"))
        found = apart(first, self.first_point, second, self.second_point)
        if self.axis is not None:
            along = Vector(*self.axis)
            other = second.rotation @ Vector(*(self.second_axis or self.axis))
            found += [(first.rotation @ across).dot(other) for across in _across(along)]
        return found


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class Weld(FrameConstraint):
    """Two frames that are one: points that stay together, and axes that stay parallel.

    Signals: "constraint.NAME.force.x" … [N], with which the first end pushes the second, in the world's axes, and
    "constraint.NAME.moment.x" … [N·m], likewise, in the axes that they share.

    Attributes:
        between: the two ends, as those of a `Pin`.
        first_point: the point in the axes of the first end, from its origin [m].
        second_point: the point in those of the second [m].

    Example:
        >>> import stiction
        >>> len(stiction.Weld(between=("left.tool", "right.tool")).multipliers)
        6
    """

    units = {"force": "N", "moment": "N·m"}
    multipliers = (*FORCES, "moment.x", "moment.y", "moment.z")

    first_point: tuple[float, ...] = numbers(3, default=(0.0, 0.0, 0.0))
    second_point: tuple[float, ...] = numbers(3, default=(0.0, 0.0, 0.0))

    def gaps(self, motion: Ports) -> list[Scalar]:
        """Between the points, and axes of one end across those of the other."""
        first, second = (self.pose(motion, end) for end in ("first", "second"))
        found = apart(first, self.first_point, second, self.second_point)
        for k in range(3):  # about x: y of the first stays across z of the second
            y, z = first.rotation @ AXES[(k + 1) % 3], second.rotation @ AXES[(k + 2) % 3]
            found.append(y.dot(z))
        return found

    def misplaced(self, motion: Ports) -> str:
        """Axes that point the other way are across the same axes."""
        first, second = (self.pose(motion, end).rotation for end in ("first", "second"))
        turned = any((first @ axis).dot(second @ axis) < 0.5 for axis in AXES)
        why = "at the start its ends are turned against each other so that axes of one are across others of the second"
        return f"{why}; start nearer to where they are one" if turned else ""


def apart(first: Pose, point: Sequence[Scalar], second: Pose, other: Sequence[Scalar]) -> list[Scalar]:
    """From a point of the second end to one of the first, in the world's axes."""
    return list(first.point(Vector(*point)) - second.point(Vector(*other)))


def _across(axis: Vector) -> tuple[Vector, Vector]:
    """Two directions across an axis, which is given in numbers."""
    x, y, z = axis
    first = Vector(0, z, -y) if abs(z) > 0.9 else Vector(y, -x, 0)
    first = first * (1 / math.sqrt(first.dot(first)))
    return first, axis.cross(first)
