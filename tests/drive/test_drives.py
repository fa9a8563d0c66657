"""Drives: digits of a motor, gears in both directions, play, losses, coupled motors."""

import math

import numpy as np
import pytest
from scipy.integrate import simpson

import stiction
from stiction import (
    PID,
    Clock,
    Coulomb,
    DCMotor,
    Drive,
    Gear,
    Joint,
    Scene,
    SceneError,
    Stribeck,
    TorqueMotor,
    simulate,
)
from stiction.drive.motor import DriveError
from stiction.trace import sin
from tests.scenes import TWO_LINK, driven, flywheel


def test_coupled_motors():
    """Motor angles = T q: torques act by Tᵀ, rotors weigh TᵀJT, speeds are T v; one step tells the acceleration."""
    T, still = np.array([[50.0, 0.0], [50.0, 80.0]]), [0.0, 0.0]
    robot = stiction.Robot(name="wrist", links=TWO_LINK.links, joints=TWO_LINK.joints, coupling=T.tolist())
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    drives = {"shoulder": Drive(motor=motor, command=3.0), "elbow": Drive(motor=motor, command=-2.0)}
    M = TWO_LINK.mass_matrix(still) + T.T @ T * 1e-5
    for v in (np.zeros(2), np.array([0.4, -0.7])):
        run = simulate(Scene(robot=robot, drives=drives, gravity=(0, 0, 0), v=v), duration=1e-6, step=1e-6)
        torque = 0.05 / 2.0 * (np.array([3.0, -2.0]) - 0.05 * T @ v)
        np.testing.assert_allclose([run["motor_torque.shoulder"][0], run["motor_torque.elbow"][0]], torque, rtol=1e-12)
        velocity_torque = TWO_LINK.inverse_dynamics(still, v, still, gravity=(0, 0, 0))
        acceleration = np.linalg.solve(M, T.T @ torque - velocity_torque)
        np.testing.assert_allclose((run.stack("v.")[-1] - v) / 1e-6, acceleration, rtol=2e-4)  # the step, by D/J


def test_a_drive_replaces_what_the_description_says():
    links = [stiction.Link(name="base"), stiction.Link(name="wheel", mass=1.0, inertia=np.diag([0.02] * 3))]
    joint = Joint(
        name="axle",
        kind="continuous",
        parent="base",
        child="wheel",
        damping=0.1,
        friction=0.5,
        rotor_inertia=1e-3,
        gear_ratio=10,
    )
    robot = stiction.Robot(name="w", links=links, joints=[joint])
    run = simulate(
        Scene(robot=robot, drives={"axle": Drive(motor=TorqueMotor(), command=1.0)}),
        duration=1.0,
        step=1e-3,
        record=1.0,
    )
    assert run["v.axle"][-1] == pytest.approx(50.0, rel=1e-9)


def test_a_pid_on_voltage():
    """Saturated at 24 V it overshoots and sticks, its integral unwinds, it breaks away at 0.5 N·m and creeps back.

    That takes P/I = 2 s: creeping on the curve, P ε + I ∫ε hardly changes (to the slope of the curve, 1 %).
    """
    motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0)
    friction = Stribeck(level=0.4, static=0.5, velocity=0.01, viscous=0.2)
    drive = Drive(motor=motor, gear=Gear(ratio=120), joint_friction=friction)
    pid = PID(clock=Clock(period=2e-3), proportional=100.0, integral=50.0, derivative=5.0, limit=24.0)
    scene = driven(0.02, drive, control={"axle": pid}, reference={"axle": 0.5})
    run = simulate(scene, duration=6.0, step=1e-3, method="moreau", record=2e-3)
    assert run["error.axle"][-1] == pytest.approx(0.5 - run["q.axle"][-1], abs=1e-5)
    assert run["command.axle"][1] == 24.0 == np.abs(run["command.axle"]).max()
    stuck = (run["mode.axle"] == 0) & (run.time > 0.6)
    error = 0.5 - run["q.axle"]
    assert np.ptp(error[stuck]) < 1e-12
    np.testing.assert_allclose(np.diff(run["command.axle"][stuck]), 50.0 * error[stuck][0] * 2e-3, rtol=1e-6)
    per_volt = 120 * 2.58e-2 / 2.36
    np.testing.assert_allclose(run["friction.axle"][stuck], per_volt * run["command.axle"][stuck], atol=1e-9)
    assert run["friction.axle"][stuck][-1] == pytest.approx(-0.5, abs=2 * per_volt * 50.0 * abs(error[stuck][0]) * 2e-3)
    late = [float(error[np.isclose(run.time, t)][0]) for t in (4.0, 6.0)]
    assert late[0] / late[1] == pytest.approx(math.e, rel=0.01)
    assert run.units["command.axle"] == "V"


