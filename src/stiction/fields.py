"""Validated fields: a frozen dataclass says beside each field what it may hold, and gets it checked and converted when
it is made.

>>> from dataclasses import dataclass
>>> from stiction.fields import Validated, number, numbers
>>> @dataclass(frozen=True, kw_only=True)
... class Spring(Validated):
...     stiffness: float = number(above=0)
...     end: tuple[float, ...] = numbers(3, default=(0, 0, 0))
>>> Spring(stiffness=10).stiffness
10.0
>>> Spring(stiffness=-1)
Traceback (most recent call last):
stiction.errors.InputError: Spring: stiffness is -1; allowed: a number above 0
"""

import dataclasses
import math
import operator
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar

import numpy as np

from stiction.errors import InputError, StictionError

LARGEST = 1e15  # beyond it products leave the range of numbers
SMALLEST = 1e-30  # of what must be above 0: below it quotients do
LONGEST = 200  # characters of a refused value that an error shows


@dataclass(frozen=True)
class Rule:
    """What a field may hold.

    Attributes:
        allowed: in words.
        convert: the value as it is kept; raises TypeError or ValueError where it is not allowed.
        fits: whether numbers are allowed, for arrays of them: how a batch is checked.
    """

    allowed: str
    convert: Callable[[Any], Any]
    fits: Callable[[Any], Any] = lambda _: True


class MisfitError(ValueError):
    """A value is not allowed, and this is why."""


class Validated:
    """A frozen dataclass whose fields are checked by their rules when it is made.

    Attributes:
        error: what is raised.
    """

    error: ClassVar[type[StictionError]] = InputError

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            rule = f.metadata.get("rule")
            if rule is None:
                if "float" in str(f.type):
                    self._set(f.name, _as_floats(getattr(self, f.name)))
                continue
            try:
                self._set(f.name, _converted(rule, f.name, getattr(self, f.name)))
            except MisfitError as misfit:
                raise self.refusal(str(misfit)) from None
        for wrong, why in self.conflicts():
            if wrong:
                raise self.refusal(why() if callable(why) else why)

    def conflicts(self) -> Sequence[tuple[Any, Any]]:
        """Pairs (wrong, why) of what no single field can tell; `wrong` is a formula over the fields, so that a batch is
        checked by the same.
        """
        return ()

    def refusal(self, why: str) -> StictionError:
        """The error that says so, with the name of the class."""
        return self.error(f"{type(self).__name__}: {why}")

    def _set(self, name: str, value: Any) -> None:
        """Keep what follows from the fields; only while the object is made."""
        object.__setattr__(self, name, value)


def _as_floats(value: Any) -> Any:
    """Whole numbers as floats: 2 and 2.0 mean the same where the type of a field says float."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return tuple(map(_as_floats, value)) if type(value) is tuple else value


def _converted(rule: Rule, name: str, value: Any) -> Any:
    """The value as a rule keeps it; raises MisfitError with the name, the value and what is allowed."""
    try:
        return rule.convert(value)
    except (TypeError, ValueError, OverflowError) as problem:
        raise MisfitError(f"{name} is {shortened(repr(value))}{because(problem)}; allowed: {rule.allowed}") from None


def because(problem: Exception) -> str:
    """What a problem adds to an error, where it knows why."""
    return f" ({problem})" if isinstance(problem, MisfitError) else ""


def shortened(text: str) -> str:
    """A text that an error can show."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def argument(owner: str, name: str, value: Any, field: Any, error: type[StictionError] = InputError) -> Any:
    """An argument of a function, checked and converted by the rule of a field.

    >>> from stiction.fields import argument, number
    >>> argument("spring", "stiffness", -1, number(above=0))
    Traceback (most recent call last):
    stiction.errors.InputError: spring: stiffness is -1; allowed: a number above 0
    """
    try:
        return _converted(field.metadata["rule"], name, value)
    except MisfitError as misfit:
        raise error(f"{owner}: {misfit}") from None


def misfits(thing: Validated, shape: tuple[int, ...]) -> np.ndarray:
    """Where an object whose numbers were replaced by arrays is impossible, (*shape): by the rules and conflicts of its
    fields.
    """
    wrong = np.zeros(shape, bool)
    for f in dataclasses.fields(thing):  # type: ignore[arg-type]
        rule, value = f.metadata.get("rule"), getattr(thing, f.name)
        for x in value if isinstance(value, tuple) else (value,):
            if rule is not None and isinstance(x, (float, np.ndarray)):
                wrong |= ~np.broadcast_to(rule.fits(x), shape)
    for conflict, _ in thing.conflicts():
        wrong |= np.broadcast_to(conflict, shape)
    return wrong


