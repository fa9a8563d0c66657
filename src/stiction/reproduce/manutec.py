"""One axis of the Manutec r3 (Otter and Türk 1988; data of the Modelica library's RobotR3): servo, elastic gear, friction on the motor shaft."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.drive.gear import ElasticGear
from stiction.friction import Coulomb
from stiction.part import Impedance, Ports
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, below, complete, shares
from stiction.show.figure import subplots
from stiction.simulation.bodies import Mass
from stiction.simulation.forces import Friction
from stiction.simulation.network import Network, Term, Wire
from stiction.trace.functions import Scalar, clip

RATIO, CONSTANT, RESISTANCE = 210.0, 1.1616, 250.0
FREQUENCY, DAMPING_RATIO = 5500.0, 0.6
INDUCTANCE = RESISTANCE / (2 * DAMPING_RATIO * FREQUENCY)
LOOP = 10 * 0.004 * DAMPING_RATIO / FREQUENCY
FASTEST, STEEPEST, WAY = 3.0, 10.0, 2 * np.pi / 3  # rad/s, rad/s², rad
RAMP = FASTEST / STEEPEST
END = WAY / FASTEST + RAMP  # s


def reference(t: Scalar) -> tuple[Scalar, Scalar]:
    """Position and velocity of the trapezoid [rad, rad/s], at the joint."""
    first, second = clip(t, 0, RAMP), clip(t - (END - RAMP), 0, RAMP)
    middle = clip(t - RAMP, 0, END - 2 * RAMP)
    return STEEPEST * first * first / 2 + FASTEST * middle + FASTEST * second - STEEPEST * second * second / 2, STEEPEST * (first - second)


@dataclass(frozen=True, kw_only=True)
class Servo(Impedance):
    """Controller, current loop and armature: u = n q̇r + 5 (n qr − φ) − ω, i_ref = (x + u)/2, ẋ = 20 u; the loop (v, i) is advanced exactly where it is fast."""

    inputs = {"angle": 1, "speed": 1}
    outputs = {"torque": 1}
    units = {"current": "A", "torque": "N·m"}

    def start(self) -> dict[str, float]:
        """Integrator of the controller, voltage of the loop, current."""
        return {"sum": 0.0, "voltage": 0.0, "current": 0.0}

    def for_step(self, step: float) -> "Servo":
        """Steps that are long for the loop take the mean of the exact current (by methods with one stage)."""
        twin = copy.copy(self)
        object.__setattr__(twin, "exact", _exact(step) if step * FREQUENCY > 1 else None)
        object.__setattr__(twin, "length", step)
        return twin

    def _wanted(self, motion: Ports, total: Scalar, t: Scalar) -> tuple[Scalar, Scalar]:
        q, v = reference(t)
        u = RATIO * v + 5 * (RATIO * q - motion["angle"][0]) - motion["speed"][0]
        return u, (total + u) / 2

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque, and the rates of the states."""
        total, voltage, current = own
        u, wish = self._wanted(motion, total, t)
        back = CONSTANT * motion["speed"][0]
        exact = getattr(self, "exact", None)
        if exact is None:
            rates = [20 * u, (wish - current) / LOOP, (5 * voltage - RESISTANCE * current - back) / INDUCTANCE]
            return {"torque": [CONSTANT * current]}, rates
        ends, means = exact
        off = [voltage - (RESISTANCE * wish + back) / 5, current - wish]
        mean = wish + sum((m * x for m, x in zip(means[1], off, strict=True)), start=0)
        after = [sum((e * x for e, x in zip(row, off, strict=True)), start=0) for row in ends]
        h = self.length  # type: ignore[attr-defined]
        return {"torque": [CONSTANT * mean]}, [20 * u, (after[0] - off[0]) / h, (after[1] - off[1]) / h]


def _exact(h: float) -> Any:
    """e^(Ah) of the loop's deviations (v, i) from their steady values, and its mean over the step."""
    A = np.array([[0.0, -1 / LOOP], [5 / INDUCTANCE, -RESISTANCE / INDUCTANCE]])
    values, vectors = np.linalg.eig(A)
    inverse = np.linalg.inv(vectors)
    end = (vectors * np.exp(values * h)) @ inverse
    mean = (vectors * (np.expm1(values * h) / (values * h))) @ inverse
    return end.real.tolist(), mean.real.tolist()


