"""What identification needs: inverse dynamics as a linear function of inertial parameters. Methods of `Robot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import regressor as formulas
from stiction.robot.assembly import Assembly
from stiction.robot.ports import ACCELERATION, GRAVITY, TORQUE, checked_gravity, gravity_port, positions, velocities
from stiction.robot.programs import Computation, compute
from stiction.spatial import Vector
from stiction.trace.grid import LOOP_FROM
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

Pairs = tuple[tuple[int, int], ...]


def regressor(robot: Robot, q: Any, v: Any, a: Any, *, gravity: Any = GRAVITY, threads: int | None = 1) -> np.ndarray:
    """The matrix Y(q, v, a) [N·m or N per SI unit], (..., nv, p), with Y π = torque for π = `inertial_parameters`.

    Example:
        >>> import numpy as np, stiction
        >>> arm = stiction.library.puma560()
        >>> q, v, a = np.full(6, 0.3), np.full(6, 0.2), np.full(6, 0.1)
        >>> bool(np.allclose(arm.regressor(q, v, a) @ arm.inertial_parameters, arm.inverse_dynamics(q, v, a)))
        True
    """
    pairs = rotor_pairs(robot)
    size = 10 * len(robot.mechanism.links) + len(pairs)
    signals = (q, v, a, checked_gravity(gravity))
    if len(robot.mechanism.bodies) >= LOOP_FROM:
        return _regressor_by_columns(robot, signals, pairs, size, threads)

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, a: list, g: list) -> tuple:
            return (formulas.regressor(assembly.mechanism, q, v, a, Vector(*g), pairs),)

        inputs = (positions(robot), velocities(robot), velocities(robot, "a", ACCELERATION), gravity_port())
        return Computation(inputs, (Port("Y", (robot.nv, size), "N·m per SI"),), function)

    return compute(robot, "regressor", (), make, signals, None, threads)[0]


def _regressor_by_columns(robot: Robot, signals: tuple, pairs: Pairs, size: int, threads: int | None) -> np.ndarray:
    """One unit parameter per lane, one call per robot."""

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list, a: list, g: list, pi: list) -> tuple:
            return (formulas.torque_of_parameters(assembly.mechanism, q, v, a, Vector(*g), pairs, pi),)

        accelerations = velocities(robot, "a", ACCELERATION, "uniform")
        state = (positions(robot, "uniform"), velocities(robot, role="uniform"), accelerations, gravity_port())
        inputs = (*state, Port("inertial parameters", (size,), "SI"))
        return Computation(inputs, (velocities(robot, "column", TORQUE),), function, "uniform")

    columns = compute(robot, "regressor_column", (), make, (*signals, np.eye(size)), None, threads)[0]
    return np.ascontiguousarray(np.swapaxes(columns, -1, -2))


def rotor_pairs(robot: Robot) -> Pairs:
    """The pairs of velocities that rotors resist: (i, i), and (i, j) where they couple two."""
    rotors, n = robot.mechanism.rotors, robot.nv
    if rotors is None:
        return ()
    # a structural zero is the integer 0
    return tuple((i, j) for i in range(n) for j in range(i, n) if not isinstance(rotors[i][j], int))


def inertial_parameters(robot: Robot) -> np.ndarray:
    """Parameters π of `regressor`: ten per moving body, then one per pair of `rotor_pairs`."""
    m = robot.mechanism
    links = [x for k in m.links for x in formulas.parameters(m.bodies[k].inertia)]
    rotors = robot.mechanism.rotors or []
    return np.array(links + [rotors[i][j] for i, j in rotor_pairs(robot)], float)
