"""The figure of a run: positions, velocities, friction and energy."""

from typing import Any

from stiction.errors import InputError
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory

QUANTITIES = {
    "position": ("rad", "m", "1 or m"),
    "velocity": ("rad/s", "m/s", "rad/s or m/s"),
    "torque": ("N·m", "N", "N·m or N"),
    "energy": ("J",),
}
ASIDE = ("margin.", "fastest.", "bend.", "residual", "torque.")  # drawn only where nothing else of its kind is there
MOST = 12  # lines in a panel


def figure(run: Trajectory, title: str) -> Any:
    """What has a unit, over time: one panel for each quantity."""
    panels = {what: _signals(run, units) for what, units in QUANTITIES.items()}
    panels = {what: names for what, names in panels.items() if names}
    if not panels:
        raise InputError(f"this run has no signals to draw; it has: {', '.join(run.signals)}")
    if any(run[name].ndim > 1 for names in panels.values() for name in names):
        raise InputError("this is a batch of runs; draw one of them, such as run.of(0)")
    picture, axes = subplots(len(panels), 2.2 * len(panels) + 0.6, squeeze=False)
    for ax, (what, names) in zip(axes[:, 0], panels.items(), strict=True):
        for name in names[:MOST]:
            ax.plot(run.time, run[name], label=name)
        units = list(dict.fromkeys(run.units[name] for name in names))
        ax.set_ylabel(f"{'force' if units == ['N'] else what} [{' or '.join(units)}]")
        ax.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), title=f"{MOST} of {len(names)}" if len(names) > MOST else None
        )
    axes[0, 0].set_title(title)
    axes[-1, 0].set_xlabel("time [s]")
    return picture


def _signals(run: Trajectory, units: tuple[str, ...]) -> list[str]:
    found = [name for name in run.signals if run.units.get(name) in units]
    return [name for name in found if not name.startswith(ASIDE)] or found
