"""Closed loops: time per step beside MuJoCo's `equality` and Pinocchio's `constraintDynamics`, measured in one run.

    ./run bench loops [--quick] [--json]

A four-bar linkage, a parallel gripper (six joints, two loops, geared) and a Stewart platform (24 velocities, 18 rows,
friction in the legs; ours alone), steps of 1 ms, one core, after compilation. Ours: `moreau` and `rk4`, one mechanism
and a batch. MuJoCo: all steps in one call, RK4 and its fastest integrator. Pinocchio has no steps: one call of its
constrained dynamics from Python, of which a step of Runge–Kutta takes four. How far constraints open is told beside.
"""

from typing import Any

import mujoco
import numpy as np

from benchmarks.measure import Report, arguments, per_item
from benchmarks.peers.mechanisms import SOFTER, STIFF, InPinocchio, four_bar, gripper, in_mujoco, stewart, without
from benchmarks.peers.steps import core_of, steps_of

STEP, STEPS, RUNS = 1e-3, 1000, 1024


def ours(scene: Any, method: str, seconds: float) -> tuple[float, float, float]:
    """Time per step [s] of one mechanism and of one in a batch, and the largest gap."""
    one = core_of(scene, method, STEP, ["constraint_gap"])
    many = core_of(scene, method, STEP, ["constraint_gap"], {"gravity.x": np.linspace(-0.1, 0.1, RUNS)})
    few = 20
    times = per_item({"one": (steps_of(one, STEPS), STEPS), "batch": (steps_of(many, few), few * RUNS)}, seconds)
    return times["one"], times["batch"], float(one.seen.max())


def mujocos(scene: Any, integrator: str, seconds: float) -> tuple[float, float]:
    """Time per step [s], and the largest gap of its sites [m] in a second."""
    model, data = in_mujoco(scene, STEP, integrator, STIFF if integrator == "RK4" else SOFTER)
    gap = 0.0
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        pins = [k for k in range(model.neq) if model.eq_type[k] == mujoco.mjtEq.mjEQ_CONNECT]
        ends = data.site_xpos[[[model.eq_obj1id[k], model.eq_obj2id[k]] for k in pins]]
        gap = max(gap, float(abs(ends[:, 0] - ends[:, 1]).max()))
    steps = {"steps": (lambda: mujoco.mj_step(model, data, STEPS), STEPS)}
    return per_item(steps, seconds)["steps"], gap


def main() -> None:
    options = arguments(__doc__)
    report = Report("closed loops", options.json)
    seconds = 0.5 if options.quick else 3.0
    scenes = {"four-bar": four_bar(v={"crank": 2.0}), "gripper": gripper(v={"left_crank": 1.0})}
    for name, scene in scenes.items():
        found = {method: ours(scene, method, seconds) for method in ("moreau", "rk4")}
        peers = {integrator: mujocos(scene, integrator, seconds) for integrator in ("RK4", "implicitfast")}
        plain = InPinocchio(without(scene, "gears"))
        n = len(scene.v)
        call = {"call": (lambda p=plain, s=scene, n=n: p.acceleration(s.q, s.v, np.zeros(n)), 1)}
        pinocchio = per_item(call, seconds)["call"]
        for method, (one, batch, gap) in found.items():
            report.row(name, {"": f"ours, {method}", "µs a step": 1e6 * one, "in a batch": 1e6 * batch, "gap": gap})
        for integrator, (time, gap) in peers.items():
            report.row(name, {"": f"MuJoCo, {integrator}", "µs a step": 1e6 * time, "in a batch": None, "gap": gap})
        words = {"": "Pinocchio, one call", "µs a step": 1e6 * pinocchio, "in a batch": None, "gap": None}
        report.row(name, words)
        report.target(f"{name}: moreau beside MuJoCo's fastest", peers["implicitfast"][0] / found["moreau"][0], 5.0)
        report.target(f"{name}: rk4 beside MuJoCo's RK4", peers["RK4"][0] / found["rk4"][0], 5.0)
        report.target(f"{name}: largest gap", max(x[2] for x in found.values()), 1e-9, at_least=False)
    for method in ("moreau", "rk4"):
        one, batch, gap = ours(stewart(), method, seconds)
        cells = {"": f"ours, {method}", "µs a step": 1e6 * one, "in a batch": 1e6 * batch, "gap": gap}
        report.row("Stewart platform", cells)
    report.finish()


if __name__ == "__main__":
    main()
