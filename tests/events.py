"""One degree of freedom with dry friction, from event to event: SciPy between them, and no code of ours."""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


class Phase(NamedTuple):
    """A stretch of time in which it sticks (direction 0) or slides one way, and its position and velocity there."""

    begin: float
    end: float
    direction: int
    motion: Callable


class Dry(NamedTuple):
    """Dry friction for positive and negative velocity: torque while sliding, as functions of the speed, and at rest."""

    sliding: tuple[Callable, Callable]
    static: tuple[float, float]


def phases(inertia, load, friction, q, v, end):
    """All phases from time 0 on; `load` is a function of time and velocity."""
    found, t, direction = [], 0.0, int(np.sign(v))
    while t < end:
        if direction == 0:
            until, direction = _held(load, friction.static, t, end)
            if until > t:
                found.append(Phase(t, until, 0, lambda _, q=q: (q, 0.0)))
            t, v = until, 1e-12 * direction
        else:
            found.append(_slid(inertia, load, friction, t, q, v, direction, end))
            t = found[-1].end
            q, v = found[-1].motion(t)
            direction = 0
    return found


def sampled(found, times):
    """Positions and velocities at some times, (2, n)."""
    rows = [next(phase for phase in found if t <= phase.end + 1e-12).motion(t) for t in times]
    return np.array(rows).T


def _held(load, static, t, end):
    """Until when the load stays below break-away, and where it goes then."""

    def excess(s):
        return max(load(s, 0.0) - static[0], -static[1] - load(s, 0.0))

    if excess(t) > 0:
        return t, int(np.sign(load(t, 0.0)))
    grid = np.linspace(t, end, max(2, int((end - t) / 1e-3)))
    for a, b in itertools.pairwise(grid):
        if excess(b) > 0:
            until = brentq(excess, a, b, xtol=1e-15)
            return until, int(np.sign(load(until, 0.0)))
    return end, 0


def _slid(inertia, load, friction, t, q, v, direction, end):
    strength = friction.sliding[0 if direction > 0 else 1]

    def rates(s, y):
        return [y[1], (load(s, y[1]) - direction * strength(max(direction * y[1], 0.0))) / inertia]

    def stops(_, y):
        return direction * y[1]

    stops.terminal, stops.direction = True, -1
    how = {"events": stops, "dense_output": True, "rtol": 1e-10, "atol": 1e-13, "max_step": 0.01}
    solution = solve_ivp(rates, (t, end), [q, v], **how)
    return Phase(t, float(solution.t[-1]), direction, lambda s: tuple(solution.sol(s)))
