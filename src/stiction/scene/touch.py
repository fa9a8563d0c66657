"""What can touch what in a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stiction.contact.candidates import Candidates, Carrier
from stiction.contact.settings import Contacts
from stiction.dynamics.world import InWorld
from stiction.fields import SMALLEST
from stiction.parts.bodies import Fixed, FreeBody
from stiction.parts.contact import ContactPart
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.robot.shape import Shape
from stiction.spatial import Matrix, Pose, Vector, from_quaternion

if TYPE_CHECKING:
    from stiction.scene.scene import Scene

CONTACT = "contact"  # name of the part
ACROSS = 1e-12  # by which a direction may miss a plane
NEAR = 0.01  # of the smallest body: the gap from which on a candidate counts


def contact_part(scene: Scene) -> ContactPart | None:
    """The contacts of a scene as a part; None where nothing can touch."""
    settings = scene.contacts
    if settings is None:
        shapes = [s for part in scene.parts.values() for s in getattr(part, "shapes", ())]
        if not shapes:
            return None
        settings = Contacts()
    candidates = Candidates(carriers_of(scene), settings)
    if not candidates.listed:
        return None
    sizes = {name: _size(c.shapes) for name, c in candidates.carriers.items() if c.shapes}
    moving = [size for name, size in sizes.items() if candidates.carriers[name].moves and size > 0]
    return ContactPart(
        candidates=candidates,
        surfaces=tuple(candidates.surfaces),
        most=min(settings.most, len(candidates.listed)),
        margin=max(SMALLEST, NEAR * min(moving, default=1.0)),
        depths=tuple(settings.overlap * _smaller(sizes, (x.body, x.other)) for x in candidates.listed),
        push_out=settings.push_out,
        spring=(settings.stiffness, settings.damping),
        axis=_plane(scene, candidates),
    )


def _plane(scene: Scene, candidates: Candidates) -> tuple[int, int, int] | None:
    """The axis of the world across which all motion is, if robots move in a plane and touch only what stands across
    it.
    """
    moving = {name for name, carrier in candidates.carriers.items() if carrier.moves}
    named = {name for x in candidates.listed for name in (x.body, x.other) if name in moving}
    robots = {name.partition(".")[0] for name in named}
    if not robots <= set(scene.all_robots) or any(x.other in moving for x in candidates.listed):
        return None
    for k in range(3):
        faces = all(abs(face[k]) < ACROSS for target in candidates.faces for face in target)
        if faces and not candidates.lines and all(_turns_about(scene.all_robots[name], k) for name in robots):
            return tuple(int(j == k) for j in range(3))  # type: ignore[return-value]
    return None


def _turns_about(robot: Robot, k: int) -> bool:
    """Whether all joints turn about an axis of the world, or slide across it."""
    world = InWorld(robot.mechanism, list(robot.neutral))
    for body in robot.mechanism.bodies:
        if body.kind not in ("revolute", "prismatic"):
            return False
        axis = np.array(world.poses[body.index].rotation @ body.axis, float)
        along = abs(axis[k])
        if (body.kind == "revolute" and along < 1 - ACROSS) or (body.kind == "prismatic" and along > ACROSS):
            return False
    return True


def carriers_of(scene: Scene) -> list[Carrier]:
    """All that carries shapes: links of robots, bodies, and what does not move."""
    found = [carrier for name, robot in scene.all_robots.items() for carrier in _links(name, robot)]
    for name, part in scene.parts.items():
        if isinstance(part, FreeBody) and part.shapes:
            found.append(Carrier(name, part.shapes, True))
        elif isinstance(part, Fixed) and part.shapes:
            pose = Pose(from_quaternion(list(part.quaternion)), Vector(*part.position))
            found.append(Carrier(name, _placed(part.shapes, pose), False))
    return found


def _links(name: str, robot: Robot) -> list[Carrier]:
    """The links of a robot; those that one joint connects, or that are fixed to one body, are neighbours."""
    at = robot.assembly.attachments
    body = {link.name: at[link.name].body for link in robot.links}
    parents = {body[joint.child]: body[joint.parent] for joint in robot.moving_joints}
    found = []
    for link in robot.links:
        if not link.shapes:
            continue
        own = body[link.name]
        near = {other for other, b in body.items() if b == own or parents.get(b) == own or parents.get(own) == b}
        shapes = link.shapes if own >= 0 else _placed(link.shapes, _numbers(at[link.name].pose))
        found.append(Carrier(f"{name}.{link.name}", shapes, own >= 0, frozenset(f"{name}.{x}" for x in near)))
    return found


def _numbers(pose: Pose) -> Pose:
    return Pose(Matrix([[float(x) for x in row] for row in pose.rotation]), Vector(*map(float, pose.position)))


def _placed(shapes: Sequence[Shape], pose: Pose) -> list[Shape]:
    """Shapes in the world."""
    return [replace(shape, origin=Origin.from_pose(pose @ shape.origin.pose)) for shape in shapes]


def _smaller(sizes: Mapping[str, float], names: Sequence[str]) -> float:
    """The size of the smaller of two bodies [m]; of points and half-spaces, none counts."""
    return min([sizes[name] for name in names if sizes[name] > 0], default=np.inf)


def _size(shapes: Sequence[Shape]) -> float:
    """The smallest extent of what shapes fill [m]; 0 for points alone."""
    points = np.vstack([shape.points_here for shape in shapes])
    if len(points) == 0:
        return 0.0
    radius = max(shape.roundness for shape in shapes)
    extents = np.ptp(points, axis=0) + 2 * radius
    return float(min((x for x in extents if x > 0), default=0.0))
