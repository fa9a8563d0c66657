"""Stick and slip of many coupled sites at once: every answer is checked against what it must satisfy."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from stiction.rows import convex
from stiction.rows.site import FRICTIONLESS, Bounds, Stops
from stiction.rows.stick_slip import Dense, stick_slip
from stiction.trace import Port, Program


def program(n, symmetric=True, **how):
    def function(A, free, limits, mode):
        found = stick_slip(Dense(A, free, symmetric), [Bounds(*row) for row in limits], mode, **how)
        return found.impulse, found.mode, found.residual

    ports = [Port("A", (n, n)), Port("free", (n,)), Port("limits", (n, 4)), Port("mode", (n,))]
    return Program("stick_slip", function, ports, [Port("p", (n,)), Port("mode", (n,)), Port("residual")])


def problems(n, count, falls, coupled=1.0):
    """Random problems; the less `coupled`, the more do all sites but one follow from it."""
    rng = np.random.default_rng(n)
    G = rng.normal(size=(count, n, n))
    G[:, :, 1:] *= coupled
    A = G @ np.swapaxes(G, 1, 2) / n + 0.05 * coupled * np.eye(n)
    rest = rng.uniform(0.01, 1, size=(count, n, 2))
    slide = rest * rng.uniform(0.6 if falls else 1, 1, size=rest.shape)
    return (
        A,
        rng.normal(size=(count, n)),
        np.concatenate([rest, slide], axis=-1),
        rng.integers(-1, 2, size=(count, n)).astype(float),
    )


@pytest.mark.parametrize("coupled", [1.0, 0.02], ids=["independent", "nearly one"])
@pytest.mark.parametrize("falls", [False, True], ids=["Coulomb", "Stribeck"])
@pytest.mark.parametrize("n", [1, 2, 6, 20])
def test_all_sites_are_consistent(n, falls, coupled):
    """Also where changing all sites that contradict themselves at once would go round in circles.

    It does so for 1 in 200 of the problems whose sites nearly follow from one.
    """
    A, free, limits, mode = problems(n, 3000, falls, coupled)
    p, m, residual = program(n)(A, free, limits, mode)
    assert residual.max() < 1e-12
    satisfied(A, free, limits, p, m)


def test_the_same_as_a_bounded_least_squares_solver():
    """For Coulomb friction the impulses minimise the energy after the step within their bounds."""
    A, free, limits, mode = problems(6, 50, False)
    p = program(6)(A, free, limits, mode)[0]
    for k in range(50):
        L = np.linalg.cholesky(A[k])
        expected = lsq_linear(L.T, np.linalg.solve(L, free[k]), (-limits[k][:, 1], limits[k][:, 0]), tol=1e-14)
        np.testing.assert_allclose(p[k], expected.x, atol=1e-6)


def test_a_site_alone_does_not_depend_on_its_neighbours_in_the_lanes():
    A, free, limits, mode = problems(6, 64, True)
    together = program(6)(A, free, limits, mode)
    for k in range(0, 64, 7):
        for a, b in zip(together, program(6)(A[k], free[k], limits[k], mode[k]), strict=True):
            assert a[k].tobytes() == b.tobytes()


def satisfied(A, free, limits, p, m, tolerance=1e-8):
    """Every site does what its mode says."""
    s = free - np.einsum("bij,bj->bi", A, p)
    stuck = m == 0
    np.testing.assert_allclose(s[stuck], 0, atol=tolerance)
    assert (p[stuck] <= limits[stuck][:, 0]).all() and (p[stuck] >= -limits[stuck][:, 1]).all()
    for direction, column in ((1, 2), (-1, 3)):
        slides = m == direction
        np.testing.assert_array_equal(p[slides], direction * limits[slides][:, column])
        assert (direction * s[slides] >= -tolerance).all()


@pytest.mark.parametrize("coupled", [1.0, 0.02], ids=["independent", "nearly one"])
@pytest.mark.parametrize("falls", [False, True], ids=["Coulomb", "Stribeck"])
def test_the_search_that_always_ends(falls, coupled):
    """After one pass of the other, from any modes."""
    n = 12
    A, free, limits, mode = problems(n, 1000, falls, coupled)
    p, m, residual = program(n, passes=1)(A, free, limits, mode)
    assert residual.max() < 1e-12
    satisfied(A, free, limits, p, m)


def test_a_search_that_is_cut_says_by_how_much_it_is_wrong(monkeypatch):
    """And no site gives more than it has; by the residual of the convex problem, which Coulomb friction is."""
    monkeypatch.setattr(convex, "PASSES", 2)
    A, free, limits, mode = problems(12, 1000, False, 0.02)
    p, _, residual = program(12, passes=1)(A, free, limits, mode)
    assert (p <= limits[..., 0]).all() and (p >= -limits[..., 1]).all()
    s, own = free - np.einsum("bij,bj->bi", A, p), np.einsum("bii->bi", A)
    wrong = np.abs(p - np.clip(p + s / own, -limits[..., 1], limits[..., 0])).max(axis=1)
    np.testing.assert_allclose(residual, wrong, rtol=1e-6, atol=1e-11)
    assert 100 < (residual > 1e-6).sum() < 900


@pytest.mark.parametrize("n", [4, 8, 12, 16])
def test_matrices_on_which_pivoting_takes_exponentially_long(n):
    """Fathi's: L Lᵀ of Murty's L (1 on the diagonal, 2 below), symmetric; from all modes at rest, impulses below 0."""
    L = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    scale = np.exp(np.random.default_rng(n).normal(size=(20, n)) / 10)
    A = (L @ L.T) * scale[:, :, None] * scale[:, None, :]
    free, limits = -np.ones((20, n)) * scale, np.zeros((20, n, 4))
    limits[..., [0, 2]] = 0.0
    limits[..., [1, 3]] = 10.0  # −p ≥ 0 without a bound that matters
    p, m, residual = program(n)(A, free, limits, np.zeros((20, n)))
    assert residual.max() < 1e-9
    satisfied(A, free, limits, p, m, 1e-7)


def test_murtys_own_matrix_is_not_symmetric():
    n = 8
    A = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    limits = np.tile([0.0, 10.0, 0.0, 10.0], (1, n, 1))
    p, m, residual = program(n, symmetric=False)(A[None], -np.ones((1, n)), limits, np.zeros((1, n)))
    assert residual.max() < 1e-9
    satisfied(A[None], -np.ones((1, n)), limits, p, m)


def with_stops(n, rough=True, passes=12):
    def function(A, free, limits, ends, mode):
        bounds = [Bounds(*row) if rough else FRICTIONLESS for row in limits]
        found = stick_slip(Dense(A, free, True), bounds, mode, [Stops(*row) for row in ends], passes)
        return found.impulse, found.friction, found.mode, found.residual

    ports = [Port("A", (n, n)), Port("free", (n,)), Port("limits", (n, 4)), Port("ends", (n, 2)), Port("mode", (n,))]
    outputs = [Port("p", (n,)), Port("friction", (n,)), Port("mode", (n,)), Port("residual")]
    return Program("stops", function, ports, outputs)


@pytest.mark.parametrize("passes", [12, 1], ids=["at once", "convex"])
@pytest.mark.parametrize("rough", [True, False])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_sites_at_stops_are_consistent(n, rough, passes):
    """Far from both stops, on its way to one, at one, and beyond one; from any modes of the step before."""
    A, free, limits, mode = problems(n, 3000, rough)
    rng = np.random.default_rng(n)
    lower = -rng.choice([5.0, 0.3, 0.0], size=(3000, n))
    upper = rng.choice([5.0, 0.3, 0.0], size=(3000, n)) + 1e-3
    beyond = rng.random((3000, n)) < 0.1
    upper, lower = np.where(beyond, -0.05, upper), np.where(beyond, -1.0, lower)
    ends = np.stack([lower, upper], axis=-1)
    mode = rng.integers(-2, 3, size=(3000, n)).astype(float) if rough else rng.integers(-1, 2, size=(3000, n)) * 2.0
    p, friction, m, residual = with_stops(n, rough, passes)(A, free, limits, ends, mode)
    assert residual.max() < 1e-12
    s = free - np.einsum("bij,bj->bi", A, p)
    assert (s <= upper + 1e-8).all() and (s >= lower - 1e-8).all()
    stop = p - friction
    assert (stop[m == 2] >= -1e-12).all() and (stop[m == -2] <= 1e-12).all() and not stop[np.abs(m) < 2].any()
    np.testing.assert_allclose(s[m == 2], upper[m == 2], atol=1e-8)
    np.testing.assert_allclose(s[m == -2], lower[m == -2], atol=1e-8)
    assert all((m == mode).any() for mode in ((-2, -1, 0, 1, 2) if rough else (-2, 0, 2)))
    if not rough:
        assert not friction.any()
        return
    assert (friction <= limits[..., 0]).all() and (friction >= -limits[..., 1]).all()
    ahead, back = s > 1e-7, s < -1e-7  # friction of what moves is that of sliding, at a stop, too
    np.testing.assert_array_equal(friction[ahead], limits[ahead][:, 2])
    np.testing.assert_array_equal(friction[back], -limits[back][:, 3])
