"""The figure of a run: positions, velocities and friction torques."""

from typing import Any

from stiction.show.figure import subplots
from stiction.simulation.scene import Scene
from stiction.simulation.trajectory import Trajectory


def figure(scene: Scene, run: Trajectory) -> Any:
    """Positions, velocities and, where there is any, friction, each over time."""
    panels = [("position [rad or m]", "q."), ("velocity [rad/s or m/s]", "v."), ("friction torque [N·m or N]", "friction.")]
    panels = [(label, prefix) for label, prefix in panels if any(name.startswith(prefix) for name in run.signals)]
    picture, axes = subplots(len(panels), 2.4 * len(panels))
    for ax, (label, prefix) in zip(axes, panels, strict=True):
        for name, x in run.signals.items():
            if name.startswith(prefix):
                ax.plot(run.time, x, label=name.removeprefix(prefix))
        ax.set_ylabel(label)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[0].set_title(scene.robot.name)
    axes[-1].set_xlabel("time [s]")
    return picture
