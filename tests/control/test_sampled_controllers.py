"""Digital control: sampled on ticks, held in between, late if asked; the same by a formula and by a Python function."""

import numpy as np
import pytest

from stiction.control import PID, Callback, Clock
from stiction.errors import InputError, StictionError
from stiction.network import NetworkError, Wire
from stiction.parts import Mass
from stiction.scene import Scene
from stiction.simulation.simulate import simulate
from stiction.trace import where


def sampled(controller, start=1.0):
    """J = 0.1 kg m² under a controller that reads its position and velocity."""
    wires = [
        Wire("pd.position", ["wheel.position"]),
        Wire("pd.velocity", ["wheel.velocity"]),
        Wire("wheel.force", ["pd.command"]),
    ]
    return Scene(parts={"wheel": Mass(mass=0.1, position=start), "pd": controller}, wires=wires)


def pd(period, **clock):
    return PID(clock=Clock(period=period, **clock), proportional=40.0, derivative=2.0)


def by_function(period, **clock):
    def function(t, x):
        return {"command": -40 * x["position"] - 2 * x["velocity"]}

    return Callback(
        clock=Clock(period=period, **clock),
        function=function,
        reads={"position": 1, "velocity": 1},
        gives={"command": 1},
    )


@pytest.mark.parametrize("controller", [pd, by_function], ids=["PID", "Callback"])
@pytest.mark.parametrize("step", [0.01, 0.0025])
@pytest.mark.parametrize("method", ["rk4", "gill"])
def test_digits_of_a_sampled_pd(controller, step, method):
    run = simulate(sampled(controller(0.01)), duration=0.2, step=step, method=method, record=0.05)
    assert run["wheel.position"][-1] == pytest.approx(-0.155696476092, abs=1e-11)
    assert run["wheel.velocity"][-1] == pytest.approx(1.772868032228, abs=1e-10)
    late = simulate(sampled(controller(0.01, delay=1)), duration=0.2, step=step, method=method, record=0.05)
    assert late["wheel.position"][-1] == pytest.approx(-0.169497190469, abs=1e-11)
    slow = simulate(sampled(controller(0.05)), duration=0.2, step=step, method=method, record=0.05)
    assert slow["wheel.position"][-1] == pytest.approx(-0.0625, abs=1e-12)
    assert slow["wheel.velocity"][-1] == pytest.approx(7.5, abs=1e-11)
    if controller is by_function:
        assert run.calls == 20 and slow.calls == 4


def test_the_limit_of_stability():
    """Stable at T = 0.099, unstable at 0.101."""
    for period, grows in ((0.099, False), (0.101, True)):
        run = simulate(sampled(pd(period)), duration=period * 2000, step=period, record=period * 500)
        assert bool(abs(run["wheel.position"][-1]) > 1) is grows


def test_phases_and_several_clocks():
    """Two controllers on clocks of their own add up; the later one begins late."""
    one = PID(clock=Clock(period=0.02), proportional=20.0, derivative=1.0)
    other = PID(clock=Clock(period=0.02, phase=0.01), proportional=20.0, derivative=1.0)
    wires = [Wire(f"{name}.{port}", [f"wheel.{port}"]) for name in ("a", "b") for port in ("position", "velocity")]
    scene = Scene(
        parts={"wheel": Mass(mass=0.1, position=1.0), "a": one, "b": other},
        wires=[*wires, Wire("wheel.force", ["a.command", "b.command"])],
    )
    run = simulate(scene, duration=0.1, step=5e-3)
    assert run["a.command"][1] == -20.0 and run["b.command"][2] == 0.0 and run["b.command"][3] != 0.0
    changes = np.flatnonzero(np.diff(run["b.command"]))
    assert (np.diff(changes) % 4 == 0).all(), "held for 20 ms"


