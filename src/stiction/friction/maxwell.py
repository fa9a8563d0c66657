"""Laws of many elements: hysteresis of pre-sliding with a memory of its turning points. Maxwell-slip and Leuven.

Each element is a spring that slips when it carries its share: together they make any curve of force over way, and
remember where the motion turned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stiction.fields import number, numbers, pair
from stiction.friction.law import LAWS, Law, side
from stiction.trace.functions import Scalar, absolute, clip, exp, maximum, minimum, power, sign, where


@dataclass(frozen=True, kw_only=True)
class Elements(Law):
    """What laws of many elements share.

    Attributes:
        level: torque of slow steady sliding [N·m or N]; two numbers for positive and negative velocity.
        static: torque at break-away [N·m or N]; two numbers likewise. Not below level.
        velocity: how fast the surplus fades [rad/s or m/s].
        stiffness: of each element [N·m/rad or N/m], as many as there are elements.
        shares: of each element: part of the torque that it carries when it slips.
        exponent: of the fading.
        damping: of the bending [N·m·s/rad or N·s/m], of all elements together.
        viscous: torque per speed [N·m·s/rad or N·s/m].
    """

    level: float | tuple[float, float] = pair(above=0)
    static: float | tuple[float, float] = pair(above=0)
    velocity: float = number(above=0)
    stiffness: tuple[float, ...] = numbers(above=0)
    shares: tuple[float, ...] = numbers(above=0)
    exponent: float = number(2.0, above=0, whole_as_int=True)
    damping: float = number(0.0, least=0)
    viscous: float = number(0.0, least=0)

    def conflicts(self) -> Sequence:
        """A share for each element; break-away takes at least as much as sliding."""
        n, m = len(self.stiffness), len(self.shares)
        found: list = [(n != m or not n, f"stiffness has {n} numbers and shares {m}; allowed: one for each element")]
        for s, k in zip(self.static, self.level, strict=True):  # type: ignore[arg-type]
            found.append((s < k, lambda s=s, k=k: f"static is {s:g} and level {k:g}; allowed: static not below level"))
        return found

    def strength(self, v: Scalar) -> Scalar:
        """Torque of steady sliding at velocity v, viscous friction aside [N·m or N]."""
        level, static = side(self.level, v), side(self.static, v)  # type: ignore[arg-type]
        return level + (static - level) * exp(-power(absolute(v) * (1 / self.velocity), self.exponent))

    def breakaway(self, direction: Scalar) -> Scalar:
        """The torque at which slow loading makes it slide."""
        return side(self.static, direction)  # type: ignore[arg-type]

    def steady(self, v: Scalar) -> Scalar:
        """Torque after a long time at velocity v."""
        return sign(v) * (self.strength(v) + self.viscous * absolute(v))

    def stored(self, z: list[Scalar]) -> Scalar:
        """Elastic energy of the elements [J]."""
        return sum((k * e * e for k, e in zip(self.stiffness, z, strict=False)), start=0) / 2


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class MaxwellSlip(Elements):
    """Generalised Maxwell-slip (Lampaert, Al-Bender and Swevers 2003): hysteresis without drift, Stribeck, and a lag.

    torque = Σ k z + damping Σ ż/n + viscous v. An element sticks, ż = v, until it carries its share of the strength;
    then it slips, k ż = sgn(v) attraction (share − k |z|/strength), until the motion turns round.

    Attributes:
        level: torque of slow steady sliding [N·m or N]; two numbers for positive and negative velocity.
        static: torque at break-away [N·m or N]; two numbers likewise. Not below level.
        velocity: how fast the surplus fades [rad/s or m/s].
        stiffness: k of each element [N·m/rad or N/m], as many as there are elements.
        shares: of each element: part of the strength that it carries when it slips. They add up to 1.
        attraction: C, how fast a slipping element follows the strength [N·m/s or N/s].
        exponent: of the fading.
        damping: of the bending [N·m·s/rad or N·s/m], of all elements together.
        viscous: torque per speed [N·m·s/rad or N·s/m].

    Example:
        >>> from stiction.friction import MaxwellSlip
        >>> stiff, shares = (8e3, 4e3, 2e3), (0.2, 0.3, 0.5)
        >>> law = MaxwellSlip(level=1.0, static=1.5, velocity=0.1, stiffness=stiff, shares=shares, attraction=20.0)
        >>> law.states
        ('bend.0', 'bend.1', 'bend.2', 'slips.0', 'slips.1', 'slips.2')
        >>> law.flow(0.01, [0.0] * 6, 0.0)[1]  # all stick
        [0.01, 0.01, 0.01, 0, 0, 0]
    """

    units = {"slips": "1"}

    attraction: float = number(above=0)

    @property
    def states(self) -> tuple[str, ...]:
        """The bending of each element, and the direction in which it slips (0: it sticks)."""
        return tuple(f"{what}.{k}" for what in ("bend", "slips") for k in range(len(self.stiffness)))

    def conflicts(self) -> Sequence:
        """Shares of one strength."""
        total = sum(self.shares)
        why = f"the shares {self.shares} do not add up to 1; divide them by their sum"
        return [*super().conflicts(), (abs(total - 1) > 1e-6, why)]

    def _elements(self, z: list[Scalar]) -> list[tuple[Scalar, Scalar, Scalar, Scalar]]:
        """Stiffness, share, bending and direction of slipping of each."""
        n = len(self.stiffness)
        return list(zip(self.stiffness, self.shares, z[:n], z[n:], strict=True))

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque, and rates of the bendings; who slips is remembered after each step."""
        strength, rates = self.strength(v), []
        for k, share, bend, slips in self._elements(z):
            full = (bend * v > 0) & (k * absolute(bend) >= share * strength)
            follows = sign(v) * self.attraction / k * (share - k * absolute(bend) / strength)
            rates.append(where((slips * v > 0) | full, follows, v))
        n = len(rates)
        elastic = sum((k * bend for k, _, bend, _ in self._elements(z)), start=0)
        torque = elastic + self.damping / n * sum(rates, start=0) + self.viscous * v
        return torque, [*rates, *[0] * n]

    def settled(self, v: Scalar, z: list[Scalar]) -> list[Scalar]:
        """What carries its share begins to slip, from just there; what turns round sticks."""
        strength, bends, directions = self.strength(v), [], []
        for k, share, bend, slips in self._elements(z):
            full = (bend * v > 0) & (k * absolute(bend) >= share * strength)
            begins = (slips == 0) & full
            bends.append(where(begins, sign(v) * share * strength / k, bend))
            directions.append(where(begins, sign(v), where(slips * v > 0, slips, 0)))
        return [*bends, *directions]


