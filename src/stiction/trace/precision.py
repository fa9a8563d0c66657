"""The type of the numbers that are traced now, for tolerances that follow it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SHORT = 2e-6  # sixteen roundings of float32
_bits = ContextVar("bits", default=64)


@contextmanager
def tracing(bits: int) -> Iterator[None]:
    """Trace for numbers of this many bits."""
    token = _bits.set(bits)
    try:
        yield
    finally:
        _bits.reset(token)


def tolerance(x: float) -> float:
    """A tolerance that is meant for float64, over the numbers that it is compared with; in float32 at least some
    roundings.

    Example:
        >>> from stiction.trace.precision import tolerance, tracing
        >>> tolerance(1e-12)
        1e-12
        >>> with tracing(32):
        ...     tolerance(1e-12)
        2e-06
    """
    return x if _bits.get() == 64 else max(x, SHORT)
