"""The state of a network as one block of numbers, every slot of it known by name, unit and kind.

    states of the parts | works of the sources, first energies | marks of the friction sites | slots of the method

What the parts declare comes first, in their order; what is kept about them follows. Nothing derived is kept, and
nothing is kept
elsewhere: a run can stop after any step and go on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from stiction.network.network import Network, States
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Admittance, Digital, Row
from stiction.trace.functions import Scalar
from stiction.trace.parameters import Key

POSITION, VELOCITY, STATE, MEMORY, MARK, WORK, METHOD = (
    "position",
    "velocity",
    "state",
    "memory",
    "mark",
    "work",
    "method",
)


class Slot(NamedTuple):
    """One number of the state.

    Attributes:
        key: whose it is, and which.
        kind: "position", "velocity", "state" (of an impedance), "memory" (of a controller), "mark", "work" or "method".
        start: its first value.
        name: what users call it.
        unit: of it.
    """

    key: Key
    kind: str
    start: float
    name: str
    unit: str


class Block(NamedTuple):
    """The state in the hands of formulas.

    Attributes:
        own: states of each part, by its name.
        works: done by each source since the start [J], by its name; empty where nobody asked.
        energies: at the start [J]: "bodies", and what each part stored, by its name; empty where nobody asked.
        marks: what is kept of each friction site, by its name; empty where nobody asked.
        method: slots of the method, by name.
    """

    own: States
    works: Mapping[str, Scalar]
    energies: Mapping[str, Scalar]
    marks: Mapping[str, Sequence[Scalar]]
    method: Mapping[str, Scalar]


@dataclass(frozen=True)
class Layout:
    """Where everything stands in the block.

    Attributes:
        network: whose state it is.
        works: sources whose work is kept.
        energies: what first energies are kept of.
        marks: names and first values of what is kept of each friction site.
        method: names, first values and units of the method's own slots.
    """

    network: Network
    works: Sequence[str] = ()
    energies: Sequence[str] = ()
    marks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    method: Mapping[str, tuple[float, str]] = field(default_factory=dict)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """All slots, in their order."""
        found = [slot for name in self.network.parts for slot in self._states(name)]
        found += [Slot(("work", name), WORK, 0.0, f"work.{name}", "J") for name in self.works]
        found += [Slot(("start", name), WORK, 0.0, f"start.{name}", "J") for name in self.energies]
        for site, marks in self.marks.items():
            keys = {(site, mark): x for mark, x in marks.items()}
            found += [
                Slot(key, MARK, x, self.network.labels.signal(key), self.network.unit(key)) for key, x in keys.items()
            ]
        found += [Slot(("", name), METHOD, x, name, unit) for name, (x, unit) in self.method.items()]
        return tuple(found)

    def _states(self, name: str) -> list[Slot]:
        part, labels = self.network.parts[name], self.network.labels
        kinds = [MEMORY if isinstance(part, Digital) else MARK if isinstance(part, Row) else STATE] * len(part.start())
        if isinstance(part, Admittance):
            kinds = (
                [POSITION] * part.positions() + [VELOCITY] * (len(kinds) - part.positions())
                if part.mechanical
                else kinds
            )
        made, hidden = [], set(part.hidden)
        for (state, x), kind in zip(part.start().items(), kinds, strict=True):
            key = (name, state)
            unit = "" if state in hidden else self.network.unit(key)
            made.append(Slot(key, kind, float(x), labels.signal(key), unit))
        return made

    @property
    def energy_slots(self) -> list[str]:
        """The names of the first energies."""
        return [slot.name for slot in self.slots if slot.key[0] == "start" and slot.kind == WORK]

    @cached_property
    def places(self) -> dict[Key, int]:
        """Where each slot stands."""
        return {slot.key: k for k, slot in enumerate(self.slots)}

    def block(self, flat: Sequence[Scalar]) -> Block:
        """The state from its numbers."""
        left = iter(flat)
        own = {name: [next(left) for _ in part.start()] for name, part in self.network.parts.items()}
        works = {name: next(left) for name in self.works}
        energies = {name: next(left) for name in self.energies}
        marks = {site: [next(left) for _ in names] for site, names in self.marks.items()}
        return Block(own, works, energies, marks, {name: next(left) for name in self.method})

    def flat(self, block: Block) -> list[Scalar]:
        """The numbers of a state."""
        return [
            *flat_states(self.network, block.own),
            *(block.works[name] for name in self.works),
            *(block.energies[name] for name in self.energies),
            *(x for site in self.marks for x in block.marks[site]),
            *(block.method[name] for name in self.method),
        ]


def start_values(network: Network, bristles: bool = True) -> dict[str, float]:
    """First values that users can set, by name; without those of bristles, where they are for all methods."""
    found = {}
    hidden = {name: set(part.hidden) for name, part in network.parts.items()}
    for slot in Layout(network).slots:
        part = network.parts[slot.key[0]]
        if not part.settable or slot.key[1] in hidden[slot.key[0]]:
            continue
        if bristles or not isinstance(part, FrictionPart):
            found[slot.name] = slot.start
    return found


def flat_states(network: Network, own: States) -> list[Scalar]:
    """The states of all parts, one after another."""
    return [x for name in network.parts for x in own[name]]


def states_of(network: Network, flat: Sequence[Scalar]) -> States:
    """The states of each part, from all of them one after another."""
    left = iter(flat)
    return {name: [next(left) for _ in part.start()] for name, part in network.parts.items()}
