"""What a scene is made of: parts that turn force into motion, parts that turn motion into force (network.md), and parts
that decide at the ticks of a clock.

A part names its ports and their sizes, and its states with their first values. Its methods are formulas. A user's own
part is such a class:

    >>> from dataclasses import dataclass
    >>> from stiction.parts import Impedance
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

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from stiction.errors import InputError
from stiction.fields import Validated, count, number, shortened
from stiction.rows.site import Bounds
from stiction.trace.functions import Scalar, floor
from stiction.trace.grid import factor, solve
from stiction.trace.parameters import Parametric, Substitution, component_names

Ports = Mapping[str, list[Scalar]]
FRAME_OUTPUTS = {"position": 3, "rotation": 9, "quaternion": 4, "velocity": 3, "angular": 3}  # of what turns in space
FRAME_INPUTS = {"force": 3, "moment": 3}
NOWHERE = -1  # place of what no velocity carries


class Part(Validated, Parametric):
    """What all kinds have.

    Attributes:
        inputs: sizes of the ports that go in, by name.
        outputs: sizes of the ports that come out, by name.
        units: of the states and outputs, by the first part of their names.
        hidden: states that serve the method, and are no signals.
        settable: whether users may say with which states it starts.
        lone: whether it may drive nothing, and be looked at alone.

    Example:
        >>> from stiction.parts import SpringDamper
        >>> dict(SpringDamper.inputs), dict(SpringDamper.outputs)
        ({'position': 1, 'velocity': 1}, {'force': 1})
    """

    inputs: ClassVar[Mapping[str, int]] = {}
    outputs: ClassVar[Mapping[str, int]] = {}
    units: ClassVar[Mapping[str, str]] = {}
    hidden: ClassVar[tuple[str, ...]] = ()
    settable: ClassVar[bool] = True
    lone: ClassVar[bool] = False

    def start(self) -> Mapping[str, float]:
        """The part's states, by name, with their first values."""
        return {}

    def unit(self, signal: str) -> str:
        """The unit of a state or an output, by its name."""
        return self.units.get(signal.partition(".")[0], "")

    def answer(self, method: str, given: Any, states: int, where: str = "") -> tuple[Ports, Sequence[Scalar]]:
        """What a method returned, if it is the outputs that were declared, and as many numbers as there are states."""
        example = {port: [0.0] * size for port, size in self.outputs.items()}, [0.0] * states
        both = isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], Mapping)
        lists = both and all(isinstance(x, (tuple, list)) for x in (*given[0].values(), given[1]))
        if not lists or [{k: len(x) for k, x in given[0].items()}, len(given[1])] != [dict(self.outputs), states]:
            raise self.error(
                f"{where}{type(self).__name__}.{method} returns {shortened(repr(given))}; allowed: a list for each "
                f"output, and a list with a number for each state, such as {example}"
            )
        return given[0], given[1]


