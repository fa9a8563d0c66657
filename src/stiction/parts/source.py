"""Forces given in time."""

import copy
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stiction.fields import MisfitError, real, timely
from stiction.parts.kinds import Impedance, Ports
from stiction.parts.registry import PARTS
from stiction.parts.table import Table
from stiction.trace.functions import Scalar, clip
from stiction.trace.jumps import jumps
from stiction.trace.parameters import Parametric, Substitution

FEW = 16  # times at which a step is divided


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class Source(Impedance):
    """Forces given in time. Port: force out.

    Attributes:
        functions: one per number of the port: formulas of the time t [s] (`stiction.trace.functions`), or numbers.

    Example:
        >>> from stiction.parts import Source
        >>> Source(functions=(lambda t: 2 * t,)).force({}, [], 0.0, 3.0)
        ({'force': [6.0]}, [])
    """

    units = {"force": "N·m or N"}

    functions: tuple[Callable[[Scalar], Scalar] | float | Table, ...] = field()

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.functions
        try:
            if not isinstance(given, (tuple, list)) or not given:
                raise TypeError
            functions = tuple(f if callable(f) and timely(f) else real(f) for f in given)
        except (TypeError, ValueError) as problem:
            because = f" ({problem})" if isinstance(problem, MisfitError) else ""
            raise self.refusal(
                f"functions is {given!r}{because}; allowed: functions of the time t or numbers, one "
                "per number of the port"
            ) from None
        self._set("functions", functions)
        self._set("outputs", {"force": len(functions)})

    def with_parameters(self, substitution: Substitution) -> "Source":
        """The same with other numbers: "value", or "value.0", "value.1" of several; those of a table are inside it."""
        twin = copy.copy(self)
        names = ["value"] if len(self.functions) == 1 else [f"value.{k}" for k in range(len(self.functions))]
        twin._set("functions", tuple(map(lambda f, name: _replaced(f, name, substitution), self.functions, names)))
        return twin

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The functions' values at t."""
        return {"force": [f(t) if callable(f) else f for f in self.functions]}, []

    def mean_force(
        self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar, span: Scalar
    ) -> tuple[Ports, list[Scalar]]:
        """Their means over a step around t: the impulse is right though a load begins within the step."""
        return {"force": [_mean(f, t, span) if callable(f) else f for f in self.functions]}, []

    def breaks(self) -> list[float]:
        """Knots of short tables, and times with which formulas compare theirs."""
        return [x for f in self.functions if callable(f) for x in _breaks(f)]


def _breaks(function: Any) -> Sequence[float]:
    if isinstance(function, Table):
        return function.time if len(function.time) <= FEW else ()
    return jumps(function)[:FEW]


def _mean(function: Any, t: Scalar, span: Scalar) -> Scalar:
    """Mean of a function over a step around t: in the middle of each part that a jump leaves."""
    if isinstance(function, Table):
        return function.mean(t, span)
    known = _breaks(function)
    if not known:
        return function(t)
    first, last, total = t - span / 2, t + span / 2, 0
    edges = [first, *(clip(x, first, last) for x in known), last]
    for a, b in itertools.pairwise(edges):
        total = total + (b - a) * function((a + b) / 2)
    return total / span


def _replaced(function: Any, name: str, substitution: Substitution) -> Any:
    if isinstance(function, Parametric):
        return function.with_parameters(substitution.inside(name))
    return function if callable(function) else substitution(name, function)
