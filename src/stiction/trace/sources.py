"""A digest of the package's code, without its comments and docstrings: what stored kernels depend on.

Reading all files takes some milliseconds, parsing them a few hundred. So the digest of the code is kept in the cache
under that of the bytes, and an edit of the documentation costs one parse and no kernel.
"""

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

import stiction
from stiction.trace import cache


@functools.cache
def sources() -> str:
    """The digest of the package that is running."""
    return digest_of(Path(__file__).resolve().parent.parent)


@functools.cache
def digest_of_module(file: str) -> str:
    """The digest of one source file, as it is."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def digest_of(root: Path) -> str:
    """The digest of the code below a folder; that of the bytes where nothing can be stored, kernels included."""
    files = [(path.relative_to(root).as_posix().encode(), path.read_bytes()) for path in sorted(root.rglob("*.py"))]
    raw = _digest(files)
    if cache.folder() is None:
        return raw
    known = cache.read(raw, "sources")
    if known is None:
        known = _digest((name, _code(text)) for name, text in files).encode()
        cache.write(raw, known, "sources")
    return known.decode()


def _digest(files: Iterable[tuple[bytes, bytes]]) -> str:
    total = hashlib.sha256(stiction.__version__.encode())
    for name, content in files:
        total.update(hashlib.sha256(name).digest() + hashlib.sha256(content).digest())
    return total.hexdigest()


def _code(text: bytes) -> bytes:
    """The syntax tree as text, without the statements that are mere constants; a file that is no Python as it is."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return ast.dump(tree).encode()
