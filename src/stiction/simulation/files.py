"""Scenes in TOML files: what a `Scene` and a call of `simulate` take, by the same names.

duration = 10.0
step = 1e-3
method = "semi_implicit"

[robot]
library = "two_link"        # or: urdf = "arm.urdf"
lengths = [0.35, 0.35]

[friction.shoulder]
law = "Stribeck"
level = 0.45
static = 0.5
velocity = 0.01

[torque]
shoulder = "0.336 + 0.144*sin(100*t)"
"""

import inspect
import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from stiction import friction as laws
from stiction.errors import StictionError, unknown
from stiction.friction.law import Law
from stiction.robot import library
from stiction.robot.robot import Robot
from stiction.simulation.formula import Formula
from stiction.simulation.scene import FrictionSite, Scene, SceneError
from stiction.simulation.simulate import simulate
from stiction.simulation.trajectory import Trajectory

LAWS: dict[str, type[Law]] = {law.__name__: law for law in (laws.Coulomb, laws.Stribeck, laws.Dahl, laws.LuGre, laws.ElastoPlastic)}
ROBOTS = {f.__name__: f for f in (library.pendulum, library.chain, library.two_link, library.rp_arm, library.puma560, library.manutec_r3)}
SETTINGS = ("duration", "step", "method", "record")
KEYS = (*SETTINGS, "gravity", "robot", "friction", "torque", "q", "v")


@dataclass(frozen=True)
class SceneFile:
    """A scene and how to simulate it, as read from a file.

    Attributes:
        scene: the scene.
        settings: duration, step, method and record, as `simulate` takes them.
    """

    scene: Scene
    settings: dict[str, Any]

    def run(self) -> Trajectory:
        """Simulate it."""
        return simulate(self.scene, **self.settings)


def read_scene(path: str | Path) -> SceneFile:
    """Read a scene file; errors name the file and the key."""
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SceneError(f"there is no file '{path}'") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f"cannot read '{path}': {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SceneError(f"{path}: {error}") from None
    try:
        return _scene(content, path.parent)
    except StictionError as error:
        raise SceneError(f"{path}: {error}") from None


def _scene(content: dict[str, Any], folder: Path) -> SceneFile:
    _only(content, KEYS, "the file")
    for needed in ("duration", "step", "robot"):
        if needed not in content:
            raise SceneError(f"'{needed}' is missing; a scene needs duration, step and robot")
    for key in ("duration", "step", "record"):
        if key in content and (isinstance(content[key], bool) or not isinstance(content[key], (int, float))):
            raise SceneError(f"{key} is {content[key]!r}; allowed: a time in seconds")
    friction = {name: _site(name, table) for name, table in _table(content, "friction").items()}
    torque = {name: Formula(x) if isinstance(x, str) else x for name, x in _table(content, "torque").items()}
    rest = {key: content[key] for key in ("gravity", "q", "v") if key in content}
    scene = Scene(robot=_robot(_table(content, "robot"), folder), friction=friction, torque=torque, **rest)
    return SceneFile(scene, {key: content[key] for key in SETTINGS if key in content})


def _table(content: dict[str, Any], key: str) -> dict[str, Any]:
    value = content.get(key, {})
    if not isinstance(value, dict):
        raise SceneError(f"{key} is {value!r}; allowed: a table, [{key}]")
    return value


def _only(table: dict[str, Any], allowed: Any, owner: str) -> None:
    for key in table:
        if key not in allowed:
            raise SceneError(unknown("key", key, owner, allowed).replace(" has: ", " takes: "))


def _robot(table: dict[str, Any], folder: Path) -> Robot:
    if ("library" in table) == ("urdf" in table):
        raise SceneError('robot: give either library = "NAME" or urdf = "FILE"')
    if "urdf" in table:
        _only(table, ("urdf", "base", "keep_fixed", "lumped"), "robot")
        return Robot.from_urdf(folder / str(table["urdf"]), **{key: x for key, x in table.items() if key != "urdf"})
    name = table["library"]
    if name not in ROBOTS:
        raise SceneError("robot.library: " + unknown("robot", name, "the library", ROBOTS))
    options = {key: x for key, x in table.items() if key != "library"}
    _only(options, inspect.signature(ROBOTS[name]).parameters, f"robot.library '{name}'")
    return ROBOTS[name](**options)


def _site(name: str, table: Any) -> Law | FrictionSite:
    where = f"friction.{name}"
    if not isinstance(table, dict) or "law" not in table:
        raise SceneError(f"{where}: it lacks 'law'; allowed: {', '.join(LAWS)}")
    if table["law"] not in LAWS:
        raise SceneError(f"{where}.law: " + unknown("law", table["law"], "stiction", LAWS))
    kind = LAWS[table["law"]]
    numbers = {key: x for key, x in table.items() if key not in ("law", "joints")}
    _only(numbers, [f.name for f in fields(kind)], f"{where} ({table['law']})")
    for f in fields(kind):
        if f.default is MISSING and f.name not in numbers:
            raise SceneError(f"{where}: {table['law']} needs '{f.name}'")
    try:
        law = kind(**numbers)
    except StictionError as error:
        raise SceneError(f"{where}: {error}") from None
    return FrictionSite(law=law, joints=table["joints"]) if "joints" in table else law
