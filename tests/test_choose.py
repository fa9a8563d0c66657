"""The page on friction laws says what is measured."""

from pathlib import Path

import pytest
from benchmarks import choose

PAGE = Path(__file__).parent.parent / "docs" / "choose.md"
USUAL = [choice for choice in choose.CHOICES if choice.method in ("moreau", "rk4")]


def said(name):
    """The rows of a table of the page."""
    begin, end = choose.MARKS[name]
    text = PAGE.read_text(encoding="utf-8").split(begin)[1].split(end)[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    header, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, cells, strict=True)) for cells in rows]


def at_one_millisecond(cell):
    """The middle number of a cell."""
    return cell.split(" / ")[1] if " / " in cell else cell


def test_the_page_has_all_choices():
    assert [(row["law"], row["method"].strip("`")) for row in said("laws")] == choose.CHOICES
    assert [row["method"].strip("`") for row in said("arm")] == list(choose.METHODS)


@pytest.mark.filterwarnings("ignore::stiction.StictionWarning")
@pytest.mark.parametrize("choice", USUAL, ids="-".join)
def test_the_table_is_what_the_script_measures(choice):
    """At 1 ms, by the default method and by Runge-Kutta; all cells but the cost, which depends on the machine."""
    page = {(row["law"], row["method"]): row for row in said("laws")}[choice.law, f"`{choice.method}`"]
    for title, cell in choose.row(choice, (1e-3,)).items():
        assert at_one_millisecond(page[title]) == cell, title


@pytest.mark.parametrize("method", ["moreau", "gears_implicit"])
def test_the_arm_is_where_the_page_says(method):
    page = {row["method"]: row for row in said("arm")}[f"`{method}`"]
    assert choose.arm_row(method, (1e-3,))["1 ms"] == page["1 ms"]
