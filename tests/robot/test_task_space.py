"""Dynamics as a tool feels it."""

import numpy as np
import pytest

import stiction
from stiction import StictionWarning, library

PUMA = library.puma560()
Q, V = np.array([0.1, 0.5, 2.8, 0.3, 0.7, 0.2]), np.array([0.3, -0.2, 0.5, 1.0, -0.4, 0.6])
SEVEN = library.chain(7, length=0.25)


def test_the_rp_arm_of_the_course():
    """Λ = diag(m2, (k + m2 θ2²)/θ2²) at θ1 = 0, with k = I1 + I2 + m1 L1²."""
    arm = library.rp_arm(first_mass=2.0, first_length=0.3, second_mass=1.5, first_inertia=0.2, second_inertia=0.1)
    found = arm.task_space([0.0, 0.8], [0.0, 0.0], "slider", ("x", "y"))
    k = 0.3 + 2.0 * 0.3**2
    np.testing.assert_allclose(found.inertia, np.diag([1.5, (k + 1.5 * 0.64) / 0.64]), atol=1e-12)
    two = library.rp_arm(first_mass=1.0, first_length=1.0, second_mass=1.0, first_inertia=2.0, second_inertia=1.0)
    assert two.mass_matrix([0, 2.0])[0, 0] == pytest.approx(8.0)
    np.testing.assert_allclose(
        two.task_space([0, 2.0], [0, 0], "slider", ("x", "y")).inertia, np.diag([1.0, 2.0]), atol=1e-12
    )


def test_with_as_many_directions_as_joints_it_is_the_textbook():
    """Λ = J⁻ᵀ M J⁻¹ and η = J⁻ᵀ h − Λ J̇ J⁻¹ V."""
    found = PUMA.task_space(Q, V, "link6")
    J, M = PUMA.jacobian(Q, "link6"), PUMA.mass_matrix(Q)
    back = np.linalg.inv(J)
    np.testing.assert_allclose(found.inertia, back.T @ M @ back, rtol=1e-8)
    h = PUMA.inverse_dynamics(Q, V, np.zeros(6))
    rate = PUMA.jacobian_rate(Q, V, "link6") @ V
    np.testing.assert_allclose(found.bias, back.T @ h - found.inertia @ rate, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.null, 0, atol=1e-9)


@pytest.mark.parametrize("directions", [("x", "y", "z"), ("z",), ("wx", "wy", "wz", "x", "y", "z"), ("y", "wz")])
@pytest.mark.parametrize("robot", [PUMA, SEVEN], ids=["puma", "seven"])
def test_forces_at_the_tool_move_it_as_they_say(robot, directions):
    """Torques for a force at the tool give it the acceleration of the task space; those of the posture give none."""
    rng = np.random.default_rng(5)
    q, v = rng.normal(size=(2, robot.nv)) * 0.7
    frame = robot.links[-1].name
    task = robot.task_space(q, v, frame, directions)
    wanted = rng.normal(size=len(directions))
    torque = task.torque(task.force(wanted), posture=rng.normal(size=robot.nv))
    a = robot.forward_dynamics(q, v, torque)
    rows = [("wx", "wy", "wz", "x", "y", "z").index(x) for x in directions]
    moved = (robot.jacobian(q, frame) @ a + robot.jacobian_rate(q, v, frame) @ v)[rows]
    np.testing.assert_allclose(moved, wanted, atol=1e-7)
    np.testing.assert_allclose(task.acceleration(task.force(wanted)), wanted, atol=1e-8)
    np.testing.assert_allclose(task.jacobian @ task.inverse, np.eye(len(rows)), atol=1e-8)
    np.testing.assert_allclose(task.null @ task.null, task.null, atol=1e-8)
    assert np.linalg.matrix_rank(task.null, tol=1e-6) == robot.nv - len(rows)


def test_batches():
    many = np.stack([Q, Q + 0.1, Q - 0.2])
    found = PUMA.task_space(many, np.stack([V] * 3), "link6", ("x", "y", "z"))
    alone = PUMA.task_space(Q + 0.1, V, "link6", ("x", "y", "z"))
    np.testing.assert_allclose(found.inertia[1], alone.inertia, rtol=1e-12)
    assert found.force(np.ones((3, 3))).shape == (3, 3) and found.damped.shape == (3,)


def test_singularities_are_told_and_damped():
    """A stretched arm cannot be moved along itself: Λ is large there, finite, and right across."""
    arm = library.two_link(lengths=(0.5, 0.4))
    with pytest.warns(StictionWarning, match="singular along these directions"):
        found = arm.task_space([0.0, 0.0], [0.0, 0.0], "tip", ("x", "y"))
    assert found.damped and found.openness < 1e-12 and np.isfinite(found.inertia).all()
    across = arm.task_space([0.0, 0.0], [0.0, 0.0], "tip", ("y",))
    assert not across.damped and found.inertia[1, 1] == pytest.approx(across.inertia[0, 0], rel=1e-4)
    assert found.inertia[0, 0] > 1e4 * found.inertia[1, 1]
    near = arm.task_space([0.0, 0.05], [0.0, 0.0], "tip", ("x", "y"))
    assert not near.damped


def test_how_open_an_arm_is_does_not_depend_on_its_size():
    """Turns count at arm's length: an arm of ten times the lengths is as near to its singularities."""
    small, large = (library.two_link(lengths=(0.5 * s, 0.4 * s)) for s in (1.0, 10.0))
    found = [arm.task_space([0.3, 0.7], [0.0, 0.0], "tip", ("wz", "x")).openness for arm in (small, large)]
    assert found[0] == pytest.approx(found[1], rel=1e-9) and 0.01 < found[0] < 1


@pytest.mark.parametrize("directions", [(), ("x", "x"), ("up",), "xyz", ("x", "y", "z")])
def test_bad_directions_are_refused(directions):
    with pytest.raises(stiction.InputError, match="up to 2 of wx, wy, wz, x, y, z"):
        library.two_link().task_space([0.1, 0.2], [0, 0], "tip", directions)


def test_what_the_tool_pushes_with_is_on_top():
    """F = Λ V̇ + η + F_tip: with the tool pushing F_tip on the world, those torques still give the acceleration."""
    arm, q, v = library.puma560(), np.array([0.2, 0.4, 2.6, 0.3, 0.9, 0.1]), np.linspace(0.1, 0.6, 6)
    task, tip, wanted = arm.task_space(q, v, "link6"), np.array([0.3, -0.1, 0.2, 5.0, -4.0, 9.0]), np.ones(6)
    torque = task.torque(task.force(wanted, tip))
    a = arm.forward_dynamics(q, v, torque, wrenches={"link6": -tip}, wrench_axes="aligned")
    J, rate = (x(q, *more, "link6", axes="aligned") for x, more in ((arm.jacobian, ()), (arm.jacobian_rate, (v,))))
    np.testing.assert_allclose(J @ a + rate @ v, wanted, atol=1e-9)
