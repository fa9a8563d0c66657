"""Arms with friction in every joint: ours against MuJoCo's frictionloss and its DC motor with LuGre, measured in one run.

    ./run bench friction [--quick] [--json]

Times are per robot and step of 1 ms. MuJoCo steps from Python, one robot, each time with the faster of its integrators Euler
and implicitfast; ours is one robot and a batch of 4096 (friction levels varied) on one core.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from measure import Report, arguments, per_item
from stiction.simulation.names import names_of
from stiction.simulation.prepare import How, prepare, prepared
from stiction.simulation.run import Machine
from tests.machines import real_arm
from tests.mujoco_model import mjcf

from stiction import Coulomb, LuGre, Robot, Scene, Stribeck

STEP, BATCH, STEPS = 1e-3, 4096, 100
LAWS = {
    "rk4, Coulomb": Coulomb(level=20.0),
    "rk4, LuGre": LuGre(level=20.0, static=25.0, velocity=0.01, stiffness=5e3, damping=1.0),
    "semi_implicit, LuGre": LuGre(level=20.0, static=25.0, velocity=0.01, stiffness=5e3, damping=1.0),
    "semi_implicit, Coulomb": Coulomb(level=20.0),
    "semi_implicit, Stribeck": Stribeck(level=20.0, static=25.0, velocity=0.01, exponent=2.0, viscous=0.1),
}


def advancing(robot: Robot, name: str, values: dict[str, Any] | None) -> Machine:
    """Our program for a law and a method."""
    method = name.partition(",")[0]
    scene = Scene(
        robot=robot,
        friction=dict.fromkeys(robot.velocity_names, LAWS[name]),
        q=np.full(robot.nq, 0.3),
        v=np.full(robot.nv, 0.5),
    )
    return prepare(
        prepared(scene, method, STEP), names_of(scene), How(method=method, step=STEP), values or {}, ("q.", "v.")
    )


def caller(what: Machine, threads: int | None = 1) -> Callable[[], Any]:
    """A call that advances by STEPS steps."""
    batch = what.start.shape[:-1] if what.freed is None else what.freed.shape[:-1]
    state = np.broadcast_to(what.start, (*batch, what.start.shape[-1])).copy()
    return lambda: what.advance(state, STEP, 0, STEPS, threads)


def mujoco_caller(robot: Robot, kind: str, integrator: str) -> Callable[[], Any]:
    """A call of MuJoCo that advances by STEPS steps."""
    joints = [f"j{k}" for k in range(len(robot.mechanism.bodies))]
    text = mjcf(robot).replace(
        '<option gravity="0 0 -9.81">', f'<option gravity="0 0 -9.81" timestep="{STEP}" integrator="{integrator}">'
    )
    if kind == "frictionloss":
        text = text.replace("<joint ", '<joint frictionloss="20" ')
    else:
        motors = "".join(
            f'<dcmotor joint="{j}" motorconst="1" resistance="1" lugre="5000 1 20 25 0.01"/>' for j in joints
        )
        text = text.replace("</mujoco>", f"<actuator>{motors}</actuator></mujoco>")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)

    def call() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = 0.3, 0.5
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return call


def first_runs() -> dict[str, float]:
    """Seconds of `stiction run` on a six-joint scene, with an empty cache and again."""
    lines = ["duration = 1.0", "step = 1e-3", 'method = "moreau"', "record = 0.01", "[robot]", 'library = "puma560"']
    for k in range(1, 7):
        lines += [f"[friction.joint{k}]", 'law = "Coulomb"', "level = 5.0"]
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        scene = Path(folder) / "scene.toml"
        scene.write_text("\n".join(lines))
        for name in ("cold", "cached"):
            began = time.perf_counter()
            command = [Path(sys.executable).parent / "stiction", "run", scene]
            subprocess.run(command, check=True, capture_output=True, env=os.environ | {"STICTION_CACHE": folder})
            times[name] = time.perf_counter() - began
    return times


def main() -> None:
    options = arguments("Friction: ours against MuJoCo.")
    report = Report(f"Friction in every joint, step 1 ms, float64, against MuJoCo {mujoco.__version__}", options.json)
    seconds = 0.1 if options.quick else 1.0
    for name in ("ur5", "panda"):
        robot = real_arm(name)[0]
        functions: dict[str, tuple[Callable[[], Any], int]] = {}
        for kind in ("frictionloss", "dcmotor"):
            for integrator in ("Euler", "implicitfast"):
                functions[f"{kind} {integrator}"] = (mujoco_caller(robot, kind, integrator), STEPS)
        levels = {f"friction.{joint}.level": np.linspace(10.0, 20.0, BATCH) for joint in robot.velocity_names}
        for law in LAWS:
            functions[law] = (caller(advancing(robot, law, None)), STEPS)
            many = caller(advancing(robot, law, levels))
            functions[f"{law}, batch"] = (many, STEPS * BATCH)
        t = per_item(functions, seconds, rounds=3)
        peers = {
            kind: min(t[f"{kind} {integrator}"] for integrator in ("Euler", "implicitfast"))
            for kind in ("frictionloss", "dcmotor")
        }
        for law in LAWS:
            one, many = t[law], t[f"{law}, batch"]
            cells = {
                "MuJoCo frictionloss": peers["frictionloss"] * 1e6,
                "MuJoCo dcmotor": peers["dcmotor"] * 1e6,
                "ours": one * 1e6,
                "ours batch": many * 1e6,
            }
            report.row(
                "time per robot and step [µs]",
                robot=name,
                what=law,
                **cells,
                **{"dcmotor/ours": peers["dcmotor"] / one, "dcmotor/batch": peers["dcmotor"] / many},
            )
            report.target(f"{name}, {law}: MuJoCo dcmotor / ours, one robot", peers["dcmotor"] / one, 5)
            report.target(f"{name}, {law}: MuJoCo dcmotor / ours in a batch on one core", peers["dcmotor"] / many, 40)
    runs = first_runs()
    report.row("stiction run, six joints [s]", **runs)
    report.target("seconds of a first run of a six-joint scene", runs["cold"], 3, at_least=False)
    report.target("seconds of a run with the cache", runs["cached"], 1.5, at_least=False)
    report.finish()


if __name__ == "__main__":
    main()
