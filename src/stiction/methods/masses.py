"""Equations with the masses of all bodies of a network, without a matrix for large robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stiction.dynamics.articulated_body import Articulated
from stiction.dynamics.kinematics import Placements
from stiction.dynamics.mechanism import Body
from stiction.dynamics.newton_euler import Motion, load
from stiction.dynamics.records import Records
from stiction.dynamics.sweep import Sweep
from stiction.network.kept import Kept
from stiction.network.network import Network, States
from stiction.parts.kinds import Admittance
from stiction.parts.robot_body import WRITTEN, RobotBody
from stiction.rows.ranked import ranked, solved_ranked
from stiction.spatial import Vector, Wrench
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, maximum
from stiction.trace.grid import Grid, column, each, factor, solve
from stiction.trace.parameters import absent
from stiction.trace.precision import tolerance


def is_tree(body: Admittance) -> bool:
    """Whether a body is a robot whose mass matrix is better not written."""
    return isinstance(body, RobotBody) and body.robot.nv > WRITTEN and body.robot.coupling is None


def is_large(network: Network) -> bool:
    """Whether a network has more velocities than a mass matrix is written for, and can do without."""
    sizes = {name: len(body.start()) - body.positions() for name, body in network.bodies.items()}
    small = all(is_tree(network.bodies[name]) or n <= WRITTEN for name, n in sizes.items())
    return small and sum(sizes.values()) > WRITTEN


GIVE = 1e-12  # part of itself by which a held velocity gives, where constraints act: who of them holds is then known
TINY = 1e-12  # part of its own compliance that a velocity keeps, where constraints hold it


class View:
    """Some numbers of an array, from one on."""

    def __init__(self, array: Any, first: int) -> None:
        self.array, self.first = array, first

    def __getitem__(self, k: Any) -> Scalar:
        return self.array[k + self.first]

    def __setitem__(self, k: Any, x: Scalar) -> None:
        self.array[k + self.first] = x


class Masses:
    """The bodies of a network: equations with their masses, all velocities in one vector.

    Args:
        network: whose bodies.
        own: their states, with the velocities by which their motion takes forces.
        added: to the diagonal of the mass matrix, by velocity; None for nothing.
        h: step [s].
        v: velocities at the beginning.
        kept: constraints, if there are some.
    """

    def __init__(
        self,
        network: Network,
        own: States,
        added: Sequence[Scalar] | None,
        h: Scalar,
        v: Sequence[Scalar],
        kept: Kept | None = None,
    ) -> None:
        self.like, self.h, self.v, self.kept = v[:1], h, v, kept
        like = self.like
        self.added = None if added is None else column(added, like)
        self.trees: list[tuple[int, Sweep, Placements, Records]] = []
        self.small: list[tuple[int, list[list[Scalar]]]] = []
        self.bias: list[Scalar] = []  # what the motion takes, where it is not in the loads of a tree
        for name, body in network.bodies.items():
            n, first = len(own[name]) - body.positions(), len(self.bias)
            if is_tree(body):
                self.trees.append((first, *self._tree(body, own[name])))
                self.bias += [0] * n
            else:
                self.small.append((first, body.mass_matrix(own[name])))
                self.bias += body.inverse_dynamics(own[name], [0] * n)
        self.count = len(self.bias)

    def _tree(self, body: Any, own: list[Scalar]) -> tuple[Sweep, Placements, Records]:
        """A large robot: the way over its bodies, where they are, and the impulses that their motion takes."""
        m, nq = body.mechanism, body.positions()
        s = Sweep(m, self.like, least=1, turned=True)
        motion, loads = Motion(s, own[:nq], own[nq:], [0] * m.nv, Vector(*body.gravity)), s.per_body(Wrench)

        def visit(link: Body) -> None:
            moving = motion.visit(link)
            loads[link.index] = load(link, moving.V, moving.A) * self.h

        s.outward(visit, motion.V, motion.A)
        return s, motion.placed, loads

    def impulses(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """Impulses of forces, less what the motion takes of those that are no tree."""
        return [self.h * f if absent(b) else self.h * (f - b) for f, b in zip(forces, self.bias, strict=True)]

    def turned_round(self, rows: Sequence[Any], here: Sequence[Scalar], less: Sequence[Scalar]) -> list[Scalar]:
        """Changes of all velocities, where impacts at rows on single joints make those of the rows less by these."""
        held, goal, none, change = (Array(self.count, self.like) for _ in range(4))
        for row, locks, x in zip(rows, here, less, strict=True):
            held[row.joint], goal[row.joint] = locks, -x / row.ratio
        self.factored(held).solve(change, none, goal)
        return list(change)

    def factored(self, held: Any = None) -> Factored:
        """Their factors, with some velocities held."""
        return Factored(self, held)


class Factored:
    """Masses, ready to be solved for."""

    def __init__(self, masses: Masses, held: Any) -> None:
        self.masses, self.held = masses, held
        view = lambda array, first: None if array is None else View(array, first)  # noqa: E731
        give = 0 if masses.kept is None else tolerance(GIVE)
        self.trees = [
            (first, Articulated(s, placed, view(masses.added, first), view(held, first), give), loads)
            for first, s, placed, loads in masses.trees
        ]
        if masses.kept is not None:
            self._prepare(masses.kept)

    def solve(self, change: Any, forces: Any, given: Any = None, reaction: Any = None) -> None:
        """Changes of the velocities under impulses; those of what is held are given, and what holds it is found."""
        self._solve_free(change, forces, given, reaction)
        self._keep(change, reaction, self.masses.v)

    def respond(self, change: Any, impulses: Any, still: Any, reaction: Any = None) -> None:
        """Changes of the velocities under impulses alone; what is held stays (`still` are zeros), and what holds it is
        found.
        """
        self._respond_free(change, impulses, still, reaction)
        self._keep(change, reaction, None)

    # Constraints: as `network.terms.Keeping` has them, in memory.

    def _prepare(self, kept: Kept) -> None:
        """What unit impulses of the constraints do, and the matrix that couples them."""
        k, n, like = len(kept.rows), self.masses.count, self.masses.like
        still = Array(n, like)
        self.W = Grid(k, n, like, blank=True)
        self.holds = None if self.held is None else Grid(k, n, like, blank=True)
        rows = Grid(k, n, like)
        for i, row in enumerate(kept.rows):
            for j, r in enumerate(row):
                if not absent(r):
                    rows[i, j] = r

        def unit(i: Any) -> None:
            holds = None if self.holds is None else self.holds.row(i)
            self._respond_free(self.W.row(i), rows.row(i), still, holds)

        each(k, unit, like)
        answers = [[self.W[i, j] for j in range(n)] for i in range(k)]
        self.ranked = ranked(kept.rows, answers, kept.firm)

    def _keep(self, change: Any, reaction: Any, v: Sequence[Scalar] | None) -> None:
        """Take from the changes what moves the constraints; `v`: velocities that they are changes of."""
        if self.masses.kept is None:
            return
        seen = [_along(row, change, v) for row in self.masses.kept.rows]
        impulses = solved_ranked(self.ranked, seen)

        def less(j: Any) -> None:
            change[j] = change[j] - sum((self.W[i, j] * x for i, x in enumerate(impulses)), start=0)
            if reaction is not None and self.holds is not None:
                reaction[j] = reaction[j] - sum((self.holds[i, j] * x for i, x in enumerate(impulses)), start=0)

        each(self.masses.count, less, self.masses.like)

    def multipliers(self, forces: Any) -> list[Scalar]:
        """Impulses of the constraints where all else is known."""
        kept = self.masses.kept
        assert kept is not None
        change = Array(self.masses.count, self.masses.like)
        self._solve_free(change, forces, None, None)
        return solved_ranked(self.ranked, [_along(row, change, self.masses.v) for row in kept.rows])

    def _solve_free(self, change: Any, forces: Any, given: Any, reaction: Any) -> None:
        for first, tree, loads in self.trees:
            views = [None if x is None else View(x, first) for x in (given, reaction)]
            tree.fill(View(change, first), View(forces, first), loads, *views)
        for first, M in self.masses.small:
            self._solve(first, M, change, forces, given, reaction)

    def _respond_free(self, change: Any, impulses: Any, still: Any, reaction: Any) -> None:
        for first, tree, _ in self.trees:
            held = None if self.held is None else View(still, first)
            found = None if reaction is None else View(reaction, first)
            tree.fill(View(change, first), View(impulses, first), None, held, found)
        for first, M in self.masses.small:
            self._solve(first, M, change, impulses, still, reaction)

    def inertias(self) -> Array:
        """What each velocity moves, where what carries it is held: a measure of the masses."""
        found = Array(self.masses.count, self.masses.like)
        for first, tree, _ in self.trees:

            def note(k: Any, first: int = first, felt: Any = tree.felt) -> None:
                found[first + k] = felt[k]

            each(tree.s.m.nv, note, self.masses.like)
        for first, M in self.masses.small:
            for k, row in enumerate(self._with_added(first, M)):
                found[first + k] = row[k]
        return found

    def _solve(self, first: int, M: list[list[Scalar]], change: Any, forces: Any, given: Any, reaction: Any) -> None:
        places, M = range(len(M)), self._with_added(first, M)
        f = [forces[first + k] for k in places]
        if self.held is None:
            found = solve(factor(M), f)
        else:
            h = [self.held[first + k] for k in places]
            known = [h[k] * given[first + k] for k in places]
            masked = [[M[i][j] * (1 - h[i]) * (1 - h[j]) + (h[i] if i == j else 0) for j in places] for i in places]
            pushed = [sum((M[i][j] * known[j] for j in places), start=0) for i in places]
            found = solve(factor(masked), [(f[k] - pushed[k]) * (1 - h[k]) + known[k] for k in places])
        for k in places:
            change[first + k] = found[k]
            if reaction is not None:
                reaction[first + k] = sum((M[k][j] * found[j] for j in places), start=0) - f[k]

    def own_compliances(self) -> Array:
        """How each velocity answers to a unit impulse of its own."""
        found = self._noted([tree.own_compliances() for _, tree, _ in self.trees])
        kept = self.masses.kept
        if kept is None:
            return found

        def less(j: Any) -> None:
            answers = [self.W[i, j] for i in range(len(kept.rows))]
            both = zip(answers, solved_ranked(self.ranked, answers), strict=True)
            found[j] = maximum(tolerance(TINY) * found[j], found[j] - sum((a * b for a, b in both), start=0))

        each(self.masses.count, less, self.masses.like)
        return found

    def held_compliances(self) -> Array:
        """The same where what carries a joint does not move: less work, and a little less than that."""
        if self.masses.kept is not None:
            return self.own_compliances()
        return self._noted([tree.inverse for _, tree, _ in self.trees])

    def _noted(self, of_trees: Sequence[Any]) -> Array:
        """Numbers of trees, and own compliances of small bodies, by velocity."""
        found = Array(self.masses.count, self.masses.like)
        for (first, tree, _), own in zip(self.trees, of_trees, strict=True):

            def note(k: Any, first: int = first, own: Any = own) -> None:
                found[first + k] = own[k]

            each(tree.s.m.nv, note, self.masses.like)
        for first, M in self.masses.small:
            for k in range(len(M)):
                unit = [int(j == k) for j in range(len(M))]
                found[first + k] = solve(factor(self._with_added(first, M)), unit)[k]
        return found

    def _with_added(self, first: int, M: list[list[Scalar]]) -> list[list[Scalar]]:
        added = self.masses.added
        if added is None:
            return M
        return [[x + added[first + i] if i == j else x for j, x in enumerate(row)] for i, row in enumerate(M)]


def _along(row: Sequence[Scalar], change: Any, v: Sequence[Scalar] | None = None) -> Scalar:
    """A row times changes in memory, and velocities that they are changes of."""
    places = [j for j, r in enumerate(row) if not absent(r)]
    return sum((row[j] * (change[j] if v is None else v[j] + change[j]) for j in places), start=0)
