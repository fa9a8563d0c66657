"""What recursions keep of bodies and velocities: lists where they are unrolled, memory where they run in loops."""

from collections.abc import Sequence
from typing import Any

from stiction.dynamics.mechanism import Body
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, where
from stiction.trace.grid import column

SIZES = {
    "Angle": 2,
    "Twist": 6,
    "Wrench": 6,
    "Pose": 12,
    "Inertia": 10,
    "ArticulatedInertia": 21,
    "SpatialCompliance": 21,
    "BodyCoriolis": 12,
}


class Records:
    """Things of several numbers by index, the world's (−1) among them."""

    def __init__(self, kind: Any, size: int, count: int, like: Sequence[Scalar] | None) -> None:
        self.kind, self.size = kind, size
        self.items: Any = [kind.of_numbers([0] * size)] * (count + 1) if like is None else None
        self.memory = Array(size * (count + 1), like) if like is not None else None

    def __getitem__(self, k: Any) -> Any:
        if self.memory is None:
            return self.items[k + 1]
        first = (k + 1) * self.size
        return self.kind.of_numbers([self.memory[first + j] for j in range(self.size)])

    def __setitem__(self, k: Any, record: Any) -> None:
        if self.memory is None:
            self.items[k + 1] = record
            return
        first = (k + 1) * self.size
        for j, x in enumerate(record.numbers):
            self.memory[first + j] = x


class Passed(Records):
    """Records that go from parents to children on a way outward: each is written once."""

    carried: Any = None  # that of the last body, where a loop carries it on

    def __init__(self, kind: Any, size: int, count: int, like: Sequence[Scalar] | None) -> None:
        super().__init__(kind, size, count, like)
        self.known: dict[int, Any] = {}  # what was written outside loops

    def __getitem__(self, k: Any) -> Any:
        known = self.known.get(k) if isinstance(k, int) else None
        return super().__getitem__(k) if known is None else known

    def __setitem__(self, k: Any, record: Any) -> None:
        super().__setitem__(k, record)
        if isinstance(k, int):
            self.known[k] = record

    def above(self, body: Body) -> Any:
        """That of the parent of a body."""
        return self[body.parent] if self.carried is None else self.carried

    def note(self, body: Body, record: Any) -> None:
        """That of a body."""
        self[body.index] = record
        if self.carried is not None:
            self.carried = record


class Gathered(Records):
    """Records that children add to their parents' on a way inward."""

    carried: Any = None  # what the last body adds to its parent's, where a loop carries it on

    def __init__(self, kind: Any, size: int, count: int, like: Sequence[Scalar] | None) -> None:
        super().__init__(kind, size, count, like)
        self.known: dict[int, Any] | None = {}  # sums, as long as no loop has added to them

    def __getitem__(self, k: Any) -> Any:
        if self.known is None or not isinstance(k, int):
            return super().__getitem__(k)
        return self.known.get(k) or self.kind.of_numbers([0] * self.size)

    def of(self, body: Body) -> Any:
        """What the children of a body have added."""
        return self[body.index] if self.carried is None else self.carried

    def add(self, body: Body, record: Any) -> None:
        """Add to what the parent of a body has."""
        if self.carried is not None:
            self.carried = record
            return
        k = body.parent
        total = self[k] + record
        self[k] = total
        if not isinstance(k, int):
            self.known = None
        elif self.known is not None:
            self.known[k] = total


class Unit:
    """A vector of one 1 and zeros."""

    def __init__(self, place: Any) -> None:
        self.place = place

    def __getitem__(self, k: Any) -> Scalar:
        return where(k == self.place, 1, 0)


class Columns:
    """Records by index that are the same in all runs, mostly: each of their numbers is a table."""

    def __init__(self, records: Sequence[Any], like: Sequence[Scalar] | None) -> None:
        self.kind = type(records[0])
        rows = [record.numbers for record in records]
        self.columns = [column([row[k] for row in rows], like) for k in range(len(rows[0]))]

    def __getitem__(self, k: Any) -> Any:
        return self.kind.of_numbers([column[k] for column in self.columns])
