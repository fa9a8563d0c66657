"""Units of a robot's coordinates: which are angles and which lengths follows from the kinds of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

ANGLE: Mapping[str, str] = {"q": "rad", "v": "rad/s", "torque": "N·m"}
LENGTH: Mapping[str, str] = {"q": "m", "v": "m/s", "torque": "N"}
POSITIONS = {
    "prismatic": "m",
    "planar": "m m rad",
    "spherical": "1 1 1 1",
    "floating": "m m m 1 1 1 1",
    "universal": "rad rad",
}
VELOCITIES = {
    "prismatic": [LENGTH],
    "planar": [LENGTH, LENGTH, ANGLE],
    "spherical": [ANGLE] * 3,
    "floating": [ANGLE] * 3 + [LENGTH] * 3,
    "universal": [ANGLE] * 2,
}


def position_units(robot: Robot) -> dict[str, str]:
    """Units of the positions, by name; those of quaternions are 1."""
    units = [unit for joint in robot.moving_joints for unit in POSITIONS.get(joint.kind, "rad").split()]
    return dict(zip(robot.position_names, units, strict=True))


def motion_units(robot: Robot) -> dict[str, Mapping[str, str]]:
    """Units of the motion along each velocity, by its name: of the way "q", the velocity "v" and the "torque"."""
    units = [each for joint in robot.moving_joints for each in VELOCITIES.get(joint.kind, [ANGLE])]
    return dict(zip(robot.velocity_names, units, strict=True))


def velocity_unit(robot: Robot, angular: str, linear: str) -> str:
    """The unit of what has as many components as the velocities: one, or both where there are both."""
    turns, slides = (any(unit is kind for unit in motion_units(robot).values()) for kind in (ANGLE, LENGTH))
    return f"{angular}, {linear}" if turns and slides else linear if slides else angular
