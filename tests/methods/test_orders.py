"""Observed orders of the methods."""

import math

import pytest

from stiction.simulation.simulate import simulate
from tests.scenes import oscillator


def exact(t, mass=2.0, stiffness=50.0, damping=1.0):
    decay = damping / (2 * mass)
    omega = math.sqrt(stiffness / mass - decay**2)
    return math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))


@pytest.mark.parametrize("method, order", [("euler", 1), ("moreau", 1), ("rk4", 4), ("gill", 4)])
def test_observed_orders(method, order):
    errors = [
        abs(simulate(oscillator(), duration=1.0, step=h, method=method)["ball.position"][-1] - exact(1.0))
        for h in (0.005, 0.0025)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)
