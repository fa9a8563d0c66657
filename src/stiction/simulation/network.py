"""Networks of parts, wired by name: one flow for any integrator. Wrong wiring is found when the network is made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple

from stiction.errors import StictionError, unknown
from stiction.part import Admittance, Digital, Impedance, Part
from stiction.trace.functions import Scalar, floor, where
from stiction.trace.numbered import Numbering

SIGNALS = ("energy", "work", "loss", "stored", "residual", "splitting", "steps", "rejected")  # names that belong to no part


class NetworkError(StictionError):
    """Parts are wired in a way that cannot be simulated."""


@dataclass(frozen=True)
class Term:
    """A signal times a gain.

    Attributes:
        source: "part.port" of an output.
        gain: a number, or a matrix with as many columns as the source has numbers.
    """

    source: str
    gain: float | Sequence[Sequence[float]] = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", _gain(self.source, self.gain))


@dataclass(frozen=True)
class Wire:
    """What drives an input: a sum of terms and a constant.

    Attributes:
        target: "part.port" of an input.
        terms: signals, by name or as `Term`.
        shift: constant added to the sum, one number per number of the port.

    Example:
        >>> from stiction.simulation.network import Term, Wire
        >>> Wire("ball.force", [Term("ground.force", -1.0)]).target
        'ball.force'
    """

    target: str
    terms: Sequence[Term | str]
    shift: Sequence[float] = ()

    def __post_init__(self) -> None:
        if isinstance(self.terms, str) or not isinstance(self.terms, Sequence) or not all(isinstance(term, (str, Term)) for term in self.terms):
            raise NetworkError(f"the wire to '{self.target}' has the terms {self.terms!r}; allowed: a list of 'part.port' texts and Term objects")
        object.__setattr__(self, "terms", tuple(self.terms))
        try:
            object.__setattr__(self, "shift", tuple(_finite(x) for x in self.shift))
        except (TypeError, ValueError):
            raise NetworkError(f"the wire to '{self.target}' is shifted by {self.shift!r}; allowed: finite numbers, one per number of the port") from None


def _finite(x: Any) -> float:
    if isinstance(x, str) or not abs(number := float(x)) < 1e15:
        raise ValueError
    return number


def _gain(source: str, gain: Any) -> float | tuple[tuple[float, ...], ...]:
    try:
        return tuple(tuple(_finite(x) for x in row) for row in gain) if hasattr(gain, "__len__") else _finite(gain)
    except (TypeError, ValueError):
        raise NetworkError(f"the gain of '{source}' is {gain!r}; allowed: a finite number, or a matrix as rows of finite numbers") from None


class Evaluation(NamedTuple):
    """A network at one moment.

    Attributes:
        own: states of each part, by name.
        signals: all outputs, by "part.port".
        rates: of the own states of each impedance.
    """

    own: dict[str, list[Scalar]]
    signals: dict[str, list[Scalar]]
    rates: dict[str, Sequence[Scalar]]


@dataclass(frozen=True, kw_only=True)
class Network:
    """Parts and the wires between them.

    Attributes:
        parts: by name.
        wires: one per driven input. Inputs of admittances without a wire are 0; inputs of impedances need one.
    """

    parts: Mapping[str, Part]
    wires: Sequence[Wire] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not isinstance(self.parts, Mapping):
            raise NetworkError(f"parts is {self.parts!r}; allowed: a mapping from names to parts")
        for name, part in self.parts.items():
            if name in SIGNALS or not name:
                raise NetworkError(f"a part cannot be called '{name}', which begins the names of signals; choose another name")
            if not isinstance(part, (Admittance, Impedance, Digital)):
                raise NetworkError(f"part '{name}' is {part!r}; allowed: Admittance, Impedance and Digital objects")
            _check_class(name, part)
        seen: set[str] = set()
        for wire in self.wires:
            if wire.target in seen:
                raise NetworkError(f"port '{wire.target}' has two drivers; put all that drives it into the terms of one wire")
            seen.add(wire.target)
            self._check_wire(wire)
        for name, part in self.parts.items():
            for port in part.inputs:
                if not isinstance(part, Admittance) and f"{name}.{port}" not in seen:
                    raise NetworkError(f"port '{name}.{port}' dangles: nothing drives it; add a wire to it")
        self._check_used()
        _ = self.order

    def _check_wire(self, wire: Wire) -> None:
        size = self._size(wire.target, "inputs")
        if wire.shift and len(wire.shift) != size:
            raise NetworkError(f"the wire to '{wire.target}' shifts by {len(wire.shift)} numbers; the port has {size}")
        for term in _terms(wire):
            source = self._size(term.source, "outputs")
            given = (len(term.gain), {len(row) for row in term.gain}) if isinstance(term.gain, (list, tuple)) else (source, {source})
            if given != (size, {source}):
                shape = f"a {given[0]} × {'/'.join(map(str, sorted(given[1])))} gain" if isinstance(term.gain, (list, tuple)) else "a plain gain"
                raise NetworkError(f"the wire from '{term.source}' ({source} numbers) to '{wire.target}' ({size}) has {shape}; allowed: {size} × {source}")

    def _size(self, port: str, side: str) -> int:
        part, _, name = port.rpartition(".")
        if part not in self.parts:
            raise NetworkError(f"port '{port}': " + unknown("part", part, "this network", self.parts))
        ports = getattr(self.parts[part], side)
        if name not in ports:
            raise NetworkError(f"port '{port}': " + unknown(f"{side[:-1]}", name, f"part '{part}'", ports))
        return ports[name]

    def _check_used(self) -> None:
        used = {term.source.rpartition(".")[0] for wire in self.wires for term in _terms(wire)}
        for name, part in self.parts.items():
            if not isinstance(part, Admittance) and part.outputs and name not in used:
                raise NetworkError(f"part '{name}' dangles: none of its outputs ({', '.join(part.outputs)}) drives anything; wire one or leave it out")

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The impedances, each after those that drive it; refuses algebraic loops."""
        needs = {name: set[str]() for name, part in self.parts.items() if isinstance(part, Impedance)}
        for wire in self.wires:
            target = wire.target.rpartition(".")[0]
            if target in needs:
                needs[target] |= {s for s in (term.source.rpartition(".")[0] for term in _terms(wire)) if s in needs}
        placed: list[str] = []
        while len(placed) < len(needs):
            ready = [name for name in needs if name not in placed and needs[name] <= set(placed)]
            if not ready:
                stuck = ", ".join(name for name in needs if name not in placed)
                raise NetworkError(f"algebraic loop: the forces of {stuck} drive each other with no body between them; put an admittance between")
            placed.extend(ready)
        return tuple(placed)

    @cached_property
    def start(self) -> dict[str, float]:
        """All states, named "part.state", with their first values."""
        return {f"{name}.{state}": float(x) for name, part in self.parts.items() for state, x in part.start().items()}

    @cached_property
    def bodies(self) -> dict[str, Admittance]:
        """The admittances, by name."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Admittance)}

    def must_be_mechanical(self, what: str) -> None:
        """Refuse bodies that say no mass matrix, for what needs one."""
        for name, body in self.bodies.items():
            if not body.mechanical:
                raise NetworkError(f"part '{name}' ({type(body).__name__}) says no mass_matrix and load, which {what} needs; write them, or use method 'rk4'")

    @cached_property
    def digital(self) -> dict[str, Digital]:
        """What ticks, by name."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Digital)}

    def with_parts(self, change: Callable[[str, Part], Part]) -> "Network":
        """The same network with other parts of the same ports."""
        made = object.__new__(Network)  # checked before
        object.__setattr__(made, "parts", {name: change(name, part) for name, part in self.parts.items()})
        object.__setattr__(made, "wires", self.wires)
        return made

    def with_numbers(self, number: Numbering) -> "Network":
        """The same network with the numbers of its parts replaced; see `Numbered`."""
        return self.with_parts(lambda name, part: part.with_numbers(number.inside(name)))

    def split(self, state: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        """The states of each part."""
        own, first = {}, 0
        for name, part in self.parts.items():
            size = len(part.start())
            own[name] = list(state[first : first + size])
            first += size
        return own

    def evaluate(self, state: Sequence[Scalar], t: Scalar, step: Scalar) -> Evaluation:
        """All outputs at a state: motions and held commands first, then forces, each after those that drive it."""
        own = self.split(state)
        signals: dict[str, list[Scalar]] = {f"{name}.{port}": list(x) for name, part in self.digital.items() for port, x in part.held(own[name]).items()}
        for name, body in self.bodies.items():
            signals |= {f"{name}.{port}": list(x) for port, x in body.motion(own[name]).items()}
        rates: dict[str, Sequence[Scalar]] = {name: [0] * len(own[name]) for name in self.digital}
        for name in self.order:
            part = self.parts[name]
            assert isinstance(part, Impedance)
            outputs, rates[name] = part.force(self.inputs(name, signals), own[name], step, t)
            if {port: len(x) for port, x in outputs.items()} != dict(part.outputs) or len(rates[name]) != len(own[name]):
                given = {port: len(x) for port, x in outputs.items()}
                raise NetworkError(
                    f"part '{name}' ({type(part).__name__}): its force gives the outputs {given} and {len(rates[name])} rates; "
                    f"it declared {dict(part.outputs)} and {len(own[name])} states"
                )
            signals |= {f"{name}.{port}": list(x) for port, x in outputs.items()}
        return Evaluation(own, signals, rates)

    def ticked(self, state: Sequence[Scalar], count: Scalar, t: Scalar, h: float) -> list[Scalar]:
        """The states after the ticks that are due at step number `count`; all that tick at once read the same state."""
        if not self.digital:
            return list(state)
        now = self.evaluate(state, t, h)
        own = dict(now.own)
        for name, part in self.digital.items():
            every, first = part.clock.ticks(h)
            turns = count - first
            due = (turns >= 0) & (turns - floor(turns / every) * every == 0)
            after = part.tick(own[name], self.inputs(name, now.signals), t)
            own[name] = [where(due, a, b) for a, b in zip(after, own[name], strict=True)]
        return [x for name in self.parts for x in own[name]]

    def rates(self, now: Evaluation, t: Scalar) -> list[Scalar]:
        """Rates of all states: network (13), stage form (21), (22)."""
        rates = dict(now.rates)
        for name, body in self.bodies.items():
            rates[name] = body.rates(now.own[name], self.inputs(name, now.signals), t)
        return [rate for name in self.parts for rate in rates[name]]

    def flow(self, state: Sequence[Scalar], t: Scalar, step: Scalar) -> list[Scalar]:
        """Rates of all states, from the states."""
        return self.rates(self.evaluate(state, t, step), t)

    def velocities(self, own: Mapping[str, list[Scalar]]) -> list[Scalar]:
        """The velocities of all bodies."""
        return [v for name, body in self.bodies.items() for v in own[name][body.positions() :]]

    def pushes(self, now: Evaluation) -> dict[str, list[Scalar]]:
        """Who pushes, and how, along the velocities of all bodies; constants of a wire count under the name of its port."""
        sources = [*dict.fromkeys(source for wire in self._into_bodies for source in self._sources(wire))]
        return {source: self.push(now, source) for source in sources}

    def push(self, now: Evaluation, source: str) -> list[Scalar]:
        """The push of one source along the velocities of all bodies."""
        forces: list[Scalar] = []
        for name, body in self.bodies.items():
            ports = {port: self._share(f"{name}.{port}", size, source, now.signals) for port, size in body.inputs.items()}
            forces.extend(body.generalised(now.own[name], ports))
        return forces

    def driven_from_outside(self, name: str) -> bool:
        """Whether something that is no body moves an input of this part: then it can bring work in."""
        inputs = [wire for wire in self.wires if wire.target.rpartition(".")[0] == name]
        return any(term.source.rpartition(".")[0] not in self.bodies for wire in inputs for term in _terms(wire))

    def direction(self, now: Evaluation, name: str) -> list[Scalar]:
        """The velocity of a friction site as a row over the velocities of all bodies: minus the push of a unit torque."""
        unit = now._replace(signals=now.signals | {f"{name}.torque": [1]})
        return [-x for x in self.push(unit, name)]

    def mechanics(self, now: Evaluation) -> tuple[list[list[Scalar]], list[Scalar]]:
        """Mass matrix and bias of all bodies together."""
        blocks = {name: body.mass_matrix(now.own[name]) for name, body in self.bodies.items()}
        n = sum(len(block) for block in blocks.values())
        M: list[list[Scalar]] = [[0] * n for _ in range(n)]
        bias: list[Scalar] = []
        for name, block in blocks.items():
            first = len(bias)
            for i, row in enumerate(block):
                M[first + i][first : first + len(block)] = row
            bias.extend(self.bodies[name].load(now.own[name], [0] * len(block)))
        return M, bias

    @cached_property
    def _into_bodies(self) -> list[Wire]:
        return [wire for wire in self.wires if wire.target.rpartition(".")[0] in self.bodies]

    def _sources(self, wire: Wire) -> list[str]:
        names = [term.source.rpartition(".")[0] for term in _terms(wire)]
        return [*names, wire.target] if wire.shift else names

    def _share(self, target: str, size: int, source: str, signals: Mapping[str, list[Scalar]]) -> list[Scalar]:
        """What one source adds to an input."""
        wire = self.driven.get(target)
        if wire is None:
            return [0] * size
        terms = [term for term in _terms(wire) if term.source.rpartition(".")[0] == source]
        return _sum(Wire(target, terms, wire.shift if source == target else ()), size, signals)

    def finished(self, state: Sequence[Scalar], t: Scalar, h: Scalar) -> list[Scalar]:
        """The states after a step, with those that are advanced over whole steps."""
        quick = {name for name, part in self.parts.items() if isinstance(part, Impedance) and type(part).finish is not Impedance.finish}
        if not quick:
            return list(state)
        now = self.evaluate(state, t, h)
        own = {name: part.finish(self.inputs(name, now.signals), now.own[name]) if name in quick else now.own[name] for name, part in self.parts.items()}  # type: ignore[attr-defined]
        return [x for name in self.parts for x in own[name]]

    def settle(self, state: Sequence[Scalar]) -> list[Scalar]:
        """The states as they are kept after an accepted step."""
        own = self.split(state)
        return [x for name, part in self.parts.items() for x in part.settle(own[name])]

    @cached_property
    def driven(self) -> dict[str, Wire]:
        """The wires, by the input that each drives."""
        return {wire.target: wire for wire in self.wires}

    def inputs(self, name: str, signals: Mapping[str, list[Scalar]]) -> dict[str, list[Scalar]]:
        """The inputs of a part."""
        return {port: _sum(self.driven.get(f"{name}.{port}"), size, signals) for port, size in self.parts[name].inputs.items()}


def _check_class(name: str, part: Part) -> None:
    """Refuse a class of the user's own that lacks what its kind needs."""
    kind = type(part)
    if not is_dataclass(part):
        raise NetworkError(f"part '{name}': its class {kind.__name__} is no dataclass; write @dataclass(frozen=True, kw_only=True) above it")
    needed: dict[type, tuple[str, ...]] = {Impedance: ("force",), Digital: ("decide",), Admittance: ("motion", "rates")}
    if isinstance(part, Admittance) and part.mechanical:
        needed[Admittance] = ("motion",)
    if isinstance(part, Digital) and kind.tick is not Digital.tick:
        needed[Digital] = ()
    for base, methods in needed.items():
        for method in methods:
            if isinstance(part, base) and getattr(kind, method) is getattr(base, method):
                raise NetworkError(f"part '{name}': its class {kind.__name__} has no method '{method}', which every {base.__name__} needs; write it")


def _terms(wire: Wire) -> list[Term]:
    return [Term(term) if isinstance(term, str) else term for term in wire.terms]


def _sum(wire: Wire | None, size: int, signals: Mapping[str, list[Scalar]]) -> list[Scalar]:
    total: list[Scalar] = [0] * size
    if wire is None:
        return total
    for term in _terms(wire):
        x = signals[term.source]
        if isinstance(term.gain, (list, tuple)):
            x = [sum((g * y for g, y in zip(row, x, strict=True) if g), start=0) for row in term.gain]
        else:
            x = [term.gain * y for y in x]
        total = [a + b for a, b in zip(total, x, strict=True)]
    return [a + b for a, b in zip(total, wire.shift, strict=True)] if wire.shift else total
