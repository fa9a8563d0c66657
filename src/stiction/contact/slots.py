"""Slots: the contacts that count, nearest first, each lane with its own."""

from collections.abc import Sequence
from typing import Any

from stiction.spatial import Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, loop, minimum, where

FAR = 1e300  # m that nothing is apart
PARALLEL = 0.99  # cosine of the angle between normals of what is one contact
PLAIN = ("ahead", "candidate", "gap", *(f"{what}.{c}" for what in ("point", "normal") for c in "xyz"))
CARRIED = tuple(f"{what}.{c}" for what in ("place", "facing", "side") for c in "xyz")


class Slots:
    """The contacts that count, nearest first.

    What each holds: ahead [m], its gap a step on; candidate, its number; gap [m]; point and normal in the world [m, 1].
    Where targets move, also place and facing: point and normal in the frame of the target, and side, a first tangent in
    the world.
    """

    def __init__(self, most: int, moving: bool, same: Scalar, like: Sequence[Scalar]) -> None:
        self.most, self.like, self.moving, self.same = most, like, moving, same
        self.names = (*PLAIN, *(CARRIED if moving else ()))
        self.width = len(self.names)
        self.memory, self.found = Array(most * self.width, like, blank=True), Array(1, like)

        def clear(j: Any, carry: list) -> list:
            for w in range(self.width):
                self.memory[j * self.width + w] = FAR if w == 0 else -1 if w == 1 else 0
            return carry

        loop(most, clear, like)

    def number(self, j: Any, name: str) -> Scalar:
        """One number of a slot."""
        return self.memory[j * self.width + self.names.index(name)]

    def vector(self, j: Any, name: str) -> Vector:
        """A vector of a slot."""
        first = j * self.width + self.names.index(f"{name}.x")
        return Vector(*(self.memory[first + k] for k in range(3)))

    @property
    def wanted(self) -> Scalar:
        """How many candidates are near."""
        return self.found[0]

    @property
    def count(self) -> Scalar:
        """How many slots are taken."""
        return minimum(self.wanted, self.most)

    def offer(self, near: Scalar, record: Sequence[Scalar]) -> None:
        """Put a candidate in its place among those that are near, where it is: what is farther moves on."""

        def put(_: Any, carry: list) -> list:
            flag = where(near & (self._same(record) < 1), 1, 0)
            first = [where(flag > 0, record[0], FAR), *record[1:]]
            loop(self.most, self._pass, [flag, *first], until_zero=0)
            self.found[0] = self.found[0] + flag
            return [0 * carry[0]]

        loop(1, put, [where(near, 1, 0)], until_zero=0, skip=True)

    def _same(self, record: Sequence[Scalar]) -> Scalar:
        """1 where a slot holds a contact at the same point already: a corner on a corner is found from both sides."""
        if not self.moving:
            return 0
        x, n = Vector(*record[3:6]), Vector(*record[6:9])

        def look(j: Any, carry: list) -> list:
            apart = self.vector(j, "point") - x
            taken = (self.number(j, "candidate") >= 0) & (absolute(n.dot(self.vector(j, "normal"))) > PARALLEL)
            return [where(taken & (apart.dot(apart) < self.same * self.same), 1, carry[0])]

        return loop(self.most, look, [0 * x.x])[0]

    def _pass(self, j: Any, carry: list) -> list:
        """The nearer one stays, the other goes on to the next slot."""
        _, *offered = carry
        held = [self.memory[j * self.width + w] for w in range(self.width)]
        nearer = offered[0] < held[0]
        for w, (a, b) in enumerate(zip(offered, held, strict=True)):
            self.memory[j * self.width + w] = where(nearer, a, b)
        onward = [where(nearer, b, a) for a, b in zip(offered, held, strict=True)]
        return [where(onward[0] < FAR, 1, 0), *onward]
