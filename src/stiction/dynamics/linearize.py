"""Derivatives of inverse and forward dynamics by positions (in the tangent space), velocities and torques.

In closed form, along the tree (Singh, Russell and Wensing 2022): for a velocity i and one j that carries it, or of the
same joint, with all that i's body carries together (inertia I, Coriolis B, wrench F), the twist v and the acceleration
a of the parent of j's body,

    ∂τ_i/∂q_j = S_i · (2 B Ψ̇_j + I Ψ̈_j)                  ∂τ_j/∂q_i = S_j · (2 B Ψ̇_i + I Ψ̈_i + S_i ×* F)
    ∂τ_i/∂v_j = S_i · (2 B S_j + I (Ψ̇_j + Ṡ_j))           ∂τ_j/∂v_i = S_j · (2 B S_i + I (Ψ̇_i + Ṡ_i))

where Ψ̇ = v × S, Ψ̈ = a × S + v × Ψ̇ and Ṡ = V × S with the twist V of its own body. Forward dynamics follows from inverse
dynamics: ∂a = −M⁻¹ ∂τ at the accelerations that it yields.
"""

from typing import Any

from stiction.dynamics.composite_body import forward_dynamics, mass_matrix
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.newton_euler import Motion, load
from stiction.dynamics.sweep import Sweep
from stiction.spatial import BodyCoriolis, Inertia, Pose, Twist, Vector, Wrench
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, where
from stiction.trace.grid import Factors, factor, solve

Rows = list[list[Scalar]]


class _Slopes:
    """What a way outward and one inward find: how each velocity changes, and what that takes."""

    def __init__(self, m: Mechanism, q: list[Scalar], v: list[Scalar], a: list[Scalar], gravity: Vector) -> None:
        self.s = s = Sweep(m, [*q, *v, *a], turned=True)
        self.motion = Motion(s, q, v, a, gravity)
        self.inertia, self.coriolis, self.gathered = s.gathered(Inertia), s.gathered(BodyCoriolis), s.gathered(Wrench)
        self.wrench, self.poses = s.per_body(Wrench), s.per_body(Pose)
        self.turned, self.twice, self.both = (s.per_velocity(Twist) for _ in range(3))  # Ψ̇, Ψ̈, Ψ̇ + Ṡ
        self.row, self.inert, self.by_q, self.by_v, self.held = (s.per_velocity(Wrench) for _ in range(5))
        s.outward(self._outward, self.motion.V, self.motion.A)
        s.inward(self._inward, self.inertia, self.coriolis, self.gathered)

    def _outward(self, body: Body) -> None:
        k = body.index
        V, A, v, a = self.motion.visit(body)
        self.poses[k], self.wrench[k] = self.motion.placed.of(body), load(body, V, A)
        for S, place in zip(body.motions, body.velocities, strict=True):
            turned = v.cross(S)
            self.turned[place], self.twice[place] = turned, a.cross(S) + v.cross(turned)
            self.both[place] = turned + V.cross(S)

    def _inward(self, body: Body) -> None:
        k, X = body.index, self.motion.placed.of(body)
        I = body.inertia + self.inertia.of(body)
        B = BodyCoriolis.of(body.inertia, self.motion.V[k]) + self.coriolis.of(body)
        F = self.wrench[k] + self.gathered.of(body)
        for S, place in zip(body.motions, body.velocities, strict=True):
            self.row[place], self.inert[place] = B.transposed(S) * 2, I @ S
            self.by_q[place] = B @ self.turned[place] * 2 + I @ self.twice[place]
            self.by_v[place] = B @ S * 2 + I @ self.both[place]
            self.held[place] = S.cross_wrench(F)
        self.inertia.add(body, I.seen_from(X))
        self.coriolis.add(body, B.seen_from(X))
        self.gathered.add(body, X.wrench_out(F))


def inverse_dynamics_derivatives(
    m: Mechanism, q: list[Scalar], v: list[Scalar], a: list[Scalar], gravity: Vector
) -> tuple[Any, Any]:
    """∂τ/∂q and ∂τ/∂v, (nv, nv) each; ∂τ/∂a is the mass matrix."""
    x = _Slopes(m, q, v, a, gravity)
    s, S = x.s, x.s.constants(x.s.m.motions)
    by_q, by_v = s.grid(m.nv, m.nv), s.grid(m.nv, m.nv)

    def begin(c: Any) -> list[Wrench]:
        by_q[c, c], by_v[c, c] = S[c].dot(x.by_q[c]), S[c].dot(x.by_v[c])
        return [x.row[c], x.inert[c], x.by_q[c] + x.held[c], x.by_v[c]]

    def meet(c: Any, r: Any, wrenches: list[Wrench], own: Any) -> None:
        row, inert, column, by_speed = wrenches
        by_q[c, r] = x.turned[r].dot(row) + x.twice[r].dot(inert)
        by_v[c, r] = S[r].dot(row) + x.both[r].dot(inert)
        by_v[r, c] = S[r].dot(by_speed)
        if isinstance(own, Expr):
            by_q[r, c] = where(own > 0, _within(x, r, c), S[r].dot(column))
        else:
            by_q[r, c] = _within(x, r, c) if own else S[r].dot(column)

    s.climb(x.poses, begin, meet)
    return by_q.value, by_v.value


def _within(x: _Slopes, r: Any, c: Any) -> Scalar:
    """∂τ_r/∂q_c of two velocities of one joint."""
    return x.turned[c].dot(x.row[r]) + x.twice[c].dot(x.inert[r])


def forward_dynamics_derivatives(
    m: Mechanism, q: list[Scalar], v: list[Scalar], torque: list[Scalar], gravity: Vector
) -> tuple[Rows, Rows, Rows]:
    """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹, (nv, nv) each; for few joints: the matrices are unrolled."""
    by_q, by_v = inverse_dynamics_derivatives(m, q, v, forward_dynamics(m, q, v, torque, gravity), gravity)
    factors = factor(mass_matrix(m, q))
    units = [[int(k == j) for k in range(m.nv)] for j in range(m.nv)]
    return _solved(factors, by_q), _solved(factors, by_v), _columns([solve(factors, unit) for unit in units])


def _solved(factors: Factors, rows: Rows) -> Rows:
    return _columns([solve(factors, [-entry for entry in column]) for column in _columns(rows)])


def _columns(columns: Rows) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]
