"""What constraints between frames read: where the frames are, and how they move."""

from collections.abc import Sequence
from dataclasses import dataclass

from stiction.constraint.constraint import WORLD, Constraint
from stiction.fields import texts
from stiction.parts.kinds import Ports
from stiction.spatial import IDENTITY, ZERO, Matrix, Pose, Twist, Vector


@dataclass(frozen=True, kw_only=True)
class FrameConstraint(Constraint):
    """A constraint between two frames of robots or bodies, or of one with the world.

    Attributes:
        between: the two ends: links or frames of robots, such as "robot.link3", free or fixed bodies, or "world".
    """

    described = ("between",)
    alike = True

    between: Sequence[str] = texts()

    @property
    def frames(self) -> Sequence[str]:
        """Its ends."""
        return self.between

    def conflicts(self) -> Sequence:
        """It has two ends, of which one may be the world."""
        ends = len(self.between) == 2 and self.between[0] not in (WORLD, self.between[1])
        why = (
            f"between is {tuple(self.between)!r}; allowed: two different frames or bodies, such as "
            "('robot.link3', 'robot.link1'), of which the second may be 'world'"
        )
        return [(not ends, why)]

    def pose(self, motion: Ports, end: str) -> Pose:
        """Where an end is."""
        if f"{end}_position" not in motion:
            return Pose(IDENTITY, ZERO)
        return Pose(Matrix.of_numbers(motion[f"{end}_rotation"]), Vector(*motion[f"{end}_position"]))

    def twist(self, motion: Ports, end: str) -> Twist:
        """How its origin moves, and how it turns, in the world's axes."""
        return Twist(Vector(*motion[f"{end}_angular"]), Vector(*motion[f"{end}_velocity"]))
