"""Run scenes of every kind with checked kernels: no index may be outside an array or a table.

    ./run guard [--quick] [--only PATTERN]

Scenes of the tests (every law under every method, contacts, loops, drives, the scene files of `examples`) run in one
lane and in eight; then the scripts of `examples`, the papers' cases in their quick version, and trials of `./run soak`.
It prints each and exits with 1 if one of them uses an index outside, with the place in the source. `--quick` takes one
scene of every kind alone.
"""

import argparse
import contextlib
import fnmatch
import io
import os
import random
import runpy
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

os.environ["STICTION_GUARD"] = "1"  # before the package is imported
os.environ.setdefault("STICTION_OPTIMIZATION", "0")
os.environ.setdefault("MPLBACKEND", "Agg")
ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))

from tests.simulation.test_gpu import CASES, FEW  # noqa: E402
from trials import scenes  # noqa: E402

from stiction.errors import StictionError  # noqa: E402
from stiction.reproduce import CASES as PAPERS  # noqa: E402
from stiction.trace.guard import GuardError  # noqa: E402
from stiction.trace.program import Program  # noqa: E402

LANES = (1, 8)
STEPS = 300
TRIALS = {"arms": scenes.arms, "drives": scenes.drives, "contacts": scenes.contacts, "Simulator": scenes.simulator}
EACH = 20  # trials of a kind

Run = Callable[[], object]


def in_lanes(lanes: int, run: Run) -> None:
    """Run with kernels of so many lanes."""
    kernel = Program.kernel
    with patch.object(Program, "kernel", lambda self, _=0, rows=1: kernel(self, lanes, rows)):
        run()


def scene_runs(names: list[str]) -> Iterator[tuple[str, Run]]:
    """Scenes of the tests, in one lane and in eight."""
    for name in names:
        for lanes in LANES:
            yield f"{name}, {lanes} lanes", lambda name=name, lanes=lanes: in_lanes(lanes, lambda: step(name))


def step(name: str) -> None:
    """Some steps of a scene, eight runs at once."""
    CASES[name]()("cpu").step(steps=STEPS)


def other_runs() -> Iterator[tuple[str, Run]]:
    """Scripts, papers and trials."""
    for script in sorted((ROOT / "examples").glob("*.py")):
        yield f"examples/{script.name}", lambda script=script: runpy.run_path(str(script), run_name="__main__")
    for name, case in PAPERS.items():
        yield f"paper {name}", lambda case=case: case.run(True, lambda part: None)
    for name, trial in TRIALS.items():
        for seed in range(EACH):
            yield f"trial {name} {seed}", lambda trial=trial, seed=seed: trial(random.Random(seed), Path.cwd())


def verdict(run: Run) -> str:
    """The index outside that a run used, in words; empty where it used none. What is refused is no fault here."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            run()
    except GuardError as error:
        return str(error)
    except StictionError:
        return ""
    return ""


def main() -> None:
    """Read the options, run everything, and exit with 1 if an index was outside."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="one scene of every kind")
    options.add_argument("--only", default="*", metavar="PATTERN", help="of the names that are printed")
    given = options.parse_args()
    runs = [*scene_runs(FEW if given.quick else list(CASES)), *([] if given.quick else other_runs())]
    faults, began = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, run in runs:
            if fnmatch.fnmatch(name, f"*{given.only}*"):
                start = time.monotonic()
                fault = verdict(run)
                faults += [fault] if fault else []
                print(f"{time.monotonic() - start:6.1f} s  {name}{': ' if fault else ''}{fault}", flush=True)
    print(f"{len(faults)} used an index outside; {time.monotonic() - began:.0f} s in all")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
