"""`Simulator`: a scene compiled once and stepped for ever, from Python, for one robot or for thousands.

Its core is a pure function: (parameters and inputs, step, run numbers, ticks, state) → (ticks, state, outputs).
Everything that decides how a run goes on is in there; nothing is checked or traced per step beyond shapes.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from stiction.control.callback import Callback
from stiction.errors import InputError, StictionWarning
from stiction.methods import Method, method_for
from stiction.methods.stability import SHORTEST
from stiction.network.labels import full
from stiction.scene.inputs import input_names, possible_inputs, with_inputs
from stiction.scene.scene import Scene
from stiction.simulation.core import Core, check_seed, most_counted
from stiction.simulation.notes import notes_of
from stiction.simulation.setup import Setup, wanted_signals
from stiction.simulation.simulate import HELD, held_values
from stiction.simulation.starts import Starts
from stiction.simulation.state import State, state_of, values_for
from stiction.simulation.values import finite
from stiction.trace.device import device_of
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
            "drive.JOINT.command", targets "reference.JOINT", values "PART.value" of sources. They replace what the
            scene says there.
        outputs: what is seen after a step: signals of `simulate`, by name, beginning or pattern.
        parameters: parameters and first values, by name or pattern: numbers, arrays (runs,), or functions of a random
            generator and the number of runs. Where a pattern fits several, an array (runs, how many) gives each its
            own.
        start: the state to start from, of a run or of another simulator; or "held", as in `simulate`.
        seed: of the generator that draws, and of the noise of sensors: a whole number from 0 on.
        threads: how many share the runs; None takes all cores.
        device: "cpu", or "cuda" for a GPU of NVIDIA: states stay there, inputs and outputs are arrays of it, which
            CuPy, PyTorch and JAX take as they are (`__cuda_array_interface__`, DLPack). A step that is given NumPy's
            arrays gives NumPy's. In float64 the bits are those of the processor.
        dtype: "float64", or "float32" for half the memory and twice the speed, to some 5 digits.

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
        >>> sim.reset([False, False, True], q=[[0.1]]).shape
        (3, 2)
        >>> sim.time
        array([0.1, 0.1, 0. ])
    """

    def __init__(
        self,
        scene: Scene,
        *,
        step: float,
        method: Method | str | None = None,
        runs: int | None = None,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        start: State | str | None = None,
        seed: int = 0,
        threads: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> None:
        _check(scene, step, runs, inputs, parameters)
        self.device = device_of(device, dtype)
        check_threads(threads)
        if start == HELD:
            parameters, start = held_values(scene, parameters), None
        self.scene, self.runs, self.step_length, self.threads = scene, runs, step, threads
        self.inputs = input_names(scene, inputs)
        self._outputs, self._count = outputs, 1 if runs is None else runs
        self._seed, self._random = check_seed(seed), np.random.default_rng(seed)
        chosen, told = method_for(scene.network, method)
        for note in (*told, *scene.limit_notes, *scene.reference_notes):
            warnings.warn(note, StictionWarning, stacklevel=2)
        self._setup = Setup(with_inputs(scene, self.inputs), chosen, step, outputs, open=True, device=self.device)
        self._known = self._setup.parameters | self._setup.first_values
        self._fits: dict[str, list[str]] = {}
        self._given = {name: np.zeros(self._count) for name in self.inputs}  # what varies, by name, (runs,) each
        self._given |= self._drawn(parameters or {}, self._count)
        self._build()
        self.outputs = tuple(map(self._core.program.name, self._core.program.wanted))
        if start is not None:
            self.state = start  # type: ignore[assignment]

    def _build(self) -> None:
        """Compile for the parameters that vary now, and put all runs at their start."""
        program, first = self._setup.program(self._given, (self._count,))
        self._core = Core(program, first, 0, self.threads, self._seed)
        self._core.advance(0)
        names = {key: name for name, (_, keys) in self._setup.parameters.items() for key in keys}
        self._columns = [names[key] for key in program.parameters.varying]  # names of what varies, inputs first
        self._entries = self._of_runs(self._core.varying[:, : len(self.inputs)])  # views: what steps write and see
        self._seen = self._of_runs(self._core.seen)
        self._shapes = (self._entries.shape, (len(self.inputs),))

    # Stepping.

    def step(self, inputs: Any = None, steps: int = 1, out: np.ndarray | None = None) -> np.ndarray:
        """Hold the inputs for some steps, and see the outputs after them.

        Args:
            inputs: one number per name in `inputs`, (runs, n), in their order, or (n,) for all runs; those of the last
                step if not given.
            steps: how many; with none, the outputs as they are.
            out: where to put the outputs, (runs, how many); a new array if not given.

        Returns:
            outputs, (runs, how many): an array of the device, but NumPy's where inputs are.
        """
        if inputs is not None:
            try:
                given = self.device.given(inputs)
                if given.dtype.kind not in "fiu" or given.shape not in self._shapes:
                    raise ValueError
            except (TypeError, ValueError, BufferError):
                raise self._refused(inputs) from None
            self._entries[...] = given
        if not isinstance(steps, (int, np.integer)) or steps < 0:
            raise InputError(f"steps is {steps!r}; allowed: a whole number of at least 0")
        if out is not None and np.shape(out) != self._seen.shape:
            raise InputError(f"out has the shape {np.shape(out)}; allowed: {self._seen.shape}")
        self._core.advance(steps)
        local = inputs is None or self.device.holds(inputs)
        if out is None:
            return self._seen.copy(order="K") if local else self.device.fetched(self._seen)
        out[...] = self._seen if local else self.device.fetched(self._seen)
        return out

    def _refused(self, inputs: Any) -> InputError:
        """Why these inputs cannot be held."""
        given = (
            f"has the shape {tuple(inputs.shape)} and the type {inputs.dtype}"
            if hasattr(inputs, "dtype")
            else f"is {inputs!r}"
        )
        names = ", ".join(self.inputs) or "none: name some when the Simulator is made, such as inputs=['torque.*']"
        shapes = " or ".join(map(str, dict.fromkeys(self._shapes)))
        return InputError(f"inputs {given}; allowed: numbers of shape {shapes}, in the order of sim.inputs ({names})")

    # Where it stands.

    @property
    def diverged(self) -> np.ndarray:
        """Which runs left the numbers, (runs,); they stay at their last good state until they are reset."""
        return self._of_runs(self._core.dead)

    @property
    def time(self) -> np.ndarray:
        """Time of each run since its start [s], (runs,)."""
        return self._of_runs(self._core.ticks * self.step_length)

    def _of_runs(self, x: np.ndarray) -> np.ndarray:
        return x if self.runs is not None else x[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What should be known of these runs so far, as `notes` of a run of `simulate`."""
        return (*self._setup.notes, *notes_of(self._core.program, self._core.fetched(self._core.state)))

    def places(self, patterns: Sequence[str]) -> list[int]:
        """Where the outputs stand that names, beginnings of names or patterns ask for."""
        wanted = self._setup.wanted
        return [wanted.index(key) for key in wanted_signals(self._setup.network, wanted, patterns)]

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """Parameters that vary from run to run, by name, (runs,) each; inputs aside."""
        columns = zip(self._columns, np.array(self._core.fetched(self._core.varying), float).T, strict=True)
        return {name: self._of_runs(x).copy() for name, x in columns if name not in self.inputs}

    @property
    def state(self) -> State:
        """A copy of where all runs stand, with their parameters, in NumPy's arrays; assigning one puts them there."""
        core, found = self._core, self.parameters
        values, ticks = (self._of_runs(np.array(core.fetched(x), float, order="C")) for x in (core.state, core.ticks))
        chosen = {name: found.pop(name) for name in core.program.chosen if name in found}
        return state_of(core.program.layout.slots, values, ticks, self.step_length, found, chosen, self._seed)

    @state.setter
    def state(self, saved: State) -> None:
        if not isinstance(saved, State):
            raise InputError(f"state is {saved!r}; allowed: a State, such as sim.state or run.state gives")
        now = self._core.fetched(self._core.state)
        values, ticks = values_for(self._core.program.layout.slots, saved, now, self.step_length)
        if values.shape != self._core.state.shape:
            raise InputError(f"state is of {values.shape[:-1]} runs; allowed: ({self._count},), or one for all")
        self._vary(saved.parameters)
        inputs, everyone = self._entries.copy(), np.arange(self._count)
        chosen = saved.chosen if saved.step == self.step_length else {}
        self._begin(everyone, {**self._given, **saved.parameters}, chosen)
        for name in saved.parameters:
            self._given[name][...] = saved.parameters[name]
        core, put = self._core, self.device.given
        core.state[...], core.ticks[...], self._entries[...] = put(values), put(ticks), inputs
        core.numbers[...] = put(np.arange(self._count))
        core.advance(0)

    def reset(
        self, runs: Any = None, *, q: Any = None, v: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> np.ndarray:
        """Put some runs back to their start, with other first values or parameters, and see the outputs of all runs.

        Inputs of these runs are 0 until the next step gives others. Where something is refused, nothing has changed.

        Args:
            runs: which, as a mask (runs,) or as indices; all by default.
            q: positions of the robots [rad or m], (n, nq) or (nq,), or a function that draws them; those of the scene
                if not given; or some by name, () or (n,) each: with constraints the others follow.
            v: velocities [rad/s or m/s], likewise.
            parameters: as those of the simulator, for these runs; they stay until others are given.
        """
        which = self._which(runs)
        drawn = self._drawn(parameters or {}, len(which))
        motions = self._motions("q", "position", q, len(which)) | self._motions("v", "velocity", v, len(which))
        self._vary(drawn)
        self._begin(which, {name: x[which] for name, x in self._given.items()} | drawn | motions)
        for name, x in drawn.items():
            self._given[name][which] = x
        self._core.advance(0)
        return self._seen.copy(order="K")

    def starts(
        self,
        count: int,
        *,
        q: Any = None,
        v: Any = None,
        parameters: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Starts:
        """So many places to begin at, drawn and checked once, for `restart`.

        Args:
            count: how many.
            q: positions of the robots, as those of `reset`.
            v: velocities, likewise.
            parameters: as those of `reset`, one for each start.
            seed: decides which run begins where; the simulator's by default.
        """
        if not isinstance(count, int) or count < 1:
            raise InputError(f"count is {count!r}; allowed: a whole number of at least 1")
        drawn = self._drawn(parameters or {}, count)
        motions = self._motions("q", "position", q, count) | self._motions("v", "velocity", v, count)
        self._vary(drawn)
        usual = {name: x[np.arange(count) % self._count] for name, x in self._given.items()}
        first, columns = self._first(count, usual | drawn | motions)
        columns[:, : len(self.inputs)] = 0.0
        return Starts(self._core, first, columns, self._seed if seed is None else check_seed(seed))

    def restart(self, runs: Any, starts: Starts) -> np.ndarray:
        """Begin some runs anew at starts that are drawn, and see the outputs of all; nothing leaves the device.

        Args:
            runs: which begin, a mask (runs,).
            starts: what `starts` gave.
        """
        if starts.core is not self._core:
            raise InputError("these starts were made before other parameters began to vary; make them again")
        mask = self.device.given(runs)
        if mask.shape != (self._count,):
            raise InputError(f"runs has the shape {tuple(mask.shape)}; allowed: a mask ({self._count},)")
        starts.begins[...] = mask
        starts.call()
        self._core.advance(0)
        return self._seen.copy(order="K")

    def _first(
        self,
        count: int,
        given: Mapping[str, Any],
        chosen: Mapping[str, Any] | None = None,
        which: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """States and varying parameters of so many runs that begin with these values, after they were checked."""
        parameters, first = self._setup.runs(given, (count,), chosen, which)
        values = parameters.varying | {key: x for key, x in parameters.shared.items() if key not in parameters.varying}
        columns = [np.broadcast_to(values[key], count) for key in self._core.program.parameters.varying]
        return first, np.stack(columns, axis=-1) if columns else np.empty((count, 0))

    def _begin(self, which: np.ndarray, given: Mapping[str, Any], chosen: Mapping[str, Any] | None = None) -> None:
        """Put some runs to the start that these values say, after they were checked."""
        if not len(which):
            return
        first, columns = self._first(len(which), given, chosen, which)
        core, put = self._core, self.device.given
        at = put(which)
        core.varying[at] = put(columns)
        core.state[at], core.ticks[at], core.alive[at] = put(first), 0.0, 1.0
        core.numbers[at] = (core.numbers[at] + self._count) % most_counted(self.device.dtype)  # noise of its own

    def _vary(self, names: Iterable[str]) -> None:
        """Let parameters vary that did not before, which compiles another program; all runs stay where they are."""
        new = [name for name in names if name not in self._given]
        now = self.parameters
        for name in new:
            if name not in self._known:
                raise InputError(self._setup.unknown_parameter(name))
            usual = now[name] if name in now else self._known[name][0]
            self._given[name] = np.array(np.broadcast_to(usual, self._count), float)
        if not any(name in self._setup.parameters for name in new):
            return
        old, names_before = self._core, self._columns
        self._build()
        core = self._core
        for k, name in enumerate(self._columns):
            if name in names_before:
                core.varying[:, k] = old.varying[:, names_before.index(name)]
        for array, before in ((core.state, old.state), (core.ticks, old.ticks), (core.alive, old.alive)):
            array[...] = before
        core.seen[...] = old.seen

    def _which(self, runs: Any) -> np.ndarray:
        """Numbers of the runs that a mask or indices mean."""
        if runs is None:
            return np.arange(self._count)
        chosen = np.asarray(self.device.fetched(runs))
        if chosen.dtype == bool and chosen.shape == (self._count,):
            return np.flatnonzero(chosen)
        found, n = np.atleast_1d(chosen), self._count
        whole = not found.size or (found.ndim == 1 and found.dtype.kind in "iu")
        if not whole or not ((found >= 0) & (found < n)).all() or len(np.unique(found)) < len(found):
            raise InputError(f"runs is {runs!r}; allowed: a mask ({n},), or numbers of runs below {n}, each once")
        return found.astype(int)

    def _motions(self, what: str, kind: str, given: Any, count: int) -> dict[str, np.ndarray]:
        """First positions or velocities of the robots, by name, (count,) each."""
        if given is None:
            return {}
        if isinstance(given, Mapping):
            return self._drawn({f"{what}.{name}": x for name, x in given.items()}, count)
        robots, slots = self.scene.all_robots, self._core.program.layout.slots
        names = [slot.name for slot in slots if slot.kind == kind and slot.key[0] in robots]
        x = self._numbers(what, given, count)
        if x.shape not in ((len(names),), (count, len(names))):
            raise InputError(
                f"'{what}' has the shape {x.shape}; allowed: ({len(names)},) or "
                f"({count}, {len(names)}): {', '.join(names)}"
            )
        return {name: np.broadcast_to(x[..., k], count) for k, name in enumerate(names)}

    def _drawn(self, parameters: Mapping[str, Any], count: int) -> dict[str, np.ndarray]:
        """Values by full name, (count,) each, of what may be patterns and functions that draw."""
        made: dict[str, np.ndarray] = {}
        for pattern, given in parameters.items():
            names = self._named(pattern)
            x = self._numbers(pattern, given, count)
            if x.shape not in ((), (count,), (count, len(names))):
                more = f" or ({count}, {len(names)}): {', '.join(names)}" if len(names) > 1 else ""
                raise InputError(f"parameters: '{pattern}' has the shape {x.shape}; allowed: () or ({count},){more}")
            for k, name in enumerate(names):
                made[name] = np.array(np.broadcast_to(x[:, k] if x.ndim > 1 else x, count))
        return made

    def _numbers(self, what: str, given: Any, count: int) -> np.ndarray:
        """An array, drawn where a function is given."""
        x = given(self._random, count) if callable(given) else given
        return finite(what, self.device.fetched(x))

    def _named(self, pattern: str) -> list[str]:
        """The parameters and first values that a name or pattern means, inputs aside."""
        if pattern not in self._fits:
            known = [name for name in self._known if name not in self.inputs]
            found = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, str(pattern))]
            if not found:
                raise InputError(self._setup.unknown_parameter(pattern))
            self._fits[pattern] = found
        return self._fits[pattern]

    # For others.

    @property
    def manifest(self) -> dict[str, Any]:
        """What it takes and gives, as plain data: names, units, shapes, layout, clocks, and the ports of its core."""
        program = self._core.program
        layout, parameters = program.layout, program.parameters
        units = {program.name(key): program.unit(key) for key in program.wanted}
        possible = possible_inputs(self.scene)
        digital = layout.network.digital.items()
        return {
            "step": self.step_length,
            "method": program.method.title,
            "runs": self.runs,
            "inputs": [{"name": name, "unit": possible[name].unit} for name in self.inputs],
            "outputs": [{"name": name, "unit": units[name]} for name in self.outputs],
            "state": [{"name": slot.name, "unit": slot.unit, "kind": slot.kind} for slot in layout.slots],
            "shared": {full(key): x for key, x in parameters.shared.items()},
            "varying": list(self._columns),
            "clocks": {name: part.clock.ticks(self.step_length) for name, part in digital},
            "core": {
                "takes": [vars(port) for port in program.program.inputs],
                "gives": [vars(port) for port in program.program.outputs],
            },
        }

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: it compiles there again, or finds the kernel in its cache."""
        settings = {"scene": self.scene, "step": self.step_length, "method": self._setup.method, "runs": self.runs}
        settings |= {"inputs": self.inputs, "outputs": self._outputs, "threads": self.threads, "seed": self._seed}
        settings |= {"device": self.device.name, "dtype": self.device.dtype.name}
        kept = {"given": self._given, "state": self.state, "random": self._random}
        entries, alive = map(self.device.fetched, (self._entries, self._core.alive))
        return kept | {"settings": settings, "entries": entries, "alive": alive}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        given = {name: x for name, x in saved["given"].items() if name not in saved["settings"]["inputs"]}
        self.__init__(parameters=given, **saved["settings"])  # type: ignore[misc]
        self.state, self._random = saved["state"], saved["random"]
        self._entries[...], self._core.alive[...] = map(self.device.given, (saved["entries"], saved["alive"]))


def _check(scene: Any, step: Any, runs: Any, inputs: Any, parameters: Any) -> None:
    if not isinstance(scene, Scene):
        raise InputError(f"Simulator takes a Scene; got {type(scene).__name__}")
    if not isinstance(step, (int, float)) or isinstance(step, bool) or not SHORTEST <= step < 1e9:
        raise InputError(f"step is {step!r}; allowed: a number from {SHORTEST:g} to below 1e9 [s]")
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
