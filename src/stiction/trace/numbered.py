"""Descriptions whose numbers can become inputs of a program, without their formulas noticing."""

import copy
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class Numbering:
    """Gives every number of a description its stand-in, by the number's full name.

    Attributes:
        stand_in: what stands for the number of this name and value.
        freed: names of numbers that must not be folded, even where they are 0.
        owner: what comes before the names, with its dot.
    """

    stand_in: Callable[[str, float], Any]
    freed: Collection[str] = ()
    owner: str = ""

    def __call__(self, name: str, value: float) -> Any:
        """The stand-in of a number."""
        return self.stand_in(self.owner + name, value)

    def inside(self, part: str) -> "Numbering":
        """The same for the numbers of a part."""
        return Numbering(self.stand_in, self.freed, f"{self.owner}{part}.")

    def is_freed(self, name: str) -> bool:
        """Whether this number must not be folded."""
        return self.owner + name in self.freed


class Numbered:
    """A dataclass of numbers, tuples of numbers and other such dataclasses; its methods are formulas over its fields.

    Attributes:
        first_values: fields that only say where states start, and so are no numbers of the formulas.
    """

    first_values: ClassVar[tuple[str, ...]] = ()

    def with_numbers(self, number: Numbering) -> Self:
        """The same object with each number replaced by its stand-in.

        A pair of equal numbers is one number: for friction that is the same both ways there is then nothing to choose.
        """
        twin = copy.copy(self)
        for f in fields(self):  # type: ignore[arg-type]
            if f.name not in self.first_values:
                object.__setattr__(twin, f.name, _replaced(getattr(self, f.name), f.name, number))
        return twin


def _replaced(value: Any, name: str, number: Numbering) -> Any:
    if isinstance(value, Numbered):
        return value.with_numbers(number.inside(name))
    if isinstance(value, float):
        return number(name, value)
    if isinstance(value, tuple) and value and all(isinstance(x, float) for x in value):
        if len(value) == 2 and value[0] == value[1]:
            return (number(name, value[0]),) * 2
        places = {3: "xyz", 4: "wxyz"}.get(len(value), range(len(value)))
        return tuple(number(f"{name}.{k}", x) for k, x in zip(places, value, strict=True))
    return value
