"""From a scene to its first step: what the method makes of it, what varies, what is chosen, what is refused."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from stiction.drive.motor import DCMotor
from stiction.errors import InputError, unknown
from stiction.friction.bristle import Dahl
from stiction.friction.dry import Dry
from stiction.friction.law import Law
from stiction.methods.method import Method
from stiction.methods.stability import RunError
from stiction.network.closing import Closing, OpenError
from stiction.network.labels import full
from stiction.network.layout import Layout, start_values
from stiction.network.network import Network
from stiction.network.parameters import Parameters, parameters_of
from stiction.network.start import StartTerms
from stiction.parts.friction import RubbingPart
from stiction.parts.kinds import Part, Row
from stiction.parts.robot_body import RobotBody
from stiction.patterns import fits
from stiction.scene.constraints import fixed_states
from stiction.scene.scene import Scene
from stiction.simulation import observe
from stiction.simulation.checks import check_masses, check_overlaps, check_positions, check_quaternions, check_values
from stiction.simulation.core import Core
from stiction.simulation.energy import BALANCE, balance_names, energy_keys, first_energies, first_energy
from stiction.simulation.given import Given, place_of
from stiction.simulation.program import StepProgram
from stiction.trace.device import Cuda, Host
from stiction.trace.parameters import Key


class Setup:
    """A scene made ready for a method and a step, whatever values its parameters get.

    Attributes:
        network: as the method advances it.
        layout: of its state.
        wanted: keys of the signals that are seen.
        open: whether what the method chooses may change while the runs go on, as resets do: it then varies from run to
            run, even where all have the same.
        device: where it is to run.
    """

    def __init__(
        self,
        scene: Scene,
        method: Method,
        step: float,
        signals: Sequence[str] | None = None,
        energy: bool = False,
        open: bool = False,
        device: Host | Cuda | None = None,
    ) -> None:
        for controller in scene.network.digital.values():
            controller.clock.ticks(step)
        self.scene, self.method, self.step, self.energy, self.open = scene, method, step, energy, open
        self.device = device or Host()
        whole = scene.network.with_parts(_metered) if energy else scene.network
        self.network = network = method.prepare(whole, step)
        if energy:
            network.must_be_mechanical("energy=True", "leave energy out")
        self.wanted = wanted_signals(network, _known(network, method, energy), signals)
        works, energies = (network.sources, first_energies(network)) if energy else ((), ())
        self.layout = Layout(network, works, energies, _marks(network, self.wanted), method.slots(network, step))
        self._noted: dict[tuple[Key, ...], Parameters] = {}
        self.notes: list[str] = []  # what should be known of runs that begin as the last ones did

    @cached_property
    def parameters(self) -> dict[str, tuple[float, list[Key]]]:
        """Parameters that can be given, by name: value and keys."""
        return parameters_of(self.network)

    @cached_property
    def first_values(self) -> dict[str, tuple[float, list[Key]]]:
        """First values of states that can be given, likewise."""
        keys = {slot.name: slot.key for slot in self.layout.slots}
        return {name: (x, [keys[name]]) for name, x in start_values(self.network).items()}

    def program(
        self, values: Mapping[str, Any], batch: tuple[int, ...] = (), chosen: Mapping[str, Any] | None = None
    ) -> tuple[StepProgram, np.ndarray]:
        """The program that advances runs with these values, by name, and the state that they start from, (*batch,
        slots); `chosen` is what the method chose for them before.
        """
        parameters, first = self.runs(values, batch, chosen)
        made = StepProgram(parameters, self.layout, self.step, self.wanted, self.energy, self.device)
        return made, with_energies(made, first, 0) if self.energy else first

    def runs(
        self,
        values: Mapping[str, Any],
        batch: tuple[int, ...] = (),
        chosen: Mapping[str, Any] | None = None,
        numbers: np.ndarray | None = None,
    ) -> tuple[Parameters, np.ndarray]:
        """The parameters of runs with these values and where they start, after all were checked; `numbers` are those
        of the runs, where they are some of many.
        """
        given = self._sorted(Given(values, batch, numbers))
        parameters = self._values(given)
        check_values(parameters, given)
        first = _first_values(self.layout, given, parameters)
        check_quaternions(self.layout, first, given)
        first = self._closed(first, parameters, given)
        check_positions(self.layout, first, parameters, given)
        check_overlaps(self.layout, first, parameters, given)
        parameters, first = self._chosen(parameters, first, given)
        before = {name: x for name, x in (chosen or {}).items() if name in self.parameters}
        carried = {key: x for name, x in before.items() for key in self.parameters[name][1] if key in parameters.chosen}
        return parameters.with_choice(carried), first

    def _closed(self, first: np.ndarray, parameters: Parameters, given: Given) -> np.ndarray:
        """First values that keep the constraints, where those that were given stay."""
        if not self.network.constraints:
            return first
        begun = {state.partition(".")[0] for _, state in given.start}
        fixed = set(given.start) | fixed_states(self.scene, besides=begun)
        try:
            return Closing(self.network, parameters).closed(first, fixed)
        except OpenError as error:
            if not given.names:
                raise
            raise given.refusal(str(error), place_of(error.run, given.batch)) from None

    def check_closed(self, first: np.ndarray, parameters: Parameters) -> None:
        """Refuse states in which constraints are open, with these parameters."""
        if self.network.constraints:
            Closing(self.network, parameters).check(first)

    def _sorted(self, found: Given) -> Given:
        """Values by key: parameters and first values apart."""
        for name, x in found.names.items():
            if name in self.parameters and name in self.first_values:
                raise InputError(
                    f"'{name}' is a parameter and a first value of the same name; list the field of your part in its "
                    "start_fields, or call the state otherwise"
                )
            if name in self.parameters:
                found.parameters |= dict.fromkeys(self.parameters[name][1], x)
            elif name in self.first_values:
                found.start |= dict.fromkeys(self.first_values[name][1], x)
            else:
                raise InputError(self.unknown_parameter(name))
        return found

    def unknown_parameter(self, name: Any) -> str:
        """Say that a parameter is not known; or that it is a count."""
        part, _, field = str(name).rpartition(".")
        if type(getattr(self.network.parts.get(part), field, None)) is int:
            return (
                f"'{name}' is a whole number, which shapes the program; declare the field as a float to make it a "
                "parameter"
            )
        if name in self.scene.parameters:
            return (
                f"'{name}' is no parameter under method '{self.method.title}', which has it fixed; make a scene with it"
            )
        known = [*self.parameters, *self.first_values]
        return unknown("parameter", name, "this simulation", known, source="scene.parameters")

    def _values(self, given: Given) -> Parameters:
        """The parameters with what the user gave: arrays vary, numbers replace; folded zeros vary, too."""
        robots = {name for name, part in self.network.parts.items() if isinstance(part, RobotBody)}  # have unit axes
        usual = self._noting({}, given.batch)
        varying = {
            key: x for key, x in given.parameters.items() if x.ndim or key not in usual.shared or key[0] in robots
        }
        made = self._noting(varying, given.batch) if varying else usual
        return made.with_values({key: x for key, x in given.parameters.items() if key not in varying})

    def _noting(self, varying: Mapping[Key, np.ndarray], batch: tuple[int, ...]) -> Parameters:
        """All parameters, where these vary; found once."""
        keys = tuple(varying)
        if keys not in self._noted:
            self._noted[keys] = noted = Parameters(self.network, self.method, varying, batch)
            _ = noted.structure  # kept by all that are made from it
        return self._noted[keys].for_runs(varying, batch)

    def _chosen(self, parameters: Parameters, first: np.ndarray, given: Given) -> tuple[Parameters, np.ndarray]:
        """Parameters and first values with what the method chooses."""
        network, method, batch = self.network, self.method, parameters.batch
        if not network.mechanical:
            return parameters, first
        terms = StartTerms(network, parameters, first)
        check_masses(terms, given, batch)
        try:
            choice = method.choose(network, terms, self.step, given.parameters)
            for (part, field), x in choice.parameters.items():
                getattr(terms, field)[part][...] = np.reshape(x, (-1, 1))
            method.check(network, terms, self.step)
            self.notes = method.start_notes(network, terms, self.step)
        except RunError as error:
            if not given.names:
                raise
            raise given.refusal(str(error), place_of(error.run, batch)) from None
        for key, x in choice.start.items():
            if key not in given.start:
                first[..., self.layout.places[key]] = x.reshape(batch)
        shared = not (self.open and batch)
        values = {
            key: float(x[0]) if shared and (x == x[0]).all() else x.reshape(batch)
            for key, x in choice.parameters.items()
        }
        return parameters.with_choice(values), first


def _metered(_: str, part: Part) -> Part:
    """Motors with meters, for the energy balance."""
    return part.metered() if isinstance(part, DCMotor) else part


def with_energies(program: StepProgram, first: np.ndarray, tick: int) -> np.ndarray:
    """A first state with its energies, from which the balance counts."""
    core = Core(program, first, tick, 1)
    core.advance(0)
    signals = core.fetched(core.seen).reshape(*core.batch, -1)
    seen = dict(zip(program.wanted, np.moveaxis(signals, -1, 0), strict=True))
    for name in program.layout.energies:
        first[..., program.layout.places["start", name]] = first_energy(name, seen)
    return first


def _first_values(layout: Layout, given: Given, parameters: Parameters) -> np.ndarray:
    """The state before the first step, (*batch, slots); rotors behind elastic gears begin where their joints do."""
    first = np.broadcast_to([slot.start for slot in layout.slots], (*given.batch, len(layout.slots))).copy()
    for key, x in given.start.items():
        first[..., layout.places[key]] = x
    for key, follower in layout.network.followers.items():
        led = follower.ratio in given.parameters or any(leader in given.start for leader in follower.leaders)
        if key not in given.start and led:
            ratio: Any = given.parameters.get(follower.ratio, parameters.shared.get(follower.ratio))
            total = sum(x * first[..., layout.places[leader]] for leader, x in follower.leaders.items())
            first[..., layout.places[key]] = ratio * total
    return first


def _known(network: Network, method: Method, energy: bool) -> list[Key]:
    """Keys of everything that can be seen."""
    found = observe.signal_keys(network) + [("", name) for name in method.signals(network)]
    return found + (energy_keys(network) if energy else [])


def wanted_signals(network: Network, known: Sequence[Key], patterns: Sequence[str] | None) -> list[Key]:
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
    """The marks that wanted signals need, and that notes about laws and end stops need."""
    asked = any(key[1] in observe.MARKED for key in wanted)
    noted = any(_tells(part) for part in observe.sites(network).values())
    stops = {name: {observe.REACHED: 0.0} for name in observe.end_stops(network)}
    return stops | (observe.first_marks(network) if asked or noted else {})


def _tells(part: RubbingPart) -> bool:
    """Whether something may be said of a site that depends on how fast it moved."""
    law: Any = part.law
    bristle = isinstance(law, Dry) and not isinstance(part, Row)
    return bristle or type(law).cautions is not Law.cautions or isinstance(law, Dahl)
