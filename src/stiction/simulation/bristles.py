"""How stiff the bristles of dry friction may be at a given step, and how stiff they are when the user does not say.

Under a flow a stuck site is a stiff spring. By default K = J/(2 h²) and B = J/(2 h), with J the inertia that the site feels
at the start: the slowest decay of a stuck bristle is then 0.65 per step with Runge–Kutta, and the site stays stable while
bodies move to poses with a quarter of that inertia. Stiffnesses that the user gives are tried out on the linear motion of
all stuck sites together, and refused if it grows.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from stiction.friction.dry import Dry
from stiction.part import Part
from stiction.simulation.forces import Friction, Ground, TouchingPoint
from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network, NetworkError
from stiction.simulation.sites import sites

STIFFNESS, DAMPING = 0.5, 0.5  # K h²/J and B h/J
CALM, MOST_HALVINGS = 0.995, 10  # coupled sites: bristles are made softer until what is stuck decays


def _dry(network: Network) -> dict[str, Friction]:
    return {name: part for name, part in sites(network).items() if isinstance(part, Friction) and isinstance(part.law, Dry)}


def _response(network: Network) -> np.ndarray:
    """Velocities of the dry sites at the start under unit impulses at them, (m, m)."""
    now = network.evaluate(list(network.start.values()), 0.0, 1.0)
    S = np.array([network.direction(now, name) for name in _dry(network)], float)
    return S @ np.linalg.solve(np.array(network.mechanics(now)[0], float), S.T)


def unchosen(network: Network) -> dict[str, Friction]:
    """The sites of dry laws whose bristle nobody gave."""
    return {name: part for name, part in _dry(network).items() if part.law.stiffness is None or part.law.damping is None}  # type: ignore[attr-defined]


def with_bristles(network: Network, method: str, h: float) -> Network:
    """The network with a stiffness and a damping in every dry law, as soft as all sites together need it."""
    missing = unchosen(network)
    if not missing:
        return network
    network.must_be_mechanical(f"choosing a bristle for friction '{next(iter(missing))}' (or give its stiffness and damping)")
    A = _response(chosen(network, dict.fromkeys(_dry(network), 1.0), 1.0))
    for name, a in zip(_dry(network), np.diag(A), strict=True):
        if not a > 0:
            raise NetworkError(f"friction '{name}' moves no body, so no bristle can be chosen for it; wire its torque to a body, or give stiffness and damping")
    tried = []
    for halvings in range(MOST_HALVINGS if method in METHODS else 1):
        made = chosen(network, {name: 0.5**halvings / a for name, a in zip(_dry(network), np.diag(A), strict=True)}, h)
        tried.append((growth(A, *_bristles(made), method, h) if method in METHODS else 0.0, halvings, made))
        if tried[-1][0] < CALM:
            break
    return min(tried)[2] if tried[-1][0] >= CALM else tried[-1][2]


def chosen(network: Network, inertia: dict[str, float], h: float) -> Network:
    """The network with bristles for sites that feel these inertias."""

    def change(name: str, part: Part) -> Part:
        if name not in inertia:
            return part
        law, J = part.law, float(inertia[name])  # type: ignore[attr-defined]
        stiffness = STIFFNESS * J / h**2 if law.stiffness is None else law.stiffness
        damping = DAMPING * J / h if law.damping is None else law.damping
        return replace(part, law=replace(law, stiffness=stiffness, damping=damping))  # type: ignore[type-var]

    return network.with_parts(change)


def _bristles(network: Network) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and damping of the dry sites."""
    laws = [part.law for part in _dry(network).values()]
    return np.array([float(law.stiffness) for law in laws]), np.array([float(law.damping) for law in laws])  # type: ignore[attr-defined]


def growth(A: np.ndarray, K: np.ndarray, B: np.ndarray, method: str, h: float) -> float:
    """Largest factor by which a motion of stuck sites with response A and bristles K, B grows in one step; below 1 it decays."""
    m = len(K)

    def flow(x: list, _t: float, stage: float) -> list:
        s, e = np.array(x[:m]), np.array(x[m:])
        return [*(-A @ (K * e + (B + stage * K) * s)), *s]

    columns = [METHODS[method](flow, list(unit), 0.0, h) for unit in np.eye(2 * m)]
    return float(np.abs(np.linalg.eigvals(np.array(columns, float).T)).max())


def check_bristles(network: Network, method: str, h: float) -> None:
    """Refuse bristles that do not hold at this step, with the largest step at which they do."""
    if not all(body.mechanical for body in network.bodies.values()):
        return
    if _dry(network):
        _check("friction bristles", _response(network), *_bristles(network), method, h)
    for name, part in network.parts.items():
        if (isinstance(part, Friction) and part.dimension > 1) or isinstance(part, Ground):
            law: Any = part.law if isinstance(part, Friction) else part
            A = _own_response(network, name)
            _check(f"the bristles of '{name}'", A, np.full(len(A), law.stiffness), np.full(len(A), law.damping), method, h)


def _own_response(network: Network, name: str) -> np.ndarray:
    """Velocities of a touching point or of friction in space at the start, under unit impulses, (d, d)."""
    now = network.evaluate(list(network.start.values()), 0.0, 1.0)
    M = np.array(network.mechanics(now)[0], float)
    part = network.parts[name]
    port, size = next(iter(part.outputs.items()))
    rows = []
    for unit in np.eye(size).tolist():
        given = {f"{name}.{port}": unit}
        if isinstance(part, TouchingPoint):
            given[f"{name}.moment"] = part.moment_of(network.inputs(name, now.signals), unit)
        rows.append(network.push(now._replace(signals=now.signals | given), name))
    S = np.array(rows, float)
    return S @ np.linalg.solve(M, S.T)


def _check(what: str, A: np.ndarray, K: np.ndarray, B: np.ndarray, method: str, h: float) -> None:
    if growth(A, K, B, method, h) < 1:
        return
    low, high = 0.0, h
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if growth(A, K, B, method, middle) < 1 else (low, middle)
    raise NetworkError(
        f"{what} are too stiff for '{method}' at {h:g} s; "
        f"the largest stable step is {low:.3g} s. Take it, or softer bristles, or none (stiffness and damping are then chosen), or use 'semi_implicit'"
    )
