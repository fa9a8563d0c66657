"""Parts of a network: what turns force into motion, what turns motion into force (network.md), and what decides at the ticks of a clock.

A part names its ports and their sizes, and its states with their first values. Its methods are formulas. A user's own part is
such a class:

    >>> from dataclasses import dataclass
    >>> from stiction.part import Impedance
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Magnet(Impedance):
    ...     strength: float
    ...     inputs = {"position": 1}
    ...     outputs = {"force": 1}
    ...     def force(self, motion, own, step, t):
    ...         (x,) = motion["position"]
    ...         return {"force": [self.strength / (1 + x * x)]}, []
    >>> Magnet(strength=2.0).force({"position": [1.0]}, [], 0.0, 0.0)
    ({'force': [1.0]}, [])
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from stiction.dynamics.composite_body import factor, solve
from stiction.errors import InputError, StictionError
from stiction.friction.law import Linear
from stiction.rows.stick_slip import Limits
from stiction.trace.functions import Scalar
from stiction.trace.numbered import Numbered

Ports = Mapping[str, list[Scalar]]


def places(size: int) -> Sequence[str]:
    """The names of the numbers of a port with several."""
    return {3: "xyz", 4: "wxyz"}.get(size) or [str(k) for k in range(size)]


def floats(owner: str, what: str, values: Any, length: int) -> tuple[float, ...]:
    """Finite numbers of a part, as many as it needs."""
    try:
        numbers = tuple(float(x) for x in values)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != length or not all(abs(x) < 1e12 for x in numbers):
        raise InputError(f"{owner}: {what} is {values!r}; allowed: {length} finite numbers")
    return numbers


def number(owner: str, what: str, value: Any, zero: bool = True, error: type[StictionError] = InputError) -> float:
    """A number, 0 or above, of a part."""
    try:
        x = float("nan") if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError):
        x = float("nan")
    if not 0 <= x < 1e15 or (x == 0 and not zero):
        raise error(f"{owner}: {what} is {value!r}; allowed: a number, {'0 or above' if zero else 'above 0'}")
    return x


def function_of_time(what: str, function: Any, error: type[StictionError]) -> None:
    """Refuse a function that fails or gives no number; what is no number only at some times shows in the run."""
    try:
        value = function(1.0)
        sound = not isinstance(value, (str, bool)) and float(value) == float(value)
    except Exception as problem:
        raise error(f"{what} fails at t = 1 s: {problem}; allowed: a function of the time that uses stiction.trace") from None
    if not sound:
        raise error(f"{what} gives {value!r} at t = 1 s; allowed: a function of the time that gives numbers")


class Part(Numbered):
    """What both kinds have.

    Attributes:
        inputs: sizes of the ports that go in, by name.
        outputs: sizes of the ports that come out, by name.
        units: of the states and outputs, by the first part of their names.
    """

    inputs: ClassVar[Mapping[str, int]] = {}
    outputs: ClassVar[Mapping[str, int]] = {}
    units: ClassVar[Mapping[str, str]] = {}

    def start(self) -> Mapping[str, float]:
        """The part's states, by name, with their first values."""
        return {}

    def unit(self, signal: str) -> str:
        """The unit of a state or an output, by its name."""
        return self.units.get(signal.partition(".")[0], "")

    def settle(self, own: list[Scalar]) -> Sequence[Scalar]:
        """What becomes of the states after each step: quaternions take unit length again, for example."""
        return own


