"""Whether a step can follow what is elastic: one check for all methods, for every run of a batch.

A motion of stuck bristles, or of a spring, is linear at the start; a method multiplies it by a matrix in each step. What grows is
refused, with the largest step at which it does not.
"""

from collections.abc import Callable, Sequence

import numpy as np

from stiction.methods.schemes import Scheme
from stiction.network.wires import NetworkError

Growth = Callable[[float], np.ndarray]  # step [s] -> largest factor by which a motion grows in one step, (runs,)


class RunError(NetworkError):
    """What one run of a batch is refused for.

    Attributes:
        run: its number in the batch.
    """

    def __init__(self, message: str, run: int) -> None:
        super().__init__(message)
        self.run = run


def refuse_growth(growth: Growth, h: float, limit: float, message: Callable[[float, int], str]) -> None:
    """Refuse a run in which something grows beyond a limit; the message is told the largest stable step and the run."""
    now = growth(h)
    if (now < limit).all():
        return
    run = int(np.argmax(now >= limit))
    low, high = 0.0, h
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if growth(middle)[run] < limit else (low, middle)
    raise RunError(message(low, run), run)


def bristle_growth(scheme: Scheme, A: np.ndarray, K: np.ndarray, B: np.ndarray, h: float) -> np.ndarray:
    """Growth of the motion of stuck sites with compliance A (runs, m, m) and bristles K, B (runs, m); below 1 it decays."""
    m = K.shape[1]

    def flow(x: list, _t: float, stage: float) -> list:
        s, e = np.stack(x[:m], axis=1), np.stack(x[m:], axis=1)
        force = K[..., None] * e + (B + stage * K)[..., None] * s
        return [*np.moveaxis(-A @ force, 1, 0), *np.moveaxis(s, 1, 0)]

    return _spectral_radius(scheme, flow, len(K), 2 * m, h)


def spring_growth(scheme: Scheme, K: np.ndarray, B: np.ndarray, h: float) -> np.ndarray:
    """Growth of the motion of springs on unit masses, (runs,)."""

    def flow(x: list, _t: float, _stage: float) -> list:
        return [x[1], -K[:, None] * x[0] - B[:, None] * x[1]]

    return _spectral_radius(scheme, flow, len(K), 2, h)


def _spectral_radius(scheme: Scheme, flow: Callable, runs: int, size: int, h: float) -> np.ndarray:
    units: Sequence[np.ndarray] = [np.broadcast_to(row, (runs, size)) for row in np.eye(size)]
    return spectral_radius(np.stack(scheme(flow, units, 0.0, h), axis=1))


def spectral_radius(step: np.ndarray) -> np.ndarray:
    """Largest size of the eigenvalues of the matrices of a step, (runs,)."""
    with np.errstate(over="ignore", invalid="ignore"):
        sound = np.isfinite(step).all(axis=(1, 2))
        found = np.abs(np.linalg.eigvals(np.where(sound[:, None, None], step, 0.0))).max(axis=1)
    return np.where(sound, found, np.inf)
