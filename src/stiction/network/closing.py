"""Where constraints are kept: the positions and velocities at the start that close all gaps, for every run of a batch.

What is given stays; the rest follows, as near as possible to where it was.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from stiction.constraint.constraint import ConstraintError
from stiction.constraint.equations import Follow
from stiction.network.kept import cut_positions, group_of, kept_rows, multipliers_of
from stiction.network.layout import flat_states, states_of
from stiction.network.network import Network
from stiction.network.parameters import NoMethod, Parameters
from stiction.network.programs import shared_program
from stiction.network.wires import Port as WirePort
from stiction.parts.robot_body import RobotBody
from stiction.rows.ranked import NOTHING, ROUNDING
from stiction.trace.parameters import Key
from stiction.trace.program import Port, Program

CLOSED = 1e-12  # a gap that is none, over how fast it moves with the velocities
NEARLY = 1e-6  # the same that positions may leave, where all are given; it is closed
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
        self.network, self.parameters = network, parameters.without_method()
        self.n = len(network.velocities(network.start))
        self.slots = len(flat_states(network, network.start))
        key = self.parameters.key("constraints at the start")
        self.program = shared_program(key, lambda: self._program(key))
        self.runs = int(np.prod(parameters.batch, dtype=int))

    def _program(self, key: Any) -> Program:
        rows = self.rows

        def function(*given: Any) -> tuple:
            network, _, (flat, change) = self.parameters.traced(given)
            own = cut_positions(network, states_of(network, flat))
            kept = kept_rows(network, own, every=True)
            counting = kept_rows(network, own)
            firm = dict(zip(counting.places, counting.firm, strict=True))
            moved = dict(network.with_velocities(own, change))
            for name, body in network.bodies.items():
                nq, states = body.positions(), own[name]
                q = [x + d for x, d in zip(states[:nq], body.position_rates(moved[name]), strict=True)]
                moved[name] = list(body.settle([*q, *states[nq:]]))
            return kept.rows, kept.gaps, flat_states(network, moved), [firm.get(place, 0) for place in rows]

        inputs = [*self.parameters.ports, Port("state", (self.slots,), "SI"), Port("change", (self.n,), "SI")]
        outputs = [
            Port("A", (len(rows), self.n)),
            Port("b", (len(rows),)),
            Port("moved", (self.slots,), "SI"),
            Port("firm", (len(rows),), "1"),
        ]
        return Program("constraints at the start", function, inputs, outputs, key=key, setup=True)

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Part and number of each multiplier."""
        return multipliers_of(self.network)

    @property
    def groups(self) -> list[tuple[str, str | int]]:
        """Which of them have one unit."""
        return [group_of(self.network, name, k) for name, k in self.rows]

    def __call__(self, state: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, b, and the state with its positions moved by a change along the velocities, for each run."""
        return self._told(state, change)[:3]  # type: ignore[return-value]

    def _told(self, state: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, ...]:
        given = self.parameters.arrays
        if self.parameters.varying:
            given[-1] = given[-1].reshape(self.runs, -1)
        return tuple(self.program(*given, state, change))

    def firm_at(self, state: np.ndarray) -> np.ndarray:
        """How firm rows are at states where all gaps are closed, (runs, k); 0 of those that do not count."""
        return self._told(state, np.zeros((self.runs, self.n)))[3]

    def rows_at(self, state: np.ndarray) -> np.ndarray:
        """A at states, (runs, k, n)."""
        return self(state, np.zeros((self.runs, self.n)))[0]

    def closed(self, first: np.ndarray, fixed: Collection[Key]) -> np.ndarray:
        """First states, (*batch, slots), with positions that close all gaps and velocities that keep them so; `fixed`
        are states that stay as they are. What a run becomes does not depend on others.
        """
        state = np.array(first[..., : self.slots], float).reshape(self.runs, -1)
        self._check_finite(state)
        free = self._free(fixed)
        state = self._keep(self._close(state, free["q"]), free["v"])
        made = np.array(first)
        made[..., : self.slots] = state.reshape(*first.shape[:-1], self.slots)
        return made

    def check(self, first: np.ndarray) -> None:
        """Refuse states, (*batch, slots), in which constraints are open, or velocities that break them."""
        state = np.array(first[..., : self.slots], float).reshape(self.runs, -1)
        gaps = self._gaps(state)
        if not gaps.max(initial=0.0) <= NEARLY:
            run, row = np.unravel_index(gaps.argmax(), gaps.shape)
            open_by = self._open_by(state, int(run), int(row))
            raise OpenError(f"{open_by}; give positions that close it, or let them follow by a Scene", int(run))
        self._keep(state, np.zeros(self.n, bool))

    def _open_by(self, state: np.ndarray, run: int, row: int) -> str:
        """How far a constraint is open, in words."""
        gap = abs(self(state, np.zeros((self.runs, self.n)))[1][run, row])
        return f"constraint '{self.rows[row][0].removeprefix('constraint.')}' is open by {gap:.3g} (m, rad)"

    def _check_finite(self, state: np.ndarray) -> None:
        """Refuse constraints without numbers, and such as hold nothing that moves."""
        A, b, _ = self(state, np.zeros((self.runs, self.n)))
        for name in self.network.constraints:
            rows = [k for k, (owner, _) in enumerate(self.rows) if owner == name]
            word = name.removeprefix("constraint.")
            wrong = ~(np.isfinite(A[:, rows]).all(axis=(1, 2)) & np.isfinite(b[:, rows]).all(axis=1))
            if wrong.any():
                why = f"constraint '{word}' has no finite gap at the start; start elsewhere"
                raise OpenError(why, int(wrong.argmax()))
            idle = (np.abs(A[:, rows]) <= NOTHING).all(axis=(1, 2))
            if idle.any():
                why = f"constraint '{word}' holds nothing that moves; leave it out, or start elsewhere"
                raise OpenError(why, int(idle.argmax()))

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
                stays = any((name, f"q.{x}") in fixed for x in joint.position_names)
                found["q"] += [not stays] * len(joint.velocity_names)
                found["v"] += [(name, f"v.{x}") not in fixed for x in joint.velocity_names]
        return {what: np.array(x, bool) for what, x in found.items()}

    def _close(self, state: np.ndarray, free: np.ndarray) -> np.ndarray:
        """Positions that close all gaps: of joints that follow others first, so that these stay; then of all that are
        free; what is then open by rounding of what was given is shared by all.
        """
        following = np.array([isinstance(self.network.constraints[name], Follow) for name, _ in self.rows])
        every = np.ones(len(self.rows), bool)
        state = self._newton(state, free & self._followers(), following, np.inf)  # it is linear
        state = self._newton(state, free, following, np.inf)
        state = self._newton(state, free, every, FARTHEST)
        nearly = self._gaps(state).max(axis=1, initial=0.0) <= NEARLY
        state = self._newton(state, np.ones(self.n, bool), every, FARTHEST, nearly)
        gaps = self._gaps(state)
        if gaps.max(initial=0.0) > NEARLY:
            run, row = np.unravel_index(gaps.argmax(), gaps.shape)
            raise OpenError(self._refusal(self._open_by(state, int(run), int(row)), bool(free.any())), int(run))
        return state

    def _gaps(self, state: np.ndarray) -> np.ndarray:
        """The gaps, over how fast they move with the velocities, (runs, k)."""
        A, b, _ = self(state, np.zeros((self.runs, self.n)))
        size = np.abs(A).sum(axis=-1)
        return np.abs(b) / np.where(size > NOTHING, size, 1.0)

    def _newton(
        self, state: np.ndarray, free: np.ndarray, rows: np.ndarray, farthest: float, runs: Any = True
    ) -> np.ndarray:
        """Newton's method on the gaps of some rows by some velocities in some runs, with steps of least size, and not
        too far.
        """
        still = np.zeros((self.runs, self.n))
        for _ in range(PASSES if free.any() and rows.any() else 0):
            going = runs & (self._gaps(state)[:, rows].max(axis=1, initial=0.0) > CLOSED)
            if not going.any():
                break
            A, b, _ = self(state, still)
            change = np.where(free, -_least(A[:, rows] * free, b[:, rows]), 0.0)
            size = np.abs(change).max(axis=-1, keepdims=True)
            change *= np.where(size > farthest, farthest / np.maximum(size, 1e-300), 1.0)
            state = np.where(going[:, None], self(state, change)[2], state)
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

    def _refusal(self, open_by: str, moved: bool) -> str:
        joints = [
            state[2:] for body in self.network.bodies.values() for state in body.start() if state.startswith("q.")
        ]
        if moved:
            why = "no positions near those at the start close it: give others, or fewer by name, or others in near"
        elif joints:
            why = f"give fewer positions by name, such as q={{'{joints[0]}': 0.3}}, so that the rest follows"
        else:
            why = "put the bodies where it is closed"
        return f"{open_by} at the start; {why}"

    def _keep(self, state: np.ndarray, free: np.ndarray) -> np.ndarray:
        """Velocities that the constraints allow."""
        A, places = self.rows_at(state), velocity_places(self.network)
        size = np.abs(A).sum(axis=-1)
        for group in set(self.groups):
            rows = [k for k, other in enumerate(self.groups) if other == group]
            small = size[:, rows] <= np.maximum(ROUNDING * size[:, rows].max(axis=1, keepdims=True), NOTHING)
            A[:, rows] = np.where(small[..., None], 0.0, A[:, rows])
        v = state[:, places]
        scale = size * np.abs(v).max(axis=-1, keepdims=True, initial=0.0)
        wrong = _times(A, v)
        going = (np.abs(wrong) > CLOSED * scale).any(axis=1)
        moved = np.where(free & going[:, None], v - _least(A * free, wrong), v)
        wrong = _times(A, moved)
        if (np.abs(wrong) > NEARLY * scale).any():
            run, row = np.unravel_index(np.abs(wrong).argmax(), wrong.shape)
            name = self.rows[int(row)][0].removeprefix("constraint.")
            raise OpenError(
                f"the velocities at the start break constraint '{name}' by {abs(wrong[run, row]):.3g}; give fewer by "
                "name, so that the rest follows",
                int(run),
            )
        state = state.copy()
        state[:, places] = moved
        return state


def starting_values(network: Network) -> tuple[Parameters, np.ndarray]:
    """The parameters of a network, and its first states."""
    return Parameters(network, NoMethod(), {}, ()), np.array(flat_states(network, network.start), float)


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
    return _times(np.linalg.pinv(A, rcond=SINGULAR), b)


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x for each run, with the bits that it has alone."""
    return (A * x[:, None, :]).sum(axis=-1)
