"""Inverse dynamics by the recursive Newton–Euler algorithm (course, section 4), in body frames."""

from stiction.dynamics.kinematics import placements
from stiction.dynamics.mechanism import Mechanism
from stiction.spatial import AT_REST, Pose, Twist, Vector, Wrench
from stiction.trace.functions import Scalar


def inverse_dynamics(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    a: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> list[Scalar]:
    """Joint torques [N·m or N] that produce the accelerations a under outer wrenches on bodies, in their frames."""
    placed = placements(m, q)
    _, loads = body_loads(m, placed, v, a, gravity)
    for k, push in (pushes or {}).items():
        loads[k] = loads[k] - push
    return [x + y for x, y in zip(collect(m, placed, loads), m.rotor_torque(a), strict=True)]


def body_motions(
    m: Mechanism, placed: list[Pose], v: list[Scalar], a: list[Scalar], gravity: Vector
) -> tuple[list[Twist], list[Twist]]:
    """Twist and acceleration of each body in its own frame; gravity enters as an upward acceleration of the world."""
    V: list[Twist] = []
    A: list[Twist] = []
    for body, X in zip(m.bodies, placed, strict=True):
        V0, A0 = (V[body.parent], A[body.parent]) if body.parent >= 0 else (AT_REST, Twist(AT_REST.angular, -gravity))
        relative = body.twist(v)
        V.append(X.twist_in(V0) + relative)
        A.append(X.twist_in(A0) + body.twist(a) + V[-1].cross(relative))
    return V, A


def body_loads(
    m: Mechanism, placed: list[Pose], v: list[Scalar], a: list[Scalar], gravity: Vector
) -> tuple[list[Twist], list[Wrench]]:
    """Twist of each body and the wrench that its own motion takes: F = G V̇ − ad(V)ᵀ G V."""
    V, A = body_motions(m, placed, v, a, gravity)
    return V, [body.inertia @ A[k] + V[k].cross_wrench(body.inertia @ V[k]) for k, body in enumerate(m.bodies)]


def collect(m: Mechanism, placed: list[Pose], loads: list[Wrench]) -> list[Scalar]:
    """Joint torques that carry these wrenches, summed from the tips to the root."""
    total = list(loads)
    torque: list[Scalar] = [0] * m.nv
    for k in reversed(range(len(m.bodies))):
        body = m.bodies[k]
        for motion, place in zip(body.motions, body.velocities, strict=True):
            torque[place] = motion.dot(total[k])
        if body.parent >= 0:
            total[body.parent] = total[body.parent] + placed[k].wrench_out(total[k])
    return torque
