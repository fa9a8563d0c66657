"""Joints: what a link can do relative to its parent, and what is known of its limits, friction and rotor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stiction.fields import choice, direction, instance, number, pair, text
from stiction.robot.element import Element
from stiction.robot.origin import Origin

KINDS = ("revolute", "continuous", "prismatic", "fixed", "spherical", "floating", "planar", "universal")
AXIAL = ("revolute", "continuous", "prismatic", "planar", "universal")  # kinds with an axis
SINGLE = ("revolute", "continuous", "prismatic")  # kinds with one degree of freedom
POSITION_COMPONENTS: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "spherical": ("w", "x", "y", "z"),
    "floating": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "planar": ("x", "y", "turn"),
    "universal": ("first", "second"),
}
VELOCITY_COMPONENTS = POSITION_COMPONENTS | {
    "spherical": ("wx", "wy", "wz"),
    "floating": ("wx", "wy", "wz", "vx", "vy", "vz"),
}
PARALLEL = 1 - 1e-9  # cosine of the angle between two axes from which on they count as one


@dataclass(frozen=True, kw_only=True)
class Limits(Element):
    """How far, how fast and how strong.

    Attributes:
        lower: smallest position [rad or m].
        upper: largest position [rad or m].
        velocity: largest speed [rad/s or m/s].
        effort: largest torque or force [N·m or N].
        restitution: speed after an impact on the end of the way over the speed before it, 0 … 1.

    Example:
        >>> import stiction
        >>> stiction.Limits(lower=-1.5, upper=1.5).velocity
        inf
    """

    lower: float = number(-math.inf, infinite=True)
    upper: float = number(math.inf, infinite=True)
    velocity: float = number(math.inf, least=0, infinite=True)
    effort: float = number(math.inf, least=0, infinite=True)
    restitution: float = number(0.0, least=0, most=1)

    def conflicts(self) -> Sequence[tuple[Any, Any]]:
        """Limits that leave no position."""
        return ((self.lower > self.upper, f"lower is {self.lower:g} and above upper {self.upper:g}; exchange them"),)


@dataclass(frozen=True, kw_only=True)
class Mimic(Element):
    """A joint that follows another: position = multiplier · position of `joint` + offset. Kept as data.

    Attributes:
        joint: name of the joint that it follows.
        multiplier: its position over that of the other [1, or rad/m, m/rad].
        offset: its position when the other is at 0 [rad or m].

    Example:
        >>> import stiction
        >>> stiction.Mimic(joint="left_finger").multiplier
        1.0
    """

    joint: str = text()
    multiplier: float = number(1.0)
    offset: float = number(0.0)


@dataclass(frozen=True, kw_only=True)
class Joint(Element):
    """What carries a link.

    Attributes:
        name: unique among the robot's joints.
        kind: "revolute", "continuous", "prismatic", "fixed", "spherical", "floating", "planar" or "universal".
        parent: name of the parent link.
        child: name of the link that the joint carries. Its frame is the joint's frame.
        origin: where the joint's frame stands in the parent's frame, at position 0.
        axis: of rotation or translation, in the joint's frame, 3 numbers; made a unit vector. Normal of a planar joint.
        second_axis: of a universal joint, 3 numbers; it moves with the first rotation.
        limits: of position, velocity and effort.
        damping: viscous friction at the joint [N·m·s/rad or N·s/m].
        friction: Coulomb friction at the joint [N·m or N], for positive and for negative speed; one number stands for
            both.
        rotor_inertia: of the motor, at the motor [kg m²].
        gear_ratio: motor speed over joint speed; may be negative.
        mimic: the joint that it follows, if any.

    Example:
        >>> import stiction
        >>> elbow = stiction.Joint(
        ...     name="elbow", kind="revolute", parent="upper", child="fore", rotor_inertia=2e-4, gear_ratio=100
        ... )
        >>> round(elbow.reflected_inertia, 6)
        2.0
    """

    name: str = text()
    kind: str = choice(KINDS)
    parent: str = text()
    child: str = text()
    origin: Origin = instance(Origin, Origin(), words="a stiction.Origin object")
    axis: Sequence[float] = direction((0.0, 0.0, 1.0))
    second_axis: Sequence[float] | None = direction(None, optional=True)
    limits: Limits | None = instance(Limits, None, words="a stiction.Limits object", optional=True)
    damping: float = number(0.0, least=0)
    friction: float | Sequence[float] = pair(0.0, least=0)
    rotor_inertia: float = number(0.0, least=0)
    gear_ratio: float = number(1.0)
    mimic: Mimic | None = instance(Mimic, None, words="a stiction.Mimic object", optional=True)

    def __post_init__(self) -> None:
        if self.kind not in AXIAL:  # the axis means nothing there, and files hold anything
            self._set("axis", (0.0, 0.0, 1.0))
        super().__post_init__()

    def conflicts(self) -> Sequence[tuple[Any, Any]]:
        """What this kind of joint does not have, and links, axes and ratios that no joint has."""
        second = self.second_axis
        crossing = second is None or abs(sum(a * b for a, b in zip(self.axis, second, strict=True))) <= PARALLEL
        needs_second = self.kind == "universal"
        return (
            (self.parent == self.child, f"it joins link '{self.parent}' to itself; parent and child must differ"),
            (
                needs_second != (second is not None),
                f"second_axis is {second}; a universal joint needs one, other kinds have none",
            ),
            (not crossing, "axis and second_axis are parallel; the axes of a universal joint must cross"),
            (self.gear_ratio == 0, "gear_ratio is 0; allowed: a number above or below 0"),
            (
                self.rotor_inertia and self.kind not in SINGLE,
                f"rotor_inertia is {self.rotor_inertia:g} on a {self.kind} joint; allowed on: {', '.join(SINGLE)}",
            ),
        )

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia as felt at the joint, J n² [kg m² or kg]."""
        return self.rotor_inertia * self.gear_ratio**2

    @property
    def position_names(self) -> tuple[str, ...]:
        """A name for each of its positions."""
        return self._names(POSITION_COMPONENTS)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each of its velocities."""
        return self._names(VELOCITY_COMPONENTS)

    def _names(self, components: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The joint's own name where it has one degree of freedom, else that and the component's."""
        if self.kind in SINGLE:
            return (self.name,)
        return tuple(f"{self.name}.{component}" for component in components[self.kind])
