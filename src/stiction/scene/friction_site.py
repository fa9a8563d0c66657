"""Friction on combinations of joints, and what robots' descriptions say of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stiction.errors import StictionError
from stiction.fields import Validated, argument, because, function_of_time, instance, real, shortened
from stiction.friction.dry import Coulomb
from stiction.friction.law import Law
from stiction.friction.viscous import Viscous
from stiction.network.wires import port_named
from stiction.robot.robot import Robot


class SceneError(StictionError):
    """A scene names something that is not there, or cannot be simulated as it is."""


@dataclass(frozen=True, kw_only=True)
class FrictionSite(Validated):
    """Friction on a combination of joint velocities.

    Attributes:
        law: the friction law.
        joints: factor of each joint's velocity, by the joint's name.
        load: what the law is multiplied by, as a number, a `Table` or a formula of the time t [s]: the force that
            presses a brake or a clutch, of a law per newton. None: 1.
        load_from: the output of a part that says it instead, such as "press.force".

    Example:
        >>> import stiction
        >>> wrist = stiction.FrictionSite(law=stiction.Coulomb(level=2.0), joints={"joint5": 1, "joint6": 1})
    """

    error = SceneError

    law: Law = instance(Law, words="a friction law")
    joints: Mapping[str, float] = instance(Mapping, words="a factor for each joint, such as {'joint5': 1, 'joint6': 1}")
    load: Any = None
    load_from: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.load is not None and self.load_from is not None:
            raise self.refusal("it has a load and load_from; give one of them")
        if self.load is not None:
            self._set("load", argument("FrictionSite", "load", self.load, function_of_time(), SceneError))
        if self.load_from is not None:
            self._set("load_from", str(port_named(self.load_from)))
        if not self.joints:
            raise self.refusal("joints is empty; allowed: a factor for each joint, such as {'joint5': 1, 'joint6': 1}")
        factors = {
            name: checked_number(f"FrictionSite: the factor of joint '{name}'", x) for name, x in self.joints.items()
        }
        self._set("joints", factors)


def checked_number(what: str, value: Any) -> float:
    """A finite number, or what is wrong with it."""
    try:
        return real(value)
    except (TypeError, ValueError) as problem:
        raise SceneError(f"{what} is {shortened(repr(value))}{because(problem)}; allowed: a finite number") from None


def described(robot: Robot, velocity: str) -> Law | None:
    """The friction that a robot's own description gives to one of its velocities."""
    joint = next(joint for joint in robot.moving_joints if velocity in joint.velocity_names)
    if any(joint.friction):  # type: ignore[arg-type]
        return Coulomb(level=tuple(joint.friction), viscous=joint.damping)  # type: ignore[arg-type]
    return Viscous(coefficient=joint.damping) if joint.damping else None
