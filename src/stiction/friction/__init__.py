"""What resists: friction laws. One rule for all: the torque has the sign of the velocity."""

from stiction.friction.bristle import Dahl, ElastoPlastic, LuGre
from stiction.friction.dry import Coulomb, Stribeck
from stiction.friction.law import FrictionError, Law

__all__ = ["Coulomb", "Dahl", "ElastoPlastic", "FrictionError", "Law", "LuGre", "Stribeck"]
