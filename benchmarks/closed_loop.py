"""An industrial arm in closed loop, arm-1 of `stiction reproduce`: ours against MuJoCo's physics, measured in one run.

    ./run bench closed_loop [--quick] [--json]

14 s of a weld by the RX90B: LuGre friction at seven places, coupled wrist, spring, motors with inductance, loops at 1
and 4 kHz, one core, after compilation. Ours: `simulate` with a record each millisecond, and the steps alone; a batch of
1000 friction settings. MuJoCo: the same bodies, motors (`dcmotor` with inductance and LuGre, one more for the friction
of joint 6), tendons for the coupled wrist and the spring, at the same physics step, its fastest integrator: the physics
alone in one call, and with the servo in Python. Its bristles are softer where ours would throw it off at this step.
"""

import time
from dataclasses import replace
from typing import Any, NamedTuple

import mujoco
import numpy as np

from benchmarks.measure import Report, arguments, per_item
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.steps import core_of, steps_of
from stiction.reproduce.arm import DURATION, STEP, Weld, weld
from stiction.scene import FrictionSite

RUNS, STEPS = 1000, 4000
ALIKE = 2e-3  # rad from ours that MuJoCo's joints may be, at the end of a second under the servo
SOFTER = 30.0  # times, its bristles
INTEGRATORS = ("Euler", "implicitfast")


def motors(made: Weld) -> str:
    """The drives and friction of the arm as MuJoCo's actuators."""
    scene, robot, found = made.scene, made.motion.robot, []
    coupling = np.array(robot.coupling)
    laws: dict[str, Any] = {name: x.law if isinstance(x, FrictionSite) else x for name, x in scene.friction.items()}
    for k, (joint, drive) in enumerate(scene.drives.items()):
        motor: Any = drive.motor
        n, law = float(coupling[k, k]), laws["wrist" if k == 5 else joint]
        place = 'tendon="wrist"' if k == 5 else f'joint="j{k}"'
        found.append(
            f'<dcmotor {place} gear="{n}" motorconst="{motor.constant}" resistance="{motor.resistance}" '
            f'inductance="{motor.inductance}" armature="{motor.rotor_inertia}" damping="{law.viscous / n**2}" '
            f'lugre="{lugre(law, n)}" ctrlrange="-160 160" ctrllimited="true"/>'
        )
    own = laws["joint6"]  # friction of joint 6 alone: a motor that does nothing else
    found.append(
        f'<dcmotor joint="j5" motorconst="1e-9" resistance="1" damping="{own.viscous}" lugre="{lugre(own, 1.0)}"/>'
    )
    return "".join(found)


def lugre(law: Any, n: float) -> str:
    """Stiffness, damping, levels and velocity of a law, seen from the motor."""
    level, static = sum(law.level) / 2, sum(law.static) / 2
    numbers = (law.stiffness / SOFTER / n**2, law.damping / n**2, level / n, static / n, law.velocity * n)
    return " ".join(f"{x:.10g}" for x in numbers)


def model(made: Weld, integrator: str) -> Any:
    """The arm in MuJoCo."""
    robot = made.motion.robot
    spring: Any = made.scene.parts["spring"]
    plain = replace(robot, coupling=None, joints=[replace(joint, rotor_inertia=0.0) for joint in robot.joints])
    frames = {name: robot.frame(name).origin.xyz for name in ("spring_anchor", "spring_hook")}
    sites = {
        k: f'<site name="{name}" pos="{" ".join(map(str, xyz))}"/>' for k, (name, xyz) in enumerate(frames.items())
    }
    rest = spring.length - spring.preload / spring.stiffness
    tendons = (
        '<fixed name="wrist"><joint joint="j4" coef="1"/><joint joint="j5" coef="1"/></fixed>'
        f'<spatial name="spring" stiffness="{spring.stiffness}" springlength="{rest}">'
        '<site site="spring_anchor"/><site site="spring_hook"/></spatial>'
    )
    option = f'timestep="{STEP}" integrator="{integrator}"'
    text = mjcf(plain, option=option, actuators=motors(made), tendons=tendons, sites=sites)
    made_of = mujoco.MjModel.from_xml_string(text)
    for k, joint in enumerate(robot.moving_joints):  # ends of the ways, as ours has them
        made_of.jnt_limited[k], made_of.jnt_range[k] = 1, (joint.limits.lower, joint.limits.upper)
    return made_of


