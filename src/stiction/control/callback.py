"""A controller that is a Python function: slower than a formula, free in what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import InputError, StictionError
from stiction.fields import instance
from stiction.parts.kinds import Clock, Digital, Ports
from stiction.trace.functions import Scalar


@dataclass(frozen=True, kw_only=True)
class Callback(Digital):
    """A Python function that is called at the ticks of a clock. Ports: those that you name.

    Attributes:
        clock: when it is called.
        function: takes the time [s] and the inputs, by name: arrays (n,), or (*batch, n) in a batch; gives the outputs,
            by name.
        reads: sizes of the inputs, by name.
        gives: sizes of the outputs, by name.

    Example:
        >>> from stiction.control import Callback, Clock
        >>> def spring(t, x):
        ...     return {"command": -5 * x["position"]}
        >>> relay = Callback(clock=Clock(period=0.01), function=spring, reads={"position": 1}, gives={"command": 1})
        >>> relay.outputs
        {'command': 1}
    """

    clock: Clock = instance(Clock, words="a Clock, such as Clock(period=2e-3)")
    function: Callable[[float, dict[str, np.ndarray]], dict[str, Any]] = instance(
        Callable, words="a function of time and inputs"
    )
    reads: dict[str, int] = instance(dict, words="sizes of ports by name, such as {'position': 1}")
    gives: dict[str, int] = instance(dict, words="sizes of ports by name, such as {'command': 1}")

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, sizes in (("reads", self.reads), ("gives", self.gives)):
            if not sizes or not all(type(n) is int and n > 0 for n in sizes.values()):
                raise self.refusal(f"{what} is {sizes!r}; allowed: sizes of ports by name, such as {{'position': 1}}")
        self._set("inputs", dict(self.reads))
        self._set("outputs", dict(self.gives))

    def structure(self) -> tuple:
        """Its ports and its clock; the function is no part of a program."""
        return (type(self).__qualname__, self.clock.structure(), tuple(self.reads.items()), tuple(self.gives.items()))

    def tick(self, own: list[Scalar], inputs: Ports, t: Scalar) -> list[Scalar]:
        """Nothing happens inside the compiled program."""
        return own

    def call(self, t: float, own: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """The states after a call, (..., n), from the states and the inputs side by side."""
        values, first = {}, 0
        for port, size in self.reads.items():
            values[port] = inputs[..., first : first + size].copy()
            first += size
        try:
            outputs = self.function(t, values)
        except Exception as error:
            raise StictionError(
                f"the controller function failed at {t:g} s: {type(error).__name__}: {error}"
            ) from error
        try:
            given = [_shaped(outputs[port], own.shape[:-1], n) for port, n in self.gives.items()]
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"the controller function gave {outputs!r} at {t:g} s; allowed: numbers for "
                f"{self.gives}, one set or one for each run"
            ) from None
        decided = np.concatenate(given, axis=-1)
        if not np.isfinite(decided).all():
            raise StictionError(f"the controller function gave a command that is no number at {t:g} s: {outputs!r}")
        return np.concatenate([own, decided], axis=-1)[..., decided.shape[-1] :]


def _shaped(value: Any, batch: tuple[int, ...], size: int) -> np.ndarray:
    """An output for every run: a number, one set for all, or one for each."""
    x = np.asarray(value, float)
    if size == 1 and x.shape == batch and batch:
        x = x[..., None]
    if x.shape not in ((), (size,), (*batch, size)):
        raise ValueError
    return np.broadcast_to(x, (*batch, size))
