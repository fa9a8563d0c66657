"""The loop: compiled steps from tick to tick of the recording clock.

state ← start; tick ← 0
until the end:
    controllers that are Python functions are called, if their clocks tick
    advance to the next tick of their clocks or of the recording clock, in chunks of about a tenth of a second of wall time
    (there Ctrl-C and progress are seen); for each step:
        compiled controllers whose clocks tick read the state and decide
        state ← settle(method(network, state, tick · h, h));  marks ← what was seen;  tick ← tick + 1
    a run whose state is not finite stays at its last record; one run alone ends there
    if the recording clock ticks, keep the signals
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
SENSELESS = 1e60  # a state beyond it has left the numbers, though not yet to infinity
CHUNK = 0.1  # s of wall time between looks at the keyboard

Progress = Callable[[float], None]  # told the part that is done, 0 … 1


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
        callers: Python functions on their clocks.
        probe: gives their inputs, from what `program` takes.
        hidden: signals that are kept for remarks only.
    """

    program: Program
    numbers: np.ndarray
    freed: np.ndarray | None
    start: np.ndarray
    states: Sequence[str]
    signals: Sequence[str]
    arrival: int | None = None
    callers: Sequence[Caller] = ()
    probe: Program | None = None
    hidden: Sequence[str] = ()

    def advance(self, state: np.ndarray, h: float, tick: int, steps: int, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
        """State and signals after some steps."""
        fixed = (self.numbers,) if self.freed is None else (self.numbers, self.freed)
        after, seen = self.program(*fixed, h, tick, steps, state, threads=threads)
        while self.arrival is not None and (_sound(after) & (after[..., self.arrival] < steps * h)).any():
            after, seen = self.program(*fixed, h, tick, steps, after, threads=threads)
        if self.arrival is not None:
            after[..., self.arrival] = 0.0
        return after, seen


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    if not (0 < part < math.inf and 0 < total < math.inf) or abs(total / part - round(total / part)) > 1e-6 or round(total / part) < 1:
        raise InputError(f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s")
    return round(total / part)


def follow(what: Machine, duration: float, h: float, record: float | None, threads: int | None, progress: Progress | None) -> Trajectory:
    """Advance from tick to tick of all clocks that Python sees, and keep the signals at those of the recording clock."""
    every = whole("record", h if record is None else record, "step", h)
    count = whole("duration", duration, "record", every * h)
    batch = what.start.shape[:-1] if what.freed is None else np.broadcast_shapes(what.freed.shape[:-1], what.start.shape[:-1])
    kept = _room(count, batch, len(what.signals), every * h)
    state = np.broadcast_to(what.start, (*batch, what.start.shape[-1])).copy()
    kept[0] = what.advance(state, h, 0, 0, threads)[1]
    _check_start(what, kept[0])
    valid = np.full(batch, count)  # records until which each run is good
    status, message, done, calls = "completed", "", 0, 0
    pace = _Pace(progress, every * count)
    try:
        tick = 0
        while tick < every * count:
            state, called = _called(what, state, h, tick, threads)
            calls += called
            last, began = state, tick
            tick = min([(tick // every + 1) * every, *(caller.following(tick) for caller in what.callers)])
            state, seen = _advance(what, state, h, began, tick, threads, pace)
            bad = ~(_sound(state) & np.isfinite(seen).all(axis=-1))
            if bad.any():
                if status == "completed":
                    status, message = "diverged", _divergence(what, last, bad, h, began, tick - began, threads)
                valid[bad] = np.minimum(valid[bad], done)
                if not batch:
                    break
                state[bad] = last[bad]
                seen[bad] = kept[done][bad]
            if tick % every == 0:
                done = tick // every
                kept[done] = seen
    except KeyboardInterrupt:
        status, message = "interrupted", f"stopped by the user after {done * every * h:g} s of {duration:g} s"
    signals = {name: kept[: done + 1, ..., j].copy() for j, name in enumerate(what.signals)}
    until = np.minimum(valid, done) * (every * h) if batch else None
    return Trajectory(np.arange(done + 1) * (every * h), signals, status, message, valid_until=until, calls=calls)


def _check_start(what: Machine, seen: np.ndarray) -> None:
    """Refuse a start at which a force, say, is no number."""
    wrong = [name for j, name in enumerate(what.signals) if not np.isfinite(seen[..., j]).all()]
    if wrong:
        raise InputError(f"{', '.join(wrong[:3])} is no number at the start; look at the functions and values that make it")


def _called(what: Machine, state: np.ndarray, h: float, tick: int, threads: int | None) -> tuple[np.ndarray, int]:
    """The state after the Python functions that are due; all read the same state."""
    due = [caller for caller in what.callers if caller.due(tick)]
    if not due:
        return state, 0
    assert what.probe
    fixed = (what.numbers,) if what.freed is None else (what.numbers, what.freed)
    inputs = what.probe(*fixed, h, tick, 0, state, threads=threads)[0]
    after = state.copy()
    for caller in due:
        after[..., caller.slots] = caller.call(tick * h, state[..., caller.slots], inputs[..., caller.inputs])
    return after, len(due)


def _sound(state: np.ndarray) -> np.ndarray:
    """Whether states are numbers that can mean something."""
    return (np.abs(state) < SENSELESS).all(axis=-1)


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
    if what.arrival is not None:
        pace.steps = last - first  # a run with its own steps has no fixed price per step
    for tick, n in pace.chunk(first, last):
        state, seen = what.advance(state, h, tick, n, threads)
    return state, seen


def _room(count: int, batch: tuple[int, ...], size: int, record: float) -> np.ndarray:
    """Memory for all records, if there is enough."""
    needed = (count + 1) * math.prod(batch) * size * 8
    if needed > LARGEST_RECORD:
        fits = record * next(k for k in range(math.ceil(needed / LARGEST_RECORD), count + 1) if count % k == 0 or k == count)
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
        good, worse = (middle, worse) if _sound(after) else (good, middle)
    after, seen = (x[where] for x in what.advance(state, h, tick, worse, threads))
    bad_ones = [name for name, x in zip(what.states, after, strict=True) if not abs(x) < SENSELESS]
    bad_ones += [name for name, x in zip(what.signals, seen, strict=True) if not math.isfinite(x) and not bad_ones]
    names = [name for name in bad_ones if not name.startswith("slot ")] or ["a state"]
    which = f"run {', '.join(map(str, where))}: " if where else ""
    advice = "try a smaller step, or softer bristles and springs, and look at torques that may be no numbers there"
    return f"{which}{', '.join(names[:3])} left the numbers at {(tick + worse) * h:g} s; {advice}"


class Rule(NamedTuple):
    """How a state is advanced and seen; made for given numbers.

    Attributes:
        step: number of the step, state and step give the next state.
        see: time, state and step give the signals.
        inputs: time, state and step give the inputs of Python functions.
        span: replaces `step` where a run chooses its own steps: first time, state, step and number of steps give the state.
    """

    step: Callable[[Scalar, list, Scalar], list]
    see: Callable[[Scalar, list, Scalar], list]
    inputs: Callable[[Scalar, list, Scalar], list]
    span: Callable[[Scalar, list, Scalar, Scalar], list] | None = None


def machine(
    title: str,
    found: Mapping[str, float],
    values: Mapping[str, Any],
    rule: Callable[[Mapping[str, Scalar]], Rule],
    start: Mapping[str, float],
    signals: Sequence[str],
    arrival: int | None = None,
    callers: Sequence[Caller] = (),
) -> Machine:
    """A program of many steps: numbers and first values named in `values` are freed, the others are the same for all."""
    given = {name: np.asarray(x, float) for name, x in values.items()}
    freed = {name: x for name, x in given.items() if name in found}
    kept = [name for name in found if name not in freed]

    def unpacked(numbers: list, *more: Any) -> tuple:
        table = dict(zip(kept, numbers, strict=True))
        if freed:
            table |= dict(zip(freed, more[0], strict=True))
        return rule(table), *more[-4:]

    def function(*given: Any) -> tuple:
        one, h, tick, steps, state = unpacked(*given)
        if one.span:
            after = one.span(tick * h, state, h, steps)
        else:
            after = loop(steps, lambda k, x: one.step(tick + k, x, h), state)
        return after, one.see((tick + steps) * h, after, h)

    def asked(*given: Any) -> tuple:
        one, h, tick, _, state = unpacked(*given)
        return (one.inputs(tick * h, state, h),)

    ports = [Port("numbers", (len(kept),), "SI", "uniform")]
    ports += [Port("free", (len(freed),), "SI")] if freed else []
    ports += [Port(name, (), unit, "uniform") for name, unit in (("h", "s"), ("tick", "1"), ("steps", "1"))]
    state = Port("state", (len(start),), "SI")
    program = Program(title, function, [*ports, state], [state, Port("signals", (len(signals),), "SI")])
    width = max((caller.inputs.stop for caller in callers), default=0)
    probe = Program(f"{title}, inputs", asked, [*ports, state], [Port("inputs", (width,), "SI")]) if callers else None
    shape = _common(given)
    columns = np.stack([np.broadcast_to(x, shape) for x in freed.values()], axis=-1) if freed else None
    first = np.array([np.broadcast_to(given.get(name, x), shape) for name, x in start.items()], float)
    return Machine(program, np.array([found[name] for name in kept]), columns, np.moveaxis(first, 0, -1).copy(), list(start), signals, arrival, callers, probe)


def _common(given: Mapping[str, np.ndarray]) -> tuple[int, ...]:
    """The shape of a batch."""
    try:
        return np.broadcast_shapes(*(x.shape for x in given.values())) if given else ()
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in given.items())
        raise InputError(f"the arrays in values do not fit each other: {shapes}; allowed: equal shapes, or shapes that broadcast") from None
