"""A step program at work: states, ticks and signals of some runs, in arrays that stay where they are."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.simulation.program import StepProgram
from stiction.trace.program import Program

LOOK = 1_000_000  # steps after which it is asked, at the latest, whether more can be counted


def most_counted(dtype: np.dtype) -> int:
    """How far ticks and numbers of runs are counted: a float32 that is larger stands still; noise has 32 bits."""
    return 2**24 if dtype.itemsize == 4 else 2**32


def check_ticks(ticks: float, dtype: np.dtype) -> None:
    """Refuse more steps than a type counts."""
    if dtype.itemsize == 4 and ticks > most_counted(dtype):
        raise InputError(
            f"these are {ticks:.0f} steps, and float32 counts {most_counted(dtype)}: its time would stand still; take "
            "dtype='float64', longer steps, or reset runs before"
        )


def check_seed(seed: Any) -> int:
    """The seed, if it is one."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**32:
        raise InputError(f"seed is {seed!r}; allowed: a whole number from 0 to 4294967295")
    return int(seed)


class Core:
    """Some runs that advance in place; what `simulate` records and what `Simulator` hands out. Its arrays are on the
    device of its program.

    Attributes:
        program: what advances them.
        batch: the shape in which the runs were given; here they are in one row.
        state: (runs, slots).
        ticks: steps since the start of each run, (runs,).
        alive: 1; below 0 where a run left the numbers and stays at its last good state (`left` tells which), (runs,).
        seen: signals after the last advance, (runs, signals).
        numbers: of the runs, (runs,).
        varying: parameters that differ from run to run, (runs, how many).
    """

    def __init__(self, program: StepProgram, state: np.ndarray, tick: Any, threads: int | None, seed: int = 0) -> None:
        self.program, self.batch, self.threads = program, state.shape[:-1], threads
        device = self.device = program.device
        runs, array = math.prod(self.batch), device.array
        self.state = array(np.reshape(state, (runs, -1)))
        self.ticks = array(np.broadcast_to(tick, self.batch).reshape(runs))
        self.alive, self.seen = array(np.ones(runs)), array(np.zeros((runs, len(program.wanted))))
        self._steps, self.numbers = device.uniform(0.0), array(np.arange(runs))
        shared, *tables = program.parameters.shared_arrays
        self._given = [device.uniform(shared), *map(device.table, tables)]
        self.varying = array(program.parameters.varying_array.reshape(runs, -1))
        self._given += [self.varying] if program.parameters.varying else []
        self._h, self._seed = device.uniform(program.step), device.uniform(float(seed))
        self._who = [self._h, self._seed, self.numbers, self.ticks]
        self._arrays = [*self._given, *self._who, self._steps, self.alive, self.state, self.seen]
        self._call = self._bound(program.program, self._arrays, [self.state, self.ticks, self.alive, self.seen])
        self._own_steps, self._room = program.method.own_steps, 0  # steps that can be counted without a look
        if program.ticker:
            self._ticked = device.array(self.state)
            self._tick = self._bound(program.ticker, [*self._given, *self._who, self.state], [self._ticked])

    def _bound(self, program: Program, arrays: list, results: list) -> Callable[[], None]:
        return self.device.bind(program, arrays, results, self.threads)

    def fetched(self, x: Any) -> np.ndarray:
        """One of its arrays, or what was made of it, as NumPy's."""
        return self.device.fetched(x)

    @property
    def dead(self) -> np.ndarray:
        """Which runs left the numbers, (runs,)."""
        return self.alive <= 0

    @property
    def lost(self) -> bool:
        """Whether some run left the numbers; asked after every record, so it is quick."""
        return bool((self.alive[0] if len(self.alive) == 1 else self.alive.min()) <= 0)

    def advance(self, steps: int) -> None:
        """Some steps of all runs; with none, the signals of the state as it is."""
        if steps > self._room:  # seldom, as a GPU has to be waited for
            ticks = float(self.ticks.max()) + steps
            check_ticks(ticks, self.device.dtype)
            self._room = steps + int(min(LOOK, abs(most_counted(self.device.dtype) - ticks)))
        self._room -= steps
        if not self._own_steps or not steps or not self.program.ticker:
            self._advance(steps)
            return
        together = bool((self.ticks == self.ticks[0]).all())
        while steps:  # its steps end at ticks
            n = self.program.until_tick(int(self.ticks[0]), steps) if together else 1
            before, alive = self.state.copy(), ~self.dead
            self._tick()
            self.state[alive] = self._ticked[alive]
            try:
                self._advance(n)
            except BaseException:
                self.state[...] = before  # it ticks again when it goes on
                raise
            steps -= n

    def _advance(self, steps: int) -> None:
        self._steps[()] = steps
        if self._own_steps:
            self._arrive(steps)
        else:
            self._call()

    def _arrive(self, steps: int) -> None:
        """A method with its own steps is called until all runs have arrived; stopped between, none has moved."""
        method, program, before = self.program.method, self.program, self.state.copy()
        try:
            self._call()
            while (~method.arrived(program.kept(self.state), steps * program.step) & ~self.dead).any():
                self._call()
        except BaseException:
            self.state[...] = before
            raise
        lost = self.dead
        self.state[lost] = before[lost]
        for name, x in method.restarted().items():
            self.state[:, program.layout.places["", name]] = x
        self.ticks += steps * ~self.dead

    def call(self, tick: int) -> int:
        """Let the Python functions that are due at a tick decide, and tell how many these were; all read the same
        bodies, and one that is commanded by another what that has just decided.
        """
        program, inputs = self.program, None
        due = [caller for caller in program.callers if caller.due(tick)]
        if not due:
            return 0
        after = self.state.copy()
        for caller in due:
            if inputs is None or caller.follows:
                assert program.probe
                inputs = program.probe(*self._given, *self._who, after, threads=self.threads)[0]
            own, reads = (x.reshape(*self.batch, -1) for x in (after[:, caller.slots], inputs[:, caller.inputs]))
            after[:, caller.slots] = caller.call(tick * program.step, own, reads).reshape(len(after), -1)
        self.state[...] = after
        return len(due)

    def one(self, run: int) -> "Core":
        """A run by itself, alive at its last good state."""
        program = copy.copy(self.program)
        values = dict(zip(program.parameters.varying, self.fetched(self.varying[run]), strict=True))
        program.parameters = program.parameters.for_runs(values, ())
        alone = Core(program, self.fetched(self.state[run]), float(self.ticks[run]), 1, int(self._seed))
        alone.numbers[0] = run
        return alone
