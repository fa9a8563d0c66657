"""Motors: a command in, a torque on the motor shaft out. All quantities here are on the motor side of the gear."""

import copy
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stiction.errors import StictionError
from stiction.fields import because, number, real, shortened
from stiction.parts.kinds import Implicit, Ports
from stiction.registry import Registry
from stiction.trace.functions import Scalar, absolute, clip, minimum, where
from stiction.trace.parameters import Substitution, absent

MOTORS = Registry("kind")


class DriveError(StictionError):
    """The parameters of a drive are impossible, or a drive is where it cannot be."""


@dataclass(frozen=True, kw_only=True)
class Motor(Implicit):
    """What all motors have. Ports: command and speed [rad/s] in; torque [N·m] out, with the sign of the command.

    Attributes:
        rotor_inertia: [kg m²].
        torque_limit: largest torque [N·m]; or, as pairs of speed [rad/s] and torque [N·m], a curve that falls with the
            speed.
    """

    error = DriveError
    inputs = {"command": 1, "speed": 1}
    outputs = {"torque": 1}
    units = {"torque": "N·m", "current": "A"}
    unit_of_command: ClassVar[str] = "N·m"
    velocity_port = "speed"
    sense = -1
    start_fields = ("rotor_inertia",)  # it is a parameter of the body that it belongs to

    rotor_inertia: float = number(0.0, least=0)
    torque_limit: float | tuple[tuple[float, float], ...] | None = field(default=None)

    def __post_init__(self) -> None:
        if self.torque_limit is not None:
            self._set("torque_limit", self._limit(self.torque_limit))
        super().__post_init__()

    def conflicts(self) -> Sequence:
        """Limits are above 0; along a curve speeds rise and torques do not."""
        limit: Any = self.torque_limit
        if limit is None:
            return []
        if not isinstance(limit, tuple):
            return [(limit <= 0, "torque_limit is not above 0")]
        why = "torque_limit: speeds must rise from 0, torques must not rise, and be 0 or above"
        steps = itertools.pairwise(limit)
        return [((b[0] <= a[0]) | (b[1] > a[1]) | (b[1] < 0), why) for a, b in steps]

    def _limit(self, given: Any) -> float | tuple[tuple[float, float], ...]:
        """A largest torque, or a curve of them."""
        try:
            if not hasattr(given, "__len__") or isinstance(given, str):
                most = real(given)
                if most <= 0:
                    raise ValueError
                return most
            curve = tuple((real(speed), real(torque)) for speed, torque in given)
        except (TypeError, ValueError) as problem:
            raise self.refusal(
                f"torque_limit is {shortened(repr(given))}{because(problem)}; "
                "allowed: a number above 0, or pairs of speed [rad/s] and torque [N·m], 0 or above"
            ) from None
        falls = all(b[0] > a[0] and b[1] <= a[1] for a, b in itertools.pairwise(curve))
        if len(curve) < 2 or not falls or curve[0][0] != 0 or min(x for point in curve for x in point) < 0:
            raise self.refusal(
                f"torque_limit is {given!r}; "
                "allowed: at least 2 pairs, speeds rising from 0, torques not rising and 0 or above"
            )
        return curve

    def with_parameters(self, substitution: Substitution) -> "Motor":
        """The same motor with other parameters; of a curve of limits they are "torque_limit.POINT.speed" and
        "...torque".
        """
        twin = super().with_parameters(substitution)
        if isinstance(self.torque_limit, tuple):
            points = enumerate(self.torque_limit)
            limit = tuple(
                (substitution(f"torque_limit.{k}.speed", s), substitution(f"torque_limit.{k}.torque", x))
                for k, (s, x) in points
            )
            twin._set("torque_limit", limit)
        return twin

    def limited(self, torque: Scalar, speed: Scalar) -> Scalar:
        """The torque that the limit lets through."""
        if self.torque_limit is None:
            return torque
        limit: Any = self.torque_limit
        most = _on_curve(limit, absolute(speed)) if isinstance(limit, tuple) else limit
        return clip(torque, -most, most)

    def _free(self, command: Scalar, speed: Scalar) -> Scalar:
        """The torque, where no limit of the torque acts."""
        raise NotImplementedError

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque on the shaft."""
        (speed,) = motion["speed"]
        return {"torque": [self.limited(self._free(motion["command"][0], speed), speed)]}, []


def _on_curve(curve: tuple[tuple[Scalar, Scalar], ...], speed: Scalar) -> Scalar:
    """Torque by straight lines between the points, the last one beyond."""
    total: Scalar = curve[0][1]
    for (a, ta), (b, tb) in itertools.pairwise(curve):
        total = total + (tb - ta) / (b - a) * clip(speed - a, 0, b - a)
    return total


@MOTORS.add
@dataclass(frozen=True, kw_only=True)
class TorqueMotor(Motor):
    """An ideal source of torque. Command: torque [N·m].

    Example:
        >>> from stiction.drive import TorqueMotor
        >>> TorqueMotor(torque_limit=2.0).force({"command": [3.0], "speed": [0.0]}, [], 0.0, 0.0)[0]
        {'torque': [2.0]}
    """

    def _free(self, command: Scalar, speed: Scalar) -> Scalar:
        return command


@dataclass(frozen=True, kw_only=True)
class ElectricMotor(Motor):
    """A motor with a current: torque K i. Ports as those of `Motor`, and current [A] out.

    Attributes:
        constant: K, torque per current [N·m/A].
        current_limit: largest current [A].
    """

    outputs = {"torque": 1, "current": 1}

    constant: float = number(above=0)
    current_limit: float | None = number(None, above=0, optional=True)

    def within(self, current: Scalar) -> Scalar:
        """The current that the limit lets through."""
        return current if self.current_limit is None else clip(current, -self.current_limit, self.current_limit)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque on the shaft, and the current that makes it."""
        outputs, rates = super().force(motion, own, step, t)
        return {**outputs, "current": [outputs["torque"][0] / self.constant]}, rates


