"""Constraints: loops that are closed, wheels that roll, tools on surfaces, joints that follow others."""

from stiction.constraint.constraint import CONSTRAINTS, Constraint, ConstraintError
from stiction.constraint.equations import Follow, Holonomic, Pfaffian
from stiction.constraint.frames import FrameConstraint
from stiction.constraint.pin import Pin, Weld
from stiction.constraint.rolling import Rolling
from stiction.constraint.surface import OnSurface

__all__ = [
    "CONSTRAINTS",
    "Constraint",
    "ConstraintError",
    "Follow",
    "FrameConstraint",
    "Holonomic",
    "OnSurface",
    "Pfaffian",
    "Pin",
    "Rolling",
    "Weld",
]
