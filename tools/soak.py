"""A trial that does not tire: mutated files, formulas and calls, damaged runs, kills, random scenes against invariants.

    ./run soak --minutes 2 [--seed 1] [--out FOLDER]

It stops by itself, prints what was tried and what broke, saves what broke it, and exits with 1 if anything did. An
input may run or be refused by a `StictionError`; every other exception, and whatever takes longer than 30 s, is broken.
"""

import argparse
import os
import random
import signal
import string
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import stiction
from stiction.errors import StictionError
from stiction.scene import Formula

ROOT = Path(__file__).parent.parent
LONGEST = 30  # s of one trial
INPUT = "input.txt"  # in the folder of the trials: what is tried now
ODD = (0, -1, 1e-320, 1e308, -1e308, float("nan"), float("inf"), 10**400, True, None, "", "x", [], {}, b"a", 1j)
ODD_TEXT = ("nan", "inf", "-1", "1e400", "0", '""', "[]", "true", "9" * 400, "1e-320", '"\\u0000"', "{}", "2020-01-01")


@dataclass
class Count:
    """What became of the trials of a kind."""

    ran: int = 0
    refused: int = 0
    broken: list[str] = field(default_factory=list)


class BrokenError(Exception):
    """An invariant that does not hold."""


def noted(folder: Path, text: str) -> str:
    """What is tried, kept where it is found if it breaks something."""
    (folder / INPUT).write_text(text, encoding="utf-8", errors="surrogateescape")
    return text


# Files and texts.


def mutated(text: str, dice: random.Random) -> str:
    """A text with a few changes: characters, lines, numbers."""
    for _ in range(dice.randint(1, 4)):
        lines = text.splitlines() or [""]
        at = dice.randrange(len(lines))
        match dice.randrange(6):
            case 0:
                lines[at] = lines[at].replace(dice.choice("=[]\"'.,0123456789 "), dice.choice(string.printable), 1)
            case 1:
                del lines[at]
            case 2:
                lines.insert(at, dice.choice(lines))
            case 3:
                head, equals, _ = lines[at].partition("=")
                lines[at] = head + equals + dice.choice(ODD_TEXT) if equals else lines[at]
            case 4:
                other = dice.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 5:
                cut = dice.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut]
        text = "\n".join(lines)
    return text


def scene_file(dice: random.Random, folder: Path) -> str:
    """A scene file of the examples, mutated, read, and run for some steps."""
    source = dice.choice(sorted((ROOT / "examples").glob("*.toml")))
    text = noted(folder, mutated(source.read_text(encoding="utf-8"), dice))
    path = folder / "scene.toml"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    read = stiction.read_scene(path)
    if dice.random() < 0.1:
        short = {**read.settings, "duration": read.settings["step"] * 5, "record": None}
        stiction.simulate(read.scene, **short)
    return text


def urdf(dice: random.Random, folder: Path) -> str:
    """A URDF, mutated."""
    text = noted(folder, mutated((ROOT / "tests/robot/arm.urdf").read_text(encoding="utf-8"), dice))
    path = folder / "arm.urdf"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    stiction.Robot.from_urdf(path)
    return text


def formula(dice: random.Random, folder: Path) -> str:
    """Words of formulas, thrown together."""
    words = [
        "t",
        "1",
        "0",
        "-",
        "+",
        "*",
        "/",
        "^",
        "(",
        ")",
        "min(",
        "where(",
        ",",
        "<",
        "sin(",
        "1e308",
        "exp(",
        "and",
    ]
    text = noted(folder, "".join(dice.choice(words) for _ in range(dice.randint(1, 40))))
    Formula(text)(dice.choice([0.0, 1.0, -1e9]))
    return text


def damaged_run(dice: random.Random, folder: Path) -> str:
    """A saved run with some bytes that changed must be refused."""
    path = folder / "run.h5"
    if not path.exists():
        scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=0.1)})
        stiction.simulate(scene, duration=0.05, step=1e-3).save(path)
    whole = bytearray(path.read_bytes())
    place, bit = dice.randrange(len(whole)), dice.randrange(8)
    whole[place] ^= 1 << bit
    other = folder / "damaged.h5"
    other.write_bytes(bytes(whole))
    try:
        stiction.Trajectory.load(other)
    except StictionError:
        return f"byte {place}, bit {bit}"
    raise BrokenError(f"byte {place}, bit {bit} changed, and nobody noticed")


