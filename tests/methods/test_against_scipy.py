"""What is smooth, by every method, against SciPy on equations written out here: slides, odd gears, sideways gravity.

A method that evaluates the flow once per step errs by a few h of the way, the others by their tolerance or SciPy's.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stiction import (
    PID,
    Clock,
    Dahl,
    DCMotor,
    Drive,
    ElastoPlastic,
    Gear,
    Joint,
    Link,
    LuGre,
    Robot,
    Scene,
    Viscous,
    library,
    simulate,
)
from stiction.trace import sin
from tests.scenes import METHODS, TWO_LINK, driven, order

EVERY = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
FAR = (np.array([2.0, -3.0]), (2.0, -3.0, 0.0))  # gravity in the plane of an arm


REFERENCES = {}  # by test: SciPy solves each once


def agrees(what, scene, method, rates, start, signals, h=1e-3, once=8.0, twice=40.0, several=1e-6, stiff=False):
    """Simulate 2 s, and compare signals with the first states of `rates`: to `once` · h, `twice` · h² or `several` of
    their ways, by the order of the method.
    """
    run = simulate(scene, duration=2.0, step=h, method=method, record=0.05)
    if what not in REFERENCES:
        how = {"t_eval": run.time, "rtol": 1e-9, "atol": 1e-11, "method": "Radau" if stiff else "RK45"}
        REFERENCES[what] = solve_ivp(rates, (0, 2), start, **how).y
    for name, expected in zip(signals, REFERENCES[what], strict=False):
        error = np.abs(run[name] - expected).max() / np.ptp(expected)
        assert error < {1: once * h, 2: twice * h * h, 4: several}[order(method)], name


LEVEL, STATIC, FADES, K, B, VISCOUS = (3.0, 5.0), (4.0, 6.0), 0.2, 2000.0, 20.0, 0.4


def strength(v):
    """LuGre's g(v) times K, different for the two directions."""
    level, static = (LEVEL[0], STATIC[0]) if v >= 0 else (LEVEL[1], STATIC[1])
    return level + (static - level) * math.exp(-((v / FADES) ** 2))


def lugre(v, z):
    rate = v - abs(v) * K * z / strength(v)
    return K * z + B * rate + VISCOUS * v, rate


def elasto_plastic(v, z):
    """As Dupont and others write it: α rises by a sine between half of the bending in steady sliding and all of it."""
    most = strength(v) / K
    least, size = 0.5 * most, abs(z)
    between = 0.5 + 0.5 * math.sin(math.pi * (size - (most + least) / 2) / (most - least))
    slides = 0.0 if v * z < 0 or size <= least else 1.0 if size >= most else between
    rate = v - slides * abs(v) * K * z / strength(v)
    return K * z + B * rate + VISCOUS * v, rate


def dahl(v, z):
    return K * z, v - abs(v) * K * z / LEVEL[0 if v >= 0 else 1]


SURPLUS = {"level": LEVEL, "static": STATIC, "velocity": FADES, "stiffness": K, "damping": B, "viscous": VISCOUS}
BRISTLES = {
    "LuGre": (LuGre(**SURPLUS), lugre),
    "elasto-plastic": (ElastoPlastic(elastic=0.5, **SURPLUS), elasto_plastic),
    "Dahl": (Dahl(level=LEVEL, stiffness=K), dahl),
}


@EVERY
@pytest.mark.parametrize("name", BRISTLES)
def test_bristles_under_a_sled(name, method):
    """2 kg on a slide along x, with a part of gravity along it, shaken; laws that differ for the two directions."""
    law, by_hand = BRISTLES[name]
    links = [Link(name="base"), Link(name="sled", mass=2.0)]
    slide = Joint(name="slide", kind="prismatic", parent="base", child="sled", axis=(1, 0, 0))
    robot = Robot(name="sled", links=links, joints=[slide])
    torque = {"slide": lambda t: 12 * sin(4 * t)}
    scene = Scene(robot=robot, friction={"slide": law}, torque=torque, gravity=(1.5, 0, -9.81))

    def rates(t, y):
        force, rate = by_hand(y[1], y[2])
        return [y[1], (12 * math.sin(4 * t) + 1.5 * 2.0 - force) / 2.0, rate]

    agrees(name, scene, method, rates, [0.0] * 3, ["q.slide"], stiff=True)


