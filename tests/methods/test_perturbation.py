"""The perturbation method: linear equations along a nominal motion, all else unchanged."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import (
    Clock,
    ComputedTorque,
    Coulomb,
    InputError,
    JointImpedance,
    Line,
    NominalMotion,
    Perturbation,
    PointToPoint,
    Rosenbrock,
    Scene,
    ToolPath,
    Trapezoid,
    library,
    nominal_motion,
    simulate,
)

ARM = library.rx90b()
Q = ARM.robot.inverse_kinematics(
    np.array([[1, 0, 0, 0.5], [0, -1, 0, -0.3], [0, 0, -1, 0.25], [0, 0, 0, 1.0]]),
    "tool",
    q=[-0.5, 0.6, 1.2, 0, 1.3, 0],
)
PATH = ToolPath(
    q=Q, segments=[Line(to=(0.5, -0.1, 0.25))], profile=Trapezoid(speed=0.2, acceleration=1.0), frame="tool", begin=0.2
)
SCENE = ARM.scene(reference=PATH)


def test_the_terms_are_exact_derivatives():
    """τ0 and M, C, K of closed_loop (25) to (28), by differences of inverse dynamics and of the spring's length."""
    nominal = nominal_motion(SCENE, points=20)
    robot = SCENE.network.parts["robot"].robot

    def length(q):
        ends = [robot.pose(q, name)[..., :3, 3] for name in ("spring_anchor", "spring_hook")]
        return np.linalg.norm(ends[1] - ends[0], axis=-1)

    def torque(q, v, a):
        De = np.array([(length(q + d) - length(q - d)) / 2e-6 for d in 1e-6 * np.eye(6)])
        return robot.inverse_dynamics(q, v, a) + De * (300.0 + 4000.0 * (length(q) - 0.30))

    for k in (0, 7, 13, 20):
        q, v, a = nominal.q[k], nominal.v[k], nominal.a[k]
        np.testing.assert_allclose(nominal.torque[k], torque(q, v, a), atol=1e-6)
        np.testing.assert_allclose(nominal.M[k], robot.mass_matrix(q), atol=1e-11)
        by_v = np.stack([(torque(q, v + d, a) - torque(q, v - d, a)) / 2e-5 for d in 1e-5 * np.eye(6)], axis=1)
        np.testing.assert_allclose(nominal.C[k], by_v, atol=1e-6)
        by_q = np.stack([(torque(q + d, v, a) - torque(q - d, v, a)) / 2e-4 for d in 1e-4 * np.eye(6)], axis=1)
        np.testing.assert_allclose(nominal.K[k], by_q, atol=2e-3)
    np.testing.assert_allclose(nominal.q, PATH.on(ARM.robot).sample(nominal.time).q, atol=1e-12)


def test_the_state_space_form():
    nominal = nominal_motion(SCENE, points=40)
    t = float(nominal.time[17])
    A, B, C, D = nominal.state_space(t, ARM.robot, "tool")
    M, K, damping = nominal.M[17], nominal.K[17], nominal.C[17]
    rng = np.random.default_rng(1)
    dq, dv, u = rng.normal(size=(3, 6))
    expected = np.linalg.solve(M, u - damping @ dv - K @ dq)
    np.testing.assert_allclose(A @ [*dq, *dv] + B @ u, [*dv, *expected], atol=1e-9)
    small = 1e-6
    q, v = nominal.q[17], nominal.v[17]
    moved = ARM.robot.pose(q + small * dq, "tool")[:3, 3] - ARM.robot.pose(q - small * dq, "tool")[:3, 3]
    np.testing.assert_allclose((C @ [*dq, *dv])[3:6], moved / (2 * small), atol=1e-6)  # (23)
    faster = ARM.robot.twist(q + small * dq, v + small * dv, "tool") - ARM.robot.twist(
        q - small * dq, v - small * dv, "tool"
    )
    np.testing.assert_allclose((C @ [*dq, *dv])[6:], faster / (2 * small), atol=1e-6)  # (24)
    assert not D.any() and nominal.state_space(0.5).C.shape == (12, 12)


