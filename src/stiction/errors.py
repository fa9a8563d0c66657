"""Every error that Stiction raises on purpose: what was wrong, what was given, what is allowed, and the fix."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

FEW = 12  # names that an error lists
ALIKE = 0.6  # how much of two names must be the same for one to be a slip of the other, 0 … 1


class StictionError(Exception):
    """Base class of all errors raised by Stiction; catch it to catch them all.

    Attributes:
        run: what a run had, a `Trajectory`, where one was under way; else None.

    Example:
        >>> import stiction
        >>> try:
        ...     stiction.library.pendulum(0)
        ... except stiction.StictionError as error:
        ...     print(error)
        pendulum: links is 0; allowed: a whole number, 1 to 1000
    """

    run: Any = None


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


def unknown(what: str, given: object, owner: str, known: Iterable[str], verb: str = "has", source: str = "") -> str:
    """Say that a name, or a pattern with *, is not known, and which ones are.

    Args:
        what: kind of thing that is named.
        given: the name.
        owner: who has such things.
        known: the names that there are.
        verb: what the owner does with them.
        source: attribute that lists all of them, where they may be many.

    Example:
        >>> from stiction.errors import unknown
        >>> unknown("joint", "elbo", "robot 'arm'", ["shoulder", "elbow"])
        "unknown joint 'elbo'; robot 'arm' has: shoulder, elbow"
        >>> names = [f"{word}.joint{k}" for word in ("q", "v") for k in range(1, 51)]
        >>> unknown("signal", "q.jiont7", "this run", names, source="run.signals")
        "unknown signal 'q.jiont7'; this run has: q.joint7, q.joint47, q.joint37 ... and 97 more; run.signals lists all"
        >>> unknown("signal", "speed", "this run", names, source="run.signals")
        "unknown signal 'speed'; this run has: q.*, v.*; run.signals lists all"
    """
    return f"unknown {what} '{given}'; {owner} {verb}: {_listed(str(given), list(known), source)}"


def _listed(given: str, known: list[str], source: str) -> str:
    """All names, where they are few; else those like the given one; else how they begin."""
    if len(known) <= FEW:
        return ", ".join(known) or "none"
    alike = _alike(given.replace("*", ""), known)
    begin = dict.fromkeys(f"{name.partition('.')[0]}.*" if "." in name else name for name in known)
    shown = alike or list(begin)[:FEW]
    more = len(known) - len(alike) if alike else len(begin) - len(shown)
    return ", ".join(shown) + (f" ... and {more} more" if more else "") + (f"; {source} lists all" if source else "")


def _alike(given: str, known: list[str]) -> list[str]:
    """Some names that someone who wrote this may have meant, the likeliest first."""
    lower = {name.lower(): name for name in known}
    close = [lower[name] for name in get_close_matches(given.lower(), lower, n=3, cutoff=ALIKE)]
    holding = [name for name in known if given and given.lower() in name.lower()]
    ending = [name for name in holding if name.endswith(f".{given}")]
    siblings = [name for name in known if "." in given and name.startswith(given.partition(".")[0] + ".")]
    return list(dict.fromkeys([*ending, *close] or holding or siblings))[: FEW // 2]