@EVERY
def test_an_elastic_gear_with_a_coil(method):
    """Ratio −50, a spring, inductance, a start in motion: five states."""
    n, R, Kt, L, rotor, J, c, d = -50.0, 2.0, 0.05, 5e-3, 1e-5, 0.05, 0.2, 1e-3
    drive = Drive(
        motor=DCMotor(resistance=R, constant=Kt, inductance=L, rotor_inertia=rotor),
        gear=Gear(ratio=n, stiffness=c, damping=d),
        joint_friction=Viscous(coefficient=0.1),
        command=lambda t: 6 * sin(5 * t),
    )

    def rates(t, y):
        q, v, angle, speed, current = y
        twisting = c * (angle - n * q) + d * (speed - n * v)
        coil = (6 * math.sin(5 * t) - R * current - Kt * speed) / L
        return [v, (n * twisting - 0.1 * v) / J, speed, (Kt * current - twisting) / rotor, coil]

    start, signals = [0.2, 0.5, n * 0.2, n * 0.5, 0.0], ["q.axle", "v.axle", "motor_angle.axle"]
    agrees("coil", driven(J, drive, q=[0.2], v=[0.5]), method, rates, start, signals, once=3.0)


def arm_torques(q, v, g, masses, lengths):
    """Mass matrix, and what motion and gravity push, of two point masses on massless rods in the plane."""
    (m1, m2), (L1, L2) = masses, lengths
    c, s = math.cos(q[1]), math.sin(q[1])
    coupled = m2 * (L1 * L2 * c + L2**2)
    M = np.array([[m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c + L2**2), coupled], [coupled, m2 * L2**2]])
    centrifugal = m2 * L1 * L2 * s * np.array([2 * v[0] * v[1] + v[1] ** 2, -(v[0] ** 2)])
    upper, fore = ([-L * math.sin(a), L * math.cos(a)] for L, a in ((L1, q[0]), (L2, q[0] + q[1])))
    weight = np.array([(m1 + m2) * np.dot(upper, g) + m2 * np.dot(fore, g), m2 * np.dot(fore, g)])
    return M, centrifugal + weight


@EVERY
def test_an_arm_with_two_laws(method):
    """Two links that fall sideways, LuGre at the shoulder, Dahl's law at the elbow, asymmetric; moving at first."""
    masses, lengths = (1.3, 0.7), (0.4, 0.3)
    laws = {
        "shoulder": LuGre(level=(0.5, 0.8), static=(0.6, 0.9), velocity=0.2, stiffness=300.0, damping=3.0),
        "elbow": Dahl(level=(0.2, 0.1), stiffness=100.0),
    }
    scene = Scene(
        robot=library.two_link(lengths=lengths, masses=masses),
        friction=laws,
        torque={"shoulder": lambda t: 3 * sin(5 * t)},
        gravity=FAR[1],
        q=[0.3, -0.5],
        v=[0.2, -0.4],
    )

    def rates(t, y):
        v = y[2:4]
        M, push = arm_torques(y[:2], v, FAR[0], masses, lengths)
        level, static = (0.5, 0.6) if v[0] >= 0 else (0.8, 0.9)
        g = (level + (static - level) * math.exp(-((v[0] / 0.2) ** 2))) / 300.0
        bends = [v[0] - abs(v[0]) * y[4] / g, v[1] - abs(v[1]) * 100 * y[5] / (0.2 if v[1] >= 0 else 0.1)]
        friction = np.array([300 * y[4] + 3 * bends[0], 100 * y[5]])
        load = np.array([3 * math.sin(5 * t), 0.0])
        return [*v, *np.linalg.solve(M, load + push - friction), *bends]

    start = [0.3, -0.5, 0.2, -0.4, 0.0, 0.0]
    agrees("arm", scene, method, rates, start, ["q.shoulder", "q.elbow"], h=1e-4, once=15.0, stiff=True)


@EVERY
def test_an_arm_that_turns_and_slides(method):
    """A revolute and a prismatic joint, sideways gravity, viscous friction on both, a force on the slide."""
    m1, m2, L1, I1, I2, g = 2.0, 1.5, 0.4, 0.2, 0.1, FAR[0]
    robot = library.rp_arm(first_mass=m1, first_length=L1, second_mass=m2, first_inertia=I1, second_inertia=I2)
    friction = {"turn": Viscous(coefficient=0.5), "slide": Viscous(coefficient=2.0)}
    start = {"q": [0.2, 0.6], "v": [1.0, 0.1]}
    scene = Scene(robot=robot, friction=friction, torque={"slide": 5.0}, gravity=FAR[1], **start)

    def rates(_, y):
        q, r, w, u = y
        along, across = np.array([math.cos(q), math.sin(q)]), np.array([-math.sin(q), math.cos(q)])
        turning = (m1 * L1 + m2 * r) * (across @ g) - 2 * m2 * r * w * u - 0.5 * w
        sliding = 5.0 + m2 * (along @ g) + m2 * r * w**2 - 2.0 * u
        return [w, u, turning / (I1 + I2 + m1 * L1**2 + m2 * r**2), sliding / m2]

    agrees("slide", scene, method, rates, [0.2, 0.6, 1.0, 0.1], ["q.turn", "q.slide"], h=2e-3, once=3.0)


