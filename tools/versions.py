"""Run the tests on every supported version of Python that is on this machine, each in a fresh clone of the last commit.

    ./run versions [3.13 3.14] [-- OPTIONS OF ./run test]

The path of the clone contains a space; its environment is made by `./run test`. A version that is missing is reported.
It exits with 1 if a version fails, or if none was found.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUMMARY = re.compile(r"^.*\d+ (?:passed|failed|error).* in .*$", re.M)  # the last line of pytest


def supported() -> list[str]:
    """Versions that `pyproject.toml` lists."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [found[1] for line in project["classifiers"] if (found := re.search(r"Python :: (\d+\.\d+)$", line))]


def run_tests(version: str, commit: str, options: list[str]) -> str:
    """The result of the tests of a commit on one version, in words."""
    interpreter = shutil.which(f"python{version}")
    if interpreter is None:
        return "missing on this machine"
    with tempfile.TemporaryDirectory(prefix=f"stiction on {version} ") as folder:
        clone = Path(folder) / "clone"
        for words in (["clone", "-q", ROOT, clone], ["-C", clone, "checkout", "-q", commit]):
            subprocess.run(["git", *words], check=True)
        environment = {**os.environ, "PYTHON": interpreter}
        with open(ROOT / f"versions-{version}.log", "w+", encoding="utf-8") as log:
            result = subprocess.run(
                ["./run", "test", *options], cwd=clone, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
            log.seek(0)
            lines = SUMMARY.findall(log.read())
    passed = "passed" if result.returncode == 0 else f"FAILED, see versions-{version}.log"
    return f"{passed}: {lines[-1].strip('= ') if lines else 'no tests ran'}"


def main() -> None:
    """Read the versions, run the tests on each, print a line for each."""
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    versions, options = words[:cut] or supported(), words[cut + 1 :]
    unknown = set(versions) - set(supported())
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))} is not supported; allowed: {', '.join(supported())}")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    commit, results = head.stdout.strip(), {}
    for version in versions:
        began = time.monotonic()
        results[version] = run_tests(version, commit, options)
        print(f"Python {version}: {results[version]} ({time.monotonic() - began:.0f} s)", flush=True)
    missing = [text.startswith("missing") for text in results.values()]
    sys.exit(any("FAILED" in text for text in results.values()) or all(missing))


if __name__ == "__main__":
    main()
