"""Friction of gears, held over steps: it does not creep, breaks away when it should, and both methods agree."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import Coulomb, DCMotor, Drive, Gear, Scene, Stribeck, gears_semi_implicit, simulate
from stiction.reproduce.gears import CORRECTED, chain_with_drives, link
from stiction.trace import sin
from tests.scenes import flywheel

METHODS = ("gears_semi_implicit", "gears_implicit", "moreau")
LAW = Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2)


def geared(torque, command=0.0, law=LAW):
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=law, command=command)
    return Scene(robot=link(), drives={"joint": drive}, torque={"joint": torque})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "torque, command",
    [(3.0, 0.0), (-4.5, 0.0), (0.5, 3.0), (-1.0, -2.0)],
    ids=["off", "off, backwards", "on", "on, backwards"],
)
def test_a_stuck_joint_does_not_creep(method, torque, command):
    """60 s at 1 ms under a constant load, power on or off: within 1e−9 rad after the first 0.1 s."""
    run = simulate(geared(torque, command), duration=60.0, step=1e-3, method=method, record=0.1)
    assert np.abs(run["q.joint"][1:] - run["q.joint"][1]).max() < 1e-9
    assert not run["mode.joint"][2:].any()
    assert run["margin.joint"][-1] == pytest.approx(4.92 - abs(torque + command * 120 * 2.58e-2 / 2.36), rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_above_break_away_it_moves_on_the_curve(method):
    run = simulate(geared(12.0), duration=3.0, step=1e-3, method=method, record=0.5)
    v = run["v.joint"][-1]
    drag = (120 * 2.58e-2) ** 2 / 2.36
    assert LAW.steady(float(v)) + drag * v == pytest.approx(12.0, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_friction_resists_when_a_joint_breaks_away(method):
    """The load grows slowly through break-away: friction falls from static to kinetic, and never pushes."""
    run = simulate(geared(lambda t: 2.0 * t), duration=4.0, step=1e-3, method=method)
    assert run["friction.joint"].min() >= 0 and run["friction.joint"].max() <= 4.92 + 2.2 * run["v.joint"].max() + 1e-9
    assert run.time[run["v.joint"] > 1e-3][0] == pytest.approx(2.46, abs=1e-2)


def test_softness_creeps_and_pull_turns_it_into_an_offset():
    """λ_q > 0 alone creeps at (λ/A²) h T/(γ² I); with k_q it ends at that speed over k_q (signal `way`)."""
    J, h, load, soft = 120**2 * 7.03e-6, 1e-3, 3.0, 0.01
    speed = soft / (1 + soft) * load / J * h
    soft_run = simulate(geared(load), duration=2.0, step=h, method=gears_semi_implicit(softness=soft), record=0.5)
    slope = (soft_run["q.joint"][-1] - soft_run["q.joint"][-2]) / 0.5
    assert slope == pytest.approx(speed, rel=0.7), "the order of magnitude of the paper's estimate"
    held = simulate(geared(load), duration=5.0, step=h, method=gears_semi_implicit(softness=soft, pull=0.1), record=0.5)
    assert abs(held["q.joint"][-1] - held["q.joint"][-2]) < 1e-9
    assert held["way.joint"][-1] == pytest.approx(held["q.joint"][-1], abs=1e-6) and held["way.joint"][-1] > 1e-7


def test_the_methods_agree_on_an_arm_that_moves():
    scene = chain_with_drives(4)
    runs = {m: simulate(scene, duration=1.0, step=1e-3, method=m, record=0.1).stack("q.") for m in METHODS}
    travel = np.ptp(runs["moreau"], axis=0).max()
    assert np.abs(runs["gears_semi_implicit"] - runs["gears_implicit"]).max() < 0.01 * travel
    assert np.abs(runs["moreau"] - runs["gears_implicit"]).max() < 0.02 * travel


@pytest.mark.parametrize("method", METHODS)
def test_joints_with_a_drive_with_a_torque_and_with_nothing(method):
    """Three joints: a geared motor, a torque source, none; all hold against gravity, then the middle one is pushed."""
    robot = stiction.library.chain(3)
    names = robot.velocity_names
    friction = {names[1]: Coulomb(level=3.0), names[2]: Coulomb(level=1.5)}
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=Coulomb(level=6.0))
    held = Scene(robot=robot, drives={names[0]: drive}, friction=friction, torque={names[1]: 0.1}, q=[0.4, 0.3, 0.2])
    run = simulate(held, duration=5.0, step=1e-3, method=method, record=0.5)
    assert np.abs(run.stack("q.")[1:] - run.stack("q.")[1]).max() < 1e-9
    pushed = Scene(robot=robot, drives={names[0]: drive}, friction=friction, torque={names[1]: 6.0}, q=[0.4, 0.3, 0.2])
    moved = simulate(pushed, duration=0.3, step=1e-3, method=method, record=0.1)
    assert moved[f"mode.{names[1]}"][-1] == 2 and abs(moved[f"q.{names[1]}"][-1] - 0.3) > 0.01


def test_splitting_error_on_request():
    shaken = chain_with_drives(2)
    drives = {name: replace(drive, command=lambda t: 6 * sin(8 * t)) for name, drive in shaken.drives.items()}
    run = simulate(
        replace(shaken, drives=drives),
        duration=2.0,
        step=1e-3,
        method=gears_semi_implicit(splitting=True),
        record=0.1,
    )
    assert 0 < run["splitting"][-1] < 12.0, (
        "torque by which the joints alone differ from the joints together, at worst [N·m]"
    )
    assert run.units["splitting"] == "N·m or N"
    single = simulate(
        geared(lambda t: 3 * sin(t)), duration=0.5, step=1e-3, method=gears_semi_implicit(splitting=True), record=0.1
    )
    assert single["splitting"][-1] < 0.05


def test_a_wheel_without_rotor_is_found_through_the_mass_matrix():
    run = simulate(
        Scene(robot=flywheel(0.05), friction={"axle": Coulomb(level=0.5)}, torque={"axle": 0.4}),
        duration=10.0,
        step=1e-3,
        method="gears_semi_implicit",
        record=1.0,
    )
    assert np.abs(run["q.axle"][1:] - run["q.axle"][1]).max() < 1e-9


def test_an_elastic_axle_behind_friction_on_the_motor():
    """Friction on the shaft of a rotor that moves on its own: held by its own inertia."""
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    drive = Drive(motor=motor, gear=Gear(ratio=50, stiffness=20.0, damping=0.01), motor_friction=Coulomb(level=0.02))
    scene = Scene(robot=flywheel(0.05), drives={"axle": drive}, torque={"axle": 0.5})
    for method in ("gears_semi_implicit", "moreau"):
        run = simulate(scene, duration=4.0, step=1e-4, method=method, record=0.5)
        assert np.ptp(run["motor_angle.axle"][4:]) < 1e-6


@pytest.mark.parametrize("rotor", [1e-5, 0.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_stuck_joint_stays_while_its_neighbour_slides(method, rotor):
    """Joint 1 is shaken to and fro, joint 2 could hold: it does, with a rotor and without."""
    arm = stiction.library.pendulum(2)
    motor = stiction.TorqueMotor(rotor_inertia=rotor)
    levels = {"joint1": 1.0, "joint2": 1.5}
    drives = {
        name: Drive(motor=motor, gear=Gear(ratio=50), joint_friction=Coulomb(level=level))
        for name, level in levels.items()
    }
    scene = Scene(
        robot=arm, drives=drives, torque={"joint1": lambda t: 3 * sin(6 * t)}, gravity=(0, 0, 0), q=[0.3, 0.8]
    )
    run = simulate(scene, duration=4.0, step=1e-3, method=method, record=0.1)
    assert np.ptp(run["q.joint1"]) > 0.01
    assert abs(run["q.joint2"][-1] - 0.8) < 1e-3, "held friction lags by a step"


@pytest.mark.parametrize("method", METHODS)
def test_friction_on_both_sides_of_one_gear(method):
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=LAW, motor_friction=Coulomb(level=0.002))
    scene = Scene(robot=link(), drives={"joint": drive}, torque={"joint": 5.0})  # 4.92 + 0.24 N·m hold it
    run = simulate(scene, duration=20.0, step=1e-3, method=method, record=0.5)
    assert np.abs(run["q.joint"][1:] - run["q.joint"][1]).max() < 1e-6


def test_every_run_of_a_batch_starts_from_its_own_load():
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=LAW)
    arm = stiction.library.pendulum(1)
    scene = Scene(robot=arm, drives={"joint1": drive})
    starts = np.array([0.4, 0.5])  # gravity takes 3.8 and 4.7 of 4.92 N·m
    run = simulate(
        scene, duration=2.0, step=1e-3, method="gears_semi_implicit", record=0.5, parameters={"q.joint1": starts}
    )
    np.testing.assert_allclose(run["q.joint1"][-1], starts, atol=1e-9)
