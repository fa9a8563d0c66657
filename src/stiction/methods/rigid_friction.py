"""Dry friction as a row: its torque is found once per step and held over it. What `Moreau` makes of friction sites."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from stiction.friction.dry import Dry
from stiction.friction.law import CREEP, SLIDING, STUCK
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Ports, Row
from stiction.rows.site import Bounds, slides
from stiction.trace.derivative import directional
from stiction.trace.functions import Scalar, absolute, maximum, where


@dataclass(frozen=True, kw_only=True)
class RigidFriction(Row, FrictionPart):
    """Dry friction whose torque is found once per step. Ports as those of `Friction`.

    Attributes:
        law: the friction law.
        rising: whether its strength without viscous friction grows with the speed somewhere.
        viscous_apart: whether its viscous part goes with the smooth forces and is no part of the row.
        referenced: whether it keeps how far a stuck site has gone from where it stuck, to be pulled back.
        geared: whether its torque is found from a rotor alone; then it keeps what the link took in the last step.
        loaded: whether its law is multiplied by a load.
    """

    units = FrictionPart.units | {"way": "rad or m", "link_torque": "N·m or N"}

    law: Dry
    rising: bool = False
    viscous_apart: bool = True
    referenced: bool = False
    geared: bool = False
    loaded: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("inputs", {"velocity": 1} | ({"load": 1} if self.loaded else {}))

    def under(self, motion: Ports) -> "RigidFriction":
        """The same under its load."""
        if not self.loaded:
            return self
        twin = copy.copy(self)
        twin._set("law", self.present_law(motion))
        return twin

    def start(self) -> Mapping[str, float]:
        """Direction of sliding (−1, 0, 1), torque, way since the reference, torque of the link in the last step."""
        more = {"way": self.referenced, "link_torque": self.geared}
        return {**super().start(), **{name: 0.0 for name, kept in more.items() if kept}}

    def way(self, own: list[Scalar]) -> Scalar:
        """How far it has gone since its reference."""
        return own[2] if self.referenced else 0

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque that was found; the way grows."""
        rates: list[Scalar] = [0] * len(own)
        if self.referenced:
            rates[2] = motion["velocity"][0]
        return {"torque": [own[1]]}, rates

    def beside(self, s: Scalar) -> Scalar:
        """Viscous friction, where it is no part of the row."""
        return self.law.viscous * s if self.viscous_apart else 0

    def slope(self, s: Scalar) -> Scalar:
        """How its strength grows with the speed at velocity s, 0 where it falls [N·m·s/rad or N·s/m]."""
        w = absolute(s)
        return maximum(0, directional([self.strength(w, s)], {w: 1.0})[0])

    def strength(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque of the row while it slides at speed w ≥ 0 in the direction of a number."""
        return self.law.without_viscous(w, direction) if self.viscous_apart else self.law.strength(w, direction)

    def bounds(self, own: list[Scalar], s: Scalar, step: Scalar) -> Bounds:
        """Impulses at break-away, and while sliding at velocity s; at 0 against it."""
        moving = self.strength(absolute(s), s)
        ahead, back = where(s > 0, moving, self.strength(0, 1)), where(s < 0, moving, self.strength(0, -1))
        return Bounds(*(step * x for x in (self.law.breakaway(1), self.law.breakaway(-1), ahead, back)))

    def projected(self, torque: Scalar, s: Scalar, slid: Scalar) -> tuple[Scalar, Scalar]:
        """Torque and direction of sliding, gears (21): from rest it sticks below break-away, while sliding below the
        curve.

        At rest the direction is that of the torque that would hold; a joint that passes zero stops first.
        """
        w = absolute(s)
        moved = slides(slid)
        ahead = where(moved & (w > 0), s, torque)  # a stuck joint has only rounding for a velocity
        limit = where(moved, self.strength(0 * w, ahead), self.law.breakaway(torque))
        sticks = absolute(torque) <= limit
        curve = self.strength(w, ahead)
        slip = where(ahead < 0, -curve, curve)
        return where(sticks, torque, slip), where(sticks, 0, where(ahead < 0, -1, 1))

    def mode(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 2 sliding. What shares a load gives all that it has and stands, as long as others hold."""
        if self.shared:
            return where(slides(own[0]) & (absolute(motion["velocity"][0]) > CREEP), SLIDING, STUCK)
        return where(slides(own[0]), SLIDING, STUCK)

    def margin(self, motion: Ports, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        return where(slides(own[0]), 0, maximum(0, self.present_law(motion).breakaway(own[1]) - absolute(own[1])))
