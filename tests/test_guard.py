"""Checked kernels: scenes of every kind use no index outside an array or a table, and one that does is named."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stiction.trace import Array, Port, Program, loop

ROOT = Path(__file__).parent.parent


def guarded(*words):
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "STICTION_GUARD": "1", "PYTHONPATH": path}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True)


def test_no_scene_uses_an_index_outside():
    result = guarded(ROOT / "tools" / "guard.py", "--quick")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 used an index outside" in result.stdout


def shifted(x, shift):
    """Numbers that are read some places away from where they were written."""
    memory = Array(3, [x])

    def one(k, carry):
        memory[k] = k * x
        return [carry[0] + memory[k - shift]]

    return (loop(3, one, [0 * x])[0],)


PROGRAM = "Program('shifted', shifted, [Port('x'), Port('shift', (), '', 'uniform')], [Port('y')])"


@pytest.mark.parametrize("x", ["3.0", "[1.0, 2.0, 3.0]"], ids=["one run", "a batch"])
@pytest.mark.parametrize("shift, index", [(1.0, -1), (-2.0, 3)])
def test_an_index_outside_is_named_with_its_place(x, shift, index):
    code = f"from tests.test_guard import *; p = {PROGRAM}; p({x}, 0.0); print('inside'); p({x}, {shift})"
    result = guarded("-c", code)
    assert result.stdout == "inside\n"
    line = shifted.__code__.co_firstlineno + 6
    assert f"GuardError: test_guard.py:{line}: index {index}; allowed: 0 to 2" in result.stderr


def test_without_checks_the_nearest_place_is_taken():
    program = Program("shifted", shifted, [Port("x"), Port("shift", (), "", "uniform")], [Port("y")])
    assert np.array_equal(program([1.0, 2.0], 1.0)[0], [1.0, 2.0])  # 0 + 0 + 1 x
