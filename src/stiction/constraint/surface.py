"""A point that stays on a surface."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from stiction.constraint.constraint import CONSTRAINTS, ConstraintError
from stiction.constraint.frames import FrameConstraint
from stiction.fields import instance, numbers
from stiction.parts.kinds import Ports
from stiction.spatial import Vector
from stiction.trace.functions import Scalar
from stiction.trace.structure import flat


@CONSTRAINTS.add
@dataclass(frozen=True, kw_only=True)
class OnSurface(FrameConstraint):
    """A point of the first end stays on a surface f(x, y, z) = 0 of the second, without friction: a tool on a
    workpiece, a pin in a slot.

    Signal: "constraint.NAME.force", over the slope of f: [N] where f is a distance [m].

    Attributes:
        between: the frame that has the point, and what has the surface: a frame, a body, or "world".
        point: in the axes of the first end, from its origin [m].
        surface: f of the point's coordinates in the axes of the second end [m]: a function that uses `stiction.trace`,
            or a `Formula` of x, y and z.

    Example:
        >>> import stiction
        >>> on_ball = stiction.OnSurface(
        ...     between=("robot.tool", "world"), surface=lambda x, y, z: (x * x + y * y + z * z - 0.25) / 2
        ... )
    """

    units = {"force": "N"}
    multipliers = ("force",)

    point: tuple[float, ...] = numbers(3, default=(0.0, 0.0, 0.0))
    surface: Callable[..., Scalar] = instance(Callable, words="a function of x, y and z")

    def __post_init__(self) -> None:
        super().__post_init__()
        found = called(self.surface, (0.1, 0.2, 0.3), "OnSurface: surface", "of x, y and z that gives one number")
        if isinstance(found, (list, tuple)):
            raise self.refusal(f"surface gives {found!r}; allowed: one number")

    def arguments_of(self, field: str) -> int:
        """Three coordinates."""
        return 3

    def gaps(self, motion: Ports) -> list[Scalar]:
        """F at the point."""
        first, second = (self.pose(motion, end) for end in ("first", "second"))
        seen = second.inverse().point(first.point(Vector(*self.point)))
        return [self.surface(*seen)]


def called(function: Any, trial: Sequence[float], what: str, allowed: str) -> Any:
    """What a function of the user's gives for some numbers, if it can be called so."""
    try:
        found = function(*trial)
        _ = [float(x) for x in flat(found)]
    except Exception as problem:
        raise ConstraintError(
            f"{what} cannot be called with {len(trial)} numbers ({type(problem).__name__}: {problem}); "
            f"allowed: a function {allowed}, with the functions of stiction.trace"
        ) from None
    return found
