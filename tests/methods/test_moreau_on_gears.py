"""Friction of gears, held over steps: it does not creep, breaks away when it should, and both methods agree."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import Coulomb, DCMotor, Drive, Gear, Scene, Stribeck, gears_semi_implicit, simulate
from stiction.methods import method_named
from stiction.reproduce.gears import CORRECTED, chain_with_drives, link
from stiction.trace import sin, where
from tests.scenes import driven, flywheel

METHODS = ("gears_semi_implicit", "gears_implicit", "moreau")
LAW = Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2)
ROTOR = 120**2 * 7.03e-6  # kg m², on the joint side
DRAG = (120 * 2.58e-2) ** 2 / 2.36  # N·m·s/rad, of the short-circuited motor


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
    assert LAW.steady(float(v)) + DRAG * v == pytest.approx(12.0, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_friction_resists_when_a_joint_breaks_away(method):
    """The load grows by 2 N·m/s through break-away, at 2.46 s: friction follows it, then the curve, and never pushes.

    Two steps make a switch, and friction that is held lags by up to one more. On the curve it lags by one step, too.
    """
    h = 1e-3
    run = simulate(geared(lambda t: 2.0 * t), duration=4.0, step=h, method=method)
    friction, v = run["friction.joint"], run["v.joint"]
    assert friction.min() >= 0
    assert 2.46 < run.time[run["mode.joint"] == 2][0] < 2.46 + 3.5 * h
    stuck = (run.time > 0.1) & (run.time < 2.46)
    np.testing.assert_allclose(friction[stuck], 2.0 * run.time[stuck], atol=2.0 * h * 1.01)
    late = run.time > 2.6
    np.testing.assert_allclose(friction[late], [LAW.steady(float(x)) for x in v[late]], atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("softness, load", [(0.01, 3.0), (0.1, -2.0)])
def test_softness_creeps_and_pull_turns_it_into_an_offset(method, softness, load):
    """A stuck joint gives λ of the impulse that would stop it, whose inertia J is what the row knows of.

    That is the rotor (found by joint), rotor and link (together), or these and the drag D of motor and viscous
    friction, which `moreau` takes implicitly with its weight θ, over a step h. So λ alone creeps at λ h T/(J + λ h D),
    with the drag of the motor, or of both; with the pull k it ends λ h² T/(k J) away. All that is exact.
    """
    h, pull, both = 1e-3, 0.1, ROTOR + float(link().mass_matrix([0.0])[0, 0])
    implicit = h * (DRAG + LAW.viscous)
    z = implicit / both
    theta = (12 + 5 * z + z * z) / (24 + 6 * z + z * z)
    J = {"gears_semi_implicit": ROTOR, "gears_implicit": both, "moreau": both + theta * implicit}[method]
    further = softness * (implicit if method == "moreau" else h * DRAG)
    how = {"step": h, "record": 0.5}
    soft = simulate(geared(load), duration=2.0, method=method_named(method, softness=softness), **how)
    assert np.diff(soft["q.joint"])[-1] / 0.5 == pytest.approx(softness * h * load / (J + further), rel=1e-9)
    held = simulate(geared(load), duration=5.0, method=method_named(method, softness=softness, pull=pull), **how)
    assert held["way.joint"][-1] == pytest.approx(softness * h**2 * load / (pull * J), rel=1e-9)
    assert held["q.joint"][-1] == pytest.approx(held["way.joint"][-1], rel=1e-9)


@pytest.mark.parametrize("scheme", ["gill", "midpoint"])
def test_each_joint_gives_by_its_own_impulse(scheme):
    """λ softens the row of a joint, not what its neighbour does to it: v = λ A_ii p_i after a step from rest."""
    arm, q, h, softness = stiction.library.two_link(), [0.3, 0.7], 1e-3, 0.1
    friction, torque = dict.fromkeys(arm.velocity_names, Coulomb(level=50.0)), {"shoulder": 3.0, "elbow": -1.0}
    scene = Scene(robot=arm, friction=friction, torque=torque, gravity=(0, 0, 0), q=q)
    run = simulate(scene, duration=h, step=h, method=stiction.Moreau(scheme=scheme, softness=softness))
    own = np.diag(np.linalg.inv(arm.mass_matrix(q)))
    np.testing.assert_allclose(run.stack("v.")[-1], softness * own * h * run.stack("friction.")[-1], rtol=1e-4)


def test_the_methods_agree_on_an_arm_that_moves():
    """Order 1: an error of h of the duration at 1 ms, against a run at 20 µs."""
    scene = chain_with_drives(4)
    fine = simulate(scene, duration=1.0, step=2e-5, method="moreau", record=0.1).stack("q.")
    travel = np.ptp(fine, axis=0)
    for method in METHODS:
        run = simulate(scene, duration=1.0, step=1e-3, method=method, record=0.1).stack("q.")
        assert (np.abs(run - fine) < 1e-3 * travel).all(), method


@pytest.mark.parametrize("method", METHODS)
def test_joints_with_a_drive_with_a_torque_and_with_nothing(method):
    """Three joints: a geared motor, a torque source, none; all hold against gravity, then the middle one is pushed.

    18 rad in 0.3 s: methods of order 1 err by h/duration, and leave what is stuck where it is, but for friction that
    lags.
    """
    robot = stiction.library.chain(3)
    first, second, third = robot.velocity_names
    friction = {second: Coulomb(level=3.0), third: Coulomb(level=1.5)}
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=Coulomb(level=6.0))
    start = [0.4, 0.3, 0.2]
    held = Scene(robot=robot, drives={first: drive}, friction=friction, torque={second: 0.1}, q=start)
    run = simulate(held, duration=5.0, step=1e-3, method=method, record=0.5)
    np.testing.assert_allclose(run.stack("q."), np.broadcast_to(start, (11, 3)), atol=1e-9)
    load = np.array([0.0, 0.1, 0.0]) - robot.gravity_torque(start)
    np.testing.assert_allclose([run[f"friction.{name}"][-1] for name in robot.velocity_names], load, rtol=1e-9)
    pushed = replace(held, torque={second: 6.0})
    moved, fine = (
        simulate(pushed, duration=0.3, step=h, method=name, record=0.1)
        for h, name in ((1e-3, method), (1e-5, "moreau"))
    )
    assert [moved[f"mode.{name}"][-1] for name in (first, second)] == [0, 2]
    np.testing.assert_allclose(moved.stack("q.")[-1], fine.stack("q.")[-1], rtol=4e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_is_not_pulled_back_to_where_it_slid_from(method):
    """gears (24): the reference follows what slips. After 0.6 rad the joint sticks, and stays there."""
    scene = geared(lambda t: where(t < 0.5, 12.0, 3.0))
    plain, pulled = (
        simulate(scene, duration=3.0, step=1e-3, method=method_named(method, pull=pull), record=0.1)
        for pull in (0.0, 0.1)
    )
    assert pulled["q.joint"][-1] == pytest.approx(plain["q.joint"][-1], abs=1e-4) and plain["q.joint"][-1] > 0.5
    assert np.ptp(pulled["q.joint"][8:]) < 1e-9 and abs(pulled["way.joint"][-1]) < 1e-9


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_the_splitting_error_of_joints_that_stop(h):
    """A joint that stops is stopped by friction that knows its rotor alone: the share of the link is missing.

    Friction stops it with between level and break-away, so the error lies between these times link/(rotor + link),
    largest at the first joint; 10 % less, as no joint stops at the very end of a step. Where it breaks away a step
    earlier by one than by the other the torques are static − level apart.
    """
    shaken = chain_with_drives(2)
    drives = {name: replace(drive, command=lambda t: 6 * sin(8 * t)) for name, drive in shaken.drives.items()}
    how = {"duration": 2.0, "step": h, "record": 0.1}
    run = simulate(replace(shaken, drives=drives), method=gears_semi_implicit(splitting=True), **how)
    inertia = float(shaken.robot.mass_matrix(shaken.q)[0, 0])
    share = inertia / (ROTOR + inertia)
    most = max(LAW.static[0] * share, LAW.static[0] - LAW.level[0])
    assert 0.9 * LAW.level[0] * share < run["splitting"][-1] < most
    assert run.units["splitting"] == "N·m"


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_the_splitting_error_of_a_stuck_joint(h):
    """Alone it knows the load of the step before, together that of now: half a step apart, at 3 N·m/s at first."""
    method = gears_semi_implicit(splitting=True)
    run = simulate(geared(lambda t: 3 * sin(t)), duration=0.5, step=h, method=method, record=0.1)
    assert run["splitting"][-1] == pytest.approx(3.0 * h / 2, rel=0.02)


@pytest.mark.parametrize("h", [1e-3, 1e-4])
@pytest.mark.parametrize("method, lag", [("gears_implicit", 0.5), ("gears_semi_implicit", 1.0), ("moreau", 0.0)])
def test_the_residual_tells_by_how_much_held_friction_lags(method, lag, h):
    """A stuck joint under a load that grows by 3 N·m/s: friction is half a step late, or a whole one."""
    run = simulate(geared(lambda t: 3 * sin(t)), duration=0.5, step=h, method=method, record=0.1)
    assert run["residual"][-1] == pytest.approx(3.0 * h * lag, rel=0.02, abs=1e-9)


def test_a_wheel_without_rotor_is_found_through_the_mass_matrix():
    run = simulate(
        Scene(robot=flywheel(0.05), friction={"axle": Coulomb(level=0.5)}, torque={"axle": 0.4}),
        duration=10.0,
        step=1e-3,
        method="gears_semi_implicit",
        record=1.0,
    )
    assert np.abs(run["q.axle"][1:] - run["q.axle"][1]).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_an_elastic_axle_behind_friction_on_the_motor(method):
    """Friction on the shaft of a rotor that moves on its own holds it; the axle twists by what hangs on it."""
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    drive = Drive(motor=motor, gear=Gear(ratio=50, stiffness=20.0, damping=0.01), motor_friction=Coulomb(level=0.02))
    scene = driven(0.05, drive, torque={"axle": 0.5})
    run = simulate(scene, duration=4.0, step=1e-4, method=method, record=0.5)
    assert np.ptp(run["motor_angle.axle"][1:]) < 1e-9 and abs(run["motor_angle.axle"][-1]) < 1e-5
    assert run["friction.axle.motor"][-1] == pytest.approx(0.5 / 50, rel=1e-9)
    assert 50 * run["q.axle"][-1] - run["motor_angle.axle"][-1] == pytest.approx(0.5 / 50 / 20.0, rel=1e-9)


@pytest.mark.parametrize("rotor", [1e-5, 0.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_stuck_joint_stays_while_its_neighbour_slides(method, rotor):
    """Joint 1 is shaken to and fro, joint 2 could hold: it does, with a rotor and without.

    Friction that is held over a step of Runge–Kutta lags, so a stuck joint shifts by a part of h²; `moreau` shifts
    nothing.
    """
    motor = stiction.TorqueMotor(rotor_inertia=rotor)
    drives = {
        name: Drive(motor=motor, gear=Gear(ratio=50), joint_friction=Coulomb(level=level))
        for name, level in {"joint1": 1.0, "joint2": 1.5}.items()
    }
    arm, shaken = stiction.library.pendulum(2), {"joint1": lambda t: 3 * sin(6 * t)}
    scene = Scene(robot=arm, drives=drives, torque=shaken, gravity=(0, 0, 0), q=[0.3, 0.8])
    coarse, fine = (simulate(scene, duration=4.0, step=h, method=method, record=0.1) for h in (1e-3, 1e-4))
    assert coarse["mode.joint1"].any() and not coarse["mode.joint2"].any()
    assert np.ptp(coarse["q.joint1"]) == pytest.approx(np.ptp(fine["q.joint1"]), rel=0.02)
    shifts = [np.abs(run["q.joint2"] - 0.8).max() for run in (coarse, fine)]
    if method == "moreau":
        assert max(shifts) < 1e-12
    else:
        assert shifts[0] < 1e-4 and shifts[0] / shifts[1] == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_friction_on_both_sides_of_one_gear(method):
    """4.92 + 120 · 0.002 N·m hold 5 N·m together, which neither holds alone."""
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=LAW, motor_friction=Coulomb(level=0.002))
    scene = Scene(robot=link(), drives={"joint": drive}, torque={"joint": 5.0})
    run = simulate(scene, duration=20.0, step=1e-3, method=method, record=0.5)
    assert np.ptp(run["q.joint"]) < 1e-9
    assert run["friction.joint"][-1] + 120 * run["friction.joint.motor"][-1] == pytest.approx(5.0, rel=1e-9)


def test_every_run_of_a_batch_starts_from_its_own_load():
    drive = Drive(motor=CORRECTED.motor, gear=CORRECTED.gear, joint_friction=LAW)
    arm = stiction.library.pendulum(1)
    scene = Scene(robot=arm, drives={"joint1": drive})
    starts = np.array([0.4, 0.5])  # gravity takes 3.8 and 4.7 of 4.92 N·m
    run = simulate(
        scene, duration=2.0, step=1e-3, method="gears_semi_implicit", record=0.5, parameters={"q.joint1": starts}
    )
    np.testing.assert_allclose(run["q.joint1"][-1], starts, atol=1e-9)
