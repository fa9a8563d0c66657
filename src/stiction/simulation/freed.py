"""Numbers that a batch replaces: they must be possible, and the bristles that we choose must suit each run."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stiction.dynamics.composite_body import factor, solve
from stiction.errors import InputError, StictionError
from stiction.simulation.bodies import RobotBody
from stiction.simulation.bristles import DAMPING, STIFFNESS, check_bristles, chosen, unchosen
from stiction.simulation.flowing import dot
from stiction.simulation.forces import Friction, RigidFriction
from stiction.simulation.gears import HeldFriction, resting_loads
from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network
from stiction.trace.numbered import Numbering
from stiction.trace.program import Port, Program

Plain = Callable[[str], str]


def lane_bristles(network: Network, values: Mapping[str, np.ndarray], h: float, plain: Plain) -> dict[str, np.ndarray]:
    """Stiffness and damping of bristles that nobody gave, for every run of a batch that changes what the sites weigh."""
    missing = unchosen(network)
    heavy = {name: x for name, x in values.items() if not name.startswith("friction.") and not name.startswith("torque.")}
    if not missing or not heavy:
        return {}
    whole = chosen(network, dict.fromkeys(missing, 1.0), 1.0)
    names, start = list(heavy), [plain(name) for name in network.start]

    def function(given: list) -> tuple:
        table = dict(zip(names, given, strict=True))
        traced = whole.with_numbers(Numbering(lambda name, x: table.get(plain(name), x), _network_names(whole, plain, table)))
        now = traced.evaluate([table.get(name, x) for name, x in zip(start, network.start.values(), strict=True)], 0.0, 1.0)
        factors = factor(traced.mechanics(now)[0])
        rows = [traced.direction(now, name) for name in missing]
        return ([1 / dot(row, solve(factors, row)) for row in rows],)

    program = Program("inertias", function, [Port("values", (len(names),))], [Port("inertias", (len(missing),))])
    stacked = np.stack(np.broadcast_arrays(*heavy.values()), axis=-1)
    J = program(stacked)[0]
    made = {}
    for k, (name, part) in enumerate(missing.items()):
        law: Any = part.law
        for what, size in (("stiffness", STIFFNESS / h**2), ("damping", DAMPING / h)):
            if getattr(law, what) is None and plain(f"{name}.law.{what}") not in values:
                made[plain(f"{name}.law.{what}")] = size * J[..., k]
    return made


def lane_loads(network: Network, values: Mapping[str, np.ndarray], plain: Plain) -> dict[str, np.ndarray]:
    """What the links of geared joints take at the start, for every run of a batch."""
    geared = [name for name, part in network.parts.items() if isinstance(part, HeldFriction) and part.geared]
    if not geared or not values:
        return {}
    names, start = list(values), [plain(name) for name in network.start]

    def function(given: list) -> tuple:
        table = dict(zip(names, given, strict=True))
        traced = network.with_numbers(Numbering(lambda name, x: table.get(plain(name), x), _network_names(network, plain, table)))
        now = traced.evaluate([table.get(name, x) for name, x in zip(start, network.start.values(), strict=True)], 0.0, 1.0)
        return (resting_loads(traced, now, geared),)

    program = Program("loads", function, [Port("values", (len(names),))], [Port("loads", (len(geared),))])
    loads = program(np.stack(np.broadcast_arrays(*values.values()), axis=-1))[0]
    return {plain(f"{name}.load"): loads[..., k] for k, name in enumerate(geared)}


def _network_names(network: Network, plain: Plain, wanted: Mapping[str, Any]) -> list[str]:
    """The names of the network for numbers that are freed under the names of users."""
    found: list[str] = []
    for part, body in network.bodies.items():
        if isinstance(body, RobotBody):
            found += [name for name in (f"{part}.robot.{inner}" for inner in body.robot.parameters) if plain(name) in wanted]
    return found


def check_values(network: Network, values: Mapping[str, np.ndarray], method: str, h: float, plain: Plain) -> None:
    """Refuse values that no part could have, at the smallest and largest of each."""
    shape = np.broadcast_shapes(*(x.shape for x in values.values())) if values else ()
    flat = {name: np.broadcast_to(x, shape).reshape(-1) for name, x in values.items()}
    lanes = sorted({int(pick(x)) for x in flat.values() for pick in (np.argmin, np.argmax)})
    for lane in lanes:
        table = {name: float(x[lane]) for name, x in flat.items()}
        try:
            _check(network, table, method, h, plain)
        except StictionError as error:
            given = ", ".join(f"{name} = {x:g}" for name, x in table.items())
            raise InputError(f"values: {error} (run {lane} of the batch: {given})") from None


def _check(network: Network, table: Mapping[str, float], method: str, h: float, plain: Plain) -> None:
    twin = network.with_numbers(Numbering(lambda name, x: table.get(plain(name), x), _network_names(network, plain, table)))
    for name, part in twin.parts.items():
        if isinstance(part, (Friction, RigidFriction, HeldFriction)):
            part.law.__post_init__()  # type: ignore[attr-defined]
        elif not isinstance(part, RobotBody) and hasattr(part, "__post_init__"):
            part.__post_init__()
        if list(part.start()) != list(network.parts[name].start()):
            raise InputError(
                f"'{name}' would have other states than {list(network.parts[name].start())}; a number that makes states cannot become 0 in a batch"
            )
        if isinstance(part, RobotBody):
            M = np.array(part.mass_matrix(list(part.start().values())), float)
            if not np.isfinite(M).all() or np.linalg.eigvalsh(M).min() <= 0:
                raise InputError(f"'{name}' would have a mass matrix that is not positive: its masses and inertias are impossible")
    if method in METHODS:
        check_bristles(twin, method, h)
