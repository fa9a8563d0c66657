"""Where constraints are kept: the positions and velocities at the start that close all gaps, for every run of a batch.

What is given stays; the rest follows, as near as possible to where it was.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.constraint.constraint import ConstraintError
from stiction.constraint.equations import Follow
from stiction.network.kept import cut_positions, kept_rows
from stiction.network.layout import flat_states, states_of
from stiction.network.network import Network
from stiction.network.parameters import Parameters
from stiction.network.programs import shared_program
from stiction.network.wires import Port as WirePort
from stiction.parts.robot_body import RobotBody
from stiction.trace.parameters import Key, Parametric
from stiction.trace.program import Port, Program

CLOSED = 1e-12  # m, rad or the unit of an equation: a gap that is none
NEARLY = 1e-6  # the gap that positions may leave, where all are given; it is closed
FARTHEST = 0.3  # rad or m that a position may move in one pass
PASSES = 100
SINGULAR = 1e-9  # of the largest: singular values of A that count as 0


class OpenError(ConstraintError):
    """A constraint is open at the start of a run.

    Attributes:
        run: its number in the batch.
    """

    def __init__(self, message: str, run: int) -> None:
        super().__init__(message)
        self.run = run


class Closing:
    """Finds states that keep the constraints of a network."""

    def __init__(self, network: Network, parameters: Parameters) -> None:
        self.network, self.parameters = network, parameters
        self.n = len(network.velocities(network.start))
        self.slots = len(flat_states(network, network.start))
        key = parameters.key("constraints at the start")
        self.program = shared_program(key, lambda: self._program(key))
        self.runs = int(np.prod(parameters.batch, dtype=int))

    def _program(self, key: Any) -> Program:
        rows = self.rows

        def function(*given: Any) -> tuple:
            network, _, (flat, change) = self.parameters.traced(given)
            own = cut_positions(network, states_of(network, flat))
            kept = kept_rows(network, own, every=True)
            b = [0 if gap is None else gap for gap in kept.gaps]
            moved = dict(network.with_velocities(own, change))
            for name, body in network.bodies.items():
                nq, states = body.positions(), own[name]
                q = [x + d for x, d in zip(states[:nq], body.position_rates(moved[name]), strict=True)]
                moved[name] = list(body.settle([*q, *states[nq:]]))
            return kept.rows, b, flat_states(network, moved)

        inputs = [*self.parameters.ports, Port("state", (self.slots,), "SI"), Port("change", (self.n,), "SI")]
        outputs = [Port("A", (len(rows), self.n)), Port("b", (len(rows),)), Port("moved", (self.slots,), "SI")]
        return Program("constraints at the start", function, inputs, outputs, key=key)

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Part and number of each multiplier."""
        return [(name, k) for name, part in self.network.constraints.items() for k in range(len(part.multipliers))]

    def __call__(self, state: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, b, and the state with its positions moved by a change along the velocities, for each run."""
        given = self.parameters.arrays
        if self.parameters.varying:
            given[-1] = given[-1].reshape(self.runs, -1)
        return tuple(self.program(*given, state, change))  # type: ignore[return-value]

    def rows_at(self, state: np.ndarray) -> np.ndarray:
        """A at states, (runs, k, n)."""
        return self(state, np.zeros((self.runs, self.n)))[0]

    def closed(self, first: np.ndarray, fixed: Collection[Key]) -> np.ndarray:
        """First states, (*batch, slots), with positions that close all gaps and velocities that keep them so; `fixed`
        are states that stay as they are.
        """
        state = np.array(first[..., : self.slots], float).reshape(self.runs, -1)
        for moving in (self._close, self._keep):
            state = moving(state, self._free(fixed))
        made = np.array(first)
        made[..., : self.slots] = state.reshape(*first.shape[:-1], self.slots)
        return made

    def _free(self, fixed: Collection[Key]) -> Mapping[str, np.ndarray]:
        """Which velocities may change, to move positions "q" and as velocities "v": those of robots' joints of which
        nothing is fixed.
        """
        found: dict[str, list[bool]] = {"q": [], "v": []}
        for name, body in self.network.bodies.items():
            n = len(body.start()) - body.positions()
            if not isinstance(body, RobotBody):
                found["q"] += [False] * n
                found["v"] += [False] * n
                continue
            for joint in body.robot.moving_joints:
                for what, own in (("q", joint.position_names), ("v", joint.velocity_names)):
                    stays = any((name, f"{what}.{x}") in fixed for x in own)
                    found[what] += [not stays] * len(joint.velocity_names)
        return {what: np.array(x, bool) for what, x in found.items()}

    def _close(self, state: np.ndarray, free: Mapping[str, np.ndarray]) -> np.ndarray:
        """Positions that close all gaps: of joints that follow others first, so that these stay; then of all."""
        still = np.zeros((self.runs, self.n))
        b = self(state, still)[1]
        if np.abs(b).max(initial=0.0) <= NEARLY:
            free = {"q": np.ones(self.n, bool)}  # rounding is shared by all
        else:
            following = [isinstance(self.network.constraints[name], Follow) for name, _ in self.rows]
            state = self._newton(state, free["q"] & self._followers(), np.array(following), np.inf)  # it is linear
            state = self._newton(state, free["q"], np.array(following), np.inf)
        state = self._newton(state, free["q"], np.ones(len(self.rows), bool), FARTHEST)
        b = self(state, still)[1]
        if np.abs(b).max(initial=0.0) > NEARLY:
            run, row = np.unravel_index(np.abs(b).argmax(), b.shape)
            raise OpenError(self._refusal(int(row), float(abs(b[run, row])), bool(free["q"].any())), int(run))
        return state

    def _newton(self, state: np.ndarray, free: np.ndarray, rows: np.ndarray, farthest: float) -> np.ndarray:
        """Newton's method on the gaps of some rows by some velocities, with steps of least size, and not too far."""
        still = np.zeros((self.runs, self.n))
        for _ in range(PASSES if free.any() and rows.any() else 0):
            A, b, _ = self(state, still)
            if np.abs(b[:, rows]).max(initial=0.0) <= CLOSED:
                break
            change = np.where(free, -_least(A[:, rows] * free, b[:, rows]), 0.0)
            size = np.abs(change).max(axis=-1, keepdims=True)
            change *= np.where(size > farthest, farthest / np.maximum(size, 1e-300), 1.0)
            state = self(state, change)[2]
        return state

    def _followers(self) -> np.ndarray:
        """Which velocities are those of joints that follow others."""
        following = set()
        for name, part in self.network.constraints.items():
            for term in self.network.driven[WirePort(name, "q")].all_terms if isinstance(part, Follow) else ():
                names = self.network.parts[term.port.part].robot.position_names  # type: ignore[attr-defined]
                following |= {(term.port.part, inner) for inner, x in zip(names, term.gain[0], strict=True) if x}  # type: ignore[index]
        found: list[bool] = []
        for name, body in self.network.bodies.items():
            velocities = list(body.start())[body.positions() :]
            found += [(name, state.partition(".")[2]) in following for state in velocities]
        return np.array(found, bool)

    def _refusal(self, row: int, gap: float, moved: bool) -> str:
        name = self.rows[row][0].removeprefix("constraint.")
        why = (
            "no positions near those at the start close it: give others, or fewer by name, so that the rest follows"
            if moved
            else "give fewer positions by name, such as q={'crank': 0.3}, so that the rest follows"
        )
        return f"constraint '{name}' is open by {gap:.3g} (m, rad) at the start; {why}"

    def _keep(self, state: np.ndarray, free: Mapping[str, np.ndarray]) -> np.ndarray:
        """Velocities that the constraints allow."""
        A = self.rows_at(state)
        places = velocity_places(self.network)
        v = state[:, places]
        wrong = np.einsum("rkn,rn->rk", A, v)
        size = np.abs(A).max(axis=-1, initial=0.0) * np.abs(v).max(axis=-1, keepdims=True) + 1e-300
        if (np.abs(wrong) <= CLOSED * size).all():
            return state
        moved = np.where(free["v"], v - _least(A * free["v"], wrong), v)
        wrong = np.einsum("rkn,rn->rk", A, moved)
        if (np.abs(wrong) > NEARLY * size).any():
            run, row = np.unravel_index(np.abs(wrong).argmax(), wrong.shape)
            name = self.rows[int(row)][0].removeprefix("constraint.")
            raise OpenError(
                f"the velocities at the start break constraint '{name}' by {abs(wrong[run, row]):.3g}; give fewer by "
                "name, so that the rest follows",
                int(run),
            )
        state[:, places] = moved
        return state


@dataclass(frozen=True)
class _NoMethod(Parametric):
    """In the place of a method, where none is chosen yet."""


def starting_values(network: Network) -> tuple[Parameters, np.ndarray]:
    """The parameters of a network, and its first states."""
    return Parameters(network, _NoMethod(), {}, ()), np.array(flat_states(network, network.start), float)


def velocity_places(network: Network) -> list[int]:
    """Where velocities stand among the states of all parts."""
    places: list[int] = []
    first = 0
    for name, part in network.parts.items():
        size = len(part.start())
        if name in network.bodies:
            places += range(first + network.bodies[name].positions(), first + size)
        first += size
    return places


def _least(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smallest x with A x = b, as far as there is one, for each run."""
    return np.einsum("rnk,rk->rn", np.linalg.pinv(A, rcond=SINGULAR), b)
