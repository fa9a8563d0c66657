"""The papers' ways to compute contacts, and pushes on links."""

import numpy as np
import pytest

import stiction
from stiction import Box, Contacts, HalfSpace, Moreau, Origin, Scene, Surface, Wire, simulate
from stiction.parts import Fixed, FreeBody, Source
from tests.contact.scenes import FLOOR, Slope, chain
from tests.methods.test_large_robots import both_ways

G = 9.81


@pytest.mark.parametrize("relaxation", [1e-3, 1e-1])
def test_momentum_gives_under_a_load_and_then_holds(relaxation):
    """λ turns a load into a fixed deflection: deeper, the softer, and no creep."""
    slope = Slope(25, Surface(static=0.5))
    method = Moreau(scheme="gill", contact="momentum", relaxation=relaxation, fade=0.0)
    run = simulate(slope.scene, duration=4.0, step=1e-3, method=method)
    way, depth = slope.way(run), -run["contact.1.gap"]
    assert 0 < -way[-1] < 1e-4
    assert abs(way[-1] - way[2000]) < 1e-12
    assert 1e-8 < depth[-1] < 1e-4
    assert np.isclose(depth[-1], relaxation * 1.2308e-4, rtol=1e-2)  # λ g h cos 25°/k of the mean compliance


def test_plastic_contacts_sink_and_creep():
    slope = Slope(25, Surface(static=0.5))
    run = simulate(slope.scene, duration=2.0, step=1e-3, method=Moreau(scheme="gill", contact="plastic"))
    assert np.abs(slope.way(run)).max() < 1e-3


def test_all_ways_agree_on_a_landing():
    box = FreeBody.of(Box(size=(0.2, 0.3, 0.1), mass=1.0), position=(0, 0, 0.06), velocity=(0.2, 0.1, 0))
    contacts = Contacts(surface=Surface(static=0.3), stiffness=1e5, damping=200.0)
    scene = Scene(parts={"box": box, **FLOOR}, contacts=contacts)
    ends = []
    for method, step in (
        ("moreau", 1e-3),
        (Moreau(scheme="gill"), 1e-3),
        (Moreau(scheme="gill", contact="momentum", fade=0.0), 1e-3),
        ("rk4", 1e-4),
    ):
        run = simulate(scene, duration=0.5, step=step, method=method, record=1e-3)
        ends.append([run[f"box.position.{c}"][-1] for c in "xy"])
    assert np.abs(np.array(ends) - ends[0]).max() < 1e-3


def test_penalty_sinks_in_and_creeps_and_says_so():
    box = FreeBody.of(Box(size=(0.2, 0.2, 0.1), mass=1.0), position=(0, 0, 0.05))
    scene = Scene(parts={"box": box, **FLOOR}, contacts=Contacts(stiffness=1e4, damping=50.0))
    run = simulate(scene, duration=2.0, step=1e-4, method="rk4", record=1e-2, energy=True)
    assert np.isclose(run["box.position.z"][-1], 0.05 - G / 4 / 1e4, atol=1e-7)
    assert np.isclose(run["contact.box.force.z"][-1], G, rtol=1e-6)
    assert any("contacts are springs of 1e+04 N/m under 'rk4'" in note for note in run.notes)
    assert abs(run["energy.residue"][-1]) < 1e-6
    slope = Slope(10, Surface(static=0.5))
    way = slope.way(simulate(slope.scene, duration=1.0, step=1e-3, method="rk4"))
    assert way[-1] < -1e-4  # it creeps at the speed at which friction has faded enough


def test_springs_that_are_too_stiff_are_refused_with_the_step():
    box = FreeBody.of(Box(size=(0.2, 0.2, 0.1), mass=1.0), position=(0, 0, 0.05))
    scene = Scene(parts={"box": box, **FLOOR}, contacts=Contacts(stiffness=1e8, damping=1e3))
    with pytest.raises(stiction.StictionError, match=r"too stiff for 'rk4' at 0\.001 s; the largest stable step"):
        simulate(scene, duration=0.1, step=1e-3, method="rk4")
    with pytest.raises(stiction.StictionError, match="'rosenbrock' cannot follow; use method 'moreau'"):
        simulate(scene, duration=0.1, step=1e-3, method="rosenbrock")


@pytest.mark.parametrize("level", [0.0, 0.02])
def test_contacts_of_large_robots_as_with_a_matrix(level, monkeypatch):
    """A chain of four that falls on the floor, by articulated bodies with locked joints as if it were large, and by the
    matrix; with and without friction that sticks in its joints.
    """
    falls = chain(4, height=0.3)
    friction = {f"joint{k}": stiction.Coulomb(level=level) for k in range(1, 5)} if level else {}
    scene = Scene(robot=falls.robot, parts=falls.parts, contacts=falls.contacts, q=falls.q, friction=friction)
    large, plain = both_ways(monkeypatch, scene, limit=2, duration=0.4)
    assert plain["contact.robot.link4.force.z"].max() > 10
    for name in ("q.joint1", "q.joint2", "q.joint3", "q.joint4", "contact.robot.link4.force.z"):
        scale = np.abs(plain[name]).max()
        assert np.abs(large[name] - plain[name]).max() < 1e-5 * scale, name


