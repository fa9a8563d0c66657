"""Wrenches from outside on the frames of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stiction.dynamics import kinematics
from stiction.errors import InputError
from stiction.robot.assembly import Assembly
from stiction.robot.kinematics import frame_index
from stiction.spatial import Vector, Wrench
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


class ExternalWrenches:
    """Wrenches from outside on frames: what a computation needs to take them.

    Args:
        robot: the robot on which they act.
        wrenches: moment [N·m] about the frame's origin and force [N], (..., 6), by frame or link; None for none.
        axes: in which they are given: "body" (the frame's own) or "aligned" (the world's).

    Attributes:
        values: the wrenches, one array per port.
        ports: their ports.
        options: tells apart programs with wrenches on other frames, or in other axes.
    """

    def __init__(self, robot: Any, wrenches: Mapping[str, Any] | None, axes: str) -> None:
        if axes not in ("body", "aligned"):
            raise InputError(f"wrench_axes is {axes!r}; allowed: 'body', 'aligned'")
        if wrenches is not None and not isinstance(wrenches, Mapping):
            given = type(wrenches).__name__
            raise InputError(f"wrenches is a {given}; allowed: a dict from frame names to arrays (..., 6)")
        self.frames = tuple(wrenches or ())
        self.values = tuple((wrenches or {}).values())
        self.axes = axes
        self.ports = tuple(Port(f"wrench on {frame}", (6,), "N·m, N") for frame in self.frames)
        self.options = (tuple(frame_index(robot, frame) for frame in self.frames), axes) if wrenches else ()

    @staticmethod
    def of(robot: Robot, wrenches: Mapping[str, Any] | None, axes: str) -> ExternalWrenches:
        """These wrenches; one object for all calls without any."""
        return NO_WRENCHES if wrenches is None and axes == "body" else ExternalWrenches(robot, wrenches, axes)

    def on_bodies(self, assembly: Assembly, q: list, values: tuple) -> dict[int, Wrench]:
        """The wrench on each body that has one, in the body's frame, from the traced values of the ports."""
        total: dict[int, Wrench] = {}
        for frame, value in zip(self.frames, values, strict=True):
            attachment, wrench = assembly.attachments[frame], Wrench(Vector(*value[:3]), Vector(*value[3:]))
            if self.axes == "aligned":
                back = kinematics.frame_pose(assembly.mechanism, attachment, q).rotation.T
                wrench = Wrench(back @ wrench.moment, back @ wrench.force)
            body = attachment.body
            if body >= 0:
                moved = attachment.pose.wrench_out(wrench)
                total[body] = total[body] + moved if body in total else moved
        return total


NO_WRENCHES = ExternalWrenches(None, None, "body")
