"""What limits in robots' descriptions do in a scene: ends of ways, efforts of drives, and what is not kept."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from stiction.drive.drive import Drive
from stiction.fields import LARGEST
from stiction.robot.joint import SINGLE, Limits

if TYPE_CHECKING:
    from stiction.scene.scene import Scene


def described_limits(scene: Scene) -> dict[str, Limits]:
    """What robots' descriptions say of limits, by joint."""
    return {
        scene.key(robot, joint.name): joint.limits
        for robot, r in scene.all_robots.items()
        for joint in r.moving_joints
        if joint.limits is not None and joint.kind in SINGLE
    }


def has_ends(limits: Limits) -> bool:
    """Whether a way ends on some side."""
    return abs(limits.lower) < LARGEST or abs(limits.upper) < LARGEST


def limited_drive(scene: Scene, name: str) -> Drive | None:
    """The drive of a joint; one that names no limit gets that of the joint's description."""
    drive, limits = scene.drives.get(name), scene.described_limits.get(name)
    if drive is None or limits is None or scene.limits == "ignore" or not 0 < limits.effort < math.inf:
        return drive
    if _names_limit(drive) or not _keeps_effort(scene, name):
        return drive
    most = limits.effort / abs(drive.gear.ratio)
    return replace(drive, motor=replace(drive.motor, torque_limit=most)) if most < LARGEST else drive


def _names_limit(drive: Drive) -> bool:
    """Whether a drive has a limit of its own."""
    return drive.motor.torque_limit is not None or getattr(drive.motor, "current_limit", None) is not None


def _keeps_effort(scene: Scene, name: str) -> bool:
    """Whether a drive is at a joint that keeps a limit of effort: its own, or that of the joint's description."""
    if name not in scene.drives:
        return False
    drive, coupled = scene.drives[name], scene.all_robots[scene.joints[name][0]].coupling is not None
    return _names_limit(drive) or not coupled


def notes_of_limits(scene: Scene) -> list[str]:
    """What should be known of limits that do not act."""
    known = scene.described_limits
    if scene.limits == "ignore":
        ways = [name for name, limits in known.items() if has_ends(limits)]
        return [f"limits are ignored, those of the ways of {', '.join(ways)} among them"] if ways else []
    pushed = {*scene.torque, *scene.control, *scene.drives}
    free = [
        f"{name} {limits.effort:g}"
        for name, limits in known.items()
        if name in pushed and limits.effort < math.inf and not _keeps_effort(scene, name)
    ]
    why = "limits of effort act on drives that can be limited, and are not kept at"
    return [f"{why} {', '.join(free)} [N·m or N]"] if free else []
