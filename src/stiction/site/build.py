"""Building the documentation site."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from stiction.errors import StictionError
from stiction.extras import needed
from stiction.trace import cache

CLONE, INSTALLED = Path(__file__).parents[3], Path(__file__).parent / "pages"
SETTINGS = "zensical.toml"


def pages() -> Path:
    """The folder with the pages and the settings of the site: the clone, or what was installed with the package."""
    for folder in (CLONE, INSTALLED):
        if (folder / SETTINGS).is_file():
            return folder
    raise StictionError(f"the pages of the documentation are not installed: there is no {INSTALLED / SETTINGS}")


def usual_folder() -> Path:
    """Where the site is built if nobody says otherwise: among the user's cached files."""
    return (cache.folder() or Path(tempfile.gettempdir()) / "stiction") / "site"


def build(out: Path) -> Path:
    """Build the site in a folder, which it replaces.

    Args:
        out: the folder; refused if it exists and is no site.

    Returns:
        Its first page; a browser opens it as it is, without a server.
    """
    needed("zensical", "the pages of the documentation")
    needed("mkdocstrings_handlers.python", "the pages of the documentation")
    if out.exists() and not (out / "index.html").is_file() and (not out.is_dir() or any(out.iterdir())):
        raise StictionError(f"cannot build the site in '{out}': it holds something else; give a new folder")
    with tempfile.TemporaryDirectory() as folder:
        place, source = Path(folder), pages()
        shutil.copytree(source / "docs", place / "docs")
        shutil.copy(source / SETTINGS, place)
        done = subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
            cwd=place,
            env=os.environ | {"NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise StictionError(f"the site could not be built:\n{done.stdout}")
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(place / "site", out)
    return out / "index.html"
