"""What a user gives to a simulation: values of parameters and first values, by name, for one run or for many."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.simulation.values import common_shape, finite
from stiction.trace.parameters import Key

FEW = 6  # values that an error lists


class Given:
    """Parameters and first values that a user gave, by key.

    Attributes:
        names: the values, by what the user calls them.
        batch: the shape of the batch.
        parameters: values of parameters.
        start: first values of states.

    Args:
        values: by name.
        batch: the shape of the batch, at least.
        numbers: by which the user knows the runs, (runs,), where these are some of many.
    """

    def __init__(
        self, values: Mapping[str, Any], batch: tuple[int, ...] = (), numbers: np.ndarray | None = None
    ) -> None:
        self._numbers = numbers
        self.names = {name: finite(name, x) for name, x in values.items()}
        self.batch = common_shape(self.names, batch)
        self.parameters: dict[Key, np.ndarray] = {}
        self.start: dict[Key, np.ndarray] = {}

    def of_run(self, run: tuple[int, ...]) -> str:
        """What was given for one run of the batch, in words."""
        table = [(name, float(np.broadcast_to(x, self.batch)[run])) for name, x in self.names.items()]
        more = f" and {len(table) - FEW} more" if len(table) > FEW else ""
        return ", ".join(f"{name} = {x:g}" for name, x in table[:FEW]) + more

    def refusal(self, why: str, run: tuple[int, ...]) -> InputError:
        """An error with the run of the batch that it is about."""
        if not self.names:
            return InputError(why)
        place = run if self._numbers is None else (int(self._numbers[run]),)
        which = f"run {', '.join(map(str, place))} of the batch: " if self.batch else ""
        return InputError(f"parameters: {why} ({which}{self.of_run(run)})")


def place_of(number: int, batch: tuple[int, ...]) -> tuple[int, ...]:
    """The place of a run in a batch."""
    return tuple(map(int, np.unravel_index(number, batch))) if batch else ()
