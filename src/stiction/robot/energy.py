"""The energies of a robot, its centre of mass and its momentum. These functions are methods of `Robot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import energy
from stiction.errors import RobotError
from stiction.robot.assembly import Assembly
from stiction.robot.ports import GRAVITY, checked_gravity, gravity_port, positions, velocities
from stiction.robot.programs import Computation, Parameters, compute
from stiction.spatial import Vector
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def kinetic_energy(
    robot: Robot, q: Any, v: Any, *, parameters: Parameters = None, threads: int | None = 1
) -> np.ndarray:
    """Kinetic energy [J], (...), rotors included.

    Example:
        >>> import stiction
        >>> float(stiction.library.pendulum(1).kinetic_energy([0.0], [2.0]).round(6))
        2.0
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list) -> tuple:
            return (energy.kinetic_energy(assembly.mechanism, q, v),)

        return Computation((positions(robot), velocities(robot)), (Port("T", (), "J"),), function)

    return compute(robot, "kinetic_energy", (), make, (q, v), parameters, threads)[0]


def potential_energy(
    robot: Robot, q: Any, *, gravity: Any = GRAVITY, parameters: Parameters = None, threads: int | None = 1
) -> np.ndarray:
    """Energy in the field of gravity [J], (...); zero for mass at the world's origin.

    Example:
        >>> import stiction
        >>> float(stiction.library.pendulum(1).potential_energy([0.0]))
        -9.81
    """

    def make() -> Computation:
        def function(assembly: Assembly, q: list, g: list) -> tuple:
            return (energy.potential_energy(assembly.mechanism, q, Vector(*g)),)

        return Computation((positions(robot), gravity_port()), (Port("V", (), "J"),), function)

    return compute(robot, "potential_energy", (), make, (q, checked_gravity(gravity)), parameters, threads)[0]


def center_of_mass(robot: Robot, q: Any, *, parameters: Parameters = None, threads: int | None = 1) -> np.ndarray:
    """Centre of mass of the moving links in the world [m], (..., 3).

    Example:
        >>> import stiction
        >>> stiction.library.pendulum(1).center_of_mass([1.0]).round(4).tolist()
        [-0.8415, 0.0, -0.5403]
    """
    _refuse_if_nothing_moves(robot)

    def make() -> Computation:
        def function(assembly: Assembly, q: list) -> tuple:
            return (energy.center_of_mass(assembly.mechanism, q),)

        return Computation((positions(robot),), (Port("c", (3,), "m"),), function)

    return compute(robot, "center_of_mass", (), make, (q,), parameters, threads)[0]


def momentum(robot: Robot, q: Any, v: Any, *, parameters: Parameters = None, threads: int | None = 1) -> np.ndarray:
    """Momentum in the world's axes, (..., 6): angular about the centre of mass [kg m²/s], linear [kg m/s].

    Example:
        >>> import stiction
        >>> stiction.library.pendulum(1).momentum([0.0], [2.0])[3:].tolist()
        [-2.0, 0.0, 0.0]
    """
    _refuse_if_nothing_moves(robot)

    def make() -> Computation:
        def function(assembly: Assembly, q: list, v: list) -> tuple:
            return (energy.momentum(assembly.mechanism, q, v).numbers,)

        output = Port("h", (6,), "kg m²/s, kg m/s")
        return Computation((positions(robot), velocities(robot)), (output,), function)

    return compute(robot, "momentum", (), make, (q, v), parameters, threads)[0]


def _refuse_if_nothing_moves(robot: Robot) -> None:
    if not robot.nv:
        raise RobotError(
            f"robot '{robot.name}' has no moving link, so no centre of mass or momentum of moving links; "
            "add a joint that moves"
        )
