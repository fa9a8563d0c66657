"""The figure of a run: positions, velocities and friction torques."""

from typing import Any

from stiction.errors import InputError
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory

PANELS = (("position", "q."), ("velocity", "v."), ("friction", "friction."))


def figure(run: Trajectory, title: str) -> Any:
    """Positions, velocities and, where there is any, friction, each over time."""
    panels = [(what, run.only(prefix), prefix) for what, prefix in PANELS]
    panels = [panel for panel in panels if panel[1].signals]
    if not panels:
        raise InputError(f"this run has no signals to draw; it has: {', '.join(run.signals)}")
    picture, axes = subplots(len(panels), 2.4 * len(panels), squeeze=False)
    for ax, (what, part, prefix) in zip(axes[:, 0], panels, strict=True):
        for name, x in part.signals.items():
            ax.plot(part.time, x, label=name.removeprefix(prefix))
        units = sorted({part.units.get(name, "") for name in part.signals})
        ax.set_ylabel(f"{what} [{' or '.join(units)}]")
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[0, 0].set_title(title)
    axes[-1, 0].set_xlabel("time [s]")
    return picture
