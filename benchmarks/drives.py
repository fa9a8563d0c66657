"""An arm with geared DC motors, friction and PID controllers: ours against MuJoCo's DC motor, measured in one run.

    ./run bench drives [--quick] [--json]

Times are per robot and step of 1 ms on one core. Ours: one robot, and a batch of 4096 with different levels.
MuJoCo: each integrator stepped from Python, by one call for all steps, and by a rollout of 64 robots on one thread; the
fastest of these counts. Motor, gear, rotor inertia, viscous friction and gains are the same. What differs: our friction
is Stribeck's, rigid, MuJoCo's is LuGre with the same curve; our controllers tick every 2 ms and hold, MuJoCo's act at
every step; our integral stands still while the voltage is at its limit, MuJoCo's goes on. A peer whose motion is not
like ours is not compared with.
"""

import mujoco
import numpy as np

from benchmarks.measure import Report, Timed, arguments, per_item
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.robots import real_arm
from benchmarks.peers.steps import BATCH, MujocoArm, Q, V, compared, judged, least, option, our_motion, our_steps
from stiction import PID, Clock, DCMotor, Drive, Gear, Robot, Scene, Stribeck
from stiction.reproduce.gears import chain_with_drives

RATIO, RESISTANCE, CONSTANT, ROTOR, VOLTAGE = 100.0, 0.5, 0.05, 1e-5, 48.0
LEVEL, STATIC, SLOW_SPEED, VISCOUS = 5.0, 6.0, 0.05, 1.0  # at the joint
STIFFNESS, DAMPING = 5000.0, 1.0  # of MuJoCo's bristles, at the joint
PROPORTIONAL, INTEGRAL, DERIVATIVE, TARGET = 200.0, 20.0, 10.0, 0.5  # volts per motion of the joint
METHODS, INTEGRATORS, SIZES = ("moreau", "gears_semi_implicit"), ("Euler", "implicitfast", "RK4"), (20, 50, 100)


def scene_of(robot: Robot) -> Scene:
    motor = DCMotor(resistance=RESISTANCE, constant=CONSTANT, rotor_inertia=ROTOR, rated_voltage=VOLTAGE)
    friction = Stribeck(level=LEVEL, static=STATIC, velocity=SLOW_SPEED, exponent=2.0, viscous=VISCOUS)
    drive = Drive(motor=motor, gear=Gear(ratio=RATIO), joint_friction=friction)
    gains = {"proportional": PROPORTIONAL, "integral": INTEGRAL, "derivative": DERIVATIVE}
    pid = PID(clock=Clock(period=2e-3), **gains, limit=VOLTAGE)
    names = robot.velocity_names
    return Scene(
        robot=robot,
        limits="ignore",
        drives=dict.fromkeys(names, drive),
        control=dict.fromkeys(names, pid),
        reference=dict.fromkeys(names, TARGET),
        q=np.full(robot.nq, Q),
        v=np.full(robot.nv, V),
    )


def motor_of(joint: str) -> str:
    """The same drive in MuJoCo: friction seen from the motor, gains as torques of the motor per its angle.

    MuJoCo's controller adds the back-EMF to its voltage; as much more damping takes it away again.
    """
    n, torque = RATIO, CONSTANT / RESISTANCE  # torque per volt
    gains = (torque * PROPORTIONAL / n, torque * INTEGRAL / n, torque * (DERIVATIVE / n + CONSTANT))
    lugre = (STIFFNESS / n**2, DAMPING / n**2, LEVEL / n, STATIC / n, SLOW_SPEED * n)
    return (
        f'<dcmotor joint="{joint}" gear="{n}" motorconst="{CONSTANT}" resistance="{RESISTANCE}" armature="{ROTOR}" '
        f'damping="{VISCOUS / n**2}" lugre="{" ".join(map(str, lugre))}" input="pos" '
        f'controller="{" ".join(map(str, gains))} 0 0 {VOLTAGE}"/>'
    )


def peer(robot: Robot, integrator: str) -> MujocoArm:
    """The arm in MuJoCo."""
    motors = "".join(motor_of(f"j{k}") for k in range(robot.nv))
    return MujocoArm(mjcf(robot, option=option(integrator), actuators=motors), RATIO * TARGET)


def against_mujoco(report: Report, seconds: float) -> None:
    """The tables and targets of the arm."""
    robot = real_arm("ur5")[0]
    scene = scene_of(robot)
    peers = {integrator: peer(robot, integrator) for integrator in INTEGRATORS}
    functions: dict[tuple[str, str], Timed] = {}
    for integrator, arm in peers.items():
        functions |= {(integrator, road): timed for road, timed in arm.roads.items()}
    levels = {f"friction.{joint}.level": np.linspace(4.0, 6.0, BATCH) for joint in robot.velocity_names}
    for method in METHODS:
        functions[method, "one"] = our_steps(scene, method)
        functions[method, "batch"] = our_steps(scene, method, levels)
    t = per_item(functions, seconds)
    motion = our_motion(scene, "moreau")
    best = {}
    for integrator, arm in peers.items():
        times = {road: t[integrator, road] for road in arm.roads}
        cells, best[integrator] = judged(arm, times, motion)
        report.row("MuJoCo, per robot and step [µs]", {"arm": "ur5", "integrator": integrator} | cells)
    against = {"fastest": least(best.values()), "RK4": best["RK4"]}
    for method in METHODS:
        show_ours(report, method, t[method, "one"], t[method, "batch"], against)


def show_ours(report: Report, method: str, one: float, many: float, against: dict[str, float | None]) -> None:
    """The row of a method, and its targets against MuJoCo's fastest integrator."""
    cells = {"arm": "ur5", "method": method} | compared(one, many, against)
    report.row("ours, per robot and step [µs], and MuJoCo over ours", cells)
    fastest = against["fastest"]
    if fastest:
        report.target(f"ur5, {method}: MuJoCo fastest / ours, one robot", fastest / one, 5)
        report.target(f"ur5, {method}: MuJoCo fastest / ours in a batch", fastest / many, 40)


def growth(report: Report, seconds: float) -> None:
    """Time of a step over the number of joints."""
    t = per_item({n: our_steps(chain_with_drives(n), "gears_semi_implicit") for n in SIZES}, seconds)
    slope = float(np.polyfit(np.log(SIZES), np.log([t[n] for n in SIZES]), 1)[0])
    cells = {"method": "gears_semi_implicit"} | {f"{n} joints": 1e6 * t[n] for n in SIZES}
    report.row("step of a chain with drives, one robot [µs]", cells | {"slope, log-log": slope})
    report.target("slope over 20, 50 and 100 joints, log-log: distance from 1", abs(slope - 1), 0.1, at_least=False)
    report.target("step of 100 joints [µs]", 1e6 * t[100], 40, at_least=False)


def main() -> None:
    options = arguments("Drives: ours against MuJoCo.")
    title = f"Geared DC motors with friction and PID, step 1 ms, float64, against MuJoCo {mujoco.__version__}"
    report = Report(title, options.json)
    against_mujoco(report, 0.1 if options.quick else 1.0)
    growth(report, 0.3 if options.quick else 2.0)
    report.finish()


if __name__ == "__main__":
    main()
