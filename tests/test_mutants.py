"""The list of `./run mutants` still fits the sources, and covers every room."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
tool = importlib.util.module_from_spec(spec)
sys.modules["mutants"] = tool  # its dataclass asks for it
spec.loader.exec_module(tool)
LISTED = tool.mutants()
NO_ROOMS = ("__init__", "__main__", "__pycache__")


def test_every_mutant_still_applies():
    assert {mutant.title: why for mutant in LISTED if (why := mutant.complaint(ROOT))} == {}
    assert len({mutant.title for mutant in LISTED}) == len(LISTED) >= 120


def test_every_room_has_mutants():
    rooms = {path.stem for path in (ROOT / "src" / "stiction").iterdir() if path.suffix in ("", ".py")}
    assert {mutant.room for mutant in LISTED} == rooms - set(NO_ROOMS)


RIGHT = "def sign(x):\n    return -1 if x < 0 else 1\n"


@pytest.mark.parametrize(
    "old, new, equivalent, found",
    [
        ("else 1", "else -1", "", "killed"),
        ("else 1", "else 3", "", "killed"),
        ("x < 0", "x <= 0", "", "survived"),
        ("x < 0", "x <= 0", "of 0 nothing is promised", "explained"),
        ("else 2", "else 1", "", "broken"),
        ("def sign", "def sing", "", "broken"),
    ],
    ids=["seen", "hangs", "not seen", "explained", "gone", "no tests"],
)
def test_the_fate_of_a_mutant(tmp_path, monkeypatch, capsys, old, new, equivalent, found):
    """As if the tests saw the sign of 1, hung where it is 3, and were not found where there is no `sign`."""
    mutant = tool.Mutant("sign.py", "another sign", old, new, ("test_sign.py",), equivalent)
    mutant.path(tmp_path).parent.mkdir(parents=True)
    mutant.path(tmp_path).write_text(RIGHT)
    (tmp_path / "test_sign.py").touch()

    def tested(clone, tests, longest):
        text = mutant.path(clone).read_text()
        seen = {"else 3": tool.LATE, "else -1": 1, "sing": tool.NONE_RAN[0]}
        return next((status for words, status in seen.items() if words in text), 0), ""

    monkeypatch.setattr(tool, "tested", tested)
    left = tool.told(tool.hunted([mutant], [tmp_path]))
    assert found in capsys.readouterr().out.splitlines()[0] and left == (found in ("survived", "broken"))
    assert mutant.path(tmp_path).read_text() == RIGHT, "it is right again"
