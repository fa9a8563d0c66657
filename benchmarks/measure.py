"""Timing, targets and tables for all benchmarks. Times are the best of several rounds, peers measured in between."""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["STICTION_CACHE"] = (
    ""  # compile times are those of compiling; a benchmark of the cache names a folder itself
)
sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests' models of the peers


def arguments(description: str) -> argparse.Namespace:
    """The options that every benchmark takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, under a minute")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    return parser.parse_args()


def per_item(functions: dict[str, tuple[Callable[[], Any], int]], seconds: float, rounds: int = 5) -> dict[str, float]:
    """Best time per item [s] of each function, the functions taken in turn so that all see the same noise.

    Args:
        functions: name to (function, how many items one call treats).
        seconds: of measuring per function, about.
        rounds: into which that time is cut.
    """
    repeats = {}
    for name, (function, _) in functions.items():
        function()
        began = time.perf_counter()
        function()
        repeats[name] = max(1, int(seconds / rounds / max(time.perf_counter() - began, 1e-7)))
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

    def row(self, table: str, **cells: Any) -> None:
        """Add a row to a table."""
        self.tables.setdefault(table, []).append(cells)
        if not self.as_json:
            print(f"  measured: {table}, {next(iter(cells.values()))}", file=sys.stderr, flush=True)

    def target(self, what: str, value: float, bound: float, at_least: bool = True) -> None:
        """Note a target, and whether it is reached."""
        self.targets.append(
            {
                "what": what,
                "value": value,
                "bound": bound,
                "holds": bool(value >= bound if at_least else value <= bound),
                "at_least": at_least,
            }
        )

    def finish(self) -> None:
        """Print everything; exit with status 1 if a target was missed."""
        missed = [t for t in self.targets if not t["holds"]]
        if self.as_json:
            machine = {
                "processor": platform.processor() or platform.machine(),
                "cores": os.cpu_count(),
                "python": platform.python_version(),
            }
            print(
                json.dumps(
                    {"title": self.title, "machine": machine, "tables": self.tables, "targets": self.targets}, indent=1
                )
            )
        else:
            print(self.title)
            for name, rows in self.tables.items():
                print(f"\n{name}")
                _print_table(rows)
            print("\ntargets")
            for t in self.targets:
                sign = "≥" if t["at_least"] else "≤"
                print(
                    f"  {'reached' if t['holds'] else 'MISSED '}  {t['what']}: {t['value']:.3g} ({sign} {t['bound']:g})"
                )
        sys.exit(1 if missed else 0)


def _print_table(rows: list[dict[str, Any]]) -> None:
    heads = list(rows[0])
    cells = [[_cell(row.get(head)) for head in heads] for row in rows]
    widths = [max(len(head), *(len(line[k]) for line in cells)) for k, head in enumerate(heads)]
    print("  " + "  ".join(head.rjust(w) for head, w in zip(heads, widths, strict=True)))
    for line in cells:
        print("  " + "  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)))


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return str(value)
