"""Each kind of constraint against a closed form or the same motion by another road."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from benchmarks.peers.mechanisms import DOWN, bar, four_bar, four_bar_robot, hinge
from scipy.integrate import solve_ivp, trapezoid
from scipy.spatial.transform import Rotation

from stiction import (
    Box,
    ConstraintError,
    Contacts,
    Coulomb,
    Follow,
    Frame,
    HalfSpace,
    Holonomic,
    InputError,
    Joint,
    Limits,
    Link,
    Mimic,
    OnSurface,
    Origin,
    Pfaffian,
    Pin,
    Robot,
    Rolling,
    Scene,
    SceneError,
    StictionWarning,
    Surface,
    Weld,
    library,
    read_scene,
    simulate,
    write_scene,
)
from stiction.constraint import Constraint
from stiction.parts import Fixed, FreeBody
from stiction.trace import cos, sin, sqrt

METHODS = ["rk4", "moreau"]


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_rolls_down_a_slope(method):
    """By 5/7 of what would slide, with 2/7 of the pull as friction."""
    angle, radius = 0.3, 0.1
    normal = (np.sin(angle), 0, np.cos(angle))
    ball = FreeBody(mass=1.0, inertia=(0.004,) * 3, position=radius * np.array(normal))
    roll = Rolling(between=("ball", "world"), radius=radius, normal=normal)
    run = simulate(Scene(parts={"ball": ball}, constraints={"roll": roll}), duration=2.0, step=1e-3, method=method)
    way = 9.81 * np.sin(angle) * 5 / 7 * run.time**2 / 2
    assert abs(run["ball.position.x"] - radius * normal[0] - way * np.cos(angle)).max() < 1e-9
    assert abs(run["constraint.roll.force.normal"][1:] + 9.81 * np.cos(angle)).max() < 1e-9  # it pushes the plane
    assert abs(run["constraint.roll.force.x"][1:] - 9.81 * np.sin(angle) * 2 / 7).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_wheel_rolls_in_a_circle(method):
    """Steady motion of a leaning disc: its rate of precession follows from lean, radius of the circle and gravity."""
    r, lean, rate = 0.3, 0.4, 3.0  # lean from the vertical, precession about z [rad/s]
    m, thin = 1.0, 0.25 * 1.0 * 0.3**2
    # rate of H about the centre = moment of the force at the lowest point, with the acceleration of the circle:
    # Ω cos λ (I_t Ω sin λ − I_a ω_a) = m r² Ω ω_a cos λ + m g r sin λ, where ω_a is the spin along the axis
    across = rate * np.cos(lean)
    spin = (thin * rate * np.sin(lean) * across - m * 9.81 * r * np.sin(lean)) / (across * (2 * thin + m * r * r))
    axis = np.array([0.0, np.cos(lean), np.sin(lean)])  # the disc leans towards +y: its axis points up by the lean
    up = np.array([0.0, -np.sin(lean), np.cos(lean)])
    omega = spin * axis + across * up
    center = r * up
    v = np.cross(omega, center)
    turn = (np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0)  # y of the body to the axis
    body = np.array([omega[0], omega @ axis, omega @ up])
    wheel = FreeBody(mass=m, inertia=(thin, 2 * thin, thin), position=center, quaternion=turn, velocity=v, angular=body)
    roll = Rolling(between=("wheel", "world"), radius=r, axis=(0, 1, 0))
    run = simulate(Scene(parts={"wheel": wheel}, constraints={"roll": roll}), duration=2.0, step=5e-4, method=method)
    assert abs(run["wheel.position.z"] - center[2]).max() < (1e-9 if method == "rk4" else 1e-4)
    heading = np.unwrap(np.arctan2(run["wheel.velocity.y"], run["wheel.velocity.x"]))
    assert abs((heading[-1] - heading[0]) / 2.0 - rate) < (1e-5 if method == "rk4" else 1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_skate_on_a_slope_does_not_come_down(method):
    """A knife edge under the centre of mass, turning at a constant rate, runs along a cycloid across the slope."""
    g, w, tiny = 9.81 * np.sin(0.3), 3.0, 1e-9
    robot = Robot(
        name="skate",
        links=[
            Link(name="base"),
            Link(name="a", mass=tiny),
            Link(name="b", mass=tiny),
            Link(name="skate", mass=1.0, inertia=0.1 * np.eye(3)),
        ],
        joints=[
            Joint(name="x", kind="prismatic", parent="base", child="a", axis=(1, 0, 0)),
            Joint(name="y", kind="prismatic", parent="a", child="b", axis=(0, 1, 0)),
            Joint(name="turn", kind="continuous", parent="b", child="skate"),
        ],
    )
    edge = Pfaffian(joints=("x", "y", "turn"), coefficients=lambda x, y, a: [sin(a), -cos(a), 0])
    scene = Scene(robot=robot, gravity=(g, 0, 0), constraints={"edge": edge}, v={"turn": w})
    run = simulate(scene, duration=5.0, step=1e-3, method=method)
    t, size = run.time, g / (2 * w * w)
    tolerance = 1e-8 if method == "rk4" else 5e-5
    assert abs(run["q.x"] - size * np.sin(w * t) ** 2).max() < tolerance
    assert abs(run["q.y"] - size * (w * t - np.sin(2 * w * t) / 2)).max() < tolerance


def test_a_surface_moves_with_its_frame():
    """A bead on a plane that a body carries: the body falls turned, the bead stays on it."""
    turn = np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0])  # by 0.4 rad about x
    plate = FreeBody(mass=5.0, inertia=(0.1, 0.1, 0.2), quaternion=turn, position=(0, 0, 1.0), gravity=(0, 0, 0))
    normal = np.array([0.0, -np.sin(0.4), np.cos(0.4)])
    bead = FreeBody(mass=1.0, inertia=(1e-3,) * 3, position=(0, 0, 1.0) + 0.2 * normal)
    on = OnSurface(between=("bead", "plate"), surface=lambda x, y, z: z - 0.2)
    scene = Scene(parts={"bead": bead, "plate": plate}, constraints={"on": on})
    run = simulate(scene, duration=0.5, step=1e-3)
    place = lambda name, what, cs: np.stack([run[f"{name}.{what}.{c}"] for c in cs], axis=-1)  # noqa: E731
    q = place("plate", "quaternion", "wxyz")
    away = (
        Rotation.from_quat(q[:, [1, 2, 3, 0]])
        .inv()
        .apply(place("bead", "position", "xyz") - place("plate", "position", "xyz"))
    )
    np.testing.assert_allclose(away[:, 2], 0.2, atol=1e-9)
    assert np.abs(away[-1, :2]).max() > 0.05 and np.abs(run["plate.velocity.z"][-1]) > 0.1


@pytest.mark.parametrize("method", METHODS)
def test_velocities_keep_the_constraints_to_rounding(method):
    """A body that swings on a pin, in rough steps: the pinned point stands still at every record."""
    arm = np.array([0.1, 0.2, 0.3])
    body = FreeBody(
        mass=1.0,
        inertia=(0.1, 0.15, 0.2),
        position=-arm,
        angular=(1.0, -2.0, 0.5),
        velocity=np.cross((1.0, -2.0, 0.5), -arm),
    )
    pin = Pin(between=("body", "world"), first_point=arm)
    run = simulate(Scene(parts={"body": body}, constraints={"pin": pin}), duration=1.0, step=0.01, method=method)
    vector = lambda what: np.stack([run[f"body.{what}.{c}"] for c in "xyz"], axis=-1)  # noqa: E731
    turn = Rotation.from_quat(np.stack([run[f"body.quaternion.{c}"] for c in "xyzw"], axis=-1))
    point = vector("velocity") + turn.apply(np.cross(vector("angular"), arm))
    assert np.abs(point).max() < 1e-11
    assert np.abs(vector("position") + turn.apply(arm)).max() < 1e-11


@pytest.mark.parametrize("method", METHODS)
def test_a_point_on_a_ball_is_a_spherical_pendulum(method):
    bead = FreeBody(mass=1.0, inertia=(1e-3,) * 3, position=(0.5, 0, 0), velocity=(0, 1.0, 0))
    inside = OnSurface(between=("bead", "world"), surface=lambda x, y, z: sqrt(x * x + y * y + z * z) - 0.5)
    run = simulate(Scene(parts={"bead": bead}, constraints={"inside": inside}), duration=2.0, step=1e-3, method=method)

    def flow(_, y):
        p, v = y[:3], y[3:]
        n, g = p / 0.5, np.array([0, 0, -9.81])
        return [*v, *(g - n * (g @ n + v @ v / 0.5))]

    exact = solve_ivp(flow, (0, 2), [0.5, 0, 0, 0, 1, 0], rtol=1e-11, atol=1e-12).y[:3, -1]
    found = [run[f"bead.position.{c}"][-1] for c in "xyz"]
    assert abs(found - exact).max() < (1e-7 if method == "rk4" else 1e-4)
    assert abs(sum(run[f"bead.position.{c}"] ** 2 for c in "xyz") - 0.25).max() < 1e-12


def pair_of_bars():
    return Robot(
        name="pair",
        links=[Link(name="base"), bar("a", 0.3), bar("b", 0.5)],
        joints=[hinge("a", "base", "a"), hinge("b", "base", "b", 1.0)],
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("described", [False, True])
def test_gears(method, described):
    """One follows the other: J = J_a + ratio² J_b. As a constraint of the scene, and as the robot's own `Mimic`."""
    robot, kept = pair_of_bars(), {"gears": Follow(joint="b", of="a", ratio=-3.0, offset=0.1)}
    if described:
        follows = replace(robot.joints[1], mimic=Mimic(joint="a", multiplier=-3.0, offset=0.1))
        robot, kept = replace(robot, joints=[robot.joints[0], follows]), {}
    scene = Scene(robot=robot, constraints=kept, gravity=(0, 0, 0), torque={"a": 1.0})
    assert scene.q == (0.0, 0.1)  # what is followed stays
    run = simulate(scene, duration=1.0, step=1e-3, method=method)
    acceleration = 1 / (0.3**2 / 3 + 9 * 0.5**2 / 3)
    assert abs(run["q.a"] - acceleration * run.time**2 / 2).max() < 1e-12
    assert abs(run["q.b"] + 3 * run["q.a"] - 0.1).max() < 1e-12
    name = "b" if described else "gears"
    assert abs(run[f"constraint.{name}.torque"][1:] - 3 * acceleration * 0.5**2 / 3).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_weld_makes_two_arms_one(method):
    """A pendulum of two links, whose second is welded to the first by an equation of frames."""
    straight = library.pendulum(2)
    frames = [Frame(name="end", link="link1", origin=straight.joints[1].origin)]
    robot = replace(straight, frames=frames)
    welded = Scene(robot=robot, constraints={"weld": Weld(between=("robot.link2", "robot.end"))}, q={"joint1": 0.7})
    locked = Scene(robot=straight.lock({"joint2": 0.0}), q={"joint1": 0.7})
    a, b = (simulate(scene, duration=2.0, step=1e-3, method=method) for scene in (welded, locked))
    assert abs(a["q.joint1"] - b["q.joint1"]).max() < (1e-9 if method == "rk4" else 1e-5)
    assert abs(a["q.joint2"]).max() < 1e-12
    assert (a["constraint_rank"][1:] == 1).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_free_body_on_a_hinge_is_a_pendulum(method):
    """Five rows: three of the point, two of the axis."""
    body = FreeBody(mass=2.0, inertia=(0.02, 0.05, 0.06), position=(0.4, 0, 0))
    pin = Pin(between=("body", "world"), first_point=(-0.4, 0, 0), axis=(0, 1, 0))
    scene = Scene(parts={"body": body}, constraints={"pin": pin})
    run = simulate(scene, duration=1.0, step=1e-3, method=method)
    J = 0.05 + 2.0 * 0.16
    exact = solve_ivp(lambda _, y: [y[1], 2 * 9.81 * 0.4 * np.cos(y[0]) / J], (0, 1), [0, 0], rtol=1e-11, atol=1e-12).y[
        0, -1
    ]
    angle = np.unwrap(np.arctan2(-run["body.position.z"], run["body.position.x"]))[-1]
    assert abs(angle - exact) < (1e-8 if method == "rk4" else 2e-4)
    assert (run["constraint_rank"][1:] == 5).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_cam_of_ones_own(method):
    """b(q) = 0 typed by a user, as a function and as a class: the follower's weight turns the cam."""
    robot = Robot(
        name="cam",
        links=[Link(name="base"), Link(name="cam", mass=1.0, inertia=0.02 * np.eye(3)), Link(name="rod", mass=0.5)],
        joints=[
            hinge("turn", "base", "cam"),
            Joint(name="lift", kind="prismatic", parent="base", child="rod", axis=(0, 1, 0)),
        ],
    )

    @dataclass(frozen=True, kw_only=True)
    class Cam(Constraint):
        height: float
        joints = ("turn", "lift")
        multipliers = ("push",)

        def gaps(self, motion):
            turn, lift = motion["q"]
            return [lift - self.height * sin(turn)]

    by_function = Holonomic(joints=("turn", "lift"), equations=lambda turn, lift: lift - 0.02 * sin(turn))
    runs = [
        simulate(
            Scene(robot=robot, constraints={"cam": kept}, gravity=DOWN, v={"turn": 3.0}),
            duration=1.0,
            step=1e-3,
            method=method,
        )
        for kept in (by_function, Cam(height=0.02))
    ]
    assert abs(runs[0]["q.turn"] - runs[1]["q.turn"]).max() < 1e-12

    def flow(_, y):
        a, w = y
        J = 0.02 + 0.5 * (0.02 * np.cos(a)) ** 2
        slope = -0.5 * 0.02**2 * np.sin(2 * a)
        return [w, (-0.5 * 9.81 * 0.02 * np.cos(a) - slope * w * w / 2) / J]

    exact = solve_ivp(flow, (0, 1), [0, 3], rtol=1e-11, atol=1e-12).y[0, -1]
    assert abs(runs[0]["q.turn"][-1] - exact) < (1e-8 if method == "rk4" else 1e-4)


