"""Which of several coupled sites stick, which slip and which stand at an end stop: one step at velocity level.

Site i moves with s = free − A p, where p are the impulses and A = S M⁻¹ Sᵀ couples the sites. A stuck site has s = 0
and |p| below its bound for rest; a sliding one has p at its bound for sliding, in the direction of s; one at a stop
moves as fast as the stop lets it, with any p beyond its friction against the stop. The search (principal pivoting)
starts from the states of the last step and ends when no site contradicts itself, nearly always at the first pass. At
first it changes all sites that contradict themselves at once; if that goes on for long, only the first of them, which
cannot run in circles (Murty's rule). Straight-line code: it is traced and runs in lanes.
"""

from typing import Any, NamedTuple

from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, absolute, clip, loop, maximum, where
from stiction.trace.grid import factor, solve


class Bounds(NamedTuple):
    """Bounds of the friction impulse of a site [N·m·s or N·s], all 0 or above.

    Attributes:
        rest_positive: at rest, against a positive motion.
        rest_negative: at rest, against a negative motion.
        slide_positive: while sliding with positive velocity.
        slide_negative: while sliding with negative velocity.
    """

    rest_positive: Scalar
    rest_negative: Scalar
    slide_positive: Scalar
    slide_negative: Scalar


FRICTIONLESS = Bounds(0, 0, 0, 0)


class Stops(NamedTuple):
    """Velocities between which a site must stay, lest it run through its end stops [rad/s or m/s]; None: no stop."""

    lower: Scalar | None
    upper: Scalar | None


class Outcome(NamedTuple):
    """What the search found.

    Attributes:
        impulse: of each site, with the sign of its velocity, friction and stop together [N·m·s or N·s].
        friction: the part of it that is friction.
        mode: of each site: −1 or 1 sliding that way, 0 stuck (or free, without friction), −2 or 2 at a stop.
        residual: largest remaining contradiction, as an impulse [N·m·s or N·s]; 0 where the search ended.
    """

    impulse: list[Scalar]
    friction: list[Scalar]
    mode: list[Scalar]
    residual: Scalar


PASSES = 200  # at most: from the states of the last step one or two are enough; what is left is reported
AT_ONCE = 8  # passes that change all sites that contradict themselves


def slides(mode: Scalar) -> Scalar:
    """Whether a site in this mode slides."""
    return absolute(mode) == 1


def stick_slip(
    A: list[list[Scalar]],
    free: list[Scalar],
    bounds: list[Bounds],
    mode: list[Scalar],
    stops: list[Stops | None] | None = None,
    passes: int = PASSES,
    symmetric: bool = True,
) -> Outcome:
    """The impulses of coupled sites; `mode` is that of the last step."""
    n = len(free)
    sites = [Site(row, stop) for row, stop in zip(bounds, stops or [None] * n, strict=True)]

    def one(count: Scalar, carry: list[Scalar]) -> list[Scalar]:
        mode = carry[:n]
        p = impulses(A, free, sites, mode, symmetric)
        s = speeds(A, free, p)
        after: list[Scalar] = []
        changes: Scalar = 0
        for site, m, x, y in zip(sites, mode, p, s, strict=True):
            wanted = site.next_mode(m, x, y)
            chosen = where((count < AT_ONCE) | (changes == 0), wanted, m)
            changes = changes + absolute(chosen - m)
            after.append(chosen)
        wrong = 0
        for site, m, x, y, a in zip(sites, mode, p, s, range(n), strict=True):
            wrong = maximum(wrong, site.contradiction(m, x, y, A[a][a]))
        return [*after, *p, *mode, wrong, changes]

    if not n:
        return Outcome([], [], [], 0)
    carry = loop(passes, one, [*mode, *[0] * n, *mode, 0, 0], until_zero=3 * n + 1)
    found, used, wrong = carry[n : 2 * n], carry[2 * n : 3 * n], carry[3 * n]
    p = [site.allowed(m, x) for site, m, x in zip(sites, used, found, strict=True)]
    return Outcome(p, [site.friction(m, x) for site, m, x in zip(sites, used, p, strict=True)], used, wrong)


def impulses(
    A: list[list[Scalar]], free: list[Scalar], sites: "list[Site]", mode: list[Scalar], symmetric: bool = True
) -> list[Scalar]:
    """The impulses when the modes are these: sliding sites at their bounds, held ones at whatever holds them."""
    n = len(free)
    held = [site.held(m) for site, m in zip(sites, mode, strict=True)]
    sliding = [site.sliding(m) for site, m in zip(sites, mode, strict=True)]
    masked = [[A[i][j] * held[i] * held[j] + (1 - held[i] if i == j else 0) for j in range(n)] for i in range(n)]
    moved = speeds(A, free, sliding)
    wanted = [(x - site.target(m)) * k for site, m, x, k in zip(sites, mode, moved, held, strict=True)]
    holding = solve(factor(masked), wanted) if symmetric else solved(eliminated(masked), wanted)
    return [x + y for x, y in zip(sliding, holding, strict=True)]


def speeds(A: list[list[Scalar]], free: list[Scalar], p: list[Scalar]) -> list[Scalar]:
    """Velocities of the sites after the impulses p."""
    return [f - sum((a * x for a, x in zip(row, p, strict=True)), start=0) for f, row in zip(free, A, strict=True)]


