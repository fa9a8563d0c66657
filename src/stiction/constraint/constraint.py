"""Constraints: motion that is kept, whatever force it takes.

    b(q) = 0          holonomic: a gap for each row; A = ∂b/∂q follows from it
    A(q) v = 0        Pfaffian: a velocity for each row, linear in v, that no gap belongs to
    M v̇ + bias + Aᵀ λ = pushes        course.md, section 7

A constraint reads how bodies move; its forces −Aᵀλ act along the rows themselves, without wires. Its states and outputs
are the multipliers λ, as means over the last step: what a force sensor would tell.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from stiction.errors import StictionError
from stiction.parts.kinds import Impedance, Ports
from stiction.registry import Registry
from stiction.trace.functions import Scalar

CONSTRAINTS = Registry("constraint")
WORLD = "world"  # the end that does not move
ENDS = ("first", "second")
POSE = {"position": 3, "rotation": 9}
TWIST = {"velocity": 3, "angular": 3}


class ConstraintError(StictionError):
    """A constraint cannot be kept as it is described."""


class Constraint(Impedance):
    """What all constraints have. One of your own is such a class:

        >>> from dataclasses import dataclass
        >>> from stiction.constraint import Constraint
        >>> @dataclass(frozen=True, kw_only=True)
        ... class SameHeight(Constraint):
        ...     joints = ("left", "right")
        ...     multipliers = ("force",)
        ...     def gaps(self, motion):
        ...         left, right = motion["q"]
        ...         return [left - right]
        >>> SameHeight().gaps({"q": [0.5, 0.25]})
        [0.25]

    Attributes:
        multipliers: a name for each row, first those with gaps, then those of velocities alone.
        joints: whose positions and velocities it reads, as the ports "q" and "v".
        frames: frames of robots and bodies that it reads, as the ports "first_position", "first_rotation",
            and where it keeps velocities "first_velocity" and "first_angular"; likewise "second_…". "world" has none.
        alike: whether its rows have one unit, so that what is small among them counts as 0.
    """

    error = ConstraintError
    settable = False
    lone = True
    joints: Sequence[str] = ()
    frames: Sequence[str] = ()
    multipliers: Sequence[str] = ()
    alike: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._count_rows()
        joints = dict.fromkeys(("q", "v") if self.keeps_velocities else ("q",), len(self.joints))
        seen = {**POSE, **(TWIST if self.keeps_velocities else {})}
        ends = [word for word, name in zip(ENDS, self.frames, strict=False) if name != WORLD]
        frames = {f"{word}_{port}": n for word in ends for port, n in seen.items()}
        self._set("inputs", (joints if self.joints else {}) | frames)
        self._set("outputs", dict.fromkeys(self.multipliers, 1))

    def _count_rows(self) -> None:
        """Find the multipliers, where they are not known by the class."""

    def gaps(self, motion: Ports) -> Sequence[Scalar]:
        """b(q) of the first rows, from the positions that it reads."""
        return []

    def velocities(self, motion: Ports) -> Sequence[Scalar]:
        """A(q) v of the rows without gaps."""
        return []

    def misplaced(self, motion: Ports) -> str:
        """Why it is closed at the start as nobody means it; empty if it is not. In numbers."""
        return ""

    @property
    def keeps_velocities(self) -> bool:
        """Whether it has rows without gaps."""
        return type(self).velocities is not Constraint.velocities

    def start(self) -> Mapping[str, float]:
        """The multipliers."""
        return dict.fromkeys(self.multipliers, 0.0)

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, Sequence[Scalar]]:
        """The multipliers of the last step; that they act, methods see to."""
        return {name: [x] for name, x in zip(self.multipliers, own, strict=True)}, [0] * len(own)
