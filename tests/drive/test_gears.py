"""Gears in both directions: reflected rotors, elasticity, play, losses, self-locking."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stiction import (
    RK4,
    Coulomb,
    DCMotor,
    Drive,
    Euler,
    Gear,
    Joint,
    Link,
    Robot,
    Rosenbrock,
    Scene,
    TorqueMotor,
    Viscous,
    simulate,
)
from stiction.trace import sin
from tests.scenes import METHODS, driven, flywheel, order


@pytest.mark.parametrize("ratio", [120.0, -120.0])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_rigid_gear_reflects_rotor_and_back_emf(method, ratio):
    """gears (2): E = γK/R, D = γ²K²/R, J = γ²I + link; from rest the joint's speed follows exp(−t D/J).

    Euler's method follows 1 − hD/J per step, exactly, the midpoint (1 − (1 − θ) z)/(1 + θ z) with z = hD/J. The rated
    24 V limit 300.
    """
    motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0)
    E, D, J, h = ratio * 2.58e-2 / 2.36, (ratio * 2.58e-2) ** 2 / 2.36, ratio**2 * 7.03e-6 + 0.02, 1e-4
    assert (round(abs(E), 3), round(D, 3)) == (1.312, 4.062)
    how = {"method": method, "step": h, "record": 0.01}
    run = simulate(driven(0.02, Drive(motor=motor, gear=Gear(ratio=ratio), command=3.0)), duration=0.1, **how)
    if isinstance(method, Euler):
        decay = (1 - h * D / J) ** (run.time / h)
    elif order(method) == 2:
        z = h * D / J
        theta = (12 + 5 * z + z * z) / (24 + 6 * z + z * z)
        decay = ((1 - (1 - theta) * z) / (1 + theta * z)) ** (run.time / h)
    else:
        decay = np.exp(-D / J * run.time)
    np.testing.assert_allclose(run["v.axle"], E * 3 / D * (1 - decay), rtol=1e-8, atol=1e-12)
    most = simulate(driven(0.02, Drive(motor=motor, gear=Gear(ratio=ratio), command=300.0)), duration=1.0, **how)
    assert most["v.axle"][-1] == pytest.approx(24 * E / D, rel=1e-9)


@pytest.mark.parametrize("n", [50.0, -50.0])
def test_an_elastic_gear_is_two_masses(n):
    """Rotor and joint, plucked by a constant torque: the twist swings with ω² = c n² (1/(n² J_m) + 1/J), both speed up.

    Runge–Kutta at 1e−4 s errs by (ω h)⁵/120 per radian. A joint that starts moving takes its rotor along.
    """
    c, Jm, J, push = 0.02, 2e-5, 0.08, 1e-3
    drive = Drive(motor=TorqueMotor(rotor_inertia=Jm), gear=Gear(ratio=n, stiffness=c), command=lambda t: push + 0 * t)
    run = simulate(driven(J, drive), duration=1.0, step=1e-4, method="rk4", record=1e-3, energy=True)
    omega = math.sqrt(c / Jm + c * n * n / J)
    twist = run["motor_angle.axle"] - n * run["q.axle"]
    np.testing.assert_allclose(twist, push / Jm / omega**2 * (1 - np.cos(omega * run.time)), atol=1e-9)
    momentum = J * run["v.axle"] + n * Jm * run["motor_speed.axle"]
    np.testing.assert_allclose(momentum, push * n * run.time, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(run["energy.elastic"], c * twist**2 / 2, atol=1e-15)
    np.testing.assert_allclose(run["work.drive.axle.motor"], push * run["motor_angle.axle"], atol=1e-12)
    assert np.abs(run["energy.residue"]).max() < 1e-12
    moving = simulate(driven(J, replace(drive, command=0.0), v=[1.0], q=[0.3]), duration=1.0, step=1e-3, record=1.0)
    assert moving["motor_angle.axle"][0] == 0.3 * n and moving["motor_speed.axle"][0] == n
    assert moving["q.axle"][-1] == pytest.approx(1.3, rel=1e-12)


@pytest.mark.parametrize("ratio", [1.0, -2.0])
@pytest.mark.parametrize(
    "method, step, error", [(RK4(), 1e-5, 3e-4), (Rosenbrock(tolerance=1e-9), 1e-3, 3e-6)], ids=["rk4", "rosenbrock"]
)
def test_play_is_crossed_before_the_joint_moves(ratio, method, step, error):
    """A rotor shaken across its play, against SciPy on equations of its own.

    Where teeth touch, the damper's torque jumps, and steps that are not cut there err by 1e−5 s of some 2 rad/s: a
    dozen times here. Rosenbrock's steps are cut there.
    """
    c, d, play, Jm, J = 100.0, 0.1, 0.2, 1e-3, 0.1
    gear = Gear(ratio=ratio, stiffness=c, damping=d, backlash=play)
    drive = Drive(motor=TorqueMotor(rotor_inertia=Jm), gear=gear, command=lambda t: 0.05 * sin(9 * t))
    run = simulate(driven(J, drive), duration=1.0, step=step, method=method, record=1e-3)

    def rates(t, y):
        q, v, angle, speed = y
        twist = angle - ratio * q
        wound = math.copysign(max(abs(twist) - play / 2, 0.0), twist)
        torque = c * wound + (d * (speed - ratio * v) if wound else 0.0)
        return [v, ratio * torque / J, speed, (0.05 * math.sin(9 * t) - torque) / Jm]

    exact = solve_ivp(rates, (0, 1.0), [0.0] * 4, t_eval=run.time, rtol=1e-8, atol=1e-11, max_step=1e-3).y
    free = np.abs(exact[2] - ratio * exact[0]) < play / 2 * 0.99
    assert 0.1 < free.mean() < 0.9, "in the play, and out of it"
    np.testing.assert_array_equal(run["gear_joint_torque.axle"][free], 0)
    np.testing.assert_allclose(run["q.axle"], exact[0], atol=error)
    np.testing.assert_allclose(run["motor_angle.axle"], exact[2], atol=error)


@pytest.mark.parametrize("ratio", [10.0, -10.0])
@pytest.mark.parametrize("spring", [{}, {"stiffness": 50.0, "damping": 0.02}], ids=["rigid", "elastic"])
def test_losses_in_the_teeth(spring, ratio):
    """At constant speed the driven joint gets η of the motor's torque, and a motor that is driven η of the joint's."""
    gear = Gear(ratio=ratio, efficiency=0.8, back_efficiency=0.6, **spring)
    how = {"duration": 5.0, "step": 1e-3, "method": "moreau", "record": 0.5}
    drive = Drive(motor=TorqueMotor(rotor_inertia=1e-4), gear=gear, command=0.5)
    driving = simulate(driven(0.05, drive, friction={"axle": Viscous(coefficient=2.0)}), **how)
    assert 2.0 * driving["v.axle"][-1] == pytest.approx(0.8 * ratio * 0.5, rel=1e-9)
    etas = np.array([0.5, 0.8, 1.0])
    scene = driven(0.05, drive, friction={"axle": Viscous(coefficient=2.0)})
    many = simulate(scene, **how, parameters={"drive.axle.efficiency": etas})
    np.testing.assert_allclose(2.0 * many["v.axle"][-1], etas * ratio * 0.5, rtol=1e-9)
    back = DCMotor(resistance=1.0, constant=1.0, rotor_inertia=1e-4)  # short-circuited: it brakes by 1 N·m·s/rad
    dragged = simulate(driven(0.05, Drive(motor=back, gear=gear), torque={"axle": 30.0}), **how)
    assert dragged["v.axle"][-1] * ratio**2 == pytest.approx(0.6 * 30.0, rel=1e-9)


@pytest.mark.parametrize("ratio", [10.0, -10.0])
def test_a_lossy_gear_that_speeds_up(ratio):
    """What goes into the teeth is the motor's torque less what its rotor takes: (J + η γ²I) v̇ = η γ T − c v.

    The loss is 1 − η of the work that went in. Both lag by a step, 1e−4 s of the 65 ms that it takes to speed up.
    """
    eta, push, c, J, rotor = 0.8, 0.5, 2.0, 0.05, ratio**2 * 1e-3
    drive = Drive(motor=TorqueMotor(rotor_inertia=1e-3), gear=Gear(ratio=ratio, efficiency=eta), command=push)
    scene = driven(J, drive, friction={"axle": Viscous(coefficient=c)})
    run = simulate(scene, duration=0.2, step=1e-4, method="moreau", record=0.01, energy=True)
    final = eta * ratio * push / c
    np.testing.assert_allclose(
        run["v.axle"], final * (1 - np.exp(-c * run.time / (J + eta * rotor))), atol=5e-4 * abs(final)
    )
    went_in = run["work.drive.axle.motor"] - rotor * run["v.axle"] ** 2 / 2
    np.testing.assert_allclose(run["loss.drive.axle.mesh"], (1 - eta) * went_in, atol=2e-3 * went_in[-1])


@pytest.mark.parametrize("ratio", [10.0, -10.0])
@pytest.mark.parametrize("load", [5.0, -5.0])
def test_a_self_locking_gear_is_not_driven_back_but_drives(ratio, load):
    gear = Gear(ratio=ratio, efficiency=0.4, self_locking=True)
    motor = TorqueMotor(rotor_inertia=1e-4)
    how = {"duration": 5.0, "step": 1e-3, "method": "moreau", "record": 0.5}
    held = simulate(driven(0.05, Drive(motor=motor, gear=gear), torque={"axle": load}), **how)
    assert np.abs(held["q.axle"]).max() < 1e-12
    assert held["mesh_friction.axle"][-1] == pytest.approx(load, rel=1e-9)
    drive = Drive(motor=motor, gear=gear, command=1.0)
    moved = simulate(driven(0.05, drive, friction={"axle": Viscous(coefficient=1.0)}), **how)
    assert moved["v.axle"][-1] == pytest.approx(0.4 * ratio, rel=1e-9)


@pytest.mark.parametrize("step", [1e-3, 1e-4])
@pytest.mark.parametrize("load, speed", [(-3.0, 4.8 * (1 - 3.0 / 0.7 / 15.0)), (0.0, 4.8), (3.0, 4.8), (30.0, 4.8)])
def test_an_overhauling_load_on_a_self_locking_gear_is_taken_by_the_teeth(load, speed, step):
    """12 V turn the motor at 240 rad/s, 4.8 rad/s behind the gear; it has 15 N·m there at stall.

    A load against the motion costs load/η of them, one along with it changes nothing.
    """
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    drive = Drive(motor=motor, gear=Gear(ratio=50, efficiency=0.7, self_locking=True), command=12.0)
    run = simulate(driven(0.05, drive, torque={"axle": load}), duration=3.0, step=step, method="moreau", record=step)
    settled = run["v.axle"][run.time > 2]
    assert settled.mean() == pytest.approx(speed, rel=1e-6) and settled.std() < 1e-9


def test_friction_on_either_side_of_the_gear():
    """0.01 N·m on the motor shaft is 1 N·m at a joint behind 100:1."""
    motor = TorqueMotor(rotor_inertia=1e-5)
    sides = {"motor_friction": Coulomb(level=0.01, viscous=1e-4)}, {"joint_friction": Coulomb(level=1.0, viscous=1.0)}
    runs = [
        simulate(
            driven(0.05, Drive(motor=motor, gear=Gear(ratio=100), command=lambda t: 0.02 * sin(3 * t), **side)),
            duration=2.0,
            step=1e-3,
            method="moreau",
            record=0.1,
        )
        for side in sides
    ]
    assert np.ptp(runs[0]["q.axle"]) > 0.1, "it slides"
    np.testing.assert_allclose(runs[0]["q.axle"], runs[1]["q.axle"], atol=1e-12)
    np.testing.assert_allclose(100 * runs[0]["friction.axle.motor"], runs[1]["friction.axle"], atol=1e-9)


def test_motor_friction_passes_through_the_teeth():
    """What the motor's own friction takes does not reach the teeth: η (n T − n F)/(J + η n² J_m)."""
    gear = Gear(ratio=20.0, efficiency=0.6)
    drive = Drive(motor=TorqueMotor(rotor_inertia=1e-4), gear=gear, motor_friction=Coulomb(level=0.03), command=0.1)
    run = simulate(Scene(robot=flywheel(0.02), drives={"axle": drive}), duration=1.0, step=1e-3, record=0.1)
    assert run["v.axle"][-1] == pytest.approx(0.6 * (2.0 - 0.6) / (0.02 + 0.6 * 0.04), rel=1e-3)


