"""What every method is: an object that says what it makes of a network, what it keeps, what it can treat, and how it
steps.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.fields import Validated
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.parts.friction import FrictionPart
from stiction.trace.functions import Scalar
from stiction.trace.parameters import Key, Parametric

Mark = Callable[
    [Block, Block, Scalar, Scalar], Block
]  # block before and after a step, time after it, stage step -> marked block


class Choice(NamedTuple):
    """What a method chooses for every run, from the terms at the start.

    Attributes:
        parameters: values of parameters that nobody gave, by key.
        start: first values of states.
    """

    parameters: Mapping[Key, Any]
    start: Mapping[Key, Any]


class Method(Validated, Parametric):
    """How a network is advanced. Its options are its fields; those that are numbers are parameters of the program.

    Attributes:
        name: by which files and short calls know it.
        own_steps: whether it chooses its own steps; the given one is then the longest.
        instead: what serves where its program becomes too large.
    """

    error = InputError
    name: ClassVar[str] = ""
    own_steps: ClassVar[bool] = False
    instead: ClassVar[str] = "simulate fewer bodies in one scene"

    @property
    def title(self) -> str:
        """What errors and reports call it."""
        return self.name

    def prepare(self, network: Network, step: float) -> Network:
        """The network as the method advances it: which parts become rows, which get bristles; refuses what it cannot
        treat.
        """
        return network

    def slots(self, network: Network, step: float) -> Mapping[str, tuple[float, str]]:
        """Numbers of its own that it keeps from step to step, by name: first value and unit."""
        return {}

    def signals(self, network: Network) -> Mapping[str, str]:
        """The slots that users see: slot of each signal, by the signal's name."""
        return {}

    def choose(self, network: Network, start: StartTerms, step: float, given: Mapping[Key, Any]) -> Choice:
        """What it chooses where nobody did; `given` are parameters that vary from run to run."""
        return Choice({}, {})

    def check(self, network: Network, start: StartTerms, step: float) -> None:
        """Refuse what it cannot advance at this step, in any run."""

    def start_notes(self, network: Network, start: StartTerms, step: float) -> list[str]:
        """What should be known of runs that begin so."""
        return []

    def site_notes(self, part: FrictionPart, step: float, fastest: float) -> list[str]:
        """What should be known of a friction site, in numbers, that moved at most so fast in a run."""
        return part.law.cautions(fastest)

    def notes(self, network: Network, kept: Mapping[str, np.ndarray]) -> list[str]:
        """What should be known of a run, from its slots at the end."""
        return []

    def review(self, network: Network, signals: Mapping[str, np.ndarray], time: np.ndarray) -> list[str]:
        """What should be known of a run, from its signals; `network` is that of the scene."""
        return []

    def step(self, network: Network, block: Block, t: Scalar, h: Scalar) -> Block:
        """The state after a step; marks are not its business."""
        raise NotImplementedError

    def span(self, network: Network, block: Block, t: Scalar, span: Scalar, h: Scalar, mark: Mark) -> Block:
        """The state after some of its own steps towards the end of a span of time, of at most h each."""
        raise NotImplementedError

    def arrived(self, kept: Mapping[str, np.ndarray], span: float) -> np.ndarray:
        """Of a method with its own steps: which runs have come to the end of a span, from its slots."""
        raise NotImplementedError

    def restarted(self) -> Mapping[str, float]:
        """Of a method with its own steps: slots that begin anew with each span."""
        return {}


def powers(block: Block, pushes: Mapping[str, list[Scalar]], velocities: list[Scalar]) -> list[Scalar]:
    """The power of each source whose work is kept [W]."""
    return [sum((x * v for x, v in zip(pushes[name], velocities, strict=True)), start=0) for name in block.works]
