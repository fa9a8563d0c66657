"""The examples in contact run, and do what they say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import stiction

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize("name, number", [("gripper", r"slipped (\S+) µm"), ("quadruped", r"moved it by (\S+) m")])
def test_examples(name, number, tmp_path):
    run = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert abs(float(re.search(number, run.stdout).group(1))) < 0.1
    assert (tmp_path / f"{name}.png").stat().st_size > 20_000


def test_a_slope_from_a_file():
    run = stiction.run_file(EXAMPLES / "slope.toml")
    assert abs(run["sticks.position.x"][-1] - run["sticks.position.x"][0]) < 1e-9
    assert abs(run["slides.position.z"][-1] + 0.55) < 1e-6  # flat on the floor
