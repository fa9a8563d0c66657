"""Constraints in a step: forces that keep them, and states put back where they hold.

Velocities go by the masses with constraints in them (`network.terms.Keeping`); in flows, accelerations do: A v̇ + Ȧ v =
0. After each step positions are closed by Newton's method along M⁻¹ Aᵀ, and velocities follow, while what sticks stays:
of the order of the error of the method itself, so that this order is kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.methods.rigid_stop import RigidStop
from stiction.methods.smooth_part import FlowPart, FoundRows
from stiction.network.kept import Kept, cut_positions, kept_rows, multipliers_of, turning_rates
from stiction.network.network import Evaluation, Network, States
from stiction.network.start import StartTerms
from stiction.network.terms import Keeping, Terms, added
from stiction.rows.ranked import NOTHING, least_multipliers, ranked, solved_ranked
from stiction.rows.site import slides
from stiction.rows.stick_slip import Outcome
from stiction.trace.functions import Scalar, absolute, logical_not, loop, maximum, minimum, where
from stiction.trace.grid import factor, solve
from stiction.trace.parameters import Key, absent
from stiction.trace.precision import tolerance

PASSES = 10  # of Newton's method; two are usual
CLOSED = 1e-12  # gap that is none, over how fast it moves with the velocities
OPEN = 1e-9  # the same, from which on it is told
STAYS = 1e-9  # part that what sticks takes of a way that others can go; above what counts as dependent
SLOW = 1e-3  # rad/s or m/s below which changes do not matter
TOO_MUCH = 0.02  # part of the largest velocity by which closing may change others in a step
SLOTS = {
    "constraint_gap": (0.0, ""),
    "constraint_rank": (0.0, "1"),
    "least_constraint_rank": (1e6, "1"),
    "constraint_change": (0.0, "1"),
}
SIGNALS = ("constraint_gap", "constraint_rank")
FIRM = "constraint_firmness."
Held = tuple[Sequence[Scalar], Scalar]  # a row over all velocities, and 1 where it stays


def constraint_slots(network: Network) -> dict[str, tuple[float, str]]:
    """What a method keeps of constraints: the largest gap so far, how many rows count now, and how many at least."""
    if not network.constraints:
        return {}
    return SLOTS | {name: (0.0, "1") for name in firm_slots(network)}


def firm_slots(network: Network) -> list[str]:
    """Names of the slots that tell how firm rows are."""
    return [f"{FIRM}{k}" for k in range(len(multipliers_of(network)))]


def firm_now(method: Mapping[str, Scalar]) -> list[Scalar]:
    """How firm rows are at the beginning of a step, from its slots."""
    return [x for name, x in method.items() if name.startswith(FIRM)]


def constraint_signals(network: Network) -> dict[str, str]:
    """Those of them that users see."""
    return {name: name for name in SIGNALS} if network.constraints else {}


def constraint_choice(start: StartTerms) -> dict[Key, np.ndarray]:
    """How many rows count at the start."""
    if start.kept is None:
        return {}
    rank = (start.firm > 0).sum(axis=1).astype(float)
    counts = {("", "constraint_rank"): rank, ("", "least_constraint_rank"): rank}
    return counts | {("", f"{FIRM}{k}"): x for k, x in enumerate(start.firm.T)}


def refuse_constraints(network: Network, title: str) -> None:
    """Refuse constraints by name, for what cannot keep them."""
    for name in network.constraints:
        raise InputError(
            f"'{name}' is a constraint, which '{title}' does not keep; use method 'moreau', 'rk4' or 'gill'"
        )


def constraint_notes(network: Network, kept: Mapping[str, np.ndarray]) -> list[str]:
    """What should be known of constraints after a run."""
    if not network.constraints:
        return []
    found, gap = [], float(np.max(kept["constraint_gap"]))
    if gap > OPEN:
        found.append(
            f"constraints were left open by up to {gap:.2g} of their way in a unit of velocity (signal "
            "'constraint_gap'); take a smaller step"
        )
    least, now = np.min(kept["least_constraint_rank"]), np.max(kept["constraint_rank"])
    if least < now:
        found.append(
            f"constraints lost rank ({int(least)} rows at least, {int(now)} at the end): the mechanism went through a "
            "singular position, after which nothing but rounding says on which branch it moves on"
        )
    change = float(np.max(kept["constraint_change"]))
    if change > TOO_MUCH:
        found.append(
            f"closing the constraints changed velocities by up to {change:.2g} of the largest in one step: it did not "
            "follow the motion, as near a dead centre or a singular position; take a smaller step"
        )
    return found


# In flows.


def kept_rates(
    network: Network, now: Evaluation, rates: Mapping[str, Sequence[Scalar]], firm: Sequence[Scalar]
) -> tuple[dict[str, Any], list[Scalar]]:
    """Rates of all states with the forces of constraints, and the multipliers of all constraints, one after another;
    positions are cut, and the rates are those without these forces.
    """
    kept, v = kept_rows(network, now.own, firm), network.velocities(now.own)
    turned = turning_rates(network, now.own, kept, v)
    factors = factor(Terms(network, now).mass_matrix)
    keeping = Keeping(kept, lambda b: solve(factors, b))
    free = [x for name, body in network.bodies.items() for x in rates[name][body.positions() :]]
    seen = [a + b for a, b in zip(kept.moved(free), turned, strict=True)]
    multipliers = solved_ranked(keeping.ranked, seen)
    left = iter(keeping.less(free, multipliers))
    made = dict(rates)
    for name, body in network.bodies.items():
        made[name] = [*rates[name][: body.positions()], *(next(left) for _ in rates[name][body.positions() :])]
    by_place = kept.spread(multipliers)
    return made, [
        by_place.get((name, k), 0) for name, part in network.constraints.items() for k in range(len(part.multipliers))
    ]


def with_multipliers(network: Network, own: States, integrals: Sequence[Scalar], h: Scalar) -> States:
    """The states with the means of multipliers over a step, from their integrals."""
    left = iter(integrals)
    return {**own, **{name: [next(left) / h for _ in own[name]] for name in network.constraints}}


# After a step.


def closed(
    network: Network, own: States, firm: Sequence[Scalar], held: Sequence[Held] = ()
) -> tuple[States, dict[str, Scalar]]:
    """The states with positions that close all gaps and velocities that keep them so; rows that are held (with 1) stay,
    and those that did not count before do not. And what is to be told: the gap that was left, the rank, and how firm
    rows are from now on.
    """
    if not network.constraints:
        return own, {}
    give, held = _giving(Terms(network, Evaluation(own, {}, {})).mass_diagonal, held)
    sizes = {name: len(own[name]) for name in network.bodies}
    start = [x for name in sizes for x in own[name]]
    zero = 0 * start[0]

    def states(flat: Sequence[Scalar]) -> States:
        left = iter(flat)
        return {**own, **{name: [next(left) for _ in range(n)] for name, n in sizes.items()}}

    def one(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        *before, is_open = carry
        after, left = _closer(network, cut_positions(network, states(before[:-1])), firm, give, held)
        kept = [where(is_open > 0, x, y) for x, y in zip([*after, left], before, strict=True)]
        return [
            *kept,
            where((is_open > 0) & (left > tolerance(CLOSED)), 1, 0),
        ]  # of what is closed nothing changes any more

    *flat, left, _ = loop(PASSES, one, [*start, zero, zero + 1], until_zero=len(start) + 1)
    made = states(flat)
    there = kept_rows(network, cut_positions(network, made))
    found = dict(zip(there.places, there.firm, strict=True))
    smallest = there.spread(least_multipliers(there.rows, there.multipliers(made)))
    made = {
        **made,
        **{name: [smallest.get((name, k), 0) for k in range(len(own[name]))] for name in network.constraints},
    }
    from_now = [found.get(place, 0) for place in multipliers_of(network)]
    told_of = {"constraint_gap": left, "constraint_rank": sum((where(x > 0, 1, 0) for x in from_now), start=0)}
    told_of["constraint_change"] = _changed(network.velocities(own), network.velocities(made))
    return made, told_of | dict(zip(firm_slots(network), from_now, strict=True))


def _changed(before: Sequence[Scalar], after: Sequence[Scalar]) -> Scalar:
    """The largest change of a velocity, over the largest velocity."""
    most: Scalar = 0
    largest: Scalar = SLOW
    for x, y in zip(before, after, strict=True):
        most, largest = maximum(most, absolute(y - x)), maximum(largest, absolute(x))
    return most / largest


def _closer(
    network: Network, here: States, firm: Sequence[Scalar], give: Sequence[Scalar], held: Sequence[Held]
) -> tuple[list[Scalar], Scalar]:
    """States of all bodies after a step of Newton's method, and the gap before it."""
    kept, v = kept_rows(network, here, firm), network.velocities(here)
    rows = [*kept.rows, *([r * on for r in row] for row, on in held)]
    W = [[0 if absent(x) else x * g for x, g in zip(row, give, strict=True)] for row in rows]
    factors = ranked(rows, W, [*kept.firm, *(on for _, on in held)])
    still: list[Scalar] = [0] * len(held)
    gaps = kept.gaps
    way = _pushed(W, solved_ranked(factors, [*gaps, *still]))
    change = _pushed(W, solved_ranked(factors, [*kept.moved(v), *still]))
    moved = network.with_velocities(here, [-x for x in way])
    faster = network.with_velocities(here, [x - d for x, d in zip(v, change, strict=True)])
    found: list[Scalar] = []
    for name, body in network.bodies.items():
        nq = body.positions()
        q = [x + d for x, d in zip(here[name][:nq], body.position_rates(list(moved[name])), strict=True)]
        found += body.settle([*q, *faster[name][nq:]])
    return found, _left(kept, gaps)


