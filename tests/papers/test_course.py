"""The exercises of the course. (1, 2 and 10 in closed form: tests/robot/test_symbolic.py and test_task_space.py; the
textbook's own code: tests/oracles/test_digits.py.)
"""

import subprocess
import sys
from pathlib import Path

import modern_robotics as mr
import numpy as np
import pytest

from stiction import (
    Box,
    Follow,
    Joint,
    Link,
    MassProperties,
    Origin,
    Robot,
    RobotError,
    Scene,
    Sphere,
    ad,
    adjoint,
    lagrange_equations,
    library,
    simulate,
)
from stiction.parts import LagrangianBody
from stiction.trace import cos


def test_exercise_3_each_entry_of_the_mass_matrix():
    """Accelerations (1, 0) and (0, 1): torques are moments of what the point masses take."""
    L1, L2, m1, m2, q = 0.7, 0.4, 1.3, 0.6, (0.3, 0.9)
    arm = library.two_link(lengths=(L1, L2), masses=(m1, m2))
    c = np.cos(q[1])
    M = [
        [m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c + L2**2), m2 * (L1 * L2 * c + L2**2)],
        [m2 * (L1 * L2 * c + L2**2), m2 * L2**2],
    ]
    assert abs(arm.mass_matrix(q) - M).max() < 1e-14


@pytest.mark.parametrize(
    ("a", "b", "valid"), [(2.4, 2.4, True), (-2.4, -2.4, True), (2.5, 2.5, False), (1.0, 0.0, False)]
)
def test_exercise_4_what_a_mass_matrix_may_be(a, b, valid):
    """[[3, a], [b, 2]] is one where a = b and |a| < √6."""
    M = np.array([[3, a], [b, 2]])
    positive = a == b and (np.linalg.eigvalsh(M) > 0).all()
    assert positive == valid == (a == b and abs(a) < np.sqrt(6))
    if a == b:
        body = LagrangianBody(
            coordinates=("x", "y"), lagrangian=lambda q, v: 1.5 * v[0] * v[0] + a * v[0] * v[1] + v[1] * v[1]
        )
        scene = Scene(parts={"body": body})
        if valid:
            assert simulate(scene, duration=0.01, step=1e-3).status == "completed"
        else:
            with pytest.raises(Exception, match=r"mass|positive"):
                simulate(scene, duration=0.01, step=1e-3)


def test_exercise_5_the_torque_ellipse_grows_with_the_arm():
    arm = library.rp_arm()
    shapes = [arm.ellipsoid([0.0, x], "torque") for x in (0.5, 1.0, 2.0)]
    for shape, x in zip(shapes, (0.5, 1.0, 2.0), strict=True):
        assert abs(shape.matrix - np.diag(arm.mass_matrix([0.0, x]).diagonal())).max() < 1e-12  # along the axes
    widths = [shape.matrix[0, 0] for shape in shapes]
    assert widths[0] < widths[1] < widths[2]
    assert len({round(float(shape.matrix[1, 1]), 12) for shape in shapes}) == 1


def test_exercise_6_a_ring():
    angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    ring = np.stack([0 * angles, 3 * np.cos(angles), 3 * np.sin(angles)], axis=-1)
    G = MassProperties.of_points(np.full(360, 10 / 360), ring).spatial()
    assert abs(G - np.diag([90, 45, 45, 10, 10, 10])).max() < 1e-10


def test_exercise_7_a_cube_and_a_sphere():
    """The page divides by 2 where the total mass is 3: that moves the centre, and gives 6.48 for 4.40."""
    cube = Box(size=(2, 2, 2), mass=2.0, origin=Origin(xyz=(0, 0, 1)))
    ball = Sphere(radius=1.0, mass=1.0, origin=Origin(xyz=(0, 0, 3)))
    body = MassProperties.of_solids(cube, ball)
    assert abs(body.center - [0, 0, 5 / 3]).max() < 1e-15
    assert abs(body.spatial() - np.diag([4.4, 4.4, 26 / 15, 3, 3, 3])).max() < 1e-12
    printed = body.about([0, 0, 5 / 2])  # where the page puts the centre
    assert abs(printed.diagonal() - [6.48, 6.48, 1.73]).max() < 0.01
    assert (np.linalg.eigvalsh(printed - body.inertia) > -1e-12).all()  # about the centre it is smallest


