"""Paths of a tool: straight lines and arcs at constant orientation, gone with a profile of the speed.

A path is bound to a robot by inverse kinematics at knots so close that the spline through them keeps the tool on its
way; the joints follow it as q(s), the way along the path as s(t), so that q̇ = q' ṡ and q̈ = q'' ṡ² + q' s̈.
"""

import copy
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self

import numpy as np

from stiction.control.cubic import on_spline, spline_rows
from stiction.control.path_segments import Curve, PathError, Segment
from stiction.control.profile import Profile, Ride
from stiction.control.reference import REFERENCES, Reference, Setpoint
from stiction.fields import instance, instances, number, numbers, text
from stiction.robot.inverse_kinematics import CLOSE, SINGULAR, Arm, Solution, arm_of, solved, why_not
from stiction.robot.robot import Robot
from stiction.trace.functions import Scalar, clip, floor, minimum
from stiction.trace.parameters import Substitution

COARSE, FINEST = 32, 8192  # intervals of a segment at first, and at most
ON_THE_WAY = 1e-9  # m by which the tool may leave its path between knots
SAME = 1e-6  # rad between directions that count as one


@REFERENCES.add
@dataclass(frozen=True, kw_only=True)
class ToolPath(Reference):
    """A path of a tool at constant orientation, gone with a profile of the speed; it stops at corners.

    Attributes:
        q: joints at the beginning [rad or m], (n,): the pose of the tool there is that at which the path begins.
        segments: lines and arcs, one after another.
        profile: of the speed along the path, from stop to stop.
        frame: the tool: a frame or link of the robot.
        begin: when it starts [s].
        pause: rest at each corner [s].

    Example:
        >>> import numpy as np, stiction
        >>> arm = stiction.library.puma560()
        >>> line, speed = stiction.Line(to=(0.5, 0.3, 0.9)), stiction.Trapezoid(speed=0.2, acceleration=1.0)
        >>> start = arm.inverse_kinematics(np.eye(4) + [[0, 0, 0, x] for x in (0.5, -0.1, 0.9, 0)], "link6")
        >>> path = stiction.ToolPath(q=start, segments=[line], profile=speed, frame="link6")
        >>> motion = path.on(arm)
        >>> motion.duration, motion.sample(1.1).q.shape
        (2.2, (6,))
    """

    error = PathError

    q: Sequence[float] = numbers()
    segments: Sequence[Segment] = instances(Segment)
    profile: Profile = instance(Profile, words="a profile, such as Trapezoid(speed=0.1, acceleration=1.0)")
    frame: str = text()
    begin: float = number(0.0, least=0)
    pause: float = number(0.0, least=0)

    def conflicts(self) -> Sequence:
        """It has segments."""
        return [(not self.segments, "segments is empty; give at least one, such as Line(to=(0.5, 0.0, 0.4))")]

    @property
    def size(self) -> int:
        """As many as `q` has."""
        return len(self.q)

    def at(self, t: Scalar) -> Setpoint:
        """Known when there is a robot."""
        raise self.refusal("a path belongs to a robot; take path.on(robot), or give it to a Scene")

    def on(self, robot: Robot) -> "PathMotion":
        """The path as a motion of the joints of a robot; refuses one that leaves its reach, or meets a singularity."""
        try:
            return _bound(self, robot)
        except TypeError:  # a robot that has no hash, as that of your own class may
            return self._bound(robot)

    def _bound(self, robot: Robot) -> "PathMotion":
        arm = arm_of(robot, self.frame)
        if len(self.q) != robot.nq:
            raise self.refusal(
                f"q has {len(self.q)} numbers; allowed: {robot.nq}, one for each joint of '{robot.name}'"
            )
        for joint, x, low, high in zip(robot.moving_joints, self.q, arm.lower, arm.upper, strict=True):
            if not low <= x <= high:
                raise self.refusal(
                    f"q of '{joint.name}' is {x:.4g} and beyond the ends of its way; allowed: {low:.4g} to {high:.4g}"
                )
        pose = robot.pose(self.q, self.frame)
        curves, place = [], pose[:3, 3]
        for segment in self.segments:
            curves.append(segment.curve(place))
            place = np.array(segment.to)
        return PathMotion(
            frame=self.frame,
            robot=robot,
            curves=tuple(curves),
            tables=tuple(_tables(arm, self, pose, curves)),
            runs=_smooth_runs(curves),
            profile=self.profile,
            begin=self.begin,
            pause=self.pause,
        )


@lru_cache(maxsize=32)
def _bound(path: ToolPath, robot: Robot) -> "PathMotion":
    """A path on a robot, found once: scenes are made again and again."""
    return path._bound(robot)


def _smooth_runs(curves: Sequence[Curve]) -> tuple[float, ...]:
    """Lengths of the ways from stop to stop [m]."""
    runs = [curves[0].length]
    for before, curve in itertools.pairwise(curves):
        if np.linalg.norm(before.direction(before.length) - curve.tangent) < SAME:
            runs[-1] += curve.length
        else:
            runs.append(curve.length)
    return tuple(runs)


