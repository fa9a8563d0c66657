"""Where a function of one number may jump: the numbers with which it compares its argument."""

from collections.abc import Callable

from stiction.errors import TraceError
from stiction.trace.expression import Expr, Graph
from stiction.trace.functions import Scalar
from stiction.trace.schedule import ordered


def jumps(function: Callable[[Scalar], Scalar]) -> tuple[float, ...]:
    """Arguments at which a comparison of straight lines in the argument changes, rising.

    >>> from stiction.trace import where
    >>> from stiction.trace.jumps import jumps
    >>> jumps(lambda t: where((t >= 0.5) & (2 * t < 3), 1, 0))
    (0.5, 1.5)
    """
    graph = Graph()
    t = graph.input(0, 0, True)
    try:
        nodes = ordered([graph.wrap(function(t))])
    except TraceError:
        return ()
    found = set()
    zero = graph.constant(0.0)
    for e in nodes:
        if e.op in ("lt", "le"):
            found |= {x for a, b in _sides(*e.args) for x in _crossing(a, b, t)}
        elif e.op == "sign":
            found |= set(_crossing(e.args[0], zero, t))
    return tuple(sorted(found))


def _sides(a: Expr, b: Expr) -> list[tuple[Expr, Expr]]:
    """What is compared; with a size, both of its signs."""
    if a.op == "abs":
        return [(a.args[0], b), (-a.args[0], b)]
    return [(a, b.args[0]), (a, -b.args[0])] if b.op == "abs" else [(a, b)]


def _crossing(a: Expr, b: Expr, t: Expr) -> list[float]:
    """Where two straight lines cross."""
    first, second = _line(a, t), _line(b, t)
    if first is None or second is None or first[0] == second[0]:
        return []
    return [(second[1] - first[1]) / (first[0] - second[0])]


def _line(e: Expr, t: Expr) -> tuple[float, float] | None:
    """Slope and offset of an expression that is a straight line in t; else None."""
    if e is t:
        return 1.0, 0.0
    if e.op == "const":
        return 0.0, float(e.data)
    lines = [_line(a, t) for a in e.args]
    if e.op not in ("add", "sub", "neg", "mul", "div") or None in lines:
        return None
    (a, b), (c, d) = lines[0], lines[-1]  # type: ignore[misc]
    if e.op == "neg":
        return -a, -b
    if e.op in ("add", "sub"):
        sign = 1 if e.op == "add" else -1
        return a + sign * c, b + sign * d
    if e.op == "mul" and not (a and c):
        return a * d + b * c, b * d
    return (a / d, b / d) if e.op == "div" and not c and d else None
