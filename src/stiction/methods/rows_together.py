"""Rows and contacts of a step, found together: by the matrix of masses, or by articulated bodies with locked joints."""

from collections.abc import Mapping, Sequence

from stiction.methods.break_away import Together, bounds_of
from stiction.methods.contact_joints import TouchingJoints
from stiction.methods.contact_sites import TouchingSites
from stiction.methods.locked_joints import JointRow, LockedJoints
from stiction.methods.masses import Masses, is_large
from stiction.methods.midpoint import MidpointPart
from stiction.methods.rigid_stop import RigidStop
from stiction.methods.smooth_part import FlowPart, Solution
from stiction.methods.sparse_midpoint import CoupledError, SparseMidpointPart
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.terms import Compliance, added, compliance
from stiction.rows.site import Site, Stops
from stiction.rows.stick_slip import Dense, Outcome, stick_slip, stick_slip_in_loops
from stiction.trace.functions import Scalar, absolute, rarely, where


def midpoint_part(network: Network, block: Block, last: Sequence[Scalar], t: Scalar, h: Scalar) -> MidpointPart:
    """The smooth part of a step by its middle, without a matrix where that serves."""
    if is_large(network):
        try:
            return SparseMidpointPart(network, block, last, t, h)
        except CoupledError:
            pass
    return MidpointPart(network, block, last, t, h)


def by_matrix(
    smooth: FlowPart,
    rows: Mapping[str, list[Scalar]],
    motion: tuple[list[Scalar], Compliance, list[Scalar]],
    modes: list[Scalar],
    allowed: list[Stops | None],
    h: Scalar,
) -> tuple[Outcome, Solution]:
    """Rows, and contacts beside them, that are coupled by a matrix; the motion is that without them."""
    free, coupled, c = motion
    sites, contacts = Dense(coupled.A, c, coupled.symmetric), smooth.contacts
    if contacts is None and rows and all(isinstance(smooth.rigid[name], RigidStop) for name in rows):
        return stops_alone(smooth, rows, motion, modes, allowed, h)
    if contacts is None:
        bounds = bounds_of(smooth, rows, Together(coupled.A, c), h)
        outcome = stick_slip(sites, bounds, modes, allowed)
        return outcome, Solution(pushed_by(free, coupled.responses, outcome.impulse), coupled.responses)
    problem = contacts.coupled(smooth.even_solve(coupled, h), free)
    touching = TouchingSites(sites, contacts, problem, list(rows.values()))
    bounds = bounds_of(smooth, rows, Together(coupled.A, touching.fixed().free), h)
    outcome = stick_slip(touching, bounds, modes, allowed)
    after = pushed_by(touching.after(free), coupled.responses, outcome.impulse)
    return outcome, Solution(after, coupled.responses)


def stops_alone(
    smooth: FlowPart,
    rows: Mapping[str, list[Scalar]],
    motion: tuple[list[Scalar], Compliance, list[Scalar]],
    modes: list[Scalar],
    allowed: list[Stops | None],
    h: Scalar,
) -> tuple[Outcome, Solution]:
    """End stops without friction on their joints, which hardly ever act: nothing is solved until one does."""
    free, coupled, c = motion
    n, m = len(free), len(rows)
    needed: Scalar = 0
    for mode, stop, s in zip(modes, allowed, c, strict=True):
        lower, upper = (None, None) if stop is None else stop
        needed = needed + absolute(mode)
        needed = needed if lower is None else needed + where(s < lower, 1, 0)
        needed = needed if upper is None else needed + where(s > upper, 1, 0)

    def found(numbers: list[Scalar]) -> list[Scalar]:
        matrix = [numbers[k * n : (k + 1) * n] for k in range(n)]
        inside = compliance(matrix, rows, coupled.give, coupled.symmetric, coupled.kept)
        bounds = bounds_of(smooth, rows, Together(inside.A, c), h)
        outcome = stick_slip(Dense(inside.A, c, coupled.symmetric), bounds, modes, allowed)
        after = pushed_by(free, inside.responses, outcome.impulse)
        return [*after, *outcome.impulse, *outcome.friction, *outcome.mode, outcome.residual]

    nothing = [0 * free[0]] * (3 * m + 1)
    matrix = [x for row in coupled.matrix for x in row]
    *numbers, residual = rarely(needed > 0, matrix, [*free, *nothing], found)
    impulse, friction, mode = (numbers[n + k * m : n + (k + 1) * m] for k in range(3))
    return Outcome(impulse, friction, mode, residual), Solution(numbers[:n], {}, coupled)


def locked(smooth: FlowPart, joints: Sequence[JointRow], known: Mapping[str, Scalar], h: Scalar) -> LockedJoints:
    """Rows on single joints, as the search takes them."""
    v = smooth.terms.velocities
    masses = Masses(smooth.network, smooth.in_motion(), smooth.added_inertia(h), h, v, smooth.kept)
    forces = masses.impulses(smooth.forces(known))
    if smooth.contacts is None:
        return LockedJoints(masses, joints, v, forces)
    return TouchingJoints(smooth.contacts, masses, joints, v, forces)


def by_joints(
    smooth: FlowPart,
    rows: Mapping[str, list[Scalar]],
    system: LockedJoints,
    modes: list[Scalar],
    allowed: list[Stops | None],
    h: Scalar,
) -> tuple[Outcome, Solution]:
    """Rows on single joints, and contacts beside them, that articulated bodies couple."""
    sites = [Site(bound, stop) for bound, stop in zip(bounds_of(smooth, rows, system, h), allowed, strict=True)]
    outcome = stick_slip_in_loops(system, sites, modes) if sites else Outcome([], [], [], system.free_motion())
    solution = Solution(added(smooth.terms.velocities, list(system.change)), system.units(rows))
    if smooth.kept is not None:
        solution = solution._replace(multipliers=system.kept_impulses(outcome.impulse))
    return outcome, solution


def added_to(given: Mapping[str, Scalar], ways: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Velocities that rows have by themselves."""
    return {name: given[name] + way for name, way in ways.items()}


def pushed_by(
    free: Sequence[Scalar], responses: Mapping[str, Sequence[Scalar]], impulses: Sequence[Scalar]
) -> list[Scalar]:
    """Velocities with the impulses of rows."""
    after = list(free)
    for response, p in zip(responses.values(), impulses, strict=True):
        after = [x - r * p for x, r in zip(after, response, strict=True)]
    return after
