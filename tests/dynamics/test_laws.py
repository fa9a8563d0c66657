"""Laws of mechanics that hold whatever the robot."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.peers.robots import random_state
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import stiction
from stiction import Joint, Link, Robot, Sphere
from stiction.dynamics import composite_body, energy, newton_euler, sweep
from stiction.errors import InputError
from stiction.robot import derivatives, identification
from stiction.robot.programs import shared_programs
from stiction.spatial import Matrix, Vector, to_quaternion
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
    how = {"duration": 1.024, "method": "rk4", "record": 1.024, "energy": True}
    ends = {h: stiction.simulate(scene, step=h, **how) for h in (1e-3, 8e-3, 16e-3)}
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
    """d/dt (T + V) = v · τ along any motion, floating joints at the root and elsewhere; the derivative is exact."""
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
                (sum(M * x for M, x in zip(row, a, strict=True)) for row in composite_body.mass_matrix(m, q).lists),
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
    """Mass, moment and inertia of each; torques are linear in them, those of another robot of the same shape, too."""
    robot, other = (random_robot(seed, ["floating", "planar", "universal"]) for seed in (3, 4))
    other = replace(robot, links=other.links)
    q, v, a = random_state(robot, 3)
    Y = robot.regressor(q, v, a)
    assert Y.shape == (robot.nv, 30)
    np.testing.assert_allclose(Y @ other.inertial_parameters, other.inverse_dynamics(q, v, a), rtol=1e-10, atol=1e-10)


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
    run = stiction.simulate(scene, duration=3.0, step=1e-3, method="rk4", record=0.1, energy=True)
    q = run.stack("q.")
    h = robot.momentum(q, run.stack("v."))
    np.testing.assert_allclose(h, np.broadcast_to(h[0], h.shape), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:], axis=1), 1, atol=1e-15)
    assert np.abs(run["energy.residue"]).max() < 1e-10 * run["energy.kinetic"].max()
    rough = stiction.simulate(scene, duration=3.0, step=0.1, method="rk4", energy=True)  # its own error is 1e-5
    np.testing.assert_allclose(np.linalg.norm(rough.stack("q.")[:, 3:], axis=1), 1, atol=1e-15)


def test_a_hundred_joints():
    robot = stiction.library.chain(100)
    q, v, a = random_state(robot, 9)
    torque = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, torque), a, atol=1e-8)
    M = robot.mass_matrix(q)
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    bias = robot.inverse_dynamics(q, v, np.zeros(100))
    np.testing.assert_allclose(M @ a, torque - bias, rtol=0, atol=1e-10 * np.abs(torque).max())


KINDS = ["revolute", "prismatic", "spherical", "revolute", "floating", "universal", "planar"]
EVERYTHING = {
    "inverse dynamics": lambda r, q, v, a: [r.inverse_dynamics(q, v, a)],
    "forward dynamics": lambda r, q, v, a: [r.forward_dynamics(q, v, a, method="articulated")],
    "composite": lambda r, q, v, a: [r.forward_dynamics(q, v, a, method="composite")],
    "mass matrix": lambda r, q, v, a: [r.mass_matrix(q)],
    "coriolis matrix": lambda r, q, v, a: [r.coriolis_matrix(q, v)],
    "inverse derivatives": lambda r, q, v, a: r.inverse_dynamics_derivatives(q, v, a),
    "forward derivatives": lambda r, q, v, a: r.forward_dynamics_derivatives(q, v, a),
    "regressor": lambda r, q, v, a: [r.regressor(q, v, a)],
    "energy": lambda r, q, v, a: [r.kinetic_energy(q, v), r.potential_energy(q), r.momentum(q, v)],
    "pose": lambda r, q, v, a: [r.pose(q, r.links[-1].name), r.twist(q, v, r.links[-1].name)],
    "jacobian": lambda r, q, v, a: [r.jacobian(q, r.links[-1].name), r.jacobian_rate(q, v, r.links[-1].name)],
    "gravity": lambda r, q, v, a: [r.gravity_torque(q)],
}


@pytest.mark.parametrize("what", EVERYTHING)
@pytest.mark.parametrize("shape", ["kinds", "chain", "spheres", "tree"])
def test_looped_is_what_unrolled_gives(what, shape, monkeypatch):
    """One source: what many bodies compute in loops is what few compute in straight code."""
    kinds, branching = {
        "kinds": (KINDS, 0.3),
        "chain": (["revolute"] * 7, 0.0),
        "spheres": (["spherical", "prismatic"] * 3, 0.0),
        "tree": (["prismatic" if x == "P" else "revolute" for x in "RPPRRRPR"], 0.7),  # in no order
    }[shape]
    robot = random_robot(41, kinds, branching=branching, rotors=True)
    q, v, a = random_state(robot, 5, 3)
    unrolled = EVERYTHING[what](robot, q, v, a)
    for module in (sweep, derivatives, identification):
        monkeypatch.setattr(module, "LOOP_FROM", 2)
    shared_programs.clear()
    monkeypatch.setenv("STICTION_CACHE", "")
    looped = replace(robot)  # remembers no programs
    for x, y in zip(unrolled, EVERYTHING[what](looped, q, v, a), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)
    shared_programs.clear()


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


def test_quaternions_of_all_rotations():
    """Half turns about every axis among them, where the first of the four numbers says nothing."""
    turns = [*Rotation.random(50, random_state=1), *Rotation.from_rotvec(np.pi * np.eye(3))]
    turns += [Rotation.from_rotvec([3.0 * (k == j) + 0.1 for j in range(3)]) for k in range(3)]
    for turn in turns:
        w, x, y, z = to_quaternion(Matrix(turn.as_matrix().tolist()))
        np.testing.assert_allclose(Rotation.from_quat([x, y, z, w]).as_matrix(), turn.as_matrix(), atol=1e-12)
