"""`simulate`: a scene in, a trajectory out, by the method of choice."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import accumulate
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from stiction.control import Callback
from stiction.errors import InputError, StictionWarning, unknown
from stiction.friction import Dahl, LuGre
from stiction.part import Impedance, Row
from stiction.simulation import observe
from stiction.simulation.bodies import RobotBody
from stiction.simulation.bristles import check_bristles, with_bristles
from stiction.simulation.flowing import Stepped, flow_step
from stiction.simulation.freed import check_values, lane_bristles
from stiction.simulation.gears import gear_step, held
from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network
from stiction.simulation.origin import origin
from stiction.simulation.remarks import remarks
from stiction.simulation.run import Caller, Machine, Progress, Rule, follow, machine
from stiction.simulation.scene import Scene
from stiction.simulation.semi_implicit import check_signs, rigid, semi_implicit_step
from stiction.simulation.sites import sites
from stiction.simulation.stiff import Kept, check_stiff, rosenbrock_span
from stiction.simulation.trajectory import Trajectory
from stiction.trace.functions import Scalar, maximum
from stiction.trace.numbered import Numbering

HELD = ("gears", "gears_implicit")  # friction that is held over the step
ALL_METHODS = ("semi_implicit", *METHODS, "stiff", *HELD)
BOOKS = ("energy.", "work.", "stored.")


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
    duration, step, tolerance = (_time(what, x) for what, x in (("duration", duration), ("step", step), ("tolerance", tolerance)))
    record = None if record is None else _time("record", record)
    signals = (signals,) if isinstance(signals, str) else signals
    if signals is not None and not (isinstance(signals, (list, tuple)) and all(isinstance(name, str) for name in signals)):
        raise InputError(f"signals is {signals!r}; allowed: names of signals, or beginnings of names")
    if not isinstance(values or {}, Mapping) or not isinstance(energy, (bool, np.bool_)):
        raise InputError(f"values is {values!r} and energy {energy!r}; allowed: arrays by the names of numbers, and True or False")
    if method not in ALL_METHODS:
        raise InputError(f"method is {method!r}; allowed: {', '.join(map(repr, ALL_METHODS))}")
    if not 1e-13 <= tolerance < 1:
        raise InputError(f"tolerance is {tolerance!r}; allowed: 1e-13 to 1")
    network = prepared(scene, method, step)
    names = Names(scene)
    freed = _arrays(values or {}, numbers(scene) | _numbers(network, names, {}))
    if method in (*METHODS, "stiff"):
        freed |= lane_bristles(scene.network if isinstance(scene, Scene) else scene, freed, step, names.plain)
    check_values(network, freed, method, step, names.plain)
    if energy:
        network.must_be_mechanical("energy=True")
    made = prepare(network, names, method, step, freed, signals, energy, tolerance, {"pull": pull, "softness": softness, "splitting": float(splitting)})
    run = follow(made, duration, step, record, threads, progress)
    seen = dict(run.signals)
    if energy:
        books = observe.ledger(network, {name: x for name, x in seen.items() if name.startswith(BOOKS)})
        seen = {name: x for name, x in seen.items() if not name.startswith(BOOKS)} | books
    notes = remarks(network, method, step, seen, names.plain)
    seen = {name: x for name, x in seen.items() if name not in made.hidden}
    for note in notes:
        warnings.warn(note, StictionWarning, stacklevel=2)
    found = {names.plain(name): (x, names.unit(name)) for name, x in seen.items()}
    how = {"duration": duration, "step": step, "method": method, "record": record, "signals": signals and list(signals), "energy": bool(energy) or None}
    how |= {"tolerance": tolerance} if method == "stiff" else {}
    return replace(
        run,
        signals={name: x for name, (x, _) in found.items()},
        units={name: unit for name, (_, unit) in found.items()},
        origin=origin(scene, how, values or {}),
        notes=notes,
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


class Names:
    """How a scene, or a bare network, calls its numbers and signals."""

    def __init__(self, scene: Scene | Network) -> None:
        self.scene = scene

    def plain(self, name: str) -> str:
        """The name that users know."""
        return self.scene.plain(name) if isinstance(self.scene, Scene) else name

    def unit(self, name: str) -> str:
        """The unit of a signal."""
        if isinstance(self.scene, Scene):
            return self.scene.unit(name)
        head, _, rest = name.partition(".")
        if head in ("energy", "work", "loss"):
            return "J"
        return self.scene.parts[head].unit(rest) if head in self.scene.parts else {"residual": "N·m or N"}.get(name, "1")


def numbers(scene: Scene | Network) -> dict[str, float]:
    """The numbers and first values of a scene that `simulate` can replace, by name [SI].

    Example:
        >>> import stiction
        >>> from stiction.simulation.simulate import numbers
        >>> known = numbers(stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=0.5)}))
        >>> known["friction.joint1.level"], known["robot.link1.mass"], known["q.joint1"]
        (0.5, 1.0, 0.0)
    """
    network, names = scene.network if isinstance(scene, Scene) else scene, Names(scene)
    found = _numbers(network, names, {})
    for part, body in network.bodies.items():
        if isinstance(body, RobotBody):  # zeros of a robot are folded unless they are freed
            found |= {names.plain(f"{part}.robot.{name}"): x for name, x in body.robot.numbers.items()}
    return found | {names.plain(name): x for name, x in network.start.items()}


def _numbers(network: Network, names: Names, values: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that a program for this network takes."""
    found: dict[str, float] = {}
    network.with_numbers(Numbering(lambda name, x: found.setdefault(names.plain(name), x), _Freed(values, names)))
    return found


