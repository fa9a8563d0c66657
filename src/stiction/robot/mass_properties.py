"""Mass, centre and inertia of one body: of points, densities, solids, and of several together (course, section 3).

Twists are (ω, v), wrenches (m, f), as in the course.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.errors import RobotError

if TYPE_CHECKING:
    from stiction.robot.solid import Solid

TURNED = 1e-9  # by which a matrix may miss being a rotation


class MassProperties(NamedTuple):
    """What dynamics knows of a rigid body.

    Attributes:
        mass: [kg].
        center: centre of mass in the body's frame [m], (3,).
        inertia: about the centre of mass, in the body's axes [kg m²], (3, 3).

    Example:
        >>> import numpy as np
        >>> from stiction import MassProperties
        >>> ring = [[0, 3 * np.cos(a), 3 * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)]
        >>> body = MassProperties.of_points([10 / 12] * 12, ring)
        >>> body.spatial().diagonal().round(9).tolist()  # 10 kg on a ring of radius 3 m
        [90.0, 45.0, 45.0, 10.0, 10.0, 10.0]
    """

    mass: float
    center: np.ndarray
    inertia: np.ndarray

    @staticmethod
    def of_points(masses: Any, points: Any) -> MassProperties:
        """Of point masses [kg], (n,), at points [m], (n, 3): I = −Σ m [p]², with p from the centre."""
        m, p = np.asarray(masses, float), np.asarray(points, float)
        if (
            m.ndim != 1
            or p.shape != (*m.shape, 3)
            or not np.isfinite(p).all()
            or not ((m > 0) & np.isfinite(m)).all()
            or not len(m)
        ):
            raise RobotError(
                f"masses have the shape {m.shape} and points {p.shape}; allowed: n masses above 0, and n rows of 3 "
                "finite numbers"
            )
        total = float(m.sum())
        center = m @ p / total
        return MassProperties(total, center, _second_moments(m, p - center))

    @staticmethod
    def of_density(density: Callable[..., Any], low: Any, high: Any, points: int = 40) -> MassProperties:
        """Of a density ρ(x, y, z) [kg/m³], a function on arrays, within a box from `low` to `high` [m]: by Gauss's rule
        with so many points along each axis, which is exact for polynomials, and rough where the density jumps.

        Example:
            >>> from stiction import MassProperties
            >>> rod = MassProperties.of_density(lambda x, y, z: 1000 * (1 + x), (0, -0.01, -0.01), (1, 0.01, 0.01))
            >>> round(rod.mass, 6), round(float(rod.center[0]), 6)
            (0.6, 0.555556)
        """
        a, b = np.asarray(low, float), np.asarray(high, float)
        if a.shape != (3,) or b.shape != (3,) or not (b > a).all() or not np.isfinite([a, b]).all():
            raise RobotError(
                f"the box goes from {low!r} to {high!r}; allowed: 3 finite numbers each, the second larger"
            )
        x, w = np.polynomial.legendre.leggauss(points)
        axes = [(lo + hi) / 2 + (hi - lo) / 2 * x for lo, hi in zip(a, b, strict=True)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * math.prod((b - a) / 2)
        dense = np.broadcast_to(np.asarray(density(*grid.T), float), weights.shape)
        if not np.isfinite(dense).all() or (dense < 0).any() or not dense.any():
            raise RobotError("the density is below 0, not finite, or 0 everywhere; allowed: 0 or above [kg/m³]")
        heavy = dense > 0
        return MassProperties.of_points((weights * dense)[heavy], grid[heavy])

    @staticmethod
    def of_solids(*solids: Solid) -> MassProperties:
        """Of solids of uniform density, together.

        Example:
            >>> import stiction
            >>> cube = stiction.Box(size=(2, 2, 2), mass=2.0)
            >>> ball = stiction.Sphere(radius=1.0, mass=1.0, origin=stiction.Origin(xyz=(0, 0, 2)))
            >>> stiction.MassProperties.of_solids(cube, ball).inertia.diagonal().round(4).tolist()
            [4.4, 4.4, 1.7333]
        """
        if not solids:
            raise RobotError("a composite needs at least one solid; got none")
        for s in solids:
            if not s.weighs:
                raise s.refusal(f"give either mass or density; got mass={s.mass}, density={s.density}")
        first, *others = (MassProperties(s.total_mass, s.center, s.inertia) for s in solids)
        for other in others:
            first = first.with_body(other)
        return first

    def with_body(self, other: MassProperties) -> MassProperties:
        """This body and another, fixed to each other, in one frame."""
        mass = self.mass + other.mass
        center = (self.mass * self.center + other.mass * other.center) / mass
        return MassProperties(mass, center, self.about(center) + other.about(center))

    def about(self, point: Any) -> np.ndarray:
        """Inertia about a point of the body's frame [kg m²], (3, 3): parallel axes."""
        d = _finite(point, (3,), "a point") - self.center
        return self.inertia + self.mass * (d @ d * np.eye(3) - np.outer(d, d))

    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments about the centre [kg m²], (3,), rising, and their axes, columns of a rotation (3, 3)."""
        moments, axes = np.linalg.eigh(self.inertia)
        return moments, axes if np.linalg.det(axes) > 0 else axes * [1, 1, -1]

    def spatial(self, at_center: bool = True) -> np.ndarray:
        """G with kinetic energy Vᵀ G V/2, (6, 6): in a frame at the centre of mass, or in the body's frame."""
        if at_center:
            return np.block([[self.inertia, np.zeros((3, 3))], [np.zeros((3, 3)), self.mass * np.eye(3)]])
        C = self.mass * skew(self.center)
        return np.block([[self.about(np.zeros(3)), C], [C.T, self.mass * np.eye(3)]])

    def moved(self, T: Any) -> MassProperties:
        """The same body in the frame in which its own stands at T, (4, 4)."""
        R, p = _pose(T)
        return MassProperties(self.mass, R @ self.center + p, R @ self.inertia @ R.T)

    def wrench(self, V: Any, acceleration: Any) -> np.ndarray:
        """F = G V̇ − ad(V)ᵀ G V: what a motion takes in the body's frame, gravity aside [N·m, N], (6,)."""
        G, V = self.spatial(at_center=False), _finite(V, (6,), "a twist")
        return G @ _finite(acceleration, (6,), "an acceleration") - ad(V).T @ G @ V


