"""The mass matrix by composite bodies, its factors, and forward dynamics from them."""

from typing import NamedTuple

from stiction.dynamics.kinematics import placements
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import inverse_dynamics
from stiction.spatial import Pose, Vector, Wrench
from stiction.trace.functions import Scalar

Rows = list[list[Scalar]]


def mass_matrix(m: Mechanism, q: list[Scalar]) -> Rows:
    """M(q), rotors included: symmetric, (nv, nv)."""
    placed = placements(m, q)
    composite = [body.inertia for body in m.bodies]
    M: Rows = [list(row) for row in m.rotors] if m.rotors else [[0] * m.nv for _ in range(m.nv)]
    for k in reversed(range(len(m.bodies))):
        body = m.bodies[k]
        for motion, column in zip(body.motions, body.velocities, strict=True):
            _fill(m, placed, M, k, composite[k] @ motion, column)
        if body.parent >= 0:
            composite[body.parent] = composite[body.parent] + composite[k].seen_from(placed[k])
    return M


def _fill(m: Mechanism, placed: list[Pose], M: Rows, k: int, load: Wrench, column: int) -> None:
    """Carry the load of one unit acceleration towards the root and note what each joint feels."""
    own = k
    while k >= 0:
        body = m.bodies[k]
        for motion, row in zip(body.motions, body.velocities, strict=True):
            if k != own or row <= column:
                entry = motion.dot(load)
                M[row][column] = M[row][column] + entry
                if row != column:
                    M[column][row] = M[column][row] + entry
        load = placed[k].wrench_out(load)
        k = body.parent


class Factors(NamedTuple):
    """M = Lᵀ D L with unit lower triangular L: elimination from the last row up fills no zero of a tree's matrix."""

    lower: Rows
    inverse_diagonal: list[Scalar]


def factor(M: Rows) -> Factors:
    """Factors of a symmetric positive definite matrix."""
    n = len(M)
    H = [list(row) for row in M]
    lower: Rows = [[0] * n for _ in range(n)]
    inverse: list[Scalar] = [0] * n
    for k in reversed(range(n)):
        inverse[k] = 1 / H[k][k]
        for i in range(k):
            lower[k][i] = H[k][i] * inverse[k]
        for i in range(k):
            for j in range(i + 1):
                H[i][j] = H[i][j] - lower[k][i] * H[k][j]
    return Factors(lower, inverse)


def solve(f: Factors, b: list[Scalar]) -> list[Scalar]:
    """The x that solves M x = b."""
    n = len(b)
    x = list(b)
    for k in reversed(range(n)):
        for i in range(k):
            x[i] = x[i] - f.lower[k][i] * x[k]
    x = [entry * d for entry, d in zip(x, f.inverse_diagonal, strict=True)]
    for k in range(n):
        for i in range(k):
            x[k] = x[k] - f.lower[k][i] * x[i]
    return x


def forward_dynamics(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    torque: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> list[Scalar]:
    """Accelerations under joint torques and outer wrenches: M a = τ − bias."""
    bias = inverse_dynamics(m, q, v, [0] * m.nv, gravity, pushes)
    return solve(factor(mass_matrix(m, q)), [t - b for t, b in zip(torque, bias, strict=True)])


def forward_dynamics_by_columns(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    torque: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> list[Scalar]:
    """The same from n + 1 calls of inverse dynamics (course, section 5): one for the bias, one per column of M."""
    n = m.nv
    rest, still = [0] * n, Vector(0, 0, 0)
    bias = inverse_dynamics(m, q, v, rest, gravity, pushes)
    columns = [inverse_dynamics(m, q, rest, [int(k == j) for k in range(n)], still) for j in range(n)]
    M = [[columns[j][i] for j in range(n)] for i in range(n)]
    return solve(factor(M), [t - b for t, b in zip(torque, bias, strict=True)])
