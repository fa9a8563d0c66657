"""Loops around loops: sampled at several rates, continuous, on both sides of gears, and over whole robots."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stiction
from stiction import (
    PID,
    Callback,
    Cascade,
    Clock,
    Coulomb,
    CurrentLoop,
    CurrentMotor,
    DCMotor,
    Drive,
    Encoder,
    Gear,
    InputError,
    PointToPoint,
    PositionLoop,
    Scene,
    TorqueMotor,
    VelocityLoop,
    simulate,
)
from stiction.control.loops import loop_part
from stiction.network import NetworkError
from stiction.trace import sin
from tests.scenes import flywheel

SLOW, FAST = Clock(period=4e-3), Clock(period=1e-3)
MOVE = PointToPoint(start=0.0, stop=1.0, velocity=2.0, acceleration=20.0)


def cascade(position=SLOW, velocity=FAST, **more):
    return Cascade(
        position=PositionLoop(clock=position, proportional=30.0, integral=20.0),
        velocity=VelocityLoop(
            clock=velocity,
            proportional=0.4,
            integral=4.0,
            limit=1.5,
            acceleration_feedforward=0.02,
            coulomb_feedforward=0.05,
            viscous_feedforward=0.01,
        ),
        **more,
    )


@pytest.mark.parametrize("sense", [1, -1])
def test_loops_at_their_limit_do_not_wind_up(sense):
    """For a hundred ticks it is asked for more than it has; then it answers as if they had not been."""
    law = VelocityLoop(clock=Clock(period=0.01), proportional=1.0, integral=10.0, limit=2.0)
    part, memory, rest = loop_part(law), [0.0, 0.0], {"target_velocity": [0.0], "target_acceleration": [0.0]}
    for _ in range(100):
        outputs, memory = part.decide({"command": [5.0 * sense], "velocity": [0.0], **rest}, memory, 0.0)
        assert outputs["command"] == [2.0 * sense]
    outputs, _ = part.decide({"command": [5.0 * sense], "velocity": [6.0 * sense], **rest}, memory, 0.0)
    assert outputs["command"] == pytest.approx([-sense * (1.0 + 10.0 * 0.01)])


def test_two_rates_as_by_hand():
    """A wheel of 0.02 kg m² under a torque that is constant between ticks: everything is exact."""
    scene = Scene(
        robot=flywheel(0.02), control={"axle": cascade(side="joint")}, reference={"axle": MOVE}, gravity=(0, 0, 0)
    )
    run = simulate(scene, duration=1.0, step=1e-3)
    x = v = wish = 0.0
    sums, rows = [0.0, 0.0], []
    t = np.arange(1001) * 1e-3
    target = MOVE.sample(t)
    limited = 0
    for k in range(1001):
        rows.append(x)
        q, dq, ddq = (float(part[k, 0]) for part in target)
        if k % 4 == 0:
            sums[0] += 4e-3 * (q - x)
            wish = dq + 30 * (q - x) + 20 * sums[0]
        error = wish - v
        friction = 0.05 * min(max(dq / 1e-3, -1), 1) + 0.01 * dq
        force = 0.02 * ddq + friction + 0.4 * error + 4 * (sums[1] + 1e-3 * error)
        if not (abs(force) > 1.5 and force * error > 0):
            sums[1] += 1e-3 * error
        limited += abs(force) > 1.5
        force = min(max(force, -1.5), 1.5)
        x, v = x + v * 1e-3 + force / 0.02 * 1e-6 / 2, v + force / 0.02 * 1e-3
    np.testing.assert_allclose(run["q.axle"], rows, atol=1e-9)
    assert run["position_ticks.axle"][-1] == 250 and run["velocity_ticks.axle"][-1] == 1000
    assert run["q.axle"][-1] == pytest.approx(1.0, abs=0.01)
    np.testing.assert_allclose(run["target.axle"], target.q[:, 0], atol=1e-12)
    assert run.units["command.axle"] == "N·m" and run.units["velocity_command.axle"] == "rad/s"


@pytest.mark.parametrize("method", ["moreau", "rk4", "rosenbrock"])
def test_continuous_loops_against_scipy(method):
    loops = cascade(None, None, side="joint")
    scene = Scene(robot=flywheel(0.02), control={"axle": loops}, reference={"axle": lambda t: 0.3 * sin(3 * t)})
    run = simulate(scene, duration=2.0, step=2e-4, method=method, record=0.01)

    def rates(t, y):
        x, v, first, second = y
        q, dq, ddq = 0.3 * np.sin(3 * t), 0.9 * np.cos(3 * t), -2.7 * np.sin(3 * t)
        wish = dq + 30 * (q - x) + 20 * first
        friction = 0.05 * np.clip(dq / 1e-3, -1, 1) + 0.01 * dq
        force = 0.02 * ddq + friction + 0.4 * (wish - v) + 4 * second
        return [v, np.clip(force, -1.5, 1.5) / 0.02, q - x, wish - v]

    exact = solve_ivp(rates, (0, 2), [0, 0, 0, 0], t_eval=run.time, rtol=1e-10, atol=1e-12, max_step=1e-3).y
    assert np.abs(exact[0]).max() > 0.2
    np.testing.assert_allclose(run["q.axle"], exact[0], atol=2e-5)


def test_a_continuous_cascade_is_the_limit_of_a_sampled_one():
    servo = {"robot": flywheel(0.02), "reference": {"axle": MOVE}}
    smooth = simulate(
        Scene(**servo, control={"axle": cascade(None, None, side="joint")}), duration=1.0, step=1e-4, record=0.01
    )
    apart = []
    for period in (2e-3, 1e-3, 5e-4):
        clock = Clock(period=period)
        run = simulate(
            Scene(**servo, control={"axle": cascade(clock, clock, side="joint")}), duration=1.0, step=1e-4, record=0.01
        )
        apart.append(np.abs(run["q.axle"] - smooth["q.axle"]).max())
    assert (
        apart[2] < 5e-3
        and apart[0] / apart[1] == pytest.approx(2, rel=0.15)
        and apart[1] / apart[2] == pytest.approx(2, rel=0.15)
    )


@pytest.mark.parametrize("ratio", [50.0, -50.0])
@pytest.mark.parametrize("spring", [{}, {"stiffness": 0.5, "damping": 1e-3}], ids=["rigid", "elastic"])
def test_motor_side_and_joint_side_are_the_same_control(ratio, spring):
    """Gains divided by the ratio do on the motor side what they do on the joint side of a rigid gear."""
    motor, gear = CurrentMotor(constant=0.05, rotor_inertia=1e-5), Gear(ratio=ratio, **spring)
    n = abs(ratio)

    def servo(side):
        gain = 2.0 / n if side == "motor" else 2.0
        return Cascade(
            position=PositionLoop(clock=SLOW, proportional=30.0),
            velocity=VelocityLoop(clock=FAST, proportional=gain),
            side=side,
        )

    runs = []
    for side in ("joint", "motor"):
        sensors = {"axle": [Encoder(side="motor", counts=8192)]}  # both know the motor alone
        scene = Scene(
            robot=flywheel(0.02),
            drives={"axle": Drive(motor=motor, gear=gear)},
            control={"axle": servo(side)},
            reference={"axle": MOVE},
            sensors=sensors,
        )
        runs.append(simulate(scene, duration=1.0, step=5e-4, record=0.01))
    np.testing.assert_allclose(runs[0]["q.axle"], runs[1]["q.axle"], atol=1e-9)
    assert runs[0]["q.axle"][-1] == pytest.approx(1.0, abs=0.02)
    assert np.sign(runs[0]["command.axle"][5]) == 1 and np.sign(runs[1]["command.axle"][5]) == np.sign(ratio)


def coupled_arm():
    """Two joints whose second motor turns with both."""
    arm = stiction.library.two_link(lengths=(0.3, 0.3), masses=(1.0, 1.0))
    return replace(arm, coupling=((40.0, 0.0), (30.0, 30.0)))


def coupled_scene(gear, **more):
    motor = CurrentMotor(constant=0.05, rotor_inertia=1e-5)
    loops = Cascade(
        position=PositionLoop(clock=SLOW, proportional=20.0),
        velocity=VelocityLoop(clock=FAST, proportional=0.05, integral=0.2),
    )
    names = ("shoulder", "elbow")
    return Scene(
        robot=coupled_arm(),
        drives=dict.fromkeys(names, Drive(motor=motor, gear=gear)),
        control=dict.fromkeys(names, loops),
        reference=PointToPoint(start=[0, 0], stop=[0.8, -0.5], velocity=1.0, acceleration=5.0),
        gravity=(0, -9.81, 0),
        **more,
    )


def test_coupled_motors_are_controlled_in_their_own_angles():
    run = simulate(coupled_scene(Gear(ratio=1.0)), duration=2.0, step=1e-3, record=0.01)
    assert run["q.shoulder"][-1] == pytest.approx(0.8, abs=2e-3) and run["q.elbow"][-1] == pytest.approx(-0.5, abs=2e-3)
    error = 30 * (run["target.shoulder"] - run["q.shoulder"] + run["target.elbow"] - run["q.elbow"])
    np.testing.assert_allclose(run["error.elbow"][1:], error[1:], atol=0.2)  # a tick late


def test_elastic_gears_on_coupled_joints_stiffen_to_rigid_ones():
    how = {"duration": 1.0, "step": 2e-4, "record": 0.01}
    rigid = simulate(coupled_scene(Gear(ratio=1.0)), **how)
    apart = []
    for stiffness in (5.0, 20.0):
        soft = simulate(coupled_scene(Gear(ratio=1.0, stiffness=stiffness, damping=0.01)), **how)
        assert soft["motor_angle.elbow"][0] == 0
        twist = soft["motor_angle.elbow"] - 30 * (soft["q.shoulder"] + soft["q.elbow"])
        np.testing.assert_allclose(soft["gear_motor_torque.elbow"][-1], -stiffness * twist[-1], rtol=0.02)
        apart.append(np.abs(soft.stack("q.") - rigid.stack("q.")).max())
    assert apart[1] < 0.4 * apart[0] and apart[1] < 3e-3
    started = replace(coupled_scene(Gear(ratio=1.0, stiffness=5.0)), q=[0.2, 0.1])
    assert simulate(started, duration=1e-3, step=1e-3)["motor_angle.elbow"][0] == pytest.approx(30 * 0.3)
    moved = simulate(
        coupled_scene(Gear(ratio=1.0, stiffness=5.0)), duration=1e-3, step=1e-3, parameters={"q.elbow": 0.5}
    )
    assert moved["motor_angle.elbow"][0] == pytest.approx(15.0), "rotors begin where their joints do"


def test_losses_on_coupled_joints():
    """A motor that drives gives its efficiency to the joints: what is left of both motors' torques, carried through T,
    moves the arm as its inverse dynamics say.
    """
    run = simulate(coupled_scene(Gear(ratio=1.0, efficiency=0.8)), duration=1.5, step=1e-3)
    lifts = (run.time > 0.5) & (run.time < 0.7)
    drives = 0.05 * run.stack("motor_current.")[lifts]
    left = drives - run.stack("mesh_friction.")[lifts]
    np.testing.assert_allclose(left[:, 0], 0.8 * drives[:, 0], rtol=0.05)
    robot = replace(coupled_arm(), joints=[replace(joint, rotor_inertia=1e-5) for joint in coupled_arm().joints])
    v, q = run.stack("v."), run.stack("q.")
    wanted = robot.inverse_dynamics(q, v, np.gradient(v, run.time, axis=0), gravity=(0, -9.81, 0))[lifts]
    given = left @ np.array(coupled_arm().coupling)
    assert np.abs(given - wanted).max() < 0.08 * np.abs(wanted).max()


# Motors with inductance.

COIL = {"resistance": 1.0, "constant": 0.05, "inductance": 5e-3, "rotor_inertia": 1e-5}


@pytest.mark.parametrize("method", ["moreau", "rk4", "rosenbrock"])
@pytest.mark.parametrize("step", [1e-4, 1e-3])
def test_a_current_limit_holds_the_current(method, step):
    """A held rotor under 24 V: the current rises as without a limit, stays at it, and falls when the voltage does."""
    drive = Drive(motor=DCMotor(**COIL, current_limit=3.0), command=lambda t: stiction.trace.where(t < 0.02, 24.0, 1.0))
    scene = Scene(robot=flywheel(1e6), drives={"axle": drive})
    run = simulate(scene, duration=0.04, step=step, method=method)
    i, t = run["motor_current.axle"], run.time
    assert i.max() == 3.0
    rising = -5e-3 * np.log(1 - 3 / 24)
    np.testing.assert_allclose(i[t < rising - step], 24 * (1 - np.exp(-t[t < rising - step] / 5e-3)), atol=2e-2)
    assert (i[(t > rising + step) & (t < 0.02)] == 3.0).all()
    falling = t > 0.02 + step
    np.testing.assert_allclose(i[falling], 1 + 2 * np.exp(-(t[falling] - 0.02) / 5e-3), atol=0.3 * step / 1e-3)


def test_torque_limits_of_motors_with_inductance():
    limit = ((0.0, 0.15), (100.0, 0.05))
    drive = Drive(motor=DCMotor(**COIL, torque_limit=limit), command=24.0)
    run = simulate(Scene(robot=flywheel(1e-3), drives={"axle": drive}), duration=2.0, step=1e-3)
    most = np.interp(run["v.axle"], [0, 100], [0.15, 0.05])
    assert (run["motor_torque.axle"] <= most * (1 + 1e-9)).all() and run["motor_torque.axle"].max() == pytest.approx(
        0.15, rel=0.02
    )


def test_a_digital_current_loop():
    """It brings the current to its command within some ticks, whatever the speed."""
    servo = Cascade(
        velocity=VelocityLoop(clock=FAST, proportional=0.5, integral=5.0, limit=4.0),
        current=CurrentLoop(clock=Clock(period=2.5e-4), proportional=8.0, integral=2000.0, limit=24.0),
    )
    scene = Scene(
        robot=flywheel(0.02),
        drives={"axle": Drive(motor=DCMotor(**COIL), gear=Gear(ratio=20))},
        control={"axle": servo},
        reference={"axle": MOVE},
    )
    run = simulate(scene, duration=1.0, step=2.5e-4)
    wish, i = run["current_command.axle"], run["motor_current.axle"]
    late = run.time > 0.02
    assert np.quantile(np.abs(wish - i)[late], 0.97) < 0.03 * np.abs(wish).max()  # but after jumps of the acceleration
    assert run.units["command.axle"] == "V" and run.units["current_command.axle"] == "A"
    assert np.abs(run["v.axle"] - run["target_velocity.axle"])[late].max() < 0.05


# Whole robots.

GAINS = {"stiffness": 60.0, "damping": 8.0}


def arm_function(drive):
    """Computed torque by a Python function over all joints."""
    model = coupled_arm() if drive else stiction.library.two_link(lengths=(0.3, 0.3), masses=(1.0, 1.0))

    def function(t, x):
        a = x["target_acceleration"] + 60 * (x["target"] - x["position"]) + 12 * (x["target_velocity"] - x["velocity"])
        return {"torque": model.inverse_dynamics(x["position"], x["velocity"], a, gravity=(0, -9.81, 0))}

    reads = dict.fromkeys(("position", "velocity", "target", "target_velocity", "target_acceleration"), 2)
    return Callback(clock=FAST, function=function, reads=reads, gives={"torque": 2})


@pytest.mark.parametrize("drive", [None, TorqueMotor(), CurrentMotor(constant=0.05)], ids=["none", "torque", "current"])
def test_a_function_over_all_joints_commands_drives(drive):
    """The same motion with and without drives: torques reach the joints through the coupled gears."""
    names = ("shoulder", "elbow")
    arm = coupled_arm() if drive else stiction.library.two_link(lengths=(0.3, 0.3), masses=(1.0, 1.0))
    scene = Scene(
        robot=arm,
        drives=dict.fromkeys(names, Drive(motor=drive)) if drive else {},
        control={"robot": arm_function(drive)},
        reference=PointToPoint(start=[0, 0], stop=[0.8, -0.5], velocity=1.0, acceleration=5.0),
        gravity=(0, -9.81, 0),
    )
    run = simulate(scene, duration=1.5, step=1e-3)
    assert np.abs(run.stack("q.") - run.stack("target.")).max() < 2e-3
    assert run.calls == 1500 and run["control.robot.ticks"][-1] == 1500
    assert run.units["control_torque.elbow"] == "N·m"
    if drive:
        torques = np.linalg.solve(np.array(coupled_arm().coupling).T, run.stack("control_torque.").T).T
        np.testing.assert_allclose(run["motor_torque.elbow"][1:], torques[1:, 1], atol=1e-9)


def test_a_function_over_all_joints_above_current_loops():
    """Currents are its commands; digital loops at 4 kHz keep them."""
    names, loop = (
        ("shoulder", "elbow"),
        CurrentLoop(clock=Clock(period=2.5e-4), proportional=20.0, integral=5e3, limit=48.0),
    )
    scene = Scene(
        robot=coupled_arm(),
        drives=dict.fromkeys(names, Drive(motor=DCMotor(resistance=1.0, constant=0.05, inductance=5e-3))),
        control={"robot": arm_function(True), **dict.fromkeys(names, Cascade(current=loop))},
        reference=PointToPoint(start=[0, 0], stop=[0.8, -0.5], velocity=1.0, acceleration=5.0),
        gravity=(0, -9.81, 0),
    )
    run = simulate(scene, duration=1.5, step=2.5e-4, record=1e-3)
    assert np.abs(run.stack("q.") - run.stack("target.")).max() < 1e-2


@pytest.mark.parametrize(
    ("make", "words", "kind"),
    [
        (lambda: Cascade(), "it has no loop", InputError),
        (lambda: Cascade(position=PositionLoop()), "no velocity loop", InputError),
        (
            lambda: Scene(robot=flywheel(1.0), control={"axle": cascade()}),
            "'axle' reads 'target', and joint 'axle' has no reference",
            NetworkError,
        ),
        (
            lambda: Scene(
                robot=flywheel(1.0),
                drives={"axle": Drive(motor=DCMotor(**COIL))},
                control={"axle": Cascade(current=CurrentLoop(clock=FAST))},
            ),
            "current loop alone",
            NetworkError,
        ),
        (
            lambda: Scene(
                robot=flywheel(1.0),
                control={"axle": Callback(clock=FAST, function=len, reads={"temperature": 1}, gives={"command": 1})},
            ),
            "reads 'temperature', which joints do not tell; they tell: position, velocity, current, target",
            NetworkError,
        ),
        (
            lambda: Scene(
                robot=flywheel(1.0),
                control={"axle": Callback(clock=FAST, function=len, reads={"position": 2}, gives={"command": 1})},
            ),
            "reads 2 numbers of 'position', and one joint has 1",
            NetworkError,
        ),
        (
            lambda: Scene(
                robot=coupled_arm(),
                control={"robot": Callback(clock=FAST, function=len, reads={"position": 2}, gives={"torque": 3})},
            ),
            r"gives {'torque': 3}; allowed: {'torque': 2}",
            NetworkError,
        ),
        (
            lambda: Scene(robot=flywheel(1.0), control={"wheel": cascade()}),
            "unknown joint 'wheel'",
            stiction.SceneError,
        ),
        (
            lambda: Scene(robot=coupled_arm(), reference=MOVE),
            "reference of 'robot' is for 1 joints; allowed: 2",
            stiction.SceneError,
        ),
        (
            lambda: Scene(
                robot=coupled_arm(),
                reference={"robot": PointToPoint(start=[0, 0], stop=[1, 1], velocity=1, acceleration=1), "elbow": 0.5},
            ),
            "'elbow' has two references",
            stiction.SceneError,
        ),
        (
            lambda: Scene(
                robot=coupled_arm(),
                drives={"elbow": Drive(motor=TorqueMotor())},
                control={"elbow": PID(clock=FAST, proportional=1.0)},
                reference={"elbow": 0.1},
                sensors={"elbow": [Encoder(side="motor")]},
            ),
            "of a coupled gear; put both on one side",
            NetworkError,
        ),
        (
            lambda: simulate(
                Scene(
                    robot=flywheel(1.0),
                    control={"axle": cascade(Clock(period=1e-3), Clock(period=3e-4))},
                    reference={"axle": MOVE},
                ),
                duration=0.1,
                step=2e-4,
            ),
            "no whole number of steps",
            InputError,
        ),
    ],
)
def test_bad_servos_are_refused(make, words, kind):
    with pytest.raises(kind, match=words):
        make()


def test_friction_and_feed_forward():
    """Coulomb and viscous feed-forward that knows the friction takes the error of a slow motion away."""
    law, errors = Coulomb(level=0.5, viscous=0.3), []
    for coulomb, viscous in ((0.0, 0.0), (0.5, 0.3)):
        servo = Cascade(
            position=PositionLoop(clock=FAST, proportional=20.0),
            velocity=VelocityLoop(
                clock=FAST,
                proportional=1.0,
                acceleration_feedforward=0.02,
                coulomb_feedforward=coulomb,
                viscous_feedforward=viscous,
            ),
            side="joint",
        )
        scene = Scene(robot=flywheel(0.02), friction={"axle": law}, control={"axle": servo}, reference={"axle": MOVE})
        errors.append(np.abs(simulate(scene, duration=1.0, step=1e-3)["error.axle"]).max())
    assert errors[1] < 0.1 * errors[0]
