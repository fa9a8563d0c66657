"""The mathematics that formulas are written in: one function, four kinds of scalar.

Each function takes floats (it computes), complex numbers (complex-step derivatives), SymPy symbols (closed forms) or
traced expressions (machine code). Formulas use these and + − × ÷, and never `if` on a value.
"""

import cmath
import math
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any, NamedTuple

from stiction.errors import TraceError
from stiction.trace import guard
from stiction.trace.array import Array, Memory
from stiction.trace.expression import Expr, Graph, graph_of, plain
from stiction.trace.floats import FOLD

Scalar = Any  # float, complex, SymPy expression or Expr: a formula does not care


def _function(op: str, sympy_name: str, meaning: str) -> Callable[..., Scalar]:
    def function(*args: Scalar) -> Scalar:
        args = tuple(plain(a) for a in args)
        graph = graph_of(args)
        if graph is not None:
            return graph.apply(op, *(graph.wrap(a) for a in args))
        if all(isinstance(a, (int, float)) for a in args):
            return FOLD[op](*args)
        if any(isinstance(a, complex) for a in args):
            return _complex(op, *args)
        import sympy

        return getattr(sympy, sympy_name)(*args)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = meaning
    return function


def _complex(op: str, x: complex, *more: complex) -> complex:
    if op == "atan2":  # analytic in both arguments near the real axis, which is all that a complex step needs
        angle = math.atan2(x.real, more[0].real)
        norm = x.real * x.real + more[0].real * more[0].real
        return complex(angle, (x.imag * more[0].real - x.real * more[0].imag) / norm)
    if op == "abs":
        return -x if x.real < 0 else x
    return getattr(cmath, op)(x, *more)


sin = _function("sin", "sin", "Sine of an angle [rad].")
cos = _function("cos", "cos", "Cosine of an angle [rad].")
tan = _function("tan", "tan", "Tangent of an angle [rad].")
atan2 = _function("atan2", "atan2", "Angle [rad] of the point (x, y), as atan2(y, x).")
exp = _function("exp", "exp", "Exponential.")
log = _function("log", "log", "Natural logarithm; −inf at 0, NaN below.")
tanh = _function("tanh", "tanh", "Hyperbolic tangent.")
sqrt = _function("sqrt", "sqrt", "Square root; NaN for negative numbers.")
absolute = _function("abs", "Abs", "Absolute value.")
sign = _function("sign", "sign", "−1, 0 or 1, as the number is negative, zero or positive.")
floor = _function("floor", "floor", "Largest whole number not above x.")
minimum = _function("min", "Min", "The smaller of two; NaN if either is.")
maximum = _function("max", "Max", "The larger of two; NaN if either is.")
uniform = _function(
    "uniform",
    "uniform",
    "A random number between 0 and 1, neither included, by the whole numbers seed, run, drawer, draw and number.",
)


def normal(seed: Scalar, run: Scalar, drawer: Scalar, draw: Scalar, number: int = 0) -> Scalar:
    """A random number of the standard normal distribution, by whole numbers: the same from the same."""
    size = sqrt(-2 * log(uniform(seed, run, drawer, draw, 2 * number)))
    return size * cos(2 * math.pi * uniform(seed, run, drawer, draw, 2 * number + 1))


