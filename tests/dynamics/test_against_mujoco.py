"""Mass matrices, bias and accelerations against MuJoCo."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.peers.mujoco_model import MujocoRobot
from benchmarks.peers.robots import random_state, real_arm

import stiction
from stiction import Origin
from tests.machines import random_robot


def floating_base():
    """MuJoCo's free joints move in the world's axes: the joint's frame is the world's."""
    robot = random_robot(23, ["floating", "revolute", "spherical", "prismatic"])
    return replace(robot, joints=(replace(robot.joints[0], origin=Origin()), *robot.joints[1:]))


ROBOTS = {
    "ur5": lambda: real_arm("ur5")[0],
    "panda": lambda: real_arm("panda")[0],
    "xarm7": lambda: real_arm("xarm7")[0],
    "chain of 20": lambda: stiction.library.chain(20),
    "tree": lambda: random_robot(21, ["revolute", "prismatic", "spherical"] * 4, rotors=False),
    "rotors": lambda: random_robot(22, ["revolute", "prismatic", "revolute"] * 3, rotors=True),
    "floating base": floating_base,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics(name):
    robot = ROBOTS[name]()
    peer = MujocoRobot(robot)
    q, v, torque = random_state(robot, 31, 3)
    rest = np.zeros(robot.nv)
    for k in range(3):
        peer.set(q[k], v[k], torque[k])
        M = peer.mass_matrix()
        np.testing.assert_allclose(robot.mass_matrix(q[k]), M, rtol=0, atol=1e-10 * np.abs(M).max())
        bias = peer.bias()
        ours = robot.inverse_dynamics(q[k], v[k], rest)
        np.testing.assert_allclose(ours, bias, rtol=0, atol=1e-10 * np.abs(bias).max())
        a, ours = peer.acceleration(), robot.forward_dynamics(q[k], v[k], torque[k])
        amplified = max(1, 1e-3 * np.linalg.cond(M))  # rounding, by the condition of M
        np.testing.assert_allclose(ours, a, rtol=0, atol=1e-10 * np.abs(a).max() * amplified)
