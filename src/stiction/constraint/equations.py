"""Equations between joints: one that follows another, b(q) = 0 and A(q) q̇ = 0 of one's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from stiction.constraint.constraint import CONSTRAINTS, Constraint
from stiction.constraint.surface import called
from stiction.fields import functions, number, text, texts
from stiction.parts.kinds import Ports
from stiction.trace.functions import Scalar
from stiction.trace.structure import flat

TRIAL = (0.1, 0.2, 0.3, 0.15, 0.25, 0.35)  # positions for which a function is tried


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class Follow(Constraint):
    """A joint that follows another: q = ratio · q_of + offset. A belt, a pair of gears, the second finger of a gripper;
    `Mimic` of robots' descriptions becomes this.

    Signal: "constraint.NAME.torque" [N·m or N], which it takes from the joint that follows.

    Attributes:
        joint: the joint that follows.
        of: the joint that it follows.
        ratio: of their velocities.
        offset: position where the other is at 0 [rad or m].

    Example:
        >>> import stiction
        >>> stiction.Follow(joint="right", of="left", ratio=-1.0).gaps({"q": [0.2, -0.2]})
        [0.0]
    """

    units = {"torque": "N·m or N"}
    multipliers = ("torque",)
    described = ("joint", "of")

    joint: str = text()
    of: str = text()
    ratio: float = number(1.0)
    offset: float = number(0.0)

    @property
    def joints(self) -> Sequence[str]:
        """Both."""
        return (self.joint, self.of)

    def conflicts(self) -> Sequence:
        """Two joints."""
        return [(self.joint == self.of, f"joint and of are both '{self.joint}'; allowed: two joints")]

    def gaps(self, motion: Ports) -> list[Scalar]:
        """From where it should be to where it is."""
        q, leader = motion["q"]
        return [q - self.ratio * leader - self.offset]


@dataclass(frozen=True, kw_only=True)
class JointEquations(Constraint):
    """What equations between joints have in common."""

    described = ("joints",)
    units = {"force": "N·m or N"}

    joints: Sequence[str] = texts()

    def _count_rows(self) -> None:
        trial = [TRIAL[k % len(TRIAL)] for k in range(len(self.joints))]
        count = self._rows_for(trial)
        names = ("force",) if count == 1 else tuple(f"force.{k + 1}" for k in range(count))
        self._set("multipliers", names)

    def _rows_for(self, trial: Sequence[float]) -> int:
        """How many equations there are."""
        raise NotImplementedError

    def arguments_of(self, field: str) -> int:
        """A position for each joint."""
        return len(self.joints)

    def conflicts(self) -> Sequence:
        """Some joints, each once."""
        twice = len(set(self.joints)) < len(self.joints) or not self.joints
        return [(twice, f"joints is {tuple(self.joints)!r}; allowed: names of joints, each once")]


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class Holonomic(JointEquations):
    """Equations b(q) = 0 between positions of joints.

    Signals: "constraint.NAME.force", or ".force.1" …: the multipliers λ; −λ ∂b/∂q acts on the joints.

    Attributes:
        joints: whose positions the equations take, in this order.
        equations: b of these positions [rad or m]: a function that uses `stiction.trace` and gives a number or a list
            of them; or a list of such functions. In files: formulas of q1, q2, ….

    Example:
        >>> import stiction
        >>> from stiction.trace import sin
        >>> cam = stiction.Holonomic(joints=("turn", "lift"), equations=lambda turn, lift: lift - 0.02 * sin(turn))
        >>> cam.multipliers
        ('force',)
    """

    folded = ("equations",)

    equations: Callable[..., Any] | Sequence[Callable[..., Any]] = functions()

    def _rows_for(self, trial: Sequence[float]) -> int:
        return len(called(self._values, trial, "Holonomic: equations", "of the positions of its joints"))

    def _values(self, *q: Scalar) -> list[Scalar]:
        return flat(_valued(self.equations, q))

    def gaps(self, motion: Ports) -> list[Scalar]:
        """The values of the equations."""
        return self._values(*motion["q"])


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class Pfaffian(JointEquations):
    """Equations A(q) q̇ = 0 between velocities of joints, which need not follow from any of positions: a skate, a wheel
    that steers.

    Signals: "constraint.NAME.force", or ".force.1" …: the multipliers λ; −Aᵀλ acts on the joints.

    Attributes:
        joints: whose positions and velocities it is about, in this order.
        coefficients: A of the positions: a function that uses `stiction.trace` and gives a coefficient for each joint,
            or a list of such rows; or a list of numbers and functions. In files: formulas of q1, q2, ….

    Example:
        >>> import stiction
        >>> from stiction.trace import cos, sin
        >>> skate = stiction.Pfaffian(joints=("x", "y", "turn"), coefficients=lambda x, y, a: [sin(a), -cos(a), 0])
        >>> skate.multipliers
        ('force',)
    """

    folded = ("coefficients",)

    coefficients: Callable[..., Any] | Sequence[Callable[..., Any] | float] = functions()

    def _rows_for(self, trial: Sequence[float]) -> int:
        words = "of the positions of its joints that gives a coefficient for each"
        rows = called(self._rows, trial, "Pfaffian: coefficients", words)
        if any(len(row) != len(trial) for row in rows):
            raise self.refusal(
                f"coefficients gives rows of {[len(row) for row in rows]} numbers; allowed: one for each of the "
                f"{len(trial)} joints"
            )
        return len(rows)

    def _rows(self, *q: Scalar) -> list[list[Scalar]]:
        found = _valued(self.coefficients, q)
        return [list(row) for row in found] if isinstance(found[0], (list, tuple)) else [list(found)]

    def velocities(self, motion: Ports) -> list[Scalar]:
        """A q̇."""
        rows = self._rows(*motion["q"])
        return [sum((a * v for a, v in zip(row, motion["v"], strict=True)), start=0) for row in rows]


def _valued(given: Any, q: Sequence[Scalar]) -> Any:
    """What a function, or a list of functions and numbers, gives."""
    if callable(given):
        return given(*q)
    return [_valued(x, q) for x in given] if isinstance(given, (list, tuple)) else given
