"""The experiments of forward dynamics with frictional gears (gears.md)."""

import math
from typing import Any

import numpy as np

from stiction import library
from stiction.control import PID, Clock
from stiction.drive import DCMotor, Drive, Gear
from stiction.friction import Stribeck
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, below, complete, shares
from stiction.robot import Joint, Link, Robot
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, sin, where

RATIO = 120.0
CORRECTED = Drive(  # as the authors' later model has it
    motor=DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0),
    gear=Gear(ratio=RATIO),
    joint_friction=Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2),
)
PRINTED = Drive(  # torque constant and viscous friction as printed: back-EMF and friction then hold the joint back
    motor=DCMotor(resistance=2.36, constant=2.58, rotor_inertia=7.03e-6, rated_voltage=24.0),
    gear=Gear(ratio=RATIO),
    joint_friction=Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=183.6),
)


def link() -> Robot:
    """A link of 100 × 30 × 5 mm and 35.6 g on a vertical axis at its end."""
    mass, long, wide, thick = 35.6e-3, 0.1, 0.03, 0.005
    inertia = np.diag([wide**2 + thick**2, long**2 + thick**2, long**2 + wide**2]) * mass / 12
    return Robot(
        name="one link",
        links=[
            Link(name="base"),
            Link(name="link", mass=mass, center_of_mass=(long / 2, 0, 0), inertia=inertia.tolist()),
        ],
        joints=[Joint(name="joint", kind="continuous", parent="base", child="link")],
    )


def target(t: Scalar) -> Scalar:
    """0° until 5 s, then 10° [rad]."""
    return where(t < 5, 0, math.pi / 18)


def hand(t: Scalar) -> Scalar:
    """Our choice, as the paper shows it only in a figure: 8 N·m along, during 10 to 15 s and 24 to 25 s, growing and
    falling as sin².
    """
    first, second = sin(math.pi * (t - 10) / 5), sin(math.pi * (t - 24))
    return where((t > 10) & (t < 15), 8 * first * first, where((t > 24) & (t < 25), 8 * second * second, 0))


def one_drive(drive: Drive, pushed: bool) -> Scene:
    """The link under its controller (30), gains on the motor side times the ratio."""
    pid = PID(
        clock=Clock(period=2e-3),
        proportional=RATIO * 0.025448,
        integral=RATIO * 0.046742,
        derivative=RATIO * 0.005771,
        limit=24.0,
    )
    return Scene(
        robot=link(),
        drives={"joint": drive},
        control={"joint": pid},
        reference={"joint": target},
        torque={"joint": hand} if pushed else {},
    )


def _breakaway(run: Trajectory) -> float:
    """When the joint first moves [s]."""
    return float(run.time[np.abs(run["v.joint"]) > 1e-9][0])


def _rest(run: Trajectory) -> float:
    """When the joint stops for the last time [s]."""
    return float(run.time[run["mode.joint"] > 0][-1])


def _one_drive(_: bool, tell: Tell) -> Result:
    share = list(shares(tell, 6))
    how: dict[str, Any] = {"step": 1e-3, "record": 1e-3}
    methods = {"semi-implicit": "gears_semi_implicit", "implicit": "gears_implicit"}
    alone, pushed = {}, {}
    for k, (name, method) in enumerate(methods.items()):
        alone[name] = complete(one_drive(CORRECTED, False), duration=9.0, method=method, progress=share[k], **how)
        pushed[name] = complete(one_drive(CORRECTED, True), duration=30.0, method=method, progress=share[k + 2], **how)
    rows = complete(one_drive(CORRECTED, True), duration=30.0, method="moreau", progress=share[4], **how)
    full = Scene(
        robot=link(),
        drives={
            "joint": Drive(motor=PRINTED.motor, gear=PRINTED.gear, joint_friction=PRINTED.joint_friction, command=24.0)
        },
    )
    printed = complete(
        full, duration=2.0, method="moreau", progress=share[5], **how
    )  # its back-EMF is too stiff for Gill at 1 ms
    q = {name: run["q.joint"] for name, run in pushed.items()}
    travel = float(np.ptp(q["implicit"]))
    rest = {name: _rest(run) for name, run in pushed.items()}
    claims: list[Claim] = [
        agrees(f"break-away without the hand, {name}", 8.2866, _breakaway(run), 2e-3, "s", 5)
        for name, run in alone.items()
    ]
    claims += [
        below(
            "the methods differ by, part of the travel",
            float(np.abs(q["semi-implicit"] - q["implicit"]).max()) / travel,
            0.02,
        ),
        below(
            "the implicit method and our coupled rows differ by, part of the travel",
            float(np.abs(rows["q.joint"] - q["implicit"]).max()) / travel,
            0.02,
        ),
        Claim(
            "the semi-implicit method comes to rest slightly earlier (after 25 s)",
            "yes",
            f"{rest['semi-implicit']:.3f} s and {rest['implicit']:.3f} s",
            rest["semi-implicit"] < rest["implicit"],
        ),
        agrees("speed at 24 V with the printed data", 0.077, float(printed["v.joint"].max()), 1e-3, "rad/s", 3),
    ]

    def draw() -> Any:
        picture, (above, under) = subplots(2, 5.6)
        for (name, run), style in zip(pushed.items(), ("-", "--"), strict=True):
            above.plot(run.time, np.degrees(run["q.joint"]), style, label=name)
            under.plot(run.time, run["friction.joint"], style, label=f"friction, {name}")
        above.plot(
            rows.time,
            np.degrees([target(float(t)) for t in rows.time]),
            color="black",
            linewidth=0.8,
            linestyle=":",
            label="target",
        )
        above.set_title("one drive, pushed by a hand at 10 to 15 s and 24 to 25 s")
        above.set_ylabel("joint [°]")
        under.set_ylabel("torque at the joint [N·m]")
        under.set_xlabel("time [s]")
        above.legend()
        under.legend()
        return picture

    return claims, draw


def chain_with_drives(n: int) -> Scene:
    """A chain of n joints with drives and friction on all of them, moving."""
    robot = library.chain(n)
    names = robot.velocity_names
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=CORRECTED.joint_friction, command=6.0)
    return Scene(robot=robot, drives=dict.fromkeys(names, drive), q=np.linspace(0.1, 0.3, n), v=np.full(n, 0.1))


SOURCE = "forward dynamics of manipulators with frictional gears, 2016"
CASES = {
    "gears-1": Case("one drive, pushed by a hand", SOURCE, _one_drive),
}
