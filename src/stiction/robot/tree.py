"""The tree that links and joints must form: one root, no loops, every name known and used once."""

from collections import Counter
from collections.abc import Sequence

from stiction.errors import RobotError, unknown
from stiction.robot.joint import Joint
from stiction.robot.link import Frame, Link


def ordered_joints(
    owner: str, links: Sequence[Link], joints: Sequence[Joint], frames: Sequence[Frame]
) -> tuple[Joint, ...]:
    """The joints with parents before children, otherwise in the order given; refuses what is no tree."""
    if not links:
        raise RobotError(f"{owner}: it has no links; give at least one")
    _unique(owner, "link", [link.name for link in links])
    _unique(owner, "joint", [joint.name for joint in joints])
    names = [link.name for link in links]
    _unique(owner, "frame", [*names, *(frame.name for frame in frames)])
    for joint in joints:
        for role in ("parent", "child"):
            if getattr(joint, role) not in names:
                raise RobotError(
                    f"{owner}, joint '{joint.name}': "
                    + unknown(f"{role} link", getattr(joint, role), "this robot", names)
                )
    for frame in frames:
        if frame.link not in names:
            raise RobotError(f"{owner}, frame '{frame.name}': " + unknown("link", frame.link, "this robot", names))
    _one_parent(owner, names, joints)
    return _from_root(owner, names, joints)


def _unique(owner: str, what: str, names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise RobotError(
            f"{owner}: {what} name '{twice[0]}' is used more than once; give each {what} a name of its own"
        )


def _one_parent(owner: str, names: Sequence[str], joints: Sequence[Joint]) -> None:
    carriers: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in carriers:
            first = carriers[joint.child]
            raise RobotError(
                f"{owner}: link '{joint.child}' has two parents, by joints '{first.name}' and '{joint.name}'; "
                "a tree allows one. Remove one joint: loops are closed by constraints, not by joints"
            )
        carriers[joint.child] = joint
    roots = [name for name in names if name not in carriers]
    if len(roots) > 1:
        raise RobotError(
            f"{owner}: it has {len(roots)} roots ({', '.join(roots)}); allowed: one. Join the others to it, by a fixed joint if they rest"
        )
    if not roots:
        raise RobotError(
            f"{owner}: it has no root: joints {', '.join(j.name for j in joints)} form a loop; one link must have no parent"
        )


def _from_root(owner: str, names: Sequence[str], joints: Sequence[Joint]) -> tuple[Joint, ...]:
    reached = set(names) - {joint.child for joint in joints}
    waiting, placed = list(joints), []
    while waiting:
        ready = next((joint for joint in waiting if joint.parent in reached), None)
        if ready is None:
            raise RobotError(
                f"{owner}: joints {', '.join(j.name for j in waiting)} form a loop that is not tied to the root; open it"
            )
        waiting.remove(ready)
        reached.add(ready.child)
        placed.append(ready)
    return tuple(placed)
