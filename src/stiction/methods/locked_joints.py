"""Rows on single joints of large robots: what is held is a joint that is locked in the articulated bodies.

The mass matrix of a large robot is never written. A pass of the search takes one way inward and one out, with the held
joints locked: their velocities are given, and the torques that it takes come out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from stiction.dynamics.articulated_body import Articulated
from stiction.dynamics.kinematics import Placements
from stiction.dynamics.sweep import Sweep, ignored
from stiction.friction.dry import Dry
from stiction.network.network import Network, States
from stiction.network.wires import Port
from stiction.parts.end_stop import EndStopPart
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Admittance, Row
from stiction.parts.robot_body import WRITTEN, RobotBody
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, where
from stiction.trace.grid import column, each, factor, solve
from stiction.trace.parameters import absent



class JointRow(NamedTuple):
    """A row on one velocity: which one, its velocity over that of the row, and what nobody gives of the row's own."""

    joint: int
    ratio: Scalar
    given: Scalar


def is_tree(body: Admittance) -> bool:
    """Whether a body is a robot whose mass matrix is better not written."""
    return isinstance(body, RobotBody) and body.robot.nv > WRITTEN and body.robot.coupling is None


def is_large(network: Network) -> bool:
    """Whether a network has more velocities than a mass matrix is written for, and can do without."""
    sizes = {name: len(network.start[name]) - body.positions() for name, body in network.bodies.items()}
    small = all(is_tree(network.bodies[name]) or n <= WRITTEN for name, n in sizes.items())
    return small and sum(sizes.values()) > WRITTEN


def uncoupled(network: Network) -> bool:
    """Whether each velocity feels no other through the slopes of forces, and carries one row at most."""
    reach: dict[Port, list[set[int]]] = {}
    first = 0
    for name, body in network.bodies.items():
        own = set(range(first, first + len(network.start[name]) - body.positions()))
        for port, size in body.outputs.items():
            single = isinstance(body, RobotBody) and port == "v"
            still = isinstance(body, RobotBody) and port == "q"
            reach[Port(name, port)] = [set() if still else {first + k} if single else own for k in range(size)]
        first += len(own)
    taken: list[int] = []
    for name in network.order:
        part = network.parts[name]
        felt = {port: _felt(network, Port(name, port), size, reach) for port, size in part.inputs.items()}
        found = set().union(*(x for sets in felt.values() for x in sets)) if felt else set()
        dry = isinstance(part, FrictionPart) and isinstance(part.law, Dry)
        rigid = dry or isinstance(part, (Row, EndStopPart))
        if dry or isinstance(part, Row):
            taken += found if len(found) == 1 else [-1, -1]  # on several: no joint's row
        reach |= {Port(name, port): [set() if rigid else found] * size for port, size in part.outputs.items()}
    k = 0
    for name, body in network.bodies.items():
        own = len(network.start[name]) - body.positions()
        inputs = [x for port, size in body.inputs.items() for x in _felt(network, Port(name, port), size, reach)]
        for j, sets in enumerate(inputs if isinstance(body, RobotBody) else [set().union(*inputs)] if inputs else []):
            if sets - ({k + j} if own > 1 else {k}):
                return False
        k += own
    return len(set(taken)) == len(taken)


def _felt(network: Network, port: Port, size: int, reach: Mapping[Port, list[set[int]]]) -> list[set[int]]:
    """The velocities on which each number of an input depends."""
    wire, total = network.driven.get(port), [set[int]() for _ in range(size)]
    for term in wire.all_terms if wire else ():
        source, gain = reach.get(term.port, []), term.gain
        for i in range(size if source else 0):
            for j, g in enumerate(gain[i]) if isinstance(gain, tuple) else [(i, gain)]:
                if not absent(g):
                    total[i] = total[i] | source[j]
    return total


