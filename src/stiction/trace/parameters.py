"""Descriptions whose numbers are parameters: inputs of a program, without their formulas noticing.

A description says two things about itself: its parameters, which `with_parameters` replaces by what stands for them in
a program, and its structure, everything else, which decides what the program is. Equal structures share one program.
"""

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from stiction.trace.expression import Expr
from stiction.trace.structure import structure_of

Key = tuple[str, str]  # owner and field of a parameter
NUMBERS = (float, Expr)  # what a parameter is, or what already stands for it
Rows = Sequence[tuple[float, ...]]


@dataclass(frozen=True)
class Substitution:
    """Gives every parameter of a description its stand-in.

    Attributes:
        stand_in: what stands for the parameter with this key and value.
        varying: keys of parameters that must not be folded, even where they are 0.
        owner: whose parameters they are.
        path: what comes before the names of the fields, with its dot.
        table: what stands for a table of numbers with this key, for `lookup`: the rows themselves by default.
        noting: whether only the parameters are noted, and nobody uses the description that comes out.
    """

    stand_in: Callable[[Key, Any], Any]
    varying: Collection[Key] = ()
    owner: str = ""
    path: str = ""
    table: Callable[[Key, Rows], Any] = lambda _, rows: rows
    noting: bool = False

    def __call__(self, field: str, value: Any) -> Any:
        """The stand-in of a parameter."""
        return self.stand_in((self.owner, self.path + field), value)

    def internal(self, field: str, value: float) -> Any:
        """The stand-in of a number that follows from others, so that nobody sets it: its key has no owner."""
        return self.stand_in(("", f"{self.owner}.{self.path}{field}"), value)

    def of(self, owner: str) -> "Substitution":
        """The same for the parameters of an owner."""
        return replace(self, owner=owner, path="")

    def inside(self, field: str) -> "Substitution":
        """The same for the parameters of an object in a field."""
        return replace(self, path=f"{self.path}{field}.")

    def rows(self, field: str, rows: Rows) -> Any:
        """The stand-in of a table."""
        return self.table((self.owner, self.path + field), rows)

    def varies(self, field: str) -> bool:
        """Whether this parameter must not be folded."""
        return (self.owner, self.path + field) in self.varying


class Parametric:
    """A dataclass of numbers, tuples of numbers and other such dataclasses; its methods are formulas over its fields.

    Floats are parameters. Whole numbers in fields that are declared `int` are counts, which shape the program.

    Attributes:
        start_fields: fields that only say where states start, and so are no parameters of the formulas.
        transparent: fields whose parameters go by their own names: a friction site has a "level", not a "law.level".
        folded: fields whose numbers shape the program, and are no parameters.
        vanishing: fields that are left out of the program where they are 0, so that being 0 is structure (see
            `absent`).
        fading: the same, but where they are 0 in all runs alone: they can be varied from there.
        described: fields that no formula uses: they describe it to others.
        pairs: whether two equal numbers in a field are one parameter, as those of friction for both directions are.
    """

    start_fields: ClassVar[tuple[str, ...]] = ()
    transparent: ClassVar[tuple[str, ...]] = ()
    folded: ClassVar[tuple[str, ...]] = ()
    vanishing: ClassVar[tuple[str, ...]] = ()
    fading: ClassVar[tuple[str, ...]] = ()
    described: ClassVar[tuple[str, ...]] = ()
    pairs: ClassVar[bool] = True

    def with_parameters(self, substitution: Substitution) -> Self:
        """The same object with each parameter replaced by its stand-in.

        A pair of equal numbers is one parameter: for friction that is the same both ways there is then nothing to
        choose.
        """
        twin = copy.copy(self)
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            kept = f.name in (*self.start_fields, *self.folded, *self.described) or (
                f.name in self.vanishing and absent(value)
            )
            faded = f.name in self.fading and absent(value) and not substitution.varies(f.name)
            if not kept and (substitution.noting or not faded):
                inner = substitution if f.name in self.transparent else None
                object.__setattr__(twin, f.name, _replaced(value, f.name, substitution, inner, self.pairs))
        return twin

    def structure(self) -> tuple:
        """All that decides a program for this object, its parameters aside."""
        parametric = {f.name for f in fields(self)} - set(self.folded)  # type: ignore[arg-type]
        left_out = (*self.vanishing, *self.fading)
        found = []
        for name, value in vars(self).items():
            if name not in (*self.start_fields, *self.described) and not name.startswith("_"):  # what is found once
                folded = name not in parametric or (name in left_out and absent(value))
                found.append((name, structure_of(value, folded, self.arguments_of(name))))
        return (type(self).__qualname__, *found)

    def arguments_of(self, field: str) -> int:
        """How many numbers the functions in a field are called with."""
        return 1


def _replaced(
    value: Any, name: str, substitution: Substitution, transparent: Substitution | None, pairs: bool = True
) -> Any:
    if isinstance(value, Parametric):
        return value.with_parameters(transparent or substitution.inside(name))
    if isinstance(value, NUMBERS):
        return substitution(name, value)
    if isinstance(value, tuple) and value and all(isinstance(x, NUMBERS) for x in value):
        if (
            pairs
            and len(value) == 2
            and (value[0] is value[1] or (isinstance(value[0], float) and value[0] == value[1]))
        ):
            return (substitution(name, value[0]),) * 2
        return tuple(substitution(f"{name}.{k}", x) for k, x in zip(component_names(len(value)), value, strict=True))
    if isinstance(value, Mapping):
        return {key: _replaced(x, f"{name}.{key}", substitution, None, pairs) for key, x in value.items()}
    if isinstance(value, tuple) and any(isinstance(x, Parametric) for x in value):
        return tuple(_replaced(x, f"{name}.{k}", substitution, None) for k, x in enumerate(value))
    return value


def absent(value: Any) -> bool:
    """Whether a parameter, or an entry of a row, is 0 and left out of the program."""
    if isinstance(value, Expr):
        return value.op == "const" and value.data == 0
    return isinstance(value, (int, float)) and value == 0


def component_names(size: int) -> list[str]:
    """The names of the components of a vector: x, y, z of three, w, x, y, z of four, else 0, 1, 2 ..."""
    return list({3: "xyz", 4: "wxyz"}.get(size) or map(str, range(size)))
