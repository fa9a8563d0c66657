"""Stepped from Python: 4096 arms with friction, one action per ten steps; one arm, step by step; one call of dynamics.

    ./run bench stepping [--quick] [--json]

All masses and friction levels differ from arm to arm, and every action is another one. Times are per robot and step of
1 ms. Ours is compared with one long `simulate` of the same arms, where both have the same torques that stay, and with
MuJoCo: `rollout` of 256 arms with models of their own, ten steps a call, and a Python loop of one `mj_step` per arm and
action. MuJoCo's friction is frictionloss, dry friction softened by its solver; it has no Stribeck friction, and is the
same for both.
"""

import os
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from mujoco import rollout

from benchmarks.measure import Report, Timed, arguments, per_item
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.pinocchio_model import PinocchioRobot
from benchmarks.peers.robots import real_arm
from benchmarks.peers.steps import STATE, STEP
from stiction import Coulomb, Robot, Scene, Simulator, Stribeck, simulate
from stiction.friction.law import Law

ARMS, PEERS, HOLD, ACTIONS = 4096, 256, 10, 20  # arms of ours and MuJoCo's, steps an action is held, actions in a row
LONG = 2000  # steps of one long run
LEVELS = np.array([10.0, 10.0, 6.0, 2.0, 2.0, 2.0])  # of friction, at most, and about of actions [N·m]
LAWS: dict[str, Callable[[float], Law]] = {
    "Coulomb": lambda level: Coulomb(level=level),
    "Stribeck": lambda level: Stribeck(level=level, static=1.25 * level, velocity=0.05),
}
Q = 0.3  # every joint at the start [rad]


