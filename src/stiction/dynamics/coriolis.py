"""The Coriolis matrix of the Christoffel symbols, without differentiating the mass matrix.

C = Σ Jᵀ (I J̇ + B J) over the bodies, with the B of `BodyCoriolis`, so Ṁ − 2C is skew. It needs no coordinates:
quaternions are fine.
"""

from typing import Any

from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.newton_euler import Motion
from stiction.dynamics.sweep import Sweep
from stiction.spatial import ZERO, BodyCoriolis, Inertia, Pose, Twist, Wrench
from stiction.trace.functions import Scalar


def coriolis_matrix(m: Mechanism, q: list[Scalar], v: list[Scalar]) -> Any:
    """The matrix C(q, v), (nv, nv); with w = v the product C w are the velocity terms of the equation of motion."""
    s = Sweep(m, [*q, *v], turned=True)
    motion = Motion(s, q, v, [0] * m.nv, ZERO)
    poses, inertia, coriolis = s.per_body(Pose), s.gathered(Inertia), s.gathered(BodyCoriolis)
    rates, C, motions = s.per_velocity(Twist), s.grid(m.nv, m.nv), s.constants(s.m.motions)
    rows, columns, by_rate = (s.per_velocity(Wrench) for _ in range(3))

    def outward(body: Body) -> None:
        V = motion.visit(body).V
        poses[body.index] = motion.placed.of(body)
        for S, place in zip(body.motions, body.velocities, strict=True):
            rates[place] = V.cross(S)

    def inward(body: Body) -> None:
        k, X = body.index, motion.placed.of(body)
        I, B = body.inertia + inertia.of(body), BodyCoriolis.of(body.inertia, motion.V[k]) + coriolis.of(body)
        for S, place in zip(body.motions, body.velocities, strict=True):
            rows[place], by_rate[place] = B.transposed(S), I @ S
            columns[place] = I @ rates[place] + B @ S
        inertia.add(body, I.seen_from(X))
        coriolis.add(body, B.seen_from(X))

    def begin(c: Any) -> list[Wrench]:
        C[c, c] = motions[c].dot(columns[c])
        return [rows[c], by_rate[c], columns[c]]

    def meet(c: Any, r: Any, wrenches: list[Wrench], own: Any) -> None:
        row, by_rate, column = wrenches
        C[c, r] = motions[r].dot(row) + rates[r].dot(by_rate)
        C[r, c] = motions[r].dot(column)

    s.outward(outward, motion.V, motion.A)
    s.inward(inward, inertia, coriolis)
    s.climb(poses, begin, meet)
    return C.value
