"""Contacts and intervals together: hard families from a cold start, and an oracle that tries all modes."""

import itertools

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from stiction.rows.cones import Found, solve
from stiction.rows.coupled_rows import Blocks, CoupledRows
from stiction.rows.multipliers import multipliers
from stiction.rows.nonnegative import nonnegative
from stiction.rows.sweeps import one_contact
from stiction.trace import Array, Port, Program
from stiction.trace.grid import Grid
from tests.rows.contact_problems import FAMILIES, GRAVITY, STEP, collected, residual

SOFT = 1e-6  # added to the diagonal, of its mean: more contacts than motions leave A singular


def by_multipliers(x, p, tolerance):
    """What the method of multipliers finds alone."""
    multipliers(x, p, tolerance, 0 * tolerance + 1)
    return Found(x.residual(p), 0 * tolerance)


def program(intervals, cones, tangents=2, solve=solve):
    n = intervals + cones * (1 + tangents)

    def function(A, c, low, high, friction, p, tolerance):
        like, matrix, found = [c[0]], Grid(n, n, [c[0]]), Array.of(p)
        for i, row in enumerate(A):
            for j, x in enumerate(row):
                matrix[i, j] = x
        blocks = Blocks(Array.of(low), Array.of(high), Array.of(friction), intervals, cones, tangents)
        result = solve(CoupledRows(matrix, Array.of(c), blocks, like), found, tolerance)
        return found, result.residual, result.passes

    ends = max(intervals, 1)
    ports = [
        Port("A", (n, n)),
        Port("c", (n,)),
        Port("low", (ends,)),
        Port("high", (ends,)),
        Port("μ", (max(cones, 1),)),
    ]
    outputs = [Port("p", (n,)), Port("residual"), Port("passes")]
    return Program("cones", function, [*ports, Port("p", (n,)), Port("tolerance")], outputs)


def softened(A):
    n = A.shape[-1]
    return A + SOFT * np.einsum("bii->b", A)[:, None, None] / n * np.eye(n)


@pytest.mark.parametrize("name", FAMILIES)
def test_hard_families_from_a_cold_start(name):
    A, c, friction = collected(name, 200)
    A, none = softened(A), np.zeros((200, 1))
    tolerance = 1e-9 * np.maximum(np.abs(c).max(axis=1), GRAVITY * STEP)
    p, told, _ = program(0, friction.shape[1])(A, c, none, none, friction, np.zeros_like(c), tolerance)
    seen = residual(A, c, friction, p)
    assert seen.max() < 1e-3
    assert (seen > 1e-6).mean() <= (0.2 if "kg" in name or "stack" in name else 0.01)
    scale = np.maximum(np.abs(c).max(axis=1), GRAVITY * STEP)
    np.testing.assert_allclose(told / scale, seen, rtol=1e-3, atol=1e-9)  # what is left is told


def test_from_the_solution_nothing_is_done():
    A, c, friction = collected("box on 4 corners", 30)
    A, none = softened(A), np.zeros((30, 1))
    tolerance = 1e-9 * np.maximum(np.abs(c).max(axis=1), GRAVITY * STEP)
    solver = program(0, 4)
    p, residual, _ = solver(A, c, none, none, friction, np.zeros_like(c), tolerance)
    again, _, passes = solver(A, c, none, none, friction, p, tolerance)
    found = residual <= tolerance  # others end a little above it, by rounding
    assert found.sum() > 20
    assert not passes[found].any() and np.array_equal(again[found], p[found])


