"""Every law under every method, on one joint and on two coupled ones.

Below break-away it holds, above it slides on its curve, and all methods tell the same story.
"""

import functools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stiction import (
    Coulomb,
    Curve,
    Dahl,
    ElastoPlastic,
    Leuven,
    LuGre,
    MaxwellSlip,
    Moreau,
    Scene,
    StictionError,
    Stribeck,
    Viscous,
    friction,
    methods,
    simulate,
)
from stiction.friction import Dry
from stiction.trace import exp
from tests.scenes import METHODS, TWO_LINK, flywheel

BRISTLE = {"stiffness": 500.0, "damping": 1.0, "viscous": 0.05}
ELEMENTS = {"stiffness": (600.0, 300.0, 100.0), "shares": (0.3, 0.3, 0.4), "damping": 1.0, "viscous": 0.05}
LAWS = {
    "Coulomb": Coulomb(level=0.5, viscous=0.05),
    "asymmetric Coulomb": Coulomb(level=(0.5, 0.4), viscous=0.05),
    "Stribeck": Stribeck(level=0.5, static=0.6, velocity=0.1, viscous=0.05),
    "own curve": Curve(function=lambda w: 0.5 + 0.1 * exp(-w / 0.1), viscous=0.05),
    "Dahl": Dahl(level=0.5, stiffness=500.0),
    "asymmetric Dahl": Dahl(level=(0.5, 0.4), stiffness=500.0),
    "LuGre": LuGre(level=0.5, static=0.6, velocity=0.1, **BRISTLE),
    "asymmetric LuGre": LuGre(level=(0.5, 0.4), static=(0.6, 0.5), velocity=0.1, **BRISTLE),
    "elasto-plastic": ElastoPlastic(level=0.5, static=0.6, velocity=0.1, **BRISTLE),
    "Maxwell-slip": MaxwellSlip(level=0.5, static=0.6, velocity=0.1, attraction=20.0, **ELEMENTS),
    "Leuven": Leuven(level=0.5, static=0.6, velocity=0.1, **ELEMENTS),
    "Viscous": Viscous(coefficient=0.05),
}


def test_all_laws_and_methods_are_here():
    assert {type(law).__name__ for law in LAWS.values()} == set(friction.LAWS)
    assert set(methods.METHODS) <= set(METHODS)


def run(scene, method, duration=3.0):
    return simulate(scene, duration=duration, step=step_of(method), method=method, record=0.1)


def step_of(method):
    """The step [s]; of a method with its own steps the longest, from which bristles are chosen."""
    return 1e-3 if method.own_steps else 1e-4


def refused(name, method):
    """Whether a method refuses a law, as it must: the slip of some is found by a loop, which has no derivative."""
    if method.name != "rosenbrock" or name not in ("Stribeck", "own curve"):
        return False
    with pytest.raises(StictionError, match="finds its speed of sliding step by step"):
        run(Scene(robot=flywheel(0.02), friction={"axle": LAWS[name]}), method)
    return True


@functools.cache
def speed(name, sign):
    """Of the wheel after 0.3 s under 1 N·m, if it slides on the curve of the law all the time, by SciPy [rad/s]."""

    def rate(_, w):
        return [(1.0 - abs(LAWS[name].steady(sign * max(float(w[0]), 1e-12)))) / 0.02]

    return float(solve_ivp(rate, (0.0, 0.3), [0.0], rtol=1e-9, atol=1e-12).y[0, -1])


def stiffness(law, method):
    """Of the bristle of a law under a method [N·m/rad]: none, its own, or that which is chosen."""
    if isinstance(method, Moreau) and isinstance(law, Dry):
        return math.inf
    given = getattr(law, "stiffness", None)
    return (sum(given) if isinstance(given, tuple) else given) or 0.02 * 0.2 / step_of(method) ** 2


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("sign", [1, -1])
def test_one_joint(name, method, sign):
    """Above break-away it gets the speed that the curve leaves, to the error of methods of order 1.

    A bristle leaves more: it resists with less than break-away while it bends, which takes at most π/2 √(J/K).
    """
    law = LAWS[name]
    if refused(name, method):
        return
    wheel = {"robot": flywheel(0.02), "friction": {"axle": law}}
    if not isinstance(law, Viscous):
        held = run(Scene(**wheel, torque={"axle": sign * 0.2}), method)
        # a load that begins as a step bends a bristle; Dahl's has no break-away: it slides a little, and rings for long
        way, ringing = (0.02, 0.1) if isinstance(law, Dahl) else (2e-3, 1e-3)
        assert abs(held["q.axle"][-1]) < way
        assert held["friction.axle"][-1] == pytest.approx(sign * 0.2, rel=ringing)
    slid = run(Scene(**wheel, torque={"axle": sign * 1.0}), method, duration=0.3)  # at 10 rad/s bristles are too fast
    v, on_curve = float(slid["v.axle"][-1]), speed(name, sign)
    bending = law.breakaway(sign) * math.pi / 2 / math.sqrt(0.02 * stiffness(law, method))
    assert -1e-3 * on_curve < sign * v - on_curve < 1e-3 * on_curve + bending
    assert slid["friction.axle"][-1] == pytest.approx(law.steady(v), rel=1e-3)


@functools.cache
def moved(name, method):
    """Two links, the elbow pushed above break-away, the shoulder below."""
    both = {"shoulder": LAWS[name], "elbow": LAWS[name]}
    scene = Scene(robot=TWO_LINK, friction=both, torque={"shoulder": 0.2, "elbow": 0.8}, gravity=(0, 0, 0))
    return run(scene, method, duration=0.6)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("name", LAWS)
def test_two_coupled_joints(name, method):
    """The way of the elbow is that of Runge–Kutta to 1 %: bristles bend by mrad, methods of order 1 err by as much."""
    if refused(name, method):
        return
    reference = moved(name, METHODS["rk4"])
    for joint in ("shoulder", "elbow"):
        ours, theirs = moved(name, method)[f"q.{joint}"], reference[f"q.{joint}"]
        assert np.abs(ours - theirs).max() < 0.01 * np.ptp(reference["q.elbow"]), joint
    assert reference["q.elbow"][-1] > 0.1
