"""A PID controller in a computer: sampled, held, saturated."""

from collections.abc import Mapping
from dataclasses import dataclass

from stiction.control.registry import CONTROLLERS
from stiction.fields import instance, number
from stiction.parts.kinds import Clock, Digital, Ports
from stiction.trace.functions import Scalar, absolute, clip, where


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class PID(Digital):
    """command = clip(proportional · ε + integral · ∫ε − derivative · v, ±limit), ε = target − position: gears (30).

    The derivative acts on the measured velocity. The integral (by rectangles) stands still while the command is
    saturated and the error would drive it further. Ports: position and target [rad or m] and velocity [rad/s or m/s]
    in; command (of the drive: V, A or N·m) out.

    Attributes:
        clock: when it ticks.
        proportional: gain of the error [V/rad].
        integral: gain of its integral [V/(rad s)].
        derivative: gain of the velocity [V s/rad].
        limit: of the command [V].

    Example:
        >>> from stiction.control import PID, Clock
        >>> pid = PID(clock=Clock(period=2e-3), proportional=10.0, derivative=1.0, limit=24.0)
        >>> pid.decide({"position": [0.5], "velocity": [2.0], "target": [1.0]}, [0.0, 0.0], 0.0)[0]
        {'command': [3.0]}
    """

    inputs = {"position": 1, "velocity": 1, "target": 1}
    outputs = {"command": 1}
    units = {"sum": "rad s or m s", "command": "V, A or N·m", "error": "rad or m"}

    clock: Clock = instance(Clock, words="a Clock, such as Clock(period=2e-3)")
    proportional: float = number(least=0)
    integral: float = number(0.0, least=0)
    derivative: float = number(0.0, least=0)
    limit: float = number(1e12, above=0)

    def memory(self) -> Mapping[str, float]:
        """The integral of the error, and the error."""
        return {"sum": 0.0, "error": 0.0}

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The command at a tick."""
        error = inputs["target"][0] - inputs["position"][0]
        total = memory[0] + error * self.clock.period
        wish = self.proportional * error + self.integral * total - self.derivative * inputs["velocity"][0]
        winding = (absolute(wish) > self.limit) & (wish * error > 0)
        return {"command": [clip(wish, -self.limit, self.limit)]}, [where(winding, memory[0], total), error]
