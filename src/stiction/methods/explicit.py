"""Explicit methods: the flow of the network, evaluated in stages; dry friction gets stiff bristles.

Each source's work is integrated as a state, by the same scheme.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stiction.errors import InputError
from stiction.friction.bristle import Dahl, LuGre
from stiction.friction.dry import FAST, Dry, Stribeck
from stiction.methods.bristles import chosen_bristles, dry_sites, with_bristles
from stiction.methods.constraints import (
    Held,
    closed,
    constraint_choice,
    constraint_notes,
    constraint_signals,
    constraint_slots,
    firm_now,
    kept_rates,
    told,
    with_multipliers,
)
from stiction.methods.elastic import ElasticParts, judge_of
from stiction.methods.fast_states import at_end, at_means
from stiction.methods.method import Choice, Method, powers
from stiction.methods.schemes import Scheme, euler, runge_kutta_4, runge_kutta_gill
from stiction.methods.stability import refuse_runs
from stiction.methods.stop_springs import chosen_springs, soft_contacts, with_stop_springs
from stiction.network.kept import cut_positions
from stiction.network.layout import Block, flat_states, states_of
from stiction.network.network import Network, States
from stiction.network.start import StartTerms
from stiction.network.terms import Terms
from stiction.parts.end_stop import EndStop
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Row
from stiction.trace.functions import Scalar, clip, loop, where
from stiction.trace.parameters import Key, absent
from stiction.trace.precision import tolerance

SLIVER = 1e-9  # part of a step that is none
SMALL = 1e-9  # part of break-away that is none


class Explicit(Method):
    """What explicit methods share.

    Attributes:
        scheme: how the flow is integrated over a step.
        follows: rate of decay times step up to which it follows a bristle that forgets.
        springs_grow: whether every spring grows a little, as an error of the scheme and no instability.
    """

    scheme: ClassVar[Any]  # a Scheme
    follows: ClassVar[float]
    springs_grow: ClassVar[bool] = False

    def prepare(self, network: Network, step: float) -> Network:
        """Dry friction with bristles; rows are refused."""
        refuse_rows(network, self)
        for name, part in network.parts.items():
            if self.springs_grow and isinstance(part, EndStop) and part.restitution:
                raise InputError(f"'{name}' bounces, and '{self.title}' would add energy; use another method")
        return with_stop_springs(with_bristles(network))

    def slots(self, network: Network, step: float) -> Mapping[str, tuple[float, str]]:
        """What is kept of constraints."""
        return constraint_slots(network)

    def signals(self, network: Network) -> Mapping[str, str]:
        """Those that users see."""
        return constraint_signals(network)

    def notes(self, network: Network, kept: Mapping[str, np.ndarray]) -> list[str]:
        """What became of constraints."""
        return constraint_notes(network, kept)

    def choose(self, network: Network, start: StartTerms, step: float, given: Mapping[Key, Any]) -> Choice:
        """The bristles and the springs of end stops that nobody gave."""
        bristles = chosen_bristles(network, start, type(self).scheme, step, given)
        return Choice(bristles | chosen_springs(network, start, step, given), constraint_choice(start))

    def check(self, network: Network, start: StartTerms, step: float) -> None:
        """Refuse friction that pushes, and bristles and springs that the step cannot follow."""
        refuse_pushing(network, start)
        self._elastic(network, start, step).refuse()

    def start_notes(self, network: Network, start: StartTerms, step: float) -> list[str]:
        """Contacts that would be too much together, and contacts that give."""
        return [*self._elastic(network, start, step).notes(), *soft_contacts(network, start, self.title)]

    def _elastic(self, network: Network, start: StartTerms, step: float) -> ElasticParts:
        made = ElasticParts(network, start, judge_of(type(self).scheme), self.title, step)
        if self.springs_grow:
            made.lasting, made.passing = [name for name in dry_sites(network) if name in made.lasting], []
        return made

    def site_notes(self, part: FrictionPart, step: float, fastest: float) -> list[str]:
        """Bristles that forget faster than the scheme follows, and bristles that chatter."""
        forgets = forgetting(part.law, self.follows, self.title, step, fastest)
        falls = falling(part.law, self.title, fastest)
        return [*super().site_notes(part, step, fastest), *forgets, *_chatters(part.law), *falls]

    def step(self, network: Network, block: Block, t: Scalar, h: Scalar) -> Block:
        """One step of the flow."""
        return flowed(type(self).scheme, network, block, t, h)


def flowed(scheme: Scheme, network: Network, block: Block, t: Scalar, h: Scalar, held: Sequence[Held] = ()) -> Block:
    """The state after one step of the flow by a scheme; it is divided where something jumps within it. Rows that are
    held stay where constraints are closed.
    """
    if not network.breaks:
        return _flowed(scheme, network, block, t, h, held=held)
    n, names = len(flat_states(network, block.own)), list(block.works)
    told_of = [name for name in constraint_slots(network) if name in block.method]
    pulled, sliver = sum(len(block.own[name]) for name in network.constraints), tolerance(SLIVER) * h

    def piece(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
        *state, come, left = carry
        own, works = states_of(network, state[:n]), dict(zip(names, state[n:], strict=False))
        told_before = dict(zip(told_of, state[len(state) - pulled - len(told_of) :], strict=False))
        until = left
        for jump in network.breaks:
            ahead = jump - (t + come)
            until = where((ahead > sliver) & (ahead < until - sliver), ahead, until)
        before = block._replace(own=own, works=works, method={**block.method, **told_before})
        after = _flowed(scheme, network, before, t + come, until, sliver, held)
        pulls = [x * until for name in network.constraints for x in after.own[name]]
        return [
            *flat_states(network, after.own),
            *after.works.values(),
            *(after.method[name] for name in told_of),
            *(a + b for a, b in zip(state[len(state) - pulled :], pulls, strict=True)),
            come + until,
            where(until < left, left - until, 0),
        ]

    first = [*flat_states(network, block.own), *block.works.values(), *(block.method[name] for name in told_of)]
    start = [*first, *[0 * t] * pulled, 0 * t, 0 * t + h]
    *state, _, _ = loop(len(network.breaks) + 1, piece, start, until_zero=len(start) - 1)
    own = with_multipliers(network, states_of(network, state[:n]), state[len(state) - pulled :], h)
    seen = dict(zip(told_of, state[len(state) - pulled - len(told_of) :], strict=False))
    works = dict(zip(names, state[n:], strict=False))
    return block._replace(own=own, works=works, method={**block.method, **seen})


def _flowed(
    scheme: Scheme,
    network: Network,
    block: Block,
    t: Scalar,
    h: Scalar,
    within: Scalar = 0,
    held: Sequence[Held] = (),
) -> Block:
    """The state after one step of the flow by a scheme; at its ends the time is taken a little within it."""
    everything = flat_states(network, block.own)
    multipliers = [x for name in network.constraints for x in block.own[name]]
    firm = firm_now(block.method)
    still = network.evaluate(block.own, t, h).rates
    moves = [not absent(rate) for name in network.parts for rate in still.get(name, [1] * len(block.own[name]))]
    flat = [x for x, moving in zip(everything, moves, strict=True) if moving]  # the others have no rates
    n = len(flat)

    def whole(x: Sequence[Scalar]) -> States:
        left = iter(x)
        return states_of(network, [next(left) if m else y for m, y in zip(moves, everything, strict=True)])

    def flow(x: list[Scalar], at: Scalar, stage: Scalar) -> list[Scalar]:
        at = at if absent(within) else clip(at, t + within, t + h - within)
        own, fast = at_means(network, whole(x[:n]), at, h)
        own = cut_positions(network, own) if multipliers else own
        now = network.evaluate(own, at, stage)
        rates: dict[str, Any] = network.rates(now, at)
        rates |= {name: [where(quick, 0, rate) for rate in rates[name]] for name, quick in fast.items()}
        pulls: list[Scalar] = []
        if multipliers:
            rates, pulls = kept_rates(network, now, rates, firm)
        terms = Terms(network, now)
        found = [x for x, moving in zip(flat_states(network, rates), moves, strict=True) if moving]
        return [*found, *(powers(block, terms.pushes, terms.velocities) if block.works else []), *pulls]

    after = scheme(flow, [*flat, *block.works.values(), *(0 * x for x in multipliers)], t, h)
    own = network.settled(at_end(network, block.own, whole(after[:n]), t, h), t + h, h)
    own, seen = closed(network, with_multipliers(network, own, after[n + len(block.works) :], h), firm, held)
    kept = {**block.method, **told(block.method, seen)}
    works = dict(zip(block.works, after[n:], strict=False))
    return block._replace(own=own, works=works, method=kept)


@dataclass(frozen=True, kw_only=True)
class Euler(Explicit):
    """The explicit method of Euler: order 1, one evaluation. For comparison; every other method is better.

    Example:
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5])
        >>> run = stiction.simulate(scene, duration=1.0, step=1e-3, method=stiction.Euler())
        >>> run.status
        'completed'
    """

    name = "euler"
    scheme = staticmethod(euler)
    follows = 0.2
    springs_grow = True


@dataclass(frozen=True, kw_only=True)
class RK4(Explicit):
    """The classical method of Runge and Kutta: order 4, four evaluations.

    Example:
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5])
        >>> run = stiction.simulate(scene, duration=1.0, step=1e-3, method=stiction.RK4())
        >>> run.status
        'completed'
    """

    name = "rk4"
    scheme = staticmethod(runge_kutta_4)
    follows = 1.0


@dataclass(frozen=True, kw_only=True)
class Gill(Explicit):
    """Runge–Kutta with Gill's coefficients, as gears.md has it: order 4, four evaluations.

    Example:
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5])
        >>> run = stiction.simulate(scene, duration=1.0, step=1e-3, method=stiction.Gill())
        >>> run.status
        'completed'
    """

    name = "gill"
    scheme = staticmethod(runge_kutta_gill)
    follows = 1.0


def forgetting(law: Any, follows: float, title: str, step: float, fastest: float) -> list[str]:
    """What to know of a bristle that forgets faster than stages follow; `follows` is a rate of decay times step."""
    if not isinstance(law, (Dahl, LuGre)):
        return []
    rate = fastest * law.stiffness / min(law.level)  # type: ignore[arg-type]  # |v|/g, at which the bristle forgets
    if rate * step <= follows:
        return []
    return [
        f"at {fastest:.3g} rad/s or m/s the bristle forgets within {1 / rate:.2g} s, too fast for '{title}' "
        f"at {step:g} s: its torque is wrong. Take a step below {follows / rate:.2g} s, or method 'moreau'"
    ]


def falling(law: Any, title: str, fastest: float) -> list[str]:
    """What to know of dry friction that is less while it slides, by bristles."""
    if not isinstance(law, Dry) or not law.damping:
        return []
    surplus = max(float(law.breakaway(way) - law.strength(FAST, way) + law.viscous * FAST) for way in (1, -1))
    slow = surplus / law.damping
    if surplus <= SMALL * float(law.breakaway(1)) or fastest <= slow:
        return []
    return [
        f"by its bristle under '{title}' it sticks again below about {slow:.2g} rad/s or m/s, where it would slide on, "
        "and a load of more than 0.8 of break-away that comes at once can make it slide, though it would hold; "
        "method 'moreau' does neither"
    ]


def _chatters(law: Any) -> list[str]:
    if not isinstance(law, Stribeck) or law.damping is None or law.damping >= law.steepest:
        return []
    return [
        f"the bristle's damping {law.damping:.3g} is below the steepest fall of the Stribeck curve, "
        f"{law.steepest:.3g}: at slow steady speeds it chatters; take a smaller step, more damping, or method 'moreau'"
    ]


def refuse_rows(network: Network, method: Method) -> None:
    """Refuse what is rigid."""
    for name, part in network.parts.items():
        if isinstance(part, Row):
            raise InputError(f"{network.labels.part(name)} is rigid and needs method 'moreau'; got '{method.title}'")


def refuse_pushing(network: Network, start: StartTerms) -> None:
    """Refuse friction that is wired to push instead of to resist."""
    for name, part in network.parts.items():
        if isinstance(part, FrictionPart) and name in start.seen:
            row, seen = start.rows[name][:, 0], start.seen[name]
            refuse_runs(
                (row * seen).sum(axis=1) < 0,
                f"friction '{name}' is wired to push its body along; "
                "its torque has the sign of the velocity: give its term the gain -1",
            )
