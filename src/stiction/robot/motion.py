"""How a robot moves: inverse and forward dynamics, the matrices of its equations, energies and momentum."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.dynamics import articulated_body, composite_body, coriolis, energy, kinematics, newton_euler
from stiction.errors import InputError, RobotError
from stiction.robot.description import Description
from stiction.robot.frames import Frames, Values, flat, frame_index, positions, velocities
from stiction.robot.numbers import Assembly
from stiction.robot.programs import Formula, compute
from stiction.spatial import ZERO, Vector, Wrench
from stiction.trace.program import Port

GRAVITY = (0.0, 0.0, -9.81)
COMPOSITE_UP_TO = 12  # velocities; above, articulated bodies need fewer operations
MATRIX_UP_TO = 24  # velocities; above, a mass matrix unrolled is too large a program, and its columns run in the lanes
ROADS = {
    "composite": composite_body.forward_dynamics,
    "articulated": articulated_body.forward_dynamics,
    "columns": composite_body.forward_dynamics_by_columns,
}
TORQUE, ACCELERATION = "N·m, N", "rad/s², m/s²"


def gravity_port() -> Port:
    """The port of gravity."""
    return Port("gravity", (3,), "m/s²", "uniform")


def check_gravity(gravity: Any) -> Any:
    """Refuse anything but one vector for all robots of a call."""
    if np.shape(gravity) != (3,):
        raise InputError(
            f"gravity has shape {np.shape(gravity)}; allowed: 3 numbers [m/s²] in the world's axes, the same for the whole call"
        )
    return gravity


class Motion(Frames):
    """The dynamics of a `Robot`.

    All arrays may have leading axes: (..., nq) for positions, (..., nv) for velocities. `gravity` is the acceleration of
    free fall [m/s²] in the world. `values` replaces numbers of the robot, by name (see `Robot.numbers`), by arrays over
    the leading axes. `threads` is how many threads share a batch; None takes all cores.
    """

    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        a: Any,
        *,
        gravity: Any = GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        wrench_axes: str = "body",
        values: Values = None,
        threads: int | None = 1,
    ) -> np.ndarray:
        """Joint torques [N·m or N], (..., nv), that produce the accelerations `a` (Newton–Euler). No friction.

        Args:
            q: positions [rad or m], (..., nq).
            v: velocities [rad/s or m/s], (..., nv).
            a: accelerations [rad/s² or m/s²], (..., nv).
            gravity: acceleration of free fall [m/s²], (3,).
            wrenches: wrench from outside on frames or links, by name, (..., 6): moment [N·m] about the frame's origin, force [N].
            wrench_axes: axes of these wrenches: "body" (the frame's own) or "aligned" (the world's).
            values: numbers to replace.
            threads: how many share a batch.

        Example:
            >>> import stiction
            >>> arm = stiction.library.puma560()
            >>> arm.inverse_dynamics([0, 0.785398163, 3.14159265, 0, 0.785398163, 0], [0] * 6, [0] * 6)[1:3].round(3).tolist()
            [31.64, 6.035]
        """
        pushes = Pushes(self, wrenches, wrench_axes)

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, a: list, g: list, *loads: list) -> tuple:
                return (newton_euler.inverse_dynamics(r.mechanism, q, v, a, Vector(*g), pushes.on_bodies(r, q, loads)),)

            inputs = (
                positions(self),
                velocities(self),
                velocities(self, "a", ACCELERATION),
                gravity_port(),
                *pushes.ports,
            )
            return Formula(inputs, (velocities(self, "torque", TORQUE),), function)

        return compute(
            self,
            "inverse_dynamics",
            pushes.options,
            make,
            (q, v, a, check_gravity(gravity), *pushes.loads),
            values,
            threads,
        )[0]

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        torque: Any,
        *,
        gravity: Any = GRAVITY,
        wrenches: Mapping[str, Any] | None = None,
        wrench_axes: str = "body",
        method: str = "auto",
        values: Values = None,
        threads: int | None = 1,
    ) -> np.ndarray:
        """Accelerations [rad/s² or m/s²], (..., nv), under joint torques. No friction.

        Args:
            q: positions [rad or m], (..., nq).
            v: velocities [rad/s or m/s], (..., nv).
            torque: joint torques [N·m or N], (..., nv).
            gravity: acceleration of free fall [m/s²], (3,).
            wrenches: wrench from outside on frames or links, as in `inverse_dynamics`.
            wrench_axes: axes of these wrenches.
            method: "composite" (mass matrix and its factors), "articulated" (linear in the number of joints), "columns"
                (n + 1 times inverse dynamics), or "auto": the faster of the first two.
            values: numbers to replace.
            threads: how many share a batch.

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).forward_dynamics([0.0], [0.0], [0.5], gravity=(0, 0, 0)).round(6).tolist()
            [0.5]
        """
        road = self.forward_road if method == "auto" else method
        if road not in ROADS:
            raise InputError(f"method is {method!r}; allowed: 'auto', {', '.join(map(repr, ROADS))}")
        if road == "articulated" and self.coupling:
            raise InputError(
                f"robot '{self.name}' has coupled rotors, which articulated bodies cannot take; use method='composite'"
            )
        pushes = Pushes(self, wrenches, wrench_axes)

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, torque: list, g: list, *loads: list) -> tuple:
                return (ROADS[road](r.mechanism, q, v, torque, Vector(*g), pushes.on_bodies(r, q, loads)),)

            inputs = (
                positions(self),
                velocities(self),
                velocities(self, "torque", TORQUE),
                gravity_port(),
                *pushes.ports,
            )
            return Formula(inputs, (velocities(self, "a", ACCELERATION),), function)

        return compute(
            self,
            "forward_dynamics",
            (road, pushes.options),
            make,
            (q, v, torque, check_gravity(gravity), *pushes.loads),
            values,
            threads,
        )[0]

    @property
    def forward_road(self) -> str:
        """The method that `forward_dynamics` takes by itself."""
        return "composite" if self.nv <= COMPOSITE_UP_TO or self.coupling else "articulated"

    def mass_matrix(self, q: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """The mass matrix M(q) [kg m², kg m, kg], (..., nv, nv), rotors included.

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).mass_matrix([0.3]).round(6).tolist()
            [[1.0]]
        """
        if self.nv > MATRIX_UP_TO:
            return self._mass_matrix_by_columns(q, values, threads)

        def make() -> Formula:
            matrix = Port("M", (self.nv, self.nv), "kg m², kg m, kg")
            return Formula((positions(self),), (matrix,), lambda r, q: (composite_body.mass_matrix(r.mechanism, q),))

        return compute(self, "mass_matrix", (), make, (q,), values, threads)[0]

    def _mass_matrix_by_columns(self, q: Any, values: Values, threads: int | None) -> np.ndarray:
        """One unit acceleration per lane, one call per robot; M is symmetric, so its columns are its rows."""

        def make() -> Formula:
            def function(r: Assembly, q: list, a: list) -> tuple:
                return (newton_euler.inverse_dynamics(r.mechanism, q, [0] * self.nv, a, ZERO),)

            inputs = (positions(self, "uniform"), velocities(self, "a", ACCELERATION))
            return Formula(inputs, (velocities(self, "column", "kg m², kg m, kg"),), function, "uniform")

        return compute(self, "mass_column", (), make, (q, np.eye(self.nv)), values, threads)[0]

    def coriolis_matrix(self, q: Any, v: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """The Coriolis matrix C(q, v) of the Christoffel symbols, (..., nv, nv): C v are the velocity terms, Ṁ − 2C is skew.

        Example:
            >>> import stiction
            >>> stiction.library.two_link().coriolis_matrix([0.1, 0.5], [1.0, 2.0]).round(4).tolist()
            [[-0.0096, -0.0144], [0.0048, 0.0]]
        """
        if self.nv > COMPOSITE_UP_TO:
            return self._coriolis_by_columns(q, v, values, threads)

        def make() -> Formula:
            matrix = Port("C", (self.nv, self.nv), "kg m²/s")
            return Formula(
                (positions(self), velocities(self)),
                (matrix,),
                lambda r, q, v: (coriolis.coriolis_matrix(r.mechanism, q, v),),
            )

        return compute(self, "coriolis_matrix", (), make, (q, v), values, threads)[0]

    def _coriolis_by_columns(self, q: Any, v: Any, values: Values, threads: int | None) -> np.ndarray:
        """One unit velocity per lane, one call per robot."""

        def make() -> Formula:
            inputs = (positions(self, "uniform"), velocities(self, role="uniform"), velocities(self, "w"))
            column = velocities(self, "column", "kg m²/s")
            return Formula(
                inputs, (column,), lambda r, q, v, w: (coriolis.coriolis_product(r.mechanism, q, v, w),), "uniform"
            )

        columns = compute(self, "coriolis_column", (), make, (q, v, np.eye(self.nv)), values, threads)[0]
        return np.ascontiguousarray(np.swapaxes(columns, -1, -2))

    def gravity_torque(
        self, q: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1
    ) -> np.ndarray:
        """Joint torques [N·m or N], (..., nv), that hold the robot against gravity.

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).gravity_torque([1.5707963267948966]).round(6).tolist()
            [9.81]
        """

        def make() -> Formula:
            def function(r: Assembly, q: list, g: list) -> tuple:
                rest = [0] * self.nv
                return (newton_euler.inverse_dynamics(r.mechanism, q, rest, rest, Vector(*g)),)

            return Formula((positions(self), gravity_port()), (velocities(self, "torque", TORQUE),), function)

        return compute(self, "gravity_torque", (), make, (q, check_gravity(gravity)), values, threads)[0]

    def kinetic_energy(self, q: Any, v: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Kinetic energy [J], (...), rotors included.

        Example:
            >>> import stiction
            >>> float(stiction.library.pendulum(1).kinetic_energy([0.0], [2.0]).round(6))
            2.0
        """

        def make() -> Formula:
            return Formula(
                (positions(self), velocities(self)),
                (Port("T", (), "J"),),
                lambda r, q, v: (energy.kinetic_energy(r.mechanism, q, v),),
            )

        return compute(self, "kinetic_energy", (), make, (q, v), values, threads)[0]

    def potential_energy(
        self, q: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1
    ) -> np.ndarray:
        """Energy in the field of gravity [J], (...); zero for mass at the world's origin.

        Example:
            >>> import stiction
            >>> float(stiction.library.pendulum(1).potential_energy([0.0]))
            -9.81
        """

        def make() -> Formula:
            ports = (positions(self), gravity_port())
            return Formula(
                ports, (Port("V", (), "J"),), lambda r, q, g: (energy.potential_energy(r.mechanism, q, Vector(*g)),)
            )

        return compute(self, "potential_energy", (), make, (q, check_gravity(gravity)), values, threads)[0]

    def center_of_mass(self, q: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Centre of mass of the moving links in the world [m], (..., 3).

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).center_of_mass([1.0]).round(4).tolist()
            [-0.8415, 0.0, -0.5403]
        """
        self._refuse_if_nothing_moves()

        def make() -> Formula:
            return Formula(
                (positions(self),), (Port("c", (3,), "m"),), lambda r, q: (energy.center_of_mass(r.mechanism, q),)
            )

        return compute(self, "center_of_mass", (), make, (q,), values, threads)[0]

    def momentum(self, q: Any, v: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Momentum in the world's axes, (..., 6): angular about the centre of mass [kg m²/s], linear [kg m/s].

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).momentum([0.0], [2.0])[3:].tolist()
            [-2.0, 0.0, 0.0]
        """
        self._refuse_if_nothing_moves()

        def make() -> Formula:
            output = Port("h", (6,), "kg m²/s, kg m/s")
            return Formula(
                (positions(self), velocities(self)),
                (output,),
                lambda r, q, v: (flat(energy.momentum(r.mechanism, q, v)),),
            )

        return compute(self, "momentum", (), make, (q, v), values, threads)[0]

    def _refuse_if_nothing_moves(self) -> None:
        if not self.nv:
            raise RobotError(
                f"robot '{self.name}' has no moving link, so no centre of mass or momentum of moving links; add a joint that moves"
            )


