"""The machine room: scalar Python formulas in, differentiated graphs and machine code out."""

from stiction.trace.array import Array
from stiction.trace.derivative import directional, jacobian
from stiction.trace.expression import Expr, Graph
from stiction.trace.functions import (
    absolute,
    atan2,
    clip,
    cos,
    exp,
    floor,
    fma,
    log,
    logical_not,
    lookup,
    loop,
    maximum,
    minimum,
    most,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    where,
)
from stiction.trace.program import Port, Program

__all__ = [
    "Array",
    "Expr",
    "Graph",
    "Port",
    "Program",
    "absolute",
    "atan2",
    "clip",
    "cos",
    "directional",
    "exp",
    "floor",
    "fma",
    "jacobian",
    "log",
    "logical_not",
    "lookup",
    "loop",
    "maximum",
    "minimum",
    "most",
    "sign",
    "sin",
    "sqrt",
    "tan",
    "tanh",
    "where",
]
