"""Solids of uniform density: mass, centre of mass and inertia of boxes, cylinders, spheres, capsules, polyhedra and
points; and what of them can touch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import RobotError
from stiction.fields import count, number, numbers, points
from stiction.robot.hull import hull_of
from stiction.robot.shape import SHAPES, Shape


@dataclass(frozen=True, kw_only=True)
class Solid(Shape):
    """A shape of uniform density, if it has a mass or a density; without, it is a shape alone.

    Attributes:
        mass: [kg].
        density: [kg/m³].
        origin: where the solid's centre stands in the frame of what carries it.
        material: by which pairs of shapes find their friction.

    Example:
        >>> import stiction
        >>> stiction.Link.of("ball", stiction.Sphere(radius=0.1, density=1000.0)).mass.__round__(4)
        4.1888
    """

    mass: float | None = number(None, above=0, optional=True)
    density: float | None = number(None, above=0, optional=True)

    def conflicts(self) -> Sequence[tuple[Any, Any]]:
        """Mass and density at once."""
        both = self.mass is not None and self.density is not None
        return ((both, f"give either mass or density; got mass={self.mass}, density={self.density}"),)

    @property
    def weighs(self) -> bool:
        """Whether it has a mass."""
        return self.mass is not None or self.density is not None

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        raise NotImplementedError

    @property
    def shape_inertia(self) -> np.ndarray:
        """Inertia about the centre per unit mass [m²], in the solid's axes, 3 principal values."""
        raise NotImplementedError

    @property
    def total_mass(self) -> float:
        """Mass [kg], by the density where that was given."""
        return (self.density or 0.0) * self.volume if self.mass is None else self.mass

    @property
    def shape_center(self) -> np.ndarray:
        """Centre of mass [m], in its own frame."""
        return np.zeros(3)

    @property
    def shape_tensor(self) -> np.ndarray:
        """Inertia about the centre of mass per unit mass [m²], in the solid's axes, (3, 3)."""
        return np.diag(self.shape_inertia)

    @property
    def center(self) -> np.ndarray:
        """Centre of mass in the link's frame [m], (3,)."""
        return np.array(self.origin.xyz) + self.origin.rotation @ self.shape_center

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about its own centre, in the link's axes [kg m²], (3, 3)."""
        R = self.origin.rotation
        return self.total_mass * R @ self.shape_tensor @ R.T


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Box(Solid):
    """A box with edges `size` [m] along x, y, z.

    Example:
        >>> import stiction
        >>> stiction.Box(size=(0.1, 0.2, 0.3), mass=6.0).inertia.diagonal().round(4).tolist()
        [0.065, 0.05, 0.025]
    """

    size: Sequence[float] = numbers(3, above=0)

    @property
    def volume(self) -> float:
        """Product of the edges [m³]."""
        return math.prod(self.size)

    @property
    def shape_inertia(self) -> np.ndarray:
        """(y² + z², x² + z², x² + y²)/12 [m²]."""
        x, y, z = self.size
        return np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12

    @property
    def local_points(self) -> np.ndarray:
        """Its corners [m], (8, 3)."""
        signs = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
        return np.array(signs) * self.size


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Cylinder(Solid):
    """A cylinder of `radius` [m] and `length` [m] along z. It touches as a prism: with `corners` points on each rim.

    Example:
        >>> import stiction
        >>> stiction.Cylinder(radius=0.1, length=0.3, mass=2.0).inertia.diagonal().round(4).tolist()
        [0.02, 0.02, 0.01]
    """

    radius: float = number(above=0)
    length: float = number(above=0)
    corners: int = count(12, least=3, most=100)

    @property
    def volume(self) -> float:
        """π r² l [m³]."""
        return math.pi * self.radius**2 * self.length

    @property
    def shape_inertia(self) -> np.ndarray:
        """(3r² + l²)/12 across, r²/2 along [m²]."""
        side = (3 * self.radius**2 + self.length**2) / 12
        return np.array([side, side, self.radius**2 / 2])

    @property
    def local_points(self) -> np.ndarray:
        """The corners of both rims [m], (2 corners, 3)."""
        angles = 2 * math.pi * np.arange(self.corners) / self.corners
        rim = self.radius * np.array([np.cos(angles), np.sin(angles), 0 * angles]).T
        end = np.array([0.0, 0.0, self.length / 2])
        return np.vstack([rim - end, rim + end])


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Sphere(Solid):
    """A ball of `radius` [m].

    Example:
        >>> import stiction
        >>> stiction.Sphere(radius=0.2, mass=0.3).inertia.diagonal().round(4).tolist()
        [0.0048, 0.0048, 0.0048]
    """

    radius: float = number(above=0)

    @property
    def volume(self) -> float:
        """4π r³/3 [m³]."""
        return 4 / 3 * math.pi * self.radius**3

    @property
    def shape_inertia(self) -> np.ndarray:
        """2r²/5 about each axis [m²]."""
        return np.full(3, 0.4 * self.radius**2)

    @property
    def local_points(self) -> np.ndarray:
        """Its centre, around which it is round."""
        return np.zeros((1, 3))

    @property
    def roundness(self) -> float:
        """Its radius [m]."""
        return self.radius


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Capsule(Solid):
    """A cylinder of `radius` [m] and `length` [m] along z, with half a ball on each end. It touches with its two ends.

    Example:
        >>> import stiction
        >>> round(stiction.Capsule(radius=0.1, length=0.3, density=1000.0).total_mass, 3)
        13.614
    """

    radius: float = number(above=0)
    length: float = number(above=0)

    @property
    def volume(self) -> float:
        """That of the cylinder and of a whole ball [m³]."""
        return math.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    @property
    def shape_inertia(self) -> np.ndarray:
        """Of the cylinder and the half balls, each with its share of the volume [m²]."""
        r, length = self.radius, self.length
        tube, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
        # each half ball: its centre lies 3r/8 beyond the end of the tube; its inertia about that centre is 83/320 r²
        side = tube * (3 * r * r + length * length) / 12 + ball * (83 / 320 * r * r + (length / 2 + 3 * r / 8) ** 2)
        along = tube * r * r / 2 + ball * 0.4 * r * r
        return np.array([side, side, along]) / (tube + ball)

    @property
    def local_points(self) -> np.ndarray:
        """The centres of its ends [m], (2, 3)."""
        return np.array([[0.0, 0.0, -self.length / 2], [0.0, 0.0, self.length / 2]])

    @property
    def roundness(self) -> float:
        """Its radius [m]."""
        return self.radius


