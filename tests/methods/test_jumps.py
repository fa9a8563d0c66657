"""Loads that begin, end or jump inside a step: the impulse is right, whatever the step."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from stiction import RK4, Coulomb, Formula, Scene, Table, library, simulate
from stiction.trace import absolute, sign, sin, where
from stiction.trace.jumps import jumps
from tests.scenes import METHODS, flywheel

TIMES = (0.5, 0.5003, 0.50077)


@pytest.mark.parametrize("tau", TIMES)
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_load_that_begins(method, tau):
    """Of 1 N·m, on a wheel of 0.02 kg m²: 50 rad/s² from then on."""
    loads = {
        "begins": lambda t: where(t < tau, 0, 1.0),
        "just after": lambda t: where(t <= tau, 0, 1.0),
        "by a line": lambda t: where(2 * t - 1 < 2 * tau - 1, 0, 1.0),
        "formula": Formula(f"where(t < {tau}, 0, 1)"),
        "sign": lambda t: (1 + sign(t - tau)) / 2,
    }
    for load in loads.values():
        scene = Scene(robot=flywheel(0.02), torque={"axle": load})
        run = simulate(scene, duration=1.0, step=1e-3, method=method, record=0.1)
        error = 1e-5 if method.own_steps else 1e-10
        assert run["v.axle"][-1] == pytest.approx(50 * (1 - tau), abs=error)


@pytest.mark.parametrize("tau", TIMES)
@pytest.mark.parametrize("method", ["moreau", "rk4", "gears_implicit"])
def test_the_knots_of_a_table_within_a_step(method, tau):
    """The impulse of straight lines, and of a jump by two points that are close together."""
    kinked, jump = Table(time=[0, tau, 1.0], value=[0, 1.0, 0.5]), Table(time=[tau, tau + 1e-9], value=[0, 1.0])
    for table, impulse in ((kinked, tau / 2 + 0.75 * (1 - tau)), (jump, 1 - tau - 5e-10)):
        scene = Scene(robot=flywheel(0.02), torque={"axle": table})
        run = simulate(scene, duration=1.0, step=1e-3, method=method, record=0.1)
        assert run["v.axle"][-1] == pytest.approx(50 * impulse, abs=1e-10)


def test_the_mean_of_a_table():
    """Over any span, before, between and behind its points; and inside a line the value in its middle, to the bit."""
    table = Table(time=[0.0, 0.3, 0.4, 1.0], value=[1.0, -2.0, 5.0, 4.0])
    fine = np.linspace(0, 1, 200_001)
    for middle, span in ((0.35, 0.5), (-0.1, 0.4), (1.2, 1.0), (-3.0, 1.0), (0.4, 1e-3)):
        ts = middle + span * (fine - 0.5)
        exact = trapezoid(np.interp(ts, table.time, table.value), fine)
        assert table.mean(middle, span) == pytest.approx(exact, abs=1e-6)
    assert table.mean(0.1, 0.01) == table(0.1)


@pytest.mark.parametrize("tau", TIMES)
def test_runge_kutta_keeps_its_order_over_a_jump(tau):
    """A pendulum that is pushed from some time on: errors fall by 16 though the time lies within a step."""
    scene = Scene(robot=library.pendulum(1), torque={"joint1": lambda t: where(t < tau, 0, 3.0 * sin(t))}, q=[0.5])
    ends = [simulate(scene, duration=1.0, step=h, method=RK4(), record=1.0)["q.joint1"][-1] for h in (0.02, 0.01, 2e-4)]
    assert abs(ends[0] - ends[2]) > 10 * abs(ends[1] - ends[2])


def test_a_load_that_begins_within_a_step_breaks_friction_when_it_must():
    """A load of 0.9 of break-away holds, one of 1.1 goes, wherever in the step it begins."""
    for tau in TIMES:
        for level, moves in ((0.9, False), (1.1, True)):
            scene = Scene(
                robot=flywheel(0.02),
                friction={"axle": Coulomb(level=1.0)},
                torque={"axle": lambda t, level=level, tau=tau: where(t < tau, 0, level)},
            )
            run = simulate(scene, duration=1.0, step=1e-3)
            assert run["v.axle"][-1] == pytest.approx(0.1 / 0.02 * (1 - tau) if moves else 0.0, abs=5e-3)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_pulse_that_is_shorter_than_a_step(method):
    pulse = Formula("where(t > 0.10031 and t < 0.10033, 1000, 0)")
    run = simulate(Scene(robot=flywheel(0.02), torque={"axle": pulse}), duration=0.2, step=1e-3, method=method)
    assert run["v.axle"][-1] == pytest.approx(0.02 / 0.02, rel=1e-6)


def test_what_jumps_is_found_in_the_formula():
    assert jumps(lambda t: sin(t)) == ()
    assert jumps(lambda t: where((t - 1) / 2 > 0.25, 1, where(-t < -3, 2, 0))) == (1.5, 3.0)
    assert jumps(lambda t: where(sin(t) > 0, 1, 0)) == ()
    assert jumps(lambda t: where(absolute(t - 2) < 0.5, sign(t - 4), 0)) == (1.5, 2.5, 4.0)
