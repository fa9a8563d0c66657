"""Running a network: compiled steps in chunks from record to record.

state ← start
for each record:
    for each step up to it:  state ← settle(method(flow, state, tick · h, h));  tick ← tick + 1
    stop if the state is not finite;  keep the record
Ctrl-C between records ends the run; what was done is kept
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network
from stiction.simulation.trajectory import Trajectory
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
        >>> from stiction.simulation.bodies import Mass
        >>> from stiction.simulation.network import Network
        >>> run = run_network(Network(parts={"ball": Mass(mass=1.0, velocity=2.0)}), duration=1.0, step=0.01, record=0.5)
        >>> run["ball.position"].round(6).tolist()
        [0.0, 1.0, 2.0]
    """
    if method not in METHODS:
        raise InputError(f"method is {method!r}; allowed: {', '.join(map(repr, METHODS))}")
    program, numbers = compiled(network, method)
    return follow(Steps(program, numbers, list(network.start), list(network.start.values())), duration, step, record)


class Steps(NamedTuple):
    """What can be advanced step by step.

    Attributes:
        program: takes numbers, step, first tick, number of steps and state; gives the state after them.
        numbers: of the parts.
        names: of the states.
        start: first values of the states.
    """

    program: Program
    numbers: np.ndarray
    names: Sequence[str]
    start: Sequence[float]


def follow(what: Steps, duration: float, step: float, record: float | None) -> Trajectory:
    """Advance from record to record and keep the states; stops early when they leave the numbers, or at Ctrl-C."""
    stride = whole("record", step if record is None else record, "step", step)
    count = whole("duration", duration, "record", stride * step)
    states = np.full((count + 1, len(what.start)), math.nan)
    states[0] = what.start
    status, message, done = "completed", "", 0
    try:
        for k in range(count):
            states[k + 1] = what.program(what.numbers, step, k * stride, stride, states[k])[0]
            if not np.isfinite(states[k + 1]).all():
                bad = [name for name, x in zip(what.names, states[k + 1], strict=True) if not math.isfinite(x)]
                between = f"between {k * stride * step:g} and {(k + 1) * stride * step:g} s"
                status, message = "diverged", f"{', '.join(bad[:3])} left the numbers {between}; try a smaller step"
                break
            done = k + 1
    except KeyboardInterrupt:
        status, message = "interrupted", f"stopped by the user after {done * stride * step:g} s of {duration:g} s"
    kept = states[: done + 1]
    return Trajectory(np.arange(done + 1) * (stride * step), dict(zip(what.names, kept.T.copy(), strict=True)), status, message)


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

    return Program("network", function, stepping_ports(len(names), size), [Port("state", (size,), "SI")]), np.array(values)


def stepping_ports(numbers: int, states: int) -> Sequence[Port]:
    """What every program that advances a state takes."""
    scalars = [Port(name, (), unit, "uniform") for name, unit in (("h", "s"), ("tick", "1"), ("steps", "1"))]
    return [Port("numbers", (numbers,), "SI", "uniform"), *scalars, Port("state", (states,), "SI")]


def whole(long: str, total: float, short: str, part: float) -> int:
    """How many parts make up the total, if that is a whole number."""
    if not (part > 0 and total > 0) or abs(total / part - round(total / part)) > 1e-6:
        raise InputError(f"{long} is {total:g} s and {short} {part:g} s; allowed: positive times, {long} a whole number of {short}s")
    return round(total / part)