class Peer:
    """MuJoCo's arm with the servo in NumPy."""

    def __init__(self, made: Weld, integrator: str) -> None:
        self.made, self.model = made, model(made, integrator)
        self.data = mujoco.MjData(self.model)
        loops: Any = list(made.scene.control.values())
        self.position, self.velocity, self.current = (
            [getattr(x, w) for x in loops] for w in ("position", "velocity", "current")
        )
        self.T = np.array(made.motion.robot.coupling)
        drives: Any = made.scene.drives.values()
        self.resistance = np.array([drive.motor.resistance for drive in drives])
        names = ("proportional", "integral", "limit")
        gains = [
            [np.array([getattr(x, name) for x in group]) for name in names]
            for group in (self.position, self.velocity, self.current)
        ]
        self.gains = gains
        ahead = ("acceleration_feedforward", "coulomb_feedforward", "viscous_feedforward", "coulomb_velocity")
        self.ahead = [np.array([getattr(x, name) for x in self.velocity]) for name in ahead]

    def reset(self) -> None:
        """At the start of the weld, held by the servo."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.made.motion.sample(0.0).q
        start = self.made.start
        joints = list(self.made.scene.drives)
        self.sums = [
            np.array([start.get(f"{word}_sum.{j}", 0.0) for j in joints])
            for word in ("position", "velocity", "current")
        ]
        current = np.array([start[f"motor_current.{j}"] for j in joints])
        self.data.act[self.place()] = current
        self.data.ctrl[:6] = self.resistance * current

    def place(self) -> list[int]:
        """Where the currents are among the activations."""
        return [int(x) for x in self.model.actuator_actadr[:6]]

    def stepped(self, steps: int) -> None:
        """Physics alone."""
        self.reset()
        mujoco.mj_step(self.model, self.data, steps)

    def controlled(self, steps: int, target: Any) -> None:
        """Physics and servo: set-points are computed beforehand."""
        self.reset()
        data, (P, V, I) = self.data, self.gains
        wish = np.zeros(6)
        currents = self.place()
        for k in range(steps):
            q, v = self.T @ data.qpos, self.T @ data.qvel
            tq, tv, ta = (x[k] for x in target)
            if k % 4 == 0:
                error = tq - q
                self.sums[0] = self.sums[0] + 1e-3 * error
                wish = tv + P[0] * error + P[1] * self.sums[0]
            command = V[0] * (wish - v) + self.ahead[0] * ta + self.ahead[2] * tv
            command = np.clip(command + self.ahead[1] * np.clip(tv / self.ahead[3], -1, 1), -V[2], V[2])
            error = command - data.act[currents]
            self.sums[2] = self.sums[2] + STEP * error
            data.ctrl[:6] = np.clip(I[0] * error + I[1] * self.sums[2], -I[2], I[2])
            mujoco.mj_step(self.model, data)


class Times(NamedTuple):
    """Seconds for the whole weld."""

    simulate: float
    steps: float
    batch: float


def ours(made: Weld, seconds: float, quick: bool) -> Times:
    """Our times."""
    names = [name for name in made.scene.parameters if name.startswith("friction.") and ".level" in name]
    random = np.random.default_rng(1)
    many = {name: made.scene.parameters[name] * random.uniform(0.7, 1.0, RUNS) for name in names}
    one = core_of(made.scene, "moreau", STEP, ["q."], made.start)
    batch = core_of(made.scene, "moreau", STEP, ["q."], {**made.start, **many})
    few = 200 if quick else 1000
    t = per_item({"one": (steps_of(one, STEPS), STEPS), "batch": (steps_of(batch, few), few * RUNS)}, seconds)
    made.run()
    best = min(_seconds(made.run) for _ in range(3))
    whole = DURATION / STEP
    return Times(best, t["one"] * whole, t["batch"] * whole)


def _seconds(call: Any) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def theirs(made: Weld, seconds: float) -> dict[str, tuple[float, float, float]]:
    """MuJoCo's times for the weld by integrator: physics alone, with the servo; and how far it is from ours [rad]."""
    found = {}
    steps = 4 * 1000
    ticks = np.arange(steps) * STEP
    T = np.array(made.motion.robot.coupling)
    target = tuple(x @ T.T for x in made.motion.sample(ticks))
    run = made.run(duration=1.0, signals=["q."])
    for integrator in INTEGRATORS:
        peer = Peer(made, integrator)
        peer.controlled(steps, target)
        apart = float(np.abs(peer.data.qpos - run.stack("q.")[-1]).max())
        calls = {
            "physics": (lambda peer=peer: peer.stepped(STEPS), STEPS),
            "servo": (lambda peer=peer: peer.controlled(400, target), 400),
        }
        t = per_item(calls, seconds)
        found[integrator] = (t["physics"] * DURATION / STEP, t["servo"] * DURATION / STEP, apart)
    return found


def main() -> None:
    options = arguments(__doc__)
    report = Report("an industrial arm in closed loop", options.json)
    seconds = 0.5 if options.quick else 2.0
    made = weld()
    mine = ours(made, seconds, options.quick)
    row = {
        "simulate, a record per ms": mine.simulate,
        "steps alone": mine.steps,
        "each of 1000 runs in a batch": mine.batch,
    }
    report.row("ours, 14 s of the weld [s]", row)
    peers = theirs(made, seconds)
    for integrator, (physics, servo, apart) in peers.items():
        like = "like ours" if apart < ALIKE else "diverged"
        cells = {"integrator": integrator, "physics alone": physics, "with the servo in Python": servo}
        report.row("MuJoCo, 14 s of the weld [s]", cells | {"after 1 s apart [rad]": apart, "motion": like})
    alike = [x for x in peers.values() if x[2] < ALIKE]
    report.target("arm-1 by simulate [s]", mine.simulate, 0.3, at_least=False)
    report.target("one by one over each of a batch", mine.steps / mine.batch, 5)
    if alike:
        report.target("MuJoCo's physics alone over our whole closed loop", min(x[0] for x in alike) / mine.steps, 4)
    report.finish()


if __name__ == "__main__":
    main()
