"""URDF: what is read, what is refused, and that no damage to a file leads below our own errors."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers.robots import real_arm
from hypothesis import given, settings
from hypothesis import strategies as st

from stiction import Limits, Robot, RobotError, StictionError
from stiction.dynamics.articulated_body import forward_dynamics
from stiction.dynamics.newton_euler import inverse_dynamics
from stiction.spatial import Vector

ARM = (Path(__file__).parent / "arm.urdf").read_text()


def test_everything_is_kept():
    robot = Robot.from_urdf(ARM)
    shoulder, elbow = robot.joint("shoulder"), robot.joint("elbow")
    assert shoulder.limits == Limits(lower=-1, upper=2, effort=30, velocity=3)
    assert (shoulder.damping, shoulder.friction) == (0.7, (0.4, 0.4))
    assert (shoulder.gear_ratio, shoulder.rotor_inertia) == (-100, 0.0002)
    assert shoulder.axis == (0, 0, 1)
    assert (elbow.gear_ratio, elbow.rotor_inertia, elbow.axis) == (50, 0.0001, (1, 0, 0))
    inertia = [[0.02, -0.001, 0], [-0.001, 0.03, 0], [0, 0, 0.015]]
    np.testing.assert_allclose(robot.link("upper").inertia, inertia, atol=1e-18)
    assert robot.nv == 3
    bare = Robot.from_urdf(edit("<motorInertia>0.0002", "<motorInertia>0"))
    reflected = robot.mass_matrix([0, 0, 0]) - bare.mass_matrix([0, 0, 0])
    np.testing.assert_allclose(reflected, np.diag([100**2 * 0.0002, 0, 0]), atol=1e-12)


def test_fixed_joints_kept_as_frames_or_merged():
    kept, merged = Robot.from_urdf(ARM), Robot.from_urdf(ARM, keep_fixed=False)
    q = [0.3, 0.4, 0.05]
    offset = np.linalg.inv(kept.pose(q, "fore")) @ kept.pose(q, "tool")
    np.testing.assert_allclose(offset, [[1, 0, 0, 0.1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], atol=1e-15)
    assert [link.name for link in merged.links] == ["base", "upper", "fore", "finger"]
    np.testing.assert_allclose(kept.mass_matrix(q), merged.mass_matrix(q), rtol=1e-12)


def test_a_transmission_of_two_joints_gears_each_by_its_own_actuator():
    both = """<transmission name="pair"><joint name="shoulder"/><joint name="slide"/>
      <actuator name="a"><mechanicalReduction>10</mechanicalReduction></actuator>
      <actuator name="b"><mechanicalReduction>20</mechanicalReduction></actuator></transmission></robot>"""
    ungeared = ARM[: ARM.index("<transmission")]
    robot = Robot.from_urdf(ungeared + both)
    assert (robot.joint("shoulder").gear_ratio, robot.joint("slide").gear_ratio) == (10, 20)
    one = both.replace('<actuator name="b"><mechanicalReduction>20</mechanicalReduction></actuator>', "")
    with pytest.raises(RobotError, match="2 joints and 1 actuators"):
        Robot.from_urdf(ungeared + one)


def test_inertias_that_play_no_part_or_are_lumped():
    odd = '<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9"/></inertial></link>'
    assert Robot.from_urdf(edit('<link name="base"/>', odd)).nv == 3  # the root rests
    with pytest.raises(RobotError, match="link 'base': inertia violates"):
        Robot.from_urdf(edit('<link name="base"/>', odd), base="floating")
    start, end = ARM.index('<link name="upper">'), ARM.index('<link name="fore">')
    bare = ARM[:start] + '<link name="upper"/>' + ARM[end:]
    with pytest.raises(RobotError, match="link 'upper': mass is 0"):
        Robot.from_urdf(bare)
    assert Robot.from_urdf(bare, lumped=True).nv == 3  # others hang on it, and it has a rotor


def test_a_floating_base():
    heavy = '<link name="base"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>'
    robot = Robot.from_urdf(edit('<link name="base"/>', heavy), base="floating")
    assert (robot.nq, robot.nv) == (10, 9)
    a = robot.forward_dynamics(robot.neutral, np.zeros(9), np.zeros(9))
    np.testing.assert_allclose(a, [0, 0, 0, 0, 0, -9.81, 0, 0, 0], atol=1e-10)  # all falls together
    with pytest.raises(RobotError, match="link 'base': mass is 0 and joint 'root' moves it"):
        Robot.from_urdf(ARM, base="floating")
    with pytest.raises(RobotError, match="URDF text: robot 'none': it has no links"):
        Robot.from_urdf('<robot name="none"/>', base="floating")


@pytest.mark.parametrize("name, joints", [("ur5", 6), ("panda", 7), ("xarm7", 7)])
def test_real_arms(name, joints):
    robot, path = real_arm(name)
    assert robot.nv == joints
    assert all(joint.limits for joint in robot.moving_joints)
    assert Robot.from_urdf(str(path)).name == robot.name


def edit(old, new):
    assert old in ARM
    return ARM.replace(old, new, 1)


@pytest.mark.parametrize(
    "text, message",
    [
        (ARM.replace("</robot>", ""), r"line \d+, column \d+: malformed XML"),
        (edit('<mass value="2"/>', '<mass value="2">'), r"line \d+.*malformed XML \(mismatched tag\)"),
        ("<sdf version='1.6'></sdf>", "an SDF file; allowed: URDF, with root <robot>"),
        ("<mujoco/>", "an MJCF file"),
        ("<foo/>", "root <foo>"),
        ('<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:link/></robot>', "holds xacro macros"),
        (edit('value="2"', 'value="${mass}"'), "holds xacro macros"),
        (edit(' xmlns:drake="http://drake.mit.edu"', ""), "declare the prefix"),
        (edit('<mass value="2"/>', '<mass value="0"/>'), "link 'upper'"),
        (edit('<mass value="2"/>', '<mass value="-2"/>'), "link 'upper': mass is -2"),
        (edit('<mass value="2"/>', '<mass value="nan"/>'), "link 'upper': value is 'nan'"),
        (edit('<mass value="2"/>', '<mass value="two"/>'), "link 'upper': value is 'two'; allowed: a number"),
        (edit('<mass value="2"/>', "<mass/>"), "lacks the attribute 'value'"),
        (edit('<mass value="2"/>', ""), "<inertial> lacks <mass>"),
        (edit('ixx="0.03"', 'ixx="0.3"'), "link 'upper': inertia violates the triangle inequality"),
        (edit('ixx="0.03"', 'ixx="-0.03"'), "link 'upper': inertia has the principal value"),
        (edit('ixx="0.03"', 'ixx="inf"'), "link 'upper': <inertia> holds a value that is not finite"),
        (edit('ixx="0.03"', 'ixx="1e308"'), "link 'upper': <inertia> holds a value that is not finite or too large"),
        (
            edit('<limit lower="-1" upper="2" effort="30" velocity="3"/>', ""),
            "joint 'shoulder': a revolute joint needs <limit",
        ),
        (edit('lower="-1" upper="2"', 'lower="2" upper="1"'), "joint 'shoulder': Limits: lower is 2"),
        (
            edit('<parent link="base"/>', '<parent link="bas"/>'),
            "joint 'shoulder': unknown parent link 'bas'; this robot has: base, upper",
        ),
        (edit('<parent link="base"/>', ""), "joint 'shoulder': it lacks <parent"),
        (edit('type="revolute"', 'type="hinge"'), "type is 'hinge'; allowed: revolute, continuous"),
        (edit('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>'), "joint 'shoulder': axis"),
        (edit('<axis xyz="0 0 2"/>', '<axis xyz="0 0"/>'), "joint 'shoulder': xyz is '0 0'; allowed: three numbers"),
        (edit('damping="0.7"', 'damping="-0.7"'), "joint 'shoulder': damping is -0.7"),
        (
            edit('<joint name="shoulder"><hardware', '<joint name="sholder"><hardware'),
            "transmission 'drive': unknown joint 'sholder'.*shoulder",
        ),
        (
            edit("<motorInertia>0.0002", "<motorInertia>-0.0002"),
            "transmission 'drive': joint 'shoulder': rotor_inertia is -0.0002",
        ),
        (edit("<mechanicalReduction>-100", "<mechanicalReduction>fast"), "mechanicalReduction is 'fast'"),
        (edit('<link name="fore">', '<link name="upper">'), "used more than once"),
        (edit('<link name="fore">', "<link>"), "lacks the attribute 'name'"),
        (edit('xyz="0 0 0.4"', 'xyz="0 0 nan"'), r"xyz is \(0.0, 0.0, nan\)"),
    ],
)
def test_refused_with_the_part_named(text, message):
    with pytest.raises(RobotError, match=message):
        Robot.from_urdf(text)


def test_files_of_the_wrong_kind(tmp_path):
    with pytest.raises(RobotError, match="there is no file"):
        Robot.from_urdf(tmp_path / "nothing.urdf")
    with pytest.raises(RobotError, match="cannot read"):
        Robot.from_urdf(tmp_path)
    (tmp_path / "arm.urdf.xacro").write_text(ARM)
    with pytest.raises(RobotError, match=r"expand it first: xacro arm.urdf.xacro > arm.urdf"):
        Robot.from_urdf(tmp_path / "arm.urdf.xacro")
    (tmp_path / "mesh.stl").write_bytes(bytes(range(256)))
    with pytest.raises(RobotError, match="no text file"):
        Robot.from_urdf(tmp_path / "mesh.stl")
    (tmp_path / "wide.urdf").write_text(ARM.replace("?>", ' encoding="utf-16"?>', 1), encoding="utf-16")
    assert Robot.from_urdf(tmp_path / "wide.urdf").nv == 3
    (tmp_path / "empty.urdf").write_text("")
    with pytest.raises(RobotError, match="malformed XML"):
        Robot.from_urdf(tmp_path / "empty.urdf")
    (tmp_path / "good.urdf").write_text(ARM)
    assert Robot.from_urdf(tmp_path / "good.urdf").name == "arm"
    with pytest.raises(RobotError, match="'fixed', 'floating'"):
        Robot.from_urdf(ARM, base="free")


WORDS = ["0", "-1", "nan", "inf", "1e308", "1e-320", "", "abc", "0 0 0", "1 2", "0.5", "${x}"]
WORDS += ["base", "upper", "fixed", "floating", "planar", "prismatic"]


@settings(max_examples=300)
@given(st.data())
def test_mutated_files_give_our_errors_or_finite_dynamics(data):
    text = ARM
    for _ in range(data.draw(st.integers(1, 4))):
        how = data.draw(st.sampled_from(["value", "drop", "double", "cut", "character"]))
        if how == "value":
            spots = list(re.finditer(r'"[^"]*"', text)) or [re.match("", text)]
            spot = data.draw(st.sampled_from(spots))
            text = text[: spot.start()] + '"' + data.draw(st.sampled_from(WORDS)) + '"' + text[spot.end() :]
        elif how in ("drop", "double"):
            spots = [
                m for m in re.finditer(r"<[a-z:A-Z_]+[^<>]*/>|<link.*?</link>|<joint name=.*?</joint>", text, re.S)
            ]
            if spots:
                spot = data.draw(st.sampled_from(spots))
                text = text[: spot.start()] + (spot.group() * 2 if how == "double" else "") + text[spot.end() :]
        elif how == "cut":
            text = text[: data.draw(st.integers(0, len(text)))]
        else:
            place = data.draw(st.integers(0, max(0, len(text) - 1)))
            text = text[:place] + data.draw(st.characters()) + text[place + 1 :]
    try:
        robot = Robot.from_urdf(text) if text.lstrip().startswith("<") else Robot.from_urdf("<" + text)
        if any(joint.mimic for joint in robot.joints):
            robot = robot.without_mimics()
    except StictionError:
        return
    m, q, g = robot.mechanism, robot.neutral.tolist(), Vector(0, 0, -9.81)
    torque = inverse_dynamics(m, q, [0.1] * robot.nv, [0.2] * robot.nv, g)
    acceleration = forward_dynamics(m, q, [0.1] * robot.nv, torque, g)
    assert all(math.isfinite(float(x)) for x in (*torque, *acceleration))


def test_continuous_joints_have_no_ends():
    """Whatever their limits say: a revolute joint is what has ends."""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="{}"><parent link="a"/><child link="b"/>
    <limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>"""
    for kind, ends in (("revolute", (-1.0, 2.0)), ("continuous", (-np.inf, np.inf))):
        limits = Robot.from_urdf(text.format(kind)).joints[0].limits
        assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (*ends, 3.0, 4.0)
