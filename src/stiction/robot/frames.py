"""Where the links of a robot are and how fast they move: poses, twists, Jacobians."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stiction.dynamics import kinematics
from stiction.dynamics.kinematics import Site
from stiction.errors import InputError, unknown
from stiction.robot.description import Description
from stiction.robot.numbers import Assembly
from stiction.robot.programs import Formula, compute
from stiction.spatial import Twist, Wrench
from stiction.trace.program import Port

Values = Mapping[str, Any] | None


class Frames(Description):
    """The kinematics of a `Robot`. Frames are named: links and the frames fixed to them."""

    def pose(self, q: Any, frame: str, *, values: Values = None, threads: int | None = 1) -> np.ndarray:
        """Pose of a frame or link in the world, as homogeneous matrices (..., 4, 4): rotation [1] and position [m].

        Example:
            >>> import stiction
            >>> arm = stiction.library.two_link()
            >>> arm.pose([0.0, 0.0], "tip")[:3, 3].tolist()
            [0.2, 0.0, 0.0]
        """

        def function(r: Assembly, site: Site, q: list) -> tuple:
            X = kinematics.site_pose(r.mechanism, site, q)
            return ([[*row, p] for row, p in zip(X.rotation, X.position, strict=True)] + [[0, 0, 0, 1]],)

        return _at(self, "pose", frame, "", function, Port("pose", (4, 4), "1, m"), (q,), values, threads)

    def twist(
        self, q: Any, v: Any, frame: str, *, axes: str = "aligned", values: Values = None, threads: int | None = 1
    ) -> np.ndarray:
        """Twist of a frame, (..., 6): angular velocity [rad/s], then linear [m/s].

        Args:
            q: positions [rad or m], (..., nq).
            v: velocities [rad/s or m/s], (..., nv).
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
        _check_axes(axes)

        def function(r: Assembly, site: Site, q: list, v: list) -> tuple:
            return (flat(kinematics.site_twist(r.mechanism, site, q, v, axes)),)

        return _at(self, "twist", frame, axes, function, Port("twist", (6,), "rad/s, m/s"), (q, v), values, threads)

    def jacobian(
        self, q: Any, frame: str, *, axes: str = "aligned", values: Values = None, threads: int | None = 1
    ) -> np.ndarray:
        """The matrix that takes velocities to the twist of a frame, (..., 6, nv); `axes` as in `twist`.

        Example:
            >>> import stiction
            >>> stiction.library.two_link().jacobian([0.0, 0.0], "tip")[4].tolist()
            [0.2, 0.1]
        """
        _check_axes(axes)

        def function(r: Assembly, site: Site, q: list) -> tuple:
            return (_matrix(kinematics.jacobian(r.mechanism, site, q, axes)),)

        return _at(self, "jacobian", frame, axes, function, Port("J", (6, self.nv), "1, m"), (q,), values, threads)

    def jacobian_rate(
        self, q: Any, v: Any, frame: str, *, axes: str = "aligned", values: Values = None, threads: int | None = 1
    ) -> np.ndarray:
        """Rate of change of `jacobian` along the motion, (..., 6, nv) [1/s, m/s].

        Example:
            >>> import stiction
            >>> stiction.library.two_link().jacobian_rate([0.0, 0.0], [1.0, 0.0], "tip")[3].tolist()
            [-0.2, -0.1]
        """
        _check_axes(axes)

        def function(r: Assembly, site: Site, q: list, v: list) -> tuple:
            return (_matrix(kinematics.jacobian_rate(r.mechanism, site, q, v, axes)),)

        return _at(
            self, "jacobian_rate", frame, axes, function, Port("dJ", (6, self.nv), "1/s, m/s"), (q, v), values, threads
        )

    def position_rates(self, q: Any, v: Any, *, threads: int | None = 1) -> np.ndarray:
        """Rates of change of the positions, q̇ = N(q) v, (..., nq); equal to v unless there are quaternions.

        Example:
            >>> import stiction
            >>> stiction.library.two_link().position_rates([0.0, 0.0], [1.0, 2.0]).tolist()
            [1.0, 2.0]
        """

        def make() -> Formula:
            return Formula(
                (positions(self), velocities(self)),
                (Port("rates", (self.nq,)),),
                lambda r, q, v: (r.mechanism.position_rates(q, v),),
            )

        return compute(self, "position_rates", (), make, (q, v), None, threads)[0]


def _at(
    robot: Description,
    name: str,
    frame: str,
    axes: str,
    function: Callable,
    output: Port,
    signals: tuple,
    values: Values,
    threads: int | None,
) -> np.ndarray:
    """Compute something of a frame, in some axes."""
    place = frame_index(robot, frame)

    def make() -> Formula:
        inputs = (positions(robot), velocities(robot))[: len(signals)]
        return Formula(inputs, (output,), lambda r, *x: function(r, r.sites[frame], *x))

    return compute(robot, name, (place, axes), make, signals, values, threads)[0]


def _check_axes(axes: str) -> None:
    if axes not in kinematics.AXES:
        raise InputError(f"axes is {axes!r}; allowed: {', '.join(map(repr, kinematics.AXES))}")


def frame_index(robot: Description, frame: str) -> int:
    """The place of a frame among the robot's links and frames."""
    names = list(robot.assembly.sites)
    if not isinstance(frame, str) or frame not in names:
        raise InputError(unknown("frame", frame, f"robot '{robot.name}'", names))
    return names.index(frame)


def positions(robot: Description, role: str = "varying") -> Port:
    """The port of positions."""
    return Port("q", (robot.nq,), "rad, m", role)


def velocities(robot: Description, name: str = "v", unit: str = "rad/s, m/s", role: str = "varying") -> Port:
    """The port of velocities, or of what has as many components."""
    return Port(name, (robot.nv,), unit, role)


def flat(pair: Twist | Wrench) -> list:
    """The six numbers of a twist or wrench."""
    return [*pair[0], *pair[1]]


def _matrix(columns: list[Twist]) -> list[list]:
    flats = [flat(t) for t in columns]
    return [[column[row] for column in flats] for row in range(6)]
