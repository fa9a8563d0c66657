"""What stands for each parameter of a robot in its formulas: a folded constant, a replacement, or an input.

One walk over the description (`Assembly`) asks for every parameter by name. What comes back decides what the formulas
run on: the value itself (floats), a symbol, an input that is the same for all lanes, or one that varies from lane to
lane because the user replaced it. Zeros are structure and folded everywhere; in rotations and axes so is what lies
within 1e−15 of 0 or ±1.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stiction.spatial import Vector
from stiction.trace.functions import sqrt

FOLDED = 1e-15
COMPONENTS = ("x", "y", "z")


class Substitution:
    """Answers the walk: folds what is structure, puts in what the user replaced, asks `choose` for the rest.

    Args:
        choose: what stands for a parameter that is neither folded nor replaced, given its place among these, its name
            (empty for entries of rotations) and its value; the value itself by default.
        replaced: what stands for the parameters that the user replaced, by name.

    Attributes:
        names: of the parameters that are neither folded nor replaced, in the order of the walk.
        values: of the same [SI].
        pattern: what became of each parameter asked for; equal patterns mean equal programs.
        offered: every parameter that can be replaced, by name, with its value [SI].
    """

    def __init__(
        self, choose: Callable[[int, str, float], Any] | None = None, replaced: Mapping[str, Any] | None = None
    ) -> None:
        self.choose = choose or (lambda _, __, value: value)
        self.replaced = replaced or {}
        self.names: list[str] = []
        self.values: list[float] = []
        self.pattern: list[str] = []
        self.offered: dict[str, float] = {}

    def __call__(self, name: str, value: float, direction: bool = False) -> Any:
        """What stands for this parameter; `direction` says that it belongs to a unit vector."""
        self.offered[name] = value
        if name in self.replaced:
            self.pattern.append(f"r{list(self.replaced).index(name)}")
            return self.replaced[name]
        return self._folded_or_chosen(name, value, direction)

    def derived(self, value: float) -> Any:
        """What stands for an entry of a rotation: it follows from angles, so it has no name of its own."""
        return self._folded_or_chosen("", value, direction=True)

    def _folded_or_chosen(self, name: str, value: float, direction: bool) -> Any:
        for folded in (0, 1, -1) if direction else (0,):
            if abs(value - folded) <= (FOLDED if direction else 0.0):
                self.pattern.append("0+-"[folded])
                return folded
        self.pattern.append("u")
        self.names.append(name)
        self.values.append(value)
        return self.choose(len(self.values) - 1, name, value)

    def vector(self, name: str, values: Sequence[float]) -> Vector:
        """What stands for the three components of a vector."""
        return Vector(*(self(f"{name}.{c}", x) for c, x in zip(COMPONENTS, values, strict=True)))

    def direction(self, name: str, values: Sequence[float]) -> Vector:
        """What stands for a unit vector; made one in the program where a component is replaced."""
        names = [f"{name}.{c}" for c in COMPONENTS]
        x, y, z = (self(n, value, direction=True) for n, value in zip(names, values, strict=True))
        if not self.replaced.keys() & set(names):
            return Vector(x, y, z)
        return Vector(x, y, z) * (1 / sqrt(x * x + y * y + z * z))
