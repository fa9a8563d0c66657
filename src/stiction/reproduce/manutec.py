"""The Manutec r3 (Otter and Türk 1988; data of the Modelica library's RobotR3), one axis and the whole arm: servos,
elastic gears, friction that couples.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from stiction.drive.gear import ElasticGear
from stiction.friction import Coulomb, Stribeck
from stiction.network import Term, Wire
from stiction.parts import Friction, Impedance, Mass, Ports, RobotBody
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, below, complete, shares
from stiction.robot import Robot, library
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, clip

RESISTANCE = 250.0  # Ω
Path = Callable[[Scalar], tuple[Scalar, Scalar]]  # time -> position and velocity of a joint


class Axis(NamedTuple):
    """The drive of an axis: frequency w [rad/s] and damping D of its current loop, ratio n, torque constant k [N·m/A],
    rotor inertia J [kg m²]; friction Rv0 + Rv1 |speed| with a peak at rest, on the motor shaft where there is a spring
    of c [N·m/rad] and d [N·m·s/rad] behind it, else at the joint.
    """

    w: float
    n: float
    k: float
    D: float
    J: float
    Rv0: float
    Rv1: float
    peak: float = 1.0
    c: float = 0.0
    d: float = 0.0


AXES = (
    Axis(4590.0, -105.0, 1.1616, 0.6, 0.0013, 0.4, 0.13 / 160, 1.0, 43.0, 0.005),
    Axis(5500.0, 210.0, 1.1616, 0.6, 0.0013, 0.5, 0.1 / 130, 1.0, 8.0, 0.01),
    Axis(5500.0, 60.0, 1.1616, 0.6, 0.0013, 0.7, 0.2 / 130, 1.0, 58.0, 0.04),
    Axis(6250.0, -99.0, 0.2365, 0.55, 1.6e-4, 21.8, 9.8, 26.7 / 21.8),
    Axis(6250.0, 79.2, 0.2608, 0.55, 1.8e-4, 30.1, 0.03, 39.6 / 30.1),
    Axis(7400.0, -99.0, 0.0842, 0.27, 4.3e-5, 10.9, 3.92, 16.8 / 10.9),
)


def trapezoid(fastest: float, steepest: float, way: float) -> tuple[Path, float]:
    """A motion with these limits from 0 over a way, and how long it takes."""
    ramp = fastest / steepest
    end = way / fastest + ramp

    def path(t: Scalar) -> tuple[Scalar, Scalar]:
        first, second = clip(t, 0, ramp), clip(t - (end - ramp), 0, ramp)
        middle = clip(t - ramp, 0, end - 2 * ramp)
        return (
            steepest * first * first / 2 + fastest * middle + fastest * second - steepest * second * second / 2,
            steepest * (first - second),
        )

    return path, end


@dataclass(frozen=True, kw_only=True)
class Servo(Impedance):
    """Controller, current loop and armature: u = n q̇r + 5 (n qr − φ) − ω, i_ref = (x + u)/2, ẋ = 20 u."""

    inputs = {"angle": 1, "speed": 1}
    outputs = {"torque": 1}
    units = {"current": "A", "torque": "N·m"}
    first_values = ("current", "angle")

    path: Path
    constant: float
    ratio: float
    inductance: float
    loop: float
    current: float = 0.0
    angle: float = 0.0

    def start(self) -> dict[str, float]:
        """Integrator of the controller, voltage of the loop, current: at rest, with this current and motor angle."""
        u = 5 * (self.ratio * float(self.path(0.0)[0]) - self.angle)
        return {"sum": 2 * self.current - u, "voltage": 50 * self.current, "current": self.current}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque, and the rates of the states."""
        total, voltage, current = own
        q, v = self.path(t)
        u = self.ratio * v + 5 * (self.ratio * q - motion["angle"][0]) - motion["speed"][0]
        wish, back = (total + u) / 2, self.constant * motion["speed"][0]
        rates = [
            20 * u,
            (wish - current) / self.loop,
            (5 * voltage - RESISTANCE * current - back) / self.inductance,
        ]
        return {"torque": [self.constant * current]}, rates


def servo(axis: Axis, path: Path, current: float = 0.0, angle: float = 0.0) -> Servo:
    """The servo of an axis."""
    inductance, loop = RESISTANCE / (2 * axis.D * axis.w), 10 * 0.004 * axis.D / axis.w
    return Servo(
        path=path, constant=axis.k, ratio=axis.n, inductance=inductance, loop=loop, current=current, angle=angle
    )


