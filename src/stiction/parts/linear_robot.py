"""A robot near a nominal motion: its equations of motion linear in what it deviates, closed_loop (26)."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from stiction.errors import InputError
from stiction.parts.kinds import Admittance, Ports
from stiction.parts.robot_body import RobotBody
from stiction.trace.functions import Scalar, clip, floor, lookup
from stiction.trace.parameters import Substitution

TIME, PACE = "nominal_time", "nominal_pace"


@dataclass(frozen=True, kw_only=True)
class LinearRobot(Admittance):
    """M0(t) v̇ + b0(t) + C0(t) (v − v0(t)) + K0(t) (q − q0(t)) = torque, along a nominal motion. Ports as those of a
    `RobotBody` without frames.

    Its states are q and the time since the motion began, then v and the pace of the time: a coordinate that nothing
    pushes and that begins with velocity 1, so that all methods can advance equations that change with the time. Between
    the points of its tables matrices are linear, vectors cubic; after the last they stay.

    Attributes:
        body: the robot that it stands for.
        rows: of each interval: M0, C0, K0 at its beginning and their slopes, then cubics of b0 and of q0.
        period: time between the points [s].
    """

    hidden = (TIME, PACE)

    body: RobotBody
    rows: Any
    period: float

    def __post_init__(self) -> None:
        n = self.body.robot.nv
        self._set("inputs", {"torque": n})
        self._set("outputs", {"q": n, "v": n})

    @property
    def count(self) -> int:
        """How many joints."""
        return self.body.robot.nv

    def with_parameters(self, substitution: Substitution) -> Self:
        """The same with its rows as a table that programs read."""
        twin = copy.copy(self)
        twin._set("period", substitution.internal("period", self.period))
        twin._set("intervals", substitution.internal("intervals", float(len(self.rows))))
        twin._set("table", substitution.rows("rows", self.rows))
        return twin

    def structure(self) -> tuple:
        """What its joints are called."""
        return (type(self).__qualname__, tuple(self.start()))

    def start(self) -> Mapping[str, float]:
        """Positions, the time, velocities, and the pace, by the names of the robot."""
        first, n = list(self.body.start().items()), self.body.positions()
        return {**dict(first[:n]), TIME: 0.0, **dict(first[n:]), PACE: 1.0}

    def unit(self, signal: str) -> str:
        """As the robot's."""
        return {TIME: "s", PACE: "1"}.get(signal) or self.body.unit(signal)

    def _split(self, own: Sequence[Scalar]) -> tuple[list[Scalar], Scalar, list[Scalar]]:
        n = self.count
        return list(own[:n]), own[n], list(own[n + 1 : -1])

    def motion(self, own: list[Scalar]) -> Ports:
        """Positions and velocities."""
        q, _, v = self._split(own)
        return {"q": q, "v": v}

    def positions(self) -> int:
        """Those of the robot, and the time."""
        return self.count + 1

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """The velocities; time goes on with its pace."""
        return list(own[self.positions() :])

    def at(self, t: Scalar) -> "Moment":
        """The equations at a time of the motion."""
        last = getattr(self, "intervals", len(self.rows))
        x = clip(t / self.period, 0, last)
        index = clip(floor(x), 0, last - 1)
        table = getattr(self, "table", self.rows)
        row = lookup(table, index) if isinstance(table, Sequence) else table.row(index)
        return Moment(list(row), self.count, x - index, self.period)

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """M0, and 1 for the time."""
        rows = [[*row, 0] for row in self.at(self._split(own)[1]).mass_matrix]
        return [*rows, [*[0] * self.count, 1]]

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """The linear equations; nothing keeps up the time."""
        (q, t, v), (*a, quicker) = self._split(own), accelerations
        now = self.at(t)
        away = [x - y for x, y in zip(q, now.position, strict=True)]
        faster = [x - y for x, y in zip(v, now.velocity, strict=True)]
        total = now.bias
        for matrix, x in ((now.mass_matrix, a), (now.damping, faster), (now.stiffness, away)):
            total = [
                b + sum((g * y for g, y in zip(row, x, strict=True)), start=0)
                for b, row in zip(total, matrix, strict=True)
            ]
        return [*total, quicker]

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The torques act along the velocities as they are [N·m or N]."""
        return [*forces["torque"], 0]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """None: what drives the nominal motion is no force that works."""
        raise InputError("a linearised robot keeps no energy balance; leave energy out, or simulate the full model")


class Moment:
    """A row of the table at a time: matrices and vectors of the equations."""

    def __init__(self, row: list[Scalar], n: int, part: Scalar, period: Scalar) -> None:
        self.row, self.n, self.part, self.period = row, n, part, period
        self.below = np.tril_indices(n)
        self.symmetric = len(self.below[0])

    def _linear(self, first: int, count: int) -> list[Scalar]:
        a, b = self.row[first : first + count], self.row[first + count : first + 2 * count]
        return [x + self.part * y for x, y in zip(a, b, strict=True)]

    @property
    def mass_matrix(self) -> list[list[Scalar]]:
        """M0, (n, n)."""
        numbers, places = self._linear(0, self.symmetric), {}
        for place, number in enumerate(numbers):
            i, j = int(self.below[0][place]), int(self.below[1][place])
            places[i, j] = places[j, i] = number
        return [[places[i, j] for j in range(self.n)] for i in range(self.n)]

    def _square(self, number: int) -> list[list[Scalar]]:
        n = self.n
        numbers = self._linear(2 * self.symmetric + 2 * n * n * number, n * n)
        return [numbers[k * n : (k + 1) * n] for k in range(n)]

    @property
    def damping(self) -> list[list[Scalar]]:
        """C0, (n, n)."""
        return self._square(0)

    @property
    def stiffness(self) -> list[list[Scalar]]:
        """K0, (n, n)."""
        return self._square(1)

    def _cubics(self, number: int) -> list[list[Scalar]]:
        first = 2 * self.symmetric + 4 * self.n * self.n + 4 * self.n * number
        return [self.row[first + 4 * k : first + 4 * k + 4] for k in range(self.n)]

    def _cubic(self, number: int) -> list[Scalar]:
        x = self.part
        return [a + x * (b + x * (c + x * d)) for a, b, c, d in self._cubics(number)]

    @property
    def bias(self) -> list[Scalar]:
        """b0: the nominal torque less M0 times the nominal acceleration, (n,)."""
        return self._cubic(0)

    @property
    def position(self) -> list[Scalar]:
        """q0, (n,)."""
        return self._cubic(1)

    @property
    def velocity(self) -> list[Scalar]:
        """v0, (n,)."""
        x = self.part
        return [(b + x * (2 * c + x * (3 * d))) / self.period for _, b, c, d in self._cubics(1)]


def packed_rows(M: np.ndarray, C: np.ndarray, K: np.ndarray, cubics: Sequence[np.ndarray]) -> list[tuple[float, ...]]:
    """Rows for `LinearRobot` from matrices at the points, (N + 1, n, n), and coefficients of b0 and q0 over each
    interval, (N, n, 4), in parts of it.
    """
    n = M.shape[1]
    i, j = np.tril_indices(n)
    flat = [M[:, i, j], C.reshape(len(C), -1), K.reshape(len(K), -1)]
    columns = [piece for x in flat for piece in (x[:-1], np.diff(x, axis=0))]
    columns += [x.reshape(len(x), -1) for x in cubics]
    return [tuple(row) for row in np.concatenate(columns, axis=1).tolist()]
