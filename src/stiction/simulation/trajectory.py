"""What a simulation did: named signals over time with their units, how it ended, where it stands, and what was run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError, unknown
from stiction.files.hdf5 import read_run, write_run
from stiction.patterns import fits
from stiction.show.figure import check, leave_open, save
from stiction.show.motion import Motion, figure
from stiction.simulation.state import State, of_place


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
        valid_until: of a batch, the time until which each run is good [s]; a run that leaves the numbers stays where it
            was.
        state: where the run stands at its end; `simulate(scene, ..., start=run.state)` goes on from it.
        parameters: values that were given for this run, or for each run of a batch, first values included, by name.
        aliases: names of signals, by their full names (part + output), which can be asked for, too.

    Example:
        >>> import numpy as np
        >>> from stiction import Trajectory
        >>> run = Trajectory(np.array([0.0, 0.1, 0.2]), {"mass.position": np.array([0.0, 1.0, 4.0])})
        >>> float(run["mass.position"][-1])
        4.0
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
    state: State | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        """The signal of this name, short or full."""
        short = self.aliases.get(name, name)
        if short not in self.signals:
            raise InputError(unknown("signal", name, "this run", self.signals, source="run.signals"))
        return self.signals[short]

    def __contains__(self, name: object) -> bool:
        """Whether there is a signal of this name, short or full."""
        return isinstance(name, str) and self.aliases.get(name, name) in self.signals

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else "no time"
        return f"<Trajectory {self.status}: {len(self.signals)} signals, {len(self.time)} records, {span}>"

    @property
    def diverged(self) -> np.ndarray:
        """Which runs left the numbers, (*batch,); of a single run, whether it did."""
        if self.valid_until is None:
            return np.array(self.status == "diverged")
        return self.valid_until < (self.time[-1] if len(self.time) else 0.0)

    def at(self, t: float) -> dict[str, Any]:
        """All signals at the record nearest to time t [s]."""
        if not len(self.time):
            raise InputError("this run has no records, so none is near any time")
        k = int(np.abs(self.time - t).argmin())
        return {name: x[k].item() if x.ndim == 1 else x[k] for name, x in self.signals.items()}

    def of(self, which: int | tuple[int, ...]) -> "Trajectory":
        """One run of a batch, by its place in it: signals (T,), its own parameters, state and status; one that diverged
        ends where it was still good, and has no state to go on from.

        Example:
            >>> import stiction
            >>> scene = stiction.Scene(robot=stiction.library.pendulum(1))
            >>> many = {"q.joint1": [0.1, 0.2, 0.3]}
            >>> runs = stiction.simulate(scene, duration=1.0, step=0.01, parameters=many)
            >>> runs.of(2)["q.joint1"].shape, runs.of(2).status, float(runs.of(2)["q.joint1"][0])
            ((101,), 'completed', 0.3)
        """
        place = self._place(which)
        good, lost = float(self.valid_until[place]), bool(self.diverged[place])  # type: ignore[index]
        name = f"run {', '.join(map(str, place))}"
        status, message = ("completed", "") if self.status == "diverged" else (self.status, self.message)
        if lost:
            first = self.message.startswith(f"{name}: ")
            status, message = "diverged", self.message if first else f"{name} left the numbers after {good:g} s"
        kept, batch = self.time <= good, self.diverged.shape
        return replace(
            self,
            time=self.time[kept],
            signals={key: x[(kept, *place)] for key, x in self.signals.items()},
            status=status,
            message=message,
            valid_until=None,
            state=self.state.of(place) if self.state and not lost else None,
            parameters=of_place(self.parameters, batch, place),
        )

    def _place(self, which: Any) -> tuple[int, ...]:
        """The place of a run in the batch."""
        if self.valid_until is None:
            raise InputError("this is one run and no batch; use it as it is")
        place, shape = which if isinstance(which, tuple) else (which,), self.valid_until.shape
        whole = all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in place)
        if not whole or len(place) != len(shape) or not all(-n <= i < n for i, n in zip(place, shape, strict=True)):
            raise InputError(f"there is no run {which!r} in this batch; allowed: a place in its shape {shape}")
        return tuple(int(i) % n for i, n in zip(place, shape, strict=True))

    def between(self, first: float, last: float) -> "Trajectory":
        """The part of the record with first ≤ time ≤ last [s]."""
        inside = (self.time >= first) & (self.time <= last)
        return replace(self, time=self.time[inside], signals={name: x[inside] for name, x in self.signals.items()})

    def only(self, *wanted: str) -> "Trajectory":
        """Some of the signals: by name, by the beginning of it, or by a pattern with *; by full names, where no shorter
        one fits.

        Example:
            >>> import stiction
            >>> scene = stiction.Scene(robot=stiction.library.two_link())
            >>> run = stiction.simulate(scene, duration=0.1, step=0.01)
            >>> list(run.only("q.", "*.elbow").signals)
            ['q.shoulder', 'q.elbow', 'v.elbow']
        """
        kept = {name for pattern in wanted for name in self._fitting(pattern)}
        return replace(self, signals={name: x for name, x in self.signals.items() if name in kept})

    def _fitting(self, pattern: str) -> list[str]:
        found = [name for name in self.signals if fits(name, pattern)]
        found = found or [x for full, x in self.aliases.items() if fits(full, pattern) and x in self.signals]
        if not found:
            raise InputError(unknown("signal", pattern, "this run", self.signals, source="run.signals"))
        return found

    def stack(self, start: str) -> np.ndarray:
        """The signals whose names begin so, side by side: (T, ..., how many).

        Example:
            >>> import stiction
            >>> scene = stiction.Scene(robot=stiction.library.two_link())
            >>> stiction.simulate(scene, duration=0.1, step=0.01).stack("q.").shape
            (11, 2)
        """
        return np.stack(list(self.only(start).signals.values()), axis=-1)

    def plot(self, *wanted: str, path: str | Path | None = None, title: str = "") -> Any:
        """Draw the run over time; needs matplotlib, which the extra `plot` installs.

        Each quantity has a panel, by its unit; what is on the motor's side of a gear has panels of its own. Modes of
        friction are coloured rows, one for each site. Up to 8 runs of a batch have a line each; of more the median is
        drawn, with bands that hold the middle 50 and 90 % of them, and of modes the shares of the runs that are in
        each. Runs that diverged are left out, and counted in the title.

        Args:
            wanted: signals, as `only` takes them; by default motion, friction, what drives it, and energies.
            path: of the file to write; its ending chooses the format.
            title: of the figure.

        Returns:
            The matplotlib figure; `pyplot.show()` shows it, unless it was written to a file.

        Example:
            >>> import stiction
            >>> friction = {"shoulder": stiction.Coulomb(level=0.2)}
            >>> scene = stiction.Scene(robot=stiction.library.two_link(), friction=friction, q=[0.3, 0.0])
            >>> run = stiction.simulate(scene, duration=1.0, step=1e-3, method="moreau", record=0.01)
            >>> picture = run.plot("q.*", "mode.*")
            >>> [ax.get_ylabel().split() for ax in picture.axes]
            [['position', '[rad]'], ['mode']]
        """
        if path is not None:
            check(Path(path))
        chosen = self.only(*wanted) if wanted else self
        picture = figure(chosen._motion(), chosen.signals if wanted else None, title)
        if path is None:
            leave_open(picture)
        else:
            save(picture, Path(path))
        return picture

    def _motion(self) -> Motion:
        """What can be drawn: the runs that did not diverge; a single one until it did."""
        lost = np.zeros(1, bool) if self.valid_until is None else self.diverged.reshape(-1)
        if not len(self.time) or not self.signals or lost.all():
            why = f"all {lost.size} runs diverged" if lost.all() else "it has no records, or no signals"
            raise InputError(f"there is nothing to draw of this run: {why}")
        shape = (1,) if self.valid_until is None else self.valid_until.shape
        varied = {name: x for name, x in self.parameters.items() if x.size > 1}
        return Motion(
            self.time,
            {name: x.reshape(len(x), -1)[:, ~lost] for name, x in self.signals.items()},
            self.units,
            {name: np.broadcast_to(x, shape).reshape(-1)[~lost] for name, x in varied.items()},
            int(lost.sum()),
        )

    def save(self, path: str | Path) -> None:
        """Write the run to a file: HDF5 (.h5 or .hdf5), which `load` reads without loss, or CSV (.csv)."""
        write_run(path, self)

    @staticmethod
    def load(path: str | Path) -> "Trajectory":
        """Read a run that `save` wrote as HDF5."""
        content = read_run(path)
        state = content.pop("state")
        return Trajectory(**content, state=State(**state) if state else None)
