"""The alternating direction method of multipliers (ADMM) on contacts and intervals: slow, and it always comes near."""

from typing import Any

from stiction.rows.coupled_rows import CoupledRows
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, loop, maximum, where
from stiction.trace.grid import Factors, Grid, factor, solve

ITERATIONS = 200
PENALTY, RELAXED = 0.1, 1.6  # over the mean of A's diagonal; over-relaxation


def multipliers(x: CoupledRows, p: Any, tolerance: Scalar, go: Scalar) -> None:
    """The method of multipliers, in place where go: slow, and it always comes near."""
    mean, shifted = x.mean(), Grid(x.most, x.most, x.like, blank=True)
    r = PENALTY * mean
    u, z, v = x.vector(), x.vector(), x.velocities(p)

    def begin(i: Any) -> None:
        u[i], z[i] = -v[i] / r, p[i]

        def entry(j: Any) -> None:
            shifted[i, j] = x.A[i, j] + where(i == j, r, 0)

        x.rows(entry)

    x.rows(begin)
    factors = factor(shifted, x.n)

    def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        return [where(_multiply(x, factors, r, u, z, carry[0] > 0) * mean > tolerance, carry[0], 0)]

    loop(ITERATIONS, one, [go], until_zero=0, skip=True)

    def take(i: Any) -> None:
        p[i] = where((go > 0) & (z[i] == z[i]), z[i], p[i])

    x.rows(take)


def _multiply(x: CoupledRows, factors: Factors, r: Scalar, u: Array, z: Array, go: Scalar) -> Scalar:
    """One iteration, where go: a lane that has come near stays, whatever its neighbours need. What comes back is how
    far it went.
    """
    b, fresh, sought, moved = x.vector(), x.vector(), x.vector(), x.vector(1)

    def right(i: Any) -> None:
        b[i] = r * (z[i] - u[i]) - x.c[i]

    x.rows(right)
    answer = solve(factors, b)

    def relax(i: Any) -> None:
        fresh[i] = sought[i] = RELAXED * answer[i] + (1 - RELAXED) * z[i] + u[i]

    x.rows(relax)
    x.project(fresh)

    def take(i: Any) -> None:
        moved[0] = maximum(moved[0], absolute(fresh[i] - z[i]))
        u[i], z[i] = where(go, sought[i] - fresh[i], u[i]), where(go, fresh[i], z[i])

    x.rows(take)
    return moved[0]
