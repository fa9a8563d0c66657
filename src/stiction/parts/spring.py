"""A spring with a damper."""

from collections.abc import Sequence
from dataclasses import dataclass

from stiction.fields import number
from stiction.parts.kinds import Impedance, Ports, Spring
from stiction.parts.registry import PARTS
from stiction.trace.functions import Scalar


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class SpringDamper(Impedance):
    """f = K p + B v, network (10). Ports: position and velocity in; force out, with the sign of the motion.

    Attributes:
        stiffness: K [N/m or N·m/rad].
        damping: B [N·s/m or N·m·s/rad].

    Example:
        >>> from stiction.parts import SpringDamper
        >>> SpringDamper(stiffness=10.0, damping=1.0).force({"position": [0.5], "velocity": [2.0]}, [], 0.0, 0.0)
        ({'force': [7.0]}, [])
    """

    inputs = {"position": 1, "velocity": 1}
    outputs = {"force": 1}
    units = {"force": "N·m or N"}

    stiffness: float = number(least=0)
    damping: float = number(0.0, least=0)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Spring and damper."""
        return {"force": [self.stiffness * motion["position"][0] + self.damping * motion["velocity"][0]]}, []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the spring [J]."""
        return self.stiffness * motion["position"][0] * motion["position"][0] / 2

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """Its own direction."""
        return [Spring({"force": [1]}, self.stiffness, self.damping)]
