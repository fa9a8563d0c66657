"""Which of several coupled sites stick and which slip, and with what friction: one step at velocity level.

Site i moves with s = free − A p, where p are the friction impulses and A = S M⁻¹ Sᵀ couples the sites. A stuck site has
s = 0 and |p| below its bound for rest; a sliding one has p at its bound for sliding, in the direction of s. The search
(principal pivoting) starts from the states of the last step and ends when no site contradicts itself, nearly always at
the first pass. At first it changes all sites that contradict themselves at once; if that goes on for long, only the
first of them, which cannot run in circles (Murty's rule). Straight-line code: it is traced and runs in lanes.
"""

from typing import NamedTuple

from stiction.dynamics.composite_body import factor, solve
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, absolute, clip, loop, maximum, where


class Bounds(NamedTuple):
    """Bounds of the friction impulse of a site [N·m·s or N·s], all 0 or above.

    Attributes:
        rest_positive: at rest, against a positive motion.
        rest_negative: at rest, against a negative motion.
        slide_positive: while sliding with positive velocity.
        slide_negative: while sliding with negative velocity.
    """

    rest_positive: Scalar
    rest_negative: Scalar
    slide_positive: Scalar
    slide_negative: Scalar


class Outcome(NamedTuple):
    """What the search found.

    Attributes:
        impulse: friction impulse of each site, with the sign of its velocity [N·m·s or N·s].
        mode: of each site: −1 or 1 sliding that way, 0 stuck.
        residual: largest remaining contradiction, as an impulse [N·m·s or N·s]; 0 where the search ended.
    """

    impulse: list[Scalar]
    mode: list[Scalar]
    residual: Scalar


PASSES = 200  # at most: from the states of the last step one or two are enough; what is left is reported
AT_ONCE = 8  # passes that change all sites that contradict themselves


def stick_slip(
    A: list[list[Scalar]],
    free: list[Scalar],
    bounds: list[Bounds],
    mode: list[Scalar],
    passes: int = PASSES,
    symmetric: bool = True,
) -> Outcome:
    """The friction of coupled sites; `mode` is that of the last step."""
    n = len(free)

    def one(count: Scalar, carry: list[Scalar]) -> list[Scalar]:
        mode = carry[:n]
        p = impulses(A, free, bounds, mode, symmetric)
        s = speeds(A, free, p)
        after: list[Scalar] = []
        changes: Scalar = 0
        for m, x, y, row in zip(mode, p, s, bounds, strict=True):
            wanted = _next_mode(m, x, y, row)
            chosen = where((count < AT_ONCE) | (changes == 0), wanted, m)
            changes = changes + absolute(chosen - m)
            after.append(chosen)
        wrong = 0
        for m, x, y, row, a in zip(mode, p, s, bounds, range(n), strict=True):
            wrong = maximum(wrong, _contradiction(m, x, y, row, A[a][a]))
        return [*after, *p, *mode, wrong, changes]

    if not n:
        return Outcome([], [], 0)
    carry = loop(passes, one, [*mode, *[0] * n, *mode, 0, 0], until_zero=3 * n + 1)
    p, used, wrong = carry[n : 2 * n], carry[2 * n : 3 * n], carry[3 * n]
    # a stuck site that would need more than it has takes what it has
    within = [clip(x, -row.rest_negative, row.rest_positive) for x, row in zip(p, bounds, strict=True)]
    return Outcome([where(absolute(m) > 0, x, y) for m, x, y in zip(used, p, within, strict=True)], used, wrong)


def impulses(
    A: list[list[Scalar]], free: list[Scalar], bounds: list[Bounds], mode: list[Scalar], symmetric: bool = True
) -> list[Scalar]:
    """The impulses when the modes are these: sliding sites at their bounds, stuck ones at whatever holds them."""
    n = len(free)
    stuck = [where(absolute(m) > 0, 0, 1) for m in mode]
    sliding = [
        where(m > 0, row.slide_positive, where(m < 0, -row.slide_negative, 0))
        for m, row in zip(mode, bounds, strict=True)
    ]
    masked = [[A[i][j] * stuck[i] * stuck[j] + (1 - stuck[i] if i == j else 0) for j in range(n)] for i in range(n)]
    moved = speeds(A, free, sliding)
    wanted = [x * k for x, k in zip(moved, stuck, strict=True)]
    held = solve(factor(masked), wanted) if symmetric else solved(eliminated(masked), wanted)
    return [x + y for x, y in zip(sliding, held, strict=True)]


def speeds(A: list[list[Scalar]], free: list[Scalar], p: list[Scalar]) -> list[Scalar]:
    """Velocities of the sites after the impulses p."""
    return [f - sum((a * x for a, x in zip(row, p, strict=True)), start=0) for f, row in zip(free, A, strict=True)]


def _next_mode(mode: Scalar, p: Scalar, s: Scalar, row: Bounds) -> Scalar:
    """Stuck sites that cannot be held start; sliding ones that would turn round stop."""
    freed = where(p > row.rest_positive, 1, where(p < -row.rest_negative, -1, 0))
    return where(absolute(mode) > 0, where(mode * s < 0, 0, mode), freed)


def _contradiction(mode: Scalar, p: Scalar, s: Scalar, row: Bounds, own: Scalar) -> Scalar:
    """How far a site contradicts its mode, as an impulse."""
    beyond = maximum(0, maximum(p - row.rest_positive, -row.rest_negative - p))
    backwards = maximum(0, -mode * s) / own
    return where(absolute(mode) > 0, backwards, beyond)
