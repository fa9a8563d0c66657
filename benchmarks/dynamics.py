"""Forward and inverse dynamics, mass matrix and derivatives: ours against Pinocchio and MuJoCo, measured in one run.

    ./run bench dynamics [--quick] [--json]

Times are per robot. "loop" is one robot inside a compiled loop (each step needs the last one's result), "call" one
robot by one call from Python, "batch" 4096 robots by one call. Peers are called from Python, as their users call them.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

import stiction
from benchmarks.measure import Report, Timed, arguments, cache_folder, per_item, seconds_of
from benchmarks.peers.mujoco_model import MujocoRobot
from benchmarks.peers.pinocchio_model import PinocchioRobot
from benchmarks.peers.robots import random_state, real_arm
from stiction.dynamics import newton_euler
from stiction.robot.assembly import Assembly
from stiction.robot.dynamics import FORWARD_DYNAMICS
from stiction.robot.programs import shared_programs
from stiction.robot.substitution import Substitution
from stiction.spatial import Vector
from stiction.trace import Port, Program, loop
from stiction.trace.sources import sources

BATCH, SIZES = 4096, (20, 50, 100)
COMPUTATIONS = ("forward dynamics", "inverse dynamics", "mass matrix", "forward derivatives")
PROGRAM = {
    "forward dynamics": ("forward_dynamics",),
    "inverse dynamics": ("inverse_dynamics",),
    "mass matrix": ("mass_matrix",),
    "forward derivatives": ("forward_dynamics_derivatives",),
}
HEADS = ("pin", "pin all cores", "mujoco", "ours call", "loop", "batch", "batch all cores")


def robots() -> dict[str, stiction.Robot]:
    arms = {"UR5": real_arm("ur5")[0], "Panda": real_arm("panda")[0]}
    return arms | {f"chain {n}": stiction.library.chain(n) for n in SIZES}


def ours(robot: stiction.Robot, what: str) -> Callable[..., Any]:
    return {
        "forward dynamics": robot.forward_dynamics,
        "inverse dynamics": robot.inverse_dynamics,
        "mass matrix": lambda q, v, a, **more: robot.mass_matrix(q, **more),
        "forward derivatives": robot.forward_dynamics_derivatives,
    }[what]


def pinocchio_call(peer: PinocchioRobot, what: str) -> Callable[..., Any]:
    model, data = peer.model, peer.data
    return {
        "forward dynamics": lambda q, v, a: pin.aba(model, data, q, v, a),
        "inverse dynamics": lambda q, v, a: pin.rnea(model, data, q, v, a),
        "mass matrix": lambda q, v, a: pin.crba(model, data, q),
        "forward derivatives": lambda q, v, a: pin.computeABADerivatives(model, data, q, v, a),
    }[what]


def pinocchio_batch(peer: PinocchioRobot, what: str) -> Callable[..., Any] | None:
    """Pinocchio's own parallel batch, where the wheel has it."""
    name = {"forward dynamics": "abaInParallel", "inverse dynamics": "rneaInParallel"}.get(what, "")
    if not hasattr(pin, name):
        return None
    cores = os.cpu_count() or 1
    pool = pin.ModelPool(peer.model, cores)
    return lambda q, v, a: getattr(pin, name)(cores, pool, q, v, a)


def compiled_loop(robot: stiction.Robot, what: str) -> Program:
    """One robot, many steps: the next step needs the result of the last, as in a simulation."""
    n, count = robot.nv, len(robot.programs.blueprint().values)

    def function(values: list, steps: Any, q: list, v: list, a: list) -> tuple:
        m = Assembly(robot, Substitution(lambda k, _, __: values[k])).mechanism
        g = Vector(0, 0, -9.81)

        def step(_: Any, state: list) -> list:
            q, v = state[:n], state[n:]
            if what == "forward dynamics":
                change = FORWARD_DYNAMICS[robot.forward_method](m, q, v, a, g)
            else:
                change = newton_euler.inverse_dynamics(m, q, v, a, g)
            return [*q, *(x + 1e-9 * y for x, y in zip(v, change, strict=True))]

        return (loop(steps, step, [*q, *v]),)

    shared = [Port("parameters", (count,), role="uniform"), Port("steps", role="uniform")]
    return Program(what, function, [*shared, *(Port(x, (n,)) for x in "qva")], [Port("state", (2 * n,))])


def compile_figures(robot: stiction.Robot, what: str, state: tuple) -> dict[str, float]:
    """Trace and compile all that a computation needs for a batch, then find it on disk as another process would."""
    with cache_folder():
        first_call(robot, what, state)
        found = [p for p in shared_programs.values() if p.name in PROGRAM[what]]
        kernels = [k for p in found for k in p._kernels.values()]
        hit = min(first_call(robot, what, state) for _ in range(5))
    return {
        "operations": float(sum(sum(p.operations.values()) for p in found)),
        "object [KiB]": sum(k.bytes for k in kernels) / 1024,
        "compile [s]": max(k.seconds for k in kernels),
        "hit [ms]": hit * 1e3,
    }


def first_call(robot: stiction.Robot, what: str, state: tuple) -> float:
    """Seconds of the first call in a process, but for importing and for making the robot."""
    shared_programs.clear()
    fresh = replace(robot)  # remembers no programs
    return seconds_of(lambda: ours(fresh, what)(*(x[:2] for x in state)))


