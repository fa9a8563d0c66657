"""What resists: friction laws. One rule for all: the torque has the sign of the velocity."""

from stiction.friction.bristle import Dahl, ElastoPlastic, LuGre
from stiction.friction.curve import Curve
from stiction.friction.dry import Coulomb, Dry, Stribeck
from stiction.friction.law import FrictionError, Law
from stiction.friction.viscous import Viscous

__all__ = ["Coulomb", "Curve", "Dahl", "Dry", "ElastoPlastic", "FrictionError", "Law", "LuGre", "Stribeck", "Viscous"]
