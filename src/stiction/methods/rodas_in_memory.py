"""One step of Rodas3 for many velocities, in loops: the program does not grow with the robot.

The derivatives are found in one direction after the other, each along with the equations themselves, by a loop over all
states; the direction of a velocity moves its acceleration as well, which puts the masses where they belong. The matrix
is eliminated in memory.
"""

from stiction.methods.method import powers
from stiction.methods.rodas import COUPLINGS, GAMMA, OFFSETS, STAGES, TILTS, WEIGHTS, Order, Step
from stiction.network.layout import Block
from stiction.network.network import Evaluation
from stiction.network.terms import Terms
from stiction.trace.array import Array
from stiction.trace.derivative import directional
from stiction.trace.expression import Expr, graph_of
from stiction.trace.functions import Scalar, constant, loop
from stiction.trace.grid import Grid, each, eliminate_in_memory, reduced, substitute_in_memory

SOON = ((0, 1, -3), (1 / 8, 0, 4), (1 / 4, 0, -1))  # parts of the step; weights in rates, and in their slopes by time


def step_in_memory(order: Order, block: Block, y: list[Scalar], t: Scalar, h: Scalar) -> Step:
    """One step."""
    return _InMemory(order, block, y, t, h).step()


class _InMemory:
    """A step from one state."""

    def __init__(self, order: Order, block: Block, y: list[Scalar], t: Scalar, h: Scalar) -> None:
        graph = graph_of([*y, t, h])
        self.order, self.block, self.t, self.h = order, block, t, h
        self.n, self.first, self.works = len(y), order.nq + order.nz, list(block.works.values())
        self.size, self.c = self.n + len(self.works), 1 / (GAMMA * h)
        self.like = [0.0 if graph is None else graph.constant(0.0)]
        self.y = Array.of(y, self.like)

    def step(self) -> Step:
        """States and works after it, and estimated errors of the states."""
        rate, tilt = self._rates()
        self.A = self._matrix(rate)
        eliminate_in_memory(self.A, sparse=True)
        found = self._stages(tilt)
        change = [sum((w * found[s, i] for s, w in enumerate(WEIGHTS) if w), start=0) for i in range(self.size)]
        after = [x + d for x, d in zip(self.y, change[: self.n], strict=True)]
        worked = [x + d for x, d in zip(self.works, change[self.n :], strict=True)]
        return Step(after, worked, [found[3, i] for i in range(self.n)])

    def _rates(self) -> tuple[Array, Array]:
        """Rates of everything, and how they change with time alone, to order 2."""

        def moment(row: tuple, carry: list[Scalar]) -> list[Scalar]:
            soon, now, slope = row
            rates = self.order.point(self.block, list(self.y), self.t + soon * self.h).all
            before, tilt = carry[: self.size], carry[self.size :]
            return [
                *(x + now * f for x, f in zip(before, rates, strict=True)),
                *(x + slope * f for x, f in zip(tilt, rates, strict=True)),
            ]

        found = loop(SOON, moment, self.like * (2 * self.size))
        tilt = [x * 4 / self.h for x in found[self.size :]]
        return Array.of(found[: self.size], self.like), Array.of(tilt, self.like)

    def _matrix(self, rate: Array) -> Grid:
        """The matrix of a stage: c − ∂rates, c M + K and C for the velocities, works last; column by column."""
        A, unit = Grid(self.size, self.n, self.like, blank=True), Array(self.n, self.like)

        def direction(j: Scalar) -> None:
            unit[j] = 1
            column = Array.of(self._moved(list(unit), [rate[k] for k in range(self.first, self.n)]), self.like)
            unit[j] = 0

            def entry(i: Scalar) -> None:
                A[i, j] = column[i]

            each(self.size, entry, self.like)

        each(self.n, direction, self.like)
        return A

    def _moved(self, unit: list[Scalar], accelerations: list[Scalar]) -> list[Scalar]:
        """How the equations change, where the states change so."""
        y, a = [constant(x) for x in self.y], [constant(x) for x in accelerations]
        network = self.order.network
        now = network.evaluate(self.order.states(y), self.t, 0)
        terms, rates = Terms(network, now), self.order.rates(now)
        balance = [f - p for f, p in zip(terms.inverse_dynamics(a), terms.pushed(), strict=True)]
        values = [*rates, *balance, *powers(self.block, terms.pushes, terms.velocities)]
        turns = [self.c * x for x in unit[self.first :]]
        seeds = {x: d for x, d in zip([*y, *a], [*unit, *turns], strict=True) if isinstance(x, Expr)}
        moved = directional(values, seeds)
        return [
            *(self.c * x - d for x, d in zip(unit, moved[: self.first], strict=False)),
            *moved[self.first : self.n],
            *(-d for d in moved[self.n :]),
        ]

    def _stages(self, tilt: Array) -> Grid:
        """What the stages find."""
        found = Grid(len(OFFSETS), self.size, self.like)

        def weighted(weights: list[Scalar], i: int) -> Scalar:
            return sum((w * found[s, i] for s, w in enumerate(weights)), start=0)

        def stage(row: tuple, carry: list[Scalar]) -> list[Scalar]:
            s, offset, turn, *weights = row
            adds, couples = weights[:3], weights[3:]
            moved = [x + weighted(adds, i) for i, x in enumerate(self.y)]
            rate = self.order.point(self.block, moved, self.t + offset * self.h).all
            right = [f + turn * self.h * tilt[i] + weighted(couples, i) / self.h for i, f in enumerate(rate)]
            right[self.first : self.n] = self._pushed(right[self.first : self.n])
            self._solve(right, found, s)
            return carry

        table = zip(OFFSETS, TILTS, map(_three, STAGES), map(_three, COUPLINGS), strict=True)
        loop([(s, offset, turn, *a, *b) for s, (offset, turn, a, b) in enumerate(table)], stage, self.like)
        return found

    def _pushed(self, accelerations: list[Scalar]) -> list[Scalar]:
        """M times accelerations, at the start of the step."""
        own = self.order.states(list(self.y))
        terms = Terms(self.order.network, Evaluation(own, {}, {}))
        return [f - b for f, b in zip(terms.inverse_dynamics(accelerations), terms.bias, strict=True)]

    def _solve(self, right: list[Scalar], found: Grid, s: Scalar) -> None:
        """Solve a stage, and keep what it finds."""
        x = substitute_in_memory(self.A, Array.of(right[: self.n], self.like))

        def keep(i: Scalar) -> None:
            found[s, i] = x[i]

        each(self.n, keep, self.like)
        for i, f in enumerate(right[self.n :], self.n):
            row = [self.A[i, j] for j in range(self.n)]
            found[s, i] = reduced(lambda total, a, b: total - a * b, f, row, list(x)) / self.c


def _three(weights: tuple) -> tuple:
    """Weights, of stages that are not yet known as well."""
    return (*weights, *[0] * (3 - len(weights)))
