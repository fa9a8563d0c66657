"""Equations with A M⁻¹ Aᵀ, where rows of A may follow from others: those are left out, and what is left is told.

The matrix is positive semidefinite (up to gyroscopic slopes), so a pivot of 0 means that its whole row is 0 by then:
leaving it out loses nothing, and of rows that depend on each other the first carry all.
"""

from collections.abc import Sequence
from typing import NamedTuple

from stiction.trace.functions import Scalar, maximum, where
from stiction.trace.parameters import absent

DEPENDENT = 1e-10  # pivot, over the largest entry of like rows, at which a row follows from those before it


class Ranked(NamedTuple):
    """Factors of a matrix.

    Attributes:
        factors: below the diagonal those of elimination, above it what is left.
        inverse: of the pivots; 0 of rows that are left out.
        kept: 1 of rows that count, 0 of those that follow from others.
    """

    factors: list[list[Scalar]]
    inverse: list[Scalar]
    kept: list[Scalar]

    @property
    def rank(self) -> Scalar:
        """How many rows count."""
        return sum(self.kept, start=0)


def ranked(S: Sequence[Sequence[Scalar]], groups: Sequence[int]) -> Ranked:
    """Factors of a matrix, without pivots; rows of one group have one unit."""
    n, U, inverse, kept = len(S), [list(row) for row in S], [], []
    largest: dict[int, Scalar] = {}
    for k, group in enumerate(groups):
        largest[group] = maximum(largest[group], S[k][k]) if group in largest else S[k][k]
    for k in range(n):
        counts = U[k][k] > DEPENDENT * largest[groups[k]]
        inverse.append(where(counts, 1 / where(counts, U[k][k], 1), 0))
        kept.append(where(counts, 1, 0))
        for i in range(k + 1, n):
            if absent(U[i][k]):
                continue
            U[i][k] = U[i][k] * inverse[k]
            for j in range(k + 1, n):
                if not absent(U[k][j]):
                    U[i][j] = U[i][j] - U[i][k] * U[k][j]
    return Ranked(U, inverse, kept)


def solved_ranked(given: Ranked, b: Sequence[Scalar]) -> list[Scalar]:
    """The solution, 0 for rows that are left out."""
    U, x, n = given.factors, list(b), len(b)
    for k in range(n):
        for j in range(k):
            if not absent(U[k][j]) and not absent(x[j]):
                x[k] = x[k] - U[k][j] * x[j]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            if not absent(U[k][j]) and not absent(x[j]):
                x[k] = x[k] - U[k][j] * x[j]
        x[k] = x[k] * given.inverse[k]
    return x
