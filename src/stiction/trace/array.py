"""Memory of a run, read and written by index: what recursions over many links keep.

The index is the same for all lanes: it comes from loops, tables and whole numbers. On floats an array is a list.
Traced, each store makes a new version; a load reads the version of its time, and a store waits for the loads before it,
so that all versions can share one piece of memory. Loops take arrays along without saying so.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from stiction.errors import TraceError
from stiction.trace import guard
from stiction.trace.expression import Expr, Graph, graph_of

VERSIONS = frozenset(("array", "store", "left", "entered"))  # nodes that are an array at some time


class Array:
    """Numbers by index, 0 at first.

    Args:
        length: how many.
        like: values of the same program, by which it knows whether it is traced.
        blank: whether nothing is read before it is written, so that nobody has to clear it.

    Example:
        >>> from stiction.trace import Array, loop
        >>> squares = Array(4, [0.0])
        >>> def fill(k, carry):
        ...     squares[k] = k * k
        ...     return [carry[0] + squares[k]]
        >>> loop(4, fill, [0.0]), squares[3]
        ([14.0], 9)
    """

    def __init__(self, length: int, like: Any, blank: bool = False) -> None:
        self.length, self.graph = length, graph_of(like)
        if self.graph is None:
            self._items: list[Any] = [0.0] * length
        else:
            self._begin(None, blank)

    @staticmethod
    def of(values: Sequence[Any], like: Any = ()) -> "Array":
        """An array that holds these numbers at first; `like` tells whether it is traced, where they do not."""
        made = object.__new__(Array)
        made.length, made.graph = len(values), graph_of([*like, *values])
        if made.graph is None:
            made._items = list(values)
            return made
        source = _slots(values)
        made._begin(source)
        if source is None:
            for k, value in enumerate(values):
                made[k] = value
        return made

    def _begin(self, source: tuple[int, int] | None, blank: bool = False) -> None:
        """The first version: 0, anything, or what an input holds from a slot on."""
        graph = self.graph
        assert graph is not None
        self.number = len(graph.arrays)
        inputs = () if source is None else (graph.input(*source, True),)  # that this input is needed
        self.version = graph.node("array", inputs, (self.number, self.length, source, blank), True, graph.depth)
        self.waiting: dict[int, Expr] = {}  # loads of this version, for which the next store waits
        graph.arrays.append(self)

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(self.length))

    def __getitem__(self, index: Any) -> Any:
        if self.graph is None:
            return self._items[self._place(index)]
        made = self.graph.node("load", (self.version, self._index(index)), None, True)
        if guard.ENABLED:
            self.graph.sources.setdefault(made.index, guard.place())
        self.waiting[made.index] = made
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.graph is None:
            self._items[self._place(index)] = value
            return
        stored = (self.version, self._index(index), self.graph.wrap(value), *self.waiting.values())
        self.version, self.waiting = self.graph.node("store", stored, None, True), {}
        if guard.ENABLED:
            self.graph.sources.setdefault(self.version.index, guard.place())

    def _place(self, index: Any) -> int:
        """A place in the list; one outside is refused."""
        place = int(index)
        if place != index or not 0 <= place < self.length:
            raise TraceError(f"index {index} of an array of {self.length}; allowed: 0 to {self.length - 1}")
        return place

    def _index(self, index: Any) -> Expr:
        """An index as a node, the same for all lanes."""
        if not isinstance(index, Expr):
            self._place(index)
        wrapped = self.graph.wrap(index)  # type: ignore[union-attr]
        if wrapped.varying:
            raise TraceError(
                "the index of an array is the same for all lanes, and this one is not; "
                "choose between entries by where(), or carry what you look for"
            )
        return wrapped


def _slots(values: Sequence[Any]) -> tuple[int, int] | None:
    """Port and first slot, where these are numbers of one varying input, one after another."""
    if not all(isinstance(x, Expr) and x.op == "input" and x.varying for x in values):
        return None
    port, first = values[0].data
    return (port, first) if all(x.data == (port, first + k) for k, x in enumerate(values)) else None


def held_by(values: Sequence[Expr]) -> Array | None:
    """The array that holds these numbers as they are, one after another, if there is one; to be read only."""
    first = values[0]
    if first.op != "load" or not all(x.op == "load" and x.args[0] is first.args[0] for x in values):
        return None
    array = first.graph.arrays[memory_of(first.args[0])]
    places = [x.args[1].data if x.args[1].op == "const" else None for x in values]
    return array if array.version is first.args[0] and places == list(range(array.length)) else None


def memory_of(version: Expr) -> int:
    """The number of the array that this is a version of."""
    while version.op == "store":
        version = version.args[0]
    return version.data if version.op == "left" else version.data[0 if version.op == "array" else 1]


class Memory:
    """The arrays of a graph before and after the body of a loop is traced."""

    def __init__(self, graph: Graph, inside: Any) -> None:
        self.arrays = list(graph.arrays)
        self.before = [(array.version, array.waiting) for array in self.arrays]
        for array in self.arrays:
            array.version = graph.node("entered", (), (inside, array.number), True, inside.level)
            array.waiting = {}
        self.entered = [array.version for array in self.arrays]

    def effects(self) -> list[Expr]:
        """The last versions of what the body wrote."""
        pairs = zip(self.arrays, self.entered, strict=True)
        return [array.version for array, first in pairs if array.version is not first]

    def needs(self) -> list[Expr]:
        """Versions that the loop reads or writes."""
        triples = zip(self.arrays, self.entered, self.before, strict=True)
        return [version for array, first, (version, _) in triples if array.version is not first or array.waiting]

    def waits(self) -> list[Expr]:
        """What must come before the loop, where it is needed at all: loads of what it writes."""
        triples = zip(self.arrays, self.entered, self.before, strict=True)
        return [e for array, first, (_, waiting) in triples if array.version is not first for e in waiting.values()]

    def leave(self, graph: Graph, loop: Expr) -> None:
        """Go on after the loop."""
        for array, first, (version, waiting) in zip(self.arrays, self.entered, self.before, strict=True):
            if array.version is not first:
                array.version, array.waiting = graph.node("left", (loop,), array.number, True), {}
            else:
                array.version, array.waiting = version, waiting | ({loop.index: loop} if array.waiting else {})
