"""Shapes from files of triangles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from stiction.errors import RobotError
from stiction.extras import needed
from stiction.fields import count, numbers, text
from stiction.robot.hull import Hull, hull_of
from stiction.robot.shape import SHAPES, Shape


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Mesh(Shape):
    """A file of triangles (STL, OBJ, ...), which touches as a convex body: the hull of those of its points that are
    farthest in some directions. It is read when something can touch it.

    Attributes:
        file: path of the file.
        scale: by which its numbers are multiplied, along x, y and z, 3 numbers.
        corners: in how many directions points are looked for.

    Example:
        >>> import stiction
        >>> foot = stiction.Mesh(file="foot.stl", scale=(1e-3, 1e-3, 1e-3))
    """

    file: str = text()
    scale: Sequence[float] = numbers(3, (1.0, 1.0, 1.0))
    corners: int = count(32, least=6, most=1000)

    @cached_property
    def local_points(self) -> np.ndarray:
        """The corners of its hull [m], (k, 3)."""
        return self._whole.points

    @cached_property
    def hull(self) -> Hull:
        """The hull of its farthest points."""
        return self._whole

    @cached_property
    def _whole(self) -> Hull:
        if not Path(self.file).is_file():
            raise RobotError(f"Mesh: there is no file '{self.file}'")
        trimesh = needed("trimesh", "meshes")
        try:
            mesh = trimesh.load(self.file, force="mesh")
            points = np.asarray(mesh.vertices, float) * self.scale
            return hull_of(points[np.unique((points @ directions(self.corners).T).argmax(axis=0))])
        except ValueError as problem:
            raise RobotError(f"Mesh '{self.file}': {problem}") from None
        except Exception as problem:
            raise RobotError(f"Mesh: cannot read '{self.file}': {problem}") from None


def directions(count: int) -> np.ndarray:
    """Unit vectors that are spread evenly, those of the axes first, (count, 3)."""
    axes = np.vstack([np.eye(3), -np.eye(3)])
    rest = max(0, count - 6)
    z = 1 - (2 * np.arange(rest) + 1) / max(1, rest)
    angle = np.pi * (1 + np.sqrt(5)) * np.arange(rest)
    r = np.sqrt(1 - z * z)
    return np.vstack([axes, np.column_stack([r * np.cos(angle), r * np.sin(angle), z])])
