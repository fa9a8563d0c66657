"""Gears between motor and joint: ratio, elasticity, backlash and losses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from stiction.drive.motor import DriveError, above_zero
from stiction.part import Impedance, Ports, Row
from stiction.rows.stick_slip import Limits
from stiction.trace.functions import Scalar, absolute, clip, maximum, where

FAINT = 1e-6  # part of the friction in the teeth below which a torque drives nothing


@dataclass(frozen=True, kw_only=True)
class Gear:
    """A gear; angles on the motor side are ratio times those on the joint side.

    Attributes:
        ratio: motor speed over joint speed; negative if it turns the other way round.
        stiffness: of the gear, on the motor side [N·m/rad]; rigid if not given.
        damping: of the gear, on the motor side [N·m·s/rad].
        backlash: play, on the motor side [rad]; needs a stiffness.
        efficiency: part of the power that arrives at the joint when the motor drives, 0 … 1.
        back_efficiency: part that arrives at the motor when the joint drives; that of driving if not given.
        self_locking: whether the joint cannot drive the motor at all.

    Example:
        >>> from stiction.drive import Gear
        >>> Gear(ratio=100, efficiency=0.8).back_efficiency
        0.8
    """

    ratio: float
    stiffness: float | None = None
    damping: float = 0.0
    backlash: float = 0.0
    efficiency: float = 1.0
    back_efficiency: float | None = None
    self_locking: bool = False

    def __post_init__(self) -> None:
        try:
            ratio = 0.0 if isinstance(self.ratio, (str, bool)) else float(self.ratio)
        except (TypeError, ValueError):
            ratio = 0.0
        if not 1e-9 < abs(ratio) < 1e9:
            raise DriveError(f"Gear: ratio is {self.ratio!r}; allowed: a number that is not 0 (negative if the joint turns the other way round)")
        object.__setattr__(self, "ratio", ratio)
        if self.stiffness is not None:
            object.__setattr__(self, "stiffness", above_zero(self, "stiffness", self.stiffness))
        for what in ("damping", "backlash"):
            object.__setattr__(self, what, above_zero(self, what, getattr(self, what), zero=True))
        if self.stiffness is None and (self.damping or self.backlash):
            raise DriveError(f"Gear: damping is {self.damping:g} and backlash {self.backlash:g} in a rigid gear; give a stiffness, or leave them out")
        if not isinstance(self.self_locking, bool):
            raise DriveError(f"Gear: self_locking is {self.self_locking!r}; allowed: True, False")
        object.__setattr__(self, "efficiency", _efficiency("efficiency", self.efficiency))
        back = self.efficiency if self.back_efficiency is None else self.back_efficiency
        object.__setattr__(self, "back_efficiency", _efficiency("back_efficiency", back))

    @property
    def elastic(self) -> bool:
        """Whether rotor and joint move on their own."""
        return self.stiffness is not None

    @property
    def lossy(self) -> bool:
        """Whether the mesh takes power."""
        return self.efficiency < 1 or self.back_efficiency < 1 or self.self_locking  # type: ignore[operator]


def _efficiency(what: str, value: Any) -> float:
    try:
        x = 0.0 if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError):
        x = 0.0
    if not 0 < x <= 1:
        raise DriveError(f"Gear: {what} is {value!r}; allowed: above 0 and at most 1 (a gear that cannot be back-driven has self_locking=True)")
    return x


@dataclass(frozen=True, kw_only=True)
class ElasticGear(Impedance):
    """The spring between rotor and joint. Ports: motor angle and speed, joint angle and speed in; torques on motor and joint out.

    Attributes:
        ratio: as that of the gear.
        stiffness: on the motor side [N·m/rad].
        damping: on the motor side [N·m·s/rad].
        backlash: play, on the motor side [rad].
    """

    inputs = {"motor_angle": 1, "motor_speed": 1, "joint_angle": 1, "joint_speed": 1}
    outputs = {"motor_torque": 1, "joint_torque": 1}
    units = {"motor_torque": "N·m", "joint_torque": "N·m"}
    plays: ClassVar[bool] = False  # whether there is backlash: structure, set once

    ratio: float
    stiffness: float
    damping: float
    backlash: float = 0.0

    def _twist(self, motion: Ports) -> Scalar:
        """How far the spring is wound, motor side; 0 within the play."""
        twist = motion["motor_angle"][0] - self.ratio * motion["joint_angle"][0]
        return twist - clip(twist, -self.backlash / 2, self.backlash / 2)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Spring and damper; within the play nothing touches."""
        twist = self._twist(motion)
        rate = motion["motor_speed"][0] - self.ratio * motion["joint_speed"][0]
        touching = where(absolute(twist) > 0, 1, 0) if self.plays else 1
        torque = self.stiffness * twist + self.damping * rate * touching
        return {"motor_torque": [-torque], "joint_torque": [self.ratio * torque]}, []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy [J]."""
        twist = self._twist(motion)
        return self.stiffness * twist * twist / 2

    def __post_init__(self) -> None:
        above_zero(self, "stiffness", self.stiffness)
        above_zero(self, "damping", self.damping, zero=True)
        object.__setattr__(self, "plays", above_zero(self, "backlash", self.backlash, zero=True) > 0)


@dataclass(frozen=True, kw_only=True)
class Mesh(Row):
    """Friction in the teeth, in proportion to the torque that goes in. Ports: velocity of the joint and torque of the motor (joint side) in;
    torque out, with the sign of the velocity. It is a row: its torque is found once per step, from the torque of the last step.

    Attributes:
        driving: friction per torque while the motor drives: 1 − η.
        braking: the same while the joint drives: 1/η − 1.
        locked: friction while the joint drives a gear that cannot be driven back [N·m]; else 0.
        reflected_inertia: of the rotor, on the joint side [kg m²]; 0 if the gear is elastic.
    """

    inputs = {"velocity": 1, "motor": 1}
    outputs = {"torque": 1}
    units = {"torque": "N·m", "load": "N·m"}
    locks: ClassVar[bool] = False  # whether it cannot be driven back: structure, set once

    driving: float
    braking: float
    locked: float
    reflected_inertia: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "locks", self.locked > 0)

    def start(self) -> Mapping[str, float]:
        """Direction of sliding, torque, and the torque that went in during the last step."""
        return {"slides": 0.0, "held": 0.0, "load": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque that was found."""
        return {"torque": [own[1]]}, [0, 0, 0]

    def limits(self, own: list[Scalar], s: Scalar, step: Scalar) -> Limits:
        """By who drives: against motion along the torque the share of driving, against the other the share of braking."""
        load, size = own[2], absolute(own[2])
        least = FAINT * absolute(own[1])  # rounding of a torque is no drive
        drives, brakes = step * self.driving * size, step * (self.braking * size + self.locked)
        ahead, back = where(load > least, drives, brakes), where(load < -least, drives, brakes)
        if not self.locks:
            return Limits(ahead, back, ahead, back)
        share = step * self.driving * size
        taken = step * (own[1] - load)  # what leaves nothing for the motor to hold: a load that overhauls a locking gear is taken by the teeth
        return Limits(ahead, back, maximum(where(load > 0, share, 0), taken), maximum(where(load < 0, share, 0), -taken))

    def found(self, motion: Ports, own: list[Scalar], mode: Scalar, torque: Scalar, acceleration: Scalar) -> list[Scalar]:
        """Direction of sliding, torque, and what went in: the motor's torque less what the rotor took."""
        return [mode, torque, motion["motor"][0] - self.reflected_inertia * acceleration]
