"""Shared set-up: an own cache folder for the run, and a count of the programs that it compiled."""

import os
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("stiction", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("stiction")


def pytest_configure(config):
    config.kernel_folder = tempfile.TemporaryDirectory(prefix="stiction-test-")
    os.chmod(config.kernel_folder.name, 0o700)
    os.environ["STICTION_CACHE"] = config.kernel_folder.name


def pytest_terminal_summary(terminalreporter, config):
    kernels = [name for name in os.listdir(config.kernel_folder.name) if name.endswith(".kernel")]
    size = sum(os.path.getsize(os.path.join(config.kernel_folder.name, name)) for name in kernels)
    for line in getattr(config, "code_sizes", []):
        terminalreporter.write_line(line)
    terminalreporter.write_line(f"kernels compiled in this run: {len(kernels)}, {size / 1e6:.1f} MB of machine code")


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """An empty cache folder for one test."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("STICTION_CACHE", str(folder))
    return folder
