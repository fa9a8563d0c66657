"""The command line, as a user types it."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import stiction
from stiction import Trajectory

COMMAND = Path(sys.executable).parent / "stiction"


def run(*words, cwd=None):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, cwd=cwd)


def test_help_lists_the_commands():
    result = run("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_version():
    import stiction

    assert run("--version").stdout.strip() == stiction.__version__


def test_demo_prints_a_table_and_draws(tmp_path):
    result = run("demo", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for word in ("RX90B", "LuGre", "reversal", "currents"):
        assert word in result.stdout
    picture = (tmp_path / "stiction-demo.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24])[0] > 800


def test_errors_are_one_line_without_traceback(tmp_path):
    result = run("demo", "--out", str(tmp_path / "nowhere" / "x.png"))
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and "Traceback" not in result.stderr
    assert "LuGre" not in result.stdout, "refused before any time was spent"
    assert "Traceback" in run("demo", "--debug", "--out", str(tmp_path / "nowhere" / "x.png")).stderr


def test_a_folder_is_no_figure(tmp_path):
    result = run("demo", "--out", str(tmp_path))
    assert result.returncode == 1 and "it is a folder" in result.stderr


def test_unknown_commands_are_refused():
    result = run("dmeo")
    assert result.returncode != 0
    assert "dmeo" in result.stdout + result.stderr


SCENE = Path(__file__).parent.parent / "examples" / "two_link.toml"


def test_run_a_scene(tmp_path):
    result = run("run", str(SCENE), "--out", "run.csv", "--plot", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "moreau" in result.stdout and "completed" in result.stdout
    header, first, *_ = (tmp_path / "run.csv").read_text().splitlines()
    assert header.startswith("time [s],q.shoulder [rad],q.elbow [rad]") and first.startswith("0,0,0")
    assert (tmp_path / "run.png").stat().st_size > 10_000


def test_save_and_plot_a_run(tmp_path):
    for name in ("a.h5", "b.hdf5"):
        assert run("run", str(SCENE), "--out", name, cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.hdf5").read_bytes(), "equal runs, equal bytes"
    result = run("plot", "a.h5", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "a.png").stat().st_size > 10_000
    (tmp_path / "c.h5").write_text("no run")
    assert "no run of stiction" in run("plot", "c.h5", cwd=tmp_path).stderr
    assert "allowed endings" in run("run", str(SCENE), "--out", "x.mat", cwd=tmp_path).stderr


def test_set_a_parameter_and_a_setting(tmp_path):
    result = run(
        "run", str(SCENE), "--set", "friction.*.level=0.6", "--set", "duration=5", "--out", "run.h5", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert "friction.*.level = 0.6" in result.stdout and "simulated  5 s in" in result.stdout
    assert result.stdout.count("stuck") == 2, "0.52 N·m are below break-away"
    kept = Trajectory.load(tmp_path / "run.h5")
    assert (
        kept.parameters == {"friction.shoulder.level": 0.6, "friction.elbow.level": 0.6} and kept["q.elbow"].ndim == 1
    )


def test_a_sweep_is_a_table_a_batch_and_a_figure(tmp_path):
    words = ("--set", "friction.shoulder.level=0.2,0.6", "--set", "friction.elbow.level=0.6", "--set", "duration=5")
    result = run("run", str(SCENE), *words, "--out", "runs.h5", "--plot", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    heading, slides, holds = result.stdout.partition("\n\n")[2].splitlines()[:3]
    assert heading.split() == "friction.shoulder.level q.shoulder [rad] at the end".split()
    assert "the same in all runs: q.elbow" in result.stdout
    kept = Trajectory.load(tmp_path / "runs.h5")
    assert kept["q.shoulder"].shape == (501, 2) and "friction.elbow.level = 0.6" in result.stdout
    assert slides.split()[:2] == ["0.2", f"{kept['q.shoulder'][-1, 0]:.6g}"]
    assert "shoulder sliding; elbow stuck" in slides and "all stuck" in holds
    assert (tmp_path / "runs.png").stat().st_size > 10_000
    result = run("plot", "runs.h5", "--signals", "v.*", "--signals", "margin.", "--out", "v.svg", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "v.svg").read_text().count('id="axes_') == 4, "two signals of two joints"


def test_what_cannot_be_set_drawn_or_saved_is_refused_in_one_line(tmp_path):
    sweep = ("--set", "q.elbow=0,1")
    for words, message in (
        (("run", str(SCENE), "--set", "foo"), "error: --set foo: write NAME=VALUE"),
        (("run", str(SCENE), "--set", "friction.elbow.level=-1"), "friction.elbow.level = -1"),
        (("run", str(SCENE), *sweep, "--out", str(tmp_path / "run.csv")), "do not fit 'run.csv'; save them as .h5"),
        (("run", str(SCENE), "--figure", str(tmp_path)), "it is a folder"),
    ):
        result = run(*words)
        assert "simulated" not in result.stdout, "refused before any time was spent"
        assert result.returncode == 1 and message in result.stderr and len(result.stderr.splitlines()) == 1, words
    assert run("run", str(SCENE), *sweep, "--set", "duration=0.01", "--out", "x.h5", cwd=tmp_path).returncode == 0
    result = run("plot", "x.h5", "--signals", "q.elbw", cwd=tmp_path)
    assert result.returncode == 1 and "unknown signal 'q.elbw'; this run has: q.elbow" in result.stderr


def test_a_bad_scene_is_refused_in_one_line(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text(SCENE.read_text().replace('law = "Coulomb"', 'law = "Colomb"', 1))
    result = run("run", str(bad))
    assert result.returncode == 1
    assert "friction.shoulder.law: unknown law 'Colomb'" in result.stderr and "Traceback" not in result.stderr
    assert run("run", str(tmp_path / "none.toml")).returncode == 1
    assert run("run", str(SCENE), "--out", str(tmp_path / "no" / "x.csv")).returncode == 1


def test_schema_is_json():
    import json

    assert json.loads(run("schema").stdout)["title"] == "A scene of Stiction"


def test_a_run_that_diverges_says_when_and_keeps_what_it_had(tmp_path):
    text = (
        SCENE.read_text()
        .replace('law = "Coulomb"', 'law = "Dahl"\nstiffness = 1e9')
        .replace('method = "moreau"', 'method = "euler"')
    )
    (tmp_path / "scene.toml").write_text(text)
    result = run("run", "scene.toml", "--out", "run.h5", cwd=tmp_path)
    assert result.returncode == 1 and "left the numbers at" in result.stderr and "smaller step" in result.stderr
    assert (tmp_path / "run.h5").exists()


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "stiction", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() == stiction.__version__


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_terminals_that_lack_letters(encoding):
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([COMMAND, "reproduce"], capture_output=True, env=environment)
    assert done.returncode == 0 and b"network-1" in done.stdout and not done.stderr
    done = subprocess.run([COMMAND, "run", "Stäubli.toml"], capture_output=True, env=environment)
    assert done.returncode == 1 and done.stderr.startswith(b"error: there is no file 'St")


def test_nobody_reads_on():
    """As `stiction schema | head -1`."""
    worker = subprocess.Popen([COMMAND, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    worker.stdout.readline()
    worker.stdout.close()
    assert worker.wait(60) == 141 and worker.stderr.read() == b""
