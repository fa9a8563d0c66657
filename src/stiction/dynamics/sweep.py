"""Ways over the bodies of a mechanism: one by one where they are few, in loops where they are many.

A recursion is written once, as what is done at a body; what it keeps are records by body or by velocity. On numbers and
for small robots records are lists, and what is structurally 0 costs nothing. For large robots records are memory, and
the bodies of a loop differ by numbers alone (parent, kind of joint, axis, inertia): the program does not grow with the
robot.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from stiction.dynamics.mechanism import Aligned, Body, Mechanism
from stiction.dynamics.records import SIZES, Columns, Gathered, Passed, Records
from stiction.spatial import Wrench
from stiction.trace.array import Array
from stiction.trace.expression import graph_of
from stiction.trace.functions import Scalar, loop, where
from stiction.trace.grid import LOOP_FROM, Grid, column, each
from stiction.trace.rolled import repeated

PERIODS = (1, 2, 3)  # how many kinds of bodies may alternate in a loop
ODD = 2  # bodies before a loop that may differ from those in it
WORLD = -1


class Sweep:
    """A way over some bodies of a mechanism, the root's first.

    Args:
        m: the mechanism.
        like: values of the program, by which it knows whether it is traced.
        bodies: those on the way; all by default.
        least: how many bodies are worth loops.
        turned: whether frames may be turned, so that all joints have the same axis: what depends on frames does not.

    Attributes:
        looped: whether it goes in loops.
    """

    def __init__(
        self,
        m: Mechanism,
        like: Sequence[Scalar],
        bodies: Sequence[Body] | None = None,
        least: int | None = None,
        turned: bool = False,
    ) -> None:
        graph = graph_of(like)
        self.looped = graph is not None and len(m.bodies) >= (LOOP_FROM if least is None else least)
        self.m: Mechanism = m.aligned if self.looped and turned else m
        self.bodies = list(self.m.bodies if bodies is None else bodies)
        self._like = [graph.constant(0.0)] if graph is not None and self.looped else None

    def seen(self, k: int, push: Wrench) -> Wrench:
        """A wrench on a body in its frame, in the frame of this way."""
        if not isinstance(self.m, Aligned):
            return push
        back = self.m.turns[k].T
        return Wrench(back @ push.moment, back @ push.force)

    # What a recursion keeps.

    def vector(self, values: Sequence[Scalar]) -> Any:
        """Numbers by index."""
        return column(values, self._like)

    def empty(self, count: int) -> Any:
        """As many numbers, 0 at first."""
        return Array(count, self._like) if self.looped else [0] * count

    def per_body(self, kind: Any) -> Records:
        """Records by body."""
        return Records(kind, SIZES[kind.__name__], len(self.m.bodies), self._like)

    def passed(self, kind: Any, world: Any) -> Passed:
        """Records that go outward, from the world's on."""
        made = Passed(kind, SIZES[kind.__name__], len(self.m.bodies), self._like)
        made[WORLD] = world
        return made

    def gathered(self, kind: Any) -> Gathered:
        """Records that are gathered inward."""
        return Gathered(kind, SIZES[kind.__name__], len(self.m.bodies), self._like)

    def per_velocity(self, kind: Any) -> Records:
        """Records by velocity."""
        return Records(kind, SIZES[kind.__name__], self.m.nv, self._like)

    def grid(self, rows: int, columns: int) -> Grid:
        """A matrix, 0 at first."""
        return Grid(rows, columns, self._like)

    # Ways.

    def each(self, count: Any, visit: Callable[[Any], None]) -> None:
        """Visit 0, 1, 2 …"""
        each(count, visit, self._like)

    def outward(self, visit: Callable[[Body], None], *passing: Passed) -> None:
        """Visit parents before children; what passes from one to the other may stay in registers."""
        for group in self._groups():
            if self._serial(group):
                ends = self._carry(group, visit, passing, [record[group[0][0].parent] for record in passing])
                for record, end in zip(passing, ends, strict=True):
                    record.known[group[-1][-1].index] = end
            else:
                self._visit(group, visit)

    def inward(self, visit: Callable[[Body], None], *gathering: Gathered) -> None:
        """Visit children before parents; what is gathered may stay in registers."""
        for group in reversed(self._groups()):
            turned = [alike[::-1] for alike in reversed(group)]
            if self._serial(group):
                last = turned[-1][-1]
                sums = self._carry(turned, visit, gathering, [record[turned[0][0].index] for record in gathering])
                for record, found in zip(gathering, sums, strict=True):
                    record.add(last, found)
            else:
                self._visit(turned, visit)

    def _serial(self, group: list[list[Body]]) -> bool:
        """Whether the bodies of a group are a chain without branches."""
        bodies = [body for alike in group for body in alike]
        parents = [body.parent for body in self.bodies]
        pairs = itertools.pairwise(bodies)
        return (
            len(group) > 1
            and self.looped
            and all(b.parent == a.index and parents.count(a.index) == 1 for a, b in pairs)
        )

    def _carry(
        self, group: list[list[Body]], visit: Callable[[Body], None], records: Sequence[Any], first: list
    ) -> list:
        """Visit a chain, with what goes on from one body to the next; what comes back is the last of it."""
        sizes = [record.size for record in records]
        places = [slice(sum(sizes[:k]), sum(sizes[: k + 1])) for k in range(len(sizes))]

        def one(body: Callable[[], None], carry: list) -> list:
            for record, place in zip(records, places, strict=True):
                record.carried = record.kind.of_numbers(carry[place])
            body()
            return [x for record in records for x in record.carried.numbers]

        start = [x for record in first for x in record.numbers]
        found = self._visit(group, visit, one, start)
        for record in records:
            record.carried = None
        return [record.kind.of_numbers(found[place]) for record, place in zip(records, places, strict=True)]

    def _groups(self) -> list[list[list[Body]]]:
        """The bodies in groups of what follows each other alike; all in one by one where there are no loops."""
        if not self.looped:
            return [[[body] for body in self.bodies]] if self.bodies else []
        groups, k = [], 0
        shapes, patterns = ([getattr(body, name) for body in self.bodies] for name in ("shape", "pattern"))
        while k < len(self.bodies):
            period, turns = wide = repeated(shapes, k, PERIODS, 2)
            for first in range(k, min(k + ODD, len(self.bodies)) + 1):
                like = repeated(patterns, first, PERIODS, 2)
                if 2 * like[0] * like[1] >= wide[0] * wide[1]:  # worth a loop of its own
                    groups += [[[body]] for body in self.bodies[k:first]]
                    k, (period, turns) = first, like
                    break
            groups.append([self.bodies[k + i * period : k + (i + 1) * period] for i in range(turns)])
            k += period * turns
        return groups

    def _visit(
        self,
        group: list[list[Body]],
        visit: Callable[[Body], None],
        around: Callable[[Callable[[], None], list], list] | None = None,
        start: Sequence[Scalar] = (),
    ) -> list[Scalar]:
        """Visit the bodies of a group; `around` makes of a visit and what is carried what is carried on."""
        if not self.looped or len(group) == 1:
            for body in (body for alike in group for body in alike):
                visit(body)
            return []
        kinds = [_common({alike[j].kind for alike in group}) for j in range(len(group[0]))]
        rows = [tuple(x for body in alike for x in body.numbers) for alike in group]
        width = len(rows[0]) // len(kinds)

        def one(row: tuple, carry: list) -> list:
            def bodies() -> None:
                for j, kind in enumerate(kinds):
                    visit(Body.of_numbers(kind, row[j * width : (j + 1) * width]))

            if around is None:
                bodies()
                return carry
            return [*around(bodies, carry[:-1]), carry[-1]]

        assert self._like is not None
        return loop(rows, one, [*start, *self._like])[:-1]

    def climb(
        self,
        placed: Records,
        begin: Callable[[Any], list[Wrench]],
        meet: Callable[[Any, Any, list[Wrench], Any], None],
    ) -> None:
        """Carry wrenches from each velocity to all that carry it in turn.

        Args:
            placed: pose of each body in its parent's frame.
            begin: takes a velocity c and gives wrenches in the frame of its body.
            meet: takes c, a velocity r that carries it, the wrenches in the frame of r's body, and whether that is
                also c's.
        """
        steps = [self.m.carriers(c) for c in range(self.m.nv)]
        if not self.looped:
            for c, carriers in enumerate(steps):
                wrenches = begin(c)
                for r, through, own in carriers:
                    wrenches = wrenches if through is None else [placed[through].wrench_out(w) for w in wrenches]
                    meet(c, r, wrenches, own)
            return
        flat = [step for carriers in steps for step in carriers] or [(0, None, False)]
        firsts = [sum(map(len, steps[:c])) for c in range(self.m.nv)]
        stays, owns = ([int(x) for x in flags] for flags in zip(*((t is None, own) for _, t, own in flat), strict=True))

        def one(row: tuple, carry: list) -> list:
            c, first, count = row

            def inner(k: Scalar, numbers: list) -> list:
                r, through, stay, own = (table[first + k] for table in tables)
                before = [Wrench.of_numbers(numbers[j : j + 6]) for j in range(0, len(numbers), 6)]
                X = placed[through]
                moved = [x for w in before for x in X.wrench_out(w).numbers]
                if any(stays):
                    moved = [where(stay > 0, a, b) for a, b in zip(numbers, moved, strict=True)]
                meet(c, r, [Wrench.of_numbers(moved[j : j + 6]) for j in range(0, len(moved), 6)], own)
                return moved

            loop(count, inner, [x for w in begin(c) for x in w.numbers])
            return carry

        passed = [t or 0 for _, t, _ in flat]
        tables = [column(x, self._like) for x in ([s[0] for s in flat], passed, stays, owns)]
        assert self._like is not None
        loop(
            [(c, first, len(carriers)) for c, (first, carriers) in enumerate(zip(firsts, steps, strict=True))],
            one,
            self._like,
        )

    def constants(self, records: Sequence[Any]) -> Any:
        """Records that are known beforehand, by index."""
        return Columns(records, self._like) if self.looped else records


def _common(kinds: set[str]) -> str:
    """The kind that stands for some."""
    return kinds.pop() if len(kinds) == 1 else "single"


def ignored(_: object) -> None:
    """What a visit finds and nobody needs."""
