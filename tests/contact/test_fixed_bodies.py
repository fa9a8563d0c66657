"""Bodies that rest on fixed ones, which stand away from the origin and are turned: points of either touch the other."""

import numpy as np
import pytest

from stiction import (
    Box,
    Capsule,
    Contacts,
    Joint,
    Link,
    Origin,
    Polyhedron,
    Robot,
    Scene,
    Sphere,
    StictionError,
    simulate,
)
from stiction.contact import ContactError
from stiction.parts import Fixed, FreeBody
from stiction.robot.shape import Points
from tests.scenes import METHODS

G = 9.81
PLACE, YAW = np.array([-3.0, 2.0, 0.4]), 0.7
TURNED = (np.cos(YAW / 2), 0, 0, np.sin(YAW / 2))
LYING = Origin(rpy=(0, np.pi / 2, 0))
TOP = 0.05  # m above its place that a fixed body reaches
BELOW = {
    "box": Box(size=(0.1, 0.1, 2 * TOP)),
    "ball": Sphere(radius=TOP),
    "capsule": Capsule(radius=TOP, length=0.2, origin=LYING),
    "points": Points(points=[(x, y, TOP) for x in (-0.03, 0.03) for y in (-0.03, 0.03)]),
}
OCTAGON = [(0.08 * np.cos(a), 0.08 * np.sin(a), z) for a in np.arange(8) * np.pi / 4 for z in (-0.03, 0.03)]
ABOVE = {  # with their height over what they stand on
    "box": (Box(size=(0.2, 0.16, 0.06), mass=0.7), 0.03),
    "hull": (Polyhedron(points=OCTAGON, mass=0.7), 0.03),
    "ball": (Sphere(radius=0.04, mass=0.7), 0.04),
    "capsule": (Capsule(radius=0.04, length=0.05, mass=0.7, origin=LYING), 0.04),
}
PAIRS = [(a, b) for a in ABOVE for b in BELOW if b != "points" or a in ("box", "hull")]


def resting(above, below):
    """A free body at rest on a fixed one, and its height."""
    shape, height = ABOVE[above]
    height += PLACE[2] + TOP
    free = FreeBody.of(shape, position=(*PLACE[:2], height), quaternion=TURNED)
    fixed = Fixed(shapes=(BELOW[below],), position=tuple(PLACE), quaternion=TURNED)
    return Scene(parts={"free": free, "fixed": fixed}, contacts=Contacts(most=16)), height


def speed(run, body="free"):
    return max(np.abs(run[f"{body}.{what}.{c}"][-1]) for what in ("velocity", "angular") for c in "xyz")


@pytest.mark.parametrize("above, below", PAIRS)
def test_it_rests(above, below):
    scene, height = resting(above, below)
    run = simulate(scene, duration=0.5, step=1e-3)
    assert np.abs(run["free.position.z"] - height).max() < 1e-9
    assert speed(run) < 1e-9
    forces = [run[f"contact.{k}.force.z"][-1] for k in range(1, scene.contacts.most + 1) if k <= count(run)]
    assert abs(abs(sum(forces)) - 0.7 * G) < 1e-9  # on the body that has the point


def count(run):
    """How many slots for contacts it has."""
    return sum(name.endswith(".state") and name.startswith("contact.") for name in run.signals)


STABLE = [("box", "box"), ("hull", "points"), ("ball", "box"), ("capsule", "box")]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "moreau"])
@pytest.mark.parametrize("above, below", STABLE)
def test_other_methods_hold_it_or_refuse(above, below, method):
    """On springs it sinks in by a few millimetres."""
    scene, height = resting(above, below)
    try:
        run = simulate(scene, duration=0.3, step=1e-3, method=METHODS[method])
    except StictionError as error:
        assert "contact" in str(error)
    else:
        assert abs(run["free.position.z"][-1] - height) < 5e-3


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_base_link_holds_what_lies_on_it(method):
    """A table that is the base of an arm, with its origin elsewhere."""
    place = Origin(xyz=(2.0, -1.0, 0.3), rpy=(0, 0, 0.4))
    table = Link(name="base", shapes=(Box(size=(0.4, 0.4, 0.1), origin=place),))
    arm = Link.of("arm", Box(size=(0.3, 0.02, 0.02), mass=0.2))
    joint = Joint(name="j", kind="revolute", parent="base", child="arm", axis=(0, 0, 1), limits=None)
    robot = Robot(name="robot", links=[table, arm], joints=[joint])
    small = FreeBody.of(Box(size=(0.1, 0.06, 0.08), mass=1.3), position=(2.05, -0.97, 0.39), quaternion=TURNED)
    scene = Scene(robot=robot, parts={"small": small}, contacts=Contacts(most=16))
    run = simulate(scene, duration=0.4, step=1e-3, method=method)
    assert abs(run["small.position.z"][-1] - 0.39) < (1e-9 if method == "moreau" else 0.02)


@pytest.mark.parametrize("method", ["moreau", "rk4"])
@pytest.mark.parametrize("place", [(0, 0, -7.0), (0, 0, 0), (4.0, 0, 0)])
def test_bodies_fall_past_others_that_are_far_away(method, place):
    """Corners of what does not move are where it stands, not at the origin."""
    free = FreeBody.of(ABOVE["box"][0], position=(0, 3.0, 0.3))
    far = Fixed(shapes=(BELOW["box"], BELOW["points"], BELOW["ball"]), position=place)
    run = simulate(Scene(parts={"free": free, "far": far}), duration=0.6, step=1e-3, method=method)
    assert run["free.position.z"][-1] == pytest.approx(0.3 - G * 0.6**2 / 2, abs=1e-9)


def test_a_round_shape_of_many_points_is_refused():
    class Rounded(Points):
        roundness = 0.01

    fixed = Fixed(shapes=(Rounded(points=[(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)]),))
    free = FreeBody.of(ABOVE["ball"][0], position=(0, 0, 0.3))
    with pytest.raises(ContactError, match=r"'fixed' has a Rounded with a radius around 3 points; allowed: around one"):
        simulate(Scene(parts={"free": free, "fixed": fixed}), duration=0.1, step=1e-3)
