"""What computations on a robot take and give: ports of positions, velocities, gravity, and what has their shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError
from stiction.robot.units import position_units, velocity_unit
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

GRAVITY = (0.0, 0.0, -9.81)  # acceleration of free fall [m/s²], z up
_USUAL = np.array(GRAVITY)
VELOCITY, ACCELERATION, TORQUE = ("rad/s", "m/s"), ("rad/s²", "m/s²"), ("N·m", "N")  # along angles, along lengths


def positions(robot: Robot, role: str = "varying") -> Port:
    """The port of positions, (nq,)."""
    return Port("q", (robot.nq,), ", ".join(dict.fromkeys(position_units(robot).values())), role)


def velocities(robot: Robot, name: str = "v", units: tuple[str, str] = VELOCITY, role: str = "varying") -> Port:
    """The port of velocities, or of what has as many components, (nv,)."""
    return Port(name, (robot.nv,), velocity_unit(robot, *units), role)


def gravity_port() -> Port:
    """The port of gravity, (3,): one for all robots of a call."""
    return Port("gravity", (3,), "m/s²", "uniform")


def checked_gravity(gravity: Any) -> Any:
    """Refuse anything but one vector for all robots of a call."""
    if gravity is GRAVITY:
        return _USUAL
    if np.shape(gravity) != (3,):
        raise InputError(
            f"gravity has shape {np.shape(gravity)}; "
            "allowed: 3 numbers [m/s²] in the world's axes, the same for the whole call"
        )
    return gravity