def test_exercise_8_torque_from_a_wrench_in_another_frame():
    """τ = F_bᵀ Ad(T_ba) S, in every frame the same."""
    rng = np.random.default_rng(3)
    w = rng.normal(size=3)
    S = np.concatenate([w / np.linalg.norm(w), np.zeros(3)])  # frame a is on the axis
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Origin(rpy=tuple(rng.normal(size=3))).rotation, rng.normal(size=3)
    F = rng.normal(size=6)
    torque = F @ adjoint(T) @ S
    carried = T[:3, :3].T @ (F[:3] - np.cross(T[:3, 3], F[3:]))  # the moment about a's origin, in a's axes, by hand
    assert abs(torque - carried @ S[:3]) < 1e-12
    assert abs(adjoint(T) - mr.Adjoint(T)).max() < 1e-15
    V = rng.normal(size=6)
    assert abs(ad(V) - mr.ad(V)).max() == 0


def test_exercise_9_newton_and_euler_by_hand():
    """Where the page breaks off: twists, accelerations and wrenches of both links, and the torques."""
    L1, L2, m1, m2, g = 0.7, 0.4, 1.3, 0.6, 9.81
    (a, b), (da, db), (dda, ddb) = (0.3, 0.9), (1.1, -0.7), (2.0, 0.5)
    arm = library.two_link(lengths=(L1, L2), masses=(m1, m2))
    steps = arm.newton_euler([a, b], [da, db], [dda, ddb], gravity=(0, -g, 0))
    c, s = np.cos(b), np.sin(b)
    tau2 = m2 * (L1 * L2 * c + L2**2) * dda + m2 * L2**2 * ddb + m2 * L1 * L2 * s * da**2
    tau2 += m2 * g * L2 * np.cos(a + b)
    tau1 = (m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c + L2**2)) * dda + m2 * (L1 * L2 * c + L2**2) * ddb
    tau1 += -m2 * L1 * L2 * s * (2 * da * db + db**2) + (m1 + m2) * g * L1 * np.cos(a) + m2 * g * L2 * np.cos(a + b)
    assert abs(steps.torque - [tau1, tau2]).max() < 1e-12
    mass2 = (
        np.array([L1 * s, L1 * c + L2, 0.0]) * da + np.array([0.0, L2, 0.0]) * db
    )  # its velocity, in its link's axes
    twist = steps.links[1].twist
    assert abs(twist[:3] - [0, 0, da + db]).max() < 1e-14
    assert abs(twist[3:] + np.cross(twist[:3], [L2, 0, 0]) - mass2).max() < 1e-14
    assert abs(arm.inverse_dynamics([a, b], [da, db], [dda, ddb], gravity=(0, -g, 0)) - [tau1, tau2]).max() < 1e-12


def test_exercise_11_four_forms_of_one_equation():
    """M a + h = M a + c + g = M a + C v + g = M a + vᵀ Γ v + g."""
    arm = library.two_link(lengths=(0.7, 0.4), masses=(1.3, 0.6))
    q, v, a, down = [0.3, 0.9], np.array([1.1, -0.7]), np.array([2.0, 0.5]), (0, -9.81, 0)
    M = arm.mass_matrix(q)
    whole = arm.inverse_dynamics(q, v, a, gravity=down)
    h = arm.inverse_dynamics(q, v, [0, 0], gravity=down)
    weight = arm.inverse_dynamics(q, [0, 0], [0, 0], gravity=down)
    C = arm.coriolis_matrix(q, v)
    step = 1e-6
    slopes = np.array([(arm.mass_matrix(q + d) - arm.mass_matrix(q - d)) / (2 * step) for d in step * np.eye(2)])
    gamma = (np.einsum("kij->ijk", slopes) + np.einsum("jik->ijk", slopes) - np.einsum("ijk->ijk", slopes)) / 2
    for form in (M @ a + h, M @ a + C @ v + weight):
        assert abs(form - whole).max() < 1e-12
    assert abs(M @ a + np.einsum("j,ijk,k->i", v, gamma, v) + weight - whole).max() < 1e-8  # differences


def test_j_and_m_that_are_diagonal():
    """J = diag(1, 2), M = diag(2, 8): Λ = J⁻ᵀ M J⁻¹ = diag(2, 2)."""
    tiny = 1e-12
    robot = Robot(
        name="slides",
        links=[Link(name="base"), Link(name="a", mass=tiny), Link(name="tip", mass=2.0)],
        joints=[
            Joint(name="x", kind="prismatic", parent="base", child="a", axis=(1, 0, 0)),
            Joint(name="y", kind="prismatic", parent="a", child="tip", axis=(0, 1, 0)),
        ],
    )
    J = np.diag([1.0, 2.0])  # the second coordinate counts half metres
    M = J.T @ robot.mass_matrix([0, 0]) @ J
    assert abs(M - np.diag([2, 8])).max() < 1e-9
    assert abs(np.linalg.inv(J).T @ M @ np.linalg.inv(J) - np.diag([2, 2])).max() < 1e-9
    assert abs(robot.task_space([0, 0], [0, 0], "tip", ("x", "y")).inertia - np.diag([2, 2])).max() < 1e-9


