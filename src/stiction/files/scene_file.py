"""Scenes in TOML files: what a `Scene` and a call of `simulate` take, by the same names.

duration = 10.0
step = 1e-3
method = "moreau"            # or: { name = "rosenbrock", tolerance = 1e-8 }

[robot]
library = "two_link"        # or: urdf = "arm.urdf"; or name, links and joints
lengths = [0.35, 0.35]

[friction.shoulder]
law = "Stribeck"
level = 0.45
static = 0.5
velocity = 0.01

[torque]
shoulder = "0.336 + 0.144*sin(100*t)"
elbow = { time = [0.0, 1.0], value = [0.0, 0.3] }
"""

import inspect
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from stiction.constraint import Constraint
from stiction.contact import Contacts
from stiction.control import REFERENCES, Reference, Sensor
from stiction.drive import Drive
from stiction.errors import StictionError, unknown
from stiction.extras import needed
from stiction.files.plain import read, refused, write
from stiction.friction.law import Law
from stiction.library import ARMS, ROBOTS, Arm
from stiction.methods import NAMED, Method, Perturbation, as_method, method_named
from stiction.network.wires import Term, Wire
from stiction.parts import Digital, Part, Table
from stiction.robot.robot import Robot
from stiction.scene import Formula, FrictionSite, Scene, SceneError
from stiction.trace.device import TYPES

MACHINES = ROBOTS | ARMS
URDF = ("urdf", "base", "keep_fixed", "lumped")
SETTINGS = ("duration", "step", "method", "record", "signals", "energy", "seed", "start", "dtype")
TABLES = (
    "robot",
    "robots",
    "friction",
    "drives",
    "control",
    "reference",
    "sensors",
    "torque",
    "motion",
    "parts",
    "contacts",
    "constraints",
    "near",
)
KEYS = (*SETTINGS, "limits", "gravity", *TABLES, "wires", "q", "v")


@dataclass(frozen=True)
class SceneFile:
    """A scene and how to simulate it, as read from a file.

    Attributes:
        scene: the scene.
        settings: duration, step, method, record, signals, energy, seed, start and dtype, as `simulate` takes them.
        path: of the file.

    Example:
        >>> import pathlib, stiction, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "scene.toml"
        >>> stiction.write_scene(path, stiction.Scene(robot=stiction.library.pendulum(1)), duration=1.0, step=1e-3)
        >>> run = stiction.run_file(stiction.read_scene(path))
        >>> len(run.time)
        1001
    """

    scene: Scene
    settings: dict[str, Any]
    path: str = ""


def read_scene(path: str | Path) -> SceneFile:
    """Read a scene file; errors name the file and the place in it.

    Example:
        >>> import stiction, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "scene.toml"
        >>> friction = {"joint1": stiction.Coulomb(level=1.0)}
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction, q={"joint1": 0.05})
        >>> stiction.write_scene(path, scene, duration=1.0, step=1e-3)
        >>> stiction.read_scene(path).scene == scene
        True
    """
    if not isinstance(path, (str, Path)):
        raise SceneError(f"the path of a scene file is {path!r}; allowed: a text or a Path")
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SceneError(f"there is no file '{path}'") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f"cannot read '{path}': {error}") from None
    try:
        return replace(scene_from(_content(text), path.parent), path=str(path))
    except (tomllib.TOMLDecodeError, StictionError) as error:
        raise SceneError(f"{path}: {error}") from None


