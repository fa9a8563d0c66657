"""Equations with A M⁻¹ Aᵀ, where rows of A may follow from others: those are left out, and what is left is told.

The matrix is positive semidefinite (up to gyroscopic slopes), so a pivot of 0 means that its whole row is 0 by then:
leaving it out loses nothing, and of rows that depend on each other the first carry all.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from stiction.trace.elimination import substituted
from stiction.trace.functions import Scalar, maximum, where
from stiction.trace.parameters import absent

DEPENDENT = 1e-12  # what is left of the square of a row of A across those before it, over the whole, that is nothing
ROUNDING = 1e-10  # size of a row of A, over the largest of its group, that is rounding
NOTHING = 1e-13  # size of a row of A that is rounding whatever others are [m or rad per rad or m]
LOST = 1e-2  # part of a row's firmness at which it is lost within a step: a singular position is passed
NOISE = 1e-13  # pivot of A M⁻¹ Aᵀ, over the entry that it was, that is rounding: what is locked moves no row


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


def ranked(
    a: Sequence[Sequence[Scalar]], w: Sequence[Sequence[Scalar]], firm: Sequence[Scalar], symmetric: bool = True
) -> Ranked:
    """Factors of A M⁻¹ Aᵀ, from the rows a of A and those w of M⁻¹ Aᵀ, without pivots; rows whose firmness is 0 do not
    count. `symmetric`: whether it is.
    """
    S = [[0 if symmetric and j < i else product(x, y) for j, y in enumerate(w)] for i, x in enumerate(a)]
    return eliminated_ranks(S, lambda k, pivot: (pivot > NOISE * S[k][k]) & (firm[k] > 0), symmetric)


def firmness(
    rows: Sequence[Sequence[Scalar]], groups: Sequence[Hashable], before: Sequence[Scalar] | None = None
) -> list[Scalar]:
    """How much of the square of each row is across those before it, whatever the masses; 0 for rows that do not count:
    such as follow from those before them, and rounding, which is next to nothing beside others of its group, or by
    itself. `before`: the same where all gaps were closed. Elsewhere a row that follows from others nearly does, and
    must not hold by what is left of it; nor may one whose firmness is lost.
    """
    sizes = [sum((x * x for x in row if not absent(x)), start=0) for row in rows]
    largest: dict[Hashable, Scalar] = {}
    for size, group in zip(sizes, groups, strict=True):
        largest[group] = maximum(largest[group], size) if group in largest else size
    least = [maximum(ROUNDING * ROUNDING * largest[group], NOTHING * NOTHING) for group in groups]
    both = [[0 if j < i else product(a, b) for j, b in enumerate(rows)] for i, a in enumerate(rows)]

    def counting(k: int, pivot: Scalar) -> Scalar:
        firm = (pivot > DEPENDENT * sizes[k]) & (sizes[k] > least[k])
        return firm if before is None else firm & (before[k] > 0) & (pivot > LOST * before[k] * sizes[k])

    left = eliminated_ranks(both, counting)
    return [where(x > 0, left.factors[k][k] / where(x > 0, sizes[k], 1), 0) for k, x in enumerate(left.kept)]


def product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Sum of products, without those that are structurally 0."""
    return sum((x * y for x, y in zip(a, b, strict=True) if not (absent(x) or absent(y))), start=0)


def eliminated_ranks(
    S: Sequence[Sequence[Scalar]], counting: Callable[[int, Scalar], Scalar], symmetric: bool = True
) -> Ranked:
    """Elimination that leaves out rows whose pivots do not count; of a symmetric matrix the upper half is enough."""
    n, U, inverse, kept = len(S), [list(row) for row in S], [], []
    for k in range(n):
        counts = counting(k, U[k][k])
        inverse.append(where(counts, 1 / where(counts, U[k][k], 1), 0))
        kept.append(where(counts, 1, 0))
        for i in range(k + 1, n):
            below = U[k][i] if symmetric else U[i][k]
            if absent(below):
                U[i][k] = 0
                continue
            U[i][k] = below * inverse[k]
            for j in range(i if symmetric else k + 1, n):
                if not absent(U[k][j]):
                    U[i][j] = U[i][j] - U[i][k] * U[k][j]
    return Ranked(U, inverse, kept)


def solved_ranked(given: Ranked, b: Sequence[Scalar]) -> list[Scalar]:
    """The solution, 0 for rows that are left out."""
    return substituted(given.factors, b, lambda k, x: x * given.inverse[k])
