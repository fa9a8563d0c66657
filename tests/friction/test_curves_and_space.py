"""Curves of the user's own, and dry friction in the plane and in space."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction import Coulomb, Curve, FrictionError, LuGre, Scene, Stribeck, simulate
from stiction.errors import InputError
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Source
from stiction.scene import Formula
from stiction.trace import exp
from tests.friction.test_hold import flywheel

NUMBERS = {"viscous": 0.3, "stiffness": 2000.0, "damping": 30.0}
STRIBECK = Stribeck(level=0.4, static=0.5, velocity=0.02, **NUMBERS)
SAME = Curve(function=lambda w: 0.4 + 0.1 * exp(-w / 0.02), **NUMBERS)


@given(st.floats(-3, 3), st.floats(-4e-4, 4e-4), st.floats(1e-5, 1e-2))
def test_a_curve_like_stribecks_is_stribecks_law(v, z, step):
    for a, b in zip(SAME.flow(v, z, step), STRIBECK.flow(v, z, step), strict=True):
        assert a == pytest.approx(b, rel=1e-7, abs=1e-9)
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


def pushed(dimension_law, push):
    """A puck of 0.5 kg in the plane, pushed."""
    return Scene(
        parts={
            "puck": FreeBody(mass=0.5, inertia=(1, 1, 1), gravity=(0, 0, 0)),
            "push": Source(functions=push),
            "friction": Friction(law=dimension_law, dimension=3),
        },
        wires=[
            Wire("friction.velocity", ["puck.velocity"]),
            Wire("puck.force", ["push.force", Term("friction.torque", -1.0)]),
        ],
    )


@pytest.mark.parametrize(
    "law",
    [
        Coulomb(level=0.5, stiffness=5e4, damping=50.0),
        Stribeck(level=0.4, static=0.5, velocity=0.01, stiffness=5e4, damping=50.0),
    ],
    ids=["Coulomb", "Stribeck"],
)
def test_friction_in_space_is_the_same_in_all_directions(law):
    """Below break-away nothing drifts, above it the puck goes where it is pushed, with the force of the law against it."""
    direction = np.array([1.0, 2.0, -2.0]) / 3
    held = simulate(pushed(law, tuple(0.45 * direction)), duration=2.0, step=1e-4, record=0.5)
    anchor = held.stack("puck.position") - held.stack("friction.bend")
    assert np.abs(anchor[1:] - anchor[1]).max() < 1e-12
    np.testing.assert_allclose(held.stack("friction.torque")[-1], 0.45 * direction, rtol=1e-6)
    slid = simulate(pushed(law, tuple(0.8 * direction)), duration=2.0, step=1e-4, record=0.5)
    v = slid.stack("puck.velocity")[-1]
    np.testing.assert_allclose(v / np.linalg.norm(v), direction, rtol=1e-9)
    np.testing.assert_allclose(slid.stack("friction.torque")[-1], law.level[0] * direction, rtol=1e-3)


def test_one_dimension_of_space_is_the_plain_law():
    for v, z in ((0.3, 1e-5), (-2.0, 0.0), (1e-6, -1e-4)):
        for law in (Coulomb(level=0.5, **NUMBERS), STRIBECK):
            (force,), (rate,) = law.flow_in_space([v], [z], 1e-3)
            plain = law.flow(v, z, 1e-3)
            assert force == pytest.approx(plain[0], rel=1e-12) and rate == pytest.approx(plain[1], rel=1e-9, abs=1e-12)


def test_space_takes_dry_laws():
    with pytest.raises(InputError, match="LuGre acts on one velocity, and dimension is 2"):
        Friction(law=LuGre(level=1.0, static=1.0, velocity=0.1, stiffness=1.0, damping=0.0), dimension=2)
    with pytest.raises(InputError, match="differs for the two directions"):
        Friction(law=Coulomb(level=(1.0, 2.0)), dimension=2)
    with pytest.raises(InputError, match="dimension is 0"):
        Friction(law=Coulomb(level=1.0), dimension=0)
