"""Two minutes of the trial that `./run soak` is, in four parts; it finds what it is shown."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))
import soak

PARTS = {
    "inputs": ["scene files", "drive files", "URDF files", "formulas", "calls", "damaged runs"],
    "arms and drives": ["arms", "drives"],
    "contacts": ["contacts", "Simulator"],
    "holds and kills": ["long holds", "kills while saving", "kills while compiling"],
}


@pytest.mark.parametrize("part", PARTS)
def test_nothing_breaks_in_half_a_minute(tmp_path, capsys, part):
    assert soak.soak(0.5, 20261118, tmp_path / "broken", PARTS[part]) == 0, capsys.readouterr().out
    table = capsys.readouterr().out
    assert all(name in table for name in PARTS[part])


def test_the_parts_are_all_that_there_is():
    assert sorted(name for names in PARTS.values() for name in names) == sorted(soak.TRIALS)


@pytest.mark.parametrize("how", [lambda *_: 1 / 0, lambda *_: soak.late()], ids=["raises", "takes long"])
def test_what_breaks_is_told_and_saved(tmp_path, monkeypatch, capsys, how):
    monkeypatch.setattr(soak, "TRIALS", {"calls": (how, 1.0)})
    assert soak.soak(0.001, 5, tmp_path / "broken") >= 1
    assert "calls_5.txt" in capsys.readouterr().out
    assert "seed 5" in (tmp_path / "broken" / "calls_5.txt").read_text()
