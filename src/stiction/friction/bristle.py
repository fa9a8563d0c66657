"""Bristle laws: the contact bends before it slides. Dahl, LuGre, and LuGre that does not drift (elasto-plastic).

All have ż = v − α |v| z/g(v): z is the bending, g its value in steady sliding.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stiction.fields import number, pair
from stiction.friction.law import LAWS, Law, side
from stiction.trace.functions import Scalar, absolute, cos, exp, power, where


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class Dahl(Law):
    """The law of Dahl, network (11): torque K z, ż = v − |v| K z/F.

    Attributes:
        level: F, torque in steady sliding [N·m or N]; two numbers for positive and negative velocity.
        stiffness: K [N·m/rad or N/m].

    Example:
        >>> from stiction.friction import Dahl
        >>> Dahl(level=2.0, stiffness=100.0).flow(0.5, [0.01], 0.0)
        (1.0, [0.25])
    """

    states = ("bend",)

    level: float | tuple[float, float] = pair(above=0)
    stiffness: float = number(above=0)

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque and rate of the bending."""
        torque = self.stiffness * z[0]
        return torque, [v - absolute(v) * torque * (1 / self.breakaway(v))]

    def breakaway(self, direction: Scalar) -> Scalar:
        """The level, which it approaches while it slides more and more."""
        return side(self.level, direction)  # type: ignore[arg-type]

    def steady(self, v: Scalar) -> Scalar:
        """Torque after a long time at velocity v."""
        return where(v < 0, -self.breakaway(v), where(v > 0, self.breakaway(v), 0 * v))

    def stored(self, z: list[Scalar]) -> Scalar:
        """Elastic energy [J]."""
        return self.stiffness * z[0] * z[0] / 2


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class LuGre(Law):
    """The law of Canudas de Wit and others, closed_loop (17) to (19), network (12).

    torque = σ0 z + σ1 ż + σ2 v, ż = v − |v| z/g(v), σ0 g(v) = level + (static − level) exp(−(|v|/velocity)^exponent).
    It drifts under an oscillating load below break-away (`ElastoPlastic` does not), and is passive only up to
    `passive_up_to`.

    Attributes:
        level: torque of slow steady sliding [N·m or N]; two numbers for positive and negative velocity.
        static: torque at break-away [N·m or N]; two numbers likewise. Not below level.
        velocity: how fast the surplus fades [rad/s or m/s].
        exponent: of the fading.
        stiffness: σ0 [N·m/rad or N/m].
        damping: σ1 [N·m·s/rad or N·s/m].
        viscous: σ2 [N·m·s/rad or N·s/m].

    Example:
        >>> from stiction.friction import LuGre
        >>> law = LuGre(level=1.0, static=1.5, velocity=0.001, exponent=2.0, stiffness=1e5, damping=316.0, viscous=0.4)
        >>> round(law.steady(0.0015), 5)
        1.0533
    """

    states = ("bend",)

    level: float | tuple[float, float] = pair(above=0)
    static: float | tuple[float, float] = pair(above=0)
    velocity: float = number(above=0)
    stiffness: float = number(above=0)
    damping: float = number(least=0)
    exponent: float = number(2.0, above=0, whole_as_int=True)
    viscous: float = number(0.0, least=0)

    def conflicts(self) -> Sequence:
        """Break-away takes at least as much as sliding."""
        return [
            (s < k, lambda s=s, k=k: f"static is {s:g} and level {k:g}; allowed: static not below level")
            for s, k in zip(self.static, self.level, strict=True)  # type: ignore[arg-type]
        ]

    @property
    def passive_up_to(self) -> float:
        """Speed up to which the law never gives out more than it stored, however bent [rad/s or m/s].

        With a = |v|/g the loss is σ1 ż² + σ1 a z ż + σ0 a z² + σ2 v². It is negative for no bending z iff a ≤ 4 σ0 (σ1
        + σ2)/σ1².
        """
        if not self.damping:
            return math.inf
        return 4 * min(self.level) * (self.damping + self.viscous) / self.damping**2  # type: ignore[arg-type]

    def cautions(self, fastest: float) -> list[str]:
        """Beyond `passive_up_to` it can give out energy."""
        if fastest <= self.passive_up_to:
            return []
        return [
            f"{type(self).__name__} moved at {fastest:.3g} and is passive only up to {self.passive_up_to:.3g} "
            "rad/s or m/s: beyond, it can give out energy; take less damping"
        ]

    def strength(self, v: Scalar) -> Scalar:
        """σ0 g(v): torque of the bent bristle in steady sliding at velocity v [N·m or N]."""
        level, static = side(self.level, v), side(self.static, v)  # type: ignore[arg-type]
        return level + (static - level) * exp(
            -power(absolute(v) * (1 / self.velocity), self.exponent)
        )  # the reciprocal is the same for all lanes

    def sliding(self, v: Scalar, z: Scalar, g: Scalar) -> Scalar:
        """How much of the motion slides: 1 always, for the law as it was published."""
        return 1

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque and rate of the bending."""
        strength, elastic = self.strength(v), self.stiffness * z[0]
        rate = v - self.sliding(v, z[0], strength / self.stiffness) * absolute(v) * elastic / strength
        return elastic + self.damping * rate + self.viscous * v, [rate]

    def breakaway(self, direction: Scalar) -> Scalar:
        """The torque at which slow loading makes it slide."""
        return side(self.static, direction)  # type: ignore[arg-type]

    def steady(self, v: Scalar) -> Scalar:
        """Torque after a long time at velocity v."""
        size = self.strength(v) + self.viscous * absolute(v)
        return where(v < 0, -size, where(v > 0, size, 0 * v))

    def stored(self, z: list[Scalar]) -> Scalar:
        """Elastic energy of the bristle [J]."""
        return self.stiffness * z[0] * z[0] / 2


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class ElastoPlastic(LuGre):
    """LuGre with a stretch of purely elastic bending (Dupont and others 2002): below it nothing slides, so nothing
    drifts.

    Attributes:
        elastic: the stretch, as a part of the bending at break-away (0 … 1).

    Example:
        >>> from stiction.friction import ElastoPlastic
        >>> law = ElastoPlastic(level=1.0, static=1.5, velocity=0.001, stiffness=1e5, damping=316.0, elastic=0.7)
        >>> law.flow(1e-4, [0.5e-5], 0.0)[1]  # bends as fast as it moves
        [0.0001]
    """

    elastic: float = number(0.7, above=0, below=1)

    def sliding(self, v: Scalar, z: Scalar, g: Scalar) -> Scalar:
        """0 while bending below the elastic stretch or back, 1 from g on, a smooth step between."""
        size, start = absolute(z), self.elastic * g
        ramp = (1 - cos(math.pi * (size - start) / (g - start))) / 2
        partial = where(size <= start, 0, where(size >= g, 1, ramp))
        return where(v * z < 0, 0, partial)