def _giving(masses: Sequence[Scalar], held: Sequence[Held]) -> tuple[list[Scalar], list[Held]]:
    """How much each velocity gives: next to nothing where a row on it alone is held, unless all are; and the rows that
    are on several.
    """
    give, others = [1 / m for m in masses], []
    for row, on in held:
        places = [k for k, x in enumerate(row) if not absent(x)]
        if len(places) == 1:
            give[places[0]] = where(on > 0, tolerance(STAYS), 1) * give[places[0]]
        else:
            others.append((row, on))
    return give, others


def _left(kept: Kept, gaps: Sequence[Scalar]) -> Scalar:
    """The largest gap, over what the velocities make of it or of others of its group."""
    sizes: dict[Any, Scalar] = {}
    for group, row in zip(kept.groups, kept.rows, strict=True):
        size = sum((absolute(r) for r in row if not absent(r)), start=0)
        sizes[group] = maximum(sizes[group], size) if group in sizes else size
    worst: Scalar = 0
    for gap, group in zip(gaps, kept.groups, strict=True):
        if not absent(gap):
            size = sizes[group]
            worst = maximum(worst, absolute(gap) / where(size > NOTHING, size, 1))
    return worst


def _pushed(columns: Sequence[Sequence[Scalar]], weights: Sequence[Scalar]) -> list[Scalar]:
    total: list[Scalar] = [0] * len(columns[0])
    for column, x in zip(columns, weights, strict=True):
        total = [a if absent(c) else a + c * x for a, c in zip(total, column, strict=True)]
    return total


