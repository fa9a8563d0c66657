"""Every law under every method, on one joint and on two coupled ones.

Below break-away it holds, above it slides on its curve, and all methods tell the same story.
"""

import functools

import numpy as np
import pytest

from stiction import (
    Coulomb,
    Curve,
    Dahl,
    ElastoPlastic,
    LuGre,
    Moreau,
    Scene,
    StictionError,
    Stribeck,
    Viscous,
    friction,
    methods,
    simulate,
)
from stiction.trace import exp
from tests.scenes import TWO_LINK, flywheel

BRISTLE = {"stiffness": 500.0, "damping": 1.0, "viscous": 0.05}
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
    "Viscous": Viscous(coefficient=0.05),
}
METHODS = {name: make() for name, make in methods.METHODS.items()} | {
    "by joint, Euler": Moreau(rows="by_joint"),
    "together, RK4": Moreau(scheme="rk4"),
    "by joint, RK4": Moreau(rows="by_joint", scheme="rk4"),
}


def test_all_laws_and_methods_are_here():
    assert {type(law).__name__ for law in LAWS.values()} == set(friction.LAWS)
    assert set(methods.METHODS) <= set(METHODS)


def run(scene, method, duration=3.0):
    step = 1e-3 if method.own_steps else 1e-4  # of its own steps the longest, from which bristles are chosen
    return simulate(scene, duration=duration, step=step, method=method, record=0.1)


def refused(name, method):
    """Whether a method refuses a law, as it must: the slip of some is found by a loop, which has no derivative."""
    if method.name != "rosenbrock" or name not in ("Stribeck", "own curve"):
        return False
    with pytest.raises(StictionError, match="finds its speed of sliding step by step"):
        run(Scene(robot=flywheel(0.02), friction={"axle": LAWS[name]}), method)
    return True


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("sign", [1, -1])
def test_one_joint(name, method, sign):
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
    slid = run(
        Scene(**wheel, torque={"axle": sign * 1.0}), method, duration=0.3
    )  # beyond 10 rad/s bristles are too fast
    v = float(slid["v.axle"][-1])
    assert sign * v > 0.9 * 0.3 * (1.0 - abs(law.steady(sign * 8.0))) / 0.02, "it moves on what friction leaves"
    lags = isinstance(method, Moreau) and method.scheme == "euler"  # a bristle advanced by one evaluation is of order 1
    assert slid["friction.axle"][-1] == pytest.approx(law.steady(v), rel=5e-3 if lags else 1e-3)


@functools.cache
def moved(name, method):
    """Two links, the elbow pushed above break-away, the shoulder below."""
    robot = TWO_LINK
    both = {"shoulder": LAWS[name], "elbow": LAWS[name]}
    scene = Scene(robot=robot, friction=both, torque={"shoulder": 0.2, "elbow": 0.8}, gravity=(0, 0, 0))
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
