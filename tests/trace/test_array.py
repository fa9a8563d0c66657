"""Arrays: memory by index in traced programs, the same as lists on floats, in any number of lanes."""

import os

import numpy as np
import pytest

from stiction.errors import TraceError
from stiction.trace import Array, Port, Program, lookup, loop, maximum, sin, sqrt, where
from stiction.trace.arithmetic import Target
from stiction.trace.functions import rarely
from stiction.trace.grid import column

N = 7


def horner(x, c):
    """A polynomial through an array: coefficients stored by a loop, read backwards by another."""
    held = Array(N, [x])

    def fill(k, carry):
        held[k] = lookup(c, k) * (1 + x / 10)
        return carry

    def one(k, carry):
        return [carry[0] * x + held[N - 1 - k]]

    loop(N, fill, [x])
    return (loop(N, one, [0 * x])[0],)


def recursion(x, c):
    """A tree through a parent index: what reaches each node is its parent's, then sums go back to the root."""
    parents = [0, 0, 0, 1, 1, 2, 5]
    down, up = Array(N, [x]), Array(N, [x])

    def outward(row, carry):
        k, parent = row
        down[k] = where(k > 0, sin(down[parent]) + x, x)
        up[k] = down[k] * down[k]
        return carry

    def inward(row, carry):
        k, parent = row
        up[parent] = up[parent] + where(k > 0, up[k] / 2, 0)
        return [maximum(carry[0], up[k])]

    loop([(k, p) for k, p in enumerate(parents)], outward, [x])
    most = loop([(k, p) for k, p in reversed(list(enumerate(parents)))], inward, [0 * x])[0]
    return (up[0] + most,)


def nested(x, c):
    """A matrix product by three loops with index arithmetic, and a matrix that is made anew in each pass."""
    n = 3
    A, total = Array(n * n, [x]), Array(n, [x])

    def fill(i, carry):
        def inner(j, carry):
            A[i * n + j] = sin(x * (i + 1)) + j
            return carry

        return loop(n, inner, carry)

    def row(i, carry):
        fresh = Array(n, [x])

        def inner(j, carry):
            def term(k, carry):
                fresh[j] = fresh[j] + A[i * n + k] * A[k * n + j]
                return carry

            return loop(n, term, carry)

        carry = loop(n, inner, carry)
        total[i] = fresh[0] + 2 * fresh[1] + 3 * fresh[2]
        return [carry[0] + total[i]]

    loop(n, fill, [x])
    return (loop(n, row, [0 * x])[0],)


def overwritten(x, c):
    """Loads before and after a store see what was there at their time."""
    a = Array(2, [x])
    a[0] = x
    before = a[0]
    a[0] = a[0] + 1
    a[1] = before * a[0]
    return (before + 10 * a[0] + 100 * a[1],)


def columns(x, c):
    """Rows of a loop whose columns are whole numbers, one number throughout, inputs, and numbers of each lane."""
    rows = [(k, 2, entry, x * k) for k, entry in enumerate(c)]
    held = Array.of([x * entry for entry in c])

    def one(row, carry):
        k, two, entry, own = row
        held[k] = held[k] ** two + entry * own
        return [carry[0] + held[N - 1 - k]]

    return (loop(rows, one, [0 * x])[0],)


COEFFICIENTS = [0.5, -1.0, 0.25, 2.0, -0.125, 1.5, 3.0]
FORMULAS = [horner, recursion, nested, overwritten, columns]


def program(formula):
    return Program(formula.__name__, formula, [Port("x"), Port("c", (N,), role="uniform")], [Port("y")])


@pytest.mark.parametrize("formula", FORMULAS)
def test_traced_is_what_floats_give(formula):
    made = program(formula)
    for x in (0.3, -1.2, 2.5):
        assert float(made(x, COEFFICIENTS)[0]) == pytest.approx(formula(x, COEFFICIENTS)[0], rel=1e-14)


@pytest.mark.parametrize("formula", FORMULAS)
def test_bits_do_not_depend_on_the_lanes(formula):
    made, x = program(formula), np.random.default_rng(0).normal(size=37)
    together = made(x, COEFFICIENTS)[0]
    for k in range(37):
        assert together[k].tobytes() == made(x[k], COEFFICIENTS)[0].tobytes()


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("formula", FORMULAS)
def test_code_for_every_width(formula, lanes):
    """The text is made, and memory is as wide as the lanes."""
    text = program(formula).text(Target(lanes=lanes))
    wide = "double" if lanes == 1 else f"<{lanes} x double>"
    assert f"load {wide}" in text and "llvm.memset" in text


def test_a_dump_shows_loops_and_memory():
    text = program(horner).dump()
    for word in ("array 0 of 7", "store", "load", "leaves", "left"):
        assert word in text


def test_many_numbers_stay_few_operations():
    def long(x):
        a = Array(1000, [x])

        def fill(k, carry):
            a[k] = x * k
            return carry

        loop(1000, fill, [x])
        return (loop(1000, lambda k, c: [c[0] + a[k] * a[999 - k]], [0 * x])[0],)

    made = Program("long", long, [Port("x")], [Port("y")])
    assert sum(made.operations.values()) < 20
    assert float(made(1.0)[0]) == sum(k * (999 - k) for k in range(1000))


