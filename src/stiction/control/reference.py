"""References: where joints should be at each time, how fast, and with which acceleration.

The three belong together: velocities and accelerations are the derivatives of the positions, exactly.
"""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from stiction.control.cubic import on_spline, spline_rows
from stiction.control.profile import Ride, s_curve, trapezoid
from stiction.fields import Validated, function_of_time, instances, number, numbers, real, shortened
from stiction.parts.kinds import Impedance, Ports
from stiction.parts.table import Table, interval
from stiction.registry import Registry
from stiction.robot.robot import Robot
from stiction.trace.derivative import directional
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, absolute, clip, maximum, where
from stiction.trace.jumps import jumps
from stiction.trace.parameters import Parametric, Substitution
from stiction.trace.program import Port, Program

REFERENCES = Registry("kind")
TINY = 1e-12  # s: what a motion that goes nowhere takes
MEETING = 1e-9  # rad or m by which motions that follow each other may be apart
BESIDE = 1e-9  # s from a jump


class Setpoint(NamedTuple):
    """Positions [rad or m], velocities and accelerations of some joints."""

    q: Any
    v: Any
    a: Any


class Leap(NamedTuple):
    """A place where a position jumps: when [s], which of the joints, and how far [rad or m]."""

    time: float
    joint: int
    way: float