def test_gear_ratios_make_the_mass_matrix_round():
    """Reflected rotors: at 10 they matter, at 100 they are nearly all of M, which then hardly depends on q."""
    rotor, q = 1e-4, [0.0, 0.3]
    plain = library.two_link(lengths=(0.5, 0.5), masses=(1.0, 1.0))
    spread = []
    for ratio in (1.0, 10.0, 100.0):
        geared = Robot(
            name="geared",
            links=plain.links,
            joints=[
                Joint(
                    **{
                        **{f: getattr(j, f) for f in ("name", "kind", "parent", "child", "origin", "axis")},
                        "rotor_inertia": rotor,
                        "gear_ratio": ratio,
                    }
                )
                for j in plain.joints
            ],
            frames=plain.frames,
        )
        M = geared.mass_matrix(q)
        assert abs(M - plain.mass_matrix(q) - rotor * ratio**2 * np.eye(2)).max() < 1e-12
        spread.append(np.linalg.cond(M))
    assert spread[0] > 5 * spread[2]
    assert spread[0] > spread[1] > spread[2]


@pytest.mark.parametrize("ratio", [1.0, 10.0, 100.0])
def test_rotors_as_bodies_beside_reflected_inertia(ratio):
    """Rotors as bodies on the links that carry them, geared by constraints: as reflected inertia, but for what a rotor
    feels of the link that carries it, I (θ̇1 + n θ̇2)²/2 for I n² θ̇2²/2: n I in M_12, over n² I in M_22.
    """
    rotor = 1e-4
    arm = library.two_link(lengths=(0.5, 0.5), masses=(1.0, 1.0))
    spin = rotor * np.eye(3)
    links = [*arm.links, Link(name="rotor1", mass=1e-9, inertia=spin), Link(name="rotor2", mass=1e-9, inertia=spin)]
    carried = {"rotor1": arm.joints[0], "rotor2": arm.joints[1]}
    joints = [
        *arm.joints,
        *(
            Joint(name=name, kind="continuous", parent=j.parent, child=name, origin=j.origin, axis=j.axis)
            for name, j in carried.items()
        ),
    ]
    whole = Robot(name="rotors", links=links, joints=joints)
    geared = {name: Follow(joint=name, of=joint.name, ratio=ratio) for name, joint in carried.items()}
    moment = Scene(robot=whole, constraints=geared, gravity=(0, 0, 0), q={"elbow": 0.3}).constrained()
    names = moment.velocities
    N = np.zeros((4, 2))
    for k, joint in enumerate(("shoulder", "elbow")):
        N[names.index(joint), k] = 1
        N[names.index(f"rotor{k + 1}"), k] = ratio
    M = N.T @ moment.mass_matrix @ N
    reflected = arm.mass_matrix([0.0, 0.3]) + rotor * ratio**2 * np.eye(2)
    beyond = np.array([[rotor, rotor * ratio], [rotor * ratio, 0.0]])
    assert abs(M - reflected - beyond).max() < 1e-9
    torque = {"shoulder": 1.0}
    run = simulate(
        Scene(robot=whole, constraints=geared, gravity=(0, 0, 0), torque=torque, q={"elbow": 0.3}),
        duration=0.01,
        step=1e-4,
        method="rk4",
    )
    first = np.linalg.solve(M, [1.0, 0.0])
    assert abs(run["q.shoulder"][-1] / 0.01**2 * 2 - first[0]) < 1e-2 * abs(first[0])


def test_bodies_of_points_densities_and_solids_agree():
    size = np.array([0.2, 0.3, 0.5])
    box = Box(size=size, density=800.0)
    solid = MassProperties.of_solids(box)
    dense = MassProperties.of_density(lambda x, y, z: 800.0, -size / 2, size / 2, points=4)
    assert abs(solid.mass - dense.mass) < 1e-12
    assert abs(solid.inertia - dense.inertia).max() < 1e-12
    rng = np.random.default_rng(1)
    points = MassProperties.of_points(rng.uniform(0.1, 1, 20), rng.normal(size=(20, 3)))
    moments, axes = points.principal()
    assert abs(axes @ np.diag(moments) @ axes.T - points.inertia).max() < 1e-12
    assert np.linalg.det(axes) > 0
    assert moments[2] <= moments[0] + moments[1]  # of any body
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Origin(rpy=(0.3, -0.2, 0.9)).rotation, (0.4, -0.1, 0.7)
    Ad = adjoint(np.linalg.inv(T))  # G_a = Ad(T_ba)ᵀ G_b Ad(T_ba)
    assert abs(points.moved(T).spatial(at_center=False) - Ad.T @ points.spatial(at_center=False) @ Ad).max() < 1e-11


