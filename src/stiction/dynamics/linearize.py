"""Derivatives of inverse and forward dynamics, exact, by positions (in the tangent space), velocities and torques.

Forward dynamics is differentiated through inverse dynamics: ∂a = −M⁻¹ ∂τ at the accelerations that it yields.
These functions differentiate, so they take traced expressions, not floats.
"""

from stiction.dynamics.composite_body import Factors, factor, forward_dynamics, mass_matrix, solve
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import inverse_dynamics
from stiction.spatial import Vector
from stiction.trace.derivative import directional
from stiction.trace.functions import Scalar, constant

Rows = list[list[Scalar]]


def inverse_dynamics_along(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    a: list[Scalar],
    gravity: Vector,
    directions: list[tuple[list[Scalar], list[Scalar]]],
) -> list[list[Scalar]]:
    """Changes of the torques, one list per direction (dq, dv).

    The positions move at the rates N(q) dq, as they do at the velocities dq, so quaternions turn about the link's axes;
    the velocities move at the rates dv.
    """
    held = [constant(x) for x in a]  # also where they are expressions of q and v
    torque = [q[0].graph.wrap(t) for t in inverse_dynamics(m, q, v, held, gravity)]
    rates = [[*m.position_rates(q, dq), *dv] for dq, dv in directions]
    return [directional(torque, dict(zip([*q, *v], rate, strict=True))) for rate in rates]


def inverse_dynamics_derivatives(
    m: Mechanism, q: list[Scalar], v: list[Scalar], a: list[Scalar], gravity: Vector
) -> tuple[Rows, Rows]:
    """∂τ/∂q and ∂τ/∂v, (nv, nv) each; ∂τ/∂a is the mass matrix."""
    n = m.nv
    rest, units = [0] * n, [[int(k == j) for k in range(n)] for j in range(n)]
    directions = [(unit, rest) for unit in units] + [(rest, unit) for unit in units]
    columns = inverse_dynamics_along(m, q, v, a, gravity, directions)
    return _columns(columns[:n]), _columns(columns[n:])


def _columns(columns: Rows) -> Rows:
    return [list(row) for row in zip(*columns, strict=True)]


def forward_dynamics_derivatives(
    m: Mechanism, q: list[Scalar], v: list[Scalar], torque: list[Scalar], gravity: Vector
) -> tuple[Rows, Rows, Rows]:
    """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹, (nv, nv) each."""
    n = m.nv
    a = [q[0].graph.wrap(x) for x in forward_dynamics(m, q, v, torque, gravity)]
    by_q, by_v = inverse_dynamics_derivatives(m, q, v, a, gravity)
    factors = factor(mass_matrix(m, q))
    inverse = [solve(factors, [int(k == j) for k in range(n)]) for j in range(n)]
    return _solved(factors, by_q), _solved(factors, by_v), _columns(inverse)


def forward_dynamics_along(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    torque: list[Scalar],
    gravity: Vector,
    dq: list[Scalar],
    dv: list[Scalar],
    dtorque: list[Scalar],
) -> list[Scalar]:
    """Change of the accelerations when q moves along the velocities dq, v along dv and the torques along dtorque."""
    a = [q[0].graph.wrap(x) for x in forward_dynamics(m, q, v, torque, gravity)]
    change = inverse_dynamics_along(m, q, v, a, gravity, [(dq, dv)])[0]
    return solve(factor(mass_matrix(m, q)), [t - c for t, c in zip(dtorque, change, strict=True)])


def _solved(factors: Factors, rows: Rows) -> Rows:
    return _columns([solve(factors, [-entry for entry in column]) for column in _columns(rows)])
