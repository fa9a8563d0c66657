"""Work and precision: how exact one simulated second is, and how long it takes; ours by all methods, and MuJoCo's.

    ./run bench precision [--quick] [--json]      print the tables, and draw docs/precision.png

UR5 and Panda on geared DC motors with Coulomb and viscous friction in every joint, under PD controllers on a clock of
2 ms that let every joint swing. One robot on one core, float64. The error is the largest distance of any joint at any
tick from `gears_implicit` at 5 µs. MuJoCo has the same masses, rotors, back-EMF as damping, and frictionloss; its time
is that of its steps alone, without the controllers, which are Python here and compiled in ours.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from benchmarks.measure import Report, arguments
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.robots import real_arm
from benchmarks.peers.steps import core_of
from stiction import PID, Clock, Coulomb, DCMotor, Drive, Gear, Robot, Scene, simulate
from stiction.methods import DEFAULT, METHODS
from stiction.show.figure import save, style, subplots
from stiction.trace import sin

TICK, TIME, RATIO = 2e-3, 1.0, 100.0
STEPS = (2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
K, R, ROTOR, VOLTS = 0.1, 1.0, 2e-5, 48.0  # of the motors [N·m/A, Ω, kg m², V]
LEVELS = (10.0, 10.0, 6.0, 3.0, 3.0, 3.0, 3.0)  # of friction [N·m]
VISCOUS, GAIN, DAMPING, SWING = 1.0, 60.0, 6.0, 0.5  # N·m·s/rad, V/rad, V·s/rad, rad
FIGURE = Path(__file__).parent.parent / "docs" / "precision.png"
GREYS = {"MuJoCo Euler": "0.1", "MuJoCo implicitfast": "0.4", "MuJoCo RK4": "0.65"}
OURS = ("moreau", "gears_implicit", "gears_semi_implicit", "rk4", "gill", "euler")


def speeds(robot: Robot) -> np.ndarray:
    """How fast the joints swing [rad/s]."""
    return np.linspace(4.0, 8.0, robot.nv)


def scene_of(robot: Robot) -> Scene:
    """The arm with its drives and controllers."""
    drives, control, reference = {}, {}, {}
    for name, level, w in zip(robot.velocity_names, LEVELS, speeds(robot), strict=False):
        friction = Coulomb(level=level, viscous=VISCOUS)
        motor = DCMotor(resistance=R, constant=K, rotor_inertia=ROTOR, rated_voltage=VOLTS)
        drives[name] = Drive(motor=motor, gear=Gear(ratio=RATIO), joint_friction=friction)
        gains = {"proportional": GAIN, "derivative": DAMPING, "limit": VOLTS}
        control[name] = PID(clock=Clock(period=TICK), **gains)
        reference[name] = lambda t, w=w: 0.3 + SWING * sin(w * t)
    servos = {"drives": drives, "control": control, "reference": reference}
    return Scene(robot=robot, limits="ignore", **servos, q=np.full(robot.nq, 0.3))


class MujocoArm:
    """The same arm in MuJoCo."""

    def __init__(self, robot: Robot, integrator: str, step: float) -> None:
        motors = "".join(f'<motor joint="j{k}"/>' for k in range(robot.nv))
        option = f'timestep="{step}" integrator="{integrator}"'
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot, option=option, actuators=motors))
        self.model.dof_armature[:] += RATIO**2 * ROTOR
        self.model.dof_damping[:] = (K * RATIO) ** 2 / R + VISCOUS
        self.model.dof_frictionloss[:] = LEVELS[: robot.nv]
        self.data, self.every, self.speeds = mujoco.MjData(self.model), round(TICK / step), speeds(robot)
        self.data.qpos[:] = 0.3

    def run(self) -> tuple[float, np.ndarray]:
        """Seconds of computing, and positions at all ticks."""
        seconds, path = 0.0, [self.data.qpos.copy()]
        for tick in range(round(TIME / TICK)):
            target = 0.3 + SWING * np.sin(self.speeds * tick * TICK)
            volts = np.clip(GAIN * (target - self.data.qpos) - DAMPING * self.data.qvel, -VOLTS, VOLTS)
            self.data.ctrl[:] = K * RATIO / R * volts
            began = time.perf_counter()
            mujoco.mj_step(self.model, self.data, self.every)
            seconds += time.perf_counter() - began
            path.append(self.data.qpos.copy())
        return seconds, np.array(path)


def ours(scene: Scene, method: str, step: float, rounds: int) -> tuple[float, np.ndarray]:
    """Best seconds of computing, and positions at all ticks."""
    run = simulate(scene, duration=TIME, step=step, method=method, record=TICK, signals=["q."])
    best = float("inf")
    for _ in range(rounds):
        core = core_of(scene, method, step, ["q."])
        began = time.perf_counter()
        core.advance(round(TIME / step))
        best = min(best, time.perf_counter() - began)
    return best, run.stack("q.")


def peer(robot: Robot, integrator: str, step: float, rounds: int) -> tuple[float, np.ndarray]:
    """The same of MuJoCo."""
    runs = [MujocoArm(robot, integrator, step).run() for _ in range(rounds)]
    return min(seconds for seconds, _ in runs), runs[0][1]


def points(report: Report, name: str, robot: Robot, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Times and errors by method."""
    scene = scene_of(robot)
    how: dict[str, Any] = {"duration": TIME, "record": TICK, "signals": ["q."]}
    exact = simulate(scene, step=5e-6, method="gears_implicit", **how).stack("q.")
    found: dict[str, list[tuple[float, float]]] = {}
    for method in (*OURS, *GREYS):
        for step in STEPS:
            if method in METHODS:
                seconds, path = ours(scene, method, step, rounds)
            else:
                seconds, path = peer(robot, method.removeprefix("MuJoCo "), step, rounds)
            error = float(np.abs(path - exact).max())
            found.setdefault(method, []).append((seconds, error))
        cells = {
            f"{1e3 * h:g} ms": f"{1e3 * s:.3g} ms, {e:.1e}" for h, (s, e) in zip(STEPS, found[method], strict=True)
        }
        report.row(f"{name}: time of one simulated second, and error [rad], by step", {"method": method} | cells)
    return found


