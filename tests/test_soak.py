"""Half a minute of the trial that `./run soak` is; it finds what it is shown."""

import importlib.util
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location("soak", Path(__file__).parent.parent / "tools" / "soak.py")
soak = importlib.util.module_from_spec(spec)
spec.loader.exec_module(soak)


def test_nothing_breaks_in_half_a_minute(tmp_path, capsys):
    assert soak.soak(0.5, 20261118, tmp_path / "broken") == 0, capsys.readouterr().out
    table = capsys.readouterr().out
    assert all(name in table for name in soak.TRIALS)


@pytest.mark.parametrize("how", [lambda *_: 1 / 0, lambda *_: soak.late()], ids=["raises", "takes long"])
def test_what_breaks_is_told_and_saved(tmp_path, monkeypatch, capsys, how):
    monkeypatch.setattr(soak, "TRIALS", {"calls": (how, 1.0)})
    assert soak.soak(0.001, 5, tmp_path / "broken") >= 1
    assert "calls_5.txt" in capsys.readouterr().out
    assert "seed 5" in (tmp_path / "broken" / "calls_5.txt").read_text()
