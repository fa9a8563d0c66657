"""Arms as machines: the RX90B and the Manutec r3 with their drives, friction, springs and servos."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pinocchio as pin
import pytest
from benchmarks.peers.pinocchio_model import PinocchioRobot

import stiction
from stiction import Clock, Encoder, LuGre, PointToPoint, library, simulate

published = import_module("stiction.library.rx90b")
POSE = np.array([-0.5, 0.6, 1.2, 0.3, 1.0, 0.4])


def test_geometry_of_the_rx90b():
    arm = library.rx90b(load=0.0).robot
    assert arm.pose([0.0] * 6, "flange")[:3, 3] == pytest.approx([0, 0, 0.42 + 0.45 + 0.45 + 0.085])
    bent = arm.pose([0.0, np.pi / 2, 0, 0, 0, 0], "flange")[:3, 3]
    assert bent == pytest.approx([0.985, 0, 0.42])
    wrist = arm.pose([0.0, 0, np.pi / 2, 0, 0, 0], "link5")[:3, 3]
    assert wrist == pytest.approx([0.45, 0, 0.87])


def test_rotors_weigh_through_the_coupled_wrist():
    """(15): M = M_bodies + TᵀJT, with T of (11); the bodies against Pinocchio."""
    arm = library.rx90b().robot
    plain = replace(arm, coupling=None, joints=[replace(joint, rotor_inertia=0.0) for joint in arm.joints])
    peer = PinocchioRobot(plain)
    expected = pin.crba(peer.model, peer.data, POSE)
    expected = np.triu(expected) + np.triu(expected, 1).T
    np.testing.assert_allclose(plain.mass_matrix(POSE), expected, atol=1e-10)
    T = np.diag([axis.ratio for axis in published.AXES])
    T[5, 4] = T[5, 5]
    J = np.diag([axis.rotor for axis in published.AXES])
    np.testing.assert_allclose(arm.mass_matrix(POSE), expected + T.T @ J @ T, atol=1e-11)


def test_the_spring_takes_load_from_the_shoulder():
    """σ = σ0 + k e, and its torque De(q)ᵀσ, by differences of its length: what the drives hold is gravity less that."""
    arm = library.rx90b()
    scene = arm.scene(reference=dict.fromkeys(arm.drives, 0.0), q=POSE)

    def length(q):
        ends = [arm.robot.pose(q, name)[:3, 3] for name in ("spring_anchor", "spring_hook")]
        return np.linalg.norm(ends[1] - ends[0])

    steps = 1e-6 * np.eye(6)
    De = np.array([(length(POSE + d) - length(POSE - d)) / 2e-6 for d in steps])
    sigma = 300.0 + 4000.0 * (length(POSE) - 0.30)
    held = arm.robot.gravity_torque(POSE) + De * sigma
    currents = np.array([scene.holding().get(f"motor_current.{name}", 0.0) for name in arm.drives])
    torques = currents * [axis.constant for axis in published.AXES]
    np.testing.assert_allclose(np.array(arm.robot.coupling).T @ torques, held, atol=1e-5)
    gravity = arm.robot.gravity_torque(POSE)
    assert abs(held[1]) < 0.85 * abs(gravity[1])


def test_friction_of_the_wrist():
    """(12): element 7 sees the sum of both speeds, and acts on both joints."""
    arm = library.rx90b()
    scene = arm.scene(reference=dict.fromkeys(arm.drives, 0.0), q=POSE, v={"joint5": 0.3, "joint6": -0.3})
    still = simulate(scene, duration=2.5e-4, step=2.5e-4)
    assert abs(still["friction.wrist"][0]) < 1e-12
    assert all(isinstance(site.law, LuGre) for site in scene.sites.values()) and len(scene.sites) == 7
    law = scene.sites["joint2"].law
    assert law.level == (28.0, 26.0) and max(law.static) / law.stiffness == pytest.approx(3e-7)


@pytest.mark.parametrize("friction", [True, False])
def test_the_rx90b_holds_itself_at_rest(friction):
    """From what `holding` says nothing moves: not with its friction, nor without any."""
    arm = library.rx90b()
    start = PointToPoint(start=POSE.tolist(), stop=(POSE + 0.1).tolist(), velocity=1.0, acceleration=5.0, begin=0.5)
    scene = arm.scene(reference=start)
    scene = scene if friction else replace(scene, friction={})
    run = simulate(scene, duration=0.4, step=2.5e-4, record=0.05, signals=["q."], parameters=scene.holding())
    assert np.ptp(run.stack("q."), axis=0).max() < 1e-9


def test_the_manutec_begins_in_balance():
    """Its motors stand behind wound gears, to which its controllers then answer: at first nothing accelerates."""
    arm = library.manutec_r3()
    bare = {name: replace(drive, motor_friction=None, joint_friction=None) for name, drive in arm.drives.items()}
    scene = replace(arm.scene(reference=dict(zip(arm.drives, POSE.tolist(), strict=True))), drives=bare, q=POSE)
    speeds = []
    for step in (1e-4, 5e-5):
        run = simulate(scene, duration=step, step=step, signals=["v.", "motor_speed"], parameters=scene.holding())
        speeds.append(np.abs(run.stack("v.")[-1]).max())
    loose = simulate(scene, duration=1e-4, step=1e-4, signals=["v."])
    assert speeds[0] < 1e-4 * np.abs(loose.stack("v.")[-1]).max() and speeds[1] < speeds[0] / 3


def test_a_load_can_be_placed():
    here, there = library.manutec_r3(), library.manutec_r3(load=30.0, place=(0, 0.5, 0))
    q = [0.3, -0.4, 0.5, 0.1, 0.2, 0.3]
    more = there.robot.gravity_torque(q, gravity=(0, -9.81, 0)) - library.manutec_r3(load=0.0).robot.gravity_torque(
        q, gravity=(0, -9.81, 0)
    )
    J = there.robot.jacobian(q, "tool")[3:]
    np.testing.assert_allclose(more, J.T @ [0, 30 * 9.81, 0], atol=1e-9)
    assert here.robot.frame("tool").origin.xyz == (0.1, 0.25, 0.1)
    with pytest.raises(stiction.RobotError, match="place is"):
        library.manutec_r3(place=(1, 2))
    with pytest.raises(stiction.RobotError, match="load is -1"):
        library.rx90b(load=-1.0)


def test_scenes_join_and_replace_what_an_arm_has():
    arm = library.rx90b()
    scene = arm.scene(
        reference=dict.fromkeys(arm.drives, 0.0),
        friction={"joint1": None},
        sensors={"joint1": [Encoder(side="motor", counts=2**16)]},
    )
    assert "joint1" not in scene.sites and "joint2" in scene.sites and scene.sensors["joint1"]
    brain = stiction.Callback(
        clock=Clock(period=1e-3), function=lambda t, x: np.zeros(6), reads={"position": 6}, gives={"torque": 6}
    )
    with pytest.raises(stiction.NetworkError, match="takes a voltage"):
        arm.scene(control={"robot": brain})


def test_an_arm_in_a_file(tmp_path):
    text = """
