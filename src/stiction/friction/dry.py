"""Dry friction: set-valued at rest, so that things can stick. Coulomb and Stribeck, with viscous friction.

While sliding at speed w the torque is `strength(w)`; at rest it is whatever holds, up to break-away. There are two ways
to simulate that. Rows (see `rows`) keep it rigid. Flows put a stiff bristle in front, after Kikuuwe: the bristle takes
the elastic part e of the motion, K e + B ė is the torque, and the rest of the motion slides. Below break-away nothing
slides at all, so nothing drifts: network (14) to (20).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stiction.fields import number, pair
from stiction.friction.law import LAWS, Law, side
from stiction.trace.functions import Scalar, absolute, exp, loop, maximum, power, sqrt, where
from stiction.trace.precision import tolerance

NEWTON_STEPS = 40  # at most; a few are enough, and where the curve falls steeply a bracket is halved instead
FAST = 1e6  # rad/s or m/s: what has fallen by then does not fall further
CLOSE = 1e-12  # of the speed: the next step would change nothing that matters


@dataclass(frozen=True, kw_only=True)
class Dry(Law):
    """What dry laws share: a strength while sliding, a break-away at rest, and the bristle that flows need.

    Attributes:
        viscous: torque per speed while sliding [N·m·s/rad or N·s/m].
        stiffness: K of the bristle, for flows [N·m/rad or N/m]; chosen from inertia and step if not given.
        damping: B of the bristle, for flows [N·m·s/rad or N·s/m]; likewise.
    """

    states = ("bend",)
    fading = ("viscous",)

    viscous: float = number(0.0, least=0)
    stiffness: float | None = number(None, above=0, optional=True)
    damping: float | None = number(None, least=0, optional=True)

    def strength(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque while sliding at speed w ≥ 0 in the direction of a number."""
        raise NotImplementedError

    def dry(self, w: Scalar, direction: Scalar) -> Scalar:
        """The same without viscous friction, where a law has a shorter formula for it."""
        return self.strength(w, direction) - self.viscous * w

    def without_viscous(self, w: Scalar, direction: Scalar) -> Scalar:
        """The same without viscous friction; a `strength` that was written later than `dry` counts."""
        written = {what: next(c for c in type(self).__mro__ if what in vars(c)) for what in ("dry", "strength")}
        if issubclass(written["dry"], written["strength"]):
            return self.dry(w, direction)
        return self.strength(w, direction) - self.viscous * w

    def slip(self, excess: Scalar, slope: Scalar, direction: Scalar) -> Scalar:
        """Speed w of sliding with strength(w) + slope · w = breakaway + excess, for an excess above 0; else 0."""
        raise NotImplementedError

    def _bristle(self, step: Scalar) -> tuple[Scalar, Scalar]:
        if self.stiffness is None or self.damping is None:
            raise self.refusal(
                "a flow needs the stiffness and damping of the bristle; "
                "give both (they are chosen only for friction on one velocity)"
            )
        return self.stiffness, self.damping + step * self.stiffness

    def _limited(self, size: Scalar, D: Scalar, direction: Scalar) -> Scalar:
        """The torque that there is, where `size` would hold everything: network (19), with a strength that depends on
        the speed of sliding.
        """
        excess = maximum(0, size - self.breakaway(direction))
        return size - D * self.slip(excess, D, direction)

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque and rate of the bristle."""
        K, D = self._bristle(step)
        trial = D * v + K * z[0]  # torque if nothing slides
        size = self._limited(absolute(trial), D, trial)
        torque = where(trial < 0, -size, size)
        return torque, [(torque - K * z[0]) * (1 / D)]

    def flow_in_space(self, v: list[Scalar], z: list[Scalar], step: Scalar) -> tuple[list[Scalar], list[Scalar]]:
        """The same in any dimension: force along the velocity of sliding, of the same strength in all directions."""
        K, D = self._bristle(step)
        return in_space(v, z, K, D, lambda size: self._limited(size, D, 1))

    def at_rest(self) -> tuple[Scalar, Scalar]:
        """Stiffness and damping of the bristle."""
        return self._bristle(0)

    def steady(self, v: Scalar) -> Scalar:
        """Torque after a long time at velocity v; 0 at rest."""
        size = self.strength(absolute(v), v)
        return where(v < 0, -size, where(v > 0, size, 0 * v))

    def stored(self, z: list[Scalar]) -> Scalar:
        """Elastic energy of the bristle [J], in all its directions."""
        return 0 if self.stiffness is None else self.stiffness * sum((e * e for e in z), start=0) / 2


def in_space(
    v: list[Scalar], z: list[Scalar], K: Scalar, D: Scalar, limited: Callable[[Scalar], Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """A bristle in any dimension, network (15), (19): `limited` gives the size of the force where `size` would hold
    everything.
    """
    trial = [D * x + K * e for x, e in zip(v, z, strict=True)]
    size = sqrt(sum((x * x for x in trial), start=0))
    scale = where(size > 0, limited(size) / where(size > 0, size, 1), 0)
    force = [scale * x for x in trial]
    return force, [(f - K * e) * (1 / D) for f, e in zip(force, z, strict=True)]


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class Coulomb(Dry):
    """Dry friction of constant strength, plus viscous friction.

    Attributes:
        level: torque while sliding and at break-away [N·m or N]; two numbers for positive and negative velocity.

    Example:
        >>> from stiction.friction import Coulomb
        >>> law = Coulomb(level=0.5, viscous=0.1)
        >>> law.steady(-2.0)
        -0.7
    """

    level: float | tuple[float, float] = pair(least=0)

    def breakaway(self, direction: Scalar) -> Scalar:
        """Largest torque at rest, against a motion in the direction of this number."""
        return side(self.level, direction)  # type: ignore[arg-type]

    def dry(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque while sliding, without viscous friction."""
        return side(self.level, direction)  # type: ignore[arg-type]

    def strength(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque while sliding at speed w ≥ 0 in the direction of a number."""
        return self.dry(w, direction) + self.viscous * w

    def slip(self, excess: Scalar, slope: Scalar, direction: Scalar) -> Scalar:
        """Speed w of sliding with strength(w) + slope · w = breakaway + excess, for an excess above 0."""
        return excess * (1 / (slope + self.viscous))  # the reciprocal is the same for all lanes


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class Stribeck(Coulomb):
    """Dry friction that is stronger at break-away than while sliding.

    strength(w) = level + (static − level) exp(−(w/velocity)^exponent) + viscous w: gears (8) with exponent 1 and η =
    1/velocity, closed_loop (19) with its own exponent. In flows a bristle with less damping than `steepest` chatters at
    slow steady speeds (it sticks and holds as it should); rows need no bristle.

    Attributes:
        static: torque at break-away [N·m or N]; two numbers for positive and negative velocity. Not below level.
        velocity: how fast the surplus fades [rad/s or m/s].
        exponent: of the fading.

    Example:
        >>> from stiction.friction import Stribeck
        >>> round(Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2).steady(0.02), 4)
        4.4452
    """

    static: float | tuple[float, float] = pair(least=0)
    velocity: float = number(above=0)
    exponent: float = number(1.0, above=0, whole_as_int=True)

    def conflicts(self) -> Sequence:
        """Break-away takes at least as much as sliding."""
        return [
            (
                s < k,
                lambda s=s, k=k: (
                    f"static is {s:g} and below level {k:g}; break-away takes at least as much as "
                    "sliding: exchange them"
                ),
            )
            for s, k in zip(self.static, self.level, strict=True)  # type: ignore[arg-type]
        ]

    @property
    def steepest(self) -> float:
        """How fast the strength falls where it falls fastest [N·m·s/rad or N·s/m]."""
        surplus = max(s - k for s, k in zip(self.static, self.level, strict=True))  # type: ignore[arg-type]
        d = self.exponent
        if d < 1 and surplus:
            return math.inf
        inner = (d - 1) / d  # (w/velocity)^exponent at that speed
        return surplus / self.velocity * d * inner**inner * math.exp(-inner) - self.viscous

    def breakaway(self, direction: Scalar) -> Scalar:
        """Largest torque at rest, against a motion in the direction of this number."""
        return side(self.static, direction)  # type: ignore[arg-type]

    def _surplus(self, direction: Scalar) -> Scalar:
        return self.breakaway(direction) - side(self.level, direction)  # type: ignore[arg-type]

    def dry(self, w: Scalar, direction: Scalar) -> Scalar:
        """Torque while sliding, without viscous friction."""
        fading = exp(-power(w * (1 / self.velocity), self.exponent))
        return super().dry(w, direction) + self._surplus(direction) * fading

    def slip(self, excess: Scalar, slope: Scalar, direction: Scalar) -> Scalar:
        """Speed w of sliding with strength(w) + slope · w = breakaway + excess, by Newton's method in a bracket, from
        above.
        """
        surplus, total = self._surplus(direction), slope + self.viscous
        fastest = (excess + surplus) / total  # the surplus faded: the strength is never below it

        def newton(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            low, high, w, busy = carry
            r = w * (1 / self.velocity)
            fading = exp(-power(r, self.exponent))
            slope_of_fading = fading * self.exponent * power(r, self.exponent - 1) * (1 / self.velocity)
            g = excess + surplus * (1 - fading) - total * w
            low, high = where(g > 0, w, low), where(g > 0, high, w)
            better = w + g / (total - surplus * slope_of_fading)
            better = where((better >= low) & (better <= high), better, (low + high) / 2)
            moved = absolute(better - w) > tolerance(CLOSE) * better
            return [low, high, where(busy > 0, better, w), where((busy > 0) & moved, 1, 0)]

        *_, w, _ = loop(NEWTON_STEPS, newton, [0 * fastest, fastest, fastest, where(excess > 0, 1, 0)], until_zero=3)
        return where(excess > 0, w, 0 * w)
