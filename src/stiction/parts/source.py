"""Forces given in time."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stiction.fields import MisfitError, real, timely
from stiction.parts.kinds import Impedance, Ports
from stiction.parts.registry import PARTS
from stiction.parts.table import Table
from stiction.trace.functions import Scalar
from stiction.trace.parameters import Parametric, Substitution


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


def _replaced(function: Any, name: str, substitution: Substitution) -> Any:
    if isinstance(function, Parametric):
        return function.with_parameters(substitution.inside(name))
    return function if callable(function) else substitution(name, function)
