"""Which of several coupled sites stick, which slip and which stand at an end stop: one step at velocity level.

Site i moves with s = free − A p, where p are the impulses and A = S M⁻¹ Sᵀ couples the sites. A stuck site has s = 0
and |p| below its bound for rest; a sliding one has p at its bound for sliding, in the direction of s; one at a stop
moves as fast as the stop lets it, with any p beyond its friction against the stop. The search (principal pivoting)
starts from the modes of the last step, changes all sites that contradict themselves at once, and ends when none does,
nearly always at the first pass. Where it goes on for long, `rows.convex` takes over, which always ends.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from stiction.rows.convex import Problem, System, convex
from stiction.rows.site import Bounds, Site, Sites, Stops
from stiction.trace.array import Array
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, absolute, loop, where
from stiction.trace.grid import Grid, column, each, factor, solve, solved_in_memory

AT_ONCE = 12  # passes that change all sites that contradict themselves; one or two are enough, nearly always


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


class Dense:
    """Sites that are coupled by a matrix.

    Args:
        A: velocities of the sites under unit impulses.
        free: velocities without impulses.
        symmetric: whether A is.
    """

    def __init__(self, A: list[list[Scalar]], free: list[Scalar], symmetric: bool) -> None:
        self.A, self.free, self.symmetric = A, free, symmetric
        self.count = len(free)

    def own(self, k: int) -> Scalar:
        """Velocity of a site under its own unit impulse."""
        return self.A[k][k]

    def speeds(self, p: Sequence[Scalar]) -> list[Scalar]:
        """Velocities of the sites after the impulses p."""
        n = range(self.count)
        return [self.free[i] - sum((self.A[i][j] * p[j] for j in n), start=0) for i in n]

    def held(self, held: Any, target: Any, given: Any, here: Scalar = True) -> list[Scalar]:
        """The impulses, where some sites are held at their targets and the others have given impulses (held ones 0).
        What is found beside them changes in the lanes that are `here`.
        """
        A, n = self.A, range(self.count)
        masked = [[A[i][j] * held[i] * held[j] + (1 - held[i] if i == j else 0) for j in n] for i in n]
        moved = self.speeds([given[k] for k in n])
        wanted = [(moved[k] - target[k]) * held[k] for k in n]
        holding = solve(factor(masked), wanted) if self.symmetric else solved(eliminated(masked), wanted)
        return [given[k] + holding[k] for k in n]

    def fixed(self) -> "Dense":
        """The same, with all that is not of the sites as it was found last."""
        return self

    def settle(self) -> None:
        """Find what is not of the sites, where there are none."""


class InMemory:
    """The same in memory, for loops over the sites."""

    def __init__(self, dense: Dense, like: Sequence[Scalar]) -> None:
        self.count, self.symmetric, self.like = dense.count, dense.symmetric, like
        n = dense.count
        self.A, self.free = Grid(n, n, like), Array.of(dense.free, like)
        for i, row in enumerate(dense.A):
            for j, x in enumerate(row):
                self.A[i, j] = x

    def own(self, k: Any) -> Scalar:
        """Velocity of a site under its own unit impulse."""
        return self.A[k, k]

    def speeds(self, p: Any) -> Array:
        """Velocities of the sites after the impulses p."""
        found = Array(self.count, self.like)

        def row(i: Any) -> None:
            found[i] = self.free[i]

            def entry(j: Any) -> None:
                found[i] = found[i] - self.A[i, j] * p[j]

            each(self.count, entry, self.like)

        each(self.count, row, self.like)
        return found

    def held(self, held: Any, target: Any, given: Any) -> Array:
        """The impulses, where some sites are held at their targets and the others have given impulses (held ones 0)."""
        n, moved = self.count, self.speeds(given)
        masked, wanted, found = Grid(n, n, self.like), Array(n, self.like), Array(n, self.like)

        def row(i: Any) -> None:
            wanted[i] = (moved[i] - target[i]) * held[i]

            def entry(j: Any) -> None:
                masked[i, j] = self.A[i, j] * held[i] * held[j] + where(i == j, 1 - held[i], 0)

            each(n, entry, self.like)

        each(n, row, self.like)
        holding = solve(factor(masked), wanted) if self.symmetric else solved_in_memory(masked, wanted)

        def add(k: Any) -> None:
            found[k] = given[k] + holding[k]

        each(n, add, self.like)
        return found

    def settle(self, here: Scalar, p: Any) -> None:
        """The impulses are all that counts."""


def stick_slip(
    system: Dense,
    bounds: list[Bounds],
    mode: list[Scalar],
    stops: list[Stops | None] | None = None,
    passes: int = AT_ONCE,
) -> Outcome:
    """The impulses of coupled sites; `mode` is that of the last step."""
    n = system.count
    if not n:
        system.settle()
        return Outcome([], [], [], 0)
    sites = [Site(row, stop) for row, stop in zip(bounds, stops or [None] * n, strict=True)]

    def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        mode, go = carry[:n], carry[3 * n]
        p, s = tried(system, sites, mode, go > 0)
        after = [site.next_mode(m, x, y) for site, m, x, y in zip(sites, mode, p, s, strict=True)]
        changes: Scalar = 0
        for a, m in zip(after, mode, strict=True):
            changes = changes + absolute(a - m)
        return [*after, *p, *mode, changes]

    carry = loop(passes, one, [*mode, *[0] * n, *mode, 1], until_zero=3 * n)
    left = carry[3 * n]
    found, used = Array.of(carry[n : 2 * n], [left]), Array.of(carry[2 * n : 3 * n], [left])
    wrong = convex(
        lambda like: Problem(InMemory(system.fixed(), like), Sites(sites, like), column(mode, like)), found, used, left
    )
    modes, p = list(used), list(found)
    return Outcome(p, [site.friction(m, x) for site, m, x in zip(sites, modes, p, strict=True)], modes, wrong)


def tried(
    system: Dense, sites: Sequence[Site], mode: Sequence[Scalar], here: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Impulses and velocities when the modes are these: sliding sites at their bounds, held ones at what holds them.
    Lanes that are not `here` have ended their search: contacts stay as they are there.
    """
    held = [site.held(m) for site, m in zip(sites, mode, strict=True)]
    target = [site.target(m) for site, m in zip(sites, mode, strict=True)]
    p = system.held(held, target, [site.sliding(m) for site, m in zip(sites, mode, strict=True)], here)
    return p, system.speeds(p)


