"""Explicit schemes: one step of x' = flow(x, t, stage step), on any kind of scalar. Stages are a loop, traced once.

Each stage is told how far the next one lies from the start of the step: impedances with implicit friction need that
step, network (21), (22).
"""

import math
from collections.abc import Callable, Sequence

from stiction.trace.functions import Scalar, loop

Flow = Callable[[list[Scalar], Scalar, Scalar], Sequence[Scalar]]  # state, time, stage step -> rates
Scheme = Callable[[Flow, Sequence[Scalar], Scalar, Scalar], list[Scalar]]  # flow, state, time, step -> next state


def euler(flow: Flow, state: Sequence[Scalar], t: Scalar, h: Scalar) -> list[Scalar]:
    """One step of Euler's method; order 1."""
    return [x + h * rate for x, rate in zip(state, flow(list(state), t, h), strict=True)]


def runge_kutta_4(flow: Flow, state: Sequence[Scalar], t: Scalar, h: Scalar) -> list[Scalar]:
    """One step of the classical method; order 4."""
    n = len(state)
    table = ((0, 1 / 2, 1), (1 / 2, 1 / 2, 2), (1 / 2, 1, 2), (1, 1, 1))  # offset of the stage, stage step, weight

    def stage(row: tuple, carry: list[Scalar]) -> list[Scalar]:
        offset, step, weight = h * row[0], h * row[1], row[2]
        rate, total = carry[:n], carry[n:]
        rate = list(flow([x + offset * k for x, k in zip(state, rate, strict=True)], t + offset, step))
        return [*rate, *(s + weight * k for s, k in zip(total, rate, strict=True))]

    total = loop(table, stage, [0 * x for x in (*state, *state)])[n:]
    return [x + h / 6 * s for x, s in zip(state, total, strict=True)]


def runge_kutta_gill(flow: Flow, state: Sequence[Scalar], t: Scalar, h: Scalar) -> list[Scalar]:
    """One step with Gill's coefficients, which need one register less; order 4."""
    n, r = len(state), math.sqrt(0.5)
    table = (  # offset of the stage, stage step, Gill's a, b and c
        (0, 1 / 2, 1 / 2, 2, 1 / 2),
        (1 / 2, 1 / 2, 1 - r, 1, 1 - r),
        (1 / 2, 1, 1 + r, 1, 1 + r),
        (1, 1, 1 / 6, 2, 1 / 2),
    )

    def stage(row: tuple, carry: list[Scalar]) -> list[Scalar]:
        offset, step = h * row[0], h * row[1]
        a, b, c = row[2:]
        x, q = carry[:n], carry[n:]
        moves = [h * rate for rate in flow(x, t + offset, step)]
        changes = [a * (k - b * old) for k, old in zip(moves, q, strict=True)]
        return [
            *(y + d for y, d in zip(x, changes, strict=True)),
            *(old + 3 * d - c * k for old, d, k in zip(q, changes, moves, strict=True)),
        ]

    return loop(table, stage, [*state, *[0] * n])[:n]
