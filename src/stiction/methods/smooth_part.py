"""What rows see of the smooth part of a network at the beginning of a step, where that is an explicit flow."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from stiction.methods.contact_rows import ContactRows
from stiction.methods.masses import is_large
from stiction.network.kept import Kept, cut_positions, kept_rows
from stiction.network.network import Evaluation, Network, States, advanced_positions
from stiction.network.terms import Compliance, Terms, added, compliance, dot
from stiction.parts.contact import contact_name
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.kinds import Implicit, Row
from stiction.trace.functions import Scalar
from stiction.trace.parameters import absent


def foreseen_rows(network: Network, own: States, v: Sequence[Scalar], h: Scalar, firm: Sequence[Scalar]) -> Kept | None:
    """Rows of constraints after a step of length h with velocities v; None where there are none."""
    if not network.constraints:
        return None
    made = advanced_positions(network, network.with_velocities(own, v), h)
    return kept_rows(network, cut_positions(network, network.with_velocities(made, network.velocities(own))), firm)


class FoundRows(NamedTuple):
    """Rows of one step: torque and direction of sliding, the inertia each feels, what contradiction was left."""

    torque: dict[str, Scalar]
    slides: dict[str, Scalar]
    inertia: dict[str, Scalar]
    residual: Scalar  # N·m or N


class Solution(NamedTuple):
    """Velocities at the end of a step, and those that an impulse at each row makes; or the matrix by which they can be
    found, where that is hardly ever wanted.
    """

    after: list[Scalar]
    responses: dict[str, list[Scalar]]
    coupled: Compliance | None = None
    multipliers: Sequence[Scalar] = ()  # impulses of the rows of constraints


class FlowPart:
    """What rows need to know of a network at the beginning of a step, where the rest is an explicit flow."""

    needs_matrix = False
    large: bool | None = None  # whether rows are found without a matrix; by the size of the network, if None

    def __init__(self, terms: Terms, middle: Evaluation, end: Scalar, h: Scalar, firm: Sequence[Scalar] = ()) -> None:
        network, self.firm = terms.network, firm
        self.terms, self.network, self.end = terms, network, end
        if self.large is None:
            self.large = is_large(network)
        self.rigid = {
            name: part.under(network.inputs(name, middle.signals))
            for name, part in network.parts.items()
            if isinstance(part, Row)
        }
        self.rows = {name: terms.row(name) for name in self.rigid}
        self.kept = self._kept_rows(h)
        self.touching = contact_name(network)
        self.contacts: ContactRows | None = None  # as soon as the method knows how
        carried = [name for name, part in self.rigid.items() if part.carried]
        later = network.evaluate(terms.now.own, end, h) if carried else terms.now
        self.given, self.given_at_end = (
            {name: self._given(name, moment) if name in carried else 0 for name in self.rigid}
            for moment in (terms.now, later)
        )

    def _kept_rows(self, h: Scalar) -> Kept | None:
        """The constraints at the end of the step, as far as it can be foreseen: what stands still then breaks none."""
        return foreseen_rows(self.network, self.terms.now.own, self.terms.velocities, h, self.firm)

    def lead(self, h: Scalar) -> Scalar:
        """Time until the middle of the step, from where it is seen [s]."""
        return h / 2

    def weight(self, name: str) -> Scalar:
        """Part of a step over which a row moves with its velocity at the end."""
        return 1 / 2

    def impose(self, h: Scalar) -> None:
        """The velocities that rows are made to have at the end."""
        for name, part in self.rigid.items():
            if isinstance(part, ImposedMotion):
                wanted = part.velocity_at_end(self.coasted(name, h), self.weight(name), self.end, h)
                self.given_at_end[name] = wanted

    def _given(self, name: str, moment: Evaluation) -> Scalar:
        """The part of a row's velocity that no body gives."""
        (seen,) = self.network.inputs(name, moment.signals)["velocity"]
        return seen - dot(self.rows[name], self.terms.velocities)

    def speed_at_start(self, name: str) -> Scalar:
        """Velocity of a row at the beginning of the step."""
        return dot(self.rows[name], self.terms.velocities) + self.given[name]

    def speed(self, name: str) -> Scalar:
        """Velocity of a row by which its friction is taken: that at the beginning."""
        return self.speed_at_start(name)

    def coasted(self, name: str, h: Scalar) -> Scalar:
        """Where a row is when its velocity at the end of the step is found: half a step on."""
        (x,) = self.network.inputs(name, self.terms.now.signals)["position"]
        return x + h / 2 * self.rigid[name].sense * self.speed_at_start(name)

    def speed_at_end(self, name: str, velocities: Sequence[Scalar]) -> Scalar:
        """Velocity of a row at the end of the step, with these of the bodies."""
        return dot(self.rows[name], velocities) + self.given_at_end[name]

    def free(
        self, rows: Mapping[str, list[Scalar]], known: Mapping[str, Scalar], give: Scalar, h: Scalar
    ) -> tuple[list[Scalar], Compliance]:
        """Velocities after the step without these rows, and what impulses at them do."""
        coupled = compliance(self.terms.mass_matrix, rows, give, kept=self.kept)
        return coupled.within(added(self.terms.velocities, coupled.solve(self.impulses(known, h)))), coupled

    def impulses(self, known: Mapping[str, Scalar], h: Scalar) -> list[Scalar]:
        """What all but rows pushes in the step, less what the motion takes."""
        return [h * (f - b) for f, b in zip(self.forces(known), self.terms.bias, strict=True)]

    def even_solve(self, coupled: Compliance, h: Scalar) -> Callable[[list[Scalar]], list[Scalar]]:
        """Equations with a symmetric matrix of masses, as contacts need them."""
        return coupled.solve

    def forces(self, known: Mapping[str, Scalar]) -> list[Scalar]:
        """Forces along the velocities in this step, those of rows that are not known aside."""
        return self._with_known(self.terms.pushed(without=[*self.rigid, self.touching]), known)

    def in_motion(self) -> States:
        """The states by which the motion of bodies takes forces in this step."""
        return self.terms.now.own

    def added_inertia(self, h: Scalar) -> list[Scalar] | None:
        """What is added to the inertia of each velocity in this step; None for nothing."""
        return None

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
