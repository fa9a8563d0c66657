"""The loop: compiled steps from tick to tick of the recording clock.

state ← start; tick ← tick of the start until the end: controllers that are Python functions are called, if their clocks
    tick advance to the next tick of their clocks or of the recording clock, in chunks of about a tenth of a second of
    wall time (there Ctrl-C and progress are seen); for each step:
        compiled controllers whose clocks tick read the state and decide
        state ← settle(method(network, state, tick · h, h));  marks ← what was seen;  tick ← tick + 1
    a run whose state is not finite stays at its last record; one run alone ends there
    if the recording clock ticks, keep the signals
Time is tick · h, never a sum.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.network.labels import full
from stiction.simulation.program import SENSELESS, StepProgram, sound

LARGEST_RECORD = 2**32  # bytes
CHUNK = 0.1  # s of wall time between looks at the keyboard

Progress = Callable[[float], None]  # told the part that is done, 0 … 1


class Record(NamedTuple):
    """What a loop gives.

    Attributes:
        ticks: of the records, (T,).
        seen: signals at them, (T, *batch, signals).
        state: at the end, (*batch, slots).
        tick: of the state.
        status: "completed", "interrupted" or "diverged".
        message: what happened, where it did not complete.
        good: last good tick of each run, (*batch,).
        calls: how often Python functions were called.
    """

    ticks: np.ndarray
    seen: np.ndarray
    state: np.ndarray
    tick: int
    status: str
    message: str
    good: np.ndarray
    calls: int


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    ratio = total / part if 0 < part < math.inf and 0 < total < math.inf else 0.0
    if abs(ratio - round(ratio)) > 1e-6 or round(ratio) < 1:
        raise InputError(
            f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s"
        )
    return round(ratio)


def follow(
    what: StepProgram,
    start: np.ndarray,
    began: int,
    every: int,
    count: int,
    threads: int | None,
    progress: Progress | None,
) -> Record:
    """Advance from tick to tick of all clocks that Python sees; keep the signals `count` times, `every` ticks apart."""
    batch = start.shape[:-1]
    kept = _room(count, batch, len(what.wanted), every * what.step)
    state = start.copy()
    kept[0] = what.advance(state, began, 0, threads)[1]
    _check_start(what, kept[0])
    good = np.full(batch, began + every * count)
    lost = np.zeros(batch, bool)  # runs that left the numbers: they stay where they were
    status, message, done, calls, tick = "completed", "", 0, 0, began
    pace = _Pace(progress, began, every * count)
    try:
        while tick < began + every * count:
            last, called = what.called(state, tick, threads)
            calls += called
            first = tick
            boundary = began + ((tick - began) // every + 1) * every
            until = min([boundary, *(caller.following(tick) for caller in what.callers)])
            state, seen = _advance(what, last, first, until, threads, pace)
            bad = ~(sound(state) & np.isfinite(seen).all(axis=-1)) & ~lost
            if bad.any():
                if status == "completed":
                    status, message = "diverged", _divergence(what, last, bad, first, until - first, threads)
                good[bad] = began + done * every
                lost |= bad
            state[lost] = last[lost]
            if lost.any() and not batch:
                break
            seen[lost] = kept[done][lost]
            tick = until
            if (tick - began) % every == 0:
                done = (tick - began) // every
                kept[done] = seen
    except KeyboardInterrupt:
        status = "interrupted"
        message = f"stopped by the user after {done * every * what.step:g} s of {count * every * what.step:g} s"
    ticks = began + np.arange(done + 1) * every
    return Record(ticks, kept[: done + 1], state, tick, status, message, np.minimum(good, ticks[-1]), calls)


def _check_start(what: StepProgram, seen: np.ndarray) -> None:
    """Refuse a start at which a force, say, is no number."""
    wrong = [key for j, key in enumerate(what.wanted) if not np.isfinite(seen[..., j]).all()]
    if wrong:
        names = ", ".join(map(what.layout.network.labels.signal, wrong[:3]))
        raise InputError(f"{names} is no number at the start; look at the functions and values that make it")


class _Pace:
    """How many steps fit into a chunk, and who is told."""

    def __init__(self, tell: Progress | None, began: int, total: int) -> None:
        self.tell, self.began, self.total = tell, began, total
        self.steps = 100

    def chunks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
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
                self.tell((first - self.began) / self.total)


def _advance(
    what: StepProgram, state: np.ndarray, first: int, last: int, threads: int | None, pace: _Pace
) -> tuple[np.ndarray, np.ndarray]:
    seen = np.empty(0)
    if what.method.own_steps:
        pace.steps = last - first  # a run with its own steps has no fixed price per step
    for tick, n in pace.chunks(first, last):
        state, seen = what.advance(state, tick, n, threads)
    return state, seen


def _room(count: int, batch: tuple[int, ...], size: int, record: float) -> np.ndarray:
    """Memory for all records, if there is enough."""
    needed = (count + 1) * math.prod(batch) * size * 8
    if needed > LARGEST_RECORD:
        least = math.ceil(needed / LARGEST_RECORD)
        fits = record * next(k for k in range(least, count + 1) if count % k == 0 or k == count)
        raise InputError(
            f"recording takes {needed / 2**30:.1f} GiB; allowed: {LARGEST_RECORD / 2**30:g} GiB. "
            f"Record every {fits:g} s instead of {record:g} s, or fewer signals"
        )
    return np.full((count + 1, *batch, size), math.nan)


def _divergence(
    what: StepProgram, state: np.ndarray, bad: np.ndarray, tick: int, steps: int, threads: int | None
) -> str:
    """Which states left the numbers first, and when: the first bad step, found by halving."""
    run = tuple(int(i) for i in np.argwhere(bad)[0])
    good, worse = 0, steps
    while worse - good > 1:
        middle = (good + worse) // 2
        after = what.advance(state, tick, middle, threads)[0][run]
        good, worse = (middle, worse) if sound(after) else (good, middle)
    after, seen = (x[run] for x in what.advance(state, tick, worse, threads))
    slots = zip(what.layout.slots, after, strict=True)
    names = [slot.name for slot, x in slots if not abs(x) < SENSELESS and slot.kind not in ("mark", "method", "work")]
    labels = what.layout.network.labels
    unseen = [
        labels.signal(key) if key[0] else full(key)
        for key, x in zip(what.wanted, seen, strict=True)
        if not math.isfinite(x)
    ]
    which = f"run {', '.join(map(str, run))}: " if run else ""
    advice = "try a smaller step, or softer bristles and springs, and look at torques that may be no numbers there"
    left = ", ".join((names or unseen or ["a state"])[:3])
    return f"{which}{left} left the numbers at {(tick + worse) * what.step:g} s; {advice}"
