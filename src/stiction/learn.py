"""Environments of Gymnasium over `Simulator`: one robot, or thousands that step together. The extra `learn` installs
what they need.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.extras import needed
from stiction.fields import Validated, count, instance, number
from stiction.methods import Method
from stiction.scene.inputs import input_names
from stiction.scene.scene import Scene
from stiction.simulation.simulator import Simulator

needed("gymnasium", "environments")
import gymnasium  # noqa: E402

MODES = gymnasium.vector.AutoresetMode
Seen = Mapping[str, Any]  # signals and inputs after an action, by name, (runs,) each; () of a single environment
Draw = Any  # a value, or a function of a random generator and a number of runs that gives one row per run


@dataclass(frozen=True, kw_only=True)
class Task(Validated):
    """What is to be learned: a scene, what acts on it, what is seen of it, what is rewarded.

    Functions take signals and inputs by name, as arrays over the environments, and give one value for each: the same
    function serves one environment and thousands.

    Attributes:
        scene: what is simulated.
        step: [s].
        hold: steps for which an action is held.
        method: as that of `simulate`.
        actions: inputs that the agent has, by name or pattern, with the value of an action of 1 [N·m, N, V, A, rad …];
            actions are between −1 and 1.
        observe: signals that the agent sees, by name, beginning or pattern, in the scene's order.
        watch: further signals that the functions need.
        reward: the reward of a step.
        terminated: whether an episode is over; a run that leaves the numbers is over anyway.
        duration: of an episode [s], after which it is truncated.
        parameters: to draw anew for every episode, by name or pattern, as those of `Simulator.reset`: domain
            randomisation.
        q: first positions of the robots, (n, nq) or (nq,), or a function that draws them; the scene's if not given.
        v: first velocities, likewise.

    Example:
        >>> import stiction
        >>> from stiction.learn import Environment, Task
        >>> pendulum = stiction.library.pendulum(1)
        >>> friction = {"joint1": stiction.Stribeck(level=0.2, static=0.3, velocity=0.05)}
        >>> task = Task(
        ...     scene=stiction.Scene(robot=pendulum, friction=friction),
        ...     step=1e-3, hold=10, method="moreau", duration=2.0,
        ...     actions={"torque.*": 3.0}, observe=["q.*", "v.*"], reward=lambda seen: -seen["q.joint1"] ** 2,
        ...     parameters={"friction.*.level": lambda random, n: random.uniform(0.1, 0.3, n)},
        ...     q=lambda random, n: random.uniform(-1, 1, (n, 1)),
        ... )
        >>> env = Environment(task)
        >>> observation, info = env.reset(seed=1)
        >>> observation, reward, terminated, truncated, info = env.step([0.5])
        >>> observation.shape, reward < 0, terminated, truncated
        ((2,), True, False, False)
    """

    scene: Scene = instance(Scene)
    step: float = number(above=0)
    hold: int = count(1, least=1)
    method: Method | str | None = None
    actions: Mapping[str, float] = field(default_factory=lambda: {"torque.*": 1.0})
    observe: Sequence[str] = ("q.*", "v.*")
    watch: Sequence[str] = ()
    reward: Callable[[Seen], Any] = lambda seen: 0.0
    terminated: Callable[[Seen], Any] = lambda seen: False
    duration: float = number(above=0)
    parameters: Mapping[str, Draw] = field(default_factory=dict)
    q: Draw = None
    v: Draw = None

    def conflicts(self) -> Sequence:
        """Actions have sizes, and functions can be called."""
        sizes = [isinstance(x, (int, float)) and x > 0 for x in self.actions.values()]
        ticks = self.duration / (self.step * self.hold)
        return [
            (not sizes or not all(sizes), f"actions is {self.actions!r}; allowed: a value above 0 by input"),
            (not callable(self.reward), f"reward is {self.reward!r}; allowed: a function of signals by name"),
            (not callable(self.terminated), f"terminated is {self.terminated!r}; allowed: a function, as reward is"),
            (
                abs(ticks - round(ticks)) > 1e-6 or round(ticks) < 1,
                f"duration is {self.duration:g} s; allowed: a whole number of actions of {self.step * self.hold:g} s",
            ),
        ]

    def simulator(
        self, runs: int | None, threads: int | None = None, device: str = "cpu", dtype: str = "float64"
    ) -> Simulator:
        """What environments step."""
        return Simulator(
            self.scene,
            step=self.step,
            method=self.method,
            runs=runs,
            inputs=tuple(self.actions),
            outputs=(*self.observe, *self.watch),
            threads=threads,
            device=device,
            dtype=dtype,
        )

    def scales(self) -> np.ndarray:
        """The value of an action of 1, by input, (n,); the first name or pattern that fits an input counts."""
        found: dict[str, float] = {}
        for pattern, size in self.actions.items():
            found = dict.fromkeys(input_names(self.scene, [pattern]), float(size)) | found
        return np.array([found[name] for name in input_names(self.scene, tuple(self.actions))])


class Columns(Mapping):
    """Signals and inputs by name, each cut out of its array when it is asked for."""

    def __init__(self, arrays: Mapping[str, Any], places: Mapping[str, int]) -> None:
        self.arrays, self.places = arrays, places

    def __getitem__(self, name: str) -> Any:
        return self.arrays[name][..., self.places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)


class _Episodes:
    """The simulator of a task and the episodes in it, whichever kind of environment asks."""

    def __init__(self, task: Task, sim: Simulator) -> None:
        self.task, self.sim = task, sim
        self.scales = sim.device.array(task.scales())
        self.shape = (*(() if sim.runs is None else (sim.runs,)), len(self.scales))  # of actions
        self.places = {name: k for names in (sim.outputs, sim.inputs) for k, name in enumerate(names)}
        places = sim.places(task.observe)
        together = places == list(range(len(places)))
        self.observed = slice(len(places)) if together else sim.device.given(np.array(places))
        boxes = [(-np.inf, np.inf, len(places)), (-1.0, 1.0, len(self.scales))]
        self.observation, self.action = (
            gymnasium.spaces.Box(low, high, (size,), sim.device.dtype.type) for low, high, size in boxes
        )

    def drawn(self, random: np.random.Generator, count: int) -> dict[str, Any]:
        """First values and parameters of so many episodes, as a simulator takes them."""

        def draw(given: Draw) -> Any:
            return given(random, count) if callable(given) else given

        parameters = {name: draw(given) for name, given in self.task.parameters.items()}
        return {"q": draw(self.task.q), "v": draw(self.task.v), "parameters": parameters}

    def draw(self, random: np.random.Generator) -> None:
        """Nothing: it is drawn when it is needed."""

    def some(self, mask: np.ndarray) -> bool:
        """Whether there are some."""
        return bool(mask.any())

    def begin(self, random: np.random.Generator, mask: np.ndarray) -> np.ndarray:
        """Observations after some runs began anew, with what is drawn for them."""
        which = np.flatnonzero(mask)
        return self.sim.reset(which, **self.drawn(random, len(which)))[..., self.observed]

    def inputs_of(self, actions: Any) -> np.ndarray:
        """What actions mean."""
        given = np.asarray(actions, np.float64)
        if given.shape != self.shape or not np.isfinite(given).all():
            raise self.refused(actions)
        return np.clip(given, -1.0, 1.0) * self.scales

    def refused(self, actions: Any) -> InputError:
        """Why these are no actions."""
        names = ", ".join(self.sim.inputs)
        return InputError(f"actions are {actions!r}; allowed: numbers between -1 and 1, {self.shape}, for {names}")

    def act(self, actions: Any) -> tuple[Any, Any, Any, Any, Any]:
        """Observations, rewards, and which runs are over, by themselves or by time; which of them left the numbers."""
        inputs = self.inputs_of(actions)
        out = self.sim.step(inputs, self.task.hold)
        seen = Columns({**dict.fromkeys(self.sim.outputs, out), **dict.fromkeys(self.sim.inputs, inputs)}, self.places)
        lost, reward = self.sim.diverged, self.task.reward(seen)
        over = np.logical_or(self.task.terminated(seen), lost)
        late = self.sim.time >= self.task.duration - 0.5 * self.task.step
        reward = reward if np.ndim(reward) else reward + np.zeros_like(self.sim.time)
        return out[..., self.observed], reward, over, late, lost


class _EpisodesThere(_Episodes):
    """The same on a GPU, where nobody waits to know how many are over: all that may begin anew is ready there."""

    def __init__(self, task: Task, sim: Simulator, starts: int) -> None:
        super().__init__(task, sim)
        self.count = starts

    def draw(self, random: np.random.Generator) -> None:
        """Draw places to begin at."""
        seed = int(random.integers(2**32))
        self.starts = self.sim.starts(self.count, **self.drawn(random, self.count), seed=seed)

    def some(self, mask: Any) -> bool:
        """Whether there may be some."""
        return True

    def begin(self, random: np.random.Generator, mask: Any) -> Any:
        """Observations after some runs began anew."""
        return self.sim.restart(mask, self.starts)[..., self.observed]

    def inputs_of(self, actions: Any) -> Any:
        """What actions mean; whether they are numbers is not asked, as that would have to be waited for."""
        given = self.sim.device.given(actions)
        if given.shape != self.shape:
            raise self.refused(actions)
        inputs = np.clip(given, -1.0, 1.0)
        inputs *= self.scales
        return inputs


class Environment(gymnasium.Env):
    """One robot with a task, as Gymnasium wants it.

    Example: see `Task`.
    """

    metadata = {"render_modes": []}

    def __init__(self, task: Task) -> None:
        self.task, self._episodes = task, _Episodes(task, task.simulator(None, 1))
        self.observation_space, self.action_space = self._episodes.observation, self._episodes.action

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode; a seed begins a row of episodes that reproduces."""
        super().reset(seed=seed)
        return self._episodes.begin(self.np_random, np.ones(1, bool)), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Hold an action for some steps: observation, reward, terminated, truncated, and infos."""
        seen, reward, over, late, lost = self._episodes.act(action)
        info = {"diverged": True} if lost else {}
        return seen, float(reward), bool(over), bool(late), info


class VectorEnvironment(gymnasium.vector.VectorEnv):
    """Many robots with a task that step together, as Gymnasium wants it.

    Args:
        task: what they learn.
        runs: how many.
        autoreset: what happens to those that are over: "NextStep" begins them anew with the next step, whose action
            they do not see, "SameStep" at once (their last observation is then in the info "final_obs"), "Disabled"
            with `reset(options={"reset_mask": mask})`.
        threads: how many share the work; None takes all cores.
        device: "cpu", or "cuda": actions, observations, rewards and what is over are then arrays of the GPU, and
            nothing is copied or waited for in a step. The task's functions get such arrays: NumPy's functions work on
            them. Episodes begin at one of `starts` places that `reset` draws.
        dtype: "float64" or "float32".
        starts: how many places to begin at are drawn on a GPU.

    Example:
        >>> import numpy as np, stiction
        >>> from stiction.learn import Task, VectorEnvironment
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1))
        >>> task = Task(scene=scene, step=1e-3, hold=10, duration=1.0, reward=lambda seen: -seen["q.joint1"] ** 2)
        >>> envs = VectorEnvironment(task, 64)
        >>> observations, info = envs.reset(seed=1)
        >>> envs.step(np.ones((64, 1)))[1].shape
        (64,)
    """

    def __init__(
        self,
        task: Task,
        runs: int,
        autoreset: str = "NextStep",
        threads: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
        starts: int = 16_384,
    ) -> None:
        if autoreset not in [mode.value for mode in MODES]:
            raise InputError(f"autoreset is {autoreset!r}; allowed: {', '.join(repr(mode.value) for mode in MODES)}")
        if not isinstance(starts, int) or starts < 1:
            raise InputError(f"starts is {starts!r}; allowed: a whole number of at least 1")
        self.task, self.num_envs, self.mode = task, runs, MODES(autoreset)
        sim = task.simulator(runs, threads, device, dtype)
        self._episodes = _Episodes(task, sim) if device == "cpu" else _EpisodesThere(task, sim, starts)
        self.metadata = {"render_modes": [], "autoreset_mode": self.mode}
        self.single_observation_space, self.single_action_space = self._episodes.observation, self._episodes.action
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, runs)
        self.action_space = batched(self.single_action_space, runs)
        self._over = sim.device.given(np.zeros(runs, bool))

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict]:
        """Begin episodes: of all, or of those that `options["reset_mask"]` names. A seed begins a row of episodes that
        reproduces.
        """
        super().reset(seed=seed)
        given = self._episodes.sim.device.given
        chosen = given(np.ones(self.num_envs, bool)) if not options else given(options["reset_mask"]) != 0
        self._over = self._over & ~chosen
        self._episodes.draw(self.np_random)
        return self._episodes.begin(self.np_random, chosen), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict]:
        """Hold actions, (runs, n), for some steps: observations, rewards, terminated, truncated, and infos."""
        episodes, again = self._episodes, self._over
        seen, reward, over, late, lost = episodes.act(actions)
        info = {"diverged": lost} if episodes.some(lost) else {}
        if self.mode is MODES.NEXT_STEP and episodes.some(again):  # these begin anew, whatever they did
            seen = episodes.begin(self.np_random, again)
            reward, over, late = np.where(again, 0.0, reward), over & ~again, late & ~again
        self._over = over | late
        if self.mode is MODES.SAME_STEP and episodes.some(self._over):
            info |= {"final_obs": seen, "_final_obs": self._over}
            seen = episodes.begin(self.np_random, self._over)
        return seen, reward, over, late, info
