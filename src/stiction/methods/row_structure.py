"""What rows of a network there are, before any step: which depend on each other, which have a rotor of their own."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.friction.dry import Dry
from stiction.methods.rigid_friction import RigidFriction
from stiction.methods.smooth_part import rotor_inertias
from stiction.network.network import Network
from stiction.network.terms import Terms
from stiction.parts.kinds import Row


def unit_of_rows(network: Network) -> str:
    """The unit of the torques of all rows; both where there are both."""
    units = {network.unit((name, "torque")) for name, part in network.parts.items() if isinstance(part, Row)}
    return units.pop() if len(units) == 1 else "N·m or N"


def rises(law: Dry) -> bool:
    """Whether the strength of a law, viscous friction aside, grows with the speed somewhere."""
    speeds = [0.0, *np.logspace(-6, 3, 60)]
    both = np.array([[float(law.without_viscous(float(w), way)) for w in speeds] for way in (1, -1)])
    return bool((np.diff(both) > 1e-9 * np.abs(both).max()).any())


def turning(network: Network) -> list[int]:
    """Velocities that turn, of bodies that move in more than one way: what has gyroscopic terms."""
    found, first = [], 0
    for name, body in network.bodies.items():
        velocities = list(body.start())[body.positions() :]
        turning = [k for k, state in enumerate(velocities, first) if network.unit((name, state)) == "rad/s"]
        found += turning if len(velocities) > 1 else []
        first += len(velocities)
    return found


def rows_at_start(network: Network) -> dict[str, list[float]]:
    """All rows at the start, in numbers."""
    terms = Terms(network, network.evaluate(network.start, 0.0, 1.0))
    return {name: [float(x) for x in terms.row(name)] for name, part in network.parts.items() if isinstance(part, Row)}


def with_rotors(network: Network, rows: Mapping[str, list[float]]) -> set[str]:
    """Rows on one velocity with a rotor of its own, where no other row is."""
    inertias = rotor_inertias(network)
    places = {name: [k for k, x in enumerate(row) if x] for name, row in rows.items()}
    return {
        name
        for name, at in places.items()
        if len(at) == 1
        and inertias[at[0]]
        and list(places.values()).count(at) == 1
        and isinstance(network.parts[name], RigidFriction)
    }


def dependent(rows: Mapping[str, list[float]]) -> bool:
    """Whether some rows follow from others, as two on one joint do: then nothing says who holds how much."""
    return bool(rows) and int(np.linalg.matrix_rank(np.array(list(rows.values())))) < len(rows)


def copy_with(part: Any, **attributes: Any) -> Any:
    """A part with other attributes, checked before."""
    twin = copy.copy(part)
    for name, value in attributes.items():
        twin._set(name, value)
    return twin
