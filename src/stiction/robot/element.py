"""What a robot's description is made of: checked when it is made, refused by name."""

from typing import ClassVar

from stiction.errors import RobotError, StictionError
from stiction.fields import Validated


class Element(Validated):
    """A robot or a part of its description; errors name it."""

    error: ClassVar[type[StictionError]] = RobotError

    def refusal(self, why: str) -> StictionError:
        """The error that says why: "joint 'elbow': ..." or, without a name, "Limits: ..."."""
        kind, name = type(self).__name__, getattr(self, "name", None)
        return self.error(f"{kind}: {why}" if name is None else f"{kind.lower()} '{name}': {why}")
