"""Ellipses and ellipsoids of a robot: what unit accelerations take, and what unit velocities of joints give (course,
sections 2 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.robot.task_space import task_space

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

KINDS = ("torque", "mass", "velocity")


class Ellipsoid(NamedTuple):
    """What a symmetric matrix makes of the unit sphere.

    Attributes:
        kind: "torque", "mass" or "velocity".
        labels: what the coordinates are.
        radii: half axes, rising, (k,).
        axes: their directions, the columns of (k, k).
        matrix: which makes it of the unit sphere, (k, k).
        center: where the tool is [m], (3,); zeros of the torque ellipsoid.

    Example:
        >>> import stiction
        >>> felt = stiction.library.two_link(lengths=(1.0, 1.0)).ellipsoid([0.2, 1.2], "mass", "tip", ("x", "y"))
        >>> felt.radii.round(3).tolist(), felt.points().shape
        ([1.0, 2.151], (100, 2))
    """

    kind: str
    labels: tuple[str, ...]
    radii: np.ndarray
    axes: np.ndarray
    matrix: np.ndarray
    center: np.ndarray

    def points(self, count: int = 100) -> np.ndarray:
        """Points of the ellipse, (count, 2), or ellipsoid, (count, count, 3), around 0."""
        angle = np.linspace(0, 2 * np.pi, count)
        if len(self.radii) == 2:
            circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        elif len(self.radii) == 3:
            up = np.linspace(0, np.pi, count)[:, None]
            round_ = [np.sin(up) * np.cos(angle), np.sin(up) * np.sin(angle), np.cos(up) * np.ones_like(angle)]
            circle = np.stack(round_, axis=-1)
        else:
            raise InputError(f"it has {len(self.radii)} dimensions; only 2 and 3 can be drawn")
        return circle * self.radii @ self.axes.T


def ellipsoid(
    robot: Robot, q: Any, kind: str = "torque", frame: str | None = None, directions: Sequence[str] = ("x", "y", "z")
) -> Ellipsoid:
    """The ellipsoid of a robot at positions q [rad or m], (nq,).

    Args:
        robot: the robot.
        q: where it is.
        kind: "torque": torques M a of accelerations of length 1; "mass": forces Λ a at a tool, likewise; "velocity":
            velocities of the tool by joint velocities of length 1.
        frame: the tool, of the latter two.
        directions: of the tool, as those of `robot.task_space`.

    Example:
        >>> import stiction
        >>> arm = stiction.library.rp_arm(first_inertia=0.1, second_inertia=0.1)
        >>> arm.ellipsoid([0.0, 2.0], "mass", "slider", ("x", "y")).radii.round(6).tolist()
        [1.0, 1.1125]
    """
    q = np.asarray(q, float)
    if q.shape != (robot.nq,):
        raise InputError(f"q has the shape {q.shape}; allowed: ({robot.nq},)")
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; allowed: {', '.join(KINDS)}")
    if kind == "torque":
        M = robot.mass_matrix(q)
        radii, axes = np.linalg.eigh(M)
        return Ellipsoid(kind, robot.velocity_names, radii, axes, M, np.zeros(3))
    if frame is None:
        raise InputError(f"kind {kind!r} is that of a tool; give its frame")
    space = task_space(robot, q, np.zeros(robot.nv), frame, directions)
    center = robot.pose(q, frame)[:3, 3]
    if kind == "mass":
        radii, axes = np.linalg.eigh(space.inertia)
        return Ellipsoid(kind, space.directions, radii, axes, space.inertia, center)
    U, radii, _ = np.linalg.svd(space.jacobian)
    size = len(space.directions)
    radii = np.pad(radii, (0, size - len(radii)))[::-1]
    axes = U[:, ::-1]
    return Ellipsoid(kind, space.directions, radii, axes, axes * radii @ axes.T, center)
