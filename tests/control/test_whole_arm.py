"""Controllers of whole robots with a model of them."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import (
    CartesianImpedance,
    Cascade,
    Clock,
    ComputedTorque,
    Coulomb,
    CurrentLoop,
    CurrentMotor,
    GravityCompensation,
    JointImpedance,
    PointToPoint,
    Scene,
    library,
    simulate,
)
from stiction.parts import Source

TICK = Clock(period=1e-3)
PUMA = replace(library.puma560(), joints=[replace(j, friction=0.0, damping=0.0) for j in library.puma560().joints])
POSE = (0.2, 0.6, 2.6, 0.3, 0.7, 0.1)
GAINS = {"stiffness": 400.0, "damping": 40.0}
MOVE = PointToPoint(start=POSE, stop=(0.8, 0.2, 2.9, -0.4, 1.1, 0.5), velocity=1.5, acceleration=8.0, jerk=80.0)


def error(run):
    return np.abs(run.stack("q.") - run.stack("target.")).max()


def test_computed_torque_follows_as_closely_as_its_ticks_allow():
    errors = []
    for period in (2e-3, 1e-3):
        brain = ComputedTorque(clock=Clock(period=period), **GAINS)
        scene = Scene(robot=PUMA, control={"robot": brain}, reference=MOVE)
        errors.append(error(simulate(scene, duration=1.5, step=5e-4)))
    assert errors[1] < 2e-4 and errors[0] / errors[1] == pytest.approx(2, rel=0.2)


def test_errors_and_torques_are_signals():
    scene = Scene(robot=PUMA, control={"robot": ComputedTorque(clock=TICK, **GAINS)}, reference=MOVE)
    run = simulate(scene, duration=0.5, step=1e-3)
    np.testing.assert_allclose(run["error.joint2"][1:], (run["target.joint2"] - run["q.joint2"])[:-1], atol=1e-12)
    assert run.units["error.joint2"] == "rad" and run.units["control_torque.joint2"] == "N·m"
    one = Scene(
        robot=library.pendulum(1),
        control={"robot": JointImpedance(clock=TICK, stiffness=9.0)},
        reference={"joint1": 0.1},
    )
    assert simulate(one, duration=0.01, step=1e-3)["error.joint1"][1] == 0.1


def test_the_model_may_be_wrong():
    scene = Scene(robot=PUMA, control={"robot": ComputedTorque(clock=TICK, **GAINS)}, reference=MOVE)
    masses = {"control.robot.model.link2.mass": [17.4, 15.0]}
    run = simulate(scene, duration=1.5, step=1e-3, parameters=masses)
    right, wrong = (np.abs(run.of(k).stack("q.") - run.of(k).stack("target.")).max() for k in (0, 1))
    assert wrong > 10 * right


def rx90b(brain, **more):
    """The RX90B whose servo is the brain's: currents at 4 kHz."""
    arm = library.rx90b()
    loop = CurrentLoop(clock=Clock(period=2.5e-4), proportional=12.0, integral=3000.0, limit=160.0)
    return arm.scene(control={"robot": brain, **dict.fromkeys(arm.drives, Cascade(current=loop))}, **more)


def test_gravity_compensation_knows_the_spring_and_the_coupled_drives():
    q = [-0.5, 0.6, 1.2, 0.3, 1.0, 0.4]
    scene = replace(rx90b(GravityCompensation(clock=TICK)), q=q, friction={})
    start = scene.holding()
    run = simulate(scene, duration=0.5, step=2.5e-4, record=0.05, parameters=start)
    assert np.ptp(run.stack("q."), axis=0).max() < 1e-8
    ignorant = replace(scene, parts={"spring": replace(scene.parts["spring"], between=()), **{}}, wires=_by_hand())
    moved = simulate(ignorant, duration=0.5, step=2.5e-4, record=0.05, parameters=start)
    assert np.ptp(moved["q.joint2"]) > 1e-3, "a spring that its model does not have"


def _by_hand():
    ends = {"first": "robot.spring_anchor", "second": "robot.spring_hook"}
    wires = [
        stiction.Wire(f"spring.{word}_{port}", [f"{end}.{port}"])
        for word, end in ends.items()
        for port in ("position", "velocity")
    ]
    return [*wires, *(stiction.Wire(f"{end}.force", [f"spring.{word}_force"]) for word, end in ends.items())]


def test_computed_torque_with_friction_compensation_on_the_rx90b():
    move = PointToPoint(
        start=[0, 0.6, 1.2, 0, 1.0, 0], stop=[0.5, 0.8, 1.0, 0.3, 1.2, 0.2], velocity=0.5, acceleration=2.0
    )
    errors = []
    for compensated in (False, True):
        arm = library.rx90b()
        laws = [arm.friction[name] for name in arm.drives]
        wrist = np.array([0, 0, 0, 0, 2.0, 2.0])  # its own element
        levels = wrist + [sum(law.level) / 2 for law in laws]
        friction = {"coulomb": levels, "viscous": [law.viscous for law in laws]} if compensated else {}
        scene = rx90b(ComputedTorque(clock=TICK, **GAINS, **friction), reference=move)
        errors.append(error(simulate(scene, duration=2.0, step=2.5e-4, record=1e-3, parameters=scene.holding())))
    assert errors[1] < 0.3 * errors[0]


