"""From poses to joints."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import stiction
from stiction.robot.inverse_kinematics import rotation_vector
from tests.machines import random_robot

PUMA = stiction.library.puma560()


def limited(robot, lower, upper):
    return replace(robot, joints=[replace(j, limits=stiction.Limits(lower=lower, upper=upper)) for j in robot.joints])


def seven():
    """A redundant arm."""
    return stiction.library.chain(7, length=0.25)


@pytest.mark.parametrize(("robot", "frame"), [(PUMA, "link6"), (seven(), "link7")])
def test_poses_that_are_reached_are_found(robot, frame):
    rng = np.random.default_rng(2)
    for _ in range(40):
        q = rng.uniform(-2, 2, robot.nq)
        target = robot.pose(q, frame)
        near = robot.inverse_kinematics(target, frame, q=q + 0.2 * rng.normal(size=robot.nq))
        alone = robot.inverse_kinematics(target, frame)
        for found in (near, alone):
            np.testing.assert_allclose(robot.pose(found, frame), target, atol=1e-9)


def test_the_solution_near_the_guess_is_found():
    rng = np.random.default_rng(3)
    for _ in range(30):
        q = rng.uniform(-2, 2, 6)
        if abs(np.linalg.det(PUMA.jacobian(q, "link6"))) < 0.02:
            continue  # near a singularity other solutions are as near
        found = PUMA.inverse_kinematics(PUMA.pose(q, "link6"), "link6", q=q + 0.01 * rng.normal(size=6))
        np.testing.assert_allclose(found, q, atol=1e-8)


def test_a_position_alone():
    arm = stiction.library.two_link(lengths=(0.4, 0.3))
    q = arm.inverse_kinematics([0.3, 0.4, 0.0], "tip", q=[0.5, 0.5])
    np.testing.assert_allclose(arm.pose(q, "tip")[:3, 3], [0.3, 0.4, 0.0], atol=1e-10)


def test_limits_are_kept():
    arm, rng = limited(PUMA, -1.0, 1.0), np.random.default_rng(4)
    for _ in range(20):
        target = arm.pose(rng.uniform(-0.9, 0.9, 6), "link6")
        found = arm.inverse_kinematics(target, "link6")
        assert (np.abs(found) <= 1).all()
        np.testing.assert_allclose(arm.pose(found, "link6"), target, atol=1e-9)


def test_the_elbow_stays_on_its_side():
    """Both sides of it reach every place; its limits leave one."""
    arm, rng = stiction.library.two_link(lengths=(0.4, 0.3)), np.random.default_rng(6)
    ends = stiction.Limits(lower=0.0, upper=2.5)
    arm = replace(arm, joints=[arm.joints[0], replace(arm.joints[1], kind="revolute", limits=ends)])
    for shoulder, elbow in rng.uniform((-3, 0.1), (3, 2.4), size=(10, 2)):
        found = arm.inverse_kinematics(arm.pose([shoulder, elbow], "tip")[:3, 3], "tip")
        assert found[1] == pytest.approx(elbow, abs=1e-8)


def test_rotation_vectors():
    turns = Rotation.random(200, rng=5)
    np.testing.assert_allclose(rotation_vector(turns.as_matrix()), turns.as_rotvec(), atol=1e-12)
    for vector in ([np.pi, 0, 0], [0, 0, np.pi], np.array([1, -1, 0.5]) / 1.5 * np.pi, [1e-9, 0, 0], [0, 0, 0]):
        found = rotation_vector(Rotation.from_rotvec(vector).as_matrix())
        np.testing.assert_allclose(
            Rotation.from_rotvec(found).as_matrix(), Rotation.from_rotvec(vector).as_matrix(), atol=1e-9
        )


def far():
    pose = PUMA.pose([0.1] * 6, "link6")
    pose[:3, 3] = 3.0, 0, 0
    return pose


def test_what_cannot_be_reached_is_refused():
    with pytest.raises(stiction.RobotError, match=r"does not come to \(3, 0, 0\) m.*stretched out"):
        PUMA.inverse_kinematics(far(), "link6")
    arm = limited(PUMA, -0.1, 0.1)
    with pytest.raises(stiction.RobotError, match="at the end of"):
        arm.inverse_kinematics(PUMA.pose([1.0] * 6, "link6"), "link6")
    with pytest.raises(stiction.InputError, match="target is"):
        PUMA.inverse_kinematics(np.eye(3), "link6")
    with pytest.raises(stiction.InputError, match="6 finite numbers"):
        PUMA.inverse_kinematics(far(), "link6", q=[0.0])
    with pytest.raises(stiction.InputError, match="unknown frame"):
        PUMA.inverse_kinematics(far(), "hand")
    floating = random_robot(0, ("floating",))
    with pytest.raises(stiction.RobotError, match="several degrees of freedom"):
        floating.inverse_kinematics(np.eye(4), floating.links[-1].name)
