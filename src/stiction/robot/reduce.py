"""Smaller robots from larger ones: fixed joints merged away, joints locked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stiction.errors import RobotError, unknown
from stiction.fields import argument, number
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import Frame, Link
from stiction.robot.numbers import Numbers, inertia_of
from stiction.robot.origin import Origin
from stiction.spatial import NO_INERTIA, Inertia, Pose, Vector, about

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def merged(robot: Robot) -> Robot:
    """The same robot without fixed joints: links that hang on them become part of the links that carry them."""
    sites = robot.assembly.sites
    moving = [joint for joint in robot.joints if joint.kind != "fixed"]
    carrier = {-1: robot.root} | {sites[joint.child].body: joint.child for joint in moving}
    links = [_root(robot)]
    for joint in moving:
        body = robot.mechanism.bodies[sites[joint.child].body].inertia
        lumped = any(link.lumped for link in robot.links if sites[link.name].body == sites[joint.child].body)
        links.append(_link(joint.child, body, lumped))
    joints = [
        replace(joint, parent=carrier[sites[joint.parent].body], origin=_origin(robot, joint)) for joint in moving
    ]
    frames = [
        Frame(name=f.name, link=carrier[sites[f.name].body], origin=Origin.from_pose(sites[f.name].pose))
        for f in robot.frames
    ]
    return replace(robot, links=tuple(links), joints=tuple(joints), frames=tuple(frames))


def _root(robot: Robot) -> Link:
    """The root with all that is fixed to it."""
    parts = [link for link in robot.links if robot.assembly.sites[link.name].body < 0]
    total, number = NO_INERTIA, Numbers()
    for link in parts:
        total = total + inertia_of(number, link).seen_from(robot.assembly.sites[link.name].pose)
    return _link(robot.root, total, any(link.lumped for link in parts))


def _origin(robot: Robot, joint: Joint) -> Origin:
    pose = robot.assembly.sites[joint.parent].pose
    if np.array_equal([list(row) for row in pose.rotation], np.eye(3)) and not any(pose.position):
        return joint.origin
    return Origin.from_pose(pose @ joint.origin.pose)


def _link(name: str, body: Inertia, lumped: bool) -> Link:
    mass = float(body.mass)
    center = np.array(body.moment, float) / mass if mass else np.zeros(3)
    about_origin = np.array([list(row) for row in body.rotational], float)
    inertia = about_origin - mass * (center @ center * np.eye(3) - np.outer(center, center))
    return Link(name=name, mass=mass, center_of_mass=center.tolist(), inertia=inertia.tolist(), lumped=lumped)


def locked(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """The same robot with some joints of one degree of freedom held at given positions, as fixed joints."""
    if robot.coupling:
        raise RobotError(
            f"robot '{robot.name}' has a coupling of its motors, which locked joints would break; lock first, then give a smaller coupling"
        )
    known = [joint.name for joint in robot.joints if joint.kind in SINGLE]
    for name in positions:
        if name not in known:
            raise RobotError(f"robot '{robot.name}': " + unknown("joint of one degree of freedom", name, "it", known))
    return replace(
        robot,
        joints=tuple(
            _fixed(joint, positions[joint.name]) if joint.name in positions else joint for joint in robot.joints
        ),
    )


def _fixed(joint: Joint, position: float) -> Joint:
    position = argument(f"joint '{joint.name}'", "position", position, number(), RobotError)
    axis = Vector(*joint.axis)
    move = Pose(position=axis * position) if joint.kind == "prismatic" else Pose(about(axis, position))
    origin = joint.origin if position == 0 else Origin.from_pose(joint.origin.pose @ move)
    return Joint(name=joint.name, kind="fixed", parent=joint.parent, child=joint.child, origin=origin)
