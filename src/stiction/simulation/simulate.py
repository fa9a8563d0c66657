"""`simulate`: a scene in, a trajectory out, by the method of choice."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stiction.errors import DivergedError, InputError, StictionError, StictionWarning
from stiction.fields import shortened
from stiction.files.scene_file import SceneFile, read_scene
from stiction.methods import Method, method_for
from stiction.methods.stability import SHORTEST
from stiction.network.labels import full
from stiction.scene.scene import Scene
from stiction.scene.targets import FAR, begun
from stiction.simulation.core import Core, check_seed, check_ticks
from stiction.simulation.energy import BALANCE, balance
from stiction.simulation.loop import Progress, Record, follow, whole
from stiction.simulation.notes import control_notes, energy_notes, notes_of, speed_notes
from stiction.simulation.origin import Origin
from stiction.simulation.program import StepProgram
from stiction.simulation.setup import Setup, with_energies
from stiction.simulation.state import State, state_of, values_for
from stiction.simulation.trajectory import Trajectory
from stiction.trace.device import device_of
from stiction.trace.program import check_threads

HELD = "held"  # by the drives, at the start
HOLDING = ("friction.", "sensor.", "limit.")  # parameters that do not change what holds a scene


def simulate(
    scene: Scene,
    *,
    duration: float,
    step: float,
    method: Method | str | None = None,
    record: float | None = None,
    signals: Sequence[str] | None = None,
    energy: bool = False,
    parameters: Mapping[str, Any] | None = None,
    start: State | str | None = None,
    seed: int | None = None,
    threads: int | None = 1,
    device: str = "cpu",
    dtype: str = "float64",
    progress: Progress | None = None,
    on_divergence: str = "raise",
) -> Trajectory:
    """Simulate a scene, once or for many values of its parameters.

    Signals are called by part and output, "PART.OUTPUT", and many for short: "q.JOINT" [rad or m] and "v.JOINT" [rad/s
    or m/s]; "torque.JOINT", where the scene gives one [N·m or N]; of each friction site "friction.SITE", with the sign
    of the velocity [N·m or N], "mode.SITE" (0 stuck, 1 pre-sliding, 2 sliding), "lasting_mode.SITE", the same without
    what is shorter than two steps, "switches.SITE", how often that changed, "direction.SITE" of sliding (−1, 0, 1),
    "margin.SITE", what is missing to break-away [N·m or N], "fastest.SITE", the largest speed so far, and the states of
    laws that have some ("bend.SITE" [rad or m]); "limit.JOINT", the torque of an end stop, above 0 at the upper end,
    "motion.JOINT", what an imposed motion takes [N·m or N]; with rigid friction also "residual" [N·m or N]: how far at
    worst, so far, stick and slip contradicted each other. Of contacts: "contact.SLOT.candidate", "state" (0 open, 1
    stuck, 2 sliding), "gap" [m], "point", "normal" and "force" [N]; "contact.BODY.force" and "moment" [N·m], of all
    contacts of a body; "contact_residual" [m/s] and "contacts_wanted". "rosenbrock" counts "steps" and "rejected"
    steps. With `energy`: "energy.kinetic", "energy.potential", "energy.elastic", "work.SOURCE", "loss.PART" and
    "energy.residue", what the method itself adds or takes; of DC motors "work.supply.JOINT", "loss.copper.JOINT" and
    "energy.magnetic", all in [J].

    Args:
        scene: what is simulated.
        duration: [s]; a whole number of records.
        step: [s].
        method: a method, such as `Moreau()` or `Rosenbrock(tolerance=1e-8)`, or its name: "moreau" (dry friction stays
            rigid; order 2; the default, but where forces couple more than 12 velocities), "rk4" (the default there),
            "gill", "euler" (dry friction by stiff bristles: their stiffness is chosen where the law does not give it,
            and refused where it is unstable at this step), "rosenbrock" (its own steps, for bristles of any stiffness;
            `step` is the longest; order 3), "gears_semi_implicit" and "gears_implicit" (the methods of gears.md).
        record: time between records [s], a whole number of steps; every step by default.
        signals: which signals to keep, by name, by the beginning of it, or by a pattern with *; all by default.
        energy: keep the energy balance.
        parameters: parameters and first values to replace, by name (`scene.parameters` lists them), by numbers or by
            arrays that fit each other; signals then have shape (T, ...).
        start: the state of an earlier run to go on from; its time goes on, too. Or "held": at rest, with currents,
            gears and controllers as they hold the robots (`scene.holding`).
        seed: of the noise of sensors: a whole number from 0 on; that of `start`, or 0. Noise follows from it, the
            number of the run in its batch, the name of the sensor and the tick.
        threads: how many share a batch; None takes all cores.
        device: "cpu", or "cuda" for a GPU of NVIDIA, which pays for thousands of runs; results are the same bits.
        dtype: "float64", or "float32" for half the memory and twice the speed, to some 5 digits; records are float64.
        progress: is called now and then with the part that is done, 0 … 1.
        on_divergence: "raise" a `DivergedError` that holds what the run had, or "keep": return it, with a warning. Runs
            of a batch are always kept; a warning tells how many diverged, and `diverged` of the result which.

    Example:
        >>> import numpy as np, stiction
        >>> friction = {"joint1": stiction.Coulomb(level=0.5)}
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction, q=[0.1])
        >>> stiction.simulate(scene, duration=1.0, step=0.01)["q.joint1"].shape
        (101,)
        >>> levels = np.linspace(0.1, 2.0, 50)
        >>> many = {"friction.joint1.level": levels}
        >>> run = stiction.simulate(scene, duration=1.0, step=0.01, method="moreau", parameters=many)
        >>> bool((run["q.joint1"][-1, levels > 0.98] == 0.1).all())  # these hold 0.979 N·m of gravity
        True
    """
    step, duration, patterns = _checked(
        scene, step, duration, signals, energy, parameters, start, on_divergence, progress
    )
    check_threads(threads)
    held = start if isinstance(start, str) else None
    seed = check_seed(seed if seed is not None else start.seed if isinstance(start, State) else 0)
    chosen, told = method_for(scene.network, method)
    every = whole("record", step if record is None else _time("record", record), "step", step)
    count = whole("duration", duration, "record", every * step)
    setup = Setup(scene, chosen, step, patterns, energy, device=device_of(device, dtype))
    check_ticks(every * count, setup.device.dtype)
    if isinstance(start, str):
        parameters, start = held_values(scene, parameters), None
    given = dict(start.parameters if start else {}) | dict(parameters or {})
    carried = start.chosen if start and start.step == step and not parameters else {}
    program, first = setup.program(given, (), carried)  # bristles chosen at the start stay: it goes on bit for bit
    motions = {name for name in given if name in setup.first_values}
    if start is not None and motions:
        raise InputError(
            f"start says where the run begins, and parameters give '{min(motions)}'; leave one of them out"
        )
    first, tick = (first, 0) if start is None else _going_on(program, start, first, energy)
    if start is not None and parameters:
        setup.check_closed(first, program.parameters)
    done = follow(Core(program, first, tick, threads, seed), every, count, progress)
    settings = {
        "duration": duration,
        "step": step,
        "method": chosen,
        "record": record,
        "signals": patterns and list(patterns),
        "energy": bool(energy) or None,
        "seed": seed or None,
        "start": held,
        "dtype": None if dtype == "float64" else dtype,
    }
    kept = {name: x for name, x in given.items() if name not in motions}
    run = _trajectory(program, done, kept, seed)
    arrays = {name: np.asarray(x, float) for name, x in given.items()}
    run = replace(run, parameters=arrays, origin=Origin(scene, settings))
    reviewed = [*_moved_references(scene, given), *chosen.review(scene.network, run.signals, run.time)]
    spoken = (
        *told,
        *scene.limit_notes,
        *scene.reference_notes,
        *setup.notes,
        *run.notes,
        *speed_notes(scene, run.signals),
        *control_notes(scene, run.signals),
        *(energy_notes(scene, run.signals, step) if energy else ()),
        *reviewed,
    )
    run = replace(run, notes=spoken)
    if done.error is not None:
        done.error.run = run
        done.error.args = (f"{done.error}. What the run had is in this error's `run`",)
        raise done.error
    return _told(run, on_divergence)


def _going_on(program: StepProgram, start: State, first: np.ndarray, energy: bool) -> tuple[np.ndarray, int]:
    """The state that a run goes on from, and its tick."""
    first, ticks = values_for(program.layout.slots, start, first, program.step)
    if np.ptp(ticks):
        raise InputError("start has runs at different times, which one record cannot hold; step them with a Simulator")
    tick = int(np.ravel(ticks)[0])
    if energy and not set(program.layout.energy_slots) <= set(start.names):
        first = with_energies(program, first, tick)
    if program.parameters.varying and first.shape[:-1] != program.parameters.batch:
        raise InputError(
            f"start has the shape {first.shape[:-1]} and parameters {program.parameters.batch}; allowed: the same"
        )
    return first, tick


def _moved_references(scene: Scene, given: Mapping[str, Any]) -> list[str]:
    """What should be known where references begin elsewhere than those of the scene, and joints do not."""
    begins = {f"q.{joint}": x for joint, x in begun(scene, "q").items()}
    off = [name for name, x in begins.items() if name in given and np.abs(np.asarray(given[name]) - x).max() > FAR]
    moved = [name for name in given if name.startswith("reference.") and ".start" in name]
    if off and not moved:
        return [f"'{off[0]}' was given, and the reference of that joint begins elsewhere: its controller sees a jump"]
    if moved and not any(name in given for name in begins):
        return [f"'{moved[0]}' was given, and joints start where the reference of the scene begins: give their q, too"]
    return []


def held_values(scene: Scene, parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Parameters with the first values at which drives hold a scene; refuses those that would change what holds it."""
    for name in parameters or {}:
        if not name.startswith(HOLDING):
            raise InputError(
                f"start='{HELD}' is found for the scene as it is, and '{name}' may change what holds it; make a scene "
                f"with that value. Parameters of {', '.join(x.rstrip('.') for x in HOLDING)} can be given"
            )
    return {**scene.holding(), **(parameters or {})}


