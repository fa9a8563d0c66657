"""Where the bodies are and how fast they move; Jacobians of frames and their rates."""

from typing import NamedTuple

from stiction.dynamics.mechanism import Mechanism
from stiction.spatial import AT_REST, Matrix, Pose, Twist
from stiction.trace.functions import Scalar

AXES = ("body", "aligned", "world")


class Attachment(NamedTuple):
    """A frame fixed to a body: the body's index (−1: the world) and the frame's pose in it."""

    body: int
    pose: Pose


def placements(m: Mechanism, q: list[Scalar]) -> list[Pose]:
    """Pose of each body in its parent's frame."""
    return [body.pose(q) for body in m.bodies]


def world_poses(m: Mechanism, placed: list[Pose]) -> list[Pose]:
    """Pose of each body in the world."""
    poses: list[Pose] = []
    for body, X in zip(m.bodies, placed, strict=True):
        poses.append(poses[body.parent] @ X if body.parent >= 0 else X)
    return poses


def twists(m: Mechanism, placed: list[Pose], v: list[Scalar]) -> list[Twist]:
    """Twist of each body relative to the world, in its own frame."""
    found: list[Twist] = []
    for body, X in zip(m.bodies, placed, strict=True):
        carried = X.twist_in(found[body.parent]) if body.parent >= 0 else AT_REST
        found.append(carried + body.twist(v))
    return found


def frame_pose(m: Mechanism, frame: Attachment, q: list[Scalar]) -> Pose:
    """Pose of a frame in the world."""
    k, pose = frame
    while k >= 0:
        k, pose = m.bodies[k].parent, m.bodies[k].pose(q) @ pose
    return pose


def frame_twist(m: Mechanism, frame: Attachment, q: list[Scalar], v: list[Scalar], axes: str) -> Twist:
    """Twist of a frame: of its origin in its own ("body") or the world's ("aligned") axes, or of the point that passes
    through the world's origin ("world").
    """
    twist = frame.pose.twist_in(twists(m, placements(m, q), v)[frame.body]) if frame.body >= 0 else AT_REST
    return _expressed(twist, frame_pose(m, frame, q), axes)


def _expressed(t: Twist, pose: Pose, axes: str) -> Twist:
    if axes == "body":
        return t
    return _turned(t, pose.rotation) if axes == "aligned" else pose.twist_out(t)


def _turned(t: Twist, R: Matrix) -> Twist:
    return Twist(R @ t.angular, R @ t.linear)


def jacobian(m: Mechanism, frame: Attachment, q: list[Scalar], axes: str) -> list[Twist]:
    """Columns of the matrix that takes v to the twist of a frame."""
    pose = frame_pose(m, frame, q)
    return [_expressed(column, pose, axes) for column, _ in _columns(m, frame, q)]


def _columns(m: Mechanism, frame: Attachment, q: list[Scalar]) -> list[tuple[Twist, tuple[int, Pose] | None]]:
    """Each column in the frame's own axes, and the body that moves it with the frame's pose in that body."""
    columns: list[tuple[Twist, tuple[int, Pose] | None]] = [(AT_REST, None)] * m.nv
    here, k = frame.pose, frame.body
    while k >= 0:
        body = m.bodies[k]
        for motion, place in zip(body.motions, body.velocities, strict=True):
            columns[place] = here.twist_in(motion), (k, here)
        here, k = body.pose(q) @ here, body.parent
    return columns


def jacobian_rate(m: Mechanism, frame: Attachment, q: list[Scalar], v: list[Scalar], axes: str) -> list[Twist]:
    """Columns of dJ/dt along the motion."""
    moving = twists(m, placements(m, q), v)
    own = frame.pose.twist_in(moving[frame.body]) if frame.body >= 0 else AT_REST
    pose = frame_pose(m, frame, q)
    found = []
    for column, source in _columns(m, frame, q):
        if source is None:
            found.append(AT_REST)
            continue
        k, here = source
        rate = (here.twist_in(moving[k]) - own).cross(column)  # the moving body turns and shifts relative to the frame
        if axes == "aligned":  # d/dt (R J) = R (J̇ + ω × J)
            rate = rate + Twist(own.angular.cross(column.angular), own.angular.cross(column.linear))
        elif axes == "world":
            rate = rate + own.cross(column)
        found.append(_expressed(rate, pose, axes))
    return found
