"""Experiments with friction and contact whose results can be written down."""

import math
from typing import Any

import numpy as np

from stiction.friction import Coulomb
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Ground, Mass, Source, TouchingPoint
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, below, complete, shares
from stiction.reproduce.network import torque
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import cos, sin

INERTIA = 0.0304  # kg m²


def one_joint(wave: Any, inertia: float = INERTIA) -> Scene:
    """One joint of Kikuuwe's arm, K = 5000, B = 1, F = 0.5, under its torque."""
    return Scene(
        parts={
            "joint": Mass(mass=inertia),
            "drive": Source(functions=(torque(wave),)),
            "friction": Friction(law=Coulomb(level=0.5, stiffness=5000.0, damping=1.0)),
        },
        wires=[
            Wire("friction.velocity", ["joint.velocity"]),
            Wire("joint.force", ["drive.force", Term("friction.torque", -1.0)]),
        ],
    )


def _one_joint(_: bool, tell: Tell) -> Result:
    runs = {}
    claims: list[Claim] = []
    for share, (name, wave, stop) in zip(
        shares(tell, 2), (("sin", sin, 4.267996010), ("cos", cos, 4.294888163)), strict=True
    ):
        run = runs[name] = complete(one_joint(wave), duration=11.0, step=1e-4, method="rk4", progress=share)
        v, t = run["joint.velocity"], run.time
        anchor = run["joint.position"] - run["friction.bend"]
        slips = float(t[anchor > 1e-7][0])
        stopped = float(t[(t > 4) & (v <= 0)][0])
        claims += [
            agrees(f"slip starts, {name} torque", 5 / 3, slips, 0.01, "s", 3),
            agrees(f"momentum at 4 s, {name} torque", 0.046, INERTIA * float(np.interp(4.0, t, v)), 1e-5, "N·m·s"),
            agrees(f"stop, {name} torque", stop, stopped, 2e-4, "s", 8),
            below(f"drift of the anchor from 4.35 s on, {name} torque", float(np.ptp(anchor[t >= 4.35])), 1e-12, "rad"),
        ]

    def draw() -> Any:
        picture, (above, under) = subplots(2, 5.2)
        for name, run in runs.items():
            above.plot(run.time, run["joint.velocity"], label=f"{name} torque")
            under.plot(run.time, run["joint.position"] - run["friction.bend"], label=f"{name} torque")
        above.set_title("one joint slips, stops and stays")
        above.set_ylabel("velocity [rad/s]")
        under.set_ylabel("anchor [rad]")
        under.set_xlabel("time [s]")
        above.legend()
        return picture

    return claims, draw


SLOPE, G = math.radians(25), 9.81


def block(coefficient: float, speed: float) -> Scene:
    """A block of 1 kg on a slope of 25°, x down the slope, laid down so deep that the ground carries it."""
    return Scene(
        parts={
            "block": FreeBody(
                mass=1.0,
                inertia=(0.1, 0.1, 0.1),
                position=(0, 0, -G * math.cos(SLOPE) / 1e5),
                velocity=(speed, 0, 0),
                gravity=(G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)),
            ),
            "ground": Ground(stiffness=1e5, damping=200.0, coefficient=coefficient),
        },
        wires=[
            Wire("ground.position", ["block.position"]),
            Wire("ground.velocity", ["block.velocity"]),
            Wire("block.force", [Term("ground.force", -1.0)]),
        ],
    )


def _block(_: bool, tell: Tell) -> Result:
    share = list(shares(tell, 4))
    slides = complete(block(0.3, 0.0), duration=2.0, step=1e-3, method="rk4", progress=share[0])
    thrown = complete(block(0.3, -2.0), duration=2.0, step=1e-3, method="rk4", progress=share[1])
    critical = math.tan(SLOPE)
    holds = complete(
        block(critical * 1.01, 0.0), duration=10.0, step=1e-3, method="rk4", record=0.01, progress=share[2]
    )
    slips = complete(
        block(critical * 0.99, 0.0), duration=10.0, step=1e-3, method="rk4", record=0.01, progress=share[3]
    )
    v, t = thrown["block.velocity.x"], thrown.time
    k = int(np.flatnonzero(v >= 0)[0])
    stop = float(t[k - 1] - v[k - 1] * (t[k] - t[k - 1]) / (v[k] - v[k - 1]))
    rest = holds.between(1.0, 10.0)["block.position.x"]
    claims = [
        agrees(
            "acceleration down the slope, μ = 0.3",
            1.478621330,
            float(np.diff(slides["block.velocity.x"][[1000, 2000]])[0]),
            1e-3,
            "m/s²",
            9,
        ),
        agrees("thrown up at 2 m/s, it stops after", 0.293550018, stop, 1e-3, "s", 8),
        agrees("and as far up", 0.293550018, -float(thrown["block.position.x"].min()), 1e-3, "m", 8),
        Claim("then it slides back", "yes", f"at {v[-1]:.4f} m/s after {t[-1]:g} s", bool(v[-1] > 1)),
        below("drift in 9 s at μ = 1.01 tan 25°", float(np.ptp(rest)), 1e-6, "m"),
        Claim(
            "at μ = 0.99 tan 25° it slides",
            "yes",
            f"{slips['block.position.x'][-1]:.3f} m in 10 s",
            bool(slips["block.position.x"][-1] > 1),
        ),
    ]

    def draw() -> Any:
        picture, ax = subplots(1, 3.6)
        for name, run in (("laid down, μ = 0.3", slides), ("thrown up, μ = 0.3", thrown)):
            ax.plot(run.time, run["block.position.x"], label=name)
        ax.plot(holds.between(0, 2).time, holds.between(0, 2)["block.position.x"], label="laid down, μ = 1.01 tan 25°")
        ax.set_title("a block on a slope of 25°")
        ax.set_ylabel("way down [m]")
        ax.set_xlabel("time [s]")
        ax.legend()
        return picture

    return claims, draw


