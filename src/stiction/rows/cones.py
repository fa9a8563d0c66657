"""Contacts and joints together: impulses within friction cones and intervals that leave no velocity they could stop.

    v = A p + c      interval: low ≤ p ≤ high; p inside: v = 0, at low: v ≥ 0, at high: v ≤ 0
                     cone: p_n ≥ 0, |p_t| ≤ μ p_n; open: p = 0 and v_n ≥ 0; stick: v = 0; slip: v_n = 0, p_t against v_t

Newton's method on the modes (Alart and Curnier) starts from the impulses of the last step and is nearly always done
after one to three steps. Where it is not, block Gauss–Seidel sweeps (each block solved exactly) lead it on, then the
method of multipliers (ADMM). The best impulses are kept; how far they are from a solution is the natural residual, a
velocity: how much one more step of projection would move. All runs in loops over the rows, so that a program does not
grow with them.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, clip, loop, maximum, minimum, sqrt, where
from stiction.trace.grid import Factors, Grid, each, factor, solve, solved_in_memory

NEWTON, PASSES = 3, 6  # steps in a row, and how often
MULTIPLIERS_FROM, ITERATIONS = 2, 200  # passes before the method of multipliers, and its iterations
PENALTY, RELAXED = 0.1, 1.6  # of the method of multipliers: over the mean of A's diagonal; over-relaxation
ROOT = 24  # halvings by which the slip of one contact is found
TINY, STEEP = 1e-300, 1e6


class Blocks(NamedTuple):
    """What the rows are: intervals first, then cones, each of one normal and as many tangents.

    Attributes:
        low: smallest impulse of each interval, by index.
        high: largest impulse, likewise.
        friction: coefficient μ of each cone, by index.
        intervals: how many there are.
        cones: how many there are.
        tangents: of each cone, 1 or 2.
    """

    low: Any
    high: Any
    friction: Any
    intervals: int
    cones: int
    tangents: int

    @property
    def count(self) -> int:
        """All rows."""
        return self.intervals + self.cones * (1 + self.tangents)


class Found(NamedTuple):
    """What the search found: its natural residual [m/s or rad/s], and how many passes it took."""

    residual: Scalar
    passes: Scalar


class Cones:
    """Rows that are coupled by a symmetric matrix.

    Args:
        A: velocities of the rows under unit impulses, in memory.
        c: velocities without impulses, by index.
        blocks: what the rows are.
        like: a value of the program.
    """

    def __init__(self, A: Grid, c: Any, blocks: Blocks, like: Sequence[Scalar]) -> None:
        self.A, self.c, self.blocks, self.like = A, c, blocks, like
        self.n = blocks.count

    # Visiting.

    def _vector(self, count: int | None = None) -> Array:
        return Array(self.n if count is None else count, self.like)

    def _each(self, count: int, visit: Callable[[Any], None]) -> None:
        if count:
            each(count, visit, self.like)

    def _rows(self, visit: Callable[[Any], None]) -> None:
        self._each(self.n, visit)

    def _intervals(self, visit: Callable[[Any], None]) -> None:
        self._each(self.blocks.intervals, visit)

    def _cones(self, visit: Callable[[Any, Any], None]) -> None:
        """Each cone, with its first row."""
        width, first = 1 + self.blocks.tangents, self.blocks.intervals
        self._each(self.blocks.cones, lambda k: visit(k, first + width * k))

    def _tangential(self, x: Any, i: Any) -> list[Scalar]:
        return [x[i + 1 + k] for k in range(self.blocks.tangents)]

    # What impulses do.

    def velocities(self, p: Any) -> Array:
        """V = A p + c."""
        v = self._vector()

        def row(i: Any) -> None:
            v[i] = self.c[i]

            def entry(j: Any) -> None:
                v[i] = v[i] + self.A[i, j] * p[j]

            self._rows(entry)

        self._rows(row)
        return v

    def _scales(self, i: Any) -> tuple[Scalar, Scalar]:
        """Own compliance of the normal of a cone, and the mean of its tangents'."""
        along = [self.A[i + 1 + k, i + 1 + k] for k in range(self.blocks.tangents)]
        return self.A[i, i], sum(along, start=0) / len(along)

    def project(self, p: Any) -> None:
        """Keep impulses within intervals and cones: tangents are shortened to what the normal allows."""

        def interval(i: Any) -> None:
            p[i] = clip(p[i], self.blocks.low[i], self.blocks.high[i])

        def cone(k: Any, i: Any) -> None:
            normal = maximum(0, p[i])
            tangents = self._tangential(p, i)
            part = minimum(1, self.blocks.friction[k] * normal / maximum(_size(tangents), TINY))
            p[i] = normal
            for j, x in enumerate(tangents):
                p[i + 1 + j] = x * part

        self._intervals(interval)
        self._cones(cone)

    def residual(self, p: Any) -> Scalar:
        """The natural residual: the largest velocity by which impulses contradict themselves."""
        v, worst = self.velocities(p), self._vector(1)

        def interval(i: Any) -> None:
            own = self.A[i, i]
            wish = clip(p[i] - v[i] / own, self.blocks.low[i], self.blocks.high[i])
            worst[0] = maximum(worst[0], absolute(p[i] - wish) * own)

        def cone(k: Any, i: Any) -> None:
            normal, along = self._scales(i)
            lifted = absolute(p[i] * normal - maximum(0, p[i] * normal - v[i]))
            q = self._tangential(p, i)
            z = [x * along - y for x, y in zip(q, self._tangential(v, i), strict=True)]
            part = minimum(1, self.blocks.friction[k] * p[i] * along / maximum(_size(z), TINY))
            slipped = _size([x * along - y * part for x, y in zip(q, z, strict=True)])
            worst[0] = maximum(worst[0], maximum(lifted, slipped))

        self._intervals(interval)
        self._cones(cone)
        return worst[0]

    # Newton.

    def newton(self, p: Any) -> None:
        """One step on the modes of the impulses as they are, in place."""
        v = self.velocities(p)
        keep, fixed, push, damping = (self._vector() for _ in range(4))
        turn = [self._vector(self.blocks.cones or 1) for _ in range(self.blocks.tangents)]  # direction of slip

        def interval(i: Any) -> None:
            z = p[i] - v[i] / self.A[i, i]
            low, high = self.blocks.low[i], self.blocks.high[i]
            inside = (z >= low) & (z <= high)
            keep[i], fixed[i] = where(inside, 1, 0), where(inside, 0, where(z > high, high, low))

        def cone(k: Any, i: Any) -> None:
            normal, along = self._scales(i)
            touches = p[i] * normal - v[i] > 0
            z = [x * along - y for x, y in zip(self._tangential(p, i), self._tangential(v, i), strict=True)]
            size, reach = _size(z), self.blocks.friction[k] * maximum(p[i], 0) * along
            slips = touches & (size > reach)
            unit = [where(slips, x / maximum(size, TINY), int(j == 0)) for j, x in enumerate(z)]
            for direction, x in zip(turn, unit, strict=True):
                direction[k] = x
            keep[i], push[i] = where(touches, 1, 0), where(slips, self.blocks.friction[k], 0)
            keep[i + 1] = where(touches & (size <= reach), 1, 0)
            if self.blocks.tangents == 2:  # across the slip: p_⊥ is turned as v is
                stiff = minimum((size - reach) / maximum(reach, 1e-9 * size + TINY), STEEP) * along
                keep[i + 2], damping[i + 2] = keep[i], where(slips, stiff, 0)

        self._intervals(interval)
        self._cones(cone)
        self._solve_modes(p, (keep, fixed, push, damping), turn)

    def _solve_modes(self, p: Any, modes: tuple[Array, ...], turn: list[Array]) -> None:
        """The impulses of these modes, with the tangents of each cone along its slip and across."""
        keep, fixed, push, damping = modes
        B, y = Grid(self.n, self.n, self.like), self._vector()

        def copy(i: Any) -> None:
            y[i] = self.c[i]

            def entry(j: Any) -> None:
                B[i, j] = self.A[i, j]

            self._rows(entry)

        self._rows(copy)
        if self.blocks.tangents == 2:
            self._cones(lambda k, i: self._turn(B, y, turn, k, i))

        def slide(_: Any, i: Any) -> None:  # what slips has p_∥ = μ p_n: one unknown for both, against the slip's z
            sign = turn[0][_] if self.blocks.tangents == 1 else 1

            def entry(j: Any) -> None:
                B[j, i] = B[j, i] + push[i] * sign * B[j, i + 1]

            self._rows(entry)

        self._cones(slide)

        def row(i: Any) -> None:
            y[i] = fixed[i] - y[i] * keep[i]

            def entry(j: Any) -> None:
                B[i, j] = B[i, j] * keep[i] + where(i == j, 1 - keep[i] + damping[i], 0)

            self._rows(entry)

        self._rows(row)
        x = solved_in_memory(B, y)

        def take(i: Any) -> None:
            p[i] = x[i]

        def back(k: Any, i: Any) -> None:
            if self.blocks.tangents == 1:
                p[i + 1] = x[i + 1] + turn[0][k] * push[i] * x[i]
                return
            along = x[i + 1] + push[i] * x[i]
            p[i + 1] = turn[0][k] * along - turn[1][k] * x[i + 2]
            p[i + 2] = turn[1][k] * along + turn[0][k] * x[i + 2]

        self._intervals(take)
        self._cones(lambda k, i: take(i))
        self._cones(back)
        self.project(p)

    def _turn(self, B: Grid, y: Array, turn: list[Array], k: Any, i: Any) -> None:
        """Turn rows and columns of a cone's tangents into the direction of its slip."""
        a, b = turn[0][k], turn[1][k]

        def columns(j: Any) -> None:
            s, t = B[j, i + 1], B[j, i + 2]
            B[j, i + 1], B[j, i + 2] = a * s + b * t, a * t - b * s

        def rows(j: Any) -> None:
            s, t = B[i + 1, j], B[i + 2, j]
            B[i + 1, j], B[i + 2, j] = a * s + b * t, a * t - b * s

        self._rows(columns)
        self._rows(rows)
        s, t = y[i + 1], y[i + 2]
        y[i + 1], y[i + 2] = a * s + b * t, a * t - b * s

    # Sweeps.

    def sweep(self, p: Any) -> None:
        """Solve each block exactly with the others as they are, one after another."""

        def interval(i: Any) -> None:
            p[i] = clip(p[i] - self._speed(p, i) / self.A[i, i], self.blocks.low[i], self.blocks.high[i])

        def cone(k: Any, i: Any) -> None:
            rows = [i + e for e in range(1 + self.blocks.tangents)]
            D = [[self.A[a, b] for b in rows] for a in rows]
            old = [p[r] for r in rows]
            r = [
                self._speed(p, a) - sum((x * y for x, y in zip(row, old, strict=True)), start=0)
                for a, row in zip(rows, D, strict=True)
            ]
            for a, x in zip(rows, one_contact(D, r, self.blocks.friction[k]), strict=True):
                p[a] = x

        self._intervals(interval)
        self._cones(cone)

    def _speed(self, p: Any, i: Any) -> Scalar:
        """Velocity of one row."""
        v = self._vector(1)
        v[0] = self.c[i]

        def entry(j: Any) -> None:
            v[0] = v[0] + self.A[i, j] * p[j]

        self._rows(entry)
        return v[0]

    # Multipliers.

    def multipliers(self, p: Any, tolerance: Scalar, go: Scalar) -> None:
        """The method of multipliers, in place where go: slow, and it always comes near."""
        mean, shifted = self._mean(), Grid(self.n, self.n, self.like)
        r = PENALTY * mean
        u, z, v = self._vector(), self._vector(), self.velocities(p)

        def begin(i: Any) -> None:
            u[i], z[i] = -v[i] / r, p[i]

            def entry(j: Any) -> None:
                shifted[i, j] = self.A[i, j] + where(i == j, r, 0)

            self._rows(entry)

        self._rows(begin)
        factors = factor(shifted)

        def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            return [where(self._multiply(factors, r, u, z) * mean > tolerance, carry[0], 0)]

        loop(ITERATIONS, one, [go], until_zero=0, skip=True)

        def take(i: Any) -> None:
            p[i] = where(go > 0, z[i], p[i])

        self._rows(take)

    def _multiply(self, factors: Factors, r: Scalar, u: Array, z: Array) -> Scalar:
        """One iteration; what comes back is how far it went."""
        b, fresh, moved = self._vector(), self._vector(), self._vector(1)

        def right(i: Any) -> None:
            b[i] = r * (z[i] - u[i]) - self.c[i]

        self._rows(right)
        x = solve(factors, b)

        def relax(i: Any) -> None:
            fresh[i] = RELAXED * x[i] + (1 - RELAXED) * z[i] + u[i]
            u[i] = fresh[i]

        self._rows(relax)
        self.project(fresh)

        def take(i: Any) -> None:
            moved[0] = maximum(moved[0], absolute(fresh[i] - z[i]))
            u[i], z[i] = u[i] - fresh[i], fresh[i]

        self._rows(take)
        return moved[0]

    def _mean(self) -> Scalar:
        total = self._vector(1)

        def add(i: Any) -> None:
            total[0] = total[0] + self.A[i, i] / self.n

        self._rows(add)
        return total[0]

    # All together.

    def solve(self, p: Any, tolerance: Scalar) -> Found:
        """Impulses in place, from those of the last step; done where the natural residual is within the tolerance."""
        trial = self._vector()
        first = self.residual(p)

        def take(here: Scalar, source: Any, target: Any) -> None:
            def one(i: Any) -> None:
                target[i] = where(here, source[i], target[i])

            self._rows(one)

        def towards(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            worst, go = carry
            self.newton(trial)
            after = self.residual(trial)
            take((go > 0) & (after < worst), trial, p)
            worst = where((go > 0) & (after < worst), after, worst)
            return [worst, where(worst > tolerance, go, 0)]

        def lead(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            worst, go, far = carry
            self.multipliers_if(p, tolerance, far)
            take(p[0] == p[0], p, trial)
            self.sweep(trial)
            after = self.residual(trial)
            take(go > 0, trial, p)
            return [where(go > 0, after, worst), 0, far]

        def one(count: Scalar, carry: list[Scalar]) -> list[Scalar]:
            worst, used, go = carry
            far = where(count >= MULTIPLIERS_FROM, go, 0)
            worst = loop(1, lead, [worst, where(count > 0, go, 0), far], until_zero=1, skip=True)[0]
            take(p[0] == p[0], p, trial)
            worst, left = loop(NEWTON, towards, [worst, go], until_zero=1, skip=True)
            return [worst, used + go, where(worst > tolerance, left, 0)]

        go = where(first > tolerance, 1, 0)
        worst, used, _ = loop(PASSES, one, [first, 0 * go, go], until_zero=2, skip=True)
        return Found(worst, used)

    def multipliers_if(self, p: Any, tolerance: Scalar, far: Scalar) -> None:
        """The method of multipliers, in the lanes that need it."""

        def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            self.multipliers(p, tolerance, carry[0])
            return [0 * carry[0]]

        loop(1, one, [far], until_zero=0, skip=True)


def _size(x: Sequence[Scalar]) -> Scalar:
    return absolute(x[0]) if len(x) == 1 else sqrt(sum((y * y for y in x), start=0))


def one_contact(D: list[list[Scalar]], r: list[Scalar], friction: Scalar) -> list[Scalar]:
    """The impulse of one contact alone: v = D p + r, exactly."""
    normal = 1 / D[0][0]
    bend = [x * normal for x in D[0][1:]]  # how tangents lift the normal
    tangents = range(len(r) - 1)
    S = [[D[i + 1][j + 1] - bend[j] * D[i + 1][0] for j in tangents] for i in tangents]
    rest = [r[i + 1] - bend[i] * r[0] for i in tangents]

    def impulse(slip: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Normal and tangents where v_t = −slip · p_t and v_n = 0."""
        if len(S) == 1:
            along = [-rest[0] / (S[0][0] + slip)]
        else:
            a, b, d = S[0][0] + slip, S[0][1], S[1][1] + slip
            inverse = 1 / (a * d - b * b)
            along = [(b * rest[1] - d * rest[0]) * inverse, (b * rest[0] - a * rest[1]) * inverse]
        return -r[0] * normal - sum((x * y for x, y in zip(bend, along, strict=True)), start=0), along

    stuck, along = impulse(0)
    sticks = (stuck >= 0) & (_size(along) <= friction * stuck)
    most = sum((row[k] for k, row in enumerate(S)), start=0)
    load = maximum(-r[0] * normal, TINY)
    high = most + 2 * _size(rest) / maximum(friction * load, 1e-12 * _size(rest) + TINY)  # there it slips no more

    def halve(_: Scalar, ends: list[Scalar]) -> list[Scalar]:
        low, high = ends
        middle = (low + high) / 2
        pressed, pulled = impulse(middle)
        too_far = (_size(pulled) <= friction * pressed) & (pressed >= 0)
        return [where(too_far, low, middle), where(too_far, middle, high)]

    low, high = loop(ROOT, halve, [0 * high, high])
    pressed, pulled = impulse((low + high) / 2)
    pressed = maximum(0, pressed)
    part = minimum(1, friction * pressed / maximum(_size(pulled), TINY))
    opens = r[0] >= 0
    found = [where(sticks, stuck, pressed), *(where(sticks, a, b * part) for a, b in zip(along, pulled, strict=True))]
    return [where(opens, 0, x) for x in found]