def prepared(scene: Scene | Network, method: str, step: float) -> Network:
    """The network as a method needs it: dry friction as rows, or with bristles that hold at this step."""
    network = scene.network if isinstance(scene, Scene) else scene
    for controller in network.digital.values():
        controller.clock.ticks(step)
    if method == "semi_implicit":
        return rigid(network).with_parts(lambda _, part: part.for_step(step) if isinstance(part, Impedance) else part)
    if method in HELD:
        return held(network).with_parts(lambda _, part: part.for_step(step) if isinstance(part, Impedance) else part)
    for name, part in network.parts.items():
        if isinstance(part, Row):
            raise InputError(f"'{name}' ({type(part).__name__}) is rigid and needs method 'semi_implicit'; got '{method}'")
    network = with_bristles(network, method, step)
    check_signs(network)
    if method in METHODS:
        network = network.with_parts(lambda _, part: part.for_step(step) if isinstance(part, Impedance) else part)
    if method == "stiff":
        return check_stiff(network)
    check_bristles(network, method, step)
    return network


class _Slots(NamedTuple):
    """The state block: network, works of the sources, marks of the sites, pace of a method with its own steps, worst residual and splitting error."""

    state: list[Scalar]
    works: list[Scalar]
    marks: list[Scalar]
    pace: list[Scalar]
    residual: Scalar
    splitting: Scalar

    def flat(self) -> list[Scalar]:
        return [*self.state, *self.works, *self.marks, *self.pace, self.residual, self.splitting]

    def filled(self, flat: Sequence[Scalar]) -> "_Slots":
        """The same slots with other values."""
        ends = accumulate(len(part) for part in self[:4])
        state, works, marks, pace = (list(flat[b - len(part) : b]) for part, b in zip(self[:4], ends, strict=True))
        return _Slots(state, works, marks, pace, flat[-2], flat[-1])


