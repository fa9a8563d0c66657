"""Contacts: ours against MuJoCo, measured in one run.

    ./run bench contact [--quick] [--json]

Times are per robot and step of 1 ms on one core, of steps in contact: ours one robot, and a batch of up to 4096 with
different starts; MuJoCo's a rollout of 64 on one thread, elliptic cones, with and without its search against slip.
Beside them how deep vertices of both went in.

- the six-link pendulum of contact.md (5 s from its start);
- chains with drives and friction on all joints, standing on two vertices (gears.md);
- a stack of four boxes, and a quadruped that stands.
"""

import re
import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.measure import Report, arguments
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.robots import quadruped
from benchmarks.peers.steps import core_of
from stiction import Box, Contacts, HalfSpace, Scene, Surface, simulate
from stiction.methods import Moreau
from stiction.parts import Fixed, FreeBody
from stiction.reproduce.gears_contact import standing_chain
from stiction.reproduce.pendulum import lowest, pendulum

STEP, BATCH, ROLLED = 1e-3, 4096, 64
PENDULUM, BATCHED = 25.0, 0.6  # ms for 5 s, µs of a step in a batch
CHAINS = {10: 5.0, 100: 40.0}  # µs of a step
FASTER, BATCH_FASTER = 2.5, 12.0  # than MuJoCo


def best_of(function: Callable[[], Any], rounds: int) -> float:
    """Best time of some calls [s]."""
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found)


def ours(scene: Scene, method: Any, steps: int, values: dict[str, Any], rounds: int) -> float:
    """Time of a step of one run [s], from the start."""

    def whole() -> None:
        core.state[...], core.ticks[...], core.alive[...] = first, 0, 1
        core.advance(steps)

    core = core_of(scene, method, STEP, ["q."] if scene.all_robots else [f"{next(iter(scene.parts))}.position"], values)
    first = core.state.copy()
    core.advance(1)
    return best_of(whole, rounds) / steps / len(core.state)


def mujoco_pendulum(noslip: int) -> mujoco.MjModel:
    """The same pendulum in MuJoCo."""
    body, ends = "", ""
    for k in range(6):
        place = "0 0 0.42" if k == 0 else "0 0 -0.1"
        body += f'<body pos="{place}"><joint axis="0 1 0" damping="1e-4"/>'
        body += '<geom type="box" size="0.02 0.02 0.05" pos="0 0 -0.05" mass="0.3" contype="1" conaffinity="2"/>'
        ends += "</body>"
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" cone="elliptic" noslip_iterations="{noslip}"/>'
        '<default><geom friction="0.4 0 0" condim="3"/></default><worldbody>'
        '<geom type="plane" size="5 5 1" contype="2" conaffinity="1"/>'
        f"{body}{ends}</worldbody></mujoco>"
    )


