"""What trials found beside the road: each of these gave wrong numbers without a word, or no help."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from benchmarks.peers.mechanisms import DOWN, GROUND, bar, four_bar, four_bar_robot, hinge

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
    Simulator,
    StictionWarning,
    Table,
    Viscous,
    Weld,
    library,
    read_scene,
    simulate,
    write_scene,
)
from stiction.constraint import Constraint
from stiction.parts import Fixed, FreeBody
from stiction.trace import cos, sin

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


def palletiser(**more):
    """A four-bar that stands upright on a turntable; the third row of its pin follows from the others."""
    angle = 0.37
    tilt = (np.pi / 2, 0, angle)
    robot = Robot(
        name="palletiser",
        links=[
            Link(name="world"),
            Link(name="base", mass=2.0, inertia=np.diag([0.05, 0.06, 0.07])),
            bar("crank", 0.12, 0.5),
            bar("coupler", 0.45, 1.1),
            bar("rocker", 0.33, 0.9),
        ],
        joints=[
            Joint(name="turn", kind="continuous", parent="world", child="base"),
            replace(hinge("crank", "base", "crank"), origin=Origin(rpy=tilt)),
            hinge("coupler", "crank", "coupler", 0.12),
            replace(
                hinge("rocker", "base", "rocker"),
                origin=Origin(xyz=(0.4 * np.cos(angle), 0.4 * np.sin(angle), 0.05), rpy=tilt),
            ),
        ],
    )
    between = ("robot.coupler", "robot.rocker")
    pin = Pin(between=between, first_point=(0.45, 0, 0), second_point=(0.33, 0, 0), **more)
    near = {"coupler": 0.5, "rocker": 1.6}
    return Scene(robot=robot, constraints={"loop": pin}, q={"crank": 0.7}, near=near, v={"crank": 3.0, "turn": 2.0})


def in_the_plane(scene):
    """The same loop as two equations of its angles, which are never redundant."""

    def closed(crank, coupler, rocker):
        x = 0.12 * cos(crank) + 0.45 * cos(crank + coupler) - 0.33 * cos(rocker) - 0.4
        y = 0.12 * sin(crank) + 0.45 * sin(crank + coupler) - 0.33 * sin(rocker) - 0.05
        return [x, y]

    kept = Holonomic(joints=("crank", "coupler", "rocker"), equations=closed)
    return replace(scene, constraints={"loop": kept}, near={})


@pytest.mark.parametrize("axis", [None, (0, 0, 1)])
@pytest.mark.parametrize("method", ["moreau", "rk4", "gears_implicit"])
def test_a_loop_on_a_base_that_turns(method, axis):
    scene = palletiser(axis=axis)
    exact = simulate(in_the_plane(scene), duration=0.4, step=1e-4, method="rk4")
    for step in (5e-3, 1e-3):
        run = simulate(scene, duration=0.4, step=step, method=method, energy=True)
        tolerance = 5e-3 * (step / 5e-3) ** 2 if method == "moreau" else 1e-5
        assert abs(run.stack("q.")[-1] - exact.stack("q.")[-1]).max() < tolerance
        assert max(abs(run[f"constraint.loop.force.{c}"]).max() for c in "xyz") < 40
        assert run["constraint_gap"][-1] < 1e-11
        assert (run["constraint_rank"] == 2).all()


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_loop_on_a_base_that_tumbles(method):
    robot = four_bar_robot()
    heavy = replace(robot.links[0], mass=3.0, inertia=np.diag([0.1, 0.12, 0.15]))
    floating = Joint(name="free", kind="floating", parent="world", child="base")
    whole = replace(robot, links=[Link(name="world"), heavy, *robot.links[1:]], joints=[floating, *robot.joints])
    start = four_bar(1.0, v={"crank": 2.0})
    q = {name: x for name, x in zip(start.position_names, start.q, strict=True) if name == "crank"}
    near = dict(zip(start.position_names, start.q, strict=True))
    spin = {"free.wx": 0.5, "free.wy": -0.3, "free.wz": 0.8, "crank": 2.0}
    scene = Scene(robot=whole, constraints=start.constraints, q=q, near=near, v=spin, gravity=(0, 0, 0))
    run = simulate(scene, duration=1.0, step=2e-3, method=method, energy=True)
    assert abs(run["energy.residue"]).max() < (2e-2 if method == "moreau" else 1e-6) * run["energy.kinetic"][0]
    assert (run["constraint_rank"] == 2).all()
    assert not run.notes


@pytest.mark.parametrize("axis", [(0.6, 0, 0.8), (1, 1, 1), (0.3, 0.3, 0.88), (0, 0, 1)])
def test_moments_of_a_hinge_are_newton_metres(axis):
    """A body held at rest by a hinge beside its centre: the moment across the axis is that of its weight."""
    along = np.array(axis) / np.linalg.norm(axis)
    arm = np.cross(along, [0.3, -0.5, 0.2])  # across the axis
    arm = arm - arm[2] * np.array([0, 0, 1])  # so that the weight may also turn it about the axis: friction holds that
    body = FreeBody(mass=2.0, inertia=(0.1, 0.1, 0.1), position=tuple(arm))
    pin = Pin(between=("body", "world"), first_point=tuple(-arm), axis=axis)
    scene = Scene(parts={"body": body}, constraints={"pin": pin})
    moment = scene.constrained()
    rows = dict(zip(moment.rows, moment.multipliers(), strict=True))
    found = np.hypot(rows["constraint.pin.moment.1"], rows["constraint.pin.moment.2"])
    J = 0.1 * np.eye(3) + 2.0 * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    weight = np.cross(arm, [0, 0, -2 * 9.81])
    turning = weight @ along / (along @ J @ along) * along
    held = J @ turning - weight  # about the hinge
    assert abs(found - np.linalg.norm(held - held @ along * along)) < 1e-9


def test_velocities_that_are_not_linear_are_refused():
    @dataclass(frozen=True, kw_only=True)
    class Belt(Constraint):
        joints = ("joint1",)
        multipliers = ("force",)

        def velocities(self, motion):
            return [motion["v"][0] - 0.7]

    with pytest.raises(SceneError, match="not linear in v"):
        Scene(robot=library.pendulum(1), constraints={"belt": Belt()})


def test_one_velocity_of_a_ball_joint_leaves_the_others_free():
    links = [Link(name="base"), bar("arm", 0.3), bar("rod", 0.5)]
    ball = Joint(name="ball", kind="spherical", parent="arm", child="rod", origin=Origin(xyz=(0.3, 0, 0)))
    robot = Robot(name="RS", links=links, joints=[hinge("arm", "base", "arm"), ball])
    flat = Pin(between=("robot.rod", "world"), first_point=(0.5, 0, 0), second_point=(0.8, 0, 0))
    scene = Scene(robot=robot, constraints={"end": flat}, v={"ball.wx": 1.0})
    assert scene.v[scene.joints_of("robot").index("ball.wx")] == 1.0


@pytest.mark.parametrize("turn", [(0, 1, 0, 0), (-0.5, 0.5, 0.5, 0.5), (0, 0, 0, 1)])
def test_welds_of_turned_frames_are_refused(turn):
    body = FreeBody(mass=1.0, inertia=(0.01, 0.02, 0.03), quaternion=turn)
    with pytest.raises(SceneError, match="turned against each other"):
        Scene(parts={"body": body}, constraints={"weld": Weld(between=("body", "world"))})


def test_resets_of_a_simulator_close_the_loop():
    sim = Simulator(four_bar(1.0, v={"crank": 2.0}), step=1e-3, runs=3, outputs=["q.*", "constraint_gap"])
    sim.step(steps=50)
    seen = sim.reset(np.array([True, False, True]), q={"crank": [0.5, 0.6]})
    for k, crank in ((0, 0.5), (2, 0.6)):
        assert abs(seen[k, :3] - four_bar(crank).q).max() < 1e-9
    with pytest.raises(InputError, match="'loop' is open"):
        sim.reset([1], q=[0.5, 0.0, 0.0])


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (1, 1, 0)])
def test_a_loop_on_a_base_that_turns_any_way(axis):
    """Where world axes come to lie across the plane of the loop, other rows of the pin count."""
    base = Link(name="base", mass=2.0, inertia=np.diag([0.05, 0.06, 0.07]))
    robot = Robot(
        name="turned",
        links=[Link(name="world"), base, bar("crank", 0.12, 0.5), bar("coupler", 0.45, 1.1), bar("rocker", 0.33, 0.9)],
        joints=[
            Joint(name="turn", kind="continuous", parent="world", child="base", axis=axis),
            hinge("crank", "base", "crank"),
            hinge("coupler", "crank", "coupler", 0.12),
            hinge("rocker", "base", "rocker", 0.4, 0.05),
        ],
    )
    between = ("robot.coupler", "robot.rocker")
    pin = Pin(between=between, first_point=(0.45, 0, 0), second_point=(0.33, 0, 0))
    start = {"q": {"crank": 0.7, "turn": 0.2}, "near": {"coupler": 0.5, "rocker": 1.6}}
    scene = Scene(robot=robot, constraints={"loop": pin}, v={"crank": 6.0, "turn": 0.75}, **start)
    rates = {"v.turn": np.linspace(0.5, 1.0, 20)}
    for method, tolerance in (("moreau", 1e-2), ("rk4", 1e-5)):
        a, b = (
            simulate(x, duration=2.0, step=1e-3, method=method, parameters=rates) for x in (scene, in_the_plane(scene))
        )
        assert abs(a["q.crank"] - b["q.crank"]).max() < tolerance
        assert (a["constraint_rank"] == 2).all()


@pytest.mark.parametrize("tilt", [0.3, 1.0, 1.5708, np.pi / 2])
@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_forces_of_a_pin_turn_with_its_plane(method, tilt):
    robot = four_bar_robot()
    frame = Link(name="frame")
    fixed = Joint(name="tilt", kind="fixed", parent="frame", child="base", origin=Origin(rpy=(tilt, 0, 0)))
    tilted = replace(robot, links=[frame, *robot.links], joints=[fixed, *robot.joints])
    R = Origin(rpy=(tilt, 0, 0)).rotation
    flat = four_bar(1.0, v={"crank": 2.0})
    scene = replace(four_bar(1.0, v={"crank": 2.0}, robot=tilted), gravity=tuple(R @ DOWN))
    a, b = (simulate(x, duration=0.1, step=1e-3, method=method) for x in (flat, scene))
    forces = [np.stack([run[f"constraint.loop.force.{c}"][1:] for c in "xyz"], axis=-1) for run in (a, b)]
    assert abs(forces[1] - forces[0] @ R.T).max() < 1e-3


def test_a_step_that_does_not_follow_a_dead_centre_says_so():
    robot = four_bar_robot()
    heavy = {"crank": 0.001, "coupler": 0.001, "rocker": 100.0}
    links = [robot.links[0], *(bar(x.name, 2 * x.center_of_mass[0], heavy[x.name]) for x in robot.links[1:])]
    scene = four_bar(1.0, robot=replace(robot, links=links), v={"crank": 12.0})
    with pytest.warns(StictionWarning, match="closing the constraints changed velocities"):
        simulate(scene, duration=2.0, step=5e-3)


def test_a_run_does_not_go_on_where_a_parameter_opens_the_loop():
    scene = four_bar(v={"crank": 3.0})
    state = simulate(scene, duration=0.1, step=1e-3).state
    with pytest.raises(ConstraintError, match=r"'loop' is open by 0\.04"):
        simulate(scene, duration=0.1, step=1e-3, start=state, parameters={"constraint.loop.first_point.x": 0.45})
    heavier = simulate(scene, duration=0.1, step=1e-3, start=state, parameters={"robot.crank.mass": 1.2})
    assert heavier.status == "completed"


def test_a_moment_is_told_only_where_the_constraints_are_kept():
    scene = four_bar()
    with pytest.raises(ConstraintError, match="'loop' is open by"):
        scene.constrained(q=[1.0, 0.0, 0.0])
    with pytest.raises(ConstraintError, match="velocities"):
        scene.constrained(v=[1.0, 0.0, 0.0])
    moment = scene.constrained()
    with pytest.raises(InputError, match="breaks constraints"):
        moment.torque([1.0, 0.0, 0.0])
    for wrong in ([1.0, float("nan"), 0.0], {"crank": 0.3}, [1.0]):
        with pytest.raises(InputError, match="q is"):
            scene.constrained(q=wrong)
    with pytest.raises(InputError, match="finite numbers"):
        moment.multipliers([float("nan"), 0.0, 0.0])


@pytest.mark.parametrize("inputs", [(), ("torque.*",)])
def test_resets_follow_with_and_without_inputs(inputs):
    scene = four_bar(v={"crank": 3.0})
    sim = Simulator(scene, step=1e-3, runs=2, inputs=inputs, outputs=["q.*", "v.*"])
    seen = sim.reset([0], q={"crank": 0.4})
    other = four_bar(q=0.4, v={"crank": 3.0})
    np.testing.assert_allclose(seen[0], [*other.q, *other.v], atol=1e-10)


def test_how_far_a_follower_is_off_is_told_in_its_own_unit():
    arm = library.two_link()
    with pytest.raises(ConstraintError, match=r"open by 0\.2 "):
        Scene(robot=arm, constraints={"f": Follow(joint="elbow", of="shoulder")}, q=[0.3, 0.5])
