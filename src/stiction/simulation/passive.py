"""The motion of a robot left to itself: no torques, no friction, only gravity and inertia."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.robot.motion import GRAVITY, ROADS, gravity_port
from stiction.robot.numbers import Assembly
from stiction.robot.programs import Formula, prepared
from stiction.robot.robot import Robot
from stiction.simulation.integrate import runge_kutta_4
from stiction.simulation.run import whole
from stiction.spatial import Vector
from stiction.trace.functions import loop, sqrt
from stiction.trace.program import Kernel, Port


@dataclass(frozen=True)
class Fall:
    """What a robot left to itself did.

    Attributes:
        time: of the records [s], (T,).
        q: positions [rad or m], (T, nq).
        v: velocities [rad/s or m/s], (T, nv).
        kinetic: kinetic energy [J], (T,).
        potential: potential energy [J], (T,).
        steps: how many steps were taken.
        seconds: wall time of the stepping [s].
        kernel: the machine code that ran.
    """

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    steps: int
    seconds: float
    kernel: Kernel

    @property
    def energy_drift(self) -> float:
        """Largest change of the total energy, relative to the largest kinetic energy."""
        total = self.kinetic + self.potential
        return float(np.abs(total - total[0]).max() / max(self.kinetic.max(), np.finfo(float).tiny))


def fall(robot: Robot, q: Any, v: Any, *, duration: float, step: float, record: float | None = None, gravity: Any = GRAVITY) -> Fall:
    """Let a robot move freely from a state, with Runge–Kutta 4.

    Args:
        robot: the robot.
        q: positions at the start [rad or m], (nq,).
        v: velocities at the start [rad/s or m/s], (nv,).
        duration: [s]; a whole number of records.
        step: of the integration [s].
        record: time between records [s]; a whole number of steps. By default every step.
        gravity: acceleration of free fall [m/s²], (3,).
    """
    record = step if record is None else record
    stride, count = whole("record", record, "step", step), whole("duration", duration, "record", record)
    run, numbers = prepared(robot, "passive_motion", (), (), lambda: _advance(robot))
    states = np.full((count + 1, robot.nq + robot.nv), np.nan)
    if np.shape(q) != (robot.nq,) or np.shape(v) != (robot.nv,):
        raise InputError(f"q and v have shapes {np.shape(q)} and {np.shape(v)}; robot '{robot.name}' needs ({robot.nq},) and ({robot.nv},)")
    states[0] = np.concatenate([np.asarray(q, float), np.asarray(v, float)])
    kernel = run.kernel(1)
    began = time.perf_counter()
    for k in range(count):
        states[k + 1] = run(numbers, gravity, step, stride, states[k])[0]
    seconds = time.perf_counter() - began
    q, v = states[:, : robot.nq], states[:, robot.nq :]
    times = np.arange(count + 1) * stride * step
    return Fall(times, q, v, robot.kinetic_energy(q, v), robot.potential_energy(q, gravity=gravity), count * stride, seconds, kernel)


def _advance(robot: Robot) -> Formula:
    """`steps` steps of the state (q, v)."""
    nq, nv = robot.nq, robot.nv

    def function(r: Assembly, g: list, h: Any, steps: Any, state: list) -> tuple:
        road = ROADS[robot.forward_road]

        def flow(x: list, _t: Any, _step: Any) -> list:
            q, v = x[:nq], x[nq:]
            return [*r.mechanism.position_rates(q, v), *road(r.mechanism, q, v, [0] * nv, Vector(*g))]

        def one(_index: Any, x: list) -> list:
            moved = runge_kutta_4(flow, x, 0, h)
            return [*_unit_quaternions(r, moved[:nq]), *moved[nq:]]

        return (loop(steps, one, state),)

    inputs = (gravity_port(), Port("step", (), "s", "uniform"), Port("steps", (), "1", "uniform"), Port("state", (nq + nv,)))
    return Formula(inputs, (Port("state", (nq + nv,)),), function)


def _unit_quaternions(r: Assembly, q: list) -> list:
    q = list(q)
    for body in r.mechanism.bodies:
        if body.quaternion:
            w = q[body.quaternion]
            size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3])
            q[body.quaternion] = [x / size for x in w]
    return q
