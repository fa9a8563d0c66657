"""The terms of a network at its start, in numbers, for every run of a batch: what stability checks and default bristles
ask.

One program gives the forces of inverse dynamics and a push; the mass matrix comes from it with unit accelerations in
the lanes, the rows with unit torques, so that it stays small for robots of any size.
"""

from typing import Any

import numpy as np

from stiction.network.closing import Closing, velocity_places
from stiction.network.layout import flat_states, states_of
from stiction.network.network import Network
from stiction.network.parameters import Parameters
from stiction.network.programs import shared_program
from stiction.network.terms import Terms
from stiction.parts.kinds import Impedance, Implicit, Row
from stiction.rows.ranked import DEPENDENT
from stiction.trace.program import Port, Program

TOGETHER = 2048  # runs that are asked at a time, so that their trials stay near the processor


class StartTerms:
    """The terms at the start; the first axis of all arrays is the run.

    Attributes:
        mass_matrix: (runs, n, n).
        rows: of each part that is elastic, rigid or rubs: its directions over the velocities of all bodies, (runs, d,
            n).
        stiffness: of each direction of an elastic part, (runs, d).
        damping: likewise.
        bristle: which of these directions are bristles, (d,).
        staged: which of them reckon with the stage of a scheme, (d,).
        seen: velocity of each implicit part, as a row, (runs, n).
        speed: that velocity at the start, (runs,); of motors with the opposite sign.
        link_torque: what the bodies take at rest, motors and friction aside, (runs, n).
        kept: rows of constraints, (runs, k, n); None where there are none.
        firm: how much of each does not follow from others, (runs, k); 0 of those that do not count.
    """

    def __init__(self, network: Network, parameters: Parameters, start: np.ndarray) -> None:
        probes, parameters = _Probes(network), parameters.without_method()
        key = parameters.key("terms at the start")
        program = shared_program(key, lambda: probes.program(parameters, key))
        runs = int(np.prod(parameters.batch, dtype=int))
        state = np.broadcast_to(start[..., : probes.slots], (*parameters.batch, probes.slots)).reshape(runs, 1, -1)
        varying = parameters.varying_array.reshape(runs, 1, -1)
        found = [
            probes.answers(program, parameters, state[k : k + TOGETHER], varying[k : k + TOGETHER])
            for k in range(0, runs, TOGETHER)
        ]
        forces, push, stiffness, damping, seen, outer = (np.concatenate(x) for x in zip(*found, strict=True))
        n = probes.n
        rest = forces[:, 1]
        self.mass_matrix = np.moveaxis(forces[:, 2 : 2 + n] - rest[:, None], 1, 2)
        self.rows, self.stiffness, self.damping = {}, {}, {}
        self.bristle, self.staged = probes.bristle, probes.staged
        for name, at in probes.directions.items():
            self.rows[name], self.stiffness[name], self.damping[name] = push[:, at], stiffness[:, at], damping[:, at]
        moving = {name: seen[:, 2 + n : 2 + 2 * n, k] - seen[:, 1:2, k] for k, name in enumerate(probes.implicit)}
        self.seen: dict[str, np.ndarray] = moving
        self.speed = {name: seen[:, 0, k] for k, name in enumerate(probes.implicit)}
        self.link_torque = forces[:, 0] - outer
        self.kept = None
        if network.constraints:
            closing = Closing(network, parameters)
            self.kept, self.firm = (of(state.reshape(runs, -1)) for of in (closing.rows_at, closing.firm_at))

    def compliance(self, names: Any, kept: bool = False) -> np.ndarray:
        """J M⁻¹ Jᵀ of the directions of some parts together, (runs, m, m); `kept`: as far as constraints let them move
        at the start. Without them it is never less, wherever the mechanism goes: what is stable by it stays so.
        """
        J = np.concatenate([self.rows[name] for name in names], axis=1)
        answers = np.linalg.solve(self.mass_matrix, np.moveaxis(J, 1, 2))
        if self.kept is None or not kept:
            return J @ answers
        back = np.linalg.solve(self.mass_matrix, np.moveaxis(self.kept, 1, 2))  # M⁻¹ Aᵀ
        held = np.linalg.pinv(self.kept @ back, rcond=DEPENDENT, hermitian=True)
        return J @ (answers - back @ held @ (self.kept @ answers))


def _of_drive(part: Any) -> bool:
    """Whether a part is a motor or a row: what acts between a rotor and the world, not on the link."""
    return isinstance(part, Row) or part.sense < 0


