"""What a formula cannot do with traced values: the error says what to do instead, and where it was tried."""

import sys

from stiction.errors import TraceError

OURS = ("stiction", "numpy")
SAME_NAME = frozenset("sin cos tan exp log tanh sqrt absolute sign floor minimum maximum clip fma logical_not".split())
NAMED_OTHERWISE = {
    "arctan2": "atan2(y, x)",
    "fabs": "absolute(x)",
    "fmax": "maximum(a, b)",
    "fmin": "minimum(a, b)",
    "logical_and": "& between conditions",
    "logical_or": "| between conditions",
    "square": "x * x",
    "reciprocal": "1 / x",
}


def refusal(message: str) -> TraceError:
    """An error that names the innermost line of code that is neither ours nor NumPy's: the user's formula."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame = frame.f_back
    return TraceError(f"{message} ({frame.f_code.co_filename}, line {frame.f_lineno})")


def numpy_function(name: str) -> TraceError:
    """The error for a function of NumPy's that was given a traced value."""
    ours = f"{name} of stiction.trace" if name in SAME_NAME else "operators and the functions of stiction.trace"
    return refusal(f"NumPy's {name} cannot take a traced value; use {NAMED_OTHERWISE.get(name, ours)} instead")


def array_of(shape: tuple[int, ...]) -> TraceError:
    """The error for an array where a formula needs one number."""
    return refusal(
        f"a formula computes with single numbers; it was given an array of shape {shape}: "
        "take its components one by one, as in [a * x for a in array]"
    )
