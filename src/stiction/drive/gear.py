"""Gears between motor and joint: ratio, elasticity, backlash and losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stiction.drive.motor import DriveError
from stiction.fields import Validated, flag, number
from stiction.parts.kinds import Impedance, Ports, Row, Spring
from stiction.rows.site import Bounds
from stiction.trace.functions import Scalar, absolute, clip, maximum, where
from stiction.trace.parameters import absent

FAINT = 1e-6  # part of the friction in the teeth below which a torque drives nothing


@dataclass(frozen=True, kw_only=True)
class Gear(Validated):
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

    error = DriveError

    ratio: float = number()
    stiffness: float | None = number(None, above=0, optional=True)
    damping: float = number(0.0, least=0)
    backlash: float = number(0.0, least=0)
    efficiency: float = number(1.0, above=0, most=1)
    back_efficiency: float | None = number(None, above=0, most=1, optional=True)
    self_locking: bool = flag(False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.back_efficiency is None:
            self._set("back_efficiency", self.efficiency)

    def conflicts(self) -> Sequence:
        """A rigid gear has neither play nor damping, and no gear has the ratio 0."""
        return [
            (
                not 1e-9 < abs(self.ratio) < 1e9,
                f"ratio is {self.ratio!r}; allowed: a number that is not 0 and has a size between 1e-9 and 1e9 "
                "(negative if the joint turns the other way round)",
            ),
            (
                self.stiffness is None and (self.damping or self.backlash),
                f"damping is {self.damping:g} and backlash {self.backlash:g} in a rigid gear; "
                "give a stiffness, or leave them out",
            ),
        ]

    @property
    def elastic(self) -> bool:
        """Whether rotor and joint move on their own."""
        return self.stiffness is not None

    @property
    def lossy(self) -> bool:
        """Whether the mesh takes power."""
        return self.efficiency < 1 or self.back_efficiency < 1 or self.self_locking  # type: ignore[operator]


@dataclass(frozen=True, kw_only=True)
class ElasticGear(Impedance):
    """The spring between rotor and joint. Ports: motor angle and speed, joint angle and speed in; torques on motor and
    joint out.

    Attributes:
        ratio: as that of the gear.
        stiffness: on the motor side [N·m/rad].
        damping: on the motor side [N·m·s/rad].
        backlash: play, on the motor side [rad].
    """

    error = DriveError
    inputs = {"motor_angle": 1, "motor_speed": 1, "joint_angle": 1, "joint_speed": 1}
    outputs = {"motor_torque": 1, "joint_torque": 1}
    units = {"motor_torque": "N·m", "joint_torque": "N·m"}
    vanishing = ("backlash",)
    sense: ClassVar[int] = 1  # of the ratio

    ratio: float = number()
    stiffness: float = number(above=0)
    damping: float = number(0.0, least=0)
    backlash: float = number(0.0, least=0)

    def __post_init__(self) -> None:
        self._set("sense", -1 if self.ratio < 0 else 1)
        super().__post_init__()

    def conflicts(self) -> Sequence:
        """Wires hold in which sense a gear turns."""
        why = "the ratio is 0, or has changed its sign; simulate gears that turn the other way round apart"
        return [(self.ratio * self.sense <= 0, why)]

    def _twist(self, motion: Ports) -> Scalar:
        """How far the spring is wound, motor side; 0 within the play."""
        twist = motion["motor_angle"][0] - self.ratio * motion["joint_angle"][0]
        return twist - clip(twist, -self.backlash / 2, self.backlash / 2)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Spring and damper; within the play nothing touches."""
        twist = self._twist(motion)
        rate = motion["motor_speed"][0] - self.ratio * motion["joint_speed"][0]
        touching = 1 if absent(self.backlash) else where(absolute(twist) > 0, 1, 0)
        torque = self.stiffness * twist + self.damping * rate * touching
        return {"motor_torque": [-torque], "joint_torque": [self.ratio * torque]}, []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy [J]."""
        twist = self._twist(motion)
        return self.stiffness * twist * twist / 2

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """The twist between rotor and joint."""
        return [Spring({"motor_torque": [-1], "joint_torque": [self.ratio]}, self.stiffness, self.damping)]


@dataclass(frozen=True, kw_only=True)
class Mesh(Row):
    """Friction in the teeth, in proportion to the torque that goes in. Ports: velocity of the joint and torque of the
    motor (joint side) in; torque out, with the sign of the velocity. A row whose torque is found from the torque of the
    last step.

    Attributes:
        efficiency: η while the motor drives: friction per torque is 1 − η.
        back_efficiency: η while the joint drives: friction per torque is 1/η − 1.
        locked: friction while the joint drives a gear that cannot be driven back [N·m]; else 0.
        reflected_inertia: of the rotor, on the joint side [kg m²]; 0 if the gear is elastic.
    """

    inputs = {"velocity": 1, "motor": 1}
    outputs = {"torque": 1}
    units = {"torque": "N·m", "transmitted": "N·m"}
    vanishing = ("locked",)

    efficiency: float = number(above=0, most=1)
    back_efficiency: float = number(above=0, most=1)
    locked: float = number(0.0, least=0)
    reflected_inertia: float = number(0.0, least=0)

    def start(self) -> Mapping[str, float]:
        """Direction of sliding, torque, and the torque that the teeth transmitted in the last step."""
        return {**super().start(), "transmitted": 0.0}

    def bounds(self, own: list[Scalar], s: Scalar, step: Scalar) -> Bounds:
        """By who drives: the share of driving against motion along the torque, that of braking against the other."""
        _, torque, transmitted = own
        size = absolute(transmitted)
        least = FAINT * absolute(torque)  # rounding of a torque is no drive
        drives, brakes = step * (1 - self.efficiency) * size, step * (self._braking * size + self.locked)
        ahead = where(transmitted > least, drives, brakes)
        back = where(transmitted < -least, drives, brakes)
        if absent(self.locked):
            return Bounds(ahead, back, ahead, back)
        # what leaves nothing for the motor to hold: a load that overhauls a locking gear is taken by the teeth
        taken = step * (torque - transmitted)
        return Bounds(
            ahead,
            back,
            maximum(where(transmitted > 0, drives, 0), taken),
            maximum(where(transmitted < 0, drives, 0), -taken),
        )

    @property
    def _braking(self) -> Scalar:
        return 1 / self.back_efficiency - 1

    def found(
        self,
        motion: Ports,
        own: list[Scalar],
        slides: Scalar,
        torque: Scalar,
        acceleration: Scalar,
        inertia: Scalar,
    ) -> list[Scalar]:
        """Direction of sliding, torque, and what went in: the motor's torque less what the rotor took.

        Where the joint drives, more friction means less acceleration, and that a torque which is less by the rotor's
        share: what went in is where both agree, or friction would go up and down from step to step where the rotor is
        most of the inertia.
        """
        seen = motion["motor"][0] - self.reflected_inertia * acceleration
        share = self.reflected_inertia / maximum(inertia, self.reflected_inertia)
        agreed = own[2] + (seen - own[2]) / (1 + self._braking * share)
        return [slides, torque, where(slides * seen < 0, agreed, seen)]
