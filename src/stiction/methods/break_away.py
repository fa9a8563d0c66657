"""How much friction rows have while they slide, and in the step in which they break away."""

from collections.abc import Mapping, Sequence

from stiction.friction.dry import FAST
from stiction.methods.rigid_friction import RigidFriction
from stiction.methods.smooth_part import FlowPart
from stiction.network.terms import Matrix
from stiction.parts.kinds import Row
from stiction.rows.site import Bounds, slides
from stiction.trace.derivative import directional
from stiction.trace.functions import Scalar, absolute, clip, maximum, minimum, where


def bounds_of(smooth: FlowPart, parts: Mapping[str, Row], A: Matrix, c: Sequence[Scalar], h: Scalar) -> list[Bounds]:
    """Bounds of the impulses of rows that are found together: while sliding those of their velocity in this step."""
    own, found = smooth.terms.now.own, []
    last = [h * own[name][1] for name in parts]
    for k, (name, part) in enumerate(parts.items()):
        s, rest = smooth.speed(name), part.bounds(own[name], 0, h)
        constant = rest.slide_positive is rest.rest_positive and rest.slide_negative is rest.rest_negative
        if constant or not isinstance(part, RigidFriction):
            found.append(part.bounds(own[name], s, h))  # friction does not fall with the speed
            continue
        free = c[k] - sum((A[k][j] * p for j, p in enumerate(last) if j != k), start=0)
        stops = A[k][k] * minimum(rest.rest_positive, rest.rest_negative)
        moves = slides(own[name][0]) | (absolute(s) > stops)  # a run may begin while it slides
        found.append(_falling(part, own[name], (s, free, moves), A[k][k], rest, h))
    return found


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
