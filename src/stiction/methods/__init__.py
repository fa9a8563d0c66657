"""How a network is advanced: one file per method, one list of them."""

from collections.abc import Callable
from typing import Any

from stiction.errors import InputError
from stiction.methods.explicit import RK4, Euler, Gill
from stiction.methods.method import Method
from stiction.methods.moreau import Moreau
from stiction.methods.rosenbrock import Rosenbrock


def gears_semi_implicit(**options: Any) -> Moreau:
    """The semi-implicit method of gears.md: friction found joint by joint, held over a step of Runge–Kutta–Gill."""
    return Moreau(rows="by_joint", scheme="gill", **options)


def gears_implicit(**options: Any) -> Moreau:
    """The implicit method of gears.md: friction found together, held over a step of Runge–Kutta–Gill."""
    return Moreau(rows="together", scheme="gill", **options)


DEFAULT = "rk4"

METHODS: dict[str, Callable[..., Method]] = {
    "moreau": Moreau,
    "rk4": RK4,
    "gill": Gill,
    "euler": Euler,
    "rosenbrock": Rosenbrock,
    "gears_semi_implicit": gears_semi_implicit,
    "gears_implicit": gears_implicit,
}


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
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"method is {name!r}; allowed: {', '.join(map(repr, METHODS))}, or a Method object")
    try:
        return METHODS[name](**options)
    except TypeError:
        raise InputError(f"method '{name}' has no such options: {', '.join(options)}; {_options(name)}") from None


def _options(name: str) -> str:
    known = [field for field in METHODS[name]().__dataclass_fields__]  # type: ignore[attr-defined]
    return f"it takes: {', '.join(known)}" if known else "it takes none"


def as_method(given: Any) -> Method:
    """A method, by its name or as it is; None is the default."""
    return given if isinstance(given, Method) else method_named(DEFAULT if given is None else given)


__all__ = [
    "DEFAULT",
    "METHODS",
    "RK4",
    "Euler",
    "Gill",
    "Method",
    "Moreau",
    "Rosenbrock",
    "as_method",
    "gears_implicit",
    "gears_semi_implicit",
    "method_named",
]
