"""What the machines of the library are put together with."""

from collections.abc import Sequence
from typing import Any

from stiction.errors import RobotError
from stiction.fields import argument
from stiction.robot.joint import Joint
from stiction.robot.link import Link
from stiction.robot.origin import Origin


def checked(owner: str, name: str, value: Any, field: Any) -> Any:
    """An argument of a machine, by the rule of a field."""
    return argument(owner, name, value, field, RobotError)


def in_series(
    links: Sequence[Link], kind: str, axes: Sequence[Sequence[float]], offsets: Sequence[Sequence[float]]
) -> list[Joint]:
    """Joints that carry each link by the one before it: their axes, and where they stand in the link before [m]."""
    return [
        Joint(
            name=f"joint{k + 1}",
            kind=kind,
            parent=links[k].name,
            child=links[k + 1].name,
            axis=axis,
            origin=Origin(xyz=offset),
        )
        for k, (axis, offset) in enumerate(zip(axes, offsets, strict=True))
    ]
