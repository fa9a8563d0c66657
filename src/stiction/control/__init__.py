"""What decides: controllers that tick on their own clocks."""

import sys

from stiction.control.callback import Callback
from stiction.control.pid import PID
from stiction.control.profile import PROFILES, Profile, SCurve, Trapezoid
from stiction.control.reference import REFERENCES, Chain, PointToPoint, Reference, Spline
from stiction.control.registry import CONTROLLERS
from stiction.control.tool_path import SEGMENTS, Arc, Line, PathError, ToolPath
from stiction.parts.kinds import Clock
from stiction.registry import open_room

open_room(sys.modules[__name__])

__all__ = [
    "CONTROLLERS",
    "PID",
    "PROFILES",
    "REFERENCES",
    "SEGMENTS",
    "Arc",
    "Callback",
    "Chain",
    "Clock",
    "Line",
    "PathError",
    "PointToPoint",
    "Profile",
    "Reference",
    "SCurve",
    "Spline",
    "ToolPath",
    "Trapezoid",
]
