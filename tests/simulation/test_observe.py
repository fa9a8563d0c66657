"""Modes, margins and switches of friction."""

import math

import numpy as np
import pytest

from stiction import Coulomb, Dahl, ElastoPlastic, InputError, LuGre, Moreau, Scene, StictionWarning, Stribeck, simulate
from stiction.trace import clip, sin, where
from tests.events import Dry, phases
from tests.scenes import METHODS, flywheel, on_axle

STIFF = {"stiffness": 500.0, "damping": 1.0}


@pytest.mark.parametrize("level", [0.5, -0.4])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_margin_and_mode_of_a_loaded_joint(method, level):
    """The load rises to 0.8 of break-away and stays, then goes on to 1.2, ahead or back: what is missing is 0.2."""

    def load(t):
        return level * (0.8 * clip(t, 0, 1) + 0.4 * clip(t - 2, 0, 1))

    scene = on_axle(0.02, Coulomb(level=(0.5, 0.4)), load)
    run = simulate(scene, duration=4.0, step=1e-3, method=method, record=0.1)
    held = run.between(1.5, 2.0)
    np.testing.assert_allclose(held["margin.axle"], 0.2 * abs(level), atol=1e-6)
    assert not held["mode.axle"].any()
    gone = run.between(3.0, 4.0)
    assert (gone["mode.axle"] == 2).all() and not gone["margin.axle"].any()
    assert run["switches.axle"][-1] == (1 if isinstance(method, Moreau) else 2), "a bristle yields before it slides"
    assert run["fastest.axle"][-1] == pytest.approx(abs(run["v.axle"][-1]), rel=1e-12)


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
    """To and fro at 1 Hz under twice the friction: as often as by events, as it sticks at each turn."""
    law = Stribeck(level=0.5, static=0.7, velocity=0.01)
    load = 2 * math.pi
    run = simulate(on_axle(0.02, law, lambda t: 1.0 * sin(load * t)), duration=4.0, step=1e-3, method="moreau")
    mode = run["mode.axle"]
    curve = lambda w: 0.5 + 0.2 * math.exp(-w / 0.01)  # noqa: E731
    found = phases(0.02, lambda t, _: math.sin(load * t), Dry((curve, curve), (0.7, 0.7)), 0.0, 0.0, 4.0)
    assert run["switches.axle"][-1] == np.count_nonzero(np.diff(mode)) == len(found) - 1 > 12
    changes = run.time[1:][np.diff(mode) != 0]
    assert run["fastest.axle"][-1] == np.abs(run["v.axle"]).max()
    assert not run["margin.axle"][np.abs(run["v.axle"]) > 0.01].any(), "none while it slides, though below break-away"
    np.testing.assert_allclose(changes, [phase.begin for phase in found[1:]], atol=4e-3)  # a step, two to be sure


def test_signals_are_chosen_before_the_run():
    scene = on_axle(0.02, Coulomb(level=0.5), 0.3)
    assert list(simulate(scene, duration=0.1, step=0.01, signals=["q.", "mode"]).signals) == ["q.axle", "mode.axle"]
    with pytest.raises(InputError, match=r"unknown signal 'w'; this simulation has: q.axle, v.axle"):
        simulate(scene, duration=0.1, step=0.01, signals=["w"])


def test_what_was_asked_too_much_is_said():
    soft = LuGre(level=0.5, static=0.5, velocity=0.1, stiffness=500.0, damping=0.1)
    with pytest.warns(StictionWarning, match="the bristle forgets within .* Take a step below"):
        simulate(on_axle(0.02, soft, 1.0), duration=0.15, step=1e-3, method="rk4", record=0.01)
    fast = LuGre(level=0.5, static=0.5, velocity=0.1, stiffness=1e4, damping=50.0)
    with pytest.warns(StictionWarning, match="passive only up to 0.04"):
        run = simulate(on_axle(0.02, fast, 1.0), duration=0.1, step=1e-5, record=0.1)
    assert "take less damping" in run.notes[0]
    falling = Stribeck(level=0.5, static=0.9, velocity=0.001, stiffness=100.0, damping=0.1)
    with pytest.warns(StictionWarning, match="it chatters"):
        simulate(Scene(robot=flywheel(0.02), friction={"axle": falling}), duration=0.1, step=1e-3, method="rk4")


@pytest.mark.parametrize("steps, switches", [(1, 0), (3, 2)])
def test_a_mode_counts_when_it_lasts(steps, switches):
    """Pushed for one step it slides for one and sticks again: no switch. For three steps it slides for several."""
    law, h = Coulomb(level=1.0), 1e-3
    pulse = lambda t: where((t > 0.1) & (t < 0.1 + steps * h), 1.5, 0.0)  # noqa: E731
    run = simulate(on_axle(0.02, law, pulse), duration=0.2, step=h)
    assert (run["mode.axle"] == 2).any() and run["mode.axle"][-1] == 0
    assert run["switches.axle"][-1] == switches
