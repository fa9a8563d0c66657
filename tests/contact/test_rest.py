"""What rests in contact rests: on slopes, on corners, in stacks, between fingers, on what moves."""

import numpy as np
import pytest

from stiction import Box, Contacts, Formula, Joint, Limits, Link, Moreau, Origin, Robot, Scene, Surface, simulate
from stiction.parts import FreeBody
from tests.contact.scenes import FLOOR, Slope, chain, slide, stack

G = 9.81


def test_a_block_below_the_limit_stays_for_a_minute():
    slope = Slope(25, Surface(static=0.5, kinetic=0.3))
    run = simulate(slope.scene, duration=60.0, step=1e-3, record=0.1)
    assert np.abs(slope.way(run)).max() < 1e-9
    assert np.abs(run["block.position.y"]).max() < 1e-9
    assert (run["contact.1.state"][1:] == 1).all()


@pytest.mark.parametrize("mass", [0.03, 300.0])
@pytest.mark.parametrize("step", [1e-4, 5e-3])
def test_one_default_for_light_and_heavy_blocks_at_all_steps(mass, step):
    slope = Slope(25, Surface(static=0.5, kinetic=0.3), mass=mass)
    run = simulate(slope.scene, duration=1.0, step=step)
    assert np.abs(slope.way(run)).max() < 1e-4 * G * step**2 * 25


def test_it_sticks_exactly_up_to_the_angle_of_friction():
    for friction, moves in ((0.4662, True), (0.4664, False)):  # tan 25° = 0.466308
        slope = Slope(25, Surface(static=friction))
        way = slope.way(simulate(slope.scene, duration=1.0, step=1e-3))
        assert (abs(way[-1]) > 1e-6) == moves


def test_four_corners_share_the_weight():
    box = FreeBody.of(Box(size=(0.2, 0.3, 0.1), mass=1.0), position=(0, 0, 0.05))
    run = simulate(Scene(parts={"box": box, **FLOOR}), duration=2.0, step=1e-3)
    forces = np.stack([run[f"contact.{k}.force.z"][1000:] for k in range(1, 5)])
    assert np.abs(forces.sum(axis=0) - G).max() < 1e-8
    assert forces.std() / forces.mean() < 1e-6


def test_a_dropped_box_comes_to_rest_without_penetration():
    box = FreeBody.of(
        Box(size=(0.2, 0.3, 0.1), mass=1.0),
        position=(0, 0, 0.2),
        quaternion=np.array([1, 0.05, 0.08, 0]) / np.linalg.norm([1, 0.05, 0.08, 0]),
        velocity=(0.3, 0, 0),
    )
    run = simulate(Scene(parts={"box": box, **FLOOR}), duration=4.0, step=1e-3)
    speeds = [run[f"box.{what}.{c}"] for what in ("velocity", "angular") for c in "xyz"]
    assert max(abs(x[-1]) for x in speeds) < 1e-9
    assert min(run[f"contact.{k}.gap"].min() for k in range(1, 9)) > -2e-5  # (turn in a step)² · size
    forces = np.stack([run[f"contact.{k}.force.z"][-1] for k in range(1, 5)])
    assert np.isclose(forces.sum(), G, rtol=1e-9)
    assert (forces > 0.1 * G).all()  # who carries how much is open, and stays as it came about


@pytest.mark.parametrize("masses", [(1.0, 10.0, 100.0, 1000.0), (1000.0, 100.0, 10.0, 1.0)])
def test_a_stack_stands(masses):
    run = simulate(stack(masses), duration=2.0, step=1e-3, record=1e-2)
    for k in range(4):
        for c in "xyz":
            x = run[f"box{k}.position.{c}"]
            assert np.abs(x - x[0]).max() < 3e-8  # overlaps below 1e-8 m are none
    assert run["contacts_wanted"][-1] == 16
    assert not run.notes


