"""Contacts of large robots and of many bodies: no matrix of masses is written, what is held is locked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stiction.methods.contact_rows import ContactRows
from stiction.methods.locked_joints import JointRow, LockedJoints
from stiction.methods.masses import Factored, Masses
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, loop
from stiction.trace.grid import Grid, each


class TouchingJoints(LockedJoints):
    """Rows on single joints, with contacts beside them: each pass of the search finds the contacts, too.

    Args:
        contacts: of this step.
        masses: of the bodies.
        rows: on which velocities.
        v: velocities at the beginning.
        forces: impulses of all that is no row, (n,).
    """

    def __init__(
        self, contacts: ContactRows, masses: Masses, rows: Sequence[JointRow], v: Any, forces: Any, change: Any = None
    ) -> None:
        super().__init__(masses, rows, v, forces, change)
        self.contacts = contacts

    def again(self) -> LockedJoints:
        """The joints inside a loop, with the contacts as they were found last."""
        made = LockedJoints(self.masses, self.rows, self.v, self._pushed(self.forces))
        made.outer = self
        made._own = made._free.held_compliances()
        return made

    def _pushed(self, forces: Any) -> Array:
        """Impulses, with those of contacts."""
        contacts, total = self.contacts, Array(self.masses.count, self.like)

        def one(k: Any) -> None:
            total[k] = forces[k] + contacts.push(k)

        each(self.masses.count, one, self.like)
        return total

    def speeds(self, p: Any) -> Array:
        """Velocities of the rows after impulses, with those of contacts."""
        return LockedJoints(self.masses, self.rows, self.v, self._pushed(self.forces)).speeds(p)

    def free_motion(self) -> Scalar:
        """Find the changes of the velocities, where there are no rows."""
        self._move(self._free, self.forces, None, None)
        return 0

    def _move(self, factored: Factored, forces: Any, goal: Any, reaction: Any, here: Scalar = True) -> None:
        """Find the changes of the velocities, and in the lanes that are `here` the impulses of contacts, where some
        velocities are locked. What unit impulses do adds up.
        """
        contacts, n, zero = self.contacts, self.masses.count, 0 * self.like[0]
        rows, still = contacts.width * contacts.most, Array(n, self.like)
        factored.solve(self.change, forces, goal, reaction)
        X, A = Grid(rows, n, self.like, blank=True), Grid(rows, rows, self.like, blank=True)
        c = Array(rows, self.like, blank=True)
        holds = None if reaction is None else Grid(rows, n, self.like, blank=True)

        def one(r: Any) -> None:
            factored.respond(X.row(r), contacts.J.row(r), still, None if holds is None else holds.row(r))
            c[r] = loop(n, lambda k, s: [s[0] + contacts.J[r, k] * (self.v[k] + self.change[k])], [zero])[0]

        def row(r: Any) -> None:
            def entry(s: Any) -> None:
                A[r, s] = loop(n, lambda k, x: [x[0] + contacts.J[r, k] * X[s, k]], [zero])[0]

            contacts.rows(entry)

        contacts.rows(one)
        contacts.rows(row)
        felt = factored.inertias()
        contacts.measure(
            lambda r: loop(n, lambda k, s: [s[0] + contacts.J[r, k] * contacts.J[r, k] / felt[k]], [zero])[0]
        )
        contacts.solve(A, c, here)

        def add(r: Any) -> None:
            def each_velocity(k: Any) -> None:
                self.change[k] = self.change[k] + X[r, k] * contacts.p[r]
                if holds is not None:
                    reaction[k] = reaction[k] + holds[r, k] * contacts.p[r]

            each(n, each_velocity, self.like)

        contacts.rows(add)
