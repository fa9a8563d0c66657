"""A drive: a motor, its gear, and the friction of both, on one joint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stiction.drive.gear import Gear
from stiction.drive.motor import DriveError, Motor
from stiction.fields import SMALLEST, Validated, function_of_time, instance
from stiction.friction.law import Law
from stiction.parts.table import Table
from stiction.trace.functions import Scalar


@dataclass(frozen=True, kw_only=True)
class Drive(Validated):
    """What moves a joint.

    Attributes:
        motor: the motor.
        gear: between motor and joint.
        motor_friction: on the motor shaft: torque [N·m] and speed [rad/s] on the motor side.
        joint_friction: at the joint: torque and speed on the joint side.
        command: of the motor (V, A or N·m), where no controller gives it: a number, a `Table` or a formula of the time.

    Example:
        >>> import stiction
        >>> from stiction.drive import DCMotor, Drive, Gear
        >>> motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0)
        >>> friction = stiction.Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2)
        >>> drive = Drive(motor=motor, gear=Gear(ratio=120), joint_friction=friction)
        >>> round(drive.reflected_inertia, 4)
        0.1012
    """

    error = DriveError

    motor: Motor = instance(Motor)
    gear: Gear = instance(Gear, default=Gear(ratio=1.0))
    motor_friction: Law | None = instance(Law, default=None, words="a friction law", optional=True)
    joint_friction: Law | None = instance(Law, default=None, words="a friction law", optional=True)
    command: float | Callable[[Scalar], Scalar] | Table = function_of_time(0.0)

    def conflicts(self) -> Sequence:
        """Behind an elastic gear the rotor moves on its own."""
        rotor = self.motor.rotor_inertia
        why = (
            f"an elastic gear needs a motor with a rotor_inertia above 0 (it is {rotor:g}): the rotor moves on its own"
        )
        return [(self.gear.elastic and rotor < SMALLEST, why)]

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia as the joint feels it [kg m²]."""
        return self.motor.rotor_inertia * self.gear.ratio**2
