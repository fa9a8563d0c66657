"""Networks of parts, wired by name: what a scene is made into. Wrong wiring is found when the network is made."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

from stiction.constraint.constraint import Constraint
from stiction.errors import unknown
from stiction.network.alike import Formula, for_all, kinds_of
from stiction.network.labels import Labels
from stiction.network.wires import NetworkError, Port, Signals, Wire
from stiction.parts.kinds import Admittance, Digital, Impedance, Part, flat_ports, split
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar, constant, normal, where
from stiction.trace.parameters import Key, Substitution
from stiction.trace.structure import structure_of

States = Mapping[str, list[Scalar]]  # own states of each part, by its name


class Evaluation(NamedTuple):
    """A network at one moment.

    Attributes:
        own: states of each part, by name.
        signals: all outputs.
        rates: of the own states of each impedance.
    """

    own: States
    signals: dict[Port, list[Scalar]]
    rates: dict[str, Sequence[Scalar]]

    def with_outputs(self, part: str, outputs: Mapping[str, list[Scalar]]) -> "Evaluation":
        """The same moment with other outputs of a part."""
        return self._replace(signals=self.signals | {Port(part, port): x for port, x in outputs.items()})


class Follower(NamedTuple):
    """A state whose first value follows from others: it is a parameter times a sum of them.

    Attributes:
        leaders: the other states, with their factors.
        ratio: the parameter.
    """

    leaders: Mapping[Key, float]
    ratio: Key


@dataclass(frozen=True, kw_only=True)
class Network:
    """Parts and the wires between them.

    Attributes:
        parts: by name.
        wires: one per driven input. Inputs of admittances without a wire are 0; inputs of impedances need one.
        labels: what users call its signals and parameters.
        followers: states whose first values follow from others.
    """

    parts: Mapping[str, Part]
    wires: Sequence[Wire] = ()
    labels: Labels = field(default_factory=Labels)
    followers: Mapping[Key, Follower] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, part in self.parts.items():
            _check_class(name, part)
        seen: set[Port] = set()
        object.__setattr__(self, "wires", tuple(wire.resolved(self.parts) for wire in self.wires))
        for wire in self.wires:
            if wire.port in seen:
                raise NetworkError(
                    f"port '{wire.target}' has two drivers; put all that drives it into the terms of one wire"
                )
            seen.add(wire.port)
            self._check_wire(wire)
        for name, part in self.parts.items():
            for port in part.inputs:
                if not isinstance(part, Admittance) and Port(name, port) not in seen:
                    raise NetworkError(f"port '{name}.{port}' dangles: nothing drives it; add a wire to it")
        self._check_used()
        _ = self.order

    # Checks.

    def _check_wire(self, wire: Wire) -> None:
        size = self._size(wire.port, "inputs")
        if wire.shift and len(wire.shift) != size:
            raise NetworkError(f"the wire to '{wire.target}' shifts by {len(wire.shift)} numbers; the port has {size}")
        for term in wire.all_terms:
            source = self._size(term.port, "outputs")
            matrix = term.gain if isinstance(term.gain, tuple) else None
            given = (source, {source}) if matrix is None else (len(matrix), {len(row) for row in matrix})
            if given != (size, {source}):
                widths = "/".join(map(str, sorted(given[1])))
                shape = "a plain gain" if matrix is None else f"a {given[0]} × {widths} gain"
                raise NetworkError(
                    f"the wire from '{term.source}' ({source} numbers) to '{wire.target}' ({size}) has {shape}; "
                    f"allowed: {size} × {source}"
                )

    def _size(self, port: Port, side: str) -> int:
        if port.part not in self.parts:
            raise NetworkError(f"port '{port}': " + unknown("part", port.part, "this scene", self.parts))
        ports = getattr(self.parts[port.part], side)
        if port.name not in ports:
            raise NetworkError(f"port '{port}': " + unknown(side[:-1], port.name, f"part '{port.part}'", ports))
        return ports[port.name]

    def _check_used(self) -> None:
        used = {term.port.part for wire in self.wires for term in wire.all_terms}
        for name, part in self.parts.items():
            if not isinstance(part, Admittance) and part.outputs and not part.lone and name not in used:
                raise NetworkError(
                    f"part '{name}' dangles: none of its outputs ({', '.join(part.outputs)}) drives anything; "
                    "wire one or leave it out"
                )

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The impedances, each after those that drive it; refuses algebraic loops."""
        needs = {name: set[str]() for name, part in self.parts.items() if isinstance(part, Impedance)}
        for wire in self.wires:
            if wire.port.part in needs:
                needs[wire.port.part] |= {term.port.part for term in wire.all_terms if term.port.part in needs}
        placed: list[str] = []
        while len(placed) < len(needs):
            ready = [name for name in needs if name not in placed and needs[name] <= set(placed)]
            if not ready:
                stuck = ", ".join(name for name in needs if name not in placed)
                raise NetworkError(
                    f"algebraic loop: the forces of {stuck} drive each other with no body between them; "
                    "put an admittance between"
                )
            placed.extend(ready)
        return tuple(placed)

    @cached_property
    def ranks(self) -> list[list[str]]:
        """The impedances in ranks: those of one rank are driven by those of ranks before it."""
        rank: dict[str, int] = {}
        drivers = {name: set[str]() for name in self.order}
        for wire in self.wires:
            if wire.port.part in drivers:
                drivers[wire.port.part] |= {term.port.part for term in wire.all_terms if term.port.part in drivers}
        for name in self.order:
            rank[name] = max((rank[driver] + 1 for driver in drivers[name]), default=0)
        return [[name for name in self.order if rank[name] == k] for k in range(max(rank.values(), default=-1) + 1)]

    @cached_property
    def _commands(self) -> dict[str, set[str]]:
        """Who commands each that ticks, by wires from one to the other, also through what is continuous."""
        drivers = self._drivers
        found = {}
        for name in self.digital:
            seen, border = set[str](), set(drivers[name])
            while border:
                seen |= border
                border = {x for y in border - self.digital.keys() for x in drivers[y]} - seen
            found[name] = (seen & self.digital.keys()) - {name}
        return found

    @cached_property
    def _drivers(self) -> dict[str, set[str]]:
        """Who drives each part, bodies aside, through which nothing comes at once."""
        found = {name: set[str]() for name in self.parts}
        for wire in self.wires:
            if wire.port.part not in self.bodies:
                found[wire.port.part] |= {term.port.part for term in wire.all_terms} - self.bodies.keys()
        return found

    @cached_property
    def _relayed(self) -> bool:
        """Whether something continuous is between parts that tick."""
        return any(
            x in self.digital
            for name in self.digital
            for y in self._drivers[name] - self.digital.keys()
            for x in self._drivers[y]
        )

    def commanded_by(self, name: str) -> set[str]:
        """Who commands one that ticks, also through others."""
        found, border = set[str](), [name]
        while border:
            border = [x for y in border for x in self._commands[y] if x not in found]
            found |= set(border)
        return found

    @cached_property
    def tick_order(self) -> tuple[str, ...]:
        """What ticks, each after those that command it, as far as their wires say; in a circle, as they are listed."""
        commands = self._commands
        placed: list[str] = []
        while len(placed) < len(commands):
            left = [name for name in commands if name not in placed]
            placed.append(next((name for name in left if commands[name] <= set(placed)), left[0]))
        return tuple(placed)

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Times at which something jumps [s], as far as the parts know."""
        parts = [part for part in self.parts.values() if isinstance(part, Impedance)]
        return tuple(sorted({float(t) for part in parts for t in part.breaks()}))

    def must_be_mechanical(self, what: str, instead: str) -> None:
        """Refuse bodies that say no mass matrix, for what needs one."""
        for name, body in self.bodies.items():
            if not body.mechanical:
                raise NetworkError(
                    f"part '{name}' ({type(body).__name__}) says no mass_matrix and inverse_dynamics, "
                    f"which {what} needs; write them, or {instead}"
                )

    # What it consists of.

    def unit(self, key: Key) -> str:
        """The unit of a state or an output: as the scene knows it, else as the part does."""
        part, output = key
        return self.labels.unit(key) or self.parts[part].unit(output)

    @cached_property
    def bodies(self) -> dict[str, Admittance]:
        """The admittances, by name."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Admittance)}

    @cached_property
    def constraints(self) -> dict[str, Constraint]:
        """What is kept, whatever force it takes, by name."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Constraint)}

    @cached_property
    def digital(self) -> dict[str, Digital]:
        """What ticks, by name."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Digital)}

    @cached_property
    def driven(self) -> dict[Port, Wire]:
        """The wires, by the input that each drives."""
        return {wire.port: wire for wire in self.wires}

    @cached_property
    def start(self) -> dict[str, list[float]]:
        """First values of all states, by part."""
        return {name: [float(x) for x in part.start().values()] for name, part in self.parts.items()}

    @property
    def mechanical(self) -> bool:
        """Whether all bodies have mass matrices."""
        return all(body.mechanical for body in self.bodies.values())

    def with_parts(self, change: Callable[[str, Part], Part]) -> "Network":
        """The same network with other parts of the same ports."""
        return self._like({name: change(name, part) for name, part in self.parts.items()}, self.wires)

    def with_parameters(self, substitution: Substitution) -> "Network":
        """The same network with the parameters of its parts and wires replaced."""
        parts = {name: part.with_parameters(substitution.of(name)) for name, part in self.parts.items()}
        made = self._like(parts, [wire.with_parameters(substitution) for wire in self.wires])
        made.__dict__["kinds"] = self.kinds
        return made

    def _like(self, parts: Mapping[str, Part], wires: Sequence[Wire]) -> "Network":
        made = object.__new__(Network)  # checked before
        made.__dict__.update({"parts": parts, "wires": wires, "labels": self.labels, "followers": self.followers})
        return made

    @cached_property
    def kinds(self) -> dict[str, Hashable]:
        """Parts of one kind differ by numbers alone."""
        return kinds_of({name: part for name, part in self.parts.items() if not isinstance(part, Admittance)})

    def for_all(
        self, names: Sequence[str], given: Mapping[str, list[Scalar]], formula: Formula, shared: bool = False
    ) -> dict[str, list]:
        """A formula of some parts and numbers that are given to each."""
        return for_all(names, self.parts, self.kinds, given, formula, shared)

    def structure(self) -> tuple:
        """All that decides its programs, parameters aside."""
        parts = tuple((name, structure_of(part)) for name, part in self.parts.items())
        return (parts, tuple(wire.structure for wire in self.wires))

    # At a moment.

    def inputs(self, name: str, signals: Signals) -> dict[str, list[Scalar]]:
        """The inputs of a part."""
        return {port: self._sum(Port(name, port), size, signals) for port, size in self.parts[name].inputs.items()}

    def _sum(self, port: Port, size: int, signals: Signals, only: str | None = None) -> list[Scalar]:
        wire = self.driven.get(port)
        return [0] * size if wire is None else wire.value(size, signals, only)

    def evaluate(self, own: States, t: Scalar, step: Scalar, span: Scalar = 0, cut: bool = False) -> Evaluation:
        """All outputs at a state: motions and commands first, then forces, each after those that drive it; what depends
        on the time alone as its mean over a span around t. `cut` makes what goes into parts constants, so that their
        slopes can be taken one by one.
        """
        signals = {
            Port(name, port): x for name, part in self.digital.items() for port, x in part.present(own[name]).items()
        }
        signals |= self.motions(own)
        rates: dict[str, Sequence[Scalar]] = {name: [0] * len(own[name]) for name in self.digital}
        for names in self.ranks:
            self._forces(names, own, (step, t, span), signals, rates, cut)
        return Evaluation(own, signals, rates)

    def motions(self, own: States) -> dict[Port, list[Scalar]]:
        """The outputs of all bodies."""
        return {
            Port(name, port): list(x)
            for name, body in self.bodies.items()
            for port, x in body.motion(own[name]).items()
        }

    def _forces(
        self,
        names: Sequence[str],
        own: States,
        times: tuple[Scalar, Scalar, Scalar],
        signals: dict[Port, list[Scalar]],
        rates: dict[str, Sequence[Scalar]],
        apart: bool,
    ) -> None:
        """Add the outputs and rates of impedances that do not drive each other."""
        step, t, span = times
        parts: Mapping[str, Any] = self.parts

        def forces(name: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
            inputs, states = split(part.inputs, numbers)
            plain = isinstance(span, int)
            given = part.force(inputs, states, step, t) if plain else part.mean_force(inputs, states, step, t, span)
            outputs, found = part.answer("force", given, len(states), f"part '{name}': ")
            return [*(x for port in part.outputs for x in outputs[port]), *found]

        given = {name: [*flat_ports(self.inputs(name, signals)), *own[name]] for name in names}
        if apart:
            given = {name: [cut(x) for x in numbers] for name, numbers in given.items()}
        for name, numbers in self.for_all(names, given, forces).items():
            outputs, rates[name] = split(parts[name].outputs, numbers)
            signals |= {Port(name, port): x for port, x in outputs.items()}

    def rates(self, now: Evaluation, t: Scalar) -> dict[str, Sequence[Scalar]]:
        """Rates of all states: network (13), stage form (21), (22)."""
        moving = {
            name: body.rates(now.own[name], self.inputs(name, now.signals), t) for name, body in self.bodies.items()
        }
        return now.rates | moving

    def velocities(self, own: States) -> list[Scalar]:
        """The velocities of all bodies."""
        return [v for name, body in self.bodies.items() for v in own[name][body.positions() :]]

    def with_velocities(self, own: States, velocities: Sequence[Scalar]) -> States:
        """The states with other velocities of all bodies."""
        made, left = dict(own), iter(velocities)
        for name, body in self.bodies.items():
            nq = body.positions()
            made[name] = [*own[name][:nq], *(next(left) for _ in own[name][nq:])]
        return made

    def push(self, now: Evaluation, source: str) -> list[Scalar]:
        """The push of one source along the velocities of all bodies."""
        forces: list[Scalar] = []
        for name, body in self.bodies.items():
            ports = {port: self._sum(Port(name, port), size, now.signals, source) for port, size in body.inputs.items()}
            forces.extend(body.generalized_forces(now.own[name], ports))
        return forces

    @cached_property
    def sources(self) -> list[str]:
        """Who pushes bodies; constants of a wire count under the name of its port."""
        into = [wire for wire in self.wires if wire.port.part in self.bodies]
        return [*dict.fromkeys(source for wire in into for source in wire.sources)]

    def carried(self, name: str, port: str) -> bool:
        """Whether an input has a part that no body gives: a shift of its wire, or what a source says."""
        wire = self.driven.get(Port(name, port))
        return wire is not None and (bool(wire.shift) or any(x.port.part not in self.bodies for x in wire.all_terms))

    def driven_from_outside(self, name: str) -> bool:
        """Whether something that is no body moves an input of this part: then it can bring work in."""
        inputs = [wire for wire in self.wires if wire.port.part == name]
        return any(term.port.part not in self.bodies for wire in inputs for term in wire.all_terms)

    # From step to step.

    def ticked(self, own: States, count: Scalar, t: Scalar, h: Scalar, chance: tuple[Scalar, Scalar]) -> States:
        """The states after the ticks that are due at step number `count`. All that tick at once see the same bodies;
        one that is commanded by another sees what that has just decided. `chance`: seed and number of the run.
        """
        if not self.digital:
            return own
        now = self.evaluate(own, t, h)
        after = dict(own)

        def tick(_: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
            inputs, (drawer, *states) = split(part.inputs, numbers)
            if part.draws:
                turn = part.clock.turn(count, h)
                inputs["noise"] = [normal(*chance, drawer, turn, k) for k in range(part.draws)]
            due = part.clock.due(count, h)
            return [where(due, a, b) for a, b in zip(part.tick(states, inputs, t), states, strict=True)]

        for names in self._tick_ranks():
            given = {
                name: [*flat_ports(self.inputs(name, now.signals)), crc32(name.encode()), *own[name]] for name in names
            }
            for name, states in self.for_all(names, given, tick).items():
                after[name] = states
                now = now.with_outputs(name, self.digital[name].present(states))
            if self._relayed:
                now = self.evaluate(after, t, h)
        return after

    def _tick_ranks(self) -> list[list[str]]:
        """What ticks, in order; what follows each other without wires between is together."""
        ranks: list[list[str]] = []
        for name in self.tick_order:
            if not ranks or self._commands[name] & set(ranks[-1]):
                ranks.append([])
            ranks[-1].append(name)
        return ranks

    def settled(self, own: States, t: Scalar, h: Scalar) -> States:
        """The states as they are kept after an accepted step that ended at time t."""
        kept = dict(own) | {name: list(body.settle(own[name])) for name, body in self.bodies.items()}
        remembering = {
            name: part for name, part in self.parts.items() if isinstance(part, Impedance) and part.remembers
        }
        if not remembering:
            return kept
        now = self.evaluate(kept, t, h)
        given = {name: [*flat_ports(self.inputs(name, now.signals)), *kept[name]] for name in remembering}
        return kept | self.for_all(list(remembering), given, _settled)


def advanced_positions(network: Network, own: States, h: Scalar) -> States:
    """The states with the positions of all bodies a time h later, at the velocities that they have."""
    made = dict(own)
    for name, body in network.bodies.items():
        nq, states = body.positions(), list(own[name])
        q = [x + h * rate for x, rate in zip(states[:nq], body.position_rates(states), strict=True)]
        made[name] = list(body.settle([*q, *states[nq:]]))
    return made


def _check_class(name: str, part: Part) -> None:
    """Refuse a class of the user's own that lacks what its kind needs."""
    kind = type(part)
    if not isinstance(part, (Admittance, Impedance, Digital)):
        raise NetworkError(f"part '{name}' is {part!r}; allowed: Admittance, Impedance and Digital objects")
    if not is_dataclass(part):
        raise NetworkError(
            f"part '{name}': its class {kind.__name__} is no dataclass; "
            "write @dataclass(frozen=True, kw_only=True) above it"
        )
    needed: dict[type, tuple[str, ...]] = {
        Impedance: ("force",),
        Digital: ("decide",) if getattr(kind, "tick", None) is Digital.tick else (),
        Admittance: ("motion",) if isinstance(part, Admittance) and part.mechanical else ("motion", "rates"),
    }
    for base, methods in needed.items():
        for method in methods:
            if isinstance(part, base) and getattr(kind, method) is getattr(base, method):
                raise NetworkError(
                    f"part '{name}': its class {kind.__name__} has no method '{method}', "
                    f"which every {base.__name__} needs; write it"
                )


def _settled(_: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
    """The states of an impedance after a step, from its inputs and states at its end."""
    return list(part.settle(*split(part.inputs, numbers)))


def cut(x: Scalar) -> Scalar:
    """A number as a constant, by which slopes can be taken."""
    return x if not isinstance(x, Expr) or x.op in ("const", "constant") else constant(x)
