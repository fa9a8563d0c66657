"""Where the links of a robot are and how fast they move: poses, twists, Jacobians.

Frames are named: links, and the frames fixed to them. These functions are methods of `Robot`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import kinematics
from stiction.dynamics.kinematics import Attachment
from stiction.errors import InputError, unknown
from stiction.robot.assembly import Assembly
from stiction.robot.ports import positions, velocities
from stiction.robot.programs import Computation, Parameters, compute
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def pose(robot: Robot, q: Any, frame: str, *, parameters: Parameters = None, threads: int | None = 1) -> np.ndarray:
    """Pose of a frame or link in the world, as homogeneous matrices (..., 4, 4): rotation [1] and position [m].

    Example:
        >>> import stiction
        >>> arm = stiction.library.two_link()
        >>> arm.pose([0.0, 0.0], "tip")[:3, 3].tolist()
        [0.2, 0.0, 0.0]
    """

    def function(assembly: Assembly, attachment: Attachment, q: list) -> tuple:
        X = kinematics.frame_pose(assembly.mechanism, attachment, q)
        return ([[*row, p] for row, p in zip(X.rotation, X.position, strict=True)] + [[0, 0, 0, 1]],)

    output = Port("pose", (4, 4), "1, m")
    return _of_frame(robot, "pose", frame, "", function, output, (q,), parameters, threads)


def twist(
    robot: Robot,
    q: Any,
    v: Any,
    frame: str,
    *,
    axes: str = "aligned",
    parameters: Parameters = None,
    threads: int | None = 1,
) -> np.ndarray:
    """Twist of a frame, (..., 6): angular velocity [rad/s], then linear [m/s].

    Args:
        robot: the robot.
        q: positions [rad or m], (..., nq).
        v: velocities [rad/s or m/s], (..., nv).
        frame: name of a frame or link.
        axes: "aligned": of the frame's origin, in the world's axes; "body": of the frame's origin, in its own axes;
            "world": of the point that passes through the world's origin, in the world's axes.
        parameters: parameters to replace.
        threads: how many share a batch.

    Example:
        >>> import stiction
        >>> arm = stiction.library.two_link()
        >>> arm.twist([0.0, 0.0], [1.0, 0.0], "tip").tolist()
        [0.0, 0.0, 1.0, 0.0, 0.2, 0.0]
    """
    _check_axes(axes)

    def function(assembly: Assembly, attachment: Attachment, q: list, v: list) -> tuple:
        return (kinematics.frame_twist(assembly.mechanism, attachment, q, v, axes).numbers,)

    output = Port("twist", (6,), "rad/s, m/s")
    return _of_frame(robot, "twist", frame, axes, function, output, (q, v), parameters, threads)


def jacobian(
    robot: Robot,
    q: Any,
    frame: str,
    *,
    axes: str = "aligned",
    parameters: Parameters = None,
    threads: int | None = 1,
) -> np.ndarray:
    """The matrix that takes velocities to the twist of a frame, (..., 6, nv) [1, m]; `axes` as in `twist`.

    Example:
        >>> import stiction
        >>> stiction.library.two_link().jacobian([0.0, 0.0], "tip")[4].tolist()
        [0.2, 0.1]
    """
    _check_axes(axes)

    def function(assembly: Assembly, attachment: Attachment, q: list) -> tuple:
        return (kinematics.jacobian(assembly.mechanism, attachment, q, axes),)

    output = Port("J", (6, robot.nv), "1, m")
    return _of_frame(robot, "jacobian", frame, axes, function, output, (q,), parameters, threads)


def jacobian_rate(
    robot: Robot,
    q: Any,
    v: Any,
    frame: str,
    *,
    axes: str = "aligned",
    parameters: Parameters = None,
    threads: int | None = 1,
) -> np.ndarray:
    """Rate of change of `jacobian` along the motion, (..., 6, nv) [1/s, m/s].

    Example:
        >>> import stiction
        >>> stiction.library.two_link().jacobian_rate([0.0, 0.0], [1.0, 0.0], "tip")[3].tolist()
        [-0.2, -0.1]
    """
    _check_axes(axes)

    def function(assembly: Assembly, attachment: Attachment, q: list, v: list) -> tuple:
        return (kinematics.jacobian_rate(assembly.mechanism, attachment, q, v, axes),)

    output = Port("dJ", (6, robot.nv), "1/s, m/s")
    return _of_frame(robot, "jacobian_rate", frame, axes, function, output, (q, v), parameters, threads)


def position_rates(robot: Robot, q: Any, v: Any, *, threads: int | None = 1) -> np.ndarray:
    """Rates of change of the positions, q̇ = N(q) v, (..., nq) [rad/s, m/s or 1/s]; v unless there are quaternions.

    Example:
        >>> import stiction
        >>> stiction.library.two_link().position_rates([0.0, 0.0], [1.0, 2.0]).tolist()
        [1.0, 2.0]
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list) -> tuple:
            return (assembly.mechanism.position_rates(q, v),)

        return Computation((positions(robot), velocities(robot)), (Port("rates", (robot.nq,)),), function)

    return compute(robot, "position_rates", (), make, (q, v), None, threads)[0]


def _of_frame(
    robot: Robot,
    name: str,
    frame: str,
    axes: str,
    function: Callable[..., tuple],
    output: Port,
    signals: tuple,
    parameters: Parameters,
    threads: int | None,
) -> np.ndarray:
    """Compute something of a frame: `function` takes the assembly, what the frame is attached to, and the signals."""
    options = (frame_index(robot, frame), axes)

    def make() -> Computation:
        inputs = (positions(robot), velocities(robot))[: len(signals)]
        return Computation(inputs, (output,), lambda r, *x: function(r, r.attachments[frame], *x))

    return compute(robot, name, options, make, signals, parameters, threads)[0]


def _check_axes(axes: str) -> None:
    if axes not in kinematics.AXES:
        raise InputError(f"axes is {axes!r}; allowed: {', '.join(map(repr, kinematics.AXES))}")


def frame_index(robot: Robot, frame: str) -> int:
    """The place of a frame among the robot's links and frames: the same for all robots that share a program."""
    names = list(robot.assembly.attachments)
    if not isinstance(frame, str) or frame not in names:
        raise InputError(unknown("frame", frame, f"robot '{robot.name}'", names))
    return names.index(frame)
