"""Inverse dynamics by the recursive Newton–Euler algorithm (course, section 4), in body frames."""

from collections.abc import Callable
from typing import Any, NamedTuple

from stiction.dynamics.kinematics import Placements
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.records import Records
from stiction.dynamics.sweep import Sweep
from stiction.spatial import AT_REST, Twist, Vector, Wrench
from stiction.trace.functions import Scalar


def inverse_dynamics(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    a: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> Any:
    """Joint torques [N·m or N] that produce the accelerations a under outer wrenches on bodies, in their frames."""
    s = Sweep(m, [*q, *v, *a], turned=True)
    motion = Motion(s, q, v, a, gravity)
    torque = collect(s, motion.placed, motion.loads(pushes))
    return torque if m.rotors is None else [x + y for x, y in zip(torque, m.rotor_torque(a), strict=True)]


class Moving(NamedTuple):
    """A body at a moment, in its own frame: its twist and acceleration, and those that its parent's give it."""

    V: Twist
    A: Twist
    carried: Twist
    carried_on: Twist


class Motion:
    """Where bodies are in their parents' frames, and their twists and accelerations in their own; gravity enters as an
    upward acceleration of the world. Filled body by body on an outward way.
    """

    def __init__(self, s: Sweep, q: list[Scalar], v: list[Scalar], a: Any, gravity: Vector) -> None:
        self.s, self.v, self.a = s, s.vector(v), s.vector(a)
        self.placed = Placements(s, q)
        self.V = s.passed(Twist, AT_REST)
        self.A = s.passed(Twist, Twist(AT_REST.angular, -gravity))

    def visit(self, body: Body) -> Moving:
        """Find the motion of a body from that of its parent."""
        X, relative = self.placed.visit(body), body.twist(self.v)
        carried, carried_on = X.twist_in(self.V.above(body)), X.twist_in(self.A.above(body))
        V = carried + relative
        A = carried_on + body.twist(self.a) + V.cross(relative)
        self.V.note(body, V)
        self.A.note(body, A)
        return Moving(V, A, carried, carried_on)

    def loads(self, pushes: dict[int, Wrench] | None = None) -> Records:
        """Find all motions, and the wrench that the motion of each body takes, less what pushes it from outside."""
        loads = self.s.per_body(Wrench)

        def visit(body: Body) -> None:
            moving = self.visit(body)
            loads[body.index] = load(body, moving.V, moving.A)

        self.s.outward(visit, self.V, self.A)
        for k, push in (pushes or {}).items():
            loads[k] = loads[k] - self.s.seen(k, push)
        return loads


def load(body: Body, V: Twist, A: Twist) -> Wrench:
    """The wrench that the motion of a body takes: F = G V̇ − ad(V)ᵀ G V."""
    return body.inertia @ A + V.cross_wrench(body.inertia @ V)


def collect(s: Sweep, placed: Placements, loads: Records, seen: Callable[[Body, Wrench], None] | None = None) -> Any:
    """Joint torques that carry these wrenches, summed from the tips to the root; `seen` is shown what each joint
    carries.
    """
    torque, gathered = s.empty(s.m.nv), s.gathered(Wrench)

    def visit(body: Body) -> None:
        total = loads[body.index] + gathered.of(body)
        if seen:
            seen(body, total)
        for motion, place in zip(body.motions, body.velocities, strict=True):
            torque[place] = motion.dot(total)
        gathered.add(body, placed.of(body).wrench_out(total))

    s.inward(visit, gathered)
    return torque
