"""Inverse dynamics link by link."""

import numpy as np
import pytest

import stiction
from stiction import library
from tests.machines import random_robot

PUMA = library.puma560()


@pytest.mark.parametrize(
    "robot", [PUMA, random_robot(3, ["revolute", "prismatic", "spherical", "revolute"])], ids=["puma", "tree"]
)
def test_every_step_is_what_the_robot_does(robot):
    rng = np.random.default_rng(1)
    q, v, a = robot.neutral + 0, *rng.normal(size=(2, robot.nv))
    if robot is PUMA:
        q = rng.normal(size=robot.nq)
    found = robot.newton_euler(q, v, a)
    np.testing.assert_allclose(found.torque, robot.inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-11)
    for step in found.links:
        np.testing.assert_allclose(step.twist, robot.twist(q, v, step.link, axes="body"), atol=1e-11)
    parts = [x for step in found.links for x in step.torque]
    assert len(parts) == robot.nv


def test_accelerations_are_rates_of_twists_with_gravity_upward():
    q, v, a, h = np.array([0.1, 0.5, 2.8, 0.3, 0.7, 0.2]), np.ones(6), np.linspace(-1, 1, 6), 1e-6
    found = PUMA.newton_euler(q, v, a)
    for step in found.links:
        ahead, behind = (PUMA.twist(q + s * h * v, v + s * h * a, step.link, axes="body") for s in (1, -1))
        rate = (ahead - behind) / (2 * h)
        up = PUMA.pose(q, step.link)[:3, :3].T @ [0, 0, 9.81]
        np.testing.assert_allclose(step.acceleration, rate + np.array([0, 0, 0, *up]), atol=1e-6)


def test_joints_carry_what_is_beyond_them():
    """At rest the first joint carries the weight of all links; loads add up along the arm."""
    still = PUMA.newton_euler([0.1] * 6, [0] * 6, [0] * 6)
    weight = sum(link.mass for link in PUMA.links) * 9.81
    assert np.linalg.norm(still.links[0].wrench[3:]) == pytest.approx(weight)
    last = still.links[-1]
    np.testing.assert_array_equal(last.load, last.wrench)
    assert str(still).count("\n") == 4 * 6 and "link3" in str(still)


def test_only_joint_1_needs_torque_where_only_joint_2_moves():
    """c = (−m2 L1 L2 sin θ2 θ̇2², 0) of a 2R arm: the page of the course says joint 2."""
    arm = library.two_link(lengths=(0.5, 0.4), masses=(1.0, 2.0))
    found = arm.newton_euler([0.3, 0.7], [0, 3.0], [0, 0], gravity=(0, 0, 0))
    np.testing.assert_allclose(found.torque, [-2 * 0.5 * 0.4 * np.sin(0.7) * 9, 0], atol=1e-12)


def test_what_is_no_motion_is_refused():
    with pytest.raises(stiction.InputError, match="allowed: 6 finite numbers, of one motion"):
        PUMA.newton_euler(np.zeros((2, 6)), [0] * 6, [0] * 6)
    floating = random_robot(0, ("floating", "revolute"))
    with pytest.raises(stiction.InputError, match="several in the recursion"):
        floating.newton_euler(floating.neutral, [0] * 7, [0] * 7)


@pytest.mark.parametrize("axes", ["body", "aligned"])
def test_a_wrench_at_the_tip_is_carried_by_all_joints(axes):
    q, v, a = np.array([0.1, 0.5, 2.8, 0.3, 0.7, 0.2]), np.ones(6), np.linspace(-1, 1, 6)
    tip = {"link6": [0.4, -0.2, 0.1, 3.0, -5.0, 8.0]}
    found = PUMA.newton_euler(q, v, a, wrenches=tip, wrench_axes=axes)
    np.testing.assert_allclose(
        found.torque, PUMA.inverse_dynamics(q, v, a, wrenches=tip, wrench_axes=axes), rtol=1e-11, atol=1e-11
    )
    free = PUMA.newton_euler(q, v, a)
    if axes == "body":
        np.testing.assert_allclose(free.links[-1].wrench - found.links[-1].wrench, tip["link6"], atol=1e-12)
    with pytest.raises(stiction.InputError, match="wrenches"):
        PUMA.newton_euler(q, v, a, wrenches={"link6": [1.0, 2.0]})
