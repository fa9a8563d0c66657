"""Operational space and hybrid control: what the tool does, and what it presses with."""

import numpy as np
import pytest
from benchmarks.peers.mechanisms import DOWN, bar, hinge

from stiction import (
    Clock,
    Coulomb,
    Follow,
    Frame,
    HybridControl,
    InputError,
    Link,
    NetworkError,
    OnSurface,
    OperationalSpace,
    Origin,
    PointToPoint,
    Robot,
    Scene,
    Spline,
    library,
    simulate,
)

TICK = Clock(period=1e-3)
START = [0.6, 0.8, 0.5]


def arm():
    return Robot(
        name="3R",
        links=[Link(name="base"), bar("a", 0.4), bar("b", 0.35), bar("c", 0.2, 0.5)],
        joints=[hinge("a", "base", "a"), hinge("b", "a", "b", 0.4), hinge("c", "b", "c", 0.35)],
        frames=[Frame(name="tip", link="c", origin=Origin(xyz=(0.2, 0, 0)))],
    )


def tips(robot, q):
    return robot.pose(q, "tip")[..., :3, 3]


def stacked(run, what):
    return np.stack([run[f"{what}.{joint}"] for joint in "abc"], axis=-1)


def along_the_table():
    """A motion of the joints whose tip slides along y = const: the third joint turns, the others follow."""
    robot = arm()
    height = float(tips(robot, START)[1])
    times, points = np.linspace(0, 2, 21), []
    q = np.array(START)
    for t in times:
        x = tips(robot, START)[0] + 0.1 * np.sin(np.pi * t / 2) ** 2
        for _ in range(50):
            away = np.array([x, height]) - tips(robot, q)[:2]
            q = q + np.linalg.pinv(robot.jacobian(q, "tip")[3:5]) @ away
        points.append(q)
    table = OnSurface(between=("robot.tip", "world"), surface=lambda x, y, z: y - height)
    return robot, table, Spline(time=times.tolist(), value=[x.tolist() for x in points])


def hybrid(brain, **more):
    robot, table, move = along_the_table()
    return Scene(
        robot=robot, constraints={"table": table}, control={"robot": brain}, reference=move, gravity=DOWN, **more
    )


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_force_and_motion_are_those_that_are_wanted(method):
    brain = HybridControl(clock=TICK, constraint="table", force=10.0, stiffness=400.0, damping=40.0)
    scene = hybrid(brain)
    run = simulate(scene, duration=2.0, step=1e-3, method=method)
    assert abs(run["constraint.table.force"][2:] - 10.0).max() < 0.05  # torques are held for a tick
    wanted = tips(scene.robot, stacked(run, "target"))
    assert abs(tips(scene.robot, stacked(run, "q"))[:, 0] - wanted[:, 0]).max() < 2e-3
    fine = simulate(
        hybrid(brain.__class__(**{**_options(brain), "clock": Clock(period=1e-4)})), duration=2.0, step=1e-4
    )
    assert abs(fine["constraint.table.force"][2:] - 10.0).max() < 0.005


def _options(brain):
    names = ("constraint", "stiffness", "damping", "force_gain", "force_integral")
    return {name: getattr(brain, name) for name in names} | {"force": 10.0}


def test_an_integral_makes_good_what_the_model_gets_wrong():
    wrong = {"control.robot.model.c.mass": 0.6}
    plain = HybridControl(clock=TICK, constraint="table", force=10.0, stiffness=400.0, damping=40.0)
    summed = HybridControl(
        clock=TICK, constraint="table", force=10.0, stiffness=400.0, damping=40.0, force_gain=0.5, force_integral=20.0
    )
    off, on = (simulate(hybrid(x), duration=3.0, step=1e-3, parameters=wrong) for x in (plain, summed))
    assert abs(off["constraint.table.force"][-1] - 10.0) > 0.3
    assert abs(on["constraint.table.force"][-1] - 10.0) < 1e-4
    assert abs(on["constraint.table.force"][1:]).max() < 13  # nothing is measured before the first step


def test_it_presses_through_friction_of_joints():
    """What joints hold by friction the tool lacks: the force is off by less than their torques at the arm's length."""
    brain = HybridControl(clock=TICK, constraint="table", force=10.0, stiffness=900.0, damping=60.0)
    run = simulate(hybrid(brain, friction={"a": Coulomb(level=0.5)}), duration=2.0, step=1e-3)
    away = abs(run["constraint.table.force"][5:] - 10.0)
    assert 0.05 < away.max() < 0.5 / 0.3


def test_a_tool_follows_though_the_arm_has_joints_to_spare():
    brain = OperationalSpace(
        clock=TICK, frame="tip", directions=("x", "y"), stiffness=400.0, damping=40.0, posture_damping=10.0
    )
    move = PointToPoint(start=START, stop=[0.2, 1.2, 0.5], velocity=1.0, acceleration=4.0)
    pushed = {"c": lambda t: 0.2}
    scene = Scene(robot=arm(), control={"robot": brain}, reference=move, gravity=DOWN)
    run = simulate(scene, duration=2.0, step=1e-3)
    assert abs(tips(scene.robot, stacked(run, "q")) - tips(scene.robot, stacked(run, "target"))).max() < 1e-4
    other = Scene(robot=arm(), control={"robot": brain}, reference=move, gravity=DOWN, v={"c": 1.0}, torque=pushed)
    bent = simulate(other, duration=2.0, step=1e-3)
    assert np.ptp(stacked(bent, "q")[:, 2]) > 0.3  # the posture is disturbed, and the tool hardly


