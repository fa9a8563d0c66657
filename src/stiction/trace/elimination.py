"""Linear equations in traced numbers, without pivots; entries that are structurally 0 cost nothing."""

from collections.abc import Callable, Sequence

from stiction.trace.functions import Scalar
from stiction.trace.parameters import absent

Matrix = list[list[Scalar]]


def eliminated(A: Sequence[Sequence[Scalar]]) -> Matrix:
    """Factors of a matrix whose diagonal dominates."""
    n = len(A)
    U = [list(row) for row in A]
    for k in range(n):
        inverse = 1 / U[k][k]
        for i in range(k + 1, n):
            if absent(U[i][k]):
                continue
            factor = U[i][k] * inverse
            U[i][k] = factor
            for j in range(k + 1, n):
                if not absent(U[k][j]):
                    U[i][j] = U[i][j] - factor * U[k][j]
    return U


def solved(U: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
    """The solution by the factors."""
    return substituted(U, b, lambda k, x: x / U[k][k])


def substituted(U: Matrix, b: Sequence[Scalar], divided: Callable[[int, Scalar], Scalar]) -> list[Scalar]:
    """The solution by factors, with what divides a number by their pivot."""
    n, x = len(U), list(b)
    for k in range(n):
        for j in range(k):
            if not absent(U[k][j]) and not absent(x[j]):
                x[k] = x[k] - U[k][j] * x[j]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            if not absent(U[k][j]) and not absent(x[j]):
                x[k] = x[k] - U[k][j] * x[j]
        x[k] = divided(k, x[k])
    return x
