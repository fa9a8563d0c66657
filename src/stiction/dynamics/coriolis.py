"""The Coriolis matrix of the Christoffel symbols, without differentiating the mass matrix.

C = Σ Jᵀ (I J̇ + B J) over the bodies, with B(I, V) = ½ (V×* I + (I V)×̄* − I V×): the one choice of B that yields the
Christoffel symbols (Echeandia and Wensing 2021), so Ṁ − 2C is skew. It needs no coordinates, so quaternion joints are fine.
"""

from stiction.dynamics.kinematics import placements, twists, world_poses
from stiction.dynamics.mechanism import Mechanism
from stiction.spatial import Inertia, Matrix, Twist, Wrench, skew
from stiction.spatial.vector import diagonal
from stiction.trace.functions import Scalar

Blocks = tuple[Matrix, Matrix, Matrix, Matrix]  # 6 × 6: (angular, angular), (angular, linear), (linear, angular), (linear, linear)


def coriolis_matrix(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> list[list[Scalar]]:
    """C(q, v) with C v the velocity terms of the equation of motion and Ṁ − 2C skew; (nv, nv)."""
    placed = placements(m, q)
    poses = world_poses(m, placed)
    V = [pose.twist_out(t) for pose, t in zip(poses, twists(m, placed, v), strict=True)]
    inertia = [body.inertia.seen_from(pose) for body, pose in zip(m.bodies, poses, strict=True)]
    B = [_factor(inertia[k], V[k]) for k in range(len(m.bodies))]
    C: list[list[Scalar]] = [[0] * m.nv for _ in range(m.nv)]
    motions = [[poses[k].twist_out(s) for s in body.motions] for k, body in enumerate(m.bodies)]
    rates = [[V[k].cross(s) for s in motions[k]] for k in range(len(m.bodies))]
    for k in reversed(range(len(m.bodies))):
        body = m.bodies[k]
        for s, s_rate, j in zip(motions[k], rates[k], body.velocities, strict=True):
            F1 = inertia[k] @ s_rate + _apply(B[k], s)
            F2, F3 = inertia[k] @ s, _apply_transposed(B[k], s)
            i = k
            while i >= 0:
                for t, t_rate, row in zip(motions[i], rates[i], m.bodies[i].velocities, strict=True):
                    C[row][j] = t.dot(F1)
                    C[j][row] = t_rate.dot(F2) + t.dot(F3)
                i = m.bodies[i].parent
        if body.parent >= 0:
            inertia[body.parent] = inertia[body.parent] + inertia[k]
            B[body.parent] = tuple(x + y for x, y in zip(B[body.parent], B[k], strict=True))  # type: ignore[assignment]
    return C


def _factor(I: Inertia, V: Twist) -> Blocks:
    """2·B(I, V) is V×* I + (I V)×̄* − I V×, in blocks."""
    w, u, h = skew(V.angular), skew(V.linear), skew(I.moment)
    mass = diagonal(I.mass, I.mass, I.mass)
    momentum = I @ V
    k, l = skew(momentum.moment), skew(momentum.force)
    half = 1 / 2
    aa = w @ I.rotational - u @ h - k - I.rotational @ w - h @ u
    al = w @ h + u @ mass - l - h @ w
    la = (w @ h) * -1 - l + h @ w - mass @ u
    ll = w @ mass - mass @ w
    return aa * half, al * half, la * half, ll * half


def _apply(B: Blocks, s: Twist) -> Wrench:
    aa, al, la, ll = B
    return Wrench(aa @ s.angular + al @ s.linear, la @ s.angular + ll @ s.linear)


def _apply_transposed(B: Blocks, s: Twist) -> Wrench:
    aa, al, la, ll = B
    return Wrench(aa.T @ s.angular + la.T @ s.linear, al.T @ s.angular + ll.T @ s.linear)
