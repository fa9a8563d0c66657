"""Runs are kept without loss."""

import pytest

import stiction
from stiction import Coulomb, Scene, simulate


@pytest.fixture(scope="module")
def run():
    scene = Scene(
        robot=stiction.library.rp_arm(),
        friction={"turn": Coulomb(level=0.2), "slide": Coulomb(level=0.5)},
        torque={"turn": 1.0},
        q=[0.1, 0.3],
    )
    return simulate(scene, duration=0.5, step=1e-3, record=0.01)


def test_units_and_origin(run):
    assert run.units["q.turn"] == "rad" and run.units["q.slide"] == "m"
    assert run.units["friction.turn"] == "N·m" and run.units["friction.slide"] == "N"
    assert run.units["v.slide"] == "m/s"
    assert "midpoint" in run.origin["settings"]
    assert 'law = "Coulomb"' in run.origin["scene"]
    assert "numpy" in run.origin["versions"]
    assert repr(run).startswith("<Trajectory completed: ")


def test_slices(run):
    part = run.between(0.1, 0.2).only("q.")
    assert list(part.signals) == ["q.turn", "q.slide"]
    assert part.time[0] == pytest.approx(0.1) and part.time[-1] == pytest.approx(0.2)
    assert run.at(0.25)["q.turn"] == run["q.turn"][25]
    assert list(run.only("mode.*", "q.turn").signals) == ["q.turn", "mode.turn", "mode.slide"]
    assert list(run.only("friction.turn.margin").signals) == ["margin.turn"], "by the full name"
    with pytest.raises(stiction.InputError, match=r"unknown signal 'speed\.\*'"):
        run.only("q.", "speed.*")
