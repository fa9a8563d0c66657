"""Friction at a site: a friction law between a velocity and a torque."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stiction.fields import count, instance
from stiction.friction.dry import Dry
from stiction.friction.law import Law
from stiction.parts.kinds import Implicit, Ports, Spring
from stiction.parts.registry import PARTS
from stiction.trace.functions import Scalar
from stiction.trace.parameters import component_names

SMALL = 1e-9  # rad or m, and per second: from rest, to see how a law begins


class FrictionPart(Implicit):
    """What every friction site has: a law, a mode and a margin to break-away. Ports: velocity in; torque out, with the
    sign of the velocity (so wire it with gain −1).
    """

    inputs = {"velocity": 1}
    outputs = {"torque": 1}
    units = {
        "torque": "N·m or N",
        "margin": "N·m or N",
        "bend": "rad or m",
        "fastest": "rad/s or m/s",
        "mode": "1",
        "seen": "1",
        "switches": "1",
    }
    transparent = ("law",)

    law: Law

    def mode(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding, 2 sliding."""
        raise NotImplementedError

    def margin(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        raise NotImplementedError


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class Friction(FrictionPart):
    """A friction law at a site. Ports: velocity in; torque out, with the sign of the velocity (so wire it with gain
    −1).

    Attributes:
        law: the friction law.
        dimension: how many numbers the velocity has; above 1 the law must be dry, and is the same in all directions.

    Example:
        >>> from stiction.friction import Coulomb
        >>> from stiction.parts import Friction
        >>> law = Coulomb(level=0.5, stiffness=5000.0, damping=1.0)
        >>> Friction(law=law).force({"velocity": [1.0]}, [0.0], 1e-3, 0.0)[0]
        {'torque': [0.5]}
        >>> Friction(law=law, dimension=2).force({"velocity": [0.0, 4.0]}, [0.0, 0.0], 1e-3, 0.0)[0]
        {'torque': [0.0, 0.5]}
    """

    law: Law = instance(Law, words="a friction law")
    dimension: int = count(1, least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", {"velocity": self.dimension})
        self._set("outputs", {"torque": self.dimension})

    def conflicts(self) -> Sequence:
        """Every law has a flow; in space only dry laws are known, and are the same in all directions."""
        law, name, spatial = self.law, type(self.law).__name__, self.dimension > 1
        pairs = [x for x in vars(law).values() if isinstance(x, tuple) and len(x) == 2]
        uneven = spatial and isinstance(law, Dry) and any(a is not b and a != b for a, b in pairs)
        return [
            (type(law).flow is Law.flow, f"the law {name} has no method 'flow', which every law needs; write it"),
            (
                spatial and not isinstance(law, Dry),
                f"{name} acts on one velocity, and dimension is {self.dimension}; "
                "allowed: dry laws (Coulomb, Stribeck, Curve)",
            ),
            (
                uneven,
                f"{law} differs for the two directions, and dimension is {self.dimension}; "
                "in space friction is the same in all",
            ),
        ]

    def start(self) -> Mapping[str, float]:
        """The bending of the bristle, if the law has one."""
        if self.dimension > 1:
            return {f"bend.{c}": 0.0 for c in component_names(self.dimension)}
        return {"bend": 0.0} if self.law.states else {}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The law's torque."""
        if self.dimension > 1:
            assert isinstance(self.law, Dry)
            force, rates = self.law.flow_in_space(motion["velocity"], own, step)
            return {"torque": force}, rates
        torque, rate = self.law.flow(motion["velocity"][0], own[0] if own else 0, step)
        return {"torque": [torque]}, [rate] if own else []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the bristle [J]."""
        return sum((self.law.stored(z) for z in own), start=0)

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """The bristle: of a dry law, in every direction; of another, how its torque begins at rest."""
        law, n = self.law, self.dimension
        if not isinstance(law, Dry) and law.states:
            rest, bent, moved = (law.flow(v, z, 0)[0] for v, z in ((0, 0), (0, SMALL), (SMALL, 0)))
            return [Spring({"torque": [1]}, (bent - rest) / SMALL, (moved - rest) / SMALL)]
        if not isinstance(law, Dry) or law.stiffness is None or law.damping is None:
            return []
        units = [[int(k == j) for j in range(n)] for k in range(n)]
        return [Spring({"torque": unit}, law.stiffness, law.damping) for unit in units]

    def mode(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding, 2 sliding."""
        return self.law.mode(v, own[0] if own else 0, step)

    def margin(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        return self.law.margin(v, own[0] if own else 0, step)