def test_an_end_stop_in_a_loop():
    """The rocker of a four-bar against a stop, with its bounce: as springs have it, where they are stiff."""
    joints = [
        replace(x, kind="revolute", limits=Limits(lower=-10, upper=1.9, restitution=0.5)) if x.name == "rocker" else x
        for x in four_bar_robot().joints
    ]
    scene = four_bar(1.0, robot=replace(four_bar_robot(), joints=joints))
    runs = []
    for method, step in (("moreau", 1e-3), ("moreau", 1e-4), ("rk4", 2e-5)):
        with pytest.warns(StictionWarning, match="end of the way"):
            runs.append(simulate(scene, duration=0.5, step=step, method=method))
    for run in runs[:2]:
        assert run["q.rocker"].max() <= 1.9
        assert run["constraint_gap"][-1] < 1e-11
    assert abs(runs[1]["q.crank"][-1] - runs[2]["q.crank"][-1]) < 0.03  # springs give
    assert abs(runs[0]["q.crank"][-1] - runs[1]["q.crank"][-1]) < 0.03  # after its bounces


def test_what_is_open_at_the_start_is_refused():
    with pytest.raises(ConstraintError, match=r"'loop' is open by 0\.\d+ .* give fewer positions by name"):
        Scene(robot=four_bar_robot(), constraints=four_bar().constraints, q=[1.0, 0.0, 0.0])
    with pytest.raises(ConstraintError, match="no positions near"):
        Scene(robot=four_bar_robot(), constraints=four_bar().constraints, q={"crank": 1.0, "rocker": 0.0})
    with pytest.raises(ConstraintError, match="velocities at the start break constraint 'loop'"):
        four_bar(v=[1.0, 0.0, 0.0])
    with pytest.raises(InputError, match=r"run 1 of the batch: constraint.loop.first_point.x = 0.05"):
        simulate(four_bar(), duration=0.1, step=1e-3, parameters={"constraint.loop.first_point.x": [0.5, 0.05]})
    across = Pin(between=("robot.coupler", "robot.rocker"), first_point=(0.5, 0, 0.1), second_point=(0.4, 0, 0))
    with pytest.raises(ConstraintError, match=r"open by 0\.1 "):
        four_bar(constraints={"loop": across})


