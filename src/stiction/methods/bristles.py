"""Bristles for dry friction: how stiff they are when nobody says.

For explicit methods a stuck site is a stiff spring. By default K = 0.4 J/h² and B = 0.7 J/h, with J the inertia that
the site feels at the start: the slowest decay of a stuck bristle is then 0.61 per step with Runge–Kutta, it swings by
less than a fifth beyond a load that comes at once (so that one of 0.8 of break-away holds), and the site stays stable
while bodies move to poses with a third of that inertia. Coupled sites get softer ones, until what is stuck decays.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.friction.dry import Dry
from stiction.methods.schemes import Scheme, euler
from stiction.methods.stability import bristle_growth, refuse_runs
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.parts.friction import Friction
from stiction.parts.kinds import Part
from stiction.trace.parameters import Key

RUNGE_KUTTA, EULER = (0.4, 0.7), (0.2, 0.75)  # K h²/J and B h/J
CALM, MOST_HALVINGS = 0.995, 10


@dataclass(frozen=True, kw_only=True)
class ChosenBristle(Friction):
    """Friction whose bristle is chosen where the law does not give it.

    Attributes:
        chosen: fields of the law that are chosen: "stiffness", "damping".
    """

    chosen: tuple[str, ...]


def with_bristles(network: Network) -> Network:
    """The network with a bristle in every dry law on one velocity; what the law does not give is open until the terms
    are known.
    """

    def change(name: str, part: Part) -> Part:
        if not isinstance(part, Friction) or not isinstance(part.law, Dry) or part.dimension > 1:
            return part
        missing = tuple(what for what in ("stiffness", "damping") if getattr(part.law, what) is None)
        if not missing:
            return part
        network.must_be_mechanical(f"choosing a bristle for friction '{name}'", "give its stiffness and damping")
        law = copy.copy(part.law)
        for what in missing:
            law._set(what, 1.0)
        return ChosenBristle(law=law, chosen=missing, loaded=part.loaded)

    return network.with_parts(change)


def bristle_sites(network: Network) -> list[str]:
    """Friction on one velocity that bends before it slides."""
    return [
        name
        for name, part in network.parts.items()
        if isinstance(part, Friction) and part.law.states and part.dimension == 1
    ]


def dry_sites(network: Network) -> list[str]:
    """Dry friction on one velocity, by bristles."""
    return [
        name
        for name, part in network.parts.items()
        if isinstance(part, Friction) and isinstance(part.law, Dry) and part.dimension == 1
    ]


def chosen_bristles(
    network: Network, start: StartTerms, scheme: Scheme | None, h: float, given: Mapping[Key, Any]
) -> dict[Key, np.ndarray]:
    """Stiffness and damping that nobody gave, (runs,) each; as soft as all sites of a run together need it for a
    scheme.
    """
    names = dry_sites(network)
    wanted = _wanted(network, names, given)
    if not wanted:
        return {}
    A = start.compliance(names)
    a = np.diagonal(A, axis1=1, axis2=2)
    for name, felt in zip(names, a.T, strict=True):
        refuse_runs(
            ~(felt > 0),
            f"friction '{name}' moves no body, so no bristle can be chosen for it; "
            "wire its torque to a body, or give stiffness and damping",
        )
    best, least = np.zeros(len(A), int), np.full(len(A), np.inf)
    for halvings in range(MOST_HALVINGS if scheme else 0):
        K, B = _bristles(start, names, wanted, 0.5**halvings / a, scheme, h)
        growth = bristle_growth(scheme, A, K, B, h)  # type: ignore[arg-type]
        better = (growth < least) & (least >= CALM)
        best, least = np.where(better, halvings, best), np.where(better, growth, least)
        if (least < CALM).all():
            break
    K, B = _bristles(start, names, wanted, 0.5 ** best[:, None] / a, scheme, h)
    columns = {"stiffness": K, "damping": B}
    return {(name, what): columns[what][:, names.index(name)] for name, what in wanted}


def _wanted(network: Network, names: list[str], given: Mapping[Key, Any]) -> list[Key]:
    found = [(name, what) for name in names for what in getattr(network.parts[name], "chosen", ())]
    return [key for key in found if key not in given]


def _bristles(
    start: StartTerms, names: list[str], wanted: list[Key], inertia: np.ndarray, scheme: Scheme | None, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and damping of all dry sites, (runs, m) each, where those wanted follow from the inertia."""
    K = np.concatenate([start.stiffness[name] for name in names], axis=1)
    B = np.concatenate([start.damping[name] for name in names], axis=1)
    stiffness, damping = EULER if scheme is euler else RUNGE_KUTTA
    for k, name in enumerate(names):
        if (name, "stiffness") in wanted:
            K[:, k] = stiffness * inertia[:, k] / h**2
        if (name, "damping") in wanted:
            B[:, k] = damping * inertia[:, k] / h
    return K, B
