"""Descriptions whose numbers can become inputs of a program, without their formulas noticing."""

import copy
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Self


class Numbered:
    """A dataclass of numbers, tuples of numbers and other such dataclasses; its methods are formulas over its fields."""

    def with_numbers(self, number: Callable[[str, float], Any]) -> Self:
        """The same object with each number replaced by what `number(name, value)` gives.

        A pair of equal numbers is one number: for friction that is the same both ways there is then nothing to choose.
        """
        twin = copy.copy(self)
        for f in fields(self):  # type: ignore[arg-type]
            object.__setattr__(twin, f.name, _replaced(getattr(self, f.name), f.name, number))
        return twin


def _replaced(value: Any, name: str, number: Callable[[str, float], Any]) -> Any:
    if isinstance(value, Numbered):
        return value.with_numbers(lambda inner, x: number(f"{name}.{inner}", x))
    if isinstance(value, float):
        return number(name, value)
    if isinstance(value, tuple) and value and all(isinstance(x, float) for x in value):
        if len(value) == 2 and value[0] == value[1]:
            return (number(name, value[0]),) * 2
        return tuple(number(f"{name}.{k}", x) for k, x in enumerate(value))
    return value