@pytest.mark.parametrize("method", ["rk4", "moreau"])
def test_the_energy_balance_of_a_drive(method):
    """What the motor gives goes into motion and friction; it counts as a source, its back-EMF included.

    Work and loss are those that torque and speed of the records say, by Simpson's rule over 200 records per period.
    """
    motor = DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6)
    friction = Coulomb(level=1.0, viscous=0.5)
    drive = Drive(motor=motor, gear=Gear(ratio=120), joint_friction=friction, command=lambda t: 6 * sin(5 * t))
    run = simulate(driven(0.02, drive), duration=2.0, step=1e-4, method=method, record=1e-3, energy=True)
    v, work = run["v.axle"], run["work.drive.axle.motor"][-1]
    assert work == pytest.approx(simpson(120 * run["motor_torque.axle"] * v, x=run.time), rel=1e-3)
    assert run["loss.friction.axle"][-1] == pytest.approx(simpson(run["friction.axle"] * v, x=run.time), rel=1e-3)
    inertia = 0.02 + 120**2 * 7.03e-6
    np.testing.assert_allclose(run["energy.kinetic"], inertia * v**2 / 2, rtol=1e-12, atol=1e-15)
    assert np.abs(run["energy.residue"]).max() < 1e-8 * work


@pytest.mark.parametrize("ratio", [50.0, -50.0])
def test_a_controller_acts_in_the_sense_of_the_joint(ratio):
    pid = PID(clock=Clock(period=2e-3), proportional=100.0, derivative=5.0, limit=24.0)
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    for spring in ({}, {"stiffness": 4.0, "damping": 2e-3}):
        drive = Drive(motor=motor, gear=Gear(ratio=ratio, **spring))
        scene = driven(0.05, drive, control={"axle": pid}, reference={"axle": 0.5})
        run = simulate(scene, duration=3.0, step=1e-3, method="moreau", record=0.5)
        assert run["q.axle"][-1] == pytest.approx(0.5, abs=1e-3)


def test_batches_of_drives_are_their_members():
    """Parameters of motors, gears and rotors, and first positions behind elastic gears."""
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    how = dict(duration=0.3, step=1e-4, record=0.1)

    def rigid(inertia=1e-5, resistance=2.0):
        made = DCMotor(resistance=resistance, constant=0.05, rotor_inertia=inertia)
        return driven(0.05, Drive(motor=made, gear=Gear(ratio=50), command=3.0))

    for name, x, make in (
        ("rotor_inertia", [1e-5, 4e-5], lambda x: rigid(inertia=x)),
        ("resistance", [2.0, 3.0], lambda x: rigid(resistance=x)),
    ):
        batch = simulate(rigid(), parameters={f"drive.axle.{name}": x}, **how)
        for k, value in enumerate(x):
            np.testing.assert_allclose(
                batch["q.axle"][:, k], simulate(make(value), **how)["q.axle"], rtol=1e-9, atol=1e-15
            )

    def springy(q=0.3):
        return driven(0.05, Drive(motor=motor, gear=Gear(ratio=50, stiffness=10.0, damping=0.02)), q=[q])

    batch = simulate(springy(), parameters={"q.axle": [0.3, 0.5]}, **how)
    assert batch["motor_angle.axle"][0].tolist() == [15.0, 25.0]
    np.testing.assert_allclose(batch["q.axle"][-1], [0.3, 0.5], atol=1e-12)
    for name, x, message in (
        ("stiffness", -1.0, "stiffness is -1"),
        ("gear_ratio", 3.0, "unknown parameter"),
        ("driving", 0.5, "unknown parameter"),
    ):
        with pytest.raises(stiction.InputError, match=message):
            simulate(springy(), parameters={f"drive.axle.{name}": x}, **how)


