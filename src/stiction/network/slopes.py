"""How forces and rates change with velocities and own states: exact slopes of each part, chained through the wires.

Everything is sparse: a gradient is a mapping from what something depends on to a slope. Parts of one kind have their
slopes found in one loop.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from stiction.errors import TraceError
from stiction.network.network import Evaluation, Network, cut
from stiction.network.wires import NetworkError, Port, Wire
from stiction.parts.kinds import flat_ports, split
from stiction.trace.derivative import directional
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar
from stiction.trace.parameters import absent
from stiction.trace.schedule import ordered

Gradient = dict[Any, Scalar]  # slope by what it is taken: a velocity's number, or part and number of an own state


def plus(a: Gradient, b: Gradient, factor: Scalar = 1) -> Gradient:
    """The sum of a gradient and another times a factor."""
    if absent(factor):
        return a
    total = dict(a)
    for key, slope in b.items():
        term = slope * factor
        total[key] = total[key] + term if key in total else term
    return total


def along(gradient: Gradient, change: Mapping[Any, Scalar]) -> Scalar:
    """How much something changes, where what it depends on changes so."""
    return sum((slope * change[key] for key, slope in gradient.items() if key in change), start=0)


class Slopes:
    """Gradients of a network at a moment.

    Args:
        network: whose.
        now: the moment.
        times: stage step, time and span of its evaluation.
        aside: parts that count as constant.

    Attributes:
        pushes: of each source, along each velocity.
        rates: of the own states of each impedance.
        without: parts that have no slopes, and reckon with the step themselves.
    """

    def __init__(
        self, network: Network, now: Evaluation, times: tuple[Scalar, Scalar, Scalar], aside: Mapping[str, Any]
    ) -> None:
        self.network, self.now, self.times, self.aside = network, now, times, aside
        self.signals: dict[Port, list[Gradient]] = {}
        self.rates: dict[str, list[Gradient]] = {}
        self.without: list[str] = []
        self._bodies()
        for names in network.ranks:
            self._parts([name for name in names if name not in aside])
        self.pushes = {source: self._push(source) for source in network.sources}

    def _bodies(self) -> None:
        """Of motions: positions count as given, velocities are what they are."""
        first, heard = 0, self._heard()
        for name, body in self.network.bodies.items():
            own = self.now.own[name]
            v = {x.index: k for k, x in enumerate(own[body.positions() :], first) if isinstance(x, Expr)}
            for port in (Port(name, port) for port in body.outputs if Port(name, port) in heard):
                self.signals[port] = [self._motion(x, v) for x in self.now.signals[port]]
            first += len(own) - body.positions()

    def _heard(self) -> set[Port]:
        """What those listen to that have slopes."""
        wires = [wire for wire in self.network.wires if wire.port.part not in self.aside]
        return {term.port for wire in wires for term in wire.all_terms}

    def _motion(self, x: Scalar, v: Mapping[int, int]) -> Gradient:
        if not isinstance(x, Expr) or x.op == "const":
            return {}
        if x.index in v:
            return {v[x.index]: 1}
        found = {}
        for e in [e for e in ordered([x]) if e.index in v]:
            (slope,) = directional([x], {e: 1.0})
            if not absent(slope):
                found[v[e.index]] = slope
        return found

    def _parts(self, names: Sequence[str]) -> None:
        now, network = self.now, self.network
        given = {name: [*flat_ports(network.inputs(name, now.signals)), *now.own[name]] for name in names}
        slopes = network.for_all(names, given, self._local, shared=True)
        for name in names:
            part: Any = network.parts[name]
            states = [{(name, k): 1} for k in range(len(now.own[name]))]
            inputs = [x for port in part.inputs for x in self.input(Port(name, port), part.inputs[port])]
            sources: list[Gradient] = [*inputs, *states]
            width = len(sources)
            rows = [slopes[name][k : k + width] for k in range(0, len(slopes[name]), width)] if width else []
            count = sum(part.outputs.values()) + len(states)
            found = [self._chained(row, sources) for row in rows] or [{} for _ in range(count)]
            outputs, self.rates[name] = split(part.outputs, found)
            self.signals |= {Port(name, port): x for port, x in outputs.items()}

    @staticmethod
    def _chained(row: Sequence[Scalar], sources: Sequence[Gradient]) -> Gradient:
        total: Gradient = {}
        for slope, source in zip(row, sources, strict=True):
            total = plus(total, source, slope)
        return total

    def _local(self, name: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
        """Slopes of outputs and rates by inputs and own states, row by row."""
        step, t, span = self.times
        held = [cut(x) for x in numbers]
        inputs, states = split(part.inputs, held)
        outputs, rates = part.answer("force", part.mean_force(inputs, states, step, t, span), len(states))
        values = [*(x for port in part.outputs for x in outputs[port]), *rates]
        try:
            columns = [
                directional(values, {x: 1.0}) if isinstance(x, Expr) and x.op != "const" else [0] * len(values)
                for x in held
            ]
        except TraceError:
            if not any(x is step for x in ordered([x for x in values if isinstance(x, Expr)])):
                raise NetworkError(
                    f"'{name}' searches in a loop, so that its force has no slopes, which 'moreau' needs; "
                    "write it as a formula, or use method 'rk4'"
                ) from None
            self.without.append(name)
            columns = [[0] * len(values) for _ in held]
        return [column[i] for i in range(len(values)) for column in columns]

    def input(self, port: Port, size: int, only: str | None = None) -> list[Gradient]:
        """Of an input; or the share of one source in it."""
        wire: Wire | None = self.network.driven.get(port)
        total: list[Gradient] = [{} for _ in range(size)]
        for term in wire.all_terms if wire else ():
            if only not in (None, term.port.part) or term.port not in self.signals:
                continue
            source, gain = self.signals[term.port], term.gain
            for i in range(size):
                entries = enumerate(gain[i]) if isinstance(gain, tuple) else [(i, gain)]
                for j, g in entries:
                    if not absent(g):
                        total[i] = plus(total[i], source[j], g)
        return total

    def _push(self, source: str) -> list[Gradient]:
        """Of the push of a source along the velocities: bodies turn inputs into forces linearly."""
        found: list[Gradient] = []
        for name, body in self.network.bodies.items():
            own = self.now.own[name]
            ports = {port: self.input(Port(name, port), size, source) for port, size in body.inputs.items()}
            total: list[Gradient] = [{} for _ in own[body.positions() :]]
            for port, gradients in ports.items():
                for k, gradient in enumerate(gradients):
                    if gradient:
                        unit = {p: [int((p, j) == (port, k)) for j in range(n)] for p, n in body.inputs.items()}
                        for i, x in enumerate(body.generalized_forces(own, unit)):
                            total[i] = plus(total[i], gradient, x)
            found += total
        return found


def components(links: Mapping[Any, Sequence[Any]]) -> list[list[Any]]:
    """What hangs together: each with those that it is linked to."""
    left, found = dict(links), []
    while left:
        border, group = [next(iter(left))], []
        while border:
            key = border.pop()
            if key in left:
                group.append(key)
                border += left.pop(key)
        found.append(group)
    return found
