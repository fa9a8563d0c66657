"""Curves of the user's own, and dry friction in the plane and in space."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction import Curve, FrictionError, Scene, Stribeck, simulate
from stiction.scene import Formula
from stiction.trace import exp
from tests.scenes import flywheel

BRISTLE = {"viscous": 0.3, "stiffness": 2000.0, "damping": 30.0}


STRIBECK = Stribeck(level=0.4, static=0.5, velocity=0.02, **BRISTLE)


SAME = Curve(function=lambda w: 0.4 + 0.1 * exp(-w / 0.02), **BRISTLE)


@given(st.floats(-3, 3), st.floats(-4e-4, 4e-4), st.floats(1e-5, 1e-2))
def test_a_curve_like_stribecks_is_stribecks_law(v, z, step):
    (torque, rates), (other, others) = SAME.flow(v, [z], step), STRIBECK.flow(v, [z], step)
    assert [torque, *rates] == pytest.approx([other, *others], rel=1e-7, abs=1e-9)
    assert SAME.steady(v) == pytest.approx(STRIBECK.steady(v), rel=1e-12)
    assert SAME.breakaway(v) == STRIBECK.breakaway(v)


@pytest.mark.parametrize("method", ["rk4", "moreau"])
def test_a_curve_runs_like_stribecks_law(method):
    runs = [
        simulate(
            Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": Formula("0.7*sin(3*t)")}),
            duration=3.0,
            step=1e-3,
            method=method,
            record=0.1,
        )
        for law in (SAME, STRIBECK)
    ]
    np.testing.assert_allclose(runs[0]["q.axle"], runs[1]["q.axle"], atol=1e-7)


def test_a_curve_for_each_direction():
    law = Curve(function=(lambda w: 0.4 + w, lambda w: 0.2 + 2 * w), static=(0.5, 0.2))
    assert (law.breakaway(1), law.breakaway(-1)) == (0.5, 0.2)
    assert law.steady(1.0) == pytest.approx(1.4) and law.steady(-1.0) == pytest.approx(-2.2)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Curve(function=3.0), "function is 3.0; allowed: a formula of the speed"),
        (lambda: Curve(function=lambda w: -1.0), "function gives -1 at speed 0"),
        (lambda: Curve(function=lambda w: 1.0, static=0.5), "static is 0.5 and below the function at speed 0, 1"),
        (lambda: Curve(function=lambda w: math.log(w)), "function fails at 0"),
    ],
)
def test_impossible_curves(make, message):
    with pytest.raises(FrictionError, match=message):
        make()
