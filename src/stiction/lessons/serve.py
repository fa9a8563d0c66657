"""Serving the lessons on this machine."""

import os
import subprocess
import sys

from stiction.errors import StictionError, unknown
from stiction.extras import needed
from stiction.lessons import HERE, TITLES, file_of


def command(name: str, port: int, browser: bool) -> list[str]:
    """What serves the list of lessons, or one of them."""
    if name and name not in TITLES:
        raise StictionError(unknown("lesson", name, "stiction", list(TITLES)))
    if not 0 <= port < 65536:
        raise StictionError(f"port is {port}; allowed: 1 to 65535, or 0 for a free one")
    files = [str(file_of(name))] if name else [str(file_of(each)) for each in TITLES]
    options = ["--host", "127.0.0.1", "--no-token", *(["--port", str(port)] if port else [])]
    return [sys.executable, "-m", "marimo", "--yes", "run", *files, *options, *([] if browser else ["--headless"])]


def serve(name: str = "", port: int = 0, browser: bool = True) -> None:
    """Serve the lessons until Ctrl-C; nothing is asked of other machines.

    Args:
        name: of one lesson; "" for the list of all.
        port: where; 0 for a free one.
        browser: whether to open one.
    """
    needed("marimo", "lessons")
    quiet = os.environ | {"MARIMO_SKIP_UPDATE_CHECK": "1"}
    done = subprocess.run(command(name, port, browser), cwd=HERE, env=quiet)
    if done.returncode not in (0, 130):
        raise StictionError(f"the lessons ended with status {done.returncode}")
