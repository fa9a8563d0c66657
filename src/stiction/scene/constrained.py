"""The dynamics of a scene under its constraints (course, section 7): A, its rank, the projector P, multipliers,
constrained forward and inverse dynamics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.network.closing import NEARLY, Closing, starting_values
from stiction.network.kept import cut_positions, kept_rows, turning_rates
from stiction.network.layout import flat_states, states_of
from stiction.network.network import Evaluation, Network
from stiction.network.parameters import Parameters
from stiction.network.programs import shared_program
from stiction.network.terms import Terms
from stiction.trace.program import Port, Program

if TYPE_CHECKING:
    from stiction.scene.scene import Scene

SINGULAR = 1e-10  # singular value of A M⁻½, over the largest, at which a row counts as one that follows from others


class Constrained(NamedTuple):
    """A scene under its constraints at a moment; leading axes are a batch.

    Attributes:
        rows: names of the rows of A, as those of their multipliers.
        velocities: names of the velocities.
        A: A v = 0, (..., k, n).
        rate: Ȧ v, (..., k).
        mass_matrix: M, (..., n, n).
        bias: h: what velocities and gravity take, (..., n) [N·m or N].
        rank: of A, (...); below k some rows follow from others.
        projector: P = 1 − Aᵀ (A M⁻¹ Aᵀ)⁻¹ A M⁻¹, of rank n − rank, (..., n, n): what is left of forces in motion.
    """

    rows: list[str]
    velocities: list[str]
    A: np.ndarray
    rate: np.ndarray
    mass_matrix: np.ndarray
    bias: np.ndarray
    rank: np.ndarray
    projector: np.ndarray

    def multipliers(self, torque: Any = 0.0) -> np.ndarray:
        """λ of M v̇ + h + Aᵀ λ = τ, (..., k) [N·m or N]; of rows that follow from others, the smallest."""
        free = np.linalg.solve(self.mass_matrix, (self._all(torque) - self.bias)[..., None])[..., 0]
        inverse, _ = _inverse(self.A, self.mass_matrix)
        return _times(inverse, _times(self.A, free) + self.rate)

    def acceleration(self, torque: Any = 0.0) -> np.ndarray:
        """v̇ under torques and the forces of the constraints, (..., n) [rad/s² or m/s²]."""
        held = np.einsum("...kn,...k->...n", self.A, self.multipliers(torque))
        return np.linalg.solve(self.mass_matrix, (self._all(torque) - self.bias - held)[..., None])[..., 0]

    def torque(self, acceleration: Any = 0.0) -> np.ndarray:
        """P τ = P (M v̇ + h): torques that give an acceleration which the constraints allow, and load them with nothing
        but what the motion itself does, (..., n) [N·m or N].
        """
        wanted = self._all(acceleration)
        broken = np.abs(_times(self.A, wanted) + self.rate)
        size = np.abs(self.A).sum(axis=-1) * np.abs(wanted).max(axis=-1, keepdims=True) + np.abs(self.rate)
        if (broken > NEARLY * size).any():
            raise InputError(
                f"the acceleration breaks constraints by up to {broken.max():.3g} (A v̇ + Ȧ v is not 0); allowed: what "
                "they let happen, such as .acceleration(torque)"
            )
        return _times(self.projector, _times(self.mass_matrix, self._all(acceleration)) + self.bias)

    def _all(self, given: Any) -> np.ndarray:
        values = np.asarray(given, float)
        n = len(self.velocities)
        if (values.ndim and values.shape[-1] != n) or not np.isfinite(values).all():
            raise InputError(
                f"{given!r} was given; allowed: {n} finite numbers, one for each of {', '.join(self.velocities)}"
            )
        return values * np.ones(n)


def constrained(scene: Scene, q: Any = None, v: Any = None) -> Constrained:
    """What `Scene.constrained` gives."""
    network = scene.network
    if not network.constraints:
        raise scene.refusal("the scene has no constraints; give some, such as constraints={'loop': Pin(...)}")
    parameters, first = starting_values(network)
    key = parameters.key("constrained dynamics")
    program, names = shared_program(key, lambda: _program(network, parameters, key)), _names(network)
    parts = {"q": _given(scene, "q", q), "v": _given(scene, "v", v)}
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in parts.values()))
    state, at = np.broadcast_to(first, (*batch, len(first))).copy(), 0
    left = {"q": 0, "v": 0}
    for name, part in network.parts.items():
        if name in scene.all_robots:
            robot = scene.all_robots[name]
            for what, size, begin in (("q", robot.nq, at), ("v", robot.nv, at + robot.nq)):
                state[..., begin : begin + size] = parts[what][..., left[what] : left[what] + size]
                left[what] += size
        at += len(part.start())
    closing = Closing(network, Parameters(network, parameters.method, {}, batch))
    closing.check(state)
    A, rate, M, bias = program(*parameters.arrays, state)
    inverse, rank = _inverse(A, M)
    n = M.shape[-1]
    held = np.swapaxes(A, -1, -2) @ inverse @ A @ np.linalg.inv(M)
    return Constrained(names, _velocities(network), A, rate, M, bias, rank, np.eye(n) - held)


def _inverse(A: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(A M⁻¹ Aᵀ)⁻¹, the smallest where rows follow from others, and the rank."""
    root = np.linalg.cholesky(M)
    scaled = np.swapaxes(np.linalg.solve(root, np.swapaxes(A, -1, -2)), -1, -2)  # A L⁻ᵀ
    values = np.linalg.svd(scaled, compute_uv=False)
    rank = (values > SINGULAR * np.maximum(values[..., :1], 1e-300)).sum(axis=-1)
    half = np.linalg.pinv(scaled, rcond=SINGULAR)
    return np.swapaxes(half, -1, -2) @ half, rank


def _times(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", M, x)


def _given(scene: Scene, what: str, values: Any) -> np.ndarray:
    """Coordinates of the robots: those of the scene where none are given."""
    usual: tuple[float, ...] = getattr(scene, what)
    try:
        found = np.asarray(usual if values is None else values, float)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {values!r}; allowed: finite numbers, (..., {len(usual)})") from None
    if found.shape[-1:] != (len(usual),) or not np.isfinite(found).all():
        raise InputError(f"{what} is of shape {found.shape}; allowed: finite numbers, (..., {len(usual)})")
    return found


def _names(network: Network) -> list[str]:
    return [network.labels.signal((name, x)) for name, part in network.constraints.items() for x in part.multipliers]


def _velocities(network: Network) -> list[str]:
    return [
        network.labels.signal((name, state)).removeprefix("v.")
        for name, body in network.bodies.items()
        for state in list(body.start())[body.positions() :]
    ]


def _program(network: Network, parameters: Parameters, key: Any) -> Program:
    """A, Ȧ v, M and h at a state."""
    n, k = len(network.velocities(network.start)), len(_names(network))

    def function(*given: Any) -> tuple:
        made, _, (flat,) = parameters.traced(given)
        own = cut_positions(made, states_of(made, flat))
        kept, v = kept_rows(made, own, every=True), made.velocities(own)
        terms = Terms(made, Evaluation(own, {}, {}))  # of bodies alone
        return kept.rows, turning_rates(made, own, kept, v), terms.mass_matrix, terms.bias

    outputs = [Port("A", (k, n)), Port("rate", (k,)), Port("M", (n, n)), Port("bias", (n,), "N·m, N")]
    slots = len(flat_states(network, network.start))
    inputs = [*parameters.ports, Port("state", (slots,), "SI")]
    return Program("constrained dynamics", function, inputs, outputs, key=key)
