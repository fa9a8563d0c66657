"""Scenes that are larger than a mass matrix is written for: the same motion, by articulated bodies."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.peers.mechanisms import DOWN, LOOP, four_bar, four_bar_robot

from stiction import (
    Box,
    Contacts,
    Coulomb,
    Follow,
    HalfSpace,
    Limits,
    Moreau,
    Pin,
    Scene,
    StictionWarning,
    Surface,
    Viscous,
    Weld,
    library,
    simulate,
)
from stiction.parts import Fixed, FreeBody

JOINTS = ("crank", "coupler", "rocker")


def beside_a_chain(robot, friction, **more):
    """A four-bar with a long chain beside it, which nothing connects to it."""
    start = four_bar(1.0, robot=robot)
    names = dict(zip(start.position_names, start.q, strict=True))
    loop = replace(LOOP, between=("bars.coupler", "bars.rocker"))
    return Scene(
        robots={"bars": robot, "chain": library.pendulum(12)},
        constraints={"loop": loop},
        gravity=DOWN,
        friction={f"bars.{name}": law for name, law in friction.items()},
        q={f"bars.{name}": x for name, x in names.items()},
        v={"bars.crank": 2.0},
        **more,
    )


@pytest.mark.parametrize("step", [1e-3, 4e-3])
@pytest.mark.parametrize("dry", [("crank",), ("crank", "rocker"), JOINTS])
def test_a_four_bar_beside_a_chain(dry, step):
    friction = dict.fromkeys(dry, Coulomb(level=0.5))
    alone = simulate(four_bar(1.0, v={"crank": 2.0}, friction=friction), duration=3.0, step=step)
    beside = simulate(beside_a_chain(four_bar_robot(), friction), duration=3.0, step=step)
    assert (
        abs(alone["q.crank"] - beside["q.bars.crank"]).max() < 1e-3 * (step / 1e-3) ** 2
    )  # slopes of gyroscopic terms
    assert beside["constraint_gap"][-1] < 1e-11
    if dry == JOINTS:
        assert np.ptp(beside["q.bars.crank"][beside.time > 2.8]) < 1e-11
    for c in "xy":
        gap = abs(alone[f"constraint.loop.force.{c}"] - beside[f"constraint.loop.force.{c}"])
        assert np.median(gap) < 1e-2 * (step / 1e-3)


def test_an_end_stop_beside_a_chain():
    joints = [
        replace(x, kind="revolute", limits=Limits(lower=-10, upper=1.9, restitution=0.5)) if x.name == "rocker" else x
        for x in four_bar_robot().joints
    ]
    robot = replace(four_bar_robot(), joints=joints)
    runs = []
    for scene in (four_bar(1.0, robot=robot, v={"crank": 2.0}), beside_a_chain(robot, {})):
        with pytest.warns(StictionWarning, match="end of the way"):
            runs.append(simulate(scene, duration=0.6, step=1e-4))
    assert abs(runs[0]["q.rocker"] - runs[1]["q.bars.rocker"]).max() < 1e-3
    assert runs[1]["q.bars.rocker"].max() <= 1.9 + 1e-12


def test_welded_boxes_beside_others():
    """Contacts by unit impulses through bodies that a weld holds together."""
    box = Box(size=(0.2, 0.2, 0.1), mass=1.0)
    parts = {
        "a": FreeBody.of(box, position=(0, 0, 0.05), velocity=(1, 0, 0)),
        "b": FreeBody.of(replace(box, mass=2.0), position=(0.3, 0, 0.05), velocity=(1, 0, 0)),
        "floor": Fixed(shapes=(HalfSpace(),)),
    }
    weld = {"weld": Weld(between=("a", "b"), first_point=(0.3, 0, 0))}
    surface = Surface(static=0.3)
    few = Scene(parts=parts, contacts=Contacts(surface=surface, most=8), constraints=weld)
    far = {"c": FreeBody.of(box, position=(0, 5, 0.05))}
    many = Scene(parts={**parts, **far}, contacts=Contacts(surface=surface, most=12), constraints=weld)
    runs = [simulate(scene, duration=0.6, step=1e-3) for scene in (few, many)]
    assert abs(runs[0]["a.position.x"] - runs[1]["a.position.x"]).max() < 1e-5
    assert abs(runs[1]["a.position.x"][-1] - 1 / (2 * 0.3 * 9.81)) < 2e-3
    assert runs[1]["constraint_gap"][-1] < 1e-11


def test_a_chain_that_is_pinned_at_its_end():
    """Fourteen links between two points, with dry friction: by locked joints as by bristles at small steps."""
    n = 14
    scene = Scene(
        robot=library.pendulum(n, length=0.1, mass=0.1),
        constraints={
            "end": Pin(between=(f"robot.link{n}", "world"), first_point=(0, 0, -0.1), second_point=(0.9, 0, -0.4))
        },
        near={f"joint{k + 1}": -0.8 if k == 0 else 0.05 for k in range(n)},
        friction={f"joint{k + 1}": Coulomb(level=0.01, viscous=0.005) for k in range(n)},
    )
    fine = simulate(scene, duration=1.0, step=1e-4, method="rk4").stack("q.")[-1]
    errors = []
    for step in (5e-4, 2.5e-4):
        run = simulate(scene, duration=1.0, step=step)
        errors.append(abs(run.stack("q.")[-1] - fine).max())
        assert run["constraint_gap"][-1] < 1e-11
        assert (run["constraint_rank"][1:] == 2).all()
    assert errors[0] > 3 * errors[1]  # order 2
    assert errors[1] < 1e-3


def test_followers_in_a_long_chain():
    kept = {"a": Follow(joint="joint5", of="joint2", ratio=-1.0), "b": Follow(joint="joint9", of="joint4")}
    scene = Scene(
        robot=library.pendulum(20), constraints=kept, friction={"joint1": Viscous(coefficient=1.0)}, q={"joint1": 0.3}
    )
    run = simulate(scene, duration=0.5, step=1e-3, energy=True)
    fine = simulate(scene, duration=0.5, step=2e-4, method="rk4")
    assert abs(run.stack("q.")[-1] - fine.stack("q.")[-1]).max() < 1e-3
    assert abs(run["energy.residue"]).max() < 1e-2
    assert abs(run["q.joint5"] + run["q.joint2"]).max() < 1e-12
    many = simulate(scene, duration=0.1, step=1e-3, parameters={"q.joint1": [0.3, 0.2]})
    assert abs(many["q.joint3"][-1, 0] - run["q.joint3"][100]) < 1e-12


@pytest.mark.parametrize(("part", "way"), [(0.9, 0.0388252), (0.99, 0.0041315)])
@pytest.mark.parametrize("step", [2e-3, 1e-3, 5e-4])
def test_a_pinned_chain_near_break_away(part, way, step):
    """Fourteen joints of which four slide, one of them through rest where it has next to no lever: the way at 0.1 ms,
    found with the mass matrix written out. Held joints and the pin say the same thing twice.
    """
    run = pinned_chain(part, Moreau(), step)
    assert float(np.abs(run.stack("q.")[-1] - run.stack("q.")[0]).max()) == pytest.approx(way, rel=0.01)


@pytest.mark.parametrize("step", [2e-3, 1e-3, 5e-4])
def test_a_pinned_chain_that_holds(step):
    run = pinned_chain(1.5, Moreau(scheme="gill"), step)
    assert float(np.abs(run.stack("q.") - run.stack("q.")[0]).max()) < 1e-12


def pinned_chain(part, method, step):
    """A chain whose tip is pinned, with friction of a part of what just holds it (by linear programming over all
    torques within their bounds and all forces of the pin).
    """
    rng = np.random.default_rng(3)
    for n in (6, 6, 14):
        q, share = rng.normal(size=n) * 0.4, rng.uniform(0.1, 0.5, n)
    robot, holds = library.chain(14), 6.881853848812338
    tip = robot.links[-1].name
    pin = Pin(between=(f"robot.{tip}", "world"), second_point=tuple(robot.pose(q, tip)[:3, 3]))
    levels = {j.name: Coulomb(level=float(part * holds * x)) for j, x in zip(robot.moving_joints, share, strict=True)}
    scene = Scene(robot=robot, constraints={"p": pin}, q=q.tolist(), friction=levels)
    return simulate(scene, duration=0.2, step=step, method=method, signals=["q."])
