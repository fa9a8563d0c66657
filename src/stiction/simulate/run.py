"""Running a network: compiled steps in chunks from record to record.

state ← start
for each record:
    for each step up to it:  state ← settle(method(flow, state, tick · h, h));  tick ← tick + 1
    stop if the state is not finite;  keep the record
Ctrl-C between records ends the run; what was done is kept
"""

import math
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.simulate.integrate import METHODS
from stiction.simulate.network import Network
from stiction.simulate.trajectory import Trajectory
from stiction.trace.functions import Scalar, loop
from stiction.trace.program import Port, Program


def run_network(network: Network, *, duration: float, step: float, record: float | None = None, method: str = "rk4") -> Trajectory:
    """Simulate a network from its start.

    Args:
        network: the parts and wires.
        duration: [s]; a whole number of records.
        step: of the method [s].
        record: time between records [s], a whole number of steps; every step by default.
        method: "euler", "rk4" or "gill".

    Example:
        >>> from stiction.simulate.bodies import Mass
        >>> from stiction.simulate.network import Network
        >>> run = run_network(Network(parts={"ball": Mass(mass=1.0, velocity=2.0)}), duration=1.0, step=0.01, record=0.5)
        >>> run["ball.position"].round(6).tolist()
        [0.0, 1.0, 2.0]
    """
    if method not in METHODS:
        raise InputError(f"method is {method!r}; allowed: {', '.join(map(repr, METHODS))}")
    stride = whole("record", step if record is None else record, "step", step)
    count = whole("duration", duration, "record", stride * step)
    program, numbers = compiled(network, method)
    states = np.full((count + 1, len(network.start)), math.nan)
    states[0] = list(network.start.values())
    status, message, done = "completed", "", count
    try:
        for k in range(count):
            states[k + 1] = program(numbers, step, k * stride, stride, states[k])[0]
            if not np.isfinite(states[k + 1]).all():
                bad = [name for name, x in zip(network.start, states[k + 1], strict=True) if not math.isfinite(x)]
                status, done = "diverged", k
                message = f"{', '.join(bad[:3])} left the numbers between {k * stride * step:g} and {(k + 1) * stride * step:g} s; try a smaller step"
                break
    except KeyboardInterrupt:
        status, done = "interrupted", int(np.isfinite(states).all(axis=1).sum()) - 1
        message = f"stopped by the user after {done * stride * step:g} s of {duration:g} s"
    kept = states[: done + 1]
    return Trajectory(np.arange(done + 1) * (stride * step), dict(zip(network.start, kept.T.copy(), strict=True)), status, message)


def compiled(network: Network, method: str) -> tuple[Program, np.ndarray]:
    """The program that advances a network, and the numbers of its parts."""
    found: dict[str, float] = {}
    network.with_numbers(found.setdefault)
    names, values = list(found), list(found.values())
    size = len(network.start)

    def function(numbers: list, h: Scalar, tick: Scalar, steps: Scalar, state: list) -> tuple:
        table = dict(zip(names, numbers, strict=True))
        traced = network.with_numbers(lambda name, _: table[name])

        def one(k: Scalar, x: list) -> list:
            return traced.settle(METHODS[method](traced.flow, x, (tick + k) * h, h))

        return (loop(steps, one, state),)

    uniform: list[Any] = [Port("numbers", (len(names),), "SI", "uniform"), *(Port(n, (), u, "uniform") for n, u in (("h", "s"), ("tick", "1"), ("steps", "1")))]
    return Program("network", function, [*uniform, Port("state", (size,), "SI")], [Port("state", (size,), "SI")]), np.array(values)


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    if not (part > 0 and total > 0) or abs(total / part - round(total / part)) > 1e-6:
        raise InputError(f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s")
    return round(total / part)
