"""Checks of single numbers: each refuses with the owner's name, the value and what is allowed."""

from collections.abc import Sequence
from typing import Any

from stiction.errors import RobotError

LARGEST = 1e12  # beyond it products of lengths and masses leave the range of numbers


def finite(owner: str, what: str, value: Any) -> float:
    """The value as a float, if it is a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise RobotError(f"{owner}: {what} is {value!r}; allowed: a finite number") from None
    if not abs(number) < LARGEST:
        raise RobotError(f"{owner}: {what} is {value}; allowed: a finite number below {LARGEST:g} in size")
    return number


def positive(owner: str, what: str, value: Any) -> float:
    """The value as a float, if it is above 0."""
    number = finite(owner, what, value)
    if number <= 0:
        raise RobotError(f"{owner}: {what} is {number:g}; allowed: a number above 0")
    return number


def not_negative(owner: str, what: str, value: Any) -> float:
    """The value as a float, if it is 0 or above."""
    number = finite(owner, what, value)
    if number < 0:
        raise RobotError(f"{owner}: {what} is {number:g}; allowed: 0 or above")
    return number


def finite_vector(owner: str, what: str, values: Any, length: int = 3) -> tuple[float, ...]:
    """The values as floats, if there are `length` of them and all are finite."""
    if (
        (not isinstance(values, Sequence) and not hasattr(values, "__len__"))
        or isinstance(values, str)
        or len(values) != length
    ):
        raise RobotError(f"{owner}: {what} is {values!r}; allowed: {length} numbers")
    return tuple(finite(owner, what, value) for value in values)


def instance(owner: str, what: str, value: Any, kind: type) -> None:
    """Refuse a part of another kind."""
    if not isinstance(value, kind):
        raise RobotError(f"{owner}: {what} is {value!r}; allowed: a stiction.{kind.__name__} object")


def name_of(owner: str, value: Any) -> str:
    """The value, if it can serve as a name."""
    if not isinstance(value, str) or not value.strip():
        raise RobotError(f"{owner}: name is {value!r}; allowed: a text that is not empty")
    return value
