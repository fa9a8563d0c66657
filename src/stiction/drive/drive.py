"""A drive: a motor, its gear, and the friction of both, on one joint."""

from collections.abc import Callable
from dataclasses import dataclass, field

from stiction.drive.gear import Gear
from stiction.drive.motor import DriveError, Motor
from stiction.friction.law import Law
from stiction.part import function_of_time
from stiction.trace.functions import Scalar


@dataclass(frozen=True, kw_only=True)
class Drive:
    """What moves a joint.

    Attributes:
        motor: the motor.
        gear: between motor and joint.
        motor_friction: on the motor shaft: torque [N·m] and speed [rad/s] on the motor side.
        joint_friction: at the joint: torque and speed on the joint side.
        command: of the motor (V, A or N·m), where no controller gives it: a number or a formula of the time.

    Example:
        >>> import stiction
        >>> from stiction.drive import DCMotor, Drive, Gear
        >>> motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0)
        >>> drive = Drive(motor=motor, gear=Gear(ratio=120), joint_friction=stiction.Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2))
        >>> round(drive.reflected_inertia, 4)
        0.1012
    """

    motor: Motor
    gear: Gear = field(default_factory=lambda: Gear(ratio=1.0))
    motor_friction: Law | None = None
    joint_friction: Law | None = None
    command: float | Callable[[Scalar], Scalar] = 0.0

    def __post_init__(self) -> None:
        for what, kind in (("motor", Motor), ("gear", Gear)):
            if not isinstance(getattr(self, what), kind):
                raise DriveError(f"Drive: {what} is {getattr(self, what)!r}; allowed: a {kind.__name__}")
        for what in ("motor_friction", "joint_friction"):
            if getattr(self, what) is not None and not isinstance(getattr(self, what), Law):
                raise DriveError(f"Drive: {what} is {getattr(self, what)!r}; allowed: a friction law")
        if not callable(self.command) and (isinstance(self.command, bool) or not isinstance(self.command, (int, float)) or not abs(self.command) < 1e15):
            raise DriveError(f"Drive: command is {self.command!r}; allowed: a number, or a formula of the time")
        if callable(self.command):
            function_of_time("Drive: command", self.command, DriveError)
        if self.gear.elastic and not self.motor.rotor_inertia:
            raise DriveError("Drive: an elastic gear needs a motor with a rotor_inertia above 0: the rotor moves on its own")

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia as the joint feels it [kg m²]."""
        return self.motor.rotor_inertia * self.gear.ratio**2
