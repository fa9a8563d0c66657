"""Published digits and closed forms."""

import math

import modern_robotics as mr
import numpy as np
import pytest

import stiction
from stiction import Box, Cylinder, Joint, Link, Origin, PointMass, Robot, Sphere
from stiction.spatial import Matrix, Pose, Vector

Q = [0, math.pi / 4, math.pi, 0, math.pi / 4, 0]


def puma_friction(robot, v):
    """Viscous and asymmetric Coulomb torque, with the sign of the velocity."""
    return np.array(
        [
            j.damping * w + (j.friction[0] if w > 0 else -j.friction[1] if w < 0 else 0.0)
            for j, w in zip(robot.joints, v, strict=True)
        ]
    )


def test_puma_gravity():
    np.testing.assert_allclose(
        stiction.library.puma560().gravity_torque(Q), [0, 31.63988038, 6.03513802, 0, 0.02825280, 0], atol=1e-7
    )


def test_puma_inverse_dynamics():
    robot = stiction.library.puma560()
    fast = robot.inverse_dynamics(Q, np.ones(6), np.zeros(6)) + puma_friction(robot, np.ones(6))
    np.testing.assert_allclose(
        fast, [29.14213190, 56.50435761, 16.35276886, 1.26447599, 1.12392228, 0.51964810], atol=1e-7
    )
    still = robot.inverse_dynamics(Q, np.zeros(6), np.ones(6))
    np.testing.assert_allclose(
        still, [3.35311086, 36.00251124, 7.42596408, 0.19004303, 0.20344093, 0.19413279], atol=1e-7
    )


def test_puma_mass_matrix():
    M = stiction.library.puma560().mass_matrix(Q)
    np.testing.assert_allclose(
        np.diag(M), [3.65937541, 4.41374193, 0.93784158, 0.19253171, 0.17134845, 0.19410451], atol=1e-7
    )
    np.testing.assert_allclose([M[0, 1], M[0, 2], M[1, 2]], [-0.40436125, 0.10061365, 0.35089066], atol=1e-7)


def test_puma_forward_dynamics():
    robot = stiction.library.puma560()
    v, torque = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1]), np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])
    friction = puma_friction(robot, v)
    np.testing.assert_allclose(
        -friction, [-25.31156668, -15.48406373, -10.27357239, -0.93393673, -0.87964849, -0.51949981], atol=1e-7
    )
    a = robot.forward_dynamics(Q, v, torque - friction)
    np.testing.assert_allclose(
        a, [-7.41022316, -9.84322458, -10.96939845, -4.43142875, -0.98814107, 21.02278195], atol=1e-7
    )


def test_pendulum():
    robot = stiction.library.pendulum(1)
    scene = stiction.Scene(robot=robot, q=[math.pi / 2])
    q = stiction.simulate(scene, duration=10.0, step=1e-4, record=5.0)["q.joint1"]
    tip = np.stack([-np.sin(q), -np.cos(q)], axis=-1)
    np.testing.assert_allclose(tip[1], [-0.9423054350, -0.3347543384], atol=1e-9)
    np.testing.assert_allclose(tip[2], [-0.2750874626, -0.9614192051], atol=1e-9)
    fine = stiction.simulate(scene, duration=2.3678, step=1e-4, record=2.3678)
    last = fine["q.joint1"][-1], fine["v.joint1"][-1]
    remaining = -last[1] / float(robot.forward_dynamics([last[0]], [last[1]], [0.0])[0])  # time to the turning point
    assert 2.3678 + remaining == pytest.approx(2.3678419476, abs=1e-9)


def modern_robotics_example():
    """Three-link UR5-like example of the Modern Robotics library, with gravity (0, 0, −9.8)."""
    T = {
        "01": ([0, 0, 0.089159], np.eye(3)),
        "12": ([0.28, 0.13585, 0], np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], float)),
        "23": ([0, -0.1197, 0.395], np.eye(3)),
        "34": ([0, 0, 0.14225], np.eye(3)),
    }
    M = []
    for p, R in T.values():
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R, p
        M.append(X)
    G = [
        np.diag([*I, m, m, m])
        for I, m in (
            ((0.010267, 0.010267, 0.00666), 3.7),
            ((0.22689, 0.22689, 0.0151074), 8.393),
            ((0.0494433, 0.0494433, 0.004095), 2.275),
        )
    ]
    S = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]], float).T
    return M, G, S