def test_a_loop_that_tests_before_its_first_pass():
    def halved(x, skip):
        return loop(50, lambda _, c: [c[0] / 2, where(c[0] / 2 > 1, 1, 0)], [x, where(x > 1, 1, 0)], 1, skip)[0]

    for skip, kept in ((True, [0.5, 0.75, 0.9]), (False, [0.25, 0.75, 0.9])):
        made = Program("halved", lambda x, skip=skip: (halved(x, skip),), [Port("x")], [Port("y")])
        assert [float(made(x)[0]) for x in (0.5, 1.5, 7.2)] == pytest.approx(kept)
        assert [halved(x, skip) for x in (0.5, 1.5, 7.2)] == pytest.approx(kept)


def test_what_is_refused():
    with pytest.raises(TraceError, match="index 3 of an array of 3; allowed: 0 to 2"):
        Array(3, [0.0])[3]
    with pytest.raises(TraceError, match="index -1 of an array"):
        Array(3, [0.0])[-1] = 1.0
    with pytest.raises(TraceError, match="the index of an array is the same for all lanes"):
        Program("varying", lambda x: (Array(3, [x])[x],), [Port("x")], [Port("y")]).trace()


def test_a_loop_that_would_unroll_says_so():
    def hidden(x):
        return (loop(100, lambda k, c: [c[0] + x], [0.0])[0],)

    with pytest.raises(TraceError, match="this loop would be unrolled"):
        Program("hidden", hidden, [Port("x")], [Port("y")]).trace()


def test_arrays_of_inputs_and_as_outputs():
    def reversed_twice(x):
        held, turned = Array.of(x), Array(5, x)

        def one(k, carry):
            turned[k] = held[4 - k]
            held[4 - k] = 2 * held[4 - k]
            return carry

        loop(5, one, [x[0]])
        return turned, held

    made = Program("reversed", reversed_twice, [Port("x", (5,))], [Port("y", (5,)), Port("z", (5,))])
    x = np.random.default_rng(1).normal(size=(11, 5))
    y, z = made(x)
    assert np.array_equal(y, x[:, ::-1]) and np.array_equal(z, 2 * x)
    assert "memcpy" in made.text(Target(lanes=8))
    with pytest.raises(TraceError, match="output 'y' is an array of 5; allowed: 4"):
        Program("short", lambda x: (Array.of(x),), [Port("x", (5,))], [Port("y", (4,))]).trace()


def test_what_is_one_number_in_all_rows_is_no_column():
    def chosen(x):
        def one(row, carry):
            zero, own, k = row
            return [carry[0] + zero * own + k * x]

        return (loop([(0, 1.5 + k, k) for k in range(6)], one, [x])[0],)

    made = Program("chosen", chosen, [Port("x")], [Port("y")])
    assert "mul" not in made.operations or made.operations["mul"] + made.operations.get("fma", 0) <= 1
    assert float(made(2.0)[0]) == 2 + 2 * 15


def test_numbers_in_memory_are_not_taken_from_a_loop_that_may_not_have_run():
    """Two loops need the same numbers by index; the first of them is skipped in some lanes."""

    def both(x, go):
        numbers = [x + k for k in range(12)]

        def add(_, carry):
            held = column(numbers, [x])
            return [loop(12, lambda k, c: [c[0] + held[k]], [0 * x])[0], 0 * x]

        first = loop(1, add, [0 * x, go], until_zero=1, skip=True)[0]
        second = loop(1, add, [0 * x, 1 + 0 * x], until_zero=1)[0]
        return first, second

    made = Program("both", both, [Port("x"), Port("go")], [Port("first"), Port("second")])
    for go in (0.0, 1.0):
        first, second = made(2.0, go)
        assert float(first) == go * 90 and float(second) == 90


def test_what_is_rarely_needed_is_done_where_it_is():
    """A branch: lanes that need it get the formula, others keep what they had, to the bit, in any number of lanes."""

    def function(x, y):
        return tuple(rarely(x > 3, [y], [x, 2 * x], lambda inside: [sqrt(inside[0]), inside[0] + 1]))

    program = Program("rarely", function, [Port("x"), Port("y")], [Port("a"), Port("b")])
    x, y = np.arange(13.0) - 5, np.arange(13.0) + 2
    a, b = program(x, y)
    np.testing.assert_array_equal(a, np.where(x > 3, np.sqrt(y), x))
    np.testing.assert_array_equal(b, np.where(x > 3, y + 1, 2 * x))
    for k in range(13):
        assert [float(z) for z in program(x[k], y[k])] == [a[k], b[k]] == list(function(float(x[k]), float(y[k])))
    calm, _ = program(x[:5], -np.ones(5))
    assert np.isfinite(calm).all()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is counted as Linux tells it")
def test_memory_of_large_programs_is_given_back():
    """Rows of 4000 numbers in eight lanes take 256 kB each time; a thousand calls would keep 256 MB."""
    large = Program("large", lambda x: (x[0] + x[-1],), [Port("x", (4000,))], [Port("y")])
    x = np.ones((8, 4000))

    def pages():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    large(x)
    before = pages()
    for _ in range(1000):
        large(x)
    assert (pages() - before) * os.sysconf("SC_PAGE_SIZE") < 64e6