def _second_moments(m: np.ndarray, p: np.ndarray) -> np.ndarray:
    """−Σ m [p]², (3, 3)."""
    return m @ (p**2).sum(axis=1) * np.eye(3) - np.einsum("n,ni,nj->ij", m, p, p)


def skew(p: Any) -> np.ndarray:
    """[p], with [p] x = p × x, (3, 3).

    Example:
        >>> from stiction.robot.mass_properties import skew
        >>> (skew([0, 0, 1]) @ [1, 0, 0]).tolist()
        [0.0, 1.0, 0.0]
    """
    x, y, z = np.asarray(p, float)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def adjoint(T: Any) -> np.ndarray:
    """Ad(T) of a pose (4, 4): twists (ω, v) in the frame that stands at T, seen from outside, (6, 6). Wrenches go the
    other way by its transpose: F_inside = Ad(T)ᵀ F_outside; and G_inside = Ad(T)ᵀ G_outside Ad(T).

    Example:
        >>> import numpy as np
        >>> from stiction import adjoint
        >>> T = np.eye(4)
        >>> T[:3, 3] = 1, 0, 0
        >>> (adjoint(T) @ [0, 0, 1, 0, 0, 0]).tolist()  # turning about z, 1 m away
        [0.0, 0.0, 1.0, 0.0, -1.0, 0.0]
    """
    R, p = _pose(T)
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def ad(V: Any) -> np.ndarray:
    """ad(V) of a twist (ω, v), (6, 6): how twists change that are carried by V.

    Example:
        >>> from stiction import ad
        >>> (ad([0, 0, 1, 0, 0, 0]) @ [1, 0, 0, 0, 0, 0]).tolist()
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    w, v = np.split(_finite(V, (6,), "a twist (ω, v)"), 2)
    return np.block([[skew(w), np.zeros((3, 3))], [skew(v), skew(w)]])


def _pose(T: Any) -> tuple[np.ndarray, np.ndarray]:
    T = _finite(T, (4, 4), "a pose")
    R = T[:3, :3]
    if abs(R @ R.T - np.eye(3)).max() > TURNED or np.linalg.det(R) < 0 or abs(T[3] - [0, 0, 0, 1]).max() > TURNED:
        raise RobotError("a pose is a (4, 4) matrix of a rotation and a position, with 0, 0, 0, 1 as its last row")
    return R, T[:3, 3]


def _finite(x: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Finite numbers of a shape."""
    try:
        found = np.asarray(x, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != shape or not np.isfinite(found).all():
        raise RobotError(f"{what} is {x!r}; allowed: finite numbers of shape {shape}")
    return found
