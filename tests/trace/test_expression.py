"""Expressions fold, share and refuse."""

import math
import operator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction.errors import TraceError
from stiction.trace import Graph, absolute, fma, lookup, loop, sin, where


def inputs(count=3):
    graph = Graph()
    return graph, [graph.input(0, k, True) for k in range(count)]


def test_equal_expressions_are_one_node():
    _, (x, y, _) = inputs()
    assert x * y + sin(x) is y * x + sin(x)


@pytest.mark.parametrize(
    "build, expected",
    [
        (lambda x, y: x + 0, "x"),
        (lambda x, y: 0 + x, "x"),
        (lambda x, y: x * 1, "x"),
        (lambda x, y: x - 0.0, "x"),
        (lambda x, y: 0 - (0 - x), "x"),
        (lambda x, y: x / 1, "x"),
        (lambda x, y: where(x < y, x, x), "x"),
        (lambda x, y: +x, "x"),
        (lambda x, y: fma(x, 1, 0), "x"),
    ],
)
def test_identities_leave_the_operand(build, expected):
    _, (x, y, _) = inputs()
    assert build(x, y) is x


@pytest.mark.parametrize("build", [lambda x: x * 0, lambda x: x - x, lambda x: 0 / x, lambda x: 0 * sin(x)])
def test_structural_zeros(build):
    _, (x, _, _) = inputs()
    assert build(x).op == "const"
    assert build(x).data == 0


def test_signs_move_outwards():
    _, (x, y, _) = inputs()
    assert (-x) * y is -(x * y)
    assert x + (-y) is x - y
    assert -(x - y) is y - x


def test_whole_powers_are_products():
    _, (x, _, _) = inputs()
    ops = set()
    stack = [x**13]
    while stack:
        e = stack.pop()
        ops.add(e.op)
        stack.extend(e.args)
    assert ops == {"mul", "input"}
    assert (x**0).data == 1
    assert (x**0.5).op == "sqrt"


@pytest.mark.parametrize(
    "misuse, hint",
    [
        (lambda x: bool(x < 1), "where"),
        (lambda x: float(x), "stiction.trace.functions"),
        (lambda x: math.sin(x), "stiction.trace.functions"),
        (lambda x: np.sin(x), "NumPy's sin .* use sin of stiction.trace"),
        (lambda x: np.arctan2(x, 1.0), r"use atan2\(y, x\)"),
        (lambda x: np.array([x, 1.0]) + 1, "lists and tuples"),
        (lambda x: np.array([1.0, 2.0]) * x, r"shape \(2,\): take its components one by one"),
        (lambda x: x * np.array([1.0]), r"shape \(1,\)"),
        (lambda x: sin(x * np.zeros((2, 3))), r"shape \(2, 3\)"),
        (lambda x: np.multiply(2.0, x, out=np.array(1.0)), "NumPy's multiply"),
        (lambda x: np.float64(2.0) % x, "NumPy's remainder"),
        (lambda x: np.complex128(1j) * x, "combined with complex"),
        (lambda x: max(x, 0), "where"),
        (lambda x: where(x, 1, 2), "condition"),
        (lambda x: x & (x < 1), "condition"),
        (lambda x: (x < 1) * 2, "no number"),
        (lambda x: sin(x < 1), "no number"),
        (lambda x: x + "a", "number"),
        (lambda x: where(x < 0, x < 1, x), "same kind"),
        (lambda x: x + Graph().input(0, 0, True), "another trace"),
        (lambda x: lookup([x, 2 * x], x), "uniform"),
        (lambda x: loop(x, lambda row, c: c, [x]), "same for all lanes"),
        (lambda x: loop([(1,)], lambda row, c: [*c, 1], [x]), "as many values"),
        (lambda x: loop([(1,)], lambda row, c: [x < 1], [x]), "carries numbers"),
    ],
)
def test_misuse_is_refused_with_the_fix(misuse, hint):
    _, (x, _, _) = inputs()
    with pytest.raises(TraceError, match=hint):
        misuse(x)


def test_a_value_from_inside_a_loop_stays_there():
    _, (x, _, _) = inputs()
    leaked = []
    loop([(1,), (2,)], lambda row, c: [leaked.append(c[0]) or c[0] + row[0]], [x])
    with pytest.raises(TraceError, match="finished loop"):
        loop([(1,), (2,)], lambda row, c: [c[0] * leaked[0]], [x])


def test_constants_fold_like_numbers():
    graph, _ = inputs()
    two = graph.constant(2.0)
    assert (two**3 + sin(two) / 4).data == 8 + math.sin(2.0) / 4
    assert absolute(graph.constant(-3)).data == 3
    assert graph.div(two, graph.constant(0)).data == math.inf


@pytest.mark.parametrize(
    "misuse", [lambda x: np.sin(x), lambda x: np.ones(2) * x, lambda x: bool(x < 1), lambda x: math.sin(x)]
)
def test_a_refusal_names_the_line_of_the_formula(misuse):
    _, (x, _, _) = inputs()
    with pytest.raises(TraceError) as caught:
        loop(3, lambda i, c: [misuse(c[0])], [x])
    name, line = str(caught.value).rpartition("(")[2].rstrip(")").split(", line ")
    assert Path(name) == Path(__file__)
    assert int(line) == misuse.__code__.co_firstlineno


NUMBERS = [float, np.float64, np.float32, np.float16, np.longdouble, np.array, lambda c: np.array(c, np.float32)]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@given(st.data())
def test_numbers_of_numpy_are_numbers(data):
    """A random expression with NumPy's constants is the very node that it is with Python's."""
    _, (x, y, z) = inputs()
    ours = theirs = x
    for _ in range(data.draw(st.integers(1, 8))):
        theirs_c = data.draw(st.sampled_from(NUMBERS))(data.draw(st.floats(-8, 8, width=16)))
        ours_c = float(theirs_c)
        op, left = data.draw(st.sampled_from([*OPERATORS, "where", "negative"])), data.draw(st.booleans())
        if op == "negative":
            ours, theirs = -ours, np.negative(theirs)
        elif op == "where":
            compare = data.draw(st.sampled_from(COMPARISONS))
            ours = where(compare(ours_c, ours) if left else compare(ours, ours_c), y, ours * z)
            theirs = where(compare(theirs_c, theirs) if left else compare(theirs, theirs_c), y, theirs * z)
        else:
            ours = op(ours_c, ours) if left else op(ours, ours_c)
            theirs = op(theirs_c, theirs) if left else op(theirs, theirs_c)
        assert theirs is ours


def test_conditions_of_numpy_are_conditions():
    _, (x, y, _) = inputs()
    condition = x < y
    for holds in (np.float64(1.0) < np.float64(2.0), np.array(1) < np.array(2)):
        assert (holds & condition) is condition
        assert (condition & holds) is condition
        assert (holds | condition).data is True
        assert where(holds, x, y) is x
