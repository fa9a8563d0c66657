"""Motion that is given in time, whatever force it takes."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from stiction.fields import function_of_time
from stiction.parts.kinds import Ports, Row
from stiction.parts.registry import PARTS
from stiction.parts.table import Table
from stiction.rows.site import Bounds
from stiction.trace.derivative import directional
from stiction.trace.functions import Scalar

MOMENT = 1e-5  # s
UNBOUNDED = Bounds(math.inf, math.inf, math.inf, math.inf)


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class ImposedMotion(Row):
    """A position that is kept as a function of the time, with whatever force that takes. Ports: position and velocity
    in; torque out, the force that it takes, along the motion (so wire it with gain 1). It is rigid: for `moreau` and
    the gear methods.

    Attributes:
        function: the position, as a number, a `Table` or a formula of the time t [s] → [rad or m]; where it has a kink
            the velocity jumps, with the force of an impact.

    Example:
        >>> from stiction.parts import ImposedMotion
        >>> from stiction.trace import sin
        >>> ImposedMotion(function=lambda t: 0.1 * sin(5 * t)).position_at(0.0)
        0.0
    """

    inputs = {"position": 1, "velocity": 1}
    outputs = {"torque": 1}
    units = {"torque": "N·m or N"}
    sense = -1

    function: float | Callable[[Scalar], Scalar] | Table = function_of_time()

    def bounds(self, own: list[Scalar], s: Scalar, step: Scalar) -> Bounds:
        """Whatever it takes."""
        return UNBOUNDED

    def position_at(self, t: Scalar) -> Scalar:
        """The position at a time."""
        return self.function(t) if callable(self.function) else self.function

    def velocity_at(self, t: Scalar) -> Scalar:
        """Its rate of change at a time of a program."""
        if isinstance(self.function, Table):
            return self.function.rate(t)
        return directional([self.position_at(t)], {t: 1.0})[0]

    def at_start(self) -> tuple[float, float]:
        """Position and velocity at time 0, the latter from the first moments, in numbers."""
        x, soon, later = (float(self.position_at(k * MOMENT)) for k in range(3))
        return x, (4 * soon - 3 * x - later) / (2 * MOMENT)

    def velocity_at_end(self, x: Scalar, weight: Scalar, t: Scalar, h: Scalar) -> Scalar:
        """The velocity that it wants at the end of a step, at time t, where x is reached without it, and its own part
        of the way is `weight` · h times it. What the position lacks is made good, half in this step, half in the next.
        """
        v = self.velocity_at(t)
        return v + (self.position_at(t) - x - weight * h * v) / h

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque that was found, held over the step."""
        return {"torque": [own[1]]}, [0] * len(own)
