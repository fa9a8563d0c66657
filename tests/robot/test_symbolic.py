"""Closed forms: what textbooks print, and what the recursive algorithms compute."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import stiction
from stiction import Box, Frame, Joint, Link, Origin, PointMass, Robot, library
from stiction.robot.symbolic import lagrange_equations

DOWN = (0, -1, 0)


def same(a, b):
    return sp.simplify(sp.Matrix([a]) - sp.Matrix([b])) == sp.zeros(*sp.Matrix([a]).shape)


def three_link():
    """A plane 3R arm of point masses."""
    lengths = (0.5, 0.4, 0.3)
    links = [
        Link(name="base"),
        *(Link.of(f"rod{k + 1}", PointMass(mass=1.0 + k, origin=Origin(xyz=(x, 0, 0)))) for k, x in enumerate(lengths)),
    ]
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind="continuous",
            parent=links[k].name,
            child=links[k + 1].name,
            origin=Origin(xyz=((0.0, *lengths)[k], 0, 0)),
        )
        for k in range(3)
    ]
    return Robot(
        name="three_link",
        links=links,
        joints=joints,
        frames=[Frame(name="tip", link="rod3", origin=Origin(xyz=(0.3, 0, 0)))],
    )


def geared():
    arm = library.two_link(lengths=(0.5, 0.4))
    return replace(
        arm,
        joints=[replace(j, rotor_inertia=2e-4, gear_ratio=n) for j, n in zip(arm.joints, (100.0, 50.0), strict=True)],
    )


def spatial():
    """Three boxes about three axes."""
    box = Box(size=(0.1, 0.2, 0.3), mass=2.0, origin=Origin(xyz=(0, 0.02, 0.15)))
    links = [Link(name="base"), *(Link.of(f"box{k + 1}", box) for k in range(3))]
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind="prismatic" if k == 2 else "revolute",
            parent=links[k].name,
            child=links[k + 1].name,
            axis=axes[k],
            origin=Origin(xyz=(0, 0, 0.3 if k else 0)),
        )
        for k in range(3)
    ]
    return Robot(name="spatial", links=links, joints=joints)


def test_the_rp_arm_of_the_course():
    """M = diag(I1 + I2 + m1 L1² + m2 θ2², m2), c and g of course section 1, exercise 1."""
    names = {"turret.inertia.zz": "I1", "slider.inertia.zz": "I2"}
    arm = library.rp_arm().symbolic(gravity=DOWN, names=names)
    m1, m2, I1, I2, L1 = (sp.Symbol(x, real=True) for x in ("m1", "m2", "I1", "I2", "L1"))
    (q1, q2), (v1, v2), g = arm.q, arm.v, arm.g
    assert same(arm.mass_matrix, sp.diag(I1 + I2 + m1 * L1**2 + m2 * q2**2, m2))
    assert same(arm.gravity_torque, sp.Matrix([(m1 * L1 + m2 * q2) * g * sp.cos(q1), m2 * g * sp.sin(q1)]))
    assert [(t.joint, t.kind, t.term) for t in arm.velocity_terms] == [
        ("turn", "Coriolis", 2 * m2 * q2 * v1 * v2),
        ("slide", "centripetal", -m2 * q2 * v1**2),
    ]


def test_the_2r_arm_of_the_textbooks():
    arm = library.two_link().symbolic(gravity=DOWN)
    m1, m2, L1, L2 = (sp.Symbol(x, real=True) for x in ("m1", "m2", "L1", "L2"))
    (q1, q2), (v1, v2), g, c = arm.q, arm.v, arm.g, sp.cos(arm.q[1])
    off = m2 * (L1 * L2 * c + L2**2)
    assert same(
        arm.mass_matrix, sp.Matrix([[m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c + L2**2), off], [off, m2 * L2**2]])
    )
    h = m2 * L1 * L2 * sp.sin(q2)
    found = {(t.joint, t.kind, t.velocities): t.term for t in arm.velocity_terms}
    assert found == {
        ("shoulder", "Coriolis", ("shoulder", "elbow")): -2 * h * v1 * v2,
        ("shoulder", "centripetal", ("elbow", "elbow")): -h * v2**2,
        ("elbow", "centripetal", ("shoulder", "shoulder")): h * v1**2,
    }
    reach = L1 * sp.cos(q1) + L2 * sp.cos(q1 + q2)
    assert same(
        arm.gravity_torque, sp.Matrix([m1 * g * L1 * sp.cos(q1) + m2 * g * reach, m2 * g * L2 * sp.cos(q1 + q2)])
    )
    assert same(arm.pose("tip")[0, 3], reach)
    assert "m_{2}" in arm.latex() and str(arm).startswith("K = ")


def test_rotors_weigh_by_the_square_of_their_ratios():
    arm = geared().symbolic()
    plain = library.two_link(lengths=(0.5, 0.4)).symbolic()
    J1, J2, n1, n2 = (sp.Symbol(x, real=True) for x in ("J1", "J2", "n1", "n2"))
    assert same(arm.mass_matrix - plain.mass_matrix, sp.diag(J1 * n1**2, J2 * n2**2))


def turned():
    """2R whose second axis stands at an angle of no drawing board."""
    arm = library.two_link(lengths=(0.5, 0.4))
    origin = replace(arm.joints[1].origin, rpy=(0.0, 0.3, 0.0))
    return replace(arm, joints=[arm.joints[0], replace(arm.joints[1], origin=origin)])


ROBOTS = {
    "RP": library.rp_arm(),
    "2R": library.two_link(lengths=(0.5, 0.4)),
    "3R": three_link(),
    "geared": geared(),
    "spatial": spatial(),
    "turned": turned(),
}


@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow) if x == "spatial" else x for x in ROBOTS])
def test_closed_forms_are_what_the_recursions_compute(name):
    robot, rng = ROBOTS[name], np.random.default_rng(3)
    sym = robot.symbolic(gravity=DOWN)
    letters = [*sym.q, *sym.v, *sym.a, *sym.values, sym.g]
    f = {
        what: sp.lambdify(letters, getattr(sym, what), "numpy")
        for what in (
            "mass_matrix",
            "equations",
            "coriolis_matrix",
            "gravity_torque",
            "kinetic_energy",
            "potential_energy",
        )
    }
    for _ in range(5):
        q, v, a = rng.normal(size=(3, robot.nv))
        given = [*q, *v, *a, *sym.values.values(), 9.81]
        gravity = (0, -9.81, 0)
        np.testing.assert_allclose(f["mass_matrix"](*given), robot.mass_matrix(q), atol=1e-12)
        np.testing.assert_allclose(
            np.ravel(f["equations"](*given)), robot.inverse_dynamics(q, v, a, gravity=gravity), atol=1e-11
        )
        np.testing.assert_allclose(
            np.ravel(f["gravity_torque"](*given)), robot.gravity_torque(q, gravity=gravity), atol=1e-12
        )
        np.testing.assert_allclose(
            f["coriolis_matrix"](*given) @ v, robot.inverse_dynamics(q, v, 0 * v, gravity=(0, 0, 0)), atol=1e-11
        )
        assert f["kinetic_energy"](*given) == pytest.approx(robot.kinetic_energy(q, v), rel=1e-12)
        assert f["potential_energy"](*given) == pytest.approx(robot.potential_energy(q, gravity=gravity), abs=1e-12)


def test_euler_and_lagrange_say_the_same():
    arm = library.two_link().symbolic(gravity=DOWN)
    assert same(lagrange_equations(arm.lagrangian, arm.q, arm.v, arm.a), list(arm.equations))


def test_coriolis_matrices_are_those_of_christoffel():
    """Ṁ − 2 C is skew-symmetric."""
    arm = library.two_link().symbolic()
    rate = sum((arm.mass_matrix.diff(x) * dx for x, dx in zip(arm.q, arm.v, strict=True)), start=sp.zeros(2))
    skew = rate - 2 * arm.coriolis_matrix
    assert same(skew + skew.T, sp.zeros(2))


def test_task_inertia_of_the_rp_arm():
    """At θ1 = 0: diag(m2, (k + m2 θ2²)/θ2²), k = I1 + I2 + m1 L1²: course section 6."""
    arm = library.rp_arm().symbolic(names={"turret.inertia.zz": "I1", "slider.inertia.zz": "I2"})
    found = arm.task_inertia("slider", [3, 4]).subs(arm.q[0], 0)
    m1, m2, I1, I2, L1, q2 = (*(sp.Symbol(x, real=True) for x in ("m1", "m2", "I1", "I2", "L1")), arm.q[1])
    assert same(found, sp.diag(m2, (I1 + I2 + m1 * L1**2 + m2 * q2**2) / q2**2))
    with pytest.raises(stiction.InputError, match="2 rows of 0 to 5 in which the Jacobian"):
        arm.task_inertia("slider", [0, 1])


def test_a_lagrangian_of_your_own():
    """Course exercise 2: the component m θ̇1 θ̇2 cos θ2."""
    m, q1, q2, v1, v2, a1, a2 = sp.symbols("m q1 q2 v1 v2 a1 a2")
    found = lagrange_equations(m * v1 * v2 * sp.cos(q2), [q1, q2], [v1, v2], [a1, a2])
    assert same(found, [m * a2 * sp.cos(q2) - m * v2**2 * sp.sin(q2), m * a1 * sp.cos(q2)])


def test_names_can_be_chosen():
    arm = library.two_link().symbolic(names={"upper_arm.mass": "m", "forearm.mass": "m", "tip.frame.x": 0.25})
    assert sp.Symbol("m", real=True) in arm.mass_matrix.free_symbols and arm.pose("tip").subs(dict.fromkeys(arm.q, 0))[
        0, 3
    ] == sp.Symbol("L1", real=True) + sp.Rational(1, 4)
    with pytest.raises(stiction.InputError, match=r"unknown parameter 'forearm\.mas'"):
        library.two_link().symbolic(names={"forearm.mas": "m"})
    with pytest.raises(stiction.InputError, match="would fill books; allowed: robots of up to 4 joints"):
        library.puma560().symbolic()


@pytest.mark.parametrize("locked", [("joint1", "joint4", "joint5", "joint6"), ("joint1", "joint3", "joint5", "joint6")])
def test_links_that_are_fixed_to_others_have_symbols_of_their_own(locked):
    robot = stiction.library.puma560().lock(dict.fromkeys(locked, 0.0))
    derived, q = robot.symbolic(), np.array([0.3, 0.5])
    M = np.array(derived.mass_matrix.subs({**derived.values, **dict(zip(derived.q, q, strict=True))}), float)
    np.testing.assert_allclose(M, robot.mass_matrix(q), rtol=1e-12, atol=1e-12)


def test_velocities_of_a_lagrangian_are_found_whatever_is_assumed_of_them():
    x, dx = sp.symbols("x dx", real=True)
    L = dx**2 / 2 - x**2
    for q in ([x], ["x"]):
        (found,) = stiction.lagrange_equations(L, q)
        ddx = next(s for s in found.free_symbols if str(s) == "ddx")
        assert sp.simplify(found - ddx - 2 * x) == 0
    y, dy, t = sp.symbols("y dy t")
    assert stiction.lagrange_equations(t * dy**2 / 2, [y]) == [sp.Symbol("ddy") * t + dy]
    arm = stiction.library.two_link().symbolic(gravity=(0, -1, 0))
    for ours, theirs in zip(stiction.lagrange_equations(arm.lagrangian, arm.q), arm.equations, strict=True):
        assert sp.simplify(ours - theirs) == 0
    with pytest.raises(stiction.InputError, match="none of the velocities"):
        stiction.lagrange_equations(dx**2 / 2, [y])
    with pytest.raises(stiction.InputError, match=r"not x\(t\)"):
        stiction.lagrange_equations(dx**2 / 2, [sp.Function("x")(t)])
    with pytest.raises(stiction.InputError, match="as many of each"):
        stiction.lagrange_equations(L, [x], [dx, dy])


def test_names_that_mean_something_else_are_refused():
    arm = stiction.library.two_link(masses=(1.0, 2.0))
    for name in ("q1", "g", "L1"):
        with pytest.raises(stiction.InputError, match=f"'{name}' for 'forearm.mass'"):
            arm.symbolic(names={"forearm.mass": name})
    with pytest.raises(stiction.InputError, match="that are equal"):
        arm.symbolic(names={"forearm.mass": "m", "upper_arm.mass": "m"})
    for gravity in ((1, 2), (0, 0, float("nan")), "down"):
        with pytest.raises(stiction.InputError, match="gravity is"):
            arm.symbolic(gravity=gravity)
    with pytest.raises(stiction.InputError, match="rows is"):
        arm.symbolic().task_inertia("tip", [0, 9])


def test_task_inertia_of_the_2r_arm_is_short():
    arm = stiction.library.two_link().symbolic()
    task = arm.task_inertia("tip", [3, 4])
    assert max(len(str(entry)) for entry in task) < 200


def test_mimic_joints_are_refused():
    arm = stiction.library.two_link()
    first, second = arm.joints[:2]
    follows = replace(second, mimic=stiction.Mimic(joint=first.name))
    with pytest.raises(stiction.RobotError, match="mimics"):
        replace(arm, joints=[first, follows, *arm.joints[2:]]).symbolic()


def test_many_frames_on_one_link():
    arm = stiction.library.two_link()
    frames = [Frame(name=f"f{k}", link="forearm", origin=Origin(xyz=(0.1 + 0.01 * k, 0, 0))) for k in range(14)]
    many = replace(arm, frames=[*arm.frames, *frames]).symbolic()
    assert len(set(many.symbols.values())) >= 14