class Admittance(Part):
    """Force in, motion out: ẋ = A(x, û), network (6). Its motion depends on its states alone.

    Its states are positions q followed by velocities v, with q̇ = N(q) v and M(q) v̇ + bias = generalized forces. A
    part that says so by the methods below can be advanced by every method; one with `motion` and `rates` alone by
    explicit ones.

    Example:
        >>> from stiction.parts import Admittance, Mass
        >>> isinstance(Mass(mass=1.0), Admittance), Mass(mass=1.0).positions()
        (True, 1)
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

    def mass_diagonal(self, own: list[Scalar]) -> list[Scalar]:
        """The diagonal of M(q), (nv,)."""
        return [row[k] for k, row in enumerate(self.mass_matrix(own))]

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> Sequence[Scalar]:
        """Generalized forces that this motion takes: M v̇ + bias, gravity included."""
        raise NotImplementedError

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> Sequence[Scalar]:
        """The inputs as forces along the velocities v: with them, forces · v is the power."""
        raise NotImplementedError

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        raise NotImplementedError

    def rotor_inertias(self) -> Sequence[Scalar]:
        """Inertia of a rotor that turns with each velocity alone, as felt there [kg m² or kg]; empty where there are
        none.
        """
        return []

    def unit_twists(self, own: list[Scalar]) -> Any:
        """Of a body that can be touched: how each velocity moves what it carries, as twists about the world's origin
        in its axes, by velocity.
        """
        raise NotImplementedError

    def reaches(self) -> list[tuple[int, int]]:
        """Likewise: first and last of the places that each velocity carries."""
        raise NotImplementedError

    def places(self) -> Mapping[str, int]:
        """Likewise: the place of each frame that has ports, by name; "" is the body itself."""
        return {}

    @property
    def light(self) -> bool:
        """Whether slopes of its bias by its velocities cost so little that a method may always take them."""
        return True

    def quaternions(self) -> Sequence[slice]:
        """Where quaternions stand among the states."""
        return []

    def settle(self, own: list[Scalar]) -> Sequence[Scalar]:
        """What becomes of the states after each step: quaternions take unit length again, for example."""
        return own

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> Sequence[Scalar]:
        """Rates of the states under the inputs."""
        M = self.mass_matrix(own)
        bias = self.inverse_dynamics(own, [0] * len(M))
        rest = [f - b for f, b in zip(self.generalized_forces(own, forces), bias, strict=True)]
        return [*self.position_rates(own), *solve(factor(M), rest)]

    @property
    def mechanical(self) -> bool:
        """Whether it has a mass matrix, so that every method can advance it."""
        return type(self).mass_matrix is not Admittance.mass_matrix


class Spring(NamedTuple):
    """A direction in which a part is elastic, as checks of stability see it.

    Attributes:
        force: outputs under a unit of force along it.
        stiffness: [N/m or N·m/rad].
        damping: [N·s/m or N·m·s/rad].
        bristle: whether its stretch is a state of the part, and not a position of bodies.
        staged: whether its damping grows with the stage of a scheme, as that of dry friction does.
    """

    force: Ports
    stiffness: Scalar
    damping: Scalar
    bristle: bool = False
    staged: bool = False


class Impedance(Part):
    """Motion in, force out: [u, ẏ] = I(x̂, y; T), network (9) and (22).

    Example:
        >>> from dataclasses import dataclass
        >>> from stiction.fields import number
        >>> from stiction.parts import Impedance
        >>> @dataclass(frozen=True, kw_only=True)
        ... class AirDrag(Impedance):
        ...     inputs, outputs = {"velocity": 1}, {"force": 1}
        ...     drag: float = number(least=0)
        ...     def force(self, motion, own, step, t):
        ...         (v,) = motion["velocity"]
        ...         return {"force": [self.drag * v * abs(v)]}, []
        >>> AirDrag(drag=0.5).force({"velocity": [2.0]}, [], 1e-3, 0.0)
        ({'force': [2.0]}, [])
    """

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """The outputs and the rates of the own states; `step` is the stage step of the integrator [s]."""
        raise NotImplementedError

    def mean_force(
        self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar, span: Scalar
    ) -> tuple[Ports, Sequence[Scalar]]:
        """The same for a step of length `span` around t, as its mean, where it depends on the time alone."""
        return self.force(motion, own, step, t)

    def breaks(self) -> Sequence[float]:
        """Times at which its outputs jump [s], as far as it knows."""
        return ()

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy [J]."""
        return 0

    lasting: ClassVar[bool] = True  # whether what is elastic in it acts all the time; contacts come and go

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """The directions in which it is elastic."""
        return []

    @property
    def remembers(self) -> bool:
        """Whether something becomes of its states after each step."""
        return type(self).settle is not Impedance.settle

    def settle(self, motion: Ports, own: list[Scalar]) -> Sequence[Scalar]:
        """What becomes of the own states after each step, with the inputs there: what remembers how the motion came
        about is set here, at rates of 0.
        """
        return own


class Implicit(Impedance):
    """An impedance whose output "torque" works on one velocity.

    Attributes:
        velocity_port: the input that is this velocity.
        sense: 1 if the torque has the sign of the velocity (friction), −1 if it pushes along it (motors).
    """

    velocity_port: ClassVar[str] = "velocity"
    sense: ClassVar[int] = 1


