"""What decides: controllers that tick on their own clocks."""

import sys

from stiction.control.callback import Callback
from stiction.control.cascade import Cascade
from stiction.control.loops import CurrentLoop, Loop, PositionLoop, VelocityLoop
from stiction.control.path_segments import SEGMENTS, Arc, Line, PathError, Segment
from stiction.control.pid import PID
from stiction.control.profile import PROFILES, Profile, SCurve, Trapezoid
from stiction.control.reference import REFERENCES, Chain, PointToPoint, Reference, Spline
from stiction.control.registry import CONTROLLERS
from stiction.control.sensor import SENSORS, CurrentSensor, Encoder, Sensor, Tachometer
from stiction.control.task_control import HybridControl, OperationalSpace
from stiction.control.tool_path import ToolPath
from stiction.control.whole_arm import (
    ArmController,
    CartesianImpedance,
    ComputedTorque,
    GravityCompensation,
    JointImpedance,
)
from stiction.parts.kinds import Clock
from stiction.registry import open_room

open_room(sys.modules[__name__])

__all__ = [
    "CONTROLLERS",
    "PID",
    "PROFILES",
    "REFERENCES",
    "SEGMENTS",
    "SENSORS",
    "Arc",
    "ArmController",
    "Callback",
    "CartesianImpedance",
    "Cascade",
    "Chain",
    "Clock",
    "ComputedTorque",
    "CurrentLoop",
    "CurrentSensor",
    "Encoder",
    "GravityCompensation",
    "HybridControl",
    "JointImpedance",
    "Line",
    "Loop",
    "OperationalSpace",
    "PathError",
    "PointToPoint",
    "PositionLoop",
    "Profile",
    "Reference",
    "SCurve",
    "Segment",
    "Sensor",
    "Spline",
    "Tachometer",
    "ToolPath",
    "Trapezoid",
    "VelocityLoop",
]