def same_arm(M, G, S):
    """That example as one of our robots, frames on the axes, and how much faster our joints turn than its screws."""
    links, joints, frame, before = [Link(name="base")], [], np.eye(4), np.eye(4)
    speeds = np.linalg.norm(S[:3], axis=0)  # its first screw is no unit vector
    for k in range(3):
        frame = frame @ M[k]  # at the link's centre of mass, in the world, at rest
        w, v = S[:3, k] / speeds[k], S[3:, k] / speeds[k]
        assert w @ v == 0, "a rotation, not a helix"
        axis_frame = np.eye(4)
        axis_frame[:3, 3] = np.cross(w, v)
        center, step = np.linalg.inv(axis_frame) @ frame, np.linalg.inv(before) @ axis_frame
        R = center[:3, :3]
        links.append(
            Link(name=f"link{k}", mass=G[k][3, 3], center_of_mass=center[:3, 3], inertia=R @ G[k][:3, :3] @ R.T)
        )
        joints.append(
            Joint(
                name=f"joint{k}",
                kind="revolute",
                parent=links[k].name,
                child=links[k + 1].name,
                axis=w,
                origin=Origin(xyz=step[:3, 3]),
            )
        )
        before = axis_frame
    tip = stiction.Frame(name="tip", link="link2", origin=Origin.from_pose(_pose(np.linalg.inv(before) @ frame @ M[3])))
    return Robot(name="modern", links=links, joints=joints, frames=[tip]), speeds


def _pose(X):
    return Pose(Matrix(X[:3, :3].tolist()), Vector(*X[:3, 3].tolist()))


def test_modern_robotics():
    M, G, S = modern_robotics_example()
    robot, s = same_arm(M, G, S)
    rng = np.random.default_rng(0)
    g = np.array([0, 0, -9.8])
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 3))
        tip = rng.normal(size=6)
        expected = mr.InverseDynamics(q, v, a, g, tip, M, G, S)
        close(s * robot.inverse_dynamics(s * q, s * v, s * a, gravity=g, wrenches={"tip": -tip}), expected)
        close(np.outer(s, s) * robot.mass_matrix(s * q), mr.MassMatrix(q, M, G, S))
        close(s * (robot.coriolis_matrix(s * q, s * v) @ (s * v)), mr.VelQuadraticForces(q, v, M, G, S))
        close(s * robot.gravity_torque(s * q, gravity=g), mr.GravityForces(q, g, M, G, S))
        close(s * (robot.jacobian(s * q, "tip", axes="body").T @ tip), mr.EndEffectorForces(q, tip, M, G, S))
        ours = robot.forward_dynamics(s * q, s * v, expected / s, gravity=g, wrenches={"tip": -tip}) / s
        close(ours, mr.ForwardDynamics(q, v, expected, g, tip, M, G, S))


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * max(1.0, np.abs(b).max()))


def test_two_link_closed_form():
    """Point masses: M, c and g of course section 1."""
    m1, m2, L1, L2, g = 1.3, 0.7, 0.4, 0.3, 9.81
    robot = stiction.library.two_link(lengths=(L1, L2), masses=(m1, m2))
    q, v = np.array([0.4, -1.1]), np.array([0.5, 2.0])
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    M = [
        [m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c2 + L2**2), m2 * (L1 * L2 * c2 + L2**2)],
        [m2 * (L1 * L2 * c2 + L2**2), m2 * L2**2],
    ]
    np.testing.assert_allclose(robot.mass_matrix(q), M, rtol=1e-14)
    c = [-m2 * L1 * L2 * s2 * (2 * v[0] * v[1] + v[1] ** 2), m2 * L1 * L2 * v[0] ** 2 * s2]
    np.testing.assert_allclose(robot.coriolis_matrix(q, v) @ v, c, rtol=1e-13)
    down = [(m1 + m2) * L1 * g * math.cos(q[0]) + m2 * g * L2 * math.cos(q.sum()), m2 * g * L2 * math.cos(q.sum())]
    np.testing.assert_allclose(robot.gravity_torque(q, gravity=(0, -g, 0)), down, rtol=1e-14)