def test_bad_input_is_refused():
    loop = four_bar().constraints["loop"]
    for given, words in [
        ({"constraints": {"x": 3}}, "constraint 'x' is 3; allowed: constraints"),
        ({"constraints": [loop]}, "constraints is .*; allowed: a mapping"),
        ({"constraints": {"x": Pin(between=("robot.crank", "robot.nowhere"))}}, "unknown end 'robot.nowhere'"),
        ({"constraints": {"x": Follow(joint="crank", of="wheel")}}, "unknown joint 'wheel'"),
        ({"near": {"crank": 1.0}}, "near is for positions that follow by constraints"),
        ({"constraints": {"loop": loop}, "near": {"wheel": 1.0}}, "unknown joint 'wheel'"),
    ]:
        with pytest.raises(SceneError, match=words):
            Scene(robot=four_bar_robot(), **given)
    for make, words in [
        (lambda: Pin(between=("a",)), "between is \\('a',\\); allowed: two different frames"),
        (lambda: Pin(between=("world", "a")), "of which the second may be 'world'"),
        (lambda: Pin(between=("a", "b"), second_axis=(0, 0, 1)), "second_axis is given and axis is not"),
        (lambda: Rolling(between=("a", "b"), radius=0.1), "allowed: a frame or body, and 'world'"),
        (lambda: Rolling(between=("a", "world"), radius=0.0), "radius is 0"),
        (lambda: Follow(joint="a", of="a"), "allowed: two joints"),
        (lambda: Holonomic(joints=("a", "b"), equations=lambda a: a), "cannot be called with 2 numbers"),
        (lambda: Holonomic(joints=("a",), equations=lambda a: "x"), "cannot be called with 1 numbers"),
        (lambda: Pfaffian(joints=("a", "b"), coefficients=lambda a, b: [a]), "one for each of the 2 joints"),
        (lambda: OnSurface(between=("a", "world"), surface=3), "surface is 3"),
    ]:
        with pytest.raises((ConstraintError, InputError), match=words):
            make()


