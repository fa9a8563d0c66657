"""What one site may do: friction between bounds, end stops; and the modes in which it can be."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from stiction.trace.functions import Scalar, absolute, clip, maximum, minimum, where
from stiction.trace.grid import column


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


def slides(mode: Scalar) -> Scalar:
    """Whether a site in this mode slides."""
    return absolute(mode) == 1


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

    # As a convex function of the impulse: what the search that always ends goes by.

    def reach(self, broken: Scalar) -> tuple[Scalar, Scalar]:
        """Impulses of friction between which it sticks: at rest, or once it has broken away."""
        b = self.bounds
        if not self.rough:
            return 0, 0
        return (
            -where(broken > 0, minimum(b.slide_negative, b.rest_negative), b.rest_negative),
            where(broken > 0, minimum(b.slide_positive, b.rest_positive), b.rest_positive),
        )

    def _kinks(self, broken: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Where it sticks, and from which impulses on stops push: those of friction as it moves with them."""
        low, high = self.reach(broken)
        push_up = low if self.lower is None else where(self.lower > 0, high, low)
        push_down = high if self.upper is None else where(self.upper < 0, low, high)
        return low, high, push_up, push_down

    def region(self, p: Scalar, s: Scalar, broken: Scalar) -> Scalar:
        """The mode in which it is with impulse p and velocity s, where both may still change."""
        low, high, push_up, push_down = self._kinks(broken)
        found = where((p >= high) & (s > 0), 1, where((p <= low) & (s < 0), -1, 0))
        if self.upper is not None:
            found = where((p > push_down) | ((p >= push_down) & (s > self.upper)), 2, found)
        if self.lower is not None:
            found = where((p < push_up) | ((p <= push_up) & (s < self.lower)), -2, found)
        return found

    def within(self, mode: Scalar, p: Scalar, broken: Scalar) -> Scalar:
        """The impulse nearest to p that a site in this mode may have."""
        low, high, push_up, push_down = self._kinks(broken)
        found = where(mode == 1, high, where(mode == -1, low, clip(p, low, high)))
        if self.upper is not None:
            found = where(mode > 1, maximum(p, push_down), found)
        return found if self.lower is None else where(mode < -1, minimum(p, push_up), found)

    def nearest(self, z: Scalar, own: Scalar, broken: Scalar) -> Scalar:
        """The impulse p for which z = p + s/own, with a velocity s that it may have with p."""
        low, high, push_up, push_down = self._kinks(broken)
        found = clip(z, low, high)
        if self.upper is not None:
            found = where(z - self.upper / own > push_down, z - self.upper / own, minimum(found, push_down))
        if self.lower is not None:
            found = where(z - self.lower / own < push_up, z - self.lower / own, maximum(found, push_up))
        return found

    def cost(self, p: Scalar, broken: Scalar) -> Scalar:
        """What its stops add to the energy that the impulses make smallest."""
        *_, push_up, push_down = self._kinks(broken)
        found: Scalar = 0
        if self.upper is not None:
            found = found + self.upper * maximum(0, p - push_down)
        return found if self.lower is None else found + self.lower * minimum(0, p - push_up)


FAR = 1e300  # rad/s or m/s that no stop allows


class Sites:
    """What each of several sites may do, by an index of the program."""

    def __init__(self, sites: Sequence[Site], like: Sequence[Scalar]) -> None:
        self.rough = column([int(site.rough) for site in sites], like)
        self.all_rough = all(site.rough for site in sites)
        known: dict[tuple[int, ...], Any] = {}  # bounds that are the same at rest and while sliding are one column
        self.bounds = []
        for k in range(4):
            bounds = [site.bounds[k] for site in sites]
            self.bounds.append(known.setdefault(tuple(map(id, bounds)), column(bounds, like)))
        ends = [(-FAR if x.lower is None else x.lower, FAR if x.upper is None else x.upper) for x in sites]
        stopped = any(site.stops for site in sites)
        self.ends = [column([end[k] for end in ends], like) for k in range(2)] if stopped else []

    def __getitem__(self, k: Any) -> Site:
        stops = Stops(*(end[k] for end in self.ends)) if self.ends else None
        return Site(Bounds(*(bound[k] for bound in self.bounds)), stops)

    def told(self, k: Any, mode: Scalar) -> Scalar:
        """The mode as it is told: what is without friction does not slide."""
        return mode if self.all_rough else where((self.rough[k] < 1) & (absolute(mode) == 1), 0, mode)
