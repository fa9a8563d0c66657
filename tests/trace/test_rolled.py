"""Programs that were put into loops again: they do what they did, and do not grow with their lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stiction.trace import Array, Port, Program, loop, sin, where
from stiction.trace import program as programs

N = 40
RNG = np.random.default_rng(7)


def both(monkeypatch, function, inputs, outputs, *values):
    """The program as it was written out, and in loops, which give the same; and how many operations they have."""
    made, counts, found = [], [], []
    for large in (10**9, 0):
        monkeypatch.setattr(programs, "LARGE", large)
        monkeypatch.setenv("STICTION_CACHE", "")
        made.append(Program("lists", function, inputs, outputs))
        counts.append(sum(made[-1].operations.values()))
        found.append(made[-1](*values))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
        assert np.isfinite(a).all()
    return *made, *counts


def size(n):
    return [Port("x", (n,)), Port("p", (n,), "", "uniform")], [Port("y", (2 * n,))]


def sums(x, p):
    """Places, constants and shared numbers that differ, two kinds that alternate."""
    held = Array.of([k * a + b for k, (a, b) in enumerate(zip(x, p, strict=True), 2)])
    y = [held[k] * sin(a) for k, a in enumerate(x)]
    return ([z for pair in zip(y, reversed(y), strict=True) for z in pair],)


@pytest.mark.parametrize("batch", [(), (9,)])
def test_lists_are_what_they_were_and_cost_the_same_for_any_length(batch, monkeypatch):
    counts = []
    for n in (N, 3 * N):
        values = RNG.normal(size=(*batch, n)), RNG.normal(size=n)
        *_, straight, rolled = both(monkeypatch, sums, *size(n), *values)
        counts.append(rolled)
        assert straight > 4 * n
    assert counts[0] == counts[1] < 50


def test_what_was_overwritten_is_not_read_again(monkeypatch):
    """Old numbers of an array that is written again, and stores that read what the ones before them wrote."""

    def function(x):
        held = Array.of([2 * a for a in x])
        old = [held[k] for k in range(N)]
        for k in range(1, N):
            held[k] = held[k - 1] + old[k]
        for k in range(N):
            held[k] = held[k] - 3 * old[N - 1 - k]
        return ([held[k] + old[k] for k in range(N)],)

    x = RNG.normal(size=(5, N))
    both(monkeypatch, function, [Port("x", (N,))], [Port("y", (N,))], x)
    sums = np.cumsum(2 * x, axis=-1) - 6 * x[:, ::-1] + 2 * x
    monkeypatch.setattr(programs, "LARGE", 0)
    np.testing.assert_allclose(Program("s", function, [Port("x", (N,))], [Port("y", (N,))])(x)[0], sums, rtol=1e-12)


def test_places_of_an_array_that_is_filled_from_itself(monkeypatch):
    """In a loop each turn would read what the one before it wrote."""

    def function(x):
        held = Array.of([a + 0 for a in x])
        new = [held[(k - 1) % N] * 2 for k in range(N)]
        for k in range(N):
            held[k] = new[k]
        return ([held[k] for k in range(N)],)

    x = RNG.normal(size=(3, N))
    _, rolled, *_ = both(monkeypatch, function, [Port("x", (N,))], [Port("y", (N,))], x)
    np.testing.assert_array_equal(rolled(x)[0], 2 * np.roll(x, 1, axis=-1))


@pytest.mark.parametrize("many", [150, 400])
def test_a_loop_that_carries_many(many, monkeypatch):
    """In registers or in memory; some are as they were, some change places."""

    def function(x, steps):
        def turn(k, carry):
            first, second = carry[: many // 2], carry[many // 2 :]
            return [b + k for b in second[1:]] + [first[0]] + [a * 0.5 for a in first[:-1]] + [second[-1]]

        return (loop(steps, turn, x),)

    ports = [Port("x", (many,)), Port("steps", (), "", "uniform")], [Port("y", (many,))]
    x = RNG.normal(size=(9, many))
    for steps in (0.0, 1.0, 7.0):
        *_, straight, rolled = both(monkeypatch, function, *ports, x, steps)
    assert many < 200 or rolled < 40 < straight


@pytest.mark.parametrize("steps", [0.0, 2.0])
def test_what_a_loop_never_stored_is_not_read_after_it(steps, monkeypatch):
    """Its results are numbers from before it, which somebody else wants, too."""
    many = 300

    def function(x, steps):
        double = [2 * a for a in x]
        left = loop(steps, lambda k, carry: double, x)
        return ([*left, *double],)

    ports = [Port("x", (many,)), Port("steps", (), "", "uniform")], [Port("y", (2 * many,))]
    x = RNG.normal(size=(3, many))
    _, rolled, *_ = both(monkeypatch, function, *ports, x, steps)
    np.testing.assert_array_equal(rolled(x, steps)[0], np.concatenate([x * (2 if steps else 1), 2 * x], axis=1))


@pytest.mark.parametrize("skip", [False, True])
def test_a_search_that_carries_many(skip, monkeypatch):
    """Each lane ends at its own time, and goes on as long as others do."""

    def function(x):
        def turn(_, carry):
            *numbers, left = carry
            return [*(where(left > 0, a + 1, a) for a in numbers), where(left > 1, left - 1, 0)]

        return (loop(50, turn, x, until_zero=len(x) - 1, skip=skip),)

    x = RNG.normal(size=(6, 301))
    x[:, -1] = [0, 1, 2, 5, 9, 3]
    _, rolled, *_ = both(monkeypatch, function, [Port("x", (301,))], [Port("y", (301,))], x)
    np.testing.assert_allclose(rolled(x)[0][:, :-1], x[:, :-1] + x[:, -1:], rtol=1e-14)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(0, 2**32 - 1))
def test_any_order_of_shapes(kinds, seed):
    """Runs, periods and single ones in any order, in and out of arrays."""
    shapes = (
        lambda x, p, k: x[k] * p[k] + 1,
        lambda x, p, k: x[k - 1] + x[0] * 3,
        lambda x, p, k: p[k] * p[k - 1],
        lambda x, p, k: x[k] * (k + 1),
        lambda x, p, k: where(x[k] < p[k], x[k], -p[k]),
        lambda x, p, k: k / 4,
        lambda x, p, k: where((p[k] < 0) & (p[k - 1] < k), x[k], 2 * x[k - 1]),
    )
    n = len(kinds) * 3

    def function(x, p):
        held = Array.of([shapes[kinds[k % len(kinds)]](x, p, k) for k in range(n)])
        return ([shapes[kinds[k // 3]](list(held), p, k) for k in range(n)],)

    rng = np.random.default_rng(seed)
    x, p = rng.normal(size=(3, n)), rng.normal(size=n)
    made, before = [], programs.LARGE
    try:
        for large in (10**9, 0):
            programs.LARGE = large
            program = Program("any", function, [Port("x", (n,)), Port("p", (n,), "", "uniform")], [Port("y", (n,))])
            program.trace()
            made.append(program)
    finally:
        programs.LARGE = before
    direct = np.array([[float(y) for y in function([*map(float, row)], [*map(float, p)])[0]] for row in x])
    for program in made:
        np.testing.assert_allclose(program(x, p)[0], direct, rtol=1e-12, atol=1e-12)