@MOTORS.add
@dataclass(frozen=True, kw_only=True)
class CurrentMotor(ElectricMotor):
    """A motor whose current is controlled. Command: current [A].

    Example:
        >>> from stiction.drive import CurrentMotor
        >>> CurrentMotor(constant=0.05, current_limit=10.0).force({"command": [20.0], "speed": [0.0]}, [], 0.0, 0.0)[0]
        {'torque': [0.5], 'current': [10.0]}
    """

    unit_of_command = "A"

    def _free(self, command: Scalar, speed: Scalar) -> Scalar:
        return self.constant * self.within(command)


@MOTORS.add
@dataclass(frozen=True, kw_only=True)
class DCMotor(ElectricMotor):
    """A DC motor: L di/dt = e − R i − K ω, torque K i. Command: voltage [V].

    Electronics that are faster than the step are advanced exactly over it.

    Attributes:
        resistance: R [Ω].
        constant: K, torque per current [N·m/A] and voltage per speed [V s/rad].
        inductance: L [H]; with it the current is a state, without it the current follows at once.
        rated_voltage: largest voltage [V].
        current_limit: largest current [A]; with inductance the amplifier takes away the voltage that would drive the
            current further, as it does for the torque_limit.

    Example:
        >>> from stiction.drive import DCMotor
        >>> motor = DCMotor(resistance=2.0, constant=0.5, rated_voltage=24.0)
        >>> motor.force({"command": [100.0], "speed": [0.0]}, [], 0.0, 0.0)[0]  # 0.5 · 24/2
        {'torque': [6.0], 'current': [12.0]}
    """

    unit_of_command = "V"
    units = {"torque": "N·m", "current": "A", "copper": "J", "supplied": "J"}
    vanishing: ClassVar[tuple[str, ...]] = ("inductance",)

    resistance: float = number(above=0)
    inductance: float = number(0.0, least=0)
    rated_voltage: float | None = number(None, above=0, optional=True)

    def start(self) -> Mapping[str, float]:
        """The current, where there is inductance; and what a meter counts."""
        return self._electric() | dict.fromkeys(self._meters, 0.0)

    def _electric(self) -> dict[str, float]:
        """States of the electronics."""
        return {} if absent(self.inductance) else {"current": 0.0}

    @property
    def _meters(self) -> tuple[str, ...]:
        return ("copper", "supplied") if getattr(self, "meter", False) else ()

    def metered(self) -> "DCMotor":
        """The same with a meter: what was lost in its resistance and what it took from the supply [J]."""
        twin = copy.copy(self)
        twin._set("meter", True)
        return twin

    def voltage(self, command: Scalar) -> Scalar:
        """The voltage at the motor."""
        return command if self.rated_voltage is None else clip(command, -self.rated_voltage, self.rated_voltage)

    def _free(self, command: Scalar, speed: Scalar) -> Scalar:
        return self.constant * self.within((self.voltage(command) - self.constant * speed) / self.resistance)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque, and the rate of the current."""
        if absent(self.inductance):
            outputs, _ = super().force(motion, [], step, t)
            return outputs, self._counted(motion, outputs["current"][0], 0)
        current = self._limited_current(motion, own[0])
        rate = self._rate(motion, current, motion["command"][0])
        return self._outputs(current), [rate, *self._counted(motion, current, rate)]

    def _counted(self, motion: Ports, current: Scalar, rate: Scalar) -> list[Scalar]:
        """Where there is a meter: power lost in the resistance, and that comes in, R i² + K ω i + L i di/dt [W]."""
        if not self._meters:
            return []
        lost, (speed,) = self.resistance * current * current, motion["speed"]
        stored = 0 if absent(self.inductance) else self.inductance * rate
        return [lost, lost + (self.constant * speed + stored) * current]

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Energy of the magnetic field [J]."""
        return 0 if absent(self.inductance) else self.inductance * own[0] * own[0] / 2

    def _outputs(self, current: Scalar) -> Ports:
        return {"torque": [self.constant * current], "current": [current]}

    def _rate(self, motion: Ports, current: Scalar, voltage: Scalar) -> Scalar:
        """L di/dt = e − R i − K ω over L; none beyond a limit."""
        (speed,) = motion["speed"]
        rate = (self.voltage(voltage) - self.resistance * current - self.constant * speed) / self.inductance
        most = self._most(speed)
        if most is None:
            return rate
        return where((current >= most) & (rate > 0) | (current <= -most) & (rate < 0), 0, rate)

    def _limited_current(self, motion: Ports, current: Scalar) -> Scalar:
        """A current within its limit, which may have fallen with the speed since the last step."""
        most = self._most(motion["speed"][0])
        return current if most is None else clip(current, -most, most)

    def _most(self, speed: Scalar) -> Scalar | None:
        """The largest current at a speed, where there is one."""
        if self.torque_limit is None:
            return self.current_limit
        limit: Any = self.torque_limit
        most = (_on_curve(limit, absolute(speed)) if isinstance(limit, tuple) else limit) / self.constant
        return most if self.current_limit is None else minimum(most, self.current_limit)

    @property
    def remembers(self) -> bool:
        """Whether a current that is a state may have gone beyond its limit within a step."""
        return not absent(self.inductance) and (self.current_limit is not None or self.torque_limit is not None)

    def settle(self, motion: Ports, own: list[Scalar]) -> Sequence[Scalar]:
        """The current within its limit; what its field then has no more, the supply took back."""
        if absent(self.inductance):
            return own
        kept = [self._limited_current(motion, own[0]), *own[1:]]
        if self._meters:
            kept[-1] = kept[-1] + self.inductance * (kept[0] * kept[0] - own[0] * own[0]) / 2
        return kept


