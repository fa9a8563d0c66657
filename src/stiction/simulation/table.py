"""Values given at times, with straight lines between."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stiction.errors import InputError
from stiction.trace.functions import Scalar, clip, floor, lookup, loop, where

MOST = 10_000  # entries: they become part of the program


@dataclass(frozen=True)
class Table:
    """A function of the time by points: straight lines between them, constant before the first and after the last.

    Knots that lie on multiples of the step are met exactly by all methods.

    Attributes:
        time: of the points, rising [s].
        value: at them [N·m or N for a torque].

    Example:
        >>> import stiction
        >>> ramp = stiction.Table(time=[0, 1, 3], value=[0, 5, 4])
        >>> ramp(0.5), ramp(2.0), ramp(10.0)
        (2.5, 4.5, 4.0)
    """

    time: Sequence[float]
    value: Sequence[float]

    def __post_init__(self) -> None:
        times, values = (_numbers(what, getattr(self, what)) for what in ("time", "value"))
        if len(times) != len(values) or not 2 <= len(times) <= MOST:
            raise InputError(f"Table: {len(times)} times and {len(values)} values; allowed: equally many, 2 to {MOST}")
        for before, after in itertools.pairwise(times):
            if not after > before:
                raise InputError(f"Table: time {after:g} comes after {before:g}; allowed: rising times. For a jump give two points close together")
        object.__setattr__(self, "time", times)
        object.__setattr__(self, "value", values)

    def __call__(self, t: Scalar) -> Scalar:
        """The value at time t."""
        times, values = self.time, self.value
        slopes = [(b - a) / (d - c) for a, b, c, d in zip(values, values[1:], times, times[1:], strict=False)]
        first, value, slope = lookup(list(zip(times[:-1], values[:-1], slopes, strict=True)), self._interval(t))
        return value + slope * (clip(t, times[0], times[-1]) - first)

    def _interval(self, t: Scalar) -> Scalar:
        """Which of the lines: by division where the times are equally spaced, else by halving."""
        n = len(self.time) - 1
        span = self.time[-1] - self.time[0]
        if all(abs(x - (self.time[0] + span * k / n)) <= 1e-9 * span / n for k, x in enumerate(self.time)):
            return clip(floor((t - self.time[0]) * n / span), 0, n - 1)

        def halve(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            low, high = carry
            middle = floor((low + high) / 2)
            later = t >= lookup(self.time, middle)
            return [where(later, middle, low), where(later, high, middle)]

        return loop(math.ceil(math.log2(n)) + 1, halve, [0 * t, 0 * t + n])[0]


def _numbers(what: str, given: Any) -> tuple[float, ...]:
    try:
        numbers = tuple(float(x) for x in given)
    except (TypeError, ValueError):
        numbers = (math.nan,)
    if not all(abs(x) < 1e15 for x in numbers):
        raise InputError(f"Table: {what} is {given!r}; allowed: finite numbers")
    return numbers