def _field(rule: Rule, default: Any) -> Any:
    return (
        dataclasses.field(metadata={"rule": rule})
        if default is MISSING
        else dataclasses.field(default=default, metadata={"rule": rule})
    )


def real(value: Any, infinite: bool = False) -> float:
    """The value as a float, if it is a number that means something; above `LARGEST` only where `infinite` is set."""
    if isinstance(value, (str, bytes, bool, np.bool_)) or np.ndim(value):
        raise TypeError
    try:
        x = float(value)
    except OverflowError:
        raise ValueError from None
    if math.isnan(x) or (math.isinf(x) and not infinite):
        raise ValueError
    if abs(x) >= LARGEST and not infinite:
        raise MisfitError(f"its size is not below {LARGEST:g}")
    return x


def _range(
    above: float | None,
    least: float | None,
    below: float | None = None,
    most: float | None = None,
    infinite: bool = False,
) -> tuple[str, Callable[[Any], Any]]:
    """Bounds in words, and as a test of numbers and arrays."""
    words = [
        f"above {above:g}" if above is not None else "",
        f"{least:g} or above" if least is not None and most is None and below is None else "",
    ]
    words += [f"at least {least:g}" if least is not None and (most is not None or below is not None) else ""]
    words += [f"below {below:g}" if below is not None else "", f"at most {most:g}" if most is not None else ""]

    def fits(x: Any) -> Any:
        good = x == x if infinite else abs(x) < LARGEST
        if above == 0:
            good = good & (x >= SMALLEST)
        for bound, test in ((above, operator.gt), (least, operator.ge), (below, operator.lt), (most, operator.le)):
            if bound is not None:
                good = good & test(x, bound)
        return good

    return " and ".join(word for word in words if word), fits


def _misfit(x: float, above: float | None) -> ValueError:
    """Why a number is not within its bounds, where they do not tell by themselves."""
    return MisfitError(f"it is below {SMALLEST:g}") if above == 0 and 0 < x < SMALLEST else ValueError()


def number(
    default: Any = MISSING,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    optional: bool = False,
    infinite: bool = False,
    whole_as_int: bool = False,
) -> Any:
    """A number within bounds, finite unless `infinite` allows more; None too, where it is optional."""
    words, fits = _range(above, least, below, most, infinite)

    def convert(value: Any) -> float | None:
        if value is None and optional:
            return None
        x = real(value, infinite)
        if not fits(x):
            raise _misfit(x, above)
        return int(x) if whole_as_int and x.is_integer() else x

    gap = ", " if words and words[0].isdigit() else " " if words else ""
    allowed = f"a {'' if words or infinite else 'finite '}number{gap}{words}"
    return _field(Rule(allowed + (", or None" if optional else ""), convert, fits), default)


def pair(
    default: Any = MISSING, *, above: float | None = None, least: float | None = None, optional: bool = False
) -> Any:
    """Two numbers, for positive and for negative velocity; one stands for both."""
    words, fits = _range(above, least)

    def convert(value: Any) -> tuple[float, float] | None:
        if value is None and optional:
            return None
        both = tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else (value, value)
        a, b = (real(x) for x in both)
        for x in (a, b):
            if not fits(x):
                raise _misfit(x, above)
        return a, b

    return _field(Rule(f"a number, {words}, or two (for positive and negative velocity)", convert, fits), default)


def numbers(
    length: int | None = None, default: Any = MISSING, *, above: float | None = None, optional: bool = False
) -> Any:
    """Finite numbers, as many as `length` says, all above a bound if there is one."""
    words, fits = _range(above, None)

    def convert(values: Any) -> tuple[float, ...] | None:
        if values is None and optional:
            return None
        if isinstance(values, str):
            raise TypeError
        found = tuple(real(x) for x in values)
        if length is not None and len(found) != length:
            raise ValueError
        for x in found:
            if not fits(x):
                raise _misfit(x, above)
        return found

    kind = f"numbers {words}" if words else "finite numbers"
    return _field(Rule(kind if length is None else f"{length} {kind}", convert, fits), default)


def direction(default: Any = MISSING, *, optional: bool = False) -> Any:
    """A direction in space: three finite numbers, made a unit vector."""

    def convert(values: Any) -> tuple[float, ...] | None:
        if values is None and optional:
            return None
        x, y, z = (real(x) for x in values)
        length = math.sqrt(x * x + y * y + z * z)
        if not 1e-9 < length < 1e9:
            raise ValueError
        return (x / length, y / length, z / length) if abs(length - 1) > 1e-15 else (x, y, z)

    allowed = "3 finite numbers with a direction, such as (0, 0, 1)"
    return _field(Rule(allowed + (", or None" if optional else ""), convert), default)


