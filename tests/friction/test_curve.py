"""Curves of the user's own, and dry friction in the plane and in space."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction import Curve, FrictionError, Scene, Stribeck, simulate
from stiction.fields import number
from stiction.friction.law import Law
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


def dips(w):
    """Friction that is sound at 1 µrad/s, 1 mrad/s, 1 rad/s and 100 rad/s, and pushes between."""
    return 0.3 - 0.5 * exp(-(((w - 0.37) / 0.01) ** 2))


def test_a_dip_that_is_too_narrow_to_be_seen_is_seen_where_a_run_goes():
    law = Curve(function=lambda w: 0.3 - 0.5 * exp(-(((w - 40.0) / 0.02) ** 2)), viscous=0.1)
    assert law.cautions(1.0) == []
    (note,) = law.cautions(41.0)
    assert "its function is -0.2 at 40: there it pushes" in note


def test_a_law_of_ones_own_that_pushes_is_refused():
    @dataclass(frozen=True, kw_only=True)
    class Turned(Law):
        """A sign that was taken the wrong way."""

        level: float = number(above=0)

        def flow(self, v, z, step):
            return -self.level * v, []

        def steady(self, v):
            return -self.level * v

    with pytest.raises(FrictionError, match=r"Turned: its steady torque is -0\.002 at velocity 0\.001: it pushes"):
        Turned(level=2.0)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Curve(function=3.0), "function is 3.0; allowed: a formula of the speed"),
        (lambda: Curve(function=lambda w: -1.0), "function gives -1 at speed 0"),
        (lambda: Curve(function=lambda w: 1.0, static=0.5), "static is 0.5 and below the function at speed 0, 1"),
        (lambda: Curve(function=lambda w: math.log(w)), "function fails at 0"),
        (lambda: Curve(function=lambda w: math.inf), "function gives inf at speed 0; allowed: 0 to 1e[+]12"),
        (
            lambda: Curve(function=dips),
            r"function gives -0.2 at speed 0.37; allowed: 0 or above \(a friction",
        ),
        (lambda: Curve(function=(lambda w: 0.3, dips)), "function gives -0.2 at speed 0.37"),
        (
            lambda: Curve(function=lambda w: 0.01 - 0.01 * w + 0.0024 * w * w),
            "function gives -0.0004166",
        ),
    ],
)
def test_impossible_curves(make, message):
    with pytest.raises(FrictionError, match=message):
        make()