@pytest.mark.parametrize("method", ["rosenbrock"])
def test_methods_that_keep_no_constraints_refuse_them(method):
    with pytest.raises(InputError, match=r"'constraint.loop' is a constraint, which 'rosenbrock' does not keep"):
        simulate(four_bar(), duration=0.1, step=1e-3, method=method)


def test_nothing_is_held_where_it_is_open_who_holds():
    with pytest.raises(InputError, match="constraint 'loop' leaves open which drives hold"):
        simulate(four_bar(), duration=0.1, step=1e-3, start="held")


def test_an_own_constraint_with_too_few_gaps_is_told():
    @dataclass(frozen=True, kw_only=True)
    class Short(Constraint):
        joints = ("crank",)
        multipliers = ("a", "b")

        def gaps(self, motion):
            return [motion["q"][0]]

    with pytest.raises(ConstraintError, match="gives 1 gaps and 0 velocities for 2 multipliers"):
        Scene(robot=four_bar_robot(), constraints={"short": Short()})


def test_friction_of_a_gripper_with_mimic_joints():
    """Two fingers, of which one mimics the other: friction of both holds what either alone would not."""
    finger = {"kind": "prismatic", "axis": (0, 1, 0)}
    robot = Robot(
        name="gripper",
        links=[Link(name="base"), Link(name="left", mass=0.1), Link(name="right", mass=0.1)],
        joints=[
            Joint(name="left", parent="base", child="left", **finger),
            Joint(name="right", parent="base", child="right", mimic=Mimic(joint="left", multiplier=-1.0), **finger),
        ],
    )
    dry = {"left": Coulomb(level=1.0), "right": Coulomb(level=1.0)}
    held = simulate(Scene(robot=robot, friction=dry, torque={"left": 1.9}), duration=1.0, step=1e-3)
    assert abs(held["q.left"]).max() < 1e-12
    freed = simulate(Scene(robot=robot, friction=dry, torque={"left": 2.2}), duration=1.0, step=1e-3)
    assert abs(freed["q.left"][-1] - (2.2 - 2.0) / 0.2 / 2) < 1e-9
    assert abs(freed["q.right"] + freed["q.left"]).max() < 1e-12


