"""Compiled code on disk, one file per kernel.

The files hold machine code that will be run, so the folder is the user's alone (0700); one that others can write to is not
used. A file is written under another name and moved into place, so that many processes can share the folder; its checksum
is verified on reading, and a damaged one is made again. A folder that cannot be written only costs time. The oldest files
go when the folder outgrows its bound. `STICTION_CACHE` names another folder; empty, it switches the cache off.
"""

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

import stiction

MARK = b"stiction kernel 1\n"
DIGEST = hashlib.sha256().digest_size
LARGEST = 256 * 1024 * 1024  # bytes in the folder before old files go


def folder() -> Path | None:
    """Where kernels are kept, created if need be; None if there is no safe place."""
    named = os.environ.get("STICTION_CACHE")
    if named == "":
        return None
    try:
        path = Path(named) if named else _usual() / "stiction"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _private(path) else None
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None


def _usual() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _private(path: Path) -> bool:
    if sys.platform == "win32":
        return True  # profile folders are the user's own
    info = path.stat()
    return info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.cache
def sources() -> str:
    """A digest of the package's own sources and version: any edit makes all old kernels unreachable."""
    digest = hashlib.sha256(stiction.__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def key(*parts: object) -> str:
    """A name for what depends on these parts."""
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()[:40]


def read(name: str) -> bytes | None:
    """The code stored under this name, or None if there is none that is whole."""
    place = folder()
    if place is None:
        return None
    path = place / f"{name}.kernel"
    try:
        if sys.platform != "win32" and path.stat().st_uid != os.getuid():
            return None
        content = path.read_bytes()
        with contextlib.suppress(OSError):
            os.utime(path)  # recently used files stay
    except OSError:
        return None
    start = len(MARK) + DIGEST
    code = content[start:]
    if content[: len(MARK)] != MARK or content[len(MARK) : start] != hashlib.sha256(code).digest():
        return None
    return code


def write(name: str, code: bytes) -> None:
    """Store code under this name; not being able to is no error."""
    place = folder()
    if place is None:
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MARK + hashlib.sha256(code).digest() + code)
        os.replace(temporary, place / f"{name}.kernel")
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    _trim(place)


def _trim(place: Path) -> None:
    files = []
    with contextlib.suppress(OSError):
        for path in place.iterdir():
            if path.suffix in (".kernel", ".part"):
                with contextlib.suppress(OSError):
                    info = path.stat()
                    files.append((info.st_mtime, info.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LARGEST:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size
