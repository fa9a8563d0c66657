"""The semi-implicit method: rigid dry friction at honest steps.

Velocities first, with friction found at velocity level (`rows.stick_slip`), then positions with the new velocities. A stuck
site has velocity 0 to rounding, whatever the step: nothing creeps. Viscous friction and bristles are linear in the new velocity,
so they cannot make the step unstable; all other forces are those of the beginning of the step. First order.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stiction.dynamics.composite_body import Factors, factor, solve
from stiction.friction.dry import Dry
from stiction.friction.law import Linear
from stiction.part import Admittance, Implicit, Part, Row
from stiction.rows.stick_slip import Outcome, stick_slip
from stiction.simulation.flowing import Stepped, dot
from stiction.simulation.forces import Friction, RigidFriction
from stiction.simulation.network import Evaluation, Network, NetworkError
from stiction.trace.expression import Expr
from stiction.trace.functions import Scalar

SOFTNESS = 1e-12  # of sites that depend on each other: they give by this part of what one step without friction would move them


def rigid(network: Network) -> Network:
    """The network with its dry friction as rows; refuses what the method cannot advance."""
    network.must_be_mechanical("method 'semi_implicit'")
    made = network.with_parts(lambda _, part: _as_row(part))
    for name, part in implicit(made).items():
        _check_direction(made, name, part)
    return made


def _as_row(part: Part) -> Part:
    return RigidFriction(law=part.law) if isinstance(part, Friction) and isinstance(part.law, Dry) and part.dimension == 1 else part


def _seen_and_pushed(network: Network, name: str, part: Implicit) -> tuple[list[float], list[float], float]:
    """How a part sees the velocities of all bodies, how it pushes on them (with the sign of friction), and what it sees at rest."""
    now = network.evaluate(list(network.start.values()), 0.0, 1e-3)
    pushed = [float(x) for x in network.direction(now, name)]
    seen = []
    for k in (None, *range(len(pushed))):
        own, first = dict(now.own), 0
        for body_name, body in network.bodies.items():
            nq, nv = body.positions(), len(now.own[body_name]) - body.positions()
            own[body_name] = [*now.own[body_name][:nq], *(float(j == k) for j in range(first, first + nv))]
            first += nv
        moving = {f"{b}.{port}": x for b, body in network.bodies.items() for port, x in body.motion(own[b]).items()}
        seen.append(part.sense * float(network.inputs(name, now.signals | moving)[part.velocity_port][0]))
    return [x - seen[0] for x in seen[1:]], pushed, seen[0]


def _check_direction(network: Network, name: str, part: Implicit) -> None:
    """Refuse what does not act where its velocity is taken."""
    seen, pushed, still = _seen_and_pushed(network, name, part)
    if any(abs(a - b) > 1e-9 for a, b in zip(seen, pushed, strict=True)):
        raise NetworkError(
            f"'{name}' takes its velocity as one combination of bodies and acts on another; "
            "for 'semi_implicit' the gains of its torque must be the transposed gains of its velocity, with a minus for friction"
        )
    if abs(still) > 1e-9:
        raise NetworkError(f"'{name}' sees a velocity while everything rests (a wire with a shift, or from a source); 'semi_implicit' cannot: use method 'rk4'")


def check_signs(network: Network) -> None:
    """Refuse friction that is wired to push instead of to resist."""
    if not all(body.mechanical for body in network.bodies.values()):
        return
    for name, part in network.parts.items():
        if isinstance(part, Friction) and part.dimension == 1 and (not isinstance(part.law, Dry) or part.law.stiffness is not None):
            seen, pushed, _ = _seen_and_pushed(network, name, part)
            if any(pushed) and all(abs(a + b) < 1e-9 for a, b in zip(seen, pushed, strict=True)):
                raise NetworkError(f"friction '{name}' is wired to push its body along; its torque has the sign of the velocity: give its term the gain -1")


class _Ends(NamedTuple):
    """What the method finds together with the velocities.

    Attributes:
        parts: friction on one velocity and motors, by name.
        rows: their velocities over those of all bodies.
        seen: their inputs at the beginning of the step.
        linear: their torques at its end, linear in their velocities.
    """

    parts: dict[str, Implicit]
    rows: dict[str, list[Scalar]]
    seen: dict[str, dict[str, list[Scalar]]]
    linear: dict[str, Linear]

    @property
    def held(self) -> dict[str, Row]:
        """Those that are rows."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Row)}


def semi_implicit_step(network: Network, state: Sequence[Scalar], works: Sequence[Scalar], t: Scalar, h: Scalar) -> Stepped:
    """One step of a network that `rigid` prepared."""
    now = network.evaluate(state, t, h)
    v = network.velocities(now.own)
    ends = _ends(network, now, v, t, h)
    pushes = network.pushes(now)
    M, bias = network.mechanics(now)
    known = _known(pushes, ends, len(v))
    momentum = [dot(M[i], v) + h * (known[i] - bias[i]) for i in range(len(v))]
    factors = factor(_damped(M, ends, h))
    after, found = _stick_or_slip(now, v, ends, factors, solve(factors, momentum), h)
    torques, states = _ended(now, v, after, ends, found, h)
    states |= {name: own for name, own in _moved(network, now, after, h).items() if name not in states}
    done = _worked(pushes, ends, torques, [(a + b) / 2 for a, b in zip(v, after, strict=True)], works, h)
    return Stepped(network.settle([x for name in network.parts for x in states[name]]), done, found.residual / h)


