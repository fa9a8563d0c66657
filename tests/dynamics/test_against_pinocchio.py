"""Every computation against Pinocchio: real arms, the Puma, and random trees of all kinds of joints.

Random trees of one structure share one kernel: hypothesis and seeds change the parameters, not the program.
"""

import numpy as np
import pinocchio as pin
import pytest
from benchmarks.peers.pinocchio_model import PinocchioRobot
from benchmarks.peers.robots import random_state, real_arm
from hypothesis import given
from hypothesis import strategies as st

import stiction
from stiction.dynamics import composite_body, newton_euler
from stiction.dynamics.kinematics import frame_pose
from stiction.robot.dynamics import FORWARD_DYNAMICS
from stiction.spatial import Vector
from tests.machines import ALL_KINDS, random_robot

RELATIVE = 1e-10
ROBOTS = {
    "ur5": lambda: real_arm("ur5")[0],
    "panda": lambda: real_arm("panda")[0],
    "xarm7": lambda: real_arm("xarm7")[0],
    "puma560": stiction.library.puma560,
    "manutec_r3": lambda: stiction.library.manutec_r3().robot,
    "one joint": lambda: random_robot(1, ["revolute"]),
    "one slider": lambda: random_robot(2, ["prismatic"]),
    "sliders": lambda: random_robot(3, ["prismatic"] * 5),
    "all kinds": lambda: random_robot(4, ALL_KINDS),
    "all kinds twice": lambda: random_robot(5, ALL_KINDS[::-1] + ALL_KINDS),
    "rotors": lambda: random_robot(6, ["revolute", "prismatic", "revolute", "revolute"], rotors=True),
    "floating base": lambda: random_robot(7, ["floating", "revolute", "spherical", "revolute"]),
    "tree of 30": lambda: random_robot(8, ["revolute", "prismatic", "continuous"] * 10),
}


@pytest.fixture(scope="module", params=ROBOTS, ids=str)
def pair(request):
    robot = ROBOTS[request.param]()
    return robot, PinocchioRobot(robot)


def close(ours, theirs, tolerance=RELATIVE):
    scale = max(1e-3, np.abs(theirs).max())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


def states(robot, count=4):
    return list(zip(*random_state(robot, 11, count), strict=True))


def tip(robot):
    """A frame that moves, off the body's origin where there is one."""
    return robot.frames[-1].name if robot.frames else robot.assembly.owners[-1][1]


def test_dynamics(pair):
    robot, peer = pair
    q, v, a = random_state(robot, 11, 5)
    torques, accelerations = robot.inverse_dynamics(q, v, a), robot.forward_dynamics(q, v, a)
    masses = robot.mass_matrix(q)
    for k in range(5):
        x, w, b = peer.q(q[k]), peer.v(v[k]), peer.v(a[k])
        close(torques[k], peer.back(pin.rnea(peer.model, peer.data, x, w, b)))
        M = pin.crba(peer.model, peer.data, x)
        close(masses[k], peer.back(np.triu(M) + np.triu(M, 1).T))
        close(accelerations[k], peer.back(pin.aba(peer.model, peer.data, x, w, b)))
        close(robot.gravity_torque(q[k]), peer.back(pin.computeGeneralizedGravity(peer.model, peer.data, x)))


