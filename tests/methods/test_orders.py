"""Observed orders of the methods."""

import math

import numpy as np
import pytest

from stiction import Coulomb, Moreau, Scene, simulate
from tests.scenes import METHODS, flywheel, order, oscillator

FIXED = {name: method for name, method in METHODS.items() if not method.own_steps}
RIGID = {name: method for name, method in FIXED.items() if isinstance(method, Moreau)}


def observed(error, coarse):
    """The order by which an error falls from a step to half of it."""
    return math.log2(error(coarse) / error(coarse / 2))


@pytest.mark.parametrize("method", FIXED.values(), ids=FIXED)
def test_on_what_is_smooth(method):
    """A damped swing: one evaluation at the beginning of a step makes order 1, in its middle order 2, four order 4."""
    decay, t = 1.0 / (2 * 2.0), 1.0
    omega = math.sqrt(50.0 / 2.0 - decay**2)
    exact = math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))

    def error(h):
        return abs(simulate(oscillator(), duration=t, step=h, method=method)["ball.position"][-1] - exact)

    assert observed(error, 0.005) == pytest.approx(order(method), abs=0.15)


@pytest.mark.parametrize("method", RIGID.values(), ids=RIGID)
def test_on_rigid_friction_that_slides(method):
    """By the midpoint c v is no part of the row, and of order 2 or better; else F + c v is found at the beginning of a
    step: order 1. Without c velocities are exact.
    """
    J, F, c, T, t = 0.02, 0.5, 0.05, 1.0, 0.4

    def speed(h, viscous):
        friction = {"axle": Coulomb(level=F, viscous=viscous)}
        scene = Scene(robot=flywheel(J), friction=friction, torque={"axle": T}, v=[1.0])
        return simulate(scene, duration=t, step=h, method=method, record=t)["v.axle"][-1]

    exact = (T - F) / c + (1.0 - (T - F) / c) * math.exp(-c * t / J)
    found = observed(lambda h: abs(speed(h, c) - exact), 0.004)
    assert found > 1.9 if method.scheme == "midpoint" else found == pytest.approx(1, abs=0.05)
    np.testing.assert_allclose(speed(0.004, 0.0), 1.0 + (T - F) / J * t, rtol=1e-12)
