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

from stiction.errors import InputError, StictionError
from stiction.simulation.core import Core
from stiction.simulation.given import place_of

LARGEST_RECORD = 2**32  # bytes
TURNED = 2**16  # numbers of records that wait to be turned round
CHUNK = 0.1  # s of wall time between looks at the keyboard

Progress = Callable[[float], None]  # told the part that is done, 0 … 1


class Record(NamedTuple):
    """What a loop gives.

    Attributes:
        ticks: of the records, (T,).
        seen: signals at them, (signals, T, *batch).
        state: at the end, (*batch, slots).
        tick: of the state.
        status: "completed", "interrupted", "diverged" or "failed" (a Python function raised, or gave no numbers).
        message: what happened, where it did not complete.
        good: last good tick of each run, (*batch,).
        calls: how often Python functions were called.
        error: of the function that failed.
    """

    ticks: np.ndarray
    seen: np.ndarray
    state: np.ndarray
    tick: int
    status: str
    message: str
    good: np.ndarray
    calls: int
    error: StictionError | None = None


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    ratio = total / part if 0 < part < math.inf and 0 < total < math.inf else 0.0
    if not math.isfinite(ratio) or abs(ratio - round(ratio)) > 1e-6 or round(ratio) < 1:
        raise InputError(
            f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s"
        )
    return round(ratio)


def follow(core: Core, every: int, count: int, progress: Progress | None) -> Record:
    """Advance from tick to tick of all clocks that Python sees; keep the signals `count` times, `every` ticks apart."""
    what, began = core.program, int(core.ticks[0])
    kept = _Kept(count, len(core.state), len(what.wanted), every * what.step)
    core.advance(0)
    _check_start(core)
    kept.add(core.fetched(core.seen))
    good = np.full(len(core.state), began + every * count)
    status, message, done, calls, tick = "completed", "", 0, 0, began
    pace = _Pace(progress, began, every * count, what.method.own_steps)
    alive, failure = True, None  # all of them, so far
    try:
        while tick < began + every * count:
            until = began + ((tick - began) // every + 1) * every
            if what.callers:
                try:
                    calls += core.call(tick)
                except StictionError as error:
                    status, message, failure = "failed", str(error), error
                    break
                until = min([until, *(caller.following(tick) for caller in what.callers)])
            for n in pace.chunks(tick, until):
                core.advance(n)
                if alive and core.lost:
                    alive, status, message = False, "diverged", _divergence(core, n)
                tick += n
            if not alive:
                good[core.fetched(core.dead) & (good > began + done * every)] = began + done * every
                if not core.batch:
                    break
            if (tick - began) % every == 0:
                kept.add(core.fetched(core.seen))
                done = (tick - began) // every  # after it: what is counted is there, wherever Ctrl-C comes
    except KeyboardInterrupt:
        status = "interrupted"
        message = f"stopped by the user after {done * every * what.step:g} s of {count * every * what.step:g} s"
    ticks, batch = began + np.arange(done + 1) * every, core.batch
    seen = kept.records(done + 1).reshape(-1, done + 1, *batch)
    state = np.array(core.fetched(core.state), float).reshape(*batch, -1)
    last = np.minimum(good, ticks[-1]).reshape(batch)
    return Record(ticks, seen, state, tick, status, message, last, calls, failure)


def _check_start(core: Core) -> None:
    """Refuse a start at which a force, say, is no number."""
    if core.dead.any():
        left = core.program.left(core.alive[core.dead][0])
        raise InputError(f"{left} is no number at the start; look at the functions and values that make it")


class _Pace:
    """How many steps fit into a chunk, and who is told."""

    def __init__(self, tell: Progress | None, began: int, total: int, own_steps: bool) -> None:
        self.tell, self.began, self.total = tell, began, total
        self.steps = 100
        self.own_steps = own_steps

    def chunks(self, first: int, last: int) -> Iterator[int]:
        """Numbers of steps from one tick to another; each is timed while the caller works on it."""
        if self.own_steps:
            self.steps = last - first  # they have no fixed price
        while first < last:
            n = min(self.steps, last - first)
            began = time.perf_counter()
            yield n
            seconds = max(time.perf_counter() - began, 1e-6)
            if n == self.steps or seconds > CHUNK:
                self.steps = max(1, min(int(n * CHUNK / seconds), 10 * n))
            first += n
            if self.tell:
                self.tell((first - self.began) / self.total)


class _Kept:
    """All records, signal by signal: those of a signal lie together, so that nobody has to copy them. Some records at a
    time are turned round.
    """

    def __init__(self, count: int, runs: int, size: int, record: float) -> None:
        self.all = _room(count, runs, size, record)
        self.some = np.empty((min(count + 1, max(1, TURNED // max(1, runs * size))), runs, size))
        self.done = self.waiting = 0

    def add(self, seen: np.ndarray) -> None:
        """Keep a record."""
        self.some[self.waiting] = seen
        self.waiting += 1
        if self.waiting == len(self.some):
            self._turn()

    def _turn(self) -> None:
        n = self.waiting
        self.all[:, self.done : self.done + n] = self.some[:n].transpose(2, 0, 1)
        self.done, self.waiting = self.done + n, 0

    def records(self, count: int) -> np.ndarray:
        """The first records, (signals, count, runs); of a run that ended early in no more memory than they need."""
        self._turn()
        return self.all if count == self.all.shape[1] else self.all[:, :count].copy()


def _room(count: int, runs: int, size: int, record: float) -> np.ndarray:
    """Memory for all records, (signals, records, runs), if there is enough."""
    needed = (count + 1) * runs * size * 8
    if needed > LARGEST_RECORD:
        least = math.ceil(needed / LARGEST_RECORD)
        some = [k for k in range(1, math.isqrt(count) + 1) if count % k == 0]
        fits = record * min(k for k in (*some, *(count // k for k in some), count) if k >= min(least, count))
        raise InputError(
            f"recording takes {needed / 2**30:.1f} GiB; allowed: {LARGEST_RECORD / 2**30:g} GiB. "
            f"Record every {fits:g} s instead of {record:g} s, or fewer signals"
        )
    return np.full((size, count + 1, runs), math.nan)


def _divergence(core: Core, steps: int) -> str:
    """What left the numbers first, and when: the first bad of these steps, found by halving."""
    run = int(np.argmax(core.dead))
    alone = core.one(run)
    while steps > 1:
        alone.advance(steps // 2)
        steps = steps // 2 if alone.dead else steps - steps // 2
        alone.alive[0] = 1.0
    alone.advance(1)
    place = ", ".join(map(str, place_of(run, core.batch)))
    which = f"run {place}: " if place else ""
    advice = "try a smaller step, or softer bristles and springs, and look at torques that may be no numbers there"
    left, moment = core.program.left(alone.alive[0]), (alone.ticks[0] + 1) * core.program.step
    return f"{which}{left} left the numbers at {moment:g} s; {advice}"
