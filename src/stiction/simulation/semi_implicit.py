"""The semi-implicit method: rigid dry friction at honest steps.

Velocities first, with friction found at velocity level (`rows.stick_slip`), then positions with the new velocities. A stuck
site has velocity 0 to rounding, whatever the step: nothing creeps. First order; viscous friction is implicit, so it cannot
make the step unstable.
"""

from typing import NamedTuple

from stiction.dynamics.composite_body import factor, mass_matrix, solve
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import inverse_dynamics
from stiction.friction.dry import Coulomb
from stiction.rows.stick_slip import Limits, stick_slip
from stiction.spatial import Vector
from stiction.trace.functions import Scalar, absolute


class Site(NamedTuple):
    """Where dry friction acts: on the combination row · v of the velocities.

    Attributes:
        row: one number per velocity.
        law: the friction there.
    """

    row: list[Scalar]
    law: Coulomb


class Step(NamedTuple):
    """The state after a step, and what the sites did in it.

    Attributes:
        q: positions [rad or m], (nq,).
        v: velocities [rad/s or m/s], (nv,).
        mode: of each site: −1 or 1 sliding that way, 0 stuck.
        friction: torque of each site, viscous part included, with the sign of its velocity [N·m or N].
        residual: of the search for stick and slip [N·m or N].
    """

    q: list[Scalar]
    v: list[Scalar]
    mode: list[Scalar]
    friction: list[Scalar]
    residual: Scalar


def semi_implicit_step(
    m: Mechanism, q: list[Scalar], v: list[Scalar], torque: list[Scalar], gravity: Vector, sites: list[Site], mode: list[Scalar], h: Scalar
) -> Step:
    """One step of length h under joint torques; `mode` is that of the last step (0 to begin with)."""
    n = m.nv
    M = mass_matrix(m, q)
    bias = inverse_dynamics(m, q, v, [0] * n, gravity)
    momentum = [sum((a * x for a, x in zip(M[i], v, strict=True)), start=0) + h * (torque[i] - bias[i]) for i in range(n)]
    viscous = [site.law.viscous for site in sites]
    damped = [[M[i][j] + h * sum((site.row[i] * d * site.row[j] for site, d in zip(sites, viscous, strict=True)), start=0) for j in range(n)] for i in range(n)]
    factors = factor(damped)
    responses = [solve(factors, site.row) for site in sites]
    A = [[_dot(site.row, response) for response in responses] for site in sites]
    without = solve(factors, momentum)
    free = [_dot(site.row, without) for site in sites]
    limits = [_limits(site.law, _dot(site.row, v), h) for site in sites]
    found = stick_slip(A, free, limits, mode)
    after = list(without)
    for response, p in zip(responses, found.impulse, strict=True):
        after = [x - r * p for x, r in zip(after, response, strict=True)]
    moved = [x + h * rate for x, rate in zip(q, m.position_rates(q, after), strict=True)]
    friction = [p / h + d * _dot(site.row, after) for site, d, p in zip(sites, viscous, found.impulse, strict=True)]
    return Step(moved, after, found.mode, friction, found.residual / h)


def _dot(a: list[Scalar], b: list[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), start=0)


def _limits(law: Coulomb, s: Scalar, h: Scalar) -> Limits:
    """Impulses at break-away, and at the speed at which the step begins; viscous friction is not among them."""
    w = absolute(s)
    slide = [law.strength(w, direction) - law.viscous * w for direction in (1, -1)]
    return Limits(h * law.breakaway(1), h * law.breakaway(-1), h * slide[0], h * slide[1])
