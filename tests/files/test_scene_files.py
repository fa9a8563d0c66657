"""Scene files: what they say is what is simulated; what they should not say is refused with its place."""

import shutil

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Curve, Scene, SceneError, Stribeck, library, read_scene, run_file, simulate, write_scene
from stiction.scene import Formula
from stiction.trace import cos, minimum, sin, where
from tests.scenes import EXAMPLES, GOOD, METHODS, URDF, everything, write


def ball(run):
    """It slides for 2 v/(7 μ g) = 0.583 s, then rolls at 5/7 of its speed."""
    slip = run["ball.velocity.x"] - 0.2 * run["ball.angular.y"]
    assert run.time[np.abs(slip) < 1e-3][0] == pytest.approx(2 * 2 / (7 * 0.1 * 9.8), abs=0.005)
    assert run["ball.velocity.x"][-1] == pytest.approx(2.0 * 5 / 7, rel=1e-6)


def belt(run):
    """It goes to and fro between 17.6 and 62.4 mm, in 0.807 s, half of it stuck to the belt."""
    late = run.time > 1
    x, stuck = run["mass.position"][late], run["rub.mode"][late] == 0
    assert (x.min(), x.max()) == pytest.approx((0.01764, 0.06236), rel=1e-2)
    assert stuck.mean() == pytest.approx(0.4 / 0.806889, abs=0.02)


def clutch(run):
    """Pressed, it brings the wheels to one speed; all momentum comes from the torque and goes to the bearing."""
    held = (run.time > 0.6) & (run.time < 1.19)
    np.testing.assert_allclose(run["v.driving.axle"][held], run["v.driven.axle"][held], rtol=1e-12)
    assert not run["mode.clutch"][held].any() and (run["mode.clutch"][~held & (run.time < 0.5)] == 2).all()
    momentum = 0.02 * run["v.driving.axle"] + 0.06 * run["v.driven.axle"]
    np.testing.assert_allclose(momentum, 0.16 + 0.2 * run.time - 0.01 * run["q.driven.axle"], atol=1e-12)
    sliding = (run.time > 0.21) & (run.time < 0.5)
    pressed = 40.0 * np.clip((run.time - 0.2) / 0.2, 0, 1)
    np.testing.assert_allclose(run["friction.clutch"][sliding], 0.02 * pressed[sliding], atol=0.02 * 0.2)
    assert np.abs(run["energy.residue"]).max() < 1e-12


def brake(run):
    """The shoulder falls, stops within 0.1 s of braking, holds to the bit, and goes when it is let go."""
    held = (run.time > 0.35) & (run.time < 1.99)
    assert run["v.shoulder"][20] < -5 and np.ptp(run["q.shoulder"][held]) < 1e-15
    assert np.ptp(run["q.shoulder"][run.time > 2.1]) > 0.05


def geared_arm(run):
    """Two joints follow their targets, late by derivative over proportional gain, to half of it; the others hold."""
    late, t = run.time > 1, run.time
    targets = {"joint2": (0.8 + 0.3 * np.sin(t), 0.3), "joint3": (2.8 + 0.2 * np.sin(2 * t), 0.4)}
    for joint, (target, fastest) in targets.items():
        assert np.abs(run[f"q.{joint}"] - target)[late].max() < 1.5 * 40.0 / 400.0 * fastest
    for joint in ("joint1", "joint4", "joint5", "joint6"):
        assert np.ptp(run[f"q.{joint}"]) < 1e-12


def four_bar(run):
    """The crank sticks until the torque has turned round, then swings; the pin stays closed."""
    assert np.ptp(run["q.crank"][run.time < 1.1]) < 1e-12
    assert np.ptp(run["q.crank"]) > 3
    assert run["constraint_gap"][-1] < 1e-11
    assert (run["mode.rocker"][run.time < 1.1] == 0).all()


def two_link(run):
    """Kikuuwe's arm slips while it is pushed, then stops and stays, though it is shaken."""
    for joint in ("shoulder", "elbow"):
        assert np.ptp(run[f"q.{joint}"][run.time < 4]) > 0.1
        assert np.ptp(run[f"q.{joint}"][run.time > 5]) < 1e-9


