"""What a scene is made of: bodies, springs, friction, ground, sources, and the kinds that own parts derive from."""

import sys

from stiction.parts.bodies import Fixed, FreeBody, Mass
from stiction.parts.end_stop import EndStop
from stiction.parts.friction import Friction, FrictionPart
from stiction.parts.ground import Ground, TouchingPoint
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.kinds import Admittance, Clock, Digital, Impedance, Implicit, Part, Ports, Row, Spring
from stiction.parts.lagrangian import LagrangianBody
from stiction.parts.penalty_joint import PenaltyJoint
from stiction.parts.registry import PARTS
from stiction.parts.robot_body import RobotBody
from stiction.parts.source import Source
from stiction.parts.spring import SpringDamper
from stiction.parts.table import Table
from stiction.parts.two_point import TwoPointSpring
from stiction.registry import open_room

open_room(sys.modules[__name__])

__all__ = [
    "PARTS",
    "Admittance",
    "Clock",
    "Digital",
    "EndStop",
    "Fixed",
    "FreeBody",
    "Friction",
    "FrictionPart",
    "Ground",
    "Impedance",
    "Implicit",
    "ImposedMotion",
    "LagrangianBody",
    "Mass",
    "Part",
    "PenaltyJoint",
    "Ports",
    "RobotBody",
    "Row",
    "Source",
    "Spring",
    "SpringDamper",
    "Table",
    "TouchingPoint",
    "TwoPointSpring",
]
