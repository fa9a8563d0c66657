"""The search that always ends, for sites on which changing all modes at once goes round in circles.

With friction that does not fall, the impulses make ½ pᵀ A p − pᵀ free smallest within their bounds (stops add a cost of
their own): a convex problem. Newton steps towards the solution of the modes as they are, kept within the bounds and
shortened until the energy falls (Bertsekas' projected Newton), end after finitely many of them. Friction that falls as
a site breaks away comes in rounds: what has broken away has less from then on, and nothing mends itself within a step.
It all runs in loops over the sites, and costs nothing in a step that does not need it.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from stiction.rows.site import Sites
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, loop, maximum, minimum, where
from stiction.trace.grid import each
from stiction.trace.precision import tolerance

PASSES = 100  # Newton steps at most; some ten are enough for sixty sites
HALVINGS = 20  # of one step
SLIGHT = 1e-13  # part by which the energy must fall, below which it is rounding


class System(Protocol):
    """How sites are coupled; everything by index.

    Attributes:
        count: of the sites.
        symmetric: whether site i moves j as j moves i.
    """

    count: int
    symmetric: bool

    def own(self, k: Any) -> Scalar:
        """Velocity of a site under its own unit impulse, about."""

    def speeds(self, p: Any) -> Any:
        """Velocities of the sites after the impulses p."""

    def held(self, held: Any, target: Any, given: Any) -> Any:
        """The impulses, where some sites are held at their targets and the others have given impulses (held ones 0)."""

    def settle(self, here: Scalar, p: Any) -> None:
        """Note what the impulses do that were found in the end, in the lanes in which it counts."""


class _Search:
    """The impulses as they are, and what is known of each site."""

    def __init__(self, system: System, sites: Any, like: Sequence[Scalar]) -> None:
        self.system, self.sites, self.like = system, sites, like
        self.p, self.s, self.trial, self.broken, self.mode, self.held, self.target, self.given = (
            Array(system.count, like) for _ in range(8)
        )

    def visit(self, what: Callable[[Any], None]) -> None:
        """All sites."""
        each(self.system.count, what, self.like)

    def begin(self, start: Any, p: Any, mode: Any) -> None:
        """From the modes at the beginning of the step, and what the other search had."""

        def one(k: Any) -> None:
            self.broken[k] = where(absolute(start[k]) == 1, 1, 0)
            stopped = where(absolute(mode[k]) > 1, mode[k], 0)
            self.p[k] = self.sites[k].within(stopped, p[k], self.broken[k])

        self.visit(one)

    def step(self, go: Scalar) -> Scalar:
        """One Newton step in the lanes that go on; what comes back is 0 at the end."""
        self._find_regions(go)
        aim = self.system.held(self.held, self.target, self.given)

        def shorter(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            part = carry[0]

            def move(k: Any) -> None:
                wish = self.p[k] + part * (aim[k] - self.p[k])
                self.trial[k] = self.sites[k].within(self.mode[k], wish, self.broken[k])

            self.visit(move)
            falls = self._falls()
            return [where(falls, part, part / 2), where(falls, 0, 1), where(falls, 1, 0)]

        zero = 0 * self.like[0]
        return self._taken(go, loop(HALVINGS, shorter, [zero + 1, zero + 1, zero], until_zero=1)[2])

    def _find_regions(self, go: Scalar) -> None:
        """The modes of the impulses as they are, and what they make of each site."""
        s = self.system.speeds(self.p)

        def one(k: Any) -> None:
            site = self.sites[k]
            m = where(go, site.region(self.p[k], s[k], self.broken[k]), self.mode[k])
            self.s[k], self.mode[k], self.target[k] = where(go, s[k], self.s[k]), m, site.target(m)
            self.held[k], self.given[k] = where(absolute(m) == 1, 0, 1), where(absolute(m) == 1, self.p[k], 0)

        self.visit(one)

    def _falls(self) -> Scalar:
        """Whether the energy falls on the way to the trial: by −(s + s')/2 over the way, and the cost of the stops. If
        A is not symmetric there is no energy: then the sum of the squares of what is wrong has to fall.
        """
        sums, s = Array(2, self.like), self.system.speeds(self.trial)  # what is gained, and the size of its terms

        def add(k: Any) -> None:
            site, broken, old, new = self.sites[k], self.broken[k], self.p[k], self.trial[k]
            if self.system.symmetric:
                terms = [-(self.s[k] + s[k]) / 2 * (new - old), site.cost(new, broken) - site.cost(old, broken)]
            else:
                own = self.system.own(k)
                before = old - site.nearest(old + self.s[k] / own, own, broken)
                after = new - site.nearest(new + s[k] / own, own, broken)
                terms = [own * after * after, -own * before * before]
            sums[0] = sums[0] + terms[0] + terms[1]
            sums[1] = sums[1] + absolute(terms[0]) + absolute(terms[1])

        self.visit(add)
        return sums[0] < -tolerance(SLIGHT) * sums[1]

    def _taken(self, go: Scalar, falls: Scalar) -> Scalar:
        """Take a step that lets the energy fall; where none does, what moves has broken away, and goes on with less."""
        fresh = Array(1, self.like)

        def one(k: Any) -> None:
            moves = (absolute(self.mode[k]) == 1) | (absolute(self.target[k]) > 0)
            breaks = where(go & (falls < 1) & moves & (self.broken[k] < 1), 1, 0)
            fresh[0] = fresh[0] + breaks
            self.broken[k] = self.broken[k] + breaks
            weaker = self.sites[k].within(self.mode[k], self.p[k], self.broken[k])
            self.p[k] = where(go, where(falls > 0, self.trial[k], weaker), self.p[k])

        self.visit(one)
        return where(falls > 0, 1, minimum(1, fresh[0]))


class Problem(NamedTuple):
    """What there is to solve, by an index of the program: the system, what each site may do, modes at the beginning."""

    system: System
    sites: Sites
    start: Any


def convex(make: Callable[[Sequence[Scalar]], Problem], p: Array, mode: Array, left: Scalar) -> Scalar:
    """Find impulses and modes in place, where something was left to change; the largest contradiction that is left
    comes back, as an impulse.

    Args:
        make: gives the problem; it is asked inside the loop, so that it costs nothing where it is not needed.
        p: impulses of the other search.
        mode: its modes.
        left: what it had left to change; 0 where it ended.
    """
    worst = Array(1, [left])

    def once(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        like = [carry[0]]
        system, sites, start = make(like)
        search, here = _Search(system, sites, like), carry[0] > 0
        search.begin(start, p, mode)
        (busy,) = loop(PASSES, lambda _, go: [where(go[0] > 0, search.step(go[0] > 0), 0)], carry, until_zero=0)
        s = system.speeds(search.p)  # of what was found: the last step may have moved it
        tells = here & (busy > 0) if system.symmetric else here  # where the energy is least, only rounding is left

        def note(k: Any) -> None:
            site, own, found, broken = sites[k], system.own(k), search.p[k], search.broken[k]
            moves = absolute(site.region(found, s[k], broken)) == 1  # so it has broken away
            wrong = absolute(found - site.nearest(found + s[k] / own, own, where(moves, 1, broken)))
            worst[0] = maximum(worst[0], where(tells, wrong, 0))
            p[k] = where(here, search.p[k], p[k])
            mode[k] = where(here, sites.told(k, search.mode[k]), mode[k])

        search.visit(note)
        system.settle(here, search.p)
        return carry

    loop(1, once, [left], until_zero=0, skip=True)
    return worst[0]
