"""Loops of a servo: position, velocity, current. Each is a law, which runs in a computer, on a clock, or continuously.

Where a loop sits on the motor side of a gear, all its positions, velocities and gains are those of the motor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from stiction.fields import Validated, instance, number
from stiction.parts.kinds import Clock, Digital, Impedance, Ports
from stiction.trace.functions import Scalar, absolute, clip, floor, where
from stiction.trace.parameters import Parametric, absent

UNLIMITED = 1e12


@dataclass(frozen=True, kw_only=True)
class Loop(Validated, Parametric):
    """A proportional-integral law: command = clip(feed-forward + proportional · ε + integral · ∫ε, ±limit).

    The integral stands still while the command is saturated and the error would drive it further.

    Attributes:
        clock: when it ticks, in a computer; without one it is continuous.
        proportional: gain of the error.
        integral: gain of its integral.
        limit: of the command.
        resolution: smallest difference of commands [that of the command]; 0 tells all apart.
    """

    inputs: ClassVar[Mapping[str, int]] = {}
    vanishing = ("integral", "resolution")

    clock: Clock | None = instance(Clock, default=None, words="a Clock, such as Clock(period=1e-3)", optional=True)
    proportional: float = number(0.0, least=0)
    integral: float = number(0.0, least=0)
    limit: float = number(UNLIMITED, above=0)
    resolution: float = number(0.0, least=0)

    def error_of(self, inputs: Ports) -> Scalar:
        """What is missing."""
        raise NotImplementedError

    def ahead(self, inputs: Ports) -> Scalar:
        """What is known beforehand to be needed."""
        return 0

    def respond(self, inputs: Ports, total: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Command, error, and the rate of the integral of the error."""
        error = self.error_of(inputs)
        wish = self.ahead(inputs) + self.proportional * error + (0 if absent(self.integral) else self.integral * total)
        winding = (absolute(wish) > self.limit) & (wish * error > 0)
        command = clip(wish, -self.limit, self.limit)
        if not absent(self.resolution):
            command = floor(command / self.resolution + 0.5) * self.resolution
        return command, error, where(winding, 0, error)


@dataclass(frozen=True, kw_only=True)
class PositionLoop(Loop):
    """Commands a velocity from the error of the position. Reads position, target and target_velocity.

    Attributes:
        proportional: gain of the error [1/s].
        integral: gain of its integral [1/s²].
        limit: of the velocity [rad/s or m/s].
        velocity_feedforward: part of the target's velocity that is added.

    Example:
        >>> from stiction import Clock, PositionLoop
        >>> loop = PositionLoop(clock=Clock(period=1e-3), proportional=20.0)
        >>> loop.respond({"position": [0.5], "target": [0.75], "target_velocity": [1.0]}, 0.0)[0]
        6.0
    """

    inputs = {"position": 1, "target": 1, "target_velocity": 1}

    velocity_feedforward: float = number(1.0)

    def error_of(self, inputs: Ports) -> Scalar:
        """Target less position."""
        return inputs["target"][0] - inputs["position"][0]

    def ahead(self, inputs: Ports) -> Scalar:
        """The velocity of the target."""
        return self.velocity_feedforward * inputs["target_velocity"][0]


@dataclass(frozen=True, kw_only=True)
class VelocityLoop(Loop):
    """Commands a current or a torque from the error of the velocity. Reads command, velocity, target_velocity and
    target_acceleration.

    Attributes:
        proportional: gain of the error [A·s/rad, N·m·s/rad].
        integral: gain of its integral [A/rad, N·m/rad].
        limit: of the command [A or N·m].
        acceleration_feedforward: command per acceleration of the target [A·s²/rad, kg m²].
        coulomb_feedforward: command against Coulomb friction, with the sign of the target's velocity [A or N·m].
        viscous_feedforward: command per velocity of the target [A·s/rad, N·m·s/rad].
        coulomb_velocity: velocity of the target below which the former fades [rad/s or m/s].

    Example:
        >>> from stiction import VelocityLoop
        >>> loop = VelocityLoop(proportional=2.0, acceleration_feedforward=0.1)
        >>> loop.respond(
        ...     {"command": [3.0], "velocity": [2.5], "target_velocity": [3.0], "target_acceleration": [10.0]}, 0.0
        ... )[0]
        2.0
    """

    inputs = {"command": 1, "velocity": 1, "target_velocity": 1, "target_acceleration": 1}

    acceleration_feedforward: float = number(0.0)
    coulomb_feedforward: float = number(0.0, least=0)
    viscous_feedforward: float = number(0.0)
    coulomb_velocity: float = number(1e-3, above=0)

    def error_of(self, inputs: Ports) -> Scalar:
        """Command less velocity."""
        return inputs["command"][0] - inputs["velocity"][0]

    def ahead(self, inputs: Ports) -> Scalar:
        """What accelerates, and what overcomes friction."""
        v = inputs["target_velocity"][0]
        friction = self.coulomb_feedforward * clip(v / self.coulomb_velocity, -1, 1) + self.viscous_feedforward * v
        return self.acceleration_feedforward * inputs["target_acceleration"][0] + friction


@dataclass(frozen=True, kw_only=True)
class CurrentLoop(Loop):
    """Commands a voltage from the error of the current. Reads command and current.

    Attributes:
        proportional: gain of the error [V/A].
        integral: gain of its integral [V/(A·s)].
        limit: of the voltage [V].

    Example:
        >>> from stiction import CurrentLoop
        >>> CurrentLoop(proportional=5.0).respond({"command": [2.0], "current": [1.5]}, 0.0)[0]
        2.5
    """

    inputs = {"command": 1, "current": 1}

    def error_of(self, inputs: Ports) -> Scalar:
        """Command less current."""
        return inputs["command"][0] - inputs["current"][0]


@dataclass(frozen=True, kw_only=True)
class SampledLoop(Digital):
    """A loop in a computer. Ports: those of the law in; command out.

    Attributes:
        law: the loop.
    """

    outputs = {"command": 1}
    transparent = ("law",)

    law: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", self.law.inputs)

    @property
    def clock(self) -> Clock:
        """That of the law."""
        return self.law.clock

    def memory(self) -> Mapping[str, float]:
        """The integral of the error, by rectangles that count the present one, and the error."""
        return {"sum": 0.0, "error": 0.0}

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The command at a tick."""
        total = memory[0] + self.clock.period * self.law.error_of(inputs)
        command, error, rate = self.law.respond(inputs, total)
        return {"command": [command]}, [memory[0] + self.clock.period * rate, error]


@dataclass(frozen=True, kw_only=True)
class ContinuousLoop(Impedance):
    """A loop without a clock. Ports: those of the law in; command and error out.

    Attributes:
        law: the loop.
    """

    outputs = {"command": 1, "error": 1}
    transparent = ("law",)

    law: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", self.law.inputs)

    def start(self) -> Mapping[str, float]:
        """The integral of the error, where it counts."""
        return {} if absent(self.law.integral) else {"sum": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The command now."""
        command, error, rate = self.law.respond(motion, own[0] if own else 0)
        return {"command": [command], "error": [error]}, [rate] if own else []


def loop_part(law: Loop) -> SampledLoop | ContinuousLoop:
    """A loop as a part of a scene."""
    return ContinuousLoop(law=law) if law.clock is None else SampledLoop(law=law)
