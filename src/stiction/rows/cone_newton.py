"""Newton's method on the modes of contacts and intervals (Alart and Curnier).

From z = p − v/a, with the own compliance a of a row: an interval is held (v = 0) or at one of its ends; a cone is open
(p = 0), sticks (v = 0), or slips along t = z_t/|z_t|: v_n = 0, p_∥ = μ p_n, and across v_⊥ + s p_⊥ = 0 with
s = |v_t|/(μ p_n).
"""

from typing import Any

from stiction.rows.coupled_rows import TINY, CoupledRows, size
from stiction.trace.array import Array
from stiction.trace.functions import maximum, minimum, where
from stiction.trace.grid import Grid, solved_in_memory
from stiction.trace.precision import tolerance

STEEP = 1e6  # times its own compliance: how stiff a slip may be across


def newton(x: CoupledRows, p: Any) -> None:
    """One step on the modes of the impulses as they are, in place."""
    v = x.velocities(p)
    keep, fixed, push, damping = (x.vector() for _ in range(4))
    turn = [x.vector(x.blocks.cones or 1) for _ in range(x.blocks.tangents)]  # direction of slip

    def interval(i: Any) -> None:
        z = p[i] - v[i] / x.A[i, i]
        low, high = x.blocks.low[i], x.blocks.high[i]
        inside = (z >= low) & (z <= high)
        keep[i], fixed[i] = where(inside, 1, 0), where(inside, 0, where(z > high, high, low))

    def cone(k: Any, i: Any) -> None:
        normal, along = x.scales(i)
        touches = p[i] * normal - v[i] > 0
        z = [a * along - b for a, b in zip(x.tangential(p, i), x.tangential(v, i), strict=True)]
        length, reach = size(z), x.blocks.friction[k] * maximum(p[i], 0) * along
        slips = touches & (length > reach)
        unit = [where(slips, a / maximum(length, TINY), int(j == 0)) for j, a in enumerate(z)]
        for direction, a in zip(turn, unit, strict=True):
            direction[k] = a
        keep[i], push[i] = where(touches, 1, 0), where(slips, x.blocks.friction[k], 0)
        keep[i + 1] = where(touches & (length <= reach), 1, 0)
        if x.blocks.tangents == 2:  # across the slip: p_⊥ is turned as v is
            stiff = minimum((length - reach) / maximum(reach, tolerance(1e-9) * length + TINY), STEEP) * along
            keep[i + 2], damping[i + 2] = keep[i], where(slips, stiff, 0)

    x.intervals(interval)
    x.cones(cone)
    _solve_modes(x, p, (keep, fixed, push, damping), turn)


def _solve_modes(x: CoupledRows, p: Any, modes: tuple[Array, ...], turn: list[Array]) -> None:
    """The impulses of these modes, with the tangents of each cone along its slip and across."""
    push = modes[2]
    B, y = Grid(x.most, x.most, x.like, blank=True), x.vector()
    if x.blocks.tangents == 1:
        _in_one_pass(x, B, y, modes, turn)
    else:
        _by_parts(x, B, y, modes, turn)
    found = solved_in_memory(B, y, x.n)

    def take(i: Any) -> None:
        p[i] = found[i]

    def back(k: Any, i: Any) -> None:
        if x.blocks.tangents == 1:
            p[i + 1] = found[i + 1] + turn[0][k] * push[i] * found[i]
            return
        along = found[i + 1] + push[i] * found[i]
        p[i + 1] = turn[0][k] * along - turn[1][k] * found[i + 2]
        p[i + 2] = turn[1][k] * along + turn[0][k] * found[i + 2]

    x.intervals(take)
    x.cones(lambda k, i: take(i))
    x.cones(back)
    x.project(p)


def _in_one_pass(x: CoupledRows, B: Grid, y: Any, modes: tuple[Array, ...], turn: list[Array]) -> None:
    """Equations of these modes with one tangent: what slips has p_t = ± μ p_n, one unknown for both."""
    keep, fixed, push, _ = modes
    cones, first = x.blocks.cones, x.blocks.intervals

    def row(r: Any) -> None:
        y[r] = fixed[r] - x.c[r] * keep[r]

        def interval(i: Any) -> None:
            B[r, i] = x.A[r, i] * keep[r] + where(r == i, 1 - keep[r], 0)

        def cone(k: Any, i: Any) -> None:
            normal, along = x.A[r, i], x.A[r, i + 1]
            B[r, i] = (normal + push[i] * turn[0][k] * along) * keep[r] + where(r == i, 1 - keep[r], 0)
            B[r, i + 1] = along * keep[r] + where(r == i + 1, 1 - keep[r], 0)

        if first:
            x.intervals(interval)
        if cones:
            x.cones(cone)

    x.rows(row)


def _by_parts(x: CoupledRows, B: Grid, y: Any, modes: tuple[Array, ...], turn: list[Array]) -> None:
    """Equations of these modes with two tangents, which are turned into the direction of the slip."""
    keep, fixed, push, damping = modes

    def copy(i: Any) -> None:
        y[i] = x.c[i]

        def entry(j: Any) -> None:
            B[i, j] = x.A[i, j]

        x.rows(entry)

    x.rows(copy)
    x.cones(lambda k, i: _turn(x, B, y, turn, k, i))

    def slide(k: Any, i: Any) -> None:  # what slips has p_∥ = μ p_n: one unknown for both
        def entry(j: Any) -> None:
            B[j, i] = B[j, i] + push[i] * B[j, i + 1]

        x.rows(entry)

    x.cones(slide)

    def row(i: Any) -> None:
        y[i] = fixed[i] - y[i] * keep[i]

        def entry(j: Any) -> None:
            B[i, j] = B[i, j] * keep[i] + where(i == j, 1 - keep[i] + damping[i], 0)

        x.rows(entry)

    x.rows(row)


def _turn(x: CoupledRows, B: Grid, y: Array, turn: list[Array], k: Any, i: Any) -> None:
    """Turn rows and columns of a cone's tangents into the direction of its slip."""
    a, b = turn[0][k], turn[1][k]

    def columns(j: Any) -> None:
        s, t = B[j, i + 1], B[j, i + 2]
        B[j, i + 1], B[j, i + 2] = a * s + b * t, a * t - b * s

    def rows(j: Any) -> None:
        s, t = B[i + 1, j], B[i + 2, j]
        B[i + 1, j], B[i + 2, j] = a * s + b * t, a * t - b * s

    x.rows(columns)
    x.rows(rows)
    s, t = y[i + 1], y[i + 2]
    y[i + 1], y[i + 2] = a * s + b * t, a * t - b * s
