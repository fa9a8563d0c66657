"""Rows on single joints of large robots: what is held is a joint that is locked in the articulated bodies.

The mass matrix of a large robot is never written. A pass of the search takes one way inward and one out, with the held
joints locked: their velocities are given, and the torques that it takes come out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from stiction.methods.masses import Factored, Masses
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, where
from stiction.trace.grid import column, each
from stiction.trace.parameters import absent


class JointRow(NamedTuple):
    """A row on one velocity: which one, its velocity over that of the row, and what nobody gives of the row's own."""

    joint: int
    ratio: Scalar
    given: Scalar


def joint_rows(rows: Mapping[str, Sequence[Scalar]], given: Mapping[str, Scalar]) -> list[JointRow] | None:
    """Rows as rows on single velocities; None if some are not, or two are on one."""
    found = []
    for name, row in rows.items():
        places = [k for k, x in enumerate(row) if not absent(x)]
        if len(places) != 1:
            return None
        found.append(JointRow(places[0], row[places[0]], given[name]))
    return found if len({row.joint for row in found}) == len(found) else None


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
        self.joints: Any = column([row.joint for row in rows], self.like) if rows else None
        self.plain = [row.joint for row in rows] == list(range(masses.count))  # one on each velocity
        numbers: list[Any] = [column([row[k] for row in rows], self.like) if rows else None for k in (1, 2)]
        self.ratios, self.given = numbers

    def again(self) -> LockedJoints:
        """The same inside a loop."""
        made = LockedJoints(self.masses, self.rows, self.v, self.forces)
        made.outer = self
        made._own = made._free.held_compliances()  # here, and not in an inner loop that ends before it is needed again
        return made

    def joint(self, k: Any) -> Any:
        """The velocity of a row."""
        return k if self.plain else self.joints[k]

    @cached_property
    def _free(self) -> Factored:
        return self.masses.factored()

    @cached_property
    def _own(self) -> Array:
        return self._free.own_compliances()

    def own(self, k: Any) -> Scalar:
        """Velocity of a row under its own unit impulse."""
        r = self.ratios[k]
        return r * r * self._own[self.joint(k)]

    def units(self, names: Iterable[str]) -> dict[str, list[Scalar]]:
        """For each row, by name, which velocity is its own."""
        places = range(self.masses.count)
        return {name: [int(k == row.joint) for k in places] for name, row in zip(names, self.rows, strict=True)}

    def free_motion(self) -> Scalar:
        """Find the changes of the velocities, where there are no rows; no contradiction is left."""
        self._free.solve(self.change, self.forces)
        return 0

    def alone(self, p: Sequence[Scalar]) -> list[Scalar]:
        """Velocity of each row if all others had these impulses, and it had none."""
        seen = self.speeds(column(p, self.like))
        return [seen[k] + self.own(k) * x for k, x in enumerate(p)]

    def speeds(self, p: Any) -> Array:
        """Velocities of the rows after impulses."""
        return self._seen(self._changed(p))

    def _changed(self, p: Any) -> Array:
        """Changes of all velocities after impulses of the rows."""
        forces, change = Array(self.masses.count, self.like), Array(self.masses.count, self.like)

        def take(j: Any) -> None:
            forces[j] = self.forces[j]

        def push(k: Any) -> None:
            j = self.joint(k)
            forces[j] = forces[j] - self.ratios[k] * p[k]

        each(self.masses.count, take, self.like)
        each(self.count, push, self.like)
        self._free.solve(change, forces)
        return change

    def kept_impulses(self, p: Sequence[Scalar]) -> list[Scalar]:
        """Impulses of constraints after all others were found."""
        forces = list(self._pushed(self.forces))
        for row, x in zip(self.rows, p, strict=True):
            forces[row.joint] = forces[row.joint] - row.ratio * x
        return self._free.multipliers(column(forces, self.like))

    def _pushed(self, forces: Any) -> Array:
        """Impulses, with those of contacts."""
        total = Array(self.masses.count, self.like)

        def one(j: Any) -> None:
            total[j] = forces[j]

        each(self.masses.count, one, self.like)
        return total

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

    def tried(self, held: Any, target: Any, given: Any, here: Scalar = True) -> tuple[Array, Array]:
        """The same, and the velocities of the rows; what is found beside them changes in the lanes that are `here`."""
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
        self._move(self.masses.factored(locked), forces, goal, reaction, here)
        p = Array(self.count, like)

        def impulse(k: Any) -> None:
            p[k] = where(held[k] > 0, -reaction[self.joint(k)] / self.ratios[k], given[k])

        each(self.count, impulse, like)
        return p, self._seen(self.change)

    def _move(self, factored: Factored, forces: Any, goal: Any, reaction: Any, here: Scalar = True) -> None:
        """Find the changes of the velocities, where some are locked."""
        factored.solve(self.change, forces, goal, reaction)

    def settle(self, here: Scalar, p: Any) -> None:
        """Hand the changes of the velocities on to where the search began, in the lanes in which it counts: those that
        the impulses make. What was held last may be others, which the bounds do not allow.
        """
        outer, change = self.outer, self._changed(p)
        assert outer is not None

        def one(j: Any) -> None:
            outer.change[j] = where(here, change[j], outer.change[j])

        each(self.masses.count, one, self.like)