def test_a_force_on_a_link_is_what_its_jacobian_says():
    """Anything can push on any link: a constant force at the frame of a link, against J^T f."""
    robot = stiction.library.puma560()
    q = np.array([0.1, -0.5, 0.4, 0.3, 0.2, 0.6])
    push = Source(functions=(3.0, -2.0, 5.0))
    scene = Scene(
        robot=robot, parts={"push": push}, wires=[Wire("robot.link4.force", ["push.force"])], q=q, limits="ignore"
    )
    step = 1e-6
    run = simulate(scene, duration=step, step=step, method="euler")
    v = np.array([run[f"v.{name}"][-1] for name in robot.velocity_names]) / step
    J = robot.jacobian(q, "link4", axes="aligned")
    torque = J[3:].T @ [3.0, -2.0, 5.0]
    assert np.allclose(v, robot.forward_dynamics(q, np.zeros(6), torque), rtol=1e-6, atol=1e-6)


def test_frames_move_as_kinematics_says():
    robot = stiction.library.puma560()
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=6), rng.normal(size=6)
    body = stiction.parts.RobotBody(robot=robot, frames=("link6",), q=tuple(q), v=tuple(v))
    motion = body.motion([*map(float, q), *map(float, v)])
    pose, twist = robot.pose(q, "link6"), robot.twist(q, v, "link6", axes="aligned")
    assert np.allclose(motion["link6.position"], pose[:3, 3])
    assert np.allclose(np.reshape(motion["link6.rotation"], (3, 3)), pose[:3, :3])
    assert np.allclose(motion["link6.angular"], twist[:3]) and np.allclose(motion["link6.velocity"], twist[3:])
    w, x, y, z = motion["link6.quaternion"]
    assert np.isclose(w * w + x * x + y * y + z * z, 1)
    assert np.isclose(2 * (x * y - w * z), pose[0, 1]) and np.isclose(1 - 2 * (x * x + y * y), pose[2, 2])


def test_materials_of_pairs():
    """A rubber block sticks where a steel one slides."""
    angle = 0.4
    blocks = {
        material: FreeBody.of(
            Box(size=(0.1, 0.1, 0.1), mass=1.0, material=material),
            position=Origin(rpy=(0, -angle, 0)).rotation @ [0, y, 0.05],
            quaternion=(np.cos(angle / 2), 0, -np.sin(angle / 2), 0),
        )
        for material, y in (("rubber", -1.0), ("steel", 1.0))
    }
    slope = Fixed(shapes=(HalfSpace(material="wood", origin=Origin(rpy=(0, -angle, 0))),))
    contacts = Contacts(surfaces={"wood/rubber": Surface(static=0.9), "steel/wood": Surface(static=0.2)})
    run = simulate(Scene(parts={**blocks, "slope": slope}, contacts=contacts), duration=1.0, step=1e-3)
    assert abs(run["rubber.position.x"][-1] - run["rubber.position.x"][0]) < 1e-8
    slid = (run["steel.position.x"][-1] - run["steel.position.x"][0]) / np.cos(angle)
    assert np.isclose(slid, -(np.sin(angle) - 0.2 * np.cos(angle)) * G / 2, rtol=1e-6)
    known = Scene(parts={**blocks, "slope": slope}, contacts=contacts).parameters
    assert {known[f"contact.surface{k}.static"] for k in (1, 2, 3)} == {0.9, 0.2, 0.5}  # blocks may touch each other


def test_friction_varies_in_a_batch():
    slope = Slope(25, Surface(static=0.5))
    friction = np.array([0.1, 0.3, 0.45, 0.48, 0.8])
    many = {"contact.surface.static": friction, "contact.surface.kinetic": friction}
    run = simulate(slope.scene, duration=1.0, step=1e-3, parameters=many, record=0.5)
    angle = np.radians(25)
    exact = np.minimum(0, -(np.sin(angle) - friction * np.cos(angle)) * G / 2)
    assert np.allclose(slope.way(run)[-1], exact, atol=1e-7)


def test_kinetic_friction_that_fades_does_not_stop_on_a_slope():
    """ω of (22) softens the stop: what slides slowly has little friction, and goes on at −ln(1 − tan φ/μ)/k_ω."""
    slope = Slope(25, Surface(static=0.5), speed=-0.1)
    run = simulate(slope.scene, duration=2.0, step=1e-3, method=Moreau(scheme="gill", contact="momentum"))
    assert np.isclose(slope.speed(run)[-1], np.log(1 - np.tan(np.radians(25)) / 0.5) / 100, rtol=1e-3)


def test_parameters_of_contacts_are_checked_and_marks_are_none():
    slope = Slope(25, Surface(static=0.5))
    names = [name for name in slope.scene.parameters if name.startswith("contact")]
    assert names == [
        "contact.push_out",
        "contact.surface.static",
        "contact.surface.kinetic",
        "contact.surface.restitution",
    ]
    for field, value in (("static", -1.0), ("restitution", [0.5, 1.5])):
        with pytest.raises(stiction.InputError, match=f"{field} is"):
            simulate(slope.scene, duration=0.1, step=1e-3, parameters={f"contact.surface.{field}": value})


def test_restitution_varies_from_none():
    ball = FreeBody.of(stiction.Sphere(radius=0.1, mass=1.0), position=(0, 0, 0.6))
    scene = Scene(parts={"ball": ball, **FLOOR})
    run = simulate(scene, duration=0.6, step=1e-3, parameters={"contact.surface.restitution": [0.0, 0.5, 0.8]})
    rise = run["ball.position.z"][330:].max(axis=0) - 0.1
    assert np.allclose(rise, 0.5 * np.array([0.0, 0.5, 0.8]) ** 2, atol=5e-3)