def test_joint_impedance_gives_by_load_over_stiffness():
    stiffness = np.array([100.0, 200, 150, 20, 20, 10])
    brain = JointImpedance(clock=TICK, stiffness=stiffness, damping=0.2 * stiffness)
    loads = dict(zip(PUMA.velocity_names, (5.0, -10, 6, 1, -1, 0.5), strict=True))
    scene = Scene(
        robot=PUMA,
        control={"robot": brain},
        reference=dict(zip(PUMA.velocity_names, POSE, strict=True)),
        torque=loads,
        q=POSE,
    )
    run = simulate(scene, duration=4.0, step=1e-3, record=0.5)
    np.testing.assert_allclose(run.stack("q.")[-1] - POSE, np.array(list(loads.values())) / stiffness, atol=1e-5)


def test_cartesian_impedance_gives_along_the_axes_of_the_world():
    """A push of 20 N moves the tool by force over stiffness, whatever the pose; gravity does not."""
    springs = {
        "stiffness": (2000, 1000, 4000),
        "damping": (300, 200, 400),
        "rotational_stiffness": (80, 80, 80),
        "rotational_damping": (8, 8, 8),
    }
    brain = CartesianImpedance(clock=TICK, frame="link6", **springs)
    held = dict(zip(PUMA.velocity_names, POSE, strict=True))
    for force in ((0, 0, 0), (20.0, 10.0, -20.0)):
        scene = Scene(
            robot=PUMA,
            control={"robot": brain},
            reference=held,
            parts={"push": Source(functions=force)},
            wires=[stiction.Wire("robot.link6.force", ["push.force"])],
            q=POSE,
        )
        run = simulate(scene, duration=3.0, step=1e-3, record=0.5)
        pose, there = PUMA.pose(run.stack("q.")[-1], "link6"), PUMA.pose(POSE, "link6")
        np.testing.assert_allclose(pose[:3, 3] - there[:3, 3], np.array(force) / springs["stiffness"], atol=2e-6)
        np.testing.assert_allclose(pose[:3, :3], there[:3, :3], atol=1e-5)


def test_gravity_compensation_with_friction_lets_an_arm_be_led():
    """Coulomb friction of the joint is taken away: a small torque moves it, which friction alone would hold."""
    arm, law = library.pendulum(1), Coulomb(level=2.0, viscous=0.1)
    ends = []
    for coulomb in (0.0, 1.9):
        brain = GravityCompensation(clock=TICK, coulomb=coulomb, coulomb_velocity=1e-2)
        scene = Scene(
            robot=arm, friction={"joint1": law}, control={"robot": brain}, q=[0.5], torque={"joint1": 0.5}, v=[0.1]
        )
        ends.append(simulate(scene, duration=2.0, step=1e-3)["q.joint1"][-1])
    assert abs(ends[0] - 0.5) < 0.01 and ends[1] - 0.5 > 0.2


def test_they_run_in_batches_and_files(tmp_path):
    scene = Scene(
        robot=library.two_link(),
        control={"robot": ComputedTorque(clock=TICK, stiffness=(300.0, 400.0), damping=40.0)},
        reference={"shoulder": 0.2, "elbow": 0.1},
    )
    many = simulate(scene, duration=0.2, step=1e-3, parameters={"control.robot.stiffness.0": np.linspace(100, 400, 9)})
    alone = simulate(scene, duration=0.2, step=1e-3, parameters={"control.robot.stiffness.0": 400.0})
    np.testing.assert_array_equal(many["q.shoulder"][:, -1], alone["q.shoulder"])
    stiction.write_scene(tmp_path / "arm.toml", scene, duration=0.2, step=1e-3)
    assert stiction.read_scene(tmp_path / "arm.toml").scene == scene


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Scene(
                robot=PUMA, control={"robot": ComputedTorque(clock=TICK, stiffness=[1.0, 2.0])}, reference=MOVE
            ),
            "stiffness is .* one for each of 6 joints",
        ),
        (
            lambda: Scene(robot=PUMA, control={"robot": ComputedTorque(clock=TICK, stiffness=-1.0)}, reference=MOVE),
            "stiffness is -1",
        ),
        (
            lambda: Scene(robot=PUMA, control={"joint1": ComputedTorque(clock=TICK)}, reference=MOVE),
            "allowed: a controller that gives a command",
        ),
        (lambda: Scene(robot=PUMA, control={"robot": ComputedTorque(clock=TICK)}), "has no reference"),
        (
            lambda: Scene(
                robot=PUMA,
                control={"robot": CartesianImpedance(clock=TICK, frame="hand", stiffness=(1, 1, 1), damping=(1, 1, 1))},
                reference=MOVE,
            ),
            "hand",
        ),
    ],
)
def test_bad_controllers_are_refused(make, words):
    with pytest.raises(stiction.StictionError, match=words):
        make()


def test_a_controller_and_drives_with_current_motors():
    """Torques through ordinary gears of either sense."""
    drives = {
        name: stiction.Drive(motor=CurrentMotor(constant=0.1, rotor_inertia=1e-4), gear=stiction.Gear(ratio=ratio))
        for name, ratio in zip(PUMA.velocity_names, (-60.0, 100, -50, 70, 70, 70), strict=True)
    }
    scene = Scene(robot=PUMA, drives=drives, control={"robot": ComputedTorque(clock=TICK, **GAINS)}, reference=MOVE)
    assert error(simulate(scene, duration=1.5, step=1e-3)) < 1e-3
