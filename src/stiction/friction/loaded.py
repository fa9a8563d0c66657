"""A law whose strength follows something else: the pressing force of a clutch, a temperature, a load, time."""

from collections.abc import Mapping
from typing import Any

from stiction.friction.dry import Dry
from stiction.friction.law import Law
from stiction.trace.functions import Scalar, maximum

FAINT = 1e-12  # load that counts as none


class LoadedLaw(Law):
    """A law with bristles, times a load; what its bristles store changes with the load, and counts as lost."""

    law: Law
    load: Scalar

    @property
    def states(self) -> tuple[str, ...]:
        """Those of the law."""
        return self.law.states

    @property
    def units(self) -> Mapping[str, str]:
        """Those of the law's states."""
        return self.law.units

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """The law's torque, times the load; it bends as it would."""
        torque, rates = self.law.flow(v, z, step)
        return self.load * torque, rates

    def settled(self, v: Scalar, z: list[Scalar]) -> list[Scalar]:
        """As the law has it."""
        return self.law.settled(v, z)

    def breakaway(self, direction: Scalar) -> Scalar:
        """That of the law, times the load."""
        return self.load * self.law.breakaway(direction)


class LoadedDry(Dry):
    """A dry law, times a load; its bristle is as stiff as without."""

    law: Dry
    load: Scalar

    def breakaway(self, direction: Scalar) -> Scalar:
        """That of the law, times the load."""
        return self.load * self.law.breakaway(direction)

    def strength(self, w: Scalar, direction: Scalar) -> Scalar:
        """That of the law, times the load."""
        return self.load * self.law.strength(w, direction)

    def without_viscous(self, w: Scalar, direction: Scalar) -> Scalar:
        """That of the law, times the load."""
        return self.load * self.law.without_viscous(w, direction)

    def slip(self, excess: Scalar, slope: Scalar, direction: Scalar) -> Scalar:
        """That of the law, all over the load."""
        load = maximum(self.load, FAINT)
        return self.law.slip(excess / load, slope / load, direction)


def under(law: Law, load: Scalar) -> Any:
    """A law times a load, which counts as 0 below 0.

    Example:
        >>> from stiction.friction import Coulomb
        >>> from stiction.friction.loaded import under
        >>> under(Coulomb(level=0.3), 20.0).breakaway(1)
        6.0
    """
    pressed = maximum(0, load)
    if not isinstance(law, Dry):
        return _made(LoadedLaw, law=law, load=pressed)
    springs = {"stiffness": law.stiffness, "damping": law.damping}
    return _made(LoadedDry, law=law, load=pressed, viscous=pressed * law.viscous, **springs)


def _made(kind: type, **attributes: Any) -> Any:
    """An object whose numbers may be expressions, so that there is nothing to check."""
    made: Any = object.__new__(kind)
    made.__dict__.update(attributes)
    return made
