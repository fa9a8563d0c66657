"""Rows of contacts and joints that are coupled by a matrix, and how far impulses are from what they must satisfy."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, clip, maximum, minimum, sqrt, where
from stiction.trace.grid import Grid, each

TINY = 1e-300  # no division by 0


class Blocks(NamedTuple):
    """What the rows are: intervals first, then cones, each of one normal and as many tangents.

    Attributes:
        low: smallest impulse of each interval, by index.
        high: largest impulse, likewise.
        friction: coefficient μ of each cone, by index.
        intervals: how many there are.
        cones: how many there are.
        tangents: of each cone, 1 or 2.
        active: how many of the cones count, where that is known only in the program; all of them if None.
    """

    low: Any
    high: Any
    friction: Any
    intervals: int
    cones: int
    tangents: int
    active: Any = None

    @property
    def most(self) -> int:
        """All rows."""
        return self.intervals + self.cones * (1 + self.tangents)

    @property
    def touching(self) -> Any:
        """How many cones count."""
        return self.cones if self.active is None else self.active

    @property
    def rows(self) -> Any:
        """How many rows count."""
        return self.intervals + self.touching * (1 + self.tangents)


class CoupledRows:
    """Rows that are coupled by a symmetric matrix.

    Args:
        A: velocities of the rows under unit impulses, in memory.
        c: velocities without impulses, by index.
        blocks: what the rows are.
        like: a value of the program.
    """

    def __init__(self, A: Grid, c: Any, blocks: Blocks, like: Sequence[Scalar]) -> None:
        self.A, self.c, self.blocks, self.like = A, c, blocks, like
        self.n, self.most = blocks.rows, blocks.most

    # Visiting.

    def vector(self, count: int | None = None) -> Array:
        """As many numbers, one for each row by default, 0 at first."""
        return Array(self.most if count is None else count, self.like)

    def each(self, count: Any, visit: Callable[[Any], None]) -> None:
        """Visit 0, 1, 2 …"""
        if not isinstance(count, int) or count:
            each(count, visit, self.like)

    def rows(self, visit: Callable[[Any], None]) -> None:
        """Visit each row."""
        self.each(self.n, visit)

    def intervals(self, visit: Callable[[Any], None]) -> None:
        """Visit each interval: its row has the same number."""
        self.each(self.blocks.intervals, visit)

    def cones(self, visit: Callable[[Any, Any], None]) -> None:
        """Visit each cone, with its first row."""
        width, first = 1 + self.blocks.tangents, self.blocks.intervals
        self.each(self.blocks.touching, lambda k: visit(k, first + width * k))

    def tangential(self, x: Any, i: Any) -> list[Scalar]:
        """The numbers of a vector at the tangents of the cone with this first row."""
        return [x[i + 1 + k] for k in range(self.blocks.tangents)]

    # What impulses do.

    def velocities(self, p: Any) -> Array:
        """V = A p + c."""
        v = self.vector()

        def row(i: Any) -> None:
            v[i] = self.c[i]

            def entry(j: Any) -> None:
                v[i] = v[i] + self.A[i, j] * p[j]

            self.rows(entry)

        self.rows(row)
        return v

    def scales(self, i: Any) -> tuple[Scalar, Scalar]:
        """Own compliance of the normal of a cone, and the mean of its tangents'."""
        along = [self.A[i + 1 + k, i + 1 + k] for k in range(self.blocks.tangents)]
        return self.A[i, i], sum(along, start=0) / len(along)

    def project(self, p: Any) -> None:
        """Keep impulses within intervals and cones: tangents are shortened to what the normal allows."""

        def interval(i: Any) -> None:
            p[i] = clip(p[i], self.blocks.low[i], self.blocks.high[i])

        def cone(k: Any, i: Any) -> None:
            normal = maximum(0, p[i])
            tangents = self.tangential(p, i)
            part = minimum(1, self.blocks.friction[k] * normal / maximum(size(tangents), TINY))
            p[i] = normal
            for j, x in enumerate(tangents):
                p[i + 1 + j] = x * part

        self.intervals(interval)
        self.cones(cone)

    def residual(self, p: Any) -> Scalar:
        """The natural residual: the largest velocity by which impulses contradict themselves."""
        v, worst = self.velocities(p), self.vector(1)

        def interval(i: Any) -> None:
            own = self.A[i, i]
            wish = clip(p[i] - v[i] / own, self.blocks.low[i], self.blocks.high[i])
            worst[0] = maximum(worst[0], absolute(p[i] - wish) * own)

        def cone(k: Any, i: Any) -> None:
            normal, along = self.scales(i)
            lifted = absolute(p[i] * normal - maximum(0, p[i] * normal - v[i]))
            q = self.tangential(p, i)
            z = [x * along - y for x, y in zip(q, self.tangential(v, i), strict=True)]
            part = minimum(1, self.blocks.friction[k] * p[i] * along / maximum(size(z), TINY))
            slipped = size([x * along - y * part for x, y in zip(q, z, strict=True)])
            worst[0] = maximum(worst[0], maximum(lifted, slipped))

        self.intervals(interval)
        self.cones(cone)
        return worst[0]

    def speed(self, p: Any, i: Any) -> Scalar:
        """Velocity of one row."""
        v = self.vector(1)
        v[0] = self.c[i]

        def entry(j: Any) -> None:
            v[0] = v[0] + self.A[i, j] * p[j]

        self.rows(entry)
        return v[0]

    def mean(self) -> Scalar:
        """Of the diagonal of A, where there is something."""
        total = self.vector(2)

        def add(i: Any) -> None:
            total[0] = total[0] + self.A[i, i]
            total[1] = total[1] + where(self.A[i, i] > 0, 1, 0)

        self.rows(add)
        return total[0] / maximum(1, total[1])


def size(x: Sequence[Scalar]) -> Scalar:
    """The length of a vector."""
    return absolute(x[0]) if len(x) == 1 else sqrt(sum((y * y for y in x), start=0))
