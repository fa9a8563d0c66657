"""Forward dynamics by articulated bodies: time and code grow linearly with the number of joints."""

from stiction.dynamics.kinematics import placements
from stiction.dynamics.mechanism import Mechanism
from stiction.spatial import AT_REST, ArticulatedInertia, Twist, Vector, Wrench
from stiction.trace.functions import Scalar


def forward_dynamics(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    torque: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> list[Scalar]:
    """Accelerations under joint torques and outer wrenches. Rotors must be uncoupled (a diagonal matrix).

    The motions of a joint with several velocities are eliminated one after the other, as if each had a joint of its
    own.
    """
    placed = placements(m, q)
    V: list[Twist] = []
    drift: list[Twist] = []
    bias: list[Wrench] = []
    inertia: list[ArticulatedInertia] = []
    for k, (body, X) in enumerate(zip(m.bodies, placed, strict=True)):
        relative = body.twist(v)
        V.append((X.twist_in(V[body.parent]) if body.parent >= 0 else AT_REST) + relative)
        drift.append(V[k].cross(relative))
        push = (pushes or {}).get(k)
        load = V[k].cross_wrench(body.inertia @ V[k])
        bias.append(load - push if push else load)
        inertia.append(ArticulatedInertia.of(body.inertia))
    steps: list[list[tuple]] = [[] for _ in m.bodies]
    for k in reversed(range(len(m.bodies))):
        body = m.bodies[k]
        left, load = inertia[k], bias[k]
        for motion, place in zip(body.motions, body.velocities, strict=True):
            U = left @ motion
            rotor = m.rotors[place][place] if m.rotors else 0
            inverse = 1 / (motion.dot(U) + rotor)
            rest = torque[place] - motion.dot(load)
            steps[k].append((motion, place, U, inverse, rest))
            scaled = U * inverse
            left, load = left.without(U, scaled), load + scaled * rest
        if body.parent >= 0:
            load = load + left @ drift[k]
            inertia[body.parent] = inertia[body.parent] + left.seen_from(placed[k])
            bias[body.parent] = bias[body.parent] + placed[k].wrench_out(load)
    return _accelerations(m, placed, drift, steps, gravity)


def _accelerations(
    m: Mechanism, placed: list, drift: list[Twist], steps: list[list[tuple]], gravity: Vector
) -> list[Scalar]:
    found: list[Scalar] = [0] * m.nv
    A: list[Twist] = []
    for k, body in enumerate(m.bodies):
        A0 = A[body.parent] if body.parent >= 0 else Twist(AT_REST.angular, -gravity)
        moving = placed[k].twist_in(A0) + drift[k]
        for motion, place, U, inverse, rest in reversed(steps[k]):
            found[place] = inverse * (rest - moving.dot(U))
            moving = moving + motion * found[place]
        A.append(moving)
    return found
