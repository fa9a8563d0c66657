"""Ends of ways: nothing goes through them, what arrives stops or bounces as it should, and friction acts there, too."""

import dataclasses
import math

import numpy as np
import pytest
from benchmarks.peers.robots import real_arm
from scipy.integrate import solve_ivp

import stiction
from stiction.drive import Drive, Gear, TorqueMotor
from stiction.parts import EndStop, Mass, Source

RIGID = {
    "moreau": stiction.Moreau(),
    "gears_implicit": stiction.Moreau(scheme="gill"),
    "gears_semi_implicit": stiction.Moreau(rows="by_joint", scheme="gill"),
    "by joint": stiction.Moreau(rows="by_joint"),
}
FLOWS = ("rk4", "gill", "euler", "rosenbrock")
FRICTION = {
    "none": {},
    "Coulomb": {"joint1": stiction.Coulomb(level=0.3)},
    "Stribeck": {"joint1": stiction.Stribeck(level=0.3, static=0.5, velocity=0.01, viscous=0.1)},
    "LuGre": {"joint1": stiction.LuGre(level=0.3, static=0.4, velocity=0.01, stiffness=1e3, damping=1.0)},
    "Viscous": {"joint1": stiction.Viscous(coefficient=30.0)},
}


def limited(robot, **limits):
    """A robot with limits at joints, by name."""
    joints = [
        dataclasses.replace(joint, limits=limits[joint.name]) if joint.name in limits else joint
        for joint in robot.joints
    ]
    return dataclasses.replace(robot, joints=tuple(joints))


def pendulum(restitution=0.0, lower=-1.0, upper=0.5):
    limits = stiction.Limits(lower=lower, upper=upper, restitution=restitution)
    return limited(stiction.library.pendulum(1), joint1=limits)


def quiet(*arguments, **settings):
    with pytest.warns(stiction.StictionWarning, match="the end of the way was reached"):
        return stiction.simulate(*arguments, **settings)


@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("law", FRICTION)
@pytest.mark.parametrize("method", RIGID)
@pytest.mark.parametrize("side", [1, -1])
def test_what_arrives_stops_at_the_end(method, law, step, side):
    """It does not go through, is at rest after it arrived, and friction and stop hold the load together."""
    robot = pendulum(lower=-0.5, upper=0.5)
    scene = stiction.Scene(robot=robot, friction=FRICTION[law], torque={"joint1": side * 14.0}, v=[side * 1.0])
    if law == "LuGre" and method.startswith("gears") and step > 1e-3:
        pytest.skip("the bristle forgets faster than Runge-Kutta follows; the run says so")
    run = quiet(scene, duration=2.0, step=step, method=RIGID[method])
    q, v = side * run["q.joint1"], side * run["v.joint1"]
    # with Runge-Kutta between the rows forces that change with the motion are not what the row reckoned with
    give = 0.1 * step if method.startswith("gears") and law in ("LuGre", "Viscous") else 1e-12
    assert q.max() <= 0.5 + give and abs(q[-1] - 0.5) < 2e-12 and abs(v[-1]) < 1e-9
    arrived = int(np.argmax(q > 0.5 - 1e-9))
    assert v[:arrived].min() >= 0
    assert give > 1e-12 or np.abs(v[arrived + 2 :]).max() < 1e-9
    load = 14.0 - 9.81 * math.sin(0.5)
    friction = side * run["friction.joint1"][-1] if FRICTION[law] else 0.0
    assert friction + side * run["limit.joint1"][-1] == pytest.approx(load, rel=1e-9)
    assert give > 1e-12 or abs(friction) <= 0.5 + 1e-9


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("method", RIGID)
def test_a_ball_that_bounces(method, e):
    """From 1 m: each bounce ends at e² of the height before, and comes when it must; errors are those of one step."""
    wires = [stiction.Wire("ball.force", ["weight.force", stiction.Term("floor.torque", -1.0)])]
    wires += [stiction.Wire(f"floor.{what}", [f"ball.{what}"]) for what in ("position", "velocity")]
    parts = {
        "ball": Mass(mass=0.2, position=1.0),
        "weight": Source(functions=(-0.2 * 9.81,)),
        "floor": EndStop(lower=0.0, restitution=e),
    }
    h = 1e-3
    run = quiet(stiction.Scene(parts=parts, wires=wires), duration=3.0, step=h, method=RIGID[method])
    x, t = run["ball.position"], run.time
    assert x.min() >= -1e-12
    falls = math.sqrt(2 / 9.81)
    impact = falls
    for n in range(1, 4):
        lasts = 2 * falls * e**n
        if impact + lasts > 3.0 or e == 0:
            break
        flight = (t > impact + 2 * n * h) & (t < impact + lasts - 2 * n * h)
        assert x[flight].max() == pytest.approx(e ** (2 * n), abs=4 * n * h * math.sqrt(2 * 9.81))
        impact += lasts
    if e == 0:
        assert np.abs(x[t > falls + 3 * h]).max() < 1e-12


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("method", FLOWS)
def test_flows_have_springs_that_bounce_as_much(method, e):
    """As far as the step follows them; Euler's method adds energy, and is refused where something bounces."""
    scene = stiction.Scene(robot=pendulum(e), q=[0.3], v=[2.0], gravity=[0, 0, 0])
    if method == "euler" and e:
        with pytest.raises(stiction.StictionError, match=r"'limit\.joint1' bounces, and 'euler' would add energy"):
            stiction.simulate(scene, duration=0.5, step=1e-3, method=method)
        return
    run = quiet(scene, duration=0.5, step=1e-3, method=method)
    assert run["q.joint1"].max() < 0.5 + 3 * 1e-3 * 2.0  # of the way in a step
    after = -run["v.joint1"].min() / 2.0
    assert after == pytest.approx(max(e, 0.02), abs=0.1 if method == "euler" else 0.03)


