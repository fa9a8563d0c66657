"""End stops: what ends the way of a joint or a mass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stiction.fields import number
from stiction.parts.kinds import Implicit, Ports, Spring
from stiction.parts.registry import PARTS
from stiction.trace.functions import Scalar, maximum, where


class EndStopPart(Implicit):
    """What every end stop has: two ends of a way. Ports: position and velocity in; torque out, above 0 at the upper end
    (so wire it with gain −1, as friction).

    Attributes:
        lower: smallest position [rad or m]; None: no stop there.
        upper: largest position [rad or m]; likewise.
        restitution: speed after an impact over the speed before it, 0 … 1.
    """

    inputs = {"position": 1, "velocity": 1}
    outputs = {"torque": 1}
    units = {"torque": "N·m or N", "reached": "1"}
    vanishing = ("restitution",)
    lasting = False

    lower: float | None
    upper: float | None
    restitution: float

    def conflicts(self) -> Sequence:
        """Ends that leave a way."""
        lower: Any = self.lower
        upper: Any = self.upper
        none, both = lower is None and upper is None, lower is not None and upper is not None
        crossed = lower >= upper if both else False
        return [
            (none, "it has neither lower nor upper; give at least one of them"),
            (crossed, lambda: f"lower is {lower:g} and not below upper {upper:g}; exchange them"),
        ]


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class EndStop(EndStopPart):
    """Two ends of a way. Rigid under `moreau` and the gear methods: what arrives stops there, or bounces, within two
    steps and does not go through. Under other methods each end is a stiff spring with a damper, and gives. Ports:
    position and velocity in; torque out, above 0 at the upper end (so wire it with gain −1, as friction).

    Attributes:
        lower: smallest position [rad or m]; None: no stop there.
        upper: largest position [rad or m]; likewise.
        restitution: speed after an impact over the speed before it, 0 … 1.
        stiffness: of the spring, for flows [N·m/rad or N/m]; chosen from inertia and step if not given.
        damping: of the spring, for flows [N·m·s/rad or N·s/m]; chosen from stiffness and restitution if not given.

    Example:
        >>> from stiction.parts import EndStop
        >>> stop = EndStop(lower=-1.0, upper=1.0, stiffness=1e4, damping=10.0)
        >>> stop.force({"position": [1.01], "velocity": [0.0]}, [], 0.0, 0.0)[0]["torque"][0]  # 0.01 · 1e4
        100.00000000000009
    """

    lower: float | None = number(None, optional=True)
    upper: float | None = number(None, optional=True)
    restitution: float = number(0.0, least=0, most=1)
    stiffness: float | None = number(None, above=0, optional=True)
    damping: float | None = number(None, least=0, optional=True)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Spring and damper beyond an end; they do not draw."""
        if self.stiffness is None or self.damping is None:
            raise self.refusal("a flow needs its stiffness and damping; give both (they are chosen only in scenes)")
        (x,), (v,) = motion["position"], motion["velocity"]
        torque: Scalar = 0
        if self.upper is not None:
            beyond = x - self.upper
            torque = where(beyond > 0, maximum(0, self.stiffness * beyond + self.damping * v), torque)
        if self.lower is not None:
            beyond = self.lower - x
            torque = where(beyond > 0, -maximum(0, self.stiffness * beyond - self.damping * v), torque)
        return {"torque": [torque]}, []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the spring [J]."""
        if self.stiffness is None:
            return 0
        (x,), beyond = motion["position"], 0
        if self.upper is not None:
            beyond = maximum(0, x - self.upper)
        if self.lower is not None:
            beyond = maximum(beyond, self.lower - x)
        return self.stiffness * beyond * beyond / 2

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """The spring of an end, as if it were touched."""
        if self.stiffness is None or self.damping is None:
            return []
        return [Spring({"torque": [1]}, self.stiffness, self.damping)]