class LoopedSystem(System, Protocol):
    """Sites that are coupled in another way than by a matrix."""

    like: Sequence[Scalar]

    def tried(self, held: Any, target: Any, given: Any, here: Scalar = True) -> tuple[Array, Array]:
        """Impulses and velocities, where some sites are held at their targets and the others have given impulses; what
        is found beside them changes in the lanes that are `here`.
        """

    def again(self) -> "LoopedSystem":
        """The same inside a loop."""


def stick_slip_in_loops(system: LoopedSystem, sites: Sequence[Site], mode: Sequence[Scalar]) -> Outcome:
    """The same in loops over the sites, for many of them."""
    n, like = system.count, system.like
    table, start = Sites(sites, like), column(mode, like)
    modes, used, p = Array.of(mode, like), Array(n, like), Array(n, like)

    def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        held, target, given, changes = (Array(n, like) for _ in range(4))

        def begin(k: Any) -> None:
            site, m = table[k], modes[k]
            used[k], held[k], target[k], given[k] = m, site.held(m), site.target(m), site.sliding(m)

        each(n, begin, like)
        found, s = system.tried(held, target, given, carry[0] > 0)

        def change(k: Any) -> None:
            after = table[k].next_mode(modes[k], found[k], s[k])
            changes[0] = changes[0] + absolute(after - modes[k])
            modes[k], p[k] = after, found[k]

        each(n, change, like)
        return [changes[0]]

    left = loop(AT_ONCE, one, [like[0] * 0 + 1], until_zero=0)[0]
    wrong = convex(lambda inside: Problem(system.again(), table, start), p, used, left)
    friction = Array(n, like)

    def end(k: Any) -> None:
        friction[k] = table[k].friction(used[k], p[k])

    each(n, end, like)
    return Outcome(list(p), list(friction), [table.told(k, m) for k, m in enumerate(used)], wrong)
