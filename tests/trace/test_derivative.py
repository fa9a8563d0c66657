"""Exact derivatives against complex steps and finite differences."""

import numpy as np
import pytest

from stiction.errors import TraceError
from stiction.trace import (
    Array,
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
from stiction.trace.functions import constant


def smooth(x):
    a, b, c = x
    return [
        a * b / (1 + c * c) - sqrt(1 + a * a),
        sin(a) * cos(b) + tan(c / 3) + exp(-a * b),
        log(2 + a * a) * tanh(b) + (1 + b * b) ** 1.7 + c**5 - c**-2,
        atan2(a, 2 + b * b) - c,
    ]


def test_the_exponent_of_a_power_may_move():
    J = compiled_jacobian(lambda x: [x[0] ** x[1]], 2, 1)
    for a, b in ((2.0, 3.0), (0.3, -1.5), (1.7, 0.2)):
        np.testing.assert_allclose(J([a, b])[0], [[b * a ** (b - 1), np.log(a) * a**b]], rtol=1e-12)


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


def powers(x):
    """A series in a loop, whose rows are numbers and inputs."""
    return loop(
        [(1, x[1]), (2, x[2]), (3, x[0] * x[1])], lambda row, c: [c[0] * row[0] + sin(row[1]), c[1] + c[0]], x[:2]
    )


def by_memory(x):
    """Stored, read back in another order, overwritten between."""
    held, sums = Array.of([x[0], x[1], x[0] * x[2]]), Array(3, x)

    def one(k, carry):
        sums[2 - k] = sums[2 - k] + held[k] * held[2 - k]
        held[k] = exp(held[k] / 3) + carry[0]
        return [carry[0] * x[2] + sums[2 - k]]

    (y,) = loop(3, one, [x[1]])
    held[1] = held[1] * y
    return [y, held[1] + sums[0], held[0] * sums[2]]


def nested(x):
    """Loops in loops, with a matrix made anew in each pass."""
    A = Array(9, x)

    def fill(i, carry):
        def inner(j, carry):
            A[i * 3 + j] = sin(x[0] * (i + 1)) + x[1] * j
            return [carry[0] + A[i * 3 + j] * x[2]]

        return loop(3, inner, carry)

    def row(i, carry):
        fresh = Array(3, x)

        def inner(j, carry):
            def term(k, carry):
                fresh[j] = fresh[j] + A[i * 3 + k] * A[k * 3 + j]
                return carry

            return loop(3, term, carry)

        loop(3, inner, [0 * x[0]])
        return [carry[0] + fresh[0] * fresh[1] - fresh[2]]

    first = loop(3, fill, [x[2]])
    return [*first, *loop(3, row, [0 * x[0]])]


def partly(x):
    """Only some of what a loop carries and keeps moves; a loop that does not move writes what one that does reads."""
    fixed, moving = Array(4, x), Array(4, x)

    def prepare(k, carry):
        fixed[k] = k * k + 1
        return carry

    def one(k, carry):
        moving[k] = fixed[3 - k] * carry[1] + x[0]
        return [carry[0] + 1, carry[1] * x[1], carry[2] + moving[k]]

    loop(4, prepare, [0 * x[0]])
    count, last, total = loop(4, one, [0 * x[0], x[2], 0 * x[0]])
    fixed[0] = count
    return [total + fixed[0] * last, moving[2] * fixed[1]]


@pytest.mark.parametrize("function", [powers, by_memory, nested, partly])
def test_through_loops_and_arrays(function):
    """Against complex steps of the same source on numbers, and against finite differences of the compiled one."""
    m = len(function([0.1, 0.2, 0.3]))
    J = compiled_jacobian(function, 3, m)
    values = Program("values", lambda x: (function(x),), [Port("x", (3,))], [Port("y", (m,))])
    for x in np.random.default_rng(3).normal(size=(10, 3)):
        expected, differences = np.full((m, 3), np.nan), np.full((m, 3), np.nan)
        for j in range(3):
            moved = [complex(value, 1e-30 * (k == j)) for k, value in enumerate(x)]
            expected[:, j] = [complex(y).imag / 1e-30 for y in function(moved)]
            step = 1e-6 * np.eye(3)[j]
            differences[:, j] = (values(x + step)[0] - values(x - step)[0]) / 2e-6
        np.testing.assert_allclose(J(x)[0], expected, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(J(x)[0], differences, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_rates_of_a_loop_have_the_same_bits_in_every_lane():
    J, x = compiled_jacobian(by_memory, 3, 3), np.random.default_rng(1).normal(size=(19, 3))
    together = J(x)[0]
    for k in range(19):
        assert together[k].tobytes() == J(x[k])[0].tobytes()


def root(x, held):
    """The root y of y³ + x y = 1 by a search, its slope by the formula that it solves, with the root held fixed."""

    def one(_, carry):
        y = carry[0]
        change = (y * y * y + x * y - 1) / (3 * y * y + x)
        return [y - change, where(absolute(change) > 1e-14, 1, 0)]

    y = loop(50, one, [1 + 0 * x, 1 + 0 * x], until_zero=1)[0]
    fixed = constant(y)
    return fixed - (fixed * fixed * fixed + x * fixed - 1) / constant(3 * y * y + x) if held else y


def test_a_search_is_refused_or_held_fixed():
    def slope(x, held):
        return (jacobian([root(x, held)], [x]),)

    with pytest.raises(TraceError, match=r"a search .* has no derivative; .* held fixed by constant\(\)"):
        Program("search", lambda x: slope(x, False), [Port("x")], [Port("J", (1, 1))]).trace()
    J = Program("held", lambda x: slope(x, True), [Port("x")], [Port("J", (1, 1))])
    for x in (0.3, 1.0, 4.0):
        y = root(x, True)
        assert float(J(x)[0][0, 0]) == pytest.approx(-y / (3 * y * y + x), rel=1e-12)


def test_memory_from_outside_the_loop_is_refused():
    def inside(x):
        held = Array.of([x, 2 * x])

        def one(k, carry):
            held[0] = held[1] * carry[0]
            return [carry[0] + jacobian([held[0] * carry[0]], [carry[0]])[0][0]]

        return (loop(2, one, [x])[0],)

    with pytest.raises(TraceError, match="an array that was made before it"):
        Program("inside", inside, [Port("x")], [Port("y")]).trace()


def test_entries_of_a_table_may_move():
    def body(u):
        return (jacobian([lookup([u, 2 * u, u * u], 1.5 + 0 * u), lookup([u, 2 * u, u * u], u.graph.wrap(2))], [u]),)

    J = Program("table", body, [Port("u", (), "", "uniform")], [Port("J", (2, 1))])
    np.testing.assert_array_equal(J(3.0)[0], [[2], [6]])