def clip(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """The number x kept between low and high; NaN stays NaN.

    Example:
        >>> from stiction.trace import clip
        >>> clip(3, -1, 1)
        1
    """
    return maximum(low, minimum(high, x))


def divide(a: Scalar, b: Scalar) -> Scalar:
    """The quotient a / b; infinite or NaN, never an error, where b is 0."""
    return FOLD["div"](a, b) if isinstance(a, (int, float)) and isinstance(b, (int, float)) else a / b


def power(a: Scalar, b: Scalar) -> Scalar:
    """The power a^b; infinite or NaN, never an error, where it is no real number."""
    return FOLD["pow"](a, b) if isinstance(a, (int, float)) and isinstance(b, (int, float)) else a**b


def fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """a·b + c, rounded once where the processor can."""
    graph = graph_of((a, b, c))
    if graph is None:
        return a * b + c
    a, b, c = graph.wrap(a), graph.wrap(b), graph.wrap(c)
    product = graph.mul(a, b)
    if product.op != "mul" or (c.op == "const" and c.data == 0):
        return graph.add(product, c)
    return graph.apply("fma", a, b, c)


def constant(x: Scalar) -> Scalar:
    """The same number, which derivatives take as constant; nothing simplifies across it."""
    return x.graph.apply("constant", x) if isinstance(x, Expr) else x


def logical_not(condition: Scalar) -> Scalar:
    """Whether the condition does not hold; ~ does it for traced conditions only, not for Python's True and False."""
    return not condition if isinstance(condition, bool) else ~condition


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """The number a where the condition holds, else b; both are computed.

    Example:
        >>> from stiction.trace import where
        >>> where(2 > 1, 5, 7)
        5
    """
    graph = graph_of((condition, a, b))
    if graph is not None:
        return graph.where(graph.wrap(condition), graph.wrap(a), graph.wrap(b))
    if type(condition).__module__.startswith("sympy"):
        import sympy

        return sympy.Piecewise((a, condition), (b, True))
    return a if condition else b


def most(x: Scalar, limit: int) -> Scalar:
    """The largest of the whole numbers 0 … limit that the lanes have: the same for all of them, so that it can be the
    count of a loop. What a lane gets must not depend on it: a loop that goes on for others does nothing here.
    """
    if isinstance(x, Expr) and x.varying:
        return x.graph.node("most", (x,), limit)
    return x if isinstance(x, Expr) else int(x)


class LookupPort:
    """A port of run-time numbers, read by `lookup` row by row; its length may change without compiling again."""

    def __init__(self, graph: Graph, port: int, width: int) -> None:
        self.graph, self.port, self.width = graph, port, width

    def row(self, index: Expr) -> list[Expr]:
        """Row number `index`, the nearest one where there is none."""
        return [self.graph.node("lookup", (index,), (self.port, column, self.width)) for column in range(self.width)]


def lookup(table: "LookupPort | Sequence[Scalar]", index: Scalar) -> Scalar:
    """Row `index` (rounded down, kept inside the table) of a table of scalars or of equally long rows.

    Example:
        >>> from stiction.trace import lookup
        >>> lookup([10, 20, 30], 1.7), lookup([10, 20, 30], 9)
        (20, 30)
    """
    if isinstance(table, LookupPort):
        return table.row(table.graph.wrap(index))
    if type(index).__module__.startswith("sympy") and not index.is_number:
        import sympy

        return sympy.Piecewise(*((entry, index < k + 1) for k, entry in enumerate(table[:-1])), (table[-1], True))
    if not isinstance(index, Expr):
        return table[math.floor(min(max(0, index), len(table) - 1))]
    if isinstance(table[0], (tuple, list)):
        return [lookup([row[column] for row in table], index) for column in range(len(table[0]))]
    graph = index.graph
    entries = tuple(graph.wrap(entry) for entry in table)
    if any(entry.varying for entry in entries):
        raise TraceError(
            "lookup() reads tables that are the same for all lanes; this one holds varying values: "
            "make them uniform inputs"
        )
    made = graph.node("lookup", (index, *entries))
    if guard.ENABLED:
        graph.sources.setdefault(made.index, guard.place())
    return made


class LoopShape(NamedTuple):
    """How a loop turns: numbers in its table, in a row of it, carried values; whether it counts; what ends it; and how
    many of its last arguments it only has to wait for.
    """

    entries: int
    width: int
    carried: int
    counted: bool
    until_zero: int | None
    skip: bool
    waits: int


class LoopBody:
    """What is inside a traced loop: placeholders for the row and the carried values, and the results of one pass."""

    def __init__(self, graph: Graph, width: int, carried: int) -> None:
        self.level = graph.depth + 1
        self.row = [graph.node("row", (), (self, j), False, self.level) for j in range(width)]
        self.carry = [graph.node("carry", (), (self, j), True, self.level) for j in range(carried)]
        self.results: list[Expr] = []
        self.effects: list[Expr] = []  # last versions of the arrays that a pass writes

    @property
    def ends(self) -> list[Expr]:
        """All that a pass must do."""
        return [*self.results, *self.effects]

    def captured(self) -> list[Expr]:
        """The values from outside that the body reads."""
        found: dict[int, Expr] = {}
        seen: set[int] = set()
        stack = list(self.ends)
        while stack:
            e = stack.pop()
            if e.index in seen or e.op == "const":
                continue
            seen.add(e.index)
            if e.level < self.level:
                found[e.index] = e
            elif e.op in ("row", "carry", "entered") and e.data[0] is not self:
                raise TraceError(
                    "a value from inside a finished loop was used outside it; return it from the body instead"
                )
            else:
                stack.extend(e.args)
        return [found[index] for index in sorted(found)]


def loop(
    table: Any,
    body: Callable[[Any, list], Sequence[Scalar]],
    carry: Sequence[Scalar],
    until_zero: int | None = None,
    skip: bool = False,
) -> list[Scalar]:
    """Repeat `carry = body(row, carry)` for each row of a table, or for index 0, 1, … when `table` is a count.

    On floats and SymPy this is a Python `for`; traced, the body is traced once and stays a counted loop in the machine
    code. A row is a tuple of numbers; what is one number in all rows is that number in the body, and simplifies so.
    `until_zero` ends the loop after the pass in which this carried value became 0 (in all lanes): it must be 0 only
    where another pass would change nothing, so that a lane does not depend on its neighbours. With `skip` it is tested
    before the first pass, too.

    Example:
        >>> from stiction.trace import loop
        >>> loop(4, lambda k, carry: [carry[0] + k], [0])
        [6]
    """
    counted = isinstance(table, (Number, Expr))
    rows = None if counted else [tuple(row) if isinstance(row, (tuple, list)) else row for row in table]
    lengths = [len(row) if isinstance(row, tuple) else 0 for row in rows or ()]
    if len(set(lengths)) > 1:
        raise TraceError(f"the rows of a loop must be equally long; these have {[n or 1 for n in lengths]} numbers")
    flat = [table] if rows is None else [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
    graph = graph_of([*carry, *flat])
    if graph is None or not flat:
        state = list(carry)
        for row in range(int(table)) if rows is None else rows:
            if skip and until_zero is not None and state[until_zero] == 0:
                break
            state = list(body(row, state))
            if flat and graph_of(state) is not None:
                raise TraceError(
                    "this loop would be unrolled: its body gives traced values, and neither its rows nor its first "
                    "carried values are traced; carry 0 * x of a traced x instead of 0, or write a Python for"
                )
            if until_zero is not None and state[until_zero] == 0:
                break
        return state
    return _traced_loop(graph, _Rows(graph, rows, flat), body, carry, until_zero, skip)


def rarely(
    needed: Scalar, given: Sequence[Scalar], usual: Sequence[Scalar], formula: Callable[[list], Sequence[Scalar]]
) -> list[Scalar]:
    """formula(given) where it is needed, else the usual values: a branch that a program takes only where some lane
    needs it, as a loop that turns once or not at all. Inside, `given` are the numbers to compute with: what uses others
    alone is computed before, whether needed or not.
    """
    n = len(usual)

    def turn(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        inside = carry[n + 1 :]
        found = formula(inside)
        return [*(where(carry[n] > 0, a, b) for a, b in zip(found, carry[:n], strict=True)), carry[n], *inside]

    flag = where(needed, 1, 0)
    return loop(most(flag, 1), turn, [*usual, flag, *given])[:n]


class _Rows:
    """The table of a traced loop: columns that are one number are none, those that vary over the lanes are arrays.

    Attributes:
        counted: whether there is a count and no table.
        entries: the numbers of the table, row by row; or the count.
        width: how many there are in a row.
    """

    def __init__(self, graph: Graph, rows: list | None, flat: list) -> None:
        self.single = rows is None or not isinstance(rows[0], tuple)  # the body takes a number, not a tuple
        wrapped = [graph.wrap(x) for x in flat]
        if rows is None:
            if wrapped[0].varying:
                raise TraceError("the count of a loop is the same for all lanes, and this one is not; use until_zero")
            self.columns: list[Expr | Array | None] = [None]
            self.counted, self.entries, self.width = True, wrapped, 1
            return
        given = 1 if self.single else len(rows[0])
        columns = [wrapped[k::given] for k in range(given)]
        self.columns = [self._column(column) for column in columns]
        kept = [column for column, known in zip(columns, self.columns, strict=True) if known is None]
        if any(isinstance(known, Array) for known in self.columns):
            kept.append([graph.constant(k) for k in range(len(rows))])
        self.counted, self.width = not kept, max(1, len(kept))
        self.entries = [x for row in zip(*kept, strict=True) for x in row] or [graph.constant(len(rows))]

    @staticmethod
    def _column(column: list[Expr]) -> "Expr | Array | None":
        if all(x is column[0] for x in column):
            return column[0]
        return Array.of(column) if any(x.varying for x in column) else None

    def row(self, placeholders: list[Expr]) -> Any:
        """What the body takes."""
        left = iter(placeholders)
        found = [
            next(left) if column is None else column[placeholders[-1]] if isinstance(column, Array) else column
            for column in self.columns
        ]
        return found[0] if self.single else tuple(found)


def _traced_loop(
    graph: Graph, rows: _Rows, body: Callable, carry: Sequence[Scalar], until_zero: int | None, skip: bool
) -> list[Expr]:
    initial = [graph.wrap(x) for x in carry]
    inside = LoopBody(graph, rows.width, len(initial))
    memory = Memory(graph, inside)
    graph.depth += 1
    try:
        returned = body(rows.row(inside.row), list(inside.carry))
        if not isinstance(returned, (list, tuple)):
            raise TraceError(
                f"the body of a loop must return a list of the carried values; it returned {type(returned).__name__}"
            )
        inside.results = [graph.wrap(x) for x in returned]
    finally:
        graph.depth -= 1
    inside.effects = memory.effects()
    if any(x.boolean for x in (*initial, *inside.results)):
        raise TraceError("a loop carries numbers, not conditions; carry where(condition, 1, 0) instead")
    if len(inside.results) != len(initial):
        raise TraceError(
            f"the body of a loop must return as many values as it carries: {len(initial)}; "
            f"it returned {len(inside.results)}"
        )
    needs, waits = memory.needs(), memory.waits()
    shape = LoopShape(len(rows.entries), rows.width, len(initial), rows.counted, until_zero, skip, len(waits))
    node = graph.node("loop", (*rows.entries, *initial, *inside.captured(), *needs, *waits), (inside, shape), True)
    memory.leave(graph, node)
    return [graph.node("item", (node,), k) for k in range(len(initial))]
