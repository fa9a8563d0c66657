"""A PID controller in a computer: sampled, held, saturated."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stiction.errors import InputError
from stiction.part import Clock, Digital, Ports, function_of_time, number
from stiction.trace.functions import Scalar, absolute, clip, where


@dataclass(frozen=True, kw_only=True)
class PID(Digital):
    """command = clip(proportional · ε + integral · ∫ε − derivative · v, ±limit), ε = target − position: gears (30).

    The derivative acts on the measured velocity. The integral (by rectangles) stands still while the command is saturated and the error
    would drive it further. Ports: position [rad or m] and velocity [rad/s or m/s] in; command (of the drive: V, A or N·m) out.

    Attributes:
        clock: when it ticks.
        proportional: gain of the error [V/rad].
        integral: gain of its integral [V/(rad s)].
        derivative: gain of the velocity [V s/rad].
        limit: of the command [V].
        target: of the position [rad or m]: a number or a formula of the time.

    Example:
        >>> from stiction.control import PID, Clock
        >>> pid = PID(clock=Clock(period=2e-3), proportional=10.0, derivative=1.0, limit=24.0, target=1.0)
        >>> pid.decide({"position": [0.5], "velocity": [2.0]}, [0.0], 0.0)[0]
        {'command': [3.0]}
    """

    inputs = {"position": 1, "velocity": 1}
    outputs = {"command": 1}
    units = {"sum": "rad s or m s", "command": "V, A or N·m"}

    clock: Clock
    proportional: float
    integral: float = 0.0
    derivative: float = 0.0
    limit: float = 1e12
    target: float | Callable[[Scalar], Scalar] = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.clock, Clock):
            raise InputError(f"PID: clock is {self.clock!r}; allowed: a Clock, such as Clock(period=2e-3)")
        for what in ("proportional", "integral", "derivative"):
            object.__setattr__(self, what, number("PID", what, getattr(self, what)))
        object.__setattr__(self, "limit", number("PID", "limit", self.limit, zero=False))
        if callable(self.target):
            function_of_time("PID: target", self.target, InputError)
        else:
            object.__setattr__(self, "target", _finite(self.target))

    def memory(self) -> Mapping[str, float]:
        """The integral of the error."""
        return {"sum": 0.0}

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The command at a tick."""
        target = self.target(t) if callable(self.target) else self.target
        error = target - inputs["position"][0]
        total = memory[0] + error * self.clock.period
        wish = self.proportional * error + self.integral * total - self.derivative * inputs["velocity"][0]
        winding = (absolute(wish) > self.limit) & (wish * error > 0)
        return {"command": [clip(wish, -self.limit, self.limit)]}, [where(winding, memory[0], total)]


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
        raise InputError(f"PID: target is {value!r}; allowed: a number, or a formula of the time")
    return float(value)