def test_saturation_does_not_wind_up():
    """A wheel that is driven to 1 rad with little torque: the integral does not carry it far beyond."""
    pid = PID(
        clock=Clock(period=0.01),
        proportional=2.0,
        integral=2.0,
        derivative=0.6,
        limit=0.05,
        target=lambda t: where(t < 0.5, 0.0, 1.0),
    )
    run = simulate(sampled(pid, start=0.0), duration=20.0, step=1e-3, record=0.01)
    assert np.abs(run["pd.command"]).max() <= 0.05
    assert run["wheel.position"].max() < 1.6, "the torque cannot brake it earlier"
    assert run["wheel.position"][-1] == pytest.approx(1.0, abs=1e-3)


def test_python_controllers_in_a_batch():
    starts = np.array([0.5, 1.0, -2.0])
    run = simulate(
        sampled(by_function(0.01)), duration=0.2, step=2e-3, record=0.1, parameters={"wheel.position": starts}
    )
    np.testing.assert_allclose(run["wheel.position"][-1], -0.155696476092 * starts, rtol=1e-9)
    assert run.calls == 20


@pytest.mark.parametrize(
    "make, message, kind",
    [
        (
            lambda: simulate(sampled(pd(0.01)), duration=0.1, step=0.004, record=0.02),
            "period is 0.01 s, which is no whole number of steps",
            InputError,
        ),
        (lambda: simulate(sampled(pd(0.01, phase=0.003)), duration=0.1, step=0.002), "phase is 0.003 s", InputError),
        (lambda: Clock(period=0.0), "period is 0", InputError),
        (lambda: Clock(period=0.01, phase=0.02), "a phase below the period", InputError),
        (lambda: Clock(period=0.01, delay=-1), "delay is -1", InputError),
        (lambda: PID(clock=0.01, proportional=1.0), "clock is 0.01; allowed: a Clock", InputError),
        (lambda: PID(clock=Clock(period=0.01), proportional=-1.0), "proportional is -1", InputError),
        (lambda: PID(clock=Clock(period=0.01), proportional=1.0, limit=0), "limit is 0", InputError),
        (lambda: PID(clock=Clock(period=0.01), proportional=1.0, target="up"), "target is 'up'", InputError),
        (
            lambda: Scene(parts={"wheel": Mass(mass=1.0), "pd": pd(0.01)}, wires=[Wire("wheel.force", ["pd.command"])]),
            "'pd.position' dangles",
            NetworkError,
        ),
        (
            lambda: simulate(sampled(pd(0.01)), duration=0.1, step=0.01, method="rosenbrock"),
            "ticks on a clock",
            NetworkError,
        ),
    ],
)
def test_bad_input(make, message, kind):
    with pytest.raises(kind, match=message):
        make()


def test_a_python_controller_that_gives_nonsense_is_named():
    for gives, message in (({}, "the controller function gave {}"), ({"command": float("nan")}, "no number at 0 s")):
        bad = Callback(
            clock=Clock(period=0.01),
            function=lambda t, x, gives=gives: gives,
            reads={"position": 1, "velocity": 1},
            gives={"command": 1},
        )
        with pytest.raises(StictionError, match=message):
            simulate(sampled(bad), duration=0.1, step=0.01)


def test_what_a_python_function_may_give():
    """A number for all runs, or one for each; failures are named with their time."""
    for gives in (0.5, [0.5], np.array(0.5)):
        ports = {"reads": {"position": 1, "velocity": 1}, "gives": {"command": 1}}
        push = Callback(clock=Clock(period=0.01), function=lambda t, x, gives=gives: {"command": gives}, **ports)
        run = simulate(sampled(push), duration=0.1, step=0.01, parameters={"wheel.position": [0.0, 1.0, 2.0]})
        np.testing.assert_allclose(run["wheel.velocity"][-1], 0.5)
    fails = Callback(
        clock=Clock(period=0.01), function=lambda t: {}, reads={"position": 1, "velocity": 1}, gives={"command": 1}
    )
    with pytest.raises(StictionError, match="the controller function failed at 0 s: TypeError"):
        simulate(sampled(fails), duration=0.1, step=0.01)
