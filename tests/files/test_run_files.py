"""Runs are kept in files without loss."""

import numpy as np
import pytest

import stiction
from stiction import Callback, Clock, Coulomb, InputError, LuGre, Scene, Trajectory, simulate
from tests.scenes import on_axle


@pytest.fixture(scope="module")
def run():
    """With a controller in Python that is called, and a law that is asked too much, so that there is a note."""
    push = Callback(
        clock=Clock(period=0.01),
        function=lambda t, x: {"command": 10 - 2 * x["position"]},
        reads={"position": 1},
        gives={"command": 1},
    )
    law = LuGre(level=0.2, static=0.3, velocity=0.1, stiffness=100.0, damping=10.0)
    scene = Scene(
        robot=stiction.library.rp_arm(),
        friction={"turn": law, "slide": Coulomb(level=0.5)},
        control={"turn": push},
        q=[0.1, 0.3],
    )
    return simulate(scene, duration=0.5, step=1e-3, record=0.01)


@pytest.mark.parametrize("ending", ["h5", "hdf5"])
def test_saved_and_loaded_without_loss(run, tmp_path, ending):
    run.save(tmp_path / f"run.{ending}")
    again = Trajectory.load(tmp_path / f"run.{ending}")
    assert list(again.signals) == list(run.signals)
    for name in run.signals:
        assert again[name].tobytes() == run[name].tobytes()
    for what in ("status", "message", "units", "notes", "calls", "aliases"):
        assert getattr(again, what) == getattr(run, what), what
    assert dict(again.origin) == dict(run.origin)
    assert again.time.tobytes() == run.time.tobytes() and again.valid_until is None
    assert again.state.values.tobytes() == run.state.values.tobytes()
    for what in ("names", "units", "kinds", "tick", "step"):
        assert getattr(again.state, what) == getattr(run.state, what), what
    assert run.calls == 50 and len(run.notes) == 1 and again["robot.q.turn"].tobytes() == run["q.turn"].tobytes()


def test_names_with_slashes_come_back(tmp_path):
    run = Trajectory(np.array([0.0, 1.0]), {"q.arm/elbow": np.array([1.0, 2.0])}, units={"q.arm/elbow": "rad"})
    run.save(tmp_path / "run.h5")
    assert Trajectory.load(tmp_path / "run.h5")["q.arm/elbow"].tolist() == [1.0, 2.0]


def test_csv_has_every_digit(run, tmp_path):
    run.save(tmp_path / "run.csv")
    table = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, 0], run.time)
    np.testing.assert_array_equal(table[:, 1], run["q.turn"])


def test_wrong_files(run, tmp_path):
    with pytest.raises(InputError, match=r"allowed endings: .h5, .hdf5, .csv"):
        run.save(tmp_path / "run.mat")
    with pytest.raises(InputError, match="cannot write"):
        run.save(tmp_path / "no" / "run.h5")
    with pytest.raises(InputError, match="there is no file"):
        Trajectory.load(tmp_path / "none.h5")
    (tmp_path / "bad.h5").write_bytes(b"nothing")
    with pytest.raises(InputError, match="no run of stiction"):
        Trajectory.load(tmp_path / "bad.h5")


def test_batches_are_kept(tmp_path):
    given = {"friction.axle.level": [0.1, 0.2], "v.axle": [3.0, 4.0]}
    run = simulate(on_axle(0.02, Coulomb(level=0.5), 1.0), duration=0.1, step=1e-2, parameters=given)
    run.save(tmp_path / "batch.h5")
    again = Trajectory.load(tmp_path / "batch.h5")
    for name, x in given.items():
        np.testing.assert_array_equal(again.parameters[name], x)
    np.testing.assert_array_equal(again["q.axle"], run["q.axle"])
    np.testing.assert_array_equal(again.valid_until, run.valid_until)
    assert again.parameters["friction.axle.level"].tolist() == [0.1, 0.2]
    with pytest.raises(InputError, match="save it as"):
        run.save(tmp_path / "batch.csv")


@pytest.mark.parametrize("name", ["run.h5", "run.csv"])
def test_what_was_there_stays_until_the_new_file_is_whole(run, tmp_path, monkeypatch, name):
    """A disk that is full while a run is written: the old file is as it was, and no part of the new one is left."""
    path = tmp_path / name
    run.save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match="No space left on device; what was there before is as it was"):
        run.save(path)
    assert path.read_bytes() == before and [x.name for x in tmp_path.iterdir()] == [name]


def test_links_and_modes_stay(run, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "run.csv").write_text("old")
    (tmp_path / "data" / "run.csv").chmod(0o640)
    (tmp_path / "link.csv").symlink_to(tmp_path / "data" / "run.csv")
    run.save(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "data" / "run.csv").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "data" / "run.csv").read_text().startswith("time [s]")


def test_every_byte_that_changes_is_noticed(run, tmp_path):
    path, rng = tmp_path / "run.h5", np.random.default_rng(1)
    run.save(path)
    whole = path.read_bytes()
    for place in [*rng.integers(len(whole), size=200), *range(0, 600, 29)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged))
        with pytest.raises(InputError):
            Trajectory.load(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not as it was written"):
        Trajectory.load(path)


def test_files_that_claim_more_than_they_hold_are_refused(run, tmp_path):
    """Numbers elsewhere, links to elsewhere, sizes that are not there: with a seal that fits."""
    import h5py

    from stiction.files.hdf5 import SEAL, _sealed

    def claims(make):
        path = tmp_path / "run.h5"
        run.save(path)
        body = path.read_bytes()[SEAL:]
        path.write_bytes(bytes(SEAL) + body)
        with h5py.File(path, "r+") as file:
            del file["time"]
            make(file)
        _sealed(path)
        return path

    for make, words in (
        (lambda f: f.create_dataset("time", (2**36,), "f8"), "claims"),
        (lambda f: f.create_dataset("time", (10,), "f8", external=[("x.bin", 0, 80)]), "lies elsewhere"),
        (lambda f: f.__setitem__("time", h5py.ExternalLink("other.h5", "/time")), "lies elsewhere"),
    ):
        with pytest.raises(InputError, match=words):
            Trajectory.load(claims(make))


def test_where_nothing_can_be_written_is_known_before(tmp_path):
    from stiction.files.hdf5 import check_target

    (tmp_path / "folder.h5").mkdir()
    for name, words in (("folder.h5", "is a folder"), ("none/run.h5", "there is no folder"), ("run.txt", "endings")):
        with pytest.raises(InputError, match=words):
            check_target(tmp_path / name)