# Calls.


def call(dice: random.Random, folder: Path) -> str:
    """A public class or function with odd values."""
    odd = lambda: dice.choice(ODD)  # noqa: E731
    calls: dict[str, Callable[[], Any]] = {
        "Stribeck": lambda: stiction.Stribeck(level=odd(), static=odd(), velocity=odd()),
        "LuGre": lambda: stiction.LuGre(level=odd(), static=1.0, velocity=odd(), stiffness=odd(), damping=odd()),
        "DCMotor": lambda: stiction.DCMotor(resistance=odd(), constant=odd(), rotor_inertia=odd()),
        "Gear": lambda: stiction.Gear(ratio=odd(), efficiency=odd(), backlash=odd()),
        "PID": lambda: stiction.PID(clock=odd(), proportional=odd()),
        "Link": lambda: stiction.Link(name=odd(), mass=odd(), center_of_mass=odd(), inertia=odd()),
        "Box": lambda: stiction.Box(size=odd(), mass=odd()),
        "Pin": lambda: stiction.Pin(between=odd(), first_point=odd()),
        "pendulum": lambda: stiction.library.pendulum(odd(), length=odd()),
        "Scene": lambda: stiction.Scene(
            robot=stiction.library.pendulum(1), q=odd(), gravity=odd(), friction=odd() or {}
        ),
        "simulate": lambda: stiction.simulate(
            stiction.Scene(robot=stiction.library.pendulum(1)), duration=odd(), step=odd(), record=odd(), seed=odd()
        ),
        "parameters": lambda: stiction.simulate(
            stiction.Scene(robot=stiction.library.pendulum(1)),
            duration=0.01,
            step=1e-3,
            parameters={"q.joint1": dice.choice([odd(), [odd(), 1.0], np.array([0.1, 0.2])])},
        ),
        "mass_matrix": lambda: stiction.library.two_link().mass_matrix([odd(), 0.1]),
    }
    name = noted(folder, dice.choice(list(calls)))
    calls[name]()
    return name


# Scenes against what must hold.


def random_scene(dice: random.Random) -> tuple[stiction.Scene, str]:
    """An arm with friction, limits and gravity of any size."""
    n = dice.randint(1, 4)
    robot = dice.choice([stiction.library.pendulum, stiction.library.chain])(n)
    names = [joint.name for joint in robot.moving_joints]
    laws = {
        "Coulomb": lambda: stiction.Coulomb(level=dice.uniform(0.01, 3)),
        "Stribeck": lambda: stiction.Stribeck(level=dice.uniform(0.01, 1), static=dice.uniform(1, 3), velocity=0.05),
        "Viscous": lambda: stiction.Viscous(coefficient=dice.uniform(0.01, 1)),
        "LuGre": lambda: stiction.LuGre(level=0.3, static=0.5, velocity=0.05, stiffness=500.0, damping=2.0),
    }
    chosen = {name: dice.choice(list(laws)) for name in names if dice.random() < 0.8}
    friction = {name: laws[law]() for name, law in chosen.items()}
    q = [dice.uniform(-1, 1) for _ in names]
    v = [dice.uniform(-2, 2) for _ in names]
    return stiction.Scene(robot=robot, friction=friction, q=q, v=v), f"{robot.name} {chosen} q={q} v={v}"


def invariants(dice: random.Random, folder: Path) -> str:
    """Batch = single, threads = one, continued = uninterrupted, to the last bit; and no energy from nothing."""
    scene, text = random_scene(dice)
    step, joint = dice.choice([1e-4, 1e-3, 2e-3]), next(iter(scene.joints))
    method = dice.choice(["moreau", "rk4", "gill"])
    text = noted(folder, f"{text} step={step} method={method}")
    options = {"step": step, "method": method}
    many = {"parameters": {f"q.{joint}": [scene.q[0] + 0.01 * k for k in range(9)]}}
    try:
        whole = stiction.simulate(scene, duration=200 * step, energy=True, **options)
    except stiction.DivergedError:
        return text
    first = stiction.simulate(scene, duration=80 * step, **options)
    rest = stiction.simulate(scene, duration=120 * step, start=first.state, **options)
    plain = stiction.simulate(scene, duration=200 * step, **options)
    batch, threads = (stiction.simulate(scene, duration=200 * step, threads=k, **options, **many) for k in (1, 2))
    for name in (f"q.{joint}", f"v.{joint}"):
        if rest[name][-1] != plain[name][-1]:
            raise BrokenError(f"{text}: {name} continued differs from uninterrupted")
        if not np.array_equal(batch[name], threads[name]):
            raise BrokenError(f"{text}: {name} by two threads differs from one")
        if not np.allclose(batch[name][:, 0], plain[name], rtol=1e-9, atol=1e-12):
            raise BrokenError(f"{text}: {name} in a batch differs from alone")
    total = sum(whole[f"energy.{x}"] for x in ("kinetic", "potential", "elastic"))
    size = max(1e-9, float(whole["energy.kinetic"].max() + np.ptp(whole["energy.potential"])))
    if total.max() - total[0] > 0.02 * size and not whole.notes:
        raise BrokenError(f"{text}: energy grew by {total.max() - total[0]:.2g} J of {size:.2g} J without a note")
    return text