def test_controllers_are_for_joints_of_one_velocity():
    links = [stiction.Link(name="world"), stiction.Link(name="body", mass=1.0, inertia=np.diag([0.1] * 3))]
    robot = stiction.Robot(
        name="free", links=links, joints=[Joint(name="joint", kind="floating", parent="world", child="body")]
    )
    for extra in (
        {"control": {"joint.vx": PID(clock=Clock(period=0.01), proportional=1.0)}},
        {"drives": {"joint.vx": Drive(motor=TorqueMotor())}},
    ):
        with pytest.raises(SceneError, match=r"cannot be on 'joint\.vx'"):
            Scene(robot=robot, **extra)


def test_what_is_left_out_where_it_is_0_cannot_become_0_in_a_batch():
    """Inductance and play shape the program."""
    coil = Drive(motor=DCMotor(resistance=1.0, constant=0.05, inductance=1e-2), command=1.0)
    gear = Gear(ratio=1.0, stiffness=10.0, backlash=0.1)
    loose = Drive(motor=TorqueMotor(rotor_inertia=1e-3), gear=gear, command=1.0)
    for drive, name in ((coil, "inductance"), (loose, "backlash")):
        scene = driven(0.05, drive)
        batch = simulate(scene, duration=0.1, step=1e-3, parameters={f"drive.axle.{name}": [0.01, 0.02]})
        assert np.ptp(batch["q.axle"][-1]) > 1e-6
        with pytest.raises(stiction.InputError, match=r"cannot become 0 in a batch.*run 1 of the batch"):
            simulate(scene, duration=0.1, step=1e-3, parameters={f"drive.axle.{name}": [0.01, 0.0]})


LOSSY = Drive(motor=TorqueMotor(), gear=Gear(ratio=2, efficiency=0.5))
STIFF = Drive(motor=TorqueMotor(rotor_inertia=1e-5), gear=Gear(ratio=1, stiffness=1e5))
P_ONLY = PID(clock=Clock(period=0.01), proportional=1.0)


