"""Messages: names that are not known are answered by the ones that were meant, and advice names what there is."""

import ast
import inspect
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import stiction
from stiction import InputError, simulate
from stiction.errors import FEW, unknown
from stiction.extras import EXTRA
from stiction.methods import METHODS

MANY = [f"{word}.joint{k}" for word in ("q", "v", "friction") for k in range(1, 31)] + ["residual"]


def listed(given, known=MANY):
    return unknown("signal", given, "this run", known).partition(" has: ")[2]


@pytest.mark.parametrize(
    "given, meant",
    [
        ("q.jont7", "q.joint7, "),
        ("Q.JOINT7", "q.joint7, "),
        ("residul", "residual ... and 90 more"),
        ("joint30", "q.joint30, "),
        ("q.wrist", "q.joint1, q.joint2"),
        ("friction.*.jiont", "friction.joint"),
        ("speed", "q.*, v.*, friction.*, residual"),
        (3, "q.joint3, "),
    ],
)
def test_only_names_like_it_are_listed(given, meant):
    assert listed(given).startswith(meant)
    assert len(listed(given).split(", ")) <= FEW


def test_few_names_are_all_listed():
    assert listed("x", ["a", "b"]) == "a, b" and listed("x", []) == "none"


@pytest.mark.parametrize(
    "ask, source",
    [
        (lambda scene, run: run["q.joint9"], lambda scene, run: run.signals),
        (lambda scene, run: run.stack("speed"), lambda scene, run: run.signals),
        (lambda scene, run: run.state["speed"], lambda scene, run: run.state.names),
        (
            lambda scene, run: simulate(scene, duration=0.1, step=0.01, parameters={"speed": 1.0}),
            lambda scene, run: scene.parameters,
        ),
        (
            lambda scene, run: scene.robot.mass_matrix([0.0] * 6, parameters={"speed": 1.0}),
            lambda scene, run: scene.robot.parameters,
        ),
        (lambda scene, run: stiction.Simulator(scene, step=0.01, outputs=["speed"]), lambda scene, run: run.signals),
        (lambda scene, run: stiction.Simulator(scene, step=0.01, inputs=["torqe.*"]), lambda scene, run: scene.joints),
        (
            lambda scene, run: stiction.Simulator(scene, step=0.01, parameters={"speed": 1.0}),
            lambda scene, run: scene.parameters,
        ),
    ],
    ids=["signal", "beginning", "slot", "parameter", "of a robot", "output", "input", "of a simulator"],
)
def test_large_scenes_get_short_answers(ask, source):
    """77 signals and 200 parameters: a line, and where all of them are."""
    arm = stiction.library.puma560()
    scene = stiction.Scene(
        robot=arm, friction={name: stiction.Dahl(level=1.0, stiffness=1e3) for name in arm.velocity_names}
    )
    run = simulate(scene, duration=0.01, step=0.01)
    with pytest.raises(InputError, match="unknown") as caught:
        ask(scene, run)
    assert len(str(caught.value)) < 250
    if "lists all" in str(caught.value):
        assert len(source(scene, run)) > FEW


def messages():
    """All texts in the package that are not docstrings, with {} for what is filled in, and where they stand."""
    root = Path(stiction.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.name.startswith("lesson_") or path.name == "moving.py":  # texts of notebooks, shapes of SVG
            continue
        tree = ast.parse(path.read_text())
        inner = {id(x) for f in ast.walk(tree) if isinstance(f, ast.JoinedStr) for x in f.values}
        docs = {id(e.value) for e in ast.walk(tree) if isinstance(e, ast.Expr)}
        for x in ast.walk(tree):
            if isinstance(x, ast.JoinedStr):
                text = "".join(v.value if isinstance(v, ast.Constant) else "{}" for v in x.values)
            elif isinstance(x, ast.Constant) and isinstance(x.value, str) and id(x) not in inner | docs:
                text = x.value
            else:
                continue
            yield f"{path.relative_to(root)}:{x.lineno}", text


def named(pattern):
    """What the messages name by a pattern, with the places that do."""
    found = {}
    for place, text in messages():
        for name in re.findall(pattern, text):
            found.setdefault(name, []).append(place)
    return found


def options():
    """Everything that can be given by keyword to what is public."""
    things = [getattr(stiction, name) for name in stiction.__all__ if name != "library"]
    things += [*METHODS.values(), *(f for _, f in inspect.getmembers(stiction.Robot, callable))]
    things += [f for _, f in inspect.getmembers(stiction.library, inspect.isfunction)]
    found = set()
    for thing in things:
        try:
            found |= set(inspect.signature(thing).parameters)
        except (TypeError, ValueError):
            continue
    return found


def test_methods_that_messages_recommend_exist():
    found = named(r"(?:method|use|or) '([a-z_0-9]+)'")
    assert {"moreau", "rk4", "rosenbrock", "gears_semi_implicit"} <= found.keys()
    others = {"semi_implicit", "flow", "uniform"}  # refused by name; a method of laws; a role of ports
    wrong = found.keys() - METHODS.keys() - others
    assert not wrong, {name: found[name] for name in wrong}


def test_attributes_that_messages_recommend_exist():
    owners = {
        "robot": stiction.Robot,
        "scene": stiction.Scene,
        "run": stiction.Trajectory,
        "state": stiction.State,
        "sim": stiction.Simulator,
        "Link": stiction.Link,
    }
    scene = stiction.Scene(robot=stiction.library.pendulum(1))
    have = {word: {*dir(kind), *getattr(kind, "__dataclass_fields__", ())} for word, kind in owners.items()}
    have["sim"] |= set(vars(stiction.Simulator(scene, step=0.01)))
    have["robot"] |= {"q", "v", "torque"}  # its ports
    found = named(r"(?<![\w.'])(robot|scene|run|state|sim|Link)\.(?!h5|toml|library|links|joints)([a-z_]+)")
    assert ("scene", "parameters") in found and ("run", "diverged") in found and ("robot", "lock") in found
    wrong = {key: places for key, places in found.items() if key[1] not in have[key[0]]}
    assert not wrong, wrong


def test_what_messages_call_by_our_name_exists():
    found = named(r"\bstiction\.([A-Za-z_]+)")
    assert {"Origin", "trace", "Box"} <= found.keys()
    missing = {name for name in found if name not in stiction.__all__ and find_spec(f"stiction.{name}") is None}
    assert not missing, {name: found[name] for name in missing}


def test_options_that_messages_recommend_exist():
    found = named(r"(?<![\w.])([a-z_]+)=(?=['\"\w\[(])")
    assert {"lumped", "energy", "method", "period", "inputs"} <= found.keys()
    of_others = {"link", "xmlns", "drake", "name", "frozen", "kw_only", "sched"}  # URDF's, dataclasses', compilers'
    wrong = found.keys() - options() - of_others - inspect.signature(stiction.Clock).parameters.keys()
    assert not wrong, {name: found[name] for name in wrong}


def test_extras_that_messages_recommend_exist():
    project = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = ", project, re.M) for extra in EXTRA.values())
