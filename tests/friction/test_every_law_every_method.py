"""Every law under every method, on one joint and on two coupled ones: it holds below break-away and slides on its curve above."""

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Curve, Dahl, ElastoPlastic, LuGre, Scene, StictionError, Stribeck, simulate
from stiction.trace import exp
from tests.friction.test_hold import flywheel

LAWS = {
    "Coulomb": Coulomb(level=0.5, viscous=0.05),
    "asymmetric Coulomb": Coulomb(level=(0.5, 0.4), viscous=0.05),
    "Stribeck": Stribeck(level=0.5, static=0.6, velocity=0.1, viscous=0.05),
    "own curve": Curve(function=lambda w: 0.5 + 0.1 * exp(-w / 0.1), viscous=0.05),
    "Dahl": Dahl(level=0.5, stiffness=500.0),
    "asymmetric LuGre": LuGre(
        level=(0.5, 0.4), static=(0.6, 0.5), velocity=0.1, stiffness=500.0, damping=1.0, viscous=0.05
    ),
    "asymmetric Dahl": Dahl(level=(0.5, 0.4), stiffness=500.0),
    "LuGre": LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=500.0, damping=1.0, viscous=0.05),
    "elasto-plastic": ElastoPlastic(level=0.5, static=0.6, velocity=0.1, stiffness=500.0, damping=1.0, viscous=0.05),
}
METHODS = ("moreau", "euler", "rk4", "gill", "rosenbrock")


def bound(law):
    """How far a held joint may have gone [rad]: Dahl's law has no break-away, so a load that begins as a step makes it slide a little."""
    return 0.02 if isinstance(law, Dahl) else 2e-3


def run(scene, method):
    return simulate(scene, duration=3.0, step=5e-3 if method == "rosenbrock" else 1e-4, method=method, record=0.1)


def refused(name, method):
    """Whether a method says that it does not take a law: the slip of these is found by a loop, which has no derivative."""
    if method != "rosenbrock" or name not in ("Stribeck", "own curve"):
        return False
    with pytest.raises(StictionError, match="finds its speed of sliding step by step"):
        run(Scene(robot=flywheel(0.02), friction={"axle": LAWS[name]}), method)
    return True


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("sign", [1, -1])
def test_one_joint(name, method, sign):
    law = LAWS[name]
    if refused(name, method):
        return
    held = run(Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": sign * 0.2}), method)
    assert held.status == "completed"
    assert abs(held["q.axle"][-1]) < bound(law), "bent, not gone"
    assert held["friction.axle"][-1] == pytest.approx(
        sign * 0.2, rel=0.1 if isinstance(law, Dahl) else 1e-3
    )  # Dahl rings for long
    slid = run(Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": sign * 1.0}), method)
    v = slid["v.axle"][-1]
    assert sign * v > 0
    assert slid["friction.axle"][-1] == pytest.approx(law.steady(float(v)), rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LAWS)
def test_two_coupled_joints(name, method):
    if refused(name, method):
        return
    robot = stiction.library.two_link(lengths=(0.3, 0.3), masses=(0.5, 0.5))
    friction = {"shoulder": LAWS[name], "elbow": LAWS[name]}
    held = run(
        Scene(robot=robot, friction=friction, torque={"shoulder": 0.2, "elbow": -0.2}, gravity=(0, 0, 0)), method
    )
    assert max(abs(held["q.shoulder"][-1]), abs(held["q.elbow"][-1])) < bound(LAWS[name])
    moved = run(
        Scene(robot=robot, friction=friction, torque={"shoulder": 0.2, "elbow": 0.8}, gravity=(0, 0, 0)), method
    )
    assert moved["q.elbow"][-1] > 0.1
    assert all(np.isfinite(x).all() for x in moved.signals.values())