def _tables(arm: Arm, path: ToolPath, pose: np.ndarray, curves: Sequence[Curve]) -> list[np.ndarray]:
    """Rows of the splines of all segments; lengths are counted from the beginning of the path."""
    found, q, first = [], np.array(path.q), 0.0
    for curve in curves:
        intervals = COARSE
        while True:
            knots = np.linspace(0.0, curve.length, intervals + 1)
            values = _followed(arm, pose, curve, knots, q, first)
            ends = [_slope(arm, values[k], curve.direction(knots[k])) for k in (0, -1)]
            rows = spline_rows(knots, values, *ends)
            between = (knots[1:] + knots[:-1]) / 2
            middle = [on_spline([row], 0, x)[0] for row, x in zip(rows.tolist(), between, strict=True)]
            apart = np.linalg.norm(arm.robot.pose(middle, arm.frame)[:, :3, 3] - curve.point(between), axis=-1).max()
            if apart < ON_THE_WAY:
                break
            if intervals >= FINEST:
                raise PathError(
                    f"the joints cannot follow the path smoothly from {first:.4g} to {first + curve.length:.4g} m "
                    f"along it: the tool would leave it by {apart:.3g} m; begin in another pose, or lead it elsewhere"
                )
            intervals *= 2
        rows[:, 0] += first
        found.append(rows)
        q, first = values[-1], first + curve.length
    return found


