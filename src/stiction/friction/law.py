"""What every friction law is: numbers, the torque while things move, and what it stores.

A law acts on one velocity (of a joint, or of any combination of joints). Its torque has the sign of that velocity; the
equation of motion subtracts it. The methods are formulas: they run on floats, symbols and traced expressions, and so may the
fields of a law (`with_numbers` replaces them while a simulation is traced).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from stiction.errors import StictionError
from stiction.trace.functions import Scalar, absolute, maximum, where
from stiction.trace.numbered import Numbered

STUCK, PRESLIDING, SLIDING = 0, 1, 2
CREEP = 1e-9  # rad/s or m/s: what slips more slowly is stuck
ALL_SLIDES = 0.9  # part of the motion that slips from which on it is sliding


class FrictionError(StictionError):
    """The numbers of a friction law are impossible."""


class Linear(NamedTuple):
    """Friction at the end of a step, linear in the velocity there: torque + slope · v⁺.

    Attributes:
        torque: [N·m or N].
        slope: [N·m·s/rad or N·s/m].
        bend: the own state at the end, at v⁺ = 0 [rad or m].
        bend_slope: and how it grows with v⁺ [s].
    """

    torque: Scalar
    slope: Scalar
    bend: Scalar
    bend_slope: Scalar


@dataclass(frozen=True, kw_only=True)
class Law(Numbered):
    """A friction law on one velocity.

    Attributes:
        states: how many states of its own it has (0 or 1).
    """

    states: ClassVar[int] = 0

    def flow(self, v: Scalar, z: Scalar, step: Scalar) -> tuple[Scalar, Scalar]:
        """Torque, and the rate of the own state z, at velocity v; `step` is the stage step of the integrator [s]."""
        raise NotImplementedError

    def steady(self, v: Scalar) -> Scalar:
        """Torque after a long time at constant velocity v."""
        raise NotImplementedError

    def stored(self, z: Scalar) -> Scalar:
        """Elastic energy [J] in the own state."""
        return 0 * z

    def breakaway(self, direction: Scalar) -> Scalar:
        """Largest torque at rest, against a motion in the direction of this number [N·m or N]; 0 for laws that do not hold."""
        return 0

    def implicit(self, v: Scalar, z: Scalar, step: Scalar) -> Linear:
        """The torque at the end of a step that begins with v and z, for semi-implicit methods. As it is at the beginning, if the law does not say better."""
        torque, rate = self.flow(v, z, step)
        return Linear(torque, 0, z + step * rate, 0)

    def mode(self, v: Scalar, z: Scalar, step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding (a part of the motion slips, the rest bends), 2 sliding."""
        slip = absolute(v - self.flow(v, z, step)[1]) if self.states else absolute(v)
        return where(slip <= CREEP, STUCK, where(slip >= ALL_SLIDES * absolute(v), SLIDING, PRESLIDING))

    def margin(self, v: Scalar, z: Scalar, step: Scalar) -> Scalar:
        """How much more torque would break it away [N·m or N]; 0 while it slides."""
        torque = self.flow(v, z, step)[0]
        return where(self.mode(v, z, step) >= SLIDING, 0, maximum(0, self.breakaway(torque) - absolute(torque)))


def positive(law: object, what: str, value: Any, zero: bool = False) -> float:
    """A number above 0 (or 0 if allowed) of a law."""
    try:
        number = float("nan") if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number < 1e12 or (number == 0 and not zero):
        raise FrictionError(f"{type(law).__name__}: {what} is {value}; allowed: {'0 or above' if zero else 'a number above 0'}")
    return number


def pair(law: object, what: str, value: Any) -> tuple[float, float]:
    """Numbers, 0 or above, for positive and for negative velocity; one stands for both."""
    both = value if isinstance(value, (tuple, list)) or (hasattr(value, "shape") and value.shape) else (value, value)
    if len(both) != 2:
        raise FrictionError(f"{type(law).__name__}: {what} is {value}; allowed: one number, or two (for positive and negative velocity)")
    return positive(law, what, both[0], True), positive(law, what, both[1], True)


def exponent(law: object, value: Any) -> float:
    """An exponent above 0; a whole one becomes an int, which programs fold into products instead of calling a power."""
    number = positive(law, "exponent", value)
    return int(number) if number.is_integer() else number


def side(both: tuple[Scalar, Scalar], v: Scalar) -> Scalar:
    """The number of a pair that belongs to the direction of v."""
    return both[0] if both[0] is both[1] else where(v < 0, both[1], both[0])
