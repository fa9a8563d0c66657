"""The page on friction laws says what is measured."""

from pathlib import Path

import pytest
from benchmarks import choose

PAGE = Path(__file__).parent.parent / "docs" / "choose.md"


def said():
    """The rows of the page."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    header, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, cells, strict=True)) for cells in rows]


def test_the_page_has_all_choices():
    assert [(row["law"], row["method"]) for row in said()] == [(c.name, c.method) for c in choose.CHOICES]


@pytest.mark.parametrize("k", range(len(choose.CHOICES)), ids=lambda k: "-".join(choose.CHOICES[k][::2]))
def test_the_table_is_what_the_script_measures(k):
    """All cells but the cost, which depends on the machine, and the largest steps, which take long."""
    assert choose.row(choose.CHOICES[k]).items() <= said()[k].items()
