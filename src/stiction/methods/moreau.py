"""Rigid friction: rows found once per step at velocity level, then the smooth part advanced with the row torques held.

A stuck site has velocity 0 to rounding, whatever the step: nothing creeps. How the rows are found,

    "together"   all coupled through the mass matrix (`rows.stick_slip`), gears (15) to (24); "by_joint"   each joint
                 with a rotor alone, from the rotor's inertia and the torque that its link took in the last step, gears
                 (25) to (29); joints without a rotor still go together, since (26) would divide by 0;

times how the smooth part is advanced between them,

    "midpoint"   one evaluation in the middle of the step, all forces linear in what changes over it
                 (`methods.midpoint`): order 2 where nothing switches;
    "gill", "rk4"   Runge–Kutta with four evaluations of the flow.

gears.md's own methods are `gears_semi_implicit` (by joint, Gill) and `gears_implicit` (together, Gill). The paper
projects each joint once, which lets a stuck joint move while another slides; here the stuck ones are found again when
others slip.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stiction.fields import choice, flag, number
from stiction.friction.bristle import ElastoPlastic
from stiction.friction.dry import Dry
from stiction.friction.law import CREEP
from stiction.methods.constraints import (
    closed,
    constraint_choice,
    constraint_notes,
    constraint_signals,
    constraint_slots,
    firm_now,
    held_rows,
    kept_impulses,
    told,
)
from stiction.methods.contact_momentum import MomentumRows
from stiction.methods.contact_notes import contact_notes
from stiction.methods.contact_rows import TOLD, ContactRows
from stiction.methods.elastic import ElasticParts, judge_of, midpoint_judge, refuse_searching_bristles
from stiction.methods.explicit import (
    RK4,
    flowed,
    forgetting,
    refuse_pushing,
)
from stiction.methods.fast_states import at_means
from stiction.methods.locked_joints import joint_rows
from stiction.methods.method import Choice, Method
from stiction.methods.midpoint import MidpointPart
from stiction.methods.rigid_friction import RigidFriction
from stiction.methods.rigid_stop import (
    RigidStop,
    allowed_velocities,
    bounced,
    joined_rows,
    modes_of,
    put_back,
    torques_of,
)
from stiction.methods.row_structure import (
    copy_with,
    dependent,
    rises,
    rows_at_start,
    turning,
    unit_of_rows,
    with_rotors,
)
from stiction.methods.rows_together import added_to, by_joints, by_matrix, locked, midpoint_part
from stiction.methods.schemes import Scheme, runge_kutta_4, runge_kutta_gill
from stiction.methods.smooth_part import FlowPart, FoundRows, Solution
from stiction.methods.stability import refuse_runs
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.network.terms import Terms
from stiction.network.wires import NetworkError
from stiction.parts.contact import contact_name
from stiction.parts.end_stop import EndStop
from stiction.parts.friction import Friction, FrictionPart
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.kinds import Part, Row
from stiction.trace.functions import Scalar, absolute, maximum, where
from stiction.trace.grid import mapped, reduced
from stiction.trace.parameters import Key, absent
from stiction.trace.precision import tolerance

HELD = 1e-5  # of what a motion would give without constraints, that is none
GIVE = 1e-12  # of rows that follow from others: they give by this part of what one step without them would move them
FAST_TURN = 0.1  # rad in a step beyond which motion is followed only roughly
MOST_PUSHED = 0.5  # part of itself by which a velocity may grow in a step through forces that push it on
SMALL = 1e-9  # part of the largest break-away torque that may be left as a contradiction
PLASTIC = 1e-12  # relaxation that only keeps the plastic condition solvable
SCHEMES: dict[str, Scheme] = {"gill": runge_kutta_gill, "rk4": runge_kutta_4}


@dataclass(frozen=True, kw_only=True)
class Moreau(Method):
    """Rows × scheme: rigid friction found once per step, held while the smooth part is advanced.

    Attributes:
        rows: "together" or "by_joint".
        scheme: "midpoint", "gill" or "rk4".
        pull: part of the way since its reference that a stuck site goes back in a step (k_q h of gears.md), 0 … 1.
        softness: how much a stuck site gives, over what a step without friction would move it (λ_q over A²).
        contact: "rigid": contacts found together with all other rows; or as contact.md has it, "momentum" (relaxed and
            compensated) or "plastic" (neither).
        relaxation: of "momentum": λ over the square of the mean compliance.
        compensation: of "momentum": k h, the part of an overlap that is made good in a step.
        fade: of "momentum": k_ω, by which kinetic friction fades with the speed of sliding [s/m]; 0: it does not.
        dropping: of "momentum" and "plastic": whether points that would draw are left out one after another, as the
            paper does it, instead of finding the smallest of (13).
        splitting: of "by_joint": record "splitting", how far its torques were, at worst so far, from those found
            together [N·m or N].

    Example:
        >>> import stiction
        >>> friction = {"joint1": stiction.Coulomb(level=1.0)}
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction, q=[0.05])
        >>> run = stiction.simulate(scene, duration=1.0, step=1e-3, method=stiction.Moreau(scheme="rk4"))
        >>> float(abs(run["q.joint1"] - 0.05).max()) < 1e-15  # 0.49 N·m of gravity, held
        True
    """

    name: ClassVar[str] = "moreau"
    instead = "use method 'rk4', or 'gears_semi_implicit' where all joints with dry friction have rotors"
    vanishing = ("pull", "softness", "fade", "compensation")

    rows: str = choice(("together", "by_joint"), default="together")
    scheme: str = choice(("midpoint", "gill", "rk4"), default="midpoint")
    pull: float = number(0.0, least=0, most=1)
    softness: float = number(0.0, least=0, most=1e6)
    contact: str = choice(("rigid", "momentum", "plastic"), default="rigid")
    relaxation: float = number(1e-3, above=0)
    compensation: float = number(0.1, least=0, most=1)
    fade: float = number(100.0, least=0)
    dropping: bool = flag(False)
    splitting: bool = flag(False)

    def conflicts(self) -> Sequence:
        """Splitting is what finding rows by joint costs."""
        why = "splitting is True with rows 'together'; it compares 'by_joint' with it: leave it out"
        return [(self.splitting and self.rows == "together", why)]

    @property
    def title(self) -> str:
        """The name of a preset, where it is one."""
        presets = {
            ("together", "midpoint"): "moreau",
            ("by_joint", "gill"): "gears_semi_implicit",
            ("together", "gill"): "gears_implicit",
        }
        return presets.get((self.rows, self.scheme), f"Moreau(rows={self.rows!r}, scheme={self.scheme!r})")

    # What it makes of a network.

    def prepare(self, network: Network, step: float) -> Network:
        """Dry friction on one velocity as rows."""
        network.must_be_mechanical(f"method '{self.title}'", "use method 'rk4'")
        for name, part in network.parts.items():
            if self.scheme in SCHEMES and isinstance(part, Row) and type(part).found is not Row.found:
                raise NetworkError(
                    f"{network.labels.part(name)} follows the torque of the last step and needs method 'moreau' "
                    f"with the scheme 'midpoint'; got '{self.title}'"
                )
        made = network.with_parts(lambda _, part: self._rigid(part))
        rows = rows_at_start(made)
        stops = [name for name, part in made.parts.items() if isinstance(part, RigidStop)]
        if self.rows == "by_joint":
            alone = with_rotors(made, {name: row for name, row in rows.items() if name not in stops})
            made = made.with_parts(lambda name, part: copy_with(part, geared=True) if name in alone else part)
        made = made.with_parts(
            lambda name, part: (
                copy_with(part, carried=True) if isinstance(part, Row) and made.carried(name, "velocity") else part
            )
        )
        joined = joined_rows(made, rows)
        made = made.with_parts(lambda name, part: copy_with(part, **joined[name]) if name in joined else part)
        if made.constraints or dependent({name: row for name, row in rows.items() if name not in joined}):
            made = made.with_parts(lambda _, part: copy_with(part, shared=True) if isinstance(part, Row) else part)
        return made

    def _rigid(self, part: Part) -> Part:
        if isinstance(part, EndStop):
            return RigidStop(lower=part.lower, upper=part.upper, restitution=part.restitution)
        if not isinstance(part, Friction) or not isinstance(part.law, Dry) or part.dimension > 1:
            return part
        apart = self.scheme not in SCHEMES
        rising = apart and rises(part.law)
        return RigidFriction(
            law=part.law, loaded=part.loaded, rising=rising, viscous_apart=apart, referenced=not absent(self.pull)
        )

    def slots(self, network: Network, step: float) -> Mapping[str, tuple[float, str]]:
        """The worst contradiction and splitting error so far; the change of the velocities in the last step; how far
        something turned in one step at most.
        """
        unit = unit_of_rows(network)
        found = {"residual": (0.0, unit)} | ({"splitting": (0.0, unit)} if self.splitting else {})
        found |= {name: (0.0, unit) for name, unit in TOLD.items()} if contact_name(network) else {}
        found |= constraint_slots(network)
        if self.scheme == "midpoint":
            found |= {f"change.{k}": (0.0, "") for k in range(len(network.velocities(network.start)))}
            found |= {"turned": (0.0, "rad")} if turning(network) else {}
            found |= {"pushed_on": (0.0, "1")}
        return found

    def signals(self, network: Network) -> Mapping[str, str]:
        """Residual and splitting error are signals of the same names."""
        contacts = TOLD if contact_name(network) else ()
        found = {name: name for name in ("residual", *(["splitting"] if self.splitting else []), *contacts)}
        return found | constraint_signals(network)

    def choose(self, network: Network, start: StartTerms, step: float, given: Mapping[Key, Any]) -> Choice:
        """Which sites slide at the start, and what the links of geared joints take at rest: from 0 a loaded joint would
        shift a little.
        """
        first = {}
        for name, part in network.parts.items():
            if isinstance(part, RigidFriction):
                speed = start.speed[name]
                first[name, "slides"] = np.where(np.abs(speed) > CREEP, np.sign(speed), 0.0)
            if isinstance(part, RigidFriction) and part.geared:
                row = start.rows[name][:, 0]
                first[name, "link_torque"] = np.divide(
                    start.link_torque, row, out=np.zeros_like(row), where=row != 0
                ).sum(axis=1)
        return Choice({}, first | constraint_choice(start))

    def check(self, network: Network, start: StartTerms, step: float) -> None:
        """Refuse what does not act where its velocity is taken, and what is too stiff for the step."""
        refuse_pushing(network, start)
        for name, part in network.parts.items():
            if isinstance(part, Row):
                _check_direction(name, start, self.title)
        _check_imposed(network, start)
        self._elastic(network, start, step).refuse()
        if self.scheme not in SCHEMES:
            refuse_searching_bristles(network, start, self.title, step)

    def start_notes(self, network: Network, start: StartTerms, step: float) -> list[str]:
        """Contacts that would be too much together."""
        return self._elastic(network, start, step).notes()

    def _elastic(self, network: Network, start: StartTerms, step: float) -> ElasticParts:
        judge = judge_of(SCHEMES[self.scheme]) if self.scheme in SCHEMES else midpoint_judge
        return ElasticParts(network, start, judge, self.title, step)

    def site_notes(self, part: FrictionPart, step: float, fastest: float) -> list[str]:
        """Bristles that forget faster than the stages of a scheme follow; by one evaluation they are implicit, but not
        where they begin to slide.
        """
        if self.scheme in SCHEMES:
            more = forgetting(part.law, RK4.follows, self.title, step, fastest)
        else:
            more = _skips(part.law, step, fastest)
        return [*super().site_notes(part, step, fastest), *more]

    def notes(self, network: Network, kept: Mapping[str, np.ndarray]) -> list[str]:
        """Contradictions that were left, and softness that creeps."""
        found = []
        if not absent(self.softness) and absent(self.pull):
            found.append(
                "softness without pull lets stuck joints creep under load; give a pull, such as 0.1, to end it"
            )
        turned = float(np.max(kept["turned"])) if "turned" in kept else 0.0
        if turned > FAST_TURN:
            found.append(
                f"something turned by up to {turned:.2g} rad in one step: so fast a motion loses its phase, and that "
                f"of many joints can grow; take a step {turned / FAST_TURN * 2:.0f} times smaller, or method 'rk4'"
            )
        if np.any(kept.get("pushed_on", 0.0)):
            found.append(
                f"a force made a velocity grow by more than {MOST_PUSHED:g} of itself in one step, as friction that "
                "falls steeply does: the step does not follow that; take a smaller one"
            )
        found += contact_notes(network, kept) + constraint_notes(network, kept)
        laws = [part.law for part in network.parts.values() if isinstance(part, FrictionPart)]
        largest = max((float(law.breakaway(way)) for law in laws for way in (1, -1)), default=0.0)
        worst = float(np.max(kept["residual"]))
        if self.scheme not in SCHEMES and self.rows == "together" and worst > SMALL * largest:
            found.append(
                f"stick and slip contradicted each other by up to {worst:.3g} {unit_of_rows(network)} in one step "
                "(signal 'residual'); "
                "take a smaller step"
            )
        elif worst > max(largest, SMALL):
            found.append(
                f"stuck joints moved in a step as if up to {worst:.3g} {unit_of_rows(network)} had been missing, more "
                "than any of them has (signal 'residual'); take a smaller step, or the scheme 'midpoint'"
            )
        return found

    # A step.

    def step(self, network: Network, block: Block, t: Scalar, h: Scalar) -> Block:
        """Rows first, then the smooth part."""
        block = block._replace(own=bounced(network, block.own, firm_now(block.method), t, h))
        smooth = self._smooth(network, block, t, h)
        found, solution = self._found(smooth, h)
        residual, splitting = found.residual, block.method.get("splitting", 0)
        if self.splitting:
            together, _ = self._together(smooth, smooth.rows, {}, h)
            torques = ([x.torque[name] for name in together.torque] for x in (together, found))
            splitting = reduced(lambda worst, a, b: maximum(worst, absolute(a - b)), splitting, *torques)
        held = dict(block.own) | {name: self._held(smooth, found, name, h) for name in found.torque}
        if smooth.contacts is not None:
            held[smooth.touching] = smooth.contacts.ended(solution.after)
        if isinstance(smooth, MidpointPart):
            after = smooth.advanced(block._replace(own=held), found, solution, h)
        else:
            after = flowed(SCHEMES[self.scheme], network, block._replace(own=held), t, h, held_rows(smooth, found))
        back = put_back(smooth, solution, after.own, t + h, h)
        kept_own, seen = closed(network, back, smooth.firm, held_rows(smooth, found))
        own = dict(kept_own)
        speeds = network.velocities(own)
        if smooth.contacts is not None:
            own[smooth.touching] = held[smooth.touching]
        for name, part in smooth.rigid.items():
            if _geared(part):
                own[name] = [*own[name][:-1], smooth.link_torque(name, found.torque[name], speeds, h)]
        if self.scheme in SCHEMES or self.rows == "by_joint":
            residual = maximum(residual, _moved_though_stuck(smooth, found, speeds, h))
        kept = {"residual": maximum(block.method["residual"], residual)}
        if smooth.contacts is not None:
            kept |= smooth.contacts.told(block.method)
        kept |= {"splitting": splitting} if self.splitting else {}
        kept |= told(block.method, seen)
        if self.scheme == "midpoint":
            kept |= _changes(smooth, block, found, speeds)
            assert isinstance(smooth, MidpointPart)
            kept["pushed_on"] = maximum(block.method["pushed_on"], smooth.pushed_on(MOST_PUSHED, h))
            turns = [speeds[k] for k in turning(network)]
            if turns:
                most = block.method["turned"]
                kept["turned"] = reduced(lambda most, x: maximum(most, h * absolute(x)), most, turns)
        return after._replace(own=own, method=kept)

    def _smooth(self, network: Network, block: Block, t: Scalar, h: Scalar) -> FlowPart:
        """What rows need to know, and how the rest is advanced."""
        made = self._advancing(network, block, t, h)
        if made.touching:
            made.contacts = self._contacts(made, h)
        return made

    def _contacts(self, smooth: FlowPart, h: Scalar) -> ContactRows:
        """The contacts of a step, in the way that is wanted."""
        if self.contact == "rigid":
            return ContactRows(smooth, smooth.touching, h)
        relaxed = self.contact == "momentum"
        return MomentumRows(
            smooth,
            smooth.touching,
            h,
            relaxation=self.relaxation if relaxed else tolerance(PLASTIC),
            compensation=self.compensation if relaxed else 0,
            fade=self.fade if relaxed else 0,
            dropping=self.dropping,
        )

    def _advancing(self, network: Network, block: Block, t: Scalar, h: Scalar) -> FlowPart:
        """How the rest is advanced."""
        if self.scheme == "midpoint":
            last = [x for name, x in block.method.items() if name.startswith("change.")]
            part = midpoint_part(network, block, last, t, h)
            return part if not part.large or self._on_joints(part) else MidpointPart(network, block, last, t, h)
        own = at_means(network, block.own, t, h)[0]
        now, middle = network.evaluate(own, t, h), network.evaluate(own, t + h / 2, h)
        made = FlowPart(Terms(network, now), middle, t + h, h, firm_now(block.method))
        made.impose(h)
        return made

    def _on_joints(self, smooth: FlowPart) -> bool:
        """Whether rows are rigid, each on a velocity of its own, so that they can be found without a matrix."""
        rows = {name: row for name, row in self._joined(smooth).items() if not smooth.rigid[name].on}
        return absent(self.softness) and joint_rows(rows, dict.fromkeys(rows, 0)) is not None

    def _joined(self, smooth: FlowPart) -> dict[str, list[Scalar]]:
        """Rows that are found together."""
        return {name: row for name, row in smooth.rows.items() if not _geared(smooth.rigid[name])}

    def _found(self, smooth: FlowPart, h: Scalar) -> tuple[FoundRows, Solution]:
        """Torques of all rows: geared ones alone, if they are found by joint, then the others together."""
        alone = {name for name, part in smooth.rigid.items() if _geared(part)}
        torque, slides, inertia = {}, {}, {}
        for name in smooth.rigid:
            if name in alone:
                torque[name], slides[name], inertia[name] = self._alone(smooth, name, h)
        joined, solution = self._together(smooth, self._joined(smooth), torque, h)
        both = {name: torque[name] if name in alone else joined.torque[name] for name in smooth.rigid}
        return FoundRows(both, joined.slides | slides, joined.inertia | inertia, joined.residual), solution

    def _alone(self, smooth: FlowPart, name: str, h: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Torque that stops the rotor in this step, within its bounds: gears (26), (27), (21)."""
        part: Any = smooth.rigid[name]
        own, s, rotor = smooth.terms.now.own[name], smooth.speed(name), smooth.rotor(name)
        A = h / rotor
        begins = smooth.speed_at_end(name, smooth.terms.velocities)
        c = A * (smooth.motor_torque(name) - own[-1]) + begins
        wish = (c + self.pull / h * part.way(own)) / (A * (1 + self.softness))
        return (*part.projected(wish, s, own[0]), rotor)

    def _together(
        self, smooth: FlowPart, rows: Mapping[str, list[Scalar]], known: Mapping[str, Scalar], h: Scalar
    ) -> tuple[FoundRows, Solution]:
        """Torques of these rows together, gears (16) to (21); those of others are known."""
        contacts = smooth.contacts
        if not rows and not smooth.needs_matrix and contacts is None:
            return FoundRows({}, {}, {}, 0), Solution([], {})
        give = self.softness + tolerance(GIVE) if any(part.shared for part in smooth.rigid.values()) else self.softness
        stops = allowed_velocities(smooth, rows, h)
        rows = {name: row for name, row in rows.items() if not smooth.rigid[name].on}
        modes, allowed = [smooth.terms.now.own[name][0] for name in rows], [stops.get(name) for name in rows]
        ways = {name: self._way(smooth, name, h) for name in rows}
        joints = (
            joint_rows(rows, added_to(smooth.given_at_end, ways)) if smooth.large and absent(self.softness) else None
        )
        if joints is None:
            free, coupled = smooth.free(rows, known, give, h)
            c = [smooth.speed_at_end(name, free) + ways[name] for name in rows]
            outcome, solution = by_matrix(smooth, rows, (free, coupled, c), modes, allowed, h)
            if coupled.keeping:
                impulses = kept_impulses(smooth, coupled.keeping, rows, outcome, known, h)
                solution = solution._replace(multipliers=impulses)
            inertia = [1 / coupled.A[k][k] for k in range(len(rows))]
        else:
            system = locked(smooth, joints, known, h)
            outcome, solution = by_joints(smooth, rows, system, modes, allowed, h)
            inertia = [1 / system.own(k) for k in range(len(rows))] if self.scheme in SCHEMES else [0] * len(rows)
        felt = {name: J for name, J in zip(rows, inertia, strict=True) if not isinstance(smooth.rigid[name], RigidStop)}
        found = FoundRows(
            torques_of(smooth, rows, outcome, h), modes_of(smooth, rows, outcome), felt, outcome.residual / h
        )
        return found, solution

    def _way(self, smooth: FlowPart, name: str, h: Scalar) -> Scalar:
        """The velocity at which a stuck site goes back to its reference."""
        part = smooth.rigid[name]
        if absent(self.pull) or not isinstance(part, RigidFriction):
            return 0
        return self.pull / h * part.way(smooth.terms.now.own[name])

    def _held(self, smooth: FlowPart, found: FoundRows, name: str, h: Scalar) -> list[Scalar]:
        """States of a row while the smooth part is advanced: what was found; the reference follows what slips, (24)."""
        own, part = smooth.terms.now.own[name], smooth.rigid[name]
        slides = found.slides[name]
        rest = list(own[2:])
        if isinstance(part, RigidFriction) and part.referenced:
            rest[0] = where(absolute(slides) > 0, 0, rest[0])
        if isinstance(part, RigidStop):
            rest = part.caught(own, smooth.speed_at_start(name), slides, h)
        return [slides, found.torque[name], *rest]


