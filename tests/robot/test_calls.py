"""How the computations of a robot are called: batches, names, programs, copies."""

import copy
import pickle

import numpy as np
import pytest
from benchmarks.peers.robots import random_state

import stiction
from stiction import Frame, Joint, Link, Robot
from stiction.errors import InputError, RobotError
from stiction.robot.programs import shared_programs
from tests.machines import ALL_KINDS, random_robot


def test_batches_are_their_members():
    robot = random_robot(6, ALL_KINDS)
    q, v, a = (x.reshape(3, 4, -1) for x in random_state(robot, 6, 12))
    for many, one in (
        (robot.forward_dynamics(q, v, a), lambda i: robot.forward_dynamics(q[i], v[i], a[i])),
        (robot.inverse_dynamics(q, v, a, threads=None), lambda i: robot.inverse_dynamics(q[i], v[i], a[i])),
        (robot.mass_matrix(q), lambda i: robot.mass_matrix(q[i])),
        (robot.pose(q, "tool"), lambda i: robot.pose(q[i], "tool")),
    ):
        for i in np.ndindex(3, 4):
            assert many[i].tobytes() == one(i).tobytes(), "one robot and a batch give the same bits"


def test_robots_of_one_structure_share_one_program():
    random_robot(101, ["revolute", "spherical"]).mass_matrix([0.1, 1, 0, 0, 0])
    count = len(shared_programs)
    for seed in range(102, 110):
        random_robot(seed, ["revolute", "spherical"]).mass_matrix([0.1, 1, 0, 0, 0])
    assert len(shared_programs) == count


def test_wrong_names_list_the_right_ones():
    robot = stiction.library.two_link()
    with pytest.raises(InputError, match=r"unknown frame 'tipp'.*tip"):
        robot.pose([0, 0], "tipp")
    with pytest.raises(InputError, match="'body', 'aligned', 'world'"):
        robot.jacobian([0, 0], "tip", axes="local")
    for axes in (None, "", 3):
        with pytest.raises(InputError, match="'body', 'aligned', 'world'"):
            robot.twist([0, 0], [0, 0], "tip", axes=axes)
    with pytest.raises(InputError, match="wrenches is a list"):
        robot.inverse_dynamics([0, 0], [0, 0], [0, 0], wrenches=[1])
    with pytest.raises(InputError, match="parameters is a list"):
        robot.mass_matrix([0, 0], parameters=[1])
    with pytest.raises(RobotError, match=r"unknown frame 'pen'.*tip"):
        robot.frame("pen")
    with pytest.raises(InputError, match="'auto', 'composite'"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0], method="aba")
    with pytest.raises(InputError, match=r"q has shape \(3,\); allowed: \(..., 2\)"):
        robot.mass_matrix([0, 0, 0])
    with pytest.raises(
        InputError, match=r"unknown parameter 'mass'.* has: upper_arm.mass, forearm.mass \.\.\. and 46 more"
    ):
        robot.mass_matrix([0, 0], parameters={"mass": 1.0})
    with pytest.raises(InputError, match=r"q has leading axes \(3,\).*'forearm.mass' \(4,\)"):
        robot.mass_matrix(np.zeros((3, 2)), parameters={"forearm.mass": np.ones(4)})
    with pytest.raises(InputError, match=r"do not fit each other: 'forearm.mass' \(4,\), 'upper_arm.mass' \(3,\)"):
        robot.mass_matrix([0, 0], parameters={"forearm.mass": np.ones(4), "upper_arm.mass": np.ones(3)})
    with pytest.raises(InputError, match="'body', 'aligned'"):
        robot.inverse_dynamics([0, 0], [0, 0], [0, 0], wrenches={"tip": [0] * 6}, wrench_axes="world")
    with pytest.raises(RobotError, match=r"unknown joint 'wrist'.*shoulder, elbow"):
        robot.joint("wrist")


def test_frames_may_hang_on_the_root():
    camera = Frame(name="camera", link="base", origin=stiction.Origin(xyz=(1, 2, 3)))
    robot = stiction.library.two_link().with_frames(camera)
    np.testing.assert_array_equal(robot.pose([0.3, 0.4], "camera")[:3, 3], [1, 2, 3])
    assert not robot.jacobian([0.3, 0.4], "camera").any()


def test_robots_travel():
    robot = random_robot(5, ALL_KINDS)
    q, v, a = random_state(robot, 5)
    expected = robot.forward_dynamics(q, v, a)
    for other in (pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        np.testing.assert_array_equal(other.forward_dynamics(q, v, a), expected)
    assert repr(robot).startswith("<Robot 'random8'")


def test_one_gravity_per_call():
    robot = stiction.library.two_link()
    with pytest.raises(InputError, match=r"gravity has shape \(5, 3\); allowed: 3 numbers"):
        robot.gravity_torque([0, 0], gravity=np.zeros((5, 3)))
    with pytest.raises(InputError, match="must be numbers"):
        robot.mass_matrix([0, 0], parameters={"forearm.mass": "heavy"})
    with pytest.raises(InputError, match="must be numbers; got None"):
        robot.mass_matrix([0, 0], parameters={"forearm.mass": None})
    with pytest.raises(InputError, match="fit each other"):
        robot.mass_matrix([0, 0], parameters={"forearm.mass": np.ones(2), "upper_arm.mass": np.ones(3)})


def test_a_robot_that_cannot_move():
    robot = Robot(
        name="post",
        links=[Link(name="base"), Link(name="top")],
        joints=[Joint(name="weld", kind="fixed", parent="base", child="top")],
    )
    np.testing.assert_array_equal(robot.pose([], "top"), np.eye(4))
    assert robot.jacobian([], "top").shape == (6, 0)
    assert robot.mass_matrix([]).shape == (0, 0)
    with pytest.raises(RobotError, match="no moving link"):
        robot.center_of_mass([])