def weld(run):
    """The tool keeps within 0.2 mm of its path; encoders tell the angles of the motors, one of them a tick late."""
    motion = read_scene(EXAMPLES / "weld.toml").scene.references["robot"]
    away = motion.deviation(run.time, run.stack("q."))
    assert away.across.max() < 2e-4 and motion.duration < run.time[-1]
    np.testing.assert_allclose(run["measured_position.joint2"][1:], 128.6 * run["q.joint2"][1:], atol=0.02)
    assert not run.notes


@pytest.mark.parametrize(
    "check", [ball, belt, brake, clutch, four_bar, geared_arm, two_link, weld], ids=lambda check: check.__name__
)
def test_examples_do_what_they_say(check):
    check(run_file(EXAMPLES / f"{check.__name__}.toml"))


def test_all_examples_are_tested():
    assert {path.stem for path in EXAMPLES.glob("*.toml")} == {
        "ball",
        "belt",
        "brake",
        "clutch",
        "four_bar",
        "geared_arm",
        "slope",  # in tests/contact
        "two_link",
        "weld",
    }


def test_a_file_is_the_scene_that_it_describes():
    run = run_file(EXAMPLES / "two_link.toml")

    def torque(wave):
        return lambda t: where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * wave(100 * t))

    scene = Scene(
        robot=library.two_link(lengths=(0.35, 0.35), masses=(0.05, 0.05)),
        friction={"shoulder": Coulomb(level=0.5), "elbow": Coulomb(level=0.5)},
        torque={"shoulder": torque(sin), "elbow": torque(cos)},
        gravity=(0, 0, 0),
    )
    same = simulate(scene, duration=8.0, step=1e-3, method="moreau", record=0.01)
    assert list(same.signals) == list(run.signals)
    for name in same.signals:
        np.testing.assert_array_equal(run[name], same[name])


def test_everything_is_read(tmp_path):
    read = read_scene(write(tmp_path, GOOD))
    assert read.settings == {"duration": 1.0, "step": 1e-3, "method": stiction.Moreau(), "record": 0.1}
    assert read.scene.q == (0.0, 0.5)
    assert read.scene.sites["both"].joints == {"shoulder": 1, "elbow": 1}
    assert read.scene.sites["shoulder"].law == Stribeck(level=0.4, static=(0.5, 0.6), velocity=0.01)
    assert read.scene.torque == {"shoulder": Formula("0.3*sin(3*t)"), "elbow": 0.01}
    run, same = run_file(read), simulate(read.scene, duration=1.0, step=1e-3, method="moreau", record=0.1)
    np.testing.assert_array_equal(run["q.elbow"], same["q.elbow"])