def _skips(law: Any, step: float, fastest: float) -> list[str]:
    """What to know of a bristle whose elastic stretch is crossed within a step."""
    if not isinstance(law, ElastoPlastic):
        return []
    stretch = law.elastic * min(law.level) / law.stiffness  # type: ignore[arg-type]
    if fastest * step <= stretch:
        return []
    return [
        f"at {fastest:.3g} rad/s or m/s its elastic stretch of {stretch:.2g} is crossed within a step of {step:g} s, "
        f"which is taken as elastic: its torque is wrong then. Take a step below {stretch / fastest:.2g} s, LuGre, or "
        "method 'rosenbrock'"
    ]


def _check_direction(name: str, start: StartTerms, title: str) -> None:
    """Refuse what does not act where its velocity is taken."""
    refuse_runs(
        (np.abs(start.seen[name] - start.rows[name][:, 0]) > 1e-9).any(axis=1),
        f"'{name}' takes its velocity as one combination of bodies and acts on another; for '{title}' "
        "the gains of its torque must be the transposed gains of its velocity, with a minus for friction",
    )


def _check_imposed(network: Network, start: StartTerms) -> None:
    """Refuse imposed motions that constraints, or each other, leave no way."""
    names = [name for name, part in network.parts.items() if isinstance(part, ImposedMotion)]
    if not names or not network.constraints:
        return
    A = start.compliance(names, kept=True)
    size = np.sqrt(np.einsum("rii->ri", start.compliance(names)))
    scaled = A / size[:, :, None] / size[:, None, :]
    refuse_runs(
        np.linalg.eigvalsh(scaled)[:, 0] < HELD,
        f"the motions of {', '.join(map(network.labels.part, names))} are not free to be imposed: constraints hold "
        "them, or tie them to each other; leave one out",
    )


