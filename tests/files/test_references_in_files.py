"""References, sensors and servos in scene files: they come back as they were."""

import numpy as np
import pytest

import stiction
from stiction import (
    Arc,
    CartesianImpedance,
    Cascade,
    Chain,
    Clock,
    CurrentLoop,
    CurrentSensor,
    DCMotor,
    Drive,
    Encoder,
    Gear,
    GravityCompensation,
    JointImpedance,
    Line,
    PointToPoint,
    PositionLoop,
    Scene,
    SceneError,
    SCurve,
    Spline,
    Tachometer,
    ToolPath,
    Trapezoid,
    VelocityLoop,
    read_scene,
    simulate,
    write_scene,
)
from stiction.files.schema import schema
from stiction.parts import TwoPointSpring

PUMA = stiction.library.puma560()
POSE = [0.2, 0.6, 2.6, 0.3, 0.7, 0.1]
X, Y, Z = PUMA.pose(POSE, "link6")[:3, 3]
GO = PointToPoint(start=POSE, stop=[0.3, 0.5, 2.5, 0.2, 0.8, 0.0], velocity=1.0, acceleration=4.0)
BACK = PointToPoint(start=[0.3, 0.5, 2.5, 0.2, 0.8, 0.0], stop=POSE, velocity=1.0, acceleration=4.0, jerk=50.0)
MOTIONS = {
    "point to point": GO,
    "spline": Spline(time=[0, 0.5, 1.0], value=[POSE, [0.25] * 6, POSE]),
    "chain": Chain(motions=[GO, BACK], pause=0.1),
    "path": ToolPath(
        q=POSE,
        frame="link6",
        profile=SCurve(speed=0.2, acceleration=1.0, jerk=10.0),
        segments=[Line(to=(X + 0.05, Y, Z)), Arc(via=(X + 0.06, Y + 0.05, Z), to=(X + 0.05, Y + 0.1, Z))],
        pause=0.1,
    ),
}
TICK, FAST = Clock(period=1e-3), Clock(period=5e-4)
SERVO = Cascade(
    position=PositionLoop(clock=TICK, proportional=20.0, integral=2.0, limit=3.0),
    velocity=VelocityLoop(clock=FAST, proportional=0.1, coulomb_feedforward=0.1, limit=8.0, resolution=0.01),
    current=CurrentLoop(clock=FAST, proportional=5.0, integral=500.0, limit=48.0),
)
MOTOR = DCMotor(resistance=1.0, constant=0.1, inductance=2e-3, rotor_inertia=2e-4, current_limit=10.0)
CONTROLS = {
    "cascades": dict.fromkeys(PUMA.velocity_names, SERVO),
    "gravity": {"robot": GravityCompensation(clock=TICK, damping=2.0)}
    | dict.fromkeys(PUMA.velocity_names, Cascade(current=SERVO.current)),
    "impedance": {
        "robot": JointImpedance(clock=TICK, stiffness=(300.0, 300, 200, 20, 20, 10), damping=10.0, limit=90.0)
    }
    | dict.fromkeys(PUMA.velocity_names, Cascade(current=SERVO.current)),
    "cartesian": {
        "robot": CartesianImpedance(clock=TICK, frame="link6", stiffness=(1e3, 1e3, 1e3), damping=(90, 90, 90))
    }
    | dict.fromkeys(PUMA.velocity_names, Cascade(current=SERVO.current)),
}


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("motion", MOTIONS)
def test_they_come_back_and_do_the_same(motion, control, tmp_path):
    ratios = (-60.0, 100, -50, 70, 70, 70)
    scene = Scene(
        robot=PUMA,
        drives={n: Drive(motor=MOTOR, gear=Gear(ratio=r)) for n, r in zip(PUMA.velocity_names, ratios, strict=True)},
        control=CONTROLS[control],
        reference=MOTIONS[motion],
        sensors={"joint1": [Encoder(counts=4096, delay=1), Tachometer(noise=1e-3), CurrentSensor(resolution=0.01)]},
        parts={"spring": TwoPointSpring(between=("robot.base", "robot.link3"), stiffness=50.0, length=0.5)},
    )
    path = tmp_path / "scene.toml"
    write_scene(path, scene, duration=0.02, step=5e-4, seed=3, start="held")
    read = read_scene(path)
    assert read.scene.references.keys() == scene.references.keys() and read.settings["start"] == "held"
    run = stiction.run_file(path)
    again = simulate(scene, duration=0.02, step=5e-4, seed=3, start="held")
    np.testing.assert_allclose(run.stack("q."), again.stack("q."), atol=1e-9)
    jsonschema = pytest.importorskip("jsonschema")
    import tomllib

    jsonschema.validate(tomllib.loads(path.read_text()), schema())


GOOD = """duration = 0.1
step = 1e-3
[robot]
library = "pendulum"
[reference.robot]
kind = "PointToPoint"
start = [0.0]
stop = [1.0]
velocity = [1.0]
acceleration = [2.0]
[control.joint1]
kind = "Cascade"
side = "joint"
position = { clock = { period = 1e-3 }, proportional = 10.0 }
velocity = { clock = { period = 1e-3 }, proportional = 1.0 }
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("PointToPoint", "PointToPiont", r"reference\.robot\.kind: unknown kind 'PointToPiont'"),
        ("velocity = [1.0]", "velocity = [-1.0]", r"reference\.robot: PointToPoint: velocity is"),
        ("velocity = [1.0]", "speed = [1.0]", r"unknown key 'speed'"),
        ("[reference.robot]", "[reference.robt]", r"unknown joint 'robt'"),
        (
            "proportional = 10.0",
            "proportional = -10.0",
            r"control\.joint1\.position: PositionLoop: proportional is -10",
        ),
        ('side = "joint"', 'side = "left"', "side is 'left'"),
        (
            "[control.joint1]",
            '[sensors]\njoint1 = { kind = "Encoder" }\n[control.joint1]',
            r"sensors\.joint1: it is .*allowed: a list",
        ),
        ("[control.joint1]", '[[sensors.joint1]]\nkind = "Encoder"\ncounts = 1\n[control.joint1]', "counts is 1"),
        ("step = 1e-3", 'step = 1e-3\nstart = "fast"', "start is 'fast'; allowed: 'held'"),
        ("step = 1e-3", "step = 1e-3\nseed = -1", "seed is -1"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old, new, words, tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(GOOD)
    assert read_scene(path).scene.references["robot"].size == 1
    assert GOOD.count(old) >= 1
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(SceneError, match=words):
        read_scene(path)


def test_a_trapezoid_is_a_profile():
    assert Trapezoid(speed=1.0, acceleration=2.0).ride(1.0).duration == 1.5
