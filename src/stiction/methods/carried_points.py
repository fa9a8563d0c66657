"""Change of the velocities of points that bodies carry, from where contacts are found to the end of the step.

A point x of a body moves with V + ω × (x − o). At the end of the step the body has turned: the same point is at x' and
moves with V' + ω' × (x' − o'), at the same generalised velocities. What sticks has no relative velocity there.
"""

from collections.abc import Sequence
from typing import Any

from stiction.parts.kinds import Ports
from stiction.spatial import Matrix, Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, loop, where

SIZE = 15  # numbers of a body: change of the origin's velocity, of the velocities about it by place, the origin


class CarriedPoints:
    """The points of some bodies.

    Args:
        now: their frames where contacts are found, as ports of a contact part.
        later: their frames at the end of the step, with the same velocities.
        movers: their names.
        like: a value of the program.
    """

    def __init__(self, now: Ports, later: Ports, movers: Sequence[str], like: Sequence[Scalar]) -> None:
        self.count, self.memory = len(movers), Array(SIZE * len(movers), like)
        for k, name in enumerate(movers):
            (x, R, V, w), (_, S, after, turn) = (
                [ports[f"{name}.{port}"] for port in ("position", "rotation", "velocity", "angular")]
                for ports in (now, later)
            )
            moved = Matrix.of_numbers(S) @ Matrix.of_numbers(R).T
            columns = []
            for axis in (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)):
                columns += list(Vector(*turn).cross(moved @ axis) - Vector(*w).cross(axis))
            change = [b - a for a, b in zip(V, after, strict=True)]
            for i, number in enumerate((*change, *columns, *x)):
                self.memory[SIZE * k + i] = number

    def change(self, first: Scalar, second: Scalar, point: Vector) -> Vector:
        """Change of the velocity of a point that the first body carries, less that of one there that the second does
        [m/s]; by their numbers, which are those of none of the movers in the world.
        """

        def add(k: Any, total: list) -> list:
            change, *columns, origin = (
                Vector(*(self.memory[SIZE * k + i + j] for j in range(3))) for i in range(0, SIZE, 3)
            )
            for column, x in zip(columns, point - origin, strict=True):
                change = change + column * x
            sign = where(first == k, 1, 0) - where(second == k, 1, 0)
            return [a + sign * b for a, b in zip(total, change, strict=True)]

        return Vector(*loop(self.count, add, [0 * point.x] * 3))
