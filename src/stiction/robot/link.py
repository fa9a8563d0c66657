"""Links: rigid bodies with a name and an inertia; frames fixed to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stiction.errors import RobotError
from stiction.robot.checks import finite_vector, instance, name_of, not_negative
from stiction.robot.solid import Origin, Solid, composite

Square = Sequence[Sequence[float]]  # (3, 3)
NOTHING = 1e-12  # kg m²: below this an inertia is rounding of zero
LUMPED = "Identified parameters that stand for no real body are taken with lumped=True"
ROUNDING = 1e-6  # files carry few digits: how far, relatively, an inertia may miss the triangle inequality


@dataclass(frozen=True, kw_only=True)
class Link:
    """A rigid body of a robot.

    Attributes:
        name: unique among the robot's links.
        mass: [kg]; 0 is allowed only where nothing heavier hangs in the air (a root, or links fixed to others).
        center_of_mass: in the link's frame [m], 3 numbers.
        inertia: about the centre of mass, in the link's axes [kg m²], (3, 3).
        lumped: whether these are identified parameters that stand for a motion, not for a body (the Puma's first link has
            inertia without mass); then they need not be those of a real body.

    Example:
        >>> import stiction
        >>> rod = stiction.Link.of("rod", stiction.Cylinder(radius=0.01, length=1.0, mass=0.5))
        >>> rod.mass
        0.5
    """

    name: str
    mass: float = 0.0
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Square = ((0.0, 0.0, 0.0),) * 3
    lumped: bool = False

    def __post_init__(self) -> None:
        owner = f"link '{name_of('link', self.name)}'"
        object.__setattr__(self, "mass", not_negative(owner, "mass", self.mass))
        object.__setattr__(self, "center_of_mass", finite_vector(owner, "center_of_mass", self.center_of_mass))
        object.__setattr__(self, "inertia", _inertia(owner, self.inertia, self.mass, self.lumped))

    @staticmethod
    def of(name: str, *solids: Solid) -> "Link":
        """A link made of solids (boxes, cylinders, spheres, capsules, point masses)."""
        for solid in solids:
            instance(f"link '{name}'", "a part", solid, Solid)
        mass, center, inertia = composite(solids)
        return Link(name=name, mass=mass, center_of_mass=center.tolist(), inertia=inertia.tolist())


def _inertia(owner: str, given: Any, mass: float, lumped: bool) -> Square:
    try:
        rows = [finite_vector(owner, "inertia", row) for row in given]
    except TypeError:
        rows = []
    if len(rows) != 3:
        raise RobotError(f"{owner}: inertia is {given!r}; allowed: 3 rows of 3 numbers")
    matrix = np.array(rows)
    scale = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-9 * scale:
        raise RobotError(
            f"{owner}: inertia is not symmetric: {rows}; give it about the centre of mass, ixy in both places"
        )
    matrix = (matrix + matrix.T) / 2
    if not lumped:
        _real_body(owner, matrix, scale, mass)
    return tuple(tuple(float(x) for x in row) for row in matrix)


def _real_body(owner: str, matrix: np.ndarray, scale: float, mass: float) -> None:
    small, middle, large = np.linalg.eigvalsh(matrix)
    if small < -ROUNDING * scale - NOTHING:
        raise RobotError(
            f"{owner}: inertia has the principal value {small:.6g} kg m²; allowed: none below 0. Give it about the centre of mass. {LUMPED}"
        )
    if small + middle < large - ROUNDING * scale - NOTHING:
        raise RobotError(
            f"{owner}: inertia violates the triangle inequality: principal values {small:.6g}, {middle:.6g}, {large:.6g} kg m²; "
            f"of a real body the largest is at most the sum of the others. Check the units and the reference point (centre of mass). {LUMPED}"
        )
    if scale > NOTHING and mass == 0:
        raise RobotError(f"{owner}: it has inertia but no mass; give a mass above 0. {LUMPED}")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A named frame fixed to a link: a tool, a sensor, a contact point.

    Attributes:
        name: unique among the robot's frames and links.
        link: name of the link that carries it.
        origin: where it stands in the link's frame.

    Example:
        >>> import stiction
        >>> tip = stiction.Frame(name="tip", link="forearm", origin=stiction.Origin(xyz=(0.4, 0, 0)))
    """

    name: str
    link: str
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        instance(f"frame '{name_of('frame', self.name)}'", "origin", self.origin, Origin)
