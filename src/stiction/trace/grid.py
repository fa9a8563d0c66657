"""Matrices, and equations with symmetric ones: written once, unrolled on lists, in loops on memory."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from stiction.trace.array import Array, held_by
from stiction.trace.expression import Expr, graph_of
from stiction.trace.functions import Scalar, lookup, loop, most, where

LOOP_FROM = 10  # numbers, bodies or parts: fewer are unrolled


def each(count: Any, visit: Callable[[Any], None], like: Sequence[Scalar] | None) -> None:
    """Visit 0, 1, 2 … one after the other; in a loop of the program where a value of it is given."""

    def one(k: Any, carry: list) -> list:
        visit(k)
        return carry

    if like is None or graph_of(like) is None:
        for k in range(count):
            visit(k)
    else:
        loop(count, one, like)


def reduced(formula: Callable[..., Scalar], start: Scalar, *columns: Sequence[Scalar]) -> Scalar:
    """What a formula of the result so far and one number of each column makes of all of them; in a loop for many."""
    graph = graph_of([x for c in columns for x in c])
    if graph is None or len(columns[0]) < LOOP_FROM:
        for row in zip(*columns, strict=True):
            start = formula(start, *row)
        return start
    given = [column(c, [graph.constant(0.0)]) for c in columns]
    return loop(len(columns[0]), lambda k, carry: [formula(carry[0], *(c[k] for c in given))], [graph.wrap(start)])[0]


class Same:
    """A vector whose numbers are all one."""

    def __init__(self, x: Scalar) -> None:
        self.x = x

    def __getitem__(self, _: Any) -> Scalar:
        return self.x


class Table:
    """A vector of numbers that are the same for all lanes."""

    def __init__(self, values: Sequence[Scalar]) -> None:
        self.values = values

    def __getitem__(self, k: Any) -> Scalar:
        return lookup(self.values, k)


def column(values: Sequence[Scalar], like: Sequence[Scalar] | None) -> Any:
    """Numbers by an index of the program, to be read only: in as little memory as they need."""
    graph = graph_of(like or ())
    if graph is None or not isinstance(values, (list, tuple)):
        return values  # as it is, or by index already
    nodes = [graph.wrap(x) for x in values]
    if all(x is nodes[0] for x in nodes):
        return Same(values[0])
    if not any(x.varying for x in nodes):
        return Table(values)
    return held_by(nodes) or _stored(nodes)


def _stored(nodes: Sequence[Expr]) -> Array:
    """An array that holds these numbers: the same each time, as long as it is there and nobody writes it."""
    graph, key = nodes[0].graph, tuple(x.index for x in nodes)
    known = graph.columns.get(key)
    if known is None or known[0].version is not known[1] or known[1].level > graph.depth:
        made = Array.of(nodes)
        known = graph.columns[key] = made, made.version
    return known[0]


def mapped(formula: Callable[..., Sequence[Scalar]], *columns: Sequence[Scalar]) -> list[list[Scalar]]:
    """The results of a formula of one number of each column, for all of them, column by column; in a loop for many."""
    count, graph = len(columns[0]), graph_of([x for c in columns for x in c])
    if graph is None or count < LOOP_FROM:
        return [list(x) for x in zip(*(formula(*row) for row in zip(*columns, strict=True)), strict=True)]
    like = [graph.constant(0.0)]
    given = [column(c, like) for c in columns]
    size = len(formula(*(c[0] for c in columns)))
    results = [Array(count, like) for _ in range(size)]

    def one(k: Any) -> None:
        for result, x in zip(results, formula(*(c[k] for c in given)), strict=True):
            result[k] = x

    each(count, one, like)
    return [list(result) for result in results]


class Grid:
    """A matrix of numbers, filled by index; `blank`: nothing is read before it is written."""

    def __init__(self, rows: int, columns: int, like: Sequence[Scalar] | None, blank: bool = False) -> None:
        self.columns = columns
        plain = like is None or graph_of(like) is None
        self.rows: Any = [[0] * columns for _ in range(rows)] if plain else None
        self.memory = None if plain else Array(rows * columns, like, blank)

    def __getitem__(self, at: tuple[Any, Any]) -> Scalar:
        i, j = at
        return self.rows[i][j] if self.memory is None else self.memory[i * self.columns + j]

    def __setitem__(self, at: tuple[Any, Any], x: Scalar) -> None:
        i, j = at
        if self.memory is None:
            self.rows[i][j] = x
        else:
            self.memory[i * self.columns + j] = x

    def row(self, i: Any) -> "Row":
        """A row, as a vector by index."""
        return Row(self, i)

    @staticmethod
    def of(rows: Sequence[Sequence[Scalar]]) -> "Grid":
        """A matrix of lists."""
        made = Grid(0, len(rows), None)
        made.rows = [list(row) for row in rows]
        return made

    def copy(self) -> "Grid":
        """Another one with the same numbers."""
        if self.memory is None:
            return Grid.of(self.rows)
        made, source = Grid(0, self.columns, None), self.memory
        made.rows, made.memory = None, Array(len(source), self.like)

        def one(k: Any) -> None:
            made.memory[k] = source[k]  # type: ignore[index]

        each(len(source), one, made.like)
        return made

    def corner(self, size: Any) -> "Grid":
        """Another one with the same numbers in its first rows and columns; of the others nothing is known."""
        made = Grid(self.columns, self.columns, self.like, blank=True)

        def row(i: Any) -> None:
            def entry(j: Any) -> None:
                made[i, j] = self[i, j]

            each(size, entry, self.like)

        each(size, row, self.like)
        return made

    @property
    def like(self) -> Sequence[Scalar] | None:
        """A value of the program, where the numbers are in memory."""
        return None if self.memory is None else [self.memory.graph.constant(0.0)]  # type: ignore[union-attr]

    @property
    def lists(self) -> list[list[Scalar]]:
        """The rows as lists."""
        if self.memory is None:
            return self.rows
        n = self.columns
        return [[self.memory[i + j] for j in range(n)] for i in range(0, len(self.memory), n)]

    @property
    def value(self) -> Any:
        """The rows as lists; or the memory, row by row, which a program can give back as it is."""
        return self.rows if self.memory is None else self.memory


class Row:
    """A row of a grid."""

    def __init__(self, grid: Grid, i: Any) -> None:
        self.grid, self.i = grid, i

    def __getitem__(self, j: Any) -> Scalar:
        return self.grid[self.i, j]

    def __setitem__(self, j: Any, x: Scalar) -> None:
        self.grid[self.i, j] = x


class Factors(NamedTuple):
    """M = Lᵀ D L with unit lower triangular L: elimination from the last row up fills no zero of a tree's matrix."""

    lower: Grid
    inverse_diagonal: Any  # by index
    size: Any


