"""How a network is advanced: one file per method, one list of them."""

from collections.abc import Callable
from typing import Any

from stiction.errors import InputError
from stiction.friction.dry import Dry
from stiction.methods.coupling import uncoupled
from stiction.methods.explicit import RK4, Euler, Gill
from stiction.methods.masses import is_large
from stiction.methods.method import Method
from stiction.methods.moreau import Moreau
from stiction.methods.perturbation import Perturbation
from stiction.methods.rosenbrock import Rosenbrock
from stiction.network.network import Network
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Row
from stiction.parts.robot_body import WRITTEN


def gears_semi_implicit(**options: Any) -> Moreau:
    """The semi-implicit method of gears.md: friction found joint by joint, held over a step of Runge–Kutta–Gill.

    Args:
        options: those of `Moreau`, beside rows and scheme.

    Example:
        >>> import stiction
        >>> stiction.gears_semi_implicit(pull=0.1).title
        'gears_semi_implicit'
    """
    return Moreau(rows="by_joint", scheme="gill", **options)


def gears_implicit(**options: Any) -> Moreau:
    """The implicit method of gears.md: friction found together, held over a step of Runge–Kutta–Gill.

    Args:
        options: those of `Moreau`, beside rows and scheme.

    Example:
        >>> import stiction
        >>> stiction.gears_implicit(pull=0.1).title
        'gears_implicit'
    """
    return Moreau(rows="together", scheme="gill", **options)


DEFAULT = "moreau"
METHODS: dict[str, Callable[..., Method]] = {
    "moreau": Moreau,
    "rk4": RK4,
    "gill": Gill,
    "euler": Euler,
    "rosenbrock": Rosenbrock,
    "gears_semi_implicit": gears_semi_implicit,
    "gears_implicit": gears_implicit,
}
NAMED = METHODS | {"perturbation": Perturbation}  # which stands on one of them


def method_named(name: Any, **options: Any) -> Method:
    """The method of this name, with these options.

    Example:
        >>> from stiction.methods import method_named
        >>> method_named("rosenbrock", tolerance=1e-8)
        Rosenbrock(tolerance=1e-08)
    """
    if name == "semi_implicit":
        raise InputError(
            "method 'semi_implicit' can mean two: 'moreau' (rows found together, one evaluation per step) or "
            "'gears_semi_implicit' (the method of the paper on frictional gears); name one of them"
        )
    if not isinstance(name, str) or name not in NAMED:
        raise InputError(f"method is {name!r}; allowed: {', '.join(map(repr, NAMED))}, or a Method object")
    try:
        return NAMED[name](**options)
    except TypeError:
        raise InputError(f"method '{name}' has no such options: {', '.join(options)}; {_options(name)}") from None


def _options(name: str) -> str:
    known = [field for field in NAMED[name]().__dataclass_fields__]  # type: ignore[attr-defined]
    return f"it takes: {', '.join(known)}" if known else "it takes none"


def as_method(given: Any) -> Method:
    """A method, by its name or as it is."""
    return given if isinstance(given, Method) else method_named(given)


def method_for(network: Network, given: Any = None) -> tuple[Method, list[str]]:
    """The method that is given for a network, or the default one; and what should be known where that is another.

    Example:
        >>> import stiction
        >>> from stiction.methods import method_for
        >>> method_for(stiction.Scene(robot=stiction.library.puma560()).network)[0].title
        'moreau'
        >>> method_for(stiction.Scene(robot=stiction.library.chain(20)).network)[0].title
        'moreau'
    """
    if given is not None:
        return as_method(given), []
    rigid = any(isinstance(part, Row) for part in network.parts.values())
    n = len(network.velocities(network.start)) if network.mechanical else 0
    if rigid or (network.mechanical and (n <= WRITTEN or (is_large(network) and uncoupled(network)))):
        return method_named(DEFAULT), []
    dry = any(isinstance(part, FrictionPart) and isinstance(part.law, Dry) for part in network.parts.values())
    many = f"forces couple the {n} velocities, and '{DEFAULT}' takes up to {WRITTEN} of such"
    why = many if n else "a body has no mass matrix"
    return RK4(), [f"simulated by 'rk4', as {why}: dry friction has bristles, which bend"] if dry else []


__all__ = [
    "DEFAULT",
    "METHODS",
    "NAMED",
    "RK4",
    "Euler",
    "Gill",
    "Method",
    "Moreau",
    "Perturbation",
    "Rosenbrock",
    "as_method",
    "gears_implicit",
    "gears_semi_implicit",
    "method_for",
    "method_named",
]
