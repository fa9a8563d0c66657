"""Motors: digits of a step, electronics faster than the step, limits."""

import math

import numpy as np
import pytest

from stiction import CurrentMotor, DCMotor, Drive, Scene, TorqueMotor, Viscous, simulate
from tests.scenes import driven, flywheel

MOTOR = DCMotor(resistance=1.0, inductance=1e-3, constant=0.05)


def test_digits_of_a_motor_step():
    """R = 1, L = 1e−3, K = .05, J = 1e−4, b = 1e−5, 12 V."""
    scene = driven(1e-4, Drive(motor=MOTOR, motor_friction=Viscous(coefficient=1e-5), command=12.0))
    run = simulate(scene, duration=0.02, step=1e-6, record=1e-3)
    assert run["motor_current.axle"][1] == pytest.approx(7.554394629, abs=1e-9)
    assert run["v.axle"][1] == pytest.approx(2.202928666, abs=1e-9)
    assert run["motor_current.axle"][20] == pytest.approx(7.575493478, abs=1e-9)
    assert run["v.axle"][20] == pytest.approx(92.368551746, abs=2e-9)
    late = simulate(scene, duration=5.0, step=1e-4, record=5.0)
    assert late["motor_current.axle"][-1] == pytest.approx(0.0478087649, abs=1e-9)
    assert late["v.axle"][-1] == pytest.approx(239.043825, abs=1e-6)
    assert run.units["motor_current.axle"] == "A" and run.units["motor_torque.axle"] == "N·m"


@pytest.mark.parametrize("method, step", [("moreau", 1e-3), ("rk4", 5e-3), ("moreau", 5e-3)])
def test_electronics_faster_than_the_step_are_exact(method, step):
    """L/R = 0.1 ms at steps of up to 5 ms: the same as without inductance, and stable."""
    quick = DCMotor(resistance=1.0, inductance=1e-4, constant=0.05)
    slow = DCMotor(resistance=1.0, constant=0.05)
    runs = [
        simulate(driven(1e-2, Drive(motor=m, command=12.0)), duration=2.0, step=step, method=method, record=0.5)
        for m in (quick, slow)
    ]
    np.testing.assert_allclose(runs[0]["v.axle"][1:], runs[1]["v.axle"][1:], rtol=2e-2)
    blocked = Scene(robot=flywheel(1e9), drives={"axle": Drive(motor=quick, command=12.0)})
    current = simulate(blocked, duration=5e-3, step=5e-3, method=method)["motor_current.axle"][-1]
    assert current == pytest.approx(12.0 * (1 - math.exp(-5e-3 / 1e-4)), rel=1e-6)


def test_limits():
    free = driven(0.02, Drive(motor=CurrentMotor(constant=0.1, current_limit=5.0, rotor_inertia=1e-5), command=50.0))
    assert simulate(free, duration=1.0, step=1e-3, record=1.0)["v.axle"][-1] == pytest.approx(0.5 / 0.02001, rel=1e-9)
    curve = TorqueMotor(torque_limit=((0, 1.0), (10, 1.0), (20, 0.0)))
    for method in ("rk4", "moreau"):
        run = simulate(
            driven(0.02, Drive(motor=curve, command=5.0)), duration=2.0, step=1e-3, method=method, record=0.1
        )
        assert run["motor_torque.axle"][1] == pytest.approx(1.0) and run["v.axle"][-1] == pytest.approx(20.0, rel=1e-3)
    bounded = DCMotor(resistance=1.0, constant=0.1, current_limit=2.0)
    run = simulate(driven(0.02, Drive(motor=bounded, command=12.0)), duration=0.1, step=1e-3, record=0.1)
    assert run["v.axle"][-1] == pytest.approx(0.2 / 0.02 * 0.1, rel=1e-9)
