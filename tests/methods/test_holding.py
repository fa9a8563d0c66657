"""Sticking must survive honest steps: no drift below break-away, the right acceleration above it."""

import math
from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Drive, FrictionSite, Gear, Joint, Link, Robot, Scene, Stribeck, TorqueMotor, simulate
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Source
from stiction.trace import minimum, sin
from tests.scenes import METHODS as EVERY_METHOD
from tests.scenes import TWO_LINK, anchor, flywheel, on_axle

STEPS = (1e-4, 1e-3, 2e-3)
LAWS = {"Coulomb": Coulomb(level=0.5), "Stribeck": Stribeck(level=0.45, static=0.5, velocity=0.01, viscous=0.02)}
METHODS = ("moreau", "rk4", "gill")
SLED = Robot(
    name="sled",
    links=[Link(name="base"), Link(name="sled", mass=2.0)],
    joints=[Joint(name="slide", kind="prismatic", parent="base", child="sled", axis=(1, 0, 0))],
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("inertia", [1e-4, 1e-3, 0.0304, 10.0])
def test_one_joint_holds(inertia, law, h, method):
    # a load that begins as a step bends a bristle beyond its rest, and one at 2 ms swings 9 % beyond the load
    constant, swing = (0.499, 0.19) if method == "moreau" else (0.44, 0.15)
    for torque in (lambda t: 0.336 + 0.144 * sin(100 * t), constant, lambda t: -0.3 - swing * sin(100 * t)):
        run = simulate(on_axle(inertia, LAWS[law], torque), duration=11.0, step=h, method=method, record=1.0)
        assert np.abs(anchor(run, "axle")[1:] - anchor(run, "axle")[1]).max() < 1e-9
        if method == "moreau":
            assert not run["mode.axle"][1:].any() and not run["residual"].any(), "stuck, and no contradiction left"


@pytest.mark.parametrize("method", EVERY_METHOD.values(), ids=EVERY_METHOD)
@pytest.mark.parametrize("rotor", [0.0, 1e-5])
def test_directions_have_limits_of_their_own(method, rotor):
    """A sled with gravity along it, up to 5 N ahead and 3 N back: 4.9 N and −2.9 N are held, 5.1 N and −3.1 N not.

    They begin as ramps, so that no bristle swings; with a rotor behind a ratio of −300, too.
    """
    drive = Drive(
        motor=TorqueMotor(rotor_inertia=rotor), gear=Gear(ratio=-300.0), joint_friction=Coulomb(level=(5.0, 3.0))
    )
    for load, holds in ((4.9, True), (-2.9, True), (5.1, False), (-3.1, False)):
        torque = {"slide": lambda t, load=load: (load - 3.0) * minimum(t, 1.0)}
        scene = Scene(robot=SLED, drives={"slide": drive}, torque=torque, gravity=(1.5, 0, -9.81))
        run = simulate(scene, duration=3.0, step=1e-3, method=method, record=0.1)
        late = run.between(1.5, 3.0)
        if holds:
            assert np.ptp(anchor(late, "slide")) < 1e-9 and not late["mode.slide"].any()
            np.testing.assert_allclose(late["friction.slide"], load, rtol=1e-6)
            np.testing.assert_allclose(late["margin.slide"], 0.1, rtol=1e-4)
        else:
            assert (late["mode.slide"] == 2).all()
            change = np.diff(late["v.slide"]) / 0.1
            np.testing.assert_allclose(change, math.copysign(0.1, load) / (2.0 + 300**2 * rotor), rtol=1e-3)
        if method.title == "moreau":
            assert run["residual"].max() < 1e-9, "no contradiction left"


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("inertia", [1e-4, 0.0304, 10.0])
def test_above_break_away_it_accelerates_as_it_should(inertia, h):
    for sign in (1, -1):
        run = simulate(on_axle(inertia, LAWS["Coulomb"], sign * 0.6), duration=0.5, step=h, method="moreau", record=0.5)
        assert run["v.axle"][-1] == pytest.approx(sign * 0.1 / inertia * 0.5, rel=1e-6)
        assert run["friction.axle"][-1] == pytest.approx(sign * 0.5, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_acceleration_above_break_away_does_not_depend_on_the_method(method):
    run = simulate(on_axle(0.0304, LAWS["Coulomb"], 0.6), duration=1.0, step=1e-3, method=method, record=0.5)
    slope = (run["v.axle"][2] - run["v.axle"][1]) / 0.5
    assert slope == pytest.approx(0.1 / 0.0304, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "law", [Coulomb(level=0.5, viscous=0.02), LAWS["Stribeck"]], ids=lambda law: type(law).__name__
)
def test_steady_sliding_reaches_the_curve(law, method):
    run = simulate(on_axle(1e-3, law, 0.8), duration=3.0, step=1e-3, method=method, record=1.0)
    assert law.steady(float(run["v.axle"][-1])) == pytest.approx(0.8, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("kind", ["Coulomb", "Stribeck"])
def test_an_arm_holds_against_gravity(kind, h, method):
    """A Puma, every joint by friction that holds 1.3 times what gravity takes; nothing drifts while all are shaken."""
    robot = stiction.library.puma560()
    q = np.array([0.2, 0.7, 2.8, 0.3, 0.6, 0.1])
    gravity = robot.gravity_torque(q)
    friction = {
        name: Coulomb(level=F) if kind == "Coulomb" else Stribeck(level=0.9 * F, static=F, velocity=0.1)
        for name, F in zip(robot.velocity_names, np.abs(gravity) * 1.3 + 0.2, strict=True)
    }
    torque = dict.fromkeys(robot.velocity_names, lambda t: 0.02 * sin(100 * t))
    scene = Scene(robot=robot, friction=friction, torque=torque, q=q)
    run = simulate(scene, duration=2.2, step=h, method=method, record=0.2)
    for name, load in zip(robot.velocity_names, gravity, strict=True):
        assert np.ptp(anchor(run, name)[1:]) < 1e-9
        np.testing.assert_allclose(
            run[f"friction.{name}"][1:], -load, atol=0.03
        )  # what shakes, and a swing of bristles


def test_when_one_joint_breaks_away_its_neighbour_may_too():
    """Two coupled joints: nothing pushes the second, but the motion of the first does."""
    robot = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.0, 1.0))
    friction = {"shoulder": Coulomb(level=0.1), "elbow": Coulomb(level=0.05)}
    run = simulate(
        Scene(robot=robot, friction=friction, torque={"shoulder": 2.0}, gravity=(0, 0, 0)),
        duration=2e-3,
        step=1e-3,
        method="moreau",
    )
    for what, after_one in (("mode", 2), ("lasting_mode", 0)):  # one step does not last
        modes = [[run[f"{what}.{joint}"][k] for joint in ("shoulder", "elbow")] for k in (1, 2)]
        assert modes == [[after_one] * 2, [2, 2]]
    assert run["direction.shoulder"][2] == 1 and run["direction.elbow"][2] == -1
    expected = np.linalg.solve(robot.mass_matrix([0.0, 0.0]), [2.0 - 0.1, 0.05]) * 1e-3
    np.testing.assert_allclose([run["v.shoulder"][1], run["v.elbow"][1]], expected, rtol=1e-12)
    assert run["v.elbow"][1] < 0


@pytest.mark.parametrize("method", METHODS)
def test_two_sites_on_one_joint(method):
    """They hold together what neither holds alone, and slide together: 0.3 + 0.3 N·m."""
    two = {"axle": Coulomb(level=0.3), "seal": FrictionSite(law=Coulomb(level=0.3), joints={"axle": 1})}
    held = Scene(robot=flywheel(0.0304), friction=two, torque={"axle": 0.45})
    run = simulate(held, duration=2.0, step=1e-3, method=method, record=0.5)
    assert abs(run["q.axle"][-1]) < 1e-4
    assert abs(run["q.axle"][-1] - run["q.axle"][-2]) < 1e-9
    assert run["friction.axle"][-1] + run["friction.seal"][-1] == pytest.approx(0.45, rel=1e-6)
    slid = simulate(replace(held, torque={"axle": 0.8}), duration=1.0, step=1e-3, method=method, record=0.5)
    assert (slid["v.axle"][2] - slid["v.axle"][1]) / 0.5 == pytest.approx(0.2 / 0.0304, rel=1e-6)


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_site_that_is_the_sum_of_two_others(method):
    """Every site keeps to its law while all slide to and fro, and the balance of energy says so, too."""
    friction = {
        "shoulder": Coulomb(level=1.0),
        "elbow": Coulomb(level=1.0),
        "both": FrictionSite(law=Coulomb(level=0.5), joints={"shoulder": 1, "elbow": 1}),
    }
    torque = {"shoulder": lambda t: 4 * sin(7 * t), "elbow": lambda t: 3 * sin(11 * t)}
    scene = Scene(robot=TWO_LINK, friction=friction, torque=torque, gravity=(0, 0, 0))
    run = simulate(scene, duration=3.0, step=1e-3, method=method, record=0.01, energy=True)
    assert not run.signals.get("residual", np.zeros(1)).any()
    velocities = {name: run[f"v.{name}"] for name in ("shoulder", "elbow")}
    velocities["both"] = velocities["shoulder"] + velocities["elbow"]
    for name, v in velocities.items():
        level, torque = 0.5 if name == "both" else 1.0, run[f"friction.{name}"]
        assert np.abs(torque).max() <= level * (1 + 1e-9)
        slides = np.minimum(v[1:-1], v[2:]) > 0.5  # for 10 ms: a bristle has bent over by then
        assert slides.sum() > 50
        np.testing.assert_allclose(torque[2:][slides], level, rtol=1e-6)
        lost = level * np.abs(v).sum() * 0.01
        assert run[f"loss.friction.{name}"][-1] == pytest.approx(lost, rel=0.02), "to the width of the rectangles"


@pytest.mark.parametrize("method", METHODS)
def test_sites_may_be_sums_of_joints(method):
    """Friction on q̇1 + q̇2 alone: the forearm keeps its direction, so both masses go round the shoulder as one.

    Along (1, −1) the inertia is (m1 + m2) L1² = 0.3² kg m², whatever the pose, and the torque 0.02 + 0.01 N·m.
    """
    friction = {"both": FrictionSite(law=Coulomb(level=5.0), joints={"shoulder": 1, "elbow": 1})}
    torque = {"shoulder": 0.02, "elbow": -0.01}
    scene = Scene(robot=TWO_LINK, friction=friction, torque=torque, gravity=(0, 0, 0), q=(0.1, 0.4))
    run = simulate(scene, duration=0.2, step=1e-3, method=method)
    together = run["q.shoulder"] + run["q.elbow"] - run.signals.get("bend.both", 0.0)
    assert np.ptp(together) < 1e-12
    late = run.time > 0.02  # a bristle swings at first
    np.testing.assert_allclose(run["v.shoulder"][late], 0.03 / 0.3**2 * run.time[late], rtol=1e-3)


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.3, -0.2, 1.0)])
@pytest.mark.parametrize("levels", [(0.3, 0.4), (0.1, 0.2, 0.4)])
def test_sites_on_one_axis_of_a_turning_body_are_as_one(spin, levels):
    """Their rows follow from each other in every pose: together they hold and rub as one with all their torque."""
    quaternion = (0.7, 0.35, -0.55, np.sqrt(1 - 0.7**2 - 0.35**2 - 0.55**2))

    def run(levels):
        sites = {f"f{k}": Friction(law=Coulomb(level=level)) for k, level in enumerate(levels)}
        body = FreeBody(mass=1.0, inertia=(0.1, 0.2, 0.3), angular=spin, quaternion=quaternion)
        terms = [Term(f"{name}.torque", [[0], [0], [-1.0]]) for name in sites]
        wires = [Wire(f"{name}.velocity", [Term("b.angular", [[0, 0, 1.0]])]) for name in sites]
        wires.append(Wire("b.moment", [*terms, "load.force"]))
        parts = {"b": body, **sites, "load": Source(functions=(0.0, 0.0, 0.5))}
        return simulate(Scene(parts=parts, wires=wires, gravity=(0, 0, 0)), duration=1.0, step=1e-3)

    together, one = run(levels), run((sum(levels),))
    for axis in "xyz":
        np.testing.assert_allclose(together[f"b.angular.{axis}"], one[f"b.angular.{axis}"], atol=1e-8)
    torque = sum(together[f"f{k}.torque"] for k in range(len(levels)))
    np.testing.assert_allclose(torque, one["f0.torque"], atol=1e-5)


@pytest.mark.parametrize("load", [0.71, 0.72, 0.75])
def test_friction_falls_within_the_step_in_which_it_breaks_away(load):
    """J v̇ = T − F(v) over one step from rest, by 20 000 small ones: to 5 %, where the fall alone makes a tenth."""
    J, h, n = 0.02, 1e-3, 20_000
    run = simulate(on_axle(J, Stribeck(level=0.5, static=0.7, velocity=0.01), load), duration=h, step=h)
    v = 0.0
    for _ in range(n):
        v += (load - 0.5 - 0.2 * math.exp(-v / 0.01)) / J * h / n
    assert run["v.axle"][-1] == pytest.approx(v, rel=0.05)
