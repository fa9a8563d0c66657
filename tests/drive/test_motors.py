"""Motors: digits of a step, electronics faster than the step, limits."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from stiction import CurrentMotor, DCMotor, Drive, Gear, ServoMotor, TorqueMotor, Viscous, simulate
from stiction.simulation.notes import energy_notes
from stiction.trace import where
from tests.scenes import METHODS, driven, order


def test_digits_of_a_motor_step():
    """R = 1, L = 1e−3, K = .05, J = 1e−4, b = 1e−5, 12 V."""
    motor = DCMotor(resistance=1.0, inductance=1e-3, constant=0.05)
    scene = driven(1e-4, Drive(motor=motor, motor_friction=Viscous(coefficient=1e-5), command=12.0))
    run = simulate(scene, duration=0.02, step=1e-6, method="rk4", record=1e-3)
    assert run["motor_current.axle"][1] == pytest.approx(7.554394629, abs=1e-9)
    assert run["v.axle"][1] == pytest.approx(2.202928666, abs=1e-9)
    assert run["motor_current.axle"][20] == pytest.approx(7.575493478, abs=1e-9)
    assert run["v.axle"][20] == pytest.approx(92.368551746, abs=1e-9)
    late = simulate(scene, duration=5.0, step=1e-4, record=5.0)
    assert late["motor_current.axle"][-1] == pytest.approx(0.0478087649, abs=1e-9)
    assert late["v.axle"][-1] == pytest.approx(239.043825, abs=1e-6)
    assert run.units["motor_current.axle"] == "A" and run.units["motor_torque.axle"] == "N·m"


@pytest.mark.parametrize("ratio", [20.0, -20.0])
@pytest.mark.parametrize("method", ["rk4", "moreau"])
@pytest.mark.parametrize(
    "limits",
    [{}, {"rated_voltage": 5.0}, {"current_limit": 2.0}, {"torque_limit": 0.1}, {"inductance": 1e-2}],
    ids=["free", "voltage", "current", "torque", "inductance"],
)
def test_every_dc_motor_shows_its_current(limits, method, ratio):
    """Torque K i always, and u = R i + K ω wherever nothing limits the current: on the motor side, with its sign."""
    K, R, command = 0.05, 1.0, -6.0
    motor = DCMotor(resistance=R, constant=K, rotor_inertia=1e-5, **limits)
    scene = driven(0.02, Drive(motor=motor, gear=Gear(ratio=ratio), command=command))
    run = simulate(scene, duration=0.5, step=1e-3, method=method, record=0.01)
    current, speed = run["motor_current.axle"], ratio * run["v.axle"]
    assert run.units["motor_current.axle"] == "A" and current[1] < 0 and speed[-1] < -50
    np.testing.assert_allclose(run["motor_torque.axle"], K * current, atol=1e-12)
    most = limits.get("current_limit", limits.get("torque_limit", np.inf * K) / K)
    free = (np.clip(command, -limits.get("rated_voltage", np.inf), np.inf) - K * speed) / R
    if "inductance" not in limits:
        np.testing.assert_allclose(current, np.clip(free, -most, most), atol=1e-12)
    else:
        rate = np.gradient(current, run.time)[5:-5]  # L di/dt = u − R i − K ω
        left = ((free - current) * R)[5:-5]
        np.testing.assert_allclose(rate * limits["inductance"], left, atol=0.03)  # of 6 V: `moreau` is of order 1


def test_a_current_motor_shows_the_current_that_its_limits_let_through():
    motor = CurrentMotor(constant=0.05, current_limit=3.0, torque_limit=0.1)
    run = simulate(driven(0.02, Drive(motor=motor, command=lambda t: 50 * t)), duration=0.1, step=1e-3)
    np.testing.assert_allclose(run["motor_current.axle"], np.minimum(50 * run.time, 2.0), atol=1e-12)
    assert (
        "motor_current.axle" not in simulate(driven(0.02, Drive(motor=TorqueMotor())), duration=0.1, step=1e-3).signals
    )


@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_electronics_faster_than_the_step(method, step):
    """L/R = 0.1 ms at steps of up to 5 ms, against the exact solution of J v̇ = K i, L di/dt = e − R i − K v.

    The motor takes JR/K² = 4 s to speed up. Methods of order 1 err by h/2 over that time; explicit ones advance the
    current over whole steps at the speed where these begin, which costs less than L/R over the time.
    """
    K, R, L, J, e = 0.05, 1.0, 1e-4, 1e-2, 12.0
    drive = Drive(motor=DCMotor(resistance=R, inductance=L, constant=K), command=e)
    run = simulate(driven(J, drive), duration=2.0, step=step, method=method, record=0.5)
    A = np.array([[0.0, K / J, 0.0], [-K / L, -R / L, e / L], [0.0, 0.0, 0.0]])
    exact = np.array([(expm(A * t) @ [0.0, 0.0, 1.0])[:2] for t in run.time[1:]])
    error = {1: 0.6 * step / 4.0, 2: 1e-6, 4: 0.25 * L / R}[order(method)]
    np.testing.assert_allclose(run["v.axle"][1:], exact[:, 0], rtol=error)
    np.testing.assert_allclose(run["motor_current.axle"][1:], exact[:, 1], rtol=3 * error)


@pytest.mark.parametrize("step", [2.5e-4, 5e-3])
@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_the_current_of_a_blocked_motor(method, step):
    """It rises by exp(−t R/L), exactly, at steps of 2.5 L/R and 50 L/R."""
    drive = Drive(motor=DCMotor(resistance=1.0, inductance=1e-4, constant=0.05), command=12.0)
    run = simulate(driven(1e9, drive), duration=5e-3, step=step, method=method)
    np.testing.assert_allclose(run["motor_current.axle"], 12.0 * (1 - np.exp(-run.time / 1e-4)), rtol=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("method", ["rk4", "moreau"])
def test_limits_of_current_and_torque(method, sign):
    """Wheels of 0.02 kg m² under three limits; at steps of 1 ms `moreau` errs by a step of the acceleration."""
    error = 1e-9 if method == "rk4" else 1e-3 * 1.0 / 0.02 * 1.01

    def speed(motor, command, duration):
        scene = driven(0.02, Drive(motor=motor, command=sign * command))
        run = simulate(scene, duration=duration, step=1e-3, method=method, record=0.1)
        return run.time, sign * run["v.axle"]

    t, v = speed(CurrentMotor(constant=0.1, current_limit=5.0, rotor_inertia=1e-5), 50.0, 1.0)
    np.testing.assert_allclose(v, 0.5 / 0.02001 * t, rtol=1e-9)  # 0.5 N·m for ever
    t, v = speed(TorqueMotor(torque_limit=((0, 1.0), (10, 1.0), (20, 0.0))), 5.0, 2.0)
    falling = 20 - 10 * np.exp(-(t - 0.2) / 0.2)  # 1 N·m up to 10 rad/s at 0.2 s, then less and less
    np.testing.assert_allclose(v, np.where(t < 0.2, 50 * t, falling), atol=max(error, 1e-6))
    t, v = speed(DCMotor(resistance=1.0, constant=1.0, current_limit=2.0), 12.0, 0.5)
    braked = 12 - 2 * np.exp(-(t - 0.1) * 50)  # 2 A up to 10 rad/s at 0.1 s, then the back-EMF limits
    np.testing.assert_allclose(v, np.where(t < 0.1, 100 * t, braked), atol=max(error, 1e-6))


def test_a_rated_voltage_limits_both_ways():
    """24 V of 300: the wheel ends at 24/K."""
    motor = DCMotor(resistance=1.0, constant=0.5, rated_voltage=24.0)
    for command in (300.0, -300.0):
        run = simulate(driven(0.02, Drive(motor=motor, command=command)), duration=2.0, step=1e-3, record=2.0)
        assert run["v.axle"][-1] == pytest.approx(math.copysign(48.0, command), rel=1e-9)


@pytest.mark.parametrize("limits, most", [((3.0, 0.1), 2.0), ((3.0, 0.3), 3.0), ((3.0, ((0, 0.1), (9, 0.0))), 2.0)])
def test_the_smaller_of_two_limits_counts(limits, most):
    """A blocked motor whose current is a state: 12 A would flow, K = 0.05 N·m/A."""
    current, torque = limits
    motor = DCMotor(resistance=1.0, inductance=1e-3, constant=0.05, current_limit=current, torque_limit=torque)
    run = simulate(driven(1e9, Drive(motor=motor, command=12.0)), duration=0.01, step=1e-4, record=1e-3)
    assert run["motor_current.axle"][-1] == pytest.approx(most, rel=1e-9)


def test_an_amplifier_at_its_voltage_does_not_wind_up():
    """It is asked for 30 A, and 12 V give 12 of them; when it is asked for 6 A, they are there at once."""
    motor = ServoMotor(
        resistance=1.0, inductance=1e-3, constant=0.05, proportional=5.0, integral=2000.0, rated_voltage=12.0
    )
    asked = Drive(motor=motor, command=lambda t: where(t < 0.5, 30.0, 6.0))
    run = simulate(driven(1e9, asked), duration=0.52, step=1e-4, record=1e-2)
    assert run["motor_current.axle"][run.time < 0.495][-1] == pytest.approx(12.0, rel=1e-3)
    assert run["motor_current.axle"][-1] == pytest.approx(6.0, rel=1e-2)


def test_energies_that_a_step_cannot_follow_are_noted():
    """A winding that is faster than a step; a loss that gives energy back."""
    motor = DCMotor(resistance=1.0, constant=0.1, inductance=2e-4, rotor_inertia=1e-4)
    scene = driven(0.02, Drive(motor=motor, gear=Gear(ratio=10.0), command=5.0))
    rough, fine = (simulate(scene, duration=0.1, step=step, record=0.01, energy=True) for step in (1e-3, 1e-4))
    assert any("its winding follows in 0.0002 s, less than a step of 0.001 s" in note for note in rough.notes)
    assert not any("winding" in note for note in fine.notes)
    signals = {"work.drive.axle": np.linspace(0, 2, 5), "loss.drive.axle.mesh": np.array([0, 0.5, 0.4, 0.6, 0.7])}
    (note,) = energy_notes(scene, signals, 1e-4)
    assert note.startswith("loss.drive.axle.mesh: it fell by 0.1 J")
    assert not energy_notes(scene, signals | {"loss.drive.axle.mesh": np.linspace(0, 1, 5)}, 1e-4)
