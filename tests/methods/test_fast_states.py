"""States of parts that are faster than a step: electronics, filters, and users' own, under methods with stages."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_ivp

from stiction import DCMotor, Drive, Gear, Scene, Viscous, simulate
from stiction.methods.fast_states import exponential
from stiction.network import Wire
from stiction.parts import Impedance, Mass, Source
from stiction.trace import sin
from tests.scenes import flywheel

EXPLICIT = ["rk4", "gill", "gears_implicit", "gears_semi_implicit"]


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("size", [1e-3, 0.3, 3.0, 100.0, 1e5])
def test_the_exponential_of_a_part(n, size):
    """φ1 and φ2 against SciPy, of what swings and dies out."""
    G = np.random.default_rng(n).normal(size=(n, n))
    A = size * (G - G.T - G @ G.T - 0.1 * np.eye(n))
    zero, one = np.zeros((n, n)), np.eye(n)
    whole = scipy.linalg.expm(np.block([[A, one, zero], [zero, zero, one], [zero, zero, zero]]))
    for found, exact in zip(exponential(A.tolist()), (whole[:n, n : 2 * n], whole[:n, 2 * n :]), strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-10 * np.abs(exact).max())


def driven(inductance):
    motor = DCMotor(resistance=2.0, constant=0.3, inductance=inductance, rotor_inertia=1e-3)
    drive = Drive(motor=motor, gear=Gear(ratio=5.0), command=lambda t: 10 * sin(20 * t))
    return Scene(robot=flywheel(0.02), friction={"axle": Viscous(coefficient=0.1)}, drives={"axle": drive})


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("inductance", [2e-2, 4e-3, 1e-3, 1e-4, 1e-6], ids=lambda L: f"L/R {L / 2:g} s")
def test_a_motor_with_electronics_slow_or_fast(method, inductance):
    """From ten steps to a thousandth of one, against SciPy."""

    def rates(t, y):
        w, i = y
        J = 0.02 + 25e-3
        return [(5 * 0.3 * i - 0.1 * w) / J, (10 * np.sin(20 * t) - 2.0 * i - 0.3 * 5 * w) / inductance]

    run = simulate(driven(inductance), duration=0.5, step=1e-3, method=method, record=0.01)
    exact = solve_ivp(rates, (0, 0.5), [0, 0], "Radau", t_eval=run.time, rtol=1e-9, atol=1e-11).y
    assert np.abs(run["v.axle"] - exact[0]).max() < 2e-3 * np.ptp(exact[0])
    assert np.abs(run["motor_current.axle"] - exact[1]).max() < 5e-3 * np.ptp(exact[1])


def test_slow_and_fast_in_one_batch():
    inductances = np.array([2e-2, 1e-3, 1e-6])
    how = {"duration": 0.1, "step": 1e-3, "method": "rk4", "record": 0.01}
    many = simulate(driven(2e-2), parameters={"drive.axle.inductance": inductances}, **how)
    for k, inductance in enumerate(inductances):
        alone = simulate(driven(inductance), **how)
        np.testing.assert_allclose(many["v.axle"][:, k], alone["v.axle"], rtol=1e-12, atol=1e-14)


@dataclass(frozen=True, kw_only=True)
class Resonance(Impedance):
    """A user's own amplifier whose output rings at 10 kHz before it settles."""

    speed: float
    inputs = {"wish": 1}
    outputs = {"force": 1}

    def start(self):
        return {"x": 0.0, "rate": 0.0}

    def force(self, motion, own, step, t):
        x, rate = own
        w = self.speed
        return {"force": [x]}, [rate, w * w * (motion["wish"][0] - x) - 0.2 * w * rate]


@pytest.mark.parametrize("method", ["rk4", "gill", "gears_implicit"])
def test_an_own_part_of_two_states(method):
    """Its mean passes what it is given; with rates alone no stage of Runge-Kutta would follow it."""
    parts = {"m": Mass(mass=1.0), "amplifier": Resonance(speed=6e4), "wish": Source(functions=(lambda t: sin(5 * t),))}
    wires = [Wire("amplifier.wish", ["wish.force"]), Wire("m.force", ["amplifier.force"])]
    run = simulate(Scene(parts=parts, wires=wires), duration=2.0, step=1e-3, method=method, record=0.1)
    np.testing.assert_allclose(run["m.velocity"], (1 - np.cos(5 * run.time)) / 5, atol=2e-3)
