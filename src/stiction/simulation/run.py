"""The loop: compiled steps from tick to tick of the recording clock.

state ← start; tick ← 0
for each tick of the recording clock:
    advance to it, in chunks of about a tenth of a second of wall time (there Ctrl-C and progress are seen):
        for each step:  state ← settle(method(network, state, tick · h, h));  marks ← what was seen;  tick ← tick + 1
    a run whose state is not finite stays at its last record; one run alone ends there
    keep the signals
Time is tick · h, never a sum.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, loop
from stiction.trace.program import Port, Program

LARGEST_RECORD = 2**32  # bytes
CHUNK = 0.1  # s of wall time between looks at the keyboard

Progress = Callable[[float], None]  # told the part that is done, 0 … 1


class Machine(NamedTuple):
    """What can be advanced step by step, once or for many values of some numbers.

    Attributes:
        program: takes numbers, freed numbers (if any), step, first tick, number of steps and state; gives the state after them and the signals.
        numbers: those that are not freed.
        freed: the others, (*batch, k); None if there are none.
        start: first values of the states, (slots,) or (*batch, slots).
        states: their names.
        signals: names of the signals.
        arrival: the slot that says how far a run with its own steps has come [s]; None where all steps are equal.
    """

    program: Program
    numbers: np.ndarray
    freed: np.ndarray | None
    start: np.ndarray
    states: Sequence[str]
    signals: Sequence[str]
    arrival: int | None = None

    def advance(self, state: np.ndarray, h: float, tick: int, steps: int, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
        """State and signals after some steps."""
        fixed = (self.numbers,) if self.freed is None else (self.numbers, self.freed)
        after, seen = self.program(*fixed, h, tick, steps, state, threads=threads)
        while self.arrival is not None and (np.isfinite(after).all(axis=-1) & (after[..., self.arrival] < steps * h)).any():
            after, seen = self.program(*fixed, h, tick, steps, after, threads=threads)
        if self.arrival is not None:
            after[..., self.arrival] = 0.0
        return after, seen


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    if not (0 < part < math.inf and 0 < total < math.inf) or abs(total / part - round(total / part)) > 1e-6 or round(total / part) < 1:
        raise InputError(f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s")
    return round(total / part)


def ticks(every: int, count: int) -> Iterator[int]:
    """The ticks of a clock after the first."""
    return iter(range(every, every * count + 1, every))


def follow(what: Machine, duration: float, h: float, record: float | None, threads: int | None, progress: Progress | None) -> Trajectory:
    """Advance from record to record and keep the signals."""
    every = whole("record", h if record is None else record, "step", h)
    count = whole("duration", duration, "record", every * h)
    batch = what.start.shape[:-1] if what.freed is None else np.broadcast_shapes(what.freed.shape[:-1], what.start.shape[:-1])
    kept = _room(count, batch, len(what.signals), every * h)
    state = np.broadcast_to(what.start, (*batch, what.start.shape[-1])).copy()
    kept[0] = what.advance(state, h, 0, 0, threads)[1]
    valid = np.full(batch, count)  # records until which each run is good
    status, message, done = "completed", "", 0
    pace = _Pace(progress, every * count)
    try:
        for k, tick in enumerate(ticks(every, count)):
            last = state
            state, seen = _advance(what, state, h, tick - every, tick, threads, pace)
            bad = ~np.isfinite(state).all(axis=-1)
            if bad.any():
                if status == "completed":
                    status, message = "diverged", _divergence(what, last, bad, h, tick - every, every, threads)
                valid[bad] = np.minimum(valid[bad], k)
                if not batch:
                    break
                state[bad] = last[bad]
                seen[bad] = kept[k][bad]
            kept[k + 1] = seen
            done = k + 1
    except KeyboardInterrupt:
        status, message = "interrupted", f"stopped by the user after {done * every * h:g} s of {duration:g} s"
    record_names = {name: kept[: done + 1, ..., j].copy() for j, name in enumerate(what.signals)}
    until = np.minimum(valid, done) * (every * h) if batch else None
    return Trajectory(np.arange(done + 1) * (every * h), record_names, status, message, valid_until=until)


class _Pace:
    """How many steps fit into a chunk, and who is told."""

    def __init__(self, tell: Progress | None, total: int) -> None:
        self.tell, self.total = tell, total
        self.steps = 100

    def chunk(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Chunks of steps from one tick to another; each is timed while the caller works on it."""
        while first < last:
            n = min(self.steps, last - first)
            began = time.perf_counter()
            yield first, n
            seconds = max(time.perf_counter() - began, 1e-6)
            if n == self.steps or seconds > CHUNK:
                self.steps = max(1, min(int(n * CHUNK / seconds), 10 * n))
            first += n
            if self.tell:
                self.tell(first / self.total)