def test_a_box_goes_with_a_platform_that_moves_and_turns():
    links = [
        Link(name="base"),
        Link(name="cart", mass=1.0, inertia=np.eye(3).tolist()),
        Link.of("plate", Box(size=(1.0, 1.0, 0.1), mass=10.0)),
    ]
    joints = [
        Joint(
            name="x", kind="prismatic", parent="base", child="cart", axis=(1, 0, 0), limits=Limits(lower=-9, upper=9)
        ),
        Joint(name="turn", kind="continuous", parent="cart", child="plate", axis=(0, 0, 1)),
    ]
    scene = Scene(
        robot=Robot(name="table", links=links, joints=joints),
        parts={"box": FreeBody.of(Box(size=(0.2, 0.2, 0.1), mass=1.0), position=(0.2, 0.1, 0.1))},
        motion={"x": Formula("0.1*(1 - cos(2*t))"), "turn": Formula("0.5*(1 - cos(1.3*t))")},
        contacts=Contacts(surface=Surface(static=0.6)),
    )
    run = simulate(scene, duration=10.0, step=1e-3)
    dx, dy, angle = run["box.position.x"] - run["q.x"], run["box.position.y"], run["q.turn"]
    place = np.stack([np.cos(angle) * dx + np.sin(angle) * dy, np.cos(angle) * dy - np.sin(angle) * dx])
    assert np.abs(place - place[:, :1]).max() < 1e-6
    assert np.abs(run["box.position.z"] - 0.1).max() < 1e-9


def test_two_fingers_hold_a_block_up_to_their_grip():
    tip = Link.of("tip", Box(size=(0.02, 0.05, 0.05), mass=0.2))
    robots = {name: slide(name, tip, (1, 0, 0), 0.5, side) for name, side in (("left", -0.06), ("right", 0.06))}
    block = FreeBody.of(Box(size=(0.1, 0.04, 0.04), mass=0.5), position=(0, 0, 0.5))
    for grip, falls in ((4.95, False), (4.85, True)):  # 2 · 0.5 · grip against 0.5 · 9.81
        scene = Scene(
            robots=robots,
            parts={"block": block},
            torque={"left.slide": grip, "right.slide": -grip},
            contacts=Contacts(surface=Surface(static=0.5)),
        )
        run = simulate(scene, duration=1.0, step=1e-3)
        fallen = 0.5 - run["block.position.z"][-1]
        assert (fallen > 1e-4) == falls
        assert falls or abs(fallen) < 1e-8


def test_a_chain_that_lies_on_twelve_corners_lies_still():
    scene = chain(6, height=0.02, damping=0.0, angle=np.pi / 2, most=24)
    run = simulate(scene, duration=5.0, step=1e-3, record=1e-2)
    assert run["contacts_wanted"][-1] >= 12
    assert max(np.abs(run[f"q.joint{k}"] - run[f"q.joint{k}"][0]).max() for k in range(1, 7)) < 1e-7
    assert max(abs(run[f"v.joint{k}"][-1]) for k in range(1, 7)) < 1e-10
    weight = sum(run[f"contact.robot.link{k}.force.z"][-1] for k in range(1, 7))
    assert weight < 6 * 0.3 * G + 1e-6


@pytest.mark.parametrize("method", [Moreau(scheme="gill"), Moreau(scheme="rk4"), Moreau(rows="by_joint")])
def test_schemes_hold_as_well(method):
    slope = Slope(25, Surface(static=0.5, kinetic=0.3))
    assert np.abs(slope.way(simulate(slope.scene, duration=2.0, step=1e-3, method=method))).max() < 1e-9


def test_friction_is_the_same_in_all_directions():
    """A block on the floor starts to slide at μ m g, whichever way it is pushed."""
    for angle in (0.0, 0.3, np.pi / 4, 2.0):
        push = np.array([np.cos(angle), np.sin(angle), 0.0])
        for part, moves in ((0.999, False), (1.001, True)):
            gravity = tuple(-G * np.array([0, 0, 1]) + part * 0.5 * G * push)
            box = FreeBody.of(Box(size=(0.2, 0.2, 0.02), mass=2.0), position=(0, 0, 0.01))
            scene = Scene(parts={"box": box, **FLOOR}, gravity=gravity, contacts=Contacts(surface=Surface(static=0.5)))
            run = simulate(scene, duration=0.5, step=1e-3, record=0.5)
            way = np.hypot(run["box.position.x"][-1], run["box.position.y"][-1])
            assert (way > 1e-5) == moves
            if moves:
                across = run["box.position.y"][-1] * push[0] - run["box.position.x"][-1] * push[1]
                assert abs(across) < 1e-3 * way


def test_origin_of_shapes_counts():
    foot = Box(size=(0.2, 0.2, 0.1), mass=1.0, origin=Origin(xyz=(0, 0, 0.3)))
    box = FreeBody.of(foot, position=(0, 0, 0.05))  # the centre of mass is the body's place
    run = simulate(Scene(parts={"box": box, **FLOOR}), duration=0.2, step=1e-3)
    assert np.abs(run["box.position.z"] - 0.05).max() < 1e-9
