"""The smooth part of a step with rows: what rows see of the network at its beginning, and how the rest is advanced.

`FlowPart` is a network whose other forces are an explicit flow; `EulerPart` advances it by one evaluation, with all
that is implicit linear in the velocities at the end of the step.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stiction.dynamics.composite_body import solve
from stiction.friction.law import Linear
from stiction.methods.rigid_friction import RigidFriction
from stiction.network.layout import Block
from stiction.network.network import Network, States
from stiction.network.terms import Compliance, Terms, added, compliance, damped, dot
from stiction.parts.kinds import Admittance, Implicit, Row
from stiction.trace.functions import Scalar
from stiction.trace.parameters import absent


class FoundRows(NamedTuple):
    """Rows of one step: torque and direction of sliding, the inertia each feels, what contradiction was left."""

    torque: dict[str, Scalar]
    slides: dict[str, Scalar]
    inertia: dict[str, Scalar]
    residual: Scalar  # N·m or N


class Solution(NamedTuple):
    """Velocities without the rows that were found together, what impulses at these do, and the impulses."""

    free: list[Scalar]
    responses: dict[str, list[Scalar]]
    impulses: dict[str, Scalar]


class FlowPart:
    """What rows need to know of a network at the beginning of a step, where the rest is an explicit flow."""

    needs_matrix = False

    def __init__(self, terms: Terms, h: Scalar) -> None:
        network = terms.network
        self.terms, self.network = terms, network
        self.rigid = {name: part for name, part in network.parts.items() if isinstance(part, Row)}
        self.rows = {name: terms.row(name) for name in self.rigid}

    def speed(self, name: str) -> Scalar:
        """Velocity of a row at the beginning of the step."""
        return dot(self.rows[name], self.terms.velocities)

    def free(
        self, rows: Mapping[str, list[Scalar]], known: Mapping[str, Scalar], give: Scalar, h: Scalar
    ) -> tuple[list[Scalar], Compliance]:
        """Velocities after the step without these rows, and what impulses at them do."""
        terms = self.terms
        forces = self._with_known(terms.pushed(without=self.rigid), known)
        coupled = compliance(terms.mass_matrix, rows, give)
        accelerations = solve(coupled.factors, [f - b for f, b in zip(forces, terms.bias, strict=True)])
        return [v + h * a for v, a in zip(terms.velocities, accelerations, strict=True)], coupled

    def _with_known(self, forces: list[Scalar], known: Mapping[str, Scalar]) -> list[Scalar]:
        for name, torque in known.items():
            forces = [f - r * torque for f, r in zip(forces, self.rows[name], strict=True)]
        return forces

    def rotor(self, name: str) -> Scalar:
        """Inertia of the rotor on a row's one joint, as the row feels it."""
        inertias = rotor_inertias(self.network)
        (k,) = [k for k, r in enumerate(self.rows[name]) if not absent(r)]
        return inertias[k] / (self.rows[name][k] * self.rows[name][k])

    def motor_torque(self, name: str) -> Scalar:
        """What motors push at a row's one joint: E e − D q̇ of gears (2)."""
        total: list[Scalar] = [0] * len(self.terms.velocities)
        for motor, push in self.terms.pushes.items():
            part = self.network.parts.get(motor)
            if isinstance(part, Implicit) and part.sense < 0:
                total = added(total, push)
        return _along(self.rows[name], total)

    def link_torque(self, name: str, torque: Scalar, speeds: list[Scalar], h: Scalar) -> Scalar:
        """What the link took in the step, gears (2), with the acceleration that there was."""
        change = [(b - a) / h for a, b in zip(self.terms.velocities, speeds, strict=True)]
        return self.motor_torque(name) - self.rotor(name) * dot(self.rows[name], change) - torque