def hold(dice: random.Random, folder: Path) -> str:
    """A joint below break-away for a hundred thousand steps."""
    level, part, step = 10 ** dice.uniform(-2, 2), dice.uniform(0.1, 0.95), dice.choice([1e-4, 1e-3, 2e-3])
    scene = stiction.Scene(
        robot=stiction.library.pendulum(1),
        friction={"joint1": stiction.Coulomb(level=level)},
        torque={"joint1": part * level},
        gravity=(0, 0, 0),
    )
    run = stiction.simulate(scene, duration=100_000 * step, step=step, record=100_000 * step, signals=["q."])
    if abs(run["q.joint1"][-1]) > 1e-12:
        raise BrokenError(f"level={level} part={part} step={step}: moved by {run['q.joint1'][-1]:.2g} rad")
    return f"level={level:.3g} part={part:.2f} step={step}"


SAVING = """
import stiction, sys
run = stiction.simulate(stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5]), duration=5.0, step=1e-3)
print("ready", flush=True)
while True:
    run.save(sys.argv[1])
"""


def killed(dice: random.Random, folder: Path) -> str:
    """A process that is killed while it saves: the file is whole."""
    path = folder / dice.choice(["killed.h5", "killed.csv"])
    worker = subprocess.Popen([sys.executable, "-W", "ignore", "-c", SAVING, path], stdout=subprocess.PIPE, text=True)
    assert worker.stdout
    worker.stdout.readline()
    wait = dice.uniform(0.0, 0.3)
    time.sleep(wait)
    worker.kill()
    worker.wait()
    if path.exists() and path.suffix == ".h5":
        stiction.Trajectory.load(path)
    elif path.exists() and len(path.read_text().splitlines()) != 5002:
        raise BrokenError(f"{path.name}: {len(path.read_text().splitlines())} lines of 5002 after {wait:.3f} s")
    for left in folder.glob(".killed*"):
        left.unlink()
    return f"{path.name} after {wait:.3f} s"


TRIALS: dict[str, tuple[Callable[[random.Random, Path], str], float]] = {  # with the share of the time
    "scene files": (scene_file, 0.2),
    "URDF files": (urdf, 0.1),
    "formulas": (formula, 0.1),
    "calls": (call, 0.1),
    "damaged runs": (damaged_run, 0.1),
    "random scenes": (invariants, 0.25),
    "long holds": (hold, 0.05),
    "kills while saving": (killed, 0.1),
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


def soak(minutes: float, seed: int, out: Path) -> int:
    """All trials in turn, each as long as its share; how many broke."""
    signal.signal(signal.SIGALRM, late)
    counts = {name: Count() for name in TRIALS}
    spent = dict.fromkeys(TRIALS, 0.0)
    end = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            name = min(TRIALS, key=lambda x: spent[x] / TRIALS[x][1])
            began = time.monotonic()
            one(name, seed, Path(folder), counts[name])
            spent[name] += time.monotonic() - began
            seed += 1
            if sys.stderr.isatty():
                print(f"\r{max(0, end - time.monotonic()):5.0f} s to go, {seed} trials ", end="", file=sys.stderr)
    return told(counts, out)


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
    given = options.parse_args()
    print(f"seed {given.seed}; trial K of a kind is repeated by its own seed, in its file", file=sys.stderr)
    sys.exit(1 if soak(given.minutes, given.seed, given.out) else 0)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    main()
