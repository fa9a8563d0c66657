"""The parameters of a network and a method: those that all runs share, and those that vary from run to run."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stiction.network.network import Network
from stiction.parts.robot_body import RobotBody
from stiction.trace.functions import Scalar, lookup
from stiction.trace.parameters import Key, Parametric, Rows, Substitution
from stiction.trace.program import Port
from stiction.trace.structure import NoKeyError, structure_of

FIRST = "first row of "


@dataclass(frozen=True)
class NoMethod(Parametric):
    """Stands for a method where programs need none."""


class TableRows:
    """The rows of one table among those of all, as programs see them."""

    def __init__(self, port: Any, first: Scalar) -> None:
        self.port, self.first = port, first

    def row(self, index: Scalar) -> Sequence[Scalar]:
        """Row number `index`."""
        return lookup(self.port, index + self.first)


class Parameters:
    """Values by key, split into shared and varying ones: what programs take before anything else.

    Attributes:
        shared: one value for all runs.
        varying: one value per run, (*batch,).
        batch: the shape of the batch; () for a single run.
        chosen: keys of those that the method chose, because nobody gave them.
    """

    chosen: tuple[Key, ...] = ()

    def __init__(
        self, network: Network, method: Any, varying: Mapping[Key, np.ndarray], batch: tuple[int, ...]
    ) -> None:
        self.network, self.method, self.batch = network, method, batch
        found: dict[Key, float] = {}

        def note(key: Key, value: float) -> float:
            found.setdefault(key, value)
            return value

        self.tables: dict[Key, Rows] = {}
        noted = Substitution(note, varying, table=lambda key, rows: self.tables.setdefault(key, rows), noting=True)
        self._substituted(noted)
        for tables in self._widths.values():
            first = 0
            for key in tables:  # where its rows begin is a number, so that how many there are shapes no program
                found["", f"{FIRST}{key}"] = float(first)
                first += len(self.tables[key])
        self.shared = {key: x for key, x in found.items() if key not in varying}
        self.varying = {key: np.broadcast_to(x, batch) for key, x in varying.items() if key in found}

    def _substituted(self, substitution: Substitution) -> tuple[Network, Any]:
        method = replace(substitution, path="method.")
        return self.network.with_parameters(substitution), self.method.with_parameters(method)

    def without_method(self) -> "Parameters":
        """Those of the network alone, so that methods share the programs that need none of them."""
        made = Parameters(self.network, NoMethod(), self.varying, self.batch)
        values = {key: x for key, x in self.shared.items() if key in made.shared and not key[1].startswith(FIRST)}
        return made.with_values(values)

    def with_values(self, chosen: Mapping[Key, Any]) -> "Parameters":
        """The same with some values replaced: arrays of the batch's shape vary, numbers are shared."""
        vary = {key: np.asarray(x, float) for key, x in chosen.items() if np.ndim(x)}
        made = copy.copy(self)
        made.varying = self.varying | vary
        made.shared = {key: x for key, x in self.shared.items() if key not in vary}
        made.shared |= {key: float(x) for key, x in chosen.items() if not np.ndim(x)}
        return made

    def with_choice(self, chosen: Mapping[Key, Any]) -> "Parameters":
        """The same with what the method chose."""
        made = self.with_values(chosen)
        made.chosen = tuple(dict.fromkeys((*self.chosen, *chosen)))
        return made

    def for_runs(self, varying: Mapping[Key, Any], batch: tuple[int, ...]) -> "Parameters":
        """The same for other runs, with the values that vary there."""
        made = copy.copy(self)
        made.batch, made.varying = batch, {key: np.broadcast_to(varying[key], batch) for key in self.varying}
        return made

    @cached_property
    def structure(self) -> tuple | None:
        """All that decides a program of network and method, values aside; None where users' own code is in it."""
        try:
            return self.network.structure(), structure_of(self.method)
        except NoKeyError:
            return None

    def key(self, *more: Any) -> tuple | None:
        """The key of a program of these parameters, for a purpose; None where only its trace tells what it does."""
        return None if self.structure is None else (*more, self.structure, tuple(self.varying))

    @property
    def _widths(self) -> dict[int, list[Key]]:
        """The tables, by how many columns they have."""
        found: dict[int, list[Key]] = {}
        for key, rows in self.tables.items():
            found.setdefault(len(rows[0]), []).append(key)
        return found

    @property
    def ports(self) -> list[Port]:
        """The ports that they enter programs by."""
        found = [Port("parameters", (len(self.shared),), "SI", "uniform")]
        found += [Port(f"tables{width}", (width,), "SI", "lookup") for width in self._widths]
        return found + ([Port("varying", (len(self.varying),), "SI")] if self.varying else [])

    @property
    def shared_arrays(self) -> list[np.ndarray]:
        """The values of all ports but the varying one."""
        found = [np.array(list(self.shared.values()), float)]
        for width, tables in self._widths.items():
            found.append(np.array([row for key in tables for row in self.tables[key]], float).reshape(-1, width))
        return found

    @property
    def varying_array(self) -> np.ndarray:
        """The values that vary, (*batch, how many)."""
        return np.stack(list(self.varying.values()), axis=-1) if self.varying else np.empty((*self.batch, 0))

    @property
    def arrays(self) -> list[np.ndarray]:
        """Their values, one array per port; the varying ones last, (*batch, how many)."""
        return [*self.shared_arrays, *([self.varying_array] if self.varying else [])]

    def traced(self, given: Sequence[Any]) -> tuple[Network, Any, Sequence[Any]]:
        """Network and method on what a program was given, and what else it was given."""
        table: dict[Key, Scalar] = dict(zip(self.shared, given[0], strict=True))
        left = iter(given[1:])
        rows: dict[Key, TableRows] = {}
        for tables in self._widths.values():
            port = next(left)
            rows |= {key: TableRows(port, table["", f"{FIRST}{key}"]) for key in tables}
        if self.varying:
            table |= dict(zip(self.varying, next(left), strict=True))
        stand_ins = Substitution(lambda key, _: table[key], self.varying, table=lambda key, _: rows[key])
        return *self._substituted(stand_ins), list(left)

    def _part(self, name: str, table: Mapping[Key, Any]) -> Any:
        substitution = Substitution(lambda key, _: table[key], self.varying, name)
        return self.network.parts[name].with_parameters(substitution)

    def in_arrays(self, name: str) -> Any:
        """A part with the values of all runs at once in its varying parameters, for checks."""
        return self._part(name, dict(self.shared) | self.varying)

    def of_run(self, name: str, run: tuple[int, ...]) -> Any:
        """A part in the numbers of one run of a batch."""
        return self._part(name, dict(self.shared) | {key: float(x[run]) for key, x in self.varying.items()})

    def variants(self, name: str, most: int = 64) -> list[Any]:
        """A part in numbers, once for each set of values that it has in some run; evenly some of them, where there are
        many.
        """
        mine = {key: x.reshape(-1) for key, x in self.varying.items() if key[0] == name}
        sets: Any = np.unique(np.stack(list(mine.values()), axis=-1), axis=0) if mine else np.empty((1, 0))
        made = []
        for values in sets[:: max(1, len(sets) // most)]:
            made.append(self._part(name, dict(self.shared) | dict(zip(mine, map(float, values), strict=True))))
        return made


def parameters_of(network: Network) -> dict[str, tuple[float, list[Key]]]:
    """The parameters of a network that users can set, by name: value and keys; several keys may share a name."""
    found: dict[Key, float] = {}
    network.with_parameters(Substitution(lambda key, x: found.setdefault(key, x), noting=True))
    for name, body in network.bodies.items():
        if isinstance(body, RobotBody):  # zeros of a robot are folded unless they vary
            found = {(name, field): x for field, x in body.robot.parameters.items()} | found
    named: dict[str, tuple[float, list[Key]]] = {}
    for key, x in found.items():
        name_ = network.labels.parameter(key)
        if name_ is not None:
            named.setdefault(name_, (x, []))[1].append(key)
    return named
