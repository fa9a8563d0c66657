"""Laws of mechanics that hold whatever the robot."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.peers.robots import random_state
from hypothesis import given
from hypothesis import strategies as st

import stiction
from stiction import Frame, Joint, Link, Robot, Sphere
from stiction.dynamics import composite_body, energy, newton_euler
from stiction.errors import InputError, RobotError
from stiction.robot import derivatives, dynamics
from stiction.robot.programs import shared_programs
from stiction.spatial import Vector
from stiction.trace import Port, Program, directional
from tests.machines import ALL_KINDS, random_robot


@given(st.integers(0, 10**6))
def test_mass_matrix_is_symmetric_positive_definite_and_carries_the_energy(seed):
    robot = random_robot(seed, ALL_KINDS)
    q, v, _ = random_state(robot, seed)
    M = robot.mass_matrix(q)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0
    assert float(robot.kinetic_energy(q, v)) == pytest.approx(float(v @ M @ v / 2), rel=1e-12)


@given(st.integers(0, 10**6))
def test_gravity_torque_is_the_slope_of_potential_energy(seed):
    robot = random_robot(seed, ALL_KINDS)
    q, v, _ = random_state(robot, seed)
    h, rates = 1e-6, robot.position_rates(q, v)
    slope = (robot.potential_energy(q + h * rates) - robot.potential_energy(q - h * rates)) / (2 * h)
    assert float(robot.gravity_torque(q) @ v) == pytest.approx(float(slope), rel=1e-6, abs=1e-6)


def test_christoffel_symbols():
    """C_ij = ½ Σ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) v_k, with the derivatives of M by central differences."""
    robot = random_robot(3, ["revolute", "prismatic", "revolute", "universal"])
    q, v, _ = random_state(robot, 4)
    n, h = robot.nv, 1e-5
    dM = np.stack([(robot.mass_matrix(q + h * e) - robot.mass_matrix(q - h * e)) / (2 * h) for e in np.eye(n)], axis=-1)
    C = (np.einsum("ijk,k->ij", dM, v) + np.einsum("ikj,k->ij", dM, v) - np.einsum("jki,k->ij", dM, v)) / 2
    np.testing.assert_allclose(robot.coriolis_matrix(q, v), C, atol=1e-8)


def test_energy_of_a_falling_arm_has_order_four():
    robot = stiction.library.puma560()
    start = [0.0, 0.8, 2.6, 0.7, 0.6, 0.2]
    scene = stiction.Scene(robot=robot, q=start, friction=dict.fromkeys(robot.velocity_names))
    ends = {h: stiction.simulate(scene, duration=1.024, step=h, record=1.024, energy=True) for h in (1e-3, 8e-3, 16e-3)}
    errors = [np.abs(ends[h].stack("q.")[-1] - ends[1e-3].stack("q.")[-1]).max() for h in (16e-3, 8e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)
    drift = {h: abs(run["energy.residue"][-1]) / run["energy.kinetic"].max() for h, run in ends.items()}
    assert drift[1e-3] < 1e-10
    assert np.log2(drift[16e-3] / drift[8e-3]) == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize(
    "kinds",
    [("floating", "revolute", "spherical", "floating"), ("revolute", "floating", "prismatic", "floating", "universal")],
)
def test_torques_do_the_work_that_the_energies_take(kinds):
    """d/dt (T + V) = v · τ along any motion, with floating joints at the root and elsewhere; the derivative is exact."""
    m, g = random_robot(5, kinds).mechanism, Vector(1, -2, 3)

    def function(q, v, a):
        total = energy.kinetic_energy(m, q, v) + energy.potential_energy(m, q, g)
        (rate,) = directional([total], dict(zip([*q, *v], [*m.position_rates(q, v), *a], strict=True)))
        torque = newton_euler.inverse_dynamics(m, q, v, a, g)
        bias = newton_euler.inverse_dynamics(m, q, v, [0] * m.nv, g)
        inertial = [
            x + y
            for x, y in zip(
                bias,
                (sum(M * x for M, x in zip(row, a, strict=True)) for row in composite_body.mass_matrix(m, q)),
                strict=True,
            )
        ]
        return rate, *(sum(x * y for x, y in zip(v, load, strict=True)) for load in (torque, inertial))

    ports = [Port("q", (m.nq,)), Port("v", (m.nv,)), Port("a", (m.nv,))]
    program = Program("power", function, ports, [Port(name, (), "W") for name in ("rate", "power", "bias and mass")])
    rate, power, by_parts = program(*random_state(random_robot(5, kinds), 6, 50))
    np.testing.assert_allclose(power, rate, rtol=1e-11, atol=1e-11 * np.abs(rate).max())
    np.testing.assert_allclose(by_parts, rate, rtol=1e-11, atol=1e-11 * np.abs(rate).max())


@pytest.mark.parametrize("method", ["rk4", "moreau"])
def test_a_thrown_ball_flies_straight(method):
    """Without forces neither the velocity in the world nor the spin of a ball changes, to rounding, in 20 000 steps."""
    ball = Link.of("ball", Sphere(radius=0.1, mass=2.0))
    robot = Robot(
        name="ball",
        links=[Link(name="world"), ball],
        joints=[Joint(name="free", kind="floating", parent="world", child="ball")],
    )
    first = np.array([3.0, -20.0, 11.0, 1.0, 0.3, -0.7])
    run = stiction.simulate(
        stiction.Scene(robot=robot, v=first, gravity=(0, 0, 0)), duration=20.0, step=1e-3, record=0.5, method=method
    )
    q, v = run.stack("q."), run.stack("v.")
    np.testing.assert_allclose(v, np.broadcast_to(first, v.shape), atol=1e-13)
    np.testing.assert_allclose(robot.momentum(q, v)[:, 3:], np.broadcast_to(2.0 * first[3:], (len(v), 3)), atol=1e-13)
    np.testing.assert_allclose(q[:, :3], np.outer(run.time, first[3:]), atol=1e-10)  # the sum of 20 000 rounded steps


def test_velocities_of_a_floating_joint_are_the_links_spin_and_its_origins_velocity():
    """In the link's axes the one, in those of the joint's frame the other, whatever carries the joint."""
    robot = random_robot(7, ["revolute", "floating"], branching=0)
    q, v, _ = random_state(robot, 3)
    v[0] = 0
    rates = robot.position_rates(q, v)
    np.testing.assert_array_equal(rates[1:4], v[4:7])
    carried, joint = robot.pose(q, "link1")[:3, :3], robot.joints[1].origin.rotation
    np.testing.assert_allclose(robot.twist(q, v, "link2", axes="body")[:3], v[1:4], atol=1e-14)
    np.testing.assert_allclose(robot.twist(q, v, "link2")[3:], carried @ joint @ v[4:7], atol=1e-14)


def test_the_regressor_has_ten_columns_per_link():
    robot = random_robot(3, ["floating", "planar", "universal"])
    assert robot.inertial_parameters.shape == (30,)
    q, v, a = random_state(robot, 3)
    assert robot.regressor(q, v, a).shape == (robot.nv, 30)


def test_a_free_body_keeps_its_momentum():
    robot = Robot(
        name="top",
        links=[
            Link(name="world"),
            Link(name="body", mass=2.0, center_of_mass=(0.1, 0.2, -0.1), inertia=np.diag([0.1, 0.2, 0.25])),
        ],
        joints=[Joint(name="free", kind="floating", parent="world", child="body")],
    )
    v = [0.3, 4.0, 0.2, 1.0, 0.0, 0.5]
    scene = stiction.Scene(robot=robot, v=v, gravity=(0, 0, 0))
    run = stiction.simulate(scene, duration=3.0, step=1e-3, record=0.1, energy=True)
    q = run.stack("q.")
    h = robot.momentum(q, run.stack("v."))
    np.testing.assert_allclose(h, np.broadcast_to(h[0], h.shape), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:], axis=1), 1, atol=1e-15)
    assert np.abs(run["energy.residue"]).max() < 1e-10 * run["energy.kinetic"].max()


def test_a_hundred_joints():
    robot = stiction.library.chain(100)
    q, v, a = random_state(robot, 9)
    torque = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, torque), a, atol=1e-8)
    M = robot.mass_matrix(q)
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    bias = robot.inverse_dynamics(q, v, np.zeros(100))
    np.testing.assert_allclose(M @ a, torque - bias, rtol=0, atol=1e-10 * np.abs(torque).max())


def test_large_matrices_by_directions_agree_with_small_ones_unrolled(monkeypatch):
    robot = random_robot(41, ["revolute", "prismatic", "spherical", "revolute"])
    q, v, a = random_state(robot, 5, 3)

    def matrices():
        inverse, forward = robot.inverse_dynamics_derivatives, robot.forward_dynamics_derivatives
        return robot.mass_matrix(q), *inverse(q, v, a), *forward(q, v, a)

    unrolled = matrices()
    monkeypatch.setattr(dynamics, "MATRIX_UP_TO", 2)
    monkeypatch.setattr(derivatives, "UNROLL_UP_TO", 2)
    for forward_in_lanes_up_to in (24, 2):  # above, LAPACK inverts the mass matrix
        monkeypatch.setattr(derivatives, "MATRIX_UP_TO", forward_in_lanes_up_to)
        for x, y in zip(unrolled, matrices(), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)


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


def test_coupled_rotors_weigh_TJT():
    base = random_robot(9, ["revolute"] * 3)
    T = np.array([[50.0, 0, 0], [10.0, 60.0, 0], [0.0, -20.0, 70.0]])
    J = [1e-4, 2e-4, 3e-4]
    joints = tuple(replace(joint, rotor_inertia=j) for joint, j in zip(base.joints, J, strict=True))
    robot = replace(base, joints=joints, coupling=T)
    q, v, a = random_state(robot, 1)
    np.testing.assert_allclose(robot.mass_matrix(q), base.mass_matrix(q) + T.T @ np.diag(J) @ T, rtol=1e-12)
    torque = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, torque), a, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.inertial_parameters, torque, rtol=1e-10)
    with pytest.raises(InputError, match="coupled rotors"):
        robot.forward_dynamics(q, v, torque, method="articulated")


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
    with pytest.raises(InputError, match=r"unknown parameter 'mass'.*forearm.mass"):
        robot.mass_matrix([0, 0], parameters={"mass": 1.0})
    with pytest.raises(InputError, match="'body', 'aligned'"):
        robot.inverse_dynamics([0, 0], [0, 0], [0, 0], wrenches={"tip": [0] * 6}, wrench_axes="world")
    with pytest.raises(RobotError, match=r"unknown joint 'wrist'.*shoulder, elbow"):
        robot.joint("wrist")


def test_frames_may_hang_on_the_root():
    camera = Frame(name="camera", link="base", origin=stiction.Origin(xyz=(1, 2, 3)))
    robot = stiction.library.two_link().with_frames(camera)
    np.testing.assert_array_equal(robot.pose([0.3, 0.4], "camera")[:3, 3], [1, 2, 3])
    assert not robot.jacobian([0.3, 0.4], "camera").any()
    assert Sphere(radius=1, mass=1).volume > 4


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


def test_large_coriolis_matrix_and_regressor():
    robot = random_robot(12, ["revolute", "spherical", "prismatic", "universal"] * 3, rotors=True)
    q, v, a = random_state(robot, 4, 2)
    C = robot.coriolis_matrix(q, v)
    rest = np.zeros(robot.nv)
    np.testing.assert_allclose(
        np.einsum("kij,kj->ki", C, v), robot.inverse_dynamics(q, v, rest, gravity=(0, 0, 0)), rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(
        robot.regressor(q, v, a) @ robot.inertial_parameters, robot.inverse_dynamics(q, v, a), rtol=1e-9, atol=1e-9
    )


def test_regressor_of_coupled_rotors_does_not_depend_on_earlier_robots():
    base = random_robot(9, ["revolute"] * 2)
    for J in ((0.1, 0.1), (0.1, 0.2)):  # with equal inertias the coupling cancels
        joints = tuple(replace(joint, rotor_inertia=j) for joint, j in zip(base.joints, J, strict=True))
        robot = replace(base, joints=joints, coupling=((1.0, 1.0), (1.0, -1.0)))
        q, v, a = random_state(robot, 1)
        np.testing.assert_allclose(
            robot.regressor(q, v, a) @ robot.inertial_parameters, robot.inverse_dynamics(q, v, a), rtol=1e-10
        )


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
    assert robot.pose([], "top").shape == (4, 4)
    assert robot.jacobian([], "top").shape == (6, 0)
    assert robot.mass_matrix([]).shape == (0, 0)
    with pytest.raises(RobotError, match="no moving link"):
        robot.center_of_mass([])
