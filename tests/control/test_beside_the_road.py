"""What users do one step further: coupled and turned gears, springs of models, continuing, holding, mixed loops."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import (
    PID,
    Cascade,
    Chain,
    Clock,
    Coulomb,
    CurrentLoop,
    CurrentMotor,
    DCMotor,
    Drive,
    Encoder,
    Gear,
    GravityCompensation,
    PointToPoint,
    PositionLoop,
    Scene,
    Simulator,
    StictionError,
    Tachometer,
    TorqueMotor,
    VelocityLoop,
    library,
    simulate,
)
from stiction.control.reference import Given
from stiction.parts import Fixed, TwoPointSpring
from tests.scenes import flywheel

TICK, FAST = Clock(period=1e-3), Clock(period=2.5e-4)
ARM = library.two_link(lengths=(0.4, 0.3))
COIL = DCMotor(resistance=1.0, constant=0.05, inductance=5e-3, rotor_inertia=1e-5)
MOVE = PointToPoint(start=0.0, stop=0.3, velocity=1.0, acceleration=5.0)


@pytest.mark.parametrize("stiffness", [10.0, 50.0, 200.0])
@pytest.mark.parametrize("anchor", ["robot.base", "post"])
def test_every_spring_is_its_own_in_a_model(stiffness, anchor):
    """Programs are shared by structure: springs of other numbers, at other places, are other numbers."""
    parts = {"post": Fixed(position=(0.2, 0.5, 0))} if anchor == "post" else {}
    spring = TwoPointSpring(between=(anchor, "robot.tip"), stiffness=stiffness, length=0.3)
    brain = GravityCompensation(clock=Clock(period=1e-3))
    scene = Scene(
        robot=ARM, parts={**parts, "spring": spring}, control={"robot": brain}, gravity=(0, -9.81, 0), q=[0.3, 0.5]
    )
    run = simulate(scene, duration=0.5, step=1e-3, record=0.1)
    assert np.ptp(run.stack("q."), axis=0).max() < 1e-6


@pytest.mark.parametrize("ratio", [50.0, -50.0])
@pytest.mark.parametrize("side", ["joint", "motor"])
def test_current_loops_behind_gears_that_turn_round(ratio, side):
    gain = 2.0 if side == "joint" else 2.0 / 50
    servo = Cascade(
        position=PositionLoop(clock=TICK, proportional=20.0),
        velocity=VelocityLoop(clock=TICK, proportional=gain, integral=5 * gain),
        current=CurrentLoop(clock=FAST, proportional=5.0, integral=1500.0, limit=48.0),
        side=side,
    )
    scene = Scene(
        robot=library.pendulum(1),
        drives={"joint1": Drive(motor=COIL, gear=Gear(ratio=ratio))},
        control={"joint1": servo},
        reference={"joint1": MOVE},
        q=[0.0],
    )
    run = simulate(scene, duration=2.0, step=2.5e-4, record=0.01)
    assert run["q.joint1"][-1] == pytest.approx(0.2794760744, abs=1e-9), "gravity is what is missing, in all four"
    assert np.abs(run["motor_current.joint1"]).max() < 20


def test_torques_where_only_some_coupled_joints_have_drives():
    arm = replace(ARM, coupling=((10.0, 5.0), (0.0, 1.0)))
    brain = GravityCompensation(clock=Clock(period=1e-3))
    for driven in (["shoulder"], ["shoulder", "elbow"], ["elbow"]):
        scene = Scene(
            robot=arm,
            drives=dict.fromkeys(driven, Drive(motor=TorqueMotor())),
            control={"robot": brain},
            gravity=(0, -9.81, 0),
            q=[0.3, 0.5],
        )
        run = simulate(scene, duration=0.5, step=1e-3, record=0.1)
        assert np.ptp(run.stack("q."), axis=0).max() < 1e-6, driven


ELASTIC = Gear(ratio=50, stiffness=2.0, damping=1e-3)
HOLDERS = {
    "motor side": (
        Cascade(
            position=PositionLoop(clock=TICK, proportional=20.0),
            velocity=VelocityLoop(clock=TICK, proportional=0.05, integral=0.5),
        ),
        [],
    ),
    "joint side": (
        Cascade(
            position=PositionLoop(clock=TICK, proportional=20.0),
            velocity=VelocityLoop(clock=TICK, proportional=2.0, integral=20.0),
            side="joint",
        ),
        [],
    ),
    "motor side, joint encoder": (
        Cascade(
            position=PositionLoop(clock=TICK, proportional=20.0),
            velocity=VelocityLoop(clock=TICK, proportional=0.05, integral=0.5),
        ),
        [Encoder()],
    ),
    "PID, motor encoder": (PID(clock=TICK, proportional=20.0, integral=50.0, derivative=2.0), [Encoder(side="motor")]),
    "PID": (PID(clock=TICK, proportional=20.0, integral=50.0, derivative=2.0), []),
}


@pytest.mark.parametrize(
    "gear", [Gear(ratio=-50), ELASTIC, replace(ELASTIC, backlash=0.02)], ids=["rigid", "elastic", "play"]
)
@pytest.mark.parametrize("holder", HOLDERS)
def test_held_is_held(holder, gear):
    """The first command is what rest takes: nothing moves in the first ticks, beyond what the controllers answer to a
    winding that they see as an error."""
    servo, sensors = HOLDERS[holder]
    scene = Scene(
        robot=library.pendulum(1),
        drives={"joint1": Drive(motor=CurrentMotor(constant=0.05, rotor_inertia=1e-5), gear=gear)},
        control={"joint1": servo},
        reference={"joint1": 0.5},
        sensors={"joint1": sensors} if sensors else {},
        q=[0.5],
    )
    run = simulate(scene, duration=2e-3, step=1e-4, start="held")
    loose = simulate(scene, duration=2e-3, step=1e-4)
    assert np.abs(run["v.joint1"]).max() < 0.01 * np.abs(loose["v.joint1"]).max()


@pytest.mark.parametrize("away", [0.0, 0.1])
def test_the_first_command_holds_wherever_the_goal_is(away):
    """m g l sin q over ratio and torque constant, though the goal be elsewhere: the integral is set for it."""
    pid = PID(clock=TICK, proportional=20.0, integral=50.0, derivative=2.0)
    scene = Scene(
        robot=library.pendulum(1),
        drives={"joint1": Drive(motor=CurrentMotor(constant=0.05, rotor_inertia=1e-5), gear=Gear(ratio=50))},
        control={"joint1": pid},
        reference={"joint1": 0.5 + away},
        q=[0.5],
    )
    run = simulate(scene, duration=1e-3, step=1e-4, start="held")
    torque = float(scene.robot.gravity_torque([0.5])[0])
    assert run["command.joint1"][1] == pytest.approx(torque / 50 / 0.05, rel=1e-12)


def test_held_without_a_drive_and_what_cannot_be_held():
    pid = PID(clock=TICK, proportional=20.0, integral=50.0)
    scene = Scene(robot=library.pendulum(1), control={"joint1": pid}, reference={"joint1": 0.5}, q=[0.5])
    assert np.ptp(simulate(scene, duration=0.5, step=1e-3, start="held")["q.joint1"]) < 1e-9
    late = replace(scene, control={"joint1": replace(pid, clock=Clock(period=1e-3, delay=2))})
    with pytest.raises(StictionError, match="until its first command nothing holds"):
        simulate(late, duration=0.5, step=1e-3, start="held")
    with pytest.raises(StictionError, match=r"'q\.joint1' may change what holds it"):
        simulate(scene, duration=0.5, step=1e-3, start="held", parameters={"q.joint1": 1.0})
    with pytest.raises(StictionError, match="start is 'hold'"):
        simulate(scene, duration=0.5, step=1e-3, start="hold")


def test_a_continuous_loop_between_a_sensor_and_a_sampled_one():
    """It sees what the sensor has just read: at rest on its target nothing is commanded."""
    servo = Cascade(
        position=PositionLoop(proportional=20.0), velocity=VelocityLoop(clock=TICK, proportional=1.0), side="joint"
    )
    scene = Scene(
        robot=flywheel(0.1), control={"axle": servo}, reference={"axle": 1.0}, sensors={"axle": [Encoder()]}, q=[1.0]
    )
    run = simulate(scene, duration=0.1, step=1e-3)
    assert np.abs(run["command.axle"]).max() < 1e-9


def test_controllers_that_would_both_command():
    loops = {"joint1": Cascade(velocity=VelocityLoop(clock=TICK, proportional=1.0))}
    for control in (loops, {"joint1": PID(clock=TICK, proportional=1.0)}):
        with pytest.raises(StictionError, match="by its own controller and by that of its robot"):
            Scene(
                robot=library.pendulum(1),
                drives={"joint1": Drive(motor=TorqueMotor())},
                control={"robot": GravityCompensation(clock=TICK), **control},
                reference={"joint1": 0.0},
            )
    with pytest.raises(StictionError, match="a controller and its drive a command"):
        Scene(
            robot=library.pendulum(1),
            drives={"joint1": Drive(motor=TorqueMotor(), command=3.0)},
            control={"robot": GravityCompensation(clock=TICK)},
        )


def test_runs_go_on_with_and_without_meters():
    drive = Drive(motor=COIL, gear=Gear(ratio=20), command=3.0)
    scene = Scene(robot=flywheel(0.05), drives={"axle": drive})
    how = {"duration": 0.1, "step": 1e-3}
    for energy in (True, False):
        first = simulate(scene, **how, energy=energy)
        second = simulate(scene, **how, energy=not energy, start=first.state)
        assert second["v.axle"][0] == first["v.axle"][-1]
        if not energy:
            assert second["loss.copper.axle"][0] == 0 < second["loss.copper.axle"][-1]


def test_a_ratio_that_wires_hold_is_no_parameter():
    drive = Drive(motor=CurrentMotor(constant=0.05, rotor_inertia=1e-5), gear=ELASTIC)
    alone = Scene(robot=flywheel(0.05), drives={"axle": drive})
    assert "drive.axle.ratio" in alone.parameters
    assert "drive.axle.ratio" not in replace(alone, sensors={"axle": [Encoder(side="motor", clock=TICK)]}).parameters


def test_noise_goes_on_and_differs_from_episode_to_episode(tmp_path):
    pid = PID(clock=TICK, proportional=1.0, derivative=0.1)
    scene = Scene(
        robot=flywheel(0.1), control={"axle": pid}, reference={"axle": 1.0}, sensors={"axle": [Tachometer(noise=0.1)]}
    )
    whole = simulate(scene, duration=0.2, step=1e-3, seed=7)
    half = simulate(scene, duration=0.1, step=1e-3, seed=7)
    half.save(tmp_path / "half.h5")
    for state in (half.state, stiction.Trajectory.load(tmp_path / "half.h5").state):
        rest = simulate(scene, duration=0.1, step=1e-3, start=state)
        np.testing.assert_array_equal(rest["q.axle"], whole["q.axle"][100:])
    sim = Simulator(scene, step=1e-3, runs=2, outputs=["measured_velocity.*"], seed=7)
    first = sim.step(steps=20)
    sim.reset()
    assert (sim.step(steps=20) != first).all()


def test_sensors_read_with_their_controllers():
    """A phase of the controller is that of its sensor: what it knows is not older than its tick."""
    pid = PID(clock=Clock(period=1e-2, phase=3e-3), proportional=0.0)
    scene = Scene(
        robot=flywheel(0.1), control={"axle": pid}, reference={"axle": 0.0}, sensors={"axle": [Encoder()]}, v=[1.0]
    )
    run = simulate(scene, duration=0.1, step=1e-3)
    np.testing.assert_allclose(run["error.axle"][4:14], -3e-3, atol=1e-12)
    rp = library.rp_arm()
    with pytest.raises(StictionError, match="it slides, and counts are those of a turn"):
        Scene(robot=rp, sensors={"slide": [Encoder(counts=100, clock=TICK)]})
    assert Scene(robot=rp, sensors={"slide": [Encoder(resolution=1e-3, clock=TICK)]}).sensors


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Scene(robots={"a": ARM, "b": ARM}, reference=MOVE), "there are 2 robots; give it by name"),
        (
            lambda: Scene(robot=ARM, control={"robot": Cascade(velocity=VelocityLoop(clock=TICK))}),
            "is a Cascade, which is for one joint",
        ),
        (lambda: Scene(robot=ARM, sensors={"elbow": 5}), "allowed: a list of sensors"),
        (
            lambda: Scene(robot=ARM, parts={"s": TwoPointSpring(between=("robot.hok", "robot.tip"), stiffness=1.0)}),
            "unknown end 'robot.hok'",
        ),
        (lambda: PointToPoint(start=[0.0], stop=[], velocity=1.0, acceleration=1.0), "start has 1 numbers and stop 0"),
        (lambda: GravityCompensation(clock=TICK, damping="a"), "damping is 'a'"),
        (
            lambda: Cascade(velocity=VelocityLoop(), current=CurrentLoop(proportional=1.0)),
            "its current loop has no clock",
        ),
        (lambda: Chain(motions=[Chain(motions=[Given(lambda t: t)]), MOVE]), "nobody knows when it ends"),
    ],
)
def test_refused_with_the_fix(make, words):
    with pytest.raises(StictionError, match=words):
        make()


def test_references_for_one_joint_by_the_name_of_the_robot_can_come_from_outside():
    pid = PID(clock=TICK, proportional=1.0)
    scene = Scene(robot=library.pendulum(1), control={"joint1": pid}, reference={"robot": 0.5})
    assert Simulator(scene, step=1e-3, inputs=["reference.*"]).inputs == ("reference.robot",)


def test_scenes_of_one_structure_share_their_programs():
    """A motion that was sampled has the structure that it had before."""
    other = PointToPoint(start=0.1, stop=0.9, velocity=2.0, acceleration=3.0)
    scenes = []
    for motion in (MOVE, other):
        motion.sample([0.0, 0.1])
        servo = {"axle": PID(clock=TICK, proportional=1.0)}
        scenes.append(
            Scene(robot=flywheel(0.1), friction={"axle": Coulomb(level=0.1)}, control=servo, reference={"axle": motion})
        )
    assert scenes[0].network.structure() == scenes[1].network.structure()


def test_commands_of_a_whole_robot_act_in_the_sense_of_the_joints():
    """As those of a joint do, also behind a gear that turns round."""
    ends = []
    for who in ("joint1", "robot"):
        for ratio in (20.0, -20.0):
            relay = stiction.Callback(
                clock=TICK,
                function=lambda t, x: (0.5 - x["position"]) - 0.2 * x["velocity"],
                reads={"position": 1, "velocity": 1},
                gives={"command": 1},
            )
            drives = {"joint1": Drive(motor=TorqueMotor(), gear=Gear(ratio=ratio))}
            scene = Scene(robot=library.pendulum(1), drives=drives, control={who: relay}, gravity=(0, 0, 0))
            ends.append(simulate(scene, duration=2.0, step=1e-3)["q.joint1"][-1])
    np.testing.assert_allclose(ends, ends[0], atol=1e-9)


def test_a_model_has_the_rotors_behind_elastic_gears():
    motor = CurrentMotor(constant=0.1, rotor_inertia=2e-4)
    brain = stiction.ComputedTorque(clock=TICK, stiffness=100.0, damping=20.0)
    errors = []
    for gear in (Gear(ratio=100), Gear(ratio=100, stiffness=20.0, damping=0.05)):
        scene = Scene(
            robot=library.pendulum(1),
            drives={"joint1": Drive(motor=motor, gear=gear)},
            control={"robot": brain},
            reference={"joint1": PointToPoint(start=0.0, stop=1.0, velocity=1.0, acceleration=4.0, jerk=40.0)},
        )
        run = simulate(scene, duration=2.0, step=1e-3)
        errors.append(np.abs(run["q.joint1"] - run["target.joint1"]).max())
    assert errors[1] < 0.01


def test_the_supply_pays_for_what_is_there_at_a_limit():
    """A held rotor under 24 V, limited to 5 A: closed forms of current, copper and field."""
    motor = DCMotor(resistance=1.0, inductance=2e-3, constant=0.08, rotor_inertia=1e-4, current_limit=5.0)
    scene = Scene(
        robot=library.pendulum(1, mass=1e6), drives={"joint1": Drive(motor=motor, command=24.0)}, gravity=(0, 0, 0)
    )
    reached = -2e-3 * np.log(1 - 5 / 24)
    tau, I = 2e-3, 24.0
    rising = I**2 * (reached - 2 * tau * (1 - np.exp(-reached / tau)) + tau / 2 * (1 - np.exp(-2 * reached / tau)))
    copper = rising + 25.0 * (0.02 - reached)
    for step, bar in ((1e-4, 0.02), (1e-3, 0.08)):
        run = simulate(scene, duration=0.02, step=step, energy=True)
        assert run["loss.copper.joint1"][-1] == pytest.approx(copper, rel=bar)
        rest = run["work.supply.joint1"] - run["loss.copper.joint1"] - run["energy.magnetic"]
        assert np.abs(rest).max() < bar * copper


def limited_by_hand(h=4e-6):
    """A pendulum behind a motor whose torque limit falls with the speed, tick by tick."""
    R, L, K, n, J, m = 1.0, 2e-3, 0.08, -30.0, 1e-4, 1.0
    q = v = i = 0.0
    for k in range(round(0.6 / h)):
        e = 24.0 if (k * h * 4) % 1 < 0.5 else -24.0
        speed = n * v
        most = min(np.interp(abs(speed), [0, 100, 300], [0.5, 0.3, 0.05]) / K, 5.5)
        i = min(max(i + h * (e - R * i - K * speed) / L, -most), most)
        a = (n * K * i - m * 9.81 * np.sin(q)) / (m + n * n * J)
        v += h * a
        q += h * v
    return q, v


@pytest.mark.parametrize(("step", "bar"), [(1e-4, 0.01), (1e-3, 0.06)])
def test_a_torque_limit_that_falls_with_the_speed(step, bar):
    curve = ((0, 0.5), (100, 0.3), (300, 0.05))
    motor = DCMotor(
        resistance=1.0, inductance=2e-3, constant=0.08, rotor_inertia=1e-4, torque_limit=curve, current_limit=5.5
    )
    wave = stiction.Table(
        time=[0, 0.125, 0.125 + 1e-9, 0.25, 0.25 + 1e-9, 0.375, 0.375 + 1e-9, 0.5, 0.5 + 1e-9, 0.6],
        value=[24, 24, -24, -24, 24, 24, -24, -24, 24, 24],
    )
    drive = Drive(motor=motor, gear=Gear(ratio=-30), command=wave)
    scene = Scene(robot=library.pendulum(1), drives={"joint1": drive})
    run = simulate(scene, duration=0.6, step=step)
    q, v = limited_by_hand()
    assert run["q.joint1"][-1] == pytest.approx(q, abs=bar) and run["v.joint1"][-1] == pytest.approx(v, abs=10 * bar)
    with pytest.raises(StictionError, match="would chatter at it"):
        simulate(scene, duration=0.6, step=step, method="rosenbrock")


def test_sensors_are_swept_from_the_ideal_one():
    pid = PID(clock=TICK, proportional=0.0)
    scene = Scene(
        robot=flywheel(0.1), control={"axle": pid}, reference={"axle": 0.0}, sensors={"axle": [Tachometer()]}, v=[1.0]
    )
    run = simulate(scene, duration=0.1, step=1e-3, parameters={"sensor.axle.velocity.noise": [0.0, 0.1]})
    away = run["measured_velocity.axle"][1:] - 1.0
    assert not away[:, 0].any() and away[:, 1].std() == pytest.approx(0.1, rel=0.3)
    steps = simulate(scene, duration=0.1, step=1e-3, parameters={"sensor.axle.velocity.resolution": [0.0, 0.3]})
    np.testing.assert_allclose(steps["measured_velocity.axle"][-1], [1.0, 0.9], atol=1e-12)


def test_more_that_is_refused():
    servo = Cascade(
        velocity=VelocityLoop(clock=TICK, proportional=1.0), current=CurrentLoop(clock=TICK, proportional=1.0)
    )
    with pytest.raises(StictionError, match="commands a voltage, and its motor takes A"):
        Scene(
            robot=flywheel(0.1),
            drives={"axle": Drive(motor=CurrentMotor(constant=0.1))},
            control={"axle": servo},
            reference={"axle": 0.0},
        )
    arm = library.rx90b().robot
    q = [-0.6, 0.72, 1.22, 0.0, 1.2, 7.0]
    path = stiction.ToolPath(
        q=q,
        segments=[stiction.Line(to=(0.52, 0, 0.3))],
        profile=stiction.Trapezoid(speed=0.1, acceleration=1),
        frame="tool",
    )
    with pytest.raises(stiction.PathError, match="q of 'joint6' is 7 and beyond the ends"):
        path.on(arm)
    weak = Scene(
        robot=library.pendulum(1),
        control={"joint1": PID(clock=TICK, proportional=5.0)},
        reference={"joint1": 0.5},
        q=[0.5],
    )
    with pytest.raises(StictionError, match=r"has no integral, and commands 0 where 4\.7"):
        simulate(weak, duration=0.1, step=1e-3, start="held")
    assert PointToPoint(start=np.float64(0), stop=np.array(1.0), velocity=1, acceleration=1).size == 1


def test_a_simulator_can_start_held():
    pid = PID(clock=TICK, proportional=20.0, integral=50.0)
    scene = Scene(robot=library.pendulum(1), control={"joint1": pid}, reference={"joint1": 0.5}, q=[0.5])
    sim = Simulator(scene, step=1e-3, runs=3, outputs=["q.*"], start="held")
    np.testing.assert_allclose(sim.step(steps=200), 0.5, atol=1e-9)
