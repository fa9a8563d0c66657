"""What trials found beside the road: each of these gave wrong numbers without a word, or no help."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.peers.mechanisms import DOWN, GROUND, four_bar, four_bar_robot

from stiction import (
    Clock,
    ConstraintError,
    Coulomb,
    Follow,
    Formula,
    Holonomic,
    HybridControl,
    InputError,
    Joint,
    Limits,
    Link,
    Mimic,
    Moreau,
    OnSurface,
    Origin,
    Pfaffian,
    Pin,
    Robot,
    Rolling,
    Scene,
    SceneError,
    Table,
    Viscous,
    Weld,
    library,
    read_scene,
    simulate,
    write_scene,
)
from stiction.parts import Fixed, FreeBody
from stiction.trace import sin

from .mechanisms import five_bar


def styles(c):
    """One equation, with the number c in it, as users may type it."""
    yield lambda a, b: b - c * a
    yield lambda *q: q[1] - c * q[0]
    yield lambda a, b=0.0: b - c * a
    yield Formula(f"q2 - {c}*q1", "q1 q2")


@pytest.mark.parametrize("style", range(4))
def test_equations_that_differ_by_a_number_have_programs_of_their_own(style):
    for c in (2.0, 3.0):
        kept = {"own": Holonomic(joints=("joint1", "joint2"), equations=list(styles(c))[style])}
        scene = Scene(robot=library.pendulum(2), constraints=kept, q={"joint1": 0.1})
        run = simulate(scene, duration=0.1, step=1e-3)
        assert abs(run["q.joint2"] - c * run["q.joint1"]).max() < 1e-12
        assert abs(scene.constrained().A - [[-c, 1.0]]).max() == 0


def test_surfaces_and_coefficients_likewise():
    for c in (2.0, 3.0):
        kept = {"on": OnSurface(between=("p", "world"), surface=lambda *x, c=c: x[2] - c * x[1])}
        body = FreeBody(mass=1.0, inertia=(0.01,) * 3, position=(0, 0.1, 0.1 * c))
        run = simulate(Scene(parts={"p": body}, constraints=kept), duration=0.2, step=1e-3)
        assert abs(run["p.position.z"] - c * run["p.position.y"]).max() < 1e-12
        tied = {"tie": Pfaffian(joints=("joint1", "joint2"), coefficients=lambda *q, c=c: [-c, 1.0])}
        run = simulate(Scene(robot=library.pendulum(2), constraints=tied, v={"joint1": 1.0}), duration=0.2, step=1e-3)
        assert abs(run["v.joint2"] - c * run["v.joint1"]).max() < 1e-9


def test_limits_that_never_act_change_nothing():
    wide = Limits(lower=-1000.0, upper=1000.0)
    joints = [replace(x, kind="revolute", limits=wide) for x in four_bar_robot().joints]
    for order in ((0, 1, 2), (2, 0, 1)):
        plain = replace(four_bar_robot(), joints=[four_bar_robot().joints[k] for k in order])
        limited = replace(four_bar_robot(), joints=[joints[k] for k in order])
        runs = [
            simulate(four_bar(1.0, robot=robot, v={"crank": 10.0}), duration=1.0, step=1e-3, energy=True)
            for robot in (plain, limited)
        ]
        assert abs(runs[0]["q.crank"] - runs[1]["q.crank"]).max() < 1e-9


def test_a_run_of_a_batch_is_the_run_alone_bit_for_bit():
    cranks = np.array([0.3, 1.0, 2.5])
    fast = np.array([1.0, 2.0, 20.0])
    scene = four_bar(1.0, v={"crank": 2.0}, friction={"rocker": Coulomb(level=0.05)})
    for method in ("moreau", "rk4"):
        many = simulate(scene, duration=0.3, step=1e-3, method=method, parameters={"q.crank": cranks, "v.crank": fast})
        for k in range(3):
            given = {"q.crank": cranks[k], "v.crank": fast[k]}
            one = simulate(scene, duration=0.3, step=1e-3, method=method, parameters=given)
            assert (one["q.rocker"] == many["q.rocker"][:, k]).all()
            assert (one["constraint.loop.force.x"] == many["constraint.loop.force.x"][:, k]).all()


def test_hybrid_control_knows_its_own_joints():
    robots = {"left": library.pendulum(1), "right": library.pendulum(1)}
    brain = HybridControl(clock=Clock(period=1e-3), constraint="tie", force=1.0, stiffness=100.0, damping=20.0)
    with pytest.raises(InputError, match=r"holds joint 'right.joint1', which is none of 'left'"):
        Scene(
            robots=robots,
            constraints={"tie": Follow(joint="left.joint1", of="right.joint1")},
            control={"left": brain},
            reference={"left.joint1": 0.0},
        )


def test_a_constraint_does_not_replace_a_mimic_by_its_name():
    joints = [
        x if k == 0 else replace(x, mimic=Mimic(joint="joint1")) for k, x in enumerate(library.pendulum(2).joints)
    ]
    robot = replace(library.pendulum(2), joints=joints)
    with pytest.raises(SceneError, match=r"cannot be called 'joint2', as the joint that mimics"):
        Scene(robot=robot, constraints={"joint2": Follow(joint="joint2", of="joint1", ratio=2.0)})


def test_a_source_that_jumps_within_a_step_loses_nothing():
    push = Table(time=[0.0, 0.1005, 0.1005001, 0.3], value=[0.0, 0.0, 2.0, 2.0])
    scene = four_bar(1.0, v={"crank": 2.0}, torque={"crank": push})
    run = simulate(scene, duration=0.3, step=1e-3, method="rk4")
    assert (run["constraint_rank"] == 2).all()
    assert run["constraint_gap"][-1] > 0
    fine = simulate(scene, duration=0.3, step=1e-4, method="rk4")
    means = fine["constraint.loop.force.x"][1:].reshape(-1, 10).mean(axis=1)
    assert abs(run["constraint.loop.force.x"][1:] - means).max() < 2e-3 * abs(means).max()


@pytest.mark.parametrize("scheme", ["gill", "rk4"])
def test_stuck_joints_hardly_creep_under_the_papers_schemes(scheme):
    scene = five_bar(
        friction={"left": Coulomb(level=30.0), "right": Viscous(coefficient=2.0)},
        torque={"right": lambda t: 5 + 4 * sin(6 * t)},
    )
    creep = [
        np.ptp(simulate(scene, duration=2.0, step=h, method=Moreau(scheme=scheme))["q.left"]) for h in (1e-3, 5e-4)
    ]
    assert creep[0] < 1e-3
    assert creep[0] / max(creep[1], 1e-15) > 3  # of order 2


def test_light_links_do_not_make_rows_dependent():
    """A carriage whose pin is on a leaf of next to no mass: the pin holds the carriage."""
    robot = Robot(
        name="carriage",
        links=[
            Link(name="base"),
            Link(name="carriage", mass=1.0),
            Link(name="leaf", mass=1e-11, inertia=1e-13 * np.eye(3)),
        ],
        joints=[
            Joint(name="down", kind="prismatic", parent="base", child="carriage", axis=(0, 0, 1)),
            Joint(name="leaf", kind="continuous", parent="carriage", child="leaf", axis=(0, 1, 0)),
        ],
    )
    start = (0.1 * np.cos(0.8), 0.0, -0.1 * np.sin(0.8))
    pin = Pin(between=("robot.leaf", "world"), first_point=(0.1, 0, 0), second_point=start)
    scene = Scene(robot=robot, constraints={"pin": pin}, q=[0.0, 0.8])
    run = simulate(scene, duration=1.0, step=1e-3)
    assert abs(run["q.down"]).max() < 1e-9
    assert (run["constraint_rank"] == 2).all()
    assert abs(run["constraint.pin.force.z"][-1] + 9.81) < 1e-3  # with which the leaf pushes the world


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-5])
def test_small_mechanisms_move_as_large_ones(size):
    """Lengths and gravity to one scale: the same angles."""

    def scaled(link):
        return replace(
            link,
            center_of_mass=tuple(size * x for x in link.center_of_mass),
            inertia=size**2 * np.array(link.inertia),
        )

    robot = four_bar_robot()
    joints = [replace(x, origin=Origin(xyz=tuple(size * c for c in x.origin.xyz))) for x in robot.joints]
    small = replace(robot, links=[robot.links[0], *map(scaled, robot.links[1:])], joints=joints)
    pin = Pin(
        between=("robot.coupler", "robot.rocker"), first_point=(0.5 * size, 0, 0), second_point=(0.4 * size, 0, 0)
    )
    start = four_bar(1.0, v={"crank": 2.0})
    near = dict(zip(start.position_names, start.q, strict=True))
    scene = Scene(
        robot=small,
        constraints={"loop": pin},
        gravity=size * np.array(DOWN),
        q={"crank": 1.0},
        near=near,
        v={"crank": 2.0},
    )
    run, usual = (simulate(x, duration=0.5, step=1e-3) for x in (scene, start))
    assert abs(run["q.crank"] - usual["q.crank"]).max() < 1e-7


def test_what_is_given_stays():
    near = four_bar(1.0)
    guess = {name: x + 3e-7 for name, x in zip(near.position_names, near.q, strict=True) if name != "crank"}
    scene = Scene(robot=four_bar_robot(), constraints=near.constraints, q={"crank": 1.0}, near=guess)
    assert scene.q[0] == 1.0
    bead = FreeBody(mass=1.0, inertia=(1e-9,) * 3, position=(3e-4, 0, 0))
    ball = OnSurface(between=("bead", "world"), surface=lambda x, y, z: x * x + y * y + z * z - 5e-4**2)
    with pytest.raises(ConstraintError, match=r"open by .* put the bodies where it is closed"):
        Scene(parts={"bead": bead}, constraints={"ball": ball})


def test_motions_that_contradict_constraints_are_refused():
    kept = {"tie": Follow(joint="joint2", of="joint1")}
    both = {"joint1": lambda t: t, "joint2": lambda t: t}
    scene = Scene(robot=library.pendulum(2), constraints=kept, motion=both)
    with pytest.raises(Exception, match="not free to be imposed"):
        simulate(scene, duration=0.1, step=1e-3)
    one = Scene(robot=library.pendulum(2), constraints=kept, motion={"joint1": lambda t: t})
    assert abs(simulate(one, duration=0.1, step=1e-3)["q.joint2"][-1] - 0.1) < 1e-12


def test_files_keep_what_follows_and_near(tmp_path):
    scene = four_bar(1.0, v={"crank": 2.0})
    path = tmp_path / "scene.toml"
    write_scene(path, scene, duration=0.1, step=1e-3)
    again = read_scene(path).scene
    assert again == scene
    a, b = (simulate(x, duration=0.1, step=1e-3, parameters={"q.crank": 1.1}) for x in (scene, again))
    assert (a["q.rocker"] == b["q.rocker"]).all()
    swapped = Holonomic(joints=("joint1", "joint2"), equations=Formula("q2 - 2*q1", "q2 q1"))
    with pytest.raises(SceneError, match="in files its variables are q1, q2"):
        write_scene(path, Scene(robot=library.pendulum(2), constraints={"own": swapped}), duration=0.1, step=1e-3)


def test_a_loop_in_a_tilted_plane_starts_with_a_velocity():
    tilt = Origin(rpy=(0.4, -0.7, 0.3))
    robot = four_bar_robot()
    first = replace(robot.joints[0], origin=tilt)
    foot = tilt.rotation @ [GROUND, 0, 0]
    last = replace(robot.joints[2], origin=Origin(xyz=tuple(foot), rpy=(0.4, -0.7, 0.3)))
    tilted = replace(robot, joints=[first, robot.joints[1], last])
    axis = (0, 0, 1)
    pin = replace(four_bar().constraints["loop"], axis=axis)
    flat = four_bar(1.0, v={"crank": 2.0})
    near = dict(zip(flat.position_names, flat.q, strict=True))
    gravity = tilt.rotation @ DOWN
    scene = Scene(
        robot=tilted, constraints={"loop": pin}, gravity=gravity, q={"crank": 1.0}, near=near, v={"crank": 2.0}
    )
    a, b = (simulate(x, duration=0.5, step=1e-3) for x in (flat, scene))
    assert abs(a["q.crank"] - b["q.crank"]).max() < 1e-9
    assert (b["constraint_rank"] == 2).all()


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_friction_on_joints_that_constraints_lock(method):
    kept = {"a": Holonomic(joints=("joint1",), equations=lambda a: a - 0.3), "b": Follow(joint="joint2", of="joint1")}
    friction = dict.fromkeys(("joint1", "joint2"), Coulomb(level=1.0))
    scene = Scene(robot=library.pendulum(2), constraints=kept, friction=friction)
    run = simulate(scene, duration=0.5, step=1e-3, method=method)
    assert abs(run["q.joint1"] - 0.3).max() < 1e-9
    assert abs(run["q.joint2"] - 0.3).max() < 1e-9


def test_constraints_that_hold_nothing_are_refused():
    robot = library.pendulum(1)
    for kept, words in [
        (Pin(between=("robot.base", "world")), "holds nothing that moves"),
        (Holonomic(joints=("joint1",), equations=lambda a: 0 * a), "holds nothing that moves"),
    ]:
        with pytest.raises(ConstraintError, match=words):
            Scene(robot=robot, constraints={"x": kept})
    flat = FreeBody(mass=1.0, inertia=(0.01,) * 3, position=(0, 0, 0.0), quaternion=(np.sqrt(0.5), np.sqrt(0.5), 0, 0))
    with pytest.raises(ConstraintError, match="no finite gap"):
        Scene(
            parts={"wheel": flat}, constraints={"roll": Rolling(between=("wheel", "world"), radius=0.1, axis=(0, 1, 0))}
        )
    turned = FreeBody(mass=1.0, inertia=(0.01,) * 3, quaternion=(0, 0, 0, 1))
    with pytest.raises(SceneError, match="turned against each other"):
        Scene(parts={"a": turned, "b": Fixed()}, constraints={"x": Weld(between=("a", "b"))})


def test_rows_that_are_lists():
    kept = {"two": Pfaffian(joints=("joint1", "joint2"), coefficients=[[1.0, -1.0], [2.0, -2.0]])}
    scene = Scene(robot=library.pendulum(2), constraints=kept, v={"joint1": 1.0})
    assert abs(scene.v[1] - 1.0) < 1e-15
    assert int(scene.constrained().rank) == 1
    run = simulate(scene, duration=0.1, step=1e-3)
    assert (run["constraint_rank"] == 1).all()
