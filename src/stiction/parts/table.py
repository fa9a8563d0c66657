"""Values given at times, with straight lines between."""

import copy
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stiction.fields import Validated, numbers
from stiction.trace.functions import Scalar, absolute, clip, floor, lookup, loop, where
from stiction.trace.parameters import Parametric, Substitution

MOST = 10_000  # points


@dataclass(frozen=True)
class Table(Validated, Parametric):
    """A function of the time by points: straight lines between them, constant before the first and after the last.

    Knots that lie on multiples of the step are met exactly by all methods. The times are structure; the values are not,
    so that changing them compiles nothing.

    Attributes:
        time: of the points, rising [s].
        value: at them [N·m or N for a torque].

    Example:
        >>> import stiction
        >>> ramp = stiction.Table(time=[0, 1, 3], value=[0, 5, 4])
        >>> ramp(0.5), ramp(2.0), ramp(10.0)
        (2.5, 4.5, 4.0)
    """

    time: Sequence[float] = numbers()
    value: Sequence[float] = numbers()

    def conflicts(self) -> Sequence:
        """As many values as times, and times that rise."""
        n = len(self.time)
        found: list[tuple[Any, Any]] = [
            (
                n != len(self.value) or not 2 <= n <= MOST,
                f"{n} times and {len(self.value)} values; allowed: equally many, 2 to {MOST}",
            )
        ]
        for before, after in itertools.pairwise(self.time):
            why = (
                f"time {after:g} comes after {before:g}; allowed: rising times. For a jump give two "
                "points close together"
            )
            found.append((not after > before, why))
        return found

    def with_parameters(self, substitution: Substitution) -> "Table":
        """The same with the values as a table that programs read."""
        twin = copy.copy(self)
        twin._set("rows", substitution.rows("value", self._rows()))
        return twin

    def structure(self) -> tuple:
        """The times shape the program; the values do not."""
        return (type(self).__qualname__, self.time)

    def _rows(self) -> list[tuple[float, ...]]:
        """Time, value, slope and integral at the beginning of each line."""
        points = itertools.pairwise(zip(self.time, self.value, strict=True))
        rows: list[tuple[float, ...]] = []
        total = 0.0
        for (t, x), (u, y) in points:
            rows.append((t, x, (y - x) / (u - t), total))
            total += (x + y) / 2 * (u - t)
        return rows

    def __call__(self, t: Scalar) -> Scalar:
        """The value at time t."""
        first, value, slope, _ = self._line(self._interval(t))
        return value + slope * (clip(t, self.time[0], self.time[-1]) - first)

    def rate(self, t: Scalar) -> Scalar:
        """The slope at time t; 0 before the first point and after the last."""
        slope = self._line(self._interval(t))[2]
        return where((t < self.time[0]) | (t > self.time[-1]), 0, slope)

    def _line(self, index: Scalar) -> Any:
        """Time, value, slope and integral at the beginning of one of the lines."""
        rows = getattr(self, "rows", None)
        return lookup(self._rows(), index) if rows is None or isinstance(rows, list) else rows.row(index)

    def mean(self, t: Scalar, span: Scalar) -> Scalar:
        """The mean over a span of time around t."""
        a, b = t - span / 2, t + span / 2
        crosses = absolute(self._interval(b) - self._interval(a)) + where(
            (a < self.time[0]) | (b > self.time[-1]), 1, 0
        )
        return where(crosses > 0, (self._integral(b) - self._integral(a)) / span, self(t))

    def _integral(self, t: Scalar) -> Scalar:
        """The integral from the first point on."""
        inside = clip(t, self.time[0], self.time[-1])
        first, value, slope, total = self._line(self._interval(inside))
        d = inside - first
        return total + value * d + slope * d * d / 2 + self(t) * (t - inside)

    def _interval(self, t: Scalar) -> Scalar:
        """Which of the lines."""
        return interval(self.time, t)


def interval(knots: Sequence[float], x: Scalar) -> Scalar:
    """Between which of some rising numbers x lies, by that below it, from 0 on: by division where they are equally
    spaced, else by halving.
    """
    n, span = len(knots) - 1, knots[-1] - knots[0]
    if all(abs(knot - (knots[0] + span * k / n)) <= 1e-9 * span / n for k, knot in enumerate(knots)):
        return clip(floor((x - knots[0]) * n / span), 0, n - 1)

    def halve(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        low, high = carry
        middle = floor((low + high) / 2)
        later = x >= lookup(knots, middle)
        return [where(later, middle, low), where(later, high, middle)]

    return loop(math.ceil(math.log2(n)) + 1, halve, [0 * x, 0 * x + n])[0]