def two_links(restitution=0.0):
    limits = stiction.Limits(lower=-0.6, upper=0.4, restitution=restitution)
    return limited(stiction.library.two_link(), elbow=limits)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_an_arm_whose_elbow_reaches_its_end(restitution):
    """Against SciPy with events: the shoulder feels the impact, and the elbow stays at its end while it is pressed."""
    robot = two_links(restitution)
    q0, v0, duration, lower = np.array([1.2, 0.1]), np.array([0.0, -4.0]), 0.6, -0.6
    e2 = np.array([0.0, 1.0])

    def free(t, y):
        return np.concatenate([y[2:], robot.forward_dynamics(y[:2], y[2:], np.zeros(2))])

    def held(t, y):
        M, b = robot.mass_matrix(y[:2]), robot.inverse_dynamics(y[:2], y[2:], np.zeros(2))
        return np.array([y[2], 0.0, -b[0] / M[0, 0], 0.0])

    def pressed(t, y):
        M, b = robot.mass_matrix(y[:2]), robot.inverse_dynamics(y[:2], y[2:], np.zeros(2))
        return M[1, 0] * (-b[0] / M[0, 0]) + b[1]  # what the stop gives, above 0

    def reaches(t, y):
        return y[1] - lower

    reaches.terminal, reaches.direction, pressed.terminal = True, -1, True
    t, y, at_end = 0.0, np.concatenate([q0, v0]), False
    while t < duration - 1e-12:
        event = pressed if at_end else reaches
        done = solve_ivp(held if at_end else free, (t, duration), y, events=event, rtol=1e-11, atol=1e-12)
        t, y = done.t[-1], done.y[:, -1]
        if t >= duration:
            break
        at_end = not at_end
        if at_end:
            response = np.linalg.solve(robot.mass_matrix(y[:2]), e2)
            y[2:] -= (1 + restitution) * response * y[3] / response[1]
            at_end = restitution == 0 and pressed(t, y) > 0
    scene = stiction.Scene(robot=robot, q=q0, v=v0)
    errors = []
    for step in (1e-3, 1e-4):
        run = quiet(scene, duration=duration, step=step)
        found = np.array([run[name][-1] for name in ("q.shoulder", "q.elbow")])
        errors.append(np.abs(found - y[:2]).max())
        assert run["q.elbow"].min() > lower - 1e-12
    assert errors[0] < 5e-3 and errors[1] < 5e-4


