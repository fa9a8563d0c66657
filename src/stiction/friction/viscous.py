"""Friction that never sticks."""

from dataclasses import dataclass

from stiction.friction.law import Law, Linear, positive
from stiction.trace.functions import Scalar


@dataclass(frozen=True, kw_only=True)
class Viscous(Law):
    """Friction in proportion to the velocity. It never sticks.

    Attributes:
        coefficient: torque per speed [N·m·s/rad or N·s/m].

    Example:
        >>> from stiction.friction import Viscous
        >>> Viscous(coefficient=0.1).steady(-2.0)
        -0.2
    """

    coefficient: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficient", positive(self, "coefficient", self.coefficient, zero=True))

    def flow(self, v: Scalar, z: Scalar, step: Scalar) -> tuple[Scalar, Scalar]:
        """Torque; there is no bristle."""
        return self.coefficient * v, 0

    def steady(self, v: Scalar) -> Scalar:
        """The same."""
        return self.coefficient * v

    def implicit(self, v: Scalar, z: Scalar, step: Scalar) -> Linear:
        """The torque of the velocity at the end of the step."""
        return Linear(0, self.coefficient, z, 0)
