"""What every friction law is: parameters, the torque while things move, and what it stores.

A law acts on one velocity (of a joint, or of any combination of joints). Its torque has the sign of that velocity; the
equation of motion subtracts it. The methods are formulas: they run on floats, symbols and traced expressions, and so
may the fields of a law (`with_parameters` replaces them while a simulation is traced).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from stiction.errors import StictionError
from stiction.fields import Validated, shortened
from stiction.registry import Registry
from stiction.trace.functions import Scalar, absolute, maximum, where
from stiction.trace.parameters import Parametric

LAWS = Registry("law")

STUCK, PRESLIDING, SLIDING = 0, 1, 2
CREEP = 1e-9  # rad/s or m/s: what slips more slowly is stuck
ALL_SLIDES = 0.9  # part of the motion that slips from which on it is sliding


class FrictionError(StictionError):
    """The parameters of a friction law are impossible."""


@dataclass(frozen=True, kw_only=True)
class Law(Validated, Parametric):
    """A friction law on one velocity.

    Attributes:
        states: how many states of its own it has (0 or 1).
    """

    error = FrictionError
    states: ClassVar[int] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            given: Any = self.flow(1.0, 0.0, 1e-3)
        except Exception:  # not every law flows as it stands; what fails shows where it is used
            return
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise self.refusal(
                f"its flow returns {shortened(repr(given))}; allowed: two numbers, the torque and the rate of its own "
                "state (0 if it has none)"
            )

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
        """Largest torque at rest, against a motion in the direction of this number [N·m or N]; 0 for laws that do not
        hold.
        """
        return 0

    def cautions(self, fastest: float) -> list[str]:
        """What should be known of a run in which it moved at most so fast [rad/s or m/s]."""
        return []

    def mode(self, v: Scalar, z: Scalar, step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding (a part of the motion slips, the rest bends), 2 sliding."""
        slip = absolute(v - self.flow(v, z, step)[1]) if self.states else absolute(v)
        return where(slip <= CREEP, STUCK, where(slip >= ALL_SLIDES * absolute(v), SLIDING, PRESLIDING))

    def margin(self, v: Scalar, z: Scalar, step: Scalar) -> Scalar:
        """How much more torque would break it away [N·m or N]; 0 while it slides."""
        torque = self.flow(v, z, step)[0]
        return where(self.mode(v, z, step) >= SLIDING, 0, maximum(0, self.breakaway(torque) - absolute(torque)))


def side(both: tuple[Scalar, Scalar], v: Scalar) -> Scalar:
    """The number of a pair that belongs to the direction of v."""
    return both[0] if both[0] is both[1] else where(v < 0, both[1], both[0])