def _content(text: str) -> dict[str, Any]:
    """What a text in TOML says."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SceneError("its lists and tables are nested too deep; a scene needs a few levels") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # whole numbers of thousands of digits
        raise SceneError(f"a number in it cannot be read: {error}") from None


def write_scene(path: str | Path, scene: Scene, **settings: Any) -> None:
    """Write a scene file that `read_scene` reads back as the same scene; `settings` are those of `simulate`.

    Example:
        >>> import pathlib, stiction, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "scene.toml"
        >>> stiction.write_scene(path, stiction.Scene(robot=stiction.library.pendulum(1)), duration=1.0, step=1e-3)
        >>> stiction.read_scene(path).settings["step"]
        0.001
    """
    path = Path(path)
    try:
        path.write_text(scene_text(scene, settings), encoding="utf-8")
    except OSError as error:
        raise SceneError(f"cannot write '{path}': {error}") from None


def scene_text(scene: Scene, settings: Mapping[str, Any], traced: bool = False) -> str:
    """A scene as the text of a file; `traced` writes Python functions as their readable traces, which cannot be read
    back.
    """
    for key in settings:
        if key not in SETTINGS:
            raise SceneError(unknown("setting", key, "a scene file", SETTINGS))
    for what in ("duration", "step"):
        if settings.get(what) is None:
            raise SceneError(f"'{what}' is missing; a scene file needs duration and step")
    if not isinstance(scene, Scene):
        raise SceneError(f"a file holds a Scene; got {type(scene).__name__}")
    content: dict[str, Any] = {}
    for key, x in settings.items():
        if key == "method":
            content[key] = _written_method(x)
        elif x is not None:
            content[key] = setting(key, x.item() if isinstance(x, np.generic) else x)
    if scene.limits != "act":
        content["limits"] = scene.limits
    content["gravity"] = list(scene.gravity)
    if scene.robot is not None:
        content["robot"] = write(scene.robot, "robot", traced)
    for key in ("robots", "parts", "drives", "control", "reference", "sensors", "torque", "motion", "constraints"):
        if getattr(scene, key):
            content[key] = write(getattr(scene, key), key, traced)
    if scene.contacts is not None:
        content["contacts"] = write(scene.contacts, "contacts", traced)
    if scene.friction:
        content["friction"] = {name: _written(name, site, traced) for name, site in scene.friction.items()}
    if scene.wires:
        content["wires"] = [write(wire, "wires", traced) for wire in scene.wires]
    for key, names in (("q", scene.position_names), ("v", scene.joints)):
        given = scene.given_coordinates[key] if scene.all_constraints else None  # the others follow
        content[key] = {
            name: x for name, x in zip(names, getattr(scene, key), strict=True) if given is None or name in given
        }
    content["near"] = dict(scene.near)
    kept = {key: x for key, x in content.items() if x != {} or key == "contacts"}
    return needed("tomli_w", "scene files").dumps(kept)


def _written_method(given: Any) -> Any:
    """A method by its name, or as a table with its options."""
    method = as_method(given)
    if NAMED.get(method.name) is not type(method):
        raise SceneError(f"method is a {type(method).__name__} of your own, which a file cannot hold")
    if isinstance(method, Perturbation) and method.nominal is not None:
        raise SceneError("method has a nominal motion, which a scene file cannot hold; save it, and give its file")
    usual = NAMED[method.name]()
    options = {
        f.name: getattr(method, f.name) for f in fields(method) if getattr(method, f.name) != getattr(usual, f.name)
    }
    if "inner" in options:
        options["inner"] = _written_method(options["inner"])
    return {"name": method.name, **options} if options else method.name


def _method(value: Any) -> Method:
    """A method from its name, or from a table with name and options."""
    if not isinstance(value, (str, dict)) or (isinstance(value, dict) and "name" not in value):
        raise SceneError(f"method is {value!r}; allowed: a name, or a table with a name and options")
    options = {key: x for key, x in value.items() if key != "name"} if isinstance(value, dict) else {}
    if "inner" in options:
        options["inner"] = _method(options["inner"])
    return method_named(value["name"] if isinstance(value, dict) else value, **options)


def _written(name: str, site: Law | FrictionSite | None, traced: bool) -> dict[str, Any]:
    if site is None:
        return {"law": "none"}
    if isinstance(site, FrictionSite):
        found = write(site.law, f"friction.{name}", traced) | {"joints": dict(site.joints)}
        if site.load is not None:
            found["load"] = write(site.load, f"friction.{name}.load", traced)
        return found | ({"load_from": site.load_from} if site.load_from is not None else {})
    return write(site, f"friction.{name}", traced)


def scene_from(content: dict[str, Any], folder: Path) -> SceneFile:
    """A scene from plain data; files that it names lie in the folder."""
    _only(content, KEYS, "the file")
    for what in ("duration", "step"):
        if what not in content:
            raise SceneError(f"'{what}' is missing; a scene file needs duration, step, and a robot, robots or parts")
    for key in TABLES:
        if not isinstance(content.get(key, {}), dict):
            raise refused(key, f"it is {content[key]!r}; allowed: a table, [{key}]")
    settings = {key: setting(key, content[key]) for key in SETTINGS if key in content}
    rest: dict[str, Any] = {key: content[key] for key in ("limits", "gravity", "q", "v") if key in content}
    arm: Arm | None = None
    if "robot" in content:
        found = _robot(content["robot"], "robot", folder)
        arm = found if isinstance(found, Arm) else None
        rest["robot"] = found.robot if isinstance(found, Arm) else found
    rest["robots"] = {name: _one_of(name, table, folder) for name, table in content.get("robots", {}).items()}
    rest["parts"] = {name: read(Part, table, f"parts.{name}") for name, table in content.get("parts", {}).items()}
    if not isinstance(content.get("wires", []), list):
        raise refused("wires", f"it is {content['wires']!r}; allowed: tables, [[wires]]")
    rest["wires"] = [_wire(table, f"wires[{k}]") for k, table in enumerate(content.get("wires", []))]
    rest["friction"] = {name: _site(name, table) for name, table in content.get("friction", {}).items()}
    rest["drives"] = {name: read(Drive, table, f"drives.{name}") for name, table in content.get("drives", {}).items()}
    for name, drive in _beside(content, rest, folder).items():
        if name in rest["drives"]:
            raise refused(f"drives.{name}", "this joint has a drive in the file beside its URDF, too; give one of them")
        rest["drives"][name] = drive
    rest["control"] = {
        name: read(Digital, table, f"control.{name}") for name, table in content.get("control", {}).items()
    }
    rest["reference"] = {name: _reference(name, x) for name, x in content.get("reference", {}).items()}
    rest["sensors"] = {name: _sensors(name, x) for name, x in content.get("sensors", {}).items()}
    rest["constraints"] = {
        name: read(Constraint, table, f"constraints.{name}") for name, table in content.get("constraints", {}).items()
    }
    if "near" in content:
        rest["near"] = content["near"]
    if "contacts" in content:
        rest["contacts"] = read(Contacts, content["contacts"], "contacts")
    for key in ("torque", "motion"):
        rest[key] = {name: _of_time(f"{key}.{name}", x) for name, x in content.get(key, {}).items()}
    method = settings.get("method")
    if isinstance(method, Perturbation) and method.file is not None:
        settings["method"] = replace(method, file=str(folder / method.file))
    if arm is not None and rest["robots"]:
        raise refused("robots", "there is a [robot], too; give either robot or robots")
    if arm is not None:
        return SceneFile(arm.scene(**{key: x for key, x in rest.items() if key not in ("robot", "robots")}), settings)
    return SceneFile(Scene(**rest), settings)


def _one_of(name: str, table: Any, folder: Path) -> Robot:
    """One of several robots."""
    found = _robot(table, f"robots.{name}", folder)
    if isinstance(found, Arm):
        raise refused(
            f"robots.{name}", f"library '{table['library']}' is an arm with drives; it stands alone, as [robot]"
        )
    return found


def _reference(name: str, given: Any) -> Any:
    """A motion, or a target in time."""
    tagged = isinstance(given, dict) and REFERENCES.key in given
    return read(Reference, given, f"reference.{name}") if tagged else _of_time(f"reference.{name}", given)


def _sensors(name: str, given: Any) -> list[Sensor]:
    """The sensors of a joint."""
    if not isinstance(given, list):
        raise refused(f"sensors.{name}", f"it is {given!r}; allowed: a list of tables, [[sensors.{name}]]")
    return [read(Sensor, table, f"sensors.{name}[{k}]") for k, table in enumerate(given)]


def read_drives(path: str | Path) -> dict[str, Drive]:
    """Read a file of drives, `arm.drives.toml`: one table for each joint, with motor, gear, frictions and command.

    Example:
        >>> import stiction, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "arm.drives.toml"
        >>> motor = 'motor = { kind = "DCMotor", resistance = 2.0, constant = 0.05 }'
        >>> _ = path.write_text(f"joint1 = {{ gear = {{ ratio = 100 }}, {motor} }}")
        >>> stiction.read_drives(path)["joint1"].gear.ratio
        100.0
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: read(Drive, table, name) for name, table in content.items()}
    except FileNotFoundError:
        raise SceneError(f"there is no file '{path}'") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, StictionError) as error:
        raise SceneError(f"{path}: {error}") from None


