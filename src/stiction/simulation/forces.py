"""Impedances: springs, friction at a site, the frictional ground, and forces given in time."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stiction.errors import InputError
from stiction.friction.dry import Dry, in_space
from stiction.friction.law import SLIDING, STUCK, Law, Linear
from stiction.part import Impedance, Implicit, Ports, Row, floats, number, places
from stiction.rows.stick_slip import Limits
from stiction.simulation.table import Table
from stiction.spatial import Vector, from_quaternion
from stiction.trace.functions import Scalar, absolute, maximum, minimum, where
from stiction.trace.numbered import Numbering


@dataclass(frozen=True, kw_only=True)
class SpringDamper(Impedance):
    """f = K p + B v, network (10). Ports: position and velocity in; force out, with the sign of the motion.

    Attributes:
        stiffness: K [N/m or N·m/rad].
        damping: B [N·s/m or N·m·s/rad].

    Example:
        >>> from stiction.simulation.forces import SpringDamper
        >>> SpringDamper(stiffness=10.0, damping=1.0).force({"position": [0.5], "velocity": [2.0]}, [], 0.0, 0.0)
        ({'force': [7.0]}, [])
    """

    inputs = {"position": 1, "velocity": 1}
    outputs = {"force": 1}
    units = {"force": "N·m or N"}

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        for what in ("stiffness", "damping"):
            object.__setattr__(self, what, number("SpringDamper", what, getattr(self, what)))

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Spring and damper."""
        return {"force": [self.stiffness * motion["position"][0] + self.damping * motion["velocity"][0]]}, []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the spring [J]."""
        return self.stiffness * motion["position"][0] * motion["position"][0] / 2


@dataclass(frozen=True, kw_only=True)
class Friction(Implicit):
    """A friction law at a site. Ports: velocity in; torque out, with the sign of the velocity (so wire it with gain −1).

    Attributes:
        law: the friction law.
        dimension: how many numbers the velocity has; above 1 the law must be dry, and is the same in all directions.

    Example:
        >>> from stiction.friction import Coulomb
        >>> from stiction.simulation.forces import Friction
        >>> law = Coulomb(level=0.5, stiffness=5000.0, damping=1.0)
        >>> Friction(law=law).force({"velocity": [1.0]}, [0.0], 1e-3, 0.0)[0]
        {'torque': [0.5]}
        >>> Friction(law=law, dimension=2).force({"velocity": [0.0, 4.0]}, [0.0, 0.0], 1e-3, 0.0)[0]
        {'torque': [0.0, 0.5]}
    """

    units = {"torque": "N·m or N", "bend": "rad or m", "mode": "1", "margin": "N·m or N", "switches": "1", "fastest": "rad/s or m/s"}

    law: Law
    dimension: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise InputError(f"Friction: law is {self.law!r}; allowed: a friction law")
        if type(self.law).flow is Law.flow:
            raise InputError(f"Friction: the law {type(self.law).__name__} has no method 'flow', which every law needs; write it")
        if not isinstance(self.dimension, int) or self.dimension < 1:
            raise InputError(f"Friction: dimension is {self.dimension!r}; allowed: a whole number of at least 1")
        if self.dimension > 1 and not isinstance(self.law, Dry):
            raise InputError(
                f"Friction: {type(self.law).__name__} acts on one velocity, and dimension is {self.dimension}; allowed: dry laws (Coulomb, Stribeck, Curve)"
            )
        if self.dimension > 1 and self.law.breakaway(1) != self.law.breakaway(-1):
            raise InputError(f"Friction: {self.law} differs for the two directions, and dimension is {self.dimension}; in space friction is the same in all")
        object.__setattr__(self, "inputs", {"velocity": self.dimension})
        object.__setattr__(self, "outputs", {"torque": self.dimension})

    def start(self) -> Mapping[str, float]:
        """The bending of the bristle, if the law has one."""
        if self.dimension > 1:
            return {f"bend.{place}": 0.0 for place in places(self.dimension)}
        return {"bend": 0.0} if self.law.states else {}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The law's torque."""
        if self.dimension > 1:
            assert isinstance(self.law, Dry)
            force, rates = self.law.flow_in_space(motion["velocity"], own, step)
            return {"torque": force}, rates
        torque, rate = self.law.flow(motion["velocity"][0], own[0] if own else 0, step)
        return {"torque": [torque]}, [rate] if own else []

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of the bristle [J]."""
        return sum((self.law.stored(z) for z in own), start=0)

    def at_end(self, motion: Ports, own: list[Scalar], s: Scalar, step: Scalar, t: Scalar) -> Linear:
        """The law's torque at the end of a step."""
        return self.law.implicit(s, own[0] if own else 0, step)

    def mode(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 1 pre-sliding, 2 sliding."""
        return self.law.mode(v, own[0] if own else 0, step)

    def margin(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        return self.law.margin(v, own[0] if own else 0, step)


@dataclass(frozen=True, kw_only=True)
class RigidFriction(Row):
    """Dry friction as a row: its torque is found with that of all other rows once per step, and held. Ports as those of `Friction`.

    Attributes:
        law: the friction law.
    """

    inputs = {"velocity": 1}
    outputs = {"torque": 1}
    units = Friction.units

    law: Dry

    def start(self) -> Mapping[str, float]:
        """Direction of sliding (−1, 0 or 1), from which the next search begins, and the torque."""
        return {"slides": 0.0, "held": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque that was found."""
        return {"torque": [own[1]]}, [0, 0]

    def at_end(self, motion: Ports, own: list[Scalar], s: Scalar, step: Scalar, t: Scalar) -> Linear:
        """Viscous friction is not part of the row."""
        return Linear(0, self.law.viscous, 0, 0)

    def limits(self, own: list[Scalar], s: Scalar, step: Scalar) -> Limits:
        """Impulses at break-away, and at the speed at which the step begins."""
        w = absolute(s)
        slide = [self.law.strength(w, direction) - self.law.viscous * w for direction in (1, -1)]
        return Limits(step * self.law.breakaway(1), step * self.law.breakaway(-1), step * slide[0], step * slide[1])

    def found(self, motion: Ports, own: list[Scalar], mode: Scalar, torque: Scalar, acceleration: Scalar) -> list[Scalar]:
        """Direction of sliding and torque."""
        return [mode, torque]

    def mode(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 2 sliding."""
        return where(absolute(own[0]) > 0, SLIDING, STUCK)

    def margin(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        return where(absolute(own[0]) > 0, 0, maximum(0, self.law.breakaway(own[1]) - absolute(own[1])))


@dataclass(frozen=True, kw_only=True)
class Ground(Impedance):
    """The plane z = 0 with Coulomb friction, I_fricKN of network (23), (24). Ports: position and velocity of the touching point [m, m/s] in;
    force on the ground [N] out: the body gets its negative.

    Attributes:
        stiffness: K of the normal and of the tangential bristle [N/m].
        damping: B of both [N·s/m].
        coefficient: μ.

    Example:
        >>> from stiction.simulation.forces import Ground
        >>> ground = Ground(stiffness=1e4, damping=1.0, coefficient=0.5)
        >>> ground.force({"position": [0.0, 0.0, 0.1], "velocity": [1.0, 0.0, 0.0]}, [0.0, 0.0], 1e-3, 0.0)[0]["force"]
        [0.0, 0.0, 0]
    """

    inputs = {"position": 3, "velocity": 3}
    outputs = {"force": 3}
    units = {"force": "N", "bend": "m"}

    stiffness: float
    damping: float
    coefficient: float

    def __post_init__(self) -> None:
        for what in ("stiffness", "damping", "coefficient"):
            object.__setattr__(self, what, number("Ground", what, getattr(self, what), zero=what != "stiffness"))

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


@dataclass(frozen=True, kw_only=True)
class TouchingPoint(Ground):
    """A point of a body, such as a corner of a box, on the frictional ground. Ports: position [m], quaternion, velocity [m/s] and angular
    velocity [rad/s] of the body in, as `FreeBody` gives them; force [N] and moment [N·m] on the ground out: the body gets their negatives.

    Attributes:
        point: where it is, in the body's axes, from the centre of mass [m].

    Example:
        >>> from stiction.simulation.forces import TouchingPoint
        >>> corner = TouchingPoint(point=(0.1, 0, -0.1), stiffness=1e4, damping=1.0, coefficient=0.5)
        >>> sorted(corner.outputs)
        ['force', 'moment']
    """

    inputs = {"position": 3, "quaternion": 4, "velocity": 3, "angular": 3}
    outputs = {"force": 3, "moment": 3}
    units = {"force": "N", "moment": "N·m", "bend": "m"}

    point: tuple[float, float, float]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "point", floats("TouchingPoint", "point", self.point, 3))

    def _touching(self, motion: Ports) -> tuple[Vector, Ports]:
        """The arm to the point, and the point's own motion."""
        arm = from_quaternion(motion["quaternion"]) @ Vector(*self.point)
        velocity = Vector(*motion["velocity"]) + Vector(*motion["angular"]).cross(arm)
        return arm, {"position": list(Vector(*motion["position"]) + arm), "velocity": list(velocity)}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """That of the ground at the point, with its moment about the centre of mass."""
        outputs, rates = super().force(self._touching(motion)[1], own, step, t)
        return {"force": outputs["force"], "moment": self.moment_of(motion, outputs["force"])}, rates

    def moment_of(self, motion: Ports, force: list[Scalar]) -> list[Scalar]:
        """Moment of a force at the point about the centre of mass."""
        return list(self._touching(motion)[0].cross(Vector(*force)))

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy at the point [J]."""
        return super().stored(self._touching(motion)[1], own)


@dataclass(frozen=True, kw_only=True)
class Source(Impedance):
    """Forces given in time. Port: force out.

    Attributes:
        functions: one per number of the port: formulas of the time t [s] (`stiction.trace.functions`), or numbers.
        names: of the numbers, where they have any.

    Example:
        >>> from stiction.simulation.forces import Source
        >>> Source(functions=(lambda t: 2 * t,)).force({}, [], 0.0, 3.0)
        ({'force': [6.0]}, [])
    """

    units = {"force": "N·m or N"}

    functions: tuple[Callable[[Scalar], Scalar] | float | Table, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = self.functions if isinstance(self.functions, (tuple, list)) else ()
        if not given or not all(callable(f) or (isinstance(f, (int, float)) and abs(f) < 1e15) for f in given):
            raise InputError(f"Source: functions is {self.functions!r}; allowed: functions of the time t or numbers, one per number of the port")
        object.__setattr__(self, "functions", tuple(f if callable(f) else float(f) for f in given))
        object.__setattr__(self, "outputs", {"force": len(given)})

    def with_numbers(self, number: Numbering) -> "Source":
        """The same with the plain numbers replaced."""
        names = self.names or [str(k) for k in range(len(self.functions))]
        twin = copy.copy(self)
        given = tuple(f if callable(f) else number(name, f) for name, f in zip(names, self.functions, strict=True))
        object.__setattr__(twin, "functions", given)
        return twin

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The functions' values at t."""
        return {"force": [f(t) if callable(f) else f for f in self.functions]}, []
