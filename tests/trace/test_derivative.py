"""Exact derivatives against complex steps and finite differences."""

import numpy as np
import pytest

from stiction.errors import TraceError
from stiction.trace import (
    Graph,
    Port,
    Program,
    absolute,
    atan2,
    cos,
    directional,
    exp,
    jacobian,
    log,
    lookup,
    loop,
    maximum,
    minimum,
    sin,
    sqrt,
    tan,
    tanh,
    where,
)


def smooth(x):
    a, b, c = x
    return [
        a * b / (1 + c * c) - sqrt(1 + a * a),
        sin(a) * cos(b) + tan(c / 3) + exp(-a * b),
        log(2 + a * a) * tanh(b) + (1 + b * b) ** 1.7 + c**5 - c**-2,
        atan2(a, 2 + b * b) - c,
    ]


def compiled_jacobian(function, n, m):
    def body(x):
        outputs = function(x)
        return (jacobian([x[0].graph.wrap(y) for y in outputs], x),)

    return Program("jacobian", body, [Port("x", (n,))], [Port("J", (m, n))])


def test_against_complex_step():
    J = compiled_jacobian(smooth, 3, 4)
    rng = np.random.default_rng(3)
    for x in rng.normal(size=(20, 3)):
        expected = np.empty((4, 3))
        for j in range(3):
            moved = [complex(value, 1e-30 * (k == j)) for k, value in enumerate(x)]
            expected[:, j] = [y.imag / 1e-30 for y in smooth(moved)]
        np.testing.assert_allclose(J(x)[0], expected, rtol=1e-12, atol=1e-12)


def test_against_finite_differences_where_there_are_corners():
    def corners(x):
        a, b = x
        return [absolute(a) * b, maximum(a, b) * a, minimum(a * a, b), where(a < b, a * b, sin(a))]

    J = compiled_jacobian(corners, 2, 4)
    for x in np.random.default_rng(4).normal(size=(20, 2)):
        columns = [(np.array(corners(x + d)) - np.array(corners(x - d))) / 2e-6 for d in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(J(x)[0], np.transpose(columns), atol=1e-7)


def test_structural_zeros_stay_constants():
    graph = Graph()
    x = [graph.input(0, k, True) for k in range(4)]
    J = jacobian([x[0] * x[1], sin(x[2]), x[0] + x[3]], x)
    pattern = [[entry.op != "const" or entry.data != 0 for entry in row] for row in J]
    assert pattern == [[True, True, False, False], [False, False, True, False], [True, False, False, True]]


def test_directions_in_the_lanes():
    def body(x, d):
        return (directional([x[0].graph.wrap(y) for y in smooth(x)], dict(zip(x, d, strict=True))),)

    along = Program("along", body, [Port("x", (3,), "", "uniform"), Port("d", (3,))], [Port("change", (4,))])
    x = np.array([0.3, -0.7, 1.1])
    np.testing.assert_allclose(along(x, np.eye(3))[0].T, compiled_jacobian(smooth, 3, 4)(x)[0], rtol=1e-13, atol=1e-13)


def test_not_through_loops():
    graph = Graph()
    x = graph.input(0, 0, True)
    y = loop([(1,), (2,)], lambda row, c: [c[0] * row[0]], [x])
    with pytest.raises(TraceError, match="not through loops"):
        jacobian(y, [x])


def test_entries_of_a_table_may_move():
    def body(u):
        return (jacobian([lookup([u, 2 * u, u * u], 1.5 + 0 * u), lookup([u, 2 * u, u * u], u.graph.wrap(2))], [u]),)

    J = Program("table", body, [Port("u", (), "", "uniform")], [Port("J", (2, 1))])
    np.testing.assert_array_equal(J(3.0)[0], [[2], [6]])
