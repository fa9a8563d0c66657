"""Cubic splines through points: two continuous derivatives, given slopes at both ends."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction.trace.functions import Scalar, lookup


def spline_rows(knots: np.ndarray, values: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """A row for each interval of a spline: its first knot, then four coefficients of each coordinate, (N, 1 + 4 n).

    Args:
        knots: rising, (N + 1,).
        values: at the knots, (N + 1, n).
        first: slopes at the first knot, (n,).
        last: slopes at the last knot, (n,).
    """
    h = np.diff(knots)[:, None]
    rise = np.diff(values, axis=0) / h
    slopes = np.empty_like(values)
    slopes[0], slopes[-1] = first, last
    if len(knots) > 2:
        slopes[1:-1] = _inner_slopes(h[:, 0], rise, first, last)
    second = (3 * rise - 2 * slopes[:-1] - slopes[1:]) / h
    third = (slopes[:-1] + slopes[1:] - 2 * rise) / (h * h)
    coefficients = np.stack([values[:-1], slopes[:-1], second, third], axis=-1)
    return np.concatenate([knots[:-1, None], coefficients.reshape(len(h), -1)], axis=1)


def _inner_slopes(h: np.ndarray, rise: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Slopes at the inner knots at which the second derivative is continuous: one sweep down and one back."""
    below, above = h[1:], h[:-1]  # factors of the slopes before and after each inner knot
    right = 3 * (below[:, None] * rise[:-1] + above[:, None] * rise[1:])
    right[0] -= below[0] * first
    right[-1] -= above[-1] * last
    diagonal = 2 * (below + above)
    for k in range(1, len(diagonal)):
        factor = below[k] / diagonal[k - 1]
        diagonal[k] -= factor * above[k - 1]
        right[k] -= factor * right[k - 1]
    for k in range(len(diagonal) - 1, -1, -1):
        ahead = above[k] * right[k + 1] if k + 1 < len(diagonal) else 0
        right[k] = (right[k] - ahead) / diagonal[k]
    return right


def on_spline(rows: Any, index: Scalar, x: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Values, first and second derivatives at x, which lies in interval number `index`; `rows` are those of
    `spline_rows`, or what stands for them in a program.
    """
    first, *numbers = lookup(rows, index) if isinstance(rows, Sequence) else rows.row(index)
    d = x - first
    groups = [numbers[k : k + 4] for k in range(0, len(numbers), 4)]
    return (
        [a + d * (b + d * (c + d * e)) for a, b, c, e in groups],
        [b + d * (2 * c + d * (3 * e)) for _, b, c, e in groups],
        [2 * c + 6 * d * e for _, _, c, e in groups],
    )
