"""A controller that is a Python function: slower than a formula, free in what it does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import InputError, StictionError
from stiction.fields import instance, shortened
from stiction.parts.kinds import Clock, Digital, Ports
from stiction.trace.functions import Scalar


@dataclass(frozen=True, kw_only=True)
class Callback(Digital):
    """A Python function that is called at the ticks of a clock. Ports: those that you name.

    What is written for arrays serves one run and a batch alike: `-5 * x["position"]` is (1,) there and (runs, 1) here.

    Attributes:
        clock: when it is called.
        function: takes the time [s] and the inputs, by name: arrays (n,), or (*batch, n) in a batch, where it is called
            once for all runs. Returns the outputs by name, or all of them in one array: (n,), or (*batch, n).
        reads: sizes of the inputs, by name.
        gives: sizes of the outputs, by name.

    Example:
        >>> from stiction.control import Callback, Clock
        >>> def spring(t, x):
        ...     return {"command": -5 * x["position"]}
        >>> relay = Callback(clock=Clock(period=0.01), function=spring, reads={"position": 1}, gives={"command": 1})
        >>> relay.outputs
        {'command': 1}
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), control={"joint1": relay})
        >>> many = {"q.joint1": [0.1, 0.2, 0.3]}
        >>> stiction.simulate(scene, duration=0.1, step=0.01, parameters=many)["command.joint1"][-1].shape
        (3,)
    """

    clock: Clock = instance(Clock, words="a Clock, such as Clock(period=2e-3)")
    function: Callable[[float, dict[str, np.ndarray]], Any] = instance(Callable, words="a function of time and inputs")
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

    def call(self, name: str, t: float, own: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """The states after a call, (..., n), from the states and the inputs side by side."""
        values, first = {}, 0
        for port, size in self.reads.items():
            values[port] = inputs[..., first : first + size].copy()
            first += size
        try:
            outputs = self.function(t, values)
        except Exception as error:
            raise StictionError(
                f"controller '{name}': its function failed at {t:g} s: {type(error).__name__}: {error}"
            ) from error
        try:
            decided = self._decided(outputs, own.shape[:-1])
        except (TypeError, ValueError):
            raise InputError(
                f"controller '{name}': its function returned {shortened(repr(outputs))} at {t:g} s; "
                f"allowed: {self._allowed(own.shape[:-1])}"
            ) from None
        moved = np.concatenate([own[..., 1:], decided], axis=-1)[..., decided.shape[-1] :]
        return np.concatenate([own[..., :1] + 1, moved], axis=-1)

    def _decided(self, outputs: Any, batch: tuple[int, ...]) -> np.ndarray:
        """All outputs side by side, (*batch, n), from values by name or from one array of all."""
        if not isinstance(outputs, Mapping):
            return _shaped(outputs, batch, sum(self.gives.values()))
        if outputs.keys() != self.gives.keys():
            raise ValueError
        return np.concatenate([_shaped(outputs[port], batch, n) for port, n in self.gives.items()], axis=-1)

    def _allowed(self, batch: tuple[int, ...]) -> str:
        """What the function may return, in words."""
        ports = ", ".join(f"'{port}': {'a number' if n == 1 else f'{n} numbers'}" for port, n in self.gives.items())
        total = sum(self.gives.values())
        rows = f"; in this batch also one row for each run, of shape {(*batch, total)}" if batch else ""
        return f"finite numbers as {{{ports}}}, or as an array of shape ({total},) in that order{rows}"


def _shaped(value: Any, batch: tuple[int, ...], size: int) -> np.ndarray:
    """Finite numbers for every run, (*batch, size): one set for all, or one for each; one number alone is a set of
    one.
    """
    x = np.asarray(value)
    if x.dtype.kind not in "iuf":
        raise TypeError
    if size == 1 and x.shape in ((), batch):
        x = x[..., None]
    if x.shape not in ((size,), (*batch, size)) or not np.isfinite(x).all():
        raise ValueError
    return np.broadcast_to(x, (*batch, size))
