"""Where the bodies are and how fast they move; Jacobians of frames and their rates."""

from typing import Any, NamedTuple

from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.records import Records
from stiction.dynamics.sweep import WORLD, Sweep
from stiction.spatial import AT_REST, Angle, Matrix, Pose, Twist
from stiction.trace.functions import Scalar

AXES = ("body", "aligned", "world")


class Attachment(NamedTuple):
    """A frame fixed to a body: the body's index (−1: the world) and the frame's pose in it."""

    body: int
    pose: Pose


class Placements:
    """Pose of each body in its parent's frame. Kept are the sines and cosines of the joints: what a pose has of zeros
    and ones stays known.
    """

    def __init__(self, s: Sweep, q: list[Scalar]) -> None:
        self.q, self.angles = s.vector(q), s.per_body(Angle)

    def visit(self, body: Body) -> Pose:
        """That of a body, the first time."""
        angle = body.angle(self.q)
        self.angles[body.index] = angle
        return body.pose(self.q, angle)

    def of(self, body: Body) -> Pose:
        """That of a body, again."""
        return body.pose(self.q, self.angles[body.index])


def poses_by_index(s: Sweep, placed: Placements) -> Records:
    """The same by index."""
    poses = s.per_body(Pose)

    def visit(body: Body) -> None:
        poses[body.index] = placed.visit(body)

    s.outward(visit)
    return poses


def twists(s: Sweep, placed: Placements, v: list[Scalar]) -> Records:
    """Twist of each body relative to the world, in its own frame."""
    found, given = s.passed(Twist, AT_REST), s.vector(v)

    def visit(body: Body) -> None:
        found.note(body, placed.visit(body).twist_in(found.above(body)) + body.twist(given))

    s.outward(visit, found)
    return found


def frame_pose(m: Mechanism, frame: Attachment, q: list[Scalar]) -> Pose:
    """Pose of a frame in the world."""
    s = Sweep(m, q, m.path(frame.body))
    given, here = s.vector(q), s.per_body(Pose)
    here[WORLD] = frame.pose

    def visit(body: Body) -> None:
        here[WORLD] = body.pose(given) @ here[WORLD]

    s.inward(visit)
    return here[WORLD]


def frame_twist(m: Mechanism, frame: Attachment, q: list[Scalar], v: list[Scalar], axes: str) -> Twist:
    """Twist of a frame: of its origin in its own ("body") or the world's ("aligned") axes, or of the point that passes
    through the world's origin ("world").
    """
    s = Sweep(m, q, m.path(frame.body))
    twist = frame.pose.twist_in(twists(s, Placements(s, q), v)[frame.body])
    return _expressed(twist, frame_pose(m, frame, q), axes)


def _expressed(t: Twist, pose: Pose, axes: str) -> Twist:
    if axes == "body":
        return t
    return _turned(t, pose.rotation) if axes == "aligned" else pose.twist_out(t)


def _turned(t: Twist, R: Matrix) -> Twist:
    return Twist(R @ t.angular, R @ t.linear)


def jacobian(m: Mechanism, frame: Attachment, q: list[Scalar], axes: str) -> Any:
    """The matrix that takes v to the twist of a frame, (6, nv)."""
    s = Sweep(m, q, m.path(frame.body))
    pose, seen, J = frame_pose(m, frame, q), _seen_from_bodies(s, frame, q), s.grid(6, m.nv)

    def visit(body: Body) -> None:
        for motion, place in zip(body.motions, body.velocities, strict=True):
            column = _expressed(seen[body.index].twist_in(motion), pose, axes)
            for k, x in enumerate(column.numbers):
                J[k, place] = x

    s.inward(visit)
    return J.value


def _seen_from_bodies(s: Sweep, frame: Attachment, q: list[Scalar]) -> Records:
    """Pose of a frame in each body that carries it; in the world's place that in the world."""
    seen, given = s.per_body(Pose), s.vector(q)
    seen[frame.body] = frame.pose

    def visit(body: Body) -> None:
        seen[body.parent] = body.pose(given) @ seen[body.index]

    s.inward(visit)
    return seen


def jacobian_rate(m: Mechanism, frame: Attachment, q: list[Scalar], v: list[Scalar], axes: str) -> Any:
    """dJ/dt along the motion, (6, nv)."""
    s = Sweep(m, q, m.path(frame.body))
    moving = twists(s, Placements(s, q), v)
    own = frame.pose.twist_in(moving[frame.body])
    pose, seen, rates = frame_pose(m, frame, q), _seen_from_bodies(s, frame, q), s.grid(6, m.nv)

    def visit(body: Body) -> None:
        here = seen[body.index]
        for motion, place in zip(body.motions, body.velocities, strict=True):
            column = here.twist_in(motion)
            turn = here.twist_in(moving[body.index]) - own  # the body turns and shifts relative to the frame
            rate = turn.cross(column)
            if axes == "aligned":  # d/dt (R J) = R (J̇ + ω × J)
                rate = rate + Twist(own.angular.cross(column.angular), own.angular.cross(column.linear))
            elif axes == "world":
                rate = rate + own.cross(column)
            for k, x in enumerate(_expressed(rate, pose, axes).numbers):
                rates[k, place] = x

    s.inward(visit)
    return rates.value
