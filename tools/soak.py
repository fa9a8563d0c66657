"""A trial that does not tire: mutated files, formulas and calls, damaged runs, kills, random scenes against invariants.

    ./run soak --minutes 2 [--seed 1] [--out FOLDER] [--only drives contacts]

It stops by itself, prints what was tried and what broke, saves what broke it, and exits with 1 if anything did. An
input may run or be refused by a `StictionError`; every other exception, and whatever takes longer than 30 s, is broken.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trials import inputs, processes, scenes
from trials.trial import INPUT, BrokenError, Trial

from stiction.errors import StictionError

LONGEST = 30  # s of one trial


@dataclass
class Count:
    """What became of the trials of a kind."""

    ran: int = 0
    refused: int = 0
    broken: list[str] = field(default_factory=list)


TRIALS: dict[str, tuple[Trial, float]] = {  # with the share of the time
    "scene files": (inputs.scene_file, 0.12),
    "drive files": (inputs.drives_file, 0.06),
    "URDF files": (inputs.urdf, 0.06),
    "formulas": (inputs.formula, 0.06),
    "calls": (inputs.call, 0.06),
    "damaged runs": (inputs.damaged_run, 0.06),
    "arms": (scenes.arms, 0.12),
    "drives": (scenes.drives, 0.12),
    "contacts": (scenes.contacts, 0.12),
    "Simulator": (scenes.simulator, 0.1),
    "long holds": (scenes.hold, 0.06),
    "kills while saving": (processes.saving, 0.03),
    "kills while compiling": (processes.compiling, 0.03),
}


def one(name: str, seed: int, folder: Path, count: Count) -> None:
    """One trial, and what became of it."""
    dice = random.Random(seed)
    signal.alarm(LONGEST)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TRIALS[name][0](dice, folder)
        count.ran += 1
    except StictionError:
        count.refused += 1
    except KeyboardInterrupt:
        raise
    except BaseException:
        tried = folder / INPUT
        shown = tried.read_text(encoding="utf-8", errors="surrogateescape") if tried.exists() else ""
        count.broken.append(f"seed {seed}\n{shown}\n{traceback.format_exc()}")
    finally:
        signal.alarm(0)


def late(*_: Any) -> None:
    """End a trial that takes too long."""
    raise BrokenError(f"it took longer than {LONGEST} s")


def soak(trials: Iterable[str], seed: int, out: Path) -> int:
    """Run trials of these kinds one after another, the first with this seed; how many broke."""
    signal.signal(signal.SIGALRM, late)
    counts: dict[str, Count] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(trials, seed):
            one(name, number, Path(folder), counts.setdefault(name, Count()))
    return told(counts, out)


def for_minutes(minutes: float, kinds: Collection[str] = ()) -> Iterator[str]:
    """These kinds of trials, or all, in turn, each for its share of the time."""
    spent = dict.fromkeys(kinds or TRIALS, 0.0)
    end = time.monotonic() + 60 * minutes
    while (began := time.monotonic()) < end:
        name = min(spent, key=lambda x: spent[x] / TRIALS[x][1])
        yield name
        spent[name] += time.monotonic() - began
        if sys.stderr.isatty():
            print(f"\r{max(0, end - time.monotonic()):5.0f} s to go ", end="", file=sys.stderr)


def told(counts: dict[str, Count], out: Path) -> int:
    """Print the table, save what broke; how many did."""
    print(f"\n{'trial':20} {'tried':>8} {'ran':>8} {'refused':>8} {'broke':>6}")
    for name, count in counts.items():
        tried = count.ran + count.refused + len(count.broken)
        print(f"{name:20} {tried:8} {count.ran:8} {count.refused:8} {len(count.broken):6}")
        for text in count.broken:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{name.replace(' ', '_')}_{text.split()[1]}.txt"
            path.write_text(f"{name}\n{text}", encoding="utf-8", errors="surrogateescape")
            print(f"  {path}: {text.strip().splitlines()[-1][:120]}")
    return sum(len(count.broken) for count in counts.values())


def main() -> None:
    """Read the options, soak, and exit with 1 if something broke."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=2.0)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--out", type=Path, default=Path("soak-broken"))
    options.add_argument("--only", nargs="+", choices=TRIALS, default=(), metavar="KIND", help=", ".join(TRIALS))
    given = options.parse_args()
    print(f"seed {given.seed}; trial K of a kind is repeated by its own seed, in its file", file=sys.stderr)
    sys.exit(1 if soak(for_minutes(given.minutes, given.only), given.seed, given.out) else 0)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    main()
