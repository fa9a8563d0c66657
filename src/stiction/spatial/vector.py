"""Vectors and 3 × 3 matrices of scalars, whatever a scalar is: float, symbol or traced expression."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from stiction.trace.functions import Scalar


class Vector(NamedTuple):
    """Three numbers with a direction."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: "Vector") -> "Vector":
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> "Vector":
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> "Vector":
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def __rmul__(self, factor: Scalar) -> "Vector":
        return self * factor

    def dot(self, other: "Vector") -> Scalar:
        """Scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: "Vector") -> "Vector":
        """Vector product self × other."""
        return Vector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


ZERO = Vector(0, 0, 0)


class Matrix:
    """A 3 × 3 matrix, kept as three rows."""

    __slots__ = ("rows",)

    def __init__(self, rows: Sequence[Sequence[Scalar]]) -> None:
        self.rows = tuple(Vector(*row) for row in rows)

    def __iter__(self) -> Iterator[Vector]:
        return iter(self.rows)

    @property
    def T(self) -> "Matrix":
        """The transpose."""
        return Matrix(tuple(zip(*self.rows, strict=True)))

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: "Matrix") -> "Matrix": ...
    def __matmul__(self, other: "Vector | Matrix") -> "Vector | Matrix":
        if isinstance(other, Vector):
            return Vector(*(row.dot(other) for row in self.rows))
        columns = other.T.rows
        return Matrix([[row.dot(column) for column in columns] for row in self.rows])

    def __add__(self, other: "Matrix") -> "Matrix":
        return Matrix([a + b for a, b in zip(self.rows, other.rows, strict=True)])

    def __sub__(self, other: "Matrix") -> "Matrix":
        return Matrix([a - b for a, b in zip(self.rows, other.rows, strict=True)])

    def __mul__(self, factor: Scalar) -> "Matrix":
        return Matrix([row * factor for row in self.rows])

    def symmetric(self) -> "Matrix":
        """The same matrix, with the lower half taken from the upper: equal in exact arithmetic, and half the work."""
        return Matrix.of_half(self.half)

    @property
    def numbers(self) -> list[Scalar]:
        """Its nine numbers, row by row."""
        return [x for row in self.rows for x in row]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "Matrix":
        """The matrix of nine numbers."""
        return Matrix((x[:3], x[3:6], x[6:9]))

    @property
    def half(self) -> list[Scalar]:
        """The six numbers of its upper half."""
        (a, b, c), (_, d, e), (_, _, f) = self.rows
        return [a, b, c, d, e, f]

    @staticmethod
    def of_half(x: Sequence[Scalar]) -> "Matrix":
        """The symmetric matrix of six numbers."""
        a, b, c, d, e, f = x
        return Matrix(((a, b, c), (b, d, e), (c, e, f)))


def outer(a: Vector, b: Vector) -> Matrix:
    """The matrix a bᵀ."""
    return Matrix([b * component for component in a])


def skew(a: Vector) -> Matrix:
    """The matrix [a] with [a] b = a × b."""
    return Matrix(((0, -a.z, a.y), (a.z, 0, -a.x), (-a.y, a.x, 0)))


def diagonal(a: Scalar, b: Scalar, c: Scalar) -> Matrix:
    """The matrix with these on its diagonal."""
    return Matrix(((a, 0, 0), (0, b, 0), (0, 0, c)))


IDENTITY = diagonal(1, 1, 1)
