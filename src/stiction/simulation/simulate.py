"""`simulate`: a scene in, a trajectory out, by the method of choice."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from stiction.errors import InputError, StictionWarning, unknown
from stiction.simulation import observe
from stiction.simulation.freed import check_values, lane_bristles, lane_loads
from stiction.simulation.integrate import METHODS
from stiction.simulation.names import names_of
from stiction.simulation.network import Network
from stiction.simulation.origin import origin
from stiction.simulation.prepare import BOOKS, HELD, How, numbers, numbers_of_network, prepare, prepared
from stiction.simulation.remarks import remarks
from stiction.simulation.run import Progress, follow
from stiction.simulation.scene import Scene
from stiction.simulation.trajectory import Trajectory

ALL_METHODS = ("semi_implicit", *METHODS, "stiff", *HELD)


def simulate(
    scene: Scene | Network,
    *,
    duration: float,
    step: float,
    method: str = "rk4",
    tolerance: float = 1e-6,
    pull: float = 0.0,
    softness: float = 0.0,
    splitting: bool = False,
    record: float | None = None,
    signals: Sequence[str] | None = None,
    energy: bool = False,
    values: Mapping[str, Any] | None = None,
    threads: int | None = 1,
    progress: Progress | None = None,
) -> Trajectory:
    """Simulate a scene or a network, once or for many values of its numbers.

    Signals of a scene: "q.JOINT" [rad or m] and "v.JOINT" [rad/s or m/s]; "torque.JOINT", where the scene gives one [N·m or N]; of
    each friction site "friction.SITE", with the sign of the velocity [N·m or N], "mode.SITE" (0 stuck, 1 pre-sliding, 2 sliding; a
    mode shorter than two steps is no switch), "switches.SITE", how often it changed, "margin.SITE", what is missing to break-away
    [N·m or N], "fastest.SITE", the largest speed so far, and "bend.SITE", the bristle of laws that have one [rad or m]; with
    "semi_implicit" also "residual" [N·m or N]: how far at worst, so far, stick and slip contradicted each other. Other parts, and all
    parts of a bare network, have the signals "PART.STATE" and "PART.PORT". "stiff" counts "steps" and "rejected" steps.
    With `energy`: "energy.kinetic", "energy.potential", "energy.elastic", "work.SOURCE", "loss.PART" and "energy.residue", what the
    method itself adds or takes [J].

    Args:
        scene: what is simulated.
        duration: [s]; a whole number of records.
        step: [s].
        method: "semi_implicit" (dry friction stays rigid; order 1), or "euler", "rk4", "gill" (dry friction by stiff bristles:
            their stiffness is chosen where the law does not give it, and refused where it is unstable at this step), or "stiff"
            (Rosenbrock with its own steps, for bristles of any stiffness; `step` is the longest; order 3), or "gears" and "gears_implicit" (the
            methods of gears.md: friction held over steps of Runge–Kutta–Gill).
        tolerance: of "stiff": largest estimated error of a step, relative to each state + 1 rad, m, rad/s or m/s, of a bristle relative to
            its bending at break-away.
        pull: of "gears" and "gears_implicit": part of the way since its reference that a stuck joint goes back in a step (k_q h).
        softness: of the same: how much a stuck joint gives, over what a step without friction would move it (λ_q over A²).
        splitting: of "gears": record "splitting", how far its friction was, at worst so far, from that of "gears_implicit" at the same state [N·m or N].
        record: time between records [s], a whole number of steps; every step by default.
        signals: which signals to keep, by name or by the beginning of it; all by default.
        energy: keep the books of energy.
        values: numbers and first values to replace, by name (see `numbers`), by arrays that fit each other; signals then have shape (T, ...).
        threads: how many share a batch; None takes all cores.
        progress: is called now and then with the part that is done, 0 … 1.

    Example:
        >>> import numpy as np, stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=0.5)}, q=[0.1])
        >>> stiction.simulate(scene, duration=1.0, step=0.01)["q.joint1"].shape
        (101,)
        >>> levels = np.linspace(0.1, 2.0, 50)
        >>> run = stiction.simulate(scene, duration=1.0, step=0.01, method="semi_implicit", values={"friction.joint1.level": levels})
        >>> bool((run["q.joint1"][-1, levels > 0.98] == 0.1).all())  # these hold 0.979 N·m of gravity
        True
    """
    if not isinstance(scene, (Scene, Network)):
        raise InputError(f"simulate takes a Scene or a Network; got {type(scene).__name__}")
    duration, record = _time("duration", duration), None if record is None else _time("record", record)
    how = _how(method=method, step=step, energy=energy, tolerance=tolerance, pull=pull, softness=softness, splitting=splitting)
    signals = (signals,) if isinstance(signals, str) else signals
    if signals is not None and not (isinstance(signals, (list, tuple)) and all(isinstance(name, str) for name in signals)):
        raise InputError(f"signals is {signals!r}; allowed: names of signals, or beginnings of names")
    if not isinstance(values or {}, Mapping):
        raise InputError(f"values is {values!r}; allowed: arrays by the names of numbers")
    network = prepared(scene, method, how.step)
    names = names_of(scene)
    known = {name: x for name, x in numbers_of_network(network, names, {}).items() if not names.inner(name)}
    freed = _arrays(values or {}, numbers(scene) | known)
    freed |= names.followers(freed)
    bare = scene.network if isinstance(scene, Scene) else scene
    if method in (*METHODS, "stiff"):
        freed |= lane_bristles(bare, freed, how.step, names.plain)
    if method in HELD:
        freed |= lane_loads(network, freed, names.plain)
    check_values(network, freed, method, how.step, names.plain)
    if energy:
        network.must_be_mechanical("energy=True")
    made = prepare(network, names, how, freed, signals)
    run = follow(made, duration, how.step, record, threads, progress)
    seen = dict(run.signals)
    if energy:
        books = observe.ledger(network, {name: x for name, x in seen.items() if name.startswith(BOOKS)})
        seen = {name: x for name, x in seen.items() if not name.startswith(BOOKS)} | books
    notes = remarks(network, method, how.step, how.numbers, seen, names.plain)
    seen = {name: x for name, x in seen.items() if name not in made.hidden}
    for note in notes:
        warnings.warn(note, StictionWarning, stacklevel=2)
    found = {names.plain(name): (x, names.unit(name)) for name, x in seen.items()}
    settings = {"duration": duration, "step": how.step, "method": method, "record": record, "signals": signals and list(signals), "energy": how.energy or None}
    return replace(
        run,
        signals={name: x for name, (x, _) in found.items()},
        units={name: unit for name, (_, unit) in found.items()},
        origin=origin(scene, settings | how.numbers, values or {}),
        notes=notes,
    )


def _how(**given: Any) -> How:
    """The settings of a method, checked."""
    method = given["method"]
    if method not in ALL_METHODS:
        raise InputError(f"method is {method!r}; allowed: {', '.join(map(repr, ALL_METHODS))}")
    for what in ("energy", "splitting"):
        if not isinstance(given[what], (bool, np.bool_)):
            raise InputError(f"{what} is {given[what]!r}; allowed: True, False")
    step, tolerance = _time("step", given["step"]), _time("tolerance", given["tolerance"])
    if not 1e-13 <= tolerance < 1:
        raise InputError(f"tolerance is {tolerance!r}; allowed: 1e-13 to 1")
    for what, most in (("pull", 1), ("softness", 1e6)):
        x = given[what]
        if isinstance(x, (str, bool)) or not isinstance(x, (int, float, np.number)) or not 0 <= x <= most:
            raise InputError(f"{what} is {x!r}; allowed: a number, 0 to {most:g}")
        if x and method not in HELD:
            raise InputError(f"{what} is {x!r} with method '{method}'; it belongs to 'gears' and 'gears_implicit': leave it out")
    if given["splitting"] and method != "gears":
        raise InputError(f"splitting is True with method '{method}'; it belongs to method 'gears': leave it out")
    return How(
        method=method,
        step=step,
        energy=bool(given["energy"]),
        tolerance=tolerance,
        pull=float(given["pull"]),
        softness=float(given["softness"]),
        splitting=bool(given["splitting"]),
    )


def _arrays(values: Mapping[str, Any], known: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Values as arrays of finite numbers, under names that exist."""
    made = {}
    for name, x in values.items():
        if name not in known:
            close = get_close_matches(str(name), known, n=3, cutoff=0.5)
            raise InputError(unknown("number", name, "this simulation", close or known) + (" and more; numbers(scene) lists all" if close else ""))
        try:
            made[name] = np.asarray(x, float)
        except (TypeError, ValueError):
            made[name] = np.array([np.nan])
        if not made[name].size or not np.isfinite(made[name]).all():
            raise InputError(f"values of '{name}' are {x!r}; allowed: a finite number, or an array of them")
    return made


def _time(what: str, value: Any) -> float:
    """A positive number, of any kind."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        x = math.nan
    if isinstance(value, (str, bool)) or not 0 < x < 1e9:
        raise InputError(f"{what} is {value!r}; allowed: a number above 0{' [s]' if what != 'tolerance' else ''}")
    return x
