"""Running a network: compiled steps in chunks from record to record.

state ← start
for each record:
    for each step up to it:  state ← settle(method(flow, state, tick · h, h));  tick ← tick + 1
    stop if the state is not finite;  keep the record
Ctrl-C between records ends the run; what was done is kept
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import InputError, unknown
from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, loop
from stiction.trace.program import Port, Program

LARGEST_RECORD = 2**32  # bytes


def run_network(network: Network, *, duration: float, step: float, record: float | None = None, method: str = "rk4") -> Trajectory:
    """Simulate a network from its start.

    Args:
        network: the parts and wires.
        duration: [s]; a whole number of records.
        step: of the method [s].
        record: time between records [s], a whole number of steps; every step by default.
        method: "euler", "rk4" or "gill".

    Example:
        >>> from stiction.simulation.bodies import Mass
        >>> from stiction.simulation.network import Network
        >>> run = run_network(Network(parts={"ball": Mass(mass=1.0, velocity=2.0)}), duration=1.0, step=0.01, record=0.5)
        >>> run["ball.position"].round(6).tolist()
        [0.0, 1.0, 2.0]
    """
    if method not in METHODS:
        raise InputError(f"method is {method!r}; allowed: {', '.join(map(repr, METHODS))}")
    return follow(compiled(network, method), duration, step, record)


class Steps(NamedTuple):
    """What can be advanced step by step, once or for many values of some numbers.

    Attributes:
        program: takes numbers, freed numbers (if any), step, first tick, number of steps and state; gives the state after them.
        numbers: those that are not freed.
        freed: the others, (*batch, k); None if there are none.
        names: of the states.
        start: first values of the states.
    """

    program: Program
    numbers: np.ndarray
    freed: np.ndarray | None
    names: Sequence[str]
    start: Sequence[float]


def follow(what: Steps, duration: float, step: float, record: float | None, threads: int | None = 1) -> Trajectory:
    """Advance from record to record and keep the states; stops early when they leave the numbers, or at Ctrl-C.

    In a batch, a run that leaves the numbers stays at its last record and the others go on.
    """
    stride = whole("record", step if record is None else record, "step", step)
    count = whole("duration", duration, "record", stride * step)
    batch = () if what.freed is None else what.freed.shape[:-1]
    states = _room(count, batch, len(what.start), stride * step)
    states[0] = what.start
    valid = np.full(batch, count)  # records until which each run is good
    fixed = (what.numbers,) if what.freed is None else (what.numbers, what.freed)
    status, message, done = "completed", "", 0
    try:
        for k in range(count):
            states[k + 1] = what.program(*fixed, step, k * stride, stride, states[k], threads=threads)[0]
            bad = ~np.isfinite(states[k + 1]).all(axis=-1)
            if bad.any():
                if status == "completed":
                    status, message = "diverged", _divergence(what, states[k + 1], bad, k * stride * step, stride * step)
                valid[bad] = np.minimum(valid[bad], k)
                if not batch:
                    break
                states[k + 1][bad] = states[k][bad]
            done = k + 1
    except KeyboardInterrupt:
        status, message = "interrupted", f"stopped by the user after {done * stride * step:g} s of {duration:g} s"
    signals = {name: states[: done + 1, ..., j].copy() for j, name in enumerate(what.names)}
    until = np.minimum(valid, done) * (stride * step) if batch else None
    return Trajectory(np.arange(done + 1) * (stride * step), signals, status, message, valid_until=until)


def _room(count: int, batch: tuple[int, ...], size: int, record: float) -> np.ndarray:
    """Memory for all records, if there is enough."""
    needed = (count + 1) * math.prod(batch) * size * 8
    if needed > LARGEST_RECORD:
        fits = record * math.ceil(needed / LARGEST_RECORD)
        raise InputError(f"recording takes {needed / 2**30:.1f} GiB; allowed: {LARGEST_RECORD / 2**30:g} GiB. Record every {fits:g} s instead of {record:g} s")
    return np.full((count + 1, *batch, size), math.nan)


def _divergence(what: Steps, state: np.ndarray, bad: np.ndarray, t: float, record: float) -> str:
    """Which states left the numbers first, and when."""
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    names = [name for name, x in zip(what.names, state[where], strict=True) if not math.isfinite(x)]
    which = f"run {', '.join(map(str, where))}: " if where else ""
    return f"{which}{', '.join(names[:3])} left the numbers between {t:g} and {t + record:g} s; try a smaller step"


def compiled(network: Network, method: str, values: Mapping[str, Any] | None = None, plain: Callable[[str], str] = str) -> Steps:
    """The program that advances a network; `values` frees numbers, under the names that `plain` gives to the network's."""
    found: dict[str, float] = {}
    network.with_numbers(lambda name, x: found.setdefault(plain(name), x))

    def advance(numbers: Mapping[str, Scalar], h: Scalar) -> Callable[[Scalar, list], list]:
        traced = network.with_numbers(lambda name, _: numbers[plain(name)])
        return lambda t, x: traced.settle(METHODS[method](traced.flow, x, t, h))

    return stepping("network", found, values, advance, list(network.start), list(network.start.values()))


Advance = Callable[[Mapping[str, Scalar], Scalar], Callable[[Scalar, list], list]]  # numbers, step -> (time, state) -> next state


def stepping(title: str, found: Mapping[str, float], values: Mapping[str, Any] | None, advance: Advance, names: Sequence[str], start: Sequence[float]) -> Steps:
    """A program of many steps: numbers in `values` are freed, the others are the same for all."""
    freed = dict(values or {})
    for name in freed:
        if name not in found:
            raise InputError(unknown("number", name, "this simulation", found))
    kept = [name for name in found if name not in freed]

    def function(numbers: list, *more: Any) -> tuple:
        table = dict(zip(kept, numbers, strict=True))
        if freed:
            table |= dict(zip(freed, more[0], strict=True))
        h, tick, steps, state = more[-4:]
        one = advance(table, h)
        return (loop(steps, lambda k, x: one((tick + k) * h, x), state),)

    ports = [Port("numbers", (len(kept),), "SI", "uniform")]
    ports += [Port("free", (len(freed),), "SI")] if freed else []
    ports += [Port(name, (), unit, "uniform") for name, unit in (("h", "s"), ("tick", "1"), ("steps", "1"))]
    state = Port("state", (len(start),), "SI")
    columns = np.stack(np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, float)) for x in freed.values())), axis=-1) if freed else None
    return Steps(Program(title, function, [*ports, state], [state]), np.array([found[name] for name in kept]), columns, names, start)


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    if not (part > 0 and total > 0) or abs(total / part - round(total / part)) > 1e-6:
        raise InputError(f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s")
    return round(total / part)
