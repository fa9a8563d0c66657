"""Which points can touch what: all candidates of a scene, in the order of their numbers, as tables of plain numbers.

A candidate is a point of one body, with a radius where it is the middle of a ball, and a target on another: the faces
of a convex body, or the line inside a ball or capsule. Edges that cross are not seen.
"""

import itertools
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from stiction.contact.settings import ContactError, Contacts, Surface
from stiction.errors import unknown
from stiction.robot.shape import Shape

PLANE, HULL, BALL, LINE = "plane", "hull", "ball", "line"  # how a candidate touches


class Carrier(NamedTuple):
    """What carries shapes.

    Attributes:
        name: of the link or body in the scene.
        shapes: what it touches with.
        moves: whether it can move; if not, its shapes are in the world's frame.
        neighbours: names of those that it does not touch, as joints hold them together.
    """

    name: str
    shapes: Sequence[Shape]
    moves: bool
    neighbours: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """A point and what it may touch.

    Attributes:
        body: name of what carries the point.
        point: where the point is, in its frame [m].
        radius: of the ball around it [m].
        other: name of what carries the target.
        kind: "plane" (before one face), "hull" (a corner before faces), "ball" (before faces) or "line".
        target: number of the target in the table of its kind.
        surface: number of the surface between both.
        group: the same for the corners of one body before the faces of another.
    """

    body: str
    point: tuple[float, ...]
    radius: float
    other: str
    kind: str
    target: int
    surface: int
    group: int


class Candidates:
    """All candidates of a scene.

    Attributes:
        listed: in the order of their numbers; those of one kind follow each other.
        faces: planes of each target with faces, in the frame of what carries it, (f, 4): n · x = offset.
        triangles: corners of the triangles of each target with faces, (t, 3, 3).
        lines: ends of each target with a line, and its radius, 7 numbers.
        surfaces: how they touch.
    """

    def __init__(self, carriers: Sequence[Carrier], contacts: Contacts) -> None:
        self.carriers = {carrier.name: carrier for carrier in carriers}
        self.faces: list[np.ndarray] = []
        self.triangles: list[np.ndarray] = []
        self.lines: list[np.ndarray] = []
        self.surfaces: list[Surface] = []
        self._targets: dict[int, int] = {}
        self._numbers = itertools.count()
        self._check(contacts)
        found: list[Candidate] = []
        for k, a in enumerate(carriers):
            for b in carriers[k + 1 :]:
                if (a.moves or b.moves) and not self._off(a, b, contacts):
                    found += [x for s in a.shapes for t in b.shapes for x in self._between(a, s, b, t, contacts)]
        self.listed = [x for kind in (HULL, PLANE, BALL, LINE) for x in found if x.kind == kind]

    def _check(self, contacts: Contacts) -> None:
        for pair in contacts.off:
            for pattern in pair:
                if not any(fnmatchcase(name, pattern) for name in self.carriers):
                    raise ContactError(f"off: {unknown('body with shapes', pattern, 'this scene', self.carriers)}")
        for carrier in self.carriers.values():
            for shape in carrier.shapes:
                if shape.roundness and len(shape.points_here) > 2:
                    raise ContactError(
                        f"'{carrier.name}' has a {type(shape).__name__} with a radius around {len(shape.points_here)} "
                        "points; allowed: around one (a ball) or two (a capsule). Make it of several shapes"
                    )
        known = {shape.material for carrier in self.carriers.values() for shape in carrier.shapes}
        for material in contacts.materials():
            if material not in known:
                raise ContactError(f"surfaces: {unknown('material', material, 'this scene', known)}")

    @staticmethod
    def _off(a: Carrier, b: Carrier, contacts: Contacts) -> bool:
        if b.name in a.neighbours or a.name in b.neighbours:
            return True
        pairs = [(x, y) for pair in contacts.off for x, y in (pair, pair[::-1])]
        return any(fnmatchcase(a.name, x) and fnmatchcase(b.name, y) for x, y in pairs)

    def _between(self, a: Carrier, s: Shape, b: Carrier, t: Shape, contacts: Contacts) -> list[Candidate]:
        """Points of each on the other; a ball that touches faces is found from its side alone, as two balls are."""
        surface = self._surface(contacts.of(s.material, t.material))
        ball = len(s.points_here) == 1 and s.roundness > 0
        other_ball = len(t.points_here) == 1 and t.roundness > 0
        forth = self._points(a, s, b, t, surface)
        back = self._points(b, t, a, s, surface)
        if ball and other_ball:
            return forth
        return [*([] if other_ball else forth), *([] if ball else back)] if ball or other_ball else [*forth, *back]

    def _points(self, a: Carrier, s: Shape, b: Carrier, t: Shape, surface: int) -> list[Candidate]:
        if not len(s.points_here) or (t.hull is None and not t.roundness):
            return []
        faces = len(t.faces_here)
        kind = LINE if t.roundness else PLANE if faces == 1 else BALL if s.roundness else HULL
        target = self._target(t)
        points = [tuple(x) for x in s.points_here.tolist()]
        together = s.hull is not None or len(points) == 1
        groups = [next(self._numbers)] * len(points) if together else [next(self._numbers) for _ in points]
        return [
            Candidate(a.name, x, s.roundness, b.name, kind, target, surface, group)
            for x, group in zip(points, groups, strict=True)
        ]

    def _target(self, t: Shape) -> int:
        if id(t) not in self._targets:
            if t.roundness:
                ends = t.points_here
                self._targets[id(t)] = len(self.lines)
                self.lines.append(np.array([*ends[0], *ends[-1], t.roundness]))
            else:
                self._targets[id(t)] = len(self.faces)
                self.faces.append(t.faces_here)
                self.triangles.append(t.triangles_here)
        return self._targets[id(t)]

    def _surface(self, surface: Surface) -> int:
        if surface not in self.surfaces:
            self.surfaces.append(surface)
        return self.surfaces.index(surface)
