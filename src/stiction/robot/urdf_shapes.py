"""Shapes of a URDF: what `<collision>` says."""

import xml.etree.ElementTree as ET
from pathlib import Path

from stiction.errors import RobotError
from stiction.robot.mesh import Mesh
from stiction.robot.origin import Origin
from stiction.robot.shape import Shape
from stiction.robot.solid import Box, Capsule, Cylinder, Sphere
from stiction.robot.urdf_elements import float_of, local, origin_of, required, vector_of


def read_shapes(link: ET.Element, where: str, owner: str) -> list[Shape]:
    """The shapes of a link; errors name the file, `where`, and the link."""
    found = []
    for element in link.findall("collision"):
        geometry = element.find("geometry")
        kinds = [] if geometry is None else list(geometry)
        if len(kinds) != 1:
            raise RobotError(f"{owner}: <collision> needs one shape in <geometry>; it has {len(kinds)}")
        found.append(_shape(kinds[0], origin_of(element, owner), where, owner))
    return found


def _shape(element: ET.Element, origin: Origin, where: str, owner: str) -> Shape:
    kind = local(element.tag)

    def length(name: str) -> float:
        return float_of(required(element, name, owner), name, owner)

    if kind == "box":
        return Box(size=vector_of(element, "size", owner), origin=origin)
    if kind == "sphere":
        return Sphere(radius=length("radius"), origin=origin)
    if kind == "cylinder":
        return Cylinder(radius=length("radius"), length=length("length"), origin=origin)
    if kind == "capsule":
        return Capsule(radius=length("radius"), length=length("length"), origin=origin)
    if kind == "mesh":
        name = required(element, "filename", owner)
        return Mesh(
            file=str(_file(name, where)), scale=vector_of(element, "scale", owner, (1.0, 1.0, 1.0)), origin=origin
        )
    raise RobotError(f"{owner}: <collision> has the shape <{kind}>; allowed: box, sphere, cylinder, capsule, mesh")


def _file(name: str, where: str) -> Path:
    """The file of a mesh: `package://` is looked for in the folders above the URDF."""
    plain = name.removeprefix("file://")
    folder = Path(where).parent
    if not plain.startswith("package://"):
        return Path(plain) if Path(plain).is_absolute() else folder / plain
    rest = Path(plain.removeprefix("package://"))
    inside = Path(*rest.parts[1:])
    for above in folder.resolve().parents:
        for path in (above / rest, above / inside):
            if path.is_file():
                return path
    return folder / inside
