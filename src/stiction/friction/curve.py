"""Dry friction by a curve of the user's own."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stiction.fields import pair
from stiction.friction.dry import CLOSE, Dry
from stiction.friction.law import LAWS, side
from stiction.trace.functions import Scalar, absolute, clip, loop, where
from stiction.trace.precision import tolerance

SECANT_STEPS = 60  # at most: nothing is known of the curve
SLOWEST, FASTEST, TRIED = 1e-6, 100.0, 2000  # rad/s or m/s between which a curve is looked at, and at how many speeds
LOWEST, SHORTENED = 8, 40  # dips between these speeds that are followed to their bottoms, and in how many steps
GOLDEN = (math.sqrt(5) - 1) / 2
STRONGEST = 1e12  # N·m or N


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class Curve(Dry):
    """Dry friction by a curve of your own.

    Attributes:
        function: torque while sliding, as a formula of the speed w ≥ 0 [rad/s or m/s → N·m or N]; two formulas for
            positive and negative velocity. Never below 0; viscous friction is added to it.
        static: torque at break-away [N·m or N], or two numbers likewise; by default the function at speed 0.

    Example:
        >>> from stiction.friction import Curve
        >>> from stiction.trace import exp
        >>> law = Curve(function=lambda w: 0.4 + 0.1 * exp(-w / 0.01), viscous=0.2)
        >>> law.breakaway(1), round(law.steady(-1.0), 6)
        (0.5, -0.6)
    """

    function: Callable[[Scalar], Scalar] | tuple[Callable[[Scalar], Scalar], Callable[[Scalar], Scalar]] = field()
    static: float | tuple[float, float] | None = pair(None, least=0, optional=True)
    slowest: ClassVar[tuple[float, float]] = (0.0, 0.0)  # the functions at speed 0

    def __post_init__(self) -> None:
        both: Any = self.function if isinstance(self.function, (tuple, list)) else (self.function, self.function)
        if len(both) != 2 or not all(callable(f) for f in both):
            raise self.refusal(
                f"function is {self.function!r}; "
                "allowed: a formula of the speed, or two (for positive and negative velocity)"
            )
        self._set("function", tuple(both))
        known = {id(f): self._tried(f) for f in both}
        slowest = tuple(known[id(f)] for f in both)
        if self.static is None:
            self._set("static", slowest)
        self._set("slowest", slowest)
        super().__post_init__()

    def conflicts(self) -> Sequence:
        """Break-away takes at least as much as sliding."""

        def why(s: float, f: float) -> Callable[[], str]:
            less = "and below the function at speed 0"
            return lambda: f"static is {s:g} {less}, {f:g}; break-away takes at least as much as sliding"

        return [(s < f, why(s, f)) for s, f in zip(self.static, self.slowest, strict=True)]  # type: ignore[arg-type]

    def _tried(self, function: Callable[[Scalar], Scalar]) -> float:
        """The function at speed 0; refuses one that fails, or that pushes, also between the speeds that are tried."""

        def strength(w: float) -> float:
            try:
                found = float(function(w))
            except Exception as error:
                raise self.refusal(
                    f"function fails at {w:g} rad/s: {error}; it must be a formula of the speed (`stiction.trace`)"
                ) from None
            if not found < STRONGEST:
                raise self.refusal(f"function gives {found:g} at speed {w:g}; allowed: 0 to {STRONGEST:g}")
            return found

        growth = (FASTEST / SLOWEST) ** (1 / (TRIED - 1))
        w, lowest = least(strength, [0.0, *(SLOWEST * growth**k for k in range(TRIED))])
        if lowest < 0:
            raise self.refusal(
                f"function gives {lowest:g} at speed {w:g}; allowed: 0 or above (a friction that pushes is none). "
                "Add what it lacks, or take the larger of 0 and the function"
            )
        return strength(0.0)

    def cautions(self, fastest: float) -> list[str]:
        """Speeds of this run at which it pushed."""
        if not 0 < fastest < math.inf:
            return []
        found, functions = [], dict.fromkeys(self.function)  # type: ignore[arg-type]
        for w, lowest in (least(function, [fastest * k / TRIED for k in range(TRIED + 1)]) for function in functions):
            if lowest < 0:
                found.append(
                    f"Curve moved at up to {fastest:.3g} rad/s or m/s, and its function is {lowest:.3g} at {w:.3g}: "
                    "there it pushes, and gives out energy; it must not be below 0"
                )
        return found

    def breakaway(self, direction: Scalar) -> Scalar:
        """Largest torque at rest, against a motion in the direction of this number."""
        return side(self.static, direction)  # type: ignore[arg-type]

    def dry(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque while sliding, without viscous friction."""
        first, second = self.function  # type: ignore[misc]
        return first(w) if first is second else where(direction < 0, second(w), first(w))

    def strength(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque while sliding at speed w ≥ 0 in the direction of a number."""
        return self.dry(w, direction) + self.viscous * w

    def slip(self, excess: Scalar, slope: Scalar, direction: Scalar) -> Scalar:
        """Speed w of sliding with strength(w) + slope · w = breakaway + excess, by secants in a bracket that closes
        (Illinois).
        """
        target = self.breakaway(direction) + excess

        def miss(w: Scalar) -> Scalar:
            return self.strength(w, direction) + slope * w - target

        def secant(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            low, high, at_low, at_high, _w, busy = carry
            wide = at_high - at_low
            better = clip(high - at_high * (high - low) / where(wide > 0, wide, 1), low, high)
            at = miss(better)
            below = at < 0
            closer = [
                where(below, better, low),
                where(below, high, better),
                where(below, at, at_low / 2),
                where(below, at_high / 2, at),
                better,
            ]
            kept = [where(busy > 0, new, old) for new, old in zip(closer, carry[:5], strict=True)]
            return [*kept, where((busy > 0) & (absolute(at) > tolerance(CLOSE) * target), 1, 0)]

        fastest = target / slope  # the strength is not below 0
        start = [0 * excess, fastest, self.strength(0, direction) - target, miss(fastest), fastest]
        w = loop(SECANT_STEPS, secant, [*start, where(excess > 0, 1, 0)], until_zero=5)[4]
        return where(excess > 0, w, 0 * excess)


def least(function: Callable[[float], float], speeds: Sequence[float]) -> tuple[float, float]:
    """Where a function is least, and its value there: at these speeds, and at the bottoms of dips between them, which
    are followed by golden sections.
    """
    values = [float(function(w)) for w in speeds]
    order = sorted(range(len(speeds)), key=values.__getitem__)
    dips = [k for k in order if 0 < k < len(speeds) - 1 and values[k] <= min(values[k - 1], values[k + 1])]
    found = [(values[order[0]], speeds[order[0]])]
    for k in dips[:LOWEST]:
        low, high = speeds[k - 1], speeds[k + 1]
        for _ in range(SHORTENED):
            a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            low, high = (low, b) if function(a) < function(b) else (a, high)
        found.append((function((low + high) / 2), (low + high) / 2))
    value, w = min(found)
    return w, value
