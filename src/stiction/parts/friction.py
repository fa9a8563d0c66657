"""Friction at a site: a friction law between a velocity and a torque."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stiction.fields import count, flag, instance
from stiction.friction.dry import Dry
from stiction.friction.law import ALL_SLIDES, CREEP, PRESLIDING, SLIDING, STUCK, Law
from stiction.friction.loaded import under
from stiction.friction.viscous import Viscous
from stiction.parts.kinds import Impedance, Implicit, Ports, Spring
from stiction.parts.registry import PARTS
from stiction.trace.functions import Scalar, maximum, sign, sqrt, where
from stiction.trace.parameters import component_names


class RubbingPart(Impedance):
    """What has friction somewhere: a law, a mode, a margin to break-away and a direction of sliding.

    Attributes:
        law: the friction law; None: it does not rub.
    """

    law: Law | None

    def surface_velocity(self, motion: Ports) -> list[Scalar]:
        """How fast the surfaces move on each other [rad/s or m/s]."""
        raise NotImplementedError

    def mode(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding, 2 sliding."""
        raise NotImplementedError

    def margin(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        raise NotImplementedError

    def direction(self, motion: Ports, own: list[Scalar], step: Scalar) -> list[Scalar]:
        """Where it slides: a sign, or a unit vector; 0 where nothing does."""
        (v,) = self.surface_velocity(motion)
        return [where(self.mode(motion, own, step) > STUCK, sign(v), 0)]


class FrictionPart(RubbingPart, Implicit):
    """What every friction site has. Ports: velocity in; torque out, with the sign of the velocity (so wire it with gain
    −1).
    """

    inputs = {"velocity": 1}
    outputs = {"torque": 1}
    units = {
        "torque": "N·m or N",
        "margin": "N·m or N",
        "fastest": "rad/s or m/s",
        "mode": "1",
        "lasting_mode": "1",
        "direction": "1",
        "seen": "1",
        "switches": "1",
    }
    transparent = ("law",)

    law: Law
    loaded: bool

    def surface_velocity(self, motion: Ports) -> list[Scalar]:
        """Its velocity."""
        return motion["velocity"]

    def present_law(self, motion: Ports) -> Any:
        """The law under its load."""
        return under(self.law, motion["load"][0]) if self.loaded else self.law

    def unit(self, signal: str) -> str:
        """Those of its law among them."""
        word = signal.partition(".")[0]
        return self.units.get(word) or self.law.units.get(word, "rad or m")


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class Friction(FrictionPart):
    """A friction law at a site. Ports: velocity in; torque out, with the sign of the velocity (so wire it with gain
    −1).

    Attributes:
        law: the friction law.
        dimension: how many numbers the velocity has; above 1 the law must be dry, and is the same in all directions.
        loaded: whether it has a further port, load, by which its torque is multiplied: the force that presses a clutch
            or a brake, of a law per newton, or how a temperature changes it. A load below 0 counts as 0. One that
            follows velocities is that of the step's middle, extrapolated: it has no slopes.

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
    loaded: bool = flag(False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", {"velocity": self.dimension} | ({"load": 1} if self.loaded else {}))
        self._set("outputs", {"torque": self.dimension})

    def conflicts(self) -> Sequence:
        """Every law has a flow; in space only dry laws are known, and are the same in all directions."""
        law, name, spatial = self.law, type(self.law).__name__, self.dimension > 1
        taken = [state for state in law.states if state.partition(".")[0] in self.units]
        pairs = [x for x in vars(law).values() if isinstance(x, tuple) and len(x) == 2]
        uneven = spatial and isinstance(law, Dry) and any(a is not b and a != b for a, b in pairs)
        return [
            (len(set(law.states)) < len(law.states), f"{name} calls two states by one name; rename one"),
            (bool(taken), f"{name} calls a state '{(taken or [''])[0]}', which is a signal of every site; rename it"),
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
        """The states of the law, at 0; in space a bristle in every direction."""
        if self.dimension > 1:
            return {f"bend.{c}": 0.0 for c in component_names(self.dimension)}
        return dict.fromkeys(self.law.states, 0.0)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The law's torque."""
        law = self.present_law(motion)
        if self.dimension > 1:
            force, rates = law.flow_in_space(motion["velocity"], own, step)
            return {"torque": force}, rates
        torque, rates = law.flow(motion["velocity"][0], own, step)
        return {"torque": [torque]}, list(rates)

    @property
    def remembers(self) -> bool:
        """Whether its law does."""
        return type(self.law).settled is not Law.settled

    def settle(self, motion: Ports, own: list[Scalar]) -> list[Scalar]:
        """The states of the law after a step."""
        return self.law.settled(motion["velocity"][0], own)

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the bristles [J]."""
        return self.present_law(motion).stored(own)

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """The bristle: of a dry law, in every direction; of another, how its torque begins at rest. Viscous friction is
        one without stiffness.
        """
        law, n = self.law, self.dimension
        felt = any(law.bends) or isinstance(law, Viscous)
        if not felt or (isinstance(law, Dry) and (law.stiffness is None or law.damping is None)):
            return []
        units = [[int(k == j) for j in range(n)] for k in range(n)]
        stiffness, damping = self.present_law(motion).at_rest()
        dry = isinstance(law, Dry)
        return [Spring({"torque": unit}, stiffness, damping, bristle=True, staged=dry) for unit in units]

    def mode(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding, 2 sliding."""
        if self.dimension == 1:
            return self.present_law(motion).mode(motion["velocity"][0], own, step)
        slip, moves = length(self._slip(motion, own, step)), length(motion["velocity"])
        return where(slip <= CREEP, STUCK, where(slip >= ALL_SLIDES * moves, SLIDING, PRESLIDING))

    def margin(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        if self.dimension == 1:
            return self.present_law(motion).margin(motion["velocity"][0], own, step)
        force = length(self.force(motion, own, step, 0)[0]["torque"])
        missing = maximum(0, self.present_law(motion).breakaway(1) - force)
        return where(self.mode(motion, own, step) >= SLIDING, 0, missing)

    def direction(self, motion: Ports, own: list[Scalar], step: Scalar) -> list[Scalar]:
        """Where it slides: a sign, or a unit vector; 0 where nothing does."""
        if self.dimension == 1:
            return super().direction(motion, own, step)
        slip = self._slip(motion, own, step)
        size, slides = length(slip), self.mode(motion, own, step) > STUCK
        return [where(slides, x / where(size > 0, size, 1), 0) for x in slip]

    def _slip(self, motion: Ports, own: list[Scalar], step: Scalar) -> list[Scalar]:
        """What of the motion in space does not bend the bristle."""
        rates = self.force(motion, own, step, 0)[1]
        return [v - rate for v, rate in zip(motion["velocity"], rates, strict=True)]


def length(x: Sequence[Scalar]) -> Scalar:
    """The length of a vector."""
    return sqrt(sum((a * a for a in x), start=0))
