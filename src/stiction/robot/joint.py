"""Joints: what a link can do relative to its parent, and what the description says of its limits, friction and rotor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from stiction.errors import RobotError
from stiction.robot.checks import finite, finite_vector, instance, name_of, not_negative, positive
from stiction.robot.solid import Origin

KINDS = ("revolute", "continuous", "prismatic", "fixed", "spherical", "floating", "planar", "universal")
AXIAL = ("revolute", "continuous", "prismatic", "planar", "universal")
SINGLE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far, how fast and how strong.

    Attributes:
        lower: smallest position [rad or m].
        upper: largest position [rad or m].
        velocity: largest speed [rad/s or m/s].
        effort: largest torque or force [N·m or N].

    Example:
        >>> import stiction
        >>> stiction.Limits(lower=-1.5, upper=1.5).velocity
        inf
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for what in ("lower", "upper", "velocity", "effort"):
            try:
                value = float(getattr(self, what))
            except (TypeError, ValueError):
                value = math.nan
            if math.isnan(value):
                raise RobotError(f"limits: {what} is {getattr(self, what)!r}; allowed: a number")
            object.__setattr__(self, what, value)
        if self.lower > self.upper:
            raise RobotError(f"limits: lower is {self.lower:g} and above upper {self.upper:g}; exchange them")
        if self.velocity < 0 or self.effort < 0:
            raise RobotError(f"limits: velocity {self.velocity:g} and effort {self.effort:g}; allowed: 0 or above")


@dataclass(frozen=True, kw_only=True)
class Mimic:
    """A joint that follows another: position = multiplier · position of `joint` + offset. Kept as data.

    Example:
        >>> import stiction
        >>> stiction.Mimic(joint="left_finger").multiplier
        1.0
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        name_of("mimic", self.joint)
        object.__setattr__(self, "multiplier", finite("mimic", "multiplier", self.multiplier))
        object.__setattr__(self, "offset", finite("mimic", "offset", self.offset))


@dataclass(frozen=True, kw_only=True)
class Joint:
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
        friction: Coulomb friction at the joint [N·m or N], for positive and for negative speed; one number stands for both.
        rotor_inertia: of the motor, at the motor [kg m²].
        gear_ratio: motor speed over joint speed; may be negative.
        mimic: the joint that it follows, if any.

    Example:
        >>> import stiction
        >>> elbow = stiction.Joint(name="elbow", kind="revolute", parent="upper", child="fore", axis=(0, 1, 0), rotor_inertia=2e-4, gear_ratio=100)
        >>> round(elbow.reflected_inertia, 6)
        2.0
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Origin = field(default_factory=Origin)
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    second_axis: Sequence[float] | None = None
    limits: Limits | None = None
    damping: float = 0.0
    friction: float | Sequence[float] = 0.0
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    mimic: Mimic | None = None

    def __post_init__(self) -> None:
        owner = f"joint '{name_of('joint', self.name)}'"
        if self.kind not in KINDS:
            raise RobotError(f"{owner}: kind is {self.kind!r}; allowed: {', '.join(KINDS)}")
        instance(owner, "origin", self.origin, Origin)
        for what, kind in (("limits", Limits), ("mimic", Mimic)):
            if getattr(self, what) is not None:
                instance(owner, what, getattr(self, what), kind)
        if self.parent == self.child:
            raise RobotError(f"{owner}: it joins link '{self.parent}' to itself; parent and child must differ")
        object.__setattr__(self, "axis", _unit(owner, "axis", self.axis) if self.kind in AXIAL else (0.0, 0.0, 1.0))
        if (self.kind == "universal") != (self.second_axis is not None):
            raise RobotError(
                f"{owner}: second_axis is {self.second_axis}; a universal joint needs one, other kinds have none"
            )
        if self.second_axis is not None:
            second = _unit(owner, "second_axis", self.second_axis)
            if abs(sum(a * b for a, b in zip(self.axis, second, strict=True))) > 1 - 1e-9:
                raise RobotError(
                    f"{owner}: axis and second_axis are parallel; the axes of a universal joint must cross"
                )
            object.__setattr__(self, "second_axis", second)
        pair = self.friction if hasattr(self.friction, "__len__") else (self.friction, self.friction)
        object.__setattr__(
            self,
            "friction",
            tuple(not_negative(owner, "friction", x) for x in finite_vector(owner, "friction", pair, 2)),
        )
        object.__setattr__(self, "damping", not_negative(owner, "damping", self.damping))
        object.__setattr__(self, "rotor_inertia", not_negative(owner, "rotor_inertia", self.rotor_inertia))
        object.__setattr__(self, "gear_ratio", finite(owner, "gear_ratio", self.gear_ratio))
        positive(owner, "size of gear_ratio", abs(self.gear_ratio))
        if self.rotor_inertia and self.kind not in SINGLE:
            raise RobotError(
                f"{owner}: rotor_inertia is {self.rotor_inertia:g} on a {self.kind} joint; allowed on: {', '.join(SINGLE)}"
            )

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia as felt at the joint, J n² [kg m² or kg]."""
        return self.rotor_inertia * self.gear_ratio**2


def _unit(owner: str, what: str, given: object) -> Sequence[float]:
    x, y, z = finite_vector(owner, what, given)
    length = math.sqrt(x * x + y * y + z * z)
    if not 1e-9 < length < 1e9:
        raise RobotError(f"{owner}: {what} is {given}; allowed: a vector with a direction, such as (0, 0, 1)")
    return (x / length, y / length, z / length) if abs(length - 1) > 1e-15 else (x, y, z)
