"""How a robot moves: inverse and forward dynamics, and the matrices of its equations.

All arrays may have leading axes: (..., nq) for positions, (..., nv) for velocities. `gravity` is the acceleration of
free fall [m/s²] in the world. `parameters` replaces parameters of the robot, by name (see `Robot.parameters`), by
arrays over the leading axes. `threads` is how many threads share a batch; None takes all cores. These functions are
methods of `Robot`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import articulated_body, composite_body, coriolis, newton_euler
from stiction.errors import InputError
from stiction.robot.assembly import Assembly
from stiction.robot.ports import ACCELERATION, GRAVITY, TORQUE, checked_gravity, gravity_port, positions, velocities
from stiction.robot.programs import Computation, Parameters, compute
from stiction.robot.quick import quick
from stiction.robot.wrenches import ExternalWrenches
from stiction.spatial import Vector
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

COMPOSITE_UP_TO = 12  # velocities; above, articulated bodies need fewer operations
FORWARD_DYNAMICS = {  # by method
    "composite": composite_body.forward_dynamics,
    "articulated": articulated_body.forward_dynamics,
    "columns": composite_body.forward_dynamics_by_columns,
}
INERTIA = "kg m², kg m, kg"


@quick(fixed=(GRAVITY,))
def inverse_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *,
    gravity: Any = GRAVITY,
    wrenches: Mapping[str, Any] | None = None,
    wrench_axes: str = "body",
    parameters: Parameters = None,
    threads: int | None = 1,
) -> np.ndarray:
    """Joint torques [N·m or N], (..., nv), that produce the accelerations `a` (Newton–Euler). No friction.

    Args:
        robot: the robot.
        q: positions [rad or m], (..., nq).
        v: velocities [rad/s or m/s], (..., nv).
        a: accelerations [rad/s² or m/s²], (..., nv).
        gravity: acceleration of free fall [m/s²], (3,).
        wrenches: wrench from outside on frames or links, by name, (..., 6): moment [N·m] about the frame's origin,
            force [N].
        wrench_axes: axes of these wrenches: "body" (the frame's own) or "aligned" (the world's).
        parameters: parameters to replace.
        threads: how many share a batch.

    Example:
        >>> import stiction
        >>> arm = stiction.library.puma560()
        >>> q = [0, 0.785398163, 3.14159265, 0, 0.785398163, 0]
        >>> arm.inverse_dynamics(q, [0] * 6, [0] * 6)[1:3].round(3).tolist()
        [31.64, 6.035]
    """
    outer = ExternalWrenches.of(robot, wrenches, wrench_axes)

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, a: list, g: list, *loads: list) -> tuple:
            pushes = outer.on_bodies(assembly, q, loads)
            return (newton_euler.inverse_dynamics(assembly.mechanism, q, v, a, Vector(*g), pushes),)

        inputs = (positions(robot), velocities(robot), velocities(robot, "a", ACCELERATION), gravity_port())
        return Computation((*inputs, *outer.ports), (velocities(robot, "torque", TORQUE),), function)

    signals = (q, v, a, checked_gravity(gravity), *outer.values)
    return compute(robot, "inverse_dynamics", outer.options, make, signals, parameters, threads)[0]


@quick(options=lambda robot: (robot.forward_method, ()), fixed=(GRAVITY,))
def forward_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    torque: Any,
    *,
    gravity: Any = GRAVITY,
    wrenches: Mapping[str, Any] | None = None,
    wrench_axes: str = "body",
    method: str = "auto",
    parameters: Parameters = None,
    threads: int | None = 1,
) -> np.ndarray:
    """Accelerations [rad/s² or m/s²], (..., nv), under joint torques. No friction.

    Args:
        robot: the robot.
        q: positions [rad or m], (..., nq).
        v: velocities [rad/s or m/s], (..., nv).
        torque: joint torques [N·m or N], (..., nv).
        gravity: acceleration of free fall [m/s²], (3,).
        wrenches: wrench from outside on frames or links, as in `inverse_dynamics`.
        wrench_axes: axes of these wrenches.
        method: "composite" (mass matrix and its factors), "articulated" (linear in the number of joints), "columns"
            (n + 1 times inverse dynamics), or "auto": the faster of the first two.
        parameters: parameters to replace.
        threads: how many share a batch.

    Example:
        >>> import stiction
        >>> stiction.library.pendulum(1).forward_dynamics([0.0], [0.0], [0.5], gravity=(0, 0, 0)).round(6).tolist()
        [0.5]
    """
    chosen = robot.forward_method if method == "auto" else method
    if chosen not in FORWARD_DYNAMICS:
        raise InputError(f"method is {method!r}; allowed: 'auto', {', '.join(map(repr, FORWARD_DYNAMICS))}")
    if chosen == "articulated" and robot.coupling:
        raise InputError(
            f"robot '{robot.name}' has coupled rotors, which articulated bodies cannot take; use method='composite'"
        )
    outer = ExternalWrenches.of(robot, wrenches, wrench_axes)

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, torque: list, g: list, *loads: list) -> tuple:
            pushes = outer.on_bodies(assembly, q, loads)
            return (FORWARD_DYNAMICS[chosen](assembly.mechanism, q, v, torque, Vector(*g), pushes),)

        inputs = (positions(robot), velocities(robot), velocities(robot, "torque", TORQUE), gravity_port())
        return Computation((*inputs, *outer.ports), (velocities(robot, "a", ACCELERATION),), function)

    signals = (q, v, torque, checked_gravity(gravity), *outer.values)
    return compute(robot, "forward_dynamics", (chosen, outer.options), make, signals, parameters, threads)[0]


@quick()
def mass_matrix(robot: Robot, q: Any, *, parameters: Parameters = None, threads: int | None = 1) -> np.ndarray:
    """The mass matrix M(q) [kg m², kg m, kg], (..., nv, nv), rotors included.

    Example:
        >>> import stiction
        >>> stiction.library.pendulum(1).mass_matrix([0.3]).round(6).tolist()
        [[1.0]]
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list) -> tuple:
            return (composite_body.mass_matrix(assembly.mechanism, q).value,)

        return Computation((positions(robot),), (Port("M", (robot.nv, robot.nv), INERTIA),), function)

    return compute(robot, "mass_matrix", (), make, (q,), parameters, threads)[0]


