"""Arms with geared DC motors, Stribeck friction and PID controllers: ours against MuJoCo's DC motor, measured in one run.

    ./run bench drives [--quick] [--json]

Times are per robot and step of 1 ms; our controllers tick every 2 ms inside the program, MuJoCo's motors get a constant voltage and LuGre friction (it has no
Stribeck friction), stepped from Python with the faster of Euler and implicitfast. Ours is one robot and a batch of 4096 (friction levels varied) on one core.
"""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from friction import caller
from measure import Report, arguments, per_item
from stiction.simulation.names import names_of
from stiction.simulation.prepare import How, prepare, prepared
from stiction.simulation.run import Machine
from tests.machines import real_arm
from tests.mujoco_model import mjcf

from stiction import PID, Clock, DCMotor, Drive, Gear, Robot, Scene, Stribeck
from stiction.reproduce.gears import seconds_per_step

STEP, BATCH, STEPS = 1e-3, 4096, 100
MOTOR = DCMotor(resistance=0.5, constant=0.05, rotor_inertia=1e-5, rated_voltage=48.0)
DRIVE = Drive(
    motor=MOTOR,
    gear=Gear(ratio=100.0),
    joint_friction=Stribeck(level=5.0, static=6.0, velocity=0.05, exponent=2.0, viscous=1.0),
)


def advancing(robot: Robot, method: str, values: dict[str, Any]) -> Machine:
    """Our program."""
    pid = PID(clock=Clock(period=2e-3), proportional=200.0, integral=20.0, derivative=10.0, limit=48.0, target=0.5)
    names = robot.velocity_names
    scene = Scene(
        robot=robot,
        drives=dict.fromkeys(names, DRIVE),
        control=dict.fromkeys(names, pid),
        q=np.full(robot.nq, 0.3),
        v=np.full(robot.nv, 0.5),
    )
    arrays = {name: np.asarray(x, float) for name, x in values.items()}
    return prepare(prepared(scene, method, STEP), names_of(scene), How(method=method, step=STEP), arrays, ("q.", "v."))


def mujoco_caller(robot: Robot, integrator: str) -> Callable[[], Any]:
    """A call of MuJoCo that advances by STEPS steps."""
    joints = [f"j{k}" for k in range(len(robot.mechanism.bodies))]
    text = mjcf(robot).replace(
        '<option gravity="0 0 -9.81">', f'<option gravity="0 0 -9.81" timestep="{STEP}" integrator="{integrator}">'
    )
    motors = "".join(
        f'<dcmotor joint="{j}" gear="100" motorconst="0.05" resistance="0.5" lugre="0.5 1e-4 0.05 0.06 5"/>'
        for j in joints
    )
    model = mujoco.MjModel.from_xml_string(text.replace("</mujoco>", f"<actuator>{motors}</actuator></mujoco>"))
    data = mujoco.MjData(model)

    def call() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = 0.3, 0.5
        data.ctrl[:] = 5.0
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return call


def main() -> None:
    options = arguments("Drives: ours against MuJoCo.")
    report = Report(
        f"Geared DC motors with friction and PID, step 1 ms, float64, against MuJoCo {mujoco.__version__}", options.json
    )
    robot = real_arm("ur5")[0]
    functions: dict[str, tuple[Callable[[], Any], int]] = {
        name: (mujoco_caller(robot, name), STEPS) for name in ("Euler", "implicitfast")
    }
    levels = {f"friction.{joint}.level": np.linspace(4.0, 6.0, BATCH) for joint in robot.velocity_names}
    for method in ("moreau", "gears_semi_implicit"):
        functions[method] = (caller(advancing(robot, method, {})), STEPS)
        functions[f"{method}, batch"] = (caller(advancing(robot, method, levels)), STEPS * BATCH)
    t = per_item(functions, 0.1 if options.quick else 1.0, rounds=3)
    peer = min(t["Euler"], t["implicitfast"])
    for method in ("moreau", "gears_semi_implicit"):
        one, many = t[method], t[f"{method}, batch"]
        cells = {
            "MuJoCo dcmotor": peer * 1e6,
            "ours": one * 1e6,
            "ours batch": many * 1e6,
            "dcmotor/ours": peer / one,
            "dcmotor/batch": peer / many,
        }
        report.row("time per robot and step [µs]", robot="ur5", method=method, **cells)
        report.target(f"ur5, {method}: MuJoCo dcmotor / ours, one robot", peer / one, 5)
        report.target(f"ur5, {method}: MuJoCo dcmotor / ours in a batch on one core", peer / many, 40)
    sizes = (20, 50, 100)
    times = [seconds_per_step(n, "gears_semi_implicit", 100) for n in sizes]
    report.row(
        "semi-implicit step with Runge–Kutta–Gill, one robot [µs]",
        **{f"{n} joints": 1e6 * x for n, x in zip(sizes, times, strict=True)},
    )
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    report.target("slope over 20, 50 and 100 joints, log-log: distance from 1", abs(slope - 1), 0.1, at_least=False)
    report.target("semi-implicit step at 100 joints [µs]", 1e6 * times[-1], 40, at_least=False)
    report.finish()


if __name__ == "__main__":
    main()