def all_modes(A, c, low, high, friction):
    """Every impulse that solves a problem of intervals, then cones with one tangent each, by trying all modes."""
    intervals, n = len(low), len(c)
    kinds = [("low", "high", "held")] * intervals + [("open", "stick", "ahead", "back")] * ((n - intervals) // 2)
    for modes in itertools.product(*kinds):
        B, y, k = np.zeros((n, n)), np.zeros(n), 0
        for mode in modes:
            if mode in ("low", "high"):
                B[k, k], y[k] = 1, {"low": low, "high": high}[mode][k]
            elif mode == "held":
                B[k], y[k] = A[k], -c[k]
            elif mode == "open":
                B[k, k] = B[k + 1, k + 1] = 1
            else:
                B[k], y[k] = A[k], -c[k]
                if mode == "stick":
                    B[k + 1], y[k + 1] = A[k + 1], -c[k + 1]
                else:
                    mu = friction[(k - intervals) // 2]
                    B[k + 1, k + 1], B[k + 1, k] = 1, mu if mode == "ahead" else -mu
            k += 1 if mode in ("low", "high", "held") else 2
        p = np.linalg.solve(B, y)
        if _holds(modes, p, A @ p + c, low, high, friction):
            yield p


def _holds(modes, p, v, low, high, friction, slack=1e-12):
    k = 0
    for mode in modes:
        if mode == "held":
            good = low[k] - slack <= p[k] <= high[k] + slack
        elif mode in ("low", "high"):
            good = v[k] >= -slack if mode == "low" else v[k] <= slack
        elif mode == "open":
            good = v[k] >= -slack
        else:
            reach = friction[(k - len(low)) // 2] * p[k]
            against = {"stick": True, "ahead": v[k + 1] >= -slack, "back": v[k + 1] <= slack}[mode]
            good = p[k] >= -slack and abs(p[k + 1]) <= reach + slack and against
        if not good:
            return False
        k += 1 if mode in ("low", "high", "held") else 2
    return True


@pytest.mark.parametrize(("intervals", "cones"), [(1, 1), (2, 1), (0, 2), (4, 0), (0, 1)])
def test_against_all_modes(intervals, cones):
    n, rng, count = intervals + 2 * cones, np.random.default_rng(7), 300
    G = rng.normal(size=(count, n, n))
    A = G @ np.swapaxes(G, 1, 2) / n + 0.1 * np.eye(n)
    c = rng.normal(size=(count, n))
    low, high = -rng.uniform(0.01, 1, (count, max(intervals, 1))), rng.uniform(0.01, 1, (count, max(intervals, 1)))
    friction = rng.uniform(0.05, 0.5, (count, max(cones, 1)))
    p, told, _ = program(intervals, cones, 1)(A, c, low, high, friction, np.zeros((count, n)), np.full(count, 1e-12))
    assert told.max() < 1e-9
    for k in range(count):
        solutions = list(all_modes(A[k], c[k], low[k, :intervals], high[k, :intervals], friction[k]))
        assert solutions and min(np.abs(p[k] - x).max() for x in solutions) < 1e-8


def test_one_contact_alone_is_exact():
    """In space, against the definition: sticks, slips against its velocity at the edge of the cone, or opens."""
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(300):
        G = rng.normal(size=(3, 3))
        D, r, mu = G @ G.T + 0.2 * np.eye(3), rng.normal(size=3), rng.uniform(0.1, 0.5)
        p = np.array(one_contact(D.tolist(), r.tolist(), mu), float)
        v = D @ p + r
        if not p.any():
            assert r[0] >= 0
            seen.add("open")
        elif np.hypot(*p[1:]) < mu * p[0] * (1 - 1e-6):
            np.testing.assert_allclose(v, 0, atol=1e-10)
            seen.add("stick")
        else:
            assert abs(v[0]) < 1e-5 and np.hypot(*p[1:]) <= mu * p[0] * (1 + 1e-9)
            assert v[1:] @ p[1:] < 0 and abs(v[1] * p[2] - v[2] * p[1]) < 1e-5
            seen.add("slip")
    assert seen == {"open", "stick", "slip"}


def test_a_lane_does_not_depend_on_its_neighbours():
    A, c, friction = collected("100 kg on 1 kg", 24)
    A, none, tolerance = softened(A), np.zeros((24, 1)), np.full(24, 1e-11)
    solver = program(0, 8)
    together = solver(A, c, none, none, friction, np.zeros_like(c), tolerance)[0]
    for k in range(0, 24, 5):
        alone = solver(A[k], c[k], none[k], none[k], friction[k], np.zeros_like(c[k]), tolerance[k])[0]
        assert together[k].tobytes() == alone.tobytes()


def test_the_smallest_with_some_numbers_not_below_0():
    """½ xᵀ H x + gᵀ x within bounds, against SciPy; what was made 0 too early has to come back."""
    n, rng = 6, np.random.default_rng(3)
    L = rng.normal(size=(200, n, n)) / 3 + np.eye(n)
    H, g = L @ np.swapaxes(L, 1, 2), rng.normal(size=(200, n))
    signed = (rng.random((200, n)) < 0.7).astype(float)

    def function(H, g, signed):
        like = [g[0]]
        matrix, x = Grid(n, n, like), Array(n, like)
        for i, row in enumerate(H):
            for j, entry in enumerate(row):
                matrix[i, j] = entry
        nonnegative(matrix, Array.of(g, like), Array.of(signed, like), x, n)
        return (list(x),)

    ports = [Port("H", (n, n)), Port("g", (n,)), Port("signed", (n,))]
    found = Program("nonnegative", function, ports, [Port("x", (n,))])(H, g, signed)[0]
    for k in range(200):
        R = np.linalg.cholesky(H[k])
        low = np.where(signed[k] > 0, 0.0, -np.inf)
        best = lsq_linear(R.T, -np.linalg.solve(R, g[k]), (low, np.inf), tol=1e-14, method="bvls")
        np.testing.assert_allclose(found[k], best.x, atol=1e-8)


def test_nor_does_one_that_has_come_near_by_multipliers():
    """It stays, while others go on: it once went on with them, to other last bits."""
    A, c, friction = collected("two-finger squeeze", 24)
    A, none, tolerance = softened(A), np.zeros((24, 1)), np.full(24, 1e-6)
    solver = program(0, friction.shape[1], solve=by_multipliers)
    together = solver(A, c, none, none, friction, np.zeros_like(c), tolerance)[0]
    for k in range(24):
        alone = solver(A[k], c[k], none[k], none[k], friction[k], np.zeros_like(c[k]), tolerance[k])[0]
        assert together[k].tobytes() == alone.tobytes()
