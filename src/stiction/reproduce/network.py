"""The experiments of Kikuuwe's component networks (network.md)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from stiction.friction import Coulomb, LuGre
from stiction.friction.law import Law
from stiction.reproduce.case import Case, Claim, agrees, below
from stiction.robot import library
from stiction.show.figure import subplots
from stiction.simulation.bodies import FreeBody
from stiction.simulation.forces import Ground
from stiction.simulation.network import Network, Term, Wire
from stiction.simulation.scene import Scene
from stiction.simulation.simulate import simulate
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, cos, minimum, sin, where

RADIUS, MASS = 0.2, 0.3  # of the sphere [m, kg]


def sphere(height: float) -> Network:
    """A solid ball with 2 m/s on the ground; μ = 0.1, K = 1e7 N/m, B = 10 N·s/m, g = 9.8 m/s²."""
    R = RADIUS
    cross = ((0.0, -R, 0.0), (R, 0.0, 0.0), (0.0, 0.0, 0.0))  # ω ↦ ω × (0, 0, −R); and force on the ground ↦ moment on the ball
    return Network(
        parts={
            "ball": FreeBody(mass=MASS, inertia=(2 / 5 * MASS * R * R,) * 3, position=(0, 0, height), velocity=(2, 0, 0), gravity=(0, 0, -9.8)),
            "ground": Ground(stiffness=1e7, damping=10.0, coefficient=0.1),
        },
        wires=[
            Wire("ground.position", ["ball.position"], shift=(0, 0, -R)),
            Wire("ground.velocity", ["ball.velocity", Term("ball.angular", cross)]),
            Wire("ball.force", [Term("ground.force", -1.0)]),
            Wire("ball.moment", [Term("ground.force", cross)]),
        ],
    )


def _sphere() -> tuple[list[Claim], Callable[[], Any]]:
    placed = simulate(sphere(RADIUS - MASS * 9.8 / 1e7), duration=1.0, step=1e-4)
    dropped = simulate(sphere(1.01 * RADIUS), duration=1.0, step=1e-4)
    finer = simulate(sphere(1.01 * RADIUS), duration=1.0, step=1e-5, record=1e-4)
    slip = {name: run["ball.velocity.x"] - RADIUS * run["ball.angular.y"] for name, run in (("placed", placed), ("dropped", dropped), ("finer", finer))}
    # a dropped ball bounces and slips in jumps: when the velocity first passes zero depends on the step, and small slips of either sign follow
    end = {name: float(placed.time[x < 1e-3][0]) for name, x in slip.items()}
    claims = [
        agrees("contact velocity reaches zero, placed on the ground", 0.583090, end["placed"], 1e-3, "s"),
        agrees("contact velocity first reaches zero, dropped by 2 mm, at the published step of 0.1 ms", 0.583, end["dropped"], 2e-3, "s", 3),
        Claim("the same at a step of 0.01 ms: the bounces fall otherwise", "not reported", f"{end['finer']:.4f} s", True),
        agrees("velocity while rolling", 1.428571, float(placed["ball.velocity.x"][-1]), 1e-4, "m/s"),
        agrees("angular velocity while rolling", 7.142857, float(placed["ball.angular.y"][-1]), 1e-3, "rad/s"),
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


def two_links(law: Law) -> Scene:
    """Two links of 0.35 m with 0.05 kg at their ends, no gravity: pushed until 4 s, then shaken below break-away."""

    def torque(wave: Callable[[Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
        return lambda t: where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * wave(100 * t))  # (28c), (28d)

    arm = library.two_link(lengths=(0.35, 0.35), masses=(0.05, 0.05))
    return Scene(robot=arm, friction={"shoulder": law, "elbow": law}, torque={"shoulder": torque(sin), "elbow": torque(cos)}, gravity=(0, 0, 0))


def _anchor(run: Trajectory, joint: str) -> np.ndarray:
    return run[f"q.{joint}"] - run[f"bend.{joint}"]


def _two_links() -> tuple[list[Claim], Callable[[], Any]]:
    sticks = simulate(two_links(Coulomb(level=0.5, stiffness=5000.0, damping=1.0)), duration=15.0, step=1e-4, record=0.01)
    drifts = simulate(two_links(LuGre(level=0.5, static=0.5, velocity=0.01, stiffness=5000.0, damping=1.0)), duration=15.0, step=1e-4, record=0.01)
    moving = np.abs(sticks["v.shoulder"]) + np.abs(sticks["v.elbow"]) > 0.05
    late = sticks.time >= 5
    claims = [agrees("the arm stops", 4.5, float(sticks.time[moving][-1]), 0.5, "s", 2)]
    for joint in ("shoulder", "elbow"):
        claims.append(below(f"drift of the {joint} from 5 to 15 s, implicit Coulomb", float(np.ptp(_anchor(sticks, joint)[late])), 1e-9, "rad"))
    travel = float(drifts["q.shoulder"][-1] - drifts["q.shoulder"][late][0])
    claims.append(Claim("drift of the shoulder, LuGre", "for ever", f"{travel:.3g} rad in 10 s", travel > 1e-3))

    def draw() -> Any:
        picture, (whole, close) = subplots(2, 5.6)
        for name, run in (("implicit Coulomb", sticks), ("LuGre", drifts)):
            whole.plot(run.time, run["q.shoulder"], label=name)
            stopped = run.time >= 5
            close.plot(run.time[stopped], 1e3 * (run["q.shoulder"][stopped] - run["q.shoulder"][stopped][0]), label=name)
        whole.set_title("a two-link arm stops, and stays or drifts")
        whole.set_ylabel("shoulder [rad]")
        close.set_ylabel("shoulder since 5 s [mrad]")
        close.set_xlabel("time [s]")
        whole.legend()
        return picture

    return claims, draw


SOURCE = "Kikuuwe, modular simulation with Coulomb friction"
CASES = {
    "network-1": Case("a sphere slides, then rolls", SOURCE, _sphere),
    "network-2": Case("a two-link arm with friction stops and stays", SOURCE, _two_links),
}
