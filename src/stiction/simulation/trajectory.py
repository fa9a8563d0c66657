"""What a simulation did: named signals over time with their units, how it ended, and what was run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError, unknown


@dataclass(frozen=True)
class Trajectory:
    """The record of a run.

    Attributes:
        time: of the records [s], (T,).
        signals: by name, (T,) each; (T, ...) for a batch.
        status: "completed", "interrupted" or "diverged".
        message: what happened, where it did not complete.
        units: of the signals, by name.
        origin: what was run and with what: texts by name.
        notes: what should be known about the run.
        calls: how often controllers that are Python functions were called.
        valid_until: of a batch, the time until which each run is good [s]; a run that leaves the numbers stays where it was.

    Example:
        >>> import numpy as np
        >>> from stiction import Trajectory
        >>> run = Trajectory(np.array([0.0, 0.1, 0.2]), {"mass.position": np.array([0.0, 1.0, 4.0])}, units={"mass.position": "m"})
        >>> run["mass.position"][-1]
        np.float64(4.0)
        >>> run.between(0.05, 0.15)["mass.position"]
        array([1.])
    """

    time: np.ndarray
    signals: Mapping[str, np.ndarray]
    status: str = "completed"
    message: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    origin: Mapping[str, str] = field(default_factory=dict)
    valid_until: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    calls: int = 0

    def __getitem__(self, name: str) -> np.ndarray:
        """The signal of this name."""
        if name not in self.signals:
            raise InputError(unknown("signal", name, "this run", self.signals))
        return self.signals[name]

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "no time"
        return f"<Trajectory {self.status}: {len(self.signals)} signals, {len(self.time)} records, {span}>"

    def at(self, t: float) -> dict[str, Any]:
        """All signals at the record nearest to time t [s]."""
        if not len(self.time):
            raise InputError("this run has no records, so none is near any time")
        k = int(np.abs(self.time - t).argmin())
        return {name: x[k].item() if x.ndim == 1 else x[k] for name, x in self.signals.items()}

    def between(self, first: float, last: float) -> "Trajectory":
        """The part of the record with first ≤ time ≤ last [s]."""
        inside = (self.time >= first) & (self.time <= last)
        return replace(self, time=self.time[inside], signals={name: x[inside] for name, x in self.signals.items()})

    def only(self, *starts: str) -> "Trajectory":
        """The signals whose names begin with one of these."""
        return replace(self, signals={name: x for name, x in self.signals.items() if name.startswith(starts)})

    def stack(self, start: str) -> np.ndarray:
        """The signals whose names begin so, side by side: (T, ..., how many).

        Example:
            >>> import stiction
            >>> scene = stiction.Scene(robot=stiction.library.two_link())
            >>> stiction.simulate(scene, duration=0.1, step=0.01).stack("q.").shape
            (11, 2)
        """
        part = self.only(start).signals
        if not part:
            raise InputError(f"no signal begins with '{start}'; this run has: {', '.join(self.signals)}")
        return np.stack(list(part.values()), axis=-1)

    def save(self, path: str | Path) -> None:
        """Write the run to a file: HDF5 (.h5), which `load` reads without loss, or CSV (.csv)."""
        path = Path(path)
        if path.suffix not in (".h5", ".csv"):
            raise InputError(f"cannot save a run as '{path.name}'; allowed endings: .h5, .csv")
        try:
            (self._save_hdf5 if path.suffix == ".h5" else self._save_csv)(path)
        except OSError as error:
            raise InputError(f"cannot write '{path}': {error}") from None

    def _save_csv(self, path: Path) -> None:
        if self.valid_until is not None:
            raise InputError("a batch of runs does not fit a CSV file; save it as .h5")
        names = [f"{name} [{self.units[name]}]" if name in self.units else name for name in self.signals]
        columns = np.column_stack([self.time, *self.signals.values()])
        np.savetxt(path, columns, delimiter=",", header=",".join(["time [s]", *names]), comments="", fmt="%.17g")

    def _save_hdf5(self, path: Path) -> None:
        import h5py

        with h5py.File(path, "w", track_order=True) as file:  # no times of writing: equal runs give equal bytes
            file.attrs.update({"status": self.status, "message": self.message, "format": "stiction run 1", "notes": "\n".join(self.notes), "calls": self.calls})
            file.create_group("origin").attrs.update(self.origin)
            time = file.create_dataset("time", data=self.time)
            time.attrs["units"] = "s"
            time.make_scale("time")
            if self.valid_until is not None:
                file.create_dataset("valid_until", data=self.valid_until).attrs["units"] = "s"
            group = file.create_group("signals", track_order=True)
            for name, x in self.signals.items():
                data = group.create_dataset(name.replace("/", "|"), data=x)  # a slash would make a folder
                data.attrs["name"] = name
                data.dims[0].attach_scale(time)
                data.attrs["units"] = self.units.get(name, "")

    @staticmethod
    def load(path: str | Path) -> "Trajectory":
        """Read a run that `save` wrote as HDF5."""
        import h5py

        try:
            with h5py.File(path, "r") as file:
                if file.attrs.get("format") != "stiction run 1":
                    raise InputError(f"{path} is an HDF5 file, but no run of stiction")
                data: dict[str, Any] = {x.attrs["name"]: x for x in file["signals"].values()}
                signals = {name: x[()] for name, x in data.items()}
                units = {name: x.attrs["units"] for name, x in data.items() if x.attrs["units"]}
                until = file["valid_until"][()] if "valid_until" in file else None
                origin = dict(file["origin"].attrs)
                notes = tuple(file.attrs["notes"].split("\n")) if file.attrs["notes"] else ()
                return Trajectory(file["time"][()], signals, file.attrs["status"], file.attrs["message"], units, origin, until, notes, int(file.attrs["calls"]))
        except FileNotFoundError:
            raise InputError(f"there is no file '{path}'") from None
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is a damaged run of stiction: {error}") from None
        except OSError:
            raise InputError(f"{path} is no HDF5 file, or a damaged one; a run is written by save('run.h5')") from None
