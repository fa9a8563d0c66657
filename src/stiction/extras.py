"""Packages that only some uses need: imported when they are first used, with a message that says how to get them."""

from importlib import import_module
from typing import Any

from stiction.errors import StictionError

EXTRA = {
    "msgspec": "files",
    "tomli_w": "files",
    "h5py": "hdf5",
    "matplotlib": "plot",
    "cyclopts": "command",
    "tqdm": "command",
    "gymnasium": "learn",
    "trimesh": "meshes",
    "sympy": "symbolic",
    "marimo": "lessons",
    "cupy": "cuda",
    "zensical": "docs",
    "mkdocstrings_handlers.python": "docs",
}


def needed(package: str, purpose: str) -> Any:
    """The package, or an error that names the extra which installs it.

    Example:
        >>> from stiction.extras import needed
        >>> needed("msgspec", "scene files").__name__
        'msgspec'
    """
    try:
        return import_module(package)
    except ImportError:
        extra = EXTRA[package]
        raise StictionError(
            f"{purpose} need {package}, which is not installed; run, in the clone of stiction: pip install '.[{extra}]'"
        ) from None
