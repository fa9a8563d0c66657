"""Static friction on what turns: bodies on turntables, swinging trays and in grippers hold up to the closed form."""

import numpy as np
import pytest

from stiction import Box, Contacts, Joint, Link, Origin, Robot, Scene, Surface, simulate
from stiction.parts import FreeBody
from stiction.trace import cos

G = 9.81
FRICTION = 0.45
RADIUS = 0.6  # m
SHAPES = [(0.12, 0.1, 0.02), (0.1, 0.1, 0.06), (0.1, 0.09, 0.1), (0.1, 0.1, 0.2), (0.07, 0.1, 0.2), (0.06, 0.08, 0.3)]


def limit(size):
    """Acceleration over g at which a box begins to slide or to tip about its edge across the way."""
    return min(FRICTION, size[0] / size[2])


def turning_joint(shape, mass=5.0):
    links = [Link(name="base"), Link.of("table", shape)]
    joint = Joint(name="axis", kind="continuous", parent="base", child="table", axis=(0, 0, 1))
    return Robot(name="table", links=links, joints=[joint])


def on_turntable(size, part):
    """A box that turns with a table at constant speed, at a part of the limit."""
    w = np.sqrt(part * limit(size) * G / RADIUS)
    table = turning_joint(Box(size=(2.0, 2.0, 0.1), mass=5.0, origin=Origin(xyz=(0, 0, -0.05))))
    start = {"position": (RADIUS, 0, size[2] / 2), "velocity": (0, w * RADIUS, 0), "angular": (0, 0, w)}
    box = FreeBody.of(Box(size=size, mass=0.8), **start)
    contacts = Contacts(surface=Surface(static=FRICTION))
    return Scene(robot=table, parts={"box": box}, motion={"axis": lambda t: w * t}, contacts=contacts)


def moved(run, first):
    """How far the box is from its place on the table, over time [m]."""
    q = run["q.axis"]
    x, y, z = (run[f"box.position.{c}"] for c in "xyz")
    way = (x * np.cos(q) + y * np.sin(q) - first[0], y * np.cos(q) - x * np.sin(q) - first[1], z - first[2])
    return np.sqrt(sum(d * d for d in way))


@pytest.mark.parametrize("step", [2e-3, 2e-4])
@pytest.mark.parametrize("size", SHAPES)
def test_a_box_on_a_turntable_holds_up_to_the_limit(size, step):
    """Within 2 %; below, it moves by no more than (step)² gives at the start, and then no more."""
    span = 10.0 if step > 1e-3 else 2.0
    run = simulate(on_turntable(size, 0.98), duration=span, step=step, record=0.02)
    way = moved(run, (RADIUS, 0, size[2] / 2))
    half = len(way) // 2
    assert way.max() < 4e-5 * (step / 2e-3) ** 2
    assert np.ptp(way[half:]) < max(np.ptp(way[:half]), 1e-12)
    run = simulate(on_turntable(size, 1.02), duration=6.0, step=step, record=0.02)
    assert moved(run, (RADIUS, 0, size[2] / 2)).max() > 0.01


@pytest.mark.parametrize("step", [2e-3, 5e-4])
@pytest.mark.parametrize("part, holds", [(0.98, True), (1.03, False)])
def test_a_box_on_a_swinging_tray(part, holds, step):
    """The largest acceleration along a swing of ±1 rad is that of its ends or of its middle, here of both together."""
    tray = turning_joint(Box(size=(0.3, 0.3, 0.02), mass=1.0, origin=Origin(xyz=(RADIUS, 0, -0.01))))
    w = 2.0
    t = np.linspace(0, np.pi / w, 10_001)
    need = np.hypot(RADIUS * (0.5 * w * np.sin(w * t)) ** 2, RADIUS * 0.5 * w * w * np.cos(w * t)).max()
    contacts = Contacts(surface=Surface(static=need / G / part, kinetic=0.7 * need / G))
    box = FreeBody.of(Box(size=(0.06, 0.06, 0.05), mass=0.5), position=(RADIUS, 0, 0.025))
    scene = Scene(robot=tray, parts={"box": box}, motion={"axis": lambda t: 0.5 * (1 - cos(w * t))}, contacts=contacts)
    way = moved(simulate(scene, duration=5.0, step=step), (RADIUS, 0, 0.025)).max()
    assert (way < 4e-5 * (step / 2e-3) ** 2) == holds
    assert holds or way > 1e-3


