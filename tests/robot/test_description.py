"""Bad robots are refused when they are made, with the part named and the fix."""

import math

import numpy as np
import pytest
from benchmarks.peers.robots import random_state

import stiction
from stiction import Box, Frame, Joint, Limits, Link, Mimic, Origin, PointMass, Robot, RobotError, Solid, Sphere
from stiction.spatial import Matrix, Pose
from tests.machines import random_robot

GOOD = {"mass": 1.0, "inertia": np.diag([1.0, 1.0, 1.0])}


def robot(links=None, joints=None, **more):
    links = links or [Link(name="base"), Link(name="arm", **GOOD), Link(name="hand", **GOOD)]
    joints = joints or [hinge("shoulder", "base", "arm"), hinge("wrist", "arm", "hand")]
    return Robot(name="test", links=links, joints=joints, **more)


def hinge(name, parent, child, **more):
    return Joint(name=name, kind="revolute", parent=parent, child=child, **more)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Link(name="arm", mass=-1.0), "link 'arm': mass is -1.0; allowed: a number, 0 or above"),
        (lambda: Link(name="arm", mass=math.nan), "link 'arm': mass is nan; allowed: a number, 0 or above"),
        (lambda: Link(name="arm", mass="heavy"), "link 'arm': mass is 'heavy'"),
        (lambda: Link(name="", mass=1.0), "name is ''; allowed: a text"),
        (lambda: Link(name="arm", mass=1, center_of_mass=(0, 1)), "center_of_mass is .*; allowed: 3 finite numbers"),
        (
            lambda: Link(name="arm", mass=1, inertia=np.diag([1, 1, -1])),
            "link 'arm': inertia has the principal value -1",
        ),
        (
            lambda: Link(name="arm", mass=1, inertia=np.diag([1, 1, 2.1])),
            "link 'arm': inertia violates the triangle inequality",
        ),
        (
            lambda: Link(name="arm", mass=1, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
            "link 'arm': inertia is not symmetric",
        ),
        (lambda: Link(name="arm", mass=1, inertia=np.eye(2)), "inertia"),
        (lambda: Link(name="arm", mass=1, inertia=5), "inertia is 5; allowed: 3 rows of 3 finite numbers"),
        (lambda: Link(name="arm", inertia=np.eye(3)), "link 'arm': it has inertia but no mass"),
        (lambda: hinge("j", "a", "a"), "joint 'j': it joins link 'a' to itself"),
        (
            lambda: Joint(name="j", kind="hinge", parent="a", child="b"),
            "kind is 'hinge'; allowed: 'revolute', 'continuous'",
        ),
        (lambda: hinge("j", "a", "b", axis=(0, 0, 0)), "axis is .*; allowed: 3 finite numbers with a direction"),
        (lambda: hinge("j", "a", "b", axis=(0, math.nan, 0)), r"axis is \(0, nan, 0\)"),
        (lambda: hinge("j", "a", "b", damping=-1), "joint 'j': damping is -1"),
        (
            lambda: hinge("j", "a", "b", friction=(1, -1)),
            r"joint 'j': friction is \(1, -1\); allowed: a number, 0 or above, or two",
        ),
        (lambda: hinge("j", "a", "b", rotor_inertia=-1), "rotor_inertia is -1"),
        (lambda: hinge("j", "a", "b", gear_ratio=0), "gear_ratio is 0"),
        (lambda: Joint(name="j", kind="spherical", parent="a", child="b", rotor_inertia=1), "on a spherical joint"),
        (lambda: Joint(name="j", kind="universal", parent="a", child="b"), "second_axis is None"),
        (lambda: Limits(lower=1, upper=0), "exchange them"),
        (lambda: Limits(velocity=-1), "0 or above"),
        (lambda: Limits(lower="low"), "lower is 'low'"),
        (lambda: Mimic(joint="j", multiplier=math.inf), "multiplier is inf"),
        (lambda: Box(size=(1, 1, 0), mass=1), r"Box: size is \(1, 1, 0\); allowed: 3 numbers above 0"),
        (lambda: Link.of("arm", Box(size=(1, 1, 1))), "Box: give either mass or density"),
        (lambda: Sphere(radius=1, mass=1, density=1), "give either mass or density"),
        (lambda: Sphere(radius=-1, mass=1), "radius is -1"),
        (lambda: PointMass(density=1), "PointMass: a point has no volume"),
        (lambda: Link.of("arm"), "at least one solid"),
        (
            lambda: Link.of("arm", Sphere(radius=1, mass=1), origin=Origin()),
            "link 'arm': Link.of takes solids, and no origin; each of them has its own mass and origin",
        ),
        (lambda: Origin(xyz=(1, 2)), "xyz is .*3 finite numbers"),
        (lambda: Origin(rpy=(0, 0, math.inf)), r"rpy is \(0, 0, inf\)"),
        (lambda: Robot(name="r", links=[]), "it has no links"),
        (
            lambda: robot(links=[Link(name="base"), "arm"]),
            r"links is \[Link.*\(it holds 'arm'\); allowed: a list of Link objects",
        ),
        (
            lambda: robot(joints=[hinge("j", "base", "arm"), hinge("j", "arm", "hand")]),
            "joint name 'j' is used more than once",
        ),
        (
            lambda: robot(links=[Link(name="base"), Link(name="base", **GOOD)]),
            "link name 'base' is used more than once",
        ),
        (
            lambda: robot(joints=[hinge("s", "base", "arm"), hinge("w", "elbow", "hand")]),
            "unknown parent link 'elbow'; this robot has: base, arm, hand",
        ),
        (lambda: robot(joints=[hinge("s", "base", "arm"), hinge("w", "arm", "finger")]), "unknown child link 'finger'"),
        (lambda: robot(joints=[hinge("s", "base", "arm")]), r"2 roots \(base, hand\)"),
        (
            lambda: robot(joints=[hinge("s", "base", "arm"), hinge("w", "arm", "hand"), hinge("x", "base", "hand")]),
            "link 'hand' has two parents, by joints 'w' and 'x'",
        ),
        (
            lambda: robot(joints=[hinge("a", "hand", "base"), hinge("b", "base", "arm"), hinge("c", "arm", "hand")]),
            "no root",
        ),
        (
            lambda: robot(joints=[hinge("b", "hand", "arm"), hinge("c", "arm", "hand")]),
            "form a loop that is not tied to the root",
        ),
        (lambda: robot(frames=[Frame(name="tip", link="finger")]), "frame 'tip': unknown link 'finger'"),
        (lambda: robot(frames=[Frame(name="arm", link="hand")]), "frame name 'arm' is used more than once"),
        (
            lambda: robot(links=[Link(name="base"), Link(name="arm", **GOOD), Link(name="hand")]),
            "link 'hand': mass is 0 and joint 'wrist' moves it",
        ),
        (
            lambda: robot(links=[Link(name="base"), Link(name="arm", **GOOD), Link(name="hand", mass=1)]),
            "link 'hand': its inertia about the revolute joint 'wrist' is 0",
        ),
        (
            lambda: robot(joints=[hinge("s", "base", "arm"), hinge("w", "arm", "hand", mimic=Mimic(joint="x"))]),
            "unknown joint to mimic 'x'",
        ),
        (lambda: robot(coupling=[[1, 0]]), "coupling"),
        (lambda: robot(coupling=[[1, 1], [1, 1]]), "square, invertible"),
        (
            lambda: robot(
                joints=[hinge("s", "base", "arm", gear_ratio=5), hinge("w", "arm", "hand")], coupling=np.eye(2)
            ),
            "put the ratios into the coupling",
        ),
        (lambda: stiction.library.pendulum(0), "links is 0; allowed: a whole number, 1 to 1000"),
        (lambda: stiction.library.pendulum(2, mass=-1), "mass is -1"),
        (lambda: stiction.library.two_link(lengths=(1,)), r"two_link: lengths is \(1,\); allowed: 2 numbers above 0"),
        (lambda: robot().lock({"elbow": 0.0}), "elbow.*shoulder, wrist"),
        (lambda: robot().lock({"wrist": "far"}), "joint 'wrist': position is 'far'"),
        (lambda: robot(coupling=np.eye(2)).lock({"wrist": 0.0}), "has a coupling"),
        (
            lambda: hinge("j", "a", "b", origin=(0, 0, 1)),
            r"joint 'j': origin is \(0, 0, 1\); allowed: a stiction.Origin object",
        ),
        (lambda: hinge("j", "a", "b", mimic="s"), "mimic is 's'; allowed: a stiction.Mimic"),
        (lambda: Frame(name="tip", link="a", origin=(0, 0, 1)), "frame 'tip': origin is"),
        (lambda: Box(size=(1, 1, 1), mass=1, origin=(0, 0, 1)), "Box: origin is"),
        (lambda: Link.of("arm", [Box(size=(1, 1, 1), mass=1)]), "link 'arm': a part is"),
        (lambda: robot(coupling=3), "coupling is 3; allowed: a square matrix of finite numbers"),
        (lambda: Robot(name="r", links=None), "links is None; allowed: a list of Link objects"),
        (
            lambda: Joint(name="u", kind="universal", parent="a", child="b", axis=(0, 1, 0), second_axis=(0, -2, 0)),
            "axis and second_axis are parallel",
        ),
        (lambda: Link(name="arm", mass=10**400), "mass is 1000.*…; allowed: a number, 0 or above"),
        (lambda: Link(name="arm", mass=1e20), r"mass is 1e\+20 \(its size is not below 1e\+15\)"),
        (lambda: Robot.from_urdf(5), "a path or a text; got int"),
        (
            lambda: Robot(
                name="ball",
                links=[Link(name="base"), Link.of("bob", PointMass(mass=1, origin=Origin(xyz=(0.3, 0.3, 0.3))))],
                joints=[Joint(name="j", kind="spherical", parent="base", child="bob")],
            ),
            "mass matrix is singular",
        ),
        (
            lambda: robot(links=[Link(name="base"), Link(name="arm", mass=1), Link(name="hand", **GOOD)]),
            "mass matrix is singular",
        ),
    ],
)
def test_refused(make, message):
    with pytest.raises(RobotError, match=message):
        make()