def test_a_joint_leaves_its_end_when_it_is_drawn_beyond_its_friction():
    """Drawn back by a torque that grows slowly: it holds to the static torque, gravity aside, and then goes."""
    law = stiction.Stribeck(level=0.3, static=0.5, velocity=0.01)
    scene = stiction.Scene(
        robot=pendulum(), friction={"joint1": law}, q=[0.5], gravity=[0, 0, 0], torque={"joint1": lambda t: 1.0 - t}
    )
    run = quiet(scene, duration=2.0, step=1e-3)
    left = run.time[np.argmax(run["q.joint1"] < 0.5 - 1e-12)]
    assert left == pytest.approx(1.5, abs=3e-3)
    loaded = run.time < 1.4
    np.testing.assert_allclose(
        (run["friction.joint1"] + run["limit.joint1"])[loaded][1:], 1 - run.time[loaded][1:], atol=1e-3
    )
    assert run["limit.joint1"].min() >= 0


def test_a_motor_that_turns_the_other_way():
    """Friction on the motor side of a gear of negative ratio: one row with the stop of the joint."""
    drive = Drive(
        motor=TorqueMotor(rotor_inertia=1e-4),
        gear=Gear(ratio=-50.0),
        motor_friction=stiction.Coulomb(level=0.02),
        command=-0.5,
    )
    for method in RIGID.values():
        run = quiet(stiction.Scene(robot=pendulum(), drives={"joint1": drive}), duration=2.0, step=1e-3, method=method)
        assert run["q.joint1"].max() <= 0.5 + 1e-12 and abs(run["q.joint1"][-1] - 0.5) < 2e-12
        load = 25.0 - 9.81 * math.sin(0.5)
        held = run["limit.joint1"][-1] - 50 * run["friction.joint1.motor"][-1]
        assert held == pytest.approx(load, rel=1e-9)


def test_a_panda_does_not_turn_through_its_limits():
    robot = real_arm("panda")[0]
    name = robot.position_names[0]
    torque = {name: 5.0}
    run = quiet(stiction.Scene(robot=robot, torque=torque), duration=3.0, step=1e-3)
    assert max(run[f"q.{name}"]) <= 2.8973 + 1e-11 and max(run[f"q.{name}"]) > 2.89
    for joint, q in zip(robot.joints, [run[f"q.{n}"] for n in robot.position_names], strict=False):
        assert q.min() >= joint.limits.lower - 1e-9 and q.max() <= joint.limits.upper + 1e-9
    with pytest.warns(stiction.StictionWarning, match="limits are ignored"):
        through = stiction.simulate(
            stiction.Scene(robot=robot, torque=torque, limits="ignore"), duration=3.0, step=1e-3
        )
    assert any("limits are ignored" in note for note in through.notes)
    assert max(np.abs(through[f"q.{n}"]).max() for n in robot.position_names) > 3


def test_limits_differ_from_run_to_run():
    upper = np.array([0.1, 0.2, 0.4])
    scene = stiction.Scene(robot=pendulum(), torque={"joint1": 14.0})
    run = quiet(scene, duration=2.0, step=1e-3, parameters={"limit.joint1.upper": upper})
    np.testing.assert_allclose(run["q.joint1"][-1], upper, atol=2e-12)


