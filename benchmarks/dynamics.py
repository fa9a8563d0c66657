"""Forward and inverse dynamics, mass matrix and derivatives: ours against Pinocchio and MuJoCo, measured in one run.

    ./run bench dynamics [--quick] [--json]

Times are per robot. "loop" is one robot inside a compiled loop (each step needs the last one's result), "call" one robot by
one call from Python, "batch" 4096 robots by one call. Peers are called from Python, as their users call them.
"""

import math
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from measure import Report, arguments, per_item
from tests.machines import random_state, real_arm
from tests.mujoco_model import MujocoRobot
from tests.pinocchio_model import PinocchioRobot

import stiction
from stiction.dynamics import newton_euler
from stiction.robot.assembly import Assembly
from stiction.robot.dynamics import FORWARD_DYNAMICS
from stiction.robot.programs import shared_programs
from stiction.robot.substitution import Substitution
from stiction.spatial import Vector
from stiction.trace import Port, Program, loop

BATCH = 4096
COMPUTATIONS = ("forward dynamics", "inverse dynamics", "mass matrix", "forward derivatives")
PROGRAM = {
    "forward dynamics": ("forward_dynamics",),
    "inverse dynamics": ("inverse_dynamics",),
    "mass matrix": ("mass_matrix", "mass_column"),
    "forward derivatives": ("forward_dynamics_derivatives", "forward_dynamics_along", "inverse_dynamics_along"),
}


def robots() -> dict[str, stiction.Robot]:
    arms = {"UR5": real_arm("ur5")[0], "Panda": real_arm("panda")[0]}
    return arms | {f"chain {n}": stiction.library.chain(n) for n in (20, 50, 100)}


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

    inputs = [
        Port("parameters", (count,), role="uniform"),
        Port("steps", role="uniform"),
        *(Port(x, (n,)) for x in "qva"),
    ]
    return Program(what, function, inputs, [Port("state", (2 * n,))])


