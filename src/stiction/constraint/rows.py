"""How rows follow from velocities: derivatives along the ways that a body can move."""

from typing import Any

from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar
from stiction.trace.parameters import absent


def unit_motions(body: Any, own: list[Scalar]) -> list[dict[Expr, Scalar]]:
    """Rates of a body's positions under each of its velocities alone; its positions are such as slopes can be taken
    by.
    """
    nq = body.positions()
    q, n = own[:nq], len(own) - nq
    found = []
    for k in range(n):
        rates = body.position_rates([*q, *(int(j == k) for j in range(n))])
        found.append(_moving(q, rates))
    return found


def present_motion(body: Any, own: list[Scalar]) -> dict[Expr, Scalar]:
    """Rates of a body's positions as it moves."""
    return _moving(own[: body.positions()], body.position_rates(own))


def _moving(q: list[Scalar], rates: Any) -> dict[Expr, Scalar]:
    return {x: r for x, r in zip(q, rates, strict=True) if isinstance(x, Expr) and not absent(r)}
