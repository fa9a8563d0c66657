"""Reading URDF, with what other readers drop: friction, damping, rotors, ratios and transmissions."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import RobotError, unknown
from stiction.fields import LARGEST
from stiction.robot.joint import Joint, Limits, Mimic
from stiction.robot.link import Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
GEARING = {
    "mechanicalReduction": "gear_ratio",
    "gear_ratio": "gear_ratio",
    "motorInertia": "rotor_inertia",
    "rotor_inertia": "rotor_inertia",
}
OTHERS = {
    "sdf": "an SDF file",
    "mujoco": "an MJCF file",
    "COLLADA": "a COLLADA mesh",
    "html": "a web page",
    "svg": "a drawing",
}


def read_urdf(source: str | Path, *, base: str = "fixed", keep_fixed: bool = True, lumped: bool = False) -> Robot:
    """A robot from a URDF file or text; see `Robot.from_urdf`."""
    if base not in ("fixed", "floating"):
        raise RobotError(f"base is {base!r}; allowed: 'fixed', 'floating'")
    text, where = _text(source)
    root = _parse(text, where)
    name = root.get("name") or Path(where).stem
    carried = {child.get("link") for child in root.findall("joint/child")}
    links = [
        _link(e, where, lumped or (base == "fixed" and e.get("name") not in carried)) for e in root.findall("link")
    ]  # a root's inertia plays no part
    joints = [_joint(element, where) for element in root.findall("joint")]
    joints = _with_transmissions(root, joints, where)
    if base == "floating":
        links, joints = _floating(links, joints)
    try:
        robot = Robot(name=name, links=tuple(links), joints=tuple(joints))
    except RobotError as error:
        raise RobotError(f"{where}: {error}") from None
    return robot if keep_fixed else robot.merged()


def _text(source: str | Path) -> tuple[str | bytes, str]:
    """The content, and how to call it in errors."""
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return source, "URDF text"
    if not isinstance(source, (str, Path)):
        raise RobotError(f"a URDF is read from a path or a text; got {type(source).__name__}")
    path = Path(source)
    if path.suffix == ".xacro":
        raise RobotError(f"{path} is a xacro macro file; expand it first: xacro {path.name} > {path.stem}")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise RobotError(
            f"there is no file '{path}'; give the path of a URDF file, or URDF text that begins with '<'"
        ) from None
    except (OSError, ValueError) as error:
        raise RobotError(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from None
    if b"\0" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RobotError(f"{path} is no text file; allowed: URDF, which is XML")
    return content, str(path)


def _parse(text: str | bytes, where: str) -> ET.Element:
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        line, column = error.position
        hint = (
            '; declare the prefix in <robot>, as in xmlns:drake="http://drake.mit.edu"'
            if "unbound prefix" in str(error)
            else ""
        )
        raise RobotError(
            f"{where}, line {line}, column {column + 1}: malformed XML ({str(error).split(':')[0]}){hint}"
        ) from None
    except (ValueError, LookupError) as error:
        raise RobotError(f"{where}: malformed XML ({error})") from None
    tag = _local(root.tag)
    if tag != "robot":
        raise RobotError(
            f"{where} is {OTHERS.get(tag, f'XML of another kind, with root <{tag}>')}; allowed: URDF, with root <robot>"
        )
    for element in root.iter():
        if "xacro" in element.tag or any("${" in value or "$(" in value for value in element.attrib.values()):
            raise RobotError(
                f"{where} holds xacro macros (<{_local(element.tag)}>); expand them first: xacro in.urdf.xacro > out.urdf"
            )
    return root


def _local(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rsplit("}", 1)[-1].rsplit(":", 1)[-1]


def _required(element: ET.Element, attribute: str, owner: str) -> str:
    value = element.get(attribute)
    if not value:
        raise RobotError(f"{owner}: <{_local(element.tag)}> lacks the attribute '{attribute}'")
    return value


def _number(element: ET.Element | None, attribute: str, owner: str, default: float) -> float:
    word = element.get(attribute) if element is not None else None
    if word is None:
        return default
    try:
        value = float(word)
    except ValueError:
        raise RobotError(f"{owner}: {attribute} is '{word}'; allowed: a number") from None
    if math.isnan(value):
        raise RobotError(f"{owner}: {attribute} is '{word}'; allowed: a number")
    return value


def _vector(
    element: ET.Element | None, attribute: str, owner: str, default: tuple[float, float, float]
) -> tuple[float, float, float]:
    word = element.get(attribute) if element is not None else None
    if word is None:
        return default
    try:
        x, y, z = (float(part) for part in word.split())
    except ValueError:
        raise RobotError(f"{owner}: {attribute} is '{word}'; allowed: three numbers") from None
    return x, y, z


def _origin(element: ET.Element, owner: str) -> Origin:
    origin = element.find("origin")
    try:
        return Origin(xyz=_vector(origin, "xyz", owner, (0, 0, 0)), rpy=_vector(origin, "rpy", owner, (0, 0, 0)))
    except RobotError as error:
        raise RobotError(f"{owner}: {error}") from None


def _link(element: ET.Element, where: str, lumped: bool) -> Link:
    owner = f"{where}, link '{_required(element, 'name', f'{where}, a link')}'"
    inertial = element.find("inertial")
    if inertial is None:
        return Link(name=element.get("name", ""), lumped=lumped)
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass is None or tensor is None:
        raise RobotError(
            f"{owner}: <inertial> lacks <{'mass' if mass is None else 'inertia'}>; give both or leave <inertial> out"
        )
    _required(mass, "value", owner)
    I = {name: _number(tensor, f"i{name}", owner, 0.0) for name in ("xx", "xy", "xz", "yy", "yz", "zz")}
    matrix = np.array([[I["xx"], I["xy"], I["xz"]], [I["xy"], I["yy"], I["yz"]], [I["xz"], I["yz"], I["zz"]]])
    origin = _origin(inertial, owner)
    if not (abs(matrix) < LARGEST).all():  # before it is turned: huge numbers would overflow there
        raise RobotError(
            f"{owner}: <inertia> holds a value that is not finite or too large; allowed: finite numbers below {LARGEST:g} in size"
        )
    turned = origin.rotation @ matrix @ origin.rotation.T
    try:
        return Link(
            name=element.get("name", ""),
            mass=_number(mass, "value", owner, 0.0),
            center_of_mass=origin.xyz,
            inertia=_symmetric(turned),
            lumped=lumped,
        )
    except RobotError as error:
        raise error if str(error).startswith(where) else RobotError(f"{where}, {error}") from None


def _symmetric(matrix: np.ndarray) -> tuple:
    return tuple(map(tuple, ((matrix + matrix.T) / 2).tolist()))


def _joint(element: ET.Element, where: str) -> Joint:
    name = _required(element, "name", f"{where}, a joint")
    owner = f"{where}, joint '{name}'"
    kind = _required(element, "type", owner)
    if kind not in TYPES:
        raise RobotError(f"{owner}: type is '{kind}'; allowed: {', '.join(TYPES)}")
    ends = {}
    for role in ("parent", "child"):
        end = element.find(role)
        if end is None:
            raise RobotError(f'{owner}: it lacks <{role} link="..."/>')
        ends[role] = _required(end, "link", owner)
    dynamics, mimic = element.find("dynamics"), element.find("mimic")
    rotor, ratio = (next((e for e in element if _local(e.tag) == tag), None) for tag in ("rotor_inertia", "gear_ratio"))
    try:
        return Joint(
            name=name,
            kind=kind,
            parent=ends["parent"],
            child=ends["child"],
            origin=_origin(element, owner),
            axis=_vector(element.find("axis"), "xyz", owner, (1.0, 0.0, 0.0)),
            limits=_limits(element, kind, owner),
            damping=_number(dynamics, "damping", owner, 0.0),
            friction=_number(dynamics, "friction", owner, 0.0),
            rotor_inertia=_number(rotor, "value", owner, 0.0),
            gear_ratio=_number(ratio, "value", owner, 1.0),
            mimic=_mimic(mimic, owner),
        )
    except RobotError as error:
        raise error if str(error).startswith(where) else RobotError(f"{where}, {error}") from None


def _limits(element: ET.Element, kind: str, owner: str) -> Limits | None:
    limit = element.find("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            raise RobotError(
                f"{owner}: a {kind} joint needs <limit lower upper effort velocity>; add it, or use type 'continuous' for free rotation"
            )
        return None
    endless = kind == "continuous"
    try:
        return Limits(
            lower=-math.inf if endless else _number(limit, "lower", owner, 0.0),
            upper=math.inf if endless else _number(limit, "upper", owner, 0.0),
            velocity=_number(limit, "velocity", owner, math.inf),
            effort=_number(limit, "effort", owner, math.inf),
        )
    except RobotError as error:
        raise error if str(error).startswith(owner) else RobotError(f"{owner}: {error}") from None


def _mimic(element: ET.Element | None, owner: str) -> Mimic | None:
    if element is None:
        return None
    followed = _required(element, "joint", owner)
    return Mimic(
        joint=followed,
        multiplier=_number(element, "multiplier", owner, 1.0),
        offset=_number(element, "offset", owner, 0.0),
    )


def _with_transmissions(root: ET.Element, joints: list[Joint], where: str) -> list[Joint]:
    """Put what the transmissions say of reduction and rotor into their joints."""
    found = {joint.name: joint for joint in joints}
    for transmission in root.findall("transmission"):
        owner = f"{where}, transmission '{transmission.get('name', '')}'"
        ends, actuators = transmission.findall("joint"), transmission.findall("actuator")
        for k, end in enumerate(ends):
            name = _required(end, "name", owner)
            if name not in found:
                raise RobotError(f"{owner}: " + unknown("joint", name, "this robot", found))
            if len(ends) == 1:
                values = _gearing([transmission], owner)
            elif len(actuators) in (0, len(ends)):  # each joint with the actuator of the same place
                values = _gearing([end, *actuators[k : k + 1]], owner)
            else:
                raise RobotError(
                    f"{owner}: it has {len(ends)} joints and {len(actuators)} actuators; give one actuator per joint"
                )
            try:
                found[name] = replace(found[name], **values)
            except RobotError as error:
                raise RobotError(f"{owner}: {error}") from None
    return list(found.values()) if len(found) == len(joints) else joints


def _gearing(elements: list[ET.Element], owner: str) -> dict[str, Any]:
    """Reduction and rotor inertia that stand somewhere in these elements."""
    values = {}
    for element in elements:
        for part in element.iter():
            if _local(part.tag) in GEARING:
                values[GEARING[_local(part.tag)]] = _content(part, owner)
    return values


def _content(element: ET.Element, owner: str) -> float:
    word = element.get("value") or (element.text or "").strip()
    try:
        return float(word)
    except ValueError:
        raise RobotError(f"{owner}: {_local(element.tag)} is '{word}'; allowed: a number") from None


def _floating(links: list[Link], joints: list[Joint]) -> tuple[list[Link], list[Joint]]:
    """The same links and joints, with a floating joint between a new root 'world' and the old one."""
    children = {joint.child for joint in joints}
    root = next((link.name for link in links if link.name not in children), "")
    names = {link.name for link in links} | {joint.name for joint in joints}
    world, joint = (
        next(
            name for name in itertools.chain([plain], (f"{plain}{k}" for k in itertools.count(1))) if name not in names
        )
        for plain in ("world", "root")
    )
    return [Link(name=world), *links], [Joint(name=joint, kind="floating", parent=world, child=root), *joints]
