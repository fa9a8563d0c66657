"""The figure of a robot left to itself: joint angles and energies."""

from typing import Any

import numpy as np

from stiction.robot.robot import Robot
from stiction.show.figure import subplots
from stiction.simulation.passive import Fall


def figure(robot: Robot, fall: Fall) -> Any:
    """Joint angles above, energies below."""
    picture, (angles, energies) = subplots(2, 6.4, height_ratios=(3, 2))
    for name, q in zip(robot.position_names, fall.q.T, strict=True):
        angles.plot(fall.time, np.degrees(q), label=name)
    angles.set_title(f"{robot.name} falls without friction")
    angles.set_ylabel("joint angle [°]")
    angles.legend(ncols=1, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    total = fall.kinetic + fall.potential
    energies.plot(fall.time, fall.kinetic, label="kinetic")
    energies.plot(fall.time, fall.potential, label="potential")
    energies.plot(fall.time, total, color="black", label="total")
    energies.set_title(f"energy: the total stays within {fall.energy_drift:.1e} of the largest kinetic energy")
    energies.set_ylabel("energy [J]")
    energies.set_xlabel("time [s]")
    energies.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return picture
