"""Timing, targets and tables for all benchmarks. Times are the best of several rounds, peers measured in between."""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

Name = TypeVar("Name", bound=Hashable)
Timed = tuple[Callable[[], Any], int]  # a function, and how many items one call treats


TABLES = {"json": "print the results as JSON"}  # the flag of benchmarks that make a report


def arguments(description: str, flags: Mapping[str, str] = TABLES) -> argparse.Namespace:
    """The option --quick and some flags, with their help; switches the cache of kernels off.

    Compile times are then those of compiling; a benchmark of the cache uses `cache_folder`.
    """
    os.environ["STICTION_CACHE"] = ""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    for name, words in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=words)
    return parser.parse_args()


@contextmanager
def cache_folder() -> Iterator[Path]:
    """An empty cache of kernels for a while, for this process and for those that it starts."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        os.environ["STICTION_CACHE"] = folder
        try:
            yield Path(folder)
        finally:
            os.environ["STICTION_CACHE"] = ""


def seconds_of(function: Callable[[], Any]) -> float:
    """Time of one call [s]."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def per_item(functions: Mapping[Name, Timed], seconds: float, rounds: int = 10) -> dict[Name, float]:
    """Best time per item [s] of each function, the functions taken in turn so that all see the same noise.

    Args:
        functions: by name.
        seconds: of measuring per function, about.
        rounds: into which that time is cut.
    """
    repeats = {}
    for name, (function, _) in functions.items():
        function()
        repeats[name] = max(1, int(seconds / rounds / max(seconds_of(function), 1e-7)))
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, (function, items) in functions.items():
            began = time.perf_counter()
            for _ in range(repeats[name]):
                function()
            best[name] = min(best[name], (time.perf_counter() - began) / repeats[name] / items)
    return best


class Report:
    """Rows to print, and targets that were reached or missed."""

    def __init__(self, title: str, as_json: bool) -> None:
        self.title, self.as_json = title, as_json
        self.tables: dict[str, list[dict[str, Any]]] = {}
        self.targets: list[dict[str, Any]] = []

    def row(self, table: str, cells: Mapping[str, Any]) -> None:
        """Add a row to a table."""
        self.tables.setdefault(table, []).append(dict(cells))
        if not self.as_json:
            names = ", ".join(x for x in cells.values() if isinstance(x, str))
            print(f"  measured: {names or table}", file=sys.stderr, flush=True)

    def target(self, what: str, value: float, bound: float, at_least: bool = True) -> None:
        """Note a target, and whether it is reached."""
        holds = bool(value >= bound if at_least else value <= bound)
        self.targets.append({"what": what, "value": value, "bound": bound, "holds": holds, "at_least": at_least})

    def finish(self) -> None:
        """Print everything; exit with status 1 if a target was missed."""
        if self.as_json:
            cores, python = os.cpu_count(), platform.python_version()
            machine = {"processor": platform.processor() or platform.machine(), "cores": cores, "python": python}
            everything = {"title": self.title, "machine": machine, "tables": self.tables, "targets": self.targets}
            print(json.dumps(everything, indent=1, ensure_ascii=False))
        else:
            self._print()
        sys.exit(0 if all(t["holds"] for t in self.targets) else 1)

    def _print(self) -> None:
        print(self.title)
        for name, rows in self.tables.items():
            print(f"\n{name}")
            _print_table(rows)
        print("\ntargets")
        for t in self.targets:
            sign = "≥" if t["at_least"] else "≤"
            print(f"  {'reached' if t['holds'] else 'MISSED '}  {t['what']}: {t['value']:.3g} ({sign} {t['bound']:g})")


def _print_table(rows: list[dict[str, Any]]) -> None:
    heads = list(rows[0])
    cells = [[_cell(row.get(head)) for head in heads] for row in rows]
    widths = [max(len(head), *(len(line[k]) for line in cells)) for k, head in enumerate(heads)]
    for line in [heads, ["-" * width for width in widths], *cells]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return str(value)