REST = 4.063712769  # s: a rigid ball with restitution 0.8, dropped from 1 m, has bounced for the last time


def restitution(damping: float) -> float:
    """Speed after over speed before an impact on a spring that does not pull, with this ratio ζ of damping.

    It ends when the force K x + B ẋ of x = e^(−ζτ) sin(√(1 − ζ²) τ) vanishes.
    """
    root = math.sqrt(1 - damping * damping)
    end = math.pi - math.atan2(2 * damping * root, 1 - 2 * damping * damping)  # phase ωτ
    return math.exp(-damping / root * end)


def _ball(_: bool, tell: Tell) -> Result:
    low, high = 0.0, 0.7
    for _k in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if restitution(middle) > 0.8 else (low, middle)
    K = 1e8
    network = Scene(
        parts={
            "ball": FreeBody(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1)),
            "ground": Ground(stiffness=K, damping=2 * low * math.sqrt(K), coefficient=0.0),
        },
        wires=[
            Wire("ground.position", ["ball.position"]),
            Wire("ground.velocity", ["ball.velocity"]),
            Wire("ball.force", [Term("ground.force", -1.0)]),
        ],
    )
    run = complete(network, duration=5.0, step=2e-6, method="rk4", record=2e-4, progress=tell)
    z, v, t = run["ball.position.z"], run["ball.velocity.z"], run.time
    first = int(np.flatnonzero(z <= 0)[0])
    impact = float(np.interp(0.0, [z[first], z[first - 1]], [t[first], t[first - 1]]))
    up = float(v[first : first + 200].max())
    late = float(np.abs(v[t > REST]).max())
    claims = [
        agrees("first impact", 0.451523641, impact, 1e-3, "s", 8),
        agrees("speed after it, part of that before", 0.8, up / math.sqrt(2 * G), 1e-3),
        below(f"speed after {REST:.9g} s (every touch of the spring takes 0.2 to 0.3 ms more)", late, 1e-9, "m/s"),
        below("speed after 4.5 s", float(np.abs(v[t > 4.5]).max()), 1e-9, "m/s"),
    ]

    def draw() -> Any:
        picture, ax = subplots(1, 3.2)
        ax.plot(t, z)
        ax.set_title("a ball bounces with restitution 0.8")
        ax.set_ylabel("height [m]")
        ax.set_xlabel("time [s]")
        return picture

    return claims, draw


def box() -> Scene:
    """A cube of 2 kg and 0.2 m, laid on its four lower corners so deep that they carry it."""
    a, K = 0.1, 1e5
    corners = {f"corner{k}": (x, y, -a) for k, (x, y) in enumerate(((a, a), (a, -a), (-a, a), (-a, -a)))}
    ports = ("position", "quaternion", "velocity", "angular")
    return Scene(
        parts={
            "box": FreeBody(mass=2.0, inertia=(2 * 0.04 / 6,) * 3, position=(0, 0, a - 2 * G / (4 * K))),
            **{
                name: TouchingPoint(point=p, stiffness=K, damping=200.0, coefficient=0.5) for name, p in corners.items()
            },
        },
        wires=[
            *(Wire(f"{name}.{port}", [f"box.{port}"]) for name in corners for port in ports),
            Wire("box.force", [Term(f"{name}.force", -1.0) for name in corners]),
            Wire("box.moment", [Term(f"{name}.moment", -1.0) for name in corners]),
        ],
    )


def normal_forces(run: Trajectory) -> np.ndarray:
    """Normal forces at the corners [N], (T, 4)."""
    return -np.stack([run[f"corner{k}.force.z"] for k in range(4)], axis=-1)


def _box(_: bool, tell: Tell) -> Result:
    run = complete(box(), duration=1.0, step=1e-4, method="rk4", record=1e-2, progress=tell)
    N = normal_forces(run)
    claims = [
        below("largest error of the sum of normal forces", float(np.abs(N.sum(axis=1) - 2 * G).max() / (2 * G)), 1e-9),
        below("spread of the four over their mean", float((N.std(axis=1) / N.mean(axis=1)).max()), 1e-6),
    ]

    def draw() -> Any:
        picture, ax = subplots(1, 3.0)
        for k in range(4):
            ax.plot(run.time, N[:, k], label=f"corner {k}")
        ax.set_ylim(0, 1.2 * N.max())
        ax.set_title("a box at rest on four corners")
        ax.set_ylabel("normal force [N]")
        ax.set_xlabel("time [s]")
        ax.legend(ncols=4)
        return picture

    return claims, draw


SOURCE = "closed form"
CASES = {
    "kikuuwe-joint": Case("one joint slips, stops and stays", f"Kikuuwe's joint, {SOURCE}", _one_joint),
    "block": Case("a block on a slope of 25°", SOURCE, _block),
    "ball": Case("a ball bounces to rest", SOURCE, _ball),
    "box": Case("a box at rest on four corners", SOURCE, _box),
}
