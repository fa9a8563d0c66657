"""The smooth part of a step with rows by one evaluation in its middle: order 2 where nothing switches.

    q_m = q + h/2 N(q) v                          positions in the middle, where M, rows and all forces are taken
    M δv = h (F + F_v δv̄ + F_y δȳ − bias) − Jᵀ p   velocities, with the impulses p of the rows
    δy   = h (r + R_v δv̄ + R_y δȳ)                  states of impedances: bristles, currents, and users' own
    q⁺  = q + h N(q_m) (v + δv̄)                    with the weights of a damper alone

F and r are linear in what changes over the step: their slopes are exact derivatives of the traced formulas, through all
wires. What counts is the mean over the step, δv̄ = θ δv and δȳ = θ δy, with the weight θ ≥ 1/2 of one damper (z = h
slope/M) or of one state that decays (z = −h R_yy): nothing that dies out can make the step unstable. The bias has
slopes, too, where they cost little (free bodies, robots of few joints); else its velocity terms are extrapolated from
the last step, as are slopes by which a velocity grows; after a switch they start anew.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from stiction.methods.constraints import firm_now
from stiction.methods.rigid_friction import RigidFriction
from stiction.methods.rigid_stop import RigidStop
from stiction.methods.smooth_part import FlowPart, FoundRows, Solution, foreseen_rows
from stiction.network.kept import Kept, kept_rows
from stiction.network.layout import Block
from stiction.network.network import Network, States
from stiction.network.slopes import Gradient, Slopes, along, plus
from stiction.network.terms import Compliance, Keeping, Matrix, Terms, added, compliance, dot
from stiction.parts.kinds import Row
from stiction.rows.site import slides
from stiction.trace.derivative import directional
from stiction.trace.elimination import eliminated, solved
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, constant, exp, maximum, minimum, where
from stiction.trace.grid import factor, reduced, solve
from stiction.trace.parameters import absent

NARROW = 1e-3  # decays in a step below which a series serves


class Weights(NamedTuple):
    """Of what decays by e^−z in a step: which part of its change it has made in the mean.

    Attributes:
        own: of a change that it makes by itself: θ = 1/(1 − e^−z) − 1/z, from 1/2 to 1.
        driven: of the change by what drives it and grows evenly, over 1/2: 1 + (1/θ − 2)/z, from 2/3 to 1, where z is
            the same in all steps and it is driven by velocities alone; else 1, which holds stiff springs.
    """

    own: Scalar
    driven: Scalar


def weights(decay: Scalar, inertia: Scalar = 1, alone: bool = True) -> Weights:
    """The weights for z = decay/inertia; those of z = 0 for what grows. Where z is the same in all steps θ is exact,
    else a fraction that begins and ends like it: 1/2 + z/12 and 1 − 1/z.
    """
    if absent(decay):
        return Weights(1 / 2, 1)
    if isinstance(decay, Expr) and not decay.level and not isinstance(inertia, Expr):
        z = where(decay > NARROW, decay / inertia, 1)
        slow, fast = maximum(0, decay) / inertia, decay > NARROW
        own = 1 / (1 - exp(-z)) - 1 / z
        driven = where(fast, 1 + (1 / own - 2) / z, 2 / 3 + slow / 18) if alone else 1
        return Weights(where(fast, own, 1 / 2 + slow / 12), driven)
    d, m = maximum(0, decay), inertia
    return Weights((12 * m * m + 5 * m * d + d * d) / (24 * m * m + 6 * m * d + d * d), 1)


class MidpointPart(FlowPart):
    """What rows need to know of a network in the middle of a step, and how the rest is advanced with them."""

    needs_matrix = True
    large = False  # a matrix is written here

    def __init__(self, network: Network, block: Block, last: Sequence[Scalar], t: Scalar, h: Scalar) -> None:
        self.start, self.middle, self.span = block.own, t + h / 2, h
        middle, stage = _in_the_middle(network, block.own, h), constant(h)
        v = network.velocities(middle)
        self.ahead = [x + d / 2 for x, d in zip(v, last, strict=True)]  # velocities in the middle, extrapolated
        now = Terms(network, network.evaluate(middle, t + h / 2, stage, h, cut=True))
        ahead = network.evaluate(network.with_velocities(middle, self.ahead), t + h / 2, stage, h)
        self.last = last
        super().__init__(now, ahead, t + h, stage, firm_now(block.method))
        found = [*self.rigid, self.touching]  # what is found, and not known beforehand
        self.pushes = {name: push for name, push in self.terms.pushes.items() if name not in found}
        if (
            network.constraints
        ):  # as they pushed in the last step; what is found is the change, along the rows at the end
            here = kept_rows(network, now.now.own, self.firm)
            self.pushes[""] = [-x for x in here.pushed(here.multipliers(now.now.own))]
        for name in self.rigid:
            beside = self._beside(name, dot(self.rows[name], v) + self.given[name])
            self.pushes[name] = [-r * beside for r in self.rows[name]]
        self._find_slopes(stage)
        self._linearize(h)
        self.impose(h)

    @property
    def aside(self) -> dict[str, Any]:
        """What counts as given while slopes are taken."""
        touching = {self.touching: self.network.parts[self.touching]} if self.touching else {}
        return {**self.rigid, **self.network.digital, **touching, **self.network.constraints}

    def _kept_rows(self, h: Scalar) -> Kept | None:
        """Those at the end of the step, as far as it can be foreseen: what stands still then breaks none of them."""
        return foreseen_rows(self.network, {**self.terms.now.own, **self._bodies_at_start()}, self.ahead, h, self.firm)

    def _bodies_at_start(self) -> States:
        return {name: self.start[name] for name in self.network.bodies}

    def lead(self, h: Scalar) -> Scalar:
        """It is seen from its middle."""
        return 0

    def speed(self, name: str) -> Scalar:
        """Velocity of a row in the middle of the step, extrapolated."""
        return dot(self.rows[name], self.ahead) + self.given[name]

    def weight(self, name: str) -> Scalar:
        """Part of a step over which a row moves with its velocity at the end: more than half, where a damper acts."""
        found = [w for w, r in zip(self.path_weights, self.rows[name], strict=True) if not absent(r)]
        return found[0] if len(found) == 1 else 1 / 2

    def coasted(self, name: str, h: Scalar) -> Scalar:
        """Where a row is when its velocity at the end of the step is found."""
        (x,) = self.network.inputs(name, self.terms.now.signals)["position"]
        rest = 1 / 2 - self.weight(name)
        return x if absent(rest) else x + rest * h * self.rigid[name].sense * self.speed_at_start(name)

    def _beside(self, name: str, s: Scalar) -> Scalar:
        """Torque of a row at velocity s beside what is found; of one that slides also how its strength grows from the
        middle of the step.
        """
        part = self.rigid[name]
        if not isinstance(part, RigidFriction) or not part.rising:
            return part.beside(s)
        middle = self.speed(name)
        slope = where(slides(self.terms.now.own[name][0]), part.slope(middle), 0)
        return part.beside(s) + constant(slope) * (s - constant(middle))

    # Slopes.

    def _find_slopes(self, stage: Scalar) -> None:
        """How forces and rates change with velocities and own states. What searches in a loop has no slopes: it is
        taken as it is, where it reckons with the step itself, as dry friction in space does, else refused.
        """
        self.slopes = Slopes(self.network, self.terms.now, (stage, self.middle, self.span), self.aside)
        rates = self.terms.now.rates
        linear = [name for name in self.network.parts if name not in self.slopes.without and name not in self.aside]
        self.own_states = [name for name in linear if rates.get(name)]
        self.keys = [(name, k) for name in self.own_states for k in range(len(rates[name]))]
        self.total: list[Gradient] = [{} for _ in self.terms.velocities]
        for name, rows in self.slopes.pushes.items():
            if name in self.pushes and name not in self.rigid:
                self.total = [plus(a, b) for a, b in zip(self.total, rows, strict=True)]
        for name in self.rigid:
            self._add_beside(name)

    def _add_beside(self, name: str) -> None:
        """Slopes of what a row has beside what is found."""
        row = [(k, r) for k, r in enumerate(self.rows[name]) if not absent(r)]
        s = constant(sum((r * self.terms.velocities[k] for k, r in row), start=0) + self.given[name])
        value = self._beside(name, s)
        slope = directional([value], {s: 1.0})[0] if isinstance(value, Expr) and isinstance(s, Expr) else 0
        for k, r in row:
            self.total[k] = plus(self.total[k], dict(row), -r * slope)

    def _linearize(self, h: Scalar) -> None:
        """Forces and rates, their slopes, and what is left of both when the own states are eliminated."""
        now, v, keys = self.terms.now, self.terms.velocities, self.keys
        y = [now.own[name][k] for name, k in keys]
        rates = [now.rates[name][k] for name, k in keys]
        everything = [*self.total, *(self.slopes.rates[name][k] for name, k in keys)]
        by_v = [[gradient.get(k, 0) for gradient in everything] for k in range(len(v))]
        by_y = [[gradient.get(key, 0) for gradient in everything] for key in keys]
        n = len(v)
        self.decays = []
        for k, column in enumerate(by_y):
            alone = all(absent(other[n + k]) for j, other in enumerate(by_y) if j != k)
            self.decays.append(weights(-h * column[n + k], alone=alone))
        own = [w.own for w in self.decays]
        B = [[(1 if i == j else 0) - h * by_y[j][n + i] * own[j] for j in range(len(y))] for i in range(len(y))]
        factors = eliminated(B)
        self.drift = solved(factors, [h * x for x in rates])
        by_speed = [[h * x for x in column[n:]] for column in by_v]
        ends = [[w * x for w, x in zip(own, column, strict=True)] for column in by_speed]
        self.ends = [solved(factors, column) for column in ends]  # how own states follow velocities, at the end
        self.means = [  # and in the mean
            [w.own * w.driven * x for w, x in zip(self.decays, solved(factors, column), strict=True)]
            for column in by_speed
        ]
        self.by_y = [column[:n] for column in by_y]
        direct = [column[:n] for column in by_v]
        self._weigh([added(x, self._through(y)) for x, y in zip(direct, self.means, strict=True)], h)
        dampers = [[-direct[j][i] for j in range(n)] for i in range(n)]
        self.path_weights = self._block_weights(dampers, h, only_alone=True)

    def _through(self, change: Sequence[Scalar]) -> list[Scalar]:
        """Forces by a change of the own states in the mean."""
        total: list[Scalar] = [0] * len(self.terms.velocities)
        for x, column in zip(change, self.by_y, strict=True):
            total = [f if absent(g) or absent(x) else f + g * x for f, g in zip(total, column, strict=True)]
        return total

    def _weigh(self, S: Matrix, h: Scalar) -> None:
        """What slopes of forces by velocities (columns) do in the mean. Velocities that they couple have one weight, so
        that a damper between two bodies does not act on their common motion. A slope by which a velocity alone grows
        is extrapolated: implicit it could outweigh the mass.
        """
        n = len(S)
        C = [[-S[j][i] for j in range(n)] for i in range(n)]
        self.pushing = [C[k][k] for k in range(n)]  # below 0: a force by which a velocity grows
        alone = [all(absent(C[k][j]) and absent(C[j][k]) for j in range(n) if j != k) for k in range(n)]
        self.growing = [minimum(0, C[k][k]) if alone[k] else 0 for k in range(n)]
        C = [[maximum(0, C[i][i]) if i == j and alone[i] else C[i][j] for j in range(n)] for i in range(n)]
        self.weights = self._block_weights(C, h)
        self.damping = [[0 if absent(x) else w * x for x, w in zip(row, self.weights, strict=True)] for row in C]
        self.symmetric = all(absent(C[i][j] - C[j][i]) for i in range(n) for j in range(i))

    def pushed_on(self, part: float, h: Scalar) -> Scalar:
        """1 where forces make a velocity grow by more than this part of itself in this step."""
        if all(map(absent, self.pushing)):
            return 0
        return reduced(
            lambda found, slope, M: where(-h * slope > part * M, 1, found),
            0,
            self.pushing,
            self.terms.mass_diagonal,
        )

    def _block_weights(self, C: Matrix, h: Scalar, only_alone: bool = False) -> list[Scalar]:
        """The weight of each velocity under dampers, one for all that they couple; or of those alone that none do."""
        M, found = self.terms.mass_diagonal, [1 / 2] * len(C)
        for block in _blocks(C):
            if only_alone and len(block) > 1:
                continue
            weight: Scalar = 0
            for k in block:
                weight = maximum(weight, weights(h * C[k][k], M[k]).own)
            for k in block:
                found[k] = weight
        return found

    # A step.

    def free(
        self, rows: Mapping[str, list[Scalar]], known: Mapping[str, Scalar], give: Scalar, h: Scalar
    ) -> tuple[list[Scalar], Compliance]:
        """Velocities at the end of the step without these rows, and what impulses at them do."""
        v, n = self.terms.velocities, len(self.terms.velocities)
        gyroscopic = self._bias()[1]
        M = self.terms.mass_matrix
        slopes = [added(a, [g / 2 for g in b]) for a, b in zip(self.damping, gyroscopic, strict=True)]
        stiff = [[M[i][j] + h * slopes[i][j] for j in range(n)] for i in range(n)]
        even = self.symmetric and all(absent(x) for row in gyroscopic for x in row)
        coupled = compliance(stiff, rows, give, even, self.kept)
        return coupled.within(added(v, coupled.solve(self.impulses(known, h)))), coupled

    def impulses(self, known: Mapping[str, Scalar], h: Scalar) -> list[Scalar]:
        """What all but rows pushes in the step, less what the motion takes, slopes aside."""
        return [h * (f - b) for f, b in zip(self.forces(known), self._bias()[0], strict=True)]

    def even_solve(self, coupled: Compliance, h: Scalar) -> Callable[[list[Scalar]], list[Scalar]]:
        """Equations with a symmetric matrix of masses: without gyroscopic slopes, which turn an impulse by what a body
        turns in half a step, and with dampers that act both ways alike.
        """
        if coupled.symmetric:
            return coupled.solve
        M, n = self.terms.mass_matrix, range(len(self.terms.velocities))
        even = [[M[i][j] + h * (self.damping[i][j] + self.damping[j][i]) / 2 for j in n] for i in n]
        plain: Callable = partial(solve, factor(even))
        return Keeping(self.kept, plain).solve if self.kept else plain

    def forces(self, known: Mapping[str, Scalar]) -> list[Scalar]:
        """Forces in the middle of the step, without what changes of velocities do; those of some rows are known."""
        own = [w.own * x for w, x in zip(self.decays, self.drift, strict=True)]
        forces = self._with_known(self._through(own), known)
        for push in self.pushes.values():
            forces = added(forces, push)
        return [f if absent(g) else f - g * d / 2 for f, g, d in zip(forces, self.growing, self.last, strict=True)]

    def _bias(self) -> tuple[list[Scalar], Matrix]:
        """What the motion takes, accelerations aside, and its slopes by the velocities: of light bodies at the
        beginning, of others in the middle of the step, extrapolated and without slopes.
        """
        network, own, n = self.network, dict(self.terms.now.own), len(self.ahead)
        slopes: Matrix = [[0] * n for _ in range(n)]
        spans, first = {}, 0
        for name, body in network.bodies.items():
            nq = body.positions()
            spans[name] = slice(first, first := first + len(own[name]) - nq)
            if not body.light:
                own[name] = [*own[name][:nq], *self.ahead[spans[name]]]
        bias = Terms(network, self.terms.now._replace(own=own)).bias
        for name, span in spans.items():
            if network.bodies[name].light:
                for k in range(span.start, span.stop):
                    for i, slope in enumerate(directional(bias[span], {self.terms.velocities[k]: 1.0}), span.start):
                        slopes[i][k] = slope
        return bias, slopes

    def advanced(self, block: Block, found: FoundRows, solution: Solution, h: Scalar) -> Block:
        """The state after the step: velocities with the impulses of the rows, positions with their mean."""
        after, v = solution.after, self.terms.velocities
        middle = [(a + b) / 2 for a, b in zip(v, after, strict=True)]
        change = [w * (b - a) for w, a, b in zip(self.weights, v, after, strict=True)]  # in the mean
        ends = self._own_ends([b - a for a, b in zip(v, after, strict=True)])
        mean = [a + w * (b - a) for w, a, b in zip(self.path_weights, v, after, strict=True)]
        own = self._moved(after, mean, ends, h)
        torques = {name: self._torque(name, found, v, change) for name in self.rigid}
        for name, part in self.rigid.items():
            own[name] = self._ended(block.own, name, part, found, torques[name], (v, middle, after), h)
        own |= self._multipliers(solution, h)
        works = self._worked(block, torques, change, middle, h)
        return block._replace(own=self.network.settled(own, self.end, h), works=works)

    def _multipliers(self, solution: Solution, h: Scalar) -> dict[str, list[Scalar]]:
        """The multipliers in this step: those of the last, which pushed in its middle, and what was found."""
        if self.kept is None:
            return {}
        before = self.kept.multipliers(self.terms.now.own)
        total = [x + change / h for x, change in zip(before, solution.multipliers, strict=True)]
        found = self.kept.spread(total)
        sizes = {name: len(part.multipliers) for name, part in self.network.constraints.items()}
        return {name: [found.get((name, k), 0) for k in range(n)] for name, n in sizes.items()}

    def _own_ends(self, change: Sequence[Scalar]) -> list[Scalar]:
        """Changes of the own states over the step, where the velocities change so."""
        return added(self.drift, followed(self.ends, change))

    def _torque(self, name: str, found: FoundRows, v: Sequence[Scalar], change: Sequence[Scalar]) -> Scalar:
        """What a row and its smooth part give in the mean."""
        return found.torque[name] + self._beside(name, dot(self.rows[name], added(v, change)) + self.given[name])

    def _moved(
        self, after: list[Scalar], mean: list[Scalar], drift: Sequence[Scalar], h: Scalar
    ) -> dict[str, list[Scalar]]:
        """States of bodies, with their mean velocities, and of impedances."""
        own, states, first, left = self.terms.now.own, {}, 0, iter(drift)
        for name in self.network.parts:
            if name in self.network.bodies:
                body = self.network.bodies[name]
                nq, size = body.positions(), len(own[name])
                span = slice(first, first := first + size - nq)
                rates = body.position_rates([*own[name][:nq], *mean[span]])
                q = self.start[name][:nq]
                states[name] = [*(x + h * rate for x, rate in zip(q, rates, strict=True)), *after[span]]
            elif name in self.own_states:
                states[name] = [x + next(left) for x in own[name]]
            elif name in self.network.digital:
                states[name] = list(self.start[name])
            else:
                rates = self.terms.now.rates[name]
                states[name] = [x + h * rate for x, rate in zip(own[name], rates, strict=True)]
        return states

    def _ended(
        self, held: States, name: str, part: Row, found: FoundRows, torque: Scalar, speeds: tuple, h: Scalar
    ) -> list[Scalar]:
        """States of a row after the step."""
        now, row = self.terms.now, self.rows[name]
        before, middle, after = (dot(row, x) for x in speeds)
        motion = self.network.inputs(name, now.signals)
        faster, felt = (after - before) / h, found.inertia.get(name, 0)
        own = list(part.found(motion, now.own[name], found.slides[name], torque, faster, felt))
        if isinstance(part, (RigidFriction, RigidStop)):
            rest = list(held[name][2:])
            if isinstance(part, RigidFriction) and part.referenced:
                rest[0] = rest[0] + h * (middle + self.given[name])
            own = [*own[:2], *rest]
        return own

    def _worked(
        self,
        block: Block,
        torques: Mapping[str, Scalar],
        change: Sequence[Scalar],
        middle: Sequence[Scalar],
        h: Scalar,
    ) -> dict[str, Scalar]:
        """Works after the step: mean forces at mean velocities."""
        if not block.works:
            return {}
        works, pushes = {}, self._pushes_in_the_mean(change)
        for name, work in block.works.items():
            if self.contacts and name == self.touching:
                works[name] = work + self.contacts.work(middle)
                continue
            push = [-x * torques[name] for x in self.rows[name]] if name in torques else pushes[name]
            works[name] = work + h * dot(push, middle)
        return works

    def _pushes_in_the_mean(self, change: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        """What each source pushes in the mean, where the velocities change so."""
        own = [w.own * x for w, x in zip(self.decays, self.drift, strict=True)]
        means = added(own, followed(self.means, change))
        return self._moved_pushes(change, dict(zip(self.keys, means, strict=True)))

    def _moved_pushes(self, change: Sequence[Scalar], means: Mapping[Any, Scalar]) -> dict[str, list[Scalar]]:
        """The pushes of all sources after changes of velocities and own states."""
        moved = {**dict(enumerate(change)), **means}
        found = dict(self.pushes)
        for name, rows in self.slopes.pushes.items():
            if name in self.pushes and name not in self.rigid:
                found[name] = [x + along(row, moved) for x, row in zip(self.pushes[name], rows, strict=True)]
        return found


def _blocks(C: Matrix) -> list[list[int]]:
    """Which rows and columns hang together, by entries that are not structurally 0; those of 0 alone are left out."""
    left, found = [k for k in range(len(C)) if any(not absent(x) for x in (*C[k], *(row[k] for row in C)))], []
    while left:
        block, border = [], [left[0]]
        while border:
            k = border.pop()
            if k in left:
                left.remove(k)
                block.append(k)
                border += [j for j in left if not (absent(C[k][j]) and absent(C[j][k]))]
        found.append(block)
    return found


def followed(columns: Matrix, change: Sequence[Scalar]) -> list[Scalar]:
    """What own states do because of a change of the velocities."""
    total: list[Scalar] = [0] * (len(columns[0]) if columns else 0)
    for x, column in zip(change, columns, strict=True):
        total = [a if absent(g) else a + g * x for a, g in zip(total, column, strict=True)]
    return total


def _in_the_middle(network: Network, own: States, h: Scalar) -> dict[str, list[Scalar]]:
    """The states with positions half a step on. These count as given, so that slopes are those of velocities, and so
    does what controllers decided at the beginning of the step.
    """
    made = {name: [constant(x) for x in own[name]] if name in network.digital else list(own[name]) for name in own}
    for name, body in network.bodies.items():
        nq = body.positions()
        rates = body.position_rates(own[name])
        q = [x + h / 2 * rate for x, rate in zip(own[name][:nq], rates, strict=True)]
        settled = list(body.settle([*q, *own[name][nq:]]))
        made[name] = [*map(constant, settled[:nq]), *own[name][nq:]]
    return made
