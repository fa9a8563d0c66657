"""Twists, wrenches and the poses that carry them from frame to frame (angular part first)."""

from collections.abc import Sequence
from typing import NamedTuple

from stiction.spatial.vector import IDENTITY, ZERO, Matrix, Vector
from stiction.trace.functions import Scalar


class Twist(NamedTuple):
    """Angular velocity [rad/s] and velocity [m/s] of a frame's origin; also used for accelerations."""

    angular: Vector
    linear: Vector

    def __add__(self, other: "Twist") -> "Twist":
        return Twist(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other: "Twist") -> "Twist":
        return Twist(self.angular - other.angular, self.linear - other.linear)

    def __mul__(self, factor: Scalar) -> "Twist":
        return Twist(self.angular * factor, self.linear * factor)

    def dot(self, wrench: "Wrench") -> Scalar:
        """Power [W] of a wrench on this motion."""
        return self.angular.dot(wrench.moment) + self.linear.dot(wrench.force)

    def cross(self, other: "Twist") -> "Twist":
        """Rate of change of a twist that moves along with this one (ad)."""
        linear = self.angular.cross(other.linear) + self.linear.cross(other.angular)
        return Twist(self.angular.cross(other.angular), linear)

    def cross_wrench(self, f: "Wrench") -> "Wrench":
        """Rate of change of a wrench that moves along with this twist (−adᵀ)."""
        return Wrench(self.angular.cross(f.moment) + self.linear.cross(f.force), self.angular.cross(f.force))

    @property
    def numbers(self) -> list[Scalar]:
        """Its six numbers."""
        return [*self.angular, *self.linear]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "Twist":
        """The twist of six numbers."""
        return Twist(Vector(*x[:3]), Vector(*x[3:]))


class Wrench(NamedTuple):
    """Moment [N·m] about a frame's origin and force [N]; also used for momentum."""

    moment: Vector
    force: Vector

    def __add__(self, other: "Wrench") -> "Wrench":
        return Wrench(self.moment + other.moment, self.force + other.force)

    def __sub__(self, other: "Wrench") -> "Wrench":
        return Wrench(self.moment - other.moment, self.force - other.force)

    def __mul__(self, factor: Scalar) -> "Wrench":
        return Wrench(self.moment * factor, self.force * factor)

    @property
    def numbers(self) -> list[Scalar]:
        """Its six numbers."""
        return [*self.moment, *self.force]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "Wrench":
        """The wrench of six numbers."""
        return Wrench(Vector(*x[:3]), Vector(*x[3:]))


AT_REST = Twist(ZERO, ZERO)
NO_WRENCH = Wrench(ZERO, ZERO)


class Pose(NamedTuple):
    """Where a frame B stands in a frame A: rotation R_AB takes B's axes to A's, position p_AB is B's origin in A."""

    rotation: Matrix = IDENTITY
    position: Vector = ZERO

    def __matmul__(self, other: "Pose") -> "Pose":
        return Pose(self.rotation @ other.rotation, self.position + self.rotation @ other.position)

    def inverse(self) -> "Pose":
        """Where A stands in B."""
        back = self.rotation.T
        return Pose(back, -(back @ self.position))

    def point(self, p: Vector) -> Vector:
        """Coordinates in A of the point with coordinates p in B."""
        return self.position + self.rotation @ p

    def twist_in(self, v: Twist) -> Twist:
        """A's twist v as seen at B, in B's axes."""
        back = self.rotation.T
        return Twist(back @ v.angular, back @ (v.linear + v.angular.cross(self.position)))

    def twist_out(self, v: Twist) -> Twist:
        """B's twist v as seen at A, in A's axes."""
        angular = self.rotation @ v.angular
        return Twist(angular, self.rotation @ v.linear + self.position.cross(angular))

    def wrench_out(self, f: Wrench) -> Wrench:
        """B's wrench f as seen at A, in A's axes."""
        force = self.rotation @ f.force
        return Wrench(self.rotation @ f.moment + self.position.cross(force), force)

    @property
    def numbers(self) -> list[Scalar]:
        """Its twelve numbers."""
        return [*self.rotation.numbers, *self.position]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "Pose":
        """The pose of twelve numbers."""
        return Pose(Matrix.of_numbers(x[:9]), Vector(*x[9:]))
