"""Cascades: loops around loops, as servos have them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stiction.control.loops import CurrentLoop, Loop, PositionLoop, VelocityLoop
from stiction.control.registry import CONTROLLERS
from stiction.control.sensor import SIDES
from stiction.fields import Validated, choice, instance


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class Cascade(Validated):
    """A servo of one joint: the position loop commands the velocity loop, that the current loop, that the motor.

    Each loop has a clock of its own, or none; within a tick they decide in this order. Without a current loop the
    command of the velocity loop goes to the motor, without a position loop the target's velocity to the velocity loop.
    A current loop alone takes the command of a controller of the whole robot.

    Attributes:
        position: its position loop.
        velocity: its velocity loop.
        current: its current loop.
        side: of the gear on which positions, velocities and gains are meant: "motor" or "joint".

    Example:
        >>> import stiction
        >>> slow, fast = stiction.Clock(period=1e-3), stiction.Clock(period=2.5e-4)
        >>> servo = stiction.Cascade(
        ...     position=stiction.PositionLoop(clock=slow, proportional=20.0),
        ...     velocity=stiction.VelocityLoop(clock=fast, proportional=0.5, integral=10.0, limit=8.0),
        ... )
        >>> list(servo.loops)
        ['position', 'velocity']
    """

    position: PositionLoop | None = instance(PositionLoop, default=None, optional=True)
    velocity: VelocityLoop | None = instance(VelocityLoop, default=None, optional=True)
    current: CurrentLoop | None = instance(CurrentLoop, default=None, optional=True)
    side: str = choice(SIDES, default="motor")

    def conflicts(self) -> Sequence:
        """A position loop commands a velocity, for which there must be a loop."""
        return [
            (not self.loops, "it has no loop; give at least a velocity loop"),
            (
                self.current is not None and self.current.clock is None,
                "its current loop has no clock; a loop in the amplifier is a ServoMotor, one in a computer has a clock",
            ),
            (
                self.position is not None and self.velocity is None,
                "it has a position loop and no velocity loop, which that would command; give one",
            ),
        ]

    @property
    def loops(self) -> Mapping[str, Loop]:
        """Those that it has, from the outside in."""
        all_ = {"position": self.position, "velocity": self.velocity, "current": self.current}
        return {name: loop for name, loop in all_.items() if loop is not None}
