"""From a scene to a program that advances it: what each method needs, what is kept, what is seen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

from stiction.control import Callback
from stiction.errors import InputError
from stiction.friction import Dahl, LuGre
from stiction.part import Impedance, Row
from stiction.simulation import observe
from stiction.simulation.bodies import RobotBody
from stiction.simulation.bristles import check_bristles, with_bristles
from stiction.simulation.flowing import Stepped, flow_step
from stiction.simulation.gears import gear_step, held
from stiction.simulation.integrate import METHODS
from stiction.simulation.names import Names, names_of
from stiction.simulation.network import Network
from stiction.simulation.run import Caller, Machine, Rule, machine
from stiction.simulation.scene import Scene
from stiction.simulation.semi_implicit import check_signs, rigid, semi_implicit_step
from stiction.simulation.sites import sites
from stiction.simulation.springs import check_springs
from stiction.simulation.stiff import Kept, check_stiff, rosenbrock_span
from stiction.trace.functions import Scalar, maximum
from stiction.trace.numbered import Numbering

HELD = ("gears", "gears_implicit")  # friction that is held over the step
BOOKS = ("energy.", "work.", "stored.")


def numbers(scene: Scene | Network) -> dict[str, float]:
    """The numbers and first values of a scene that `simulate` can replace, by name [SI].

    Example:
        >>> import stiction
        >>> from stiction.simulation.prepare import numbers
        >>> known = numbers(stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=0.5)}))
        >>> known["friction.joint1.level"], known["robot.link1.mass"], known["q.joint1"]
        (0.5, 1.0, 0.0)
    """
    network, names = scene.network if isinstance(scene, Scene) else scene, names_of(scene)
    found = numbers_of_network(network, names, {})
    for part, body in network.bodies.items():
        if isinstance(body, RobotBody):  # zeros of a robot are folded unless they are freed
            found |= {names.plain(f"{part}.robot.{name}"): x for name, x in body.robot.parameters.items()}
    found |= {names.plain(name): x for name, x in network.start.items()}
    return {name: x for name, x in found.items() if not names.inner(name)}


def numbers_of_network(network: Network, names: Names, values: Mapping[str, Any]) -> dict[str, float]:
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
        network = rigid(network)
    else:
        _refuse_rows(network, method)
        network = held(network) if method in HELD else with_bristles(network, method, step)
    if method not in ("semi_implicit", *HELD):
        check_signs(network)
    if method == "stiff":
        return check_stiff(network)
    if method in METHODS:
        check_bristles(network, method, step)
    if method != "euler":  # Euler's method makes every spring grow, slowly: that is its error, not an instability
        check_springs(network, method, step)
    return network.with_parts(lambda _, part: part.for_step(step) if isinstance(part, Impedance) else part)


def _refuse_rows(network: Network, method: str) -> None:
    for name, part in network.parts.items():
        if isinstance(part, Row):
            raise InputError(f"'{name}' ({type(part).__name__}) is rigid and needs method 'semi_implicit'; got '{method}'")


@dataclass(frozen=True, kw_only=True)
class How:
    """How a network is advanced: the arguments of `simulate` of the same names."""

    method: str
    step: float
    energy: bool = False
    tolerance: float = 1e-6
    pull: float = 0.0
    softness: float = 0.0
    splitting: bool = False

    @property
    def own_steps(self) -> bool:
        """Whether the method chooses its own steps."""
        return self.method == "stiff"

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of the method."""
        return {"tolerance": self.tolerance} if self.own_steps else {"pull": self.pull, "softness": self.softness} if self.method in HELD else {}


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


