"""Checked kernels: an index outside an array or a table is an error that names its place in the source.

With the environment variable STICTION_GUARD=1 kernels check each access whose index is not known to be inside when they
are compiled; they are stored under keys of their own. Without it an index outside goes to the nearest place, silently.
Lookups whose index varies from run to run are not checked: they are documented to stay inside their table.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stiction.errors import StictionError

ENABLED = os.environ.get("STICTION_GUARD", "") not in ("", "0")
PACKAGE = Path(__file__).resolve().parent.parent
INSIDE = (str(PACKAGE / "trace"), str(PACKAGE / "dynamics" / "records.py"))  # how memory is read, not by whom
CHECK = """
@outside = global { ptr, double, i64 } zeroinitializer
define internal void @check(ptr %place, double %index, i64 %length) noinline {
  %count = sitofp i64 %length to double
  %low = fcmp oge double %index, 0.0
  %high = fcmp olt double %index, %count
  %inside = and i1 %low, %high
  br i1 %inside, label %done, label %wrong
wrong:
  %before = load ptr, ptr @outside
  %first = icmp eq ptr %before, null
  br i1 %first, label %note, label %done
note:
  %at = getelementptr { ptr, double, i64 }, ptr @outside, i32 0, i32 1
  %of = getelementptr { ptr, double, i64 }, ptr @outside, i32 0, i32 2
  store double %index, ptr %at
  store i64 %length, ptr %of
  store ptr %place, ptr @outside
  br label %done
done:
  ret void
}"""


class GuardError(StictionError):
    """A checked kernel used an index outside an array or a table."""


class _Outside(ctypes.Structure):
    """The first index outside, as `CHECK` notes it."""

    _fields_ = (("place", ctypes.c_char_p), ("index", ctypes.c_double), ("length", ctypes.c_int64))


def place() -> str:
    """File and line of the code that is being traced, outside the tracer."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    name = path.relative_to(PACKAGE.parent) if path.is_relative_to(PACKAGE) else path.name
    return f"{name}:{frame.f_lineno}"


def checked(function: Callable[..., None], noted: int) -> Callable[..., None]:
    """A kernel that raises what it noted at an address, after a call; 0 where it has nothing to check."""
    if not noted:
        return function
    outside = _Outside.from_address(noted)

    def call(*arguments: Any) -> None:
        function(*arguments)
        if outside.place is not None:
            where = outside.place.decode("utf-8", "replace")
            outside.place = None
            raise GuardError(f"{where}: index {outside.index:g}; allowed: 0 to {outside.length - 1}")

    call.kernel = function  # type: ignore[attr-defined]  # it lives as long
    return call
