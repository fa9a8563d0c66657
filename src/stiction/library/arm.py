"""An arm as a machine: a robot with its drives, friction, springs and servo, ready for a scene."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stiction.fields import Validated, instance, numbers
from stiction.robot.ports import GRAVITY
from stiction.robot.robot import Robot
from stiction.scene.scene import Scene

JOINED = ("drives", "friction", "parts", "control", "sensors")  # what a scene adds to what the arm has


@dataclass(frozen=True, kw_only=True)
class Arm(Validated):
    """A robot with all that makes it a machine.

    Attributes:
        robot: links, joints and frames.
        drives: motor and gear of each joint.
        friction: laws at joints, and `FrictionSite` objects.
        parts: springs and other parts.
        control: its servo, by joint.
        sensors: by joint.
        gravity: acceleration of free fall in the axes of its description [m/s²].
        sources: where its numbers come from, in words, by what they are.

    Example:
        >>> import stiction
        >>> arm = stiction.library.rx90b()
        >>> print(arm.sources["geometry"])
        published: upper arm and forearm 0.45 m, wrist 0.085 m (Waiboer and others, ICINCO 2004)
        >>> move = stiction.PointToPoint(start=[0.1] * 6, stop=[0.2] * 6, velocity=1.0, acceleration=5.0)
        >>> scene = arm.scene(reference=move)
        >>> len(scene.drives), "spring" in scene.parts
        (6, True)
    """

    robot: Robot = instance(Robot)
    drives: Mapping[str, Any] = field(default_factory=dict)
    friction: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)
    control: Mapping[str, Any] = field(default_factory=dict)
    sensors: Mapping[str, Any] = field(default_factory=dict)
    gravity: Sequence[float] = numbers(3, default=GRAVITY)
    sources: Mapping[str, str] = field(default_factory=dict)

    def scene(self, **more: Any) -> Scene:
        """A scene with the arm: what is given joins what the arm has, or takes its place under the same name; a
        controller of the whole robot takes the place of its servo.
        """
        mine = {name: dict(getattr(self, name)) for name in JOINED}
        if "robot" in more.get("control", {}):
            mine["control"] = {}
        joined: dict[str, Any] = {name: mine[name] | dict(more.pop(name, {})) for name in JOINED}
        return Scene(robot=self.robot, **joined, **{"gravity": self.gravity, **more})
