"""The ground: a plane with Coulomb friction, under a point or under points of a body."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stiction.fields import number, numbers
from stiction.friction.dry import in_space
from stiction.parts.kinds import Impedance, Ports, Spring
from stiction.parts.registry import PARTS
from stiction.spatial import Vector, from_quaternion
from stiction.trace.functions import Scalar, maximum, minimum, where


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class Ground(Impedance):
    """The plane z = 0 with Coulomb friction, I_fricKN of network (23), (24). Ports: position and velocity of the
    touching point [m, m/s] in; force on the ground [N] out: the body gets its negative.

    Attributes:
        stiffness: K of the normal and of the tangential bristle [N/m].
        damping: B of both [N·s/m].
        coefficient: μ.

    Example:
        >>> from stiction.parts import Ground
        >>> ground = Ground(stiffness=1e4, damping=1.0, coefficient=0.5)
        >>> above = {"position": [0.0, 0.0, 0.1], "velocity": [1.0, 0.0, 0.0]}
        >>> ground.force(above, [0.0, 0.0], 1e-3, 0.0)[0]["force"]
        [0.0, 0.0, 0]
    """

    inputs = {"position": 3, "velocity": 3}
    outputs = {"force": 3}
    units = {"force": "N", "bend": "m"}
    lasting = False

    stiffness: float = number(above=0)
    damping: float = number(least=0)
    coefficient: float = number(least=0)

    def start(self) -> Mapping[str, float]:
        """The bending of the bristle in the plane."""
        return {"bend.x": 0.0, "bend.y": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Normal force without adhesion, and friction in the plane up to μ times it."""
        (_, _, z), (vx, vy, vz) = motion["position"], motion["velocity"]
        K, D = self.stiffness, self.damping + step * self.stiffness
        normal = where(z < 0, maximum(0, -K * z - self.damping * vz), 0)
        limit = self.coefficient * normal
        plane, rates = in_space([vx, vy], own, K, D, lambda size: minimum(size, limit))
        return {"force": [*plane, -normal]}, rates

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the indented ground and of the bristle [J]."""
        depth = minimum(0, motion["position"][2])
        return self.stiffness * (depth * depth + own[0] * own[0] + own[1] * own[1]) / 2

    def springs(self, motion: Ports) -> Sequence[Spring]:
        """The normal and two directions in the plane, while it touches."""
        units: list[list[Scalar]] = [[int(k == j) for j in range(3)] for k in range(3)]
        forces = [self.outputs_under(motion, unit) for unit in units]
        plane = [(True, True), (True, True), (False, False)]  # bristles in the plane, a spring along the normal
        return [Spring(force, self.stiffness, self.damping, *how) for force, how in zip(forces, plane, strict=True)]

    def outputs_under(self, motion: Ports, force: list[Scalar]) -> Ports:
        """The outputs that a force at the touching point makes."""
        return {"force": force}


@PARTS.add
@dataclass(frozen=True, kw_only=True)
class TouchingPoint(Ground):
    """A point of a body, such as a corner of a box, on the frictional ground. Ports: position [m], quaternion, velocity
    [m/s] and angular velocity [rad/s] of the body in, as `FreeBody` gives them; force [N] and moment [N·m] on the
    ground out: the body gets their negatives.

    Attributes:
        point: where it is, in the body's axes, from the centre of mass [m].

    Example:
        >>> from stiction.parts import TouchingPoint
        >>> corner = TouchingPoint(point=(0.1, 0, -0.1), stiffness=1e4, damping=1.0, coefficient=0.5)
        >>> sorted(corner.outputs)
        ['force', 'moment']
    """

    inputs = {"position": 3, "quaternion": 4, "velocity": 3, "angular": 3}
    outputs = {"force": 3, "moment": 3}
    units = {"force": "N", "moment": "N·m", "bend": "m"}

    point: tuple[float, float, float] = numbers(3)

    def _touching(self, motion: Ports) -> tuple[Vector, Ports]:
        """The arm to the point, and the point's own motion."""
        arm = from_quaternion(motion["quaternion"]) @ Vector(*self.point)
        velocity = Vector(*motion["velocity"]) + Vector(*motion["angular"]).cross(arm)
        return arm, {"position": list(Vector(*motion["position"]) + arm), "velocity": list(velocity)}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """That of the ground at the point, with its moment about the centre of mass."""
        outputs, rates = super().force(self._touching(motion)[1], own, step, t)
        return self.outputs_under(motion, outputs["force"]), rates

    def outputs_under(self, motion: Ports, force: list[Scalar]) -> Ports:
        """A force at the point, with its moment about the centre of mass."""
        return {"force": force, "moment": list(self._touching(motion)[0].cross(Vector(*force)))}

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy at the point [J]."""
        return super().stored(self._touching(motion)[1], own)
