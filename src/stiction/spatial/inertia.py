"""Spatial inertias: of a rigid body, and of a body with others hanging on it (articulated)."""

from collections.abc import Sequence
from typing import NamedTuple

from stiction.spatial.motion import Pose, Twist, Wrench
from stiction.spatial.vector import ZERO, Matrix, Vector, diagonal, outer, skew
from stiction.trace.functions import Scalar


class Inertia(NamedTuple):
    """Mass [kg], first moment m·c [kg m] and rotational inertia [kg m²] about the origin of a body's frame."""

    mass: Scalar
    moment: Vector
    rotational: Matrix

    def __matmul__(self, v: Twist) -> Wrench:
        """Momentum of the body at twist v; its inertial wrench at acceleration v."""
        turning = self.rotational @ v.angular + self.moment.cross(v.linear)
        return Wrench(turning, v.linear * self.mass - self.moment.cross(v.angular))

    def __add__(self, other: "Inertia") -> "Inertia":
        return Inertia(self.mass + other.mass, self.moment + other.moment, self.rotational + other.rotational)

    def seen_from(self, pose: Pose) -> "Inertia":
        """The same body in the frame in which its own frame stands at `pose`."""
        R, p = pose
        h = R @ self.moment
        turned = (R @ self.rotational @ R.T).symmetric()
        shift = parallel_axis(h, p) + parallel_axis(p, h + p * self.mass)
        return Inertia(self.mass, h + p * self.mass, turned + shift.symmetric())

    @property
    def numbers(self) -> list[Scalar]:
        """Its ten numbers."""
        return [self.mass, *self.moment, *self.rotational.half]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "Inertia":
        """The inertia of ten numbers."""
        return Inertia(x[0], Vector(*x[1:4]), Matrix.of_half(x[4:]))


NO_INERTIA = Inertia(0, ZERO, diagonal(0, 0, 0))


def parallel_axis(a: Vector, b: Vector) -> Matrix:
    """The matrix −[a][b] = (a·b) 1 − b aᵀ of the parallel-axis theorem."""
    d = a.dot(b)
    return diagonal(d, d, d) - outer(b, a)


def about_center(mass: Scalar, center: Vector, rotational: Matrix) -> Inertia:
    """Inertia in the link's frame of a body given about its centre of mass."""
    h = center * mass
    return Inertia(mass, h, (rotational + parallel_axis(center, h)).symmetric())


class ArticulatedInertia(NamedTuple):
    """Symmetric 6 × 6 inertia in blocks: moment = A·angular + B·linear, force = Bᵀ·angular + D·linear."""

    A: Matrix
    B: Matrix
    D: Matrix

    @staticmethod
    def of(body: Inertia) -> "ArticulatedInertia":
        """A rigid body as an articulated inertia."""
        m = body.mass
        return ArticulatedInertia(body.rotational, skew(body.moment), diagonal(m, m, m))

    def __matmul__(self, v: Twist) -> Wrench:
        moment = self.A @ v.angular + self.B @ v.linear
        return Wrench(moment, self.B.T @ v.angular + self.D @ v.linear)

    def __add__(self, other: "ArticulatedInertia") -> "ArticulatedInertia":
        return ArticulatedInertia(self.A + other.A, self.B + other.B, self.D + other.D)

    def without(self, u: Wrench, scaled: Wrench) -> "ArticulatedInertia":
        """What remains when one motion is free: minus u·scaledᵀ, with scaled = u/d."""
        A = (self.A - outer(u.moment, scaled.moment)).symmetric()
        D = (self.D - outer(u.force, scaled.force)).symmetric()
        return ArticulatedInertia(A, self.B - outer(scaled.moment, u.force), D)

    def seen_from(self, pose: Pose) -> "ArticulatedInertia":
        """The same inertia in the frame in which its own frame stands at `pose`."""
        R, p = pose
        A = (R @ self.A @ R.T).symmetric()
        B = R @ self.B @ R.T
        D = (R @ self.D @ R.T).symmetric()
        S = skew(p)
        moved = B + S @ D
        return ArticulatedInertia((A + S @ B.T - moved @ S).symmetric(), moved, D)

    @property
    def numbers(self) -> list[Scalar]:
        """Its 21 numbers."""
        return [*self.A.half, *self.B.numbers, *self.D.half]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "ArticulatedInertia":
        """The inertia of 21 numbers."""
        return ArticulatedInertia(Matrix.of_half(x[:6]), Matrix.of_numbers(x[6:15]), Matrix.of_half(x[15:]))


