"""Articulated bodies: equations with the mass matrix, without it, in time that grows linearly with the joints."""

from collections.abc import Sequence
from typing import Any

from stiction.dynamics.kinematics import Placements
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.newton_euler import Motion
from stiction.dynamics.records import Records, Unit
from stiction.dynamics.sweep import Sweep, ignored
from stiction.spatial import AT_REST, ArticulatedInertia, SpatialCompliance, Twist, Vector, Wrench
from stiction.trace.functions import Scalar


class Articulated:
    """The mass matrix, factored along the tree.

    The motions of a joint with several velocities are eliminated one after the other, as if each had a joint of its
    own. Rotors must be uncoupled (a diagonal matrix).

    Args:
        s: the way over the bodies.
        placed: where they are.
        added: to the diagonal of the matrix, by velocity.
        held: 1 for velocities that are given and not found, by velocity; else 0.
        give: by which part of what they would do if they were free, those give.
    """

    def __init__(self, s: Sweep, placed: Placements, added: Any = None, held: Any = None, give: float = 0) -> None:
        self.s, self.placed, self.holds = s, placed, held
        self.U, self.inverse, self.felt = s.per_velocity(Wrench), s.empty(s.m.nv), s.empty(s.m.nv)
        inertia = s.gathered(ArticulatedInertia)

        def visit(body: Body) -> None:
            left = ArticulatedInertia.of(body.inertia) + inertia.of(body)
            for motion, place in zip(body.motions, body.velocities, strict=True):
                U = left @ motion
                felt = motion.dot(U) + body.rotor + (0 if added is None else added[place])
                inverse = 1 / felt if held is None else (1 - (1 - give) * held[place]) / felt
                self.U[place], self.inverse[place], self.felt[place] = U, inverse, felt
                left = left.without(U, U * inverse)
            inertia.add(body, left.seen_from(placed.of(body)))

        s.inward(visit, inertia)

    def own_compliances(self) -> Any:
        """The diagonal of M⁻¹: how each velocity answers to a unit torque of its own, by velocity.

        Going outward, the answer Ω of a body to wrenches follows from that of its parent; a joint that is free adds to
        it (Rodriguez): with a = Ω U before the joint, D⁻¹ + D⁻² U·a is its own, and what goes on is
        Ω − D⁻¹ (S aᵀ + a Sᵀ) + own S Sᵀ.
        """
        s = self.s
        found, answers = s.empty(s.m.nv), s.passed(SpatialCompliance, SpatialCompliance.of_numbers([0] * 21))

        def visit(body: Body) -> None:
            answer = answers.above(body).carried(self.placed.of(body))
            for motion, place in reversed(list(zip(body.motions, body.velocities, strict=True))):
                U, inverse = self.U[place], self.inverse[place]
                a = answer @ U
                found[place] = inverse + inverse * inverse * a.dot(U)
                answer = answer.plus(motion, a, inverse, found[place])
            answers.note(body, answer)

        s.outward(visit, answers)
        return found

    def solve(self, torque: Sequence[Scalar], loads: Records | None = None) -> Any:
        """Accelerations under torques, less what it takes to carry loads on the bodies: M a = τ − Jᵀ loads."""
        s = self.s
        found = s.empty(s.m.nv)
        self.fill(found, s.vector(torque), loads)
        return found

    def fill(
        self, found: Any, torque: Any, loads: Records | None = None, given: Any = None, reaction: Any = None
    ) -> None:
        """The same for vectors by index, into another one.

        Args:
            found: accelerations.
            torque: torques, by velocity.
            loads: wrenches on the bodies.
            given: accelerations of what is held.
            reaction: torques that it takes to hold them, on top of the others; 0 elsewhere, but for rounding.
        """
        s = self.s
        rest, pressed = s.empty(s.m.nv), s.empty(s.m.nv)
        gathered, A = s.gathered(Wrench), s.passed(Twist, AT_REST)

        def inward(body: Body) -> None:
            load = gathered.of(body) if loads is None else loads[body.index] + gathered.of(body)
            for motion, place in zip(body.motions, body.velocities, strict=True):
                pressed[place] = motion.dot(load)
                x = self.inverse[place] * (torque[place] - pressed[place])
                rest[place] = x if given is None else x + self.holds[place] * given[place]
                load = load + self.U[place] * rest[place]
            gathered.add(body, self.placed.of(body).wrench_out(load))

        def outward(body: Body) -> None:
            moving = self.placed.of(body).twist_in(A.above(body))
            for motion, place in reversed(list(zip(body.motions, body.velocities, strict=True))):
                carried = moving.dot(self.U[place])
                a = rest[place] - self.inverse[place] * carried
                found[place] = a
                if reaction is not None:
                    reaction[place] = carried + self.felt[place] * a + pressed[place] - torque[place]
                moving = moving + motion * a
            A.note(body, moving)

        s.inward(inward, gathered)
        s.outward(outward, A)


def inverse_mass_matrix(m: Mechanism, q: list[Scalar]) -> Any:
    """M⁻¹, (nv, nv), rotors included, column by column."""
    s = Sweep(m, q, turned=True)
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
    s = Sweep(m, [*q, *v, *torque], turned=True)
    motion = Motion(s, q, v, [0] * m.nv, gravity)
    loads = motion.loads(pushes)
    return Articulated(s, motion.placed).solve(torque, loads)