class Rolled:
    """A model of MuJoCo that is rolled out."""

    def __init__(self, model: mujoco.MjModel, q: Any, v: Any, steps: int) -> None:
        self.model, self.data, self.steps = model, mujoco.MjData(model), steps
        self.data.qpos[:], self.data.qvel[:] = q, v
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        start = np.empty(mujoco.mj_stateSize(model, kind))
        mujoco.mj_getState(model, self.data, start, kind)
        self.first, self.states = np.tile(start, (ROLLED, 1)), np.empty((ROLLED, steps, len(start)))

    def call(self) -> None:
        """All steps of all robots."""
        rollout.rollout(self.model, self.data, self.first, None, nstep=self.steps, state=self.states)

    def deepest(self) -> float:
        """How far contacts overlapped [m]."""
        data, worst = mujoco.MjData(self.model), 0.0
        for state in self.states[0, ::5]:
            mujoco.mj_setState(self.model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
            mujoco.mj_forward(self.model, data)
            worst = min([worst, *(contact.dist for contact in data.contact)])
        return -worst


def of_pendulum(report: Report, rounds: int) -> None:
    """The six-link pendulum, 5 s."""
    scene, steps = pendulum(), 5000
    one = ours(scene, "moreau", steps, {}, rounds)
    gill = ours(scene, Moreau(scheme="gill"), steps, {}, rounds)
    starts = {"q.joint1": -np.pi / 3 + np.linspace(0, 0.01, BATCH // 8)}
    batch = ours(scene, "moreau", steps, starts, 2)
    peers = {f"mujoco, noslip {n}": Rolled(mujoco_pendulum(n), [-np.pi / 3, 0, 0, 0, 0, 0], 0, steps) for n in (0, 5)}
    times = {name: best_of(peer.call, 2) / steps / ROLLED for name, peer in peers.items()}
    deep = -float(lowest(simulate(scene, duration=5.0, step=STEP)).min())
    best = min(times.values())
    report.row(
        "six-link pendulum",
        {
            "one robot": 1e6 * one,
            "with Gill": 1e6 * gill,
            "batch": 1e6 * batch,
            **{name: 1e6 * x for name, x in times.items()},
            "deepest [mm]": 1e3 * deep,
            "mujoco's [mm]": 1e3 * max(peer.deepest() for peer in peers.values()),
        },
    )
    report.target("pendulum, 5 s at 1 ms, one evaluation: 25 ms over ours", PENDULUM / (one * 5e6), 1.0)
    report.target("pendulum, with Gill: 25 ms over ours", PENDULUM / (gill * 5e6), 1.0)
    report.target("pendulum, batch: 0.6 µs over ours", BATCHED / (1e6 * batch), 1.0)
    report.target("pendulum: MuJoCo over one robot", best / one, FASTER)
    report.target("pendulum: MuJoCo over a batch", best / batch, BATCH_FASTER)


def mujoco_chain(scene: Scene, n: int) -> mujoco.MjModel:
    """The same chain in MuJoCo, with frictionloss, damping and rotors, and two small spheres for its vertices."""
    drive = next(iter(scene.drives.values()))
    law: Any = drive.joint_friction
    back = drive.gear.ratio**2 * drive.motor.constant**2 / drive.motor.resistance
    joint = f'frictionloss="{law.level[0]}" damping="{law.viscous + back}"'
    option = f'timestep="{STEP}" cone="elliptic" integrator="implicitfast"'
    text = mjcf(scene.network.parts["robot"].robot, option=option, joint=joint)
    text = re.sub(r"(<worldbody[^>]*>)", r'\1<geom type="plane" size="5 5 1" friction="0.3 0 0"/>', text, count=1)
    foot = '<geom type="sphere" size="0.001" pos="{} 0 -0.099" mass="0" friction="0.3 0 0"/>'
    at = text.index("/>", text.index(f'name="j{n - 1}"')) + 2
    return mujoco.MjModel.from_xml_string(text[:at] + foot.format(-0.02) + foot.format(0.02) + text[at:])


def of_chains(report: Report, rounds: int) -> None:
    """Chains that stand on two vertices."""
    for n, most in CHAINS.items():
        scene, steps = standing_chain(n), max(100, 2000 // n)
        one = ours(scene, "moreau", steps, {}, 4 * rounds)
        values = {"v.joint1": np.linspace(0.015, 0.025, 1024)}
        batch = ours(scene, "moreau", steps, values, 2)
        semi = ours(scene, "gears_semi_implicit", steps, {}, rounds)
        cells = {"chain": n, "one robot": 1e6 * one, "batch": 1e6 * batch, "by joint, Gill": 1e6 * semi}
        peer = Rolled(mujoco_chain(scene, n), 0, scene.v, 200)
        theirs = best_of(peer.call, rounds) / 200 / ROLLED
        report.row("chains", {**cells, "mujoco": 1e6 * theirs, "mujoco's deepest [mm]": 1e3 * peer.deepest()})
        report.target(f"chain of {n}: {most:g} µs over ours", most / (1e6 * one), 1.0)
        report.target(f"chain of {n}: MuJoCo over one robot", theirs / one, FASTER)
        report.target(f"chain of {n}: MuJoCo over a batch", theirs / batch, BATCH_FASTER)


def of_others(report: Report, rounds: int) -> None:
    """A stack of boxes and a quadruped, for the record."""
    boxes = {
        f"box{k}": FreeBody.of(Box(size=(0.2, 0.2, 0.1), mass=1.0), position=(0, 0, 0.1 * k + 0.05)) for k in range(4)
    }
    floor = {"floor": Fixed(shapes=(HalfSpace(),))}
    stack = Scene(parts={**boxes, **floor}, contacts=Contacts(most=16))
    stands = Scene(
        robot=quadruped(),
        parts=floor,
        contacts=Contacts(surface=Surface(static=0.8), off=[("robot.*", "robot.*")]),
        q={"root.z": 0.45},
    )
    for name, scene in (("stack of four boxes, 16 contacts", stack), ("quadruped, falling", stands)):
        report.row("others", {"scene": name, "one": 1e6 * ours(scene, "moreau", 500, {}, rounds)})


def main() -> None:
    options = arguments(__doc__ or "")
    rounds = 3 if options.quick else 8
    report = Report("contacts, time per step [µs]", options.json)
    of_pendulum(report, rounds)
    of_chains(report, rounds)
    of_others(report, rounds)
    report.finish()


if __name__ == "__main__":
    main()