def test_rp_arm_closed_form():
    m1, m2, L1, I1, I2, g = 2.0, 1.5, 0.4, 0.2, 0.1, 9.81
    robot = stiction.library.rp_arm(first_mass=m1, first_length=L1, second_mass=m2, first_inertia=I1, second_inertia=I2)
    q, v = np.array([0.6, 0.9]), np.array([1.2, -0.7])
    np.testing.assert_allclose(robot.mass_matrix(q), np.diag([I1 + I2 + m1 * L1**2 + m2 * q[1] ** 2, m2]), atol=1e-14)
    np.testing.assert_allclose(
        robot.coriolis_matrix(q, v) @ v, [2 * m2 * q[1] * v[0] * v[1], -m2 * q[1] * v[0] ** 2], rtol=1e-13
    )
    expected = [(m1 * L1 + m2 * q[1]) * g * math.cos(q[0]), m2 * g * math.sin(q[0])]
    np.testing.assert_allclose(robot.gravity_torque(q, gravity=(0, -g, 0)), expected, rtol=1e-14)


def test_closed_forms_from_the_same_source():
    """The RP arm's mass matrix as SymPy writes it: symbols for the joints and for m2."""
    sympy = pytest.importorskip("sympy")
    from stiction.dynamics.composite_body import mass_matrix
    from stiction.robot.assembly import Assembly
    from stiction.robot.substitution import Substitution

    robot = stiction.library.rp_arm()
    names = {"slider.mass": sympy.Symbol("m2", positive=True), "turret.mass": sympy.Symbol("m1", positive=True)}
    parameter = Substitution(lambda _, name, value: names.get(name, sympy.nsimplify(value)))
    symbolic = Assembly(robot, parameter).mechanism
    q = list(sympy.symbols("theta1 theta2", real=True))
    M = sympy.simplify(sympy.Matrix(mass_matrix(symbolic, q).lists))
    m1, m2 = names["turret.mass"], names["slider.mass"]
    assert sympy.simplify(M[0, 0] - (sympy.Rational(1, 5) + m1 / 4 + m2 * q[1] ** 2)) == 0
    assert M[1, 1] == m2 and M[0, 1] == 0


def test_solids():
    """Standard solids, and the composites of course section 3."""
    ring = [
        PointMass(mass=10 / 360, origin=Origin(xyz=(0, 3 * math.cos(a), 3 * math.sin(a))))
        for a in np.arange(360) * math.tau / 360
    ]
    np.testing.assert_allclose(Link.of("ring", *ring).inertia, np.diag([90, 45, 45]), atol=1e-9)
    link = Link.of(
        "cube and ball",
        Box(size=(1, 1, 1), mass=1, origin=Origin(xyz=(0, 0, 0.5))),
        Sphere(radius=1, mass=2, origin=Origin(xyz=(0, 0, 2))),
    )
    assert link.mass == 3
    np.testing.assert_allclose(link.center_of_mass, [0, 0, 1.5])
    side = 1 / 6 + 1.0 + 0.8 + 2 * 0.25
    np.testing.assert_allclose(np.diag(link.inertia), [side, side, 1 / 6 + 0.8])
    turned = Link.of("lying", Cylinder(radius=0.1, length=1, density=1000, origin=Origin(rpy=(0, math.pi / 2, 0))))
    mass = 1000 * math.pi * 0.01
    np.testing.assert_allclose(
        np.diag(turned.inertia), [mass * 0.005, mass * (0.03 + 1) / 12, mass * (0.03 + 1) / 12], rtol=1e-12
    )


def test_capsule_by_slices():
    r, L, slices = 0.3, 0.8, 20_000
    z = (np.arange(slices) + 0.5) / slices * (L + 2 * r) - (L / 2 + r)
    inside = np.clip(np.abs(z) - L / 2, 0, None)
    area = math.pi * (r * r - inside**2)
    dz = (L + 2 * r) / slices
    capsule = stiction.Capsule(radius=r, length=L, density=1.0)
    assert capsule.total_mass == pytest.approx((area * dz).sum(), rel=1e-7)
    side = (area * dz * ((r * r - inside**2) / 4 + z**2)).sum()
    np.testing.assert_allclose(
        np.diag(capsule.inertia), [side, side, (area * dz * (r * r - inside**2) / 2).sum()], rtol=1e-6
    )


def test_two_links_of_a_pendulum():
    """Of points of 2 kg at 0.5 m: each hangs on the one before."""
    c = math.cos(0.7)
    expected = 2.0 * 0.25 * np.array([[3 + 2 * c, 1 + c], [1 + c, 1]])
    arm = stiction.library.pendulum(2, length=0.5, mass=2.0)
    np.testing.assert_allclose(arm.mass_matrix([0.3, 0.7]), expected, rtol=1e-12)
    np.testing.assert_allclose(arm.gravity_torque([0.0, 0.7])[1], 2.0 * 9.81 * 0.5 * math.sin(0.7), rtol=1e-12)