class Row(Implicit):
    """An impedance that is rigid: its torque is found once per step together with those of all other rows, within
    bounds.

    Its first two states are the direction in which it slides (−1, 0 or 1), from which the next search begins, and the
    torque that was found.
    """

    hidden: ClassVar[tuple[str, ...]] = ("slides", "row_torque")
    shared: ClassVar[bool] = (
        False  # whether it follows from other rows, as two on one joint do: who holds how much is open
    )
    carried: ClassVar[bool] = False  # whether its velocity has a given part, as that over a belt does
    on: ClassVar[str] = ""  # name of a row on the same velocity, with which it is one; empty if it is a row of its own

    def start(self) -> Mapping[str, float]:
        """Stuck, without torque."""
        return {"slides": 0.0, "row_torque": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """The torque that was found, held over the step."""
        return {"torque": [own[1]]}, [0] * len(own)

    def under(self, motion: Ports) -> Self:
        """The same with what its inputs make of it in this step."""
        return self

    def beside(self, s: Scalar) -> Scalar:
        """Torque that it has at velocity s beside that of its row."""
        return 0

    def bounds(self, own: list[Scalar], s: Scalar, step: Scalar) -> Bounds:
        """Bounds of its impulse in this step."""
        raise NotImplementedError

    def found(
        self,
        motion: Ports,
        own: list[Scalar],
        slides: Scalar,
        torque: Scalar,
        acceleration: Scalar,
        inertia: Scalar,
    ) -> Sequence[Scalar]:
        """Its states after the step; `inertia` is what it moves, 0 where nobody knows."""
        return [slides, torque]


@dataclass(frozen=True, kw_only=True)
class Clock(Validated, Parametric):
    """When something digital happens.

    Attributes:
        period: time between ticks [s], a whole number of simulation steps.
        phase: time of the first tick [s], a whole number of steps below the period.
        delay: how many ticks later the outputs come; until then they are 0.

    Example:
        >>> from stiction import Clock
        >>> Clock(period=2e-3).ticks(1e-3)
        (2, 0)
    """

    period: float = number(above=0)
    phase: float = number(0.0, least=0)
    delay: int = count(0, most=1000)

    def conflicts(self) -> Sequence:
        """The first tick comes within a period."""
        return [
            (
                self.phase >= self.period,
                f"phase is {self.phase:g} s and period {self.period:g} s; allowed: a phase below the period",
            )
        ]

    def with_parameters(self, substitution: Substitution) -> Self:
        """Its times are inputs of programs, as the step is; nobody varies them from run to run."""
        twin = copy.copy(self)
        for time in ("period", "phase"):
            twin._set(time, substitution.internal(time, getattr(self, time)))
        return twin

    def due(self, count: Scalar, h: Scalar) -> Scalar:
        """Whether it ticks before step number `count`, of length h [s]."""
        every, first = (floor(time / h + 0.5) for time in (self.period, self.phase))
        turns = count - first
        return (turns >= 0) & (turns - floor(turns / every) * every == 0)

    def turn(self, count: Scalar, h: Scalar) -> Scalar:
        """Which of its ticks comes at step number `count`, of length h [s], from 0 on."""
        every, first = (floor(time / h + 0.5) for time in (self.period, self.phase))
        return floor((count - first) / every)

    def ticks(self, step: float) -> tuple[int, int]:
        """Steps from tick to tick, and steps before the first tick; refuses periods between steps."""
        counts = []
        for what, time in (("period", self.period), ("phase", self.phase)):
            steps = round(time / step)
            if abs(time / step - steps) > 1e-6 or (what == "period" and steps < 1):
                raise InputError(
                    f"Clock: {what} is {time:g} s, which is no whole number of steps of {step:g} s; "
                    "choose a step that divides it"
                )
            counts.append(steps)
        return counts[0], counts[1]


class Digital(Part):
    """What reads its inputs at the ticks of a clock and holds its outputs in between: a controller, for example.

    Its states are how often it ticked, its memory, its outputs, and those that are on their way through the delay.

    Attributes:
        clock: when it ticks.
        draws: how many random numbers of the standard normal distribution it gets at each tick, as its input "noise".
            They follow from the seed, the run, the part's name and the tick alone.
    """

    clock: Clock
    draws: int = 0

    def unit(self, signal: str) -> str:
        """Of its count, or as its class says."""
        return "1" if signal == "ticks" else super().unit(signal)

    def memory(self) -> Mapping[str, float]:
        """What it remembers from tick to tick, by name, with first values."""
        return {}

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """Outputs and memory after a tick."""
        raise NotImplementedError

    @property
    def delay(self) -> int:
        """How many ticks later its outputs come."""
        return self.clock.delay

    @property
    def late(self) -> tuple[str, ...]:
        """Outputs on their way: "in_1.command" comes with the next tick."""
        return tuple(f"in_{d}.{name}" for d in range(1, self.delay + 1) for name in output_names(self.outputs))

    def start(self) -> Mapping[str, float]:
        """The count, the memory, the outputs, and those that are delayed."""
        names = [*output_names(self.outputs), *self.late]
        return {"ticks": 0.0} | dict(self.memory()) | dict.fromkeys(names, 0.0)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Outputs on their way."""
        return self.late

    def present(self, own: list[Scalar]) -> Ports:
        """The outputs now."""
        first, ports = 1 + len(self.memory()), {}
        for port, size in self.outputs.items():
            ports[port] = list(own[first : first + size])
            first += size
        return ports

    def tick(self, own: list[Scalar], inputs: Ports, t: Scalar) -> list[Scalar]:
        """The states after a tick: the queue moves on, what was decided comes last."""
        n = len(self.memory())
        count, *kept = own
        outputs, memory = self.answer("decide", self.decide(inputs, kept[:n], t), n)
        queue = [*kept[n:], *(x for port in self.outputs for x in outputs[port])]
        return [count + 1, *memory, *queue[sum(self.outputs.values()) :]]


def output_names(ports: Mapping[str, int]) -> list[str]:
    """A name for each number of some ports."""
    return [
        f"{port}.{component}" if size > 1 else port
        for port, size in ports.items()
        for component in component_names(size)
    ]


def flat_ports(ports: Ports) -> list[Scalar]:
    """The numbers of some ports, one after another."""
    return [x for values in ports.values() for x in values]


def split(sizes: Mapping[str, int], numbers: Sequence[Scalar]) -> tuple[dict[str, list[Scalar]], list[Scalar]]:
    """Numbers as ports of these sizes, and those that are left."""
    ports, first = {}, 0
    for port, size in sizes.items():
        ports[port] = list(numbers[first : first + size])
        first += size
    return ports, list(numbers[first:])
