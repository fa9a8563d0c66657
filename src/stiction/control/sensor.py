"""Sensors: what controllers know of a joint, sampled, in steps, late and with noise.

A sensor begins with its first reading: nothing that is late or estimated starts from 0.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from stiction.fields import choice, count, instance, number
from stiction.parts.kinds import Clock, Digital, Ports
from stiction.registry import Registry
from stiction.trace.functions import Scalar, clip, exp, floor, where
from stiction.trace.parameters import absent

SENSORS = Registry("kind")
SIDES = ("joint", "motor")


@dataclass(frozen=True, kw_only=True)
class Sensor(Digital):
    """What all sensors have. Port in: what it measures; ports out: its readings.

    Attributes:
        side: of the gear on which it sits: "joint" or "motor".
        noise: standard deviation of what is added to what it measures, in the unit of that.
        delay: how many of its ticks later its readings come.
        clock: when it reads; with the fastest controller of its joint if not given.
    """

    fading: ClassVar[tuple[str, ...]] = ("noise",)
    folded: ClassVar[tuple[str, ...]] = ("delay",)
    measures: ClassVar[str] = ""
    lone = True

    side: str = choice(SIDES, default="joint")
    noise: float = number(0.0, least=0)
    delay: int = count(0, most=1000)
    clock: Clock | None = instance(Clock, default=None, words="a Clock, such as Clock(period=2e-3)", optional=True)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", {self.measures: 1})

    counted: ClassVar[bool] = False  # whether its resolution was given as counts of a turn

    def conflicts(self) -> Sequence:
        """Its clock says nothing of the delay."""
        clock = self.clock
        return [
            (clock is not None and clock.delay != 0, "its clock has a delay; give the sensor's own delay instead"),
        ]

    @property
    def draws(self) -> int:
        """One number, where there is noise."""
        return 0 if absent(self.noise) else 1

    def with_clock(self, clock: Clock) -> Self:
        """The same with the clock of a controller, where it has none of its own."""
        if self.clock is not None:
            return self
        made = replace(self, clock=Clock(period=clock.period, phase=clock.phase))
        made._set("counted", self.counted)
        return made

    @property
    def period(self) -> Scalar:
        """Time between its ticks [s]."""
        assert self.clock is not None, "a scene gives it one"
        return self.clock.period

    def estimate(self, reading: Scalar, memory: list[Scalar], ticks: Scalar) -> tuple[Ports, list[Scalar]]:
        """The outputs from a reading, and what it remembers; `ticks` readings came before it."""
        raise NotImplementedError

    @property
    def hidden(self) -> tuple[str, ...]:
        """Its memory, and readings on their way."""
        return (*self.memory(), *self.late)

    def tick(self, own: list[Scalar], inputs: Ports, t: Scalar) -> list[Scalar]:
        """The states after a reading: the queue moves on; the first reading fills it."""
        n, size = len(self.memory()), sum(self.outputs.values())
        ticks, *kept = own
        begun = ticks > 0
        value = inputs[self.measures][0]
        if not absent(self.noise):
            value = value + self.noise * inputs["noise"][0]
        outputs, memory = self.estimate(value, kept[:n], ticks)
        reading = [x for port in self.outputs for x in outputs[port]]
        queue = [*kept[n:], *reading]
        moved = [where(begun, x, reading[k % size]) for k, x in enumerate(queue[size:])]
        return [ticks + 1, *memory, *moved]


def _rounded(x: Scalar, step: Scalar) -> Scalar:
    """The nearest multiple of a step; 0 rounds nothing."""
    if absent(step):
        return x
    whole = where(step > 0, step, 1)  # some runs of a batch may round nothing
    return where(step > 0, floor(x / whole + 0.5) * whole, x)


@SENSORS.add
@dataclass(frozen=True, kw_only=True)
class Encoder(Sensor):
    """Counts positions, and estimates velocities from them. Ports: position in; position and velocity out.

    The velocity is the way since `window` ticks ago, or since the first reading, over the time, then filtered; 0 at the
    first reading.

    Attributes:
        counts: in one turn; or give a `resolution`.
        resolution: the smallest way that it tells [rad or m]; 0 tells all.
        window: ticks over which the velocity is estimated.
        cutoff: of the filter of the velocity, of first order [rad/s]; none if not given.

    Example:
        >>> from stiction import Encoder
        >>> Encoder(counts=4096, side="motor", delay=1).delay
        1
    """

    measures = "position"
    outputs = {"position": 1, "velocity": 1}
    units = {"position": "rad or m", "velocity": "rad/s or m/s"}
    fading = ("noise", "resolution")
    folded = ("delay", "window")

    counts: float | None = number(None, least=2, optional=True)
    resolution: float = number(0.0, least=0)
    window: int = count(1, least=1, most=1000)
    cutoff: float | None = number(None, above=0, optional=True)

    def __post_init__(self) -> None:
        if self.counts is not None and self.resolution:
            raise self.refusal("it has counts and a resolution; give one of them")
        super().__post_init__()
        if self.counts is not None:
            self._set("resolution", 2 * math.pi / self.counts)
            self._set("counts", None)
            self._set("counted", True)

    def memory(self) -> Mapping[str, float]:
        """Positions of the last ticks, the latest first, and the filtered velocity."""
        return {f"before_{k}": 0.0 for k in range(1, self.window + 1)} | {"filtered": 0.0}

    def estimate(self, reading: Scalar, memory: list[Scalar], ticks: Scalar) -> tuple[Ports, list[Scalar]]:
        """The counted position and the velocity."""
        *before, filtered = memory
        position = _rounded(reading, self.resolution)
        before = [where(ticks > 0, x, position) for x in before]
        velocity = (position - before[-1]) / (clip(ticks, 1, self.window) * self.period)
        if self.cutoff is not None:
            velocity = filtered + (1 - exp(-self.cutoff * self.period)) * (velocity - filtered)
        return {"position": [position], "velocity": [velocity]}, [position, *before[:-1], velocity]


@SENSORS.add
@dataclass(frozen=True, kw_only=True)
class Tachometer(Sensor):
    """Measures a velocity. Ports: velocity in and out.

    Attributes:
        resolution: the smallest difference that it tells [rad/s or m/s]; 0 tells all.

    Example:
        >>> from stiction import Tachometer
        >>> Tachometer(noise=0.01, side="motor").side
        'motor'
    """

    measures = "velocity"
    outputs = {"velocity": 1}
    units = {"velocity": "rad/s or m/s"}
    fading = ("noise", "resolution")

    resolution: float = number(0.0, least=0)

    def estimate(self, reading: Scalar, memory: list[Scalar], ticks: Scalar) -> tuple[Ports, list[Scalar]]:
        """The reading in steps."""
        return {"velocity": [_rounded(reading, self.resolution)]}, []


@SENSORS.add
@dataclass(frozen=True, kw_only=True)
class CurrentSensor(Sensor):
    """Measures the current of the motor. Ports: current in and out.

    Attributes:
        resolution: the smallest difference that it tells [A]; 0 tells all.

    Example:
        >>> from stiction import CurrentSensor
        >>> CurrentSensor(resolution=0.01).side
        'motor'
    """

    measures = "current"
    outputs = {"current": 1}
    units = {"current": "A"}
    fading = ("noise", "resolution")

    side: str = choice(("motor",), default="motor")
    resolution: float = number(0.0, least=0)

    def estimate(self, reading: Scalar, memory: list[Scalar], ticks: Scalar) -> tuple[Ports, list[Scalar]]:
        """The reading in steps."""
        return {"current": [_rounded(reading, self.resolution)]}, []