def draw(found: dict[str, dict[str, list[tuple[float, float]]]]) -> Any:
    """Error over time, one panel for each arm."""
    with style():
        picture, panels = subplots(len(found), 4.2 * len(found), sharex=False)
        for ax, (name, methods) in zip(panels, found.items(), strict=True):
            for method, pairs in methods.items():
                seconds, errors = zip(*pairs, strict=True)
                marks = {"color": GREYS[method], "marker": "s", "ls": "--"} if method in GREYS else {"marker": "o"}
                label = f"{method} (the default)" if method == DEFAULT else method
                ax.loglog(1e3 * np.array(seconds), errors, label=label, ms=4, **marks)
            ax.set(title=f"{name}, one simulated second at 2 to 0.1 ms", ylabel="largest error of a joint [rad]")
            ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
            ax.set_xlabel("time of computing, one core [ms]")
    return picture


def better(ours: Sequence[tuple[float, float]], theirs: Sequence[tuple[float, float]]) -> float:
    """How many times less time ours takes for what is as exact as the peer at its best."""
    best = min(error for _, error in theirs)
    cost = min(seconds for seconds, error in theirs if error == best)
    enough = [seconds for seconds, error in ours if error <= best]
    return cost / min(enough) if enough else 0.0


def main() -> None:
    options = arguments("Work and precision.")
    report = Report(f"Work and precision, against MuJoCo {mujoco.__version__}", options.json)
    found = {}
    for name, file in (("UR5", "ur5"), ("Panda", "panda")):
        found[name] = points(report, name, real_arm(file)[0], 2 if options.quick else 7)
        for theirs in GREYS:
            ratio = better(found[name]["moreau"], found[name][theirs])
            report.target(f"{name}: {theirs} at its best / the default, as exact", ratio, 1)
    save(draw(found), FIGURE)
    report.finish()


if __name__ == "__main__":
    main()