def test_a_body_takes_what_newton_and_euler_say():
    """F = G V̇ − ad(V)ᵀ G V against the rate of the momentum of its points."""
    rng = np.random.default_rng(2)
    masses, points = rng.uniform(0.1, 1, 6), rng.normal(size=(6, 3))
    body, (V, dV) = MassProperties.of_points(masses, points), rng.normal(size=(2, 6))
    w, v, dw, dv = V[:3], V[3:], dV[:3], dV[3:]
    force, moment = np.zeros(3), np.zeros(3)
    for m, p in zip(masses, points, strict=True):
        acceleration = dv + np.cross(dw, p) + np.cross(w, v + np.cross(w, p))
        force += m * acceleration
        moment += m * np.cross(p, acceleration)
    assert abs(body.wrench(V, dV) - np.concatenate([moment, force])).max() < 1e-12


def test_bad_bodies_are_refused():
    for make, words in [
        (lambda: MassProperties.of_points([1.0], [[0, 0]]), "allowed: n masses above 0"),
        (lambda: MassProperties.of_points([-1.0], [[0, 0, 0]]), "allowed: n masses above 0"),
        (lambda: MassProperties.of_density(lambda x, y, z: -1.0, (0, 0, 0), (1, 1, 1)), "density is below 0"),
        (lambda: MassProperties.of_density(lambda x, y, z: 1.0, (1, 0, 0), (0, 1, 1)), "the second larger"),
        (lambda: MassProperties.of_solids(), "at least one solid"),
        (lambda: adjoint(np.eye(3)), r"of shape \(4, 4\)"),
        (lambda: adjoint(np.diag([1.0, 1, 1, 2])), "last row"),
        (lambda: ad([1.0, 2, 3, 4, 5, np.nan]), "finite numbers"),
        (lambda: MassProperties.of_points([1.0], [[0, 0, 0]]).about([0, 0]), "a point is"),
        (lambda: MassProperties.of_points([1.0], [[0, 0, 0]]).wrench([0, 0], [0] * 6), "a twist is"),
    ]:
        with pytest.raises(RobotError, match=words):
            make()


def test_a_lagrangian_of_ones_own_is_a_body():
    """A double pendulum typed as its Lagrangian moves as the robot does, under every method, and rubs as it does."""

    def L(q, v, m, l):
        a, b, da, db = q[0], q[0] + q[1], v[0], v[0] + v[1]
        moving = da * da + (da * da + db * db + 2 * da * db * cos(a - b))
        return m * l * l * moving / 2 + m * 9.81 * l * (2 * cos(a) + cos(b))

    body = LagrangianBody(coordinates=("a", "b"), lagrangian=L, values={"m": 1.0, "l": 1.0}, position=(0.5, 0.3))
    scene, robot = Scene(parts={"body": body}), Scene(robot=library.pendulum(2), q=[0.5, 0.3])
    for method in ("rk4", "moreau", "rosenbrock"):
        one, other = (simulate(x, duration=1.0, step=1e-3, method=method) for x in (scene, robot))
        assert abs(one["body.q.a"] - other["q.joint1"]).max() < 1e-12
    many = simulate(scene, duration=0.5, step=1e-3, parameters={"body.values.l": [1.0, 2.0], "body.q.b": [0.3, 0.1]})
    assert abs(many["body.q.a"][-1, 0] - simulate(scene, duration=0.5, step=1e-3)["body.q.a"][-1]) < 1e-14
    import sympy as sp

    q1, q2 = sp.symbols("q1 q2")
    found = lagrange_equations(L, [q1, q2], m=1, l=1)
    assert (
        sp.simplify(found[1].subs({"dq1": 0, "dq2": 0, "ddq1": 0, "ddq2": 0}) - sp.Float(9.81) * sp.sin(q1 + q2)) == 0
    )


def test_bad_lagrangians_are_refused():
    for options, words in [
        ({"lagrangian": lambda q, v: v[0] ** 4}, "not quadratic"),
        ({"lagrangian": lambda q: q[0]}, "cannot be called"),
        ({"lagrangian": lambda q, v: v[0] * v[0], "position": (1.0, 2.0)}, "position has 2 numbers"),
        ({"lagrangian": lambda q, v, m: m * v[0] * v[0], "values": {"m": "x"}}, "values is"),
    ]:
        with pytest.raises(Exception, match=words):
            LagrangianBody(coordinates=("x",), **options)


def test_the_example_of_gear_ratios_runs(tmp_path):
    example = Path(__file__).parent.parent.parent / "examples" / "gear_ratio.py"
    run = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "ratio 100: reflected inertia 5 kg m²" in run.stdout
    assert (tmp_path / "gear_ratio.png").stat().st_size > 20_000