class Fleet:
    """Arms with masses and friction of their own, and the actions that they get."""

    def __init__(self, robot: Robot, count: int) -> None:
        random = np.random.default_rng(0)
        self.robot = robot
        self.links = [joint.child for joint in robot.joints if joint.name in robot.velocity_names]
        self.masses = random.uniform(0.9, 1.1, (count, robot.nv)) * [robot.parameters[f"{x}.mass"] for x in self.links]
        self.levels = random.uniform(0.5, 1.0, (count, robot.nv)) * LEVELS
        there = random.normal(0.0, 0.6, (ACTIONS // 2, count, robot.nv)) * LEVELS
        self.actions = np.concatenate([there, -there])  # so that arms do not gather speed from round to round

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """Ours, by name."""
        masses = {f"robot.{link}.mass": x for link, x in zip(self.links, self.masses.T, strict=True)}
        joints = zip(self.robot.velocity_names, self.levels.T, strict=True)
        return masses | {f"friction.{joint}.level": x for joint, x in joints}

    def scene(self, law: str, torque: float | None = None) -> Scene:
        """One of them, in our words."""
        names = self.robot.velocity_names
        friction = {name: LAWS[law](level) for name, level in zip(names, LEVELS, strict=True)}
        torques = {} if torque is None else dict.fromkeys(names, torque)
        return Scene(robot=self.robot, limits="ignore", friction=friction, torque=torques, q=np.full(len(names), Q))


class OurFleet:
    """The fleet in a `Simulator`."""

    def __init__(self, fleet: Fleet, law: str, threads: int | None) -> None:
        how: dict[str, Any] = {"step": STEP, "method": "moreau", "threads": threads}
        wanted = {"inputs": ["torque.*"], "outputs": ["q.*", "v.*"], "parameters": fleet.parameters}
        self.fleet, self.how = fleet, how
        self.sim = Simulator(fleet.scene(law), runs=len(fleet.masses), **wanted, **how)
        self.start, self.out = self.sim.state, self.sim.step(steps=0)
        self.pushed = fleet.scene(law, torque=1.0)

    def stepped(self) -> None:
        """One call per action."""
        for action in self.fleet.actions:
            self.sim.step(action, steps=HOLD, out=self.out)

    def held(self) -> None:
        """The motion of `simulated`, one call per ten steps."""
        core, action = self.sim._core, self.fleet.actions[0]
        core.state[...], core.ticks[...], core.alive[...] = self.start.values, 0, 1
        for _ in range(LONG // HOLD):
            self.sim.step(action, steps=HOLD, out=self.out)

    def simulated(self) -> None:
        """One long call, under torques that stay."""
        names = self.fleet.robot.velocity_names
        torques = {f"torque.{x}": column for x, column in zip(names, self.fleet.actions[0].T, strict=True)}
        time = LONG * STEP
        given = self.fleet.parameters | torques
        simulate(self.pushed, duration=time, record=time, signals=["q.", "v."], parameters=given, **self.how)

    def ends(self) -> np.ndarray:
        """Positions after all actions from the start."""
        self.sim.state = self.start
        self.stepped()
        return self.out[:, : self.fleet.robot.nq].copy()


class MujocoFleet:
    """The fleet in MuJoCo, with a model for each arm."""

    def __init__(self, fleet: Fleet, threads: int) -> None:
        self.fleet, self.models = fleet, []
        motors = "".join(f'<motor joint="j{k}"/>' for k in range(fleet.robot.nv))
        text = mjcf(fleet.robot, option=f'timestep="{STEP}" integrator="implicitfast"', actuators=motors)
        for masses, levels in zip(fleet.masses, fleet.levels, strict=True):
            model = mujoco.MjModel.from_xml_string(text)
            model.body_mass[1:], model.dof_frictionloss[:] = masses, levels
            mujoco.mj_setConst(model, mujoco.MjData(model))
            self.models.append(model)
        self.data = [mujoco.MjData(self.models[0]) for _ in range(threads)]
        self.own = [mujoco.MjData(model) for model in self.models]
        for data in self.own:
            data.qpos[:] = Q
        first = np.empty(mujoco.mj_stateSize(self.models[0], STATE))
        mujoco.mj_getState(self.models[0], self.own[0], first, STATE)
        self.first = np.tile(first, (len(self.models), 1))
        self.last = np.empty((len(self.models), HOLD, len(first)))
        self.pool = rollout.Rollout(nthread=threads if threads > 1 else 0)

    def rolled(self) -> None:
        """One rollout per action."""
        now = self.first
        for action in self.fleet.actions:
            control = np.ascontiguousarray(np.broadcast_to(action[:, None], (len(action), HOLD, action.shape[1])))
            self.pool.rollout(self.models, self.data, now, control, state=self.last)
            now = self.last[:, -1].copy()

    def looped(self) -> None:
        """One call per arm and action."""
        for action in self.fleet.actions:
            for model, data, control in zip(self.models, self.own, action, strict=True):
                data.ctrl[:] = control
                mujoco.mj_step(model, data, HOLD)

    def ends(self) -> np.ndarray:
        """Positions after all actions from the start."""
        self.rolled()
        return self.last[:, -1, 1 : 1 + self.fleet.robot.nq]


def fleets(report: Report, robot: Robot, seconds: float) -> None:
    """4096 arms, on one core and on all."""
    many, some = Fleet(robot, ARMS), Fleet(robot, PEERS)
    for cores in dict.fromkeys((1, os.cpu_count() or 1)):
        theirs = MujocoFleet(some, cores)
        ours = {law: OurFleet(many, law, cores) for law in LAWS}
        functions: dict[tuple[str, str], Timed] = {("MuJoCo", "rollout"): (theirs.rolled, ACTIONS * HOLD * PEERS)}
        if cores == 1:
            functions["MuJoCo", "loop"] = (theirs.looped, ACTIONS * HOLD * PEERS)
        for law, fleet in ours.items():
            functions[law, "stepped"] = (fleet.stepped, ACTIONS * HOLD * ARMS)
            functions[law, "simulated"] = (fleet.simulated, LONG * ARMS)
            functions[law, "held"] = (fleet.held, LONG * ARMS)
        t = per_item(functions, seconds)
        for law in LAWS:
            apart = np.abs(OurFleet(some, law, cores).ends() - theirs.ends()).max()
            stepped, peer = t[law, "stepped"], t["MuJoCo", "rollout"]
            cells = {"law": law, "cores": str(cores), "Simulator": 1e9 * stepped, "same torques": 1e9 * t[law, "held"]}
            cells |= {"simulate": 1e9 * t[law, "simulated"]}
            cells |= {"rollout": 1e9 * peer, "mj_step loop": 1e9 * t["MuJoCo", "loop"] if cores == 1 else None}
            cells |= {"robot-steps per s": f"{1e-6 / stepped:.1f} million", "apart after 0.2 s [rad]": float(apart)}
            report.row("an action per ten steps, per robot and step [ns]", cells)
            report.target(
                f"{law}, {cores} cores: speed over one long simulate", t[law, "simulated"] / t[law, "held"], 0.9
            )
            if cores == 1:
                report.target(f"{law}, one core: speed over mujoco.rollout", peer / stepped, 30)


def one_arm(report: Report, robot: Robot, seconds: float) -> None:
    """A step, and a call of forward dynamics, from Python."""
    fleet = Fleet(robot, 1)
    arm = MujocoFleet(fleet, 1)
    model, data, action = arm.models[0], arm.own[0], np.zeros(robot.nv)
    peer, q, zero = PinocchioRobot(robot), np.full(robot.nq, Q), np.zeros(robot.nv)

    def mujoco_step() -> None:
        data.ctrl[:] = action
        mujoco.mj_step(model, data)

    def ours(law: str) -> Timed:
        wanted = {"inputs": ["torque.*"], "outputs": ["q.*", "v.*"]}
        sim = Simulator(fleet.scene(law), step=STEP, method="moreau", **wanted)
        return lambda: sim.step(action), 1

    steps = {law: ours(law) for law in LAWS} | {"mj_step": (mujoco_step, 1)}
    calls: dict[str, Timed] = {
        "forward_dynamics": (lambda: robot.forward_dynamics(q, zero, zero), 1),
        "pin.aba": (lambda: pin.aba(peer.model, peer.data, q, zero, zero), 1),
    }
    t = per_item(steps | calls, seconds, rounds=50)
    report.row("one arm from Python [µs]", {name: 1e6 * x for name, x in t.items()})
    for law in LAWS:
        report.target(f"one arm, {law}: mj_step over Simulator.step", t["mj_step"] / t[law], 1)
    report.target("pin.aba over forward_dynamics", t["pin.aba"] / t["forward_dynamics"], 1)


def main() -> None:
    options = arguments("Stepped from Python.")
    title = f"UR5 with friction in every joint, stepped from Python at 1 ms, against MuJoCo {mujoco.__version__}"
    report = Report(title, options.json)
    robot = real_arm("ur5")[0]
    fleets(report, robot, 1.0 if options.quick else 5.0)
    one_arm(report, robot, 1.0 if options.quick else 3.0)
    report.finish()


if __name__ == "__main__":
    main()