@SHAPES.add
@dataclass(frozen=True, kw_only=True)
class Polyhedron(Solid):
    """A convex polyhedron with these corners.

    Attributes:
        points: its corners [m], (k, 3); `Polyhedron.around` takes points of which some are inside.

    Example:
        >>> import stiction
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> round(stiction.Polyhedron(points=corners, density=6.0).total_mass, 12)
        1.0
    """

    points: Sequence[Sequence[float]] = points()

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            hull = hull_of(np.array(self.points))
        except ValueError as problem:
            raise self.refusal(str(problem)) from None
        corners = {tuple(x) for x in hull.points.tolist()}
        inner = [x for x in self.points if x not in corners]
        if inner:
            raise self.refusal(
                f"the point {tuple(inner[0])} is no corner, so it is not convex as it is; leave such points out, "
                "take Polyhedron.around(points), or make it of several"
            )

    @classmethod
    def around(cls, points: Any, **more: Any) -> "Polyhedron":
        """The convex hull of points [m], (k, 3)."""
        try:
            return cls(points=hull_of(np.array(points, float)).points.tolist(), **more)
        except ValueError as problem:
            raise RobotError(f"Polyhedron: {problem}") from None

    @property
    def local_points(self) -> np.ndarray:
        """Its corners."""
        return np.array(self.points)

    @property
    def volume(self) -> float:
        """That of the hull [m³]."""
        return hull_of(self.local_points).moments[0]

    @property
    def shape_center(self) -> np.ndarray:
        """Centre of mass [m], in its own frame."""
        return hull_of(self.local_points).moments[1]

    @property
    def shape_tensor(self) -> np.ndarray:
        """Inertia about the centre of mass per unit mass [m²], (3, 3)."""
        return hull_of(self.local_points).moments[2]


@dataclass(frozen=True, kw_only=True)
class PointMass(Solid):
    """All mass [kg] in one point.

    Example:
        >>> import stiction
        >>> stiction.PointMass(mass=2.0, origin=stiction.Origin(xyz=(0.5, 0, 0))).total_mass
        2.0
    """

    def conflicts(self) -> Sequence[tuple[Any, Any]]:
        """A point has no density."""
        no_mass = self.density is not None
        return ((no_mass, "a point has no volume, so no density; give its mass"), *super().conflicts())

    @property
    def volume(self) -> float:
        """None at all [m³]."""
        return 0.0

    @property
    def shape_inertia(self) -> np.ndarray:
        """No inertia about itself [m²]."""
        return np.zeros(3)