@LAWS.add
@dataclass(frozen=True, kw_only=True)
class Leuven(Elements):
    """The Leuven law with Maxwell-slip elements (Swevers and others 2000, Lampaert, Swevers and Al-Bender 2002).

    torque = F + damping ż + viscous v, ż = v (1 − sgn(r) |r|^shape), r = F sgn(v)/strength(v). F is the hysteresis:
    the sum of elements that bend with z, each up to its share of the static torque.

    Attributes:
        level: torque of slow steady sliding [N·m or N]; two numbers for positive and negative velocity.
        static: torque at break-away [N·m or N]; two numbers likewise. Not below level.
        velocity: how fast the surplus fades [rad/s or m/s].
        stiffness: of each element [N·m/rad or N/m], as many as there are elements.
        shares: of each element: part of the larger static torque up to which it bends. They add up to 1 or more.
        shape: how suddenly the bending gives way to sliding, 1 or more.
        exponent: of the fading.
        damping: of the bending [N·m·s/rad or N·s/m].
        viscous: torque per speed [N·m·s/rad or N·s/m].

    Example:
        >>> from stiction.friction import Leuven
        >>> stiff, shares = (8e3, 4e3, 2e3), (0.2, 0.3, 0.6)
        >>> law = Leuven(level=1.0, static=1.5, velocity=0.1, stiffness=stiff, shares=shares)
        >>> law.flow(0.01, [0.0] * 3, 0.0)
        (0.0, [0.01, 0.01, 0.01])
    """

    shape: float = number(2.0, least=1, whole_as_int=True)

    @property
    def states(self) -> tuple[str, ...]:
        """The bending of each element."""
        return tuple(f"bend.{k}" for k in range(len(self.stiffness)))

    def conflicts(self) -> Sequence:
        """Elements that reach the static torque."""
        why = f"the shares {self.shares} add up to less than 1: the elements never reach the static torque"
        return [*super().conflicts(), (sum(self.shares) < 1, why)]

    def _limits(self) -> list[Scalar]:
        """Bending up to which each element goes."""
        most = maximum(*self.static)  # type: ignore[misc]
        return [share * most / k for share, k in zip(self.shares, self.stiffness, strict=True)]

    def flow(self, v: Scalar, z: list[Scalar], step: Scalar) -> tuple[Scalar, list[Scalar]]:
        """Torque, and rates of the bendings."""
        limits = self._limits()
        bends = [clip(bend, -limit, limit) for bend, limit in zip(z, limits, strict=True)]
        hysteresis = sum((k * bend for k, bend in zip(self.stiffness, bends, strict=True)), start=0)
        r = hysteresis * sign(v) / self.strength(v)
        rate = v * (1 - sign(r) * absolute(r) ** self.shape)
        rates = [
            where((bend * rate > 0) & (absolute(bend) >= limit), 0, rate) for bend, limit in zip(z, limits, strict=True)
        ]
        return hysteresis + self.damping * rate + self.viscous * v, rates

    def settled(self, v: Scalar, z: list[Scalar]) -> list[Scalar]:
        """No element is bent beyond its limit."""
        return [maximum(-limit, minimum(limit, bend)) for bend, limit in zip(z, self._limits(), strict=True)]
