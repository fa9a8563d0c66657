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
from typing import ClassVar

from stiction.trace.functions import Scalar
from stiction.trace.numbered import Numbered

Ports = Mapping[str, list[Scalar]]


class Part(Numbered):
    """What both kinds have.

    Attributes:
        inputs: sizes of the ports that go in, by name.
        outputs: sizes of the ports that come out, by name.
    """

    inputs: ClassVar[Mapping[str, int]] = {}
    outputs: ClassVar[Mapping[str, int]] = {}

    def start(self) -> Mapping[str, float]:
        """The part's states, by name, with their first values."""
        return {}

    def settle(self, own: list[Scalar]) -> Sequence[Scalar]:
        """What becomes of the states after each step: quaternions take unit length again, for example."""
        return own


class Admittance(Part):
    """Force in, motion out: ẋ = A(x, û), network (6). Its motion depends on its states alone."""

    def motion(self, own: list[Scalar]) -> Ports:
        """The outputs, from the states."""
        raise NotImplementedError

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> Sequence[Scalar]:
        """Rates of the states under the inputs."""
        raise NotImplementedError


class Impedance(Part):
    """Motion in, force out: [u, ẏ] = I(x̂, y; T), network (9) and (22)."""

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """The outputs and the rates of the own states; `step` is the stage step of the integrator [s]."""
        raise NotImplementedError