def test_frames_of_origins_that_are_turned():
    """A pin between frames that are turned and shifted is the same as one between points of the links."""
    turned = replace(
        four_bar_robot(),
        frames=[
            Frame(name="a", link="coupler", origin=Origin(xyz=(0.5, 0, 0), rpy=(0.3, 0.2, 0.1))),
            Frame(name="b", link="rocker", origin=Origin(xyz=(0.3, 0, 0), rpy=(0, 0, 1.0))),
        ],
    )
    point = (0.1 * np.cos(1.0), -0.1 * np.sin(1.0), 0)
    pin = Pin(between=("robot.a", "robot.b"), second_point=point)
    a = simulate(four_bar(1.0, v={"crank": 1.0}), duration=0.5, step=1e-3)
    b = simulate(four_bar(1.0, v={"crank": 1.0}, robot=turned, constraints={"loop": pin}), duration=0.5, step=1e-3)
    assert abs(a["q.crank"] - b["q.crank"]).max() < 1e-10


@pytest.mark.parametrize("step", [5e-4, 2e-3])
def test_contacts_beside_constraints(step):
    """Two boxes that are welded slide over the ground and stop as one body does, after v²/(2 μ g)."""
    box = Box(size=(0.2, 0.2, 0.1), mass=1.0)
    other = replace(box, mass=2.0)
    parts = {
        "a": FreeBody.of(box, position=(0, 0, 0.05), velocity=(1, 0, 0)),
        "b": FreeBody.of(other, position=(0.3, 0, 0.05), velocity=(1, 0, 0)),
        "floor": Fixed(shapes=(HalfSpace(),)),
    }
    touch = Contacts(surface=Surface(static=0.3), most=8)
    weld = Weld(between=("a", "b"), first_point=(0.3, 0, 0))
    run = simulate(Scene(parts=parts, contacts=touch, constraints={"weld": weld}), duration=1.0, step=step)
    way = 1 / (2 * 0.3 * 9.81)
    assert abs(run["a.position.x"][-1] - way) < 2 * step  # the step in which it stops
    assert abs(run["b.position.x"] - run["a.position.x"] - 0.3).max() < 1e-11
    assert np.ptp(run["a.position.x"][run.time > 0.8]) < 1e-7
    assert abs(run["a.position.z"] - 0.05).max() < 1e-5


