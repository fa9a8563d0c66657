"""Candidates and targets as tables of numbers, over which detection runs in loops."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stiction.dynamics.sweep import WORLD
from stiction.trace.functions import Scalar
from stiction.trace.grid import column


class Row(NamedTuple):
    """A candidate in a table.

    Attributes:
        number: of the candidate.
        body: number of what carries the point; −1 for the world.
        other: number of what carries the target; −1 for the world.
        x: of the point in its body [m].
        y: likewise.
        z: likewise.
        radius: of the ball around it [m].
        first: number of the first face, triangle or line of the target.
        pieces: how many of these.
        planes: number of the first face, for balls.
        sides: how many of these.
    """

    number: int
    body: int
    other: int
    x: Scalar
    y: Scalar
    z: Scalar
    radius: Scalar
    first: int
    pieces: int
    planes: int
    sides: int


class Group(NamedTuple):
    """The corners of a body before the faces of another: candidates that follow each other.

    Attributes:
        number: of the first candidate.
        corners: how many they are.
        body: number of what carries the corners; −1 for the world.
        other: number of what carries the faces; −1 for the world.
        first: number of the first face.
        faces: how many they are.
        apart: from which distance on between their middles they cannot touch [m].
        x: of the middle of the corners, in its body [m].
        y: likewise.
        z: likewise.
        to_x: of the middle of the faces, in its body [m].
        to_y: likewise.
        to_z: likewise.
    """

    number: int
    corners: int
    body: int
    other: int
    first: int
    faces: int
    apart: Scalar
    x: Scalar
    y: Scalar
    z: Scalar
    to_x: Scalar
    to_y: Scalar
    to_z: Scalar


class Tables:
    """Candidates and targets as numbers of a program.

    Attributes:
        rows: of the candidates of each kind, in the order of their numbers; of corners before faces, groups of them.
        points: where the points of all candidates are in their bodies, and radii, 4 columns.
        faces: normals and offsets, 4 columns.
        triangles: corners, 9 columns.
        lines: ends and radii, 7 columns.
        sizes: how far points of each body are from its origin at most [m].
        margin: from which gap on a candidate counts, beside its approach [m].
    """

    def __init__(
        self,
        rows: Mapping[str, list],
        numbers: Mapping[str, list],
        sizes: Sequence[Scalar],
        margin: Scalar,
        like: Sequence[Scalar],
    ) -> None:
        self.rows, self.margin, self.sizes = rows, margin, sizes
        self.moving = any(row.other != WORLD for each in rows.values() for row in each)
        self.points, self.faces, self.triangles, self.lines = (
            [column(list(x), like) for x in zip(*numbers[table], strict=True)]
            for table in ("points", "faces", "triangles", "lines")
        )

    def groups(self, kind: str) -> list[list]:
        """Rows of a kind: those against the world, and those against what moves."""
        both = [[row for row in self.rows[kind] if (row.other == WORLD) is fixed] for fixed in (True, False)]
        return [rows for rows in both if rows]
