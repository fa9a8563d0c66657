"""Replaced parameters are those of another robot."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.peers.robots import random_state

import stiction
from tests.machines import random_robot


@pytest.mark.parametrize(
    "name", ["link2.mass", "link3.center_of_mass.y", "link1.inertia.xy", "joint2.origin.x", "joint3.origin.pitch"]
)
def test_replaced_parameters_are_those_of_another_robot(name):
    robot = random_robot(8, ["revolute", "prismatic", "revolute"])
    q, v, a = random_state(robot, 8)
    values = robot.parameters[name] + np.array([0.0, 1e-3, 0.02])
    replaced = robot.forward_dynamics(q, v, a, parameters={name: values})
    owner, field, *rest = name.split(".")
    for value, result in zip(values, replaced, strict=True):
        if owner.startswith("link"):
            link = robot.link(owner)
            if field == "mass":
                other = replace(link, mass=value)
            elif field == "center_of_mass":
                other = replace(link, center_of_mass=(link.center_of_mass[0], value, link.center_of_mass[2]))
            else:
                I = np.array(link.inertia)
                I[0, 1] = I[1, 0] = value
                other = replace(link, inertia=I)
            changed = replace(robot, links=tuple(other if x is link else x for x in robot.links))
        else:
            joint = robot.joint(owner)
            xyz, rpy = list(joint.origin.xyz), list(joint.origin.rpy)
            (xyz if rest[0] == "x" else rpy)[{"x": 0, "pitch": 1}[rest[0]]] = value
            moved = replace(joint, origin=stiction.Origin(xyz=xyz, rpy=rpy))
            changed = replace(robot, joints=tuple(moved if x is joint else x for x in robot.joints))
        np.testing.assert_allclose(result, changed.forward_dynamics(q, v, a), rtol=1e-10, atol=1e-10)


def test_many_replaced_parameters_keep_their_places():
    base = random_robot(8, ["revolute", "revolute"])
    q, v, a = random_state(base, 8)
    kinds = (".mass", ".center_of_mass.", ".inertia.", ".origin.", ".axis.", ".frame.")
    values = {name: x for name, x in base.parameters.items() if any(kind in name for kind in kinds)}
    assert len(values) > 25
    replaced = base.forward_dynamics(q, v, a, parameters=values)
    np.testing.assert_allclose(replaced, base.forward_dynamics(q, v, a), rtol=1e-10)
    np.testing.assert_allclose(base.pose(q, "tool", parameters=values), base.pose(q, "tool"), rtol=1e-10, atol=1e-12)


def test_replaced_axes_are_made_unit_vectors():
    robot = stiction.library.two_link()
    torques = robot.gravity_torque([0.3, 0.2], parameters={"shoulder.axis.x": np.array([0.0, 1.0])})
    tilted = replace(robot, joints=(replace(robot.joints[0], axis=(1, 0, 1)), robot.joints[1]))
    expected = [arm.gravity_torque([0.3, 0.2]) for arm in (robot, tilted)]
    np.testing.assert_allclose(torques, expected, atol=1e-14)


def test_replaced_parameters_of_large_robots():
    robot = stiction.library.chain(26)
    q, v, a = random_state(robot, 3, 2)
    masses = {"link9.mass": np.array([0.3, 0.5])}
    M = robot.mass_matrix(q, parameters=masses)
    by_q, _, inverse = robot.forward_dynamics_derivatives(q, v, a, parameters=masses)
    np.testing.assert_allclose(M[0], robot.mass_matrix(q[0]), rtol=1e-12)
    np.testing.assert_allclose(inverse @ M, np.broadcast_to(np.eye(26), M.shape), atol=1e-7)
    h, direction = 1e-6, np.eye(26)[4]
    step = [robot.forward_dynamics(q + s * h * direction, v, a, parameters=masses) for s in (1, -1)]
    np.testing.assert_allclose(by_q[..., 4], (step[0] - step[1]) / (2 * h), rtol=1e-4, atol=1e-4 * np.abs(by_q).max())
