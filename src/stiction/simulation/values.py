"""Numbers that users give: finite, and of shapes that fit. Errors name what was given."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.errors import InputError


def finite(name: str, given: Any) -> np.ndarray:
    """A finite number or an array of them.

    >>> from stiction.simulation.values import finite
    >>> finite("q.elbow", [0.1, float("nan")])
    Traceback (most recent call last):
    stiction.errors.InputError: values of 'q.elbow' are [0.1, nan]; allowed: a finite number, or an array of them
    """
    try:
        x = np.asarray(given)
        x = np.asarray(x, float) if x.dtype.kind in "iuf" else np.array([np.nan])
    except (TypeError, ValueError):
        x = np.array([np.nan])
    if not x.size or not np.isfinite(x).all():
        raise InputError(f"values of '{name}' are {given!r}; allowed: a finite number, or an array of them")
    return x


def common_shape(given: Mapping[str, np.ndarray], batch: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The shape of a batch of arrays, by name; this one at least.

    >>> import numpy as np
    >>> from stiction.simulation.values import common_shape
    >>> common_shape({"friction.elbow.level": np.ones(3), "q.elbow": np.ones(4)})
    Traceback (most recent call last):
    stiction.errors.InputError: the shapes of parameters do not fit each other: 'friction.elbow.level' (3,), \
'q.elbow' (4,); allowed: equal shapes, or such as broadcast
    """
    try:
        return np.broadcast_shapes(batch, *(x.shape for x in given.values()))
    except ValueError:
        one_of_each: dict[tuple[int, ...], str] = {}
        for name, x in given.items():
            one_of_each.setdefault(x.shape, name)
        shapes = ", ".join(f"'{name}' {shape}" for shape, name in one_of_each.items() if shape)
        raise InputError(
            f"the shapes of parameters do not fit each other: {shapes}; allowed: equal shapes, or such as broadcast"
        ) from None
