"""The rows of all constraints of a network: gaps b, and A by which they and velocities that are kept follow from v."""

from collections.abc import Sequence
from typing import NamedTuple

from stiction.constraint.constraint import ConstraintError
from stiction.constraint.rows import present_motion, unit_motions
from stiction.network.network import Network, States, cut
from stiction.rows.ranked import arranged
from stiction.trace.derivative import directional
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, constant, where
from stiction.trace.parameters import absent

Matrix = list[list[Scalar]]


class Kept(NamedTuple):
    """Rows of constraints, of each group those first that count.

    Attributes:
        rows: A, over the velocities of all bodies, (k, n).
        gaps: b, (k,); 0 of rows that keep a velocity alone.
        places: part and number of the multiplier of each row, as they come.
        order: which of these each row is, (k,).
        groups: rows of one group have one unit.
        firm: how much of each row does not follow from those before it; 0 for rows that do not count.
    """

    rows: Matrix
    gaps: list[Scalar]
    places: list[tuple[str, int]]
    order: list[Scalar]
    groups: list[tuple[str, str | int]]
    firm: list[Scalar]

    def moved(self, v: Sequence[Scalar]) -> list[Scalar]:
        """A v."""
        return [sum((r * x for r, x in zip(row, v, strict=True) if not absent(r)), start=0) for row in self.rows]

    def pushed(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """Aᵀ λ, along the velocities."""
        total: list[Scalar] = [0] * len(self.rows[0])
        for row, x in zip(self.rows, multipliers, strict=True):
            total = [f if absent(r) else f + r * x for f, r in zip(total, row, strict=True)]
        return total

    def multipliers(self, own: States) -> list[Scalar]:
        """Those that are kept in the states, in the order of the rows."""
        kept = [own[name][k] for name, k in self.places]
        found = []
        for p, group in enumerate(self.groups):
            mine = [j for j, other in enumerate(self.groups) if other == group]
            found.append(_chosen([(self.order[p], j, kept[j]) for j in mine]))
        return found

    def spread(self, values: Sequence[Scalar]) -> dict[tuple[str, int], Scalar]:
        """Numbers of the rows, by the places of their multipliers."""
        found = {}
        for j, group in enumerate(self.groups):
            mine = [p for p, other in enumerate(self.groups) if other == group]
            found[self.places[j]] = _chosen([(self.order[p], j, values[p]) for p in mine])
        return found


def _chosen(candidates: Sequence[tuple[Scalar, int, Scalar]]) -> Scalar:
    """The value of the candidate whose number is the wanted one."""
    if len(candidates) == 1:
        return candidates[0][2]
    return sum((where(order == j, x, 0) for order, j, x in candidates), start=0)


def cut_positions(network: Network, own: States) -> States:
    """The states with positions by which slopes can be taken."""
    made = dict(own)
    for name, body in network.bodies.items():
        nq = body.positions()
        made[name] = [*map(cut, own[name][:nq]), *own[name][nq:]]
    return made


def kept_rows(network: Network, own: States, firm: Sequence[Scalar] | None = None, every: bool = False) -> Kept:
    """The rows at some states, whose positions are cut; `firm`: how firm they were where all gaps were closed, by
    place; None: here they are. `every` row, also such as no velocity can change, as they come.
    """
    signals = network.motions(own)
    gaps: list[list[Scalar]] = []
    for name, part in network.constraints.items():
        gaps.append(list(part.gaps(network.inputs(name, signals))))
        others = list(part.velocities(network.inputs(name, signals)))
        if len(gaps[-1]) + len(others) != len(part.multipliers):
            raise ConstraintError(
                f"'{name}' gives {len(gaps[-1])} gaps and {len(others)} velocities for {len(part.multipliers)} "
                f"multipliers ({', '.join(part.multipliers)}); allowed: one for each"
            )
    seeds = [x for name, body in network.bodies.items() for x in unit_motions(body, own[name])]
    columns = [directional([b for of in gaps for b in of], moving) for moving in seeds]
    velocities = _velocity_columns(network, own)
    rows: Matrix = []
    values: list[Scalar] = []
    places: list[tuple[str, int]] = []
    groups: list[tuple[str, str | int]] = []
    first = 0
    for (name, part), own_gaps in zip(network.constraints.items(), gaps, strict=True):
        for k in range(len(part.multipliers)):
            holonomic = k < len(own_gaps)
            column = [c[first + k] for c in columns] if holonomic else [v[name][k - len(own_gaps)] for v in velocities]
            if not every and all(map(absent, column)):
                continue
            rows.append(column)
            values.append(own_gaps[k] if holonomic else 0)
            places.append((name, k))
            groups.append(group_of(network, name, k))
        first += len(own_gaps)
    if every:
        return Kept(rows, values, places, list(range(len(rows))), groups, [])
    number = {place: k for k, place in enumerate(multipliers_of(network))}
    before = None if firm is None else [firm[number[place]] for place in places]
    found = arranged(rows, values, groups, before)
    return Kept(found.rows, found.gaps, places, found.order, groups, found.firm)


def multipliers_of(network: Network) -> list[tuple[str, int]]:
    """Part and number of each multiplier."""
    return [(name, k) for name, part in network.constraints.items() for k in range(len(part.multipliers))]


def group_of(network: Network, name: str, k: int) -> tuple[str, str | int]:
    """Rows of one group have one unit: of constraints between frames forces, and moments; else each row is one."""
    part = network.constraints[name]
    return name, part.multipliers[k].partition(".")[0] if part.alike else k


def _velocity_columns(network: Network, own: States) -> list[dict[str, list[Scalar]]]:
    """What rows of velocities are under each velocity alone, by constraint."""
    n = len(network.velocities(own))
    bound = {name: part for name, part in network.constraints.items() if part.keeps_velocities}
    found = []
    for k in range(n):
        signals = network.motions(network.with_velocities(own, [int(j == k) for j in range(n)])) if bound else {}
        found.append({name: list(part.velocities(network.inputs(name, signals))) for name, part in bound.items()})
    return found


def turning_rates(network: Network, own: States, kept: Kept, v: Sequence[Scalar]) -> list[Scalar]:
    """Ȧ v: how A v changes while positions move and velocities stay."""
    moving: dict[Expr, Scalar] = {}
    for name, body in network.bodies.items():
        moving |= present_motion(body, own[name])
    return directional(kept.moved([constant(x) for x in v]), moving)
