"""Whether a step can follow what is elastic: one check for all methods, for every run of a batch.

A motion of stuck bristles, or of a spring, is linear at the start; a method multiplies it by a matrix in each step.
What grows is refused, with the largest step at which it does not.
"""

from collections.abc import Callable
from hashlib import blake2b

import numpy as np

from stiction.methods.schemes import Scheme
from stiction.network.wires import NetworkError

SHORTEST = 1e-12  # s: shorter steps make springs that leave the range of numbers
DEPENDENT = 1e-9  # part of the largest compliance below which sites do not move by themselves

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


def bristle_growth(
    scheme: Scheme, A: np.ndarray, K: np.ndarray, B: np.ndarray, h: float, staged: np.ndarray | float = 1.0
) -> np.ndarray:
    """Growth of the motion of stuck sites with compliance A (runs, m, m) and bristles K, B (runs, m); below 1 it
    decays. Bristles of dry laws reckon with the stage of a scheme (`staged`, (m,)), those of others do not.

    Sites that depend on each other, as two on one joint do, move together: A = L Lᵀ, s = L u, bendings e = L x, and
    u̇ = −Lᵀ (K L x + (B + stage K) L u), ẋ = u. What A does not move is left out.
    """
    firsts, like = _distinct(A, K, B)
    A, K, B = A[firsts], K[firsts], B[firsts]
    runs, m = K.shape
    L, moves = _ways(A)
    stiff, damped, of_stages = (np.moveaxis(L, 1, 2) @ (x[:, :, None] * L) for x in (K, B, K * staged))
    rates, of_stage = np.zeros((2, runs, 2 * m, 2 * m))
    rates[:, :m, :m], rates[:, :m, m:] = -damped, -stiff
    rates[:, m:, :m] = np.eye(m) * moves[:, None]
    of_stage[:, :m, :m] = -of_stages
    return _growth(scheme, rates, of_stage, h, np.concatenate([moves, moves], axis=1))[like]


def midpoint_growth(A: np.ndarray, K: np.ndarray, B: np.ndarray, h: float) -> np.ndarray:
    """The same for springs under the midpoint, which takes them in the middle of a step and dampers as its mean:
    (1 + h/2 D) δu = −h (S (x + h/2 u) + D u), x⁺ = x + h (u + δu/2).
    """
    firsts, like = _distinct(A, K, B)
    A, K, B = A[firsts], K[firsts], B[firsts]
    L, moves = _ways(A)
    S, D = (np.moveaxis(L, 1, 2) @ (x[:, :, None] * L) for x in (K, B))
    one = np.broadcast_to(np.eye(K.shape[1]), S.shape)
    damped = np.linalg.inv(one + h / 2 * D)
    by_x, by_u = -h * damped @ S, -h * damped @ (h / 2 * S + D)
    step = np.block([[one + h / 2 * by_x, h * one + h / 2 * by_u], [by_x, one + by_u]])
    kept = np.concatenate([moves, moves], axis=1)
    return spectral_radius(step * kept[:, None] * kept[:, :, None])[like]


def _distinct(*arrays: np.ndarray) -> tuple[list[int], list[int]]:
    """The first of each kind of equal runs, and of which kind each run is: most batches differ by friction alone."""
    kinds: dict[bytes, int] = {}
    like, firsts = [], []
    for run, numbers in enumerate(zip(*arrays, strict=True)):
        digest = blake2b(b"".join(np.ascontiguousarray(x).tobytes() for x in numbers), digest_size=16).digest()
        if digest not in kinds:
            firsts.append(run)
        like.append(kinds.setdefault(digest, len(kinds)))
    return firsts, like


def _ways(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L with A = L Lᵀ, (runs, m, m), and which of its columns move something, (runs, m)."""
    sizes, ways = np.linalg.eigh((A + np.moveaxis(A, 1, 2)) / 2)
    moves = sizes > DEPENDENT * sizes.max(axis=1, keepdims=True)
    return ways * np.sqrt(np.where(moves, sizes, 0.0))[:, None], moves


def _growth(
    scheme: Scheme, rates: np.ndarray, of_stage: np.ndarray, h: float, moves: np.ndarray | None = None
) -> np.ndarray:
    """Growth of ẋ = (rates + stage · of_stage) x in one step of a scheme, of the states that move, (runs,)."""

    def flow(x: list, _t: float, stage: float) -> list:
        return [(rates + stage * of_stage) @ x[0]]

    units = np.broadcast_to(np.eye(rates.shape[-1]), rates.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        step = scheme(flow, [units], 0.0, h)[0]
    return spectral_radius(step if moves is None else step * moves[:, None])


def spectral_radius(step: np.ndarray) -> np.ndarray:
    """Largest size of the eigenvalues of the matrices of a step, (runs,)."""
    with np.errstate(over="ignore", invalid="ignore"):
        sound = np.isfinite(step).all(axis=(1, 2))
        found = np.linalg.eigvals(np.where(sound[:, None, None], step, 0.0))
    return np.where(sound, np.abs(found).max(axis=1), np.inf)
