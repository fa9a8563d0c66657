"""Parts of a network: what turns force into motion, and what turns motion into force (network.md).

A part names its ports and their sizes, and its states with their first values. Its methods are formulas. A user's own part is
such a class:

    >>> from dataclasses import dataclass
    >>> from stiction.simulation.part import Impedance
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Magnet(Impedance):
    ...     strength: float
    ...     inputs = {"position": 1}
    ...     outputs = {"force": 1}
    ...     def force(self, motion, own, step, t):
    ...         (x,) = motion["position"]
    ...         return {"force": [self.strength / (1 + x * x)]}, []
    >>> Magnet(strength=2.0).force({"position": [1.0]}, [], 0.0, 0.0)
    ({'force': [1.0]}, [])
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from stiction.dynamics.composite_body import factor, solve
from stiction.errors import InputError
from stiction.trace.functions import Scalar
from stiction.trace.numbered import Numbered

Ports = Mapping[str, list[Scalar]]


def places(size: int) -> Sequence[str]:
    """The names of the numbers of a port with several."""
    return {3: "xyz", 4: "wxyz"}.get(size) or [str(k) for k in range(size)]


def floats(owner: str, what: str, values: Any, length: int) -> tuple[float, ...]:
    """Finite numbers of a part, as many as it needs."""
    try:
        numbers = tuple(float(x) for x in values)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != length or not all(abs(x) < 1e12 for x in numbers):
        raise InputError(f"{owner}: {what} is {values!r}; allowed: {length} finite numbers")
    return numbers


def number(owner: str, what: str, value: Any, zero: bool = True) -> float:
    """A number, 0 or above, of a part."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = float("nan")
    if not 0 <= x < 1e15 or (x == 0 and not zero):
        raise InputError(f"{owner}: {what} is {value!r}; allowed: a number, {'0 or above' if zero else 'above 0'}")
    return x


class Part(Numbered):
    """What both kinds have.

    Attributes:
        inputs: sizes of the ports that go in, by name.
        outputs: sizes of the ports that come out, by name.
        units: of the states and outputs, by the first part of their names.
    """

    inputs: ClassVar[Mapping[str, int]] = {}
    outputs: ClassVar[Mapping[str, int]] = {}
    units: ClassVar[Mapping[str, str]] = {}

    def start(self) -> Mapping[str, float]:
        """The part's states, by name, with their first values."""
        return {}

    def unit(self, signal: str) -> str:
        """The unit of a state or an output, by its name."""
        return self.units.get(signal.partition(".")[0], "")

    def settle(self, own: list[Scalar]) -> Sequence[Scalar]:
        """What becomes of the states after each step: quaternions take unit length again, for example."""
        return own


class Admittance(Part):
    """Force in, motion out: ẋ = A(x, û), network (6). Its motion depends on its states alone.

    Its states are positions q followed by velocities v, with q̇ = N(q) v and M(q) v̇ + bias = generalised forces. A part that says
    so by the methods below can be advanced by every method; one with `motion` and `rates` alone by those that follow flows.
    """

    def motion(self, own: list[Scalar]) -> Ports:
        """The outputs, from the states."""
        raise NotImplementedError

    def positions(self) -> int:
        """How many of the states are positions."""
        raise NotImplementedError

    def position_rates(self, own: list[Scalar]) -> Sequence[Scalar]:
        """q̇ = N(q) v."""
        raise NotImplementedError

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """M(q), (nv, nv)."""
        raise NotImplementedError

    def load(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> Sequence[Scalar]:
        """Generalised forces that this motion takes: M v̇ + bias, gravity included."""
        raise NotImplementedError

    def generalised(self, own: list[Scalar], forces: Ports) -> Sequence[Scalar]:
        """The inputs as forces along the velocities v: with them, forces · v is the power."""
        raise NotImplementedError

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        raise NotImplementedError

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> Sequence[Scalar]:
        """Rates of the states under the inputs."""
        M = self.mass_matrix(own)
        bias = self.load(own, [0] * len(M))
        rest = [f - b for f, b in zip(self.generalised(own, forces), bias, strict=True)]
        return [*self.position_rates(own), *solve(factor(M), rest)]

    @property
    def mechanical(self) -> bool:
        """Whether it has a mass matrix, so that every method can advance it."""
        return type(self).mass_matrix is not Admittance.mass_matrix


class Impedance(Part):
    """Motion in, force out: [u, ẏ] = I(x̂, y; T), network (9) and (22)."""

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """The outputs and the rates of the own states; `step` is the stage step of the integrator [s]."""
        raise NotImplementedError

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy [J]."""
        return 0