def factor(M: Grid | list[list[Scalar]], size: Any = None) -> Factors:
    """Factors of a symmetric positive definite matrix; or of its first rows and columns, as many as `size` says."""
    H = Grid.of(M) if not isinstance(M, Grid) else M.copy() if size is None else M.corner(size)
    most, like = H.columns, H.like
    n = most if size is None else size
    lower, inverse = Grid(most, most, like, blank=True), [0] * most if like is None else Array(most, like, blank=True)

    def eliminate(t: Any) -> None:
        k = n - 1 - t
        d = inverse[k] = 1 / H[k, k]

        def scale(i: Any) -> None:
            lower[k, i] = H[k, i] * d

        def row(i: Any) -> None:
            factor = lower[k, i]

            def entry(j: Any) -> None:
                H[i, j] = H[i, j] - factor * H[k, j]

            each(i + 1, entry, like)

        each(k, scale, like)
        each(k, row, like)

    each(n, eliminate, like)
    return Factors(lower, inverse, n)


def solve(f: Factors, b: Any) -> Any:
    """The x that solves M x = b."""
    n, like = f.size, f.lower.like
    x = list(b) if like is None else Array.of(b, like)

    def back(t: Any) -> None:
        k = n - 1 - t
        known = x[k]

        def entry(i: Any) -> None:
            x[i] = x[i] - f.lower[k, i] * known

        each(k, entry, like)

    def scale(k: Any) -> None:
        x[k] = x[k] * f.inverse_diagonal[k]

    def forth(k: Any) -> None:
        def entry(i: Any) -> None:
            x[k] = x[k] - f.lower[k, i] * x[i]

        each(k, entry, like)

    for pass_ in (back, scale, forth):
        each(n, pass_, like)
    return x


def solved_in_memory(M: Grid, b: Any, size: Any = None) -> Any:
    """The x that solves M x = b with a matrix that need not be symmetric, without pivots; M and b are used up. `size`
    tells how many rows and columns count, if not all.
    """
    eliminate_in_memory(M, size)
    return substitute_in_memory(M, b, size)


def eliminate_in_memory(M: Grid, size: Any = None, sparse: bool = False) -> None:
    """Make the factors of a matrix, without pivots, in its place; `sparse`: rows that need nothing are passed over."""
    n, like = M.columns if size is None else size, M.like

    def eliminate(k: Any) -> None:
        inverse = 1 / M[k, k]

        def row(t: Any) -> None:
            i = k + 1 + t
            factor = M[i, k] = M[i, k] * inverse

            def entry(u: Any) -> None:
                j = k + 1 + u
                M[i, j] = M[i, j] - factor * M[k, j]

            each((n - 1 - k) * (most(where(factor == 0, 0, 1), 1) if sparse else 1), entry, like)

        each(n - 1 - k, row, like)

    each(n, eliminate, like)


def substitute_in_memory(M: Grid, b: Any, size: Any = None) -> Any:
    """The x that solves M x = b by the factors of M, in the place of b."""
    n, like = M.columns if size is None else size, M.like

    def forth(k: Any) -> None:
        def entry(j: Any) -> None:
            b[k] = b[k] - M[k, j] * b[j]

        each(k, entry, like)

    def back(t: Any) -> None:
        k = n - 1 - t

        def entry(u: Any) -> None:
            b[k] = b[k] - M[k, k + 1 + u] * b[k + 1 + u]

        each(n - 1 - k, entry, like)
        b[k] = b[k] / M[k, k]

    each(n, forth, like)
    each(n, back, like)
    return b
