"""Solids of uniform density: mass, centre of mass and inertia of boxes, cylinders, spheres, capsules and points."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from stiction.errors import RobotError
from stiction.robot.checks import finite, finite_vector, instance, positive


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a frame stands in another.

    Attributes:
        xyz: position of its origin [m], 3 numbers.
        rpy: its roll, pitch and yaw about the fixed x, y and z axes [rad], 3 numbers.

    Example:
        >>> import stiction
        >>> stiction.Origin(xyz=(0, 0, 0.4)).matrix.shape
        (4, 4)
    """

    xyz: Sequence[float] = (0.0, 0.0, 0.0)
    rpy: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "xyz", finite_vector("origin", "xyz", self.xyz))
        object.__setattr__(self, "rpy", finite_vector("origin", "rpy", self.rpy))

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix, (3, 3); quarter turns are exact, though π/2 is not."""
        (cr, cp, cy), (sr, sp, sy) = (
            np.where(abs(x - x.round()) < 1e-15, x.round(), x) for x in (np.cos(self.rpy), np.sin(self.rpy))
        )
        return np.array(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )

    @property
    def matrix(self) -> np.ndarray:
        """Homogeneous matrix, (4, 4)."""
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = self.rotation, self.xyz
        return whole


@dataclass(frozen=True, kw_only=True)
class Solid:
    """A body of uniform density. Give either its mass or its density.

    Attributes:
        mass: [kg].
        density: [kg/m³].
        origin: where the solid's centre stands in the link's frame.
    """

    mass: float | None = None
    density: float | None = None
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        name = type(self).__name__
        if (self.mass is None) == (self.density is None):
            raise RobotError(f"{name}: give either mass or density; got mass={self.mass}, density={self.density}")
        instance(name, "origin", self.origin, Origin)
        given = "mass" if self.density is None else "density"
        object.__setattr__(self, given, positive(name, given, getattr(self, given)))

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
        """Mass [kg]."""
        return (self.density or 0.0) * self.volume if self.mass is None else self.mass

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about its own centre, in the link's axes [kg m²], (3, 3)."""
        R = self.origin.rotation
        return self.total_mass * R @ np.diag(self.shape_inertia) @ R.T


@dataclass(frozen=True, kw_only=True)
class Box(Solid):
    """A box with edges `size` [m] along x, y, z.

    Example:
        >>> import stiction
        >>> stiction.Box(size=(0.1, 0.2, 0.3), mass=6.0).inertia.diagonal().round(4).tolist()
        [0.065, 0.05, 0.025]
    """

    size: Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", finite_vector("Box", "size", self.size))
        for edge in self.size:
            positive("Box", "size", edge)

    @property
    def volume(self) -> float:  # noqa: D102
        return math.prod(self.size)

    @property
    def shape_inertia(self) -> np.ndarray:  # noqa: D102
        x, y, z = self.size
        return np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12


@dataclass(frozen=True, kw_only=True)
class Cylinder(Solid):
    """A cylinder of `radius` [m] and `length` [m] along z.

    Example:
        >>> import stiction
        >>> stiction.Cylinder(radius=0.1, length=0.3, mass=2.0).inertia.diagonal().round(4).tolist()
        [0.02, 0.02, 0.01]
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(type(self).__name__, "radius", self.radius)
        positive(type(self).__name__, "length", self.length)

    @property
    def volume(self) -> float:  # noqa: D102
        return math.pi * self.radius**2 * self.length

    @property
    def shape_inertia(self) -> np.ndarray:  # noqa: D102
        side = (3 * self.radius**2 + self.length**2) / 12
        return np.array([side, side, self.radius**2 / 2])


@dataclass(frozen=True, kw_only=True)
class Sphere(Solid):
    """A ball of `radius` [m].

    Example:
        >>> import stiction
        >>> stiction.Sphere(radius=0.2, mass=0.3).inertia.diagonal().round(4).tolist()
        [0.0048, 0.0048, 0.0048]
    """

    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("Sphere", "radius", self.radius)

    @property
    def volume(self) -> float:  # noqa: D102
        return 4 / 3 * math.pi * self.radius**3

    @property
    def shape_inertia(self) -> np.ndarray:  # noqa: D102
        return np.full(3, 0.4 * self.radius**2)


@dataclass(frozen=True, kw_only=True)
class Capsule(Cylinder):
    """A cylinder of `radius` [m] and `length` [m] along z, with half a ball on each end.

    Example:
        >>> import stiction
        >>> round(stiction.Capsule(radius=0.1, length=0.3, density=1000.0).total_mass, 3)
        13.614
    """

    @property
    def volume(self) -> float:  # noqa: D102
        return super().volume + 4 / 3 * math.pi * self.radius**3

    @property
    def shape_inertia(self) -> np.ndarray:  # noqa: D102
        r, length = self.radius, self.length
        tube, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
        # each half ball: its centre lies 3r/8 beyond the end of the tube; its inertia about that centre is 83/320 r²
        side = tube * (3 * r * r + length * length) / 12 + ball * (83 / 320 * r * r + (length / 2 + 3 * r / 8) ** 2)
        along = tube * r * r / 2 + ball * 0.4 * r * r
        return np.array([side, side, along]) / (tube + ball)


@dataclass(frozen=True, kw_only=True)
class PointMass(Solid):
    """All mass [kg] in one point.

    Example:
        >>> import stiction
        >>> stiction.PointMass(mass=2.0, origin=stiction.Origin(xyz=(0.5, 0, 0))).total_mass
        2.0
    """

    @property
    def volume(self) -> float:  # noqa: D102
        raise RobotError("PointMass: a point has no volume, so no density; give its mass")

    @property
    def shape_inertia(self) -> np.ndarray:  # noqa: D102
        return np.zeros(3)


def composite(solids: Sequence[Solid]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre of mass [m], (3,), and inertia about it [kg m²], (3, 3), of several solids together."""
    if not solids:
        raise RobotError("a composite needs at least one solid; got none")
    mass = sum(s.total_mass for s in solids)
    center = np.sum([s.total_mass * np.array(s.origin.xyz) for s in solids], axis=0) / mass
    inertia = np.zeros((3, 3))
    for s in solids:
        d = np.array(s.origin.xyz) - center
        inertia += s.inertia + s.total_mass * (d @ d * np.eye(3) - np.outer(d, d))
    finite("composite", "mass", mass)
    return mass, center, inertia