def _geared(part: Any) -> bool:
    """Whether friction is found at its rotor alone."""
    return isinstance(part, RigidFriction) and part.geared


def _changes(smooth: FlowPart, block: Block, found: FoundRows, speeds: list[Scalar]) -> dict[str, Scalar]:
    """How the velocities changed in a step, to extrapolate from; not where a row began to slide or to stick."""
    if not speeds:
        return {}
    modes = [block.own[name][0] for name in found.slides]
    jumps = 0 if smooth.contacts is None else smooth.contacts.jumps[0]
    switched = reduced(lambda total, a, b: total + absolute(a - b), jumps, list(found.slides.values()), modes)
    (changes,) = mapped(lambda a, b: [where(switched > 0, 0, b - a)], smooth.terms.velocities, speeds)
    return {f"change.{k}": x for k, x in enumerate(changes)}


def _moved_though_stuck(smooth: FlowPart, found: FoundRows, speeds: list[Scalar], h: Scalar) -> Scalar:
    """How far stuck rows move at the end of a step, as the torque that would have stopped them [N·m or N]."""

    def ended(name: str) -> Scalar:
        return smooth.speed_at_end(name, speeds)

    def worse(worst: Scalar, speed: Scalar, J: Scalar, slides: Scalar) -> Scalar:
        return maximum(worst, where(absolute(slides) > 0, 0, absolute(speed) * J / h))

    ends, slides = ([of(name) for name in found.inertia] for of in (ended, found.slides.get))
    return reduced(worse, 0, ends, list(found.inertia.values()), slides)
