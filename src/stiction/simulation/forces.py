"""Impedances: springs, friction at a site, the frictional ground, and forces given in time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stiction.errors import InputError
from stiction.friction.law import Law
from stiction.simulation.part import Impedance, Ports
from stiction.trace.functions import Scalar, maximum, sqrt, where


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

    stiffness: float
    damping: float = 0.0

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Spring and damper."""
        return {"force": [self.stiffness * motion["position"][0] + self.damping * motion["velocity"][0]]}, []


@dataclass(frozen=True, kw_only=True)
class Friction(Impedance):
    """A friction law at a site. Ports: velocity in; torque out, with the sign of the velocity (so wire it with gain −1).

    Attributes:
        law: the friction law.

    Example:
        >>> from stiction.friction import Coulomb
        >>> from stiction.simulation.forces import Friction
        >>> Friction(law=Coulomb(level=0.5, stiffness=5000.0, damping=1.0)).force({"velocity": [1.0]}, [0.0], 1e-3, 0.0)[0]
        {'torque': [0.5]}
    """

    inputs = {"velocity": 1}
    outputs = {"torque": 1}

    law: Law

    def start(self) -> Mapping[str, float]:
        """The bending of the bristle, if the law has one."""
        return {"bend": 0.0} if self.law.states else {}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The law's torque."""
        torque, rate = self.law.flow(motion["velocity"][0], own[0] if own else 0, step)
        return {"torque": [torque]}, [rate] if own else []


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

    stiffness: float
    damping: float
    coefficient: float

    def start(self) -> Mapping[str, float]:
        """The bending of the bristle in the plane."""
        return {"bend.x": 0.0, "bend.y": 0.0}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """Normal force without adhesion, and friction in the plane up to μ times it."""
        (_, _, z), (vx, vy, vz) = motion["position"], motion["velocity"]
        K, D = self.stiffness, self.damping + step * self.stiffness
        normal = where(z < 0, maximum(0, -K * z - self.damping * vz), 0)
        x, y = (D * v + K * e for v, e in zip((vx, vy), own, strict=True))
        limit, size = self.coefficient * normal, sqrt(x * x + y * y)
        scale = where(size > limit, limit / where(size > 0, size, 1), 1)  # gsat, network (15)
        plane = [x * scale, y * scale]
        return {"force": [*plane, -normal]}, [(f - K * e) / D for f, e in zip(plane, own, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Drive(Impedance):
    """Forces given as functions of time, which must be formulas (`stiction.trace.functions`). Port: force out.

    Attributes:
        functions: one per number of the port.

    Example:
        >>> from stiction.simulation.forces import Drive
        >>> Drive(functions=(lambda t: 2 * t,)).force({}, [], 0.0, 3.0)
        ({'force': [6.0]}, [])
    """

    functions: tuple[Callable[[Scalar], Scalar], ...]

    def __post_init__(self) -> None:
        if not self.functions or not all(callable(f) for f in self.functions):
            raise InputError(f"Drive: functions is {self.functions!r}; allowed: functions of the time t, one per number of the port")
        object.__setattr__(self, "outputs", {"force": len(self.functions)})

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The functions' values at t."""
        return {"force": [f(t) for f in self.functions]}, []
