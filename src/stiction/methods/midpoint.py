"""The smooth part of a step with rows by one evaluation in its middle: order 2 where nothing switches.

    q_m = q + h/2 N(q) v                          positions in the middle, where M, rows and all forces are taken
    M δv = h (F + F_v δv̄ + F_y δȳ − bias) − Jᵀ p   velocities, with the impulses p of the rows
    δy   = h (r + R_v δv̄ + R_y δȳ)                  states of impedances: bristles, currents, and users' own
    q⁺  = q + h N(q_m) (v + v⁺)/2

F and r are linear in what changes over the step: their slopes are exact derivatives of the traced formulas, through all
wires. What counts is the mean over the step, δv̄ = θ δv and δȳ = θ δy, with the weight θ ≥ 1/2 of one damper (z = h slope/M)
or of one state that decays (z = −h R_yy): nothing that dies out can make the step unstable. Only the velocity terms of the bias are extrapolated, from the velocities of the last step; after a switch they start
anew.
"""

from collections.abc import Mapping, Sequence

from stiction.dynamics.composite_body import solve
from stiction.errors import TraceError
from stiction.methods.rigid_friction import RigidFriction
from stiction.methods.smooth_part import FlowPart, FoundRows, Solution
from stiction.network.layout import Block
from stiction.network.network import Network, States
from stiction.network.terms import Compliance, Matrix, Terms, added, compliance, dot
from stiction.parts.kinds import Digital, Row
from stiction.trace.derivative import directional
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, constant, maximum, sqrt
from stiction.trace.parameters import absent


def mean_weight(decay: Scalar, inertia: Scalar = 1) -> Scalar:
    """Which part of its change over a step a decay by e^−z, z = decay/inertia, has made in the mean: θ = 1/(1 − e^−z) −
    1/z, here as a fraction with the same beginning 1/2 + z/12 and the same end 1 − 1/z; 1/2 for what grows.
    """
    if absent(decay):
        return 0.5
    d = maximum(0, decay)
    return (12 * inertia * inertia + 5 * inertia * d + d * d) / (24 * inertia * inertia + 6 * inertia * d + d * d)


