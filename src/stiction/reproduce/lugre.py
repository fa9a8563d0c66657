"""Figures 2, 3 and 6 of Canudas de Wit, Olsson, Åström and Lischinsky 1995, with their parameters."""

import math
from typing import Any

import numpy as np

from stiction.friction import LuGre
from stiction.methods.schemes import runge_kutta_4
from stiction.network import Term, Wire
from stiction.parts import Friction, Mass, Source, SpringDamper
from stiction.reproduce.case import Case, Result, Tell, agrees, below, complete, shares
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.trace.functions import Scalar, clip, cos, loop
from stiction.trace.program import Port, Program

LAW = LuGre(level=1.0, static=1.5, velocity=0.001, exponent=2.0, stiffness=1e5, damping=math.sqrt(1e5), viscous=0.4)


def _stick_slip(_: bool, tell: Tell) -> Result:
    network = Scene(
        parts={
            "mass": Mass(mass=1.0),
            "pull": Source(functions=(lambda t: t / 10,)),
            "spring": SpringDamper(stiffness=2.0),
            "friction": Friction(law=LAW),
        },
        wires=[
            Wire("spring.position", ["mass.position", Term("pull.force", -1.0)]),
            Wire("spring.velocity", ["mass.velocity"]),
            Wire("friction.velocity", ["mass.velocity"]),
            Wire("mass.force", [Term("spring.force", -1.0), Term("friction.torque", -1.0)]),
        ],
    )
    run = complete(network, duration=20.0, step=2e-5, method="rk4", record=1e-3, progress=tell)
    x, v, t = run["mass.position"], run["mass.velocity"], run.time
    friction = run["friction.torque"]
    edges = t[1:][np.diff((v > 0.01).astype(int)) != 0]
    published = (
        ("slip begins", 7.458),
        ("slip ends", 10.224),
        ("slip begins again", 13.821),
        ("slip ends again", 16.586),
    )
    claims = [
        agrees(what, when, float(ours), 5e-3, "s", 5) for (what, when), ours in zip(published, edges, strict=True)
    ]
    claims += [
        agrees("largest velocity", 0.36982, float(v.max()), 1e-4, "m/s", 5),
        agrees("position at 15 s", 0.91828, float(np.interp(15.0, t, x)), 1e-4, "m", 5),
        agrees("position at 20 s", 1.272596, float(x[-1]), 1e-4, "m"),
        below("largest friction force", float(friction.max()), 1.4767, "N"),
    ]

    def draw() -> Any:
        picture, (above, under) = subplots(2, 5.2)
        above.plot(t, x, label="mass")
        above.plot(t, t / 10, label="pulled end")
        above.set_title("stick-slip of a mass on a spring (figure 6)")
        above.set_ylabel("position [m]")
        above.legend()
        under.plot(t, friction, label="friction [N]")
        under.plot(t, v, label="velocity [m/s]")
        under.set_ylabel("force [N], velocity [m/s]")
        under.set_xlabel("time [s]")
        under.legend()
        return picture

    return claims, draw


def _lag(_: bool, tell: Tell) -> Result:
    """Friction over one period of v = 0.001 (1.5 + cos ωt), after the start has faded."""

    def function(h: Scalar, omega: Scalar, tick: Scalar, steps: Scalar, z: Scalar) -> tuple:
        def flow(x: list, t: Scalar, step: Scalar) -> list:
            return LAW.flow((3 / 2 + cos(omega * t)) / 1000, x, step)[1]

        return (loop(steps, lambda k, x: runge_kutta_4(flow, x, (tick + k) * h, h), [z])[0],)

    names = ("h", "omega", "tick", "steps")
    program = Program("lag", function, [*(Port(name, role="uniform") for name in names), Port("z")], [Port("z")])
    claims, curves = [], {}
    for share, (omega, falling, rising) in zip(
        shares(tell, 3), ((1.0, 1.05270, 1.05392), (10.0, 1.04831, 1.06109), (25.0, 1.04347, 1.07956)), strict=True
    ):
        parts, stride = 200, 5000
        h = 2 * math.pi / omega / parts / stride
        z, record = float(program(h, omega, 0, 2 * parts * stride, 0.0)[0]), []
        for k in range(parts + 1):
            v = (1.5 + math.cos(omega * (2 * parts + k) * stride * h)) / 1000
            record.append((v, LAW.flow(v, [z], 0.0)[0]))
            z = float(program(h, omega, (2 * parts + k) * stride, stride, z)[0])
        share(1.0)
        curves[omega] = np.array(record)
        claims.append(
            agrees(f"force at 1.5 mm/s, velocity falling, ω = {omega:g}", falling, record[parts // 4][1], 1e-4, "N")
        )
        claims.append(
            agrees(f"force at 1.5 mm/s, velocity rising, ω = {omega:g}", rising, record[3 * parts // 4][1], 1e-4, "N")
        )

    def draw() -> Any:
        picture, ax = subplots(1, 3.8)
        for omega, curve in curves.items():
            ax.plot(1e3 * curve[:, 0], curve[:, 1], label=f"ω = {omega:g} rad/s")
        ax.set_title("friction lags behind the velocity (figure 3)")
        ax.set_xlabel("velocity [mm/s]")
        ax.set_ylabel("friction [N]")
        ax.legend()
        return picture

    return claims, draw


def _presliding(_: bool, tell: Tell) -> Result:
    def push(t: Scalar) -> Scalar:  # up in 10 s, held, down in 20 s, held
        return 1.425 * (clip(t / 10, 0, 1) - 2 * clip((t - 15) / 20, 0, 1))

    network = Scene(
        parts={"mass": Mass(mass=1.0), "push": Source(functions=(push,)), "friction": Friction(law=LAW)},
        wires=[
            Wire("friction.velocity", ["mass.velocity"]),
            Wire("mass.force", ["push.force", Term("friction.torque", -1.0)]),
        ],
    )
    run = complete(network, duration=40.0, step=2e-5, method="rk4", record=0.01, progress=tell)
    x = run["mass.position"]
    published = {10: 44.8579, 15: 45.3119, 35: -9.5635, 40: -10.0174}
    claims = [
        agrees(f"position at {t} s", micro, 1e6 * float(x[round(t / 0.01)]), 0.01, "μm")
        for t, micro in published.items()
    ]

    def draw() -> Any:
        picture, ax = subplots(1, 3.8)
        ax.plot(1e6 * x, [push(float(t)) for t in run.time])
        ax.set_title("presliding: hysteresis below break-away (figure 2)")
        ax.set_xlabel("position [μm]")
        ax.set_ylabel("force [N]")
        return picture

    return claims, draw


SOURCE = "Canudas de Wit, Olsson, Åström, Lischinsky 1995"
CASES = {
    "lugre-2": Case("presliding hysteresis", SOURCE, _presliding),
    "lugre-3": Case("friction lags behind velocity", SOURCE, _lag),
    "lugre-6": Case("stick-slip of a mass on a spring", SOURCE, _stick_slip),
}
