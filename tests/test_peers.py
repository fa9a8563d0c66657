"""What the benchmarks compare with moves like ours; a peer that does not is found out."""

import pytest
from benchmarks import drives, friction
from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.robots import real_arm
from benchmarks.peers.steps import MujocoArm, option, our_motion


def trouble_of(arm, scene, method):
    for call, _ in arm.roads.values():
        call()
    ours = our_motion(scene, method)
    return arm.trouble(ours.speeds) or ("" if arm.apart(ours.q) < 0.01 else f"{arm.apart(ours.q)} rad apart")


@pytest.mark.parametrize("integrator", drives.INTEGRATORS)
def test_mujocos_motors_move_like_ours(integrator):
    robot = real_arm("ur5")[0]
    assert not trouble_of(drives.peer(robot, integrator), drives.scene_of(robot), "moreau")


@pytest.mark.parametrize("kind", friction.LIKE)
@pytest.mark.parametrize("integrator", friction.INTEGRATORS)
def test_mujocos_friction_moves_like_ours(kind, integrator):
    robot = real_arm("panda")[0]
    method, law = friction.LIKE[kind]
    assert not trouble_of(friction.peer(robot, kind, integrator), friction.scene_of(robot, law), method)


def test_motors_without_rotors_are_found_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log where it is
    robot = real_arm("ur5")[0]
    motors = "".join(
        f'<dcmotor joint="j{k}" gear="100" motorconst="0.05" resistance="0.5" lugre="0.5 1e-4 0.05 0.06 5"/>'
        for k in range(robot.nv)
    )
    arm = MujocoArm(mjcf(robot, option=option("Euler"), actuators=motors), 5.0)
    assert "BADQACC" in trouble_of(arm, drives.scene_of(robot), "moreau")


def test_bristles_too_stiff_for_the_step_are_found_out():
    robot = real_arm("panda")[0]
    motors = "".join(
        f'<dcmotor joint="j{k}" input="none" motorconst="0" resistance="1" lugre="5000 1 20 25 0.01"/>'
        for k in range(robot.nv)
    )
    arm = MujocoArm(mjcf(robot, option=option("Euler"), actuators=motors))
    assert "joint 7 reaches" in trouble_of(arm, friction.scene_of(robot, friction.LUGRE), "rk4")
