"""`Simulator`: a scene compiled once and stepped for ever, from Python, for one robot or for thousands.

Its core is a pure function: (parameters and inputs, ticks, state) → (state, outputs). Everything that decides how a run
goes on is in the state and the ticks; nothing is checked or traced per step beyond shapes.
"""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from stiction.control.callback import Callback
from stiction.errors import InputError, unknown
from stiction.methods import DEFAULT, Method, as_method
from stiction.scene.inputs import input_names, with_inputs
from stiction.scene.scene import Scene
from stiction.simulation import setup
from stiction.simulation.state import State, state_of, values_for
from stiction.simulation.values import finite, fitted
from stiction.trace.program import check_threads

Draw = Callable[[np.random.Generator, int], Any]  # generator and number of runs -> values, one row per run


class Simulator:
    """A scene that steps.

    Args:
        scene: what is simulated.
        step: [s].
        method: as that of `simulate`.
        runs: how many runs side by side; all arrays then have (runs,) as their first axis. None: one run, without that
            axis.
        inputs: what comes from outside at every step, by name or pattern: torques "torque.JOINT" [N·m or N], commands
            "drive.JOINT.command", targets "control.JOINT.target", values "PART.value" of sources. They replace what the
            scene says there.
        outputs: what is seen after a step: signals of `simulate`, by name, beginning or pattern.
        parameters: parameters and first values, by name or pattern: numbers, arrays (runs,), or functions of a random
            generator and the number of runs. Where a pattern fits several, an array (runs, how many) gives each its
            own.
        start: the state to start from, of a run or of another simulator.
        seed: of the generator that draws.
        threads: how many share the runs; None takes all cores.

    Example:
        >>> import numpy as np, stiction
        >>> friction = {"joint1": stiction.Coulomb(level=0.5)}
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction)
        >>> wanted = {"inputs": ["torque.*"], "outputs": ["q.*", "v.*"]}
        >>> sim = stiction.Simulator(scene, step=1e-3, method="moreau", runs=3, **wanted)
        >>> sim.inputs, sim.outputs
        (('torque.joint1',), ('q.joint1', 'v.joint1'))
        >>> sim.step([[0.4], [0.6], [0.8]], steps=100).shape  # the first one holds
        (3, 2)
        >>> sim.state["v.joint1"] > 0
        array([False,  True,  True])
        >>> sim.reset([False, False, True], q=[[0.1]])
        >>> sim.time
        array([0.1, 0.1, 0. ])
    """

    def __init__(
        self,
        scene: Scene,
        *,
        step: float,
        method: Method | str = DEFAULT,
        runs: int | None = None,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        start: State | None = None,
        seed: int = 0,
        threads: int | None = 1,
    ) -> None:
        _check(scene, runs, inputs, parameters)
        check_threads(threads)
        self._settings = {"step": step, "method": method, "runs": runs, "inputs": inputs, "outputs": outputs}
        self._settings |= {"seed": seed, "threads": threads}
        self.inputs = input_names(scene, inputs)
        self.scene, self._open = scene, with_inputs(scene, self.inputs)
        self.runs, self.threads, self.step_length = runs, threads, step
        self._count = 1 if runs is None else runs
        self._random = np.random.default_rng(seed)
        self._given: dict[str, np.ndarray] = {name: np.zeros(self._count) for name in self.inputs}
        self._given |= self._drawn(parameters or {}, self._count)
        self._method = as_method(method)
        self._patterns = outputs
        self._build(start)

    def _build(self, start: State | None = None) -> None:
        """Compile for the parameters that vary now, and lay out the arrays that steps work on."""
        self._program, first = setup.prepared(
            self._open, self._method, self.step_length, self._patterns, False, self._given, stepped=True
        )
        program, n = self._program, self._count
        labels = program.layout.network.labels
        self.outputs = tuple(labels.signal(key) if key[0] else key[1] for key in program.wanted)
        first = np.broadcast_to(first, (n, first.shape[-1])).copy()
        self._first = first.copy()
        self._states, tick = (
            (first, 0) if start is None else values_for(program.layout.slots, start, first, self.step_length)
        )
        self._states = np.array(np.broadcast_to(self._states, first.shape), float)
        self._ticks = np.array(np.broadcast_to(tick, n), float)
        self._alive, self._steps = np.ones(n), np.ones(())
        self._seen = np.zeros((n, len(self.outputs)))
        self._fixed = program.parameters.arrays
        self._columns = [list(program.parameters.varying).index(self._key(name)) for name in self.inputs]
        given = [*self._fixed, np.array(self.step_length), self._ticks, self._steps, self._alive, self._states]
        self._run = program.program.bind(given, [self._states, self._alive, self._seen], self.threads)

    def _key(self, name: str) -> Any:
        return self._known()[name][1][0]

    def _known(self) -> Mapping[str, Any]:
        if not hasattr(self, "_names"):
            self._names = setup.parameters_of(self._program.layout.network)
        return self._names

    # Stepping.

    def step(self, inputs: Any = None, steps: int = 1, out: np.ndarray | None = None) -> np.ndarray:
        """Hold the inputs for some steps, and see the outputs after them.

        Args:
            inputs: one number per name in `inputs`, (runs, n), in their order; those of the last step if not given.
            steps: how many.
            out: where to put the outputs, (runs, n), C-contiguous; a new array if not given.
        """
        if inputs is not None:
            try:
                self._fixed[-1][:, self._columns] = inputs
            except (IndexError, TypeError, ValueError):
                raise self._refused(inputs) from None
        self._steps[...] = steps
        self._run()
        self._advance_own_steps(steps)
        self._ticks += steps * self._alive
        seen = self._seen if self.runs is not None else self._seen[0]
        if out is None:
            return seen.copy()
        out[...] = seen
        return out

    def _refused(self, inputs: Any) -> InputError:
        """Why these inputs cannot be held."""
        shape = (len(self.inputs),) if self.runs is None else (self.runs, len(self.inputs))
        given = f"has the shape {np.shape(inputs)}" if isinstance(inputs, np.ndarray) else f"is {inputs!r}"
        names = ", ".join(self.inputs) or "none: name some when the Simulator is made, such as inputs=['torque.*']"
        return InputError(f"inputs {given}; allowed: numbers of shape {shape}, in the order of sim.inputs ({names})")

    def _advance_own_steps(self, steps: int) -> None:
        """A method with its own steps is called until all runs have come to the end."""
        method, program = self._method, self._program
        if not method.own_steps:
            return
        while (~method.arrived(program.kept(self._states), steps * self.step_length) & (self._alive > 0)).any():
            self._run()
        for name, x in method.restarted().items():
            self._states[:, program.layout.places["", name]] = x

    # Where it stands.

    @property
    def diverged(self) -> np.ndarray:
        """Which runs left the numbers, (runs,); they stay at their last good state until they are reset."""
        return self._alive == 0

    @property
    def time(self) -> np.ndarray:
        """Time of each run since its start [s], (runs,)."""
        return self._ticks * self.step_length

    @property
    def state(self) -> State:
        """A copy of where all runs stand; assigning one puts them there."""
        single = self.runs is None
        values, ticks = (x[0] if single else x.copy() for x in (self._states, self._ticks))
        return state_of(self._program.layout.slots, np.array(values), np.array(ticks), self.step_length, {})

    @state.setter
    def state(self, saved: State) -> None:
        if not isinstance(saved, State):
            raise InputError(f"state is {saved!r}; allowed: a State, such as sim.state or run.state gives")
        values, tick = values_for(self._program.layout.slots, saved, self._first, self.step_length)
        self._states[...] = values
        self._ticks[...] = tick
        self._alive[...] = 1.0

    def reset(
        self, runs: Any = None, *, q: Any = None, v: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> None:
        """Put some runs back to their start, with other first values or parameters.

        Args:
            runs: which, as a mask (runs,) or as indices; all by default.
            q: positions of the robots [rad or m], (n, nq) or (nq,), or a function that draws them; those of the scene
                if not given.
            v: velocities [rad/s or m/s], likewise.
            parameters: as those of the simulator, for these runs.
        """
        which = self._which(runs)
        if parameters:
            self._set(self._drawn(parameters, len(which)), which)
        self._states[which] = self._first[which]
        for what, places, given in (("q", self._positions, q), ("v", self._velocities, v)):
            if given is not None:
                drawn = given(self._random, len(which)) if callable(given) else given
                axes = f"runs that are reset; {', '.join(self._program.layout.slots[k].name for k in places)}"
                self._states[which[:, None], places] = fitted(what, drawn, (len(which), len(places)), axes)
        self._follow(which)
        self._ticks[which], self._alive[which] = 0.0, 1.0

    def _follow(self, which: np.ndarray) -> None:
        """Rotors behind elastic gears begin where their joints do."""
        parameters, places = self._program.parameters, self._program.layout.places
        for key, follower in self._program.layout.network.followers.items():
            ratio = parameters.shared.get(follower.ratio)
            if ratio is None:
                ratio = self._fixed[-1][which, list(parameters.varying).index(follower.ratio)]
            self._states[which, places[key]] = ratio * self._states[which, places[follower.leader]]

    def _which(self, runs: Any) -> np.ndarray:
        if runs is None:
            return np.arange(self._count)
        chosen = np.asarray(runs)
        mask = chosen.dtype == bool
        if mask and chosen.shape != (self._count,):
            raise InputError(f"runs is a mask of shape {chosen.shape}; allowed: ({self._count},)")
        if not mask and chosen.size and (chosen.dtype.kind not in "iu" or not (abs(chosen) < self._count).all()):
            raise InputError(f"runs is {runs!r}; allowed: a mask ({self._count},), or indices below {self._count}")
        return np.flatnonzero(chosen) if mask else np.atleast_1d(chosen).astype(int)

    @property
    def _positions(self) -> list[int]:
        return self._of_robots("position")

    @property
    def _velocities(self) -> list[int]:
        return self._of_robots("velocity")

    def _of_robots(self, kind: str) -> list[int]:
        slots = enumerate(self._program.layout.slots)
        return [k for k, slot in slots if slot.kind == kind and slot.key[0] in self.scene.all_robots]

    def _set(self, values: Mapping[str, np.ndarray], which: np.ndarray) -> None:
        """Parameters of some runs; those that did not vary before vary from now on, which compiles another program."""
        new = [name for name in values if name not in self._given]
        for name, x in values.items():
            usual = self._open.parameters
            if name not in self._given:
                if name not in usual:
                    raise InputError(unknown("parameter", name, "this simulation", usual, source="scene.parameters"))
                self._given[name] = np.full(self._count, usual[name])
            self._given[name][which] = x
        if new:
            kept = self._states.copy(), self._ticks.copy(), self._alive.copy()
            self._build()
            self._states[...], self._ticks[...], self._alive[...] = kept
            return
        part = {name: x[which] for name, x in self._given.items()}
        fresh, first = setup.prepared(
            self._open, self._method, self.step_length, self._patterns, False, part, stepped=True
        )
        self._fixed[-1][which] = fresh.parameters.arrays[-1]
        self._first[which] = first

    def _drawn(self, parameters: Mapping[str, Any], count: int) -> dict[str, np.ndarray]:
        """Values by full name, (count,) each, of what may be patterns and functions that draw."""
        names = list(self._open.parameters)
        made: dict[str, np.ndarray] = {}
        for pattern, given in parameters.items():
            fits = [name for name in names if fnmatchcase(name, pattern)]
            if not fits:
                raise InputError(unknown("parameter", pattern, "this simulation", names, source="scene.parameters"))
            x = finite(pattern, given(self._random, count) if callable(given) else given)
            if x.ndim > 1 and x.shape[-1] != len(fits):
                raise InputError(
                    f"parameters '{pattern}' has the shape {x.shape} and fits {len(fits)} names: {', '.join(fits)}"
                )
            for k, name in enumerate(fits):
                made[name] = fitted(name, x[..., k] if x.ndim > 1 else x, (count,), "runs").copy()
        return made

    # For others.

    @property
    def manifest(self) -> dict[str, Any]:
        """What it takes and gives, as plain data: names, units, shapes, layout, clocks."""
        layout, parameters = self._program.layout, self._program.parameters
        return {
            "step": self.step_length,
            "method": self._method.title,
            "runs": self.runs,
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "slots": [slot._asdict() for slot in layout.slots],
            "parameters": {"shared": ["/".join(key) for key in parameters.shared], "varying": list(self._given)},
            "clocks": {name: part.clock.ticks(self.step_length) for name, part in layout.network.digital.items()},
        }

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: it compiles there again, or finds the kernel in its cache."""
        return {
            "scene": self.scene,
            "settings": self._settings,
            "given": self._given,
            "state": self.state,
            "alive": self._alive,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(saved["scene"], parameters=saved["given"], **saved["settings"])  # type: ignore[misc]
        self.state = saved["state"]
        self._alive[...] = saved["alive"]


def _check(scene: Any, runs: Any, inputs: Any, parameters: Any) -> None:
    if not isinstance(scene, Scene):
        raise InputError(f"Simulator takes a Scene; got {type(scene).__name__}")
    if runs is not None and (not isinstance(runs, int) or isinstance(runs, bool) or runs < 1):
        raise InputError(f"runs is {runs!r}; allowed: a whole number of at least 1, or None for a single run")
    if isinstance(inputs, str) or not all(isinstance(name, str) for name in inputs):
        raise InputError(f"inputs is {inputs!r}; allowed: a list of names or patterns, such as ['torque.*']")
    if not isinstance(parameters or {}, Mapping):
        raise InputError(f"parameters is {parameters!r}; allowed: numbers, arrays or functions that draw, by name")
    for name, part in scene.network.digital.items():
        if isinstance(part, Callback):
            raise InputError(
                f"'{name}' is a Python function, and a Simulator is stepped by you: leave it out of the scene and make "
                "its command an input, such as 'torque.JOINT' or 'drive.JOINT.command'"
            )
