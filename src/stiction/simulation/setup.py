"""From a scene to its first step: what the method makes of it, what varies, what is chosen, what is refused."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stiction.errors import InputError, StictionError, unknown
from stiction.fields import misfits
from stiction.friction.bristle import Dahl, LuGre
from stiction.methods.method import Method
from stiction.methods.stability import RunError
from stiction.network.labels import full
from stiction.network.layout import Layout, start_values
from stiction.network.network import Network
from stiction.network.parameters import Parameters, parameters_of
from stiction.network.start import StartTerms
from stiction.parts.robot_body import RobotBody
from stiction.patterns import fits
from stiction.scene.scene import Scene
from stiction.simulation import observe
from stiction.simulation.energy import BALANCE, balance_names, energy_keys, first_energies, first_energy
from stiction.simulation.program import StepProgram
from stiction.simulation.values import common_shape, finite
from stiction.trace.parameters import Key, absent


def prepared(
    scene: Scene,
    method: Method,
    step: float,
    signals: Sequence[str] | None = None,
    energy: bool = False,
    parameters: Mapping[str, Any] | None = None,
    stepped: bool = False,
) -> tuple[StepProgram, np.ndarray]:
    """The program that advances a scene, and the state that it starts from, (*batch, slots); arguments as those of
    `simulate`.
    """
    for controller in scene.network.digital.values():
        controller.clock.ticks(step)
    network = method.prepare(scene.network, step)
    if energy:
        network.must_be_mechanical("energy=True", "leave energy out")
    given = Given(network, parameters or {})
    values = _values(network, method, given)
    _check_values(values, given)
    wanted = _wanted(network, _known(network, method, energy), signals)
    works, energies = (network.sources, first_energies(network)) if energy else ((), ())
    layout = Layout(network, works, energies, _marks(network, wanted), method.slots(network, step))
    first = _first_values(layout, given, values)
    _check_quaternions(layout, first, given)
    values, first = _chosen(values, layout, first, step, given)
    program = StepProgram(values, layout, step, wanted, energy, stepped)
    return program, with_energies(program, first, 0) if energy else first


def with_energies(program: StepProgram, first: np.ndarray, tick: int) -> np.ndarray:
    """A first state with its energies, from which the balance counts."""
    seen = dict(zip(program.wanted, np.moveaxis(program.advance(first, tick, 0, 1)[1], -1, 0), strict=True))
    for name in program.layout.energies:
        first[..., program.layout.places["start", name]] = first_energy(name, seen)
    return first


def _values(network: Network, method: Method, given: "Given") -> Parameters:
    """The parameters with what the user gave: arrays vary, numbers replace; folded zeros vary, too."""
    usual = Parameters(network, method, {}, given.batch)
    robots = {
        name for name, part in network.parts.items() if isinstance(part, RobotBody)
    }  # they make axes unit vectors
    varying = {key: x for key, x in given.parameters.items() if x.ndim or key not in usual.shared or key[0] in robots}
    made = Parameters(network, method, varying, given.batch) if varying else usual
    return made.with_values({key: x for key, x in given.parameters.items() if key not in varying})


class Given:
    """Parameters and first values that a user gave, by key.

    Attributes:
        parameters: arrays that fit each other, by key.
        start: first values of states, by key.
        batch: the shape of the batch.
        names: what the user calls them, for messages.
    """

    def __init__(self, network: Network, values: Mapping[str, Any]) -> None:
        self.names = {name: finite(name, x) for name, x in values.items()}
        self.parameters: dict[Key, np.ndarray] = {}
        self.start: dict[Key, np.ndarray] = {}
        self.batch = common_shape(self.names)
        if not values:
            return
        known, first = parameters_of(network), start_values(network)
        slots = {slot.name: slot.key for slot in Layout(network).slots}
        for name, x in self.names.items():
            if name in known and name in first:
                raise InputError(
                    f"'{name}' is a parameter and a first value of the same name; list the field of your part in its "
                    "start_fields, or call the state otherwise"
                )
            if name in known:
                self.parameters |= dict.fromkeys(known[name][1], x)
            elif name in first:
                self.start[slots[name]] = x
            else:
                raise InputError(_unknown_parameter(network, name, [*known, *first]))

    def of_run(self, run: tuple[int, ...]) -> str:
        """What was given for one run of the batch, in words."""
        table = ((name, float(np.broadcast_to(x, self.batch)[run])) for name, x in self.names.items())
        return ", ".join(f"{name} = {x:g}" for name, x in table)


def _unknown_parameter(network: Network, name: Any, known: Sequence[str]) -> str:
    """Say that a parameter is not known; or that it is a count."""
    part, _, field = str(name).rpartition(".")
    if type(getattr(network.parts.get(part), field, None)) is int:
        return (
            f"'{name}' is a whole number, which shapes the program; declare the field as a float to make it a parameter"
        )
    return unknown("parameter", name, "this simulation", known, source="scene.parameters")


def _first_values(layout: Layout, given: Given, parameters: Parameters) -> np.ndarray:
    """The state before the first step, (*batch, slots)."""
    first = np.broadcast_to([slot.start for slot in layout.slots], (*given.batch, len(layout.slots))).copy()
    for key, x in given.start.items():
        first[..., layout.places[key]] = x
    for key, follower in layout.network.followers.items():
        if key not in given.start and (follower.leader in given.start or follower.ratio in given.parameters):
            ratio = given.parameters.get(follower.ratio, parameters.shared.get(follower.ratio))
            first[..., layout.places[key]] = ratio * first[..., layout.places[follower.leader]]
    return first


def _check_quaternions(layout: Layout, first: np.ndarray, given: Given) -> None:
    """Refuse first values that are no rotation."""
    for name, body in layout.network.bodies.items():
        for places in body.quaternions():
            at = [layout.places[name, state] for state in list(body.start())[places]]
            wrong = np.abs((first[..., at] ** 2).sum(axis=-1) - 1) > 1e-6
            if wrong.any():
                run = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise _in_batch(
                    f"'{name}': its quaternion has not length 1 at the start; allowed: (1, 0, 0, 0)", run, given
                )


def _check_values(parameters: Parameters, given: Given) -> None:
    """Refuse values that no part could have, in any run; the mass matrix tells of robots."""
    for name in dict.fromkeys(owner for owner, _ in given.parameters):
        if name not in parameters.network.parts:
            continue
        if isinstance(parameters.network.parts[name], RobotBody):
            _check_robot(name, parameters, given)
            continue
        usual, part = parameters.network.parts[name], parameters.in_arrays(name)
        for was, thing in ((usual, part), (getattr(usual, "law", None), getattr(part, "law", None))):
            if thing is None:
                continue
            wrong = misfits(thing, parameters.batch)
            for field in thing.vanishing:
                lost = np.asarray(getattr(thing, field) == 0) & (not absent(getattr(was, field)))
                wrong |= np.broadcast_to(lost, parameters.batch)
            if wrong.any():
                raise _refusal(parameters, name, tuple(int(i) for i in np.argwhere(wrong)[0]), given)


def _check_robot(name: str, parameters: Parameters, given: Given) -> None:
    """Refuse masses and rotors below 0, and rotors that vanish; the mass matrix tells of inertias."""
    robot: Any = parameters.network.parts[name]
    least = {f"{link.name}.mass": 0.0 for link in robot.robot.links}
    rotors = {f"{joint.name}.rotor_inertia": joint.rotor_inertia for joint in robot.robot.joints}
    for (owner, field), x in given.parameters.items():
        wrong = (x < least.get(field, -np.inf)) | ((x <= 0) & bool(rotors.get(field)) | (x < 0) & (field in rotors))
        if owner == name and wrong.any():
            run = tuple(int(i) for i in np.argwhere(np.broadcast_to(wrong, parameters.batch))[0])
            raise _in_batch(f"'{name}': {field} is {float(np.min(x)):g}; allowed: above 0", run, given)


def _refusal(parameters: Parameters, name: str, run: tuple[int, ...], given: Given) -> StictionError:
    """The error that the part of one run alone would raise."""
    part = parameters.of_run(name, run)
    things = [thing for thing in (part, getattr(part, "law", None)) if thing is not None]
    found = [why() if callable(why) else why for thing in things for wrong, why in thing.conflicts() if wrong]
    if found:
        return _in_batch(f"{type(part).__name__}: {found[0]}", run, given)
    try:
        for thing in things:
            thing.__post_init__()
    except StictionError as error:
        return _in_batch(str(error), run, given)
    why = f"'{name}': a parameter that a program leaves out where it is 0 cannot become 0 in a batch; simulate it apart"
    return _in_batch(why, run, given)


def _in_batch(why: str, run: tuple[int, ...], given: Given) -> InputError:
    """An error with the run of the batch that it is about."""
    if not given.names:
        return InputError(why)
    which = f"run {', '.join(map(str, run))} of the batch: " if given.batch else ""
    return InputError(f"parameters: {why} ({which}{given.of_run(run)})")


def _chosen(
    parameters: Parameters, layout: Layout, first: np.ndarray, step: float, given: Given
) -> tuple[Parameters, np.ndarray]:
    """Parameters and first values with what the method chooses, after all runs were checked."""
    network, method, batch = parameters.network, parameters.method, parameters.batch
    if not network.mechanical:
        return parameters, first
    terms = StartTerms(network, parameters, first)
    _check_masses(terms, given, batch)
    try:
        choice = method.choose(network, terms, step, given.parameters)
        for (part, field), x in choice.parameters.items():
            getattr(terms, field)[part][:, 0] = x
        method.check(network, terms, step)
    except RunError as error:
        if not given.names:
            raise
        raise _in_batch(str(error), _run(error.run, batch), given) from None
    values = {key: _shaped(x, batch) for key, x in choice.parameters.items()}
    for key, x in choice.start.items():
        if key not in given.start:
            first[..., layout.places[key]] = x.reshape(batch)
    return (parameters.with_values(values) if values else parameters), first


def _run(number: int, batch: tuple[int, ...]) -> tuple[int, ...]:
    """The place of a run in a batch."""
    return tuple(map(int, np.unravel_index(number, batch))) if batch else ()


def _shaped(x: np.ndarray, batch: tuple[int, ...]) -> Any:
    """One value where all runs have the same, else one per run."""
    return float(x[0]) if (x == x[0]).all() else x.reshape(batch)


def _check_masses(terms: StartTerms, given: Given, batch: tuple[int, ...]) -> None:
    """Refuse runs in which some motion meets no inertia."""
    M = terms.mass_matrix
    if not M.shape[1]:
        return
    sound = np.isfinite(M).all(axis=(1, 2))
    least = np.linalg.eigvalsh(np.where(sound[:, None, None], M, 0.0)).min(axis=1)
    wrong = ~sound | (least <= 0)
    if wrong.any():
        why = "the mass matrix is not positive at the start: masses and inertias are impossible"
        raise _in_batch(why, _run(int(np.argmax(wrong)), batch), given)


def _known(network: Network, method: Method, energy: bool) -> list[Key]:
    """Keys of everything that can be seen."""
    found = observe.signal_keys(network) + [("", name) for name in method.signals(network)]
    return found + (energy_keys(network) if energy else [])


def _wanted(network: Network, known: Sequence[Key], patterns: Sequence[str] | None) -> list[Key]:
    """Keys of the signals that names, beginnings of names or patterns with * ask for; the energy balance is always
    kept.
    """
    if patterns is None:
        return list(known)
    balance = {key for key in known if key[0] in BALANCE}
    names = {key: (network.labels.signal(key) if key[0] else key[1], full(key)) for key in known}
    kept: set[Key] = set()
    for pattern in patterns:
        found = {key for key, both in names.items() if any(fits(name, pattern) for name in both)} - balance
        if not found and not (balance and any(fits(name, pattern) for name in balance_names(network))):
            listed = [both[0] for key, both in names.items() if key not in balance]
            raise InputError(unknown("signal", pattern, "this simulation", listed))
        kept |= found
    return [key for key in known if key in kept | balance]


def _marks(network: Network, wanted: Sequence[Key]) -> Mapping[str, Mapping[str, float]]:
    """The marks that wanted signals need, and that notes about laws need; none where nobody needs any."""
    asked = any(key[1] in observe.MARKED for key in wanted)
    noted = any(isinstance(part.law, (Dahl, LuGre)) for part in observe.sites(network).values())
    return observe.first_marks(network) if asked or noted else {}
