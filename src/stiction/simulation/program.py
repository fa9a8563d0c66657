"""The program of a simulation: some steps of a method on the state of a network, and what is seen after them."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from stiction.control.callback import Callback
from stiction.errors import InputError, TooLargeError
from stiction.network.layout import MARK, METHOD, STATE, VELOCITY, WORK, Block, Layout
from stiction.network.network import Network
from stiction.network.parameters import Parameters
from stiction.network.programs import shared_program
from stiction.simulation import observe
from stiction.simulation.energy import energies
from stiction.trace.array import Array
from stiction.trace.device import Cuda, Host
from stiction.trace.functions import Scalar, absolute, loop, where
from stiction.trace.grid import each
from stiction.trace.parameters import Key
from stiction.trace.program import Port, Program

MANY = 200  # numbers of a state and its signals from which on they are checked in a loop
NOTHING = 1e-150  # rad/s, say: a state that has died away
SENSELESS = 1e60  # a state beyond it has left the numbers, though not yet to infinity


class Caller(NamedTuple):
    """A Python function on its clock.

    Attributes:
        every: steps from call to call.
        first: steps before the first.
        call: time, states of all calls and inputs give the states after it; both are slices of larger arrays.
        slots: where its states are in the state block.
        inputs: where its inputs are among those that the probe gives.
        follows: whether what it reads depends on what another Python function decides.
    """

    every: int
    first: int
    call: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    slots: slice
    inputs: slice
    follows: bool

    def due(self, tick: int) -> bool:
        """Whether it is called before this step."""
        return tick >= self.first and (tick - self.first) % self.every == 0

    def following(self, tick: int) -> int:
        """Its next tick after this one."""
        return self.first if tick < self.first else tick + self.every - (tick - self.first) % self.every


class StepProgram:
    """What advances the state of a simulation and sees its signals: a pure function of parameters, step, run numbers,
    ticks, number of steps, state and what was seen last. A run that leaves the numbers stays where it was.

    Attributes:
        parameters: of network and method, with their values.
        layout: of the state.
        step: [s].
        wanted: keys of the signals that are seen.
        callers: Python functions on their clocks.
        device: where it runs.
    """

    def __init__(
        self,
        parameters: Parameters,
        layout: Layout,
        step: float,
        wanted: Sequence[Key],
        energy: bool,
        device: Host | Cuda,
    ) -> None:
        self.parameters, self.layout, self.step, self.device = parameters, layout, step, device
        self.wanted, self.energy = list(wanted), energy
        self.method = parameters.method
        self.callers = self._callers()
        if self.callers and device.name != "cpu":
            raise InputError(
                f"'{next(iter(self._callbacks()))}' is a Python function, which a GPU cannot call; write it as a "
                "compiled controller, or take device='cpu'"
            )
        what = ("steps", tuple(wanted), tuple(layout.works), tuple(layout.marks), energy, device.dtype.name)
        key = parameters.key(*what)
        self.program = shared_program(key, lambda: self._program(key))
        try:
            device.prepare(self.program, bool(parameters.batch))
        except TooLargeError as error:
            raise InputError(f"method '{self.method.title}': {error}; {self.method.instead}") from None
        self.clocks = [part.clock.ticks(step) for part in layout.network.digital.values()]
        ticking = self.method.own_steps and self.clocks
        self.ticker = shared_program(key and ("ticks", *key), lambda: self._ticker(key)) if ticking else None
        self.probe = shared_program(key and ("inputs", *key), lambda: self._probe(key)) if self.callers else None

    # What it consists of.

    def seen(self, network: Network, block: Block, t: Scalar, h: Scalar) -> dict[Key, Scalar]:
        """All signals at a state, by key."""
        stage = 0 if self.method.own_steps else h
        found = observe.signals(network, block, t, stage)
        found |= {("", name): block.method[slot] for name, slot in self.method.signals(network).items()}
        return found | (energies(network, block, t, stage) if self.energy else {})

    def _program(self, key: Any) -> Program:
        layout = self.layout

        def function(*given: Any) -> tuple:
            network, method, (h, seed, run, tick, steps, alive, flat, last) = self.parameters.traced(given)

            def mark(before: Block, after: Block, t: Scalar, stage: Scalar) -> Block:
                after = layout.block(self._settled(layout.flat(after)))
                return observe.marked(network, before, after, t, stage) if layout.marks else after

            def one(k: Scalar, x: list) -> list:
                block, t = layout.block(x), (tick + k) * h
                ticked = block._replace(own=network.ticked(block.own, tick + k, t, h, (seed, run)))
                return layout.flat(mark(block, method.step(network, ticked, t, h), t + h, h))

            if method.own_steps:
                after = layout.flat(method.span(network, layout.block(flat), tick * h, steps * h, h, mark))
            else:
                after = loop(steps, one, flat)
            everything = self.seen(network, layout.block(after), (tick + steps) * h, h)
            signals = [everything[name] for name in self.wanted]
            state, now, seen = self._sound(after, signals, flat, last, alive)
            moved = 0 if method.own_steps else steps  # its runs arrive after several calls
            return state, tick + where(now > 0, moved, 0), now, seen

        return Program(self.method.title, function, self._inputs(), self._outputs(), key, self.device.dtype.name)

    def _settled(self, flat: list[Scalar]) -> list[Scalar]:
        """The state, where what has died away is 0. Squares of what is left are normal numbers: those below 2.2e-308,
        of which some processors make 0 and others do not, cannot come about.
        """
        fading = [slot.kind in (VELOCITY, STATE) for slot in self.layout.slots]
        return [where(absolute(x) < NOTHING, 0, x) if fades else x for x, fades in zip(flat, fading, strict=True)]

    def _inputs(self) -> list[Port]:
        more = [Port("steps", (), "1", "uniform"), Port("alive"), self._state(), self._signals()]
        return [*self.parameters.ports, *self._moment(), *more]

    def _outputs(self) -> list[Port]:
        return [self._state(), Port("tick"), Port("alive"), self._signals()]

    def _state(self) -> Port:
        return Port("state", (len(self.layout.slots),), "SI")

    def _signals(self) -> Port:
        return Port("signals", (len(self.wanted),), "SI")

    def _callbacks(self) -> dict[str, Callback]:
        network = self.layout.network
        return {name: part for name in network.tick_order if isinstance(part := network.digital[name], Callback)}

    def _probe(self, key: Any) -> Program:
        """What gives the inputs of Python functions: what compiled parts that tick with them tell counts already."""

        def function(*given: Any) -> tuple:
            network, _, (h, seed, run, tick, flat) = self.parameters.traced(given)
            own = network.ticked(self.layout.block(flat).own, tick, tick * h, h, (seed, run))
            now = network.evaluate(own, tick * h, h)
            inputs = [network.inputs(name, now.signals) for name in self._callbacks()]
            return ([x for ports in inputs for values in ports.values() for x in values],)

        inputs = [*self.parameters.ports, *self._moment(), self._state()]
        outputs = [Port("inputs", (max(caller.inputs.stop for caller in self.callers),), "SI")]
        return Program(f"{self.method.title}, inputs", function, inputs, outputs, key, self.device.dtype.name)

    def _ticker(self, key: Any) -> Program:
        """What lets compiled parts tick, for a method with its own steps."""

        def function(*given: Any) -> tuple:
            network, _, (h, seed, run, tick, flat) = self.parameters.traced(given)
            block = self.layout.block(flat)
            return (self.layout.flat(block._replace(own=network.ticked(block.own, tick, tick * h, h, (seed, run)))),)

        inputs = [*self.parameters.ports, *self._moment(), self._state()]
        return Program(f"{self.method.title}, ticks", function, inputs, [self._state()], key, self.device.dtype.name)

    def _moment(self) -> list[Port]:
        return [Port("h", (), "s", "uniform"), Port("seed", (), "1", "uniform"), Port("run"), Port("tick")]

    def until_tick(self, tick: int, steps: int) -> int:
        """How many of some steps there are until the next tick of a clock."""
        following = [first if tick < first else tick + every - (tick - first) % every for every, first in self.clocks]
        return min([steps, *(x - tick for x in following)])

    def _callers(self) -> list[Caller]:
        """In the order in which they decide."""
        network, made, first = self.layout.network, [], 0
        for name, part in self._callbacks().items():
            at = min(k for (owner, _), k in self.layout.places.items() if owner == name)
            slots = slice(at, at + len(network.parts[name].start()))
            inputs = slice(first, first := first + sum(part.reads.values()))
            follows = bool(network.commanded_by(name) & set(self._callbacks()))
            made.append(Caller(*part.clock.ticks(self.step), partial(part.call, name), slots, inputs, follows))
        return made

    @cached_property
    def watched(self) -> list[int]:
        """Slots of the state, and signals after them, in the order in which a run is asked whether it left the
        numbers: motions first.
        """
        aside = [k for k, slot in enumerate(self.layout.slots) if slot.kind in (MARK, METHOD, WORK)]
        return [k for k in range(len(self.layout.slots) + len(self.wanted)) if k not in aside] + aside

    def _sound(
        self, state: list[Scalar], signals: list[Scalar], before: list[Scalar], last: list[Scalar], alive: Scalar
    ) -> tuple[Any, Scalar, Any]:
        """State, aliveness and signals: the new ones where all that is watched can mean something, else the old ones
        and −k, if number k of what is watched is the first that cannot.
        """
        n, many = len(state), len(state) + len(signals) >= MANY
        after, limits = [*state, *signals], [SENSELESS] * n + [math.inf] * len(signals)
        order = [(k, place, limits[place]) for k, place in reversed(list(enumerate(self.watched, 1)))]
        like = [alive] if many else None
        numbers = Array.of(after) if many else after

        def check(row: Any, carry: list[Scalar]) -> list[Scalar]:
            k, place, limit = row
            return [where(absolute(numbers[place]) < limit, carry[0], -k)]

        found: list[Scalar] = [0 * alive + 1]
        if many:
            found = loop(order, check, found)
        else:
            for row in order:
                found = check(row, found)
        now = where(alive > 0, found[0], alive)

        def kept(new: Callable[[Any], Scalar], old: Any, count: int) -> Any:
            made: Any = Array(count, [alive]) if many else [0] * count

            def choose(k: Any) -> None:
                made[k] = where(now > 0, new(k), old[k])

            each(count, choose, like)
            return made

        old, seen = (Array.of(x) if many and x else x for x in (before, last))
        return kept(lambda k: numbers[k], old, n), now, kept(lambda k: numbers[n + k], seen, len(signals))

    def left(self, alive: float) -> str:
        """What left the numbers first, by the mark of a run that is not alive."""
        k, slots = self.watched[-int(alive) - 1], self.layout.slots
        return slots[k].name if k < len(slots) else self.name(self.wanted[k - len(slots)])

    def name(self, key: Key) -> str:
        """What users call a signal."""
        return self.layout.network.labels.signal(key) if key[0] else key[1]

    def unit(self, key: Key) -> str:
        """The unit of a signal."""
        network = self.layout.network
        return network.unit(key) if key[0] else self.layout.method[self.method.signals(network)[key[1]]][1]

    @property
    def chosen(self) -> dict[str, Any]:
        """What the method chose because nobody gave it, by name: a number, or one per run."""
        values, label = self.parameters.shared | self.parameters.varying, self.layout.network.labels.parameter
        return {str(label(key)): values[key] for key in self.parameters.chosen}

    def kept(self, state: np.ndarray) -> Mapping[str, np.ndarray]:
        """The method's own slots of a state, by name."""
        return {name: state[..., self.layout.places["", name]] for name in self.layout.method}
