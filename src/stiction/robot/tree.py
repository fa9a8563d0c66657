"""The tree that links and joints must form: one root, no loops, every name known and used once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stiction.errors import unknown
from stiction.robot.joint import Joint

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def ordered_joints(robot: Robot) -> tuple[Joint, ...]:
    """The joints with parents before children, otherwise in the order given; refuses what is no tree."""
    if not robot.links:
        raise robot.refusal("it has no links; give at least one")
    names = [link.name for link in robot.links]
    _check_unique(robot, "link", names)
    _check_unique(robot, "joint", [joint.name for joint in robot.joints])
    _check_unique(robot, "frame", [*names, *(frame.name for frame in robot.frames)])
    for joint in robot.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                raise robot.refusal(f"joint '{joint.name}': " + unknown(f"{role} link", link, "this robot", names))
    for frame in robot.frames:
        if frame.link not in names:
            raise robot.refusal(f"frame '{frame.name}': " + unknown("link", frame.link, "this robot", names))
    _check_parents(robot, names)
    return _from_root(robot, names)


def _check_unique(robot: Robot, what: str, names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise robot.refusal(f"{what} name '{twice[0]}' is used more than once; give each {what} a name of its own")


def _check_parents(robot: Robot, names: Sequence[str]) -> None:
    """Every link but one has one parent."""
    carriers: dict[str, Joint] = {}
    for joint in robot.joints:
        if joint.child in carriers:
            first = carriers[joint.child]
            raise robot.refusal(
                f"link '{joint.child}' has two parents, by joints '{first.name}' and '{joint.name}'; "
                "a tree allows one. Remove one joint: loops are closed by constraints, not by joints"
            )
        carriers[joint.child] = joint
    roots = [name for name in names if name not in carriers]
    if len(roots) > 1:
        raise robot.refusal(
            f"it has {len(roots)} roots ({', '.join(roots)}); allowed: one. "
            "Join the others to it, by a fixed joint if they rest"
        )
    if not roots:
        loop = ", ".join(joint.name for joint in robot.joints)
        raise robot.refusal(f"it has no root: joints {loop} form a loop; one link must have no parent")


def _from_root(robot: Robot, names: Sequence[str]) -> tuple[Joint, ...]:
    reached = set(names) - {joint.child for joint in robot.joints}
    waiting, placed = list(robot.joints), []
    while waiting:
        ready = next((joint for joint in waiting if joint.parent in reached), None)
        if ready is None:
            loop = ", ".join(joint.name for joint in waiting)
            raise robot.refusal(f"joints {loop} form a loop that is not tied to the root; open it")
        waiting.remove(ready)
        reached.add(ready.child)
        placed.append(ready)
    return tuple(placed)
