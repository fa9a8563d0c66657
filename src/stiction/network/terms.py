"""The terms of the equations of motion: M v̇ + bias = pushes − Jᵀ λ, and what follows from them.

Written once, for all methods. Each term is computed when it is first asked for, so that a program holds only what it
needs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from stiction.network.kept import Kept
from stiction.network.network import Evaluation, Network
from stiction.rows.ranked import ranked, solved_ranked
from stiction.trace.derivative import directional
from stiction.trace.elimination import eliminated, solved
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, constant
from stiction.trace.grid import factor, solve
from stiction.trace.parameters import absent

Matrix = list[list[Scalar]]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True) if not absent(x)), start=0)


def added(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    """Sum of vectors."""
    return [x + y for x, y in zip(a, b, strict=True)]


class Terms:
    """The terms of a network at one moment, along the velocities of all its bodies."""

    def __init__(self, network: Network, now: Evaluation) -> None:
        self.network, self.now = network, now

    @cached_property
    def velocities(self) -> list[Scalar]:
        """v, (n,)."""
        return self.network.velocities(self.now.own)

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M of all bodies together, (n, n)."""
        blocks = [body.mass_matrix(self.now.own[name]) for name, body in self.network.bodies.items()]
        n, first = sum(map(len, blocks)), 0
        M: Matrix = [[0] * n for _ in range(n)]
        for block in blocks:
            for i, row in enumerate(block):
                M[first + i][first : first + len(block)] = row
            first += len(block)
        return M

    @cached_property
    def mass_diagonal(self) -> list[Scalar]:
        """The diagonal of M, (n,)."""
        found: list[Scalar] = []
        for name, body in self.network.bodies.items():
            found += body.mass_diagonal(self.now.own[name])
        return found

    def inverse_dynamics(self, accelerations: Sequence[Scalar]) -> list[Scalar]:
        """M v̇ + bias of all bodies, (n,)."""
        forces: list[Scalar] = []
        first = 0
        for name, body in self.network.bodies.items():
            n = len(self.now.own[name]) - body.positions()
            forces.extend(body.inverse_dynamics(self.now.own[name], list(accelerations[first : first + n])))
            first += n
        return forces

    @cached_property
    def bias(self) -> list[Scalar]:
        """What rest takes: gravity, and what velocities make, (n,)."""
        return self.inverse_dynamics([0] * len(self.velocities))

    @cached_property
    def pushes(self) -> dict[str, list[Scalar]]:
        """Who pushes, and how, by name, (n,) each."""
        return {source: self.network.push(self.now, source) for source in self.network.sources}

    def pushed(self, without: Collection[str] = ()) -> list[Scalar]:
        """All pushes together but those of some parts, (n,)."""
        total: list[Scalar] = [0] * len(self.velocities)
        for name, push in self.pushes.items():
            if name not in without:
                total = added(total, push)
        return total

    def push_under(self, name: str, outputs: Mapping[str, list[Scalar]]) -> list[Scalar]:
        """The push of a part if it had these outputs, (n,)."""
        return self.network.push(self.now.with_outputs(name, outputs), name)

    def row(self, name: str) -> list[Scalar]:
        """J of a part with one torque, so that J v is its velocity: minus the push of a unit torque, (n,)."""
        return [-x for x in self.push_under(name, {"torque": [1]})]


