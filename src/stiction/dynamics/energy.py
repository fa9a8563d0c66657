"""Energy, momentum and the centre of mass."""

from collections.abc import Callable, Sequence

from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.sweep import Sweep
from stiction.spatial import AT_REST, Pose, Twist, Vector, Wrench
from stiction.trace.functions import Scalar


def _summed(
    m: Mechanism, q: list[Scalar], v: list[Scalar] | None, count: int, term: Callable[[Body, Pose, Twist], Sequence]
) -> list[Scalar]:
    """Sums over the bodies of some numbers, from where each is in the world and its twist in its own frame."""
    s = Sweep(m, q)
    positions, velocities, total = s.vector(q), s.vector(v or [0] * m.nv), s.empty(count)
    poses, twists = s.passed(Pose, Pose()), s.passed(Twist, AT_REST)

    def visit(body: Body) -> None:
        X = body.pose(positions)
        pose, twist = poses.above(body) @ X, X.twist_in(twists.above(body)) + body.twist(velocities)
        poses.note(body, pose)
        twists.note(body, twist)
        for k, x in enumerate(term(body, pose, twist)):
            total[k] = total[k] + x

    s.outward(visit, poses, twists)
    return list(total)


def kinetic_energy(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> Scalar:
    """½ vᵀ M v [J], rotors included."""
    (double,) = _summed(m, q, v, 1, lambda body, _, t: [t.dot(body.inertia @ t)])
    return (double + sum((x * y for x, y in zip(v, m.rotor_torque(v), strict=True)), start=0)) / 2


def potential_energy(m: Mechanism, q: list[Scalar], gravity: Vector) -> Scalar:
    """Energy [J] in the field of gravity; zero when all mass is at the world's origin."""
    return -gravity.dot(_first_moment(m, q)[0])


def _first_moment(m: Mechanism, q: list[Scalar]) -> tuple[Vector, Scalar]:
    """Σ m·c in the world [kg m], and Σ m [kg]."""
    *first, mass = _summed(
        m,
        q,
        None,
        4,
        lambda body, pose, _: [
            *(pose.position * body.inertia.mass + pose.rotation @ body.inertia.moment),
            body.inertia.mass,
        ],
    )
    return Vector(*first), mass


def center_of_mass(m: Mechanism, q: list[Scalar]) -> Vector:
    """Centre of mass of all moving bodies [m], in the world."""
    first, mass = _first_moment(m, q)
    return first * (1 / mass)


def momentum(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> Wrench:
    """Angular momentum about the centre of mass [kg m²/s] and momentum [kg m/s], in the world's axes."""
    total = Wrench.of_numbers(_summed(m, q, v, 6, lambda body, pose, t: pose.wrench_out(body.inertia @ t).numbers))
    return Wrench(total.moment - center_of_mass(m, q).cross(total.force), total.force)
