"""What a run says of bristles that a step cannot follow."""

import pytest

from stiction import ElastoPlastic, Joint, Link, Robot, Scene, StictionWarning, simulate
from stiction.trace import sin


def test_an_elastic_stretch_that_is_crossed_within_a_step_is_told():
    robot = Robot(
        name="cart",
        links=[Link(name="base"), Link(name="cart", mass=1.0)],
        joints=[Joint(name="x", kind="prismatic", parent="base", child="cart", axis=(1, 0, 0))],
    )
    law = ElastoPlastic(level=1.0, static=1.5, velocity=0.001, stiffness=1e5, damping=0.0)
    scene = Scene(robot=robot, torque={"x": lambda t: 20 * sin(6 * t)}, friction={"x": law})
    with pytest.warns(StictionWarning, match="elastic stretch of 7e-06 is crossed within a step"):
        simulate(scene, duration=0.5, step=1e-3)
    slow = simulate(scene, duration=0.5, step=1e-3, parameters={"friction.x.stiffness": 10.0})
    assert not any("crossed within a step" in note for note in slow.notes)
