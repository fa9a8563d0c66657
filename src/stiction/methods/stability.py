"""Whether a step can follow what is elastic: one check for all methods, for every run of a batch.

A motion of stuck bristles, or of a spring, is linear at the start; a method multiplies it by a matrix in each step.
What grows is refused, with the largest step at which it does not.
"""

from collections.abc import Callable

import numpy as np

from stiction.methods.schemes import Scheme
from stiction.network.wires import NetworkError

NEUTRAL = 1e-6  # distance of an eigenvalue from 1 that is rounding; these are double, so it is the root of one

Growth = Callable[[float], np.ndarray]  # step [s] -> largest factor by which a motion grows in one step, (runs,)


class RunError(NetworkError):
    """What one run of a batch is refused for.

    Attributes:
        run: its number in the batch.
    """

    def __init__(self, message: str, run: int = 0) -> None:
        super().__init__(message)
        self.run = run


def refuse_runs(wrong: np.ndarray, message: str) -> None:
    """Refuse the first run in which something is wrong, (runs,)."""
    if wrong.any():
        raise RunError(message, int(np.argmax(wrong)))


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
    """Growth of the motion of stuck sites with compliance A (runs, m, m) and bristles K, B (runs, m); below 1 it
    decays.
    """
    runs, m = K.shape
    rates, of_stage = np.zeros(
        (2, runs, 2 * m, 2 * m)
    )  # of velocities and bendings: ṡ = −A (K e + (B + stage K) s), ė = s
    rates[:, :m, :m], rates[:, :m, m:] = -A * B[:, None], -A * K[:, None]
    rates[:, m:, :m] = np.eye(m)
    of_stage[:, :m, :m] = -A * K[:, None]
    return _growth(scheme, rates, of_stage, h)


def spring_growth(scheme: Scheme, K: np.ndarray, B: np.ndarray, h: float) -> np.ndarray:
    """Growth of the motion of springs on unit masses, (runs,)."""
    rates = np.zeros((len(K), 2, 2))
    rates[:, 0, 1], rates[:, 1, 0], rates[:, 1, 1] = 1.0, -K, -B
    return _growth(scheme, rates, np.zeros_like(rates), h)


def _growth(scheme: Scheme, rates: np.ndarray, of_stage: np.ndarray, h: float) -> np.ndarray:
    """Growth of ẋ = (rates + stage · of_stage) x in one step of a scheme, (runs,)."""

    def flow(x: list, _t: float, stage: float) -> list:
        return [(rates + stage * of_stage) @ x[0]]

    units = np.broadcast_to(np.eye(rates.shape[-1]), rates.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        return spectral_radius(scheme(flow, [units], 0.0, h)[0])


def spectral_radius(step: np.ndarray) -> np.ndarray:
    """Largest size of the eigenvalues of the matrices of a step, (runs,); what stays as it is counts as 0.

    Bristles of sites that depend on each other can hold each other bent for ever: that neither moves nor grows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        sound = np.isfinite(step).all(axis=(1, 2))
        found = np.linalg.eigvals(np.where(sound[:, None, None], step, 0.0))
    moving = np.where(np.abs(found - 1) < NEUTRAL, 0.0, np.abs(found))
    return np.where(sound, moving.max(axis=1), np.inf)
