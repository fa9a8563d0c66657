"""From poses of a frame to positions of the joints, by damped least squares within the limits of the joints.

With e the pose that is missing (rotation vector and way) and J the Jacobian, both with angles counted as the way of a
point at arm's length, a step is (JᵀJ + λ) δq = Jᵀe, λ growing where a step does not help: Newton's method near a
solution, steepest descent far from it. Joints at the end of their way that would go on are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.errors import InputError, RobotError
from stiction.fields import shortened
from stiction.robot.joint import SINGLE
from stiction.robot.kinematics import frame_index

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

CLOSE = 1e-11  # of the arm's length: pose that may be missing
ITERATIONS = 200
RESTARTS = 40  # poses from which to try, where no guess is given
SINGULAR = 1e-3  # smallest over largest singular value of the Jacobian, angles counted at arm's length
TURN = 2 * np.pi


class Arm(NamedTuple):
    """A robot with a frame that is to be somewhere.

    Attributes:
        robot: all of whose joints have one degree of freedom.
        frame: its name.
        lower: ends of the joints' ways [rad or m], (n,).
        upper: likewise.
        length: of the arm [m], by which angles count.
        turns: which joints turn, (n,).
    """

    robot: Robot
    frame: str
    lower: np.ndarray
    upper: np.ndarray
    length: float
    turns: np.ndarray

    def missing(self, q: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Rotation vector times length [m], then the way [m] from the pose at q to the target, (6,); of a point the
        way alone, (3,).
        """
        here = self.robot.pose(q, self.frame)
        if target.ndim == 1:
            return target - here[:3, 3]
        turn = self.length * rotation_vector(target[:3, :3] @ here[:3, :3].T)
        return np.concatenate([turn, target[:3, 3] - here[:3, 3]])

    def jacobian(self, q: np.ndarray, rows: int = 6) -> np.ndarray:
        """The Jacobian with angles counted at arm's length, (rows, n): the last rows of it."""
        J = self.robot.jacobian(q, self.frame)
        J[:3] *= self.length
        return J[6 - rows :]

    def openness(self, q: np.ndarray) -> float:
        """Smallest over largest singular value of the Jacobian: 0 at a singularity, at most 1."""
        found = np.linalg.svd(self.jacobian(q), compute_uv=False)
        return float(found[-1] / found[0]) if found[0] > 0 else 0.0

    def near(self, q: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """The same pose with joints that turn by at most half a turn from the guess, where their ways allow."""
        moved = np.where(self.turns, q - TURN * np.round((q - guess) / TURN), q)
        return np.where((moved >= self.lower) & (moved <= self.upper), moved, q)


def arm_of(robot: Robot, frame: str) -> Arm:
    """A robot and its frame, made ready."""
    frame_index(robot, frame)  # refuses what is not there
    others = [joint.name for joint in robot.moving_joints if joint.kind not in SINGLE]
    if others:
        raise RobotError(
            f"inverse kinematics of robot '{robot.name}': joint '{others[0]}' has several degrees of freedom; "
            f"allowed: robots of {', '.join(SINGLE)} joints"
        )
    ends = [
        (-np.inf, np.inf) if x.kind == "continuous" or x.limits is None else (x.limits.lower, x.limits.upper)
        for x in robot.moving_joints
    ]
    lower, upper = np.array(ends).T
    length = max(sum(np.linalg.norm(joint.origin.xyz) for joint in robot.joints) / 3, 1e-3)
    turns = np.array([joint.kind != "prismatic" for joint in robot.moving_joints])
    return Arm(robot, frame, lower, upper, float(length), turns)


def inverse_kinematics(robot: Robot, target: Any, frame: str, q: Any = None) -> np.ndarray:
    """Positions of the joints, (nq,) [rad or m], at which a frame has a pose, within the limits of the joints.

    Of several solutions the one that lies nearest by the way from the guess; of a robot with more joints than it needs
    one that keeps near it.

    Args:
        robot: the robot, of joints with one degree of freedom.
        target: pose of the frame in the world, as `pose` gives it, (4, 4); or its position alone, (3,) [m].
        frame: name of a frame or link.
        q: a guess [rad or m], (nq,); without one, many are tried.

    Example:
        >>> import stiction
        >>> arm = stiction.library.puma560()
        >>> target = arm.pose([0.1, 0.5, 2.8, 0.3, 0.7, 0.2], "link6")
        >>> arm.inverse_kinematics(target, "link6", q=[0.0, 0.6, 2.7, 0.2, 0.6, 0.2]).round(9).tolist()
        [0.1, 0.5, 2.8, 0.3, 0.7, 0.2]
    """
    arm, wanted = arm_of(robot, frame), _target(target)
    best: Solution | None = None
    for guess in _guesses(arm) if q is None else [_guess(arm, q)]:
        found = solved(arm, wanted, guess)
        best = found if best is None or found.missing < best.missing else best
        if best.missing <= CLOSE:
            return best.q
    assert best
    raise RobotError(f"inverse kinematics of robot '{robot.name}': {why_not(arm, best, wanted)}")


def _guesses(arm: Arm) -> Iterator[np.ndarray]:
    """Where to begin where nobody says."""
    low = np.where(np.isfinite(arm.lower), arm.lower, np.minimum(-np.pi, arm.upper - 2 * np.pi))
    high = np.where(np.isfinite(arm.upper), arm.upper, np.maximum(np.pi, arm.lower + 2 * np.pi))
    low, high = (np.where(np.isfinite(x), x, y) for x, y in ((low, -np.pi), (high, np.pi)))
    yield np.clip(arm.robot.neutral, low, high)
    random = np.random.default_rng(0)
    for _ in range(RESTARTS):
        yield random.uniform(low, high)


class Solution(NamedTuple):
    """Where a search ended.

    Attributes:
        q: positions [rad or m], (n,).
        missing: the pose that is missing there, over the length of the arm.
    """

    q: np.ndarray
    missing: float


def solved(arm: Arm, target: np.ndarray, guess: np.ndarray) -> Solution:
    """The search from a guess."""
    q, damping = np.clip(guess, arm.lower, arm.upper), 1e-3
    e = arm.missing(q, target)
    for _ in range(ITERATIONS):
        if np.linalg.norm(e) <= CLOSE * arm.length:
            break
        J = arm.jacobian(q, len(e))
        ahead = J.T @ e
        free = ~(((q <= arm.lower) & (ahead < 0)) | ((q >= arm.upper) & (ahead > 0)))
        A = J[:, free]
        pull = damping * min(1.0, float(e @ e) / arm.length**2) * np.eye(len(e)) * arm.length**2
        step = np.zeros_like(q)
        step[free] = A.T @ np.linalg.lstsq(A @ A.T + pull, e, rcond=1e-15)[0]
        step /= max(1.0, (np.abs(step) / np.where(arm.turns, 0.5, np.inf)).max())  # angles go round, lengths do not
        tried = np.clip(q + step, arm.lower, arm.upper)
        rest = arm.missing(tried, target)
        if np.linalg.norm(rest) < np.linalg.norm(e):
            q, e, damping = tried, rest, max(damping / 10, 1e-9)
        elif damping > 1e6:
            break
        else:
            damping *= 10
    return Solution(arm.near(q, guess), float(np.linalg.norm(e)) / arm.length)


def why_not(arm: Arm, found: Solution, target: np.ndarray) -> str:
    """Why a pose is not reached, in words."""
    point = target if target.ndim == 1 else target[:3, 3]
    place = f"'{arm.frame}' does not come to ({', '.join(f'{x:.4g}' for x in point)}) m"
    e = arm.missing(found.q, target)
    lacks = f"{1000 * np.linalg.norm(e[-3:]):.3g} mm"
    if len(e) == 6:
        lacks += f" and {np.degrees(np.linalg.norm(e[:3]) / arm.length):.3g}°"
    names = [joint.name for joint in arm.robot.moving_joints]
    ended = [name for name, a, x, b in zip(names, arm.lower, found.q, arm.upper, strict=True) if not a < x < b]
    if ended:
        why = f"{', '.join(ended)} at the end of {'its way' if len(ended) == 1 else 'their ways'}"
    elif arm.openness(found.q) < SINGULAR:
        why = "the arm is stretched out, or singular in another way"
    else:
        why = "it is out of reach from this guess"
    return f"{place}: {lacks} are missing ({why}); choose a pose within reach, or another guess"


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Axis times angle of rotations, (..., 3) [rad]."""
    w = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    sine = np.linalg.norm(w, axis=-1, keepdims=True) / 2
    cosine = (np.trace(R, axis1=-2, axis2=-1)[..., None] - 1) / 2
    angle = np.arctan2(sine, cosine)
    about = np.where(sine > 1e-7, w / np.where(sine > 1e-7, 2 * sine, 1), 0)
    half = np.sqrt(np.maximum(0, (np.diagonal(R, axis1=-2, axis2=-1) + 1) / 2))  # axis of a half turn, but for signs
    row = np.take_along_axis(R + np.eye(3), half.argmax(-1)[..., None, None], -2)[..., 0, :]
    half = half * np.where(row < 0, -1, 1)
    return np.where(sine > 1e-7, about * angle, np.where(cosine > 0, w / 2, half * np.pi))


def _target(given: Any) -> np.ndarray:
    try:
        target = np.asarray(given, float)
    except (TypeError, ValueError):
        target = np.empty(0)
    sound = target.shape in ((3,), (4, 4)) and bool(np.isfinite(target).all())
    if sound and target.ndim == 2:
        R = target[:3, :3]
        sound = bool(np.abs(R @ R.T - np.eye(3)).max() < 1e-6 and np.linalg.det(R) > 0)
        sound = sound and bool((target[3] == (0, 0, 0, 1)).all())
    if not sound:
        raise InputError(
            f"target is {shortened(repr(given))}; allowed: a pose (4, 4) with a rotation in it, or a position (3,)"
        )
    return target


def _guess(arm: Arm, given: Any) -> np.ndarray:
    try:
        q = np.asarray(given, float)
    except (TypeError, ValueError):
        q = np.empty(0)
    if q.shape != (arm.robot.nq,) or not np.isfinite(q).all():
        raise InputError(f"q is {shortened(repr(given))}; allowed: {arm.robot.nq} finite numbers")
    return q