class Keeping:
    """Equations with a mass matrix in which constraints are kept: those of M alone, less what moves A v.

    What is kept always acts, so it goes into the masses: rows of friction, end stops and contacts, which may or may not
    act, see bodies that the constraints hold together.

    Args:
        kept: the rows A of the constraints.
        plain: solves equations with M alone.
        symmetric: whether M is.
    """

    def __init__(self, kept: Kept, plain: Callable[[list[Scalar]], Sequence[Scalar]], symmetric: bool = True) -> None:
        self.kept, self.plain = kept, plain
        self.W = [list(plain(list(row))) for row in kept.rows]  # M⁻¹ Aᵀ
        self.ranked = ranked(kept.rows, self.W, kept.firm, symmetric)

    def multipliers(self, v: Sequence[Scalar]) -> list[Scalar]:
        """Impulses that keep A v at 0, from velocities without them."""
        return solved_ranked(self.ranked, self.kept.moved(v))

    def less(self, v: Sequence[Scalar], multipliers: Sequence[Scalar]) -> list[Scalar]:
        """Velocities less what multipliers make."""
        v = list(v)
        for w, x in zip(self.W, multipliers, strict=True):
            v = [a if absent(b) else a - b * x for a, b in zip(v, w, strict=True)]
        return v

    def within(self, v: Sequence[Scalar]) -> list[Scalar]:
        """Velocities that the constraints allow, from others."""
        return self.less(v, self.multipliers(v))

    def solve(self, b: list[Scalar]) -> list[Scalar]:
        """Changes of the velocities under impulses b."""
        return self.within(self.plain(b))


class Compliance(NamedTuple):
    """What impulses at rows do.

    Attributes:
        solve: equations with the (damped) mass matrix, in which constraints are kept.
        responses: M⁻¹ Jᵀ: velocities of all bodies under a unit impulse at each row.
        A: J M⁻¹ Jᵀ: velocities of the rows under unit impulses at them.
        symmetric: whether both are.
        matrix: the (damped) mass matrix.
        give: part of its own by which every row gives.
        keeping: the constraints, if there are some.
    """

    solve: Callable[[list[Scalar]], list[Scalar]]
    responses: dict[str, list[Scalar]]
    A: Matrix
    symmetric: bool
    matrix: Matrix
    give: Scalar
    keeping: Keeping | None = None

    @property
    def kept(self) -> Kept | None:
        """The rows of constraints."""
        return self.keeping.kept if self.keeping else None

    def within(self, v: list[Scalar]) -> list[Scalar]:
        """Velocities that constraints allow, from others."""
        return self.keeping.within(v) if self.keeping else v


def compliance(
    M: Matrix,
    rows: Mapping[str, Sequence[Scalar]],
    give: Scalar = 0,
    symmetric: bool = True,
    kept: Kept | None = None,
) -> Compliance:
    """A = J M⁻¹ Jᵀ, where every row gives by this part of its own and constraints are kept; M may hold slopes that are
    not symmetric.
    """
    solver: Callable = partial(solve, factor(M)) if symmetric else partial(solved, eliminated(M))
    keeping = Keeping(kept, solver, symmetric) if kept else None
    solver = keeping.solve if keeping else solver
    responses = {name: solver(list(row)) for name, row in rows.items()}
    A = [[dot(rows[a], responses[b]) * (1 + give if a == b else 1) for b in rows] for a in rows]
    if keeping and not absent(give):  # rows that constraints hold give by a part of what they would without them
        for k, row in enumerate(rows.values()):
            A[k][k] = A[k][k] + give * dot(row, keeping.plain(list(row)))
    return Compliance(solver, responses, A, symmetric, M, give, keeping)


class Linearization(NamedTuple):
    """The equations of motion at a moment, and how they change with the states.

    Attributes:
        balance: ∂(M v̇ + bias − pushes)/∂x for each state x: K of positions, C of velocities; one column (n,) each.
        rates: ∂(other rates)/∂x likewise.
    """

    balance: list[list[Scalar]]
    rates: list[list[Scalar]]


def linearized(
    terms: Terms, accelerations: Sequence[Scalar], rates: Sequence[Scalar], states: Sequence[Expr]
) -> Linearization:
    """Exact derivatives by the states, at accelerations that count as constant."""
    taken = terms.inverse_dynamics([constant(a) for a in accelerations])
    pushed = terms.pushed()
    loads = [directional(taken, {x: 1.0}) for x in states]
    n = len(rates)
    others = [directional([*rates, *pushed], {x: 1.0}) for x in states]
    balance = [[a - b for a, b in zip(load, other[n:], strict=True)] for load, other in zip(loads, others, strict=True)]
    return Linearization(balance, [other[:n] for other in others])
