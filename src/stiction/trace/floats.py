"""What every operation does to plain numbers."""

import math
import operator
from collections.abc import Callable

from stiction.trace.random import drawn


def _safe(function: Callable[[float], float]) -> Callable[[float], float]:
    """Where Python raises, machine code gives NaN; so do we."""

    def safe(x: float) -> float:
        return function(x) if abs(x) < math.inf else math.nan

    return safe


def _divide(a: float, b: float) -> float:
    if b or a != a:
        return a / b if b else math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b) if a else math.nan


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.inf if x > 0 or y % 2 == 0 else -math.inf
    except ValueError:
        return math.inf if x == 0 else math.nan


def _exponential(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _smaller(a: float, b: float) -> float:
    return a if a != a or a < b else b


def _larger(a: float, b: float) -> float:
    return a if a != a or a > b else b


# What an operation does to numbers: how formulas run on floats and how constants fold, as in the machine code.
FOLD: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divide,
    "neg": operator.neg,
    "fma": lambda a, b, c: a * b + c,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "sin": _safe(math.sin),
    "cos": _safe(math.cos),
    "tan": _safe(math.tan),
    "atan2": math.atan2,
    "exp": _exponential,
    "log": _logarithm,
    "pow": _power,
    "tanh": math.tanh,
    "abs": abs,
    "sign": lambda x: math.copysign(1.0, x) if abs(x) > 0 else x,
    "min": _smaller,
    "max": _larger,
    "floor": lambda x: float(math.floor(x)) if abs(x) < math.inf else x,
    "constant": lambda x: x,
    "uniform": drawn,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
    "not": operator.not_,
}