duration = 0.1
step = 2.5e-4
[robot]
library = "rx90b"
load = 2.0
[reference.robot]
kind = "ToolPath"
q = [-0.5, 0.6, 1.2, 0.0, 1.3, 0.0]
frame = "tool"
profile = { profile = "SCurve", speed = 0.1, acceleration = 0.5, jerk = 5.0 }
segments = [{ kind = "Line", to = [0.55, 0.0, 0.4] }]
[[sensors.joint2]]
kind = "Encoder"
counts = 65536
side = "motor"
"""
    path = tmp_path / "arm.toml"
    path.write_text(text)
    read = stiction.read_scene(path)
    run = stiction.run_file(path)
    assert run["measured_position.joint2"][-1] == pytest.approx(128.6 * run["q.joint2"][-1], abs=1e-2)
    copy = tmp_path / "copy.toml"
    stiction.write_scene(copy, read.scene, duration=0.1, step=2.5e-4)
    again = stiction.run_file(copy)
    np.testing.assert_allclose(again.stack("q."), run.stack("q."), atol=1e-12)


def test_a_batch_of_friction_settings():
    """Frames, end stops, springs and loops in a batch: each run is the one that it is alone."""
    arm = library.rx90b()
    move = PointToPoint(start=POSE.tolist(), stop=(POSE + 0.05).tolist(), velocity=0.5, acceleration=3.0)
    scene = arm.scene(reference=move)
    levels = np.linspace(10.0, 20.0, 11)
    how = {"duration": 0.1, "step": 2.5e-4, "record": 0.01}
    many = simulate(scene, **how, parameters={**scene.holding(), "friction.joint1.level.0": levels})
    alone = simulate(scene, **how, parameters={**scene.holding(), "friction.joint1.level.0": levels[3]})
    np.testing.assert_allclose(many["q.joint1"][:, 3], alone["q.joint1"], rtol=0, atol=1e-13)