def matrix(size: int | None = None, default: Any = MISSING, *, optional: bool = False) -> Any:
    """Finite numbers in `size` rows of `size`, or in any square; kept as a tuple of rows."""

    def convert(rows: Any) -> tuple[tuple[float, ...], ...] | None:
        if rows is None and optional:
            return None
        found = tuple(tuple(real(x) for x in row) for row in rows)
        if size not in (None, len(found)) or any(len(row) != len(found) for row in found):
            raise ValueError
        return found

    kind = "a square matrix of finite numbers" if size is None else f"{size} rows of {size} finite numbers"
    return _field(Rule(kind + (", or None" if optional else ""), convert), default)


def points(default: Any = MISSING) -> Any:
    """Points in space: rows of three finite numbers, kept as a tuple of rows."""

    def convert(rows: Any) -> tuple[tuple[float, ...], ...]:
        found = tuple(tuple(real(x) for x in row) for row in rows)
        if not found or any(len(row) != 3 for row in found):
            raise ValueError
        return found

    return _field(Rule("rows of 3 finite numbers", convert), default)


def text(default: Any = MISSING) -> Any:
    """A text that is not empty, and can be shown and saved: no control characters."""

    def convert(value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError
        if not value.strip() or not printable(value):
            raise ValueError
        return value

    return _field(Rule("a text that is not empty and can be printed", convert), default)


def printable(text: str) -> bool:
    """Whether a name can be shown and saved: no control characters, no half of a character."""
    return not any(unicodedata.category(c) in ("Cc", "Cs") for c in text)


def texts(default: Any = MISSING) -> Any:
    """Texts, kept as a tuple."""

    def convert(values: Any) -> tuple[str, ...]:
        if isinstance(values, str) or not all(isinstance(x, str) for x in values):
            raise TypeError
        return tuple(values)

    return _field(Rule("a list of texts", convert), default)


def count(default: Any = MISSING, *, least: int = 0, most: int | None = None) -> Any:
    """A whole number within bounds."""

    def convert(value: Any) -> int:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        n = operator.index(value)
        if n < least or (most is not None and n > most):
            raise ValueError
        return n

    return _field(
        Rule(f"a whole number, {f'{least} to {most}' if most is not None else f'at least {least}'}", convert), default
    )


def flag(default: Any = MISSING) -> Any:
    """True or False."""

    def convert(value: Any) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError
        return bool(value)

    return _field(Rule("True, False", convert), default)


def choice(options: Sequence[str], default: Any = MISSING) -> Any:
    """One of some words."""

    def convert(value: Any) -> str:
        if value not in options:
            raise ValueError
        return value

    return _field(Rule(", ".join(map(repr, options)), convert), default)


def instance(kind: Any, default: Any = MISSING, *, words: str = "", optional: bool = False) -> Any:
    """An object of a class."""

    def convert(value: Any) -> Any:
        if not (isinstance(value, kind) or (value is None and optional)):
            raise TypeError
        return value

    allowed = words or f"a {kind.__name__}"
    return _field(Rule(allowed + (", or None" if optional else ""), convert), default)


def instances(kind: type, default: Any = MISSING) -> Any:
    """A list of objects of a class, kept as a tuple."""

    def convert(values: Any) -> tuple[Any, ...]:
        if not isinstance(values, (list, tuple)):
            raise TypeError
        for value in values:
            if not isinstance(value, kind):
                raise MisfitError(f"it holds {shortened(repr(value))}")
        return tuple(values)

    return _field(Rule(f"a list of {kind.__name__} objects", convert), default)


def functions(default: Any = MISSING) -> Any:
    """A function, or a list of functions and numbers, or of such lists, kept as tuples."""

    def convert(value: Any) -> Any:
        if callable(value):
            return value
        if isinstance(value, str) or not value:
            raise TypeError
        return tuple(x if callable(x) else convert(x) if isinstance(x, (list, tuple)) else real(x) for x in value)

    return _field(Rule("a function, or a list of functions and numbers, or of such lists", convert), default)


def function_of_time(default: Any = MISSING) -> Any:
    """A number, or a function of the time t [s] that uses `stiction.trace`; what is no number only at some times shows
    in the run.
    """

    def convert(value: Any) -> Any:
        return value if callable(value) and timely(value) else real(value)

    return _field(
        Rule("a number, or a function of the time (that uses stiction.trace) which gives numbers", convert), default
    )


def timely(function: Callable[[float], Any]) -> bool:
    """Whether a function gives a number at t = 1 s; raises MisfitError where it fails."""
    try:
        value = function(1.0)
        sound = not isinstance(value, (str, bool)) and not math.isnan(float(value))
    except Exception as problem:
        raise MisfitError(f"it fails at t = 1 s: {problem}") from None
    if not sound:
        raise MisfitError(f"it gives {value!r} at t = 1 s")
    return True