@quick()
def coriolis_matrix(
    robot: Robot, q: Any, v: Any, *, parameters: Parameters = None, threads: int | None = 1
) -> np.ndarray:
    """The Coriolis matrix C(q, v) of the Christoffel symbols [kg m²/s, kg m/s, kg/s], (..., nv, nv).

    C v are the velocity terms of the torques, and Ṁ − 2C is skew.

    Example:
        >>> import stiction
        >>> stiction.library.two_link().coriolis_matrix([0.1, 0.5], [1.0, 2.0]).round(4).tolist()
        [[-0.0096, -0.0144], [0.0048, 0.0]]
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list) -> tuple:
            return (coriolis.coriolis_matrix(assembly.mechanism, q, v),)

        matrix = Port("C", (robot.nv, robot.nv), "kg m²/s")
        return Computation((positions(robot), velocities(robot)), (matrix,), function)

    return compute(robot, "coriolis_matrix", (), make, (q, v), parameters, threads)[0]


@quick(fixed=(GRAVITY,))
def gravity_torque(
    robot: Robot, q: Any, *, gravity: Any = GRAVITY, parameters: Parameters = None, threads: int | None = 1
) -> np.ndarray:
    """Joint torques [N·m or N], (..., nv), that hold the robot against gravity.

    Example:
        >>> import stiction
        >>> stiction.library.pendulum(1).gravity_torque([1.5707963267948966]).round(6).tolist()
        [9.81]
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list, g: list) -> tuple:
            rest = [0] * robot.nv
            return (newton_euler.inverse_dynamics(assembly.mechanism, q, rest, rest, Vector(*g)),)

        return Computation((positions(robot), gravity_port()), (velocities(robot, "torque", TORQUE),), function)

    return compute(robot, "gravity_torque", (), make, (q, checked_gravity(gravity)), parameters, threads)[0]
