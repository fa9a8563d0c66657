"""The alphabet of mechanics: vectors, rotations, poses, twists, wrenches and inertias made of scalars."""

from stiction.spatial.inertia import (
    NO_INERTIA,
    ArticulatedInertia,
    BodyCoriolis,
    Inertia,
    SpatialCompliance,
    about_center,
    parallel_axis,
)
from stiction.spatial.motion import AT_REST, NO_WRENCH, Pose, Twist, Wrench
from stiction.spatial.rotation import Angle, about, from_quaternion, from_rpy, quaternion_rate, to_quaternion, turned
from stiction.spatial.vector import IDENTITY, ZERO, Matrix, Vector, diagonal, outer, skew

__all__ = [
    "AT_REST",
    "IDENTITY",
    "NO_INERTIA",
    "NO_WRENCH",
    "ZERO",
    "Angle",
    "ArticulatedInertia",
    "BodyCoriolis",
    "Inertia",
    "Matrix",
    "Pose",
    "SpatialCompliance",
    "Twist",
    "Vector",
    "Wrench",
    "about",
    "about_center",
    "diagonal",
    "from_quaternion",
    "from_rpy",
    "outer",
    "parallel_axis",
    "quaternion_rate",
    "skew",
    "to_quaternion",
    "turned",
]
