"""Scenes of several robots, free bodies and parts; first values in batches."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import Coulomb, FrictionSite, Joint, Scene, SceneError, Viscous, simulate
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Mass, SpringDamper
from stiction.trace import sin
from tests.scenes import METHODS, TWO_LINK, flywheel


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_two_robots_are_each_alone(method):
    alone = Scene(
        robot=TWO_LINK, friction={"shoulder": Coulomb(level=0.5)}, torque={"elbow": lambda t: 3 * sin(t)}, q=[0.1, 0.2]
    )
    other = Scene(robot=TWO_LINK, friction={"elbow": Coulomb(level=0.2)}, v={"elbow": 1.0})
    both = Scene(
        robots={"left": TWO_LINK, "right": TWO_LINK},
        friction={"left.shoulder": Coulomb(level=0.5), "right.elbow": Coulomb(level=0.2)},
        torque={"left.elbow": lambda t: 3 * sin(t)},
        q={"left.shoulder": 0.1, "left.elbow": 0.2},
        v={"right.elbow": 1.0},
    )
    how = dict(duration=1.0, step=1e-3, method=method, record=0.1)
    run, left, right = simulate(both, **how), simulate(alone, **how), simulate(other, **how)
    for joint in ("shoulder", "elbow"):
        np.testing.assert_allclose(run[f"q.left.{joint}"], left[f"q.{joint}"], atol=1e-12)
        np.testing.assert_allclose(run[f"v.right.{joint}"], right[f"v.{joint}"], atol=1e-11)
    assert run.units["friction.left.shoulder"] == "N·m"


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_friction_between_two_robots(method):
    """A clutch: friction on the difference of two wheels brings them to one speed, that of their common momentum.

    One slows from 8 to 2 rad/s at 25 rad/s², the other speeds up at 0.5/0.06; then they stick. Bristles give a little.
    """
    scene = Scene(
        robots={"a": flywheel(0.02), "b": flywheel(0.06)},
        friction={"clutch": FrictionSite(law=Coulomb(level=0.5), joints={"a.axle": 1, "b.axle": -1})},
        v={"a.axle": 8.0},
    )
    run = simulate(scene, duration=1.0, step=1e-3, method=method, record=0.01)
    a, b, stop = run["v.a.axle"], run["v.b.axle"], 6.0 / 25.0
    np.testing.assert_allclose(0.02 * a + 0.06 * b, 0.16, rtol=1e-12)
    np.testing.assert_allclose(a, np.maximum(8.0 - 25.0 * run.time, 2.0), atol=0.06)
    assert a[-1] == pytest.approx(2.0, abs=1e-9) and b[-1] == pytest.approx(2.0, abs=1e-9)
    assert (run["mode.clutch"][run.time < stop - 0.01] == 2).all()
    assert not run["mode.clutch"][run.time > stop + 0.03].any()


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_robot_pushes_a_cart_through_a_spring(method):
    """Robot, part and spring in one scene keep their momentum and share a centre of mass that rests."""
    robot = stiction.Robot(
        name="slider",
        links=[stiction.Link(name="base"), stiction.Link(name="sled", mass=2.0)],
        joints=[Joint(name="slide", kind="prismatic", parent="base", child="sled", axis=(1, 0, 0))],
    )
    scene = Scene(
        robot=robot,
        parts={"cart": Mass(mass=3.0, position=0.1), "spring": SpringDamper(stiffness=200.0)},
        wires=[
            Wire("spring.position", [Term("robot.q", [[1.0]]), Term("cart.position", -1.0)]),
            Wire("spring.velocity", [Term("robot.v", [[1.0]]), Term("cart.velocity", -1.0)]),
            Wire("cart.force", ["spring.force"]),
            Wire("robot.torque", [Term("spring.force", -1.0)]),
        ],
    )
    run = simulate(scene, duration=1.0, step=1e-4, method=method, record=0.01, energy=True)
    np.testing.assert_allclose(2 * run["q.slide"] + 3 * run["cart.position"], 0.3, atol=1e-12)
    omega = np.sqrt(200 * (1 / 2 + 1 / 3))
    np.testing.assert_allclose(
        run["q.slide"] - run["cart.position"], -0.1 * np.cos(omega * run.time), atol=1e-9 if method == "rk4" else 2e-4
    )


def test_the_scenes_gravity_is_that_of_its_bodies():
    ball = FreeBody(mass=1.0, inertia=(0.1,) * 3, position=(0, 0, 10))
    for given, expected in (((0, 0, -1.62), -1.62), (None, -9.81)):
        scene = Scene(parts={"ball": ball}, **({"gravity": given} if given else {}))
        for method in ("rk4", "moreau"):
            run = simulate(scene, duration=1.0, step=1e-3, method=method, record=1.0)
            assert run["ball.velocity.z"][-1] == pytest.approx(expected, rel=1e-9)
    run = simulate(
        Scene(parts={"ball": ball}), duration=1.0, step=1e-3, record=1.0, parameters={"gravity.z": [-1.0, -2.0]}
    )
    np.testing.assert_allclose(run["ball.velocity.z"][-1], [-1.0, -2.0])


def test_first_values_and_zeros_are_parameters():
    scene = Scene(robot=TWO_LINK, friction={"shoulder": Coulomb(level=0.5)}, torque={"elbow": 0.1})
    known = scene.parameters
    assert known["q.elbow"] == 0.0 and known["torque.elbow"] == 0.1 and known["friction.shoulder.viscous"] == 0.0
    starts = np.array([-0.3, 0.0, 0.7])
    run = simulate(scene, duration=0.5, step=1e-3, record=0.1, parameters={"q.elbow": starts}, method="moreau")
    np.testing.assert_array_equal(run["q.elbow"][0], starts)
    single = simulate(
        Scene(robot=TWO_LINK, friction=scene.friction, torque=scene.torque, q={"elbow": 0.7}),
        duration=0.5,
        step=1e-3,
        record=0.1,
        method="moreau",
    )
    np.testing.assert_allclose(run["q.shoulder"][:, 2], single["q.shoulder"], atol=1e-12)
    how = {"duration": 0.5, "step": 1e-3, "record": 0.1}
    moved = simulate(scene, **how, parameters={"robot.forearm.center_of_mass.y": [0.0, 0.05]})
    forearm = TWO_LINK.link("forearm")
    other = replace(forearm, center_of_mass=(forearm.center_of_mass[0], 0.05, 0.0))
    arm = replace(TWO_LINK, links=tuple(other if link is forearm else link for link in TWO_LINK.links))
    for k, robot in enumerate((TWO_LINK, arm)):
        alone = simulate(Scene(robot=robot, friction=scene.friction, torque=scene.torque), **how)
        np.testing.assert_allclose(moved["q.elbow"][:, k], alone["q.elbow"], atol=1e-9)
    assert np.ptp(moved["q.elbow"][-1]) > 1e-3, "a parameter that is 0 can be replaced, too"


def test_what_a_robots_description_says_of_friction_counts():
    links = [stiction.Link(name="base"), stiction.Link(name="wheel", mass=1.0, inertia=np.diag([0.02] * 3))]
    robot = stiction.Robot(
        name="w",
        links=links,
        joints=[Joint(name="axle", kind="continuous", parent="base", child="wheel", damping=0.1, friction=(0.5, 0.3))],
    )
    assert Scene(robot=robot).sites["axle"].law == Coulomb(level=(0.5, 0.3), viscous=0.1)
    assert Scene(robot=robot, friction={"axle": Coulomb(level=2.0)}).sites["axle"].law.level == (2.0, 2.0)
    assert not Scene(robot=robot, friction={"axle": None}).sites
    damped = stiction.Robot(
        name="w", links=links, joints=[Joint(name="axle", kind="continuous", parent="base", child="wheel", damping=0.1)]
    )
    assert Scene(robot=damped).sites["axle"].law == Viscous(coefficient=0.1)
    run = simulate(Scene(robot=damped, v=[1.0]), duration=0.2, step=1e-3, record=0.2)
    assert run["v.axle"][-1] == pytest.approx(np.exp(-1.0), rel=1e-9)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Scene(), "the scene is empty"),
        (lambda: Scene(robot=TWO_LINK, robots={"b": TWO_LINK}), "either robot or robots"),
        (lambda: Scene(robots={"a": 3}), "robot 'a' is 3"),
        (lambda: Scene(robots={"a.b": TWO_LINK}), "cannot be called 'a.b'"),
        (
            lambda: Scene(robots={"a": TWO_LINK}, torque={"shoulder": 1.0}),
            "unknown joint 'shoulder'; this scene has: a.shoulder, a.elbow",
        ),
        (lambda: Scene(robot=TWO_LINK, parts={"robot": Mass(mass=1)}), "a part cannot be called 'robot'"),
        (lambda: Scene(robot=TWO_LINK, parts={"x": 1}), "part 'x' is 1"),
        (lambda: Scene(robot=TWO_LINK, q=[1.0]), "q has 1 numbers; allowed: 2"),
        (lambda: Scene(robot=TWO_LINK, q=["a", 1]), "q is .*; allowed: 2 finite numbers"),
        (lambda: Scene(robot=TWO_LINK, v={"elbow": float("nan")}), "v of 'elbow' is nan"),
        (lambda: Scene(robot=TWO_LINK, gravity=9.81), "gravity is 9.81; allowed: 3 finite numbers"),
        (lambda: Scene(robot=TWO_LINK, torque={"elbow": float("inf")}), "torque of 'elbow' is inf"),
        (lambda: FrictionSite(law=Coulomb(level=1.0), joints={}), "joints is empty"),
        (lambda: FrictionSite(law=1.0, joints={"elbow": 1}), "law is 1.0"),
        (
            lambda: Scene(robot=flywheel(1), friction={"axel": Coulomb(level=0.5)}),
            "unknown joint 'axel'; robot 'flywheel' has: axle",
        ),
        (lambda: Scene(robot=flywheel(1), torque={"axel": 1.0}), r"unknown joint 'axel'.*\(in torque\)"),
        (lambda: Scene(robot=flywheel(1), torque={"axle": "1"}), "a number, a Table, or a function of the time"),
        (lambda: Scene(robot=flywheel(1), friction={"axle": 0.5}), "a friction law, a FrictionSite, or None"),
        (lambda: Scene(robot=flywheel(1), q={"axel": 1.0}), r"unknown joint 'axel'.*\(in q\)"),
    ],
)
def test_scenes_that_cannot_be(make, message):
    with pytest.raises(SceneError, match=message):
        make()
