"""A traced function as a formula that people can read."""

from collections.abc import Callable

from stiction.errors import TraceError
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar
from stiction.trace.program import Port, Program

SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "pow": "^",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "and": "and",
    "or": "or",
}
LONGEST = 2000  # characters; what is longer is listed operation by operation


def readable(function: Callable[[Scalar], Scalar], variable: str = "t") -> str:
    """The function of one number as a formula, or as the list of its operations where that is too long.

    Example:
        >>> from stiction.trace import sin
        >>> from stiction.trace.readable import readable
        >>> readable(lambda t: 0.336 + 0.144 * sin(100 * t))
        '(0.144*sin(100*t) + 0.336)'
    """
    program = Program("function", lambda t: (function(t),), [Port(variable)], [Port("value")])
    try:
        ((result,),) = program.trace()
        text = _text(result, variable)
        return text if len(text) <= LONGEST else program.dump()
    except (RecursionError, TraceError, KeyError):
        return program.dump()


def _text(e: Expr, variable: str) -> str:
    args = sorted(e.args, key=lambda a: a.op != "const") if e.op == "mul" else e.args  # 100*t, not t*100
    inner = [_text(a, variable) for a in args]
    if e.op == "const":
        return f"{e.data:.17g}" if isinstance(e.data, float) and not float(f"{e.data:g}") == e.data else f"{e.data:g}"
    if e.op == "input":
        return variable
    if e.op == "neg":
        return f"-{inner[0]}"
    if e.op == "fma":
        first, second = sorted((0, 1), key=lambda k: e.args[k].op != "const")
        return f"({inner[first]}*{inner[second]} + {inner[2]})"
    if e.op in SIGNS:
        gap = "" if e.op in ("mul", "div", "pow") else " "
        whole = f"{inner[0]}{gap}{SIGNS[e.op]}{gap}{inner[1]}"
        return whole if e.op == "mul" else f"({whole})"
    if e.op in ("loop", "item", "row", "carry", "lookup", "array", "load", "store", "entered", "left", "most"):
        raise TraceError("loops and tables are not formulas")
    return f"{e.op}({', '.join(inner)})"