def test_urdf_beside_the_scene(tmp_path):
    shutil.copy(URDF, tmp_path)
    text = 'duration = 0.1\nstep = 1e-3\n[robot]\nurdf = "arm.urdf"\n[torque]\nshoulder = 1.0\n'
    read = read_scene(write(tmp_path, text))
    assert read.scene == Scene(robot=stiction.Robot.from_urdf(URDF), torque={"shoulder": 1.0})
    assert read.settings == {"duration": 0.1, "step": 1e-3}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("duration = 1.0", "duration = ", r"scene.toml: .*line 2"),
        ("duration = 1.0", "", "'duration' is missing"),
        ("duration = 1.0", 'duration = "long"', "duration is 'long'; allowed: a time in seconds"),
        ("duration = 1.0", "duraton = 1.0", "unknown key 'duraton'; the file takes: duration"),
        (
            'library = "two_link"',
            'library = "twolink"',
            "robot.library: unknown robot 'twolink'; the library has: pendulum",
        ),
        (
            'library = "two_link"',
            'library = "two_link"\nsize = 3',
            "unknown key 'size'; robot.library 'two_link' takes: lengths, masses",
        ),
        ('library = "two_link"', "", "give one of library"),
        (
            'law = "Stribeck"',
            'law = "Stribek"',
            "friction.shoulder.law: unknown law 'Stribek'; stiction has: .*Coulomb, Stribeck",
        ),
        ('law = "Stribeck"\n', "", "friction.shoulder: it lacks 'law'"),
        ("velocity = 0.01", "", "friction.shoulder: Stribeck needs 'velocity'"),
        ("velocity = 0.01", "velocity = -1", "friction.shoulder: Stribeck: velocity is -1"),
        (
            "velocity = 0.01",
            "velocity = 0.01\nsigma = 2",
            r"friction.shoulder: unknown key 'sigma'; Stribeck takes: viscous, stiffness, damping, level",
        ),
        ('shoulder = "0.3*sin(3*t)"', 'shoulder = "0.3*sinn(3*t)"', "unknown name 'sinn'"),
        ("elbow = 0.01", "wrist = 0.01", r"unknown joint 'wrist'; robot 'two_link' has: shoulder, elbow \(in torque\)"),
        ("level = 0.4", 'level = "much"', r"friction.shoulder: level: allowed: .*float.*; given: str"),
        ("elbow = 0.01", "elbow = { time = [0, 1] }", "torque.elbow: Table needs 'value'"),
        ("elbow = 0.01", "elbow = { time = [1, 0], value = [1, 1] }", "torque.elbow: Table: time 0 comes after 1"),
        ("elbow = 0.01", "elbow = true", "torque of 'elbow' is True"),
        ('method = "moreau"', 'method = "rk5"', "method is 'rk5'; allowed: 'moreau'"),
        ('law = "Stribeck"', "law = [1]", r"unknown law '\[1\]'"),
        ('library = "two_link"', 'library = ["x"]', "unknown robot"),
        ('library = "two_link"', 'library = "chain"', "library 'chain' was given {}; it needs links"),
        (
            'library = "two_link"',
            'library = "two_link"\nlengths = 5',
            "two_link: lengths is 5; allowed: 2 numbers above 0",
        ),
        ("[q]", "wires = 5\n[q]", "unknown|wires"),
        ("duration = 1.0", "duration = -1.0", "duration is -1.0; allowed: a time in seconds, above 0"),
        ("[friction.both]", '[friction.elbow]\nlaw = "none"\nlevel = 5\n[friction.both]', "unknown key 'level'"),
        ("[q]", '[parts.ball]\npart = "Bal"\n[q]', "parts.ball.part: unknown part 'Bal'; stiction has: Mass, FreeBody"),
        ("[q]", '[parts.ball]\npart = "Mass"\nmass = -1\n[q]', "parts.ball: Mass: mass is -1"),
        ("[q]", '[[wires]]\ntarget = "ball.force"\nterms = ["a.b"]\n[q]', "port 'ball.force': unknown part 'ball'"),
        ("[q]", '[[wires]]\nfrom = "ball.force"\n[q]', r"unknown key 'from'; wires\[0\] takes: target"),
        (
            'library = "two_link"',
            'name = "r"\nlinks = [{ name = "a", mas = 1 }]',
            r"robot.links\[0\]: unknown key 'mas'; Link takes: name, mass",
        ),
        ('library = "two_link"', 'urdf = "none.urdf"', "none.urdf"),
        (
            "joints = { shoulder = 1, elbow = 1 }",
            "joints = { shoulder = 1, wrist = 1 }",
            r"unknown joint 'wrist'.*friction 'both'",
        ),
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


def test_a_scene_comes_back_as_it_was(tmp_path):
    scene, settings = everything(), {"duration": 0.1, "step": 1e-3, "method": "moreau", "record": 0.01}
    write_scene(tmp_path / "scene.toml", scene, **settings)
    again = read_scene(tmp_path / "scene.toml")
    assert again.settings == settings | {"method": stiction.Moreau()}
    assert again.scene == scene
    write_scene(tmp_path / "again.toml", again.scene, **settings)
    assert (tmp_path / "again.toml").read_text() == (tmp_path / "scene.toml").read_text()
    before, after = simulate(scene, **settings), run_file(again)
    for name in before.signals:
        assert before[name].tobytes() == after[name].tobytes(), name
    kept = run_file(write(tmp_path, before.origin["scene"], "kept.toml"))
    assert kept["q.left.turn"].tobytes() == before["q.left.turn"].tobytes()


def test_a_python_function_is_named_and_kept_as_its_trace(tmp_path):
    def push(t):
        return 0.336 + 0.144 * sin(100 * t)

    scene = Scene(robot=library.two_link(), torque={"elbow": push})
    with pytest.raises(SceneError, match=r"torque\.elbow is the Python function 'push'"):
        write_scene(tmp_path / "scene.toml", scene, duration=1.0, step=1e-3)
    run = simulate(scene, duration=0.1, step=1e-2)
    assert "(0.144*sin(100*t) + 0.336)" in run.origin["scene"]
    curve = Scene(robot=library.two_link(), friction={"elbow": Curve(function=lambda w: 0.5 + w)})
    with pytest.raises(SceneError, match=r"friction.elbow.function.* is the Python function"):
        write_scene(tmp_path / "scene.toml", curve, duration=1.0, step=1e-3)


