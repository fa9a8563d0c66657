"""Bodies and joints in the axes of the world, all twists and wrenches about its origin: how contacts see a robot."""

from collections.abc import Mapping, Sequence
from typing import Any

from stiction.dynamics.kinematics import Attachment
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.sweep import Sweep
from stiction.spatial import AT_REST, Pose, Twist, Wrench
from stiction.trace.functions import Scalar


class InWorld:
    """Where the bodies of a mechanism are in the world, and how each velocity moves them.

    Attributes:
        poses: of the bodies, by index; the world's at −1.
        unit_twists: of all that a velocity carries, at unit speed, by velocity.
    """

    def __init__(self, m: Mechanism, q: list[Scalar]) -> None:
        self.s = s = Sweep(m, q)
        given = s.vector(q)
        self.poses, self.unit_twists = s.passed(Pose, Pose()), s.per_velocity(Twist)

        def visit(body: Body) -> None:
            pose = self.poses.above(body) @ body.pose(given)
            for motion, place in zip(body.motions, body.velocities, strict=True):
                self.unit_twists[place] = pose.twist_out(motion)
            self.poses.note(body, pose)

        s.outward(visit, self.poses)

    def twists(self, v: Sequence[Scalar]) -> Any:
        """Twist of each body, by index."""
        found, given = self.s.passed(Twist, AT_REST), self.s.vector(v)

        def visit(body: Body) -> None:
            total = found.above(body)
            for place in body.velocities:
                total = total + self.unit_twists[place] * given[place]
            found.note(body, total)

        self.s.outward(visit, found)
        return found

    def pose(self, frame: Attachment) -> Pose:
        """Where a frame is."""
        return self.poses[frame.body] @ frame.pose

    def torques(self, wrenches: Mapping[int, Wrench]) -> Any:
        """What wrenches on some bodies are along the velocities [N·m or N]."""
        s = self.s
        found, gathered, given = s.empty(s.m.nv), s.gathered(Wrench), s.per_body(Wrench)
        for k, wrench in wrenches.items():
            given[k] = wrench

        def visit(body: Body) -> None:
            total = given[body.index] + gathered.of(body)
            for place in body.velocities:
                found[place] = self.unit_twists[place].dot(total)
            gathered.add(body, total)

        s.inward(visit, gathered)
        return found


def about_origin(force: Any, moment: Any, at: Any) -> Wrench:
    """A force at a point and a moment, as a wrench about the origin."""
    return Wrench(moment + at.cross(force), force)


def reaches(m: Mechanism) -> tuple[list[int], list[tuple[int, int]]]:
    """A number for each body, so that what a velocity carries is a range of them; and these ranges, first and last, by
    velocity.
    """
    children: dict[int, list[int]] = {}
    for body in m.bodies:
        children.setdefault(body.parent, []).append(body.index)
    numbers, last, count = [0] * len(m.bodies), [0] * len(m.bodies), 0
    stack = [(k, False) for k in reversed(children.get(-1, []))]
    while stack:
        k, done = stack.pop()
        if done:
            last[k] = count - 1
            continue
        numbers[k], count = count, count + 1
        stack += [(k, True), *((j, False) for j in reversed(children.get(k, [])))]
    return numbers, [(numbers[k], last[k]) for k in m.owners]
