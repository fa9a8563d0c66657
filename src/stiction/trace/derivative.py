"""Exact derivatives of traced formulas, forward: how results change when inputs move in a given direction.

One function serves both uses. With constant directions (unit vectors) it yields Jacobians in which structural zeros
stay constants; with directions that are themselves inputs it yields a program that runs with one direction per lane.
"""

from collections.abc import Callable, Mapping, Sequence

from stiction.errors import TraceError
from stiction.trace.expression import Expr, Graph, graph_of
from stiction.trace.functions import Scalar, cos, sign, sin, where
from stiction.trace.schedule import ordered

# Derivative of an operation by its arguments: (node, arguments) -> one factor per argument.
FACTORS: dict[str, Callable[..., tuple]] = {
    "add": lambda y, a, b: (1, 1),
    "sub": lambda y, a, b: (1, -1),
    "mul": lambda y, a, b: (b, a),
    "div": lambda y, a, b: (1 / b, -y / b),
    "neg": lambda y, a: (-1,),
    "fma": lambda y, a, b, c: (b, a, 1),
    "sqrt": lambda y, a: (1 / (2 * y),),
    "sin": lambda y, a: (cos(a),),
    "cos": lambda y, a: (-sin(a),),
    "tan": lambda y, a: (1 + y * y,),
    "atan2": lambda y, a, b: (b / (a * a + b * b), -a / (a * a + b * b)),
    "exp": lambda y, a: (y,),
    "log": lambda y, a: (1 / a,),
    "tanh": lambda y, a: (1 - y * y,),
    "abs": lambda y, a: (sign(a),),
    "sign": lambda y, a: (0,),
    "floor": lambda y, a: (0,),
    "min": lambda y, a, b: (where(a < b, 1, 0), where(a < b, 0, 1)),
    "max": lambda y, a, b: (where(a < b, 0, 1), where(a < b, 1, 0)),
}


def _power_factors(y: Expr, a: Expr, b: Expr) -> tuple:
    return b * a ** (b - 1), y * y.graph.apply("log", a)


FACTORS["pow"] = _power_factors


def directional(outputs: Sequence[Scalar], seeds: Mapping[Expr, object]) -> list[Scalar]:
    """Rates of change of the outputs when each input in `seeds` moves at its given rate and all others rest."""
    graph = graph_of([*outputs, *seeds])
    if graph is None:
        return [0.0 for _ in outputs]
    outputs = [graph.wrap(y) for y in outputs]
    zero = graph.constant(0.0)
    rate: dict[int, Expr] = {e.index: graph.wrap(direction) for e, direction in seeds.items()}
    for e in ordered(outputs):
        if e.index in rate or not e.args:
            continue
        moving = [(k, rate.get(a.index, zero)) for k, a in enumerate(e.args)]
        moving = [(k, r) for k, r in moving if r is not zero]
        if moving:
            rate[e.index] = _chain(graph, e, moving)
    return [rate.get(e.index, zero) for e in outputs]


def _chain(graph: Graph, e: Expr, moving: list[tuple[int, Expr]]) -> Expr:
    if e.op in ("loop", "item", "load", "store", "left"):
        raise TraceError(
            "derivatives are taken of the flow, not through loops; differentiate the function inside the loop"
        )
    if e.boolean or e.op == "constant":
        return graph.constant(0.0)  # constant, or constant on either side of a switch
    if e.op == "lookup":  # the entries may move; between the knots the index does not matter
        rates = dict(moving)
        entries = [rates.get(k, graph.constant(0.0)) for k in range(1, len(e.args))]
        return graph.node("lookup", (e.args[0], *entries)) if any(k > 0 for k in rates) else graph.constant(0.0)
    if e.op == "where":
        a, b = (dict(moving).get(k, graph.constant(0.0)) for k in (1, 2))
        return graph.where(e.args[0], a, b)
    factors = FACTORS[e.op](e, *e.args)
    total = graph.constant(0.0)
    for k, r in moving:
        total = total + r * factors[k]
    return total


def jacobian(outputs: Sequence[Scalar], inputs: Sequence[Expr]) -> list[list[Scalar]]:
    """The matrix of d output / d input, one row per output; entries that cannot depend are the constant 0."""
    columns = [directional(outputs, {x: 1.0}) for x in inputs]
    return [[column[row] for column in columns] for row in range(len(outputs))]
