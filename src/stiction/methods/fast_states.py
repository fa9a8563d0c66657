"""States of impedances that are faster than a step of an explicit scheme: currents, filters, and users' own.

No stage follows them, so they are advanced over whole steps by the exponential of their part, in which the motion
counts as it is: with J the slopes of the rates r by the own states y,

    ȳ = y + h φ2(hJ) r                     their mean over the step, whose force acts in the stages
    y⁺ = y + h (φ1(hJ) r + φ2(hJ) (r' − r))   at its end, with the rates r' that the motion makes there

which is exact for what is linear, as electronics are, under a motion that changes evenly. Friction laws are not among
them: how fast they forget depends on the motion, and a note tells where a step is too long.
"""

from collections.abc import Mapping, Sequence

from stiction.errors import TraceError
from stiction.network.network import Network, States
from stiction.network.terms import Matrix
from stiction.parts.friction import RubbingPart
from stiction.parts.ground import Ground
from stiction.parts.kinds import Impedance, Row
from stiction.trace.derivative import directional
from stiction.trace.elimination import eliminated, solved
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, absolute, constant, maximum, sqrt, where
from stiction.trace.parameters import absent

FAST = 1.0  # slope of a rate times step from which on a part is advanced over whole steps
DOUBLINGS = 16  # of the exponential


def fast_parts(network: Network) -> list[str]:
    """Impedances with states of their own that are no friction and not found with rows."""
    return [
        name
        for name, part in network.parts.items()
        if isinstance(part, Impedance) and part.start() and not isinstance(part, (Row, RubbingPart, Ground))
    ]


class _Change:
    """What becomes of the states of a part over a step, in the mean and at its end, and whether it is fast."""

    def __init__(self, y: list[Scalar], rates: list[Scalar], h: Scalar) -> None:
        J = _slopes(y, rates)
        self.any = any(not absent(x) for row in J for x in row)
        if not self.any:
            return
        rate: Scalar = 0
        for i, row in enumerate(J):
            for j in range(i + 1):  # the same in any units of the states
                size = absolute(row[i]) if i == j else sqrt(absolute(row[j] * J[j][i]))
                rate = maximum(rate, size)
        self.fast = h * rate > FAST
        ends, means = exponential([[h * x for x in row] for row in J])
        self.rates, self.h, self.ends, self.means = rates, h, ends, means

    def mean(self) -> list[Scalar]:
        """Change in the mean."""
        return [self.h * _product(row, self.rates) for row in self.means]

    def end(self, later: "_Change") -> list[Scalar]:
        """Change at the end, where the same states change in another way."""
        tilt = [b - a for a, b in zip(self.rates, later.rates, strict=True)]
        both = zip(self.ends, self.means, strict=True)
        return [self.h * (_product(a, self.rates) + _product(b, tilt)) for a, b in both]


def _product(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True) if not (absent(x) or absent(y))), start=0)


def _slopes(y: list[Scalar], rates: list[Scalar]) -> Matrix:
    """∂rates/∂y; none of what searches in a loop, which stages follow as they can."""
    try:
        columns = [directional(rates, {x: 1.0}) if isinstance(x, Expr) else [0] * len(y) for x in y]
    except TraceError:
        columns = [[0] * len(y) for _ in y]
    return [[columns[j][i] for j in range(len(y))] for i in range(len(y))]


def _changes(network: Network, own: States, t: Scalar, h: Scalar) -> Mapping[str, _Change]:
    """Of each part that may be fast."""
    names = fast_parts(network)
    if not names:
        return {}
    held = dict(own) | {name: [constant(x) for x in own[name]] for name in names}  # nodes of their own
    now = network.evaluate(held, t, h)
    found = {name: _Change(held[name], list(now.rates[name]), h) for name in names}
    return {name: change for name, change in found.items() if change.any}


def at_means(network: Network, own: States, t: Scalar, h: Scalar) -> tuple[States, dict[str, Scalar]]:
    """The states with the means over a step of those that are fast, and which parts are, by name."""
    changes = _changes(network, own, t, h)
    means = {
        name: [where(change.fast, y + d, y) for y, d in zip(own[name], change.mean(), strict=True)]
        for name, change in changes.items()
    }
    return dict(own) | means, {name: change.fast for name, change in changes.items()}


def at_end(network: Network, before: States, after: States, t: Scalar, h: Scalar) -> States:
    """The states after a step from time t, whose stages left fast ones as they were."""
    first, last = _changes(network, before, t, h), _changes(network, after, t + h, h)
    ends = {
        name: [where(change.fast, y + d, y) for y, d in zip(after[name], change.end(last[name]), strict=True)]
        for name, change in first.items()
    }
    return dict(after) | ends


def exponential(A: Matrix) -> tuple[Matrix, Matrix]:
    """φ1(A) = (e^A − 1)/A and φ2(A) = (e^A − 1 − A)/A², of a small matrix: the fraction (1 + z/3)/(1 − 2z/3 + z²/6),
    which dies out for all that decays, at z = A/2^16, then doubled.
    """
    n = len(A)
    one: Matrix = [[int(i == j) for j in range(n)] for i in range(n)]
    small = _scaled(A, 1 / 2**DOUBLINGS)
    factors = eliminated(_sum(one, _sum(_scaled(small, -2 / 3), _scaled(_times(small, small), 1 / 6))))

    def over(numerator: Matrix) -> Matrix:
        columns = [solved(factors, [row[k] for row in numerator]) for k in range(n)]
        return [[column[i] for column in columns] for i in range(n)]

    whole, first, second = (
        over(_sum(_scaled(one, a), _scaled(small, b))) for a, b in ((1, 1 / 3), (1, -1 / 6), (1 / 2, -1 / 6))
    )
    for _ in range(DOUBLINGS):
        second = _scaled(_sum(_times(first, first), _scaled(second, 2)), 1 / 4)
        first = _scaled(_times(first, _sum(whole, one)), 1 / 2)
        whole = _times(whole, whole)
    return first, second


def _times(A: Matrix, B: Matrix) -> Matrix:
    n = len(A)
    columns = [[row[k] for row in B] for k in range(n)]
    return [[_product(row, column) for column in columns] for row in A]


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(A, B, strict=True)]


def _scaled(A: Matrix, factor: Scalar) -> Matrix:
    return [[0 if absent(x) else x * factor for x in row] for row in A]
