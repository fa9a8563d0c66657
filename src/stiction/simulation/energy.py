"""The energy balance: what the bodies and springs hold, what sources brought, what was lost, and what the method itself
adds.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.drive.motor import DCMotor
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Digital, Implicit, Row
from stiction.trace.functions import Scalar
from stiction.trace.parameters import Key

BODIES = "bodies"
BALANCE = ("energy", "work", "stored", "start")  # owners of the keys that belong to it


def energies(network: Network, block: Block, t: Scalar, h: Scalar) -> dict[Key, Scalar]:
    """Kinetic, potential and stored energies, and the works [J]."""
    now = network.evaluate(block.own, t, h)
    both = [body.energy(now.own[name]) for name, body in network.bodies.items()]
    seen: dict[Key, Scalar] = {
        ("energy", "kinetic"): sum((e[0] for e in both), start=0),
        ("energy", "potential"): sum((e[1] for e in both), start=0),
    }
    for name in network.order:
        part: Any = network.parts[name]
        seen["stored", name] = part.stored(network.inputs(name, now.signals), now.own[name])
    seen |= {("work", name): x for name, x in block.works.items()}
    return seen | {("start", name): x for name, x in block.energies.items()}


def energy_keys(network: Network) -> list[Key]:
    """Keys of what `energies` gives."""
    bodies = [("energy", "kinetic"), ("energy", "potential")]
    stored, works = [("stored", name) for name in network.order], [("work", name) for name in network.sources]
    return [*bodies, *stored, *works, *(("start", name) for name in first_energies(network))]


def balance_names(network: Network) -> list[str]:
    """Names of the signals that `balance` makes."""
    energies = [f"energy.{what}" for what in ("kinetic", "potential", "elastic", "residue")]
    energies += ["energy.magnetic"] if _magnetic(network) else []
    return energies + [f"{'loss' if _loses(network, name) else 'work'}.{name}" for name in network.sources]


def first_energies(network: Network) -> list[str]:
    """What first energies are kept of, so that the balance of a run that goes on is that of the whole."""
    return [BODIES, *network.order]


def first_energy(name: str, seen: Mapping[Key, np.ndarray]) -> np.ndarray:
    """A first energy [J], from what `energies` gives at the start."""
    return seen["energy", "kinetic"] + seen["energy", "potential"] if name == BODIES else seen["stored", name]


def balance(network: Network, seen: Mapping[Key, np.ndarray]) -> dict[str, np.ndarray]:
    """Energies, works of sources, losses, and what does not add up [J], by name.

    Motors, controllers, parts that do not take motion, and those driven by such parts are sources: their work counts.
    What another gives is what it stored or lost. `seen` is what `energies` gives, over time.
    """
    stored = {name: seen["stored", name] for name in network.order}
    kinetic, potential = seen["energy", "kinetic"], seen["energy", "potential"]
    made = {"energy.kinetic": kinetic, "energy.potential": potential}
    magnetic = _magnetic(network)
    none = np.zeros_like(kinetic)
    made["energy.elastic"] = sum((x for name, x in stored.items() if name not in magnetic), start=none)
    if magnetic:
        made["energy.magnetic"] = sum((stored[name] for name in magnetic), start=none)
    works = {name: x for (what, name), x in seen.items() if what == "work"}
    for name, work in works.items():
        if _loses(network, name):
            made[f"loss.{name}"] = -work - (stored[name] - seen["start", name]) if name in stored else -work
        else:
            made[f"work.{name}"] = work
    bodies = kinetic + potential
    made["energy.residue"] = bodies - seen["start", BODIES] - sum(works.values(), start=np.zeros_like(bodies))
    return made


def _magnetic(network: Network) -> list[str]:
    """Motors with inductance."""
    return [name for name, part in network.parts.items() if isinstance(part, DCMotor) and part.inductance]


def _loses(network: Network, name: str) -> bool:
    """Whether what a part does not give back is lost, and not brought in from outside."""
    part = network.parts.get(name)
    if part is None or not part.inputs:
        return False
    if isinstance(part, (FrictionPart, Row)):
        return part.sense > 0  # what resists
    motor = isinstance(part, Implicit) and part.sense < 0
    return not motor and not isinstance(part, Digital) and not network.driven_from_outside(name)
