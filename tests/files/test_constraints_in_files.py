"""Constraints in scene files."""

import jsonschema
import pytest

from stiction import (
    Follow,
    Formula,
    Holonomic,
    OnSurface,
    Pfaffian,
    Pin,
    Rolling,
    Scene,
    SceneError,
    Weld,
    library,
    read_scene,
    simulate,
    write_scene,
)
from stiction.files.schema import schema
from stiction.parts import FreeBody

KEPT = {
    "pin": Pin(between=("robot.link2", "world"), first_point=(0, 0, -1), second_point=(0.3, 0, -1.2), axis=(0, 1, 0)),
    "follow": Follow(joint="joint2", of="joint1", ratio=-2.0, offset=0.1),
    "own": Holonomic(joints=("joint1", "joint2"), equations=Formula("q2 - 0.5*sin(q1)", "q1 q2")),
    "edge": Pfaffian(joints=("joint1", "joint2"), coefficients=(Formula("cos(q1)", "q1 q2"), 1.0)),
    "on": OnSurface(between=("robot.link2", "world"), surface=Formula("z + x*y", "x y z")),
    "roll": Rolling(between=("ball", "world"), radius=0.1),
    "weld": Weld(between=("ball", "robot.link1"), second_point=(0.1, 0, 0)),
}


@pytest.mark.parametrize("name", ["follow", "own", "edge", "roll"])
def test_files_hold_constraints(tmp_path, name):
    parts = {"ball": FreeBody(mass=1.0, inertia=(0.01,) * 3, position=(0, 0, 0.1))}
    scene = Scene(robot=library.pendulum(2), parts=parts, constraints={name: KEPT[name]}, q={"joint1": 0.2})
    path = tmp_path / "scene.toml"
    write_scene(path, scene, duration=0.2, step=1e-3)
    again = read_scene(path)
    a, b = (simulate(x, duration=0.2, step=1e-3) for x in (scene, again.scene))
    assert (a["q.joint1"] == b["q.joint1"]).all()


def test_every_constraint_is_read_as_it_was_written():
    from stiction.constraint import Constraint
    from stiction.files.plain import read, write

    for name, constraint in KEPT.items():
        again = read(Constraint, write(constraint, f"constraints.{name}"), f"constraints.{name}")
        assert write(again, "x") == write(constraint, "x")
        jsonschema.validate({"duration": 1.0, "step": 1e-3, "constraints": {name: write(constraint, "x")}}, schema())


def test_bad_constraints_in_files_are_told(tmp_path):
    begin = 'duration = 1.0\nstep = 1e-3\nrobot = { library = "pendulum", links = 2 }\n[constraints.x]\n'
    for text, words in [
        ('constraint = "Glue"', "unknown constraint 'Glue'"),
        ('between = ["a", "b"]', "it lacks 'constraint'"),
        ('constraint = "Follow"\njoint = "joint1"', "Follow needs 'of'"),
        ('constraint = "Holonomic"\njoints = ["joint1"]\nequations = "q1 - q2"', "cannot be called with 1 numbers"),
        ('constraint = "Holonomic"\njoints = ["joint1"]\nequations = "q1 +"', "formula: the end stands where"),
    ]:
        path = tmp_path / "scene.toml"
        path.write_text(begin + text)
        with pytest.raises(SceneError, match=words):
            read_scene(path)


def test_functions_of_several_numbers_are_told_in_runs():
    """What a run says of its scene has the formula of a Python function."""
    kept = {
        "own": Holonomic(joints=("joint1", "joint2"), equations=lambda a, b: [b - 2 * a]),
        "edge": Pfaffian(joints=("joint1", "joint2"), coefficients=lambda a, b: [-2.0, 1.0]),
    }
    run = simulate(Scene(robot=library.pendulum(2), constraints=kept), duration=0.01, step=1e-3)
    assert 'equations = "Python: (q2 - 2*q1)"' in run.origin["scene"]
    assert 'coefficients = "Python: [-2, 1]"' in run.origin["scene"]