def joint_rows(rows: Mapping[str, Sequence[Scalar]], given: Mapping[str, Scalar]) -> list[JointRow] | None:
    """Rows as rows on single velocities; None if some are not, or two are on one."""
    found = []
    for name, row in rows.items():
        places = [k for k, x in enumerate(row) if not absent(x)]
        if len(places) != 1:
            return None
        found.append(JointRow(places[0], row[places[0]], given[name]))
    return found if len({row.joint for row in found}) == len(found) else None


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
        own: their states.
        added: to the diagonal of the mass matrix, by velocity; None for nothing.
        like: a value of the program.
    """

    def __init__(self, network: Network, own: States, added: Sequence[Scalar] | None, like: Sequence[Scalar]) -> None:
        self.like = like
        self.added = None if added is None else column(added, like)
        self.trees: list[tuple[int, Sweep, Placements]] = []
        self.small: list[tuple[int, list[list[Scalar]]]] = []
        first = 0
        for name, body in network.bodies.items():
            nq = body.positions()
            n = len(own[name]) - nq
            if is_tree(body):
                s = Sweep(body._mechanism(), like, least=1)  # type: ignore[attr-defined]
                placed = Placements(s, own[name][:nq])
                s.outward(lambda body, placed=placed: ignored(placed.visit(body)))  # type: ignore[misc]
                self.trees.append((first, s, placed))
            else:
                self.small.append((first, body.mass_matrix(own[name])))
            first += n
        self.count = first

    def factored(self, held: Any = None) -> Factored:
        """Their factors, with some velocities held."""
        return Factored(self, held)


class Factored:
    """Masses, ready to be solved for."""

    def __init__(self, masses: Masses, held: Any) -> None:
        self.masses, self.held = masses, held
        view = lambda array, first: None if array is None else View(array, first)  # noqa: E731
        self.trees = [
            (first, Articulated(s, placed, view(masses.added, first), view(held, first)))
            for first, s, placed in masses.trees
        ]

    def solve(self, change: Any, forces: Any, given: Any = None, reaction: Any = None) -> None:
        """Changes of the velocities under impulses; those of held velocities are given, and what holds them is found."""
        for first, tree in self.trees:
            views = [None if x is None else View(x, first) for x in (given, reaction)]
            tree.fill(View(change, first), View(forces, first), None, *views)
        for first, M in self.masses.small:
            self._solve(first, M, change, forces, given, reaction)

    def _solve(self, first: int, M: list[list[Scalar]], change: Any, forces: Any, given: Any, reaction: Any) -> None:
        places = range(len(M))
        added = self.masses.added
        M = [[x + (added[first + i] if added is not None and i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(M)]
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

    def felt(self, k: Any) -> Scalar:
        """The inertia that a velocity feels when what carries it is held, and what it carries is free."""
        found: Scalar = 0
        for first, tree in self.trees:
            n = tree.s.m.nv
            inside = (k >= first) & (k < first + n) if len(self.trees) + len(self.masses.small) > 1 else None
            own = tree.felt[k - first]
            found = own if inside is None else where(inside, own, found)
        for first, M in self.masses.small:
            for j, row in enumerate(M):
                found = where(k == first + j, row[j], found)
        return found


class LockedJoints:
    """Rows on single joints, as `rows.stick_slip` takes them.

    Args:
        masses: of the bodies.
        rows: on which velocities.
        v: velocities at the beginning.
        forces: impulses of all that is no row, (n,).

    Attributes:
        change: of the velocities in the step, by velocity, with what was found last.
    """

    symmetric = True

    def __init__(self, masses: Masses, rows: Sequence[JointRow], v: Any, forces: Any, change: Any = None) -> None:
        self.masses, self.rows, self.like = masses, rows, masses.like
        self.outer: LockedJoints | None = None  # where the search began, if this is inside a loop
        self.count = len(rows)
        self.v, self.forces = (column(x, self.like) if isinstance(x, list) else x for x in (v, forces))
        self.change = Array(masses.count, self.like) if change is None else change
        self.joints = column([row.joint for row in rows], self.like)
        self.plain = [row.joint for row in rows] == list(range(masses.count))  # one on each velocity
        self.ratios, self.given = (column([row[k] for row in rows], self.like) for k in (1, 2))

    def again(self) -> LockedJoints:
        """The same inside a loop."""
        made = LockedJoints(self.masses, self.rows, self.v, self.forces)
        made.outer = self
        _ = made._free  # here, and not in an inner loop that ends before it is needed again
        return made

    def joint(self, k: Any) -> Any:
        """The velocity of a row."""
        return k if self.plain else self.joints[k]

    @cached_property
    def _free(self) -> Factored:
        return self.masses.factored()

    def own(self, k: Any) -> Scalar:
        """Velocity of a row under its own unit impulse, if what carries it did not move."""
        r = self.ratios[k]
        return r * r / self._free.felt(self.joint(k))

    def alone(self, p: Sequence[Scalar]) -> list[Scalar]:
        """Velocity of each row if all others had these impulses, and it had none."""
        seen = self.speeds(column(p, self.like))
        return [seen[k] + self.own(k) * x for k, x in enumerate(p)]

    def speeds(self, p: Any) -> Array:
        """Velocities of the rows after impulses."""
        forces, change = Array(self.masses.count, self.like), Array(self.masses.count, self.like)

        def take(j: Any) -> None:
            forces[j] = self.forces[j]

        def push(k: Any) -> None:
            j = self.joint(k)
            forces[j] = forces[j] - self.ratios[k] * p[k]

        each(self.masses.count, take, self.like)
        each(self.count, push, self.like)
        self._free.solve(change, forces)
        return self._seen(change)

    def _seen(self, change: Any) -> Array:
        found = Array(self.count, self.like)

        def one(k: Any) -> None:
            j = self.joint(k)
            found[k] = self.ratios[k] * (self.v[j] + change[j]) + self.given[k]

        each(self.count, one, self.like)
        return found

    def held(self, held: Any, target: Any, given: Any) -> Array:
        """The impulses, where some rows are held at their targets and the others have given impulses (held ones 0)."""
        return self.tried(held, target, given)[0]

    def tried(self, held: Any, target: Any, given: Any) -> tuple[Array, Array]:
        """The same, and the velocities of the rows."""
        n, like = self.masses.count, self.like
        locked, goal, forces, reaction = (Array(n, like) for _ in range(4))

        def take(j: Any) -> None:
            forces[j] = self.forces[j]

        def lock(k: Any) -> None:
            j, r = self.joint(k), self.ratios[k]
            locked[j] = held[k]
            goal[j] = (target[k] - self.given[k]) / r - self.v[j]
            forces[j] = forces[j] - r * given[k]

        each(n, take, like)
        each(self.count, lock, like)
        self.masses.factored(locked).solve(self.change, forces, goal, reaction)
        p = Array(self.count, like)

        def impulse(k: Any) -> None:
            p[k] = where(held[k] > 0, -reaction[self.joint(k)] / self.ratios[k], given[k])

        each(self.count, impulse, like)
        return p, self._seen(self.change)

    def settle(self, here: Scalar) -> None:
        """Hand the changes of the velocities on to where the search began, in the lanes in which it counts."""
        outer = self.outer
        assert outer is not None

        def one(j: Any) -> None:
            outer.change[j] = where(here, self.change[j], outer.change[j])

        each(self.masses.count, one, self.like)
