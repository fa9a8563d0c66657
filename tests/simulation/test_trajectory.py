"""Runs are kept without loss."""

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Scene, Trajectory, simulate
from stiction.errors import InputError


@pytest.fixture(scope="module")
def run():
    scene = Scene(
        robot=stiction.library.rp_arm(),
        friction={"turn": Coulomb(level=0.2), "slide": Coulomb(level=0.5)},
        torque={"turn": 1.0},
        q=[0.1, 0.3],
    )
    return simulate(scene, duration=0.5, step=1e-3, record=0.01)


def test_saved_and_loaded_without_loss(run, tmp_path):
    run.save(tmp_path / "run.h5")
    again = Trajectory.load(tmp_path / "run.h5")
    assert list(again.signals) == list(run.signals)
    for name in run.signals:
        assert again[name].tobytes() == run[name].tobytes()
    assert (again.status, again.units, again.origin) == (run.status, run.units, run.origin)
    assert again.time.tobytes() == run.time.tobytes()


def test_units_and_origin(run):
    assert run.units["q.turn"] == "rad" and run.units["q.slide"] == "m"
    assert run.units["friction.turn"] == "N·m" and run.units["friction.slide"] == "N"
    assert run.units["v.slide"] == "m/s"
    assert (
        "RK4" in run.origin["settings"]
        and 'law = "Coulomb"' in run.origin["scene"]
        and "numpy" in run.origin["versions"]
    )
    assert repr(run).startswith("<Trajectory completed: ")


def test_names_with_slashes_come_back(tmp_path):
    run = Trajectory(np.array([0.0, 1.0]), {"q.arm/elbow": np.array([1.0, 2.0])}, units={"q.arm/elbow": "rad"})
    run.save(tmp_path / "run.h5")
    assert Trajectory.load(tmp_path / "run.h5")["q.arm/elbow"].tolist() == [1.0, 2.0]


def test_csv_has_every_digit(run, tmp_path):
    run.save(tmp_path / "run.csv")
    table = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, 0], run.time)
    np.testing.assert_array_equal(table[:, 1], run["q.turn"])


def test_slices(run):
    part = run.between(0.1, 0.2).only("q.")
    assert list(part.signals) == ["q.turn", "q.slide"]
    assert part.time[0] == pytest.approx(0.1) and part.time[-1] == pytest.approx(0.2)
    assert run.at(0.25)["q.turn"] == run["q.turn"][25]


def test_wrong_files(run, tmp_path):
    with pytest.raises(InputError, match=r"allowed endings: .h5, .csv"):
        run.save(tmp_path / "run.mat")
    with pytest.raises(InputError, match="cannot write"):
        run.save(tmp_path / "no" / "run.h5")
    with pytest.raises(InputError, match="there is no file"):
        Trajectory.load(tmp_path / "none.h5")
    (tmp_path / "bad.h5").write_bytes(b"nothing")
    with pytest.raises(InputError, match="no HDF5 file"):
        Trajectory.load(tmp_path / "bad.h5")
