"""The middle of a step for large robots: slopes are sparse, and no matrix is written.

What acts at one joint alone (dampers, motors, controllers, bristles) adds to the inertia of that joint; the rest is
left to the articulated bodies. Where forces couple velocities by their slopes, this does not serve.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from stiction.methods.midpoint import MidpointPart, Weights, weights
from stiction.network.network import States
from stiction.network.slopes import Gradient, along, components, plus
from stiction.network.terms import added
from stiction.trace.elimination import eliminated, solved
from stiction.trace.functions import Scalar, maximum, minimum
from stiction.trace.grid import mapped
from stiction.trace.parameters import absent


class CoupledError(Exception):
    """Forces couple velocities by their slopes."""


class SparseMidpointPart(MidpointPart):
    """The same as `MidpointPart`, where forces at a velocity depend on it alone."""

    large = True  # rows are found without a matrix

    def _linearize(self, h: Scalar) -> None:
        self._eliminate_own_states(h)
        by_speed = [self._by_speed(gradient) for gradient in self.total]
        for k, slopes in enumerate(by_speed):
            if any(j != k and not absent(x) for j, x in slopes.items()):
                raise CoupledError
        C = [-slopes[k] if k in slopes else 0 for k, slopes in enumerate(by_speed)]
        alone = [-gradient[k] if k in gradient else 0 for k, gradient in enumerate(self.total)]
        self.pushing = C
        self.growing = [0 if absent(x) else minimum(0, x) for x in C]
        kept = [0 if absent(x) else maximum(0, x) for x in C]
        same = all(a is b for a, b in zip(C, alone, strict=True))
        self.weights = self._weights_of(C, h)
        self.path_weights = self.weights if same else self._weights_of(alone, h)
        self.diagonal = [0 if absent(x) else w * x for w, x in zip(self.weights, kept, strict=True)]

    def _weights_of(self, C: Sequence[Scalar], h: Scalar) -> list[Scalar]:
        if all(absent(x) for x in C):
            return [1 / 2] * len(C)
        return mapped(lambda x, m: [weights(h * x, m).own], C, self.terms.mass_diagonal)[0]

    def _eliminate_own_states(self, h: Scalar) -> None:
        """How own states change by themselves, and how they follow velocities, in the mean and at the end."""
        rates, keys = self.terms.now.rates, self.keys
        R = {(name, k): self.slopes.rates[name][k] for name, k in keys}
        inner = {key: [x for x in gradient if isinstance(x, tuple)] for key, gradient in R.items()}
        links: dict[Any, list[Any]] = {key: [] for key in keys}
        for key, others in inner.items():
            for other in others:
                links[key].append(other)
                links[other].append(key)
        self.decay: dict[Any, Weights] = {}
        for key in keys:
            alone = all(other == key for other in inner[key])
            self.decay[key] = weights(-h * R[key].get(key, 0), alone=alone)
        self.own_drift: dict[Any, Scalar] = {}
        self.own_ends: dict[Any, Gradient] = {key: {} for key in keys}
        self.own_means: dict[Any, Gradient] = {key: {} for key in keys}
        for block in components(links):
            self._eliminate(block, R, rates, h)

    def _eliminate(self, block: list[Any], R: Mapping[Any, Gradient], rates: Mapping[str, Any], h: Scalar) -> None:
        own = [self.decay[key].own for key in block]
        B = [[(1 if a == b else 0) - h * R[a].get(b, 0) * w for b, w in zip(block, own, strict=True)] for a in block]
        factors = eliminated(B)
        drift = solved(factors, [h * rates[name][k] for name, k in block])
        self.own_drift |= dict(zip(block, drift, strict=True))
        for v in dict.fromkeys(x for key in block for x in R[key] if isinstance(x, int)):
            driven = [h * R[key].get(v, 0) for key in block]
            ends = solved(factors, [w * x for w, x in zip(own, driven, strict=True)])
            means = solved(factors, driven)
            for key, end, mean in zip(block, ends, means, strict=True):
                self.own_ends[key][v] = end
                self.own_means[key][v] = self.decay[key].own * self.decay[key].driven * mean

    def _by_speed(self, gradient: Gradient) -> Gradient:
        """Slopes by velocities, those through own states included."""
        total: Gradient = {}
        for key, slope in gradient.items():
            if isinstance(key, int):
                total = plus(total, {key: slope})
            else:
                total = plus(total, self.own_means.get(key, {}), slope)
        return total

    def forces(self, known: Mapping[str, Scalar]) -> list[Scalar]:
        """Forces in the middle of the step, without what changes of velocities do; those of some rows are known."""
        own = {key: self.decay[key].own * x for key, x in self.own_drift.items()}
        forces = [along(gradient, own) for gradient in self.total]
        forces = self._with_known(forces, known)
        for push in self.pushes.values():
            forces = added(forces, push)
        return [f if absent(g) else f - g * d / 2 for f, g, d in zip(forces, self.growing, self.last, strict=True)]

    def in_motion(self) -> States:
        """The velocities in the middle of the step, extrapolated."""
        return self.network.with_velocities(self.terms.now.own, self.ahead)

    def added_inertia(self, h: Scalar) -> list[Scalar] | None:
        """What slopes add to the inertia of each velocity."""
        return None if all(absent(x) for x in self.diagonal) else [h * x for x in self.diagonal]

    def _own_ends(self, change: Sequence[Scalar]) -> list[Scalar]:
        by_number = dict(enumerate(change))
        return [self.own_drift[key] + along(self.own_ends[key], by_number) for key in self.keys]

    def _pushes_in_the_mean(self, change: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        by_number = dict(enumerate(change))
        means = {
            key: self.decay[key].own * self.own_drift[key] + along(self.own_means[key], by_number) for key in self.keys
        }
        return self._moved_pushes(change, means)
