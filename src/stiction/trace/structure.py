"""What decides a program: everything in a description but the values of its parameters, as plain data that can be a
key.
"""

from collections.abc import Mapping
from typing import Any

from stiction.trace.program import Port, Program


class NoKeyError(Exception):
    """Something is described by code of the user's own: only a trace tells what it does."""


def is_ours(kind: type) -> None:
    """Refuse a class from outside the package: its source is not in the key of stored kernels."""
    if kind.__module__.partition(".")[0] != "stiction":
        raise NoKeyError(kind.__qualname__)


def structure_of(value: Any, numbers: bool = False, arguments: int = 1) -> Any:
    """The structure of a value. A float is a parameter, and only its place counts, unless `numbers` says that it is
    folded; a function is called with so many arguments.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return repr(value) if numbers else "#"
    if isinstance(value, (tuple, list)):
        if len(value) == 2 and not numbers and all(isinstance(x, float) for x in value):
            return "##" if value[0] == value[1] else "#,#"
        return tuple(structure_of(x, numbers, arguments) for x in value)
    if isinstance(value, Mapping):
        return tuple((key, structure_of(x, numbers, arguments)) for key, x in value.items())
    if hasattr(value, "structure"):
        is_ours(type(value))  # what a subclass of the user's own does, its structure does not tell
        return value.structure()
    if callable(value):
        return traced(value, arguments)
    raise NoKeyError(type(value).__qualname__)


def traced(function: Any, arguments: int) -> str:
    """What a function does with so many numbers, as the text of its trace."""

    def listed(*x: Any) -> tuple:
        return (flat(function(*x)),)

    try:
        given = [Port(f"x{k}") for k in range(arguments)]
        width = len(flat(function(*(1.0 for _ in given))))
        return Program("function", listed, given, [Port("value", (width,))]).dump()
    except Exception as problem:  # whatever it is, the program itself will show it
        raise NoKeyError(getattr(function, "__name__", type(function).__name__)) from problem


def flat(value: Any) -> list:
    """The numbers of nested lists, one after another."""
    return [x for row in value for x in flat(row)] if isinstance(value, (tuple, list)) else [value]
