"""Dynamics as a tool feels it: F = Λ V̇ + η along chosen directions of a frame (course, section 6).

Λ = (J M⁻¹ Jᵀ)⁻¹ and η = Λ (J M⁻¹ h − J̇ q̇) hold for as many directions as joints or fewer; with as many they are the
textbook's J⁻ᵀ M J⁻¹ and J⁻ᵀ h − Λ J̇ J⁻¹ V. With fewer, J̄ = M⁻¹ Jᵀ Λ is the dynamically consistent inverse, and torques
Nᵀ τ with N = 1 − J̄ J do not move the tool.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.errors import InputError, StictionWarning
from stiction.robot.ports import GRAVITY

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

DIRECTIONS = ("wx", "wy", "wz", "x", "y", "z")  # rows of a Jacobian: turns about the axes, and ways along them
SINGULAR = 1e-6  # smallest over largest eigenvalue of J M⁻¹ Jᵀ, angles counted at arm's length, that is one


class TaskSpace(NamedTuple):
    """A robot at a moment as its tool feels it; leading axes are a batch.

    Attributes:
        directions: along which.
        jacobian: J, (..., k, nv).
        inertia: Λ [kg m², kg m, kg], (..., k, k).
        bias: η: what rest along the directions takes [N·m, N], (..., k).
        inverse: J̄, the dynamically consistent inverse of J, (..., nv, k).
        null: N = 1 − J̄ J: velocities that do not move the tool, (..., nv, nv).
        openness: smallest over largest eigenvalue of J M⁻¹ Jᵀ, angles counted at arm's length, (...); 0 at a
            singularity.
        damped: whether Λ was damped, as it is where openness is below 1e−6, (...).
    """

    directions: tuple[str, ...]
    jacobian: np.ndarray
    inertia: np.ndarray
    bias: np.ndarray
    inverse: np.ndarray
    null: np.ndarray
    openness: np.ndarray
    damped: np.ndarray

    def force(self, acceleration: Any, tip: Any = 0.0) -> np.ndarray:
        """F = Λ V̇ + η + F_tip: forces at the tool that give it an acceleration while it pushes on something with
        F_tip, (..., k) [N·m, N].
        """
        moved = np.einsum("...ij,...j->...i", self.inertia, self._along(acceleration))
        return moved + self.bias + self._along(tip)

    def acceleration(self, force: Any) -> np.ndarray:
        """V̇ = Λ⁻¹ (F − η): what forces at the tool do, (..., k) [rad/s², m/s²]."""
        return np.linalg.solve(self.inertia, (self._along(force) - self.bias)[..., None])[..., 0]

    def torque(self, force: Any, posture: Any = 0.0) -> np.ndarray:
        """τ = Jᵀ F + Nᵀ τ0: torques of the joints for a force at the tool, and torques τ0 as far as they do not move
        it, (..., nv) [N·m or N].
        """
        held = np.asarray(posture, float) * np.ones(self.jacobian.shape[-1])
        pushed = np.einsum("...ij,...i->...j", self.jacobian, self._along(force))
        return pushed + np.einsum("...ij,...i->...j", self.null, held)

    def _along(self, given: Any) -> np.ndarray:
        """Numbers along the directions; one number is 0 or the same along all of them."""
        x, k = np.asarray(given, float), len(self.directions)
        if (x.ndim and x.shape[-1] != k) or not np.isfinite(x).all():
            raise InputError(f"{given!r} was given; allowed: {k} finite numbers, along {', '.join(self.directions)}")
        return x if x.ndim else x * np.ones(k)


def task_space(
    robot: Robot,
    q: Any,
    v: Any,
    frame: str,
    directions: Sequence[str] = DIRECTIONS,
    *,
    gravity: Any = GRAVITY,
) -> TaskSpace:
    """The dynamics of a robot along directions of a frame, in the world's axes. Where they cannot all be moved, Λ is
    damped, which is told by a warning and by `damped`.

    Args:
        robot: the robot.
        q: positions [rad or m], (..., nq).
        v: velocities [rad/s or m/s], (..., nv).
        frame: name of a frame or link.
        directions: some of "wx", "wy", "wz" (turns) and "x", "y", "z" (ways); at most as many as the robot has joints.
        gravity: acceleration of free fall [m/s²], (3,).

    Example:
        >>> import stiction
        >>> arm = stiction.library.rp_arm(first_inertia=0.1, second_inertia=0.1)
        >>> arm.task_space([0.0, 2.0], [0.0, 0.0], "slider", ("x", "y")).inertia.round(6).tolist()
        [[1.0, 0.0], [0.0, 1.1125]]
    """
    rows = _rows(robot, directions)
    q, v = np.asarray(q, float), np.asarray(v, float)
    J = robot.jacobian(q, frame)[..., rows, :]
    rate = np.einsum("...ij,...j->...i", robot.jacobian_rate(q, v, frame)[..., rows, :], v)
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise InputError("q or v holds what is no finite number; allowed: finite numbers")
    h = robot.inverse_dynamics(q, v, np.zeros_like(v), gravity=gravity)
    M = robot.mass_matrix(q)
    back = np.linalg.solve(M, np.swapaxes(J, -1, -2))  # M⁻¹ Jᵀ
    A = J @ back
    openness, damping = _openness(robot, A, rows)
    inertia = np.linalg.inv(A + damping)
    free = np.einsum("...ij,...j->...i", J, np.linalg.solve(M, h[..., None])[..., 0])
    bias = np.einsum("...ij,...j->...i", inertia, free - rate)
    inverse = back @ inertia
    null = np.eye(robot.nv) - inverse @ J
    return TaskSpace(tuple(directions), J, inertia, bias, inverse, null, openness, openness < SINGULAR)


def _rows(robot: Robot, directions: Sequence[str]) -> list[int]:
    """Rows of the Jacobian that some directions are."""
    listed = not isinstance(directions, str) and all(x in DIRECTIONS for x in directions)
    if not listed or not directions or len(set(directions)) != len(directions) or len(directions) > robot.nv:
        raise InputError(
            f"directions is {directions!r}; allowed: up to {min(robot.nv, 6)} of {', '.join(DIRECTIONS)}, as robot "
            f"'{robot.name}' has {robot.nv} velocities"
        )
    return [DIRECTIONS.index(x) for x in directions]


def arms_length(robot: Robot) -> float:
    """A length by which angles count as ways: a third of that of all links [m]."""
    return max(sum(float(np.linalg.norm(joint.origin.xyz)) for joint in robot.joints) / 3, 1e-3)


def _openness(robot: Robot, A: np.ndarray, rows: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """How far from singular J M⁻¹ Jᵀ is, and what is added to it where it is."""
    length = arms_length(robot)
    scale = np.array([length if row < 3 else 1.0 for row in rows])
    scaled = A * scale[:, None] * scale
    eigenvalues = np.linalg.eigvalsh(scaled)
    largest = np.maximum(eigenvalues[..., -1], 1e-300)
    openness = np.maximum(eigenvalues[..., 0], 0.0) / largest
    if (openness < SINGULAR).any():
        warnings.warn(
            "the Jacobian is singular along these directions: Λ is damped, and large along what cannot be moved "
            "(`damped` tells where)",
            StictionWarning,
            stacklevel=3,
        )
    missing = np.where(openness < SINGULAR, SINGULAR * largest, 0.0)
    return openness, missing[..., None, None] * np.diag(1 / scale**2)
