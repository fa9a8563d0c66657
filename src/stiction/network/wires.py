"""Wires: what drives an input of a part is a sum of outputs of others, each times a gain, and a constant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from stiction.errors import StictionError
from stiction.fields import real
from stiction.trace.functions import Scalar
from stiction.trace.parameters import Substitution, component_names
from stiction.trace.structure import structure_of


class NetworkError(StictionError):
    """Parts are wired in a way that cannot be simulated."""


class Port(NamedTuple):
    """An input or an output of a part."""

    part: str
    name: str

    def __str__(self) -> str:
        return f"{self.part}.{self.name}"


def port_named(text: Any) -> Port:
    """The port that a user calls "part.port"; names of parts may have dots, names of ports have none."""
    part, dot, name = text.rpartition(".") if isinstance(text, str) else ("", "", "")
    if not dot or not part or not name:
        raise NetworkError(f"a port is called {text!r}; allowed: a text 'part.port', such as 'robot.torque'")
    return Port(part, name)


Signals = Mapping[Port, list[Scalar]]


def resolved(port: Port, parts: Mapping[str, Any]) -> Port:
    """A port of a frame of a part, "robot.tool.position", as one of that part."""
    if port.part in parts:
        return port
    for name, part in parts.items():
        inner = f"{port.part[len(name) + 1 :]}.{port.name}"
        if port.part.startswith(f"{name}.") and (inner in part.inputs or inner in part.outputs):
            return Port(name, inner)
    return port


@dataclass(frozen=True)
class Term:
    """A signal times a gain.

    Gains that are 0, 1 or −1 are structure: they shape the program. All others are parameters.

    Attributes:
        source: "part.port" of an output.
        gain: a number, or a matrix with as many columns as the source has numbers.

    Example:
        >>> from stiction import Term, Wire
        >>> Wire("block.force", [Term("spring.force", gain=-1.0)]).terms[0].gain
        -1.0
    """

    source: str
    gain: float | Sequence[Sequence[float]] = 1.0

    def __post_init__(self) -> None:
        _ = self.port
        try:
            matrix = hasattr(self.gain, "__len__")
            gain: Any = tuple(tuple(map(real, row)) for row in self.gain) if matrix else real(self.gain)  # type: ignore[union-attr]
        except (TypeError, ValueError):
            raise NetworkError(
                f"the gain of '{self.source}' is {self.gain!r}; "
                "allowed: a finite number, or a matrix as rows of finite numbers"
            ) from None
        object.__setattr__(self, "gain", gain)

    @cached_property
    def port(self) -> Port:
        """The source, read."""
        return port_named(self.source)

    def value(self, signals: Signals) -> list[Scalar]:
        """The signal times the gain."""
        x = signals[self.port]
        if not isinstance(self.gain, tuple):
            return [self.gain * y for y in x]
        return [sum((row[j] * x[j] for j in there), start=0) for row, there in zip(self.gain, self.there, strict=True)]

    @cached_property
    def there(self) -> list[list[int]]:
        """Where each row of a matrix is not 0."""
        assert isinstance(self.gain, tuple)
        return [[j for j, g in enumerate(row) if not _zero(g)] for row in self.gain]

    @cached_property
    def entries(self) -> list[tuple[str, float]]:
        """The gains that are parameters, by name."""
        if not isinstance(self.gain, tuple):
            return [("", float(self.gain))] if _counts(self.gain) else []  # type: ignore[arg-type]
        return [(f".{i}.{j}", g) for i, j, g in self._counting]

    @cached_property
    def _counting(self) -> list[tuple[int, int, float]]:
        """The entries of a matrix that are parameters."""
        assert isinstance(self.gain, tuple)
        pairs = zip(self.gain, self.there, strict=True)
        return [(i, j, row[j]) for i, (row, there) in enumerate(pairs) for j in there if _counts(row[j])]

    def with_gains(self, gains: Mapping[str, Scalar]) -> "Term":
        """The same term with other gains, by name."""
        if not gains:
            return self
        made = object.__new__(type(self))
        gain: Any = self.gain
        if isinstance(gain, tuple):
            rows = [list(row) for row in gain]
            for i, j, _ in self._counting:
                rows[i][j] = gains.get(f".{i}.{j}", rows[i][j])
            gain = tuple(map(tuple, rows))
            made.__dict__["there"] = self.there
        made.__dict__.update({"source": self.source, "port": self.port, "gain": gains.get("", gain)})
        return made

    @cached_property
    def structure(self) -> tuple:
        """The source, and which gains are 0, 1 or −1."""
        shape = len(self.gain) if isinstance(self.gain, tuple) else None
        named = {name for name, _ in self.entries}
        return (self.source, shape, structure_of(self.with_gains(dict.fromkeys(named, "#")).gain, numbers=True))


class InternalTerm(Term):
    """A term that a scene makes from its description: its gains follow from it, so nobody sets them as parameters."""


def _zero(gain: Any) -> bool:
    return isinstance(gain, (int, float)) and gain == 0


def _counts(gain: float) -> bool:
    return gain not in (0, 1, -1)


@dataclass(frozen=True)
class Wire:
    """What drives an input: a sum of terms and a constant.

    Attributes:
        target: "part.port" of an input.
        terms: signals, by name or as `Term`.
        shift: constant added to the sum, one number per number of the port.

    Example:
        >>> from stiction.network import Term, Wire
        >>> Wire("ball.force", [Term("ground.force", -1.0)]).target
        'ball.force'
    """

    target: str
    terms: Sequence[Term | str]
    shift: Sequence[float] = ()

    def __post_init__(self) -> None:
        _ = self.port
        given: Any = self.terms
        if not isinstance(given, (list, tuple)) or not all(isinstance(term, (str, Term)) for term in given):
            raise NetworkError(
                f"the wire to '{self.target}' has the terms {given!r}; "
                "allowed: a list of 'part.port' texts and Term objects"
            )
        object.__setattr__(self, "terms", tuple(Term(term) if isinstance(term, str) else term for term in given))
        sources = [term.source for term in self.all_terms]
        for source in sources:
            if sources.count(source) > 1:
                raise NetworkError(
                    f"the wire to '{self.target}' has two terms of '{source}'; add up their gains in one"
                )
        try:
            object.__setattr__(self, "shift", tuple(map(real, self.shift)))
        except (TypeError, ValueError):
            raise NetworkError(
                f"the wire to '{self.target}' is shifted by {self.shift!r}; "
                "allowed: finite numbers, one per number of the port"
            ) from None

    @cached_property
    def port(self) -> Port:
        """The target, read."""
        return port_named(self.target)

    def resolved(self, parts: Mapping[str, Any]) -> "Wire":
        """The same wire, with ports of frames as those of the parts that have them."""
        terms = []
        for term in self.all_terms:
            made = object.__new__(type(term))
            made.__dict__.update({"source": term.source, "gain": term.gain, "port": resolved(term.port, parts)})
            terms.append(made)
        wire = object.__new__(Wire)
        port = resolved(self.port, parts)
        wire.__dict__.update({"target": self.target, "port": port, "terms": tuple(terms), "shift": self.shift})
        return wire

    def value(self, size: int, signals: Signals, only: str | None = None) -> list[Scalar]:
        """The sum; or the share of one part's outputs alone, the constant being a share of the port's own."""
        total: list[Scalar] = [0] * size
        for term in self.all_terms:
            if only is None or term.port.part == only:
                total = [a + b for a, b in zip(total, term.value(signals), strict=True)]
        if self.shift and only in (None, self.target):
            total = [a + b for a, b in zip(total, self.shift, strict=True)]
        return total

    @property
    def all_terms(self) -> tuple[Term, ...]:
        """The terms, those that were given by name included."""
        return self.terms  # type: ignore[return-value]

    @property
    def sources(self) -> list[str]:
        """The parts that share in it; the constant counts under the name of the port."""
        return [*(term.port.part for term in self.all_terms), *([self.target] if self.shift else [])]

    def with_parameters(self, substitution: Substitution) -> "Wire":
        """The same wire with other gains and shifts: "PORT.gain.SOURCE" and "PORT.shift" of the part that it drives."""
        mine = substitution.of(self.port.part)
        terms = []
        for term in self.all_terms:
            stand_in = mine.internal if isinstance(term, InternalTerm) else mine
            path = f"{self.port.name}.gain.{term.source}"
            terms.append(term.with_gains({name: stand_in(path + name, x) for name, x in term.entries}))
        names = component_names(len(self.shift))
        shift = tuple(mine(f"{self.port.name}.shift.{c}", x) for c, x in zip(names, self.shift, strict=True))
        made = object.__new__(Wire)
        made.__dict__.update({"target": self.target, "port": self.port, "terms": tuple(terms), "shift": shift})
        return made

    @cached_property
    def structure(self) -> tuple:
        """What it connects, and how many constants it has."""
        return (self.target, tuple(term.structure for term in self.all_terms), len(self.shift))