def compile_figures(robot: stiction.Robot, what: str, state: tuple) -> dict[str, Any]:
    """Trace and compile all that one computation needs for a batch, then find it again on disk as another process would."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        os.environ["STICTION_CACHE"] = folder
        try:
            first_call(robot, what, state)
            found = [p for p in shared_programs.values() if p.name in PROGRAM[what]]
            kernels = [k for p in found for k in p._kernels.values()]
            hit = first_call(robot, what, state)
        finally:
            os.environ["STICTION_CACHE"] = ""
    return {
        "operations": sum(sum(p.operations.values()) for p in found),
        "object [KiB]": sum(k.bytes for k in kernels) / 1024,
        "compile [s]": max(k.seconds for k in kernels),
        "hit [ms]": hit * 1e3,
    }


def first_call(robot: stiction.Robot, what: str, state: tuple) -> float:
    """Seconds of the first call in a process, but for importing and for making the robot."""
    shared_programs.clear()
    fresh = replace(robot)  # remembers no programs
    began = time.perf_counter()
    ours(fresh, what)(*(x[:16] for x in state))
    return time.perf_counter() - began


def measure(report: Report, name: str, robot: stiction.Robot, what: str, quick: bool) -> dict[str, float]:
    seconds = 0.04 if quick else 1.0
    peer = PinocchioRobot(robot)
    state = random_state(robot, 1, BATCH)
    q, v, a = (x[0] for x in state)
    size = BATCH if robot.nv <= 20 or what.endswith("dynamics") else 32 if quick else 512
    some = tuple(x[:size] for x in state)
    figures = compile_figures(robot, what, state)
    run, call = ours(robot, what), pinocchio_call(peer, what)
    functions: dict[str, tuple[Callable[[], Any], int]] = {
        "pin": (lambda: call(q, v, a), 1),
        "call": (lambda: run(q, v, a), 1),
        "batch": (lambda: run(*some), size),
        "batch all": (lambda: run(*some, threads=None), size),
    }
    if what.endswith("dynamics"):
        program, values = compiled_loop(robot, what), robot.programs.blueprint().values
        steps = 100 if robot.nv > 20 else 1000
        functions["loop"] = (lambda: program(values, steps, q, v, a), steps)
        batch = pinocchio_batch(peer, what)
        if batch:
            columns = tuple(np.asfortranarray(x.T) for x in some)
            functions["pin batch"] = (lambda: batch(*columns), size)
    if what == "forward dynamics":
        other = MujocoRobot(robot)
        other.set(q, v, a)
        functions["mujoco"] = (lambda: mujoco.mj_forward(other.model, other.data), 1)
    t = per_item(functions, seconds)
    report.row(
        "time per robot [µs]",
        robot=name,
        what=what,
        **{"pin": t["pin"] * 1e6, "pin all cores": t.get("pin batch", math.nan) * 1e6 if "pin batch" in t else None},
        mujoco=t["mujoco"] * 1e6 if "mujoco" in t else None,
        **{
            "ours call": t["call"] * 1e6,
            "loop": t["loop"] * 1e6 if "loop" in t else None,
            "batch": t["batch"] * 1e6,
            "batch all cores": t["batch all"] * 1e6,
        },
        **{"pin/loop": t["pin"] / t["loop"] if "loop" in t else None, "pin/batch": t["pin"] / t["batch"]},
    )
    report.row("programs", robot=name, what=what, **figures)
    return {**t, **{key: float(value) for key, value in figures.items()}}


def slope(times: list[float]) -> float:
    """Of time over joints, in log-log."""
    return float(np.polyfit(np.log([20, 50, 100]), np.log(times), 1)[0])


def denormals(report: Report, quick: bool) -> float:
    """A damped oscillator that decays below 1e-308 against one that stays near 1."""

    def function(h: Any, steps: Any, q: Any, v: Any) -> tuple:
        return (loop(steps, lambda _, x: [x[0] + h * x[1], x[1] - h * (x[0] + x[1] / 2)], [q, v]),)

    program = Program(
        "oscillator",
        function,
        [Port("h", role="uniform"), Port("steps", role="uniform"), Port("q"), Port("v")],
        [Port("x", (2,))],
    )
    start = np.ones(64)
    t = per_item(
        {
            "normal": (lambda: program(1e-3, 20_000, start, 0.0), 64 * 20_000),
            "denormal": (lambda: program(1e-3, 20_000, start * 1e-307, 0.0), 64 * 20_000),
        },
        0.2 if quick else 1.0,
    )
    report.row("denormals: time per step [ns]", state="from 1", step=t["normal"] * 1e9)
    report.row("denormals: time per step [ns]", state="from 1e-307 down", step=t["denormal"] * 1e9)
    return t["denormal"] / t["normal"]


def main() -> None:
    options = arguments("Dynamics: ours against Pinocchio and MuJoCo.")
    report = Report(
        f"Dynamics, float64, batch of {BATCH}, LLVM lanes against pin {pin.__version__} and MuJoCo {mujoco.__version__}",
        options.json,
    )
    results = {}
    for name, robot in robots().items():
        for what in COMPUTATIONS:
            results[name, what] = measure(report, name, robot, what, options.quick)
    for name in ("UR5", "Panda"):
        t = results[name, "forward dynamics"]
        report.target(f"forward dynamics, {name}: pin / ours in a batch on one core", t["pin"] / t["batch"], 30)
        report.target(f"forward dynamics, {name}: pin / ours in a compiled loop", t["pin"] / t["loop"], 8)
    for (name, what), t in results.items():
        if what.endswith("dynamics"):
            report.target(f"{what}, {name}: pin / ours, one robot and batch", t["pin"] / max(t["loop"], t["batch"]), 1)
        elif name in ("UR5", "Panda", "chain 20"):
            report.target(f"{what}, {name}: pin / ours in a batch", t["pin"] / t["batch"], 1)
        if name in ("Panda", "chain 100"):
            report.target(
                f"{what}, {name}: seconds to compile", t["compile [s]"], 1.5 if name == "Panda" else 12, at_least=False
            )
        report.target(f"{what}, {name}: milliseconds to load from the cache", t["hit [ms]"], 50, at_least=False)
    for what in ("forward dynamics", "inverse dynamics"):
        slopes = {how: slope([results[f"chain {n}", what][how] for n in (20, 50, 100)]) for how in ("loop", "batch")}
        report.row("growth of time from 20 to 100 joints: slope in log-log", what=what, **slopes)
        for how, value in slopes.items():
            report.target(
                f"{what}: slope over 20, 50, 100 joints in a {how} ({value:.3f}), distance from 1",
                abs(value - 1),
                0.1,
                at_least=False,
            )
    ratio = denormals(report, options.quick)
    report.target("a state that decays into denormals: time / time of a normal one", ratio, 2, at_least=False)
    report.finish()


if __name__ == "__main__":
    main()
