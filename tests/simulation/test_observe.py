"""Modes, margins and switches of friction."""

import numpy as np
import pytest

from stiction import Coulomb, Dahl, ElastoPlastic, InputError, LuGre, Scene, StictionWarning, Stribeck, simulate
from stiction.trace import clip, sin
from tests.scenes import flywheel, on_axle

STIFF = {"stiffness": 500.0, "damping": 1.0}


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_margin_and_mode_of_a_loaded_joint(method):
    """The load rises to 0.4 of 0.5 and stays, then goes on to 0.6."""
    load = lambda t: 0.4 * clip(t, 0, 1) + 0.2 * clip(t - 2, 0, 1)  # noqa: E731
    run = simulate(on_axle(0.02, Coulomb(level=0.5), load), duration=4.0, step=1e-3, method=method, record=0.1)
    held = run.between(1.5, 2.0)
    np.testing.assert_allclose(held["margin.axle"], 0.1, atol=1e-6)
    assert not held["mode.axle"].any()
    gone = run.between(3.0, 4.0)
    assert (gone["mode.axle"] == 2).all() and not gone["margin.axle"].any()
    assert run["switches.axle"][-1] == (1 if method == "moreau" else 2), "a bristle yields before it slides"


def test_lugre_creeps_where_the_others_hold():
    """Below break-away LuGre and Dahl are never quite stuck: that is why they drift. Elasto-plastic is."""
    for law, modes in (
        (LuGre(level=0.5, static=0.5, velocity=0.1, **STIFF), {1}),
        (Dahl(level=0.5, stiffness=500.0), {1}),
        (ElastoPlastic(level=0.5, static=0.5, velocity=0.1, **STIFF), {0}),
    ):
        run = simulate(on_axle(0.02, law, lambda t: 0.1 * sin(30 * t)), duration=2.0, step=1e-4, record=0.01)
        assert set(run.between(0.5, 2.0)["mode.axle"].tolist()) == modes, type(law).__name__


def test_switches_are_counted():
    """To and fro at 1 Hz under twice the friction: it slides both ways, and sticks at each turn or passes through."""
    run = simulate(
        on_axle(0.02, Stribeck(level=0.5, static=0.7, velocity=0.01), lambda t: 1.0 * sin(6.283185307179586 * t)),
        duration=4.0,
        step=1e-3,
        method="moreau",
    )
    mode = run["mode.axle"]
    assert run["switches.axle"][-1] == np.count_nonzero(np.diff(mode))
    assert run["switches.axle"][-1] >= 12
    lengths = np.diff(np.flatnonzero(np.diff(mode)))
    assert lengths.min() >= 2, "a mode shorter than two steps is no switch"


def test_signals_are_chosen_before_the_run():
    scene = on_axle(0.02, Coulomb(level=0.5), 0.3)
    assert list(simulate(scene, duration=0.1, step=0.01, signals=["q.", "mode"]).signals) == ["q.axle", "mode.axle"]
    with pytest.raises(InputError, match="no signal is or begins with 'w'"):
        simulate(scene, duration=0.1, step=0.01, signals=["w"])


def test_what_was_asked_too_much_is_said():
    soft = LuGre(level=0.5, static=0.5, velocity=0.1, stiffness=500.0, damping=0.1)
    with pytest.warns(StictionWarning, match="the bristle forgets within .* Take a step below"):
        simulate(on_axle(0.02, soft, 1.0), duration=0.15, step=1e-3, record=0.01)
    fast = LuGre(level=0.5, static=0.5, velocity=0.1, stiffness=1e4, damping=50.0)
    with pytest.warns(StictionWarning, match="passive only up to 0.04"):
        run = simulate(on_axle(0.02, fast, 1.0), duration=0.1, step=1e-5, record=0.1)
    assert "take less damping" in run.notes[0]
    falling = Stribeck(level=0.5, static=0.9, velocity=0.001, stiffness=100.0, damping=0.1)
    with pytest.warns(StictionWarning, match="it chatters"):
        simulate(Scene(robot=flywheel(0.02), friction={"axle": falling}), duration=0.1, step=1e-3)
