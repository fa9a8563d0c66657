"""The Manutec r3 (Otter and Türk 1988; data of the Modelica library's RobotR3), one axis and the whole arm: servos,
elastic gears, friction that couples.
"""

import math
from typing import Any

import numpy as np

from stiction import library
from stiction.control import PointToPoint
from stiction.library.manutec_r3 import AXES, servo
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, below, complete, shares
from stiction.robot import Joint, Link, Robot
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory

JOINTS = [f"joint{k + 1}" for k in range(6)]


def axis() -> Scene:
    """Axis 2 with a load of 19.494 kg m²: 120° with at most 3 rad/s and 10 rad/s²."""
    load = Link(name="load", mass=1.0, inertia=np.diag([10.0, 10.0, 19.494]).tolist())
    joint = Joint(name="axis", kind="continuous", parent="base", child="load")
    return Scene(
        robot=Robot(name="one axis", links=[Link(name="base"), load], joints=[joint]),
        drives={"axis": AXES[1].drive},
        control={"axis": servo()},
        reference={"axis": PointToPoint(start=0.0, stop=2 * math.pi / 3, velocity=3.0, acceleration=10.0)},
        gravity=(0, 0, 0),
    )


POINTS = {
    0.3: (0.448856225, 3.001912190, 3.994025),
    1.0: (2.095499420, -0.020211273, -1.903772),
    1.498132: (2.0941804135, None, 0.4297733141),
}
SWITCHES = {
    "breaks away": 0.000652,
    "turns": 0.997918,
    "sticks": 1.093454,
    "slips back": 1.098923,
    "sticks again": 1.127850,
    "slips forward": 1.353624,
}


def switches(run: Any) -> list[float]:
    """Times of break-away, turning, sticking, and so on [s]."""
    mode, v, t = run["mode.axis.motor"], run["motor_speed.axis"], run.time
    slides = (mode > 0).astype(int)
    edges = [float(x) for x in t[1:][np.diff(slides) != 0]]
    turns = [
        float(a) for a in t[1:][(np.diff(np.sign(v)) != 0) & (slides[1:] > 0) & (slides[:-1] > 0)] if 0.9 < a < 1.05
    ]
    return [edges[0], *turns[:1], *edges[1:5]]


def _axis(_: bool, tell: Tell) -> Result:
    first, second = shares(tell, 2)
    fine = complete(axis(), duration=1.5, step=5e-6, method="rk4", record=1e-5, progress=first)
    coarse = complete(axis(), duration=1.5, step=1e-3, method="moreau", progress=second)
    claims: list[Claim] = []
    for t, (position, velocity, current) in POINTS.items():
        claims.append(
            agrees(
                f"load angle at {t:g} s",
                position,
                float(np.interp(t, fine.time, fine["q.axis"])),
                1e-5,
                "rad",
                9,
            )
        )
        if velocity is not None:
            claims.append(
                agrees(
                    f"load speed at {t:g} s",
                    velocity,
                    float(np.interp(t, fine.time, fine["v.axis"])),
                    1e-4,
                    "rad/s",
                    7,
                )
            )
        claims.append(
            agrees(
                f"current at {t:g} s", current, float(np.interp(t, fine.time, fine["motor_current.axis"])), 2e-3, "A"
            )
        )
    for (what, when), ours in zip(SWITCHES.items(), switches(fine), strict=True):
        claims.append(agrees(f"the motor {what}", when, ours, 1e-4, "s", 7))
    apart = max(abs(float(np.interp(t, coarse.time, coarse["q.axis"])) - p[0]) for t, p in POINTS.items())
    claims.append(below("largest error of the load angle at a step of 1 ms", apart, 1e-3, "rad"))

    def draw() -> Any:
        picture, (above, under) = subplots(2, 5.2)
        above.plot(fine.time, fine["motor_speed.axis"] / AXES[1].n, label="motor, over the ratio")
        above.plot(fine.time, fine["v.axis"], label="load")
        above.set_title("one axis of the Manutec r3")
        above.set_ylabel("speed [rad/s]")
        above.legend()
        under.plot(fine.time, fine["friction.axis.motor"], label="friction on the motor shaft")
        under.plot(fine.time, fine["motor_torque.axis"], label="motor torque")
        under.set_ylabel("torque [N·m]")
        under.set_xlabel("time [s]")
        under.legend()
        return picture

    return claims, draw


START, STOP = np.radians([-60.0, 20, 90, 0, -110, 0]), np.radians([60.0, -70, -35, 45, 110, 45])
MOVE = PointToPoint(
    start=START.tolist(), stop=STOP.tolist(), velocity=(3, 1.5, 5, 3.1, 3.1, 4.1), acceleration=(15, 15, 15, 60, 60, 60)
)
STEPS = {1e-5: 2e-6, 1e-3: 2e-4, 2e-3: 5e-4}  # s: how far the default method may be from the reference [rad]


def arm() -> Scene:
    """The whole arm with its load."""
    return library.manutec_r3().scene(reference=MOVE)


