"""Rates of change through loops and arrays: what moves gets a twin that holds how fast.

At the level at which rates are asked for, values stay what they are. A loop in which something moves is run once more,
on copies of the arrays that it touches, with the rates carried beside the values; an array in which something moves has
a twin of rates. Copies follow the history of their arrays from the beginning, since later stores may overwrite it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from stiction.errors import TraceError
from stiction.trace.array import VERSIONS, Array, memory_of
from stiction.trace.expression import Expr, Graph
from stiction.trace.functions import loop
from stiction.trace.schedule import bodies, ordered

FIXED = frozenset(("constant", "sign", "floor", "most"))  # what they give rests, however their argument moves
Chained = Callable[[Graph, Expr, Expr, Sequence[Expr], Sequence[Expr | None]], Expr | None]


class Activity:
    """What moves: which nodes, in loops and outside, and which arrays; and which loops have to be run again."""

    def __init__(self, nodes: Sequence[Expr], seeds: Sequence[int]) -> None:
        self.loops = bodies(nodes)
        everything = [*nodes, *(e for _, inner in self.loops for e in inner)]
        self.nodes, self.arrays = set(seeds), set[int]()
        self._refuse_ports(everything)
        size = -1
        while size != len(self.nodes) + len(self.arrays):
            size = len(self.nodes) + len(self.arrays)
            for e in everything:
                self._visit(e)
            for e, _ in self.loops:
                self._enter(e)
            if not self.loops:
                break  # arguments come before what is made of them
        self.again: set[int] = set()
        self.touched: set[int] = set()
        if any(self._moves(e) for e, _ in self.loops):
            self._mirror()

    def _refuse_ports(self, nodes: Sequence[Expr]) -> None:
        """Refuse rates of inputs that an array reads from their port: they would be lost."""
        for e in nodes:
            if e.op == "array" and e.data[2] is not None and e.args[0].index in self.nodes:
                raise TraceError(
                    "rates of inputs do not pass through an array that reads them from their port; take constant(x) of "
                    "each input first, and the rates of those"
                )

    def _visit(self, e: Expr) -> None:
        if e.op == "store":
            if e.args[2].index in self.nodes:
                self.arrays.add(memory_of(e))
        elif e.op == "load":
            if memory_of(e.args[0]) in self.arrays:
                self.nodes.add(e.index)
        elif e.op == "item":
            if e.args[0].data[0].carry[e.data].index in self.nodes:
                self.nodes.add(e.index)
        elif e.op not in VERSIONS and e.op not in FIXED and e.op != "loop" and not e.boolean:
            taken = e.args[1:] if e.op in ("lookup", "where") else e.args
            if any(a.index in self.nodes for a in taken):
                self.nodes.add(e.index)

    def _enter(self, e: Expr) -> None:
        """Which rows and carried values of a loop move."""
        body, shape = e.data
        initial = e.args[shape.entries : shape.entries + shape.carried]
        for placeholder, before, after in zip(body.carry, initial, body.results, strict=True):
            if before.index in self.nodes or after.index in self.nodes:
                self.nodes.add(placeholder.index)
        for k, placeholder in enumerate(body.row):
            if not shape.counted and any(x.index in self.nodes for x in e.args[k : shape.entries : shape.width]):
                self.nodes.add(placeholder.index)

    def _moves(self, e: Expr) -> bool:
        """Whether something moves in a loop."""
        body = e.data[0]
        return any(c.index in self.nodes for c in body.carry) or any(memory_of(x) in self.arrays for x in body.effects)

    def _mirror(self) -> None:
        """Loops that are run again: those in which something moves, and those that write what such loops read."""
        size = -1
        while size != len(self.again):
            size = len(self.again)
            for e, inner in self.loops:
                writes = {memory_of(x) for x in e.data[0].effects}
                if self._moves(e) or writes & self.touched:
                    self.again.add(e.index)
                    found = [*inner, *(x for _, more in bodies(inner) for x in more)]
                    self.touched |= {memory_of(x.args[0]) for x in found if x.op in ("load", "store")}

    def check(self) -> None:
        """Refuse what has no derivative."""
        for e, _ in self.loops:
            if e.data[1].until_zero is not None and self._moves(e):
                raise TraceError(
                    "a search (a loop that ends by a condition) has no derivative; take it of the formula that the "
                    "result solves, with the result held fixed by constant()"
                )


class Twin:
    """Runs nodes in the order in which they were made, and finds the rate of each that moves.

    Args:
        graph: of the nodes.
        roots: nodes whose rates are wanted.
        rates: those of the seeds; the others are added.
        chained: gives the rate of an operation.
    """

    def __init__(self, graph: Graph, roots: Sequence[Expr], rates: dict[int, Expr], chained: Chained) -> None:
        self.graph, self.rates, self.chained = graph, rates, chained
        self.seeds = set(rates)
        self.nodes = _needed(roots, self.seeds)
        self.activity = Activity(self.nodes, list(rates))
        self.values: dict[int, Expr] = {}  # where a node is run again: what it is now
        self.copies: dict[int, Array] = {}
        self.twins: dict[int, Array] = {}
        self.found: dict[int, tuple[list, list]] = {}  # values and rates that a loop leaves, by its node

    def run(self) -> None:
        """Find all rates."""
        self.activity.check()
        moving = self.activity
        for e in self.nodes:
            if e.index in self.seeds:
                continue
            if e.op in ("array", "store", "entered"):
                if memory_of(e) in moving.touched | moving.arrays:
                    self._keep(e, again=False)
            elif e.op == "loop":
                if e.index in moving.again:
                    self._loop(e)
            elif e.index in moving.nodes:
                rate = self._rate(e, e)
                if rate is not None:
                    self.rates[e.index] = rate

    # Nodes.

    def _value(self, e: Expr) -> Expr:
        return self.values.get(e.index, e)

    def _rate(self, e: Expr, y: Expr) -> Expr | None:
        """The rate of a node with the value y."""
        if e.op == "item":
            found = self.found.get(e.args[0].index)
            return found[1][e.data] if found else None
        if e.op == "load":
            twin = self.twins.get(memory_of(e.args[0]))
            return None if twin is None else twin[self._value(e.args[1])]
        return self.chained(
            self.graph, e, y, [self._value(a) for a in e.args], [self.rates.get(a.index) for a in e.args]
        )

    def _keep(self, e: Expr, again: bool) -> None:
        """Follow the history of an array on its copy and its twin."""
        number, moving = memory_of(e), self.activity
        if e.op == "entered":
            raise TraceError(
                "derivatives are asked for inside a loop, through an array that was made before it; "
                "take them outside the loop, or make the array inside"
            )
        if e.op == "array":
            _, length, source, _ = e.data
            if again or number in moving.touched:
                port = [self.graph.input(source[0], source[1] + k, True) for k in range(length)] if source else None
                self.copies[number] = Array.of(port) if port else Array(length, [e])
            if number in moving.arrays:
                self.twins[number] = Array(length, [e])
            return
        index, x = self._value(e.args[1]), e.args[2]
        if number in self.copies:
            self.copies[number][index] = self._value(x)
        if number in self.twins:
            self.twins[number][index] = self.rates.get(x.index, 0)

    # Loops.

    def _loop(self, e: Expr) -> None:
        """Run a loop again, with the rates of what it carries."""
        body, shape = e.data
        moving = [k for k, c in enumerate(body.carry) if c.index in self.activity.nodes]
        entries, initial = e.args[: shape.entries], e.args[shape.entries : shape.entries + shape.carried]
        rates = [self.rates.get(initial[k].index, 0) for k in moving]
        rows = [k for k, r in enumerate(body.row) if r.index in self.activity.nodes]

        def again(row: Any, carry: list) -> list:
            row = row if isinstance(row, tuple) else (row,)
            self.values |= {old.index: new for old, new in zip(body.row, row, strict=False)}
            self.rates |= {body.row[k].index: new for k, new in zip(rows, row[shape.width :], strict=True)}
            self.values |= {old.index: new for old, new in zip(body.carry, carry, strict=False)}
            self.rates |= {body.carry[k].index: new for k, new in zip(moving, carry[shape.carried :], strict=True)}
            for node in sorted(ordered(body.ends, body.level), key=lambda x: x.index):
                self._again(node)
            ends = [self.rates.get(body.results[k].index, 0) for k in moving]
            return [*(self._value(x) for x in body.results), *ends]

        carry = [*(self._value(x) for x in initial), *rates]
        found = loop(
            self._table(entries, shape, rows), again, carry or [self.graph.constant(0.0)], shape.until_zero, shape.skip
        )
        left: list[Expr | None] = [None] * shape.carried
        for k, rate in zip(moving, found[shape.carried :], strict=True):
            left[k] = rate
        self.found[e.index] = found[: shape.carried], left

    def _table(self, entries: Sequence[Expr], shape: Any, rows: list[int]) -> Any:
        """The rows of a loop, with the rates of those of its columns that move."""
        values = [self._value(x) for x in entries]
        if shape.counted:
            return values[0]
        rates = [self.rates.get(x.index, self.graph.constant(0.0)) for x in entries]
        table = []
        for first in range(0, len(entries), shape.width):
            table.append((*values[first : first + shape.width], *(rates[first + k] for k in rows)))
        return table

    def _again(self, e: Expr) -> None:
        """Run a node of a loop again."""
        if e.op in ("row", "carry", "entered", "left"):
            return
        if e.op in ("array", "store"):
            self._keep(e, again=True)
            return
        if e.op == "loop":
            self._loop(e)
            return
        if e.op == "load":
            value = self.copies[memory_of(e.args[0])][self._value(e.args[1])]
        elif e.op == "item":
            value = self.found[e.args[0].index][0][e.data]
        else:
            args = tuple(self._value(a) for a in e.args)
            same = all(a is b for a, b in zip(args, e.args, strict=True))
            value = e if same else self.graph.node(e.op, args, e.data)
        self.values[e.index] = value
        rate = self._rate(e, value) if e.index in self.activity.nodes else None
        self.rates.pop(e.index, None)
        if rate is not None:
            self.rates[e.index] = rate


def _needed(roots: Sequence[Expr], seeds: set[int]) -> list[Expr]:
    """The nodes on which rates of the roots depend, down to the seeds, in the order of their making."""
    seen: dict[int, Expr] = {}
    stack = list(roots)
    while stack:
        e = stack.pop()
        if e.index not in seen:
            seen[e.index] = e
            if e.op not in FIXED and not e.boolean and e.index not in seeds:
                stack.extend(e.args)
    return [seen[index] for index in sorted(seen)]
