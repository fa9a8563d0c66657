"""Block Gauss–Seidel: each interval and each contact solved exactly with the others as they are."""

from typing import Any

from stiction.rows.coupled_rows import TINY, CoupledRows, size
from stiction.trace.functions import Scalar, clip, loop, maximum, minimum, where
from stiction.trace.precision import tolerance

ROOT = 24  # halvings by which the slip of one contact is found


def sweep(x: CoupledRows, p: Any) -> None:
    """Solve each block exactly with the others as they are, one after another."""

    def interval(i: Any) -> None:
        p[i] = clip(p[i] - x.speed(p, i) / x.A[i, i], x.blocks.low[i], x.blocks.high[i])

    def cone(k: Any, i: Any) -> None:
        rows = [i + e for e in range(1 + x.blocks.tangents)]
        D = [[x.A[a, b] for b in rows] for a in rows]
        old = [p[r] for r in rows]
        r = [
            x.speed(p, a) - sum((own * impulse for own, impulse in zip(row, old, strict=True)), start=0)
            for a, row in zip(rows, D, strict=True)
        ]
        for a, found in zip(rows, one_contact(D, r, x.blocks.friction[k]), strict=True):
            p[a] = found

    x.intervals(interval)
    x.cones(cone)


def one_contact(D: list[list[Scalar]], r: list[Scalar], friction: Scalar) -> list[Scalar]:
    """The impulse of one contact alone: v = D p + r, exactly."""
    normal = 1 / D[0][0]
    bend = [x * normal for x in D[0][1:]]  # how tangents lift the normal
    tangents = range(len(r) - 1)
    S = [[D[i + 1][j + 1] - bend[j] * D[i + 1][0] for j in tangents] for i in tangents]
    rest = [r[i + 1] - bend[i] * r[0] for i in tangents]

    def impulse(slip: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Normal and tangents where v_t = −slip · p_t and v_n = 0."""
        if len(S) == 1:
            along = [-rest[0] / (S[0][0] + slip)]
        else:
            a, b, d = S[0][0] + slip, S[0][1], S[1][1] + slip
            inverse = 1 / (a * d - b * b)
            along = [(b * rest[1] - d * rest[0]) * inverse, (b * rest[0] - a * rest[1]) * inverse]
        return -r[0] * normal - sum((x * y for x, y in zip(bend, along, strict=True)), start=0), along

    stuck, along = impulse(0)
    sticks = (stuck >= 0) & (size(along) <= friction * stuck)
    most = sum((row[k] for k, row in enumerate(S)), start=0)
    load = maximum(-r[0] * normal, TINY)
    high = most + 2 * size(rest) / maximum(
        friction * load, tolerance(1e-12) * size(rest) + TINY
    )  # there it slips no more

    def halve(_: Scalar, ends: list[Scalar]) -> list[Scalar]:
        low, high = ends
        middle = (low + high) / 2
        pressed, pulled = impulse(middle)
        too_far = (size(pulled) <= friction * pressed) & (pressed >= 0)
        return [where(too_far, low, middle), where(too_far, middle, high)]

    low, high = loop(ROOT, halve, [0 * high, high])
    pressed, pulled = impulse((low + high) / 2)
    pressed = maximum(0, pressed)
    part = minimum(1, friction * pressed / maximum(size(pulled), TINY))
    opens = r[0] >= 0
    found = [where(sticks, stuck, pressed), *(where(sticks, a, b * part) for a, b in zip(along, pulled, strict=True))]
    return [where(opens, 0, x) for x in found]
