"""The program of a simulation: some steps of a method on the state of a network, and what is seen after them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from stiction.control.callback import Callback
from stiction.errors import InputError, TooLargeError
from stiction.network.layout import Block, Layout
from stiction.network.network import Network
from stiction.network.parameters import Parameters
from stiction.network.programs import shared_program
from stiction.simulation import observe
from stiction.simulation.energy import energies
from stiction.trace.functions import Scalar, absolute, loop, where
from stiction.trace.parameters import Key
from stiction.trace.program import Port, Program


class Caller(NamedTuple):
    """A Python function on its clock.

    Attributes:
        every: steps from call to call.
        first: steps before the first.
        call: time, states of all calls and inputs give the states after it; both are slices of larger arrays.
        slots: where its states are in the state block.
        inputs: where its inputs are among those that the probe gives.
    """

    every: int
    first: int
    call: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    slots: slice
    inputs: slice

    def due(self, tick: int) -> bool:
        """Whether it is called before this step."""
        return tick >= self.first and (tick - self.first) % self.every == 0

    def following(self, tick: int) -> int:
        """Its next tick after this one."""
        return self.first if tick < self.first else tick + self.every - (tick - self.first) % self.every


class StepProgram:
    """What advances the state of a simulation and sees its signals.

    Attributes:
        parameters: of network and method, with their values.
        layout: of the state.
        step: [s].
        wanted: keys of the signals that are seen.
        callers: Python functions on their clocks.
        stepped: whether every run has a time of its own and can be frozen: what `Simulator` drives.
    """

    def __init__(
        self,
        parameters: Parameters,
        layout: Layout,
        step: float,
        wanted: Sequence[Key],
        energy: bool,
        stepped: bool = False,
    ) -> None:
        self.parameters, self.layout, self.step = parameters, layout, step
        self.wanted, self.energy, self.stepped = list(wanted), energy, stepped
        self.method = parameters.method
        self.callers = self._callers()
        clocks = tuple(part.clock.ticks(step) for part in layout.network.digital.values())
        key = parameters.key("steps", clocks, tuple(wanted), tuple(layout.works), bool(layout.marks), energy, stepped)
        self.program = shared_program(key, lambda: self._program(key))
        try:
            self.program.kernel(0 if parameters.batch else 1)
        except TooLargeError as error:
            raise InputError(f"method '{self.method.title}': {error}; {self.method.instead}") from None
        self.probe = shared_program(key and ("inputs", *key), lambda: self._probe(key)) if self.callers else None

    # What it consists of.

    def seen(self, network: Network, block: Block, t: Scalar, h: Scalar) -> dict[Key, Scalar]:
        """All signals at a state, by key."""
        stage = 0 if self.method.own_steps else h
        found = observe.signals(network, block, t, stage)
        found |= {("", name): block.method[slot] for name, slot in self.method.signals(network).items()}
        return found | (energies(network, block, t, stage) if self.energy else {})

    def _program(self, key: Any) -> Program:
        layout, wanted = self.layout, self.wanted

        def function(*given: Any) -> tuple:
            network, method, (h, tick, steps, *more) = self.parameters.traced(given)
            flat, alive = more[-1], more[0] if self.stepped else None

            def mark(before: Block, after: Block, t: Scalar, stage: Scalar) -> Block:
                return observe.marked(network, before, after, t, stage) if layout.marks else after

            def one(k: Scalar, x: list) -> list:
                block, t = layout.block(x), (tick + k) * h
                ticked = block._replace(own=network.ticked(block.own, tick + k, t, self.step))
                return layout.flat(mark(block, method.step(network, ticked, t, h), t + h, h))

            if method.own_steps:
                after = layout.flat(method.span(network, layout.block(flat), tick * h, steps * h, h, mark))
            else:
                after = loop(steps, one, flat)
            if alive is not None:
                good = (alive > 0) & _sound(after)
                after = [where(good, x, y) for x, y in zip(after, flat, strict=True)]
            everything = self.seen(network, layout.block(after), (tick + steps) * h, h)
            signals = [everything[name] for name in wanted]
            return (after, signals) if alive is None else (after, where(good, 1, 0), signals)

        return Program(self.method.title, function, self._inputs(), self._outputs(), key=key)

    def _inputs(self) -> list[Port]:
        own = "varying" if self.stepped else "uniform"
        times = [Port("h", (), "s", "uniform"), Port("tick", (), "1", own), Port("steps", (), "1", "uniform")]
        return [*self.parameters.ports, *times, *([Port("alive")] if self.stepped else []), self._state()]

    def _outputs(self) -> list[Port]:
        alive = [Port("alive")] if self.stepped else []
        return [self._state(), *alive, Port("signals", (len(self.wanted),), "SI")]

    def _state(self) -> Port:
        return Port("state", (len(self.layout.slots),), "SI")

    def _callbacks(self) -> dict[str, Callback]:
        return {name: part for name, part in self.layout.network.digital.items() if isinstance(part, Callback)}

    def _probe(self, key: Any) -> Program:
        """What gives the inputs of Python functions."""

        def function(*given: Any) -> tuple:
            network, _, (h, tick, _steps, flat) = self.parameters.traced(given)
            now = network.evaluate(self.layout.block(flat).own, tick * h, h)
            inputs = [network.inputs(name, now.signals) for name in self._callbacks()]
            return ([x for ports in inputs for values in ports.values() for x in values],)

        width = max(caller.inputs.stop for caller in self.callers)
        return Program(
            f"{self.method.title}, inputs", function, self._inputs(), [Port("inputs", (width,), "SI")], key=key
        )

    def _callers(self) -> list[Caller]:
        network, made, first = self.layout.network, [], 0
        for name, part in self._callbacks().items():
            at = min(k for (owner, _), k in self.layout.places.items() if owner == name)
            slots = slice(at, at + len(network.parts[name].start()))
            inputs = slice(first, first := first + sum(part.reads.values()))
            made.append(Caller(*part.clock.ticks(self.step), partial(part.call, name), slots, inputs))
        return made

    # What it does.

    def advance(self, state: np.ndarray, tick: int, steps: int, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
        """State and signals after some steps."""
        given = self.parameters.arrays
        after, seen = self.program(*given, self.step, tick, steps, state, threads=threads)
        if not self.method.own_steps:
            return after, seen
        while (sound(after) & ~self.method.arrived(self.kept(after), steps * self.step)).any():
            after, seen = self.program(*given, self.step, tick, steps, after, threads=threads)
        for name, x in self.method.restarted().items():
            after[..., self.layout.places["", name]] = x
        return after, seen

    def kept(self, state: np.ndarray) -> Mapping[str, np.ndarray]:
        """The method's own slots of a state, by name."""
        return {name: state[..., self.layout.places["", name]] for name in self.layout.method}

    def called(self, state: np.ndarray, tick: int, threads: int | None) -> tuple[np.ndarray, int]:
        """The state after the Python functions that are due, and how many these were; all read the same state."""
        due = [caller for caller in self.callers if caller.due(tick)]
        if not due:
            return state, 0
        assert self.probe
        inputs = self.probe(*self.parameters.arrays, self.step, tick, 0, state, threads=threads)[0]
        after = state.copy()
        for caller in due:
            own = state[..., caller.slots]
            after[..., caller.slots] = caller.call(tick * self.step, own, inputs[..., caller.inputs])
        return after, len(due)


def _sound(state: Sequence[Scalar]) -> Scalar:
    """Whether a state is numbers that can mean something."""
    good = absolute(state[0]) < SENSELESS
    for x in state[1:]:
        good = good & (absolute(x) < SENSELESS)
    return good


SENSELESS = 1e60  # a state beyond it has left the numbers, though not yet to infinity


def sound(state: np.ndarray) -> np.ndarray:
    """Whether states are numbers that can mean something."""
    return (np.abs(state) < SENSELESS).all(axis=-1)