def run_file(
    file: SceneFile | str | Any, progress: Progress | None = None, parameters: Mapping[str, Any] | None = None
) -> Trajectory:
    """Simulate a scene file, as it says, with some parameters replaced as by `simulate`; errors name the file.

    Example:
        >>> import stiction, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "scene.toml"
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), q={"joint1": 0.05})
        >>> stiction.write_scene(path, scene, duration=1.0, step=1e-3)
        >>> stiction.run_file(path)["q.joint1"].shape
        (1001,)
    """
    read = file if isinstance(file, SceneFile) else read_scene(file)
    try:
        return simulate(read.scene, **read.settings, parameters=parameters, progress=progress)
    except StictionError as error:
        if read.path:
            error.args = (f"{read.path}: {error}",)
        raise


def _checked(
    scene: Any,
    step: Any,
    duration: Any,
    signals: Any,
    energy: Any,
    parameters: Any,
    start: Any,
    on_divergence: Any,
    progress: Any,
) -> tuple[float, float, Sequence[str] | None]:
    """Step, duration and the patterns of signals, if all arguments are what they should be."""
    if not isinstance(scene, Scene):
        raise InputError(f"simulate takes a Scene; got {type(scene).__name__}")
    patterns = (signals,) if isinstance(signals, str) else signals
    listed = isinstance(patterns, (list, tuple)) and all(isinstance(name, str) for name in patterns)
    if patterns is not None and not listed:
        raise InputError(f"signals is {signals!r}; allowed: names of signals, beginnings of names, or patterns with *")
    if not isinstance(energy, (bool, np.bool_)):
        raise InputError(f"energy is {energy!r}; allowed: True, False")
    if not isinstance(parameters or {}, Mapping):
        raise InputError(f"parameters is {parameters!r}; allowed: numbers or arrays by the names of parameters")
    if start is not None and start != HELD and not isinstance(start, State):
        raise InputError(f"start is {start!r}; allowed: the state of a run, run.state, or '{HELD}'")
    if progress is not None and not callable(progress):
        raise InputError(f"progress is {progress!r}; allowed: a function of the part that is done, 0 … 1")
    if on_divergence not in ("raise", "keep"):
        raise InputError(f"on_divergence is {on_divergence!r}; allowed: 'raise', 'keep'")
    return _time("step", step), _time("duration", duration), patterns


