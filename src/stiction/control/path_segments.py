"""Pieces of a path in space: straight lines and arcs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import StictionError
from stiction.fields import Validated, numbers
from stiction.registry import Registry

SEGMENTS = Registry("kind")
LEAST = 1e-6  # m: shortest segment


class PathError(StictionError):
    """A path cannot be gone, at the place that the message says."""


class Curve(NamedTuple):
    """A segment in space, from s = 0 to its length [m]: a line, or an arc about a centre.

    Attributes:
        start: its first point [m], (3,).
        tangent: direction there, (3,).
        length: [m].
        center: of an arc [m], (3,).
    """

    start: np.ndarray
    tangent: np.ndarray
    length: float
    center: np.ndarray | None = None

    @property
    def radius(self) -> float:
        """Of an arc [m]."""
        return float(np.linalg.norm(self.start - self.center))

    def point(self, s: Any) -> np.ndarray:
        """Points at some lengths, (*s, 3) [m]."""
        s = np.asarray(s, float)[..., None]
        if self.center is None:
            return self.start + s * self.tangent
        angle, arm = s / self.radius, self.start - self.center
        return self.center + np.cos(angle) * arm + np.sin(angle) * self.radius * self.tangent

    def direction(self, s: Any) -> np.ndarray:
        """Tangents at some lengths, (*s, 3)."""
        s = np.asarray(s, float)[..., None]
        if self.center is None:
            return np.broadcast_to(self.tangent, (*s.shape[:-1], 3))
        angle = s / self.radius
        return np.cos(angle) * self.tangent - np.sin(angle) * (self.start - self.center) / self.radius

    def nearest(self, point: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Lengths of the points of the segment, which goes on beyond its ends, that are nearest to some points [m];
        of an arc those nearest to given lengths.
        """
        if self.center is None:
            return (point - self.start) @ self.tangent
        arm = point - self.center
        angle = np.arctan2(arm @ self.tangent, arm @ (self.start - self.center) / self.radius)
        turns = np.round((near / self.radius - angle) / (2 * np.pi))
        return (angle + 2 * np.pi * turns) * self.radius


class Segment(Validated):
    """A piece of a path.

    Attributes:
        to: where it ends, in the world [m], 3 numbers.
    """

    error = PathError
    to: Sequence[float]

    def curve(self, start: np.ndarray) -> Curve:
        """The piece from a point on [m]."""
        raise NotImplementedError


@SEGMENTS.add
@dataclass(frozen=True, kw_only=True)
class Line(Segment):
    """A straight piece of a path.

    Attributes:
        to: where it ends, in the world [m], 3 numbers.

    Example:
        >>> from stiction import Line
        >>> Line(to=(0.5, 0.2, 0.3)).to
        (0.5, 0.2, 0.3)
    """

    to: Sequence[float] = numbers(3)

    def curve(self, start: np.ndarray) -> Curve:
        """Straight on."""
        way = np.array(self.to) - start
        length = float(np.linalg.norm(way))
        if length < LEAST:
            raise self.refusal(f"it ends at {tuple(self.to)} m, where it starts; leave it out")
        return Curve(start, way / length, length)


@SEGMENTS.add
@dataclass(frozen=True, kw_only=True)
class Arc(Segment):
    """A piece of a circle through three points: where the piece before ends, `via` and `to`.

    Attributes:
        via: a point between, in the world [m], 3 numbers.
        to: where it ends, in the world [m], 3 numbers.

    Example:
        >>> from stiction import Arc
        >>> Arc(via=(0.6, 0.1, 0.3), to=(0.5, 0.2, 0.3)).to
        (0.5, 0.2, 0.3)
    """

    via: Sequence[float] = numbers(3)
    to: Sequence[float] = numbers(3)

    def curve(self, start: np.ndarray) -> Curve:
        """Round the centre of the circle."""
        a, b = np.array(self.via) - start, np.array(self.to) - start
        normal = np.cross(a, b)
        size = float(np.linalg.norm(normal))
        if size < 1e-9 * max(float(np.linalg.norm(a) * np.linalg.norm(b)), LEAST**2):
            raise self.refusal(
                f"via {tuple(self.via)} and to {tuple(self.to)} lie on a line with its start; take a Line"
            )
        arm = np.cross(a @ a * b - b @ b * a, normal) / (2 * size * size)  # from the start to the centre
        axis, radius = normal / size, float(np.linalg.norm(arm))
        tangent = np.cross(axis, -arm / radius)
        angle = np.arctan2((b - arm) @ tangent, (b - arm) @ (-arm / radius)) % (2 * np.pi)
        return Curve(start, tangent, float(angle) * radius, start + arm)