def _ends(network: Network, now: Evaluation, v: Sequence[Scalar], t: Scalar, h: Scalar) -> _Ends:
    parts = implicit(network)
    rows = {name: network.direction(now, name) for name in parts}
    seen = {name: network.inputs(name, now.signals) for name in parts}
    linear = {name: part.at_end(seen[name], now.own[name], dot(rows[name], v), h, t) for name, part in parts.items()}
    return _Ends(parts, rows, seen, linear)


def _known(pushes: Mapping[str, list[Scalar]], ends: _Ends, n: int) -> list[Scalar]:
    """All that pushes, at velocity 0 where it is linear in the velocity."""
    total: list[Scalar] = [0] * n
    for name, push in pushes.items():
        share = [-x * ends.linear[name].torque for x in ends.rows[name]] if name in ends.rows else push
        total = [a + b for a, b in zip(total, share, strict=True)]
    return total


def _damped(M: list[list[Scalar]], ends: _Ends, h: Scalar) -> list[list[Scalar]]:
    """The mass matrix with what grows with the velocities at the end of the step."""
    slopes = [(row, ends.linear[name].slope) for name, row in ends.rows.items()]
    n = len(M)
    return [[M[i][j] + h * sum((row[i] * slope * row[j] for row, slope in slopes), start=0) for j in range(n)] for i in range(n)]


def _stick_or_slip(now: Evaluation, v: Sequence[Scalar], ends: _Ends, factors: Factors, after: list[Scalar], h: Scalar) -> tuple[list[Scalar], Outcome]:
    """The velocities with the impulses of the rows, from those without."""
    held, rows = ends.held, ends.rows
    responses = {name: solve(factors, rows[name]) for name in held}
    soft = SOFTNESS if dependent([rows[name] for name in held]) else 0
    A = [[dot(rows[a], responses[b]) * (1 + soft if a == b else 1) for b in held] for a in held]
    limits = [part.limits(now.own[name], dot(rows[name], v), h) for name, part in held.items()]
    found = stick_slip(A, [dot(rows[name], after) for name in held], limits, [now.own[name][0] for name in held])
    for name, p in zip(held, found.impulse, strict=True):
        after = [x - r * p for x, r in zip(after, responses[name], strict=True)]
    return after, found


def _ended(
    now: Evaluation, v: Sequence[Scalar], after: list[Scalar], ends: _Ends, found: Outcome, h: Scalar
) -> tuple[dict[str, Scalar], dict[str, Sequence[Scalar]]]:
    """Torques and states of all that was found with the velocities."""
    torques, states = {}, {}
    for name, end in ends.linear.items():
        s = dot(ends.rows[name], after)
        torques[name] = end.torque + end.slope * s
        states[name] = [end.bend + end.bend_slope * s] if now.own[name] else []
    for (name, part), p, mode in zip(ends.held.items(), found.impulse, found.mode, strict=True):
        torques[name] = torques[name] + p / h
        acceleration = (dot(ends.rows[name], after) - dot(ends.rows[name], v)) / h
        states[name] = list(part.found(ends.seen[name], now.own[name], mode, torques[name], acceleration))
    return torques, states  # type: ignore[return-value]


def _worked(
    pushes: Mapping[str, list[Scalar]], ends: _Ends, torques: Mapping[str, Scalar], middle: list[Scalar], works: Sequence[Scalar], h: Scalar
) -> list[Scalar]:
    """Works after the step: of an impulse, it is that at the mean of the velocities before and after."""
    if not works:
        return []
    final = {name: [-x * torques[name] for x in ends.rows[name]] if name in torques else push for name, push in pushes.items()}
    return [w + h * dot(push, middle) for w, push in zip(works, final.values(), strict=True)]


def dependent(rows: list[list[Scalar]]) -> bool:
    """Whether some sites follow from others, such as two on one joint: then nothing says who holds how much, and they must give a little."""
    if len(rows) > (len(rows[0]) if rows else 0):
        return True
    if any(isinstance(x, Expr) for row in rows for x in row):
        return False
    return bool(rows) and int(np.linalg.matrix_rank(np.array(rows, float))) < len(rows)


def implicit(network: Network) -> dict[str, Implicit]:
    """What the method finds together with the velocities: friction on one velocity, and motors."""
    return {name: part for name, part in network.parts.items() if isinstance(part, Implicit) and part.outputs["torque"] == 1}


def _moved(network: Network, now: Evaluation, v: list[Scalar], h: Scalar) -> dict[str, Sequence[Scalar]]:
    """All states but those of sites: bodies with their new velocities, impedances by their rates."""
    states: dict[str, Sequence[Scalar]] = {}
    first = 0
    for name, part in network.parts.items():
        own = now.own[name]
        if isinstance(part, Admittance):
            nq = part.positions()
            velocities = v[first : first + len(own) - nq]
            first += len(velocities)
            rates = part.position_rates([*own[:nq], *velocities])
            states[name] = [*(x + h * rate for x, rate in zip(own[:nq], rates, strict=True)), *velocities]
        else:
            states[name] = [x + h * rate for x, rate in zip(own, now.rates[name], strict=True)]
    return states
