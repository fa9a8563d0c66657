"""Where bodies touch: the gap of every candidate.

All candidates of a kind run through one loop. What is far away is passed by; the nearest go into slots.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from stiction.contact.candidates import BALL, HULL, LINE, PLANE
from stiction.contact.geometry import At, Pair, length, nearest_on_line, nearest_on_triangle, tangent
from stiction.contact.slots import FAR, PARALLEL, Slots
from stiction.contact.tables import Group, Row, Tables
from stiction.dynamics.records import Records
from stiction.dynamics.sweep import WORLD
from stiction.spatial import AT_REST, Pose, Twist, Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, loop, maximum, minimum, sqrt, where

STILL = 1e-9  # m/s at which nothing approaches
TINY = 1e-300
FASTEST = 100.0  # m/s² at which bodies may be driven together without being seen a step too late
SAME = 0.1  # of the margin: points that are nearer to each other are one


class Seen(NamedTuple):
    """What is near a point: its distance and the way out, in the frame of the target."""

    gap: Scalar
    normal: Vector


class Detector:
    """Finds contacts between bodies at poses that are known.

    Args:
        poses: of what carries shapes, 12 numbers each.
        twists: likewise: angular velocity, and velocity of the frame's origin, in the world's axes.
        tables: candidates and targets.
        h: step [s].
        like: a value of the program.
    """

    def __init__(
        self,
        poses: Sequence[Pose],
        twists: Sequence[Twist],
        tables: "Tables",
        h: Scalar,
        like: Sequence[Scalar],
    ) -> None:
        self.h, self.like, self.tables = h, like, tables
        self.poses, self.twists = Records(Pose, 12, len(poses), like), Records(Twist, 6, len(poses), like)
        self.fastest = Array(1 + len(poses), like)  # of any point of a body [m/s]; the world is the first
        self.poses[WORLD], self.twists[WORLD] = Pose(), AT_REST
        for k, (pose, twist) in enumerate(zip(poses, twists, strict=True)):
            self.poses[k], self.twists[k] = pose, twist
            self.fastest[1 + k] = length(twist.linear) + length(twist.angular) * tables.sizes[k]

    def find(self, most: int) -> Slots:
        """The nearest candidates."""
        slots = Slots(most, self.tables.moving, SAME * self.tables.margin, self.like)
        self.visit(lambda met: self._offer(slots, met))
        return slots

    def visit(self, meet: Callable[["Met"], None]) -> None:
        """Visit all candidates, but those whose bodies are too far apart to touch."""
        for rows in self.tables.groups(HULL):

            def group(row: tuple, carry: list, fixed: bool = rows[0].other == WORLD) -> list:
                self._corners(meet, Group(*row), fixed)
                return carry

            loop([tuple(row) for row in rows], group, self.like)
        ways = {PLANE: self._before_plane, BALL: self._before_triangles, LINE: self._before_line}
        for kind, seen in ways.items():
            for rows in self.tables.groups(kind):

                def single(row: tuple, carry: list, seen: Any = seen, fixed: bool = rows[0].other == WORLD) -> list:
                    self._point_alone(meet, Row(*row), seen, fixed)
                    return carry

                loop([tuple(row) for row in rows], single, self.like)

    def _point_alone(self, meet: Callable[["Met"], None], r: Row, seen: Any, fixed: bool) -> None:
        """Visit a candidate, if its distance is such that it can be near: its velocity is asked for only then."""
        point = Vector(r.x, r.y, r.z)
        place = self._pair(r.body, r.other, fixed).place(point)[1]
        fastest = self.fastest[1 + r.body] + (0 if fixed else self.fastest[1 + r.other])
        near = seen(r, place).gap - r.radius < self._reach(fastest)

        def look(k: Any, carry: list) -> list:  # by the turn of this loop, so that all is done inside it
            pair = self._pair(r.body + k, r.other + k, fixed)
            at = pair.at(point)
            meet(Met(r.number, r.body, r.other, r.radius, pair, at, seen(r, at.place), True))
            return [0 * carry[0]]

        loop(1, look, [where(near, 1, 0)], until_zero=0, skip=True)

    def _reach(self, approach: Scalar) -> Scalar:
        """The gap below which what comes so fast counts [m]."""
        return self.tables.margin + self.h * (2 * approach + FASTEST * self.h)

    def _pair(self, body: Any, other: Any, fixed: bool) -> "Pair":
        target, carried = (Pose(), AT_REST) if fixed else (self.poses[other], self.twists[other])
        return Pair(self.poses[body], self.twists[body], target, carried, fixed)

    def _offer(self, slots: Slots, met: "Met") -> None:
        """Offer a candidate to the slots."""
        at, pair, facing, radius = met.at, met.pair, met.seen.normal, met.radius
        gap = met.seen.gap - radius
        normal = pair.out(facing)
        approach = maximum(0, -facing.dot(at.velocity))
        near = gap < self._reach(approach)
        record = [gap - self.h * approach, met.number, gap, *(at.center - normal * radius), *normal]
        if slots.moving:
            record += [*(at.place - facing * radius), *facing, *pair.out(tangent(facing))]
        slots.offer(near if met.counts is True else near & met.counts, record)

    # Corners and faces.

    def _corners(self, meet: Callable[["Met"], None], g: Group, fixed: bool) -> None:
        """Visit the corners of a body before the face of another that is most between them, where they can touch."""
        pair = self._pair(g.body, g.other, fixed)
        middle = pair.at(Vector(g.x, g.y, g.z))
        away = middle.place - Vector(g.to_x, g.to_y, g.to_z)
        reach = g.apart + self._reach(length(middle.velocity))

        def look(_: Any, carry: list) -> list:
            best = self._separating(g, pair)

            def one(k: Any, inner: list) -> list:
                at = pair.at(self._point(g.number + k))
                found, between = self._before_face(g, best, at)
                meet(Met(g.number + k, g.body, g.other, 0, pair, at, found, between))
                return inner

            loop(g.corners, one, self.like)
            return [0 * carry[0]]

        loop(1, look, [where(away.dot(away) < reach * reach, 1, 0)], until_zero=0, skip=True)

    def _point(self, number: Any) -> Vector:
        return Vector(*(self.tables.points[c][number] for c in range(3)))

    def _face(self, number: Any) -> tuple[Vector, Scalar]:
        faces = self.tables.faces
        return Vector(*(faces[c][number] for c in range(3))), faces[3][number]

    def _separating(self, g: Group, pair: "Pair") -> list[Scalar]:
        """Normal and offset of the face that all corners come to last; of bodies that overlap, that which is least
        deep.
        """

        def face(f: Any, carry: list) -> list:
            n, offset = self._face(g.first + f)

            def corner(k: Any, nearest: list) -> list:
                at = pair.at(self._point(g.number + k))
                d = n.dot(at.place) - offset
                return [minimum(nearest[0], d), maximum(nearest[1], -n.dot(at.velocity))]

            zero = 0 * pair.pose.position.x
            d, approach = loop(g.corners, corner, [zero + FAR, zero])
            key = where(d > 0, d / (approach + STILL), d)
            later = key > carry[0]
            return [where(later, a, b) for a, b in zip((key, *n, offset), carry, strict=True)]

        zero = 0 * pair.pose.position.x
        return loop(g.faces, face, [zero - FAR, zero, zero, zero, zero])[1:]

    def _before_face(self, g: Group, best: Sequence[Scalar], at: "At") -> tuple["Seen", Scalar]:
        """A corner before the face that was found, and whether it meets it between its edges."""
        normal, offset = Vector(*best[:3]), best[3]
        gap, approach = normal.dot(at.place) - offset, maximum(0, -normal.dot(at.velocity))
        meets = at.place + at.velocity * minimum(self.h, maximum(0, gap) / maximum(approach, STILL))

        def side(f: Any, carry: list) -> list:
            n, o = self._face(g.first + f)
            other = n.dot(normal) < PARALLEL
            return [where(other, maximum(carry[0], n.dot(meets) - o), carry[0])]

        beyond = loop(g.faces, side, [0 * gap - FAR])[0]
        return Seen(gap, normal), beyond < self.tables.margin

    def _before_plane(self, row: Row, y: Vector) -> Seen:
        """Of a half-space."""
        n, offset = self._face(row.first)
        return Seen(n.dot(y) - offset, n)

    def _inside(self, row: Row, y: Vector) -> Seen:
        """The face that is nearest to a point inside a body."""

        def one(k: Any, carry: list) -> list:
            n, offset = self._face(row.planes + k)
            d = n.dot(y) - offset
            nearer = d > carry[0]
            return [where(nearer, a, b) for a, b in zip((d, *n), carry, strict=True)]

        zero = 0 * y.x
        d, *normal = loop(row.sides, one, [zero - FAR, zero, zero, zero])
        return Seen(d, Vector(*normal))

    def _before_triangles(self, row: Row, y: Vector) -> Seen:
        """Of the middle of a ball: the nearest point of the body; if it is inside, the nearest face."""
        corners = self.tables.triangles

        def one(k: Any, carry: list) -> list:
            square, *best = carry
            a, b, c = (Vector(*(corners[3 * j + i][row.first + k] for i in range(3))) for j in range(3))
            x = nearest_on_triangle(y, a, b, c)
            away = y - x
            less = away.dot(away) < square
            return [where(less, away.dot(away), square), *(where(less, p, q) for p, q in zip(x, best, strict=True))]

        zero = 0 * y.x
        square, *x = loop(row.pieces, one, [zero + FAR, zero, zero, zero])
        away, distance = y - Vector(*x), sqrt(square)
        inner = self._inside(row, y)
        outside = (inner.gap > 0) & (distance > 0)
        n = away * (1 / maximum(distance, TINY))
        return Seen(
            where(outside, distance, inner.gap),
            Vector(*(where(outside, a, b) for a, b in zip(n, inner.normal, strict=True))),
        )

    def _before_line(self, row: Row, y: Vector) -> Seen:
        """Of a ball or a capsule: the distance from its line."""
        numbers = [column[row.first] for column in self.tables.lines]
        a, b, radius = Vector(*numbers[:3]), Vector(*numbers[3:6]), numbers[6]
        away = y - nearest_on_line(y, a, b)
        distance = sqrt(away.dot(away))
        upright = distance <= TINY  # in the middle: any way out
        n = away * (1 / maximum(distance, TINY))
        return Seen(distance - radius, Vector(n.x, n.y, where(upright, 1, n.z)))


class Met(NamedTuple):
    """A candidate at a moment.

    Attributes:
        number: of the candidate.
        body: number of what carries the point; −1 for the world.
        other: number of what carries the target; −1 for the world.
        radius: of the ball around the point [m].
        pair: both bodies.
        at: the point.
        seen: what is near.
        counts: whether it is between the edges of the face that it is before.
    """

    number: Any
    body: Any
    other: Any
    radius: Scalar
    pair: Pair
    at: At
    seen: Seen
    counts: Any