class EulerPart(FlowPart):
    """The same where the rest takes one evaluation: what is implicit is linear in the velocities at the end."""

    needs_matrix = True

    def __init__(self, terms: Terms, t: Scalar, h: Scalar) -> None:
        super().__init__(terms, h)
        parts = implicit_parts(self.network)
        own = terms.now.own
        self.seen = {name: self.network.inputs(name, terms.now.signals) for name in parts}
        self.directions = {name: self.rows.get(name) or terms.row(name) for name in parts}
        self.linear: dict[str, Linear] = {
            name: part.at_end(self.seen[name], own[name], dot(self.directions[name], terms.velocities), h, t)
            for name, part in parts.items()
        }

    def free(
        self, rows: Mapping[str, list[Scalar]], known: Mapping[str, Scalar], give: Scalar, h: Scalar
    ) -> tuple[list[Scalar], Compliance]:
        """Velocities at the end of the step without these rows, and what impulses at them do."""
        terms, v = self.terms, self.terms.velocities
        forces: list[Scalar] = [0] * len(v)
        for name, push in terms.pushes.items():
            at_rest = self.linear[name].torque if name in self.linear else None
            forces = added(forces, push if at_rest is None else [-x * at_rest for x in self.directions[name]])
        forces = self._with_known(forces, known)
        M, bias = terms.mass_matrix, terms.bias
        momentum = [dot(M[i], v) + h * (forces[i] - bias[i]) for i in range(len(v))]
        slopes = [(row, self.linear[name].slope) for name, row in self.directions.items()]
        coupled = compliance(damped(M, slopes, h), rows, give)
        return solve(coupled.factors, momentum), coupled

    def advanced(self, block: Block, found: FoundRows, solution: Solution, h: Scalar) -> Block:
        """The state after the step: velocities with the impulses of the rows, then positions with them."""
        after = solution.free
        for name, p in solution.impulses.items():
            after = [x - r * p for x, r in zip(after, solution.responses[name], strict=True)]
        torques, own = self._ended(block.own, after, found, h)
        own |= {name: x for name, x in self._moved(after, h).items() if name not in own}
        works = self._worked(block, torques, after, h)
        return block._replace(own=self.network.settled(own), works=works)

    def _ended(
        self, held: States, after: list[Scalar], found: FoundRows, h: Scalar
    ) -> tuple[dict[str, Scalar], dict[str, list[Scalar]]]:
        """Torques and states of all that is implicit."""
        now, v = self.terms.now, self.terms.velocities
        torques, own = {}, {}
        for name, end in self.linear.items():
            s = dot(self.directions[name], after)
            torques[name] = end.torque + end.slope * s
            own[name] = [end.bend + end.bend_slope * s] if now.own[name] else []
        for name, part in self.rigid.items():
            row = self.rows[name]
            torques[name] = torques[name] + found.torque[name]
            acceleration = (dot(row, after) - dot(row, v)) / h
            slides = found.slides[name]
            own[name] = list(part.found(self.seen[name], now.own[name], slides, torques[name], acceleration))
            if isinstance(part, RigidFriction):
                rest = list(held[name][2:])
                if part.referenced:
                    rest[0] = rest[0] + h * dot(row, after)
                own[name] = [*own[name][:2], *rest]
        return torques, own

    def _moved(self, v: list[Scalar], h: Scalar) -> dict[str, list[Scalar]]:
        """States of bodies with their new velocities, and of all other parts by their rates."""
        now, states, first = self.terms.now, {}, 0
        for name, part in self.network.parts.items():
            own = now.own[name]
            if isinstance(part, Admittance):
                nq = part.positions()
                velocities = v[first : first + len(own) - nq]
                first += len(velocities)
                rates = part.position_rates([*own[:nq], *velocities])
                states[name] = [*(x + h * rate for x, rate in zip(own[:nq], rates, strict=True)), *velocities]
            else:
                states[name] = [x + h * rate for x, rate in zip(own, now.rates[name], strict=True)]
        return states

    def _worked(self, block: Block, torques: Mapping[str, Scalar], after: list[Scalar], h: Scalar) -> dict[str, Scalar]:
        """Works after the step: that of an impulse is taken at the mean of the velocities before and after."""
        middle = [(a + b) / 2 for a, b in zip(self.terms.velocities, after, strict=True)]
        works = {}
        for name, work in block.works.items():
            push = self.terms.pushes[name]
            if name in torques:
                push = [-x * torques[name] for x in self.directions[name]]
            works[name] = work + h * dot(push, middle)
        return works


def implicit_parts(network: Network) -> dict[str, Implicit]:
    """What can be found together with the velocities: friction on one velocity, and motors."""
    return {
        name: part for name, part in network.parts.items() if isinstance(part, Implicit) and part.outputs["torque"] == 1
    }


def _along(row: Sequence[Scalar], push: Sequence[Scalar]) -> Scalar:
    """A push on the one joint of a row, as a torque at the row."""
    return sum((p / r for r, p in zip(row, push, strict=True) if not absent(r)), start=0)


def rotor_inertias(network: Network) -> list[Scalar]:
    """Inertia of the rotor that turns with each velocity alone; 0 where there is none."""
    found: list[Scalar] = []
    for name, body in network.bodies.items():
        n = len(network.start[name]) - body.positions()
        found += body.rotor_inertias() or [0] * n
    return found