def test_a_crank_drags_a_box():
    """Crank, rod and a box that slides on the ground, pinned to the rod: as a slider with dry friction."""
    box = FreeBody.of(Box(size=(0.1, 0.1, 0.1), mass=1.0), position=(0.35, 0, 0.05))
    robot = Robot(
        name="crank",
        links=[Link(name="base"), bar("crank", 0.1, 0.2), bar("rod", 0.25, 1e-3)],
        joints=[
            replace(hinge("crank", "base", "crank"), axis=(0, -1, 0), origin=Origin(xyz=(0, 0, 0.05))),
            replace(hinge("rod", "crank", "rod", 0.1), axis=(0, -1, 0)),
        ],
    )
    pin = Pin(between=("robot.rod", "box"), first_point=(0.25, 0, 0))
    scene = Scene(
        robot=robot,
        parts={"box": box, "floor": Fixed(shapes=(HalfSpace(),))},
        contacts=Contacts(surface=Surface(static=0.4), most=4),
        constraints={"pin": pin},
        gravity=(0, 0, -9.81),
        motion={"crank": lambda t: 2 * t},
    )
    run = simulate(scene, duration=3.2, step=1e-3)
    angle = 2 * run.time
    x = 0.1 * np.cos(angle) + np.sqrt(0.25**2 - (0.1 * np.sin(angle)) ** 2)
    assert abs(run["box.position.x"] - x).max() < 2e-5
    speed = np.gradient(x, run.time)
    ez = -0.4 * np.sin(angle)  # direction of the rod towards the box, which it lifts as it pulls and pushes
    ex, way = np.sqrt(1 - ez**2), np.sign(speed)
    push = (np.gradient(speed, run.time) + 0.4 * 9.81 * way) / (ex + 0.4 * way * ez)
    turn = run.time < np.pi  # over a whole turn the crank's weight gives back what it takes
    work, given = (trapezoid(power[turn], run.time[turn]) for power in (push * ex * speed, run["motion.crank"] * 2))
    assert abs(given / work - 1) < 0.005


