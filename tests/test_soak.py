"""Trials of every kind that `./run soak` makes, in four parts; it reports what breaks."""

import sys
from itertools import chain, repeat
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))
import soak

PARTS = {  # how many trials of each kind
    "inputs": {"scene files": 300, "drive files": 100, "URDF files": 800, "formulas": 2000, "calls": 800}
    | {"damaged runs": 600},
    "arms and drives": {"arms": 16, "drives": 20},
    "contacts": {"contacts": 6, "Simulator": 8},
    "holds and kills": {"long holds": 25, "kills while saving": 2, "kills while compiling": 3},
}


@pytest.mark.parametrize("part", PARTS)
def test_nothing_breaks(tmp_path, capsys, part):
    trials = chain.from_iterable(repeat(name, count) for name, count in PARTS[part].items())
    assert soak.soak(trials, 20261118, tmp_path / "broken") == 0, capsys.readouterr().out
    table = capsys.readouterr().out
    assert all(name in table for name in PARTS[part])


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_nothing_breaks_in_half_a_minute(tmp_path, capsys, part):
    assert soak.soak(soak.for_minutes(0.5, PARTS[part]), 20261118, tmp_path / "broken") == 0, capsys.readouterr().out


def test_the_parts_are_all_that_there_is():
    assert sorted(name for names in PARTS.values() for name in names) == sorted(soak.TRIALS)


@pytest.mark.parametrize("how", [lambda *_: 1 / 0, lambda *_: soak.late()], ids=["raises", "takes long"])
def test_what_breaks_is_told_and_saved(tmp_path, monkeypatch, capsys, how):
    monkeypatch.setattr(soak, "TRIALS", {"calls": (how, 1.0)})
    assert soak.soak(["calls"], 5, tmp_path / "broken") == 1
    assert "calls_5.txt" in capsys.readouterr().out
    assert "seed 5" in (tmp_path / "broken" / "calls_5.txt").read_text()
