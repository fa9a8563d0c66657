"""Contacts together with rows on joints: the search for what sticks at joints finds contacts in each of its passes.

With joints that are held, a contact feels what is left: A' = A − a W aᵀ, where a couples contacts and joints and W is
what holds the joints.
"""

from collections.abc import Sequence
from typing import Any

from stiction.methods.contact_rows import ContactRows, Problem
from stiction.network.terms import dot
from stiction.rows.stick_slip import Dense
from stiction.trace.array import Array
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, loop
from stiction.trace.grid import Grid, factor, solve


class TouchingSites(Dense):
    """Sites that are coupled by a matrix, with contacts beside them.

    Args:
        sites: without contacts.
        contacts: of this step.
        problem: of the contacts without sites.
        rows: of the sites, over the velocities of all bodies.
    """

    def __init__(self, sites: Dense, contacts: ContactRows, problem: Problem, rows: Sequence[Sequence[Scalar]]) -> None:
        super().__init__(sites.A, sites.free, sites.symmetric)
        self.contacts, self.problem = contacts, problem
        self.coupling = Grid(contacts.width * contacts.most, max(1, self.count), contacts.like)

        def one(r: Any) -> None:
            X = [problem.X[r, k] for k in range(contacts.n)]
            for j, row in enumerate(rows):
                self.coupling[r, j] = dot(row, X)

        if self.count:
            contacts.rows(one)

    def _pushed(self) -> list[Scalar]:
        """Velocities of the sites by the impulses of contacts."""
        p = self.contacts.p

        def add(r: Any, s: list) -> list:
            return [x + self.coupling[r, j] * p[r] for j, x in enumerate(s)]

        zero = self.contacts.like[0]
        return loop(self.contacts.active * self.contacts.width, add, [zero] * self.count)

    def speeds(self, p: Sequence[Scalar]) -> list[Scalar]:
        """Velocities of the sites after their impulses p and those of contacts."""
        return [x + y for x, y in zip(super().speeds(p), self._pushed(), strict=True)]

    def held(self, held: Any, target: Any, given: Any, here: Scalar = True) -> list[Scalar]:
        """The impulses, where some sites are held at their targets and the others have given impulses (held ones 0);
        those of contacts are found with them, in the lanes that are `here`.
        """
        contacts, A, n = self.contacts, self.A, range(self.count)
        masked = [[A[i][j] * held[i] * held[j] + (1 - held[i] if i == j else 0) for j in n] for i in n]
        factors: Any = factor(masked) if self.symmetric else eliminated(masked)
        hold = lambda b: solve(factors, b) if self.symmetric else solved(factors, b)  # noqa: E731
        moved = super().speeds([given[k] for k in n])
        alone = hold([(moved[k] - target[k]) * held[k] for k in n])
        rows = contacts.width * contacts.most
        like = contacts.like
        W, left = Grid(rows, self.count, like, blank=True), Grid(rows, rows, like, blank=True)
        c = Array(rows, like, blank=True)

        def one(r: Any) -> None:
            for j, x in enumerate(hold([self.coupling[r, j] * held[j] for j in n])):
                W[r, j] = x
            c[r] = self.problem.c[r] - sum((self.coupling[r, j] * (given[j] + alone[j]) for j in n), start=0)

        def row(r: Any) -> None:
            def entry(s: Any) -> None:
                left[r, s] = self.problem.A[r, s] - sum((self.coupling[r, j] * W[s, j] for j in n), start=0)

            contacts.rows(entry)

        contacts.rows(one)
        contacts.rows(row)
        contacts.solve(left, c, here)

        def add(r: Any, p: list) -> list:
            return [x + W[r, j] * contacts.p[r] for j, x in enumerate(p)]

        return loop(contacts.active * contacts.width, add, [given[k] + alone[k] for k in n])

    def fixed(self) -> Dense:
        """The sites, with the impulses of contacts as they are."""
        free = [x + y for x, y in zip(self.free, self._pushed(), strict=True)]
        return Dense(self.A, free, self.symmetric)

    def settle(self) -> None:
        """Find the impulses of contacts, where there are no sites."""
        self.contacts.solve(self.problem.A, self.problem.c)

    def after(self, free: Sequence[Scalar]) -> list[Scalar]:
        """Velocities of all bodies with the impulses of contacts."""
        return self.contacts.pushed(self.problem.X, free)
