"""A stiff method with its own steps: Rodas3 (Sandu and others 1997), order 3, L-stable, for bristles of any stiffness.

The equations stay in the form M v̇ + bias = forces: its derivatives by positions, velocities and bristles (the terms K and C) are
exact. Positions and bristles are eliminated first; what remains to be solved is n × n, with n velocities. Steps are chosen so that
the estimated error stays below the tolerance; each run of a batch chooses its own, in straight-line code, so it runs in lanes.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from stiction.dynamics.composite_body import factor, solve
from stiction.friction.curve import Curve
from stiction.friction.dry import Dry, Stribeck
from stiction.simulation.flowing import dot
from stiction.simulation.forces import Friction, Ground
from stiction.simulation.network import Network, NetworkError
from stiction.simulation.penalty_joint import PenaltyJoint
from stiction.trace.derivative import directional
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, absolute, clip, constant, floor, logical_not, loop, maximum, minimum, where

Rows = list[list[Scalar]]

GAMMA = 1 / 2
OFFSETS = (0, 0, 1, 1)  # of the stages in time, parts of the step
TILTS = (1 / 2, 3 / 2, 0, 0)  # weights of the derivative by time
STAGES = ((), (0,), (2, 0), (2, 0, 1))  # what is added to the state: multiples of the stages before
COUPLINGS = ((), (4,), (1, -1), (1, -1, -8 / 3))  # what is added to the rates: multiples over the step
WEIGHTS = (2, 0, 1, 1)
ATTEMPTS = 16  # per call of the program
GROWS, SHRINKS, CAREFUL = 5, 1 / 5, 0.9


def check_stiff(network: Network) -> Network:
    """Refuse what the method cannot advance."""
    network.must_be_mechanical("method 'stiff'")
    for name in network.digital:
        raise NetworkError(f"part '{name}' ticks on a clock, and 'stiff' chooses its own steps; use method 'rk4' or 'semi_implicit'")
    for name, part in network.parts.items():
        if isinstance(part, (Friction, PenaltyJoint)) and isinstance(part.law, (Stribeck, Curve)):
            raise NetworkError(
                f"{name}: {type(part.law).__name__} finds its speed of sliding step by step, and 'stiff' needs a formula; "
                "take LuGre or ElastoPlastic with the same numbers, or method 'semi_implicit'"
            )
        bristle = part.law if isinstance(part, (Friction, PenaltyJoint)) and isinstance(part.law, Dry) else part if isinstance(part, Ground) else None
        if bristle is not None and not bristle.damping:
            raise NetworkError(f"{name}: its bristle has no damping, and 'stiff' needs some: without it the force jumps; give a damping above 0")
    return network


class _Point(NamedTuple):
    """The equations at one state: rates of positions and bristles, accelerations, powers of the sources, and M v̇ + bias = forces."""

    positions: list[Scalar]
    others: list[Scalar]
    accelerations: list[Scalar]
    powers: list[Scalar]
    mass: Rows
    loads: list[Scalar]  # M v̇ + bias, with v̇ as if it were constant
    forces: list[Scalar]


class _Order:
    """The states of a network in the order in which they are eliminated: positions, states of impedances, velocities."""

    def __init__(self, network: Network) -> None:
        self.network = network
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
            else:
                z += place
        self.places, self.nq, self.nz, self.nv = [*q, *z, *v], len(q), len(z), len(v)

    def sorted(self, state: Sequence[Scalar]) -> list[Scalar]:
        """States of the network in this order."""
        return [state[k] for k in self.places]

    def back(self, ordered: Sequence[Scalar]) -> list[Scalar]:
        """And back."""
        state: list[Scalar] = [0] * len(self.places)
        for k, x in zip(self.places, ordered, strict=True):
            state[k] = x
        return state

    def point(self, ordered: Sequence[Scalar], t: Scalar, books: bool) -> _Point:
        """The equations at a state."""
        network = self.network
        now = network.evaluate(self.back(ordered), t, 0)
        v = network.velocities(now.own)
        pushes = network.pushes(now)
        forces: list[Scalar] = [0] * len(v)
        for push in pushes.values():
            forces = [a + b for a, b in zip(forces, push, strict=True)]
        M, bias = network.mechanics(now)
        a = solve(factor(M), [f - b for f, b in zip(forces, bias, strict=True)])
        loads: list[Scalar] = []
        first = 0
        for name, body in network.bodies.items():
            n = len(now.own[name]) - body.positions()
            loads.extend(body.load(now.own[name], [constant(x) for x in a[first : first + n]]))
            first += n
        positions = [x for name, body in network.bodies.items() for x in body.position_rates(now.own[name])]
        others = [x for name in network.parts if name in now.rates for x in now.rates[name]]
        return _Point(positions, others, a, [dot(p, v) for p in pushes.values()] if books else [], M, loads, forces)

    def scales(self) -> list[Scalar]:
        """What counts as small of each state: 1, of a bristle its bending at break-away."""
        small: list[Scalar] = [1] * self.nq
        for name in self.network.parts:
            part = self.network.parts[name]
            if name not in self.network.bodies:
                small += [_bend(getattr(part, "law", None))] * len(part.start())
        return [*small, *[1] * self.nv]


def _bend(law: Any) -> Scalar:
    """Bending of a bristle at break-away; 1 for what is no bristle, or has no break-away."""
    if not hasattr(law, "stiffness"):
        return 1
    most = maximum(law.breakaway(1), law.breakaway(-1)) / law.stiffness
    return where(most > 0, most, 1)


def _matrix(point: _Point, y: list[Scalar], order: _Order, c: Scalar) -> Rows:
    """The matrix of a stage: c − ∂rates, and c M + ∂(M v̇ + bias − forces) for the velocities."""
    n, m, books = len(y), order.nq + order.nz, len(point.powers)
    loads = [directional(point.loads, {x: 1.0}) for x in y]
    rates = [directional([*point.positions, *point.others, *point.forces, *point.powers], {x: 1.0}) for x in y]
    A: Rows = [[(c if i == j else 0) - rates[j][i] for j in range(n)] for i in range(m)]
    A += [[(c * point.mass[i][j - m] if j >= m else 0) + loads[j][i] - rates[j][m + i] for j in range(n)] for i in range(order.nv)]
    A = [[*row, *[0] * books] for row in A]
    return A + [[*(-rates[j][n + i] for j in range(n)), *(c if i == k else 0 for k in range(books))] for i in range(books)]


def _eliminated(A: Rows) -> Rows:
    """Factors of a matrix, without pivots: what stands for c M or c on the diagonal dominates."""
    n = len(A)
    U = [list(row) for row in A]
    for k in range(n):
        inverse = 1 / U[k][k]
        for i in range(k + 1, n):
            if _zero(U[i][k]):
                continue
            factor_ = U[i][k] * inverse
            U[i][k] = factor_
            for j in range(k + 1, n):
                if not _zero(U[k][j]):
                    U[i][j] = U[i][j] - factor_ * U[k][j]
    return U


def _zero(x: Scalar) -> bool:
    return x.op == "const" and x.data == 0 if isinstance(x, Expr) else x == 0


def _solved(U: Rows, b: list[Scalar]) -> list[Scalar]:
    n, x = len(U), list(b)
    for k in range(n):
        for j in range(k):
            if not _zero(U[k][j]):
                x[k] = x[k] - U[k][j] * x[j]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            if not _zero(U[k][j]):
                x[k] = x[k] - U[k][j] * x[j]
        x[k] = x[k] / U[k][k]
    return x


def rosenbrock_step(order: _Order, y: list[Scalar], works: list[Scalar], t: Scalar, h: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """One step: states and works after it, and the estimated errors of the states."""
    n, m = len(y), order.nq + order.nz
    books = bool(works)
    start = order.point(y, t, books)
    soon, later = (order.point(y, t + k * h / 8, books) for k in (1, 2))
    rates = [[*p.positions, *p.others, *p.accelerations, *p.powers] for p in (start, soon, later)]
    tilt = [(4 * b - 3 * a - c) * 4 / h for a, b, c in zip(*rates, strict=True)]  # derivative by time, to the second order
    U = _eliminated(_matrix(start, y, order, 1 / (GAMMA * h)))
    found: list[list[Scalar]] = []
    rate = rates[0]
    for offset, turn, adds, couples in zip(OFFSETS, TILTS, STAGES, COUPLINGS, strict=True):
        if any(adds):
            moved = [x + sum((w * k[i] for w, k in zip(adds, found, strict=True) if w), start=0) for i, x in enumerate(y)]
            p = order.point(moved, t + offset * h, books)
            rate = [*p.positions, *p.others, *p.accelerations, *p.powers]
        right = [
            f + turn * h * s + sum((w * k[i] for w, k in zip(couples, found, strict=True)), start=0) / h
            for i, (f, s) in enumerate(zip(rate, tilt, strict=True))
        ]
        right[m:n] = [dot(row, right[m:n]) for row in start.mass]
        found.append(_solved(U, right))
    change = [sum((w * k[i] for w, k in zip(WEIGHTS, found, strict=True) if w), start=0) for i in range(n + len(works))]
    return [a + b for a, b in zip(y, change[:n], strict=True)], [a + b for a, b in zip(works, change[n:], strict=True)], found[-1][:n]


class Kept(NamedTuple):
    """What is carried from step to step.

    Attributes:
        state: of the network.
        works: of the sources [J].
        marks: of the friction sites.
        pace: time come since the last record and next step [s], steps taken, steps rejected.
    """

    state: list[Scalar]
    works: list[Scalar]
    marks: list[Scalar]
    pace: list[Scalar]


def rosenbrock_span(
    network: Network,
    kept: Kept,
    t: Scalar,
    span: Scalar,
    longest: Scalar,
    tolerance: Scalar,
    mark: Callable[..., list[Scalar]],
) -> Kept:
    """Some attempts at steps towards the end of a span of time; `mark` gives the marks after a step, from the states before and after, marks and time."""
    order = _Order(network)
    n, m, k = len(kept.state), len(kept.works), len(kept.marks)
    scales = order.scales()

    def attempt(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        y, works, marks, (come, wish, steps, rejected) = carry[:n], carry[n : n + m], carry[n + m : n + m + k], carry[n + m + k :]
        done = come >= span
        until = minimum(span, (floor(come / longest + 1e-9) + 1) * longest)  # no step crosses a multiple of the longest: knots may lie there
        left = until - come
        h = where(done, longest, minimum(wish, left))
        after, worked, errors = rosenbrock_step(order, y, works, t + come, h)
        after = order.sorted(network.settle(order.back(after)))
        worst: Scalar = 0
        for x, z, e, small in zip(y, after, errors, scales, strict=True):
            worst = maximum(worst, absolute(e) / (tolerance * (small + maximum(absolute(x), absolute(z)))))
        good = worst <= 1
        growth = clip(CAREFUL / _cube_root(maximum(worst, 1e-9)), SHRINKS, GROWS)
        growth = where(worst == worst, growth, SHRINKS)  # an error that is no number
        next_wish = minimum(longest, where(good & (wish > left), maximum(wish, h * growth), h * growth))
        next_wish = where(next_wish < 1e-12 * longest, 0 * next_wish / (0 * next_wish), next_wish)  # no step is short enough: give up
        keep = good & logical_not(done)
        came = where(h >= left, until, come + h)
        fresh = [*after, *worked, *mark(order.back(y), order.back(after), marks, t + come + h), came, next_wish, steps + 1, rejected]
        old = [*y, *works, *marks, come, where(done, wish, next_wish), steps, rejected + where(done, 0, 1)]
        return [where(keep, a, b) for a, b in zip(fresh, old, strict=True)]

    carry = loop(ATTEMPTS, attempt, [*order.sorted(kept.state), *kept.works, *kept.marks, *kept.pace])
    return Kept(order.back(carry[:n]), carry[n : n + m], carry[n + m : n + m + k], carry[n + m + k :])


def _cube_root(x: Scalar) -> Scalar:
    return x ** (1 / 3)
