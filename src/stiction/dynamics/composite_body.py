"""The mass matrix by composite bodies, and forward dynamics from its factors."""

from typing import Any

from stiction.dynamics.kinematics import Placements, poses_by_index
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.dynamics.newton_euler import Motion, collect, inverse_dynamics
from stiction.dynamics.records import Records, Unit
from stiction.dynamics.sweep import Sweep, ignored
from stiction.spatial import ZERO, Inertia, Vector, Wrench
from stiction.trace.functions import Scalar
from stiction.trace.grid import Grid, factor, solve


def mass_matrix(m: Mechanism, q: list[Scalar]) -> Grid:
    """M(q), rotors included: symmetric, (nv, nv)."""
    s = Sweep(m, q, turned=True)
    placed, motions, M = Placements(s, q), s.constants(s.m.motions), s.grid(m.nv, m.nv)
    poses = poses_by_index(s, placed)
    _add_rotors(m, M)
    loads = _unit_loads(s, placed)

    def begin(c: Any) -> list[Wrench]:
        load = loads[c]
        M[c, c] = M[c, c] + motions[c].dot(load)
        return [load]

    def meet(c: Any, r: Any, wrenches: list[Wrench], own: Any) -> None:
        (load,) = wrenches
        M[r, c] = M[r, c] + motions[r].dot(load)
        M[c, r] = M[r, c]

    s.climb(poses, begin, meet)
    return M


def _unit_loads(s: Sweep, placed: Placements) -> Records:
    """What unit acceleration of each velocity takes, with all that its body carries, in the body's frame."""
    composite, loads = s.gathered(Inertia), s.per_velocity(Wrench)

    def visit(body: Body) -> None:
        whole = body.inertia + composite.of(body)
        for motion, place in zip(body.motions, body.velocities, strict=True):
            loads[place] = whole @ motion
        composite.add(body, whole.seen_from(placed.of(body)))

    s.inward(visit, composite)
    return loads


def mass_diagonal(m: Mechanism, q: list[Scalar]) -> Any:
    """The diagonal of M(q), rotors included, by velocity."""
    s = Sweep(m, q, turned=True)
    placed, found, motions = Placements(s, q), s.empty(m.nv), s.constants(s.m.motions)
    s.outward(lambda body: ignored(placed.visit(body)))
    loads = _unit_loads(s, placed)
    rotors = s.vector([m.rotors[k][k] for k in range(m.nv)] if m.rotors else [0] * m.nv)

    def note(c: Any) -> None:
        found[c] = motions[c].dot(loads[c]) + rotors[c]

    s.each(m.nv, note)
    return found


def forward_dynamics(
    m: Mechanism,
    q: list[Scalar],
    v: list[Scalar],
    torque: list[Scalar],
    gravity: Vector,
    pushes: dict[int, Wrench] | None = None,
) -> Any:
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
    bias = inverse_dynamics(m, q, v, [0] * m.nv, gravity, pushes)
    s = Sweep(m, q, turned=True)
    M = s.grid(m.nv, m.nv)

    def fill(j: Any) -> None:
        motion = Motion(s, q, [0] * m.nv, Unit(j), ZERO)
        torque = collect(s, motion.placed, motion.loads())

        def entry(i: Any) -> None:
            M[i, j] = torque[i]

        s.each(m.nv, entry)

    s.each(m.nv, fill)
    _add_rotors(m, M)
    return solve(factor(M), [t - b for t, b in zip(torque, bias, strict=True)])


def _add_rotors(m: Mechanism, M: Grid) -> None:
    for i, row in enumerate(m.rotors or ()):
        for j, J in enumerate(row):
            if not (isinstance(J, int) and J == 0):
                M[i, j] = M[i, j] + J
