"""An end stop as a row: what arrives is caught before it goes through. What `Moreau` makes of end stops."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stiction.fields import number
from stiction.methods.locked_joints import joint_rows
from stiction.methods.masses import Masses, is_large
from stiction.methods.smooth_part import FlowPart, Solution
from stiction.network.kept import Kept, cut_positions, kept_rows
from stiction.network.network import Evaluation, Network, States
from stiction.network.terms import Terms, added, compliance, dot
from stiction.parts.end_stop import EndStopPart
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.kinds import Row
from stiction.rows.site import FRICTIONLESS, Bounds, Stops
from stiction.rows.stick_slip import Outcome
from stiction.trace.functions import Scalar, absolute, maximum, minimum, rarely, where
from stiction.trace.grid import factor, solve
from stiction.trace.parameters import absent
from stiction.trace.precision import tolerance

TOUCHING = 1e-12  # rad or m that are no way


@dataclass(frozen=True, kw_only=True)
class RigidStop(Row, EndStopPart):
    """An end stop whose torque is found once per step. Ports as those of `EndStop`.

    Positions move on by (v + v⁺) h/2, of which v h/2 is made when v⁺ is found. So v⁺ h may be at most the way that is
    left then: half of it is gone after this step, the other half after the next, which ends at rest at the stop. What
    bounces does so at the beginning of that next step, at once, with the speed that it had before it was caught; what
    is caught together bounces together. Where no way is left, as at a start with a velocity into the stop, it stops at
    once, and its position is put back to the end, without a change of velocities.

    Attributes:
        lower: smallest position [rad or m]; None: no stop there.
        upper: largest position [rad or m]; likewise.
        restitution: speed after an impact over the speed before it.
        reversed: whether the row with which it is one counts its velocity the other way round.
    """

    hidden: ClassVar[tuple[str, ...]] = (*Row.hidden, "approach")

    lower: float | None = number(None, optional=True)
    upper: float | None = number(None, optional=True)
    restitution: float = number(0.0, least=0, most=1)
    reversed: ClassVar[bool] = False

    def start(self) -> Mapping[str, float]:
        """Whether it holds, torque; and where it bounces, the velocity at which it was caught."""
        return {**super().start(), **({} if absent(self.restitution) else {"approach": 0.0})}

    def bounds(self, own: list[Scalar], s: Scalar, step: Scalar) -> Bounds:
        """There is no friction."""
        return FRICTIONLESS

    def stops(self, x: Scalar, h: Scalar) -> Stops:
        """Velocities that it allows at the end of a step, where it is at x when they are found."""
        lower = None if self.lower is None else minimum(0, _way(self.lower, x)) / h
        upper = None if self.upper is None else maximum(0, _way(self.upper, x)) / h
        return Stops(lower, upper)

    def caught(self, own: list[Scalar], s: Scalar, mode: Scalar, h: Scalar) -> list[Scalar]:
        """The velocity at which it was caught in this step; 0 where it was not."""
        if len(own) < 3:
            return []
        towards = where(mode > 1, maximum(0, s), where(mode < -1, minimum(0, s), 0))
        return [where(absolute(towards) * h > tolerance(TOUCHING), towards, 0)]


def _way(end: Scalar, x: Scalar) -> Scalar:
    """From x to an end; rounding is no way."""
    left = end - x
    return where(absolute(left) <= tolerance(TOUCHING) * maximum(1, absolute(end)), 0, left)


def joined_rows(network: Network, rows: Mapping[str, list[float]]) -> dict[str, dict[str, Any]]:
    """Stops that are one row with another on the same velocity: by name, which, and whether it counts the other way
    round. As two rows they would share what they hold in any way.
    """
    found: dict[str, dict[str, Any]] = {}
    parts: Mapping[str, Any] = network.parts
    taken: set[str] = set()
    for name, row in rows.items():
        at = [k for k, x in enumerate(row) if x]
        if not isinstance(parts[name], RigidStop) or parts[name].carried or len(at) != 1:
            continue
        for other, its in rows.items():
            alone = [k for k, x in enumerate(its) if x] == at and not parts[other].carried and other not in taken
            if (
                alone
                and not isinstance(parts[other], (RigidStop, ImposedMotion))
                and not getattr(parts[other], "geared", False)
            ):
                found[name] = {"on": other, "reversed": its[at[0]] * row[at[0]] < 0}
                taken.add(other)
                break
    return found


def allowed_velocities(smooth: FlowPart, rows: Mapping[str, list[Scalar]], h: Scalar) -> dict[str, Stops]:
    """Velocities that stops allow at the end of the step, by the row that takes them."""
    found = {}
    for name in rows:
        part = smooth.rigid[name]
        if isinstance(part, RigidStop):
            stops = part.stops(smooth.coasted(name, h), h)
            if part.on:
                lower, upper = (None if x is None else x * _ratio(smooth, name, part.on) for x in stops)
                stops = Stops(upper, lower) if part.reversed else Stops(lower, upper)
            found[part.on or name] = stops
    return found


def torques_of(smooth: FlowPart, rows: Iterable[str], outcome: Outcome, h: Scalar) -> dict[str, Scalar]:
    """Torques of rows, and of the stops that are one row with them."""
    friction = dict(zip(rows, outcome.friction, strict=True))
    stopping = {name: p - friction[name] for name, p in zip(friction, outcome.impulse, strict=True)}
    found = {}
    for name, part in smooth.rigid.items():
        if isinstance(part, RigidStop):
            share = stopping[part.on] * _ratio(smooth, name, part.on) if part.on else stopping[name]
            found[name] = share / h
        elif name in friction:
            found[name] = friction[name] / h
    return found


def modes_of(smooth: FlowPart, rows: Iterable[str], outcome: Outcome) -> dict[str, Scalar]:
    """Modes of rows, and of the stops that are one row with them."""
    found = dict(zip(rows, outcome.mode, strict=True))
    for name, part in smooth.rigid.items():
        if isinstance(part, RigidStop) and part.on:
            mode = where(absolute(found[part.on]) > 1, found[part.on], 0)
            found[name] = -mode if part.reversed else mode
    return found


def bounced(network: Network, own: States, firm: Sequence[Scalar], t: Scalar, h: Scalar) -> States:
    """The states with the velocities of what was caught in the last step turned round, all of it together."""
    parts = {name: part for name, part in network.parts.items() if isinstance(part, RigidStop)}
    marked = {name: part for name, part in parts.items() if len(own[name]) > 2}
    if not marked:
        return own
    terms = Terms(network, network.evaluate(own, t, h))
    rows = {name: terms.row(name) for name in marked}
    bounces, wanted = [], []
    for name, part in marked.items():
        approach = own[name][2]
        change = dot(rows[name], terms.velocities) + part.restitution * approach
        bounces.append(where(approach * change > 0, 1, 0))
        wanted.append(change * bounces[-1])
    kept = kept_rows(network, cut_positions(network, own), firm) if network.constraints else None
    joints = joint_rows(rows, dict.fromkeys(rows, 0)) if is_large(network) else None
    if joints is None:
        v = _turned_round(terms, rows, bounces, wanted, kept)
    else:
        masses = Masses(network, own, None, 0, terms.velocities, kept)
        v = added(terms.velocities, masses.turned_round(joints, bounces, wanted))
    return {**network.with_velocities(own, v), **{name: [*own[name][:2], 0] for name in marked}}


def _turned_round(
    terms: Terms,
    rows: Mapping[str, list[Scalar]],
    bounces: Sequence[Scalar],
    wanted: Sequence[Scalar],
    kept: Kept | None,
) -> list[Scalar]:
    """Velocities after those of the rows that bounce were taken back by what is wanted."""
    coupled, n, v = compliance(terms.mass_matrix, rows, kept=kept), range(len(bounces)), terms.velocities
    masked = [[coupled.A[i][j] * bounces[i] * bounces[j] + (1 - bounces[i] if i == j else 0) for j in n] for i in n]
    for name, p in zip(rows, solve(factor(masked), wanted), strict=True):
        v = [x - r * p for x, r in zip(v, coupled.responses[name], strict=True)]
    return v


def put_back(smooth: FlowPart, solution: Solution, own: States, t: Scalar, h: Scalar) -> States:
    """The states after a step, with positions beyond an end put back to it, along what an impulse there moves."""
    network = smooth.network
    stops = [name for name, part in smooth.rigid.items() if isinstance(part, RigidStop)]
    if not stops:
        return own
    coupled = solution.coupled
    if coupled is None:
        return _put_back(smooth, stops, solution.responses, own, t, h)
    now = network.evaluate(own, t, h)
    anywhere = sum((absolute(_beyond(smooth, name, now)) for name in stops), start=0)
    n, rows = len(coupled.matrix), {name: smooth.rows[name] for name in stops}
    sizes = {name: body.positions() for name, body in network.bodies.items()}

    def found(numbers: list[Scalar]) -> list[Scalar]:
        matrix = [numbers[k * n : (k + 1) * n] for k in range(n)]
        inside = compliance(matrix, rows, coupled.give, coupled.symmetric, coupled.kept)
        moved = _put_back(smooth, stops, inside.responses, own, t, h)
        return [x for name, count in sizes.items() for x in moved[name][:count]]

    usual = [x for name, count in sizes.items() for x in own[name][:count]]
    left = iter(rarely(anywhere > 0, [x for row in coupled.matrix for x in row], usual, found))
    return {**own, **{name: [*(next(left) for _ in range(k)), *own[name][k:]] for name, k in sizes.items()}}


def _beyond(smooth: FlowPart, name: str, now: Evaluation) -> Scalar:
    """How far a joint is beyond an end of its way [rad or m]."""
    part: Any = smooth.rigid[name]
    (x,) = smooth.network.inputs(name, now.signals)["position"]
    above = 0 if part.upper is None else maximum(0, x - part.upper)
    return above if part.lower is None else above + minimum(0, x - part.lower)


def _put_back(
    smooth: FlowPart,
    stops: Sequence[str],
    responses: Mapping[str, Sequence[Scalar]],
    own: States,
    t: Scalar,
    h: Scalar,
) -> States:
    """The states with all joints put back, one after another."""
    network = smooth.network
    now = network.evaluate(own, t, h)
    for name in stops:
        part: Any = smooth.rigid[name]
        if not smooth.large:  # an impulse at one moves others
            now = network.evaluate(own, t, h)
        beyond, response = _beyond(smooth, name, now), responses[part.on or name]
        felt = dot(smooth.rows[name], response)
        moved = dict(network.with_velocities(own, [-r * beyond / felt for r in response]))
        for body_name, body in network.bodies.items():
            nq = body.positions()
            rates = body.position_rates(moved[body_name])
            q, v = own[body_name][:nq], own[body_name][nq:]
            moved[body_name] = [*(x + d for x, d in zip(q, rates, strict=True)), *v]
        own = moved
    return own


def _ratio(smooth: FlowPart, name: str, on: str) -> Scalar:
    """Velocity of the row `on` over that of a stop."""
    ((a, b),) = [(a, b) for a, b in zip(smooth.rows[name], smooth.rows[on], strict=True) if not absent(a)]
    return b / a