def test_mimic_joints_are_kept_but_not_computed():
    made = robot(joints=[hinge("s", "base", "arm"), hinge("w", "arm", "hand", mimic=Mimic(joint="s", multiplier=2.0))])
    assert made.joint("w").mimic.multiplier == 2.0
    with pytest.raises(RobotError, match=r"joint 'w' mimics 's'.*without_mimics\(\).*lock"):
        made.mass_matrix([0, 0])
    assert made.without_mimics().mass_matrix([0, 0]).shape == (2, 2)
    assert made.lock({"w": 0.3}).mass_matrix([0]).shape == (1, 1)


def test_names_and_sizes():
    made = robot(
        joints=[
            Joint(name="base_joint", kind="planar", parent="base", child="arm"),
            Joint(name="ball", kind="spherical", parent="arm", child="hand"),
        ]
    )
    assert (made.nq, made.nv) == (7, 6)
    ball = ("ball.w", "ball.x", "ball.y", "ball.z")
    assert made.position_names == ("base_joint.x", "base_joint.y", "base_joint.turn", *ball)
    assert made.velocity_names[-3:] == ("ball.wx", "ball.wy", "ball.wz")
    np.testing.assert_array_equal(made.neutral, [0, 0, 0, 1, 0, 0, 0])


def test_steep_origins_survive_merging():
    rng = np.random.default_rng(0)
    for miss in (0, 1e-15, 1e-9, 1e-7, 1e-6, 1e-3):
        for pitch in (math.pi / 2 - miss, -math.pi / 2 + miss):
            R = Origin(rpy=(rng.uniform(-3, 3), pitch, rng.uniform(-3, 3))).rotation
            np.testing.assert_allclose(Origin.from_pose(Pose(Matrix(R.tolist()))).rotation, R, atol=2e-15)


