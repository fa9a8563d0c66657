"""Set-up of the test run: stored kernels, skips for want of hardware, the summary at its end."""

import contextlib
import gc
import json
import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from tests.gpu import gpu
from tests.site.browser import program as chromium

ROOT = Path(__file__).parent
KERNELS = ROOT / ".kernels"  # stored from run to run
SECONDS = KERNELS / "seconds.json"  # of each test
UNKNOWN = 0.3  # s of a test that never ran
SIZES = "sizes.txt"  # what tests of code sizes found
SLOWEST = 10  # files of the summary
LEVEL = "STICTION_OPTIMIZATION"  # most tests compile fast, with the same bits (tests/simulation/test_levels.py)
OPTIMIZED = (  # one group of every kind runs the kernels that users get
    "tests/trace",
    "tests/oracles",
    "tests/papers",
    "tests/test_code_size.py",
    "tests/dynamics/test_against_mujoco.py",
    "tests/friction/test_laws.py",
    "tests/methods/test_honest_steps.py",
    "tests/drive/test_drives.py",
    "tests/control/test_cascades.py",
    "tests/contact/test_rest.py",
    "tests/contact/test_motion.py",
    "tests/constraint/test_kinds.py",
    "tests/simulation/test_batch.py",
    "tests/simulation/test_simulator.py",
)
NEEDS = {  # marker: what tells whether it is here, and what to say where it is not
    "browser": (chromium, "no Chromium here; on Debian and Ubuntu: apt install chromium"),
    "gpu": (gpu, "no GPU of NVIDIA with CuPy here"),
}

settings.register_profile("stiction", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("stiction")


def pytest_addoption(parser):
    parser.addoption("--cold", action="store_true", help="compile all kernels anew, also those of earlier runs")
    parser.addoption("--within", type=float, metavar="SECONDS", help="run as many tests as took so long when last run")


def pytest_configure(config):
    config.compiled = []  # bytes of the kernels
    if hasattr(config, "workerinput"):  # one of several processes: they share the folder of the first
        _count_compilations(config)
        return
    config.notes = tempfile.TemporaryDirectory(prefix="stiction-test-")
    os.environ["STICTION_TEST_FOLDER"] = config.notes.name
    os.environ["STICTION_CACHE"] = _kernel_folder(config.getoption("--cold"), config.notes.name)
    os.environ.setdefault(LEVEL, "0")
    if not config.getoption("numprocesses", None):
        _count_compilations(config)


def _kernel_folder(cold, temporary):
    """The folder of kernels, emptied for a cold run; a temporary one where the checkout cannot be written."""
    from stiction.trace import cache

    try:
        KERNELS.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return temporary
    for kind in cache.KINDS if cold else ():
        for path in KERNELS.glob(f"*.{kind}"):
            path.unlink()
    return str(KERNELS)


def _count_compilations(config):
    from stiction.trace import processor

    assemble = processor.assemble

    def counted(*arguments, **options):
        code = assemble(*arguments, **options)
        config.compiled.append(len(code))
        return code

    processor.assemble = counted


def pytest_collection_modifyitems(config, items):
    """Leave tests out, in their order, that would take longer than `--within` allows."""
    left = config.getoption("--within")
    if left is None:
        return
    known, chosen, others = _seconds(), [], []
    for item in items:
        seconds = known.get(item.nodeid, UNKNOWN)
        (chosen if seconds <= left else others).append(item)
        left -= seconds if seconds <= left else 0
    items[:] = chosen
    config.hook.pytest_deselected(items=others)


def _seconds():
    """How long each test took when it last ran."""
    try:
        return json.loads(SECONDS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def pytest_collection_finish(session):
    """What was imported stays: the garbage collector need not look at it again, nor often at what a trace makes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with pytest.MonkeyPatch.context() as patch:
        if item.nodeid.startswith(OPTIMIZED):
            patch.setenv(LEVEL, "2")
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    for marker, (present, reason) in NEEDS.items():
        if item.get_closest_marker(marker) and not present():
            missing = pytest.fail if marker == "browser" and os.environ.get("CI") == "true" else pytest.skip
            missing(reason)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["compiled"] = session.config.compiled


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """A worker ended."""
    node.config.compiled += getattr(node, "workeroutput", {}).get("compiled", [])


def pytest_terminal_summary(terminalreporter, config):
    write = terminalreporter.write_line
    with contextlib.suppress(FileNotFoundError), open(Path(config.notes.name) / SIZES) as lines:
        for line in sorted(set(lines)):
            write(line.rstrip())
    tests, skipped = Counter(), Counter()
    for outcome, reports in terminalreporter.stats.items():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                tests[report.nodeid] += report.duration
            if outcome == "skipped":
                skipped[report.longrepr[2].removeprefix("Skipped: ")] += 1
    files = Counter()
    for test, seconds in tests.items():
        files[test.split("::")[0]] += seconds
    if files:
        write(f"slowest files, of {sum(files.values()):.0f} s in all:")
        for file, seconds in files.most_common(SLOWEST):
            write(f"{seconds:7.1f} s  {file}")
    with contextlib.suppress(OSError):
        SECONDS.write_text(json.dumps({**_seconds(), **{test: round(x, 2) for test, x in tests.items()}}))
    size = sum(config.compiled) / 1e6
    write(f"kernels compiled: {len(config.compiled)}, {size:.1f} MB; stored in {os.environ['STICTION_CACHE']}")
    for reason, times in skipped.most_common():
        write(f"{times} skipped: {reason}")


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """An empty cache folder for one test."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("STICTION_CACHE", str(folder))
    return folder
