"""Methods that follow the flow of a network: each source's work is integrated as a state, by the same method."""

from collections.abc import Sequence
from typing import NamedTuple

from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network
from stiction.trace.functions import Scalar


class Stepped(NamedTuple):
    """A network after a step.

    Attributes:
        state: of the network.
        works: done by each source since the start [J]; empty where nobody asked.
        residual: how far stick and slip contradict each other in this step [N·m or N].
        splitting: how far friction found joint by joint is from friction found for all together [N·m or N].
    """

    state: list[Scalar]
    works: list[Scalar]
    residual: Scalar
    splitting: Scalar = 0


def flow_step(method: str, network: Network, state: Sequence[Scalar], works: Sequence[Scalar], t: Scalar, h: Scalar) -> Stepped:
    """One step by an explicit method."""
    n = len(state)

    def flow(x: list[Scalar], t: Scalar, stage: Scalar) -> list[Scalar]:
        now = network.evaluate(x[:n], t, stage)
        rates = network.rates(now, t)
        if not works:
            return rates
        v = network.velocities(now.own)
        return [*rates, *(dot(push, v) for push in network.pushes(now).values())]

    after = METHODS[method](flow, [*state, *works], t, h)
    return Stepped(network.settle(network.finished(after[:n], t + h, h)), after[n:], 0)


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True)), start=0)
