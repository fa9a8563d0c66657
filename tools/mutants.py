"""Do the tests see? Mistakes from a list (`tools/mutants.toml`) are made one at a time; each must fail a test.

    ./run mutants [--only PATTERN] [--jobs 2]

Every worker has its own copy of the clone; the tests that matter for a mutant run there, first once without any mutant.
It exits with 1 if a mutant survives that nobody has explained, or if its text is no longer in its file.
"""

import argparse
import compileall
import fnmatch
import os
import py_compile
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).with_suffix(".toml")
LONGEST = 150  # s of the tests of one mutant: what hangs is noticed, too
LONGEST_CLEAN = 1800  # s of all tests without a mutant
NO_COPY = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
NONE_RAN = (4, 5)  # what pytest says where it did not find the tests
LATE = -1  # what we say where it took too long


@dataclass(frozen=True)
class Mutant:
    """A mistake in one place.

    Attributes:
        file: below src/stiction.
        what: the mistake, in words.
        old: text that is in the file exactly once.
        new: text in its place.
        tests: which of them must see it, as pytest names them.
        equivalent: why nobody can see it, where nobody can.
    """

    file: str
    what: str
    old: str
    new: str
    tests: tuple[str, ...]
    equivalent: str = ""

    @property
    def room(self) -> str:
        """The room that it is in."""
        return self.file.split("/")[0].removesuffix(".py")

    @property
    def title(self) -> str:
        """Its file and the mistake."""
        return f"{self.file}: {self.what}"

    def path(self, clone: Path) -> Path:
        """Its file in a clone."""
        return clone / "src" / "stiction" / self.file

    def complaint(self, clone: Path) -> str:
        """Why it cannot be made in a clone; empty where it can."""
        path = self.path(clone)
        count = path.read_text(encoding="utf-8").count(self.old) if path.exists() else 0
        missing = [test for test in self.tests if not _there(clone, test)]
        if count != 1:
            return f"its text is {count} times in the file"
        return "it changes nothing" if self.old == self.new else f"no tests {missing}" if missing else ""


def _there(clone: Path, test: str) -> bool:
    """Whether a file of tests, or a test in it, is in a clone."""
    file, _, name = test.partition("::")
    path = clone / file
    return path.exists() and (not name or f"def {name.partition('[')[0]}(" in path.read_text(encoding="utf-8"))


def mutants(path: Path = LIST) -> list[Mutant]:
    """All of the list."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


# Running tests in a copy.


def copied(folder: Path) -> Path:
    """A copy of the clone. Its bytecode is checked by content: a mutant may be as long and as old as what is right."""
    shutil.copytree(ROOT, folder, ignore=NO_COPY)
    by_content = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder / "src", quiet=2, invalidation_mode=by_content)
    return folder


def tested(clone: Path, tests: Iterable[str], longest: float) -> tuple[int, str]:
    """Exit status and words of pytest on these tests; `LATE` where they took too long."""
    paths = os.pathsep.join([str(clone / "src"), str(clone)])
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    process = subprocess.Popen(
        command,
        cwd=clone,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=longest)
        return process.returncode, said
    except subprocess.TimeoutExpired:
        return LATE, ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # with all that it started
            process.communicate()


def fate(mutant: Mutant, clone: Path) -> str:
    """Killed, survived, explained or broken."""
    if mutant.complaint(clone):
        return "broken"
    path = mutant.path(clone)
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        status, _ = tested(clone, mutant.tests, LONGEST)
    finally:
        path.write_text(right, encoding="utf-8")
        if mutant.room == "trace":  # kernels that a mistake of the compiler stored
            shutil.rmtree(clone / ".kernels", ignore_errors=True)
    if status in NONE_RAN:
        return "broken"
    return "killed" if status else "explained" if mutant.equivalent else "survived"


def shared(work: Callable[[Path, object], object], things: list, clones: list[Path]) -> Iterable:
    """The results of all work in order; every worker takes a copy that is free."""
    free: queue.Queue[Path] = queue.Queue()
    for clone in clones:
        free.put(clone)

    def one(thing: object) -> object:
        clone = free.get()
        try:
            return work(clone, thing)
        finally:
            free.put(clone)

    with ThreadPoolExecutor(len(clones)) as pool:
        yield from pool.map(one, things)


# The two rounds.


def clean(chosen: list[Mutant], clones: list[Path]) -> list[str]:
    """What the tests say without mutants, where they fail: each file of tests once, with all that is chosen of it."""
    files: dict[str, list[str]] = {}
    for test in sorted({test for mutant in chosen for test in mutant.tests}):
        files.setdefault(test.split("::")[0], []).append(test)
    found = shared(lambda clone, tests: tested(clone, tests, LONGEST_CLEAN), list(files.values()), clones)
    return [f"{file}: {said[-3000:]}" for file, (status, said) in zip(files, found, strict=True) if status]


def hunted(chosen: list[Mutant], clones: list[Path]) -> dict[Mutant, str]:
    """The fate of each mutant, told while it is found."""

    def one(clone: Path, mutant: Mutant) -> tuple[str, float]:
        began = time.monotonic()
        return fate(mutant, clone), time.monotonic() - began

    fates = {}
    for k, (mutant, (found, seconds)) in enumerate(zip(chosen, shared(one, chosen, clones), strict=True), start=1):
        fates[mutant] = found
        print(f"{k:4}/{len(chosen)} {found:9} {seconds:5.0f} s  {mutant.title}", flush=True)
    return fates


def told(fates: dict[Mutant, str]) -> int:
    """Print a table of the rooms, then all that was not killed; how many need somebody."""
    kinds = ("killed", "explained", "survived", "broken")
    rooms = Counter((mutant.room, found) for mutant, found in fates.items())
    print(f"\n{'room':14}" + "".join(f"{kind:>10}" for kind in kinds))
    for room in dict.fromkeys(room for room, _ in rooms):
        print(f"{room:14}" + "".join(f"{rooms[room, kind]:10}" for kind in kinds))
    totals = Counter(fates.values())
    print(f"{'all':14}" + "".join(f"{totals[kind]:10}" for kind in kinds))
    for mutant, found in fates.items():
        if found == "explained":
            print(f"explained: {mutant.title}: {mutant.equivalent}")
        elif found != "killed":
            print(f"{found}: {mutant.title} {mutant.complaint(ROOT)}")
    return totals["survived"] + totals["broken"]


def main() -> None:
    """Read the options, hunt, and exit with 1 if something needs somebody."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="*", metavar="PATTERN", help="of files and mistakes, such as 'rows/*'")
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    chosen = [mutant for mutant in mutants() if fnmatch.fnmatch(mutant.title, f"*{given.only}*")]
    if not chosen:
        sys.exit(f"no mutant fits '{given.only}'; the list is {LIST}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stiction-mutants-") as folder:
        clones = [copied(Path(folder) / str(k)) for k in range(max(1, given.jobs))]
        failed = clean(chosen, clones)
        if failed:
            sys.exit("These tests fail without any mutant:\n" + "\n".join(failed))
        print(f"the tests pass without mutants ({time.monotonic() - began:.0f} s)", flush=True)
        left = told(hunted(chosen, clones))
    print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