@pytest.fixture(scope="module")
def full():
    how = {"duration": 1.6, "step": 2.5e-4, "record": 1e-3, "parameters": SCENE.holding()}
    return how, simulate(SCENE, **how)


def apart(run, full):
    """Largest distance of the tool from that of the full model [m]."""
    points = [ARM.robot.pose(x.stack("q."), "tool")[:, :3, 3] for x in (run, full)]
    return np.linalg.norm(points[0] - points[1], axis=1).max()


def test_it_converges_to_the_full_model(full):
    how, exact = full
    found = [apart(simulate(SCENE, **how, method=Perturbation(points=n)), exact) for n in (10, 40, 160)]
    assert found[0] > 3 * found[1] > 3 * found[2] and found[2] < 2e-7
    currents = simulate(SCENE, **how, method=Perturbation(points=160)).stack("motor_current.")
    assert np.abs(currents - exact.stack("motor_current.")).max() < 1e-2


def test_its_inner_method_may_be_stiff(full):
    how, exact = full
    short = {**how, "duration": 0.5}
    run = simulate(SCENE, **short, method=Perturbation(points=160, inner=Rosenbrock(tolerance=1e-6)))
    q = exact.stack("q.")[:501]
    assert np.abs(run.stack("q.") - q).max() < 2e-6


def test_stored_in_a_file_and_used_with_other_friction(full, tmp_path):
    how, exact = full
    nominal = nominal_motion(SCENE, points=160)
    path = tmp_path / "arm.npz"
    nominal.save(path)
    dry = replace(SCENE, friction={**SCENE.friction, "joint2": Coulomb(level=20.0, viscous=50.0)})
    a, b = simulate(dry, **how, method=Perturbation(file=str(path))), simulate(dry, **how)
    assert apart(a, b) < 3e-7 < apart(a, exact)
    again = NominalMotion.load(path)
    np.testing.assert_array_equal(again.K, nominal.K)
    stiction.write_scene(tmp_path / "scene.toml", SCENE, duration=0.1, step=2.5e-4, method=Perturbation(file=str(path)))
    assert stiction.run_file(tmp_path / "scene.toml").notes == ()


def test_batches(full):
    how, _ = full
    levels = {"friction.joint2.level.1": np.array([10.0, 26.0]), **how["parameters"]}
    short = {**how, "duration": 0.6, "parameters": levels}
    many = simulate(SCENE, **short, method=Perturbation(points=100))
    alone = simulate(
        SCENE, **{**short, "parameters": {**levels, "friction.joint2.level.1": 10.0}}, method=Perturbation(points=100)
    )
    np.testing.assert_allclose(many["q.joint2"][:, 0], alone["q.joint2"], atol=1e-12)
    assert np.abs(many["q.joint2"][:, 0] - many["q.joint2"][:, 1]).max() > 1e-6


def soft(stiffness):
    """A two-link arm in gravity that hangs far from where it should be, on soft springs."""
    move = PointToPoint(start=[0, 0], stop=[1.0, 0.5], velocity=1.0, acceleration=5.0)
    brain = JointImpedance(clock=Clock(period=1e-3), stiffness=stiffness, damping=2.0)
    arm = library.two_link(lengths=(0.4, 0.4))
    pull = {"shoulder": -6.0}
    return Scene(robot=arm, control={"robot": brain}, reference=move, gravity=(0, -9.81, 0), torque=pull)