class Pushes:
    """Wrenches from outside on frames: the ports they need, their values, and what they do to the bodies."""

    def __init__(self, robot: Description, wrenches: Mapping[str, Any] | None, axes: str) -> None:
        if axes not in ("body", "aligned"):
            raise InputError(f"wrench_axes is {axes!r}; allowed: 'body', 'aligned'")
        if wrenches is not None and not isinstance(wrenches, Mapping):
            raise InputError(
                f"wrenches is a {type(wrenches).__name__}; allowed: a dict from frame names to arrays (..., 6)"
            )
        self.frames = tuple(wrenches or ())
        self.loads = tuple((wrenches or {}).values())
        self.axes = axes
        self.ports = tuple(Port(f"wrench on {frame}", (6,), "N·m, N") for frame in self.frames)
        self.options = (tuple(frame_index(robot, frame) for frame in self.frames), axes) if wrenches else ()

    def on_bodies(self, r: Assembly, q: list, loads: tuple) -> dict[int, Wrench]:
        """The wrench on each body that has one, in the body's frame."""
        pushes: dict[int, Wrench] = {}
        for frame, load in zip(self.frames, loads, strict=True):
            site, wrench = r.sites[frame], Wrench(Vector(*load[:3]), Vector(*load[3:]))
            if self.axes == "aligned":
                back = kinematics.site_pose(r.mechanism, site, q).rotation.T
                wrench = Wrench(back @ wrench.moment, back @ wrench.force)
            if site.body >= 0:
                moved = site.pose.wrench_out(wrench)
                pushes[site.body] = pushes[site.body] + moved if site.body in pushes else moved
        return pushes
