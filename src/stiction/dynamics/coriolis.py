"""The Coriolis matrix of the Christoffel symbols, without differentiating the mass matrix.

C = Σ Jᵀ (I J̇ + B J) over the bodies, with B(I, V) W = ½ (V×* I W + W×* I V − I (V × W)): the one choice of B that
yields the Christoffel symbols (Echeandia and Wensing 2021), so Ṁ − 2C is skew. It needs no coordinates: quaternions are
fine.
"""

from stiction.dynamics.kinematics import placements, twists
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import collect
from stiction.spatial import AT_REST, Twist, Wrench
from stiction.trace.functions import Scalar


def coriolis_product(m: Mechanism, q: list[Scalar], v: list[Scalar], w: list[Scalar]) -> list[Scalar]:
    """C(q, v) w; with w = v the velocity terms of the equation of motion."""
    placed = placements(m, q)
    V, W = twists(m, placed, v), twists(m, placed, w)
    rate: list[Twist] = []  # J̇ w of each body, in its own frame
    loads: list[Wrench] = []
    for k, (body, X) in enumerate(zip(m.bodies, placed, strict=True)):
        rate.append((X.twist_in(rate[body.parent]) if body.parent >= 0 else AT_REST) + V[k].cross(body.twist(w)))
        I = body.inertia
        twice = V[k].cross_wrench(I @ W[k]) + W[k].cross_wrench(I @ V[k]) - I @ V[k].cross(W[k])
        loads.append(I @ rate[k] + twice * (1 / 2))
    return collect(m, placed, loads)


def coriolis_matrix(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> list[list[Scalar]]:
    """The matrix C(q, v), (nv, nv), column by column."""
    columns = [coriolis_product(m, q, v, [int(k == j) for k in range(m.nv)]) for j in range(m.nv)]
    return [list(row) for row in zip(*columns, strict=True)]
