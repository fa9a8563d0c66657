"""What a robot is: links, joints, solids, frames; and what can be computed from them."""

from stiction.robot.ellipsoid import Ellipsoid
from stiction.robot.joint import Joint, Limits, Mimic
from stiction.robot.link import Frame, Link
from stiction.robot.mass_properties import MassProperties, ad, adjoint
from stiction.robot.mesh import Mesh
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.robot.shape import HalfSpace, Points, Shape
from stiction.robot.solid import Box, Capsule, Cylinder, PointMass, Polyhedron, Solid, Sphere
from stiction.robot.symbolic import lagrange_equations

__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Frame",
    "HalfSpace",
    "Joint",
    "Limits",
    "Link",
    "MassProperties",
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
    "ad",
    "adjoint",
    "lagrange_equations",
]
