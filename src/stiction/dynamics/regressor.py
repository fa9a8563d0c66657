"""Inverse dynamics is linear in the inertial parameters: τ = Y(q, v, a) π."""

from collections.abc import Sequence

from stiction.dynamics.kinematics import placements
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import body_motions, collect
from stiction.spatial import NO_WRENCH, Inertia, Matrix, Vector
from stiction.trace.functions import Scalar

PARAMETERS = ("mass", "mx", "my", "mz", "xx", "xy", "xz", "yy", "yz", "zz")
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def parameters(body: Inertia) -> list[Scalar]:
    """Mass, first moment and inertia about the frame's origin, in the order of `PARAMETERS`."""
    I = body.rotational.rows
    return [body.mass, *body.moment, *(I[i][j] for i, j in _PLACES)]


def _unit(k: int) -> Inertia:
    entries = [[int(k >= 4 and tuple(sorted((i, j))) == _PLACES[k - 4]) for j in range(3)] for i in range(3)]
    return Inertia(int(k == 0), Vector(*(int(k == j) for j in (1, 2, 3))), Matrix(entries))


UNITS = tuple(_unit(k) for k in range(len(PARAMETERS)))


def torque_of_parameters(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    a: list[Scalar],
    gravity: Vector,
    rotor_pairs: Sequence[tuple[int, int]],
    pi: list[Scalar],
) -> list[Scalar]:
    """Inverse dynamics of bodies with these parameters: Y π, without writing Y."""
    placed = placements(m, q)
    V, A = body_motions(m, placed, v, a, gravity)
    loads = [NO_WRENCH] * len(m.bodies)
    for place, k in enumerate(m.links):
        mass, x, y, z, xx, xy, xz, yy, yz, zz = pi[10 * place : 10 * place + 10]
        body = Inertia(mass, Vector(x, y, z), Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))
        loads[k] = body @ A[k] + V[k].cross_wrench(body @ V[k])
    torque = collect(m, placed, loads)
    for (i, j), J in zip(rotor_pairs, pi[10 * len(m.links) :], strict=True):
        torque[i] = torque[i] + J * a[j]
        if i != j:
            torque[j] = torque[j] + J * a[i]
    return torque


def regressor(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    a: list[Scalar],
    gravity: Vector,
    rotor_pairs: Sequence[tuple[int, int]] = (),
) -> list[list[Scalar]]:
    """The matrix Y, (nv, 10·links + pairs): columns for each link's `PARAMETERS`, then for the rotors of each pair."""
    placed = placements(m, q)
    V, A = body_motions(m, placed, v, a, gravity)
    own = 10 * len(m.links)
    Y: list[list[Scalar]] = [[0] * (own + len(rotor_pairs)) for _ in range(m.nv)]
    for k, (i, j) in enumerate(rotor_pairs):
        Y[i][own + k], Y[j][own + k] = a[j], a[i]
    for place, k in enumerate(m.links):
        for p, unit in enumerate(UNITS):
            load = unit @ A[k] + V[k].cross_wrench(unit @ V[k])
            i = k
            while i >= 0:
                body = m.bodies[i]
                for motion, row in zip(body.motions, body.velocities, strict=True):
                    Y[row][10 * place + p] = motion.dot(load)
                load, i = placed[i].wrench_out(load), body.parent
    return Y
