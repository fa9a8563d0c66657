"""The perturbation method of closed_loop.md: the robot linearised along its nominal motion, friction, drives and
controllers unchanged on the perturbed motion; advanced by another method.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from stiction.fields import count, instance
from stiction.methods.constraints import refuse_constraints
from stiction.methods.method import Choice, Mark, Method
from stiction.methods.moreau import Moreau
from stiction.methods.nominal import NominalMotion, linear_network, linearization, nominal_of, reference_of
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.parts.friction import FrictionPart
from stiction.trace.functions import Scalar
from stiction.trace.parameters import Key

SAMPLES = 200  # instants at which a run is compared with the full model
LIGHT = 0.05  # part of the largest torque of all joints that counts where a joint has less
LEFT = 0.01  # part of the largest nominal torque by which the linear one may be off


class Validity(NamedTuple):
    """How far the linear equations were from the full ones along a run.

    Attributes:
        time: instants that were looked at [s], (S,).
        torque: by how much the torques differ that the motion takes, at the nominal acceleration [N·m or N], (S, n).
        share: the largest of them over the largest torque of the joint.
    """

    time: np.ndarray
    torque: np.ndarray
    share: float


@dataclass(frozen=True, kw_only=True)
class Perturbation(Method):
    """The robot near its nominal motion, which is its reference; all else as it is.

    Attributes:
        points: intervals of the nominal motion, where none is given.
        nominal: a nominal motion that was made before, by `nominal_motion`, or read from a file.
        file: where to read it from.
        inner: the method that advances it.

    Example:
        >>> import stiction
        >>> move = stiction.PointToPoint(start=[0, 0], stop=[1, 1], velocity=1.0, acceleration=5.0)
        >>> brain = stiction.ComputedTorque(clock=stiction.Clock(period=1e-3), stiffness=400.0, damping=40.0)
        >>> scene = stiction.Scene(robot=stiction.library.two_link(), control={"robot": brain}, reference=move)
        >>> run = stiction.simulate(scene, duration=2.0, step=1e-3, method=stiction.Perturbation(points=100))
        >>> bool(abs(run["q.elbow"][-1] - 1) < 1e-3)
        True
    """

    name: ClassVar[str] = "perturbation"
    described = ("nominal", "file", "points")
    transparent = ("inner",)

    points: int = count(400, least=2, most=100_000)
    nominal: NominalMotion | None = instance(NominalMotion, default=None, optional=True)
    file: str | None = instance(str, default=None, words="the path of a file", optional=True)
    inner: Method = instance(Method, default=Moreau())

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.inner, Perturbation):
            raise self.refusal("inner is a Perturbation itself; give the method that advances the linear robot")
        if self.file is not None and self.nominal is not None:
            raise self.refusal("it has a nominal motion and a file; give one of them")

    @property
    def title(self) -> str:
        """With the method that it uses."""
        return f"{self.name} by {self.inner.title}"

    @property
    def own_steps(self) -> bool:
        """As the method that it uses."""
        return self.inner.own_steps

    def _nominal(self, network: Network) -> NominalMotion:
        """The nominal motion: given, read, or made."""
        if self.file is not None:
            return NominalMotion.load(self.file)
        return self.nominal or nominal_of(network, self.points, None)

    def prepare(self, network: Network, step: float) -> Network:
        """The network with a linear robot, as the inner method has it."""
        refuse_constraints(network, self.name)
        return self.inner.prepare(linear_network(network, self._nominal(network)), step)

    def review(self, network: Network, signals: Mapping[str, np.ndarray], time: np.ndarray) -> list[str]:
        """Whether a run stayed where the linear equations hold."""
        found = self.validity(network, signals, time)
        if found is None:
            return ["whether the linearisation holds was not checked: record the signals 'q.' and 'v.' for that"]
        if found.share < LEFT:
            return []
        return [
            f"the linearisation was left: the torques of '{self.name}' were up to {np.abs(found.torque).max():.3g} N·m "
            f"or N, {100 * found.share:.2g} % of the largest nominal one, from those of the full model; compare with "
            "the full model, or keep nearer to the reference"
        ]

    def validity(self, network: Network, signals: Mapping[str, np.ndarray], time: np.ndarray) -> Validity | None:
        """The comparison with the full model at some instants of a run; None where it kept no positions and
        velocities. `network` is that of the scene.
        """
        nominal = self._nominal(network)
        linear = nominal.linear(network)
        robot = next(name for name, part in network.parts.items() if part is linear.body)
        names, signal = linear.body.robot.velocity_names, network.labels.signal
        keys = [[signal((robot, f"{what}.{name}")) for name in names] for what in ("q", "v")]
        if any(key not in signals for group in keys for key in group):
            return None
        chosen = np.unique(np.linspace(0, len(time) - 1, SAMPLES).astype(int))
        q, v = (np.stack([signals[key][chosen] for key in group], axis=-1) for group in keys)
        shape, n = q.shape, q.shape[-1]
        t = np.broadcast_to(time[chosen].reshape(-1, *[1] * (q.ndim - 2)), shape[:-1]).reshape(-1)
        q, v, a = q.reshape(-1, n), v.reshape(-1, n), reference_of(network, t)[2]
        exact = np.asarray(linearization(network, q, v, a)[0])
        near = nominal.torque_near(t, q, v, a)
        apart = np.abs(near - exact)
        largest = np.abs(exact).max(axis=0)
        share = float((apart.max(axis=0) / np.maximum(largest, LIGHT * largest.max() + 1e-9)).max())
        return Validity(time[chosen], (near - exact).reshape(shape), share)

    # As the inner method does it.

    def slots(self, network: Network, step: float) -> Mapping[str, tuple[float, str]]:
        """Those of the inner method."""
        return self.inner.slots(network, step)

    def signals(self, network: Network) -> Mapping[str, str]:
        """Those of the inner method."""
        return self.inner.signals(network)

    def choose(self, network: Network, start: StartTerms, step: float, given: Mapping[Key, Any]) -> Choice:
        """As the inner method chooses."""
        return self.inner.choose(network, start, step, given)

    def check(self, network: Network, start: StartTerms, step: float) -> None:
        """What the inner method refuses."""
        self.inner.check(network, start, step)

    def start_notes(self, network: Network, start: StartTerms, step: float) -> list[str]:
        """Those of the inner method."""
        return self.inner.start_notes(network, start, step)

    def site_notes(self, part: FrictionPart, step: float, fastest: float) -> list[str]:
        """Those of the inner method."""
        return self.inner.site_notes(part, step, fastest)

    def notes(self, network: Network, kept: Mapping[str, np.ndarray]) -> list[str]:
        """Those of the inner method."""
        return self.inner.notes(network, kept)

    def step(self, network: Network, block: Block, t: Scalar, h: Scalar) -> Block:
        """A step of the inner method."""
        return self.inner.step(network, block, t, h)

    def span(self, network: Network, block: Block, t: Scalar, span: Scalar, h: Scalar, mark: Mark) -> Block:
        """Steps of the inner method."""
        return self.inner.span(network, block, t, span, h, mark)

    def arrived(self, kept: Mapping[str, np.ndarray], span: float) -> np.ndarray:
        """As the inner method says."""
        return self.inner.arrived(kept, span)

    def restarted(self) -> Mapping[str, float]:
        """As the inner method says."""
        return self.inner.restarted()
