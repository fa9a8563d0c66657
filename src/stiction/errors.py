"""Every error that Stiction raises on purpose: what was wrong, what was given, what is allowed, and the fix."""

from collections.abc import Iterable
from typing import Any


class StictionError(Exception):
    """Base class of all errors raised by Stiction; catch it to catch them all.

    Example:
        >>> import stiction
        >>> try:
        ...     stiction.library.pendulum(0)
        ... except stiction.StictionError as error:
        ...     print(error)
        pendulum: links is 0; allowed: a whole number, at least 1
    """


class TraceError(StictionError):
    """A formula did something that cannot become machine code."""


class TooLargeError(TraceError):
    """A program has more operations than a compiler can take in a sensible time."""


class RobotError(StictionError):
    """The description of a robot is impossible or incomplete."""


class InputError(StictionError):
    """An argument has the wrong shape, size or kind, or names something that is not there."""


class DivergedError(StictionError):
    """A run left the numbers.

    Attributes:
        run: what it had until then, a `Trajectory`.
    """

    def __init__(self, message: str, run: Any = None) -> None:
        super().__init__(message)
        self.run = run


class StictionWarning(UserWarning):
    """A run completed, but something about it should be known; the run's `notes` say the same."""


def too_large(most: int) -> str:
    """Say that a program is too large to compile."""
    return f"the program has more than {most} operations; compiling it would take minutes"


def unknown(what: str, given: object, owner: str, known: Iterable[str]) -> str:
    """Say that a name is not known and list the names that are."""
    names = ", ".join(known) or "none"
    return f"unknown {what} '{given}'; {owner} has: {names}"
