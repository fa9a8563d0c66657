"""What resists: friction laws. One rule for all: the torque has the sign of the velocity."""

import sys

from stiction.friction.bristle import Dahl, ElastoPlastic, LuGre
from stiction.friction.curve import Curve
from stiction.friction.dry import Coulomb, Dry, Stribeck
from stiction.friction.law import LAWS, FrictionError, Law
from stiction.friction.maxwell import Leuven, MaxwellSlip
from stiction.friction.viscous import Viscous
from stiction.registry import open_room

open_room(sys.modules[__name__])

__all__ = [
    "LAWS",
    "Coulomb",
    "Curve",
    "Dahl",
    "Dry",
    "ElastoPlastic",
    "FrictionError",
    "Law",
    "Leuven",
    "LuGre",
    "MaxwellSlip",
    "Stribeck",
    "Viscous",
]
