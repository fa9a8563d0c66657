"""What users call the signals and parameters of a network.

A part's name is chosen when a scene is wired. A signal is part + output, a parameter part + field; where the scene has
a shorter word, as "q.joint1" for the state "q.joint1" of the part "robot", it is recorded here, with its unit.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from stiction.trace.parameters import Key


class Label(NamedTuple):
    """A short form: what users read, and the unit, where the part alone cannot know it."""

    name: str
    unit: str | None = None


@dataclass
class Labels:
    """Short forms, by part and output, and by part and field.

    Attributes:
        signals: short forms of signals.
        parameters: short forms of parameters; several may share one, as the gravity of several bodies does. None is not
            to be set.
        parts: what a part is in words, where its name says little to users.
        owners: what stands for the name of a part in the names of its parameters; None where they follow from others,
            and nobody sets them.
    """

    signals: dict[Key, Label] = field(default_factory=dict)
    parameters: dict[Key, str | None] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    owners: dict[str, str | None] = field(default_factory=dict)

    def part(self, name: str) -> str:
        """What errors call a part."""
        return self.parts.get(name, f"part '{name}'")

    def signal(self, key: Key) -> str:
        """What users call a signal."""
        return self.signals[key].name if key in self.signals else full(key)

    def unit(self, key: Key) -> str | None:
        """The unit of a signal, where the scene knows it better than the part."""
        return self.signals[key].unit if key in self.signals else None

    def parameter(self, key: Key) -> str | None:
        """What users call a parameter; None where it is not theirs to set."""
        if key in self.parameters:
            return self.parameters[key]
        owner = self.owners.get(key[0], key[0])
        return f"{owner}.{key[1]}" if owner else None


def full(key: Key) -> str:
    """The full name of a signal or parameter."""
    return f"{key[0]}.{key[1]}" if key[0] else key[1]