@EVERY
def test_coupled_motors_with_friction_on_a_shaft(method):
    """Motor angles T q: friction acts on a combination of the joints, and so do both motors."""
    T, R, Kt, rotor = np.array([[50.0, 0.0], [-30.0, 80.0]]), 2.0, 0.05, 1e-5
    motor = DCMotor(resistance=R, constant=Kt, rotor_inertia=rotor)
    law = LuGre(level=(0.01, 0.015), static=(0.012, 0.02), velocity=2.0, stiffness=0.5, damping=0.002)
    scene = Scene(
        robot=Robot(name="wrist", links=TWO_LINK.links, joints=TWO_LINK.joints, coupling=T.tolist()),
        drives={
            "shoulder": Drive(motor=motor, motor_friction=law, command=lambda t: 3 * sin(4 * t)),
            "elbow": Drive(motor=motor, command=lambda t: -2 * sin(3 * t)),
        },
        gravity=FAR[1],
    )

    def rates(t, y):
        M, push = arm_torques(y[:2], y[2:4], FAR[0], (0.5, 0.5), (0.3, 0.3))
        speeds = T @ y[2:4]
        level, static = (0.01, 0.012) if speeds[0] >= 0 else (0.015, 0.02)
        g = (level + (static - level) * math.exp(-((speeds[0] / 2.0) ** 2))) / 0.5
        bending = speeds[0] - abs(speeds[0]) * y[4] / g
        torques = Kt / R * (np.array([3 * math.sin(4 * t), -2 * math.sin(3 * t)]) - Kt * speeds)
        torques[0] -= 0.5 * y[4] + 0.002 * bending
        return [*y[2:4], *np.linalg.solve(M + rotor * T.T @ T, T.T @ torques + push), bending]

    agrees("coupled", scene, method, rates, [0.0] * 5, ["q.shoulder", "q.elbow"], once=2.0, stiff=True)


@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("method", ["rk4", "gill", "moreau", "gears_implicit", "gears_semi_implicit", "euler"])
def test_a_sampled_controller_on_a_pendulum(method, step):
    """Integral, saturation, a phase of 10 ms, a delay of a tick, gravity that pulls sideways: tick by tick by SciPy."""
    gains = {"proportional": 30.0, "integral": 20.0, "derivative": 4.0, "limit": 8.0}
    clock = Clock(period=0.02, phase=0.01, delay=1)
    scene = Scene(
        robot=library.pendulum(1),
        control={"joint1": PID(clock=clock, **gains)},
        reference={"joint1": lambda t: 0.5 * sin(2 * t) + 0.3},
        gravity=(3.0, 0, -9.81),
        q=[0.4],
    )
    run = simulate(scene, duration=2.0, step=step, method=method, record=0.01)
    state, total, command, coming, expected = np.array([0.4, 0.0]), 0.0, 0.0, 0.0, [0.4]
    for k in range(200):
        t = 0.01 * k
        if k % 2:
            error = 0.5 * math.sin(2 * t) + 0.3 - state[0]
            wish = 30 * error + 20 * (total + 0.02 * error) - 4 * state[1]
            total += 0.0 if abs(wish) > 8 and wish * error > 0 else 0.02 * error
            command, coming = coming, min(max(wish, -8.0), 8.0)

        def rates(_, y, u=command):  # a bob of 1 kg, 1 m below its joint
            return [y[1], u - 9.81 * math.sin(y[0]) - 3.0 * math.cos(y[0])]

        state = solve_ivp(rates, (t, t + 0.01), state, rtol=1e-9, atol=1e-11).y[:, -1]
        expected.append(state[0])
    error = {1: 2.5 * step, 2: 0.7 * step**2, 4: 1e-8}[order(METHODS[method])]
    assert np.abs(run["q.joint1"] - expected).max() < error * np.ptp(expected)
    assert np.abs(run["command.joint1"]).max() == 8.0
