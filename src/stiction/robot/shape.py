"""Shapes: what links and bodies touch with."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stiction.fields import instance, points, text
from stiction.registry import Registry
from stiction.robot.element import Element
from stiction.robot.hull import Hull, hull_of
from stiction.robot.origin import Origin

SHAPES = Registry("shape")


@dataclass(frozen=True, kw_only=True)
class Shape(Element):
    """What touches, and is touched.

    Attributes:
        origin: where it stands in the frame of what carries it.
        material: by which pairs of shapes find their friction.

    Example:
        >>> import stiction
        >>> issubclass(stiction.Box, stiction.Shape), issubclass(stiction.HalfSpace, stiction.Shape)
        (True, True)
    """

    origin: Origin = instance(Origin, Origin(), words="a stiction.Origin object")
    material: str = text("default")

    @property
    def local_points(self) -> np.ndarray:
        """Points with which it touches others, in its own frame [m], (k, 3)."""
        return np.zeros((0, 3))

    @property
    def roundness(self) -> float:
        """Radius of a ball around each of its points [m]; what has one can be touched around the line between them."""
        return 0.0

    @cached_property
    def hull(self) -> Hull | None:
        """Its faces, which others can touch; None if it has none."""
        points = self.local_points
        return hull_of(points) if len(points) > 3 and not self.roundness else None

    @property
    def points_here(self) -> np.ndarray:
        """Its points in the frame of what carries it [m], (k, 3)."""
        return np.array(self.origin.xyz) + self.local_points @ self.origin.rotation.T

    @property
    def faces_here(self) -> np.ndarray:
        """Normals [1] and offsets [m] of its faces in the frame of what carries it, (f, 4): n · x = offset."""
        if self.hull is None:
            return np.zeros((0, 4))
        normals = self.hull.normals @ self.origin.rotation.T
        return np.column_stack([normals, self.hull.offsets + normals @ np.array(self.origin.xyz)])

    @property
    def triangles_here(self) -> np.ndarray:
        """Corners of the triangles that cover it, in the frame of what carries it [m], (t, 3, 3)."""
        if self.hull is None or not len(self.hull.triangles):
            return np.zeros((0, 3, 3))
        corners = np.array(self.origin.xyz) + self.hull.points @ self.origin.rotation.T
        return corners[self.hull.triangles]


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class HalfSpace(Shape):
    """All below the plane z = 0 of its own frame: a floor, a wall, a slope.

    Example:
        >>> import stiction
        >>> slope = stiction.HalfSpace(origin=stiction.Origin(rpy=(0, 0.4, 0)))
        >>> slope.faces_here.round(3).tolist()
        [[0.389, 0.0, 0.921, 0.0]]
    """

    @cached_property
    def hull(self) -> Hull:
        """One face."""
        return Hull(np.zeros((0, 3)), np.array([[0.0, 0.0, 1.0]]), np.zeros(1))


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Points(Shape):
    """Points that touch others and are not touched themselves, such as the feet of a table.

    Attributes:
        points: where they are, in its own frame [m], (k, 3).

    Example:
        >>> import stiction
        >>> len(stiction.Points(points=[(0, 0, 0), (0.1, 0, 0)]).points_here)
        2
    """

    points: Sequence[Sequence[float]] = points()

    hull = None

    @property
    def local_points(self) -> np.ndarray:
        """They themselves."""
        return np.array(self.points)
