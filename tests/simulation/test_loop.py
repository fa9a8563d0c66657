"""The loop: its ends, its pace, and its time."""

import tracemalloc

import numpy as np
import pytest

import stiction
from stiction import Coulomb, InputError, StictionWarning, simulate
from stiction.errors import DivergedError
from stiction.scene import Formula
from stiction.simulation import loop as running
from stiction.trace import sin, sqrt
from tests.scenes import on_axle, oscillator


def test_what_is_no_number_is_no_data():
    """A torque that is infinite at the start is refused; one that becomes so ends the run there."""
    with pytest.raises(InputError, match=r"torque\.elbow is no number at the start|force is no number"):
        simulate(
            stiction.Scene(robot=stiction.library.two_link(), torque={"elbow": Formula("1/t")}), duration=1.0, step=0.1
        )
    late = stiction.Scene(robot=stiction.library.two_link(), torque={"elbow": lambda t: sqrt(2.005 - t)})
    with pytest.raises(DivergedError, match=r"left the numbers at 2") as error:
        simulate(late, duration=4.0, step=0.01)
    run = error.value.run
    assert run.status == "diverged" and run.time[-1] == pytest.approx(1.99, abs=0.02) and "at 2" in run.message
    assert all(np.isfinite(x).all() for x in run.signals.values())


