"""A body that is described by its Lagrangian."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.fields import instance, numbers, real, texts
from stiction.parts.kinds import Admittance, Ports
from stiction.trace.derivative import directional
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar

QUADRATIC = 1e-9  # by which a Lagrangian may miss being quadratic in the velocities, over its size


@dataclass(frozen=True, kw_only=True)
class LagrangianBody(Admittance):
    """What moves by d/dt ∂L/∂q̇ − ∂L/∂q = forces. Ports: force (a number for each coordinate) in; position and velocity
    likewise out. L is quadratic in the velocities: kinetic energy, less a potential, and what is linear in them.

    Attributes:
        coordinates: their names.
        lagrangian: L(q, v) [J], a function of the lists of positions and velocities that uses `stiction.trace`, and of
            `values` by their names.
        values: numbers that it takes, by name: parameters of the simulation.
        position: at the start [rad or m]; 0 if empty.
        velocity: at the start [rad/s or m/s]; 0 if empty.

    Example:
        >>> import stiction
        >>> from stiction.parts import LagrangianBody
        >>> from stiction.trace import cos
        >>> def pendulum(q, v, m, l):
        ...     return m * l * l * v[0] * v[0] / 2 + m * 9.81 * l * cos(q[0])
        >>> bob = LagrangianBody(
        ...     coordinates=("swing",), lagrangian=pendulum, values={"m": 1.0, "l": 0.5}, position=(0.1,)
        ... )
        >>> run = stiction.simulate(stiction.Scene(parts={"bob": bob}), duration=1.0, step=1e-3)
        >>> round(float(run["bob.q.swing"][-1]), 4)  # 0.1 rad · cos(√(9.81/0.5) · 1 s), nearly
        -0.0282
    """

    start_fields = ("position", "velocity")
    units = {"q": "rad or m", "v": "rad/s or m/s"}

    coordinates: Sequence[str] = texts()
    lagrangian: Callable[..., Scalar] = instance(Callable, words="a function of positions and velocities")
    values: Mapping[str, float] = field(default_factory=dict)
    position: tuple[float, ...] = numbers(default=())
    velocity: tuple[float, ...] = numbers(default=())

    def __post_init__(self) -> None:
        super().__post_init__()
        n = len(self.coordinates)
        try:
            self._set("values", {str(name): real(x) for name, x in dict(self.values).items()})
        except (TypeError, ValueError):
            raise self.refusal(f"values is {self.values!r}; allowed: finite numbers by name") from None
        self._set("inputs", {"force": n})
        self._set("outputs", {"position": n, "velocity": n})
        for what in ("position", "velocity"):
            self._set(what, getattr(self, what) or (0.0,) * n)
        self._check_quadratic()

    def conflicts(self) -> Sequence:
        """As many numbers as coordinates, each with a name of its own."""
        n = len(self.coordinates)
        named = n and len(set(self.coordinates)) == n
        return [
            (not named, f"coordinates is {tuple(self.coordinates)!r}; allowed: names, each once"),
            *(
                (given and len(given) != n, f"{what} has {len(given)} numbers; allowed: {n}, or none")
                for what, given in (("position", self.position), ("velocity", self.velocity))
            ),
        ]

    def _check_quadratic(self) -> None:
        """Refuse what cannot be called, and what is no mechanics: other powers of velocities."""
        n, rng = len(self.coordinates), np.random.default_rng(0)
        q, v = (x.tolist() for x in rng.uniform(0.2, 0.8, (2, n)))
        try:
            f = [float(self.lagrangian(q, [k * x for x in v], **self.values)) for k in range(4)]
        except Exception as problem:
            raise self.refusal(
                f"lagrangian cannot be called with {n} positions and {n} velocities ({type(problem).__name__}: "
                f"{problem}); allowed: a function of q and v, and of values by name"
            ) from None
        if abs(f[3] - 3 * f[2] + 3 * f[1] - f[0]) > QUADRATIC * max(map(abs, f)):
            raise self.refusal("lagrangian is not quadratic in the velocities, as one of mechanics is")

    def start(self) -> Mapping[str, float]:
        """Positions and velocities, by coordinate."""
        both = (("q", self.position), ("v", self.velocity))
        return {f"{what}.{name}": x for what, given in both for name, x in zip(self.coordinates, given, strict=True)}

    def motion(self, own: list[Scalar]) -> Ports:
        """Positions and velocities."""
        n = self.positions()
        return {"position": own[:n], "velocity": own[n:]}

    def positions(self) -> int:
        """As many as coordinates."""
        return len(self.coordinates)

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """The velocities [rad/s or m/s]."""
        return own[self.positions() :]

    def _momenta(self, own: list[Scalar]) -> tuple[Scalar, list[Scalar]]:
        """L, and ∂L/∂v."""
        n = self.positions()
        if len({id(x) for x in own if isinstance(x, Expr)}) < 2 * n:
            raise InputError("the equations of a LagrangianBody are those of a program; simulate it")
        L = self.lagrangian(own[:n], own[n:], **self.values)
        return L, [self._slopes([L], own, {n + k: 1})[0] for k in range(n)]

    def _slopes(self, outputs: Sequence[Scalar], own: list[Any], rates: Mapping[int, Scalar]) -> list[Scalar]:
        """How outputs change where some states move at these rates, and the others rest."""
        return directional(outputs, {x: rates.get(k, 0) for k, x in enumerate(own)})

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """∂²L/∂v²."""
        n, (_, momenta) = self.positions(), self._momenta(own)
        columns = [self._slopes(momenta, own, {n + k: 1}) for k in range(n)]
        return [list(row) for row in zip(*columns, strict=True)]

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """d/dt ∂L/∂v − ∂L/∂q."""
        n, (L, momenta) = self.positions(), self._momenta(own)
        moving = dict(enumerate([*own[n:], *accelerations]))
        rates = self._slopes(momenta, own, moving)
        return [rate - self._slopes([L], own, {k: 1})[0] for k, rate in enumerate(rates)]

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The forces along the coordinates [N·m or N]."""
        return forces["force"]

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic energy vᵀ M v/2, and what L has of the positions alone, with the other sign [J]."""
        n = self.positions()
        v = own[n:]
        M = self.mass_matrix(own)
        kinetic = (
            sum((a * x * b for a, row in zip(v, M, strict=True) for x, b in zip(row, v, strict=True)), start=0) / 2
        )
        return kinetic, -self.lagrangian(own[:n], [0 * x for x in v], **self.values)