POSES = {
    0.5: (-0.299971262, -0.211063708, 0.791065304, 0.279551550, -0.552437615, 0.280111895),
    1.0: (0.543760630, -0.847754444, -0.091946900, 0.598500456, 0.996362434, 0.597928115),
    1.856045: (1.046822409, -1.223647247, -0.610908070, 0.784784108, 1.920234599, 0.785339123),
}


def _apart(run: Trajectory, t: float) -> float:
    """Largest distance of the joints from the published pose [rad]."""
    q = run.stack("q.")
    return max(abs(float(np.interp(t, run.time, q[:, k])) - x) for k, x in enumerate(POSES[t]))


def _site(k: int) -> str:
    """The friction site of an axis: on the motor shaft behind an elastic gear, else at the joint."""
    return f"{JOINTS[k]}.motor" if AXES[k].c else JOINTS[k]


def arm_switches(run: Trajectory) -> int:
    """How often the axes change between sticking, sliding ahead and back; what lasts one record is no change."""
    total = 0
    for k, axis in enumerate(AXES):
        v = run[f"motor_speed.{JOINTS[k]}"] if axis.c else run[f"v.{JOINTS[k]}"]
        state = np.where(run[f"mode.{_site(k)}"] > 0, np.sign(v), 0)
        lasting = np.append(state[:-1] == state[1:], True)
        total += int(np.count_nonzero(np.diff(state[lasting])))
    return total


def stuck(run: Trajectory) -> str:
    """Which axes stick at the end."""
    return ", ".join(str(k + 1) for k in range(6) if run[f"mode.{_site(k)}"][-1] == 0) or "none"


def run_arm(step: float, method: str | None = None, tell: Tell | None = None) -> Trajectory:
    """The motion from rest under gravity, springs wound by it; recorded each 10 µs, or each step."""
    scene, duration = arm(), 1.857 if step < 2e-3 else 1.858
    signals = ["q.", "v.", "motor_speed", "mode", "friction"]
    start = scene.holding()
    how: dict[str, Any] = {"duration": duration, "step": step, "record": max(step, 1e-5), "signals": signals}
    return complete(scene, **how, method=method, parameters=start, progress=tell)


def _arm(quick: bool, tell: Tell) -> Result:
    share = list(shares(tell, 5))
    fine = run_arm(5e-6, "gears_implicit", share[0])
    coarse = {step: run_arm(step, None, each) for step, each in zip(STEPS, share[1:], strict=False)}
    paper = run_arm(1e-3, "gears_implicit", share[4])
    claims = [agrees("the motion takes", 1.356045002, MOVE.duration, 1e-9, "s", 9)]
    claims += [below(f"largest distance of a joint at {t:g} s, step 5 µs", _apart(fine, t), 1e-5, "rad") for t in POSES]
    instant = (fine.time > 1.3563) & (fine.time < 1.3574)
    reverses = float(fine.time[instant][np.flatnonzero(np.diff(np.sign(fine["v.joint5"][instant])))[0] + 1])
    starts = float(fine.time[instant][np.abs(fine["v.joint6"][instant]) > 1e-6][0])
    count = arm_switches(fine)
    claims += [
        agrees("axis 5 reverses", 1.356847, reverses, 1e-4, "s", 7),
        agrees("in the same instant the stuck axis 6 starts", 1.356847, starts, 1e-4, "s", 7),
        Claim("switches between sticking and sliding, all axes", "34", str(count), count == 34),
    ]
    for step, run in coarse.items():
        claims += _beside(f"default method at {1e3 * step:g} ms", run, fine, STEPS[step])
    claims += _beside("gears_implicit at 1 ms", paper, fine, 1e-3)

    def draw() -> Any:
        picture, (above, under) = subplots(2, 6.0)
        for k, joint in enumerate(JOINTS):
            above.plot(fine.time, fine[f"v.{joint}"], label=f"axis {k + 1}")
            under.plot(fine.time, fine[f"friction.{_site(k)}"], label=f"axis {k + 1}")
        above.set_title("the Manutec r3 moves its load: friction sticks at both ends")
        above.set_ylabel("joint speed [rad/s]")
        under.set_ylabel("friction, motor side 1 to 3 [N·m]")
        under.set_xlabel("time [s]")
        above.legend(ncols=6)
        return picture

    return claims, draw


def _beside(who: str, run: Trajectory, fine: Trajectory, bar: float) -> list[Claim]:
    """A run beside the reference, at all times that both have."""
    every = round(float(run.time[1]) / 1e-5)
    q, exact = run.stack("q."), fine.stack("q.")[::every]
    n = min(len(q), len(exact))
    apart = float(np.abs(q[:n] - exact[:n]).max())
    return [
        below(f"largest distance of a joint at any time, {who}", apart, bar, "rad"),
        Claim(f"axes that stick at the end, {who}", f"the same: {stuck(fine)}", stuck(run), stuck(run) == stuck(fine)),
    ]


SOURCE = "Otter and Türk, Manutec r3"
CASES = {
    "manutec-axis": Case("an elastic axis with friction under a servo", SOURCE, _axis),
    "arm-3": Case("a whole arm of ordinary parts: stuck joints are coupled", SOURCE, _arm),
}
