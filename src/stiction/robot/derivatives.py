"""How a robot's dynamics changes with its state and its torques. These functions are methods of `Robot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import composite_body, linearize
from stiction.robot.assembly import Assembly
from stiction.robot.dynamics import MATRIX_UP_TO, forward_dynamics, mass_matrix
from stiction.robot.ports import ACCELERATION, GRAVITY, TORQUE, checked_gravity, gravity_port, positions, velocities
from stiction.robot.programs import Computation, Parameters, compute
from stiction.spatial import Vector
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

UNROLL_UP_TO = 10  # velocities; above, whole Jacobians are too large a program, and directions run in the lanes
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
    if robot.nv > UNROLL_UP_TO:
        by_q, by_v = _inverse_dynamics_along(robot, q, v, a, gravity, parameters, threads)
        by_a = mass_matrix(robot, q, parameters=parameters, threads=threads)
        return by_q, by_v, np.broadcast_to(by_a, by_q.shape).copy()

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, a: list, g: list) -> tuple:
            by_q, by_v = linearize.inverse_dynamics_derivatives(assembly.mechanism, q, v, a, Vector(*g))
            return by_q, by_v, composite_body.mass_matrix(assembly.mechanism, q)

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
    if robot.nv > MATRIX_UP_TO:
        a = forward_dynamics(robot, q, v, torque, gravity=gravity, parameters=parameters, threads=threads)
        by_q, by_v = _inverse_dynamics_along(robot, q, v, a, gravity, parameters, threads)
        inverse = np.linalg.inv(mass_matrix(robot, q, parameters=parameters, threads=threads))
        return -inverse @ by_q, -inverse @ by_v, np.broadcast_to(inverse, by_q.shape).copy()
    if robot.nv > UNROLL_UP_TO:
        return _forward_dynamics_along(robot, q, v, torque, gravity, parameters, threads)

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, torque: list, g: list) -> tuple:
            return linearize.forward_dynamics_derivatives(assembly.mechanism, q, v, torque, Vector(*g))

        inputs = (positions(robot), velocities(robot), velocities(robot, "torque", TORQUE), gravity_port())
        return Computation(inputs, _squares(robot, ("q", "v", "torque")), function)

    signals = (q, v, torque, checked_gravity(gravity))
    return _three(compute(robot, "forward_dynamics_derivatives", (), make, signals, parameters, threads))


def _inverse_dynamics_along(
    robot: Robot, q: Any, v: Any, a: Any, gravity: Any, parameters: Parameters, threads: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by q and v, one direction per lane, one call per robot."""

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, a: list, g: list, dq: list, dv: list) -> tuple:
            directions = [(dq, dv)]
            return (linearize.inverse_dynamics_along(assembly.mechanism, q, v, a, Vector(*g), directions)[0],)

        inputs = (*_uniform_state(robot, "a", ACCELERATION), velocities(robot, "dq"), velocities(robot, "dv"))
        return Computation(inputs, (velocities(robot, "change", TORQUE),), function, "uniform")

    signals = (q, v, a, checked_gravity(gravity), *_unit_directions(robot.nv, 2))
    columns = compute(robot, "inverse_dynamics_along", (), make, signals, parameters, threads)[0]
    by_q, by_v = _blocks(columns, 2)
    return by_q, by_v


def _forward_dynamics_along(
    robot: Robot, q: Any, v: Any, torque: Any, gravity: Any, parameters: Parameters, threads: int | None
) -> Three:
    """The same for forward dynamics; the mass matrix is factored once per robot, and torques have lanes too."""

    def make() -> Computation:
        def function(
            assembly: Assembly, q: list, v: list, torque: list, g: list, dq: list, dv: list, dtorque: list
        ) -> tuple:
            m = assembly.mechanism
            return (linearize.forward_dynamics_along(m, q, v, torque, Vector(*g), dq, dv, dtorque),)

        directions = (velocities(robot, name) for name in ("dq", "dv", "dtorque"))
        inputs = (*_uniform_state(robot, "torque", TORQUE), *directions)
        return Computation(inputs, (velocities(robot, "change", ACCELERATION),), function, "uniform")

    signals = (q, v, torque, checked_gravity(gravity), *_unit_directions(robot.nv, 3))
    columns = compute(robot, "forward_dynamics_along", (), make, signals, parameters, threads)[0]
    return _three(_blocks(columns, 3))


def _uniform_state(robot: Robot, name: str, units: tuple[str, str]) -> tuple[Port, ...]:
    """Positions, velocities, accelerations or torques, and gravity, the same for all lanes."""
    state = (positions(robot, "uniform"), velocities(robot, role="uniform"), velocities(robot, name, units, "uniform"))
    return (*state, gravity_port())


def _unit_directions(n: int, count: int) -> tuple[np.ndarray, ...]:
    """Unit vectors of `count` vectors of n components together, (count·n, n) for each."""
    return tuple(np.hsplit(np.eye(count * n), count))


def _blocks(columns: np.ndarray, count: int) -> tuple[np.ndarray, ...]:
    """The matrices (..., n, n) whose columns, one after the other, are the rows of an array (..., count·n, n)."""
    return tuple(np.ascontiguousarray(np.swapaxes(block, -1, -2)) for block in np.split(columns, count, axis=-2))


def _squares(robot: Robot, names: Sequence[str]) -> tuple[Port, ...]:
    return tuple(Port(f"by {name}", (robot.nv, robot.nv), "SI") for name in names)


def _three(matrices: tuple[np.ndarray, ...]) -> Three:
    first, second, third = matrices
    return first, second, third
