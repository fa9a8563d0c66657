"""How much friction rows have while they slide, and in the step in which they break away."""

from collections.abc import Collection, Sequence
from typing import Any

from stiction.friction.dry import FAST
from stiction.methods.rigid_friction import RigidFriction
from stiction.methods.smooth_part import FlowPart
from stiction.network.alike import for_all
from stiction.network.terms import Matrix
from stiction.rows.site import FRICTIONLESS, Bounds, slides
from stiction.trace.derivative import directional
from stiction.trace.functions import Scalar, absolute, clip, maximum, minimum, where


class Together:
    """Rows that are coupled by a matrix, as break-away sees them."""

    def __init__(self, A: Matrix, free: Sequence[Scalar]) -> None:
        self.A, self.free = A, free

    def own(self, k: int) -> Scalar:
        """Velocity of a row under its own unit impulse."""
        return self.A[k][k]

    def alone(self, p: Sequence[Scalar]) -> list[Scalar]:
        """Velocity of each row if all others had these impulses, and it had none."""
        n = range(len(p))
        return [self.free[k] - sum((self.A[k][j] * p[j] for j in n if j != k), start=0) for k in n]


def bounds_of(smooth: FlowPart, rows: Collection[str], coupled: Any, h: Scalar) -> list[Bounds]:
    """Bounds of the impulses of rows that are found together: while sliding those of their velocity in this step."""
    own = smooth.terms.now.own
    names = list(rows)
    falls = [isinstance(part := smooth.rigid[name], RigidFriction) and _falls(part, own[name], h) for name in names]
    last = [h * own[name][1] for name in names]
    alone = coupled.alone(last) if any(falls) else [0] * len(names)
    compliance = [coupled.own(k) if fall else 0 for k, fall in enumerate(falls)]
    given = {
        name: [*own[name], smooth.speed(name), free, A] for name, free, A in zip(names, alone, compliance, strict=True)
    }

    def formula(_: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
        *states, s, free, A = numbers
        if not isinstance(part, RigidFriction) or not _falls(part, states, h):
            return list(part.bounds(states, s, h))
        rest = part.bounds(states, 0, h)
        stops = A * minimum(rest.rest_positive, rest.rest_negative)
        moves = slides(states[0]) | (absolute(s) > stops)  # a run may begin while it slides
        return list(_falling(part, states, (s, free, moves), A, rest, h))

    network = smooth.network
    smooth_ones = [name for name in names if smooth.rigid[name].bounds(own[name], 0, h) is FRICTIONLESS]
    rough = [name for name in names if name not in smooth_ones]
    found = for_all(rough, smooth.rigid, network.kinds, given, formula)
    return [FRICTIONLESS if name in smooth_ones else Bounds(*found[name]) for name in names]


def _falls(part: RigidFriction, own: list[Scalar], h: Scalar) -> bool:
    """Whether friction is less while it slides than at rest."""
    rest = part.bounds(own, 0, h)
    return not (rest.slide_positive is rest.rest_positive and rest.slide_negative is rest.rest_negative)


def _falling(
    part: RigidFriction, own: list[Scalar], motion: tuple[Scalar, Scalar, Scalar], A: Scalar, rest: Bounds, h: Scalar
) -> Bounds:
    """Bounds of a row whose friction falls as soon as it moves. One that is stuck, and would move if all others held as
    in the last step, begins with half the speed that it gets beyond break-away; its friction is that of the speed that
    this very fall gives it, by its slope, but not below what it is when it slides fast.
    """
    s, free, moves = motion
    begins = maximum(0, free - A * rest.rest_positive) - maximum(0, -free - A * rest.rest_negative)
    at = where(moves, s, begins / 2)
    now = part.bounds(own, at, h)
    w = absolute(at)
    (slope,) = directional([part.strength(w, at)], {w: 1.0})
    sliding = where(begins < 0, now.slide_negative, now.slide_positive)
    less = where(begins < 0, rest.rest_negative, rest.rest_positive) - sliding
    fast = minimum(sliding, h * part.strength(FAST, at))
    fallen = clip(sliding + h * slope * A * less / 2, fast, sliding)
    return now._replace(
        slide_positive=where(moves | (begins <= 0), now.slide_positive, fallen),
        slide_negative=where(moves | (begins >= 0), now.slide_negative, fallen),
    )