def prepare(
    network: Network,
    names: Names,
    method: str,
    step: float,
    values: Mapping[str, Any],
    chosen: Sequence[str] | None = None,
    energy: bool = False,
    tolerance: float = 1e-6,
    gears: Mapping[str, float] = MappingProxyType({"pull": 0.0, "softness": 0.0, "splitting": 0.0}),
) -> Machine:
    """The program that advances a network, and what it starts from."""
    here = list(network.start.values())
    own_steps = method == "stiff"
    works = [0.0] * len(network.pushes(network.evaluate(here, 0.0, step))) if energy else []
    first = _Slots(here, works, observe.first_marks(network), [0.0, step / 100, 0.0, 0.0] if own_steps else [], 0.0, 0.0)

    def see(network: Network, t: Scalar, x: _Slots, h: Scalar) -> dict[str, Scalar]:
        stage = 0 if own_steps else h
        seen = observe.signals(network, x.state, x.marks, t, stage)
        seen |= {"residual": x.residual} if method in ("semi_implicit", *HELD) else {}
        seen |= {"splitting": x.splitting} if gears["splitting"] else {}
        seen |= {"steps": x.pace[2], "rejected": x.pace[3]} if own_steps else {}
        return seen | (observe.energies(network, x.state, x.works, t, stage) if energy else {})

    wanted, hidden = _chosen(see(network, 0.0, first, step), chosen, names, network)
    functions = {name: part for name, part in network.digital.items() if isinstance(part, Callback)}
    watch = any(name.endswith((".mode", ".switches", ".fastest")) for name in wanted)
    advance = (
        semi_implicit_step if method == "semi_implicit" else partial(gear_step, method == "gears_implicit") if method in HELD else partial(flow_step, method)
    )

    def rule(table: Mapping[str, Scalar]) -> Rule:
        traced = network.with_numbers(Numbering(lambda name, _: table[names.plain(name)], _Freed(values, names)))

        def mark(before: list, state: list, marks: list, t: Scalar, stage: Scalar = 0) -> list:
            return observe.next_marks(traced, before, state, marks, t, stage) if watch else marks

        def one(count: Scalar, flat: list, h: Scalar) -> list:
            x, t = first.filled(flat), count * h
            options = {"pull": table["pull"], "softness": table["softness"], "splitting": bool(gears["splitting"])} if method in HELD else {}
            after = advance(traced, traced.ticked(x.state, count, t, step), x.works, t, h, **options)
            return _Slots(
                after.state,
                after.works,
                mark(x.state, after.state, x.marks, t + h, h),
                [],
                maximum(x.residual, after.residual),
                maximum(x.splitting, after.splitting),
            ).flat()

        def span(t: Scalar, flat: list, h: Scalar, steps: Scalar) -> list:
            x = first.filled(flat)
            after = rosenbrock_span(traced, Kept(*x[:4]), t, steps * h, h, table["tolerance"], mark)
            return _Slots(*after, x.residual, x.splitting).flat()

        def seen(t: Scalar, flat: list, h: Scalar) -> list:
            everything = see(traced, t, first.filled(flat), h)
            return [everything[name] for name in wanted]

        def asked(t: Scalar, flat: list, h: Scalar) -> list:
            now = traced.evaluate(first.filled(flat).state, t, h)
            return [x for name in functions for values in traced.inputs(name, now.signals).values() for x in values]

        return Rule(one, seen, asked, span if own_steps else None)

    states = {names.plain(name): x for name, x in network.start.items()}
    start = states | {f"slot {k}": x for k, x in enumerate(first.flat()[len(states) :])}
    found = _numbers(network, names, values) | ({"tolerance": tolerance} if own_steps else {}) | (dict(gears) if method in HELD else {})
    arrival = len(here) + len(works) + len(first.marks) if own_steps else None
    return machine(method, found, values, rule, start, wanted, arrival, _callers(network, functions, step))._replace(hidden=hidden)


def _callers(network: Network, functions: Mapping[str, Callback], step: float) -> list[Caller]:
    """The Python functions of a network on their clocks."""
    places, first = {}, 0
    for name, part in network.parts.items():
        places[name] = slice(first, first := first + len(part.start()))
    made, first = [], 0
    for name, part in functions.items():
        made.append(Caller(*part.clock.ticks(step), part.call, places[name], slice(first, first := first + sum(part.reads.values()))))
    return made


def _stepper(method: str) -> Callable[..., Stepped]:
    """One step by a method."""
    if method == "semi_implicit":
        return semi_implicit_step
    return partial(gear_step, method == "gears_implicit") if method in HELD else partial(flow_step, method)


class _Freed:
    """Whether a number of the network is freed, asked by the network's name."""

    def __init__(self, values: Mapping[str, Any], names: Names) -> None:
        self.values, self.names = values, names

    def __contains__(self, name: object) -> bool:
        return self.names.plain(str(name)) in self.values

    def __iter__(self) -> Any:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


def _chosen(seen: Mapping[str, Any], chosen: Sequence[str] | None, names: Names, network: Network) -> tuple[list[str], list[str]]:
    """The signals to keep, by the network's names, the books always; and those that only the remarks need."""
    if chosen is None:
        return list(seen), []
    plain = {name: names.plain(name) for name in seen}
    wanted = tuple(chosen)
    for start in wanted:
        if not any(name.startswith(start) for name in plain.values()):
            raise InputError(f"no signal begins with '{start}'; this simulation has: {', '.join(plain.values())}")
    kept = [name for name, user in plain.items() if user.startswith(wanted) or name.startswith(BOOKS)]
    needed = ["residual", *(f"{name}.fastest" for name, part in sites(network).items() if isinstance(part.law, (Dahl, LuGre)))]
    hidden = [name for name in needed if name in seen and name not in kept]
    return [*kept, *hidden], hidden
