"""Gears in both directions: reflected rotors, elasticity, play, losses, self-locking."""

import math

import numpy as np
import pytest

from stiction import Coulomb, DCMotor, Drive, Gear, TorqueMotor, Viscous, simulate
from stiction.trace import sin
from tests.scenes import driven


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_rigid_gear_reflects_rotor_and_back_emf(method):
    """gears (2): E = γK/R, D = γ²K²/R, γ²I; the joint's speed follows exp."""
    motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0)
    E, D, J = 120 * 2.58e-2 / 2.36, (120 * 2.58e-2) ** 2 / 2.36, 120**2 * 7.03e-6 + 0.02
    assert (round(E, 3), round(D, 3)) == (1.312, 4.062)
    run = simulate(
        driven(0.02, Drive(motor=motor, gear=Gear(ratio=120), command=3.0)),
        duration=0.1,
        step=1e-4,
        method=method,
        record=0.01,
    )
    np.testing.assert_allclose(
        run["v.axle"], E * 3 / D * (1 - np.exp(-D / J * run.time)), rtol=1e-8 if method == "rk4" else 3e-3, atol=1e-12
    )
    most = simulate(
        driven(0.02, Drive(motor=motor, gear=Gear(ratio=-120), command=300.0)),
        duration=1.0,
        step=1e-3,
        method=method,
        record=1.0,
    )
    assert most["v.axle"][-1] == pytest.approx(-24 * E / D, rel=1e-6), (
        "the rated voltage limits, and the gear turns round"
    )


def test_an_elastic_gear_is_two_masses():
    """Free vibration of rotor and joint: ω² = c n² (1/(n² J_m) + 1/J), and the energy balance closes."""
    n, c, Jm, J = 50.0, 0.02, 2e-5, 0.08
    motor = TorqueMotor(rotor_inertia=Jm)
    scene = driven(J, Drive(motor=motor, gear=Gear(ratio=n, stiffness=c)), v={"axle": 1.0})
    free = simulate(scene, duration=1.0, step=1e-4, record=1e-3)
    assert free["motor_speed.axle"][0] == n
    plucked = simulate(
        driven(J, Drive(motor=motor, gear=Gear(ratio=n, stiffness=c), command=lambda t: 1e-3 * (1 + 0 * t))),
        duration=1.0,
        step=1e-4,
        record=1e-3,
        energy=True,
    )
    omega = math.sqrt(c / Jm + c * n * n / J)
    together = 1e-3 * n / (J + n * n * Jm)
    twist = plucked["motor_angle.axle"] - n * plucked["q.axle"]
    expected = 1e-3 / Jm / omega**2 * (1 - np.cos(omega * plucked.time))
    np.testing.assert_allclose(twist, expected, atol=1e-9)
    speed = (J * plucked["v.axle"] + n * Jm * plucked["motor_speed.axle"]) / (J + n * n * Jm)
    np.testing.assert_allclose(speed, together * plucked.time, rtol=1e-9, atol=1e-12)
    assert np.abs(plucked["energy.residue"]).max() < 1e-12


def test_play_is_crossed_before_the_joint_moves():
    gear = Gear(ratio=1.0, stiffness=100.0, damping=0.1, backlash=0.2)
    run = simulate(
        driven(0.1, Drive(motor=TorqueMotor(rotor_inertia=1e-3), gear=gear, command=0.01)),
        duration=0.3,
        step=1e-5,
        record=1e-4,
    )
    touch = math.sqrt(2 * 0.1 / 10)  # half the play at 10 rad/s²
    assert not run["q.axle"][run.time < touch - 1e-3].any()
    assert run["q.axle"][-1] > 0 and np.ptp(run["gear_joint_torque.axle"][run.time < touch - 1e-3]) == 0


@pytest.mark.parametrize("elastic", [False, True])
def test_losses_in_the_teeth(elastic):
    """Driving, the joint gets η of the motor's torque; driven back at constant speed, the motor η of the joint's."""
    spring = {"stiffness": 50.0, "damping": 0.02} if elastic else {}
    gear = Gear(ratio=10.0, efficiency=0.8, back_efficiency=0.6, **spring)
    motor = TorqueMotor(rotor_inertia=1e-4)
    brake = {"axle": Viscous(coefficient=2.0)}
    driving = simulate(
        driven(0.05, Drive(motor=motor, gear=gear, command=0.5), friction=brake),
        duration=5.0,
        step=1e-3,
        method="moreau",
        record=0.5,
    )
    assert 2.0 * driving["v.axle"][-1] == pytest.approx(0.8 * 10 * 0.5, rel=1e-3)
    back = DCMotor(resistance=1.0, constant=1.0, rotor_inertia=1e-4)  # short-circuited: it brakes by 1 N·m·s/rad
    dragged = simulate(
        driven(0.05, Drive(motor=back, gear=gear), torque={"axle": 30.0}),
        duration=5.0,
        step=1e-3,
        method="moreau",
        record=0.5,
    )
    assert dragged["v.axle"][-1] * 10 * 1.0 * 10 == pytest.approx(0.6 * 30.0, rel=1e-3)


def test_the_energy_balance_knows_losses_as_losses():
    gear = Gear(ratio=10.0, efficiency=0.8)
    drive = Drive(motor=TorqueMotor(rotor_inertia=1e-4), gear=gear, command=0.5)
    run = simulate(
        driven(0.05, drive, friction={"axle": Viscous(coefficient=2.0)}),
        duration=2.0,
        step=1e-3,
        method="moreau",
        energy=True,
    )
    assert run["loss.drive.axle.mesh"][-1] > 0 and run["work.drive.axle.motor"][-1] > 0
    assert run["loss.drive.axle.mesh"][-1] == pytest.approx(0.2 * run["work.drive.axle.motor"][-1], rel=0.05)


def test_a_self_locking_gear_is_not_driven_back_but_drives():
    gear = Gear(ratio=10.0, efficiency=0.4, self_locking=True)
    motor = TorqueMotor(rotor_inertia=1e-4)
    held = simulate(
        driven(0.05, Drive(motor=motor, gear=gear), torque={"axle": 5.0}),
        duration=5.0,
        step=1e-3,
        method="moreau",
        record=0.5,
    )
    assert abs(held["v.axle"][-1]) < 1e-9 and abs(held["q.axle"][-1]) < 1e-3
    moved = simulate(
        driven(0.05, Drive(motor=motor, gear=gear, command=1.0), friction={"axle": Viscous(coefficient=1.0)}),
        duration=5.0,
        step=1e-3,
        method="moreau",
        record=0.5,
    )
    assert moved["v.axle"][-1] == pytest.approx(0.4 * 10.0, rel=1e-3)


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
    np.testing.assert_allclose(runs[0]["q.axle"], runs[1]["q.axle"], atol=1e-12)
    np.testing.assert_allclose(100 * runs[0]["friction.axle.motor"], runs[1]["friction.axle"], atol=1e-9)
