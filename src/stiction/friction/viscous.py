"""Friction that never sticks."""

from dataclasses import dataclass

from stiction.fields import number
from stiction.friction.law import LAWS, Law
from stiction.trace.functions import Scalar


@LAWS.add
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

    coefficient: float = number(least=0)

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque; there is no bristle."""
        return self.coefficient * v, []

    def steady(self, v: Scalar) -> Scalar:
        """Torque at velocity v."""
        return self.coefficient * v
