"""Where a frame stands in another, as users write it: position, and roll, pitch and yaw."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stiction.fields import numbers
from stiction.robot.element import Element
from stiction.spatial import Matrix, Pose, Vector

EXACT = 1e-15  # how near to 0 or ±1 a sine or cosine is taken for it: π/2 is not exact, quarter turns are meant to be


@dataclass(frozen=True, kw_only=True)
class Origin(Element):
    """Where a frame stands in another.

    Attributes:
        xyz: position of its origin [m], 3 numbers.
        rpy: its roll, pitch and yaw about the fixed x, y and z axes [rad], 3 numbers.

    Example:
        >>> import stiction
        >>> stiction.Origin(xyz=(0, 0, 0.4)).matrix.shape
        (4, 4)
    """

    xyz: Sequence[float] = numbers(3, (0.0, 0.0, 0.0))
    rpy: Sequence[float] = numbers(3, (0.0, 0.0, 0.0))

    @classmethod
    def from_pose(cls, pose: Pose) -> "Origin":
        """The origin of a pose whose entries are floats."""
        R = np.array([list(row) for row in pose.rotation], float)
        pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
        steep = math.hypot(R[2, 1], R[2, 2]) < EXACT  # straight up or down only the difference of roll and yaw matters
        roll = 0.0 if steep else math.atan2(R[2, 1], R[2, 2])
        rest = R @ cls(rpy=(roll, pitch, 0.0)).rotation.T  # a rotation about z
        yaw = math.atan2(rest[1, 0] - rest[0, 1], rest[0, 0] + rest[1, 1])
        return cls(xyz=tuple(float(x) for x in pose.position), rpy=(roll, pitch, yaw))

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix [1], (3, 3); quarter turns are exact."""
        cosines, sines = np.cos(self.rpy), np.sin(self.rpy)
        (cr, cp, cy), (sr, sp, sy) = (np.where(abs(x - x.round()) < EXACT, x.round(), x) for x in (cosines, sines))
        return np.array(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )

    @property
    def matrix(self) -> np.ndarray:
        """Homogeneous matrix, (4, 4): rotation [1] and position [m]."""
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = self.rotation, self.xyz
        return whole

    @property
    def pose(self) -> Pose:
        """The same as the formulas see it."""
        return Pose(Matrix(self.rotation.tolist()), Vector(*self.xyz))