def axis() -> Network:
    """Axis 2 with a load of 19.494 kg m²."""
    return Network(
        parts={
            "load": Mass(mass=19.494),
            "rotor": Mass(mass=0.0013),
            "gear": ElasticGear(ratio=RATIO, stiffness=8.0, damping=0.01),
            "servo": Servo(),
            "friction": Friction(law=Coulomb(level=0.5, viscous=0.1 / 130)),
        },
        wires=[
            Wire("gear.motor_angle", ["rotor.position"]),
            Wire("gear.motor_speed", ["rotor.velocity"]),
            Wire("gear.joint_angle", ["load.position"]),
            Wire("gear.joint_speed", ["load.velocity"]),
            Wire("servo.angle", ["rotor.position"]),
            Wire("servo.speed", ["rotor.velocity"]),
            Wire("friction.velocity", ["rotor.velocity"]),
            Wire("load.force", ["gear.joint_torque"]),
            Wire("rotor.force", ["servo.torque", "gear.motor_torque", Term("friction.torque", -1.0)]),
        ],
    )


POINTS = {0.3: (0.448856225, 3.001912190, 3.994025), 1.0: (2.095499420, -0.020211273, -1.903772), 1.498132: (2.0941804135, None, 0.4297733141)}
SWITCHES = {"breaks away": 0.000652, "turns": 0.997918, "sticks": 1.093454, "slips back": 1.098923, "sticks again": 1.127850, "slips forward": 1.353624}


def switches(run: Any) -> list[float]:
    """Times of break-away, turning, sticking, and so on [s]."""
    mode, v, t = run["friction.mode"], run["rotor.velocity"], run.time
    slides = (mode > 0).astype(int)
    edges = [float(x) for x in t[1:][np.diff(slides) != 0]]
    turns = [float(a) for a in t[1:][(np.diff(np.sign(v)) != 0) & (slides[1:] > 0) & (slides[:-1] > 0)] if 0.9 < a < 1.05]
    return [edges[0], *turns[:1], *edges[1:5]]


def _axis(_: bool, tell: Tell) -> Result:
    first, second = shares(tell, 2)
    fine = complete(axis(), duration=1.5, step=5e-6, record=1e-5, progress=first)
    coarse = complete(axis(), duration=1.5, step=1e-3, method="semi_implicit", progress=second)
    claims: list[Claim] = []
    for t, (position, velocity, current) in POINTS.items():
        claims.append(agrees(f"load angle at {t:g} s", position, float(np.interp(t, fine.time, fine["load.position"])), 1e-5, "rad", 9))
        if velocity is not None:
            claims.append(agrees(f"load speed at {t:g} s", velocity, float(np.interp(t, fine.time, fine["load.velocity"])), 1e-4, "rad/s", 7))
        claims.append(agrees(f"current at {t:g} s", current, float(np.interp(t, fine.time, fine["servo.current"])), 2e-3, "A"))
    for (what, when), ours in zip(SWITCHES.items(), switches(fine), strict=True):
        claims.append(agrees(f"the motor {what}", when, ours, 1e-4, "s", 7))
    apart = max(abs(float(np.interp(t, coarse.time, coarse["load.position"])) - p[0]) for t, p in POINTS.items())
    claims.append(below("largest error of the load angle at a step of 1 ms", apart, 1e-3, "rad"))

    def draw() -> Any:
        picture, (above, under) = subplots(2, 5.2)
        above.plot(fine.time, fine["rotor.velocity"] / RATIO, label="motor, over the ratio")
        above.plot(fine.time, fine["load.velocity"], label="load")
        above.set_title("one axis of the Manutec r3")
        above.set_ylabel("speed [rad/s]")
        above.legend()
        under.plot(fine.time, fine["friction.torque"], label="friction on the motor shaft")
        under.plot(fine.time, fine["servo.torque"], label="motor torque")
        under.set_ylabel("torque [N·m]")
        under.set_xlabel("time [s]")
        under.legend()
        return picture

    return claims, draw


CASES = {"manutec-axis": Case("an elastic axis with friction under a servo", "Otter and Türk, Manutec r3", _axis)}