class _Probes:
    """What is asked of a network."""

    def __init__(self, network: Network) -> None:
        self.network = network
        now = network.evaluate(network.start, 0.0, 1.0)
        self.n = len(network.velocities(network.start))
        self.slots = len(flat_states(network, network.start))
        self.implicit = [
            name for name, part in network.parts.items() if isinstance(part, Implicit) and part.outputs["torque"] == 1
        ]
        self.directions: dict[str, slice] = {}
        self.bristle: dict[str, np.ndarray] = {}
        self.staged: dict[str, np.ndarray] = {}
        first = 0
        for name, part in network.parts.items():
            springs = part.springs(network.inputs(name, now.signals)) if isinstance(part, Impedance) else []
            size = len(springs) or (1 if name in self.implicit else 0)
            if size:
                self.directions[name] = slice(first, first := first + size)
                self.bristle[name] = np.array([spring.bristle for spring in springs] or [False])
                self.staged[name] = np.array([spring.staged for spring in springs] or [False])
        self.total = first
        self.lanes = 2 + 2 * self.n + self.total

    def answers(
        self, program: Program, parameters: Parameters, state: np.ndarray, varying: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """What some runs answer, as far as it is asked for: lane 0 moves as at the start, lane 1 rests."""
        given, n = parameters.shared_arrays, self.n
        if parameters.varying:
            given.append(np.repeat(varying, self.lanes, axis=1))
        forces, push, stiffness, damping, seen, outer = program(*given, *self.trials(state), threads=None)
        moving = [forces[:, : 2 + n], push[:, 2 + 2 * n :], stiffness[:, 1], damping[:, 1], seen[:, : 2 + 2 * n]]
        return *(x.copy() for x in moving), outer[:, 0].copy()

    def trials(self, state: np.ndarray) -> list[np.ndarray]:
        """States, accelerations, torques: as at the start; at rest; with unit accelerations, velocities, torques."""
        n = self.n
        states = np.repeat(state, self.lanes, axis=1)
        velocities = velocity_places(self.network)
        states[:, 1:, velocities] = 0.0
        states[:, np.arange(2 + n, 2 + 2 * n), velocities] = 1.0
        accelerations, torques = np.zeros((self.lanes, n)), np.zeros((self.lanes, self.total))
        accelerations[2 : 2 + n], torques[2 + 2 * n :] = np.eye(n), np.eye(self.total)
        return [states, *(np.broadcast_to(x, (len(states), *x.shape)) for x in (accelerations, torques))]

    def program(self, parameters: Parameters, key: Any) -> Program:
        n, m = self.n, self.total

        def function(*given: Any) -> tuple:
            network, _, (flat, accelerations, torques) = parameters.traced(given)
            now = network.evaluate(states_of(network, flat), 0, 1)
            terms = Terms(network, now)
            rows, stiffness, damping = [], [], []
            for name in self.directions:
                part: Any = network.parts[name]
                springs = part.springs(network.inputs(name, now.signals))
                for spring in springs:
                    rows.append([-x for x in terms.push_under(name, spring.force)])
                    stiffness.append(spring.stiffness)
                    damping.append(spring.damping)
                if not springs:
                    rows.append(terms.row(name))
                    stiffness.append(0)
                    damping.append(0)
            seen = []
            for name in self.implicit:
                part = network.parts[name]
                seen.append(part.sense * network.inputs(name, now.signals)[part.velocity_port][0])
            outer = terms.pushed(without=[name for name in self.implicit if _of_drive(network.parts[name])])
            push = [sum((r[k] * x for r, x in zip(rows, torques, strict=True)), start=0) for k in range(n)]
            return terms.inverse_dynamics(accelerations), push, stiffness, damping, seen, outer

        units = [Port("accelerations", (n,), "rad/s², m/s²"), Port("torques", (m,))]
        inputs = [*parameters.ports, Port("state", (self.slots,), "SI"), *units]
        outputs = [
            Port("forces", (n,), "N·m, N"),
            Port("push", (n,)),
            Port("stiffness", (m,), "N·m/rad, N/m"),
            Port("damping", (m,), "N·m·s/rad, N·s/m"),
            Port("seen", (len(self.implicit),), "rad/s, m/s"),
            Port("outer", (n,), "N·m, N"),
        ]
        return Program("terms at the start", function, inputs, outputs, key=key, setup=True)