def test_directions_that_are_left_out_are_free():
    brain = OperationalSpace(clock=TICK, frame="tip", directions=("y",), stiffness=400.0, damping=40.0)
    scene = Scene(
        robot=arm(),
        control={"robot": brain},
        reference=dict(zip("abc", START, strict=True)),
        gravity=DOWN,
        q=START,
        v=[0.3, 0.0, 0.0],
    )
    run = simulate(scene, duration=1.0, step=1e-3)
    way = tips(scene.robot, stacked(run, "q"))
    assert abs(way[-1, 1] - way[0, 1]) < 1e-3
    assert np.ptp(way[:, 0]) > 0.05


def test_near_a_singularity_torques_stay_finite_and_it_is_told():
    """The reference stretches the arm; the tool lags, and openness falls to 0."""
    brain = OperationalSpace(
        clock=TICK,
        frame="tip",
        directions=("x", "y"),
        stiffness=100.0,
        damping=20.0,
        posture_stiffness=25.0,
        posture_damping=10.0,
    )
    move = PointToPoint(start=START, stop=[0.6, 0.0, 0.0], velocity=1.0, acceleration=4.0)
    run = simulate(Scene(robot=arm(), control={"robot": brain}, reference=move, gravity=DOWN), duration=3.0, step=1e-3)
    assert run["control.robot.openness"][-1] < 1e-3
    assert abs(stacked(run, "control_torque")).max() < 60  # 10 N·m hold the stretched arm
    assert abs(stacked(run, "q")[-1] - [0.6, 0, 0]).max() < 0.05


@pytest.mark.parametrize("turned", [0.0, 0.3, 1.2])
def test_how_near_a_singularity_is_does_not_depend_on_the_axes(turned):
    """The same bent arm, turned about its base: one openness, and torques of one size."""
    brain = OperationalSpace(clock=TICK, frame="tip", directions=("x", "y"), stiffness=100.0, damping=20.0, damped=0.01)
    arm_ = library.two_link()
    still = {"shoulder": 0.2 + turned, "elbow": 1.0}
    scene = Scene(robot=arm_, control={"robot": brain}, reference=still, q=[0.001 + turned, -0.003])
    run = simulate(scene, duration=0.01, step=1e-3)
    assert abs(run["control.robot.openness"][1]) < 1e-3
    assert any("near a singularity" in note for note in run.notes)
    assert max(abs(run[f"control_torque.{x}"]).max() for x in ("shoulder", "elbow")) < 5
    stretched = Scene(robot=arm_, control={"robot": brain}, reference=still, q=[turned, 0.0])
    after = simulate(stretched, duration=2.0, step=1e-3)
    assert abs(after.stack("v.")).max() < 100
    one = OperationalSpace(clock=TICK, frame="tip", directions=("x",), stiffness=100.0, damping=20.0)
    alone = simulate(Scene(robot=arm_, control={"robot": one}, reference=still, q=[0.0, 0.0]), duration=0.2, step=1e-3)
    assert alone.status == "completed"


def test_bad_input_is_refused():
    for make, words in [
        (
            lambda: OperationalSpace(clock=TICK, frame="tip", directions=("x", "x"), stiffness=1, damping=1),
            "some of wx",
        ),
        (lambda: OperationalSpace(clock=TICK, frame="tip", directions=("up",), stiffness=1, damping=1), "some of wx"),
        (lambda: HybridControl(clock=TICK, constraint="table", force="much"), "force is 'much'"),
    ]:
        with pytest.raises(InputError, match=words):
            make()
    wide = OperationalSpace(clock=TICK, frame="tip", directions=("wx", "wy", "x", "y"), stiffness=1, damping=1)
    still = dict(zip("abc", START, strict=True))
    with pytest.raises(InputError, match="directions are 4, and robot '3R' has 3 velocities"):
        Scene(robot=arm(), control={"robot": wide}, reference=still)
    with pytest.raises(NetworkError, match="unknown constraint 'floor'"):
        hybrid(HybridControl(clock=TICK, constraint="floor"))
    with pytest.raises(InputError, match="force has 2 numbers; constraint 'table' has 1 rows"):
        hybrid(HybridControl(clock=TICK, constraint="table", force=[1.0, 2.0]))


def test_a_force_between_joints():
    """A follower is pressed against what it follows: the multiplier is the wanted torque, while both rest."""
    brain = HybridControl(clock=TICK, constraint="belt", force=2.0, stiffness=100.0, damping=20.0)
    still = {"a": 0.3, "b": 0.3, "c": 0.0}
    scene = Scene(
        robot=arm(),
        constraints={"belt": Follow(joint="b", of="a")},
        control={"robot": brain},
        reference=still,
        gravity=DOWN,
        q=still,
    )
    run = simulate(scene, duration=1.0, step=1e-3)
    assert abs(run["constraint.belt.torque"][1:] - 2.0).max() < 1e-6
    assert abs(run["q.a"] - 0.3).max() < 1e-6
