"""Shared set-up: an own cache folder for the run, and a count of the programs that it compiled."""

import os
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("stiction", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("stiction")


SIZES = "sizes.txt"  # in the cache folder: what tests of code sizes found


def pytest_configure(config):
    if hasattr(config, "workerinput"):  # one of several processes: they share the folder of the first
        return
    config.kernel_folder = tempfile.TemporaryDirectory(prefix="stiction-test-")
    os.chmod(config.kernel_folder.name, 0o700)
    os.environ["STICTION_CACHE"] = os.environ["STICTION_TEST_FOLDER"] = config.kernel_folder.name


def pytest_terminal_summary(terminalreporter, config):
    folder = config.kernel_folder.name
    kernels = [name for name in os.listdir(folder) if name.endswith(".kernel")]
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in kernels)
    if os.path.exists(os.path.join(folder, SIZES)):
        with open(os.path.join(folder, SIZES)) as lines:
            for line in sorted(set(lines)):
                terminalreporter.write_line(line.rstrip())
    terminalreporter.write_line(f"kernels compiled in this run: {len(kernels)}, {size / 1e6:.1f} MB of machine code")


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """An empty cache folder for one test."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("STICTION_CACHE", str(folder))
    return folder
