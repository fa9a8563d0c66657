"""The smallest of a convex quadratic function where some numbers must not be below 0: ½ xᵀ H x + gᵀ x → min."""

from typing import Any

from stiction.rows.coupled_rows import TINY
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, loop, where
from stiction.trace.grid import Grid, each, solved_in_memory
from stiction.trace.precision import tolerance

PASSES = 16  # in which all numbers that contradict themselves change at once
ROUNDING = 1e-12  # of its own scale, below which a number is 0


def nonnegative(H: Grid, g: Any, signed: Any, x: Array, count: Any, dropping: bool = False) -> None:
    """Find x in place. Those whose `signed` is 1 must be 0 or above; `count` tells how many numbers there are.

    A number that comes out below 0 is made 0; one at 0 that would be pushed up is set free again, unless `dropping`
    says that it stays: this is how the paper on momentum-level compensation does it, and not always the smallest.
    """
    like, most = H.like, H.columns
    free = Array(most, like)

    def begin(i: Any) -> None:
        free[i] = 1

    each(count, begin, like)

    def one(_: Any, carry: list) -> list:
        M, b, changes = Grid(most, most, like, blank=True), Array(most, like), Array(1, like)

        def row(i: Any) -> None:
            b[i] = -g[i] * free[i]

            def entry(j: Any) -> None:
                M[i, j] = H[i, j] * free[i] * free[j] + where(i == j, 1 - free[i], 0)

            each(count, entry, like)

        each(count, row, like)
        found = solved_in_memory(M, b, count)

        def take(i: Any) -> None:
            x[i] = found[i]

        each(count, take, like)

        def judge(i: Any) -> None:
            below = (signed[i] > 0) & (free[i] > 0) & (x[i] < 0)
            after = where(below, 0, free[i])
            if not dropping:
                pushed = _slope(H, g, x, i, count)
                up = (signed[i] > 0) & (free[i] < 1) & (pushed < -tolerance(ROUNDING) * (absolute(g[i]) + TINY))
                after = where(up, 1, after)
            changes[0] = changes[0] + where(after == free[i], 0, 1)
            free[i] = after

        each(count, judge, like)
        return [where(carry[0] > 0, changes[0], 0)]

    assert like is not None
    loop(PASSES, one, [like[0] * 0 + 1], until_zero=0)

    def clip(i: Any) -> None:
        x[i] = where((signed[i] > 0) & (x[i] < 0), 0, x[i])

    each(count, clip, like)


def _slope(H: Grid, g: Any, x: Any, i: Any, count: Any) -> Scalar:
    return loop(count, lambda j, total: [total[0] + H[i, j] * x[j]], [0 * g[i] + g[i]])[0]
