"""The disk cache: compiled code, one file per kernel, and digests of the package's sources.

Machine code is stored under a digest of its text in LLVM's language, so that equal text is compiled once. The name of a
program's code is stored under the program's key, where it has one, so that a hit needs no trace.

Kernels are machine code that will be run, so the folder is the user's alone (0700); one that others can write to is not
used. A file is written under another name and moved into place, so that many processes can share the folder; its
checksum is verified on reading, and a damaged one is made again. A folder that cannot be written only costs time. The
oldest files go when the folder outgrows its bound. `STICTION_CACHE` names another folder; empty, it switches the cache
off.
"""

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

Text = TypeVar("Text", bound=Hashable)  # a program in LLVM's language: one module, or several
KINDS = ("kernel", "ptx", "program", "sources")
LARGEST = 256 * 1024 * 1024  # bytes in the folder before old files go
SLACK = 16  # the share of these, as 1/SLACK, that a process writes before it looks at the folder again
_unseen: dict[Path, int] = {}  # bytes that this process wrote since it last looked at a folder


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
    return _only_mine(path.stat())


def key(*parts: object) -> str:
    """A name for what depends on these parts."""
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()[:40]


def _head(name: str, content: bytes, kind: str) -> bytes:
    """What a file of this name and content begins with."""
    return f"stiction {kind} 2\n".encode() + hashlib.sha256(name.encode() + b"\0" + content).digest()


def read(name: str, kind: str) -> bytes | None:
    """What of this kind is stored under this name, or None if there is none that is whole."""
    place = folder()
    if place is None:
        return None
    path = place / f"{name}.{kind}"
    try:
        content = _own_file(path)
        with contextlib.suppress(OSError):
            os.utime(path)  # recently used files stay
    except OSError:
        return None
    start = len(_head(name, b"", kind))
    return content[start:] if content[:start] == _head(name, content[start:], kind) else None


def _own_file(path: Path) -> bytes:
    """The content of a plain file that only the user can write: no link, no pipe, nothing of somebody else."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode) or not _only_mine(info):
            raise OSError(f"{path} is not a file of this user alone")
        return file.read()


def _only_mine(info: os.stat_result) -> bool:
    if sys.platform == "win32":
        return True  # profile folders are the user's own
    return info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def compiled(
    kind: str, program: str | None, toolchain: tuple, text: Callable[[], Text], compile: Callable[[Text], bytes]
) -> tuple[bytes, bool]:
    """Code of a kind, and whether it had to be compiled.

    Args:
        kind: "kernel" or "ptx".
        program: the key under which a program finds its code without a trace; None where only the text identifies it.
        toolchain: all that code depends on besides its text.
        text: gives the program in LLVM's language.
        compile: turns that into code.
    """
    name = read(program, "program") if program else None
    code = read(name.decode(), kind) if name else None
    if code is not None:
        return code, False
    source = text()
    place = key(kind, *toolchain, source)
    code = read(place, kind)
    missing = code is None
    if code is None:
        code = compile(source)
        write(place, code, kind)
    if program:
        write(program, place.encode(), "program")
    return code, missing


def write(name: str, content: bytes, kind: str) -> None:
    """Store something of this kind under this name; not being able to is no error."""
    place = folder()
    if place is None:
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_head(name, content, kind) + content)
        os.replace(temporary, place / f"{name}.{kind}")
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    known = place in _unseen
    _unseen[place] = _unseen.get(place, 0) + len(content)
    if not known or _unseen[place] * SLACK > LARGEST:
        _unseen[place] = 0
        _trim(place)


def _trim(place: Path) -> None:
    """Remove the oldest files until a process has room to write without looking again."""
    files = []
    with contextlib.suppress(OSError):
        for path in place.iterdir():
            if path.suffix.lstrip(".") in (*KINDS, "part"):
                with contextlib.suppress(OSError):
                    info = path.stat()
                    files.append((info.st_mtime, info.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LARGEST - LARGEST // SLACK:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size
