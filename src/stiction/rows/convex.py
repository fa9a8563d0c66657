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
from stiction.trace.functions import Scalar, absolute, loop, minimum, where
from stiction.trace.grid import each

PASSES = 100  # Newton steps at most; some ten are enough for sixty sites
HALVINGS = 20  # of one step
SLIGHT = 1e-13  # part by which the energy must fall, below which it is rounding


class System(Protocol):
    """How sites are coupled; everything by index.

    Attributes:
        count: of the sites.
        free: velocities without impulses.
        symmetric: whether site i moves j as j moves i.
    """

    count: int
    free: Any
    symmetric: bool

    def own(self, k: Any) -> Scalar:
        """Velocity of a site under its own unit impulse, about."""

    def speeds(self, p: Any) -> Any:
        """Velocities of the sites after the impulses p."""

    def held(self, held: Any, target: Any, given: Any) -> Any:
        """The impulses, where some sites are held at their targets and the others have given impulses (held ones 0)."""

    def settle(self, held: Any, target: Any, given: Any, here: Scalar) -> None:
        """Note what comes of it in the end, in the lanes in which it counts."""


class _Search:
    """The impulses as they are, and what is known of each site."""

    def __init__(self, system: System, sites: Any, like: Sequence[Scalar]) -> None:
        self.system, self.sites, self.like = system, sites, like
        self.p, self.trial, self.broken, self.mode, self.held, self.target, self.given = (
            Array(system.count, like) for _ in range(7)
        )

    def visit(self, what: Any) -> None:
        """All sites."""
        each(self.system.count, what, self.like)

    def begin(self, start: Any, p: Any, mode: Any) -> None:
        """From the modes at the beginning of the step, and what the other search had."""

        def one(k: Any) -> None:
            self.broken[k] = where(absolute(start[k]) == 1, 1, 0)
            stopped = where(absolute(mode[k]) > 1, mode[k], 0)
            self.p[k] = self.sites[k].within(stopped, p[k], self.broken[k])

        self.visit(one)

    def energy(self, p: Any) -> Scalar:
        """What the impulses make smallest: ½ pᵀ A p − pᵀ free, and the cost of the stops. If A is not symmetric there
        is no such energy; then it is the sum of the squares of what is wrong.
        """
        total, s = Array(1, self.like), self.system.speeds(p)

        def add(k: Any) -> None:
            site = self.sites[k]
            if self.system.symmetric:
                term = site.cost(p[k], self.broken[k]) - p[k] * (self.system.free[k] + s[k]) / 2
            else:
                own = self.system.own(k)
                wrong = p[k] - site.nearest(p[k] + s[k] / own, own, self.broken[k])
                term = wrong * wrong * own
            total[0] = total[0] + term

        self.visit(add)
        return total[0]

    def find_regions(self) -> None:
        """The modes of the impulses as they are, and what they make of each site."""
        s = self.system.speeds(self.p)

        def one(k: Any) -> None:
            site = self.sites[k]
            m = site.region(self.p[k], s[k], self.broken[k])
            self.mode[k], self.target[k] = m, site.target(m)
            self.held[k], self.given[k] = where(absolute(m) == 1, 0, 1), where(absolute(m) == 1, self.p[k], 0)

        self.visit(one)

    def step(self) -> Scalar:
        """One Newton step; what comes back is 0 at the end."""
        self.find_regions()
        aim, before = self.system.held(self.held, self.target, self.given), self.energy(self.p)

        def shorter(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            part = carry[0]

            def move(k: Any) -> None:
                wish = self.p[k] + part * (aim[k] - self.p[k])
                self.trial[k] = self.sites[k].within(self.mode[k], wish, self.broken[k])

            self.visit(move)
            falls = self.energy(self.trial) < before - SLIGHT * absolute(before)
            return [where(falls, part, part / 2), where(falls, 0, 1), where(falls, 1, 0)]

        zero = 0 * before
        falls = loop(HALVINGS, shorter, [zero + 1, zero + 1, zero], until_zero=1)[2]
        return self._taken(falls)

    def _taken(self, falls: Scalar) -> Scalar:
        """Take a step that lets the energy fall; where none does, what moves has broken away, and goes on with less."""
        fresh = Array(1, self.like)

        def one(k: Any) -> None:
            moves = (absolute(self.mode[k]) == 1) | (absolute(self.target[k]) > 0)
            breaks = where((falls < 1) & moves & (self.broken[k] < 1), 1, 0)
            fresh[0] = fresh[0] + breaks
            self.broken[k] = self.broken[k] + breaks
            p = where(falls > 0, self.trial[k], self.p[k])
            self.p[k] = where(falls > 0, p, self.sites[k].within(self.mode[k], p, self.broken[k]))

        self.visit(one)
        return where(falls > 0, 1, minimum(1, fresh[0]))


class Problem(NamedTuple):
    """What there is to solve, by an index of the program: the system, what each site may do, modes at the beginning."""

    system: System
    sites: Sites
    start: Any


def convex(make: Callable[[Sequence[Scalar]], Problem], p: Array, mode: Array, left: Scalar) -> None:
    """Find impulses and modes in place, where something was left to change.

    Args:
        make: gives the problem; it is asked inside the loop, so that it costs nothing where it is not needed.
        p: impulses of the other search.
        mode: its modes.
        left: what it had left to change; 0 where it ended.
    """

    def once(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        like = [carry[0]]
        system, sites, start = make(like)
        search = _Search(system, sites, like)
        search.begin(start, p, mode)
        loop(PASSES, lambda _, go: [where(go[0] > 0, search.step(), 0)], carry, until_zero=0)
        search.find_regions()
        here = carry[0] > 0

        def note(k: Any) -> None:
            m = sites.told(k, search.mode[k])
            p[k], mode[k] = where(here, search.p[k], p[k]), where(here, m, mode[k])

        search.visit(note)
        system.settle(search.held, search.target, search.given, here)
        return carry

    loop(1, once, [left], until_zero=0, skip=True)
