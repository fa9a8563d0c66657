"""A spring with a damper between two points of bodies or robots."""

from collections.abc import Sequence
from dataclasses import dataclass

from stiction.fields import number, texts
from stiction.parts.kinds import Impedance, Ports, Spring
from stiction.parts.registry import PARTS
from stiction.spatial import Vector
from stiction.trace.functions import Scalar, maximum, sqrt

SHORTEST = 1e-9  # m: ends that meet have no direction


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class TwoPointSpring(Impedance):
    """A spring and damper that pull two points together: σ = preload + stiffness (L − length) + damping L̇, closed_loop
    (7). Ports: positions and velocities of the two points in; forces on them and the tension σ [N] out.

    Attributes:
        between: the two points: frames or links of robots, such as "robot.link2", or bodies; its wires are made by the
            scene. Empty where you wire it yourself.
        stiffness: [N/m].
        damping: [N·s/m].
        length: at which the tension is the preload [m].
        preload: tension at that length [N]; below 0 pushes.

    Example:
        >>> from stiction.parts import TwoPointSpring
        >>> spring = TwoPointSpring(stiffness=1000.0, length=0.5, preload=20.0)
        >>> rest = [0.0, 0.0, 0.0]
        >>> ends = {"first_position": rest, "second_position": [0.0, 0.0, 0.6], "first_velocity": rest}
        >>> forces, _ = spring.force(ends | {"second_velocity": rest}, [], 0.0, 0.0)
        >>> [round(x, 9) for x in forces["first_force"]], round(forces["tension"][0], 9)
        ([0.0, 0.0, 120.0], 120.0)
    """

    inputs = {"first_position": 3, "first_velocity": 3, "second_position": 3, "second_velocity": 3}
    outputs = {"first_force": 3, "second_force": 3, "tension": 1}
    units = {"first_force": "N", "second_force": "N", "tension": "N"}
    described = ("between",)
    vanishing = ("damping",)

    between: Sequence[str] = texts(())
    stiffness: float = number(least=0)
    damping: float = number(0.0, least=0)
    length: float = number(0.0, least=0)
    preload: float = number(0.0)

    def conflicts(self) -> Sequence:
        """It has two ends."""
        why = (
            f"between is {self.between!r}; allowed: the names of two frames or bodies, such as ('robot.link1', 'ball')"
        )
        return [(len(self.between) not in (0, 2), why)]

    def _line(self, motion: Ports) -> tuple[Vector, Scalar]:
        """Direction from the first point to the second, and their distance."""
        way = Vector(*motion["second_position"]) - Vector(*motion["first_position"])
        distance = maximum(SHORTEST, sqrt(way.dot(way)))
        return way * (1 / distance), distance

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Both ends are pulled towards each other."""
        along, distance = self._line(motion)
        rate = along.dot(Vector(*motion["second_velocity"]) - Vector(*motion["first_velocity"]))
        tension = self.preload + self.stiffness * (distance - self.length) + self.damping * rate
        pull = along * tension
        return {"first_force": list(pull), "second_force": list(-pull), "tension": [tension]}, []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy, counted from the length of the preload [J]."""
        longer = self._line(motion)[1] - self.length
        return (self.preload + self.stiffness * longer / 2) * longer

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """Its own direction."""
        along = self._line(motion)[0]
        return [
            Spring(
                {"first_force": list(along), "second_force": list(-along), "tension": [0]}, self.stiffness, self.damping
            )
        ]
