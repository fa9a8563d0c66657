"""One step of Rodas3 (Sandu and others 1997): the equations of a network, their derivatives, and its four stages.

The equations stay in the form M v̇ + bias = pushes: its derivatives by positions, velocities and bristles (the terms K
and C) are exact. Positions and bristles are eliminated first. For few velocities all is unrolled, and what is 0 costs
nothing; for many see `rodas_in_memory`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stiction.friction.law import Law
from stiction.methods.method import powers
from stiction.network.layout import Block, flat_states, states_of
from stiction.network.network import Evaluation, Network
from stiction.network.terms import Matrix, Terms, dot, linearized
from stiction.parts.friction import RubbingPart
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, maximum, where
from stiction.trace.grid import LOOP_FROM, factor, solve

GAMMA = 1 / 2
OFFSETS = (0, 0, 1, 1)  # of the stages in time, parts of the step
TILTS = (1 / 2, 3 / 2, 0, 0)  # weights of the derivative by time
STAGES = ((), (0,), (2, 0), (2, 0, 1))  # what is added to the state: multiples of the stages before
COUPLINGS = ((), (4,), (1, -1), (1, -1, -8 / 3))  # what is added to the rates: multiples over the step
WEIGHTS = (2, 0, 1, 1)


class Point(NamedTuple):
    """The equations at one state: rates of positions, bristles and velocities, powers of the sources, and the terms."""

    rates: list[Scalar]
    accelerations: list[Scalar]
    powers: list[Scalar]
    terms: Terms

    @property
    def all(self) -> list[Scalar]:
        """All that the stages add up."""
        return [*self.rates, *self.accelerations, *self.powers]


class Step(NamedTuple):
    """What a step gives: ordered states and works after it, and the estimated errors of the states."""

    after: list[Scalar]
    works: list[Scalar]
    errors: list[Scalar]


class Order:
    """The states of a network in the order of elimination: positions, states of impedances, velocities. What
    controllers hold stays as it is.
    """

    def __init__(self, network: Network, block: Block) -> None:
        self.network, self.held = network, flat_states(network, block.own)
        q, z, v = [], [], []
        first = 0
        for name, part in network.parts.items():
            size = len(part.start())
            place = list(range(first, first + size))
            first += size
            if name in network.bodies:
                nq = network.bodies[name].positions()
                q += place[:nq]
                v += place[nq:]
            elif name not in network.digital:
                z += place
        self.places, self.nq, self.nz, self.nv = [*q, *z, *v], len(q), len(z), len(v)

    def sorted(self, own: Mapping[str, list[Scalar]]) -> list[Scalar]:
        """States of the network in this order."""
        flat = flat_states(self.network, own)
        return [flat[k] for k in self.places]

    def states(self, ordered: Sequence[Scalar]) -> Mapping[str, list[Scalar]]:
        """States of each part, from this order."""
        flat = list(self.held)
        for k, x in zip(self.places, ordered, strict=True):
            flat[k] = x
        return states_of(self.network, flat)

    def point(self, block: Block, ordered: Sequence[Scalar], t: Scalar) -> Point:
        """The equations at a state."""
        network = self.network
        now = network.evaluate(self.states(ordered), t, 0)
        terms = Terms(network, now)
        if self.many:
            rates = network.rates(now, t)
            accelerations = [x for name, body in network.bodies.items() for x in rates[name][body.positions() :]]
        else:
            rest = [f - b for f, b in zip(terms.pushed(), terms.bias, strict=True)]
            accelerations = solve(factor(terms.mass_matrix), rest)
        return Point(self.rates(now), accelerations, powers(block, terms.pushes, terms.velocities), terms)

    @property
    def many(self) -> bool:
        """Whether the velocities are worth loops."""
        return self.nv >= LOOP_FROM

    def rates(self, now: Evaluation) -> list[Scalar]:
        """Those of positions and of the states of impedances."""
        network = self.network
        positions = [x for name, body in network.bodies.items() for x in body.position_rates(now.own[name])]
        own = [name for name in network.parts if name in now.rates and name not in network.digital]
        return [*positions, *(x for name in own for x in now.rates[name])]

    def scales(self) -> list[Scalar]:
        """What counts as small of each state: 1, of a bristle its bending at break-away."""
        small: list[Scalar] = [1] * self.nq
        for name, part in self.network.parts.items():
            if name not in self.network.bodies and name not in self.network.digital:
                law = part.law if isinstance(part, RubbingPart) else None
                small += _bends(law, len(part.start()))
        return [*small, *[1] * self.nv]


def _bends(law: Law | None, count: int) -> list[Scalar]:
    """Bendings of bristles at break-away; 1 for what is no bristle, or has no break-away."""
    if law is None or not any(law.bends):
        return [1] * count
    stiffness, _ = law.at_rest()
    most = maximum(law.breakaway(1), law.breakaway(-1)) / stiffness
    bend = where(most > 0, most, 1)
    return [bend if bends else 1 for bends in law.bends] if count == len(law.bends) else [bend] * count


def _stage_matrix(point: Point, y: list[Any], order: Order, c: Scalar) -> Matrix:
    """The matrix of a stage: c − ∂rates, and c M + K and C for the velocities; works come last."""
    n, m, works = len(y), order.nq + order.nz, len(point.powers)
    change = linearized(point.terms, point.accelerations, [*point.rates, *point.powers], y)
    M = point.terms.mass_matrix
    A: Matrix = [[(c if i == j else 0) - change.rates[j][i] for j in range(n)] for i in range(m)]
    A += [[(c * M[i][j - m] if j >= m else 0) + change.balance[j][i] for j in range(n)] for i in range(order.nv)]
    A = [[*row, *[0] * works] for row in A]
    for i in range(works):
        A.append([*(-change.rates[j][m + i] for j in range(n)), *(c if i == k else 0 for k in range(works))])
    return A


def step(order: Order, block: Block, y: list[Scalar], t: Scalar, h: Scalar) -> Step:
    """One step, unrolled."""
    n, m, works = len(y), order.nq + order.nz, list(block.works.values())
    start = order.point(block, y, t)
    soon, later = (order.point(block, y, t + k * h / 8) for k in (1, 2))
    tilt = [
        (4 * b - 3 * a - c) * 4 / h for a, b, c in zip(start.all, soon.all, later.all, strict=True)
    ]  # ∂/∂t, order 2
    U = eliminated(_stage_matrix(start, y, order, 1 / (GAMMA * h)))
    found: list[list[Scalar]] = []
    rate = start.all
    for offset, turn, adds, couples in zip(OFFSETS, TILTS, STAGES, COUPLINGS, strict=True):
        if any(adds):
            moved = [
                x + sum((w * k[i] for w, k in zip(adds, found, strict=True) if w), start=0) for i, x in enumerate(y)
            ]
            rate = order.point(block, moved, t + offset * h).all
        right = [
            f + turn * h * s + sum((w * k[i] for w, k in zip(couples, found, strict=True)), start=0) / h
            for i, (f, s) in enumerate(zip(rate, tilt, strict=True))
        ]
        right[m:n] = [dot(row, right[m:n]) for row in start.terms.mass_matrix]
        found.append(solved(U, right))
    change = [sum((w * k[i] for w, k in zip(WEIGHTS, found, strict=True) if w), start=0) for i in range(n + len(works))]
    after = [a + b for a, b in zip(y, change[:n], strict=True)]
    return Step(after, [a + b for a, b in zip(works, change[n:], strict=True)], found[-1][:n])