def told(before: Mapping[str, Scalar], found: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """What is kept of constraints after a step."""
    if not found:
        return {}
    return {
        "constraint_gap": maximum(before["constraint_gap"], found["constraint_gap"]),
        "constraint_rank": found["constraint_rank"],
        "constraint_change": maximum(before["constraint_change"], found["constraint_change"]),
        "least_constraint_rank": minimum(before["least_constraint_rank"], found["constraint_rank"]),
        **{name: x for name, x in found.items() if name.startswith(FIRM)},
    }


def kept_impulses(
    smooth: FlowPart,
    keeping: Keeping,
    rows: Mapping[str, Sequence[Scalar]],
    outcome: Outcome,
    known: Mapping[str, Scalar],
    h: Scalar,
) -> list[Scalar]:
    """Impulses of constraints in a step, from what all else does."""
    impulses = smooth.impulses(known, h)
    for row, p in zip(rows.values(), outcome.impulse, strict=True):
        impulses = [f if absent(r) else f - r * p for f, r in zip(impulses, row, strict=True)]
    if smooth.contacts is not None:
        impulses = [f + smooth.contacts.push(k) for k, f in enumerate(impulses)]
    return keeping.multipliers(added(smooth.terms.velocities, keeping.plain(impulses)))


def held_rows(smooth: FlowPart, found: FoundRows) -> list[Held]:
    """Rows with 1 where they stick or stand at a stop, and so do not move when gaps are closed."""
    held: list[Held] = []
    for name, mode in found.slides.items():
        part = smooth.rigid[name]
        if not part.on:
            stays = absolute(mode) > 1 if isinstance(part, RigidStop) else logical_not(slides(mode))
            held.append((smooth.rows[name], where(stays, 1, 0)))
    return held
