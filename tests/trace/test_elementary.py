"""Elementary functions against mpmath, in units in the last place."""

import math

import mpmath
import numpy as np
import pytest

from stiction.trace import Port, Program, atan2, cos, exp, log, sin, tan, tanh
from stiction.trace.functions import power

mpmath.mp.prec = 160


def compiled(function, inputs=1):
    return Program(function.__name__, lambda *x: (function(*x),), [Port(f"x{k}") for k in range(inputs)], [Port("y")])


def worst(function, reference, *arguments):
    """Largest error in units in the last place."""
    results = compiled(function, len(arguments))(*arguments)[0]
    largest = mpmath.mpf(0)
    for result, *values in zip(results, *arguments, strict=True):
        exact = reference(*(mpmath.mpf(float(v)) for v in values))
        unit = mpmath.mpf(float(np.spacing(abs(float(exact)))))
        largest = max(largest, abs(mpmath.mpf(float(result)) - exact) / unit)
    return float(largest)


def spread(rng, low, high, count=3000):
    """Numbers of all magnitudes between 10^low and 10^high, of both signs."""
    return 10 ** rng.uniform(low, high, count) * rng.choice([-1.0, 1.0], count)


def near_multiples(rng, count=1000):
    """The doubles next to multiples of π/2, where reduction loses most."""
    k = rng.integers(1, 600_000, count)
    return np.array([float(mpmath.pi / 2 * int(n)) for n in k]) * rng.choice([-1.0, 1.0], count)


@pytest.mark.parametrize(
    "function, reference, bound", [(sin, mpmath.sin, 2.5), (cos, mpmath.cos, 2.5), (tan, mpmath.tan, 5.0)]
)
def test_angles(function, reference, bound):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-10, 10, 3000), spread(rng, -8, 6), near_multiples(rng)])
    assert worst(function, reference, x[abs(x) <= 1e6]) < bound


@pytest.mark.parametrize("function, reference", [(sin, mpmath.sin), (cos, mpmath.cos)])
def test_angles_beyond_the_range_are_right_too(function, reference):
    rng = np.random.default_rng(3)
    hardest = math.ldexp(6381956970095103, 797)  # of all doubles the nearest to a multiple of π/2
    x = np.array([1e6 + 1, 1e9, 1e15, 1e19, -1e19, 1e22, 1.7e308, 2.0**60, 3.0, hardest, -hardest])
    with mpmath.workprec(1400):
        assert worst(function, reference, np.concatenate([x, spread(rng, 5.5, 308, 1000)])) < 2.5


def test_exponential_and_logarithm():
    rng = np.random.default_rng(1)
    assert worst(exp, mpmath.exp, np.concatenate([rng.uniform(-708, 709.7, 3000), spread(rng, -12, 1)])) < 2.5
    positive = np.concatenate(
        [10 ** rng.uniform(-307, 308, 3000), rng.uniform(0.5, 2, 3000), 1 + spread(rng, -15, -1, 500)]
    )
    assert worst(log, mpmath.log, positive) < 2.5


def test_power():
    rng = np.random.default_rng(4)
    base, exponent = 10 ** rng.uniform(-3, 3, 4000), rng.uniform(-90, 90, 4000)
    assert worst(power, mpmath.power, base, exponent) < 2.5
    near = 1 + spread(rng, -9, -1, 2000)
    assert worst(power, mpmath.power, near, rng.uniform(-1, 1, 2000) * np.minimum(1e11, 700 / abs(np.log(near)))) < 2.5
    assert worst(power, mpmath.power, 10 ** rng.uniform(-300, 300, 2000), rng.uniform(-1, 1, 2000)) < 2.5
    assert worst(power, mpmath.power, -(10 ** rng.uniform(-3, 3, 500)), rng.integers(-90, 90, 500).astype(float)) < 2.5


def test_edges_of_the_power_are_those_of_c():
    edges = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1e300, math.inf, -math.inf, math.nan, 2.0**53, 2.5]
    x, y = (a.ravel() for a in np.meshgrid(edges, edges))
    with np.errstate(all="ignore"):
        found, wanted = compiled(power, 2)(x, y)[0], np.float_power(x, y)
    np.testing.assert_allclose(found, wanted, rtol=5e-16)
    np.testing.assert_array_equal(np.signbit(found[found == found]), np.signbit(wanted[found == found]))


def test_tanh_and_atan2():
    rng = np.random.default_rng(2)
    assert worst(tanh, mpmath.tanh, np.concatenate([rng.uniform(-25, 25, 3000), spread(rng, -12, 2)])) < 2.5
    y, x = spread(rng, -6, 6), spread(rng, -6, 6)
    assert worst(atan2, mpmath.atan2, y, x) < 2.5
    assert worst(atan2, mpmath.atan2, rng.normal(size=3000), rng.normal(size=3000)) < 2.5


def test_edges():
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(compiled(exp)([inf, -inf, nan, 0.0, 800.0, -800.0])[0], [inf, 0, nan, 1, inf, 0])
    np.testing.assert_array_equal(compiled(log)([0.0, 1.0, -1.0, inf, nan])[0], [-inf, 0, nan, inf, nan])
    np.testing.assert_array_equal(compiled(tanh)([0.0, inf, -inf, nan, 1e-300])[0], [0, 1, -1, nan, 1e-300])
    np.testing.assert_array_equal(compiled(sin)([0.0, inf, nan])[0], [0, nan, nan])
    y = np.array([0.0, 0.0, -0.0, 1.0, -1.0, inf, inf, -inf, 1.0, nan, 1e308, 3e-308])
    x = np.array([1.0, -1.0, -1.0, 0.0, 0.0, inf, -inf, 1.0, inf, 1.0, 1e308, 1e-300])
    np.testing.assert_allclose(compiled(atan2, 2)(y, x)[0], np.arctan2(y, x), rtol=5e-16)
