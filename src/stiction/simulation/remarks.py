"""What a user should know about a run that completed: where a law or the search for stick and slip was asked too much."""

from collections.abc import Callable, Mapping

import numpy as np

from stiction.friction.bristle import Dahl, LuGre
from stiction.friction.dry import Stribeck
from stiction.simulation.forces import Friction
from stiction.simulation.network import Network
from stiction.simulation.sites import sites

FOLLOWS = {"euler": 0.2, "rk4": 1.0, "gill": 1.0}  # rate of decay times step that a method still follows well
SMALL = 1e-9  # part of the largest break-away torque that may be left as a contradiction


def remarks(
    network: Network, method: str, h: float, options: Mapping[str, float], seen: Mapping[str, np.ndarray], plain: Callable[[str], str]
) -> tuple[str, ...]:
    """Texts for the user."""
    found = []
    for name, part in sites(network).items():
        site = plain(f"{name}.torque")
        fastest = float(np.max(seen[f"{name}.fastest"])) if f"{name}.fastest" in seen else 0.0
        if isinstance(part.law, (Dahl, LuGre)) and method in FOLLOWS:
            rate = fastest * part.law.stiffness / min(part.law.level)  # type: ignore[arg-type]  # |v|/g, at which the bristle forgets
            if rate * h > FOLLOWS[method]:
                found.append(
                    f"{site}: at {fastest:.3g} rad/s or m/s the bristle forgets within {1 / rate:.2g} s, "
                    f"too fast for '{method}' at {h:g} s: its torque is wrong. "
                    f"Take a step below {FOLLOWS[method] / rate:.2g} s, or method 'semi_implicit'"
                )
        if isinstance(part.law, LuGre) and fastest > part.law.passive_up_to:
            found.append(
                f"{site}: {type(part.law).__name__} moved at {fastest:.3g} and is passive only up to {part.law.passive_up_to:.3g} rad/s or m/s: "
                "beyond, it can give out energy; "
                "take less damping"
            )
        if isinstance(part, Friction) and isinstance(part.law, Stribeck) and part.law.damping is not None and part.law.damping < part.law.steepest:
            found.append(
                f"{site}: the bristle's damping {part.law.damping:.3g} is below the steepest fall of the Stribeck curve, {part.law.steepest:.3g}: "
                "at slow steady speeds it chatters; take a smaller step or more damping, or method 'semi_implicit'"
            )
    if options.get("softness") and not options.get("pull"):
        found.append("softness without pull lets stuck joints creep under load; give a pull, such as 0.1, to end it")
    largest = max((max(float(part.law.breakaway(1)), float(part.law.breakaway(-1))) for part in sites(network).values()), default=0.0)
    worst = float(np.max(seen["residual"])) if "residual" in seen and method == "semi_implicit" else 0.0
    if worst > SMALL * largest:
        found.append(f"stick and slip contradicted each other by up to {worst:.3g} N·m or N in one step (signal 'residual'); take a smaller step")
    return tuple(found)