def elastic(name: str, axis: Axis, moved: Servo, joint: Sequence[Term | str]) -> tuple[dict[str, Any], list[Wire]]:
    """Rotor, gear, servo and friction of an axis with a spring; `joint`: terms of the joint's angle and speed."""
    parts = {
        f"rotor{name}": Mass(mass=axis.J, position=moved.angle),
        f"gear{name}": ElasticGear(ratio=axis.n, stiffness=axis.c, damping=axis.d),
        f"servo{name}": moved,
        f"friction{name}": Friction(law=Coulomb(level=axis.Rv0, viscous=axis.Rv1)),
    }
    wires = [
        Wire(f"gear{name}.motor_angle", [f"rotor{name}.position"]),
        Wire(f"gear{name}.motor_speed", [f"rotor{name}.velocity"]),
        Wire(f"gear{name}.joint_angle", [joint[0]]),
        Wire(f"gear{name}.joint_speed", [joint[1]]),
        Wire(f"servo{name}.angle", [f"rotor{name}.position"]),
        Wire(f"servo{name}.speed", [f"rotor{name}.velocity"]),
        Wire(f"friction{name}.velocity", [f"rotor{name}.velocity"]),
        Wire(
            f"rotor{name}.force",
            [f"servo{name}.torque", f"gear{name}.motor_torque", Term(f"friction{name}.torque", -1.0)],
        ),
    ]
    return parts, wires


RATIO = AXES[1].n


def axis() -> Scene:
    """Axis 2 with a load of 19.494 kg m²: 120° with at most 3 rad/s and 10 rad/s²."""
    path, _ = trapezoid(3.0, 10.0, 2 * math.pi / 3)
    parts, wires = elastic("", AXES[1], servo(AXES[1], path), ["load.position", "load.velocity"])
    return Scene(parts={"load": Mass(mass=19.494), **parts}, wires=[*wires, Wire("load.force", ["gear.joint_torque"])])


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
    mode, v, t = run["friction.mode"], run["rotor.velocity"], run.time
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
                float(np.interp(t, fine.time, fine["load.position"])),
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
                    float(np.interp(t, fine.time, fine["load.velocity"])),
                    1e-4,
                    "rad/s",
                    7,
                )
            )
        claims.append(
            agrees(f"current at {t:g} s", current, float(np.interp(t, fine.time, fine["servo.current"])), 2e-3, "A")
        )
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


START, STOP = np.radians([-60.0, 20, 90, 0, -110, 0]), np.radians([60.0, -70, -35, 45, 110, 45])
FASTEST, STEEPEST = np.array([3, 1.5, 5, 3.1, 3.1, 4.1]), np.array([15.0, 15, 15, 60, 60, 60])
GRAVITY = (0.0, -9.81, 0.0)


def _moved(k: int) -> tuple[Path, float]:
    """The motion of joint k: all share one path parameter, as fast as the slowest allows."""
    way = STOP - START
    along, end = trapezoid(float((FASTEST / np.abs(way)).min()), float((STEEPEST / np.abs(way)).min()), 1.0)
    first, whole = float(START[k]), float(way[k])

    def path(t: Scalar) -> tuple[Scalar, Scalar]:
        s, rate = along(t)
        return first + whole * s, whole * rate

    return path, end


