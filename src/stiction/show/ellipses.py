"""Ellipses and ellipsoids of a robot, drawn at its tool, or by themselves in the space of its torques."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.robot.ellipsoid import Ellipsoid
from stiction.robot.robot import Robot
from stiction.show.figure import COLORS, check, leave_open, save, style, subplots

SIZE = 0.25  # of an ellipse, over the size of the arm
AXES = "xyz"
UNITS = {"torque": "N·m or N", "mass": "N at 1 m/s²", "velocity": "m/s at 1 rad/s"}


def plot_ellipses(
    robot: Robot,
    q: Any,
    kind: str = "mass",
    frame: str | None = None,
    directions: Sequence[str] = ("x", "y"),
    path: str | Path | None = None,
    title: str = "",
) -> Any:
    """Draw the ellipses of a robot at some positions, or its ellipsoids where three directions are given.

    At a tool they are drawn with the arm, all to one scale, which the figure tells; those of torques by themselves.

    Args:
        robot: the robot.
        q: positions [rad or m], (nq,) or several, (m, nq).
        kind: "torque", "mass" or "velocity", as `robot.ellipsoid` has them.
        frame: the tool.
        directions: two or three of "x", "y" and "z".
        path: of the file to write; its ending chooses the format.
        title: of the figure.

    Returns:
        The matplotlib figure.

    Example:
        >>> import stiction
        >>> arm = stiction.library.two_link(lengths=(1.0, 1.0))
        >>> figure = stiction.plot_ellipses(arm, [[0.2, 1.4], [0.9, 0.6]], "mass", "tip")
        >>> [figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()]
        ['x [m]', 'y [m]']
    """
    if path is not None:
        check(Path(path))
    poses = np.atleast_2d(np.asarray(q, float))
    at_tool = kind != "torque"
    if poses.ndim != 2 or not len(poses):
        raise InputError(f"q has the shape {np.shape(q)}; allowed: ({robot.nq},), or (m, {robot.nq}) of some positions")
    if at_tool and (len(directions) not in (2, 3) or any(x not in AXES for x in directions)):
        raise InputError(f"directions is {directions!r}; a figure has two or three of x, y and z")
    found = [robot.ellipsoid(x, kind, frame, directions) for x in poses]
    if not at_tool and robot.nv not in (2, 3):
        raise InputError(f"robot '{robot.name}' has {robot.nv} velocities; ellipsoids of 2 and 3 can be drawn")
    with style():
        dimension = len(found[0].radii)
        options: dict[str, Any] = {"subplot_kw": {"projection": "3d"}} if dimension == 3 else {}
        picture, ax = subplots(1, 6.0, 7.0, **options)
        scale = _scale(found) if at_tool else 1.0
        for k, (shape, pose) in enumerate(zip(found, poses, strict=True)):
            color = COLORS[k % len(COLORS)]
            places = [AXES.index(x) for x in directions] if at_tool else []
            around = shape.center[places] if at_tool else np.zeros(dimension)
            if at_tool:
                arm = _arm(robot, pose, str(frame))[:, places]
                ax.plot(*arm.T, "-o", color=color, markersize=3, linewidth=2, alpha=0.7)
            _draw(ax, around + scale * shape.points(60), color)
        _tell(ax, found[0], scale, title, directions)
    if path is None:
        leave_open(picture)
    else:
        save(picture, Path(path))
    return picture


def _draw(ax: Any, points: np.ndarray, color: str) -> None:
    if points.ndim == 2:
        ax.fill(*points.T, color=color, alpha=0.15)
        ax.plot(*points.T, color=color)
    else:
        ax.plot_wireframe(*np.moveaxis(points, -1, 0), color=color, linewidth=0.4, rstride=4, cstride=4)


def _tell(ax: Any, shape: Ellipsoid, scale: float, title: str, directions: Sequence[str]) -> None:
    """Labels, one scale for all axes, and the size of the ellipses."""
    at_tool = shape.kind != "torque"
    labels = [f"{x} [m]" for x in directions] if at_tool else [f"{x} [{UNITS['torque']}]" for x in shape.labels]
    for set_label, label in zip((ax.set_xlabel, ax.set_ylabel, getattr(ax, "set_zlabel", None)), labels, strict=False):
        set_label(label)
    ax.set_aspect("equal")
    size = f"; 1 m of an ellipse is {1 / scale:.3g} {UNITS[shape.kind]}" if at_tool else " of unit accelerations"
    ax.set_title((title or f"{shape.kind} {'ellipse' if len(shape.radii) == 2 else 'ellipsoid'}") + size, fontsize=10)


def _arm(robot: Robot, q: np.ndarray, frame: str) -> np.ndarray:
    """Points of the arm from its base to the tool, (m, 3)."""
    parents = {joint.child: joint for joint in robot.joints}
    owner = next((x.link for x in robot.frames if x.name == frame), frame)
    names = [frame]
    while owner in parents:
        names.append(owner)
        owner = parents[owner].parent
    names.append(owner)
    return np.array([robot.pose(q, name)[:3, 3] for name in reversed(names)])


def _scale(found: Sequence[Ellipsoid]) -> float:
    """Metres of the figure for a unit of the ellipses."""
    reach = max(float(np.linalg.norm(shape.center)) for shape in found) or 1.0
    largest = max(float(shape.radii.max()) for shape in found)
    return SIZE * reach / largest