@pytest.mark.parametrize(
    "method",
    [
        *METHODS.values(),
        stiction.Moreau(rows="by_joint", pull=0.1, softness=0.01, splitting=True),
        stiction.gears_implicit(softness=0.2),
        stiction.Rosenbrock(tolerance=1e-8),
    ],
    ids=str,
)
def test_methods_and_their_options_come_back(method, tmp_path):
    write_scene(tmp_path / "scene.toml", Scene(robot=library.two_link()), duration=1.0, step=1e-3, method=method)
    assert read_scene(tmp_path / "scene.toml").settings["method"] == method


def test_settings_are_checked_when_written(tmp_path):
    with pytest.raises(SceneError, match="unknown setting 'steps'; a scene file has: duration"):
        write_scene(tmp_path / "scene.toml", Scene(robot=library.two_link()), steps=3)


def test_the_page_on_scene_files_shows_one_that_runs(tmp_path):
    page = (EXAMPLES.parent / "docs" / "scenes.md").read_text()
    text = page.split("```toml\n")[1].split("```")[0]
    run = run_file(write(tmp_path, text.replace("duration = 10.0", "duration = 0.1")))
    assert run.time[-1] == 0.1 and run["q.elbow"][0] == 0.5
    patterns = ("q.", "mode.", "energy.", "work.", "loss.")
    assert {name.split(".")[0] + "." for name in run.signals} == set(patterns)
    assert "mode.seal" in run.signals and np.abs(run["energy.residue"]).max() < 1e-3


PENDULUM = 'duration = 1.0\nstep = 1e-3\n[robot]\nlibrary = "pendulum"\nlinks = 1\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PENDULUM + "x = " + "[" * 3000 + "]" * 3000, "nested too deep"),
        (PENDULUM + '[torque]\njoint1 = "' + "min(" * 99 + "t" + ",1)" * 99 + '"', "nested more than 50 deep"),
        (PENDULUM + '[torque]\njoint1 = "' + "*".join(["t"] * 960) + '"', "more than 300 terms and factors"),
        (PENDULUM.replace("1.0", "1" + "0" * 400), "duration is 1000"),
        (PENDULUM.replace("1.0", "1" + "0" * 5000), "a number in it cannot be read"),
        (PENDULUM.replace("1e-3", "1e-320").replace("1.0", "1e8"), "step is 1e-320; allowed: a number from 1e-12"),
        (PENDULUM.replace("step", "gravity = 2020-01-01\nstep"), "gravity is"),
        (PENDULUM.replace("links = 1", "links = 100000"), "links is 100000; allowed: a whole number, 1 to 1000"),
        (PENDULUM.replace("1.0", "1000000.007"), "recording takes"),
        (PENDULUM.replace("[robot]", '[robots."a\\u0000b"]'), "a name that can be printed"),
    ],
    ids=lambda x: x[-20:] if len(x) > 60 else x,
)
def test_what_no_scene_means_is_refused_at_once(tmp_path, text, words):
    """What once ended in a traceback, or never."""
    path = tmp_path / "scene.toml"
    path.write_text(text)
    with pytest.raises(stiction.StictionError, match=words):
        stiction.run_file(path)


def test_a_curve_that_falls_at_once_is_no_error(tmp_path):
    path = tmp_path / "scene.toml"
    law = '[friction.joint1]\nlaw = "Stribeck"\nlevel = 1.0\nstatic = 2.0\nvelocity = 1e-30\nexponent = 1e6\n'
    path.write_text(PENDULUM + law)
    assert stiction.run_file(path).status == "completed"


def test_zeros_that_are_not_usual_are_kept(tmp_path):
    servo = stiction.Cascade(
        position=stiction.PositionLoop(clock=stiction.Clock(period=0.01), proportional=2.0, velocity_feedforward=0.0),
        velocity=stiction.VelocityLoop(clock=stiction.Clock(period=0.01), proportional=1.0),
    )
    scene = Scene(robot=library.pendulum(1), control={"joint1": servo}, reference={"joint1": 0.1})
    write_scene(tmp_path / "scene.toml", scene, duration=1.0, step=1e-3)
    assert read_scene(tmp_path / "scene.toml").scene.control["joint1"] == servo
