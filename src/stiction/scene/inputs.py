"""What can come from outside while a scene is stepped: torques, commands, targets, and values of sources."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from stiction.control.pid import PID
from stiction.errors import InputError, unknown
from stiction.parts.source import Source
from stiction.scene.scene import Scene

Opener = Callable[[Scene], Scene]  # the scene with a plain number where the input comes in


def possible_inputs(scene: Scene) -> dict[str, Opener]:
    """Every input that a scene could have, by the name of the parameter that it becomes."""
    found: dict[str, Opener] = {}
    for joint in scene.joints:
        found[f"torque.{joint}"] = lambda s, j=joint: replace(s, torque={**s.torque, j: 0.0})  # type: ignore[misc]
    for joint, drive in scene.drives.items():
        if joint not in scene.control:
            found[f"drive.{joint}.command"] = lambda s, j=joint, d=drive: replace(  # type: ignore[misc]
                s, drives={**s.drives, j: replace(d, command=0.0)}
            )
    for joint, controller in scene.control.items():
        if isinstance(controller, PID):
            found[f"control.{joint}.target"] = lambda s, j=joint, c=controller: replace(  # type: ignore[misc]
                s, control={**s.control, j: replace(c, target=0.0)}
            )
    for name, part in scene.parts.items():
        if isinstance(part, Source) and len(part.functions) == 1:
            found[f"{name}.value"] = lambda s, n=name: replace(s, parts={**s.parts, n: Source(functions=(0.0,))})  # type: ignore[misc]
    return found


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
        scene = known[name](scene)
    return scene
