"""What a simulation did: named signals over time, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stiction.errors import InputError, unknown


@dataclass(frozen=True)
class Trajectory:
    """The record of a run.

    Attributes:
        time: of the records [s], (T,).
        signals: by name, (T,) each.
        status: "completed", "interrupted" or "diverged".
        message: what happened, where it did not complete.

    Example:
        >>> import numpy as np
        >>> from stiction.simulation.trajectory import Trajectory
        >>> run = Trajectory(np.array([0.0, 0.1]), {"mass.position": np.array([0.0, 1.0])})
        >>> run["mass.position"][-1]
        np.float64(1.0)
    """

    time: np.ndarray
    signals: Mapping[str, np.ndarray]
    status: str = "completed"
    message: str = field(default="")

    def __getitem__(self, name: str) -> np.ndarray:
        """The signal of this name."""
        if name not in self.signals:
            raise InputError(unknown("signal", name, "this run", self.signals))
        return self.signals[name]

    def save_csv(self, path: Path) -> None:
        """Write the record as text: a column of times and one per signal, numbers to the last digit."""
        header = ",".join(["time", *self.signals])
        try:
            np.savetxt(path, np.column_stack([self.time, *self.signals.values()]), delimiter=",", header=header, comments="", fmt="%.17g")
        except OSError as error:
            raise InputError(f"cannot write '{path}': {error.strerror}") from None

    def at(self, t: float) -> dict[str, float]:
        """All signals at the record nearest to time t [s]."""
        k = int(np.abs(self.time - t).argmin())
        return {name: float(x[k]) for name, x in self.signals.items()}