@pytest.mark.parametrize("inertia", [0.005, 0.05, 0.5])
@pytest.mark.parametrize("back", [0.2, 0.36, 0.55])
def test_a_lossy_gear_is_driven_back_from_the_torque_that_its_efficiency_says(inertia, back):
    """Also where the rotor is most of the inertia: η L = friction of the motor and its back-EMF, at the joint."""
    links = [Link(name="base"), Link(name="disc", mass=1.0, inertia=np.diag([inertia] * 3))]
    turns = Joint(name="joint", kind="continuous", parent="base", child="disc")
    motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6)
    gear = Gear(ratio=100, back_efficiency=back)
    drive = Drive(motor=motor, gear=gear, motor_friction=Coulomb(level=0.01))
    wheel = Robot(name="wheel", links=links, joints=[turns])
    scene = Scene(robot=wheel, drives={"joint": drive}, torque={"joint": 0.5}, gravity=(0, 0, 0))
    loads = np.array([0.5, 0.98, 1.02, 1.5]) / back
    run = simulate(scene, duration=2.0, step=1e-3, record=2.0, parameters={"torque.joint": loads})
    speed = np.maximum(0, back * loads - 1.0) / (100**2 * 2.58e-2**2 / 2.36)
    np.testing.assert_allclose(run["v.joint"][-1], speed, rtol=1e-3, atol=1e-9)