def test_starts_beyond_an_end_are_refused():
    with pytest.raises(stiction.StictionError, match=r"beyond the ends of its way; allowed: -1 to 0\.5"):
        stiction.Scene(robot=pendulum(), q=[0.7])
    scene = stiction.Scene(robot=pendulum())
    with pytest.raises(stiction.StictionError, match=r"'limit\.joint1' begins at 0\.8, beyond its end"):
        stiction.simulate(scene, duration=1.0, step=1e-3, parameters={"q.joint1": [0.0, 0.8]})
    with pytest.raises(stiction.StictionError, match="beyond its end"):
        stiction.Simulator(scene, step=1e-3, runs=2).reset(q=[[0.1], [-1.5]])
    assert stiction.Scene(robot=pendulum(lower=0.2)).q == (0.2,)  # the nearest to 0
    ended = quiet(stiction.Scene(robot=pendulum(), torque={"joint1": 14.0}), duration=2.0, step=1e-3)["q.joint1"][-1]
    for q in (ended, 0.5 + 1e-12):  # where a run ends another may begin
        run = quiet(stiction.Scene(robot=pendulum(), q=[q], torque={"joint1": 14.0}), duration=0.1, step=1e-3)
        assert run["q.joint1"][-1] == pytest.approx(0.5, abs=1e-12) and np.abs(run["v.joint1"]).max() < 1e-9


def test_effort_limits_drives_that_name_none():
    limits = stiction.Limits(effort=30.0)
    robot = limited(stiction.library.pendulum(1), joint1=limits)
    motor = TorqueMotor(rotor_inertia=1e-4)

    def torque(motor, **scene):
        drive = Drive(motor=motor, gear=Gear(ratio=50.0), command=2.0)
        scene = stiction.Scene(robot=robot, drives={"joint1": drive}, **scene)
        return stiction.simulate(scene, duration=0.01, step=1e-3)["motor_torque.joint1"][-1]

    assert torque(motor) == pytest.approx(0.6)
    assert torque(dataclasses.replace(motor, torque_limit=1.0)) == pytest.approx(1.0)
    assert torque(motor, limits="ignore") == pytest.approx(2.0)
    with pytest.warns(stiction.StictionWarning, match="not kept at joint1 30"):
        stiction.simulate(stiction.Scene(robot=robot, torque={"joint1": 40.0}), duration=0.01, step=1e-3)


def test_speeds_beyond_their_limit_are_noted():
    robot = limited(stiction.library.pendulum(1), joint1=stiction.Limits(velocity=1.5))
    with pytest.warns(stiction.StictionWarning, match=r"v\.joint1: moved at up to 2; its description allows 1\.5"):
        stiction.simulate(stiction.Scene(robot=robot, v=[2.0]), duration=0.1, step=1e-3)


def test_files_say_whether_limits_act(tmp_path):
    for limits in ("act", "ignore"):
        scene = stiction.Scene(robot=pendulum(0.5), limits=limits)
        stiction.write_scene(tmp_path / "scene.toml", scene, duration=1.0, step=1e-3)
        read = stiction.read_scene(tmp_path / "scene.toml").scene
        assert read.limits == limits and read.robot.joints[0].limits.restitution == 0.5


@pytest.mark.parametrize("method", ["moreau", "gears_implicit"])
@pytest.mark.parametrize("e", [0.0, 0.3, 0.8])
def test_a_start_at_the_end_with_a_velocity_into_it(method, e):
    """And where less than half a step of way is left: it stops or bounces at once, and is put back to the end."""
    for q in (0.5, 0.4996):
        robot = pendulum(e, upper=0.5)
        scene = stiction.Scene(robot=robot, q=[q], v=[2.0], gravity=(0, 0, 0))
        run = quiet(scene, duration=0.05, step=1e-3, method=method)
        assert run["v.joint1"][-1] == pytest.approx(-2 * e, abs=1e-12)
        assert run["q.joint1"].max() <= 0.5 + 1e-12
    arm = limited(stiction.library.two_link(), shoulder=stiction.Limits(upper=0.5))
    run = quiet(stiction.Scene(robot=arm, q=[0.5, 0.0], v=[2.0, 0.0], gravity=(0, 0, 0)), duration=0.003, step=1e-3)
    M = arm.mass_matrix([0.5, 0.0])
    assert run["v.elbow"][1] == pytest.approx(2 * M[1, 0] / M[1, 1], rel=1e-9)  # the plastic impact of the shoulder