def test_it_says_where_the_linearisation_is_left():
    """Its estimate is that of the torques: near the reference it is small, far from it the run says so."""
    near, far = soft(2000.0), soft(20.0)
    how = {"duration": 1.5, "step": 1e-3, "method": Perturbation(points=200)}
    assert not any("linearisation" in note for note in simulate(near, **how).notes)
    run = simulate(far, **how)
    (note,) = [note for note in run.notes if "linearisation was left" in note]
    assert "% of the largest nominal one" in note
    found = how["method"].validity(far.network, run.signals, run.time)
    robot = far.network.parts["robot"].robot
    k = 100
    q, v = (
        np.array([np.interp(found.time[k], run.time, run[f"{what}.{name}"]) for name in robot.velocity_names])
        for what in "qv"
    )
    nominal = nominal_motion(far, points=200)
    i = round(float(found.time[k]) / nominal.period)
    exact = robot.inverse_dynamics(q, v, nominal.a[i], gravity=(0, -9.81, 0))
    line = nominal.torque[i] + nominal.C[i] @ (v - nominal.v[i]) + nominal.K[i] @ (q - nominal.q[i])
    np.testing.assert_allclose(found.torque[k], line - exact, atol=0.05 * np.abs(found.torque).max())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: simulate(
                library.rx90b(load=5.0).scene(reference=PATH),
                duration=0.1,
                step=2.5e-4,
                method=Perturbation(nominal=nominal_motion(SCENE, points=10)),
            ),
            r"another robot than 'robot': robot\.head\.mass is 3 there and 5 here",
        ),
        (
            lambda: simulate(
                ARM.scene(reference=replace(PATH, begin=0.4)),
                duration=0.1,
                step=2.5e-4,
                method=Perturbation(nominal=nominal_motion(SCENE, points=10)),
            ),
            "another than the scene's reference",
        ),
        (lambda: nominal_motion(Scene(robot=ARM.robot)), "has no reference"),
        (lambda: nominal_motion(SCENE, points=1), "points is 1"),
        (
            lambda: nominal_motion(Scene(robot=library.pendulum(1), reference={"joint1": lambda t: t})),
            "duration is inf",
        ),
        (lambda: Perturbation(points=1), "points is 1"),
        (lambda: Perturbation(inner=Perturbation()), "inner is a Perturbation"),
        (lambda: NominalMotion.load("nowhere.npz"), "there is no file 'nowhere.npz'"),
        (
            lambda: simulate(SCENE, duration=0.1, step=2.5e-4, method=Perturbation(points=10), energy=True),
            "keeps no energy balance",
        ),
        (
            lambda: simulate(
                SCENE, duration=0.1, step=2.5e-4, method=Perturbation(points=10), parameters={"robot.link2.mass": 20.0}
            ),
            r"'robot\.link2\.mass' is no parameter under method 'perturbation by moreau', which has it fixed",
        ),
        (
            lambda: simulate(
                replace(
                    SCENE,
                    parts={
                        **SCENE.parts,
                        "ball": stiction.parts.FreeBody(mass=1.0, inertia=(1, 1, 1)),
                        "rope": stiction.parts.TwoPointSpring(between=("robot.tool", "ball"), stiffness=10.0),
                    },
                ),
                duration=0.1,
                step=2.5e-4,
                method=Perturbation(points=10),
            ),
            "a linearised robot has none",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_file_that_is_none(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, a=np.zeros(3))
    with pytest.raises(InputError, match="no nominal motion"):
        NominalMotion.load(path)


def test_computed_torque_beside_it():
    """With a controller that follows closely both models are one."""
    move = PointToPoint(
        start=[0, 0.6, 1.2, 0, 1.0, 0], stop=[0.3, 0.8, 1.0, 0.3, 1.2, 0.2], velocity=0.5, acceleration=2.0
    )
    arm = replace(library.puma560(), joints=[replace(j, friction=0.0) for j in library.puma560().joints])
    scene = Scene(
        robot=arm,
        control={"robot": ComputedTorque(clock=Clock(period=1e-3), stiffness=900.0, damping=60.0)},
        reference=move,
    )
    how = {"duration": 1.0, "step": 1e-3}
    a, b = simulate(scene, **how), simulate(scene, **how, method=Perturbation(points=200))
    assert np.abs(a.stack("q.") - b.stack("q.")).max() < 2e-6