def test_a_run_that_diverges_keeps_what_it_had():
    with pytest.raises(DivergedError, match="smaller step") as error:
        simulate(oscillator(stiffness=1e9), duration=1.0, step=0.01, method="euler")
    run = error.value.run
    with pytest.warns(StictionWarning, match="the run diverged"):
        kept = simulate(oscillator(stiffness=1e9), duration=1.0, step=0.01, method="euler", on_divergence="keep")
    np.testing.assert_array_equal(kept["ball.position"], run["ball.position"])
    assert run.status == kept.status == "diverged" and run.diverged
    assert "smaller step" in run.message and "ball." in run.message
    assert all(np.isfinite(x).all() for x in run.signals.values())
    assert len(run.time) == len(run["ball.position"]) > 1


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: simulate(oscillator(), duration=1.0, step=0.3), "a whole number of"),
        (lambda: simulate(oscillator(), duration=1.0, step=0.1, method="rk5"), "'moreau', 'rk4', 'gill', 'euler'"),
        (
            lambda: simulate(oscillator(), duration=0.1, step=0.1)["ball.speed"],
            "unknown signal 'ball.speed'; this run has: ball.position",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_ctrl_c_keeps_what_was_done():
    def stop(part):
        if part > 0.5:
            raise KeyboardInterrupt

    scene, how = on_axle(0.02, Coulomb(level=0.5), 1.0), {"duration": 1.0, "step": 1e-3, "record": 2e-3}
    run = simulate(scene, **how, progress=stop)
    assert run.status == "interrupted"
    assert run.message == f"stopped by the user after {run.time[-1]:g} s of 1 s"
    whole = simulate(scene, **how)
    assert 200 < len(run.time) < 501
    np.testing.assert_array_equal(run["q.axle"], whole["q.axle"][: len(run.time)])


def test_a_record_counts_when_it_is_kept(monkeypatch):
    """Ctrl-C may come between any two lines, here while the tenth record is kept."""
    kept, add = [], running._Kept.add

    def stopping(self, seen):
        if len(kept) == 10:
            raise KeyboardInterrupt
        kept.append(add(self, seen))

    monkeypatch.setattr(running._Kept, "add", stopping)
    run = simulate(on_axle(0.02, Coulomb(level=0.5), 1.0), duration=1.0, step=1e-3, record=2e-3)
    assert run.status == "interrupted" and len(run.time) == 10
    assert all(np.isfinite(x).all() for x in run.signals.values())


def test_progress_comes_to_its_end_and_long_gaps_between_records_are_cut():
    """Two million steps between two records; a bristle of 2e10 N·m/rad does not count, so the speed is exact."""
    told = []
    scene = on_axle(0.02, Coulomb(level=0.5), 1.0)
    run = simulate(scene, duration=2.0, step=1e-6, record=2.0, progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0 and len(told) > 2
    assert run["v.axle"][-1] == pytest.approx(0.5 / 0.02 * 2.0, rel=1e-6)


def test_time_is_counted_not_summed():
    """A million steps of 0.1 ms end at exactly 100 s; the load sees the same times, to the bit, however the run is cut.

    A sum of a million times 1e−4 is off by 1e−9: a load of 1e9 rad/s would see another phase.
    """
    scene = on_axle(0.02, Coulomb(level=0.5), lambda t: sin(1e9 * t))
    one = simulate(scene, duration=100.0, step=1e-4, record=100.0)
    many = simulate(scene, duration=100.0, step=1e-4, record=0.1)
    assert one.time[-1] == many.time[-1] == 100.0
    assert one.state.tick == 1_000_000
    for name in ("q.axle", "v.axle", "torque.axle"):
        assert many[name][-1] == one[name][-1]
    np.testing.assert_allclose(many["torque.axle"], np.sin(1e9 * (np.arange(1001) * 1000 * 1e-4)), atol=1e-6)


def test_memory_is_computed_first(monkeypatch):
    monkeypatch.setattr(running, "LARGEST_RECORD", 10_000)
    with pytest.raises(InputError, match=r"Record every .* s instead of 0.001 s"):
        simulate(
            on_axle(0.02, Coulomb(level=0.5), 1.0),
            duration=1.0,
            step=1e-3,
            parameters={"friction.axle.level": np.ones(10)},
        )


@pytest.mark.parametrize(
    ("late", "words"),
    [(lambda: 1 / 0, "failed at 0.05 s: ZeroDivisionError"), (lambda: float("nan"), "returned nan at 0.05 s")],
    ids=["raises", "NaN"],
)
@pytest.mark.parametrize("runs", [None, 3])
def test_a_function_that_fails_ends_the_run_with_what_it_had(late, words, runs):
    def decide(t, x):
        return late() if t > 0.045 else 0.0

    hand = stiction.Callback(
        clock=stiction.Clock(period=0.01), function=decide, reads={"position": 1}, gives={"command": 1}
    )
    scene = stiction.Scene(robot=stiction.library.pendulum(1), control={"joint1": hand}, q=[0.5])
    many = {} if runs is None else {"parameters": {"robot.link1.mass": [1.0, 1.1, 1.2]}}
    with pytest.raises(stiction.StictionError, match=words) as caught:
        stiction.simulate(scene, duration=1.0, step=1e-3, record=0.01, **many)
    run = caught.value.run
    assert run.status == "failed" and "controller" in run.message
    np.testing.assert_allclose(run.time, np.arange(6) * 0.01)
    assert np.isfinite(run["q.joint1"]).all() and run["q.joint1"].shape == ((6,) if runs is None else (6, 3))
    scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5])
    rest = stiction.simulate(scene, duration=0.05, step=1e-3, record=0.01)
    if runs is None:
        np.testing.assert_allclose(run["q.joint1"], rest["q.joint1"], rtol=1e-12)


@pytest.mark.parametrize("runs", [None, 50])
def test_a_run_takes_little_more_memory_than_its_record(runs):
    scene = stiction.Scene(robot=stiction.library.chain(3), q=[0.3, 0.2, 0.1])
    duration, many = (200.0, {}) if runs is None else (2.0, {"parameters": {"q.joint1": np.linspace(0, 1, runs)}})
    simulate(scene, duration=1e-3, step=1e-3, **many)  # compiled
    tracemalloc.start()
    try:
        run = simulate(scene, duration=duration, step=1e-3, **many)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    record = sum(x.nbytes for x in run.signals.values())
    assert record > 5e6 and most < 1.3 * record + 2e6  # and what a small run takes
