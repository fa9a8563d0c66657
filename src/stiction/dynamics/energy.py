"""Energy, momentum and the centre of mass."""

from stiction.dynamics.kinematics import placements, twists, world_poses
from stiction.dynamics.mechanism import Mechanism
from stiction.spatial import NO_WRENCH, ZERO, Vector, Wrench
from stiction.trace.functions import Scalar


def kinetic_energy(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> Scalar:
    """½ vᵀ M v [J], rotors included."""
    moving = twists(m, placements(m, q), v)
    double = sum((t.dot(body.inertia @ t) for t, body in zip(moving, m.bodies, strict=True)), start=0)
    double = double + sum((x * y for x, y in zip(v, m.rotor_torque(v), strict=True)), start=0)
    return double / 2


def potential_energy(m: Mechanism, q: list[Scalar], gravity: Vector) -> Scalar:
    """Energy [J] in the field of gravity; zero when all mass is at the world's origin."""
    total = 0
    for body, pose in zip(m.bodies, world_poses(m, placements(m, q)), strict=True):
        total = total - gravity.dot(pose.position * body.inertia.mass + pose.rotation @ body.inertia.moment)
    return total


def center_of_mass(m: Mechanism, q: list[Scalar]) -> Vector:
    """Centre of mass of all moving bodies [m], in the world."""
    first, mass = ZERO, 0
    for body, pose in zip(m.bodies, world_poses(m, placements(m, q)), strict=True):
        first = first + pose.position * body.inertia.mass + pose.rotation @ body.inertia.moment
        mass = mass + body.inertia.mass
    return first * (1 / mass)


def momentum(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> Wrench:
    """Angular momentum about the centre of mass [kg m²/s] and momentum [kg m/s], in the world's axes."""
    placed = placements(m, q)
    total = NO_WRENCH
    for body, pose, t in zip(m.bodies, world_poses(m, placed), twists(m, placed, v), strict=True):
        total = total + pose.wrench_out(body.inertia @ t)
    return Wrench(total.moment - center_of_mass(m, q).cross(total.force), total.force)
