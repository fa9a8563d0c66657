"""Stick and slip of one joint by every method, against SciPy from event to event: odd laws, axes and gears."""

import functools
import math

import numpy as np
import pytest

from stiction import (
    Coulomb,
    DCMotor,
    Drive,
    FrictionSite,
    Gear,
    Joint,
    Link,
    Robot,
    Scene,
    Stribeck,
    TorqueMotor,
    simulate,
)
from stiction.trace import sin
from tests.events import Dry, phases, sampled
from tests.scenes import METHODS, driven, flywheel

MASS, GRAVITY = 2.0, (3.0, 0.0, -1.0)
LAWS = {
    "Coulomb": (
        Coulomb(level=(3.0, 5.0), viscous=0.4),
        Dry((lambda w: 3 + 0.4 * w, lambda w: 5 + 0.4 * w), (3.0, 5.0)),
    ),
    "Stribeck": (
        Stribeck(level=(3.0, 5.0), static=(3.5, 5.6), velocity=0.2, viscous=0.4),
        Dry(
            (
                lambda w: 3 + 0.5 * math.exp(-w / 0.2) + 0.4 * w,
                lambda w: 5 + 0.6 * math.exp(-w / 0.2) + 0.4 * w,
            ),
            (3.5, 5.6),
        ),
    ),
}


def takes(method, law):
    """Whether a method takes a law; where it does not, it says so, which is tested elsewhere."""
    return not (method.own_steps and isinstance(law, Stribeck))


@functools.cache
def slid(name):
    """A sled that is shaken along an axis at 45°, with gravity along x, by events: positions every 50 ms [m]."""
    along = MASS * (GRAVITY[0] + GRAVITY[2]) / math.sqrt(2)
    found = phases(MASS, lambda t, _: along + 12 * math.sin(4 * t), LAWS[name][1], 0.1, 0.0, 4.0)
    assert {phase.direction for phase in found} == {-1, 0, 1}
    return sampled(found, np.linspace(0, 4, 81))[0]


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("name", LAWS)
def test_a_sled(name, method):
    """At 0.1 to 5 ms the error is at most 0.6 h of the way: order 1, as every stop is found to a step or a bristle."""
    law = LAWS[name][0]
    if not takes(method, law):
        return
    links = [Link(name="base"), Link(name="sled", mass=MASS)]
    slide = Joint(name="slide", kind="prismatic", parent="base", child="sled", axis=(1, 0, 1))
    scene = Scene(
        robot=Robot(name="sled", links=links, joints=[slide]),
        friction={"slide": law},
        torque={"slide": lambda t: 12 * sin(4 * t)},
        gravity=GRAVITY,
        q=[0.1],
    )
    for h in (1e-4, 1e-3, 5e-3):
        run = simulate(scene, duration=4.0, step=h, method=method, record=0.05)
        assert np.abs(run["q.slide"] - slid(name)).max() < 0.6 * h * np.ptp(slid(name))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_friction_on_both_sides_of_a_gear_that_turns_round(method):
    """Behind a ratio of −50 the motor's friction for one direction is the joint's for the other."""
    n, R, K, rotor, J, h = -50.0, 2.0, 0.05, 1e-5, 0.05, 1e-4
    drive = Drive(
        motor=DCMotor(resistance=R, constant=K, rotor_inertia=rotor),
        gear=Gear(ratio=n),
        joint_friction=Coulomb(level=(0.3, 0.6), viscous=0.02),
        motor_friction=Coulomb(level=(0.002, 0.004)),
        command=lambda t: 6 * sin(5 * t),
    )
    ahead, back = 0.3 + 50 * 0.004, 0.6 + 50 * 0.002
    friction = Dry((lambda w: ahead + 0.02 * w, lambda w: back + 0.02 * w), (ahead, back))
    found = phases(
        J + n**2 * rotor, lambda t, v: n * K / R * (6 * math.sin(5 * t) - K * n * v), friction, 0.0, 0.0, 2.0
    )
    run = simulate(driven(J, drive), duration=2.0, step=h, method=method, record=0.05)
    expected = sampled(found, run.time)[0]
    assert np.abs(run["q.axle"] - expected).max() < 2 * h * np.ptp(expected)


@pytest.mark.parametrize("rotor", [0.0, 2e-5])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_site_that_turns_round(method, rotor):
    """Friction on −2 q̇ resists with twice its torque, that of the other direction; with a rotor on the joint, too."""
    law = Coulomb(level=(0.2, 0.5), viscous=0.01)
    drive = Drive(motor=TorqueMotor(rotor_inertia=rotor), gear=Gear(ratio=-40))
    scene = Scene(
        robot=flywheel(0.05),
        friction={"site": FrictionSite(law=law, joints={"axle": -2.0})},
        torque={"axle": lambda t: 3 * sin(5 * t)},
        drives={"axle": drive} if rotor else {},
    )
    friction = Dry((lambda w: 2 * (0.5 + 0.02 * w), lambda w: 2 * (0.2 + 0.02 * w)), (1.0, 0.4))
    found = phases(0.05 + 40**2 * rotor, lambda t, _: 3 * math.sin(5 * t), friction, 0.0, 0.0, 2.0)
    run = simulate(scene, duration=2.0, step=1e-3, method=method, record=0.05)
    expected, speed = sampled(found, run.time)
    assert np.abs(run["q.axle"] - expected).max() < 2.5e-3 * np.ptp(expected)
    slides = np.abs(speed) > 1.0
    torque = np.where(speed > 0, -0.5, 0.2) - 0.02 * speed
    np.testing.assert_allclose(run["friction.site"][slides], torque[slides], atol=5e-3)