def _advance(what: Machine, state: np.ndarray, h: float, first: int, last: int, threads: int | None, pace: _Pace) -> tuple[np.ndarray, np.ndarray]:
    seen = np.empty(0)
    for tick, n in [(first, last - first)] if what.arrival is not None else pace.chunk(first, last):
        state, seen = what.advance(state, h, tick, n, threads)
    return state, seen


def _room(count: int, batch: tuple[int, ...], size: int, record: float) -> np.ndarray:
    """Memory for all records, if there is enough."""
    needed = (count + 1) * math.prod(batch) * size * 8
    if needed > LARGEST_RECORD:
        fits = record * math.ceil(needed / LARGEST_RECORD)
        raise InputError(
            f"recording takes {needed / 2**30:.1f} GiB; allowed: {LARGEST_RECORD / 2**30:g} GiB. "
            f"Record every {fits:g} s instead of {record:g} s, or fewer signals"
        )
    return np.full((count + 1, *batch, size), math.nan)


def _divergence(what: Machine, state: np.ndarray, bad: np.ndarray, h: float, tick: int, steps: int, threads: int | None) -> str:
    """Which states left the numbers first, and when: the first bad step, found by halving."""
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    good, worse = 0, steps
    while worse - good > 1:
        middle = (good + worse) // 2
        after = what.advance(state, h, tick, middle, threads)[0][where]
        good, worse = (middle, worse) if np.isfinite(after).all() else (good, middle)
    after = what.advance(state, h, tick, worse, threads)[0][where]
    names = [name for name, x in zip(what.states, after, strict=True) if not math.isfinite(x)]
    which = f"run {', '.join(map(str, where))}: " if where else ""
    return (
        f"{which}{', '.join(names[:3])} left the numbers at {(tick + worse) * h:g} s; try a smaller step, softer bristles or springs, or method 'semi_implicit'"
    )


class Rule(NamedTuple):
    """How a state is advanced and seen; made for given numbers.

    Attributes:
        step: time, state and step give the next state.
        see: time, state and step give the signals.
        span: replaces `step` where a run chooses its own steps: first time, state, step and number of steps give the state.
    """

    step: Callable[[Scalar, list, Scalar], list]
    see: Callable[[Scalar, list, Scalar], list]
    span: Callable[[Scalar, list, Scalar, Scalar], list] | None = None


def machine(
    title: str,
    found: Mapping[str, float],
    values: Mapping[str, Any],
    rule: Callable[[Mapping[str, Scalar]], Rule],
    start: Mapping[str, float],
    signals: Sequence[str],
    arrival: int | None = None,
) -> Machine:
    """A program of many steps: numbers and first values named in `values` are freed, the others are the same for all."""
    given = {name: np.asarray(x, float) for name, x in values.items()}
    for name, x in given.items():
        if not np.isfinite(x).all():
            raise InputError(f"values of '{name}' are not all finite; allowed: finite numbers")
    freed = {name: x for name, x in given.items() if name in found}
    kept = [name for name in found if name not in freed]

    def function(numbers: list, *more: Any) -> tuple:
        table = dict(zip(kept, numbers, strict=True))
        if freed:
            table |= dict(zip(freed, more[0], strict=True))
        h, tick, steps, state = more[-4:]
        one = rule(table)
        if one.span:
            after = one.span(tick * h, state, h, steps)
        else:
            after = loop(steps, lambda k, x: one.step((tick + k) * h, x, h), state)
        return after, one.see((tick + steps) * h, after, h)

    ports = [Port("numbers", (len(kept),), "SI", "uniform")]
    ports += [Port("free", (len(freed),), "SI")] if freed else []
    ports += [Port(name, (), unit, "uniform") for name, unit in (("h", "s"), ("tick", "1"), ("steps", "1"))]
    state = Port("state", (len(start),), "SI")
    program = Program(title, function, [*ports, state], [state, Port("signals", (len(signals),), "SI")])
    shape = _common(given)
    columns = np.stack([np.broadcast_to(x, shape) for x in freed.values()], axis=-1) if freed else None
    first = np.array([np.broadcast_to(given.get(name, x), shape) for name, x in start.items()], float)
    return Machine(program, np.array([found[name] for name in kept]), columns, np.moveaxis(first, 0, -1).copy(), list(start), signals, arrival)


def _common(given: Mapping[str, np.ndarray]) -> tuple[int, ...]:
    """The shape of a batch."""
    try:
        return np.broadcast_shapes(*(x.shape for x in given.values())) if given else ()
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in given.items())
        raise InputError(f"the arrays in values do not fit each other: {shapes}; allowed: equal shapes, or shapes that broadcast") from None
