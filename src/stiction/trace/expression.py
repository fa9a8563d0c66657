"""Expressions: what a formula becomes when it is traced. Hash-consed, and simplified while they are built.

A `Graph` belongs to one trace. Feeding its inputs to ordinary scalar Python leaves behind a directed acyclic graph in
which equal sub-expressions are one node. A structural zero wins over everything (0·x, 0/x and x − x are 0, also for an
x that is NaN at run time), because that is what makes the mechanics of a particular robot small.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stiction.errors import TooLargeError, TraceError, too_large
from stiction.trace.floats import FOLD
from stiction.trace.refusal import array_of, numpy_function, refusal

COMMUTATIVE = frozenset(("add", "mul", "and", "or", "eq", "ne"))
BOOLEAN = frozenset(("lt", "le", "eq", "ne", "and", "or", "not"))
TAKES_CONDITIONS = frozenset(("and", "or", "not", "where", "loop"))
# What NumPy calls when one of its own numbers stands on the left of an operator.
OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "negative": operator.neg,
    "positive": operator.pos,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
}


class Expr:
    """A node of a graph: an operation on other nodes, an input or a constant. Behaves like a number in formulas."""

    __slots__ = ("args", "boolean", "data", "graph", "index", "level", "op", "varying")

    graph: "Graph"
    op: str
    args: "tuple[Expr, ...]"
    data: Any  # constant: its value; input: (port, slot); item: its position; loop: its body
    index: int  # creation order within the graph
    level: int  # how many loops deep its value changes
    varying: bool  # differs from lane to lane
    boolean: bool  # is a truth value rather than a number

    def __add__(self, other: object) -> "Expr":
        return self.graph.add(self, self.graph.wrap(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> "Expr":
        return self.graph.sub(self, self.graph.wrap(other))

    def __rsub__(self, other: object) -> "Expr":
        return self.graph.sub(self.graph.wrap(other), self)

    def __mul__(self, other: object) -> "Expr":
        return self.graph.mul(self, self.graph.wrap(other))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Expr":
        return self.graph.div(self, self.graph.wrap(other))

    def __rtruediv__(self, other: object) -> "Expr":
        return self.graph.div(self.graph.wrap(other), self)

    def __neg__(self) -> "Expr":
        return self.graph.neg(self)

    def __pos__(self) -> "Expr":
        return self

    def __abs__(self) -> "Expr":
        return self.graph.apply("abs", self)

    def __pow__(self, other: object) -> "Expr":
        return self.graph.pow(self, self.graph.wrap(other))

    def __rpow__(self, other: object) -> "Expr":
        return self.graph.pow(self.graph.wrap(other), self)

    def __lt__(self, other: object) -> "Expr":
        return self.graph.apply("lt", self, self.graph.wrap(other))

    def __le__(self, other: object) -> "Expr":
        return self.graph.apply("le", self, self.graph.wrap(other))

    def __gt__(self, other: object) -> "Expr":
        return self.graph.apply("lt", self.graph.wrap(other), self)

    def __ge__(self, other: object) -> "Expr":
        return self.graph.apply("le", self.graph.wrap(other), self)

    def __eq__(self, other: object) -> "Expr":
        return self.graph.apply("eq", self, self.graph.wrap(other))

    def __ne__(self, other: object) -> "Expr":
        return self.graph.apply("ne", self, self.graph.wrap(other))

    def __and__(self, other: object) -> "Expr":
        return self.graph.logic("and", self, self.graph.wrap(other))

    __rand__ = __and__

    def __or__(self, other: object) -> "Expr":
        return self.graph.logic("or", self, self.graph.wrap(other))

    __ror__ = __or__

    def __invert__(self) -> "Expr":
        return self.graph.logic("not", self)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise refusal(
            "a traced value has no truth value while it is traced ('if', 'and', 'or', 'not', max() and sorted() need "
            "one); use where(condition, a, b), & and | between conditions, logical_not, maximum"
        )

    def _no_number(self, *_: object) -> float:
        raise refusal(
            "a traced value is no number yet: float(), int(), round() and the math module cannot take it; "
            "use the functions of stiction.trace.functions (sin, sqrt, floor, ...)"
        )

    __float__ = __int__ = __complex__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _no_number

    def __array__(self, *_: object, **__: object) -> None:
        raise refusal("a traced value cannot enter a NumPy array; keep it in lists and tuples of scalars")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **options: Any) -> "Expr":
        """Operators on NumPy's numbers do what they do on Python's; its functions and arrays are refused."""
        if ufunc.__name__ not in OPERATORS or method != "__call__" or options:
            raise numpy_function(ufunc.__name__)
        return OPERATORS[ufunc.__name__](*(plain(x) for x in operands))

    def __repr__(self) -> str:
        if self.op == "const":
            return f"{self.data!r}"
        return f"<{self.op} %{self.index}>"


class Graph:
    """The expressions of one trace. They are compared and combined only with each other, and die with it."""

    def __init__(self, most: int | None = None) -> None:
        self.nodes: list[Expr] = []
        self.most = most  # nodes; None for any number
        self._table: dict[tuple, Expr] = {}
        self._numbers: dict[float, Expr] = {}  # constants by their values
        self.depth = 0  # of the loop whose body is being traced
        self.arrays: list[Any] = []  # memory that the trace reads and writes, in the order of its making
        self.columns: dict[tuple[int, ...], Any] = {}  # numbers that are in memory already, by their nodes
        self.sources: dict[int, str] = {}  # places in the source of what goes to memory, by node, in checked kernels

    def node(
        self, op: str, args: tuple[Expr, ...] = (), data: Any = None, varying: bool = False, level: int = 0
    ) -> Expr:
        """The one node with this operation, these arguments and this data; made if there is none yet."""
        key = (op, data.__class__, data, *[a.index for a in args])
        found = self._table.get(key)
        if found is not None:
            return found
        made = object.__new__(Expr)
        made.graph, made.op, made.args, made.data, made.index = self, op, args, data, len(self.nodes)
        for a in args:
            if a.boolean and op not in TAKES_CONDITIONS:
                raise TraceError(
                    f"a condition such as x < 1 is no number, so '{op}' cannot take it; use where(condition, 1, 0)"
                )
            varying = varying or a.varying
            level = a.level if a.level > level else level
        made.varying, made.level = varying and op != "most", level
        made.boolean = op in BOOLEAN or (op == "const" and data.__class__ is bool)
        self._table[key] = made
        self.nodes.append(made)
        if self.most is not None and len(self.nodes) > self.most:
            raise TooLargeError(too_large(self.most))
        return made

    def input(self, port: int, slot: int, varying: bool) -> Expr:
        """One number of an input port."""
        return self.node("input", (), (port, slot), varying)

    def constant(self, value: float | bool) -> Expr:
        """A number known while tracing."""
        number = value if isinstance(value, bool) else float(value) + 0.0
        return self.node("const", (), number if number == number else math.nan)  # one object, so that it is one node

    def wrap(self, value: Any) -> Expr:
        """An operand: an expression of this graph, or a number."""
        if value.__class__ is int or value.__class__ is float:
            if value not in self._numbers:
                self._numbers[value] = self.constant(value)
            return self._numbers[value]
        if isinstance(value, Expr):
            if value.graph is not self:
                raise TraceError(
                    "an expression of another trace was used here; expressions die with the trace that made them"
                )
            return value
        value = plain(value)
        if isinstance(value, (int, float)):
            return self.constant(value)
        try:
            return self.constant(float(value))
        except (TypeError, ValueError):
            raise refusal(f"a traced value cannot be combined with {type(value).__name__}; use a number") from None

    def apply(self, op: str, *args: Expr) -> Expr:
        """An operation without rules of its own: folded if all is known, else a node."""
        if all(a.op == "const" for a in args):
            return self.constant(FOLD[op](*(a.data for a in args)))
        if op in COMMUTATIVE and args[0].index > args[1].index:
            args = (args[1], args[0])
        return self.node(op, args)

    def add(self, a: Expr, b: Expr) -> Expr:
        """The sum a + b; with 0 the other, with −b a difference."""
        if is_number(a, 0):
            return b
        if is_number(b, 0):
            return a
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        return self.apply("add", a, b)

    def sub(self, a: Expr, b: Expr) -> Expr:
        """The difference a − b; 0 where both are one node."""
        if a is b:
            return self.constant(0.0)
        if is_number(b, 0):
            return a
        if is_number(a, 0):
            return self.neg(b)
        if b.op == "neg":
            return self.add(a, b.args[0])
        return self.apply("sub", a, b)

    def mul(self, a: Expr, b: Expr) -> Expr:
        """The product a · b; factors 0, 1 and −1 are no factors, and signs move outwards."""
        for x, y in ((a, b), (b, a)):
            if x.op == "const":
                if x.data == 0:
                    return self.constant(0.0)
                if x.data == 1:
                    return y
                if x.data == -1:
                    return self.neg(y)
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        return self.apply("mul", a, b)

    def div(self, a: Expr, b: Expr) -> Expr:
        """The quotient a / b; by a power of two it is a product, which gives the same bits."""
        if is_number(a, 0) and b.op != "const":
            return a
        if b.op == "const" and 1e-300 < abs(b.data) < 1e300 and abs(math.frexp(b.data)[0]) == 0.5:
            return self.mul(a, self.constant(1.0 / b.data))
        return self.apply("div", a, b)

    def neg(self, a: Expr) -> Expr:
        """The negative −a; of a difference it is the difference the other way round."""
        if a.op == "neg":
            return a.args[0]
        if a.op == "sub":
            return self.node("sub", (a.args[1], a.args[0]))
        return self.apply("neg", a)

    def pow(self, a: Expr, b: Expr) -> Expr:
        """The power a^b; whole exponents up to 64 by multiplication."""
        if b.op == "const" and float(b.data).is_integer() and abs(b.data) <= 64:
            exponent = int(b.data)
            power = self._whole_power(a, abs(exponent))
            return power if exponent >= 0 else self.div(self.constant(1.0), power)
        if is_number(b, 0.5):
            return self.apply("sqrt", a)
        return self.apply("pow", a, b)

    def _whole_power(self, a: Expr, exponent: int) -> Expr:
        if exponent == 0:
            return self.constant(1.0)
        half = self._whole_power(a, exponent // 2)
        square = half if exponent == 1 else self.mul(half, half)
        return self.mul(square, a) if exponent % 2 else square

    def logic(self, op: str, *args: Expr) -> Expr:
        """Truth values joined by and, or, not."""
        for a in args:
            if not a.boolean:
                raise TraceError(f"'{op}' joins conditions such as x < 1; it was given the number {a!r}")
        for x, y in (args, args[::-1]) if len(args) == 2 else ():
            if x.op == "const":
                return y if x.data == (op == "and") else x
        return self.apply(op, *args)

    def where(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        """The choice of a where the condition holds and b where it does not."""
        if not condition.boolean:
            raise TraceError(f"where() needs a condition such as x < 1; it was given the number {condition!r}")
        if a is b:
            return a
        if condition.op == "const":
            return a if condition.data else b
        if a.boolean and b.boolean:
            return self.logic("or", self.logic("and", condition, a), self.logic("and", self.logic("not", condition), b))
        if a.boolean or b.boolean:
            raise TraceError("where() cannot choose between a number and a condition; give it two of the same kind")
        if condition.op == "not":
            return self.node("where", (condition.args[0], b, a))
        return self.node("where", (condition, a, b))


def is_number(x: Expr, value: float) -> bool:
    """Whether x is this constant."""
    return x.op == "const" and x.data == value


def plain(value: Any) -> Any:
    """A number of NumPy's (a scalar or an array without axes) as one of Python's; anything else as it is."""
    if not isinstance(value, (np.generic, np.ndarray)):
        return value
    if value.ndim:
        raise array_of(value.shape)
    number = value.item()  # a long double stays one of NumPy's
    return float(number) if value.dtype.kind == "f" else number


def graph_of(values: Sequence[object]) -> Graph | None:
    """The trace that these values belong to, if any of them is traced."""
    for value in values:
        if isinstance(value, Expr):
            return value.graph
    return None
