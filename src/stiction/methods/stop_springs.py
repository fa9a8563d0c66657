"""Springs for end stops and contacts under methods without rows: how stiff they are when nobody says.

What arrives at a stop swings once against a spring K with a damper B that do not draw. With J the inertia that arrives,
the speed of what leaves over that of what came depends on ζ = B/(2 √(K J)) alone; so ζ follows from the restitution.
By default B is at most J/h and K at most J/(4 h²), which the step follows with a margin.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.methods.stability import refuse_runs
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.parts.contact import ContactPart, contact_name
from stiction.parts.end_stop import EndStop
from stiction.parts.kinds import Part
from stiction.parts.penalty_contact import PenaltyContact
from stiction.trace.parameters import Key

LEAST = 0.02  # restitution below which a spring only becomes softer
HEAVIER = 4.0  # times its own inertia that a damper may reckon with, where constraints make it heavier


@dataclass(frozen=True, kw_only=True)
class ChosenStop(EndStop):
    """An end stop whose spring is chosen where it is not given.

    Attributes:
        chosen: fields that are chosen: "stiffness", "damping".
    """

    chosen: tuple[str, ...]


def with_stop_springs(network: Network) -> Network:
    """The network with a spring in every end stop and contact; what is not given is open until the terms are known."""

    def change(name: str, part: Part) -> Part:
        if type(part) is ContactPart:
            return _penalty(part)
        if not isinstance(part, EndStop):
            return part
        missing = tuple(what for what in ("stiffness", "damping") if getattr(part, what) is None)
        if not missing:
            return part
        network.must_be_mechanical(f"choosing a spring for the end stop '{name}'", "give its stiffness and damping")
        given = {what: getattr(part, what) for what in ("lower", "upper", "restitution")}
        springs = {what: 1.0 if what in missing else getattr(part, what) for what in ("stiffness", "damping")}
        return ChosenStop(**given, **springs, chosen=missing)

    return network.with_parts(change)


def _penalty(part: ContactPart) -> PenaltyContact:
    """Contacts as springs."""
    given = dict(zip(("stiffness", "damping"), part.spring, strict=True))
    missing = tuple(what for what, x in given.items() if x is None)
    shared = ("candidates", "surfaces", "most", "margin", "push_out", "depths")
    same: dict[str, Any] = {what: getattr(part, what) for what in shared}
    springs: dict[str, Any] = {what: 1.0 if x is None else x for what, x in given.items()}
    return PenaltyContact(**same, **springs, chosen=missing)


def rebound(damping_ratio: np.ndarray) -> np.ndarray:
    """Speed after over speed before an impact on a spring and damper that do not draw, by ζ."""
    z = np.asarray(damping_ratio, float)
    swings, creeps = np.sqrt(np.maximum(1 - z * z, 1e-30)), np.sqrt(np.maximum(z * z - 1, 1e-30))
    turned = np.pi - np.arctan2(2 * z * swings, 1 - 2 * z * z)
    slowly = np.log((z + creeps) / np.maximum(z - creeps, 1e-300))
    return np.where(z < 1, np.exp(-z / swings * turned), np.exp(-z / creeps * slowly))


def damping_ratio(restitution: np.ndarray) -> np.ndarray:
    """ζ by which what arrives leaves with this part of its speed; 0.02 stands for all below."""
    known = np.concatenate([np.linspace(0, 0.99, 400), np.linspace(1.01, 10, 400)])
    return np.interp(np.maximum(restitution, LEAST), rebound(known)[::-1], known[::-1])


def chosen_springs(network: Network, start: StartTerms, h: float, given: Mapping[Key, Any]) -> dict[Key, np.ndarray]:
    """Stiffness and damping that nobody gave, (runs,) each."""
    found: dict[Key, np.ndarray] = {}
    for name, part in network.parts.items():
        wanted = [what for what in getattr(part, "chosen", ()) if (name, what) not in given]
        if not isinstance(part, (ChosenStop, PenaltyContact)) or not wanted:
            continue
        felt = np.linalg.eigvalsh(start.compliance([name])).max(axis=1)  # of contacts all at once
        refuse_runs(~(felt > 0), f"'{name}' moves nothing: no body is wired to it, or constraints hold all")
        J = 1 / felt
        restitution = np.broadcast_to(np.ravel(given.get((name, "restitution"), _restitution(part))), J.shape)
        zeta = damping_ratio(restitution)
        K = start.stiffness[name][:, 0] if "stiffness" not in wanted else J / (4 * np.maximum(1, zeta) ** 2 * h * h)
        held = np.linalg.eigvalsh(start.compliance([name], kept=True)).max(axis=1)
        heavier = np.minimum(1 / np.maximum(held, 1e-300), HEAVIER * J)  # by constraints, as far as the step bears it
        springs = {"stiffness": K, "damping": 2 * zeta * np.sqrt(K * heavier)}
        found |= {(name, what): springs[what] for what in wanted}
    return found


def _restitution(part: ChosenStop | PenaltyContact) -> float:
    """Of an end stop; of contacts, the largest."""
    return max(s.restitution for s in part.surfaces) if isinstance(part, PenaltyContact) else part.restitution


def soft_contacts(network: Network, start: StartTerms, title: str) -> list[str]:
    """What should be known of contacts that are springs."""
    name = contact_name(network)
    if not name or name not in start.stiffness:
        return []
    K = float(start.stiffness[name].min())
    return [
        f"contacts are springs of {K:.3g} N/m under '{title}': bodies sink in, and what rests on a slope creeps; "
        "method 'moreau' has rigid ones"
    ]
