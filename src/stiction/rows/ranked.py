"""Equations with A M⁻¹ Aᵀ, where rows of A may follow from others: those are left out, and what is left is told.

The matrix is positive semidefinite (up to gyroscopic slopes), so a pivot of 0 means that its whole row is 0 by then:
leaving it out loses nothing, and of rows that depend on each other the first carry all.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from stiction.trace.elimination import substituted
from stiction.trace.functions import Scalar, maximum, where
from stiction.trace.parameters import absent
from stiction.trace.precision import tolerance

DEPENDENT = 1e-12  # what is left of the square of a row of A across those before it, over the largest of its group
SOFT = 1e-11  # part of the trace of A Aᵀ, below which it is taken as singular
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
    return eliminated_ranks(S, lambda k, pivot: (pivot > tolerance(NOISE) * S[k][k]) & (firm[k] > 0), symmetric)


class Arranged(NamedTuple):
    """Rows in an order in which those that count come first in their group.

    Attributes:
        rows: of A, (k, n).
        gaps: that belong to them, (k,).
        order: which of the rows each was, (k,).
        firm: how much of the square of each is across those before it; 0 of rows that do not count.
    """

    rows: list[list[Scalar]]
    gaps: list[Scalar]
    order: list[Scalar]
    firm: list[Scalar]


def arranged(
    rows: Sequence[Sequence[Scalar]],
    gaps: Sequence[Scalar],
    groups: Sequence[Hashable],
    before: Sequence[Scalar] | None = None,
) -> Arranged:
    """Rows, whatever the masses, so that of each group the one that is most across all before it comes next. Those do
    not count that follow from others, and rounding, which is next to nothing beside others of its group, or by itself.
    `before`: how firm they were, by their places, where all gaps were closed. Elsewhere a row that follows from others
    nearly does, and must not hold by what is left of it; nor may one whose firmness is lost.
    """
    A, b, n = [list(row) for row in rows], list(gaps), len(rows)
    order: list[Scalar] = list(range(n))
    sizes = [product(row, row) for row in rows]
    largest: dict[Hashable, Scalar] = {}
    for size, group in zip(sizes, groups, strict=True):
        largest[group] = maximum(largest[group], size) if group in largest else size
    U = [[product(x, y) for y in rows] for x in rows]
    firm: list[Scalar] = []
    for k in range(n):
        for i in range(k + 1, n):
            if groups[i] == groups[k]:
                _swap(U[i][i] > U[k][k], k, i, (A, b, order), U)
        whole = largest[groups[k]]
        counts = (U[k][k] > maximum(tolerance(DEPENDENT) * whole, NOTHING * NOTHING)) & (whole > 0)
        if before is not None:
            counts = counts & (before[k] > 0) & (U[k][k] > LOST * before[k] * whole)
        firm.append(where(counts, U[k][k] / where(counts, whole, 1), 0))
        inverse = where(counts, 1 / where(counts, U[k][k], 1), 0)
        for i in range(k + 1, n):
            if not absent(U[k][i]):
                factor = U[k][i] * inverse
                for j in range(i, n):
                    U[i][j] = U[j][i] = U[i][j] if absent(U[k][j]) else U[i][j] - factor * U[k][j]
    return Arranged(A, b, order, firm)


def _swap(wanted: Scalar, k: int, i: int, columns: tuple[list, list, list], U: list[list[Scalar]]) -> None:
    """Exchange two rows with all that belongs to them, where that is wanted."""

    def both(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return where(wanted, y, x), where(wanted, x, y)

    A, b, order = columns
    pairs = [x if absent(x) and absent(y) else both(x, y) for x, y in zip(A[k], A[i], strict=True)]
    A[k] = [x if not isinstance(x, tuple) else x[0] for x in pairs]
    A[i] = [x if not isinstance(x, tuple) else x[1] for x in pairs]
    for column in (b, order):
        column[k], column[i] = both(column[k], column[i])
    U[k], U[i] = [list(x) for x in zip(*(both(x, y) for x, y in zip(U[k], U[i], strict=True)), strict=True)]
    for row in U:
        row[k], row[i] = both(row[k], row[i])


def least_multipliers(rows: Sequence[Sequence[Scalar]], multipliers: Sequence[Scalar]) -> list[Scalar]:
    """The smallest multipliers with the same forces Aᵀ λ: without what rows that follow from others make of nothing."""
    n = len(rows)
    G = [[product(x, y) for y in rows] for x in rows]
    pushed = [product(row, multipliers) for row in G]
    total: Scalar = sum((G[k][k] for k in range(n)), start=0)
    soft = [[G[i][j] + (tolerance(SOFT) * total if i == j else 0) for j in range(n)] for i in range(n)]
    return solved_ranked(eliminated_ranks(soft, lambda k, pivot: pivot > 0), pushed)


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
