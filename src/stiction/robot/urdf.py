"""Reading URDF, with what other readers drop: friction, damping, rotors, ratios and transmissions."""

import itertools
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stiction.errors import RobotError, unknown
from stiction.fields import LARGEST
from stiction.robot.joint import Joint, Limits, Mimic
from stiction.robot.link import Link
from stiction.robot.urdf_elements import float_of, local, number_of, origin_of, required, vector_of, within
from stiction.robot.urdf_shapes import read_shapes

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
GEARING = {  # tag -> field of the joint
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


class Urdf(NamedTuple):
    """What a URDF says of a robot, and how errors call the file."""

    where: str
    name: str
    links: Sequence[Link]
    joints: Sequence[Joint]


def read_urdf(source: str | Path, *, base: str = "fixed", lumped: bool = False) -> Urdf:
    """The links and joints of a URDF file or text; see `Robot.from_urdf`."""
    if base not in ("fixed", "floating"):
        raise RobotError(f"base is {base!r}; allowed: 'fixed', 'floating'")
    text, where = _text(source)
    root = _parse(text, where)
    carried = {child.get("link") for child in root.findall("joint/child")}
    links = []
    for element in root.findall("link"):
        rests = base == "fixed" and element.get("name") not in carried  # the inertia of a root plays no part
        links.append(_link(element, where, lumped or rests))
    joints = _with_transmissions(root, [_joint(element, where) for element in root.findall("joint")], where)
    if base == "floating":
        links, joints = _floating(links, joints)
    return Urdf(where, root.get("name") or Path(where).stem, links, joints)


# From a file to its elements.


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
        fix = "give the path of a URDF file, or URDF text that begins with '<'"
        raise RobotError(f"there is no file '{path}'; {fix}") from None
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
        unbound = "unbound prefix" in str(error)
        hint = '; declare the prefix in <robot>, as in xmlns:drake="http://drake.mit.edu"' if unbound else ""
        what = str(error).split(":")[0]
        raise RobotError(f"{where}, line {line}, column {column + 1}: malformed XML ({what}){hint}") from None
    except (ValueError, LookupError) as error:
        raise RobotError(f"{where}: malformed XML ({error})") from None
    tag = local(root.tag)
    if tag != "robot":
        kind = OTHERS.get(tag, f"XML of another kind, with root <{tag}>")
        raise RobotError(f"{where} is {kind}; allowed: URDF, with root <robot>")
    for element in root.iter():
        if "xacro" in element.tag or any("${" in value or "$(" in value for value in element.attrib.values()):
            fix = "expand them first: xacro in.urdf.xacro > out.urdf"
            raise RobotError(f"{where} holds xacro macros (<{local(element.tag)}>); {fix}")
    return root


# Links and joints.


def _link(element: ET.Element, where: str, lumped: bool) -> Link:
    name = required(element, "name", f"{where}, a link")
    owner = f"{where}, link '{name}'"
    inertial = element.find("inertial")
    with within(where, ", "):
        shapes = read_shapes(element, where, owner)
        if inertial is None:
            return Link(name=name, lumped=lumped, shapes=shapes)
        mass, tensor = inertial.find("mass"), inertial.find("inertia")
        if mass is None or tensor is None:
            missing = "mass" if mass is None else "inertia"
            raise RobotError(f"{owner}: <inertial> lacks <{missing}>; give both or leave <inertial> out")
        value = float_of(required(mass, "value", owner), "value", owner)
        origin = origin_of(inertial, owner)
        inertia = _turned(_tensor(tensor, owner), origin.rotation)
        return Link(name=name, mass=value, center_of_mass=origin.xyz, inertia=inertia, lumped=lumped, shapes=shapes)


def _tensor(element: ET.Element, owner: str) -> np.ndarray:
    """The inertia about the axes of its own origin [kg m²], (3, 3)."""
    I = {name: number_of(element, f"i{name}", owner, 0.0) for name in ("xx", "xy", "xz", "yy", "yz", "zz")}
    tensor = np.array([[I["xx"], I["xy"], I["xz"]], [I["xy"], I["yy"], I["yz"]], [I["xz"], I["yz"], I["zz"]]])
    if not (abs(tensor) < LARGEST).all():  # before it is turned: huge numbers would overflow there
        raise RobotError(
            f"{owner}: <inertia> holds a value that is not finite or too large; "
            f"allowed: finite numbers below {LARGEST:g} in size"
        )
    return tensor


def _turned(tensor: np.ndarray, rotation: np.ndarray) -> list[list[float]]:
    """A tensor in other axes, symmetric to the last bit."""
    turned = rotation @ tensor @ rotation.T
    return ((turned + turned.T) / 2).tolist()


def _joint(element: ET.Element, where: str) -> Joint:
    name = required(element, "name", f"{where}, a joint")
    owner = f"{where}, joint '{name}'"
    kind = required(element, "type", owner)
    if kind not in TYPES:
        raise RobotError(f"{owner}: type is '{kind}'; allowed: {', '.join(TYPES)}")
    dynamics = element.find("dynamics")
    rotor, ratio = (next((e for e in element if local(e.tag) == tag), None) for tag in ("rotor_inertia", "gear_ratio"))
    with within(where, ", "):
        return Joint(
            name=name,
            kind=kind,
            parent=_end(element, "parent", owner),
            child=_end(element, "child", owner),
            origin=origin_of(element, owner),
            axis=vector_of(element.find("axis"), "xyz", owner, (1.0, 0.0, 0.0)),
            limits=_limits(element, kind, owner),
            damping=number_of(dynamics, "damping", owner, 0.0),
            friction=number_of(dynamics, "friction", owner, 0.0),
            rotor_inertia=number_of(rotor, "value", owner, 0.0),
            gear_ratio=number_of(ratio, "value", owner, 1.0),
            mimic=_mimic(element.find("mimic"), owner),
        )


def _end(element: ET.Element, role: str, owner: str) -> str:
    """The link at one end of a joint."""
    end = element.find(role)
    if end is None:
        raise RobotError(f'{owner}: it lacks <{role} link="..."/>')
    return required(end, "link", owner)


def _limits(element: ET.Element, kind: str, owner: str) -> Limits | None:
    limit = element.find("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            needed = f"a {kind} joint needs <limit lower upper effort velocity>"
            raise RobotError(f"{owner}: {needed}; add it, or use type 'continuous' for free rotation")
        return None
    endless = kind == "continuous"
    with within(owner):
        return Limits(
            lower=-math.inf if endless else number_of(limit, "lower", owner, 0.0),
            upper=math.inf if endless else number_of(limit, "upper", owner, 0.0),
            velocity=number_of(limit, "velocity", owner, math.inf),
            effort=number_of(limit, "effort", owner, math.inf),
        )


def _mimic(element: ET.Element | None, owner: str) -> Mimic | None:
    if element is None:
        return None
    with within(owner):
        return Mimic(
            joint=required(element, "joint", owner),
            multiplier=number_of(element, "multiplier", owner, 1.0),
            offset=number_of(element, "offset", owner, 0.0),
        )


def _with_transmissions(root: ET.Element, joints: list[Joint], where: str) -> list[Joint]:
    """Put what the transmissions say of reduction and rotor into their joints."""
    found = {joint.name: joint for joint in joints}
    for transmission in root.findall("transmission"):
        owner = f"{where}, transmission '{transmission.get('name', '')}'"
        ends, actuators = transmission.findall("joint"), transmission.findall("actuator")
        for k, end in enumerate(ends):
            name = required(end, "name", owner)
            if name not in found:
                raise RobotError(f"{owner}: " + unknown("joint", name, "this robot", found))
            if len(ends) == 1:
                gearing = _gearing([transmission], owner)
            elif len(actuators) in (0, len(ends)):  # each joint with the actuator of the same place
                gearing = _gearing([end, *actuators[k : k + 1]], owner)
            else:
                count = f"{len(ends)} joints and {len(actuators)} actuators"
                raise RobotError(f"{owner}: it has {count}; give one actuator per joint")
            with within(owner):
                found[name] = replace(found[name], **gearing)  # type: ignore[arg-type]
    return list(found.values()) if len(found) == len(joints) else joints


def _gearing(elements: list[ET.Element], owner: str) -> dict[str, float]:
    """Reduction and rotor inertia that stand somewhere in these elements, as fields of a joint."""
    gearing = {}
    for part in itertools.chain.from_iterable(element.iter() for element in elements):
        tag = local(part.tag)
        if tag in GEARING:
            gearing[GEARING[tag]] = float_of(part.get("value") or (part.text or "").strip(), tag, owner)
    return gearing


def _floating(links: list[Link], joints: list[Joint]) -> tuple[list[Link], list[Joint]]:
    """The same links and joints, with a floating joint between a new root 'world' and the old one."""
    children = {joint.child for joint in joints}
    root = next((link.name for link in links if link.name not in children), None)
    if root is None:  # no tree: the robot says why
        return links, joints
    names = {link.name for link in links} | {joint.name for joint in joints}
    world, joint = _unused("world", names), _unused("root", names)
    return [Link(name=world), *links], [Joint(name=joint, kind="floating", parent=world, child=root), *joints]


def _unused(name: str, names: set[str]) -> str:
    """A name that is none of these: the one proposed, or with the first number that makes it new."""
    proposals = itertools.chain([name], (f"{name}{k}" for k in itertools.count(1)))
    return next(proposal for proposal in proposals if proposal not in names)
