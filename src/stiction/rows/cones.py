"""Contacts and joints together: impulses within friction cones and intervals that leave no velocity they could stop.

    v = A p + c      interval: low ≤ p ≤ high; p inside: v = 0, at low: v ≥ 0, at high: v ≤ 0
                     cone: p_n ≥ 0, |p_t| ≤ μ p_n; open: p = 0 and v_n ≥ 0; stick: v = 0; slip: v_n = 0, p_t against v_t

Newton's method on the modes (Alart and Curnier) starts from the impulses of the last step and is nearly always done
after one to three steps. Where it is not, block Gauss–Seidel sweeps (each block solved exactly) lead it on, then the
method of multipliers (ADMM). The best impulses are kept; how far they are from a solution is the natural residual, a
velocity: how much one more step of projection would move. All runs in loops over the rows, so that a program does not
grow with them.
"""

from typing import Any, NamedTuple

from stiction.rows.cone_newton import newton
from stiction.rows.coupled_rows import CoupledRows
from stiction.rows.multipliers import multipliers
from stiction.rows.sweeps import sweep
from stiction.trace.functions import Scalar, loop, where

NEWTON, PASSES = 3, 6  # steps in a row, and how often
MULTIPLIERS_FROM = 2  # passes before the method of multipliers
FAR = 1e300  # m/s that no residual has
ROUGH = 1000  # times the tolerance: what Newton leaves below it is rounding, and no other method does better


class Found(NamedTuple):
    """What the search found: its natural residual [m/s or rad/s], and how many passes it took."""

    residual: Scalar
    passes: Scalar


def solve(x: CoupledRows, p: Any, tolerance: Scalar, here: Scalar = True) -> Found:
    """Impulses in place, from those of the last step; done where the natural residual is within the tolerance, else the
    best that were seen. Lanes that are not `here` keep theirs.
    """
    trial, best = x.vector(), x.vector()
    first = x.residual(p)
    _copy(x, p, best)

    def towards(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        worst, go = carry
        newton(x, trial)
        after = x.residual(trial)
        better = (go > 0) & (after < worst)
        _copy(x, trial, p, better)
        worst = where(better, after, worst)
        return [worst, where(worst > tolerance, go, 0)]

    def lead(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        worst, go, far = carry
        _multipliers_where(x, p, tolerance, far)
        _copy(x, p, trial)
        sweep(x, trial)
        after = x.residual(trial)
        sound = (go > 0) & (after < FAR)  # no NaN
        _copy(x, trial, p, sound)
        return [where(sound, after, worst), 0, far]

    def one(count: Scalar, carry: list[Scalar]) -> list[Scalar]:
        worst, least, used, go = carry
        far = where(count >= MULTIPLIERS_FROM, go, 0)
        worst = loop(1, lead, [worst, where(count > 0, go, 0), far], until_zero=1, skip=True)[0]
        _copy(x, p, trial)
        worst, left = loop(NEWTON, towards, [worst, go], until_zero=1, skip=True)
        better = worst < least
        _copy(x, p, best, better)
        return [worst, where(better, worst, least), used + go, where(worst > ROUGH * tolerance, left, 0)]

    go = where((first > tolerance) & here, 1, 0)
    _, least, used, _ = loop(PASSES, one, [first, first, 0 * go, go], until_zero=3, skip=True)
    _copy(x, best, p)
    return Found(least, used)


def _copy(x: CoupledRows, source: Any, target: Any, here: Scalar = True) -> None:
    """Numbers of one vector into another, where that is wanted."""

    def one(i: Any) -> None:
        target[i] = source[i] if here is True else where(here, source[i], target[i])

    x.rows(one)


def _multipliers_where(x: CoupledRows, p: Any, tolerance: Scalar, far: Scalar) -> None:
    """The method of multipliers, in the lanes that need it."""

    def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        multipliers(x, p, tolerance, carry[0])
        return [0 * carry[0]]

    loop(1, one, [far], until_zero=0, skip=True)
