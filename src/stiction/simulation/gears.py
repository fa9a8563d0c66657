"""Friction of gears as in gears.md: held over the step, found before it; the step itself is Runge–Kutta–Gill.

"gears" is the paper's semi-implicit method (25) to (29): each joint with a rotor finds its friction alone, from the rotor's inertia and the torque that
the link took in the last step. "gears_implicit" is the method that it is compared with, (15) to (24): all joints together through the mass matrix.
Joints without a rotor find theirs through the mass matrix in both, since (26) would divide by 0. References follow a joint that slips (24).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from stiction.drive.motor import Motor
from stiction.dynamics.composite_body import factor, solve
from stiction.friction.dry import Dry
from stiction.friction.law import SLIDING, STUCK
from stiction.part import Impedance, Part, Ports
from stiction.rows.stick_slip import Limits, stick_slip
from stiction.simulation.bodies import RobotBody
from stiction.simulation.flowing import Stepped, dot
from stiction.simulation.forces import Friction
from stiction.simulation.integrate import runge_kutta_gill
from stiction.simulation.network import Evaluation, Network
from stiction.simulation.semi_implicit import SOFTNESS, dependent
from stiction.trace.functions import Scalar, absolute, maximum, where


@dataclass(frozen=True, kw_only=True)
class HeldFriction(Impedance):
    """Dry friction whose torque is held over a step. Ports as those of `Friction`.

    Attributes:
        law: the friction law.
        rotor: inertia of the rotor as the site feels it [kg m²]; 0 where there is none.
        first_load: torque that the link takes at the start [N·m or N]: from 0 a loaded joint would shift a little.
    """

    inputs = {"velocity": 1}
    outputs = {"torque": 1}
    units = Friction.units | {"gone": "rad or m", "load": "N·m or N"}

    first_values = ("first_load",)
    geared: ClassVar[bool] = False  # whether there is a rotor: structure, set once

    law: Dry
    rotor: float
    first_load: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "geared", self.rotor > 0)

    def start(self) -> Mapping[str, float]:
        """Direction of sliding (−1, 0, 1), torque, way since the reference, and what the link took in the last step."""
        return {"slides": 0.0, "held": 0.0, "gone": 0.0, "load": self.first_load}

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torque that was found; the way grows."""
        return {"torque": [own[1]]}, [0, 0, motion["velocity"][0], 0]

    def mode(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """0 stuck, 2 sliding."""
        return where(absolute(own[0]) > 0, SLIDING, STUCK)

    def margin(self, v: Scalar, own: list[Scalar], step: Scalar) -> Scalar:
        """Torque that is missing to break-away [N·m or N]."""
        return where(absolute(own[0]) > 0, 0, maximum(0, self.law.breakaway(own[1]) - absolute(own[1])))

    def limits(self, s: Scalar, step: Scalar) -> Limits:
        """Bounds of the impulse in a step: break-away at rest, the curve at the speed at which the step begins."""
        ahead, back = (step * self.law.strength(absolute(s), direction) for direction in (1, -1))
        return Limits(step * self.law.breakaway(1), step * self.law.breakaway(-1), ahead, back)

    def projected(self, torque: Scalar, s: Scalar, slid: Scalar) -> tuple[Scalar, Scalar]:
        """Torque and direction of sliding, (21): it sticks below break-away (from rest) or below the curve (while sliding), else it slips on the curve.

        At rest the direction is that of the torque that would hold; a joint that passes zero stops first.
        """
        w = absolute(s)
        ahead = where((absolute(slid) > 0) & (w > 0), s, torque)  # a stuck joint has only rounding for a velocity
        limit = where(absolute(slid) > 0, self.law.strength(0 * w, ahead), self.law.breakaway(torque))
        sticks = absolute(torque) <= limit
        curve = self.law.strength(w, ahead)
        slip = where(ahead < 0, -curve, curve)
        return where(sticks, torque, slip), where(sticks, 0, where(ahead < 0, -1, 1))


def held(network: Network) -> Network:
    """The network with its dry friction held over steps."""
    network.must_be_mechanical("methods 'gears' and 'gears_implicit'")
    found = _rotors(network)

    def change(name: str, part: Part) -> Part:
        if not isinstance(part, Friction) or name not in found:
            return part
        rotor, load = found[name]
        return HeldFriction(law=part.law, rotor=rotor, first_load=load)  # type: ignore[arg-type]

    return network.with_parts(change)


def _rotors(network: Network) -> dict[str, tuple[float, float]]:
    """Rotor inertia that each dry site feels, and the torque that its link takes at rest; 0 where it is not on one joint with a rotor of its own."""
    found: dict[str, tuple[float, float]] = {}
    dry = [name for name, part in network.parts.items() if isinstance(part, Friction) and isinstance(part.law, Dry) and part.dimension == 1]
    bare = network.with_parts(lambda name, part: HeldFriction(law=part.law, rotor=0.0) if name in dry else part)  # type: ignore[attr-defined]
    now = bare.evaluate(list(bare.start.values()), 0.0, 1.0)
    loads = resting_loads(bare, now, dry)
    owners = [(body, k) for body in network.bodies.values() for k in range(len(body.start()) - body.positions())]
    places = {name: [k for k, x in enumerate(bare.direction(now, name)) if x] for name in dry}
    for name, load in zip(dry, loads, strict=True):
        row, ones = bare.direction(now, name), places[name]
        if list(places.values()).count(ones) > 1:  # two sites on one joint must see each other
            found[name] = 0.0, 0.0
            continue
        body, place = owners[ones[0]] if len(ones) == 1 else (None, 0)
        factor_ = float(row[ones[0]]) if ones else 1.0
        rotor = _reflected(body, place) / factor_**2 if isinstance(body, RobotBody) else 0.0
        found[name] = rotor, float(load) if rotor else 0.0
    return found


def resting_loads(network: Network, now: Evaluation, sites: Sequence[str]) -> list[Scalar]:
    """The torque that the link of each site on one joint takes at rest: gravity, and all that pushes but motors and friction."""
    _, bias = network.mechanics(now)
    outer: list[Scalar] = [-x for x in bias]
    for name, push in network.pushes(now).items():
        if not isinstance(network.parts.get(name), (Motor, HeldFriction)):
            outer = [a + b for a, b in zip(outer, push, strict=True)]
    return [-_along(network.direction(now, name), outer) for name in sites]


def _reflected(body: RobotBody, place: int) -> float:
    robot = body.robot
    joints = {joint.name: joint for joint in robot.joints}
    joint = joints.get(robot.velocity_names[place])
    return joint.reflected_inertia if joint is not None and robot.coupling is None else 0.0


def gear_step(
    coupled: bool,
    network: Network,
    state: Sequence[Scalar],
    works: Sequence[Scalar],
    t: Scalar,
    h: Scalar,
    pull: Scalar = 0,
    softness: Scalar = 0,
    splitting: bool = False,
) -> Stepped:
    """One step, steps 2 to 9 of the paper's procedure; `pull` is k_q h, `softness` λ_q over A²; `splitting` compares with the other method."""
    now = network.evaluate(state, t, h)
    v = network.velocities(now.own)
    sites = {name: part for name, part in network.parts.items() if isinstance(part, HeldFriction)}
    rows = {name: network.direction(now, name) for name in sites}
    motors = _motor_push(network, now)
    alone = [name for name, part in sites.items() if not coupled and part.geared]
    wished = {name: _alone(sites[name], now.own[name], dot(rows[name], v), _along(rows[name], motors), h, pull, softness) for name in alone}
    found = {name: sites[name].projected(wished[name], dot(rows[name], v), now.own[name][0]) for name in alone}
    rest = {name: rows[name] for name in sites if name not in alone}
    joined = _together(network, now, v, rest, {name: (rows[name], found[name][0]) for name in alone}, h, pull, softness)
    found |= joined.found
    apart: Scalar = 0
    for name, (torque, _) in (_together(network, now, v, rows, {}, h, pull, softness).found if splitting else {}).items():
        apart = maximum(apart, absolute(torque - found[name][0]))
    states = {name: list(own) for name, own in now.own.items()}
    for name, (torque, slides) in found.items():
        gone = where(absolute(slides) > 0, 0, now.own[name][2])  # (24), with the values at the start of the step
        states[name] = [slides, torque, gone, now.own[name][3]]
    n = len(state)

    def flow(x: list[Scalar], t: Scalar, stage: Scalar) -> list[Scalar]:
        then = network.evaluate(x[:n], t, stage)
        rates = network.rates(then, t)
        return [*rates, *(dot(push, network.velocities(then.own)) for push in network.pushes(then).values())] if works else rates

    after = runge_kutta_gill(flow, [*(x for name in network.parts for x in states[name]), *works], t, h)
    ended = network.split(after[:n])
    speeds = network.velocities(ended)
    for name, part in sites.items():
        acceleration = dot(rows[name], [(b - a) / h for a, b in zip(v, speeds, strict=True)])
        ended[name] = [*ended[name][:3], _along(rows[name], motors) - part.rotor * acceleration - found[name][0]]  # (2)
    final = network.finished([x for name in network.parts for x in ended[name]], t + h, h)
    inertia = joined.inertia | {name: sites[name].rotor for name in alone}
    residual = maximum(joined.residual, _residual(inertia, found, {name: dot(rows[name], speeds) for name in sites}, h))
    return Stepped(network.settle(final), after[n:], residual, apart)


def _motor_push(network: Network, now: Evaluation) -> list[Scalar]:
    """What all motors push along the velocities of all bodies: E e − D q̇ of (2)."""
    total: list[Scalar] = [0] * len(network.velocities(now.own))
    for name, part in network.parts.items():
        if isinstance(part, Motor):
            total = [a + b for a, b in zip(total, network.push(now, name), strict=True)]
    return total


def _along(row: Sequence[Scalar], push: Sequence[Scalar]) -> Scalar:
    """A push on the one joint of a site, as a torque at the site."""
    return sum((p / r for r, p in zip(row, push, strict=True) if not (isinstance(r, (int, float)) and r == 0)), start=0)


def _alone(part: HeldFriction, own: Sequence[Scalar], s: Scalar, motor: Scalar, h: Scalar, pull: Scalar, softness: Scalar) -> Scalar:
    """The torque that would stop the rotor in this step, (26), (27)."""
    A = h / part.rotor
    c = A * (motor - own[3]) + s
    return (c + pull / h * own[2]) / (A * (1 + softness))


class _Joined(NamedTuple):
    """What was found for several sites: torques and directions of sliding, the inertia that each feels, and what contradiction was left [N·m or N]."""

    found: dict[str, tuple[Scalar, Scalar]]
    inertia: dict[str, Scalar]
    residual: Scalar


def _together(
    network: Network,
    now: Evaluation,
    v: Sequence[Scalar],
    rows: Mapping[str, Sequence[Scalar]],
    others: Mapping[str, tuple[Sequence[Scalar], Scalar]],
    h: Scalar,
    pull: Scalar,
    softness: Scalar,
) -> "_Joined":
    """The torques of these sites together, (16) to (21), the stuck ones found again when others slip; those of `others` are known."""
    if not rows:
        return _Joined({}, {}, 0)
    sites: dict[str, Any] = {name: network.parts[name] for name in rows}
    forces: list[Scalar] = [0] * len(v)
    for name, push in network.pushes(now).items():
        if name not in rows and name not in others:
            forces = [a + b for a, b in zip(forces, push, strict=True)]
    for row, torque in others.values():
        forces = [a - r * torque for a, r in zip(forces, row, strict=True)]
    M, bias = network.mechanics(now)
    factors = factor(M)
    free = solve(factors, [f - b for f, b in zip(forces, bias, strict=True)])
    responses = {name: solve(factors, list(row)) for name, row in rows.items()}
    soft = SOFTNESS if dependent([list(row) for row in rows.values()]) else 0
    A = [[dot(rows[a], responses[b]) * (1 + softness + soft if a == b else 1) for b in rows] for a in rows]
    c = [dot(row, [x + h * y for x, y in zip(v, free, strict=True)]) + pull / h * now.own[name][2] for name, row in rows.items()]
    limits = [sites[name].limits(dot(row, v), h) for name, row in rows.items()]
    outcome = stick_slip(A, c, limits, [now.own[name][0] for name in rows])
    found = {name: (p / h, mode) for name, p, mode in zip(rows, outcome.impulse, outcome.mode, strict=True)}
    return _Joined(found, {name: 1 / A[k][k] for k, name in enumerate(rows)}, outcome.residual / h)


def _residual(inertia: Mapping[str, Scalar], found: Mapping[str, tuple[Scalar, Scalar]], speeds: Mapping[str, Scalar], h: Scalar) -> Scalar:
    """How far stuck sites move at the end of a step, as the torque that would have stopped them [N·m or N]."""
    worst: Scalar = 0
    for name, J in inertia.items():
        worst = maximum(worst, where(absolute(found[name][1]) > 0, 0, absolute(speeds[name]) * J / h))
    return worst
