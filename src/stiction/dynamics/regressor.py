"""Inverse dynamics is linear in the inertial parameters: τ = Y(q, v, a) π."""

from collections.abc import Sequence
from dataclasses import replace

from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import Motion, inverse_dynamics
from stiction.dynamics.sweep import Sweep, ignored
from stiction.spatial import NO_INERTIA, Inertia, Matrix, Vector
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
    places = {k: 10 * place for place, k in enumerate(m.links)}
    bodies = [
        replace(body, inertia=_inertia(pi[places[k] : places[k] + 10]) if k in places else NO_INERTIA, rotor=0)
        for k, body in enumerate(m.bodies)
    ]
    torque = inverse_dynamics(Mechanism(tuple(bodies)), q, v, a, gravity)
    for (i, j), J in zip(rotor_pairs, pi[10 * len(m.links) :], strict=True):
        torque[i] = torque[i] + J * a[j]
        if i != j:
            torque[j] = torque[j] + J * a[i]
    return torque


def _inertia(pi: Sequence[Scalar]) -> Inertia:
    mass, x, y, z, xx, xy, xz, yy, yz, zz = pi
    return Inertia(mass, Vector(x, y, z), Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def regressor(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    a: list[Scalar],
    gravity: Vector,
    rotor_pairs: Sequence[tuple[int, int]] = (),
) -> list[list[Scalar]]:
    """The matrix Y, (nv, 10·links + pairs): columns for each link's `PARAMETERS`, then for the rotors of each pair.
    For few joints: it is unrolled.
    """
    s = Sweep(m, ())
    motion = Motion(s, q, v, a, gravity)
    s.outward(lambda body: ignored(motion.visit(body)))
    own = 10 * len(m.links)
    Y: list[list[Scalar]] = [[0] * (own + len(rotor_pairs)) for _ in range(m.nv)]
    for k, (i, j) in enumerate(rotor_pairs):
        Y[i][own + k], Y[j][own + k] = a[j], a[i]
    for place, k in enumerate(m.links):
        V, A = motion.V[k], motion.A[k]
        for p, unit in enumerate(UNITS):
            load = unit @ A + V.cross_wrench(unit @ V)
            for body in reversed(m.path(k)):
                for S, row in zip(body.motions, body.velocities, strict=True):
                    Y[row][10 * place + p] = S.dot(load)
                load = motion.placed.of(body).wrench_out(load)
    return Y
