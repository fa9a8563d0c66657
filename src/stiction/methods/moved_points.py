"""How the velocities of all bodies move a point of one of them: the rows of contacts.

Twists are about the world's origin, so that the velocity of a point x is l + w × x whatever carries it; which bodies a
velocity carries is a range of places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from stiction.network.network import Network
from stiction.parts.kinds import NOWHERE
from stiction.spatial import Vector
from stiction.trace.functions import Scalar, where
from stiction.trace.grid import Grid, column, each


class Frame(NamedTuple):
    """A contact in the world: where, and its normal and tangents."""

    point: Vector
    axes: list[Vector]


class Segment:
    """The velocities of one body: how they move what it carries.

    Args:
        first: of them.
        reaches: the places that each carries.
        twists: by velocity.
    """

    def __init__(self, first: int, reaches: Sequence[tuple[int, int]], twists: Any) -> None:
        self.first, self.reaches, self.twists = first, reaches, twists
        self.looped = getattr(twists, "memory", None) is not None

    def fill(self, J: Grid, at: Any, frame: Frame, bodies: Sequence[Scalar], like: Sequence[Scalar]) -> None:
        """The entries of a contact's rows, from one on: how fast the point of the first body leaves the second."""

        def one(k: Any, low: Any, high: Any) -> None:
            w, l = self.twists[k]
            moves = l + w.cross(frame.point)
            carried = _within(bodies[0], low, high) - _within(bodies[1], low, high)
            for i, axis in enumerate(frame.axes):
                J[at + i, self.first + k] = axis.dot(moves) * carried

        if not self.looped:
            for k, (low, high) in enumerate(self.reaches):
                one(k, low, high)
            return
        lows, highs = (column([x[i] for x in self.reaches], like) for i in range(2))
        each(len(self.reaches), lambda k: one(k, lows[k], highs[k]), like)


def _within(place: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return 0 if place is NOWHERE else where((place >= low) & (place <= high), 1, 0)


def segments(network: Network, own: Any) -> list[Segment]:
    """The velocities of all bodies that can be touched, at these states."""
    found, first, shift = [], 0, 0
    for name, body in network.bodies.items():
        n = len(own[name]) - body.positions()
        if n and body.places():
            reaches = [(low + shift, high + shift) for low, high in body.reaches()]
            found.append(Segment(first, reaches, body.unit_twists(own[name])))
            shift += max(high for _, high in body.reaches()) + 1
        first += n
    return found


def places(network: Network) -> dict[str, int]:
    """The place of each frame and body that can be touched, by its name in the scene."""
    found, shift = {}, 0
    for name, body in network.bodies.items():
        if body.places() and len(body.start()) > body.positions():
            for frame, place in body.places().items():
                found[f"{name}.{frame}" if frame else name] = NOWHERE if place == NOWHERE else place + shift
            shift += max(high for _, high in body.reaches()) + 1
    return found
