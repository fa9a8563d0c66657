"""What can come from outside while a scene is stepped: torques, commands, targets, and values of sources."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from stiction.control.reference import Given
from stiction.errors import InputError, unknown
from stiction.parts.source import Source
from stiction.robot.units import motion_units
from stiction.scene.scene import Scene


class Input(NamedTuple):
    """Something that can come from outside.

    Attributes:
        opened: the scene with a plain number where it comes in.
        unit: of it.
    """

    opened: Callable[[Scene], Scene]
    unit: str


def possible_inputs(scene: Scene) -> dict[str, Input]:
    """Every input that a scene could have, by the name of the parameter that it becomes."""
    found: dict[str, Input] = {}
    units = {name: motion_units(scene.all_robots[robot])[inner] for name, (robot, inner) in scene.joints.items()}
    for joint in scene.joints:
        found[f"torque.{joint}"] = Input(partial(_with_torque, joint), units[joint]["torque"])
    for joint, drive in scene.drives.items():
        if joint not in scene.control and scene.joints[joint][0] not in scene.control:
            found[f"drive.{joint}.command"] = Input(partial(_with_command, joint), drive.motor.unit_of_command)
    for joint, value in scene.references.items():
        if isinstance(value, Given):
            found[f"reference.{joint}"] = Input(partial(_with_target, joint), units[scene.joints_of(joint)[0]]["q"])
    for name, part in scene.parts.items():
        if isinstance(part, Source) and len(part.functions) == 1:
            found[f"{name}.value"] = Input(partial(_with_value, name), part.unit("force"))
    return found


def _with_torque(joint: str, scene: Scene) -> Scene:
    return scene.replaced(torque={**scene.torque, joint: 0.0})


def _with_command(joint: str, scene: Scene) -> Scene:
    return scene.replaced(drives={**scene.drives, joint: replace(scene.drives[joint], command=0.0)})


def _with_target(joint: str, scene: Scene) -> Scene:
    return scene.replaced(reference={**scene.reference, joint: 0.0})  # type: ignore[dict-item]


def _with_value(name: str, scene: Scene) -> Scene:
    return scene.replaced(parts={**scene.parts, name: Source(functions=(0.0,))})


def input_names(scene: Scene, patterns: Sequence[str]) -> tuple[str, ...]:
    """The inputs that names and patterns ask for, in the order of the scene."""
    known = possible_inputs(scene)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise InputError(unknown("input", pattern, "this scene", known, "can take"))
    return tuple(name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns))


def with_inputs(scene: Scene, names: Sequence[str]) -> Scene:
    """The scene with its inputs as plain numbers, 0 at first."""
    known = possible_inputs(scene)
    for name in names:
        scene = known[name].opened(scene)
    return scene