@pytest.mark.parametrize("e", [0.5, 0.9, 1.0])
def test_joints_that_bounce_within_a_few_steps_add_no_energy(e):
    """500 arms that run into a corner of two stops."""
    rng = np.random.default_rng(0)
    limits = stiction.Limits(lower=-0.4, upper=0.4, restitution=e)
    scene = stiction.Scene(robot=limited(stiction.library.two_link(), shoulder=limits, elbow=limits), gravity=(0, 0, 0))
    q, v = 0.4 - rng.uniform(0, 0.02, (2, 500)), rng.uniform(-0.5, 2, (2, 500))
    names = [f"{what}.{joint}" for what in "qv" for joint in ("shoulder", "elbow")]
    starts = dict(zip(names, [*q, *v], strict=True))
    run = quiet(scene, duration=0.05, step=1e-3, energy=True, parameters=starts)
    assert (run["energy.kinetic"][-1] / run["energy.kinetic"][0]).max() < 1.01


def test_impossible_ends_are_refused_wherever_they_come_from():
    parts = {"b": Mass(mass=1.0, position=1.0), "s": EndStop(upper=0.5)}
    wires = [stiction.Wire("b.force", [stiction.Term("s.torque", -1.0)])]
    wires += [stiction.Wire(f"s.{what}", [f"b.{what}"]) for what in ("position", "velocity")]
    with pytest.raises(stiction.StictionError, match="'s' begins at 1, beyond its end"):
        stiction.simulate(stiction.Scene(parts=parts, wires=wires), duration=0.1, step=1e-3)
    scene = stiction.Scene(robot=pendulum(0.5), q=[0.3])
    for method in ("moreau", "rk4"):
        how = {"duration": 0.1, "step": 1e-3, "method": method}
        for name, x, why in (
            ("limit.joint1.upper", [0.1, 0.4], "beyond its end"),
            ("limit.joint1.upper", [-1.5], "lower is -1 and not below upper"),
            ("limit.joint1.restitution", [1.5], "restitution is 1.5; allowed"),
        ):
            with pytest.raises(stiction.StictionError, match=why):
                stiction.simulate(scene, parameters={name: x}, **how)
    with pytest.raises(stiction.StictionError, match="beyond its end"):
        stiction.Simulator(scene, step=1e-3).reset(parameters={"limit.joint1.upper": 0.1})


def test_limits_beside_other_things():
    """Rows that are pulled back to their reference, and a joint that is told to move beyond its ends."""
    friction = {"joint1": stiction.Coulomb(level=0.5)}
    scene = stiction.Scene(robot=pendulum(), friction=friction, torque={"joint1": 14.0})
    run = quiet(scene, duration=1.0, step=1e-3, method=stiction.Moreau(pull=0.1))
    assert run["q.joint1"][-1] == pytest.approx(0.5, abs=1e-11)
    told = stiction.Scene(robot=pendulum(), motion={"joint1": stiction.Formula("0.8*sin(3*t)")})
    with pytest.warns(stiction.StictionWarning, match="its motion goes beyond the ends of its way, -1 to 0.5"):
        run = stiction.simulate(told, duration=2.0, step=1e-3)
    assert run["q.joint1"].max() == pytest.approx(0.8, rel=1e-3) and np.abs(run["motion.joint1"]).max() < 20


def test_the_spring_of_an_end_does_not_hold_what_leaves_it():
    stop = EndStop(lower=-1.0, upper=2.0, stiffness=100.0, damping=50.0)
    torque = lambda x, v: stop.force({"position": [x], "velocity": [v]}, [], 1e-3, 0.0)[0]["torque"][0]  # noqa: E731
    assert [torque(2.1, v) for v in (1.0, 0.0, -0.1, -5.0)] == pytest.approx([60.0, 10.0, 5.0, 0.0])
    assert [torque(-1.1, v) for v in (-1.0, 0.0, 0.1, 5.0)] == pytest.approx([-60.0, -10.0, -5.0, 0.0])
    assert torque(1.9, 9.0) == torque(-0.9, -9.0) == 0