class Admittance(Part):
    """Force in, motion out: ẋ = A(x, û), network (6). Its motion depends on its states alone.

    Its states are positions q followed by velocities v, with q̇ = N(q) v and M(q) v̇ + bias = generalised forces. A part that says
    so by the methods below can be advanced by every method; one with `motion` and `rates` alone by those that follow flows.
    """

    def motion(self, own: list[Scalar]) -> Ports:
        """The outputs, from the states."""
        raise NotImplementedError

    def positions(self) -> int:
        """How many of the states are positions."""
        raise NotImplementedError

    def position_rates(self, own: list[Scalar]) -> Sequence[Scalar]:
        """q̇ = N(q) v."""
        raise NotImplementedError

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """M(q), (nv, nv)."""
        raise NotImplementedError

    def load(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> Sequence[Scalar]:
        """Generalised forces that this motion takes: M v̇ + bias, gravity included."""
        raise NotImplementedError

    def generalised(self, own: list[Scalar], forces: Ports) -> Sequence[Scalar]:
        """The inputs as forces along the velocities v: with them, forces · v is the power."""
        raise NotImplementedError

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        raise NotImplementedError

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> Sequence[Scalar]:
        """Rates of the states under the inputs."""
        M = self.mass_matrix(own)
        bias = self.load(own, [0] * len(M))
        rest = [f - b for f, b in zip(self.generalised(own, forces), bias, strict=True)]
        return [*self.position_rates(own), *solve(factor(M), rest)]

    @property
    def mechanical(self) -> bool:
        """Whether it has a mass matrix, so that every method can advance it."""
        return type(self).mass_matrix is not Admittance.mass_matrix


class Impedance(Part):
    """Motion in, force out: [u, ẏ] = I(x̂, y; T), network (9) and (22)."""

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """The outputs and the rates of the own states; `step` is the stage step of the integrator [s]."""
        raise NotImplementedError

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy [J]."""
        return 0

    def for_step(self, step: float) -> Self:
        """The same part for steps of this length [s]: what is faster than a step may be advanced over whole steps."""
        return self

    def finish(self, motion: Ports, own: list[Scalar]) -> Sequence[Scalar]:
        """The own states after a step by a method that follows the flow, where they are advanced over whole steps."""
        return own


class Implicit(Impedance):
    """An impedance whose output "torque" works on one velocity, and which can say what it will be at the end of a step.

    Attributes:
        velocity_port: the input that is this velocity.
        sense: 1 if the torque has the sign of the velocity (friction), −1 if it pushes along it (motors).
    """

    velocity_port: ClassVar[str] = "velocity"
    sense: ClassVar[int] = 1

    def at_end(self, motion: Ports, own: list[Scalar], s: Scalar, step: Scalar, t: Scalar) -> Linear:
        """Torque and own state at the end of a step, linear in sense · velocity there; s is what it is at the beginning."""
        raise NotImplementedError


class Row(Implicit):
    """An impedance that is rigid: its torque is found once per step together with those of all other rows, within limits."""

    def at_end(self, motion: Ports, own: list[Scalar], s: Scalar, step: Scalar, t: Scalar) -> Linear:
        """What it does beside its row: nothing."""
        return Linear(0, 0, 0, 0)

    def limits(self, own: list[Scalar], s: Scalar, step: Scalar) -> Limits:
        """Bounds of its impulse in this step."""
        raise NotImplementedError

    def found(self, motion: Ports, own: list[Scalar], mode: Scalar, torque: Scalar, acceleration: Scalar) -> Sequence[Scalar]:
        """Its states after the step: mode of its row first."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Clock:
    """When something digital happens.

    Attributes:
        period: time between ticks [s], a whole number of simulation steps.
        phase: time of the first tick [s], a whole number of steps below the period.
        delay: how many ticks later the outputs come; until then they are 0.

    Example:
        >>> from stiction.part import Clock
        >>> Clock(period=2e-3).ticks(1e-3)
        (2, 0)
    """

    period: float
    phase: float = 0.0
    delay: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", number("Clock", "period", self.period, zero=False))
        object.__setattr__(self, "phase", number("Clock", "phase", self.phase))
        if self.phase >= self.period:
            raise InputError(f"Clock: phase is {self.phase:g} s and period {self.period:g} s; allowed: a phase below the period")
        try:
            delay = -1 if isinstance(self.delay, bool) else operator.index(self.delay)
        except TypeError:
            delay = -1
        if not 0 <= delay <= 1000:
            raise InputError(f"Clock: delay is {self.delay!r}; allowed: a whole number of ticks, 0 to 1000")
        object.__setattr__(self, "delay", delay)

    def ticks(self, step: float) -> tuple[int, int]:
        """Steps from tick to tick, and steps before the first tick; refuses periods between steps."""
        counts = []
        for what, time in (("period", self.period), ("phase", self.phase)):
            count = round(time / step)
            if abs(time / step - count) > 1e-6 or (what == "period" and count < 1):
                raise InputError(f"Clock: {what} is {time:g} s, which is no whole number of steps of {step:g} s; choose a step that divides it")
            counts.append(count)
        return counts[0], counts[1]


class Digital(Part):
    """What reads its inputs at the ticks of a clock and holds its outputs in between: a controller, for example.

    Its states are its memory, and the outputs that are held or on their way.

    Attributes:
        clock: when it ticks.
    """

    clock: Clock

    def memory(self) -> Mapping[str, float]:
        """What it remembers from tick to tick, by name, with first values."""
        return {}

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """Outputs and memory after a tick."""
        raise NotImplementedError

    def start(self) -> Mapping[str, float]:
        """The memory, the outputs, and those that are delayed."""
        names = [f"{port}.{k}" if size > 1 else port for port, size in self.outputs.items() for k in places(size)]
        late = [f"{name} late {d}" for d in range(1, self.clock.delay + 1) for name in names]
        return dict(self.memory()) | dict.fromkeys([*names, *late], 0.0)

    def held(self, own: list[Scalar]) -> Ports:
        """The outputs now."""
        first, ports = len(self.memory()), {}
        for port, size in self.outputs.items():
            ports[port] = list(own[first : first + size])
            first += size
        return ports

    def tick(self, own: list[Scalar], inputs: Ports, t: Scalar) -> list[Scalar]:
        """The states after a tick: the queue moves on, what was decided comes last."""
        n = len(self.memory())
        outputs, memory = self.decide(inputs, list(own[:n]), t)
        queue = [*own[n:], *(x for port in self.outputs for x in outputs[port])]
        return [*memory, *queue[sum(self.outputs.values()) :]]