class MidpointPart(FlowPart):
    """What rows need to know of a network in the middle of a step, and how the rest is advanced with them."""

    needs_matrix = True

    def __init__(self, network: Network, block: Block, last: Sequence[Scalar], t: Scalar, h: Scalar) -> None:
        self.start = block.own
        middle = _in_the_middle(network, block.own, h)
        super().__init__(Terms(network, network.evaluate(middle, t + h / 2, h)), h)
        v = self.terms.velocities
        self.ahead = [x + d / 2 for x, d in zip(v, last, strict=True)]  # velocities in the middle, extrapolated
        self.last = last
        self.own_states = [
            name
            for name, part in network.parts.items()
            if name not in network.bodies and not isinstance(part, (Row, Digital)) and part.start()
        ]
        self._linearize(h)

    def speed(self, name: str) -> Scalar:
        """Velocity of a row in the middle of the step, extrapolated."""
        return dot(self.rows[name], self.ahead)

    # Slopes.

    def _linearize(self, h: Scalar) -> None:
        """Forces and rates, their slopes, and what is left of both when the own states are eliminated."""
        now, v = self.terms.now, self.terms.velocities
        y = [x for name in self.own_states for x in now.own[name]]
        rates = [x for name in self.own_states for x in now.rates[name]]
        self.pushes = {name: push for name, push in self.terms.pushes.items() if name not in self.rigid}
        for name, part in self.rigid.items():
            beside = part.beside(dot(self.rows[name], v))
            self.pushes[name] = [-r * beside for r in self.rows[name]]
        self.smooth = {name: push for name, push in self.pushes.items() if _differentiable(push, [*v, *y])}
        total: list[Scalar] = [0] * len(v)
        for push in self.smooth.values():
            total = added(total, push)
        by_v, by_y = ([directional([*total, *rates], {x: 1.0}) for x in states] for states in (v, y))
        n = len(v)
        decay = [mean_weight(-h * column[n + k]) for k, column in enumerate(by_y)]
        B = [[(1 if i == j else 0) - h * by_y[j][n + i] * decay[j] for j in range(len(y))] for i in range(len(y))]
        factors = eliminated(B)
        self.drift = solved(factors, [h * x for x in rates])
        self.response = [solved(factors, [h * x for x in column[n:]]) for column in by_v]  # of y to mean velocities
        self.by_y, self.decay = [column[:n] for column in by_y], decay
        S = [added(column[:n], self._through(self.response[k])) for k, column in enumerate(by_v)]  # columns
        self._split(S, h)

    def _through(self, change: Sequence[Scalar]) -> list[Scalar]:
        """Forces by a change of the own states over the step."""
        total: list[Scalar] = [0] * len(self.terms.velocities)
        for x, theta, column in zip(change, self.decay, self.by_y, strict=True):
            total = [f if absent(g) or absent(x) else f + g * theta * x for f, g in zip(total, column, strict=True)]
        return total

    def _split(self, S: Matrix, h: Scalar) -> None:
        """Symmetric and skew part of the slopes: the first is implicit, weighted so that it stays symmetric."""
        n, M = len(S), self.terms.mass_matrix
        C = [[-(S[i][j] + S[j][i]) / 2 if i != j else -S[i][i] for j in range(n)] for i in range(n)]
        self.skew = [[(S[j][i] - S[i][j]) / 2 if i != j else 0 for j in range(n)] for i in range(n)]
        self.weights = [mean_weight(h * C[k][k], M[k][k]) for k in range(n)]
        roots = [0 if all(absent(C[i][j]) for j in range(n) if j != i) else sqrt(self.weights[i]) for i in range(n)]
        self.damping: Matrix = [
            [
                0 if absent(C[i][j]) else self.weights[i] * C[i][i] if i == j else roots[i] * roots[j] * C[i][j]
                for j in range(n)
            ]
            for i in range(n)
        ]

    # A step.

    def free(
        self, rows: Mapping[str, list[Scalar]], known: Mapping[str, Scalar], give: Scalar, h: Scalar
    ) -> tuple[list[Scalar], Compliance]:
        """Velocities at the end of the step without these rows, and what impulses at them do."""
        v, n = self.terms.velocities, len(self.terms.velocities)
        forces = self._with_known(self._through(self.drift), known)
        for push in self.pushes.values():
            forces = added(forces, push)
        if any(not absent(x) for row in self.skew for x in row):
            forces = [f + dot(row, self.last) / 2 for f, row in zip(forces, self.skew, strict=True)]
        bias = self._bias()
        M = self.terms.mass_matrix
        stiff = [[M[i][j] + h * self.damping[i][j] for j in range(n)] for i in range(n)]
        coupled = compliance(stiff, rows, give)
        change = solve(coupled.factors, [h * (f - b) for f, b in zip(forces, bias, strict=True)])
        return added(v, change), coupled

    def _bias(self) -> list[Scalar]:
        """What the motion takes in the middle of the step, accelerations aside."""
        own, left = dict(self.terms.now.own), iter(self.ahead)
        for name, body in self.network.bodies.items():
            nq = body.positions()
            own[name] = [*own[name][:nq], *(next(left) for _ in own[name][nq:])]
        return Terms(self.network, self.terms.now._replace(own=own)).bias

    def advanced(self, block: Block, found: FoundRows, solution: Solution, h: Scalar) -> Block:
        """The state after the step: velocities with the impulses of the rows, positions with the mean of both ends."""
        after, v = solution.free, self.terms.velocities
        for name, p in solution.impulses.items():
            after = [x - r * p for x, r in zip(after, solution.responses[name], strict=True)]
        middle = [(a + b) / 2 for a, b in zip(v, after, strict=True)]
        change = [w * (b - a) for w, a, b in zip(self.weights, v, after, strict=True)]  # in the mean
        drift = list(self.drift)
        for x, column in zip(change, self.response, strict=True):
            drift = [a if absent(g) else a + g * x for a, g in zip(drift, column, strict=True)]
        own = self._moved(after, middle, drift, h)
        torques = {name: self._torque(name, part, found, v, change) for name, part in self.rigid.items()}
        for name, part in self.rigid.items():
            own[name] = self._ended(block.own, name, part, found, torques[name], (v, middle, after), h)
        works = self._worked(block, torques, change, drift, middle, h)
        return block._replace(own=self.network.settled(own), works=works)

    def _torque(self, name: str, part: Row, found: FoundRows, v: Sequence[Scalar], change: Sequence[Scalar]) -> Scalar:
        """What a row and its smooth part give in the mean."""
        return found.torque[name] + part.beside(dot(self.rows[name], added(v, change)))

    def _moved(
        self, after: list[Scalar], middle: list[Scalar], drift: Sequence[Scalar], h: Scalar
    ) -> dict[str, list[Scalar]]:
        """States of bodies and of impedances."""
        own, states, first, left = self.terms.now.own, {}, 0, iter(drift)
        for name, part in self.network.parts.items():
            if name in self.network.bodies:
                body = self.network.bodies[name]
                nq, size = body.positions(), len(own[name])
                span = slice(first, first := first + size - nq)
                rates = body.position_rates([*own[name][:nq], *middle[span]])
                q = self.start[name][:nq]
                states[name] = [*(x + h * rate for x, rate in zip(q, rates, strict=True)), *after[span]]
            elif name in self.own_states:
                states[name] = [x + next(left) for x in own[name]]
            else:
                states[name] = list(own[name])
        return states

    def _ended(
        self, held: States, name: str, part: Row, found: FoundRows, torque: Scalar, speeds: tuple, h: Scalar
    ) -> list[Scalar]:
        """States of a row after the step."""
        now, row = self.terms.now, self.rows[name]
        before, middle, after = (dot(row, x) for x in speeds)
        motion = self.network.inputs(name, now.signals)
        own = list(part.found(motion, now.own[name], found.slides[name], torque, (after - before) / h))
        if isinstance(part, RigidFriction):
            rest = list(held[name][2:])
            if part.referenced:
                rest[0] = rest[0] + h * middle
            own = [*own[:2], *rest]
        return own

    def _worked(
        self,
        block: Block,
        torques: Mapping[str, Scalar],
        change: Sequence[Scalar],
        drift: Sequence[Scalar],
        middle: Sequence[Scalar],
        h: Scalar,
    ) -> dict[str, Scalar]:
        """Works after the step: mean forces at mean velocities."""
        if not block.works:
            return {}
        now, v = self.terms.now, self.terms.velocities
        y = [x for name in self.own_states for x in now.own[name]]
        seeds = dict(zip([*v, *y], [*change, *(w * x for w, x in zip(self.decay, drift, strict=True))], strict=True))
        works = {}
        for name, work in block.works.items():
            push = self.pushes[name]
            if name in torques:
                push = [-x * torques[name] for x in self.rows[name]]
            elif name in self.smooth:
                push = added(push, directional(push, seeds))  # type: ignore[arg-type]
            works[name] = work + h * dot(push, middle)
        return works


def _in_the_middle(network: Network, own: States, h: Scalar) -> dict[str, list[Scalar]]:
    """The states with positions half a step on; they count as given, so that slopes are those of velocities."""
    made = {name: list(x) for name, x in own.items()}
    for name, body in network.bodies.items():
        nq = body.positions()
        rates = body.position_rates(own[name])
        q = [x + h / 2 * rate for x, rate in zip(own[name][:nq], rates, strict=True)]
        settled = list(body.settle([*q, *own[name][nq:]]))
        made[name] = [*map(constant, settled[:nq]), *own[name][nq:]]
    return made


def _differentiable(outputs: Sequence[Scalar], states: Sequence[Scalar]) -> bool:
    """Whether formulas have slopes: what searches in a loop has none, and is taken as it is."""
    try:
        directional(outputs, dict.fromkeys(states, 1.0))  # type: ignore[arg-type]
    except TraceError:
        return False
    return True
