"""Robots made from another: fixed joints merged, joints locked, frames added. Its functions are methods of `Robot`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stiction.errors import unknown
from stiction.fields import argument, number
from stiction.robot.assembly import inertia_of
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import Frame, Link
from stiction.robot.origin import Origin
from stiction.robot.shape import Shape
from stiction.robot.substitution import Substitution
from stiction.spatial import NO_INERTIA, Inertia, Pose, Vector, about

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def merged(robot: Robot) -> Robot:
    """The same robot without fixed joints; what hangs on them becomes part of the link that carries it.

    Example:
        >>> import stiction
        >>> [link.name for link in stiction.library.manutec_r3().robot.merged().links][-2:]
        ['link5', 'link6']
    """
    at = robot.assembly.attachments
    moving = robot.moving_joints
    carrier = {-1: robot.root} | {at[joint.child].body: joint.child for joint in moving}
    joints = [replace(joint, parent=carrier[at[joint.parent].body], origin=_origin(robot, joint)) for joint in moving]
    frames = [
        Frame(name=frame.name, link=carrier[at[frame.name].body], origin=Origin.from_pose(at[frame.name].pose))
        for frame in robot.frames
    ]
    links = [_merged_link(robot, body, name) for body, name in carrier.items()]
    return replace(robot, links=links, joints=joints, frames=frames)


def _merged_link(robot: Robot, body: int, name: str) -> Link:
    """The link of this name with all that is fixed to it; −1 is the root, which is no body of the mechanism."""
    parts = [link for link in robot.links if robot.assembly.attachments[link.name].body == body]
    total = _root_inertia(robot, parts) if body < 0 else robot.mechanism.bodies[body].inertia
    mass = float(total.mass)
    center = np.array(total.moment, float) / mass if mass else np.zeros(3)
    about_origin = np.array([list(row) for row in total.rotational], float)
    inertia = about_origin - mass * (center @ center * np.eye(3) - np.outer(center, center))
    lumped = any(link.lumped for link in parts)
    shapes = [_carried(shape, robot.assembly.attachments[link.name].pose) for link in parts for shape in link.shapes]
    return Link(
        name=name, mass=mass, center_of_mass=center.tolist(), inertia=inertia.tolist(), lumped=lumped, shapes=shapes
    )


def _carried(shape: Shape, pose: Pose) -> Shape:
    """A shape in the frame of what carries its link."""
    return replace(shape, origin=Origin.from_pose(pose @ shape.origin.pose))


def _root_inertia(robot: Robot, parts: list[Link]) -> Inertia:
    total, floats = NO_INERTIA, Substitution()
    for link in parts:
        total = total + inertia_of(floats, link).seen_from(robot.assembly.attachments[link.name].pose)
    return total


def _origin(robot: Robot, joint: Joint) -> Origin:
    """Where a joint stands in the link that carries its parent; unchanged to the last bit where that is its parent."""
    pose = robot.assembly.attachments[joint.parent].pose
    if np.array_equal([list(row) for row in pose.rotation], np.eye(3)) and not any(pose.position):
        return joint.origin
    return Origin.from_pose(pose @ joint.origin.pose)


def lock(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """The same robot with some joints of one degree of freedom held at given positions [rad or m], as fixed joints.

    Example:
        >>> import stiction
        >>> stiction.library.puma560().lock({"joint4": 0.0, "joint6": 0.5}).nv
        4
    """
    if robot.coupling:
        raise robot.refusal(
            "it has a coupling of its motors, which locked joints would break; lock first, then give a smaller coupling"
        )
    known = [joint.name for joint in robot.joints if joint.kind in SINGLE]
    for name in positions:
        if name not in known:
            raise robot.refusal(unknown("joint of one degree of freedom", name, "it", known))
    joints = [_fixed(joint, positions[joint.name]) if joint.name in positions else joint for joint in robot.joints]
    return replace(robot, joints=joints)


def _fixed(joint: Joint, position: float) -> Joint:
    position = argument(f"joint '{joint.name}'", "position", position, number(), joint.error)
    axis = Vector(*joint.axis)
    move = Pose(position=axis * position) if joint.kind == "prismatic" else Pose(about(axis, position))
    origin = joint.origin if position == 0 else Origin.from_pose(joint.origin.pose @ move)
    return Joint(name=joint.name, kind="fixed", parent=joint.parent, child=joint.child, origin=origin)


def without_mimics(robot: Robot) -> Robot:
    """The same robot with its mimic joints free to move on their own.

    Example:
        >>> import stiction
        >>> stiction.library.two_link().without_mimics().nv
        2
    """
    return replace(robot, joints=[replace(joint, mimic=None) for joint in robot.joints])


def with_frames(robot: Robot, *frames: Frame) -> Robot:
    """The same robot with more frames.

    Example:
        >>> import stiction
        >>> arm = stiction.library.two_link().with_frames(stiction.Frame(name="pen", link="forearm"))
        >>> [frame.name for frame in arm.frames]
        ['tip', 'pen']
    """
    return replace(robot, frames=(*robot.frames, *frames))
