"""Where a run stands: every number that decides how it goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stiction.errors import InputError, unknown
from stiction.network.layout import MARK, MEMORY, POSITION, STATE, VELOCITY, Slot

PHYSICAL = (POSITION, VELOCITY, STATE, MEMORY)
OBSERVING = ("lasting_mode", "seen", "switches", "fastest")  # marks that decide nothing
METERS = ("copper", "supplied")  # states of motors that only count


@dataclass(frozen=True)
class State:
    """The state of a run at the end of a step; `simulate(scene, ..., start=state)` goes on from it.

    Attributes:
        values: of the slots, (slots,) or (*batch, slots).
        names: of the slots.
        units: of the slots.
        kinds: of the slots: "position", "velocity", "state", "memory", "mark", "work" or "method".
        tick: steps since the start; (*batch,) where runs have times of their own.
        step: [s].
        parameters: that were replaced, by name; a run that goes on has them unless it is given others.
        chosen: parameters that the method chose for this step because nobody gave them, by name.
        seed: of the noise of sensors.

    Example:
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5])
        >>> half = stiction.simulate(scene, duration=0.5, step=1e-3)
        >>> rest = stiction.simulate(scene, duration=0.5, step=1e-3, start=half.state)
        >>> whole = stiction.simulate(scene, duration=1.0, step=1e-3)
        >>> bool(rest["q.joint1"][-1] == whole["q.joint1"][-1])  # to the last bit
        True
    """

    values: np.ndarray
    names: tuple[str, ...]
    units: tuple[str, ...]
    kinds: tuple[str, ...]
    tick: Any
    step: float
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)
    chosen: Mapping[str, np.ndarray] = field(default_factory=dict)
    seed: int = 0

    @property
    def time(self) -> Any:
        """Time since the start [s]."""
        return self.tick * self.step

    def __getitem__(self, name: str) -> np.ndarray:
        """The slot of this name, () or (*batch,)."""
        if name not in self.names:
            raise InputError(unknown("slot", name, "this state", self.names, source="state.names"))
        return self.values[..., self.names.index(name)]

    def of(self, place: tuple[int, ...]) -> "State":
        """The state of one run of a batch."""
        batch = self.values.shape[:-1]
        return replace(
            self,
            values=self.values[place].copy(),
            tick=np.broadcast_to(self.tick, batch)[place].item(),
            parameters=of_place(self.parameters, batch, place),
            chosen=of_place(self.chosen, batch, place),
        )

    def __repr__(self) -> str:
        first = float(np.ravel(self.time)[0])
        return f"<State at {first:g} s: {len(self.names)} slots, batch {self.values.shape[:-1]}>"


def of_place(table: Mapping[str, np.ndarray], batch: tuple[int, ...], place: tuple[int, ...]) -> dict[str, np.ndarray]:
    """The values of one run of a batch, by name."""
    return {name: np.broadcast_to(x, batch)[place].copy() for name, x in table.items()}


def state_of(
    slots: Sequence[Slot],
    values: np.ndarray,
    tick: Any,
    step: float,
    parameters: Mapping[str, Any],
    chosen: Mapping[str, Any],
    seed: int = 0,
) -> State:
    """The state with these values."""
    names, units, kinds = (tuple(getattr(slot, what) for slot in slots) for what in ("name", "unit", "kind"))
    given, found = ({name: np.array(x, float) for name, x in table.items()} for table in (parameters, chosen))
    return State(values, names, units, kinds, tick, step, given, found, seed)


def values_for(slots: Sequence[Slot], state: State, first: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """The values of these slots in a state, and its ticks for steps of this length.

    What only observes begins anew if it is not there.
    """
    ticks = np.round(np.asarray(state.time) / step)
    if (np.abs(state.time / step - ticks) > 1e-6).any():
        raise InputError(
            f"start is a state at {np.ravel(state.time)[0]:g} s, which is no whole number of steps of {step:g} s; "
            "choose a step that divides it"
        )
    known = {slot.name for slot in slots}
    foreign = [
        name
        for name, kind in zip(state.names, state.kinds, strict=True)
        if name not in known and kind in PHYSICAL and not name.startswith(("loss.copper.", "work.supply."))
    ]
    if foreign:
        raise InputError(f"start is the state of another scene or method: this one has no '{foreign[0]}'")
    batch = _batch(state.values.shape[:-1], first.shape[:-1])
    values = np.broadcast_to(first, (*batch, len(slots))).copy()
    for k, slot in enumerate(slots):
        if slot.name in state.names:
            values[..., k] = state[slot.name]
        elif slot.key[1] in METERS:
            values[..., k] = 0.0  # counts from here on
        elif slot.kind in PHYSICAL or (slot.kind == MARK and slot.key[1] not in OBSERVING):
            raise InputError(f"start is the state of another scene or method: it has no '{slot.name}'")
    return values, ticks


def _batch(given: tuple[int, ...], runs: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the batch that goes on from a state."""
    try:
        return np.broadcast_shapes(given, runs)
    except ValueError:
        raise InputError(f"start is the state of runs of shape {given}; this simulation has {runs}") from None
