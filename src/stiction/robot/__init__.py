"""What a robot is: links, joints, solids, frames; and what can be computed from them."""

from stiction.robot.joint import Joint, Limits, Mimic
from stiction.robot.link import Frame, Link
from stiction.robot.mesh import Mesh
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.robot.shape import HalfSpace, Points, Shape
from stiction.robot.solid import Box, Capsule, Cylinder, PointMass, Polyhedron, Solid, Sphere

__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Frame",
    "HalfSpace",
    "Joint",
    "Limits",
    "Link",
    "Mesh",
    "Mimic",
    "Origin",
    "PointMass",
    "Points",
    "Polyhedron",
    "Robot",
    "Shape",
    "Solid",
    "Sphere",
]
