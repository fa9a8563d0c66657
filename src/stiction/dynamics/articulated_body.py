"""Articulated bodies: equations with the mass matrix, without it, in time that grows linearly with the joints."""

from collections.abc import Sequence
from typing import Any

from stiction.dynamics.kinematics import Placements
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.newton_euler import Motion
from stiction.dynamics.sweep import Records, Sweep, Unit, ignored
from stiction.spatial import AT_REST, ArticulatedInertia, Twist, Vector, Wrench
from stiction.trace.functions import Scalar


class Articulated:
    """The mass matrix, factored along the tree.

    The motions of a joint with several velocities are eliminated one after the other, as if each had a joint of its
    own. Rotors must be uncoupled (a diagonal matrix).
    """

    def __init__(self, s: Sweep, placed: Placements) -> None:
        self.s, self.placed = s, placed
        self.U, self.inverse = s.per_velocity(Wrench), s.empty(s.m.nv)
        inertia = s.gathered(ArticulatedInertia)

        def visit(body: Body) -> None:
            left = ArticulatedInertia.of(body.inertia) + inertia.of(body)
            for motion, place in zip(body.motions, body.velocities, strict=True):
                U = left @ motion
                inverse = 1 / (motion.dot(U) + body.rotor)
                self.U[place], self.inverse[place] = U, inverse
                left = left.without(U, U * inverse)
            inertia.add(body, left.seen_from(placed.of(body)))

        s.inward(visit, inertia)

    def solve(self, torque: Sequence[Scalar], loads: Records | None = None) -> Any:
        """Accelerations under torques, less what it takes to carry loads on the bodies: M a = τ − Jᵀ loads."""
        s = self.s
        found = s.empty(s.m.nv)
        self.fill(found, s.vector(torque), loads)
        return found

    def fill(self, found: Any, torque: Any, loads: Records | None = None) -> None:
        """The same for vectors by index, into another one."""
        s = self.s
        rest, gathered, A = s.empty(s.m.nv), s.gathered(Wrench), s.passed(Twist, AT_REST)

        def inward(body: Body) -> None:
            load = gathered.of(body) if loads is None else loads[body.index] + gathered.of(body)
            for motion, place in zip(body.motions, body.velocities, strict=True):
                rest[place] = self.inverse[place] * (torque[place] - motion.dot(load))
                load = load + self.U[place] * rest[place]
            gathered.add(body, self.placed.of(body).wrench_out(load))

        def outward(body: Body) -> None:
            moving = self.placed.of(body).twist_in(A.above(body))
            for motion, place in reversed(list(zip(body.motions, body.velocities, strict=True))):
                found[place] = rest[place] - self.inverse[place] * moving.dot(self.U[place])
                moving = moving + motion * found[place]
            A.note(body, moving)

        s.inward(inward, gathered)
        s.outward(outward, A)


def inverse_mass_matrix(m: Mechanism, q: list[Scalar]) -> Any:
    """M⁻¹, (nv, nv), rotors included, column by column."""
    s = Sweep(m, q)
    placed, inverse = Placements(s, q), s.grid(m.nv, m.nv)
    s.outward(lambda body: ignored(placed.visit(body)))
    tree = Articulated(s, placed)
    s.each(m.nv, lambda j: tree.fill(inverse.row(j), Unit(j)))
    return inverse.value


def forward_dynamics(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    torque: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> Any:
    """Accelerations under joint torques and outer wrenches, by velocity."""
    s = Sweep(m, [*q, *v, *torque])
    motion = Motion(s, q, v, [0] * m.nv, gravity)
    loads = motion.loads(pushes)
    return Articulated(s, motion.placed).solve(torque, loads)
