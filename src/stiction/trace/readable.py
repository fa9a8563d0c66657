"""A traced function as a formula that people can read."""

from collections.abc import Callable, Sequence

from stiction.errors import TraceError
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar
from stiction.trace.program import Port, Program
from stiction.trace.structure import flat

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


def readable(function: Callable[..., Scalar], variable: str = "t") -> str:
    """A function as a formula, or as the list of its operations where that is too long. `variable`: the name of its
    argument; of several, with spaces between them. Where it gives a list, the formulas are listed.

    Example:
        >>> from stiction.trace import sin
        >>> from stiction.trace.readable import readable
        >>> readable(lambda t: 0.336 + 0.144 * sin(100 * t))
        '(0.144*sin(100*t) + 0.336)'
    """
    names = variable.split()
    width = len(flat(function(*(1.0 for _ in names))))
    program = Program("function", lambda *x: (flat(function(*x)),), [*map(Port, names)], [Port("value", (width,))])
    try:
        (results,) = program.trace()
        text = ", ".join(_text(result, names) for result in results)
        text = text if width == 1 else f"[{text}]"
        return text if len(text) <= LONGEST else program.dump()
    except (RecursionError, TraceError, KeyError):
        return program.dump()


def _text(e: Expr, names: Sequence[str]) -> str:
    args = sorted(e.args, key=lambda a: a.op != "const") if e.op == "mul" else e.args  # 100*t, not t*100
    inner = [_text(a, names) for a in args]
    if e.op == "const":
        return f"{e.data:.17g}" if isinstance(e.data, float) and not float(f"{e.data:g}") == e.data else f"{e.data:g}"
    if e.op == "input":
        return names[e.data[0]]
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
