"""Drives in a file beside a URDF."""

import shutil

import numpy as np
import pytest

from stiction import DCMotor, Drive, Gear, SceneError, Stribeck, read_scene, run_file
from stiction.scene import Formula
from tests.scenes import URDF, write

DRIVES = """
[shoulder]
gear = { ratio = 100, efficiency = 0.8 }
motor = { kind = "DCMotor", resistance = 2.0, constant = 0.05, rotor_inertia = 1e-5, rated_voltage = 24.0 }
joint_friction = { law = "Stribeck", level = 0.5, static = 0.6, velocity = 0.01 }
command = "3*sin(t)"
"""


def test_drives_beside_a_urdf(tmp_path):
    shutil.copy(URDF, tmp_path)
    write(tmp_path, DRIVES, "arm.drives.toml")
    text = 'duration = 0.1\nstep = 1e-3\nmethod = "moreau"\n[robot]\nurdf = "arm.urdf"\n'
    read = read_scene(write(tmp_path, text))
    expected = Drive(
        motor=DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5, rated_voltage=24.0),
        gear=Gear(ratio=100, efficiency=0.8),
        joint_friction=Stribeck(level=0.5, static=0.6, velocity=0.01),
        command=Formula("3*sin(t)"),
    )
    assert read.scene.drives == {"shoulder": expected}
    run = run_file(read)
    np.testing.assert_allclose(run["command.shoulder"], 3 * np.sin(run.time), rtol=1e-12)
    assert run.units["motor_torque.shoulder"] == "N·m" and run.units["command.shoulder"] == "V"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("ratio = 100", "ratio = 0", "shoulder.gear: Gear: ratio is 0"),
        ("efficiency = 0.8", "efficiency = 1.8", "efficiency is 1.8; allowed: a number above 0 and at most 1"),
        ("resistance = 2.0", "resistance = -2.0", "shoulder.motor: DCMotor: resistance is -2.0"),
        (
            'kind = "DCMotor"',
            'kind = "Motr"',
            "shoulder.motor.kind: unknown kind 'Motr'; stiction has: TorqueMotor, CurrentMotor, DCMotor",
        ),
        ("static = 0.6", "static = 0.4", "static is 0.4 and below level"),
        ("[shoulder]", "[sholder]", "unknown joint 'sholder'; robot '.*' has: shoulder"),
        ("[shoulder]", "[shoulder]\nspeed = 3", "unknown key 'speed'; Drive takes: motor"),
        ("[shoulder]", "[shoulder", "line"),
        ("[shoulder]", "[shoulder]\n[shoulder]", "line|twice"),
    ],
)
def test_drives_that_cannot_be(tmp_path, old, new, message):
    shutil.copy(URDF, tmp_path)
    write(tmp_path, DRIVES.replace(old, new, 1), "arm.drives.toml")
    with pytest.raises(SceneError, match=message):
        read_scene(write(tmp_path, 'duration = 0.1\nstep = 1e-3\n[robot]\nurdf = "arm.urdf"\n'))


def test_drives_of_the_scene_join_those_beside_the_urdf(tmp_path):
    shutil.copy(URDF, tmp_path)
    write(tmp_path, DRIVES, "arm.drives.toml")
    text = 'duration = 0.1\nstep = 1e-3\nmethod = "moreau"\n'
    text += "".join(f'[robots.{name}]\nurdf = "arm.urdf"\n' for name in ("left", "right"))
    assert sorted(read_scene(write(tmp_path, text)).scene.drives) == ["left.shoulder", "right.shoulder"]
    twice = text + '[drives."left.shoulder"]\nmotor = { kind = "TorqueMotor" }\n'
    with pytest.raises(SceneError, match="has a drive in the file beside its URDF, too"):
        read_scene(write(tmp_path, twice))
