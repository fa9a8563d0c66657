"""Explicit integrators: one step of x' = flow(x, t), on any kind of scalar. Stages are a loop, traced once."""

from collections.abc import Callable, Sequence

from stiction.trace.functions import Scalar, loop

Flow = Callable[[list[Scalar], Scalar, Scalar], Sequence[Scalar]]  # state, time, stage step -> rates


def runge_kutta_4(flow: Flow, state: Sequence[Scalar], t: Scalar, h: Scalar) -> list[Scalar]:
    """One step of the classical fourth-order method. Stage r is told the step T_r from the state before it: network (21), (22)."""
    n = len(state)
    table = ((0, h / 2, 1), (h / 2, h / 2, 2), (h / 2, h, 2), (h, h, 1))  # offset of the stage, step of the stage, weight

    def stage(row: tuple, carry: list[Scalar]) -> list[Scalar]:
        offset, step, weight = row
        rate, total = carry[:n], carry[n:]
        rate = list(flow([x + offset * k for x, k in zip(state, rate, strict=True)], t + offset, step))
        return [*rate, *(s + weight * k for s, k in zip(total, rate, strict=True))]

    total = loop(table, stage, [0] * (2 * n))[n:]
    return [x + h / 6 * s for x, s in zip(state, total, strict=True)]
