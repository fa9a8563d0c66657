"""Networks of parts, wired by name: one flow for any integrator. Wrong wiring is found when the network is made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from stiction.errors import StictionError, unknown
from stiction.simulation.part import Admittance, Impedance, Part
from stiction.trace.functions import Scalar


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
        for name, part in self.parts.items():
            if not isinstance(part, (Admittance, Impedance)):
                raise NetworkError(f"part '{name}' is {part!r}; allowed: Admittance and Impedance objects")
        seen: set[str] = set()
        for wire in self.wires:
            if wire.target in seen:
                raise NetworkError(f"port '{wire.target}' has two drivers; put all that drives it into the terms of one wire")
            seen.add(wire.target)
            self._check_wire(wire)
        for name, part in self.parts.items():
            for port in part.inputs:
                if isinstance(part, Impedance) and f"{name}.{port}" not in seen:
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
        part, _, name = port.partition(".")
        if part not in self.parts:
            raise NetworkError(f"port '{port}': " + unknown("part", part, "this network", self.parts))
        ports = getattr(self.parts[part], side)
        if name not in ports:
            raise NetworkError(f"port '{port}': " + unknown(f"{side[:-1]}", name, f"part '{part}'", ports))
        return ports[name]

    def _check_used(self) -> None:
        used = {term.source.partition(".")[0] for wire in self.wires for term in _terms(wire)}
        for name, part in self.parts.items():
            if isinstance(part, Impedance) and part.outputs and name not in used:
                raise NetworkError(f"part '{name}' dangles: none of its outputs ({', '.join(part.outputs)}) drives anything; wire one or leave it out")

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The impedances, each after those that drive it; refuses algebraic loops."""
        needs = {name: set[str]() for name, part in self.parts.items() if isinstance(part, Impedance)}
        for wire in self.wires:
            target = wire.target.partition(".")[0]
            if target in needs:
                needs[target] |= {s for s in (term.source.partition(".")[0] for term in _terms(wire)) if s in needs}
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

    def with_numbers(self, number: Callable[[str, float], Any]) -> "Network":
        """The same network with the numbers of its parts replaced; see `Numbered`."""
        twins = {}
        for name, part in self.parts.items():
            twins[name] = part.with_numbers(partial(_prefixed, number, name))
        made = object.__new__(Network)  # checked before
        object.__setattr__(made, "parts", twins)
        object.__setattr__(made, "wires", self.wires)
        return made

    def split(self, state: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        """The states of each part."""
        own, first = {}, 0
        for name, part in self.parts.items():
            size = len(part.start())
            own[name] = list(state[first : first + size])
            first += size
        return own

    def flow(self, state: Sequence[Scalar], t: Scalar, step: Scalar) -> list[Scalar]:
        """Rates of all states: network (13), stage form (21), (22)."""
        own = self.split(state)
        signals: dict[str, list[Scalar]] = {}
        for name, part in self.parts.items():
            if isinstance(part, Admittance):
                signals |= {f"{name}.{port}": list(x) for port, x in part.motion(own[name]).items()}
        rates: dict[str, Sequence[Scalar]] = {}
        for name in self.order:
            part = self.parts[name]
            assert isinstance(part, Impedance)
            outputs, rates[name] = part.force(self._inputs(name, part, signals), own[name], step, t)
            signals |= {f"{name}.{port}": list(x) for port, x in outputs.items()}
        for name, part in self.parts.items():
            if isinstance(part, Admittance):
                rates[name] = part.rates(own[name], self._inputs(name, part, signals), t)
        return [rate for name in self.parts for rate in rates[name]]

    def settle(self, state: Sequence[Scalar]) -> list[Scalar]:
        """The states as they are kept after an accepted step."""
        own = self.split(state)
        return [x for name, part in self.parts.items() for x in part.settle(own[name])]

    def _inputs(self, name: str, part: Part, signals: Mapping[str, list[Scalar]]) -> dict[str, list[Scalar]]:
        driven = {wire.target: wire for wire in self.wires}
        return {port: _sum(driven.get(f"{name}.{port}"), size, signals) for port, size in part.inputs.items()}


def _prefixed(number: Callable[[str, float], Any], prefix: str, name: str, value: float) -> Any:
    return number(f"{prefix}.{name}", value)


def _terms(wire: Wire) -> list[Term]:
    return [Term(term) if isinstance(term, str) else term for term in wire.terms]


def _sum(wire: Wire | None, size: int, signals: Mapping[str, list[Scalar]]) -> list[Scalar]:
    total: list[Scalar] = [0] * size
    if wire is None:
        return total
    for term in _terms(wire):
        x = signals[term.source]
        if isinstance(term.gain, (list, tuple)):
            x = [sum((g * y for g, y in zip(row, x, strict=True)), start=0) for row in term.gain]
        else:
            x = [term.gain * y for y in x]
        total = [a + b for a, b in zip(total, x, strict=True)]
    return [a + b for a, b in zip(total, wire.shift or total, strict=True)] if wire.shift else total
