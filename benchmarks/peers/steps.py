"""The same arm in steps: ours by a compiled program, MuJoCo's by its own roads, and whether both move alike."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.measure import Timed
from stiction import Scene, simulate
from stiction.methods import Method, as_method
from stiction.simulation.core import Core
from stiction.simulation.setup import Setup

STEP, STEPS, BATCH = 1e-3, 100, 4096
Q, V = 0.3, 0.5  # every joint at the start [rad, rad/s]
ROLLED = 64  # robots in one rollout
ALIKE = 3.0  # a peer whose joints reach more than this times our speed, or less than a part, does something else
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS.value


def our_steps(scene: Scene, method: str, parameters: Mapping[str, Any] | None = None) -> Timed:
    """A call that advances all robots of a scene by STEPS steps on one core."""
    core = core_of(scene, method, STEP, ["q.", "v."], parameters)
    return steps_of(core, STEPS), STEPS * len(core.state)


def core_of(
    scene: Scene,
    method: Method | str,
    step: float,
    signals: Sequence[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Core:
    """The runs of a scene at their start, on one core."""
    program, start = Setup(scene, as_method(method), step, signals).program(parameters or {})
    return Core(program, start, 0, 1)


def steps_of(core: Core, steps: int) -> Callable[[], None]:
    """A call that advances all runs by some steps from where they are now."""
    state, ticks = core.state.copy(), core.ticks.copy()

    def call() -> None:
        core.state[...], core.ticks[...] = state, ticks
        core.advance(steps)

    return call


class Motion(NamedTuple):
    """Positions after STEPS steps [rad], and the largest speed of each joint in them [rad/s]."""

    q: np.ndarray
    speeds: np.ndarray


def our_motion(scene: Scene, method: str) -> Motion:
    """What a scene does."""
    run = simulate(scene, duration=STEPS * STEP, step=STEP, method=method, signals=["q.", "v."])
    q = [x[-1] for name, x in run.signals.items() if name.startswith("q.")]
    v = [np.abs(x).max() for name, x in run.signals.items() if name.startswith("v.")]
    return Motion(np.array(q), np.array(v))


def option(integrator: str) -> str:
    """Attributes of MuJoCo's options."""
    return f'timestep="{STEP}" integrator="{integrator}"'


class MujocoArm:
    """An arm in MuJoCo that starts like ours and is advanced by STEPS steps, by each of the roads that MuJoCo has."""

    def __init__(self, text: str, control: float = 0.0) -> None:
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data, self.rolling = mujoco.MjData(self.model), mujoco.MjData(self.model)
        self.control = np.full(self.model.nu, control)
        self._reset()
        self.first = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, self.data, self.first, STATE)
        self.states = np.empty((ROLLED, STEPS, len(self.first)))

    @property
    def roads(self) -> dict[str, Timed]:
        """What can be timed."""
        return {
            "stepped from Python": (self.stepped, STEPS),
            "one call": (self.in_one_call, STEPS),
            "rollout": (self.rolled, STEPS * ROLLED),
        }

    def _reset(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = Q, V, self.control

    def stepped(self) -> None:
        """One robot, one call from Python for each step."""
        self._reset()
        for _ in range(STEPS):
            mujoco.mj_step(self.model, self.data)

    def in_one_call(self) -> None:
        """One robot, one call for all steps."""
        self._reset()
        mujoco.mj_step(self.model, self.data, STEPS)

    def rolled(self) -> None:
        """Many robots, one call and one thread for all steps of all."""
        first, control = np.tile(self.first, (ROLLED, 1)), self.control[None, None] if self.model.nu else None
        rollout.rollout(self.model, self.rolling, first, control, nstep=STEPS, state=self.states)

    def speeds(self) -> np.ndarray:
        """The largest speed of each joint in the last rollout, its start included."""
        at = 1 + self.model.nq
        return np.abs(np.vstack([self.first, self.states[0]])[:, at : at + self.model.nv]).max(axis=0)

    def apart(self, q: np.ndarray) -> float:
        """How far it ended from these positions in the last rollout [rad]."""
        return float(np.abs(self.states[0, -1, 1 : 1 + self.model.nq] - q).max())

    def trouble(self, ours: np.ndarray) -> str:
        """What is wrong with the motion of the last calls, given our largest speeds; empty if nothing is."""
        for data in (self.data, self.rolling):
            for kind in mujoco.mjtWarning.__members__.values():
                if int(kind) < len(data.warning) and data.warning[int(kind)].number:
                    return f"diverged: {kind.name.removeprefix('mjWARN_')}"
        if not np.isfinite(self.states).all() or (np.diff(self.states[:, :, 0]) <= 0).any():
            return "diverged: it left the numbers"
        if abs(self.data.time - STEPS * STEP) > STEP / 2:
            return "diverged: it was reset"
        ratio = self.speeds() / np.maximum(ours, 1e-3)
        k = int(np.argmax(np.abs(np.log(np.maximum(ratio, 1e-9)))))
        return (
            f"diverged: joint {k + 1} reaches {ratio[k]:.2g} of our speed" if not 1 / ALIKE < ratio[k] < ALIKE else ""
        )


def judged(arm: MujocoArm, times: Mapping[str, float], ours: Motion) -> tuple[dict[str, Any], float | None]:
    """Cells about a peer from its times by road [s]; the best of them, None if it does not move like ours."""
    trouble = arm.trouble(ours.speeds)
    cells: dict[str, Any] = {road: 1e6 * x for road, x in times.items()}
    cells |= {"ends apart [rad]": arm.apart(ours.q), "motion": trouble or "like ours"}
    return cells, None if trouble else min(times.values())


def compared(one: float, many: float, peers: Mapping[str, float | None]) -> dict[str, Any]:
    """Cells about our times [s] for one robot and in a batch, and how often they fit into those of peers."""
    cells: dict[str, Any] = {"one robot": 1e6 * one, "batch": 1e6 * many}
    for name, time in peers.items():
        cells[f"{name} / one robot"] = "diverged" if time is None else time / one
        cells[f"{name} / batch"] = "diverged" if time is None else time / many
    return cells


def least(times: Iterable[float | None]) -> float | None:
    """The least of some times; None are those of peers that do not count."""
    return min((x for x in times if x is not None), default=None)
