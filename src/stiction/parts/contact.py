"""The contacts of a scene as one part: it sees how all that can touch moves, and pushes it."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stiction.contact.candidates import BALL, HULL, LINE, PLANE, Candidates
from stiction.contact.detection import Detector
from stiction.contact.settings import Surface
from stiction.contact.slots import Slots
from stiction.contact.tables import Group, Row, Tables
from stiction.dynamics.sweep import WORLD
from stiction.fields import count, instance, instances, number
from stiction.parts.kinds import FRAME_INPUTS, NOWHERE, Impedance, Ports
from stiction.spatial import Matrix, Pose, Twist, Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, lookup, loop, where
from stiction.trace.grid import column
from stiction.trace.parameters import Substitution

SEEN = {"position": 3, "rotation": 9, "velocity": 3, "angular": 3}
WORDS = {"candidate": "1", "state": "1", "gap": "m", "approach": "m/s"}
VECTORS = {"anchor": "m", "push": "N", "force": "N", "point": "m", "normal": "1"}
MARKS = (*WORDS, *(f"{word}.{c}" for word in VECTORS for c in "xyz"))  # what is kept of each contact
FREE = -1  # candidate of a slot that nobody has
OPEN, STUCK, SLIDING = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class ContactPart(Impedance):
    """The contacts of a scene. Ports, for each link or body that moves: position [m], rotation, velocity [m/s] and
    angular velocity [rad/s] in; force [N] and moment [N·m] on it out.

    Its states are slots, as many as contacts may act at once: number of the candidate (−1: none), state (0 open, 1
    stuck, 2 sliding), gap [m], force [N] on the body that has the point, point [m] and normal in the world; hidden are
    the anchor of what is stuck, the speed at which it came, and the push along its normal and tangents [N].

    Attributes:
        candidates: what may touch.
        surfaces: how it does.
        most: how many contacts may act at once.
        margin: gap from which on a candidate counts [m].
        push_out: largest speed at which what overlaps is driven apart [m/s].
        spring: stiffness [N/m] and damping [N·s/m] under methods that have springs; None where they are chosen.
        depths: by which each candidate may overlap at the start [m].
        axis: across which all motion is, where it is plane: contacts then have one tangent; None in space.
    """

    described = ("candidates", "spring", "depths")
    settable = False

    candidates: Candidates = instance(Candidates)
    surfaces: tuple[Surface, ...] = instances(Surface)
    most: int = count(8, least=1)
    margin: float = number(above=0)
    push_out: float = number(above=0)
    spring: tuple[float | None, float | None] = (None, None)
    depths: tuple[float, ...] = ()
    axis: tuple[int, int, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", {f"{name}.{port}": n for name in self.movers for port, n in SEEN.items()})
        self._set("outputs", {f"{name}.{port}": n for name in self.movers for port, n in FRAME_INPUTS.items()})

    @cached_property
    def movers(self) -> list[str]:
        """What can move and touch."""
        named = {name for x in self.candidates.listed for name in (x.body, x.other)}
        return [name for name, carrier in self.candidates.carriers.items() if carrier.moves and name in named]

    @cached_property
    def numbers(self) -> dict[str, list[list[Any]]]:
        """The rows of all tables of geometry: numbers, or inputs of the program that stand for them."""
        return _numbers(self.candidates, self.movers)

    @cached_property
    def numbering(self) -> dict[str, int]:
        """The number of each carrier; −1 for what does not move."""
        return {name: self.movers.index(name) if name in self.movers else WORLD for name in self.candidates.carriers}

    # As a description of a program.

    def with_parameters(self, substitution: Substitution) -> "ContactPart":
        """The same with the parameters of its surfaces, and with the numbers of its tables as inputs."""
        twin = copy.copy(self)
        twin._set("margin", substitution.internal("margin", self.margin))
        twin._set("push_out", substitution("push_out", self.push_out))
        surfaces = [s.with_parameters(substitution.inside(self._surface_name(k))) for k, s in enumerate(self.surfaces)]
        twin._set("surfaces", tuple(surfaces))
        numbers = self.numbers
        made = {
            table: [
                [_number(substitution, f"{table}.{k}.{j}", x) for j, x in enumerate(row)] for k, row in enumerate(rows)
            ]
            for table, rows in numbers.items()
        }
        twin._set("numbers", made)
        return twin

    def _surface_name(self, k: int) -> str:
        return f"surface{k + 1}" if len(self.surfaces) > 1 else "surface"

    def structure(self) -> tuple:
        """Who can touch whom, and which numbers of the tables shape the program."""
        numbers = self.numbers
        rows = {kind: tuple(tuple(map(_shape, row)) for row in rows) for kind, rows in self._rows(numbers).items()}
        shapes = {table: tuple(tuple(map(_shape, row)) for row in rows) for table, rows in numbers.items()}
        surfaces = (tuple(x.surface for x in self.candidates.listed), tuple(s.structure() for s in self.surfaces))
        return ("ContactPart", tuple(self.movers), self.most, self.axis, *rows.items(), *shapes.items(), surfaces)

    def start(self) -> dict[str, float]:
        """Nothing touches yet."""
        return {
            f"{j + 1}.{mark}": float(FREE if mark == "candidate" else 0) for j in range(self.most) for mark in MARKS
        }

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """Anchors, approaches and pushes along the normal and tangents serve the method."""
        own = ("approach", *(f"{word}.{c}" for word in ("anchor", "push") for c in "xyz"))
        return tuple(f"{j + 1}.{mark}" for j in range(self.most) for mark in own)

    def unit(self, signal: str) -> str:
        """By the word that names it."""
        for word, unit in (*WORDS.items(), *VECTORS.items(), ("moment", "N·m")):
            if word in signal.split("."):
                return unit
        return ""

    # At a moment.

    def detected(self, motion: Ports, h: Scalar, like: Sequence[Scalar]) -> Slots:
        """The contacts that count where bodies are and move so."""
        return self.detector(motion, h, like).find(self.most)

    def detector(self, motion: Ports, h: Scalar, like: Sequence[Scalar]) -> Detector:
        """What finds contacts where bodies are and move so."""
        poses, twists = [], []
        for name in self.movers:
            position, rotation, velocity, angular = (motion[f"{name}.{port}"] for port in SEEN)
            poses.append(Pose(Matrix.of_numbers(rotation), Vector(*position)))
            twists.append(Twist(Vector(*angular), Vector(*velocity)))
        return Detector(poses, twists, self._tables(like), h, like)

    def _tables(self, like: Sequence[Scalar]) -> Tables:
        numbers = self.numbers
        sizes = [row[0] for row in numbers["sizes"]]
        return Tables(self._rows(numbers), numbers, sizes, self.margin, like)

    def _rows(self, numbers: Mapping[str, Any]) -> dict[str, list]:
        """The candidates as rows of loops; those of a hull in groups."""
        made: dict[str, list] = {HULL: [], PLANE: [], BALL: [], LINE: []}
        sides, corners = ([len(x) for x in table] for table in (self.candidates.faces, self.candidates.triangles))
        groups = [x.group for x in self.candidates.listed if x.kind == HULL]
        for k, x in enumerate(self.candidates.listed):
            planes, faces = (0, 1) if x.kind == LINE else (sum(sides[: x.target]), sides[x.target])
            bodies = (self.numbering[x.body], self.numbering[x.other])
            if x.kind == HULL:
                if k == 0 or groups[k] != groups[k - 1]:
                    spheres = numbers["spheres"][len(made[HULL])]
                    made[HULL].append(Group._make((k, groups.count(x.group), *bodies, planes, faces, *spheres)))
                continue
            first, pieces = (x.target, 1) if x.kind == LINE else (planes, faces)
            if x.kind == BALL:
                first, pieces = sum(corners[: x.target]), corners[x.target]
            made[x.kind].append(Row._make((k, *bodies, *numbers["points"][k], first, pieces, planes, faces)))
        return made

    def lookup(self, values: Sequence[Scalar], candidate: Scalar) -> Scalar:
        """A number for each candidate, at that of a slot."""
        if all(x is values[0] or (isinstance(x, (int, float)) and x == values[0]) for x in values):
            return values[0]
        return lookup(list(values), candidate)

    def bodies(self, candidate: Scalar) -> tuple[Scalar, Scalar]:
        """The numbers of the two bodies of a candidate; −1 for the world, and for none."""
        taken = candidate >= 0
        pair = [[self.numbering[getattr(x, which)] for x in self.candidates.listed] for which in ("body", "other")]
        a, b = (where(taken, self.lookup(numbers, candidate), WORLD) for numbers in pair)
        return a, b

    def places_of(self, places: Mapping[str, int]) -> list[list[int]]:
        """For each candidate the places of its two bodies."""
        return [[places.get(getattr(x, which), NOWHERE) for x in self.candidates.listed] for which in ("body", "other")]

    def surface(self, candidate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Static and kinetic coefficient, and restitution, of a candidate."""
        of = [self.surfaces[x.surface] for x in self.candidates.listed]
        static, kinetic, bounce = ([getattr(s, what) for s in of] for what in ("static", "kinetic", "restitution"))
        return self.lookup(static, candidate), self.lookup(kinetic, candidate), self.lookup(bounce, candidate)

    def rolls(self, candidate: Scalar) -> Scalar:
        """1 where the point moves over its own body as that turns: on balls."""
        of = [int(x.radius > 0 or x.kind == LINE) for x in self.candidates.listed]
        return self.lookup(of, candidate)

    @property
    def tangents(self) -> int:
        """How many each contact has."""
        return 2 if self.axis is None else 1

    @property
    def bounces(self) -> bool:
        """Whether something bounces."""
        return any(not isinstance(s.restitution, float) or s.restitution > 0 for s in self.surfaces)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The forces that were found, on each body, with their moments about its origin."""
        marks, sums = column(own, own[:1]), self.sums(own[:1])
        origins = [Vector(*motion[f"{name}.position"]) for name in self.movers]

        def one(j: Any, carry: list) -> list:
            first = j * len(MARKS)
            candidate = marks[first]
            force, point = (vector_of(marks, first, word) for word in ("force", "point"))
            a, b = self.bodies(candidate)
            for k, origin in enumerate(origins):
                sign = where(a == k, 1, 0) - where(b == k, 1, 0)
                pushed = force * sign
                add(sums, k, 1, (*pushed, *(point - origin).cross(pushed)))
            return carry

        loop(self.most, one, [0 * own[0]])
        return self.pushed(sums), [0] * len(own)

    def sums(self, like: Sequence[Scalar]) -> Array:
        """Force and moment on the world and on one body after the other, 0 at first; `add` adds to them."""
        return Array(6 * (1 + len(self.movers)), like)

    def pushed(self, sums: Array) -> Ports:
        """The outputs, from such sums."""
        outputs: dict[str, Any] = {}
        for k, name in enumerate(self.movers):
            first = 6 * (1 + k)
            outputs[f"{name}.force"] = [sums[first + i] for i in range(3)]
            outputs[f"{name}.moment"] = [sums[first + 3 + i] for i in range(3)]
        return outputs


def add(sums: Array, body: Any, sign: int, wrench: Sequence[Scalar]) -> None:
    """Add force and moment on a body, or their opposite, to the sums."""
    first = 6 * (1 + body)
    for i, x in enumerate(wrench):
        sums[first + i] = sums[first + i] + sign * x


def contact_name(network: Any) -> str:
    """The part that is the contacts of a network; empty if it has none."""
    return next((name for name, part in network.parts.items() if isinstance(part, ContactPart)), "")


def vector_of(marks: Any, first: Any, word: str) -> Vector:
    """A vector among the marks of a contact, which begin at a place."""
    at = MARKS.index(f"{word}.x")
    return Vector(*(marks[first + at + k] for k in range(3)))


def _number(substitution: Substitution, name: str, x: float) -> Any:
    """What stands for a number of a table: 0, 1 and −1 are structure."""
    return x if isinstance(x, int) else substitution.internal(name, x)


def _shape(x: float) -> Any:
    return x if isinstance(x, int) else "#"


def _numbers(c: Candidates, movers: Sequence[str]) -> dict[str, list[list[float]]]:
    """The numbers of all tables, with 0, 1 and −1 as whole numbers."""

    def row(values: Any) -> list[float]:
        return [int(x) if x in (0.0, 1.0, -1.0) else float(x) for x in values]

    return {
        "points": [row((*x.point, x.radius)) for x in c.listed],
        "faces": [row(face) for target in c.faces for face in target],
        "triangles": [row(t.ravel()) for target in c.triangles for t in target],
        "lines": [row(line) for line in c.lines],
        "spheres": [row(sphere) for sphere in _spheres(c)],
        "sizes": [[_farthest(c, name)] for name in movers],
    }


def _farthest(c: Candidates, name: str) -> float:
    """How far the shapes of a body are from its origin at most [m]."""
    shapes = c.carriers[name].shapes
    return max([float(np.linalg.norm(x)) + s.roundness for s in shapes for x in s.points_here], default=0.0)


def _spheres(c: Candidates) -> list[tuple[float, ...]]:
    """Of each group of corners before faces: the distance from which on they cannot touch, and both middles [m]."""
    found, done = [], set()
    for x in c.listed:
        if x.kind == HULL and x.group not in done:
            done.add(x.group)
            corners = np.array([y.point for y in c.listed if y.group == x.group])
            around = c.triangles[x.target].reshape(-1, 3)
            middles = [(points.min(axis=0) + points.max(axis=0)) / 2 for points in (corners, around)]
            radii = [
                np.linalg.norm(points - middle, axis=1).max()
                for points, middle in zip((corners, around), middles, strict=True)
            ]
            found.append((sum(radii), *middles[0], *middles[1]))
    return found
