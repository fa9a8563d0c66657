"""Processes that are killed while they write: what is there afterwards is whole."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import stiction
from stiction.trace import Port, Program, cache
from trials.trial import BrokenError, noted

SAVING = """
import stiction, sys
run = stiction.simulate(stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5]), duration=5.0, step=1e-3)
print("ready", flush=True)
while True:
    run.save(sys.argv[1])
"""
COMPILING = """
import itertools, sys
from stiction.trace import Port, Program, cache
print("ready", flush=True)
for k in itertools.count():
    Program("killed", lambda x: (x * (k + 2) + 1,), [Port("x")], [Port("y")])(1.0)
    cache.write(f"large{k % 3}", bytes(20_000_000), "kernel")
"""


def killed(code: str, given: Path, wait: float) -> None:
    """Start Python on a code, and kill it so long after it is ready [s]."""
    command = [sys.executable, "-W", "ignore", "-c", code, str(given)]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert worker.stdout
    worker.stdout.readline()
    time.sleep(wait)
    worker.kill()
    worker.wait()
    worker.stdout.close()


def saving(dice: random.Random, folder: Path) -> str:
    """A process that is killed while it saves: the file is whole."""
    path, wait = folder / dice.choice(["killed.h5", "killed.csv"]), dice.uniform(0.0, 0.3)
    text = noted(folder, f"{path.name} after {wait:.3f} s")
    killed(SAVING, path, wait)
    if path.exists() and path.suffix == ".h5":
        stiction.Trajectory.load(path)
    elif path.exists() and len(path.read_text().splitlines()) != 5002:
        raise BrokenError(f"{path.name}: {len(path.read_text().splitlines())} lines of 5002 after {wait:.3f} s")
    for left in folder.glob(".killed*"):
        left.unlink()
    return text


def compiling(dice: random.Random, folder: Path) -> str:
    """A process that is killed while it stores kernels: those that are there are whole, and programs run."""
    wait = dice.uniform(0.0, 0.3)
    text = noted(folder, f"a cache after {wait:.3f} s")
    before, place = os.environ.get("STICTION_CACHE"), folder / "kernels"
    os.environ["STICTION_CACHE"] = str(place)
    try:
        killed(COMPILING, place, wait)
        for path in place.glob("*.kernel"):
            if cache.read(path.stem, "kernel") is None:
                raise BrokenError(f"{path.name} is not whole after {wait:.3f} s")
        for k in range(3):
            (found,) = Program("killed", lambda x, k=k: (x * (k + 2) + 1,), [Port("x")], [Port("y")])(1.0)
            if not np.array_equal(found, k + 3.0):
                raise BrokenError(f"program {k} gives {found} after {wait:.3f} s")
    finally:
        os.environ.pop("STICTION_CACHE")
        if before is not None:
            os.environ["STICTION_CACHE"] = before
        for path in place.glob("*"):
            path.unlink()
    return text
