"""What a call costs beyond its physics: a second `simulate` of a six-joint arm, and `stiction run` in a new process.

    ./run bench overhead [--quick] [--json]

The time of `simulate` is that of the call less that of the same steps by the compiled program alone; the peer is the
first call, which traces and compiles. `stiction run` finds its kernels in a warm cache. Times are the best of several.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import stiction
from benchmarks.measure import Report, arguments, cache_folder, seconds_of
from benchmarks.peers.steps import core_of, steps_of
from stiction import Coulomb, Scene, simulate

STEP, STEPS, RECORDS = 1e-3, 1000, 100
FILE = """\
duration = 1.0
step = 1e-3
method = "moreau"
record = 0.01
[robot]
library = "puma560"
""" + "".join(f'[friction.joint{k}]\nlaw = "Coulomb"\nlevel = 5.0\n' for k in range(1, 7))

STAGES = """
import json, sys, time

spent, below = {}, [0.0]

def timed(owner, name, stage):
    function = getattr(owner, name)
    def wrapper(*given, **options):
        below.append(0.0)
        began = time.perf_counter()
        try:
            return function(*given, **options)
        finally:
            seconds = time.perf_counter() - began
            spent[stage] = spent.get(stage, 0.0) + seconds - below.pop()
            below[-1] += seconds
    setattr(owner, name, wrapper)

def imports():
    import stiction.cli, stiction.files.scene_file, stiction.sweep
    import stiction.simulation.simulate, tqdm

began = time.perf_counter()
timed(sys.modules[__name__], "imports", "import")
imports()
timed(sys.modules["stiction.files.scene_file"], "read_scene", "read the file")
timed(sys.modules["stiction.trace.program"].Program, "_build", "load kernels")
timed(sys.modules["stiction.simulation.setup"].Setup, "__init__", "prepare")
timed(sys.modules["stiction.simulation.setup"].Setup, "program", "prepare")
timed(sys.modules["stiction.simulation.simulate"], "follow", "run")
try:
    sys.modules["stiction.cli"].main()
finally:
    spent["words in and out"] = time.perf_counter() - began - below[0]
    print(json.dumps(spent), file=sys.stderr)
"""


def arm(level: float) -> Scene:
    """Six joints with friction."""
    robot = stiction.library.puma560()
    return Scene(
        robot=robot,
        limits="ignore",
        friction=dict.fromkeys(robot.velocity_names, Coulomb(level=level)),
        q=np.full(6, 0.3),
    )


def again(report: Report, method: str, times: int) -> None:
    """What a second call costs, of the same scene and of others with the same structure."""

    def seconds(scene: Scene, records: int = 1) -> float:
        settings: dict[str, Any] = {"duration": STEPS * STEP, "step": STEP, "record": STEPS * STEP / records}
        return seconds_of(lambda: simulate(scene, method=method, **settings))

    one = arm(5.0)
    first = seconds(one)
    call = steps_of(core_of(one, method, STEP), STEPS)
    steps = min(seconds_of(call) for _ in range(times))
    same = min(seconds(one) for _ in range(times)) - steps
    recorded = min(seconds(one, RECORDS) for _ in range(times)) - steps
    scenes = [arm(5.0 + 0.01 * k) for k in range(1, times + 1)]
    other = min(seconds(scene) for scene in scenes) - steps
    cells = {"first call": first, "the steps alone": steps, "same scene again": same, "another scene": other}
    named = {"method": method} | {name: 1e3 * x for name, x in cells.items()}
    each = {"each record more [µs]": 1e6 * (recorded - same) / (RECORDS - 1)}
    report.row(f"simulate, six joints, {STEPS} steps, one record: beyond the steps [ms]", named | each)
    report.target(f"{method}: the same scene again, beyond its steps [ms]", 1e3 * same, 3, at_least=False)
    report.target(f"{method}: another scene of its structure, beyond its steps [ms]", 1e3 * other, 3, at_least=False)


@contextmanager
def scene_file() -> Iterator[Path]:
    """A scene file in an empty cache of kernels."""
    with cache_folder() as folder:
        path = folder / "scene.toml"
        path.write_text(FILE, encoding="utf-8")
        yield path


def new_process(file: Path, *words: str | Path) -> str:
    """What a command on a file writes to its standard error; bytecode is kept beside the file, as if installed."""
    environment = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(file.parent / "bytecode")
    command = [*words, "run", file]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stderr


def stages(file: Path) -> dict[str, float]:
    """Where the time of one run goes [s]."""
    began = time.perf_counter()
    spent = json.loads(new_process(file, sys.executable, "-c", STAGES).splitlines()[-1])
    return {"start and end of Python": time.perf_counter() - began - sum(spent.values())} | spent


def imports(file: Path) -> dict[str, float]:
    """Time of importing by package, as Python itself tells [s]; the largest and the rest."""
    packages: dict[str, float] = {}
    code = "from stiction.cli import main; main()"
    for line in new_process(file, sys.executable, "-X", "importtime", "-c", code).splitlines():
        own, *_, name = line.removeprefix("import time:").split("|")
        if own.strip().isdigit():
            package = name.strip().split(".")[0]
            shown = "standard library" if package in sys.stdlib_module_names else package
            packages[shown] = packages.get(shown, 0.0) + 1e-6 * float(own)
    largest = sorted(packages, key=packages.__getitem__, reverse=True)[:7]
    return {name: packages.pop(name) for name in largest} | {"others": sum(packages.values())}


def first_run(file: Path, program: Path) -> float:
    """Seconds of a run that finds nothing stored."""
    for stored in (*file.parent.glob("*.kernel"), *file.parent.glob("*.sources")):
        stored.unlink()
    return seconds_of(lambda: new_process(file, program))


def quickest(found: Iterable[dict[str, float]]) -> dict[str, float]:
    """The table of the least time in all."""
    return min(found, key=lambda table: sum(table.values()))


def command(report: Report, times: int) -> None:
    """`stiction run` in a new process."""
    program = Path(sys.executable).parent / "stiction"
    with scene_file() as file:
        new_process(file, program)  # makes the bytecode, which installing makes
        cold = min(first_run(file, program) for _ in range(3))
        warm = min(seconds_of(lambda: new_process(file, program)) for _ in range(times))
        report.row("stiction run, six joints, 1000 steps [s]", {"empty cache": cold, "warm cache": warm})
        for name, seconds in quickest(stages(file) for _ in range(times)).items():
            report.row("where the time goes [ms]", {"stage": name, "time": 1e3 * seconds})
        for name, seconds in quickest(imports(file) for _ in range(times)).items():
            report.row(
                "importing, by python -X importtime, itself included [ms]", {"package": name, "time": 1e3 * seconds}
            )
    report.target("seconds of a first run of a six-joint scene", cold, 3, at_least=False)
    report.target("seconds of a run with a warm cache", warm, 0.35, at_least=False)


def main() -> None:
    options = arguments("What a call costs beyond its physics.")
    report = Report("What a call costs beyond its physics", options.json)
    for method in ("moreau", "rk4"):
        again(report, method, 30 if options.quick else 200)
    command(report, 5 if options.quick else 20)
    report.finish()


if __name__ == "__main__":
    main()
