"""Parts that differ by numbers alone: many of them run in one loop, so that a program does not grow with them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from stiction.parts.kinds import Part
from stiction.trace.array import Array
from stiction.trace.expression import graph_of
from stiction.trace.functions import Scalar
from stiction.trace.grid import LOOP_FROM, column, each
from stiction.trace.parameters import Substitution
from stiction.trace.structure import NoKeyError, structure_of

Formula = Callable[[str, Any, list[Scalar]], Sequence[Scalar]]  # name, part, numbers; in a loop the first name


class _TableError(Exception):
    """A part has a table, which no number stands for."""


def numbers_of(part: Part) -> list[Scalar]:
    """All parameters of a part, in numbers or in what stands for them."""
    found: list[Scalar] = []

    def note(_: Any, x: Scalar) -> Scalar:
        found.append(x)
        return x

    def refuse(*_: Any) -> None:
        raise _TableError

    part.with_parameters(Substitution(note, table=refuse))
    return found


def with_numbers(part: Any, numbers: Sequence[Scalar]) -> Any:
    """A part with other parameters."""
    left = iter(numbers)
    return part.with_parameters(Substitution(lambda *_: next(left)))


def kinds_of(parts: Mapping[str, Part]) -> dict[str, Hashable]:
    """What stands for all about a part but its numbers, by name: parts of one kind differ by numbers alone."""
    found: dict[str, Hashable] = {}
    for name, part in parts.items():
        try:
            found[name] = (type(part), structure_of(part), len(numbers_of(part)))
        except (NoKeyError, _TableError):
            found[name] = name
    return found


def for_all(
    names: Sequence[str],
    parts: Mapping[str, Any],
    kinds: Mapping[str, Hashable],
    given: Mapping[str, list[Scalar]],
    formula: Formula,
    shared: bool = False,
) -> dict[str, list[Scalar]]:
    """A formula of a part and some numbers, for several parts; in one loop for those of a kind, if they are many.
    `shared`: results that are the same in all runs and steps are to stay so, which takes them out of the loop.
    """
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        groups.setdefault((kinds[name], len(given[name])), []).append(name)
    found: dict[str, list[Scalar]] = {}
    for group in groups.values():
        rows = [[*numbers_of(parts[name]), *given[name]] for name in group] if len(group) >= LOOP_FROM else []
        graph = graph_of([x for row in rows for x in row])
        if graph is None or not rows[0]:
            found |= {name: list(formula(name, parts[name], given[name])) for name in group}
        else:
            first, size = group[0], len(given[group[0]])
            found |= dict(zip(group, _in_loop(first, parts[first], rows, size, formula, shared), strict=True))
    return found


def _in_loop(
    name: str, part: Any, rows: list[list[Scalar]], given: int, formula: Formula, shared: bool
) -> list[list[Scalar]]:
    """The formula for parts that differ from one by numbers alone, which come first in their rows."""
    graph = graph_of([x for row in rows for x in row])
    assert graph is not None

    like = [graph.constant(0.0)]
    columns = [column(x, like) for x in zip(*rows, strict=True)]
    split = len(columns) - given

    def run(k: Any) -> Sequence[Scalar]:
        numbers = [x[k] for x in columns]
        return formula(name, with_numbers(part, numbers[:split]), numbers[split:])

    count = len(run(graph.constant(0.0)))
    results = [Array(len(rows), like) for _ in range(count)]
    known: dict[int, Any] = {}  # what is the same for all, whatever their numbers

    outside: set[int] = set()  # what does not change from run to run, and from step to step

    def one(k: Any) -> None:
        for j, x in enumerate(map(graph.wrap, run(k))):
            if x.op == "const":
                known[j] = x
            elif shared and not x.varying:
                outside.add(j)
            else:
                results[j][k] = x

    if count:
        each(len(rows), one, like)
    apart = [formula(name, with_numbers(part, row[:split]), list(row[split:])) for row in rows if outside]
    return [
        [known[j] if j in known else apart[k][j] if j in outside else results[j][k] for j in range(count)]
        for k in range(len(rows))
    ]