class Reference(Validated, Parametric):
    """A motion that joints should make."""

    pairs = False

    @property
    def size(self) -> int:
        """For how many joints."""
        raise NotImplementedError

    def end(self) -> Scalar:
        """When it has come to rest [s]; infinite where nobody knows."""
        return math.inf

    @property
    def duration(self) -> float:
        """The same as a number [s]."""
        return float(self.end())

    def at(self, t: Scalar) -> Setpoint:
        """The set-points at a time of a program."""
        raise NotImplementedError

    def on(self, robot: Robot) -> "Reference":
        """The same for the joints of this robot: what is told in space becomes a motion of joints."""
        return self

    def leaps(self) -> list[Leap]:
        """Where positions jump, as far as it knows."""
        return []

    def sample(self, times: Any) -> Setpoint:
        """Positions, velocities and accelerations at some times [s], each of shape (*times, n).

        Example:
            >>> import stiction
            >>> motion = stiction.PointToPoint(start=0.0, stop=1.0, velocity=1.0, acceleration=2.0)
            >>> motion.sample([0.0, 0.25, 10.0]).q.tolist()
            [[0.0], [0.0625], [1.0]]
        """
        found = self._program(np.asarray(times, float))
        return Setpoint(*found)

    @cached_property
    def _program(self) -> Program:
        outputs = [Port(name, (self.size,)) for name in ("q", "v", "a")]
        return Program("reference", lambda t: tuple(self.at(t)), [Port("t")], outputs)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or another process needs; programs are made again there."""
        return {name: x for name, x in vars(self).items() if name != "_program"}


@dataclass(frozen=True)
class Given(Reference):
    """A position of one joint as a number, a `Table` or a formula of the time; what follows from it by derivatives.

    Attributes:
        value: the position [rad or m].
    """

    value: float | Callable[[Scalar], Scalar] | Table = function_of_time()

    @property
    def size(self) -> int:
        """One."""
        return 1

    def end(self) -> Scalar:
        """Known of tables and numbers."""
        if isinstance(self.value, Table):
            return self.value.time[-1]
        return math.inf if callable(self.value) else 0

    def at(self, t: Scalar) -> Setpoint:
        """The function and its derivatives; of tables the slopes of their lines."""
        if not callable(self.value):
            return Setpoint([self.value], [0], [0])
        if isinstance(self.value, Table):
            return Setpoint([self.value(t)], [self.value.rate(t)], [0])
        q = [self.value(t)]
        v = directional(q, {t: 1.0}) if isinstance(q[0], Expr) else [0]
        return Setpoint(q, v, directional(v, {t: 1.0}) if isinstance(v[0], Expr) else [0])

    def leaps(self) -> list[Leap]:
        """Where a formula compares the time and is another on both sides."""
        if not callable(self.value) or isinstance(self.value, Table):
            return []
        ways = [(t, float(self.value(t + BESIDE)) - float(self.value(t - BESIDE))) for t in jumps(self.value) if t > 0]
        return [Leap(t, 0, way) for t, way in ways if abs(way) > 1e3 * BESIDE]


def given(value: Any) -> Reference:
    """A reference as users write it: as it is, or for one joint as a number, a `Table` or a formula of the time."""
    return value if isinstance(value, Reference) else Given(value)


def _several(value: Any) -> Any:
    """One number as a list of one."""
    return value if np.ndim(value) else (value,)


@REFERENCES.add
@dataclass(frozen=True, kw_only=True)
class PointToPoint(Reference):
    """From one pose to another by straight lines in the joints, all of which start and stop together, as fast as the
    slowest allows. One number in place of several counts for all.

    Attributes:
        start: positions before [rad or m], (n,).
        stop: positions after [rad or m], (n,).
        velocity: largest of each joint [rad/s or m/s], (n,).
        acceleration: largest of each joint [rad/s² or m/s²], (n,).
        jerk: largest of each joint [rad/s³ or m/s³], (n,); without it accelerations jump.
        begin: when it starts [s].

    Example:
        >>> import stiction
        >>> motion = stiction.PointToPoint(start=[0, 0], stop=[1.0, -0.5], velocity=1.0, acceleration=4.0)
        >>> motion.duration, motion.sample(0.625).q.tolist()
        (1.25, [0.5, -0.25])
    """

    start: float | Sequence[float] = numbers()
    stop: float | Sequence[float] = numbers()
    velocity: float | Sequence[float] = numbers(above=0)
    acceleration: float | Sequence[float] = numbers(above=0)
    jerk: float | Sequence[float] | None = numbers(default=None, above=0, optional=True)
    begin: float = number(0.0, least=0)

    def __post_init__(self) -> None:
        n = max((len(x) for x in (self.start, self.stop) if np.ndim(x)), default=1)  # type: ignore[arg-type]
        for name in ("start", "stop", "velocity", "acceleration", "jerk"):
            value = getattr(self, name)
            if value is not None and not np.ndim(value) and not isinstance(value, str):
                self._set(name, (value,) * n)
        super().__post_init__()

    def conflicts(self) -> Sequence:
        """As many numbers in all."""
        given = {name: getattr(self, name) for name in ("stop", "velocity", "acceleration", "jerk")}
        sizes = {name: len(x) for name, x in given.items() if x is not None}
        n = self.size
        return [
            (not n, "start is empty; allowed: a position for each joint"),
            *(
                (size != n, f"start has {n} numbers and {name} {size}; give one for each joint")
                for name, size in sizes.items()
            ),
        ]

    @property
    def size(self) -> int:
        """As many as it has numbers."""
        return len(self._ends[0])

    @property
    def _ends(self) -> tuple[Any, Any]:
        """Positions before and after."""
        return self.start, self.stop

    @property
    def ride(self) -> Ride:
        """How a parameter that all joints share goes from 0 to 1."""
        ways = [absolute(b - a) for a, b in zip(*self._ends, strict=True)]

        def limit(most: Any, power: int) -> Scalar:
            slowest: Scalar = TINY**power
            for way, x in zip(ways, most, strict=True):
                slowest = maximum(slowest, way / x)
            return 1 / slowest

        velocity, acceleration = limit(self.velocity, 1), limit(self.acceleration, 2)
        if self.jerk is None:
            return trapezoid(1, velocity, acceleration)
        return s_curve(1, velocity, acceleration, limit(self.jerk, 3))

    def end(self) -> Scalar:
        """Until it stops [s]."""
        return self.begin + self.ride.duration

    def at(self, t: Scalar) -> Setpoint:
        """The shares of all joints."""
        s, rate, second = self.ride.at(t - self.begin)
        first, last = self._ends
        ways = [b - a for a, b in zip(first, last, strict=True)]
        q = [a + way * s for a, way in zip(first, ways, strict=True)]
        return Setpoint(q, [way * rate for way in ways], [way * second for way in ways])


@REFERENCES.add
@dataclass(frozen=True, kw_only=True)
class Spline(Reference):
    """A smooth motion through points: cubic between them, accelerations continuous, at rest before the first and after
    the last.

    Attributes:
        time: of the points, rising [s], (T,).
        value: positions at them [rad or m], (T, n); of one joint (T,).

    Example:
        >>> import stiction
        >>> motion = stiction.Spline(time=[0, 1, 2], value=[[0, 0], [1, 0.5], [0, 1]])
        >>> motion.sample(1.0).q.tolist(), motion.sample(0.0).v.tolist()
        ([1.0, 0.5], [0.0, 0.0])
    """

    time: Sequence[float] = numbers()
    value: Sequence[Any] = field()

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            rows = tuple(tuple(real(x) for x in _several(row)) for row in self.value)
            if not rows or any(len(row) != len(rows[0]) for row in rows):
                raise ValueError
        except (TypeError, ValueError):
            raise self.refusal(
                f"value is {shortened(repr(self.value))}; allowed: rows of as many finite numbers as there are joints"
            ) from None
        if len(rows) != len(self.time) or len(rows) < 2:
            raise self.refusal(f"{len(self.time)} times and {len(rows)} points; allowed: equally many, at least 2")
        if not all(b > a for a, b in zip(self.time, self.time[1:], strict=False)):
            raise self.refusal(f"time is {shortened(repr(self.time))}; allowed: rising numbers")
        self._set("value", rows)

    @property
    def size(self) -> int:
        """As many as a point has numbers."""
        return len(self.value[0])

    def end(self) -> Scalar:
        """Until the last point [s]."""
        return self.time[-1]

    @cached_property
    def _rows(self) -> list[tuple[float, ...]]:
        rest = np.zeros(self.size)
        return [tuple(row) for row in spline_rows(np.array(self.time), np.array(self.value), rest, rest).tolist()]

    def with_parameters(self, substitution: Substitution) -> Self:
        """The same with its points as a table that programs read."""
        twin = copy.copy(self)
        twin._set("rows", substitution.rows("value", self._rows))
        return twin

    def structure(self) -> tuple:
        """The times shape the program; the positions do not."""
        return (type(self).__qualname__, self.time, self.size)

    def at(self, t: Scalar) -> Setpoint:
        """The spline, or rest outside of it."""
        inside = clip(t, self.time[0], self.time[-1])
        q, v, a = on_spline(getattr(self, "rows", self._rows), interval(self.time, inside), inside)
        moves = (t >= self.time[0]) & (t <= self.time[-1])
        return Setpoint(q, [where(moves, x, 0) for x in v], [where(moves, x, 0) for x in a])


@REFERENCES.add
@dataclass(frozen=True, kw_only=True)
class Chain(Reference):
    """Motions one after another, each of which begins when the one before it has come to rest.

    Attributes:
        motions: the motions, for the same joints.
        pause: rest between them [s].

    Example:
        >>> import stiction
        >>> go = stiction.PointToPoint(start=0.0, stop=1.0, velocity=1.0, acceleration=2.0)
        >>> back = stiction.PointToPoint(start=1.0, stop=0.0, velocity=1.0, acceleration=2.0)
        >>> both = stiction.Chain(motions=[go, back], pause=0.5)
        >>> both.duration, both.sample([1.7, 5.0]).q.tolist()
        (3.5, [[1.0], [0.0]])
    """

    motions: Sequence[Reference] = instances(Reference)
    pause: float = number(0.0, least=0)

    def conflicts(self) -> Sequence:
        """Motions of the same joints that end, and of which one begins where the other stops."""
        sizes = sorted({motion.size for motion in self.motions})
        return [
            (not self.motions, "motions is empty; give at least one"),
            (len(sizes) > 1, f"motions are for {' and '.join(map(str, sizes))} joints; allowed: the same joints"),
            (
                any(map(_endless, self.motions[:-1])),
                "a motion before the last is a formula, of which nobody knows when it ends; make it the last",
            ),
        ]

    @property
    def size(self) -> int:
        """As many as each motion has."""
        return self.motions[0].size

    def end(self) -> Scalar:
        """Of all with the pauses [s]."""
        return self._begins()[-1] + self.motions[-1].end()

    def on(self, robot: Robot) -> "Chain":
        """All of them."""
        twin = copy.copy(self)
        twin._set("motions", tuple(motion.on(robot) for motion in self.motions))
        return twin

    def at(self, t: Scalar) -> Setpoint:
        """The motion whose time has come."""
        found = self.motions[0].at(t)
        for motion, first in zip(self.motions[1:], self._begins()[1:], strict=True):
            both = zip(found, motion.at(t - first), strict=True)
            found = Setpoint(*([where(t >= first, b, a) for a, b in zip(x, y, strict=True)] for x, y in both))
        return found

    def _begins(self) -> list[Scalar]:
        """When each motion begins [s]."""
        found: list[Scalar] = [0]
        for motion in self.motions[:-1]:
            found.append(found[-1] + motion.end() + self.pause)
        return found

    def leaps(self) -> list[Leap]:
        """Where one of them jumps, or begins elsewhere than the one before it stops."""
        found = []
        for k, (motion, first) in enumerate(zip(self.motions, map(float, self._begins()), strict=True)):
            found += [leap._replace(time=first + leap.time) for leap in motion.leaps()]
            if k:
                ways = motion.sample(0.0).q - self.motions[k - 1].sample(self.motions[k - 1].duration).q
                found += [Leap(first, joint, way) for joint, way in enumerate(ways) if abs(way) > MEETING]
        return found


def _endless(motion: Reference) -> bool:
    """Whether nobody knows when a motion ends."""
    if isinstance(motion, Chain):
        return _endless(motion.motions[-1])
    return isinstance(motion, Given) and motion.end() == math.inf


@dataclass(frozen=True, kw_only=True)
class ReferencePart(Impedance):
    """A reference as a part of a scene. Ports: position [rad or m], velocity and acceleration of its joints out.

    Attributes:
        reference: the motion.
        joints: for which it is, by name.
    """

    transparent = ("reference",)
    described = ("joints",)
    lone = True

    reference: Reference
    joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("outputs", dict.fromkeys(("position", "velocity", "acceleration"), self.reference.size))

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The set-points."""
        q, v, a = self.reference.at(t)
        return {"position": q, "velocity": v, "acceleration": a}, []
