"""What every friction law is: parameters, the torque while things move, and what it stores.

A law acts on one velocity (of a joint, or of any combination of joints). Its torque has the sign of that velocity; the
equation of motion subtracts it. The methods are formulas: they run on floats, symbols and traced expressions, and so
may the fields of a law (`with_parameters` replaces them while a simulation is traced).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from stiction.errors import StictionError
from stiction.fields import Validated, shortened
from stiction.registry import Registry
from stiction.trace.functions import Scalar, absolute, maximum, minimum, where
from stiction.trace.parameters import Parametric
from stiction.trace.precision import tolerance

LAWS = Registry("law")

STUCK, PRESLIDING, SLIDING = 0, 1, 2
CREEP = 1e-9  # rad/s or m/s: what slips more slowly is stuck
BEGINS = 1e-9  # rad or m, and per second: from rest, to see how a law begins
TRIED = (1e-3, 0.03, 1.0, 30.0)  # rad/s or m/s at which a law must not push
ALL_SLIDES = 0.9  # part of the motion that slips from which on it is sliding


class FrictionError(StictionError):
    """The parameters of a friction law are impossible."""


@dataclass(frozen=True, kw_only=True)
class Law(Validated, Parametric):
    """A friction law on one velocity.

    Attributes:
        states: names of its own states, as many as it needs, such as ("bend",). They begin at 0.
        units: of own states that are no bendings; a bending [rad or m] follows the motion where nothing slides.
    """

    error = FrictionError
    states: ClassVar[tuple[str, ...]] = ()
    units: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        states: Any = self.states
        if not isinstance(states, tuple) or not all(isinstance(state, str) for state in states):
            raise self.refusal(f"states is {states!r}; allowed: a tuple of names, such as ('bend',), or ()")
        try:
            given: Any = self.flow(1.0, [0.0] * len(self.states), 1e-3)
        except Exception:  # not every law flows as it stands; what fails shows where it is used
            return
        both = isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[1], (tuple, list))
        if not both or len(given[1]) != len(self.states):
            raise self.refusal(
                f"its flow returns {shortened(repr(given))}; allowed: the torque, and a list with the rate of each own "
                f"state ({', '.join(self.states) or 'none: an empty list'})"
            )
        self._check_push()

    def _check_push(self) -> None:
        """Refuse a law that drives what slides on."""
        for v in (sign * w for w in TRIED for sign in (1, -1)):
            try:
                torque = float(self.steady(v))
            except Exception:  # not every law has one; what fails shows where it is used
                return
            if torque * v < 0:
                raise self.refusal(
                    f"its steady torque is {torque:g} at velocity {v:g}: it pushes; allowed: the sign of the velocity, "
                    "or 0 (the equation of motion subtracts it)"
                )

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque, and the rates of the own states z, at velocity v; `step` is the stage step of the integrator [s]."""
        raise NotImplementedError

    def settled(self, v: Scalar, z: list[Scalar]) -> list[Scalar]:
        """The own states after a step that ended at velocity v: what remembers how it came about is set here."""
        return z

    def steady(self, v: Scalar) -> Scalar:
        """Torque after a long time at constant velocity v."""
        raise NotImplementedError

    def stored(self, z: list[Scalar]) -> Scalar:
        """Elastic energy [J] in the own states."""
        return 0

    def breakaway(self, direction: Scalar) -> Scalar:
        """Largest torque at rest, against a motion in the direction of this number [N·m or N]; 0 for laws that do not
        hold.
        """
        return 0

    def cautions(self, fastest: float) -> list[str]:
        """What should be known of a run in which it moved at most so fast [rad/s or m/s]."""
        return []

    @property
    def bends(self) -> list[bool]:
        """Which of its own states are bendings."""
        return [state.partition(".")[0] not in self.units for state in self.states]

    def at_rest(self) -> tuple[Scalar, Scalar]:
        """How the torque begins at rest: per bending [N·m/rad or N/m] and per velocity [N·m·s/rad or N·s/m]."""
        still: list[Scalar] = [0] * len(self.states)
        bent: list[Scalar] = [BEGINS if bends else 0 for bends in self.bends]
        rest, bending, moving = (self.flow(v, z, 0)[0] for v, z in ((0, still), (0, bent), (BEGINS, still)))
        return (bending - rest) / BEGINS, (moving - rest) / BEGINS

    def mode(self, v: Scalar, z: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding (a part of the motion slips, the rest bends), 2 sliding."""
        rates = self.flow(v, z, step)[1]
        slips = [absolute(v - rate) for rate, bends in zip(rates, self.bends, strict=True) if bends]
        most = least = slips[0] if slips else absolute(v)
        for slip in slips[1:]:
            most, least = maximum(most, slip), minimum(least, slip)
        return where(most <= tolerance(CREEP), STUCK, where(least >= ALL_SLIDES * absolute(v), SLIDING, PRESLIDING))

    def margin(self, v: Scalar, z: list[Scalar], step: Scalar) -> Scalar:
        """How much more torque would break it away [N·m or N]; 0 while it slides."""
        torque = self.flow(v, z, step)[0]
        return where(self.mode(v, z, step) >= SLIDING, 0, maximum(0, self.breakaway(torque) - absolute(torque)))


def side(both: tuple[Scalar, Scalar], v: Scalar) -> Scalar:
    """The number of a pair that belongs to the direction of v."""
    return both[0] if both[0] is both[1] else where(v < 0, both[1], both[0])
