"""The experiments of Kikuuwe's component networks (network.md)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stiction.friction import Coulomb, LuGre
from stiction.friction.law import Law
from stiction.network import Term, Wire
from stiction.parts import Fixed, FreeBody, Ground, PenaltyJoint, Source
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, below, complete, shares
from stiction.robot import Cylinder, Joint, Link, Origin, Robot
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, cos, minimum, sin, where

RADIUS, MASS = 0.2, 0.3  # of the sphere [m, kg]


def sphere(height: float) -> Scene:
    """A solid ball with 2 m/s on the ground; μ = 0.1, K = 1e7 N/m, B = 10 N·s/m, g = 9.8 m/s²."""
    R = RADIUS
    cross = (
        (0.0, -R, 0.0),
        (R, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    )  # ω ↦ ω × (0, 0, −R); and force on the ground ↦ moment on the ball
    return Scene(
        parts={
            "ball": FreeBody(
                mass=MASS,
                inertia=(2 / 5 * MASS * R * R,) * 3,
                position=(0, 0, height),
                velocity=(2, 0, 0),
                gravity=(0, 0, -9.8),
            ),
            "ground": Ground(stiffness=1e7, damping=10.0, coefficient=0.1),
        },
        wires=[
            Wire("ground.position", ["ball.position"], shift=(0, 0, -R)),
            Wire("ground.velocity", ["ball.velocity", Term("ball.angular", cross)]),
            Wire("ball.force", [Term("ground.force", -1.0)]),
            Wire("ball.moment", [Term("ground.force", cross)]),
        ],
    )


def _sphere(_: bool, tell: Tell) -> Result:
    first, second, third = shares(tell, 3)
    placed = complete(sphere(RADIUS - MASS * 9.8 / 1e7), duration=1.0, step=1e-4, method="rk4", progress=first)
    dropped = complete(sphere(1.01 * RADIUS), duration=1.0, step=1e-4, method="rk4", progress=second)
    finer = complete(sphere(1.01 * RADIUS), duration=1.0, step=1e-5, method="rk4", record=1e-4, progress=third)
    slip = {
        name: run["ball.velocity.x"] - RADIUS * run["ball.angular.y"]
        for name, run in (("placed", placed), ("dropped", dropped), ("finer", finer))
    }
    # a dropped ball bounces and slips in jumps: when the velocity first passes zero depends on the step, and small
    # slips of either sign follow
    end = {name: float(placed.time[x < 1e-3][0]) for name, x in slip.items()}
    claims = [
        agrees("contact velocity reaches zero, placed on the ground", 0.583090, end["placed"], 1e-3, "s"),
        agrees(
            "contact velocity first reaches zero, dropped by 2 mm, at the published step of 0.1 ms",
            0.583,
            end["dropped"],
            2e-3,
            "s",
            3,
        ),
        Claim(
            "the same at a step of 0.01 ms: the bounces fall otherwise", "not reported", f"{end['finer']:.4f} s", None
        ),
        agrees("velocity while rolling", 1.428571, float(placed["ball.velocity.x"][-1]), 1e-4, "m/s"),
        agrees("angular velocity while rolling", 7.142857, float(placed["ball.angular.y"][-1]), 1e-4, "rad/s"),
        below("contact velocity after 0.6 s", float(np.abs(slip["placed"][placed.time > 0.6]).max()), 1e-5, "m/s"),
    ]

    def draw() -> Any:
        picture, ax = subplots(1, 3.6)
        for name, x in slip.items():
            ax.plot(placed.time, x, label=name)
        ax.axvline(0.58309, color="black", linewidth=0.8, linestyle=":", label="2v/(7μg)")
        ax.set_title("a sphere slides, then rolls")
        ax.set_ylabel("contact velocity [m/s]")
        ax.set_xlabel("time [s]")
        ax.legend()
        return picture

    return claims, draw


LENGTH, WEIGHT, THICK = 0.35, 0.1, 0.01  # of each link: a rod [m, kg, m]
STICKS = Coulomb(level=0.5, stiffness=5000.0, damping=1.0)
DRIFTS = LuGre(level=0.5, static=0.5, velocity=0.01, stiffness=5000.0, damping=1.0)


def rod(name: str) -> Link:
    """A link along x: a cylinder of 0.35 m, 0.1 kg and 10 mm radius."""
    return Link.of(
        name,
        Cylinder(
            radius=THICK, length=LENGTH, mass=WEIGHT, origin=Origin(xyz=(LENGTH / 2, 0, 0), rpy=(0, np.pi / 2, 0))
        ),
    )


def arm() -> Robot:
    """Two such rods on vertical axes."""
    return Robot(
        name="two rods",
        links=[Link(name="base"), rod("upper_arm"), rod("forearm")],
        joints=[
            Joint(name="shoulder", kind="continuous", parent="base", child="upper_arm"),
            Joint(
                name="elbow", kind="continuous", parent="upper_arm", child="forearm", origin=Origin(xyz=(LENGTH, 0, 0))
            ),
        ],
    )


def torque(wave: Callable[[Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
    """(28c), (28d): pushed until 4 s, then shaken below break-away [N·m]."""
    return lambda t: where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * wave(100 * t))


def two_links(law: Law) -> Scene:
    """The arm without gravity, with friction at both joints."""
    return Scene(
        robot=arm(),
        friction={"shoulder": law, "elbow": law},
        torque={"shoulder": torque(sin), "elbow": torque(cos)},
        gravity=(0, 0, 0),
    )


def two_link_runs(tell: Tell) -> tuple[Trajectory, Trajectory]:
    """The arm with implicit Coulomb and with LuGre friction, 15 s; at 6 rad/s the bristle of LuGre needs smaller steps
    than the paper's 0.1 ms.
    """
    first, second = shares(tell, 2)
    sticks = complete(two_links(STICKS), duration=15.0, step=1e-4, method="rk4", record=0.01, progress=first)
    return sticks, complete(two_links(DRIFTS), duration=15.0, step=2e-5, method="rk4", record=0.01, progress=second)


def _anchor(run: Trajectory, joint: str) -> np.ndarray:
    return run[f"q.{joint}"] - run[f"bend.{joint}"]


def _stop(run: Trajectory) -> float:
    moving = np.abs(run["v.shoulder"]) + np.abs(run["v.elbow"]) > 0.05
    return float(run.time[moving][-1])


def _two_links(_: bool, tell: Tell) -> Result:
    sticks, drifts = two_link_runs(tell)
    late = sticks.time >= 5
    claims = [agrees("the arm stops", 4.5, _stop(sticks), 0.25, "s", 2)]
    for joint in ("shoulder", "elbow"):
        claims.append(
            below(
                f"drift of the {joint} from 5 to 15 s, implicit Coulomb",
                float(np.ptp(_anchor(sticks, joint)[late])),
                1e-9,
                "rad",
            )
        )
    travel = float(drifts["q.shoulder"][-1] - drifts["q.shoulder"][late][0])
    claims.append(Claim("drift of the shoulder, LuGre", "for ever", f"{travel:.3g} rad in 10 s", travel > 1e-3))
    return claims, lambda: stop_and_stay(sticks, drifts)


def stop_and_stay(sticks: Trajectory, drifts: Trajectory) -> Any:
    """The figure of the two-link arm."""
    picture, (whole, close) = subplots(2, 5.6)
    for name, run in (("implicit Coulomb", sticks), ("LuGre", drifts)):
        whole.plot(run.time, run["q.shoulder"], label=name)
        stopped = run.time >= 5
        close.plot(run.time[stopped], 1e3 * (run["q.shoulder"][stopped] - run["q.shoulder"][stopped][0]), label=name)
    whole.set_title("a two-link arm is pushed, stops, and stays or drifts")
    whole.set_ylabel("shoulder [rad]")
    close.set_ylabel("shoulder since 5 s [mrad]")
    close.set_xlabel("time [s]")
    whole.legend()
    return picture


def free_links(law: Law, stiffness: float) -> Scene:
    """The same arm as two free bodies on penalty joints; the drives push on both neighbours."""
    half = LENGTH / 2
    round_, across = WEIGHT * THICK**2 / 2, WEIGHT * (3 * THICK**2 + LENGTH**2) / 12
    link = {"mass": WEIGHT, "inertia": (round_, across, across), "gravity": (0, 0, 0)}
    joint = {
        "stiffness": stiffness,
        "damping": stiffness / 2000,
        "turning_stiffness": stiffness / 400,
        "turning_damping": stiffness / 4e6,
        "law": law,
    }
    bodies = {"shoulder": ("world", "upper"), "elbow": ("upper", "fore")}
    ports = ("position", "quaternion", "velocity", "angular")
    wires = [
        Wire(f"{name}.{port}_{side}", [f"{body}.{port}"])
        for name, pair in bodies.items()
        for side, body in zip("ab", pair, strict=True)
        for port in ports
    ]
    about, against = ([[0.0], [0.0], [s]] for s in (1.0, -1.0))
    return Scene(
        parts={
            "world": Fixed(),
            "upper": FreeBody(position=(half, 0, 0), **link),  # type: ignore[arg-type]
            "fore": FreeBody(position=(3 * half, 0, 0), **link),  # type: ignore[arg-type]
            "shoulder": PenaltyJoint(anchor_b=(-half, 0, 0), **joint),  # type: ignore[arg-type]
            "elbow": PenaltyJoint(anchor_a=(half, 0, 0), anchor_b=(-half, 0, 0), **joint),  # type: ignore[arg-type]
            "first": Source(functions=(torque(sin),)),
            "second": Source(functions=(torque(cos),)),
        },
        wires=[
            *wires,
            Wire("upper.force", ["shoulder.force_b", "elbow.force_a"]),
            Wire("fore.force", ["elbow.force_b"]),
            Wire(
                "upper.moment",
                ["shoulder.moment_b", "elbow.moment_a", Term("first.force", about), Term("second.force", against)],
            ),
            Wire("fore.moment", ["elbow.moment_b", Term("second.force", about)]),
        ],
    )


def _turned(run: Trajectory, body: str) -> np.ndarray:
    """How far a body turned about z [rad]."""
    return np.unwrap(2 * np.arctan2(run[f"{body}.quaternion.z"], run[f"{body}.quaternion.w"]), period=2 * np.pi)


def _free_links(quick: bool, tell: Tell) -> Result:
    first, second = shares(tell, 2)
    duration = 6.0 if quick else 15.0
    rigid = complete(two_links(STICKS), duration=duration, step=1e-4, method="rk4", record=0.01, progress=first)
    free = complete(free_links(STICKS, 2e5), duration=duration, step=1e-4, method="rk4", record=0.01, progress=second)
    upper, fore = _turned(free, "upper"), _turned(free, "fore")
    angles = {"shoulder": (rigid["q.shoulder"], upper), "elbow": (rigid["q.elbow"], fore - upper)}
    claims = []
    for joint, (a, b) in angles.items():
        claims.append(
            below(
                f"{joint}: difference to the jointed arm, part of its travel",
                float(np.abs(a - b).max() / np.ptp(a)),
                0.01,
            )
        )
    late = free.time >= 5
    for joint, (_a, b) in angles.items():
        anchor = (b - free[f"{joint}.bend"])[late]
        claims.append(below(f"{joint}: drift of the anchor from 5 s on", float(np.ptp(anchor)), 1e-9, "rad"))

    def draw() -> Any:
        picture, (above, under) = subplots(2, 5.6)
        for joint, (a, b) in angles.items():
            above.plot(rigid.time, a, label=f"{joint}, jointed arm")
            above.plot(free.time, b, linestyle="--", label=f"{joint}, free bodies on penalty joints")
            under.plot(free.time, 1e3 * (b - a), label=joint)
        above.set_title("two links as free bodies on stiff penalty joints")
        above.set_ylabel("angle [rad]")
        under.set_ylabel("difference [mrad]")
        under.set_xlabel("time [s]")
        above.legend()
        under.legend()
        return picture

    return claims, draw


SOURCE = "Kikuuwe, modular simulation with Coulomb friction"
CASES = {
    "network-1": Case("a sphere slides, then rolls", SOURCE, _sphere),
    "network-2": Case("a two-link arm with friction stops and stays", SOURCE, _two_links),
    "network-3": Case("the same arm as free bodies on penalty joints", SOURCE, _free_links),
}