def _slope(arm: Arm, q: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """How the joints move along a direction of the tool that does not turn, per length."""
    return np.linalg.pinv(arm.robot.jacobian(q, arm.frame)) @ np.concatenate([np.zeros(3), direction])


def _followed(arm: Arm, pose: np.ndarray, curve: Curve, knots: np.ndarray, q: np.ndarray, first: float) -> np.ndarray:
    """Joints at the knots, each the solution nearest to that before it, (N + 1, n)."""
    found, points = [q], curve.point(knots)
    h = knots[1] - knots[0]
    signs = _handedness(arm, q)
    _check_open(arm, q, signs, points[0], first)
    for s, point in zip(knots[1:], points[1:], strict=True):
        target = pose.copy()
        target[:3, 3] = point
        ahead = found[-1] + h * _slope(arm, found[-1], curve.direction(s - h / 2))
        step: Solution = solved(arm, target, ahead)
        if step.missing > 10 * CLOSE:
            _check_open(arm, step.q, signs, point, first + s)
            raise PathError(f"the path cannot be gone at {first + s:.4g} m along it: {why_not(arm, step, target)}")
        _check_open(arm, step.q, signs, point, first + s)
        found.append(step.q)
    return np.array(found)


def _handedness(arm: Arm, q: np.ndarray) -> float:
    """Sign of the determinant of the Jacobian, which changes at singularities; 0 of arms with more joints."""
    J = arm.jacobian(q)
    return float(np.sign(np.linalg.det(J))) if J.shape[0] == J.shape[1] else 0.0


def _check_open(arm: Arm, q: np.ndarray, sign: float, point: np.ndarray, s: float) -> None:
    """Refuse a singularity, or to have passed one since the last knot."""
    if arm.openness(q) < SINGULAR or _handedness(arm, q) * sign < 0:
        place, joints = (", ".join(f"{x:.4g}" for x in numbers_) for numbers_ in (point, q))
        raise PathError(
            f"the path meets a singularity of '{arm.robot.name}' at {s:.4g} m along it, with '{arm.frame}' near "
            f"({place}) m and joints near ({joints}); lead it elsewhere, or begin in another pose"
        )


@dataclass(frozen=True, kw_only=True)
class PathMotion(Reference):
    """A `ToolPath` as a motion of the joints of a robot. It is made by `ToolPath.on`.

    Attributes:
        frame: the tool.
        robot: the robot.
        curves: the segments in space.
        tables: rows of the spline of the joints over the length, by segment.
        runs: lengths of the ways from stop to stop [m].
        profile: of the speed.
        begin: when it starts [s].
        pause: rest at each corner [s].
    """

    frame: str
    robot: Robot
    curves: tuple[Curve, ...]
    tables: tuple[np.ndarray, ...]
    runs: tuple[float, ...]
    profile: Profile
    begin: float
    pause: float

    @property
    def size(self) -> int:
        """As many as the robot has."""
        return self.robot.nq

    def with_parameters(self, substitution: Substitution) -> Self:
        """The same with the numbers of its profile as parameters, and its splines as a table that programs read."""
        twin = copy.copy(self)
        twin._set("profile", self.profile.with_parameters(substitution.inside("profile")))
        for name in ("begin", "pause"):
            twin._set(name, substitution(name, getattr(self, name)))
        twin._set("runs", tuple(substitution.internal(f"run.{k}", x) for k, x in enumerate(self.runs)))
        spans = enumerate(self._spans)
        twin._set(
            "spans", tuple(tuple(substitution.internal(f"span.{k}.{j}", x) for j, x in enumerate(s)) for k, s in spans)
        )
        counts = [substitution.internal(f"count.{k}", float(len(table))) for k, table in enumerate(self.tables)]
        twin._set("counts", counts)
        twin._set("rows", substitution.rows("joints", self._rows))
        return twin

    def structure(self) -> tuple:
        """How many segments and stops there are, and the kind of the profile."""
        return (type(self).__qualname__, self.profile.structure(), len(self.tables), len(self.runs), self.size)

    @cached_property
    def _rows(self) -> list[tuple[float, ...]]:
        return [tuple(row) for table in self.tables for row in table.tolist()]

    @cached_property
    def _spans(self) -> tuple[tuple[float, float], ...]:
        """Where each segment begins, and how long its intervals are [m]."""
        return tuple((float(t[0, 0]), c.length / len(t)) for t, c in zip(self.tables, self.curves, strict=True))

    def _rides(self) -> list[tuple[Scalar, Ride]]:
        """When each way from stop to stop begins [s], and how it is gone."""
        found: list[tuple[Scalar, Ride]] = []
        begin = self.begin
        for way in self.runs:
            ride = self.profile.ride(way)
            found.append((begin, ride))
            begin = begin + ride.duration + self.pause
        return found

    def end(self) -> Scalar:
        """When it is at the end of its path [s]."""
        begin, ride = self._rides()[-1]
        return begin + ride.duration

    def way(self, t: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Length along the path [m], speed and acceleration at a time."""
        total: Any = (0, 0, 0)
        for begin, ride in self._rides():
            total = tuple(a + b for a, b in zip(total, ride.at(t - begin), strict=True))
        return total

    def at(self, t: Scalar) -> Setpoint:
        """The joints where the tool should be."""
        s, rate, second = self.way(t)
        index: Scalar = 0
        total: Scalar = 0
        counts = getattr(self, "counts", [len(table) for table in self.tables])
        for count, (first, h) in zip(counts, getattr(self, "spans", self._spans), strict=True):
            index, total = index + clip(floor((s - first) / h), 0, count), total + count
        q, slope, bend = on_spline(getattr(self, "rows", self._rows), minimum(index, total - 1), s)
        return Setpoint(
            q, [x * rate for x in slope], [y * rate * rate + x * second for x, y in zip(slope, bend, strict=True)]
        )

    # The tool.

    def tool(self, times: Any) -> np.ndarray:
        """Where the tool should be at some times [s], (*times, 3) [m]."""
        k, s = self._places(np.asarray(times, float))
        return self._each(k, lambda curve, here: curve.point(s[here]))

    def _places(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Number of the segment at some times, and the length from its beginning."""
        s = np.vectorize(lambda t: float(self.way(float(t))[0]))(times)
        begins = np.array([first for first, _ in self._spans])
        k = np.clip(np.asarray(np.searchsorted(begins, s, side="right")) - 1, 0, len(begins) - 1)
        return k, s - begins[k]

    def _each(self, k: np.ndarray, of: Any) -> np.ndarray:
        """Vectors that belong to the segments with numbers k."""
        found = np.empty((*k.shape, 3))
        for number_, curve in enumerate(self.curves):
            here = k == number_
            found[here] = of(curve, here)
        return found

    def deviation(self, times: Any, q: Any, up: Sequence[float] = (0.0, 0.0, 1.0)) -> "Deviation":
        """How far the tool is from where it should be, by joints q [rad or m], (*times, ..., n), and the nominal
        kinematics: closed_loop (23).
        """
        times, q = np.asarray(times, float), np.asarray(q, float)
        points = self.robot.pose(q, self.frame)[..., :3, 3]
        k, s = self._places(times)
        more = (slice(None),) * times.ndim + (None,) * (q.ndim - 1 - times.ndim)
        k, s = (np.broadcast_to(x[more], points.shape[:-1]) for x in (k, s))
        along, across = np.empty(k.shape), np.empty((*k.shape, 3))
        tangents = np.empty((*k.shape, 3))
        for number_, curve in enumerate(self.curves):
            here = k == number_
            nearest = curve.nearest(points[here], s[here])
            along[here] = nearest - s[here]
            across[here] = points[here] - curve.point(nearest)
            tangents[here] = curve.direction(nearest)
        side = np.cross(np.array(up, float), tangents)
        size = np.linalg.norm(side, axis=-1, keepdims=True)
        side = np.where(size > 1e-6, side / np.maximum(size, 1e-6), (1.0, 0.0, 0.0))
        vertical = np.cross(tangents, side)
        return Deviation(along, (across * side).sum(-1), (across * vertical).sum(-1))


class Deviation(NamedTuple):
    """How far a tool is from its path.

    Attributes:
        along: ahead of where it should be, along the path [m].
        horizontal: to the left of the path [m].
        vertical: above the path, at right angles to it [m].
    """

    along: np.ndarray
    horizontal: np.ndarray
    vertical: np.ndarray

    @property
    def across(self) -> np.ndarray:
        """Distance from the path [m]."""
        return np.hypot(self.horizontal, self.vertical)