def _robot() -> Robot:
    """The bodies, with the rotors of the rigid gears of axes 4 to 6."""
    robot = library.manutec_r3()
    rigid = {f"joint{k + 1}": axis for k, axis in enumerate(AXES) if not axis.c}
    joints = [
        replace(j, rotor_inertia=rigid[j.name].J, gear_ratio=rigid[j.name].n) if j.name in rigid else j
        for j in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


def arm() -> Scene:
    """The whole arm with its load, at rest under gravity, springs wound by it."""
    robot = _robot()
    loads = robot.gravity_torque(START, gravity=GRAVITY)
    parts: dict[str, Any] = {"robot": RobotBody(robot=robot, q=tuple(START.tolist()), gravity=GRAVITY)}
    wires: list[Wire] = []
    pushes: list[Term | str] = []
    for k, axis in enumerate(AXES):
        unit, name, G = [float(j == k) for j in range(6)], str(k + 1), float(loads[k])
        angle = axis.n * float(START[k]) + (G / (axis.n * axis.c) if axis.c else 0.0)
        moved = servo(axis, _moved(k)[0], G / (axis.n * axis.k), angle)
        if axis.c:
            more, wired = elastic(name, axis, moved, [Term("robot.q", [unit]), Term("robot.v", [unit])])
            pushes.append(Term(f"gear{name}.joint_torque", [[x] for x in unit]))
        else:
            turned = [axis.n * x for x in unit]
            law = Stribeck(
                level=axis.Rv0, static=axis.peak * axis.Rv0, velocity=1e-6, viscous=axis.Rv1
            )  # the peak is at rest alone
            more = {f"servo{name}": moved, f"friction{name}": Friction(law=law)}
            wired = [
                Wire(f"servo{name}.angle", [Term("robot.q", [turned])]),
                Wire(f"servo{name}.speed", [Term("robot.v", [turned])]),
            ]
            wired.append(Wire(f"friction{name}.velocity", [Term("robot.v", [unit])]))
            pushes += [
                Term(f"servo{name}.torque", [[x] for x in turned]),
                Term(f"friction{name}.torque", [[-x] for x in unit]),
            ]
        parts |= more
        wires += wired
    return Scene(parts=parts, wires=[*wires, Wire("robot.torque", pushes)])


POSES = {
    0.5: (-0.299971262, -0.211063708, 0.791065304, 0.279551550, -0.552437615, 0.280111895),
    1.0: (0.543760630, -0.847754444, -0.091946900, 0.598500456, 0.996362434, 0.597928115),
    1.856045: (1.046822409, -1.223647247, -0.610908070, 0.784784108, 1.920234599, 0.785339123),
}


def _apart(run: Trajectory, t: float) -> float:
    """Largest distance of the joints from the published pose [rad]."""
    q = run.stack("robot.q.")
    return max(abs(float(np.interp(t, run.time, q[:, k])) - x) for k, x in enumerate(POSES[t]))


def arm_switches(run: Trajectory) -> int:
    """How often the axes change between sticking, sliding ahead and back; what lasts one record is no change."""
    total = 0
    for k, axis in enumerate(AXES):
        v = run[f"rotor{k + 1}.velocity"] if axis.c else run[f"robot.v.joint{k + 1}"]
        state = np.where(run[f"friction{k + 1}.mode"] > 0, np.sign(v), 0)
        lasting = np.append(state[:-1] == state[1:], True)
        total += int(np.count_nonzero(np.diff(state[lasting])))
    return total


def _arm(_: bool, tell: Tell) -> Result:
    share = list(shares(tell, 3))
    how: dict[str, Any] = {"duration": 1.857, "signals": ["robot.", "rotor", "friction"]}
    fine = complete(arm(), step=5e-6, method="gears_implicit", record=1e-5, progress=share[0], **how)
    coarse = {
        name: complete(arm(), step=1e-3, method=name, record=1e-3, progress=tell_one, **how)
        for name, tell_one in zip(("gears_implicit", "moreau"), share[1:], strict=True)
    }
    claims = [agrees("the motion takes", 1.356045002, _moved(0)[1], 1e-9, "s", 9)]
    claims += [below(f"largest distance of a joint at {t:g} s, step 5 µs", _apart(fine, t), 1e-5, "rad") for t in POSES]
    instant = (fine.time > 1.3563) & (fine.time < 1.3574)
    reverses = float(fine.time[instant][np.flatnonzero(np.diff(np.sign(fine["robot.v.joint5"][instant])))[0] + 1])
    starts = float(fine.time[instant][np.abs(fine["robot.v.joint6"][instant]) > 1e-6][0])
    count = arm_switches(fine)
    claims += [
        agrees("axis 5 reverses", 1.356847, reverses, 1e-4, "s", 7),
        agrees("in the same instant the stuck axis 6 starts", 1.356847, starts, 1e-4, "s", 7),
        Claim("switches between sticking and sliding, all axes", "34", str(count), count == 34),
    ]
    for name, run in coarse.items():
        apart = float(np.abs(run.stack("robot.q.") - fine.stack("robot.q.")[::100]).max())
        same = _stuck(run) == _stuck(fine)
        claims += [
            below(f"largest distance of a joint at any time, {name} at 1 ms", apart, 1e-3, "rad"),
            Claim(f"axes that stick at the end, {name} at 1 ms", f"the same: {_stuck(fine)}", _stuck(run), same),
        ]

    def draw() -> Any:
        picture, (above, under) = subplots(2, 6.0)
        for k in range(6):
            above.plot(fine.time, fine[f"robot.v.joint{k + 1}"], label=f"axis {k + 1}")
            under.plot(fine.time, fine[f"friction{k + 1}.torque"], label=f"axis {k + 1}")
        above.set_title("the Manutec r3 moves its load: friction sticks at both ends")
        above.set_ylabel("joint speed [rad/s]")
        under.set_ylabel("friction, motor side 1 to 3 [N·m]")
        under.set_xlabel("time [s]")
        above.legend(ncols=6)
        return picture

    return claims, draw


def _stuck(run: Trajectory) -> str:
    """Which axes stick at the end."""
    return ", ".join(str(k + 1) for k in range(6) if run[f"friction{k + 1}.mode"][-1] == 0) or "none"


SOURCE = "Otter and Türk, Manutec r3"
CASES = {
    "manutec-axis": Case("an elastic axis with friction under a servo", SOURCE, _axis),
    "manutec-arm": Case("a whole arm: stuck joints are coupled", SOURCE, _arm),
}