def _beside(content: dict[str, Any], rest: dict[str, Any], folder: Path) -> dict[str, Drive]:
    """The drives in files beside URDFs, `arm.drives.toml` for `arm.urdf`, by the names of joints in the scene."""
    tables = {"": content.get("robot", {})} | {f"{name}.": table for name, table in content.get("robots", {}).items()}
    found = {}
    for prefix, table in tables.items():
        path = (folder / table["urdf"]).with_suffix(".drives.toml") if isinstance(table.get("urdf"), str) else None
        if path is None or not path.is_file():
            continue
        robot = rest["robot"] if not prefix else rest["robots"][prefix[:-1]]
        for joint, drive in read_drives(path).items():
            if joint not in robot.velocity_names:
                raise SceneError(f"{path}: " + unknown("joint", joint, f"robot '{robot.name}'", robot.velocity_names))
            found[f"{prefix}{joint}"] = drive
    return found


def _only(table: dict[str, Any], allowed: Any, owner: str) -> None:
    for key in table:
        if key not in allowed:
            raise SceneError(unknown("key", key, owner, allowed, "takes"))


def setting(key: str, value: Any) -> Any:
    """The value of a setting, if it is one that `simulate` could take.

    Example:
        >>> from stiction.files.scene_file import setting
        >>> setting("method", "rk4")
        RK4()
    """
    time = isinstance(value, (int, float)) and not isinstance(value, bool)
    if key in ("duration", "step", "record") and not (time and 0 < value < 1e9):
        raise SceneError(f"{key} is {value!r}; allowed: a time in seconds, above 0")
    if key == "method":
        return _method(value)
    if key == "signals" and isinstance(value, (str, tuple)):
        value = [value] if isinstance(value, str) else list(value)
    if key == "signals" and not (isinstance(value, list) and all(isinstance(x, str) for x in value)):
        raise SceneError(f"signals is {value!r}; allowed: a list of names, or of beginnings of names")
    if key == "dtype" and value not in TYPES:
        raise SceneError(f"dtype is {value!r}; allowed: 'float64', 'float32'")
    if key == "seed" and not (type(value) is int and 0 <= value < 2**32):
        raise SceneError(f"seed is {value!r}; allowed: a whole number from 0 to 4294967295")
    if key == "start" and value != "held":
        raise SceneError(f"start is {value!r}; allowed: 'held', at rest by the drives")
    if key == "energy" and not isinstance(value, bool):
        raise SceneError(f"energy is {value!r}; allowed: true, false")
    return value


