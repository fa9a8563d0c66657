"""Scene files: what they say is what is simulated; what they should not say is refused with its place."""

from pathlib import Path

import numpy as np
import pytest

from stiction import Coulomb, Scene, SceneError, library, simulate
from stiction.simulation.files import read_scene
from stiction.trace import cos, minimum, sin, where

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

GOOD = """
duration = 1.0
step = 1e-3
method = "semi_implicit"
record = 0.1
[robot]
library = "two_link"
[friction.shoulder]
law = "Stribeck"
level = 0.4
static = [0.5, 0.6]
velocity = 0.01
[friction.both]
law = "Coulomb"
level = 0.1
joints = { shoulder = 1, elbow = 1 }
[torque]
shoulder = "0.3*sin(3*t)"
elbow = 0.01
[q]
elbow = 0.5
"""


def write(tmp_path, text, name="scene.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_examples_run(path):
    run = read_scene(path).run()
    assert run.status == "completed"


def test_a_file_is_the_scene_that_it_describes():
    run = read_scene(EXAMPLES / "two_link.toml").run()

    def torque(wave):
        return lambda t: where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * wave(100 * t))

    scene = Scene(
        robot=library.two_link(lengths=(0.35, 0.35), masses=(0.05, 0.05)),
        friction={"shoulder": Coulomb(level=0.5), "elbow": Coulomb(level=0.5)},
        torque={"shoulder": torque(sin), "elbow": torque(cos)},
        gravity=(0, 0, 0),
    )
    same = simulate(scene, duration=8.0, step=1e-3, method="semi_implicit", record=0.01)
    for name in same.signals:
        np.testing.assert_array_equal(run[name], same[name])
    stopped = run["q.shoulder"][run.time > 5]
    assert np.ptp(stopped) < 1e-9, "it stops and stays"


def test_everything_is_read(tmp_path):
    read = read_scene(write(tmp_path, GOOD))
    assert read.settings == {"duration": 1.0, "step": 1e-3, "method": "semi_implicit", "record": 0.1}
    assert read.scene.q == (0.0, 0.5)
    assert read.scene.sites["both"].joints == {"shoulder": 1, "elbow": 1}
    assert read.scene.sites["shoulder"].law.static == (0.5, 0.6)
    assert read.run().status == "completed"


def test_urdf_beside_the_scene(tmp_path):
    from tests.robot.test_urdf import ARM

    write(tmp_path, ARM, "arm.urdf")
    text = 'duration = 0.1\nstep = 1e-3\n[robot]\nurdf = "arm.urdf"\n[torque]\nshoulder = 1.0\n'
    assert read_scene(write(tmp_path, text)).run()["q.shoulder"].shape == (101,)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("duration = 1.0", "duration = ", r"scene.toml: .*line 2"),
        ("duration = 1.0", "", "'duration' is missing"),
        ("duration = 1.0", 'duration = "long"', "duration is 'long'; allowed: a time in seconds"),
        ("duration = 1.0", "duraton = 1.0", "unknown key 'duraton'; the file takes: duration, step"),
        ('library = "two_link"', 'library = "twolink"', "robot.library: unknown robot 'twolink'; the library has: pendulum"),
        ('library = "two_link"', 'library = "two_link"\nsize = 3', "unknown key 'size'; robot.library 'two_link' takes: lengths, masses"),
        ('library = "two_link"', "", "give either library"),
        ('law = "Stribeck"', 'law = "Stribek"', "friction.shoulder.law: unknown law 'Stribek'; stiction has: Coulomb, Stribeck"),
        ('law = "Stribeck"\n', "", "friction.shoulder: it lacks 'law'"),
        ("velocity = 0.01", "", "friction.shoulder: Stribeck needs 'velocity'"),
        ("velocity = 0.01", "velocity = -1", "friction.shoulder: Stribeck: velocity is -1"),
        ("velocity = 0.01", "velocity = 0.01\nsigma = 2", r"unknown key 'sigma'; friction.shoulder \(Stribeck\) takes: viscous, stiffness"),
        ('shoulder = "0.3*sin(3*t)"', 'shoulder = "0.3*sinn(3*t)"', "unknown name 'sinn'"),
        ("elbow = 0.01", "wrist = 0.01", r"unknown joint 'wrist'; robot 'two_link' has: shoulder, elbow \(in torque\)"),
        ("joints = { shoulder = 1, elbow = 1 }", "joints = { shoulder = 1, wrist = 1 }", r"unknown joint 'wrist'.*friction 'both'"),
        ("[q]\nelbow = 0.5", "[q]\nelbo = 0.5", r"unknown joint 'elbo'.*\(in q\)"),
    ],
)
def test_refused_with_file_and_key(tmp_path, old, new, message):
    assert old in GOOD
    with pytest.raises(SceneError, match=message) as error:
        read_scene(write(tmp_path, GOOD.replace(old, new, 1)))
    assert "scene.toml" in str(error.value)


def test_no_file(tmp_path):
    with pytest.raises(SceneError, match="there is no file"):
        read_scene(tmp_path / "nothing.toml")
