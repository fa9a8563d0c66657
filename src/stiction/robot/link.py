"""Links: rigid bodies with a name and an inertia; frames fixed to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import RobotError
from stiction.fields import argument, flag, instance, instances, matrix, number, numbers, text
from stiction.robot.element import Element
from stiction.robot.mass_properties import MassProperties
from stiction.robot.origin import Origin
from stiction.robot.shape import Shape
from stiction.robot.solid import PointMass, Solid

NOTHING = 1e-12  # kg m²: below this an inertia is rounding of zero
LUMPED = "Identified parameters that stand for no real body are taken with lumped=True"
ROUNDING = 1e-6  # files carry few digits: how far, relatively, an inertia may miss the triangle inequality


@dataclass(frozen=True, kw_only=True)
class Link(Element):
    """A rigid body of a robot.

    Attributes:
        name: unique among the robot's links.
        mass: [kg]; 0 is allowed only where nothing heavier hangs in the air (a root, or links fixed to others).
        center_of_mass: in the link's frame [m], 3 numbers.
        inertia: about the centre of mass, in the link's axes [kg m²], (3, 3).
        lumped: whether these are identified parameters that stand for a motion, not for a body (the Puma's first link
            has inertia without mass); then they need not be those of a real body.
        shapes: what it touches others with, where its scene has contacts.

    Example:
        >>> import stiction
        >>> rod = stiction.Link.of("rod", stiction.Cylinder(radius=0.01, length=1.0, mass=0.5))
        >>> rod.mass
        0.5
    """

    name: str = text()
    mass: float = number(0.0, least=0)
    center_of_mass: Sequence[float] = numbers(3, (0.0, 0.0, 0.0))
    inertia: Sequence[Sequence[float]] = matrix(3, ((0.0, 0.0, 0.0),) * 3)
    lumped: bool = flag(False)
    shapes: Sequence[Shape] = instances(Shape, ())

    def __post_init__(self) -> None:
        super().__post_init__()
        given = np.array(self.inertia)
        self._set("inertia", tuple(map(tuple, ((given + given.T) / 2).tolist())))

    def conflicts(self) -> Sequence[tuple[Any, Any]]:
        """Inertias that are not symmetric and, unless they are lumped, those that no real body has."""
        given = np.array(self.inertia)
        scale = np.abs(given).max()
        slack = ROUNDING * scale + NOTHING
        small, middle, large = np.linalg.eigvalsh((given + given.T) / 2)
        wrong = (
            (
                np.abs(given - given.T).max() > 1e-9 * scale,
                f"inertia is not symmetric: {self.inertia}; give it about the centre of mass, ixy in both places",
            ),
        )
        unreal = (
            (
                small < -slack,
                f"inertia has the principal value {small:.6g} kg m²; allowed: none below 0. "
                f"Give it about the centre of mass. {LUMPED}",
            ),
            (
                small + middle < large - slack,
                f"inertia violates the triangle inequality: principal values {small:.6g}, {middle:.6g}, {large:.6g} "
                "kg m²; of a real body the largest is at most the sum of the others. "
                f"Check the units and the reference point (centre of mass). {LUMPED}",
            ),
            (scale > NOTHING and self.mass == 0, f"it has inertia but no mass; give a mass above 0. {LUMPED}"),
        )
        return wrong if self.lumped else wrong + unreal

    @staticmethod
    def of(name: str, *solids: Solid, **more: Any) -> "Link":
        """A link made of solids (boxes, cylinders, spheres, capsules, polyhedra, point masses), each at its own
        `origin`; they are its shapes, too.
        """
        if more:
            raise RobotError(
                f"link '{name}': Link.of takes solids, and no {', '.join(more)}; each of them has its own mass and "
                "origin, as in stiction.Sphere(radius=0.1, mass=2.0, origin=stiction.Origin(xyz=(0, 0, 0.2)))"
            )
        solid_field = instance(Solid, words="a solid, such as stiction.Box")
        for solid in solids:
            argument(f"link '{name}'", "a part", solid, solid_field, RobotError)
        mass, center, inertia = MassProperties.of_solids(*solids)
        shapes = [solid for solid in solids if not isinstance(solid, PointMass)]
        return Link(name=name, mass=mass, center_of_mass=center.tolist(), inertia=inertia.tolist(), shapes=shapes)


@dataclass(frozen=True, kw_only=True)
class Frame(Element):
    """A named frame fixed to a link: a tool, a sensor, a contact point.

    Attributes:
        name: unique among the robot's frames and links.
        link: name of the link that carries it.
        origin: where it stands in the link's frame.

    Example:
        >>> import stiction
        >>> tip = stiction.Frame(name="tip", link="forearm", origin=stiction.Origin(xyz=(0.4, 0, 0)))
    """

    name: str = text()
    link: str = text()
    origin: Origin = instance(Origin, Origin(), words="a stiction.Origin object")