def _robot(table: Any, where: str, folder: Path) -> Robot | Arm:
    if not isinstance(table, dict):
        raise refused(where, f"it is {table!r}; allowed: a table")
    ways = [way for way in ("library", "urdf", "name") if way in table]
    if len(ways) != 1:
        raise refused(where, 'give one of library = "NAME", urdf = "FILE", or name with links and joints')
    if ways == ["name"]:
        return read(Robot, table, where)
    options = {key: x for key, x in table.items() if key not in ("urdf", "library")}
    if ways == ["urdf"]:
        _only(table, URDF, where)
        return Robot.from_urdf(folder / str(table["urdf"]), **options)
    name = table["library"]
    if not isinstance(name, str) or name not in MACHINES:
        raise refused(f"{where}.library", unknown("robot", name, "the library", MACHINES))
    _only(options, inspect.signature(MACHINES[name]).parameters, f"{where}.library '{name}'")
    try:
        return MACHINES[name](**options)
    except TypeError:
        needs = [key for key, p in inspect.signature(MACHINES[name]).parameters.items() if p.default is p.empty]
        raise refused(
            where,
            f"library '{name}' was given {options}; it needs {', '.join(needs) or 'nothing'}, lists "
            "where there are several numbers",
        ) from None


def _site(name: str, table: Any) -> Law | FrictionSite | None:
    where = f"friction.{name}"
    if isinstance(table, dict) and table.get("law") == "none":
        _only(table, ("law",), f"{where} (law 'none')")
        return None
    own = ("joints", "load", "load_from")
    law = read(Law, {key: x for key, x in table.items() if key not in own} if isinstance(table, dict) else table, where)
    given = {key: table[key] for key in own if key in table}
    if not given:
        return law
    if "load" in given:
        given["load"] = _of_time(f"{where}.load", given["load"])
    try:
        return FrictionSite(law=law, **{"joints": {name: 1}} | given)
    except StictionError as error:
        raise refused(where, error) from None


def _of_time(where: str, value: Any) -> Any:
    """A number, a formula of the time, or a table."""
    try:
        return (
            Formula(value)
            if isinstance(value, str)
            else read(Table, value, where)
            if isinstance(value, dict)
            else value
        )
    except StictionError as error:
        raise (error if str(error).startswith(where) else refused(where, error)) from None


def _wire(table: Any, where: str) -> Wire:
    if not isinstance(table, dict):
        raise refused(where, f"it is {table!r}; allowed: a table with target and terms")
    _only(table, ("target", "terms", "shift"), where)
    if not isinstance(table.get("target"), str) or not isinstance(table.get("terms"), list):
        raise refused(where, "a wire needs target = 'part.port' and terms = ['part.port', ...]")
    terms = [x if isinstance(x, str) else read(Term, x, f"{where}.terms[{k}]") for k, x in enumerate(table["terms"])]
    return Wire(table["target"], terms, table.get("shift", ()))