def functions_of(robot: stiction.Robot, what: str, state: tuple, size: int) -> dict[str, Timed]:
    """All that is timed for one robot and computation."""
    peer = PinocchioRobot(robot)
    q, v, a = (x[0] for x in state)
    some = tuple(x[:size] for x in state)
    run, call = ours(robot, what), pinocchio_call(peer, what)
    functions: dict[str, Timed] = {
        "pin": (lambda: call(q, v, a), 1),
        "ours call": (lambda: run(q, v, a), 1),
        "batch": (lambda: run(*some), size),
        "batch all cores": (lambda: run(*some, threads=None), size),
    }
    if what.endswith("dynamics"):
        program, values = compiled_loop(robot, what), robot.programs.blueprint().values
        steps = 100 if robot.nv > 20 else 1000
        functions["loop"] = (lambda: program(values, steps, q, v, a), steps)
        batch = pinocchio_batch(peer, what)
        if batch:
            columns = tuple(np.asfortranarray(x.T) for x in some)
            functions["pin all cores"] = (lambda: batch(*columns), size)
    if what == "forward dynamics":
        other = MujocoRobot(robot)
        other.set(q, v, a)
        functions["mujoco"] = (lambda: mujoco.mj_forward(other.model, other.data), 1)
    return functions


def measure(report: Report, name: str, robot: stiction.Robot, what: str, quick: bool) -> dict[str, float]:
    """Rows for one robot and computation; times [s] and figures of the programs."""
    state = random_state(robot, 1, BATCH)
    size = BATCH if robot.nv <= 20 or what.endswith("dynamics") else 32 if quick else 512
    figures = compile_figures(robot, what, state)
    t = per_item(functions_of(robot, what, state, size), 0.04 if quick else 1.0)
    cells = {head: 1e6 * t[head] if head in t else None for head in HEADS}
    ratios = {f"pin/{how}": t["pin"] / t[how] if how in t else None for how in ("loop", "batch")}
    report.row("time per robot [µs]", {"robot": name, "what": what, **cells, **ratios})
    report.row("programs", {"robot": name, "what": what, **figures})
    return t | figures


def slopes(report: Report, results: dict[tuple[str, str], dict[str, float]]) -> None:
    """Growth of time with the joints, in log-log."""
    for what in ("forward dynamics", "inverse dynamics"):
        cells = {}
        for how in ("loop", "batch"):
            times = [results[f"chain {n}", what][how] for n in SIZES]
            cells[how] = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
        report.row("slope of time over 20, 50 and 100 joints, log-log", {"what": what, **cells})


def denormals(report: Report, quick: bool) -> None:
    """A damped oscillator that decays below 1e-308 against one that stays near 1."""

    def function(h: Any, steps: Any, q: Any, v: Any) -> tuple:
        return (loop(steps, lambda _, x: [x[0] + h * x[1], x[1] - h * (x[0] + x[1] / 2)], [q, v]),)

    inputs = [Port("h", role="uniform"), Port("steps", role="uniform"), Port("q"), Port("v")]
    program = Program("oscillator", function, inputs, [Port("x", (2,))])
    start, steps = np.ones(64), 20_000
    functions: dict[str, Timed] = {
        "from 1": (lambda: program(1e-3, steps, start, 0.0), 64 * steps),
        "from 1e-307 down": (lambda: program(1e-3, steps, start * 1e-307, 0.0), 64 * steps),
    }
    t = per_item(functions, 0.2 if quick else 1.0)
    for state, time in t.items():
        report.row("denormals: time per step [ns]", {"state": state, "step": time * 1e9})
    ratio = t["from 1e-307 down"] / t["from 1"]
    report.target("a state that decays into denormals: time / time of a normal one", ratio, 2, at_least=False)


def targets(report: Report, results: dict[tuple[str, str], dict[str, float]]) -> None:
    for name in ("UR5", "Panda"):
        t = results[name, "forward dynamics"]
        report.target(f"forward dynamics, {name}: pin / ours in a batch on one core", t["pin"] / t["batch"], 30)
        report.target(f"forward dynamics, {name}: pin / ours in a compiled loop", t["pin"] / t["loop"], 8)
    for (name, what), t in results.items():
        where = f"{what}, {name}"
        if what.endswith("dynamics"):
            report.target(f"{where}: pin / ours, one robot and batch", t["pin"] / max(t["loop"], t["batch"]), 1)
        else:
            report.target(f"{where}: pin / ours in a batch", t["pin"] / t["batch"], 1)
        most = 0.6 if name.startswith("chain") else 1.2  # looped, unrolled
        report.target(f"{where}: seconds to compile", t["compile [s]"], most, at_least=False)
        report.target(f"{where}: milliseconds to load from the cache", t["hit [ms]"], 50, at_least=False)


def main() -> None:
    options = arguments("Dynamics: ours against Pinocchio and MuJoCo.")
    peers = f"pin {pin.__version__} and MuJoCo {mujoco.__version__}"
    report = Report(f"Dynamics, float64, batch of {BATCH}, LLVM lanes against {peers}", options.json)
    results = {}
    with cache_folder():
        sources()  # reading the package's own code, once in a process, is no part of compiling
    for name, robot in robots().items():
        for what in COMPUTATIONS:
            results[name, what] = measure(report, name, robot, what, options.quick)
    targets(report, results)
    slopes(report, results)
    denormals(report, options.quick)
    report.finish()


if __name__ == "__main__":
    main()