class _Plan:
    """What is kept and what is seen of a network while it is advanced."""

    def __init__(self, network: Network, names: Names, how: How, chosen: Sequence[str] | None) -> None:
        self.network, self.how = network, how
        here = list(network.start.values())
        works = [0.0] * len(network.pushes(network.evaluate(here, 0.0, how.step))) if how.energy else []
        pace = [0.0, how.step / 100, 0.0, 0.0] if how.own_steps else []
        self.first = _Slots(here, works, observe.first_marks(network), pace, 0.0, 0.0)
        self.wanted, self.hidden = _chosen(self.see(network, 0.0, self.first, how.step), chosen, names, network)
        self.watches = any(name.endswith((".mode", ".switches", ".fastest")) for name in self.wanted)
        self.functions = {name: part for name, part in network.digital.items() if isinstance(part, Callback)}

    def see(self, network: Network, t: Scalar, x: _Slots, h: Scalar) -> dict[str, Scalar]:
        """All signals, by the network's names."""
        how, stage = self.how, 0 if self.how.own_steps else h
        seen = observe.signals(network, x.state, x.marks, t, stage)
        seen |= {"residual": x.residual} if how.method in ("semi_implicit", *HELD) else {}
        seen |= {"splitting": x.splitting} if how.splitting else {}
        seen |= {"steps": x.pace[2], "rejected": x.pace[3]} if how.own_steps else {}
        return seen | (observe.energies(network, x.state, x.works, t, stage) if how.energy else {})

    def rule(self, traced: Network, table: Mapping[str, Scalar]) -> Rule:
        """How the network with these numbers is advanced and seen."""
        first, how = self.first, self.how
        advance = _stepper(how, table)

        def mark(before: list, state: list, marks: list, t: Scalar, stage: Scalar = 0) -> list:
            return observe.next_marks(traced, before, state, marks, t, stage) if self.watches else marks

        def one(count: Scalar, flat: list, h: Scalar) -> list:
            x, t = first.filled(flat), count * h
            after = advance(traced, traced.ticked(x.state, count, t, how.step), x.works, t, h)
            marks = mark(x.state, after.state, x.marks, t + h, h)
            return _Slots(after.state, after.works, marks, [], maximum(x.residual, after.residual), maximum(x.splitting, after.splitting)).flat()

        def span(t: Scalar, flat: list, h: Scalar, steps: Scalar) -> list:
            x = first.filled(flat)
            return _Slots(*rosenbrock_span(traced, Kept(*x[:4]), t, steps * h, h, table["tolerance"], mark), x.residual, x.splitting).flat()

        def seen(t: Scalar, flat: list, h: Scalar) -> list:
            everything = self.see(traced, t, first.filled(flat), h)
            return [everything[name] for name in self.wanted]

        def asked(t: Scalar, flat: list, h: Scalar) -> list:
            now = traced.evaluate(first.filled(flat).state, t, h)
            return [x for name in self.functions for values in traced.inputs(name, now.signals).values() for x in values]

        return Rule(one, seen, asked, span if how.own_steps else None)


def prepare(network: Network, names: Names, how: How, values: Mapping[str, Any], chosen: Sequence[str] | None = None) -> Machine:
    """The program that advances a network that `prepared` made, and what it starts from."""
    plan = _Plan(network, names, how, chosen)

    def rule(table: Mapping[str, Scalar]) -> Rule:
        traced = network.with_numbers(Numbering(lambda name, _: table[names.plain(name)], _Freed(values, names)))
        return plan.rule(traced, table)

    states = {names.plain(name): x for name, x in network.start.items()}
    start = states | {f"slot {k}": x for k, x in enumerate(plan.first.flat()[len(states) :])}
    arrival = sum(len(part) for part in plan.first[:3]) if how.own_steps else None
    found = numbers_of_network(network, names, values) | how.numbers
    made = machine(how.method, found, values, rule, start, plan.wanted, arrival, _callers(network, plan.functions, how.step))
    return made._replace(hidden=plan.hidden)


def _callers(network: Network, functions: Mapping[str, Callback], step: float) -> list[Caller]:
    """The Python functions of a network on their clocks."""
    places, first = {}, 0
    for name, part in network.parts.items():
        places[name] = slice(first, first := first + len(part.start()))
    made, first = [], 0
    for name, part in functions.items():
        made.append(Caller(*part.clock.ticks(step), part.call, places[name], slice(first, first := first + sum(part.reads.values()))))
    return made


def _stepper(how: How, table: Mapping[str, Scalar]) -> Callable[..., Stepped]:
    """One step by a method."""
    if how.method == "semi_implicit":
        return semi_implicit_step
    if how.method in HELD:
        options = {"pull": table["pull"], "softness": table["softness"], "splitting": how.splitting}
        return partial(gear_step, how.method == "gears_implicit", **options)
    return partial(flow_step, how.method)


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
