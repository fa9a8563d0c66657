"""A stiff method with its own steps: Rodas3 (Sandu and others 1997), order 3, L-stable, for bristles of any stiffness.

The equations stay in the form M v̇ + bias = pushes: its derivatives by positions, velocities and bristles (the terms K
and C) are exact. Positions and bristles are eliminated first; what remains to be solved is n × n, with n velocities.
Steps are chosen so that the estimated error stays below the tolerance; each run of a batch chooses its own, in
straight-line code, so it runs in lanes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stiction.drive.motor import DCMotor
from stiction.fields import number
from stiction.friction.curve import Curve
from stiction.friction.dry import Dry, Stribeck
from stiction.friction.law import Law
from stiction.methods.bristles import chosen_bristles, with_bristles
from stiction.methods.constraints import refuse_constraints
from stiction.methods.explicit import refuse_pushing, refuse_rows
from stiction.methods.method import Choice, Mark, Method, powers
from stiction.methods.stop_springs import chosen_springs, with_stop_springs
from stiction.network.layout import Block, flat_states, states_of
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.network.terms import Matrix, Terms, dot, linearized
from stiction.network.wires import NetworkError
from stiction.parts.contact import contact_name
from stiction.parts.friction import Friction, RubbingPart
from stiction.parts.ground import Ground
from stiction.parts.penalty_joint import PenaltyJoint
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, absolute, clip, floor, logical_not, loop, maximum, minimum, where
from stiction.trace.grid import factor, solve
from stiction.trace.parameters import Key
from stiction.trace.precision import tolerance

GAMMA = 1 / 2
OFFSETS = (0, 0, 1, 1)  # of the stages in time, parts of the step
TILTS = (1 / 2, 3 / 2, 0, 0)  # weights of the derivative by time
STAGES = ((), (0,), (2, 0), (2, 0, 1))  # what is added to the state: multiples of the stages before
COUPLINGS = ((), (4,), (1, -1), (1, -1, -8 / 3))  # what is added to the rates: multiples over the step
WEIGHTS = (2, 0, 1, 1)
SLIVER = 1e-9  # part of the longest step that is none
ATTEMPTS = 16  # per call of the program
GROWS, SHRINKS, CAREFUL = 5, 1 / 5, 0.9


@dataclass(frozen=True, kw_only=True)
class Rosenbrock(Method):
    """Rodas3 with its own steps, for bristles and springs of any stiffness; the step that is given is the longest.
    Order 3.

    Attributes:
        tolerance: largest estimated error of a step, relative to each state + 1 rad, m, rad/s or m/s, of a bristle
            relative to its bending at break-away.

    Example:
        >>> import stiction
        >>> law = stiction.LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=1e5, damping=300.0)
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": law}, q=[0.5])
        >>> run = stiction.simulate(scene, duration=1.0, step=0.01, method=stiction.Rosenbrock(tolerance=1e-8))
        >>> bool(run["steps"][-1] > 100)
        True
    """

    name = "rosenbrock"
    own_steps = True
    instead = "use method 'rk4' with a smaller step, or 'gears_semi_implicit'"

    tolerance: float = number(1e-6, least=1e-13, below=1)

    def prepare(self, network: Network, step: float) -> Network:
        """Dry friction with bristles; refuses what it cannot differentiate."""
        network.must_be_mechanical(f"method '{self.name}'", "use method 'rk4'")
        refuse_rows(network, self)
        refuse_constraints(network, self.name)
        if contact_name(network):
            raise NetworkError(f"contacts come and go, which '{self.name}' cannot follow; use method 'moreau' or 'rk4'")
        for name, part in network.parts.items():
            if isinstance(part, DCMotor) and part.inductance and isinstance(part.torque_limit, tuple):
                raise NetworkError(
                    f"{name}: its torque_limit falls with the speed, and its current is a state, which would chatter "
                    f"at it under '{self.name}'; take a number as the limit, or method 'moreau'"
                )
        made = with_stop_springs(with_bristles(network))
        for name, part in made.parts.items():
            law = part.law if isinstance(part, (Friction, PenaltyJoint)) else None
            if isinstance(law, (Stribeck, Curve)):
                raise NetworkError(
                    f"{name}: {type(law).__name__} finds its speed of sliding step by step, and "
                    f"'{self.name}' needs a formula; "
                    "take LuGre or ElastoPlastic with the same numbers, or method 'moreau'"
                )
            bristle: Any = law if isinstance(law, Dry) else part if isinstance(part, Ground) else None
            if bristle is not None and not bristle.damping:
                raise NetworkError(
                    f"{name}: its bristle has no damping, and '{self.name}' needs some: without it the force jumps; "
                    "give a damping above 0"
                )
        return made

    def slots(self, network: Network, step: float) -> Mapping[str, tuple[float, str]]:
        """Time come since the span began and next step [s], steps taken, steps rejected."""
        return {"come": (0.0, "s"), "next": (step / 100, "s"), "steps": (0.0, "1"), "rejected": (0.0, "1")}

    def signals(self, network: Network) -> Mapping[str, str]:
        """How many steps there were."""
        return {"steps": "steps", "rejected": "rejected"}

    def choose(self, network: Network, start: StartTerms, step: float, given: Mapping[Key, Any]) -> Choice:
        """The bristles and the springs of end stops that nobody gave."""
        bristles = chosen_bristles(network, start, None, step, given)
        return Choice(bristles | chosen_springs(network, start, step, given), {})

    def check(self, network: Network, start: StartTerms, step: float) -> None:
        """Refuse friction that pushes."""
        refuse_pushing(network, start)

    def arrived(self, kept: Mapping[str, np.ndarray], span: float) -> np.ndarray:
        """Which runs have come to the end of a span."""
        return kept["come"] >= span

    def restarted(self) -> Mapping[str, float]:
        """Time is counted from the beginning of a span."""
        return {"come": 0.0}

    def span(self, network: Network, block: Block, t: Scalar, span: Scalar, h: Scalar, mark: Mark) -> Block:
        """Some attempts at steps towards the end of a span of time."""
        order = _Order(network, block)
        names = list(block.works)
        sites = list(block.marks)
        n, m = len(order.places), len(names)
        scales = order.scales()

        def packed(y: list, works: Sequence, marks: Mapping, pace: Sequence) -> list:
            return [*y, *works, *(x for site in sites for x in marks[site]), *pace]

        def unpacked(carry: list) -> tuple[list, list, dict, list]:
            left = iter(carry[n + m : -4])
            marks = {site: [next(left) for _ in block.marks[site]] for site in sites}
            return carry[:n], carry[n : n + m], marks, carry[-4:]

        def whole(y: list, works: Sequence, marks: Mapping) -> Block:
            return block._replace(own=order.states(y), works=dict(zip(names, works, strict=True)), marks=marks)

        def attempt(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            y, works, marks, (come, wish, steps, rejected) = unpacked(carry)
            done = come >= span
            # no step crosses a multiple of the longest: knots of tables may lie there
            until = minimum(span, (floor(come / h + tolerance(1e-9)) + 1) * h)
            for jump in network.breaks:  # nor one at which something jumps
                ahead = jump - (t + come)
                until = where((ahead > tolerance(SLIVER) * h) & (come + ahead < until), come + ahead, until)
            left = until - come
            taken = where(done, h, minimum(wish, left))
            after, worked, errors = rosenbrock_step(order, whole(y, works, marks), y, t + come, taken)
            after = order.sorted(network.settled(order.states(after), t + come + taken, 0))
            worst: Scalar = 0
            for x, z, e, small in zip(y, after, errors, scales, strict=True):
                worst = maximum(worst, absolute(e) / (self.tolerance * (small + maximum(absolute(x), absolute(z)))))
            good = worst <= 1
            growth = clip(CAREFUL / _cube_root(maximum(worst, 1e-9)), SHRINKS, GROWS)
            growth = where(worst == worst, growth, SHRINKS)  # an error that is no number
            longer = where(good & (wish > left), maximum(wish, taken * growth), taken * growth)
            following = minimum(h, longer)
            following = where(
                following < tolerance(1e-12) * h, 0 * following / (0 * following), following
            )  # no step is short enough
            keep = good & logical_not(done)
            came = where(taken >= left, until, come + taken)
            marked = mark(whole(y, works, marks), whole(after, worked, marks), t + come + taken, 0)
            fresh = packed(after, worked, marked.marks, [came, following, steps + 1, rejected])
            old = packed(y, works, marks, [come, where(done, wish, following), steps, rejected + where(done, 0, 1)])
            return [where(keep, a, b) for a, b in zip(fresh, old, strict=True)]

        pace = [block.method[name] for name in ("come", "next", "steps", "rejected")]
        carry = loop(ATTEMPTS, attempt, packed(order.sorted(block.own), list(block.works.values()), block.marks, pace))
        y, works, marks, pace = unpacked(carry)
        method = dict(zip(("come", "next", "steps", "rejected"), pace, strict=True))
        return whole(y, works, marks)._replace(method=method)


class _Point(NamedTuple):
    """The equations at one state: rates of positions, bristles and velocities, powers of the sources, and the terms."""

    rates: list[Scalar]
    accelerations: list[Scalar]
    powers: list[Scalar]
    terms: Terms

    @property
    def all(self) -> list[Scalar]:
        return [*self.rates, *self.accelerations, *self.powers]


class _Order:
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

    def point(self, block: Block, ordered: Sequence[Scalar], t: Scalar) -> _Point:
        """The equations at a state."""
        network = self.network
        now = network.evaluate(self.states(ordered), t, 0)
        terms = Terms(network, now)
        rest = [f - b for f, b in zip(terms.pushed(), terms.bias, strict=True)]
        accelerations = solve(factor(terms.mass_matrix), rest)
        positions = [x for name, body in network.bodies.items() for x in body.position_rates(now.own[name])]
        own = [name for name in network.parts if name in now.rates and name not in network.digital]
        others = [x for name in own for x in now.rates[name]]
        return _Point([*positions, *others], accelerations, powers(block, terms.pushes, terms.velocities), terms)

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


def _stage_matrix(point: _Point, y: list[Any], order: _Order, c: Scalar) -> Matrix:
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


def rosenbrock_step(
    order: _Order, block: Block, y: list[Scalar], t: Scalar, h: Scalar
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """One step: ordered states and works after it, and the estimated errors of the states."""
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
    return after, [a + b for a, b in zip(works, change[n:], strict=True)], found[-1][:n]


def _cube_root(x: Scalar) -> Scalar:
    return x ** (1 / 3)
