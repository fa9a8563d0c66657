"""Profiles of speed: how fast a way is gone from rest to rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stiction.fields import Validated, number
from stiction.registry import Registry
from stiction.trace.functions import Scalar, clip, maximum, power, sqrt, where
from stiction.trace.parameters import Parametric

PROFILES = Registry("profile")


class Phase(NamedTuple):
    """A time in which the jerk is constant: how long it is [s], and speed, acceleration and jerk at its beginning."""

    duration: Scalar
    speed: Scalar
    acceleration: Scalar
    jerk: Scalar


class Ride(NamedTuple):
    """A motion along a way, as phases one after another; rest before and after."""

    phases: Sequence[Phase]

    @property
    def duration(self) -> Scalar:
        """How long it takes [s]."""
        return sum((phase.duration for phase in self.phases), start=0)

    @property
    def edges(self) -> list[Scalar]:
        """Times from its beginning at which phases begin and end [s]."""
        found: list[Scalar] = [0]
        for phase in self.phases:
            found.append(found[-1] + phase.duration)
        return found

    def at(self, t: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Way, speed and acceleration at a time t after its beginning [s]."""
        way: Scalar = 0
        speed: Scalar = 0
        acceleration: Scalar = 0
        for first, last, (duration, v, a, j) in zip(self.edges, self.edges[1:], self.phases, strict=False):
            x = clip(t - first, 0, duration)
            inside = (t >= first) & (t < last)
            way = way + x * (v + x * (a / 2 + x * j / 6))
            speed = speed + where(inside, v + x * (a + x * j / 2), 0)
            acceleration = acceleration + where(inside, a + x * j, 0)
        return way, speed, acceleration


def trapezoid(way: Scalar, speed: Scalar, acceleration: Scalar) -> Ride:
    """The quickest ride from rest to rest over a way above 0, with these limits."""
    fast = way * acceleration > speed * speed  # there is time to reach the speed
    ramp = where(fast, speed / acceleration, sqrt(way / acceleration))
    top = acceleration * ramp
    cruise = maximum(0, way / top - ramp)
    return Ride([Phase(ramp, 0, acceleration, 0), Phase(cruise, top, 0, 0), Phase(ramp, top, -acceleration, 0)])


def s_curve(way: Scalar, speed: Scalar, acceleration: Scalar, jerk: Scalar) -> Ride:
    """Likewise, with a limit of the jerk."""
    V, A, J = speed, acceleration, jerk
    sharp = V * J < A * A  # the speed is reached before the acceleration is
    comes = where(sharp, sqrt(V / J), A / J)  # time in which the acceleration comes
    ramp = where(sharp, 2 * comes, A / J + V / A)
    short = way < V * ramp  # the speed is not reached
    tiny = way * J * J < 2 * A * A * A  # nor is the acceleration
    least, half = power(way / (2 * J), 1 / 3), A / (2 * J)
    comes = where(short, where(tiny, least, A / J), comes)
    ramp = where(short, where(tiny, 2 * least, half + sqrt(half * half + way / A)), ramp)
    A = J * comes
    top, soft, flat = A * (ramp - comes), A * comes / 2, maximum(0, ramp - 2 * comes)
    phases = [
        Phase(comes, 0, 0, J),
        Phase(flat, soft, A, 0),
        Phase(comes, top - soft, A, -J),
        Phase(maximum(0, way / top - ramp), top, 0, 0),
        Phase(comes, top, 0, -J),
        Phase(flat, top - soft, -A, 0),
        Phase(comes, soft, -A, J),
    ]
    return Ride(phases)


class Profile(Validated, Parametric):
    """How fast a way is gone: that of a tool [m] or of a joint [rad or m]."""

    def ride(self, way: Scalar) -> Ride:
        """The quickest motion from rest to rest over a way, which is above 0."""
        raise NotImplementedError


@PROFILES.add
@dataclass(frozen=True, kw_only=True)
class Trapezoid(Profile):
    """Constant acceleration, constant speed, constant deceleration; without the middle where the way is short.

    Attributes:
        speed: largest [m/s or rad/s].
        acceleration: largest [m/s² or rad/s²].

    Example:
        >>> from stiction import Trapezoid
        >>> ride = Trapezoid(speed=0.5, acceleration=1.0).ride(2.0)
        >>> ride.duration, ride.at(2.0)
        (4.5, (0.875, 0.5, 0.0))
    """

    speed: float = number(above=0)
    acceleration: float = number(above=0)

    def ride(self, way: Scalar) -> Ride:
        """Its three phases."""
        return trapezoid(way, self.speed, self.acceleration)


@PROFILES.add
@dataclass(frozen=True, kw_only=True)
class SCurve(Profile):
    """As `Trapezoid`, but the acceleration changes by a bounded jerk: seven phases, fewer where the way is short.

    Attributes:
        speed: largest [m/s or rad/s].
        acceleration: largest [m/s² or rad/s²].
        jerk: largest [m/s³ or rad/s³].

    Example:
        >>> from stiction import SCurve
        >>> ride = SCurve(speed=0.5, acceleration=1.0, jerk=10.0).ride(2.0)
        >>> round(ride.duration, 6)  # 0.1 s longer than without a limit of the jerk
        4.6
    """

    speed: float = number(above=0)
    acceleration: float = number(above=0)
    jerk: float = number(above=0)

    def ride(self, way: Scalar) -> Ride:
        """Its seven phases."""
        return s_curve(way, self.speed, self.acceleration, self.jerk)
