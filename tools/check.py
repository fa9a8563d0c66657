"""Check a change in under a minute: format, lint, types, import rules, and quick tests of what changed.

    ./run check

What changed is what differs from the last commit. A source file is tested by its examples, by the tests that its
mutants name (`mutants.toml`) and by those of its package; `./run test` runs all. It exits with 1 if anything fails.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import mutants

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
TOOLS = (("ruff", "format", "--check", "."), ("ruff", "check", "."), ("mypy",), ("lint-imports",))
TOOLS_TEST = "tests/test_quality.py::test_tools_are_content"  # runs the same tools
SECONDS = 30  # of tests, summed over both workers, by the time that each took last
LONGEST = 55  # s of everything
NOTHING_TO_RUN = 5  # exit status of pytest


def git(*words: str) -> list[str]:
    """The lines that a command of git prints."""
    result = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def changed() -> list[Path]:
    """Files that differ from the last commit, new ones included."""
    names = git("diff", "--name-only", "--diff-filter=d", "HEAD")
    return [Path(name) for name in [*names, *git("ls-files", "--others", "--exclude-standard")]]


def tests_of(file: Path) -> Iterator[str]:
    """Arguments of pytest that test a file, the most specific first."""
    parts, name = file.parts, file.as_posix()
    if parts[0] == "tests" and file.suffix == ".py":
        module = name.removesuffix(".py").replace("/", ".")
        yield from [name] if file.name.startswith("test_") else importers(module)
    elif name.startswith("src/stiction/") and file.suffix == ".py":
        inner = file.relative_to("src/stiction")
        yield from (test for mutant in mutants() if mutant.file == inner.as_posix() for test in mutant.tests)
        yield name
        yield from existing(f"tests/{inner.parts[0].removesuffix('.py')}", f"tests/test_{inner.stem}.py")
    elif file.suffix == ".md":
        yield f"tests/test_quality.py::test_code_in_the_docs_runs[{file.name}]"
    elif parts[0] == "tools":
        yield from existing(f"tests/test_{file.stem}.py")
    else:
        yield "tests/test_quality.py"


def existing(*names: str) -> Iterator[str]:
    """Those of some paths that exist."""
    return (name for name in names if (ROOT / name).exists())


def importers(module: str) -> Iterator[str]:
    """Test files that import a module of the tests."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if module in path.read_text(encoding="utf-8"):
            yield path.relative_to(ROOT).as_posix()


def run_tool(words: Iterable[str]) -> tuple[str, int, str]:
    """A tool's command, exit status and output."""
    name, *arguments = words
    result = subprocess.run([BIN / name, *arguments], cwd=ROOT, capture_output=True, text=True)
    return " ".join([name, *arguments]), result.returncode, result.stdout + result.stderr


def run_tests(tests: list[str], seconds: float) -> int:
    """Exit status of pytest on these tests; it is interrupted after some seconds."""
    options = ["-x", "-m", "not slow and not browser", "--deselect", TOOLS_TEST, f"--within={SECONDS}"]
    process = subprocess.Popen([sys.executable, "-m", "pytest", *options, *tests], cwd=ROOT)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()
        print(f"stopped after {LONGEST} s, nothing failed until then; ./run test runs all tests")
        return 0


def main() -> None:
    """Run the tools side by side, then the tests; exit with 1 if anything failed."""
    began = time.monotonic()
    failed = []
    with ThreadPoolExecutor(2) as pool:
        for command, status, output in pool.map(run_tool, TOOLS):
            print(f"{command}: {'failed' if status else 'passed'}", flush=True)
            if status:
                failed.append(command)
                print(output)
    if "ruff format --check ." in failed:
        print("to format: .venv/bin/ruff format .")
    tests = list(dict.fromkeys(test for file in changed() for test in tests_of(file)))
    if not tests:
        print("nothing changed since the last commit: no tests to run")
    elif run_tests(tests, LONGEST - (time.monotonic() - began)) not in (0, NOTHING_TO_RUN):
        failed.append("tests")
    print(f"{time.monotonic() - began:.0f} s; " + (f"failed: {', '.join(failed)}" if failed else "all passed"))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
