"""How a robot's dynamics changes with its state and its torques. These functions are methods of `Robot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import articulated_body, composite_body, linearize
from stiction.robot.assembly import Assembly
from stiction.robot.dynamics import FORWARD_DYNAMICS
from stiction.robot.ports import ACCELERATION, GRAVITY, TORQUE, checked_gravity, gravity_port, positions, velocities
from stiction.robot.programs import Computation, Parameters, compute
from stiction.spatial import Vector
from stiction.trace.grid import LOOP_FROM
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

Three = tuple[np.ndarray, np.ndarray, np.ndarray]


def inverse_dynamics_derivatives(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *,
    gravity: Any = GRAVITY,
    parameters: Parameters = None,
    threads: int | None = 1,
) -> Three:
    """Derivatives of `inverse_dynamics` by q (in the tangent space), v and a [SI], (..., nv, nv) each.

    Column j of the first is the change when the positions move with unit velocity j: quaternions turn about the link's
    axes, the position of a floating joint moves along those of the joint's frame.

    Example:
        >>> import stiction
        >>> by_q, by_v, by_a = stiction.library.pendulum(1).inverse_dynamics_derivatives([0.0], [0.0], [0.0])
        >>> by_q.tolist()
        [[9.81]]
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, a: list, g: list) -> tuple:
            by_q, by_v = linearize.inverse_dynamics_derivatives(assembly.mechanism, q, v, a, Vector(*g))
            return by_q, by_v, composite_body.mass_matrix(assembly.mechanism, q).value

        inputs = (positions(robot), velocities(robot), velocities(robot, "a", ACCELERATION), gravity_port())
        return Computation(inputs, _squares(robot, ("q", "v", "a")), function)

    signals = (q, v, a, checked_gravity(gravity))
    return _three(compute(robot, "inverse_dynamics_derivatives", (), make, signals, parameters, threads))


def forward_dynamics_derivatives(
    robot: Robot,
    q: Any,
    v: Any,
    torque: Any,
    *,
    gravity: Any = GRAVITY,
    parameters: Parameters = None,
    threads: int | None = 1,
) -> Three:
    """Derivatives of `forward_dynamics` by q (in the tangent space), v and torque [SI], (..., nv, nv) each.

    Example:
        >>> import stiction
        >>> by_q, by_v, by_torque = stiction.library.pendulum(1).forward_dynamics_derivatives([0.0], [0.0], [0.0])
        >>> by_torque.round(6).tolist()
        [[1.0]]
    """
    if len(robot.mechanism.bodies) >= LOOP_FROM:
        return _forward_dynamics_derivatives(robot, q, v, torque, gravity, parameters, threads)

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, torque: list, g: list) -> tuple:
            return linearize.forward_dynamics_derivatives(assembly.mechanism, q, v, torque, Vector(*g))

        inputs = (positions(robot), velocities(robot), velocities(robot, "torque", TORQUE), gravity_port())
        return Computation(inputs, _squares(robot, ("q", "v", "torque")), function)

    signals = (q, v, torque, checked_gravity(gravity))
    return _three(compute(robot, "forward_dynamics_derivatives", (), make, signals, parameters, threads))


def _forward_dynamics_derivatives(
    robot: Robot, q: Any, v: Any, torque: Any, gravity: Any, parameters: Parameters, threads: int | None
) -> Three:
    """The same for many joints: ∂a = −M⁻¹ ∂τ, by a product of matrices that is none of the program."""

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, torque: list, g: list) -> tuple:
            m, gravity = assembly.mechanism, Vector(*g)
            a = FORWARD_DYNAMICS[robot.forward_method](m, q, v, torque, gravity)
            by_q, by_v = linearize.inverse_dynamics_derivatives(m, q, v, a, gravity)
            if robot.coupling:
                return by_q, by_v, composite_body.mass_matrix(m, q).value
            return by_q, by_v, articulated_body.inverse_mass_matrix(m, q)

        inputs = (positions(robot), velocities(robot), velocities(robot, "torque", TORQUE), gravity_port())
        return Computation(inputs, _squares(robot, ("q", "v", "torque")), function)

    signals = (q, v, torque, checked_gravity(gravity))
    found = compute(robot, "forward_dynamics_derivatives", (), make, signals, parameters, threads)
    by_q, by_v, inverse = found[0], found[1], np.linalg.inv(found[2]) if robot.coupling else found[2]
    return -inverse @ by_q, -inverse @ by_v, inverse


def _squares(robot: Robot, names: Sequence[str]) -> tuple[Port, ...]:
    return tuple(Port(f"by {name}", (robot.nv, robot.nv), "SI") for name in names)


def _three(matrices: tuple[np.ndarray, ...]) -> Three:
    first, second, third = matrices
    return first, second, third
