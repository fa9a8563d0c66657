"""Values set on the command line: what they become, what is refused, and a table that is that of single runs."""

import numpy as np
import pytest

import stiction
from stiction import InputError, read_scene, run_file
from stiction.sweep import MOST, positions_of, sweep_of, table
from tests.scenes import EXAMPLES, GOOD, write

TWO_LINK = EXAMPLES / "two_link.toml"


@pytest.fixture
def file(tmp_path):
    return read_scene(write(tmp_path, GOOD))


def test_several_names_give_the_product(file):
    sweep = sweep_of(file, ["q.elbow=0.1,0.2", "friction.both.level=0.3", "gravity.z=0", "gravity.z=-9.81,-1.6"])
    np.testing.assert_array_equal(sweep.parameters["q.elbow"], [0.1, 0.1, 0.1, 0.2, 0.2, 0.2])
    np.testing.assert_array_equal(sweep.parameters["gravity.z"], [0, -9.81, -1.6] * 2)
    assert sweep.parameters["friction.both.level"] == 0.3 and list(sweep.varied) == ["q.elbow", "gravity.z"]


def test_patterns_set_all_that_fit_together(file):
    sweep = sweep_of(file, ["friction.*.level=0.1,0.2"])
    assert list(sweep.varied) == ["friction.*.level"]
    assert {name: list(x) for name, x in sweep.parameters.items()} == {
        "friction.shoulder.level": [0.1, 0.2],
        "friction.both.level": [0.1, 0.2],
    }


def test_settings(file):
    sweep = sweep_of(file, ["step=5e-4", "method=rk4", "energy=true", "duration = 2"])
    assert sweep.file.settings == file.settings | {
        "step": 5e-4,
        "method": stiction.RK4(),
        "energy": True,
        "duration": 2.0,
    }
    assert sweep.parameters == {} and sweep.varied == {}


@pytest.mark.parametrize(
    "words, message",
    [
        (["foo"], r"--set foo: write NAME=VALUE, such as"),
        (["q.elbow="], r"--set q.elbow=: write NAME=VALUE"),
        (["q.elbow=abc"], r"--set q.elbow=abc: 'abc' is no finite number"),
        (["q.elbow=0.1,,0.2"], r"'' is no finite number"),
        (["q.elbow=inf"], r"'inf' is no finite number"),
        (["friction.shoulder.levle=1"], r"unknown parameter 'friction.shoulder.levle'; .* friction.shoulder.level"),
        (["friction.*.levle=1"], r"unknown parameter 'friction.\*.levle'"),
        (["signals=q."], r"unknown parameter 'signals'"),
        (["step=1e-3,1e-4"], r"--set step=1e-3,1e-4: a setting has one value for all runs"),
        (["step=-1"], r"--set step=-1: step is -1.0; allowed: a time in seconds, above 0"),
        (["method=rk5"], r"--set method=rk5: method is 'rk5'; allowed: 'moreau'"),
        (["energy=1"], r"--set energy=1: energy is 1.0; allowed: true, false"),
        (["q.*=0.1", "q.elbow=0.2"], r"sets 'q.elbow' twice, by 'q.\*' and by 'q.elbow'"),
        (
            ["q.elbow=" + ",".join("1" * 40), "q.shoulder=" + ",".join("1" * 26)],
            rf"40 · 26 runs; allowed: at most {MOST}",
        ),
    ],
)
def test_what_cannot_be_set_is_refused_in_a_line(file, words, message):
    with pytest.raises(InputError, match=message) as caught:
        sweep_of(file, words)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


def test_a_sweep_is_its_single_runs_to_the_last_bit():
    file = read_scene(TWO_LINK)
    sweep = sweep_of(file, ["friction.shoulder.level=0.2,0.45,0.6", "q.elbow=0,0.3", "duration=3"])
    runs = run_file(sweep.file, parameters=sweep.parameters)
    heading, *rows = table(sweep, runs)
    assert heading == ("friction.shoulder.level", "q.elbow", "q.shoulder [rad]", "q.elbow [rad]", "at the end")
    assert len(rows) == 6
    for k, row in enumerate(rows):
        level, elbow = (x[k] for x in sweep.varied.values())
        single = sweep_of(file, [f"friction.shoulder.level={level}", f"q.elbow={elbow}", "duration=3"])
        one = run_file(single.file, parameters=single.parameters)
        for name, x in runs.signals.items():
            assert x[:, k].tobytes() == one[name].tobytes(), name
        assert row[:4] == (f"{level:g}", f"{elbow:g}", f"{one['q.shoulder'][-1]:.6g}", f"{one['q.elbow'][-1]:.6g}")
        words = {site: ("stuck", "pre-sliding", "sliding")[int(one[f"mode.{site}"][-1])] for site in file.scene.joints}
        if len(set(words.values())) == 1:
            assert row[4] == f"all {words['elbow']}"
        else:
            assert sorted(row[4].split("; ")) == sorted(f"{site} {mode}" for site, mode in words.items())
    assert len({row[4] for row in rows}) > 1


def test_runs_that_diverged_say_when(tmp_path):
    text = (
        TWO_LINK.read_text().replace('law = "Coulomb"', 'law = "Dahl"\nstiffness = 10.0').replace('"moreau"', '"euler"')
    )
    file = read_scene(write(tmp_path, text))
    sweep = sweep_of(file, ["friction.*.stiffness=10,1e9"])
    runs = run_file(sweep.file, parameters=sweep.parameters)
    good, bad = table(sweep, runs)[1:]
    assert runs.diverged.tolist() == [False, True]
    assert "diverged" not in good[-1] and bad == ("1e+09", "-", "-", f"diverged at {runs.valid_until[1]:g} s")


def test_bodies_have_rows_where_there_are_no_joints():
    sweep = sweep_of(read_scene(EXAMPLES / "ball.toml"), ["ground.coefficient=0.1,0.2", "duration=0.1"])
    heading, *rows = table(sweep, run_file(sweep.file, parameters=sweep.parameters))
    assert heading[1] == "ball.position.x [m]" and heading[-1] == "at the end"
    assert float(rows[0][1]) > float(rows[1][1]), "more friction, less way"


def test_ends_that_do_not_differ_are_left_out():
    """Only the elbow is pushed; the shoulder holds in every run."""
    words = ["friction.shoulder.level=20", "friction.elbow.level=0.2,0.3", "duration=2"]
    sweep = sweep_of(read_scene(TWO_LINK), words)
    runs = run_file(sweep.file, parameters=sweep.parameters)
    assert positions_of(runs) == (["q.elbow"], ["q.shoulder"])
    assert table(sweep, runs)[0] == ("friction.elbow.level", "q.elbow [rad]", "at the end")