@pytest.mark.parametrize(
    "make, message, kind",
    [
        (lambda: DCMotor(resistance=0, constant=1.0), "resistance is 0; allowed: a number above 0", DriveError),
        (lambda: DCMotor(resistance=-1, constant=1.0), "resistance is -1", DriveError),
        (lambda: DCMotor(resistance=1, constant=0.0), "constant is 0", DriveError),
        (lambda: DCMotor(resistance=1, constant=1.0, rotor_inertia=-1e-5), "rotor_inertia is -1e-05", DriveError),
        (lambda: TorqueMotor(torque_limit=((1, 2), (2, 1))), "speeds rising from 0", DriveError),
        (lambda: TorqueMotor(torque_limit="much"), "torque_limit is 'much'", DriveError),
        (lambda: Gear(ratio=0), "ratio is 0.0; allowed: a number that is not 0", DriveError),
        (lambda: Gear(ratio=10, efficiency=0), "efficiency is 0; allowed: a number above 0", DriveError),
        (lambda: Gear(ratio=10, efficiency=1.2), "efficiency is 1.2", DriveError),
        (lambda: Gear(ratio=10, backlash=0.1), "give a stiffness", DriveError),
        (lambda: Gear(ratio=10, stiffness=-1), "stiffness is -1", DriveError),
        (lambda: Drive(motor=3), "motor is 3; allowed: a Motor", DriveError),
        (
            lambda: Drive(motor=TorqueMotor(), gear=Gear(ratio=1, stiffness=1.0)),
            "needs a motor with a rotor_inertia above 0",
            DriveError,
        ),
        (lambda: Drive(motor=TorqueMotor(), joint_friction=0.5), "joint_friction is 0.5", DriveError),
        (lambda: Drive(motor=TorqueMotor(), command="x"), "command is 'x'", DriveError),
        (
            lambda: Stribeck(level=1.0, static=0.5, velocity=0.1),
            "static is 0.5 and below level",
            stiction.FrictionError,
        ),
        (
            lambda: Scene(robot=flywheel(1), drives={"axel": Drive(motor=TorqueMotor())}),
            r"unknown joint 'axel'; robot 'flywheel' has: axle \(in drives\)",
            SceneError,
        ),
        (lambda: Scene(robot=flywheel(1), drives={"axle": TorqueMotor()}), "allowed: Drive objects", SceneError),
        (lambda: Scene(robot=flywheel(1), control={"axle": 3}), "control of 'axle' is 3", SceneError),
        (
            lambda: Scene(
                robot=flywheel(1),
                friction={"axle": Coulomb(level=1.0)},
                drives={"axle": Drive(motor=TorqueMotor(), joint_friction=Coulomb(level=1.0))},
            ),
            "both in its drive and in the scene",
            SceneError,
        ),
        (
            lambda: simulate(
                Scene(
                    robot=flywheel(1), drives={"axle": Drive(motor=TorqueMotor(), gear=Gear(ratio=2, efficiency=0.5))}
                ),
                duration=1,
                step=0.1,
                method="rk4",
            ),
            "needs method 'moreau'",
            stiction.InputError,
        ),
        (
            lambda: simulate(driven(1.0, LOSSY), duration=1, step=0.1, method="gears_semi_implicit"),
            "needs method 'moreau'",
            stiction.NetworkError,
        ),
        (
            lambda: simulate(driven(1.0, STIFF), duration=1, step=1e-3),
            "spring of 'drive.axle.gear' is too stiff.*largest stable step",
            stiction.StictionError,
        ),
        (
            lambda: simulate(driven(1.0, STIFF), duration=1, step=1e-3, method="moreau"),
            "swings at 1e.05 rad/s",
            stiction.StictionError,
        ),
        (
            lambda: driven(1.0, Drive(motor=TorqueMotor(), command=5.0), control={"axle": P_ONLY}),
            "a controller and its drive a command",
            SceneError,
        ),
        (lambda: Drive(motor=TorqueMotor(), command=lambda: 1), "command is .*it fails at t = 1 s", DriveError),
        (lambda: Drive(motor=TorqueMotor(), command=lambda t: None), "command", DriveError),
        (
            lambda: driven(1.0, Drive(motor=TorqueMotor()), reference={"axle": lambda t: 1 / 0}),
            "reference of 'axle': Given: value is .*it fails at t = 1 s",
            stiction.InputError,
        ),
        (lambda: PID(clock=Clock(period=0.01), proportional="2"), "proportional is '2'", stiction.InputError),
        (lambda: Gear(ratio=2, self_locking="a"), "self_locking is 'a'", DriveError),
        (lambda: Gear(ratio=True), "ratio is True", DriveError),
        (lambda: TorqueMotor(torque_limit=((0, 1.0), (1, 2.0))), "torques not rising", DriveError),
        (
            lambda: stiction.gears_semi_implicit(pull=-1),
            "pull is -1",
            stiction.InputError,
        ),
        (
            lambda: stiction.gears_implicit(splitting=True),
            "splitting is True",
            stiction.InputError,
        ),
        (
            lambda: simulate(driven(1.0, Drive(motor=TorqueMotor())), duration=1, step=0.1, method="semi_implicit"),
            "'moreau'.*'gears_semi_implicit'",
            stiction.InputError,
        ),
    ],
)
def test_bad_input(make, message, kind):
    with pytest.raises(kind, match=message):
        make()