class Site(NamedTuple):
    """What one site may do: its friction, and its stops."""

    bounds: Bounds
    stops: Stops | None

    @property
    def rough(self) -> bool:
        """Whether it has friction."""
        return self.bounds is not FRICTIONLESS

    @property
    def lower(self) -> Any:
        """The smallest velocity that a stop allows."""
        return self.stops.lower if self.stops else None

    @property
    def upper(self) -> Any:
        """The largest velocity that a stop allows."""
        return self.stops.upper if self.stops else None

    def held(self, mode: Scalar) -> Scalar:
        """1 where its velocity is known: stuck, or at a stop."""
        if not self.rough:
            return where(absolute(mode) > 1, 1, 0)
        return where(slides(mode), 0, 1)

    def target(self, mode: Scalar) -> Scalar:
        """Its velocity where that is known."""
        found: Scalar = 0
        if self.upper is not None:
            found = where(mode > 1, self.upper, found)
        return found if self.lower is None else where(mode < -1, self.lower, found)

    def sliding(self, mode: Scalar) -> Scalar:
        """Impulse while it slides."""
        if not self.rough:
            return 0
        forward, back = self.bounds.slide_positive, -self.bounds.slide_negative
        return where(mode == 1, forward, where(mode == -1, back, 0))

    def _least(self) -> Scalar:
        """What friction gives at least at the upper stop: by how it moves there."""
        b = self.bounds
        moving = where(self.upper < 0, -b.slide_negative, -b.rest_negative)
        return where(self.upper > 0, b.slide_positive, moving)

    def _most(self) -> Scalar:
        """The same at most at the lower stop."""
        b = self.bounds
        moving = where(self.lower > 0, b.slide_positive, b.rest_positive)
        return where(self.lower < 0, -b.slide_negative, moving)

    def next_mode(self, mode: Scalar, p: Scalar, s: Scalar) -> Scalar:
        """Stuck sites that cannot be held start, sliding ones that would turn round stop; what would run through a stop
        stands there, as long as the stop pushes.
        """
        after = self._without_stops(mode, p, s)
        if self.upper is not None:
            away = where(self.upper > 0, 1, -1) * self.rough
            into = (mode > -2) & self._runs_into(mode, s - self.upper, after, self.upper)
            after = where(mode > 1, where(p < self._least(), away, 2), where(into, 2, after))
        if self.lower is not None:
            away = where(self.lower < 0, -1, 1) * self.rough
            into = (mode < 2) & self._runs_into(-mode, self.lower - s, -after, -self.lower)
            after = where(mode < -1, where(p > self._most(), away, -2), where(into, -2, after))
        return after

    def _without_stops(self, mode: Scalar, p: Scalar, s: Scalar) -> Scalar:
        if not self.rough:
            return 0
        freed = where(p > self.bounds.rest_positive, 1, where(p < -self.bounds.rest_negative, -1, 0))
        return where(slides(mode), where(mode * s < 0, 0, mode), freed)

    def _runs_into(self, mode: Scalar, too_fast: Scalar, direction: Scalar, allowed: Scalar) -> Scalar:
        """Whether it would run through a stop: what slides towards it, or not fast enough away from it; a stuck site if
        it starts that way, or has to be pushed back.
        """
        if not self.rough:
            return too_fast > 0
        sliding = (too_fast > 0) & ((mode == 1) | (allowed < 0))
        stuck = (allowed < 0) | ((allowed <= 0) & (direction > 0))
        return (slides(mode) & sliding) | ((mode == 0) & stuck)

    def contradiction(self, mode: Scalar, p: Scalar, s: Scalar, own: Scalar) -> Scalar:
        """How far it contradicts its mode, as an impulse."""
        wrong: Scalar = 0
        if self.rough:
            beyond = maximum(0, maximum(p - self.bounds.rest_positive, -self.bounds.rest_negative - p))
            wrong = where(slides(mode), maximum(0, -mode * s) / own, beyond)
            s = where(slides(mode), s, 0)  # without rounding
        drawn: Scalar = 0  # to a stop
        if self.upper is not None:
            wrong = maximum(wrong, (s - self.upper) / own)
            drawn = where(mode > 1, maximum(0, self._least() - p), drawn)
        if self.lower is not None:
            wrong = maximum(wrong, (self.lower - s) / own)
            drawn = where(mode < -1, maximum(0, p - self._most()), drawn)
        return wrong if self.stops is None else where(absolute(mode) > 1, drawn, wrong)

    def allowed(self, mode: Scalar, p: Scalar) -> Scalar:
        """The impulse, where the search may have come to no end: what is stuck takes no more than it has."""
        if not self.rough:
            return where(absolute(mode) > 1, p, 0)
        within = clip(p, -self.bounds.rest_negative, self.bounds.rest_positive)
        return where(absolute(mode) > 0, p, within)

    def friction(self, mode: Scalar, p: Scalar) -> Scalar:
        """What friction has of an impulse: at a stop all that it can, the stop has the rest."""
        if not self.rough:
            return 0
        found = p
        if self.upper is not None:
            found = where(mode > 1, self._at_stop(p, self.upper), found)
        if self.lower is not None:
            found = where(mode < -1, self._at_stop(p, self.lower), found)
        return found

    def _at_stop(self, p: Scalar, s: Scalar) -> Scalar:
        """Friction at a stop that it reaches with velocity s."""
        b = self.bounds
        still = clip(p, -b.rest_negative, b.rest_positive)
        return where(s > 0, b.slide_positive, where(s < 0, -b.slide_negative, still))