def test_kinematics(pair):
    robot, peer = pair
    name = tip(robot)
    body, pose = robot.assembly.attachments[name]
    frames = {"body": pin.LOCAL, "aligned": pin.LOCAL_WORLD_ALIGNED, "world": pin.WORLD}
    offset = pin.SE3(np.array([list(row) for row in pose.rotation], float), np.array(pose.position, float))
    frame = peer.model.addFrame(pin.Frame("probe", peer.joints[body], offset, pin.FrameType.OP_FRAME))
    peer.data = peer.model.createData()
    for q, v, _ in states(robot):
        x, w = peer.q(q), peer.v(v)
        pin.computeJointJacobiansTimeVariation(peer.model, peer.data, x, w)
        pin.updateFramePlacements(peer.model, peer.data)
        close(robot.pose(q, name), peer.data.oMf[frame].homogeneous)
        for axes, reference in frames.items():
            theirs = pin.getFrameJacobian(peer.model, peer.data, frame, reference)
            close(robot.jacobian(q, name, axes=axes), peer.columns(theirs))
            theirs = pin.getFrameJacobianTimeVariation(peer.model, peer.data, frame, reference)
            close(robot.jacobian_rate(q, v, name, axes=axes), peer.columns(theirs))
            twist = pin.getFrameVelocity(peer.model, peer.data, frame, reference)
            close(robot.twist(q, v, name, axes=axes), np.concatenate([twist.angular, twist.linear]))
            close(robot.twist(q, v, name, axes=axes), robot.jacobian(q, name, axes=axes) @ v)


def test_energy_and_momentum(pair):
    robot, peer = pair
    for q, v, _ in states(robot):
        x, w = peer.q(q), peer.v(v)
        close(robot.kinetic_energy(q, v), w @ _full(pin.crba(peer.model, peer.data, x)) @ w / 2)
        close(robot.potential_energy(q), pin.computePotentialEnergy(peer.model, peer.data, x))
        close(robot.center_of_mass(q), pin.centerOfMass(peer.model, peer.data, x))
        h = pin.computeCentroidalMomentum(peer.model, peer.data, x, w)
        close(robot.momentum(q, v), np.concatenate([h.angular, h.linear]))


def _full(M):
    return np.triu(M) + np.triu(M, 1).T


def test_coriolis(pair):
    robot, peer = pair
    q, v, _ = random_state(robot, 12)
    C = robot.coriolis_matrix(q, v)
    bias = pin.nonLinearEffects(peer.model, peer.data, peer.q(q), peer.v(v))
    gravity = pin.computeGeneralizedGravity(peer.model, peer.data, peer.q(q))
    close(C @ v, peer.back(bias - gravity))
    h = 1e-5  # Ṁ by central differences along the motion
    rates = robot.position_rates(q, v)
    M_rate = (robot.mass_matrix(q + h * rates) - robot.mass_matrix(q - h * rates)) / (2 * h)
    skew = M_rate - 2 * C
    np.testing.assert_allclose(skew + skew.T, 0, atol=2e-8 * max(1.0, np.abs(C).max()))


def test_derivatives(pair):
    robot, peer = pair
    for q, v, a in states(robot, 2):
        x, w, b = peer.q(q), peer.v(v), peer.v(a)
        by_q, by_v, by_a = robot.inverse_dynamics_derivatives(q, v, a)
        pin.computeRNEADerivatives(peer.model, peer.data, x, w, b)
        close(by_q, peer.back(peer.data.dtau_dq), 1e-8)
        close(by_v, peer.back(peer.data.dtau_dv), 1e-8)
        close(by_a, robot.mass_matrix(q))
        by_q, by_v, by_torque = robot.forward_dynamics_derivatives(q, v, a)
        pin.computeABADerivatives(peer.model, peer.data, x, w, b)
        close(by_q, peer.back(peer.data.ddq_dq), 1e-8)
        close(by_v, peer.back(peer.data.ddq_dv), 1e-8)
        close(by_torque, peer.back(_full(peer.data.Minv)), 1e-8)


def test_regressor(pair):
    robot, peer = pair
    for q, v, a in states(robot, 2):
        Y = robot.regressor(q, v, a)
        close(Y @ robot.inertial_parameters, robot.inverse_dynamics(q, v, a))
        if all(body.kind in ("revolute", "prismatic") for body in robot.mechanism.bodies):
            theirs = pin.computeJointTorqueRegressor(peer.model, peer.data, peer.q(q), peer.v(v), peer.v(a))
            order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # theirs: xx, xy, yy, xz, yz, zz
            place = {k: i for i, k in enumerate(peer.order)}
            columns = [10 * place[k] + j for k in range(len(robot.mechanism.bodies)) for j in order]
            close(Y[:, : len(columns)], theirs.reshape(robot.nv, -1)[np.argsort(peer.order_v)][:, columns])