def _time(what: str, value: Any) -> float:
    """A positive number, of any kind."""
    try:
        x = math.nan if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        x = math.nan
    if not SHORTEST <= x < 1e9:
        raise InputError(f"{what} is {shortened(repr(value))}; allowed: a number from {SHORTEST:g} to below 1e9 [s]")
    return x


def _trajectory(program: StepProgram, done: Record, parameters: Mapping[str, Any], seed: int) -> Trajectory:
    """What was seen, by name."""
    network, step = program.layout.network, program.step
    seen = {key: done.seen[j] for j, key in enumerate(program.wanted)}
    energy = {key: x for key, x in seen.items() if key[0] in BALANCE} if program.energy else {}
    named = {key: (program.name(key), x) for key, x in seen.items() if key not in energy}
    signals = {name: x for name, x in named.values()} | (balance(network, energy) if energy else {})
    units = {name: program.unit(key) for key, (name, _) in named.items()}
    return Trajectory(
        done.ticks * step,
        signals,
        done.status,
        done.message,
        units={name: units.get(name, "J") for name in signals},
        valid_until=done.good * step if done.state.ndim > 1 else None,
        notes=notes_of(program, done.state),
        calls=done.calls,
        state=state_of(program.layout.slots, done.state, done.tick, step, parameters, program.chosen, seed),
        aliases={full(key): name for key, (name, _) in named.items() if full(key) != name},
    )


def _told(run: Trajectory, on_divergence: str) -> Trajectory:
    """The run, after its notes were told; one that diverged is raised."""
    for note in run.notes:
        warnings.warn(note, StictionWarning, stacklevel=3)
    if run.status != "diverged":
        return run
    if run.valid_until is not None:
        lost, total = int(run.diverged.sum()), run.diverged.size
        warnings.warn(
            f"{lost} of {total} runs diverged (run.diverged tells which): {run.message}", StictionWarning, stacklevel=3
        )
    elif on_divergence == "raise":
        raise DivergedError(f"{run.message}. What the run had is in this error's `run`", run)
    else:
        warnings.warn(f"the run diverged: {run.message}", StictionWarning, stacklevel=3)
    return run
