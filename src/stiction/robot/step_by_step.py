"""Inverse dynamics step by step, to look at: what each link does and what each joint carries (course, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.dynamics.newton_euler import Motion, collect
from stiction.dynamics.sweep import Sweep
from stiction.errors import InputError
from stiction.fields import shortened
from stiction.robot.ports import GRAVITY
from stiction.robot.wrenches import ExternalWrenches
from stiction.spatial import Vector

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


class LinkStep(NamedTuple):
    """A link in the recursion; twists and wrenches are in its own frame, angular part first.

    Attributes:
        link: its name.
        joint: the joint that moves it.
        twist: V [rad/s, m/s], (6,).
        acceleration: V̇ [rad/s², m/s²], (6,), gravity included as an acceleration of the base upward.
        load: wrench that its own motion takes, G V̇ − ad(V)ᵀ G V [N·m, N], (6,).
        wrench: what its joint carries: its load and those of all links beyond [N·m, N], (6,).
        torque: of its joint, the part of that wrench along the joint [N·m or N], one for each velocity; rotors aside.
    """

    link: str
    joint: str
    twist: np.ndarray
    acceleration: np.ndarray
    load: np.ndarray
    wrench: np.ndarray
    torque: np.ndarray


class StepByStep(NamedTuple):
    """The recursion of Newton and Euler, link by link from the base; it prints as a table.

    Attributes:
        links: the links that move.
        torque: of all joints [N·m or N], (nv,), with what the rotors take.
    """

    links: Sequence[LinkStep]
    torque: np.ndarray

    def __str__(self) -> str:
        rows = [["link", "", "angular x", "y", "z", "linear x", "y", "z", "torque"]]
        for step in self.links:
            torques = ", ".join(f"{x:.4g}" for x in step.torque)
            words = {"V": step.twist, "V̇": step.acceleration, "load": step.load, "F": step.wrench}
            for k, (word, numbers) in enumerate(words.items()):
                cells = [f"{x:.4g}" for x in numbers + 0.0]
                rows.append([step.link if k == 0 else "", word, *cells, torques if word == "F" else ""])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def newton_euler(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *,
    gravity: Any = GRAVITY,
    wrenches: Mapping[str, Any] | None = None,
    wrench_axes: str = "body",
) -> StepByStep:
    """Inverse dynamics of one motion, step by step: twists and accelerations from the base outward, wrenches and
    torques from the tips inward.

    Args:
        robot: the robot.
        q: positions [rad or m], (nq,).
        v: velocities [rad/s or m/s], (nv,).
        a: accelerations [rad/s² or m/s²], (nv,).
        gravity: acceleration of free fall [m/s²], (3,).
        wrenches: wrench from outside on frames or links, by name, (6,), as `inverse_dynamics` takes them: the load of
            a link is what its motion takes, less this.
        wrench_axes: axes of these wrenches: "body" or "aligned".

    Example:
        >>> import stiction
        >>> arm = stiction.library.two_link(lengths=(1.0, 1.0))
        >>> print(arm.newton_euler([0, 0], [0, 1], [0, 0], gravity=(0, 0, 0)))
             link        angular x  y  z  linear x  y  z  torque
        upper_arm     V          0  0  0         0  0  0
                      V̇          0  0  0         0  0  0
                   load          0  0  0         0  0  0
                      F          0  0  0        -1  0  0       0
          forearm     V          0  0  1         0  0  0
                      V̇          0  0  0         0  0  0
                   load          0  0  0        -1  0  0
                      F          0  0  0        -1  0  0       0
    """
    given = [
        _numbers(*x) for x in (("q", q, robot.nq), ("v", v, robot.nv), ("a", a, robot.nv), ("gravity", gravity, 3))
    ]
    positions, velocities, accelerations, fall = given
    m, totals = robot.mechanism, {}
    if len(m.bodies) != len(robot.moving_joints):
        raise InputError(
            f"robot '{robot.name}' has joints that are several in the recursion (floating, planar or universal); "
            "allowed: revolute, continuous, prismatic and spherical joints"
        )
    s = Sweep(m, [*positions, *velocities, *accelerations], turned=True)
    motion = Motion(s, positions, velocities, accelerations, Vector(*fall))
    outer = ExternalWrenches.of(robot, wrenches, wrench_axes)
    pushes = [_numbers(f"wrenches['{frame}']", x, 6) for frame, x in zip(outer.frames, outer.values, strict=True)]
    loads = motion.loads(outer.on_bodies(robot.assembly, positions, tuple(pushes)))
    torque = np.array(collect(s, motion.placed, loads, lambda body, total: totals.update({body.index: total})), float)
    own = torque.copy() if m.rotors is None else torque + np.array(m.rotor_torque(accelerations), float)
    found = []
    for joint, body in zip(robot.moving_joints, m.bodies, strict=True):
        parts = (motion.V[body.index], motion.A[body.index], loads[body.index], totals[body.index])
        V, A, load, wrench = (np.array(x.numbers, float) for x in parts)
        found.append(LinkStep(joint.child, joint.name, V, A, load, wrench, torque[list(body.velocities)]))
    return StepByStep(found, own)


def _numbers(what: str, value: Any, size: int) -> list[float]:
    """Finite numbers of one motion."""
    try:
        x = np.asarray(value, float)
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.shape != (size,) or not np.isfinite(x).all():
        raise InputError(f"{what} is {shortened(repr(value))}; allowed: {size} finite numbers, of one motion")
    return [float(y) for y in x]
