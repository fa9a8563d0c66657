"""Arms with friction in every joint: ours against MuJoCo's frictionloss and its LuGre friction, measured in one run.

    ./run bench friction [--quick] [--json]

Times are per robot and step of 1 ms on one core. Ours: one robot, and a batch of 4096 with different levels.
MuJoCo: each integrator stepped from Python, by one call for all steps, and by a rollout of 64 robots on one thread; the
fastest of these counts. Its LuGre friction (a dcmotor without a motor) has our numbers; it has no Stribeck friction,
and its frictionloss is dry friction softened by its solver. A peer whose motion is not like ours is not compared with.
"""

import mujoco
import numpy as np

from benchmarks.measure import Report, Timed, arguments, per_item
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.robots import real_arm
from benchmarks.peers.steps import BATCH, MujocoArm, Q, V, compared, judged, least, option, our_motion, our_steps
from stiction import Coulomb, LuGre, Robot, Scene, Stribeck
from stiction.friction.law import Law

LEVEL, STATIC, SLOW_SPEED, STIFFNESS, DAMPING = 20.0, 25.0, 0.01, 1000.0, 2.0
LUGRE = LuGre(level=LEVEL, static=STATIC, velocity=SLOW_SPEED, stiffness=STIFFNESS, damping=DAMPING)
STRIBECK = Stribeck(level=LEVEL, static=STATIC, velocity=SLOW_SPEED, exponent=2.0, viscous=0.1)
COULOMB = Coulomb(level=LEVEL)
ROWS: dict[tuple[str, str], Law] = {
    ("moreau", "LuGre"): LUGRE,
    ("moreau", "Coulomb"): COULOMB,
    ("moreau", "Stribeck"): STRIBECK,
    ("rk4", "LuGre"): LUGRE,
    ("rk4", "Coulomb"): COULOMB,
}
LIKE = {"LuGre": ("rk4", LUGRE), "frictionloss": ("moreau", COULOMB)}  # ours that moves like MuJoCo's
INTEGRATORS = ("Euler", "implicitfast", "RK4")
Times = dict[tuple[str, ...], float]
Peers = dict[tuple[str, str], MujocoArm]


def scene_of(robot: Robot, law: Law) -> Scene:
    joints = robot.velocity_names
    return Scene(
        robot=robot,
        limits="ignore",
        friction=dict.fromkeys(joints, law),
        q=np.full(robot.nq, Q),
        v=np.full(robot.nv, V),
    )


def peer(robot: Robot, kind: str, integrator: str) -> MujocoArm:
    """The arm in MuJoCo."""
    if kind == "frictionloss":
        return MujocoArm(mjcf(robot, option=option(integrator), joint=f'frictionloss="{LEVEL}"'))
    numbers = f"{STIFFNESS} {DAMPING} {LEVEL} {STATIC} {SLOW_SPEED}"
    motors = "".join(
        f'<dcmotor joint="j{k}" input="none" motorconst="0" resistance="1" lugre="{numbers}"/>' for k in range(robot.nv)
    )
    return MujocoArm(mjcf(robot, option=option(integrator), actuators=motors))


def functions_of(robot: Robot, peers: Peers) -> dict[tuple[str, ...], Timed]:
    """All that is timed on one arm."""
    functions: dict[tuple[str, ...], Timed] = {}
    for names, arm in peers.items():
        functions |= {(*names, road): timed for road, timed in arm.roads.items()}
    levels = {f"friction.{joint}.level": np.linspace(10.0, 20.0, BATCH) for joint in robot.velocity_names}
    for (method, law), friction in ROWS.items():
        functions[method, law, "one"] = our_steps(scene_of(robot, friction), method)
        functions[method, law, "batch"] = our_steps(scene_of(robot, friction), method, levels)
    return functions


def show_peers(report: Report, name: str, robot: Robot, peers: Peers, t: Times) -> dict[str, float | None]:
    """A row for each peer; the best times with LuGre friction by integrator, None if it does not move like ours."""
    best = {}
    motions = {kind: our_motion(scene_of(robot, law), method) for kind, (method, law) in LIKE.items()}
    for (kind, integrator), arm in peers.items():
        times = {road: t[kind, integrator, road] for road in arm.roads}
        cells, best[kind, integrator] = judged(arm, times, motions[kind])
        names = {"arm": name, "friction": kind, "integrator": integrator}
        report.row("MuJoCo, per robot and step [µs]", names | cells)
    return {integrator: time for (kind, integrator), time in best.items() if kind == "LuGre"}


def show_ours(report: Report, name: str, best: dict[str, float | None], t: Times) -> None:
    """A row for each law and method, and its targets: Runge–Kutta against MuJoCo's, the others against its fastest."""
    against = {"fastest": least(best.values()), "RK4": best["RK4"]}
    for method, law in ROWS:
        one, many = t[method, law, "one"], t[method, law, "batch"]
        names = {"arm": name, "method": method, "law": law}
        report.row("ours, per robot and step [µs], and MuJoCo's LuGre over ours", names | compared(one, many, against))
        which = "RK4" if method == "rk4" else "fastest"
        time = against[which]
        if time:
            report.target(f"{name}, {method}, {law}: MuJoCo {which} / ours, one robot", time / one, 5)
            report.target(f"{name}, {method}, {law}: MuJoCo {which} / ours in a batch", time / many, 30)


def main() -> None:
    options = arguments("Friction: ours against MuJoCo.")
    report = Report(f"Friction in every joint, step 1 ms, float64, against MuJoCo {mujoco.__version__}", options.json)
    for name in ("ur5", "panda"):
        robot = real_arm(name)[0]
        peers = {(kind, i): peer(robot, kind, i) for kind in LIKE for i in INTEGRATORS}
        t = per_item(functions_of(robot, peers), 0.1 if options.quick else 1.0)
        show_ours(report, name, show_peers(report, name, robot, peers, t), t)
    report.finish()


if __name__ == "__main__":
    main()
