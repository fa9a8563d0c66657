"""Programs that formulas wrote out, in loops again.

Formulas work on lists, and a list of a hundred sums is a hundred operations, though these differ by places and
constants alone. So a large program is run once more after it was traced, node by node into another graph: what is
stored place after place is stored in a loop where it repeats itself, and a loop that carries very many numbers carries
them in memory. Numbers stay what they were, but for the rounding of products that are fused with other sums.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from stiction.trace.array import VERSIONS, Array, memory_of
from stiction.trace.expression import COMMUTATIVE, Expr, Graph
from stiction.trace.functions import loop
from stiction.trace.schedule import bodies, ordered, taken

TURNS = 10  # that are worth a loop
PERIODS = range(1, 13)  # how many kinds of numbers may alternate
CARRIED, BESIDE_ARRAYS = 200, 40  # numbers that a loop carries in memory; where it works on arrays, too
AS_THEY_ARE = VERSIONS | {"loop", "item", "load", "lookup", "most", "row", "carry"}  # what no loop does instead

Number = Callable[[Sequence[Expr]], Expr]  # of the row of a turn


def rolled(outputs: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """The outputs of a program that does the same in loops where it can, in a graph of its own."""
    return _Again(outputs).outputs


class _Again:
    """Runs the nodes of a program once more, in the order in which they were made."""

    def __init__(self, outputs: Sequence[Sequence[Expr]]) -> None:
        roots = [e for output in outputs for e in output]
        self.graph = Graph()
        self.like = [self.graph.constant(0.0)]
        self.now: dict[int, Expr] = {}  # what has become of a number
        self.arrays: dict[int, Array] = {}  # and of an array, by its number
        self.left: dict[int, list[Expr]] = {}  # numbers that a loop left
        self.writer = _Writer(self.graph, self.like)
        self._inputs(roots[0].graph)
        self.run(ordered(roots), roots)
        self.outputs = [self._output(output) for output in outputs]

    def run(self, nodes: Sequence[Expr], ends: Sequence[Expr]) -> None:
        """All nodes of a program, or of the body of a loop."""
        chains = _chains(nodes, ends)
        later = {e.index for chain in chains for e in chain[:-1]}
        chained = {chain[-1].index: chain for chain in chains}
        for e in sorted(nodes, key=lambda e: e.index):
            if e.op == "store":
                if e.index not in later:
                    self._store(chained.get(e.index, [e]))
            elif e.op == "array":
                self._array(e)
            elif e.op == "loop":
                self._loop(e)
            elif e.op not in ("const", "row", "carry", "entered", "left"):
                self.now[e.index] = self._number(e)

    def _inputs(self, graph: Graph) -> None:
        """Varying inputs in memory, before any loop begins."""
        slots = Counter[int]()
        for e in graph.nodes:
            if e.op == "input" and e.varying:
                slots[e.data[0]] = max(slots[e.data[0]], e.data[1] + 1)
        self.writer.ports = {
            port: Array.of([self.graph.input(port, k, True) for k in range(count)]) for port, count in slots.items()
        }

    def _value(self, e: Expr) -> Expr:
        return self.graph.constant(e.data) if e.op == "const" else self.now[e.index]

    def _values(self, nodes: Sequence[Expr]) -> list[Expr]:
        return [self._value(e) for e in nodes]

    def _number(self, e: Expr) -> Expr:
        if e.op == "item":
            return self.left[e.args[0].index][e.data]
        if e.op == "load":
            return self.arrays[memory_of(e.args[0])][self._value(e.args[1])]
        return self.graph.node(e.op, tuple(self._values(e.args)), e.data, e.varying)

    def _array(self, e: Expr) -> None:
        number, length, source, blank = e.data
        if source is None:
            self.arrays[number] = Array(length, self.like, blank)
        else:
            port, first = source
            self.arrays[number] = Array.of([self.graph.input(port, first + k, True) for k in range(length)])

    def _store(self, chain: Sequence[Expr]) -> None:
        array = self.arrays[memory_of(chain[0])]
        if len(chain) == 1:
            array[self._value(chain[0].args[1])] = self._value(chain[0].args[2])
        else:
            self.writer.fill(array, [int(e.args[1].data) for e in chain], [self._value(e.args[2]) for e in chain])

    def _output(self, output: Sequence[Expr]) -> list[Expr]:
        if len(output) == 1 and output[0].op in VERSIONS:
            return [self.arrays[memory_of(output[0])].version]
        numbers = self._values(output)
        return numbers if len(numbers) < TURNS else [self._held(numbers).version]

    def _held(self, numbers: Sequence[Expr]) -> Array:
        """Numbers in memory."""
        made = Array(len(numbers), self.like, blank=True)
        self.writer.fill(made, range(len(numbers)), numbers)
        return made

    # Loops.

    def _loop(self, e: Expr) -> None:
        body, shape = e.data
        entries = self._values(e.args[: shape.entries])
        rows = [tuple(entries[k : k + shape.width]) for k in range(0, shape.entries, shape.width)]
        table = entries[0] if shape.counted else rows
        start = self._values(e.args[shape.entries : shape.entries + shape.carried])
        for chain in _chains(ordered(body.ends, body.level), body.ends):
            if all(x.args[2].level < body.level for x in chain):
                self.writer.keep(self._values([x.args[2] for x in chain]))
        how, before = self._in_memory if _many(body) else self._in_registers, dict(self.writer.held)
        self.left[e.index] = how(body, table, start, shape.until_zero, shape.skip)
        self.writer.held = before  # what a pass holds in memory is not there after it, or never was

    def _turn(self, body: Any, row: Any, carry: Sequence[Expr]) -> list[Expr]:
        """One pass of a loop."""
        row = row if isinstance(row, tuple) else (row,)
        self.now |= {old.index: new for old, new in zip(body.row, row, strict=True)}
        self.now |= {old.index: new for old, new in zip(body.carry, carry, strict=True)}
        self.run(ordered(body.ends, body.level), body.ends)
        return self._values(body.results)

    def _in_registers(self, body: Any, table: Any, start: list[Expr], until_zero: int | None, skip: bool) -> list[Expr]:
        return loop(table, lambda row, carry: self._turn(body, row, carry), start, until_zero, skip)

    def _in_memory(self, body: Any, table: Any, start: list[Expr], until_zero: int | None, skip: bool) -> list[Expr]:
        """A loop that carries its numbers in an array."""
        held = self._held(start)

        def turn(row: Any, carry: list[Expr]) -> list[Expr]:
            before = list(held)
            after = self._turn(body, row, before)
            changed = [k for k, (x, y) in enumerate(zip(before, after, strict=True)) if x is not y]
            following = Array(len(held), self.like, blank=True)
            self.writer.fill(following, changed, [after[k] for k in changed])
            self.writer.fill(held, changed, [following[k] for k in changed])
            return carry if until_zero is None else [after[until_zero]]

        ends = (None, False) if until_zero is None else (0, skip)
        loop(table, turn, self.like if until_zero is None else [start[until_zero]], *ends)
        return list(held)


def _many(body: Any) -> bool:
    """Whether a loop carries so many numbers that they are better in memory."""
    nodes = ordered(body.ends, body.level)
    arrays = any(e.op == "array" for e in (*nodes, *(x for _, inner in bodies(nodes) for x in inner)))
    return len(body.carry) >= (BESIDE_ARRAYS if arrays else CARRIED)


def _chains(nodes: Sequence[Expr], ends: Sequence[Expr]) -> list[list[Expr]]:
    """Stores to known places that follow each other, with nobody who looks between."""
    uses = Counter(a.index for e in nodes for a in taken(e))
    uses.update(e.index for e in ends)
    following = {e.args[0].index: e for e in nodes if e.op == "store" and _placed(e)}
    first = [e for e in following.values() if not _inner(e.args[0], uses)]
    chains = []
    for e in first:
        chain = [e]
        while _inner(chain[-1], uses) and chain[-1].index in following:
            chain.append(following[chain[-1].index])
        if len(chain) > 1:
            chains.append(chain)
    return chains


def _placed(e: Expr) -> bool:
    return e.args[1].op == "const"


def _inner(e: Expr, uses: Counter[int]) -> bool:
    """Whether a store is seen by one node alone."""
    return e.op == "store" and _placed(e) and uses[e.index] == 1


class _StaleError(Exception):
    """What was read has been overwritten since."""


class _Writer:
    """Stores many numbers, in loops where they repeat themselves."""

    def __init__(self, graph: Graph, like: Sequence[Expr]) -> None:
        self.graph, self.like = graph, like
        self.shapes = _Shapes(graph)
        self.held: dict[tuple[int, ...], tuple[Array, Sequence[int], Expr | None]] = {}  # where numbers are in memory
        self.kept: set[int] = set()  # arrays that nobody writes again
        self.ports: dict[int, Array] = {}  # varying inputs in memory

    def keep(self, numbers: Sequence[Expr]) -> None:
        """Hold numbers in memory that a loop will store in each of its turns: it cannot see where they came from."""
        made = Array(len(numbers), self.like, blank=True)
        self.kept.add(made.number)
        self.fill(made, range(len(numbers)), numbers)

    def fill(self, array: Array, places: Sequence[int], numbers: Sequence[Expr]) -> None:
        """Store numbers in places, one after the other."""
        shapes = self.shapes.of(numbers)
        singles = _singles(shapes)
        k = 0
        while k < len(numbers):
            period, turns = (1, 1) if k in singles else repeated(shapes, k, PERIODS, TURNS)
            size = period * turns
            if turns < TURNS or not self._rolled(array, places[k : k + size], numbers[k : k + size], period):
                size = 1 if turns < TURNS else size
                for place, x in zip(places[k : k + size], numbers[k : k + size], strict=True):
                    array[place] = x
            k += size

    def _rolled(self, array: Array, places: Sequence[int], numbers: Sequence[Expr], period: int) -> bool:
        """Store numbers in a loop, if that can be."""
        columns = [(places[j::period], tuple(numbers[j::period])) for j in range(period)]
        alike = _Alike(self, array)
        try:
            planned = [(alike.place(where), alike.number(x)) for where, x in columns]
        except _StaleError:
            return False

        def turn(row: Any, carry: list[Expr]) -> list[Expr]:
            for place, number in planned:
                array[place(row)] = number(row)
            return carry

        loop(list(zip(*alike.columns, strict=True)), turn, self.like)
        for where, x in columns:
            self.held[tuple(e.index for e in x)] = array, list(where), array.version
        return True


class _Alike:
    """Numbers that differ by places and constants alone, as one number of a loop with a table.

    Attributes:
        columns: of the table.
    """

    def __init__(self, writer: _Writer, target: Array) -> None:
        self.writer, self.target = writer, target
        self.columns: list[list[Expr]] = []
        self.known: dict[tuple[int, ...], int] = {}  # columns by their nodes
        self.planned: dict[tuple[int, ...], Number] = {}

    def number(self, nodes: tuple[Expr, ...]) -> Number:
        """One of some nodes of the same shape."""
        key = tuple(e.index for e in nodes)
        if key not in self.planned:
            self.planned[key] = _once(self._number(nodes, key))
        return self.planned[key]

    def _number(self, nodes: tuple[Expr, ...], key: tuple[int, ...]) -> Number:
        first = nodes[0]
        if all(e is first for e in nodes):
            return lambda row: first
        if _shared(first):
            return self._column(list(nodes))
        array, places, version = self.writer.held.get(key, (self.target, (), None))
        if array is not self.target and (array.version is version or array.number in self.writer.kept):
            return self._loaded(array, places)
        if first.op == "load":
            array = first.graph.arrays[memory_of(first.args[0])]
            if array.version is not first.args[0] or array is self.target:
                raise _StaleError
            return self._loaded(array, [int(e.args[1].data) for e in nodes])
        if first.op == "input":
            slots = [e.data[1] for e in nodes]
            return self._loaded(self.writer.ports[first.data[0]], slots)
        operands = zip(*(self.writer.shapes.operands(e) for e in nodes), strict=True)
        numbers = [self.number(x) for x in operands]
        return lambda row: first.graph.node(first.op, tuple(x(row) for x in numbers), first.data)

    def _loaded(self, array: Array, places: Sequence[int]) -> Number:
        place = self.place(places)
        return lambda row: array[place(row)]

    def place(self, places: Sequence[int]) -> Number:
        """One of some places."""
        graph, first = self.target.graph, places[0]
        assert graph is not None
        if len(set(places)) == 1:
            return lambda row: graph.constant(first)
        further = self._column([graph.constant(k - first) for k in places])
        return lambda row: further(row) + first

    def _column(self, entries: list[Expr]) -> Number:
        key = tuple(e.index for e in entries)
        if key not in self.known:
            self.known[key] = len(self.columns)
            self.columns.append(entries)
        k = self.known[key]
        return lambda row: row[k]


def _once(number: Number) -> Number:
    """The same, found once: the body of a loop is traced once."""
    found: list[Expr] = []

    def again(row: Sequence[Expr]) -> Expr:
        if not found:
            found.append(number(row))
        return found[0]

    return again


def _shared(e: Expr) -> bool:
    """Whether a number is the same in all lanes and at all times, so that it can be in a table."""
    return not e.varying and e.level == 0 and not e.boolean


class _Shapes:
    """What stands for a number but for places and constants: numbers of one shape can be one of a loop."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.by_node: list[int] = []
        self.numbers: dict[tuple, int] = {}

    def of(self, nodes: Sequence[Expr]) -> list[int]:
        """The shapes of some nodes."""
        for e in self.graph.nodes[len(self.by_node) :]:
            self.by_node.append(self.numbers.setdefault(self._shape(e), len(self.numbers)))
        return [self.by_node[e.index] for e in nodes]

    def _shape(self, e: Expr) -> tuple:
        if _shared(e):
            return ("shared",)
        if e.op == "load" and e.args[1].op == "const":
            return ("load", e.args[0].index)
        if e.op == "input":
            return ("input", e.data[0])
        if e.op in AS_THEY_ARE or not e.args:
            return ("itself", e.index)
        return (e.op, e.data, *(self.by_node[a.index] for a in self.operands(e)))

    def operands(self, e: Expr) -> list[Expr]:
        """The arguments of an operation, in an order that does not depend on when they were made."""
        return sorted(e.args, key=lambda a: self.by_node[a.index]) if e.op in COMMUTATIVE else list(e.args)


def _singles(shapes: Sequence[int]) -> set[int]:
    """Places whose shape is too rare for a loop to begin there."""
    often = Counter(shapes)
    return {k for k, shape in enumerate(shapes) if often[shape] < TURNS}


def repeated(signs: Sequence[Any], first: int, periods: Sequence[int], least: int) -> tuple[int, int]:
    """The longest repetition that begins here, of at least so many turns: how many signs it repeats, and how often."""
    best = (1, 1)
    for period in periods:
        turns = 1
        while signs[first + turns * period : first + (turns + 1) * period] == signs[first : first + period]:
            turns += 1
        if turns >= least and period * turns > best[0] * best[1]:
            best = (period, turns)
    return best