def test_external_wrenches(pair):
    robot, _ = pair
    name = tip(robot)
    rng = np.random.default_rng(5)
    for q, v, a in states(robot, 2):
        wrench = rng.normal(size=6)
        for axes in ("body", "aligned"):
            J = robot.jacobian(q, name, axes=axes)
            expected = robot.inverse_dynamics(q, v, a) - J.T @ wrench
            close(robot.inverse_dynamics(q, v, a, wrenches={name: wrench}, wrench_axes=axes), expected)
            back = robot.forward_dynamics(q, v, expected, wrenches={name: wrench}, wrench_axes=axes)
            close(back, a, 1e-8)


def test_a_floating_base_is_a_free_flyer_in_other_coordinates():
    """Its whole twist is in the link's axes: v' = T v with T = (1, Rᵀ), a' = T a + Ṫ v, τ = Tᵀ τ'."""
    _, path = real_arm("ur5")
    robot = stiction.Robot.from_urdf(path, base="floating")
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    for q, v, a in states(robot):
        x = np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])
        R = robot.pose(q, "base_link")[:3, :3]

        def theirs(y, R=R):
            return np.concatenate([R.T @ y[3:6], y[:3], y[6:]])

        w, b = theirs(v), theirs(a)
        b[:3] -= np.cross(v[:3], w[:3])
        torque = pin.rnea(model, data, x, w, b)
        close(robot.inverse_dynamics(q, v, a), np.concatenate([torque[3:6], R @ torque[:3], torque[6:]]))


def test_methods_of_forward_dynamics(pair):
    robot, _ = pair
    q, v, torque = random_state(robot, 13)
    expected = robot.forward_dynamics(q, v, torque, method="composite")
    for method in ("articulated", "columns"):
        close(robot.forward_dynamics(q, v, torque, method=method), expected, 1e-9)


@given(st.integers(0, 10**6))
def test_random_parameters_one_kernel_per_structure(seed):
    robot = random_robot(seed, ALL_KINDS)
    peer = PinocchioRobot(robot, gravity=(1.0, -2.0, 3.0))
    q, v, a = random_state(robot, seed)
    x, w, b = peer.q(q), peer.v(v), peer.v(a)
    close(robot.inverse_dynamics(q, v, a, gravity=(1, -2, 3)), peer.back(pin.rnea(peer.model, peer.data, x, w, b)))
    # forward dynamics amplifies rounding by the condition of M
    condition = np.linalg.cond(robot.mass_matrix(q))
    theirs = peer.back(pin.aba(peer.model, peer.data, x, w, b))
    close(robot.forward_dynamics(q, v, a, gravity=(1, -2, 3)), theirs, max(RELATIVE, 1e-14 * condition))


@given(st.integers(0, 10**6), st.lists(st.sampled_from(ALL_KINDS), min_size=1, max_size=6))
def test_random_structures_on_floats(seed, kinds):
    robot = random_robot(seed, kinds)
    if robot.nv == 0:
        return
    peer = PinocchioRobot(robot)
    q, v, a = (x.tolist() for x in random_state(robot, seed))
    m, g = robot.mechanism, Vector(0, 0, -9.81)
    torque = newton_euler.inverse_dynamics(m, q, v, a, g)
    close(np.array(torque), peer.back(pin.rnea(peer.model, peer.data, peer.q(q), peer.v(v), peer.v(a))))
    condition = np.linalg.cond(np.array(composite_body.mass_matrix(m, q).lists))
    for method in FORWARD_DYNAMICS.values():
        close(np.array(method(m, q, v, torque, g)), np.array(a), max(1e-9, 1e-13 * condition))
    pose = frame_pose(m, robot.assembly.attachments["tool"], q)
    assert abs(np.linalg.det(np.array([list(row) for row in pose.rotation])) - 1) < 1e-12