def test_joints_are_ordered_from_the_root():
    made = robot(joints=[hinge("wrist", "arm", "hand"), hinge("shoulder", "base", "arm")])
    assert [joint.name for joint in made.joints] == ["shoulder", "wrist"]


def test_locked_and_merged_robots_move_alike():
    whole = random_robot(55, ["revolute", "prismatic", "fixed", "revolute", "universal"])
    locked = whole.lock({"joint2": 0.3})
    merged = locked.merged()
    assert len(merged.links) < len(locked.links)
    assert [joint.name for joint in merged.joints] == ["joint1", "joint4", "joint5"]
    q, v, a = random_state(locked, 2)
    at = np.insert(q, 1, 0.3)
    np.testing.assert_allclose(locked.pose(q, "tool"), whole.pose(at, "tool"), atol=1e-14)
    np.testing.assert_allclose(merged.pose(q, "tool"), whole.pose(at, "tool"), atol=1e-12)
    keep = [0, 2, 3, 4]
    expected = whole.inverse_dynamics(at, np.insert(v, 1, 0), np.insert(a, 1, 0))[keep]
    np.testing.assert_allclose(locked.inverse_dynamics(q, v, a), expected, rtol=1e-10)
    np.testing.assert_allclose(merged.inverse_dynamics(q, v, a), expected, rtol=1e-10)


def test_universal_and_planar_are_compositions():
    two = robot(
        links=[Link(name="base"), Link(name="arm", **GOOD)],
        joints=[Joint(name="u", kind="universal", parent="base", child="arm", axis=(1, 0, 0), second_axis=(0, 1, 0))],
    )
    Rx, Ry = (Origin(rpy=rpy).rotation for rpy in ((0.4, 0, 0), (0, 0.7, 0)))
    np.testing.assert_allclose(two.pose([0.4, 0.7], "arm")[:3, :3], Rx @ Ry, atol=1e-15)
    plane = robot(
        links=[Link(name="base"), Link(name="arm", **GOOD)],
        joints=[Joint(name="p", kind="planar", parent="base", child="arm")],
    )
    np.testing.assert_allclose(plane.pose([1.0, 2.0, 0.5], "arm")[:3, 3], [1, 2, 0], atol=1e-15)


def test_a_solid_is_abstract():
    with pytest.raises(NotImplementedError):
        Solid(mass=1.0).volume  # noqa: B018
