"""Messages blame what was given: no field that the user never wrote, and no number that obeys what is said of it."""

import numpy as np
import pytest

from stiction import (
    Contacts,
    Coulomb,
    DCMotor,
    Drive,
    Gear,
    HalfSpace,
    Joint,
    Limits,
    Link,
    Robot,
    Scene,
    Simulator,
    Sphere,
    StictionError,
    Stribeck,
    TorqueMotor,
    Viscous,
    library,
    simulate,
)
from stiction.parts import Fixed, FreeBody

PENDULUM = library.pendulum(1)


def slide(**limits):
    """A mass on a slide with ends."""
    links = [Link(name="base"), Link(name="block", mass=1.0, inertia=np.eye(3))]
    joint = Joint(name="slide", kind="prismatic", parent="base", child="block", limits=Limits(**limits))
    return Robot(name="slide", links=links, joints=[joint])


def geared(ratio=1.0, rotor=1e-4, **more):
    """A pendulum behind an elastic gear."""
    drive = Drive(motor=TorqueMotor(rotor_inertia=rotor), gear=Gear(ratio=ratio, stiffness=1.0))
    return Scene(robot=PENDULUM, drives={"joint1": drive}, **more)


def ball(radius):
    """A ball on the floor."""
    body = FreeBody.of(Sphere(radius=radius, mass=1.0), position=(0, 0, radius))
    return Scene(parts={"ball": body, "floor": Fixed(shapes=(HalfSpace(),))}, contacts=Contacts())


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ball(1e12), "FreeBody.of: these solids have the mass 1 kg and the moments of inertia 4e[+]23"),
        (lambda: ball(1e-300), "Sphere: radius is 1e-300 .it is below 1e-30.; allowed: a number above 0"),
        (
            lambda: Scene(robot=slide(lower=0, upper=0)),
            "joint 'slide': its limits are lower = upper = 0, so it cannot move",
        ),
        (
            lambda: geared(1e8, q=[1e8]),
            "drive of 'joint1': its rotor begins at 1e[+]08 .gear ratio. times the joint's q = ",
        ),
        (
            lambda: geared(rotor=1e-300),
            "Drive: an elastic gear needs a motor with a rotor_inertia above 0 .it is 1e-300.",
        ),
        (lambda: Gear(ratio=1e12), "ratio is 1000000000000.0; allowed: a number that is not 0 and has a size between"),
        (lambda: DCMotor(resistance=1e-300, constant=0.1), "resistance is 1e-300 .it is below 1e-30."),
        (lambda: TorqueMotor(torque_limit=1e15), "torque_limit is 1000000000000000.0 .its size is not below 1e[+]15."),
        (lambda: Scene(robot=PENDULUM, q=[1e15]), "q is .1000000000000000.0. .its size is not below 1e[+]15."),
        (
            lambda: Scene(robot=PENDULUM, torque={"joint1": 1e300}),
            "torque of 'joint1' is 1e[+]300 .its size is not below",
        ),
        (
            lambda: Simulator(Scene(robot=PENDULUM), step=1e-300),
            "step is 1e-300; allowed: a number from 1e-12 to below 1e9",
        ),
    ],
)
def test_what_was_given_is_named_and_breaks_the_rule_that_is_told(make, message):
    with pytest.raises(StictionError, match=message):
        make()


@pytest.mark.parametrize(
    "friction, step, message",
    [
        (Coulomb(level=1.0), 1e-300, "step is 1e-300; allowed: a number from 1e-12 to below 1e9"),
        (
            Viscous(coefficient=5000.0),
            1e-3,
            "viscous friction of 'friction.joint1' is too stiff for 'rk4' at 0.001 s; the ",
        ),
        (Viscous(coefficient=1e14), 1e-3, "no step is short enough. Take a smaller coefficient, or method 'moreau'"),
    ],
)
def test_runs_blame_the_step_and_not_the_bristle_that_follows_from_it(friction, step, message):
    with pytest.raises(StictionError, match=message):
        simulate(Scene(robot=PENDULUM, friction={"joint1": friction}), duration=10 * step, step=step, method="rk4")


def test_what_is_so_large_that_it_never_acts_does_not_act():
    far = Scene(robot=slide(lower=-1, upper=1e300, effort=1e300))
    assert far.network.parts["limit.slide"].upper is None
    driven = Scene(robot=slide(effort=1e20), drives={"slide": Drive(motor=TorqueMotor(), gear=Gear(ratio=1e-3))})
    assert driven.network.parts["drive.slide.motor"].torque_limit is None
    assert Stribeck(level=1.0, static=2.0, velocity=0.1, exponent=1e12, stiffness=9.0, damping=9.0).flow(
        1.0, [0.1], 1e-3
    )
