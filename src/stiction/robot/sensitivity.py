"""How a robot's dynamics changes with its state, its torques and its inertial parameters."""

from typing import Any

import numpy as np

from stiction.dynamics import composite_body, linearize, regressor
from stiction.robot.description import Description
from stiction.robot.frames import Values, positions, velocities
from stiction.robot.motion import ACCELERATION, GRAVITY, MATRIX_UP_TO, TORQUE, Motion, check_gravity, gravity_port
from stiction.robot.numbers import Assembly
from stiction.robot.programs import Formula, compute
from stiction.spatial import Vector
from stiction.trace.program import Port

UNROLL_UP_TO = 10  # velocities; above, whole Jacobians are too large a program, and directions run in the lanes
Three = tuple[np.ndarray, np.ndarray, np.ndarray]


class Sensitivity(Motion):
    """Derivatives of a `Robot`'s dynamics, and its regressor."""

    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, a: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1
    ) -> Three:
        """Derivatives of `inverse_dynamics` by q (in the tangent space), v and a, (..., nv, nv) each.

        Column j of the first is the change when the positions move with unit velocity j.

        Example:
            >>> import stiction
            >>> by_q, by_v, by_a = stiction.library.pendulum(1).inverse_dynamics_derivatives([0.0], [0.0], [0.0])
            >>> by_q.tolist()
            [[9.81]]
        """
        if self.nv > UNROLL_UP_TO:
            by_q, by_v = self._inverse_dynamics_along(q, v, a, gravity, values, threads)
            return by_q, by_v, np.broadcast_to(self.mass_matrix(q, values=values, threads=threads), by_q.shape).copy()

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, a: list, g: list) -> tuple:
                by_q, by_v = linearize.inverse_dynamics_derivatives(r.mechanism, q, v, a, Vector(*g))
                return by_q, by_v, composite_body.mass_matrix(r.mechanism, q)

            inputs = (positions(self), velocities(self), velocities(self, "a", ACCELERATION), gravity_port())
            return Formula(inputs, _squares(self, "qva"), function)

        return compute(
            self, "inverse_dynamics_derivatives", (), make, (q, v, a, check_gravity(gravity)), values, threads
        )  # type: ignore[return-value]

    def forward_dynamics_derivatives(
        self, q: Any, v: Any, torque: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1
    ) -> Three:
        """Derivatives of `forward_dynamics` by q (in the tangent space), v and torque, (..., nv, nv) each.

        Example:
            >>> import stiction
            >>> by_q, by_v, by_torque = stiction.library.pendulum(1).forward_dynamics_derivatives([0.0], [0.0], [0.0])
            >>> by_torque.round(6).tolist()
            [[1.0]]
        """
        if self.nv > MATRIX_UP_TO:
            a = self.forward_dynamics(q, v, torque, gravity=gravity, values=values, threads=threads)
            by_q, by_v = self._inverse_dynamics_along(q, v, a, gravity, values, threads)
            inverse = np.linalg.inv(self.mass_matrix(q, values=values, threads=threads))
            return -inverse @ by_q, -inverse @ by_v, np.broadcast_to(inverse, by_q.shape).copy()
        if self.nv > UNROLL_UP_TO:
            return self._forward_dynamics_along(q, v, torque, gravity, values, threads)

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, torque: list, g: list) -> tuple:
                return linearize.forward_dynamics_derivatives(r.mechanism, q, v, torque, Vector(*g))

            inputs = (positions(self), velocities(self), velocities(self, "torque", TORQUE), gravity_port())
            return Formula(inputs, _squares(self, ("q", "v", "torque")), function)

        return compute(
            self, "forward_dynamics_derivatives", (), make, (q, v, torque, check_gravity(gravity)), values, threads
        )  # type: ignore[return-value]

    def _inverse_dynamics_along(
        self, q: Any, v: Any, a: Any, gravity: Any, values: Values, threads: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives by q and v, one direction per lane, one call per robot."""

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, a: list, g: list, dq: list, dv: list) -> tuple:
                return (linearize.inverse_dynamics_along(r.mechanism, q, v, a, Vector(*g), [(dq, dv)])[0],)

            state = (
                positions(self, "uniform"),
                velocities(self, role="uniform"),
                velocities(self, "a", ACCELERATION, "uniform"),
            )
            inputs = (*state, gravity_port(), velocities(self, "dq"), velocities(self, "dv"))
            return Formula(inputs, (velocities(self, "change", TORQUE),), function, "uniform")

        n = self.nv
        dq, dv = np.eye(2 * n)[:, :n], np.eye(2 * n)[:, n:]
        columns = compute(
            self, "inverse_dynamics_along", (), make, (q, v, a, check_gravity(gravity), dq, dv), values, threads
        )[0]
        return _turned(columns[..., :n, :]), _turned(columns[..., n:, :])

    def _forward_dynamics_along(
        self, q: Any, v: Any, torque: Any, gravity: Any, values: Values, threads: int | None
    ) -> Three:
        """The same for forward dynamics; the mass matrix is factored once per robot, directions of torque have lanes too."""

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, torque: list, g: list, dq: list, dv: list, dt: list) -> tuple:
                return (linearize.forward_dynamics_along(r.mechanism, q, v, torque, Vector(*g), dq, dv, dt),)

            state = (
                positions(self, "uniform"),
                velocities(self, role="uniform"),
                velocities(self, "torque", TORQUE, "uniform"),
            )
            inputs = (*state, gravity_port(), *(velocities(self, name) for name in ("dq", "dv", "dtorque")))
            return Formula(inputs, (velocities(self, "change", ACCELERATION),), function, "uniform")

        n = self.nv
        units = np.eye(3 * n)
        directions = (units[:, :n], units[:, n : 2 * n], units[:, 2 * n :])
        columns = compute(
            self,
            "forward_dynamics_along",
            (),
            make,
            (q, v, torque, check_gravity(gravity), *directions),
            values,
            threads,
        )[0]
        return _turned(columns[..., :n, :]), _turned(columns[..., n : 2 * n, :]), _turned(columns[..., 2 * n :, :])

    def regressor(self, q: Any, v: Any, a: Any, *, gravity: Any = GRAVITY, threads: int | None = 1) -> np.ndarray:
        """The matrix Y(q, v, a), (..., nv, p), with Y π = torque for π = `inertial_parameters`.

        Example:
            >>> import numpy as np, stiction
            >>> arm = stiction.library.puma560()
            >>> q, v, a = np.full(6, 0.3), np.full(6, 0.2), np.full(6, 0.1)
            >>> bool(np.allclose(arm.regressor(q, v, a) @ arm.inertial_parameters, arm.inverse_dynamics(q, v, a)))
            True
        """
        pairs = self.rotor_pairs
        size = 10 * len(self.mechanism.bodies) + len(pairs)
        if self.nv > UNROLL_UP_TO:
            return self._regressor_by_parameters(q, v, a, gravity, pairs, size, threads)

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, a: list, g: list) -> tuple:
                return (regressor.regressor(r.mechanism, q, v, a, Vector(*g), pairs),)

            inputs = (positions(self), velocities(self), velocities(self, "a", ACCELERATION), gravity_port())
            return Formula(inputs, (Port("Y", (self.nv, size), "N·m per SI"),), function)

        return compute(self, "regressor", (), make, (q, v, a, check_gravity(gravity)), None, threads)[0]

    def _regressor_by_parameters(
        self, q: Any, v: Any, a: Any, gravity: Any, pairs: tuple, size: int, threads: int | None
    ) -> np.ndarray:
        """One unit parameter per lane, one call per robot."""

        def make() -> Formula:
            def function(r: Assembly, q: list, v: list, a: list, g: list, pi: list) -> tuple:
                return (regressor.torque_of_parameters(r.mechanism, q, v, a, Vector(*g), pairs, pi),)

            state = (
                positions(self, "uniform"),
                velocities(self, role="uniform"),
                velocities(self, "a", ACCELERATION, "uniform"),
            )
            return Formula(
                (*state, gravity_port(), Port("parameters", (size,), "SI")),
                (velocities(self, "column", TORQUE),),
                function,
                "uniform",
            )

        return _turned(
            compute(self, "regressor_column", (), make, (q, v, a, check_gravity(gravity), np.eye(size)), None, threads)[
                0
            ]
        )

    @property
    def rotor_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of velocities that rotors resist: (i, i), and (i, j) where they couple two."""
        rotors = self.mechanism.rotors  # a structural zero is the integer 0
        return (
            tuple((i, j) for i in range(self.nv) for j in range(i, self.nv) if not isinstance(rotors[i][j], int))
            if rotors
            else ()
        )

    @property
    def inertial_parameters(self) -> np.ndarray:
        """Parameters π of `regressor`, (p,).

        Of each moving body mass [kg], first moment [kg m] and xx, xy, xz, yy, yz, zz [kg m²] about its frame's origin; then the
        rotor inertias as felt at the joints [kg m² or kg], one per pair of `rotor_pairs`.
        """
        bodies = [x for body in self.mechanism.bodies for x in regressor.parameters(body.inertia)]
        rotors = self.mechanism.rotors or []
        return np.array(bodies + [rotors[i][j] for i, j in self.rotor_pairs], float)


def _squares(robot: Description, names: Any) -> tuple[Port, ...]:
    return tuple(Port(f"by {name}", (robot.nv, robot.nv), "SI") for name in names)


def _turned(columns: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.swapaxes(columns, -1, -2))