@pytest.mark.parametrize("step", [5e-3, 1e-4])
def test_a_box_on_a_tray_that_tilts(step):
    """About a horizontal axis, so that it is pressed on more and less, far from sliding and from lifting off."""
    tray = Link.of("table", Box(size=(0.3, 0.3, 0.02), mass=1.0, origin=Origin(xyz=(RADIUS, 0, -0.01))))
    joint = Joint(name="axis", kind="continuous", parent="base", child="table", axis=(0, 1, 0))
    robot = Robot(name="table", links=[Link(name="base"), tray], joints=[joint])
    box = FreeBody.of(Box(size=(0.06, 0.06, 0.03), mass=0.5), position=(RADIUS, 0, 0.015))
    contacts, motion = Contacts(surface=Surface(static=FRICTION)), {"axis": lambda t: 0.1 * (1 - cos(3 * t))}
    scene = Scene(robot=robot, parts={"box": box}, motion=motion, contacts=contacts)
    run = simulate(scene, duration=3.0, step=step, record=0.05)
    q, x, z = run["q.axis"], run["box.position.x"], run["box.position.z"]
    along, across = x * np.cos(q) - z * np.sin(q) - RADIUS, x * np.sin(q) + z * np.cos(q) - 0.015
    assert np.hypot(along, across).max() < 4e-7 * (step / 5e-3) ** 1.5


@pytest.mark.parametrize("step", [2e-3, 5e-4])
@pytest.mark.parametrize("squeeze, holds", [(1.02, True), (0.97, False)])
def test_a_box_in_a_gripper_that_turns(squeeze, holds, step):
    """Two fingers at a radius hold a box against gravity and against the way outward; turning steadily."""
    w, mass, finger = 2.5, 0.5, 0.1
    links = [
        Link(name="base"),
        Link.of("left", Box(size=(0.04, 0.01, 0.04), mass=finger, origin=Origin(xyz=(RADIUS, -0.055, 0)))),
        Link.of("right", Box(size=(0.04, 0.01, 0.04), mass=finger)),
    ]
    at = Origin(xyz=(RADIUS, 0.055, 0))
    joints = [
        Joint(name="axis", kind="continuous", parent="base", child="left", axis=(0, 0, 1)),
        Joint(name="finger", kind="prismatic", parent="left", child="right", axis=(0, -1, 0), origin=at),
    ]
    robot = Robot(name="gripper", links=links, joints=joints)
    force = mass * np.hypot(G, w * w * RADIUS) / 2 / FRICTION * squeeze
    push = force + finger * w * w * 0.055  # the finger is beside the axis
    contacts = Contacts(most=16, surface=Surface(static=FRICTION), off=[("robot.left", "robot.right")])
    start = {"position": (RADIUS, 0, 0), "velocity": (0, w * RADIUS, 0), "angular": (0, 0, w)}
    box = FreeBody.of(Box(size=(0.08, 0.1, 0.06), mass=mass), **start)
    motion, torque = {"axis": lambda t: w * t}, {"finger": push}
    scene = Scene(robot=robot, parts={"box": box}, motion=motion, torque=torque, contacts=contacts)
    way = moved(simulate(scene, duration=2.0, step=step), (RADIUS, 0, 0)).max()
    assert (way < 4e-5 * (step / 2e-3) ** 2) == holds
    assert holds or way > 1e-3