def test_what_stands_is_told_as_stuck():
    """The rocker gives all that it has while the crank holds the rest: neither slides."""
    scene = four_bar(1.0, friction={"crank": Coulomb(level=3.0), "rocker": Coulomb(level=0.1)})
    run = simulate(scene, duration=0.1, step=1e-3)
    assert np.ptp(run["q.rocker"]) < 1e-12
    assert (run["mode.rocker"] == 0).all()
    assert (run["mode.crank"] == 0).all()


def test_mimic_joints_of_a_urdf(tmp_path):
    """The second finger of a gripper follows the first, with twice the way, against its limits and friction."""
    path = tmp_path / "gripper.urdf"
    inertial = (
        '<inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    joint = '<parent link="hand"/><axis xyz="0 1 0"/><limit lower="-0.1" upper="0.1" effort="20" velocity="1"/>'
    path.write_text(
        f'<robot name="gripper"><link name="hand"/><link name="a">{inertial}</link><link name="b">{inertial}</link>'
        f'<joint name="first" type="prismatic"><child link="a"/>{joint}<dynamics friction="0.5"/></joint>'
        f'<joint name="second" type="prismatic"><child link="b"/>{joint}'
        '<mimic joint="first" multiplier="-2" offset="0.01"/></joint></robot>'
    )
    robot = Robot.from_urdf(path)
    scene = Scene(robot=robot, torque={"first": 1.0})
    assert scene.q == (0.0, 0.01)
    run = simulate(scene, duration=0.2, step=1e-3, signals=["q."])
    assert abs(run["q.second"] + 2 * run["q.first"] - 0.01).max() < 1e-13
    assert abs(run["q.first"] - 0.5 / (0.1 + 4 * 0.1) * run.time**2 / 2)[run["q.first"] < 0.05].max() < 1e-9
    with pytest.warns(StictionWarning, match="end of the way"):
        stopped = simulate(scene, duration=1.0, step=1e-3)
    assert abs(stopped["q.second"].min() + 0.1) < 1e-12  # it is the second that reaches its end
    assert abs(stopped["q.first"][-1] - 0.055) < 1e-12
    held = simulate(scene, duration=0.2, step=1e-3, parameters={"torque.first": 0.4})
    assert abs(held["q.first"]).max() < 1e-12
    written = tmp_path / "scene.toml"
    write_scene(written, scene, duration=0.2, step=1e-3)
    assert read_scene(written).scene.all_constraints.keys() == {"second"}
