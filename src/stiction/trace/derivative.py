"""Exact derivatives of traced formulas, forward: how results change when inputs move in a given direction.

One function serves both uses. With constant directions (unit vectors) it yields Jacobians in which structural zeros
stay constants; with directions that are themselves inputs it yields a program that runs with one direction per lane.
"""

from collections.abc import Callable, Mapping, Sequence

from stiction.trace.expression import Expr, Graph, graph_of, is_number
from stiction.trace.functions import Scalar, cos, sign, sin, where
from stiction.trace.twin import Twin

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
    "most": lambda y, a: (0,),
    "uniform": lambda y, *a: (0,) * len(a),
    "min": lambda y, a, b: (where(a < b, 1, 0), where(a < b, 0, 1)),
    "max": lambda y, a, b: (where(a < b, 0, 1), where(a < b, 1, 0)),
}


def _power_factors(y: Expr, a: Expr, b: Expr) -> tuple:
    return b * a ** (b - 1), y * y.graph.apply("log", a)


FACTORS["pow"] = _power_factors


def directional(outputs: Sequence[Scalar], seeds: Mapping[Expr, object]) -> list[Scalar]:
    """Rates of change of the outputs when each input in `seeds` moves at its given rate and all others rest.

    Rates pass through loops and arrays (`trace.twin`), but not through a search, a loop that ends by a condition: it is
    refused, unless `constant` holds what it found fixed.
    """
    graph = graph_of([*outputs, *seeds])
    if graph is None:
        return [0.0 for _ in outputs]
    outputs = [graph.wrap(y) for y in outputs]
    rates = {e.index: graph.wrap(direction) for e, direction in seeds.items()}
    Twin(graph, outputs, rates, chained).run()
    return [rates.get(e.index, graph.constant(0.0)) for e in outputs]


def chained(graph: Graph, e: Expr, y: Expr, x: Sequence[Expr], rates: Sequence[Expr | None]) -> Expr | None:
    """The rate of an operation with the value y at the arguments x, which move at these rates; None if it rests."""
    moving = [(k, r) for k, r in enumerate(rates) if r is not None and not is_number(r, 0)]
    if not moving or e.boolean or e.op == "constant":
        return None  # constant, or constant on either side of a switch
    zero = graph.constant(0.0)
    given = [zero if r is None else r for r in rates]
    if e.op == "lookup":  # the entries may move; between the knots the index does not matter
        return graph.node("lookup", (x[0], *given[1:])) if any(k > 0 for k, _ in moving) else None
    if e.op == "where":
        return graph.where(x[0], given[1], given[2])
    factors = FACTORS[e.op](y, *x)
    total = zero
    for k, r in moving:
        total = total + r * factors[k]
    return None if is_number(total, 0) else total


def jacobian(outputs: Sequence[Scalar], inputs: Sequence[Expr]) -> list[list[Scalar]]:
    """The matrix of d output / d input, one row per output; entries that cannot depend are the constant 0."""
    columns = [directional(outputs, {x: 1.0}) for x in inputs]
    return [[column[row] for column in columns] for row in range(len(outputs))]
