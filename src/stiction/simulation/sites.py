"""Friction sites: parts with a friction law on one velocity."""

from stiction.simulation.forces import Friction, RigidFriction
from stiction.simulation.gears import HeldFriction
from stiction.simulation.network import Network

Site = Friction | RigidFriction | HeldFriction


def sites(network: Network) -> dict[str, Site]:
    """Friction on one velocity, by name."""
    return {name: part for name, part in network.parts.items() if isinstance(part, (Friction, RigidFriction, HeldFriction)) and part.inputs["velocity"] == 1}
