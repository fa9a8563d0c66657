"""Rotation matrices: about an axis, from a quaternion (w, x, y, z), from roll, pitch and yaw."""

from collections.abc import Sequence
from typing import NamedTuple

from stiction.spatial.vector import IDENTITY, Matrix, Vector, outer, skew
from stiction.trace.functions import Scalar, cos, maximum, sin, sqrt, where


class Angle(NamedTuple):
    """Sine and cosine of an angle."""

    sin: Scalar
    cos: Scalar

    @property
    def numbers(self) -> list[Scalar]:
        """Both."""
        return [self.sin, self.cos]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "Angle":
        """Of two numbers."""
        return Angle(*x)


def about(axis: Vector, angle: Scalar) -> Matrix:
    """Rotation by `angle` [rad] about a unit axis (Rodrigues)."""
    return turned(IDENTITY, axis, Angle(sin(angle), cos(angle)))


def turned(R: Matrix, axis: Vector, angle: Angle) -> Matrix:
    """A rotation followed by one by an angle about a unit axis: R a aᵀ + (R − R a aᵀ) cos + R [a] sin, so that what
    does not depend on the angle comes first.
    """
    fixed = R @ outer(axis, axis)
    return fixed + (R - fixed) * angle.cos + R @ skew(axis) * angle.sin


def from_quaternion(q: list[Scalar]) -> Matrix:
    """Rotation of a quaternion (w, x, y, z), which need not have unit length."""
    w, x, y, z = q
    s = 2 / (w * w + x * x + y * y + z * z)
    xx, yy, zz = s * x * x, s * y * y, s * z * z
    xy, xz, yz = s * x * y, s * x * z, s * y * z
    wx, wy, wz = s * w * x, s * w * y, s * w * z
    return Matrix(
        (
            (1 - (yy + zz), xy - wz, xz + wy),
            (xy + wz, 1 - (xx + zz), yz - wx),
            (xz - wy, yz + wx, 1 - (xx + yy)),
        )
    )


def to_quaternion(R: Matrix) -> list[Scalar]:
    """The quaternion (w, x, y, z) of a rotation, by the largest of its numbers (Shepperd 1978)."""
    (a, b, c), (d, e, f), (g, h, i) = R.rows
    trace = a + e + i
    candidates = [
        (trace, [1 + trace, h - f, c - g, d - b]),
        (a, [h - f, 1 + a - e - i, b + d, c + g]),
        (e, [c - g, b + d, 1 + e - a - i, f + h]),
        (i, [d - b, c + g, f + h, 1 + i - a - e]),
    ]
    largest, found = candidates[0]
    for x, numbers in candidates[1:]:
        found = [where(x > largest, new, old) for new, old in zip(numbers, found, strict=True)]
        largest = maximum(largest, x)
    size = sqrt(sum((x * x for x in found), start=0))
    return [x / size for x in found]


def quaternion_rate(q: list[Scalar], w: Vector) -> list[Scalar]:
    """Rate of change [1/s] of a quaternion when the body turns at w [rad/s] in its own axes."""
    a, x, y, z = q
    return [
        (-x * w.x - y * w.y - z * w.z) / 2,
        (a * w.x + y * w.z - z * w.y) / 2,
        (a * w.y + z * w.x - x * w.z) / 2,
        (a * w.z + x * w.y - y * w.x) / 2,
    ]


def from_rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Matrix:
    """Rotation by roll about x, then pitch about y, then yaw about z, all fixed axes [rad] (as in URDF)."""
    x, y, z = Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)
    return about(z, yaw) @ about(y, pitch) @ about(x, roll)
