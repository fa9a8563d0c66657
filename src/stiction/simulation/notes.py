"""What a user should know about a run that completed: where a law, a bristle or a method was asked too much."""

from collections.abc import Mapping

import numpy as np

from stiction.friction.bristle import Dahl, LuGre
from stiction.friction.dry import Stribeck
from stiction.methods.method import Method
from stiction.network.parameters import Parameters
from stiction.parts.friction import Friction, FrictionPart
from stiction.simulation import observe


def notes_of(
    parameters: Parameters, method: Method, h: float, fastest: Mapping[str, float], kept: Mapping[str, np.ndarray]
) -> tuple[str, ...]:
    """Texts for the user, from the largest speeds of the sites and the method's own slots; of a batch the first of each
    kind.
    """
    found: list[str] = []
    network = parameters.network
    for name, site_part in observe.sites(network).items():
        if not isinstance(site_part.law, (Dahl, LuGre, Stribeck)):
            continue
        site = network.labels.signal((name, "torque"))
        noted: dict[int, str] = {}
        for part in parameters.variants(name):
            for kind, note in _of_site(part, method, h, fastest.get(name, 0.0)).items():
                noted.setdefault(kind, f"{site}: {note}")
        found += noted.values()
    return (*found, *method.notes(network, kept))


def _of_site(part: FrictionPart, method: Method, h: float, fastest: float) -> dict[int, str]:
    """Notes about a site, by kind."""
    law, found = part.law, {}
    if isinstance(law, (Dahl, LuGre)) and method.follows is not None:
        rate = fastest * law.stiffness / min(law.level)  # type: ignore[arg-type]  # |v|/g, at which the bristle forgets
        if rate * h > method.follows:
            found[0] = (
                f"at {fastest:.3g} rad/s or m/s the bristle forgets within {1 / rate:.2g} s, "
                f"too fast for '{method.title}' at {h:g} s: its torque is wrong. "
                f"Take a step below {method.follows / rate:.2g} s, or method 'moreau'"
            )
    if isinstance(law, LuGre) and fastest > law.passive_up_to:
        found[1] = (
            f"{type(law).__name__} moved at {fastest:.3g} and is passive only up to "
            f"{law.passive_up_to:.3g} rad/s or m/s: "
            "beyond, it can give out energy; take less damping"
        )
    if (
        isinstance(part, Friction)
        and isinstance(law, Stribeck)
        and law.damping is not None
        and law.damping < law.steepest
    ):
        found[2] = (
            f"the bristle's damping {law.damping:.3g} is below the steepest fall of the Stribeck "
            f"curve, {law.steepest:.3g}: "
            "at slow steady speeds it chatters; take a smaller step or more damping, or method 'moreau'"
        )
    return found