class BodyCoriolis(NamedTuple):
    """How a moving body resists other motions: B W = ½ (V×* I W + W×* I V − I (V × W)) for twists W, at its twist V.

    It sees only how W turns: B W = (N ω, ω × P), with the momentum P and N = [w](I − ½ tr I) − [h][u] for V = (w, u)
    and the body's rotational inertia I and first moment h. This is the choice of B that yields the Christoffel symbols
    (Echeandia and Wensing 2021).

    Attributes:
        turning: N [N·m·s/rad].
        momentum: P [kg m/s].
    """

    turning: Matrix
    momentum: Vector

    @staticmethod
    def of(body: Inertia, V: Twist) -> "BodyCoriolis":
        """Of a rigid body at twist V."""
        I = body.rotational
        half = (I.rows[0].x + I.rows[1].y + I.rows[2].z) * (1 / 2)
        turning = skew(V.angular) @ (I - diagonal(half, half, half)) - skew(body.moment) @ skew(V.linear)
        return BodyCoriolis(turning, (body @ V).force)

    def __matmul__(self, W: Twist) -> Wrench:
        return Wrench(self.turning @ W.angular, W.angular.cross(self.momentum))

    def transposed(self, W: Twist) -> Wrench:
        """Bᵀ W."""
        return Wrench(self.turning.T @ W.angular + self.momentum.cross(W.linear), ZERO)

    def __add__(self, other: "BodyCoriolis") -> "BodyCoriolis":
        return BodyCoriolis(self.turning + other.turning, self.momentum + other.momentum)

    def seen_from(self, pose: Pose) -> "BodyCoriolis":
        """The same in the frame in which its own frame stands at `pose`."""
        R, p = pose
        P = R @ self.momentum
        return BodyCoriolis(R @ self.turning @ R.T - skew(p) @ skew(P), P)

    @property
    def numbers(self) -> list[Scalar]:
        """Its twelve numbers."""
        return [*self.turning.numbers, *self.momentum]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "BodyCoriolis":
        """That of twelve numbers."""
        return BodyCoriolis(Matrix.of_numbers(x[:9]), Vector(*x[9:]))


class SpatialCompliance(NamedTuple):
    """Symmetric 6 × 6 answer of a body to wrenches: angular = A·moment + B·force, linear = Bᵀ·moment + D·force."""

    A: Matrix
    B: Matrix
    D: Matrix

    def __matmul__(self, f: Wrench) -> Twist:
        angular = self.A @ f.moment + self.B @ f.force
        return Twist(angular, self.B.T @ f.moment + self.D @ f.force)

    def carried(self, pose: Pose) -> "SpatialCompliance":
        """That of a frame that stands at `pose` in the body's, in its own axes."""
        R, P = pose.rotation, skew(pose.position)
        back = R.T
        B = self.B + self.A @ P
        D = (self.D + self.B.T @ P - P @ B).symmetric()
        return SpatialCompliance((back @ self.A @ R).symmetric(), back @ B @ R, (back @ D @ R).symmetric())

    def plus(self, S: Twist, a: Twist, factor: Scalar, square: Scalar) -> "SpatialCompliance":
        """With a joint that gives way: − factor (S aᵀ + a Sᵀ) + square S Sᵀ."""

        def grown(M: Matrix, left: tuple[Vector, Vector], right: tuple[Vector, Vector]) -> Matrix:
            (s, x), (t, y) = left, right
            return M - (outer(s, y) + outer(x, t)) * factor + outer(s, t) * square

        turn, shift = (S.angular, a.angular), (S.linear, a.linear)
        A, D = grown(self.A, turn, turn).symmetric(), grown(self.D, shift, shift).symmetric()
        return SpatialCompliance(A, grown(self.B, turn, shift), D)

    @property
    def numbers(self) -> list[Scalar]:
        """Its 21 numbers."""
        return [*self.A.half, *self.B.numbers, *self.D.half]

    @staticmethod
    def of_numbers(x: Sequence[Scalar]) -> "SpatialCompliance":
        """That of 21 numbers."""
        return SpatialCompliance(Matrix.of_half(x[:6]), Matrix.of_numbers(x[6:15]), Matrix.of_half(x[15:]))
