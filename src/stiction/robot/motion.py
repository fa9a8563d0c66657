"""What can be computed from a robot: kinematics, dynamics, energies, derivatives. Each is one traced program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import articulated_body, composite_body, coriolis, energy, kinematics, linearize, newton_euler, regressor
from stiction.errors import InputError, unknown
from stiction.robot.numbers import Assembly
from stiction.robot.programs import Formula, compute
from stiction.spatial import Twist, Vector, Wrench
from stiction.trace.program import Port

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

GRAVITY = (0.0, 0.0, -9.81)
COMPOSITE_UP_TO = 12  # velocities; above, articulated bodies need fewer operations
MATRIX_UP_TO = 24  # velocities; above, a mass matrix unrolled is too large a program, and columns run in the lanes
DERIVATIVES_UP_TO = 10  # velocities; the same for derivatives

Values = Mapping[str, Any] | None


class Motion:
    """The computations of a `Robot`.

    All arrays may have leading axes: (..., nq) for positions, (..., nv) for velocities. `gravity` is the acceleration of
    free fall [m/s²] in the world. `values` replaces numbers of the robot, by name (see `Robot.numbers`), by an array over
    the leading axes. `threads` is how many threads share a batch; None takes all cores.
    """

    def _q(self: Robot) -> Port:
        return Port("q", (self.nq,), "rad, m")

    def _v(self: Robot, name: str = "v", unit: str = "rad/s, m/s") -> Port:
        return Port(name, (self.nv,), unit)

    def _square(self: Robot, name: str, unit: str) -> Port:
        return Port(name, (self.nv, self.nv), unit)

    def _site(self: Robot, frame: str) -> tuple[str, int]:
        """A frame's name, checked, and its place among the robot's frames and links."""
        names = list(self.assembly.sites)
        if frame not in names:
            raise InputError(unknown("frame", frame, f"robot '{self.name}'", names))
        return frame, names.index(frame)

    # Kinematics.

    def pose(self: Robot, q: Any, frame: str, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Pose of a frame or link in the world, as homogeneous matrices (..., 4, 4): rotation [1] and position [m].

        Example:
            >>> import stiction
            >>> arm = stiction.library.two_link()
            >>> arm.pose([0.0, 0.0], "tip")[:3, 3].tolist()
            [0.2, 0.0, 0.0]
        """
        name, place = self._site(frame)

        def function(r: Assembly, q: list) -> tuple:
            X = kinematics.site_pose(r.mechanism, r.sites[name], q)
            return ([[*row, p] for row, p in zip(X.rotation, X.position, strict=True)] + [[0, 0, 0, 1]],)

        formula = Formula("pose", (self._q(),), (Port("pose", (4, 4), "1, m"),), function, (place,))
        return compute(self, formula, (q,), values, threads)[0]

    def twist(self: Robot, q: Any, v: Any, frame: str, *, axes: str = "aligned", values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Twist of a frame, (..., 6): angular velocity [rad/s], then linear [m/s].

        Args:
            q: positions.
            v: velocities.
            frame: name of a frame or link.
            axes: "aligned": of the frame's origin, in the world's axes; "body": of the frame's origin, in its own axes;
                "world": of the point that passes through the world's origin, in the world's axes.
            values: numbers to replace.
            threads: how many share a batch.

        Example:
            >>> import stiction
            >>> arm = stiction.library.two_link()
            >>> arm.twist([0.0, 0.0], [1.0, 0.0], "tip").tolist()
            [0.0, 0.0, 1.0, 0.0, 0.2, 0.0]
        """
        name, place = self._site(frame)
        _check_axes(axes)

        def function(r: Assembly, q: list, v: list) -> tuple:
            return (_flat(kinematics.site_twist(r.mechanism, r.sites[name], q, v, axes)),)

        formula = Formula("twist", (self._q(), self._v()), (Port("twist", (6,), "rad/s, m/s"),), function, (place, axes))
        return compute(self, formula, (q, v), values, threads)[0]

    def jacobian(self: Robot, q: Any, frame: str, *, axes: str = "aligned", values: Values = None, threads: int | None = 1) -> np.ndarray:
        """The matrix that takes velocities to the twist of a frame, (..., 6, nv); `axes` as in `twist`.

        Example:
            >>> import stiction
            >>> stiction.library.two_link().jacobian([0.0, 0.0], "tip")[4].tolist()
            [0.2, 0.1]
        """
        name, place = self._site(frame)
        _check_axes(axes)

        def function(r: Assembly, q: list) -> tuple:
            return (_columns(kinematics.jacobian(r.mechanism, r.sites[name], q, axes)),)

        formula = Formula("jacobian", (self._q(),), (Port("J", (6, self.nv), "1, m"),), function, (place, axes))
        return compute(self, formula, (q,), values, threads)[0]

    def jacobian_rate(self: Robot, q: Any, v: Any, frame: str, *, axes: str = "aligned", values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Rate of change of `jacobian` along the motion, (..., 6, nv) [1/s, m/s].

        Example:
            >>> import stiction
            >>> stiction.library.two_link().jacobian_rate([0.0, 0.0], [1.0, 0.0], "tip")[3].tolist()
            [-0.2, -0.1]
        """
        name, place = self._site(frame)
        _check_axes(axes)

        def function(r: Assembly, q: list, v: list) -> tuple:
            return (_columns(kinematics.jacobian_rate(r.mechanism, r.sites[name], q, v, axes)),)

        formula = Formula("jacobian_rate", (self._q(), self._v()), (Port("dJ", (6, self.nv), "1/s, m/s"),), function, (place, axes))
        return compute(self, formula, (q, v), values, threads)[0]

    def position_rates(self: Robot, q: Any, v: Any, *, threads: int | None = 1) -> np.ndarray:
        """Rates of change of the positions, q̇ = N(q) v, (..., nq); equal to v unless there are quaternions.

        Example:
            >>> import stiction
            >>> stiction.library.two_link().position_rates([0.0, 0.0], [1.0, 2.0]).tolist()
            [1.0, 2.0]
        """
        formula = Formula("position_rates", (self._q(), self._v()), (Port("rates", (self.nq,)),), lambda r, q, v: (r.mechanism.position_rates(q, v),))
        return compute(self, formula, (q, v), None, threads)[0]

    # Dynamics.

    def _pushes(self: Robot, wrenches: Mapping[str, Any] | None, axes: str) -> tuple[tuple[Port, ...], tuple, tuple, Any]:
        """Ports, values and options of outer wrenches, and the function that puts them on the bodies."""
        given = dict(wrenches or {})
        if axes not in ("body", "aligned"):
            raise InputError(f"wrench_axes is {axes!r}; allowed: 'body', 'aligned'")
        sites = [self._site(frame) for frame in given]
        ports = tuple(Port(f"wrench on {frame}", (6,), "N·m, N") for frame in given)

        def on_bodies(r: Assembly, q: list, loads: tuple) -> dict[int, Wrench]:
            pushes: dict[int, Wrench] = {}
            for (name, _), load in zip(sites, loads, strict=True):
                site = r.sites[name]
                wrench = Wrench(Vector(*load[:3]), Vector(*load[3:]))
                if axes == "aligned":
                    back = kinematics.site_pose(r.mechanism, site, q).rotation.T
                    wrench = Wrench(back @ wrench.moment, back @ wrench.force)
                if site.body >= 0:
                    moved = site.pose.wrench_out(wrench)
                    pushes[site.body] = pushes[site.body] + moved if site.body in pushes else moved
            return pushes

        return ports, tuple(given.values()), (tuple(place for _, place in sites), axes if sites else ""), on_bodies

    def inverse_dynamics(
        self: Robot,
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
            q: positions.
            v: velocities.
            a: accelerations [rad/s² or m/s²].
            gravity: acceleration of free fall [m/s²], (3,).
            wrenches: wrench from outside on frames or links, by name, (..., 6): moment [N·m] about the frame's origin, force [N].
            wrench_axes: axes of these wrenches: "body" (the frame's own) or "aligned" (the world's).
            values: numbers to replace.
            threads: how many share a batch.

        Example:
            >>> import stiction
            >>> arm = stiction.library.puma560()
            >>> arm.inverse_dynamics([0, 0.785398163, 3.14159265, 0, 0.785398163, 0], [0] * 6, [0] * 6).round(3).tolist()
            [0.0, 31.64, 6.035, 0.0, 0.028, 0.0]
        """
        ports, loads, options, on_bodies = self._pushes(wrenches, wrench_axes)

        def function(r: Assembly, q: list, v: list, a: list, g: list, *loads: list) -> tuple:
            return (newton_euler.inverse_dynamics(r.mechanism, q, v, a, Vector(*g), on_bodies(r, q, loads)),)

        inputs = (self._q(), self._v(), self._v("a", "rad/s², m/s²"), _gravity(), *ports)
        formula = Formula("inverse_dynamics", inputs, (self._v("torque", "N·m, N"),), function, options)
        return compute(self, formula, (q, v, a, gravity, *loads), values, threads)[0]

    def forward_dynamics(
        self: Robot,
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
            q: positions.
            v: velocities.
            torque: joint torques [N·m or N].
            gravity: acceleration of free fall [m/s²], (3,).
            wrenches: wrench from outside on frames or links, as in `inverse_dynamics`.
            wrench_axes: axes of these wrenches.
            method: "composite" (mass matrix and its factors), "articulated" (linear in the number of joints), "columns"
                (n + 1 times inverse dynamics), or "auto": the fastest of the first two.
            values: numbers to replace.
            threads: how many share a batch.

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).forward_dynamics([0.0], [0.0], [0.5], gravity=(0, 0, 0)).round(6).tolist()
            [0.5]
        """
        roads = {
            "composite": composite_body.forward_dynamics,
            "articulated": articulated_body.forward_dynamics,
            "columns": composite_body.forward_dynamics_by_columns,
        }
        if method == "auto":
            method = "composite" if self.nv <= COMPOSITE_UP_TO or self.coupling else "articulated"
        if method not in roads:
            raise InputError(f"method is {method!r}; allowed: 'auto', {', '.join(map(repr, roads))}")
        if method == "articulated" and self.coupling:
            raise InputError(f"robot '{self.name}' has coupled rotors, which articulated bodies cannot take; use method='composite'")
        ports, loads, options, on_bodies = self._pushes(wrenches, wrench_axes)

        def function(r: Assembly, q: list, v: list, torque: list, g: list, *loads: list) -> tuple:
            return (roads[method](r.mechanism, q, v, torque, Vector(*g), on_bodies(r, q, loads)),)

        inputs = (self._q(), self._v(), self._v("torque", "N·m, N"), _gravity(), *ports)
        formula = Formula("forward_dynamics", inputs, (self._v("a", "rad/s², m/s²"),), function, (method, *options))
        return compute(self, formula, (q, v, torque, gravity, *loads), values, threads)[0]

    def mass_matrix(self: Robot, q: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """The mass matrix M(q) [kg m², kg m, kg], (..., nv, nv), rotors included.

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).mass_matrix([0.3]).round(6).tolist()
            [[1.0]]
        """
        if self.nv > MATRIX_UP_TO and not values:
            return self._mass_matrix_by_columns(np.asarray(q, float), threads)
        formula = Formula("mass_matrix", (self._q(),), (self._square("M", "kg m²"),), lambda r, q: (composite_body.mass_matrix(r.mechanism, q),))
        return compute(self, formula, (q,), values, threads)[0]

    def _mass_matrix_by_columns(self: Robot, q: np.ndarray, threads: int | None) -> np.ndarray:
        """One unit acceleration per lane, one robot per call."""

        def function(r: Assembly, q: list, a: list) -> tuple:
            return (newton_euler.inverse_dynamics(r.mechanism, q, [0] * self.nv, a, Vector(0, 0, 0)),)

        inputs = (Port("q", (self.nq,), "rad, m", "uniform"), self._v("a", "rad/s², m/s²"))
        formula = Formula("mass_column", inputs, (self._v("column", "kg m²"),), function)
        M = np.empty((*q.shape[:-1], self.nv, self.nv))
        units = np.eye(self.nv)
        for index in np.ndindex(*q.shape[:-1]):
            M[index] = compute(self, formula, (q[index], units), None, threads)[0]
        return M

    def coriolis_matrix(self: Robot, q: Any, v: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """The Coriolis matrix C(q, v) of the Christoffel symbols, (..., nv, nv): C v are the velocity terms, Ṁ − 2C is skew.

        Example:
            >>> import numpy as np, stiction
            >>> C = stiction.library.two_link().coriolis_matrix([0.1, 0.5], [1.0, 2.0])
            >>> C.shape
            (2, 2)
        """
        formula = Formula(
            "coriolis_matrix", (self._q(), self._v()), (self._square("C", "kg m²/s"),), lambda r, q, v: (coriolis.coriolis_matrix(r.mechanism, q, v),)
        )
        return compute(self, formula, (q, v), values, threads)[0]

    def gravity_torque(self: Robot, q: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Joint torques [N·m or N], (..., nv), that hold the robot against gravity.

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).gravity_torque([0.0]).tolist()
            [0.0]
        """

        def function(r: Assembly, q: list, g: list) -> tuple:
            rest = [0] * self.nv
            return (newton_euler.inverse_dynamics(r.mechanism, q, rest, rest, Vector(*g)),)

        formula = Formula("gravity_torque", (self._q(), _gravity()), (self._v("torque", "N·m, N"),), function)
        return compute(self, formula, (q, gravity), values, threads)[0]

    # Energy and momentum.

    def kinetic_energy(self: Robot, q: Any, v: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Kinetic energy [J], (...), rotors included.

        Example:
            >>> import stiction
            >>> float(stiction.library.pendulum(1).kinetic_energy([0.0], [2.0]).round(6))
            2.0
        """
        formula = Formula("kinetic_energy", (self._q(), self._v()), (Port("T", (), "J"),), lambda r, q, v: (energy.kinetic_energy(r.mechanism, q, v),))
        return compute(self, formula, (q, v), values, threads)[0]

    def potential_energy(self: Robot, q: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Energy in the field of gravity [J], (...); zero for mass at the world's origin.

        Example:
            >>> import stiction
            >>> float(stiction.library.pendulum(1).potential_energy([0.0]))
            -9.81
        """

        def function(r: Assembly, q: list, g: list) -> tuple:
            return (energy.potential_energy(r.mechanism, q, Vector(*g)),)

        formula = Formula("potential_energy", (self._q(), _gravity()), (Port("V", (), "J"),), function)
        return compute(self, formula, (q, gravity), values, threads)[0]

    def center_of_mass(self: Robot, q: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Centre of mass of the moving links in the world [m], (..., 3).

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).center_of_mass([0.0]).tolist()
            [0.0, 0.0, -1.0]
        """
        formula = Formula("center_of_mass", (self._q(),), (Port("c", (3,), "m"),), lambda r, q: (energy.center_of_mass(r.mechanism, q),))
        return compute(self, formula, (q,), values, threads)[0]

    def momentum(self: Robot, q: Any, v: Any, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Momentum in the world's axes, (..., 6): angular about the centre of mass [kg m²/s], linear [kg m/s].

        Example:
            >>> import stiction
            >>> stiction.library.pendulum(1).momentum([0.0], [2.0])[3:].tolist()
            [-2.0, 0.0, 0.0]
        """
        formula = Formula("momentum", (self._q(), self._v()), (Port("h", (6,), "kg m²/s, kg m/s"),), lambda r, q, v: (_flat(energy.momentum(r.mechanism, q, v)),))
        return compute(self, formula, (q, v), values, threads)[0]

    # Identification and linearisation.

    def regressor(self: Robot, q: Any, v: Any, a: Any, *, gravity: Any = GRAVITY, threads: int | None = 1) -> np.ndarray:
        """The matrix Y(q, v, a), (..., nv, p), with Y π = torque for π = `inertial_parameters`.

        Example:
            >>> import numpy as np, stiction
            >>> arm = stiction.library.puma560()
            >>> q, v, a = np.full(6, 0.3), np.full(6, 0.2), np.full(6, 0.1)
            >>> bool(np.allclose(arm.regressor(q, v, a) @ arm.inertial_parameters, arm.inverse_dynamics(q, v, a)))
            True
        """

        def function(r: Assembly, q: list, v: list, a: list, g: list) -> tuple:
            return (regressor.regressor(r.mechanism, q, v, a, Vector(*g)),)

        size = 10 * len(self.mechanism.bodies)
        inputs = (self._q(), self._v(), self._v("a", "rad/s², m/s²"), _gravity())
        formula = Formula("regressor", inputs, (Port("Y", (self.nv, size)),), function)
        Y = compute(self, formula, (q, v, a, gravity), None, threads)[0]
        if self.mechanism.rotors is None:
            return Y
        # one column per pair of velocities that the rotors couple; a diagonal of reflected inertias in the usual case
        a = np.broadcast_to(np.asarray(a, float), (*Y.shape[:-2], self.nv))
        extra = np.zeros((*Y.shape[:-1], len(self._rotor_pairs)))
        for k, (i, j) in enumerate(self._rotor_pairs):
            extra[..., i, k] += a[..., j]
            if i != j:
                extra[..., j, k] += a[..., i]
        return np.concatenate([Y, extra], axis=-1)

    @property
    def _rotor_pairs(self: Robot) -> list[tuple[int, int]]:
        rotors = self.mechanism.rotors
        return [] if rotors is None else [(i, j) for i in range(self.nv) for j in range(i, self.nv) if rotors[i][j] != 0]

    @property
    def inertial_parameters(self: Robot) -> np.ndarray:
        """Parameters π of `regressor`: of each moving body mass [kg], first moment [kg m] and xx, xy, xz, yy, yz, zz [kg m²] about its
        frame's origin; then the rotor inertias as felt at the joints [kg m² or kg].
        """
        bodies = [x for body in self.mechanism.bodies for x in regressor.parameters(body.inertia)]
        return np.array(bodies + [self.mechanism.rotors[i][j] for i, j in self._rotor_pairs], float)  # type: ignore[index]

    def inverse_dynamics_derivatives(
        self: Robot, q: Any, v: Any, a: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of `inverse_dynamics` by q (in the tangent space), v and a, (..., nv, nv) each.

        Column j of the first is the change when the positions move with unit velocity j.

        Example:
            >>> import stiction
            >>> by_q, by_v, by_a = stiction.library.pendulum(1).inverse_dynamics_derivatives([0.0], [0.0], [0.0])
            >>> by_q.tolist()
            [[9.81]]
        """
        if self.nv > DERIVATIVES_UP_TO and not values:
            by_q, by_v = self._derivatives_by_direction(q, v, a, gravity, threads)
            return by_q, by_v, np.broadcast_to(self.mass_matrix(q, threads=threads), by_q.shape)

        def function(r: Assembly, q: list, v: list, a: list, g: list) -> tuple:
            by_q, by_v = linearize.inverse_dynamics_derivatives(r.mechanism, q, v, a, Vector(*g))
            return by_q, by_v, composite_body.mass_matrix(r.mechanism, q)

        inputs = (self._q(), self._v(), self._v("a", "rad/s², m/s²"), _gravity())
        outputs = tuple(self._square(f"by {x}", "SI") for x in "qva")
        return compute(self, Formula("inverse_dynamics_derivatives", inputs, outputs, function), (q, v, a, gravity), values, threads)  # type: ignore[return-value]

    def forward_dynamics_derivatives(
        self: Robot, q: Any, v: Any, torque: Any, *, gravity: Any = GRAVITY, values: Values = None, threads: int | None = 1
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of `forward_dynamics` by q (in the tangent space), v and torque, (..., nv, nv) each.

        Example:
            >>> import stiction
            >>> by_q, by_v, by_torque = stiction.library.pendulum(1).forward_dynamics_derivatives([0.0], [0.0], [0.0])
            >>> by_torque.round(6).tolist()
            [[1.0]]
        """
        if self.nv > DERIVATIVES_UP_TO and not values:
            a = self.forward_dynamics(q, v, torque, gravity=gravity, threads=threads)
            by_q, by_v = self._derivatives_by_direction(q, v, a, gravity, threads)
            inverse = np.linalg.inv(self.mass_matrix(q, threads=threads))
            return -inverse @ by_q, -inverse @ by_v, np.broadcast_to(inverse, by_q.shape)

        def function(r: Assembly, q: list, v: list, torque: list, g: list) -> tuple:
            return linearize.forward_dynamics_derivatives(r.mechanism, q, v, torque, Vector(*g))

        inputs = (self._q(), self._v(), self._v("torque", "N·m, N"), _gravity())
        outputs = tuple(self._square(f"by {x}", "SI") for x in ("q", "v", "torque"))
        return compute(self, Formula("forward_dynamics_derivatives", inputs, outputs, function), (q, v, torque, gravity), values, threads)  # type: ignore[return-value]

    def _derivatives_by_direction(self: Robot, q: Any, v: Any, a: Any, gravity: Any, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
        """One direction per lane, one robot per call."""

        def function(r: Assembly, q: list, v: list, a: list, g: list, dq: list, dv: list) -> tuple:
            return (linearize.inverse_dynamics_along(r.mechanism, q, v, a, Vector(*g), [(dq, dv)])[0],)

        sizes = (("q", self.nq), ("v", self.nv), ("a", self.nv))
        inputs = (*(Port(name, (size,), "SI", "uniform") for name, size in sizes), _gravity(), self._v("dq"), self._v("dv"))
        formula = Formula("inverse_dynamics_along", inputs, (self._v("change", "N·m, N"),), function)
        q, v, a = (np.asarray(x, float) for x in (q, v, a))
        batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], a.shape[:-1])
        q, v, a = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, v, a))
        n = self.nv
        units, rest = np.eye(n), np.zeros((n, n))
        dq, dv = np.concatenate([units, rest]), np.concatenate([rest, units])
        columns = np.empty((*batch, 2 * n, n))
        for index in np.ndindex(*batch):
            columns[index] = compute(self, formula, (q[index], v[index], a[index], gravity, dq, dv), None, threads)[0]
        turned = np.swapaxes(columns, -1, -2)
        return np.ascontiguousarray(turned[..., :n]), np.ascontiguousarray(turned[..., n:])


def _gravity() -> Port:
    return Port("gravity", (3,), "m/s²", "uniform")


def _check_axes(axes: str) -> None:
    if axes not in kinematics.AXES:
        raise InputError(f"axes is {axes!r}; allowed: {', '.join(map(repr, kinematics.AXES))}")


def _flat(pair: Twist | Wrench) -> list:
    return [*pair[0], *pair[1]]


def _columns(twists: list[Twist]) -> list[list]:
    return [list(row) for row in zip(*(_flat(t) for t in twists), strict=True)]
