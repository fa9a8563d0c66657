"""The page on friction laws says what is measured."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def choose():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import os

        kept = os.environ.get("STICTION_CACHE")
        module = importlib.import_module("choose")
        if kept is None:
            os.environ.pop("STICTION_CACHE", None)
        else:
            os.environ["STICTION_CACHE"] = kept
        yield module
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def test_the_table_is_what_the_script_measures(choose):
    """All cells but the cost, which depends on the machine, and the largest steps, which take long."""
    page = (ROOT / "docs" / "choose.md").read_text()
    written = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    header, rows = written[0], written[1:]
    assert len(rows) == len(choose.CHOICES)
    for cells, choice in zip(rows, choose.CHOICES, strict=True):
        said = dict(zip(header, cells, strict=True))
        choose.largest_step = lambda _: 1.0
        measured = choose.row(choice)
        for key in (
            "law",
            "method",
            "drift in 10 s",
            "break-away, slow load [N·m]",
            "fast load [N·m]",
            "gives under 0.4 N·m",
            "stays afterwards",
        ):
            assert said[key] == measured[key], (choice.name, choice.method, key)