@MOTORS.add
@dataclass(frozen=True, kw_only=True)
class ServoMotor(DCMotor):
    """A DC motor behind an amplifier that keeps its current by a loop of its own: e = proportional · ε + integral · ∫ε,
    with ε = command − i. Command: current [A].

    Attributes:
        proportional: gain of the amplifier [V/A].
        integral: gain of its integral [V/(A·s)].

    Example:
        >>> from stiction.drive import ServoMotor
        >>> motor = ServoMotor(resistance=2.0, constant=0.5, inductance=0.01, proportional=10.0, integral=1000.0)
        >>> motor.unit_of_command
        'A'
    """

    unit_of_command = "A"
    units = {**DCMotor.units, "voltage": "V"}
    vanishing = ("proportional",)

    proportional: float = number(0.0, least=0)
    integral: float = number(above=0)

    def conflicts(self) -> Sequence:
        """A loop around a current needs one that takes time."""
        why = "it has no inductance, around which its amplifier could have a loop; give one, or take a CurrentMotor"
        return [*super().conflicts(), (self.inductance == 0, why)]

    def _electric(self) -> dict[str, float]:
        """The current, and what the integral of the amplifier gives."""
        return {"current": 0.0, "voltage": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque, and the rates of current and voltage."""
        current, voltage = self._limited_current(motion, own[0]), own[1]
        error = self.within(motion["command"][0]) - current
        wish = voltage + (0 if absent(self.proportional) else self.proportional * error)
        rises = self.integral * error
        if self.rated_voltage is not None:  # no more is added to a voltage that cannot rise
            rises = where((absolute(wish) > self.rated_voltage) & (wish * error > 0), 0, rises)
        rate = self._rate(motion, current, wish)
        return self._outputs(current), [rate, rises, *self._counted(motion, current, rate)]
