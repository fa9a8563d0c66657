"""Large robots with friction in every joint: ours against MuJoCo, measured in one run.

    ./run bench large [--quick] [--json]

Humanoids float, and fall; chains hang. Times are per robot and step of 1 ms on one core: ours one robot, and a batch of
4096 with different levels; MuJoCo's a rollout of 64 robots on one thread, frictionloss, by its faster integrator. Both
begin with all joints in motion; how far their joints are apart after 100 steps is told. How large the programs of a
chain of 100 joints are, with motors and controllers and all signals, and how long they take to trace and compile.
"""

import re
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.measure import Report, Timed, arguments, per_item
from benchmarks.peers.mujoco_model import MujocoRobot, mjcf
from benchmarks.peers.robots import humanoid
from benchmarks.peers.steps import BATCH, ROLLED, STATE, STEP, STEPS, core_of, option, steps_of
from stiction import PID, Clock, Coulomb, DCMotor, Drive, Gear, LuGre, Robot, Scene, library
from stiction.robot.joint import SINGLE

SPEED, HUMANOIDS, CHAINS = 0.3, ("talos", "g1"), (20, 50, 100)
WANTED = 20  # times the speed of MuJoCo, of a humanoid in a batch


def scene_of(robot: Robot, level: float) -> Scene:
    """A robot whose joints move."""
    joints = [joint.name for joint in robot.joints if joint.kind in SINGLE]
    v = dict.fromkeys(joints, SPEED)
    return Scene(robot=robot, limits="ignore", friction=dict.fromkeys(joints, Coulomb(level=level)), v=v)


class Peer:
    """The same robot in MuJoCo."""

    def __init__(self, robot: Robot, level: float, integrator: str) -> None:
        text = mjcf(robot, option=option(integrator), joint=f'frictionloss="{level}"')
        text = re.sub(r'(type="free"[^/]*?) frictionloss="[^"]*"', r"\1", text)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data, places = mujoco.MjData(self.model), MujocoRobot(robot)
        self.q, self.v = places.q, places.v
        first = Scene(robot=robot, v={j.name: SPEED for j in robot.joints if j.kind in SINGLE}).network.start["robot"]
        self.data.qpos[self.q], self.data.qvel[self.v] = first[: robot.nq], first[robot.nq :]
        start = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, self.data, start, STATE)
        self.first, self.states = np.tile(start, (ROLLED, 1)), np.empty((ROLLED, STEPS, len(start)))

    def call(self) -> None:
        """All steps of all robots."""
        rollout.rollout(self.model, self.data, self.first, None, nstep=STEPS, state=self.states)

    def positions(self) -> np.ndarray:
        """Where it ended, in our order."""
        return self.states[0, -1, 1 : 1 + self.model.nq][self.q]


def measured(robot: Robot, level: float, seconds: float) -> dict[str, Any]:
    """Cells of a robot."""
    scene = scene_of(robot, level)
    first = next(iter(scene.friction))
    one, many = (
        core_of(scene, "moreau", STEP, ["q.", "v."], values)
        for values in ({}, {f"friction.{first}.level": np.linspace(0.9, 1.1, BATCH) * level})
    )
    peers = {integrator: Peer(robot, level, integrator) for integrator in ("Euler", "implicitfast")}
    calls: dict[str, Timed] = {
        "one robot": (steps_of(one, STEPS), STEPS),
        "batch": (steps_of(many, 10), 10 * BATCH),
        **{name: (peer.call, STEPS * ROLLED) for name, peer in peers.items()},
    }
    times = per_item(calls, seconds, 5)
    apart = np.abs(one.state[0][: robot.nq] - peers["implicitfast"].positions()).max()
    best = min(times[name] for name in peers)
    program = many.program.program
    kernel = max(program._kernels.values(), key=lambda k: k.bytes)
    return {
        "velocities": robot.nv,
        "operations": sum(program.operations.values()),
        "compile [s]": kernel.seconds,
        "mujoco": 1e6 * best,
        "one robot": 1e6 * times["one robot"],
        "batch": 1e6 * times["batch"],
        "mujoco / one robot": best / times["one robot"],
        "mujoco / batch": best / times["batch"],
        "ends apart [rad]": float(apart),
    }


def scenes_of(n: int) -> dict[str, tuple[Scene, str]]:
    """Scenes of many joints, and by which method."""
    robot, names = library.chain(n), library.chain(n).velocity_names
    bristle = LuGre(level=0.02, static=0.03, velocity=0.05, stiffness=200.0, damping=0.2)
    drive = Drive(motor=DCMotor(resistance=1.0, constant=0.05, rotor_inertia=1e-5), gear=Gear(ratio=20.0))
    servo = PID(clock=Clock(period=2e-3), proportional=20.0, derivative=0.5, integral=5.0, limit=24.0)
    joints: dict[str, Any] = {"robot": robot, "friction": dict.fromkeys(names, Coulomb(level=0.02))}
    driven = Scene(
        **joints,
        drives=dict.fromkeys(names, drive),
        control=dict.fromkeys(names, servo),
        reference={joint: 0.01 * k for k, joint in enumerate(names)},
    )
    return {
        "friction": (Scene(**joints), "moreau"),
        "motors, PID, friction": (driven, "moreau"),
        "motors, PID, friction by bristles": (driven, "rk4"),
        "bristles": (Scene(robot=robot, friction=dict.fromkeys(names, bristle)), "rosenbrock"),
    }


def program_of(scene: Scene, method: str) -> dict[str, Any]:
    """Cells of a program with all signals."""
    made = core_of(scene, method, STEP).program.program
    kernel = made.kernel(1)
    return {"method": method, "operations": sum(made.operations.values()), "compile [s]": kernel.seconds}


def main() -> None:
    options = arguments(__doc__ or "")
    seconds = 1.0 if options.quick else 5.0
    report = Report("large robots, time per step [µs]", options.json)
    for name in HUMANOIDS:
        cells = measured(humanoid(name), 1.0, seconds)
        report.row("humanoids", {"robot": name, **cells})
        report.target(f"{name}: batch over MuJoCo", cells["mujoco / batch"], WANTED)
    for n in CHAINS:
        report.row("chains", {"robot": f"chain {n}", **measured(library.chain(n), 0.02, seconds)})
    for name, (scene, method) in scenes_of(CHAINS[-1]).items():
        cells = program_of(scene, method)
        report.row("programs of 100 joints, all signals", {"scene": name, **cells})
        report.target(f"{name}: operations below 6000", 6000 / cells["operations"], 1)
    report.finish()


if __name__ == "__main__":
    main()
