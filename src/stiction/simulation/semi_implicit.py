"""The semi-implicit method: rigid dry friction at honest steps.

Velocities first, with friction found at velocity level (`rows.stick_slip`), then positions with the new velocities. A stuck
site has velocity 0 to rounding, whatever the step: nothing creeps. Viscous friction and bristles are linear in the new velocity,
so they cannot make the step unstable; all other forces are those of the beginning of the step. First order.
"""

from collections.abc import Sequence

from stiction.dynamics.composite_body import factor, solve
from stiction.friction.dry import Dry
from stiction.friction.law import Linear
from stiction.rows.stick_slip import Limits, stick_slip
from stiction.simulation.flowing import Stepped, dot
from stiction.simulation.forces import Friction, RigidFriction
from stiction.simulation.network import Evaluation, Network, NetworkError
from stiction.simulation.part import Admittance, Part
from stiction.simulation.sites import Site, sites
from stiction.trace.functions import Scalar, absolute


def rigid(network: Network) -> Network:
    """The network with its dry friction as rows; refuses what the method cannot advance."""
    for name, body in network.bodies.items():
        if not body.mechanical:
            raise NetworkError(f"part '{name}' ({type(body).__name__}) says no mass_matrix, which 'semi_implicit' needs; write one, or use method 'rk4'")
    made = network.with_parts(lambda _, part: _as_row(part))
    for name in sites(made):
        _check_direction(made, name)
    return made


def _as_row(part: Part) -> Part:
    return RigidFriction(law=part.law) if isinstance(part, Friction) and isinstance(part.law, Dry) and part.dimension == 1 else part


def _check_direction(network: Network, name: str) -> None:
    """Refuse friction whose torque does not act where its velocity is taken."""
    now = network.evaluate(list(network.start.values()), 0.0, 1e-3)
    direction = network.direction(now, name)
    units = [[float(k == j) for k in range(len(direction))] for j in range(len(direction))]
    for unit, d in zip(units, direction, strict=True):
        own, first = dict(now.own), 0
        for body_name, body in network.bodies.items():
            nq, nv = body.positions(), len(now.own[body_name]) - body.positions()
            own[body_name] = [*now.own[body_name][:nq], *unit[first : first + nv]]
            first += nv
        signals = {f"{b}.{port}": x for b, body in network.bodies.items() for port, x in body.motion(own[b]).items()}
        try:
            (s,) = network.inputs(name, signals)["velocity"]
        except KeyError:
            s = float("nan")
        if not abs(s - d) < 1e-9:
            raise NetworkError(
                f"friction '{name}' takes its velocity as one combination of bodies and acts on another; "
                "for 'semi_implicit' the gains of its torque must be minus the transposed gains of its velocity"
            )


def semi_implicit_step(network: Network, state: Sequence[Scalar], works: Sequence[Scalar], t: Scalar, h: Scalar) -> Stepped:
    """One step of a network that `rigid` prepared."""
    now = network.evaluate(state, t, h)
    v = network.velocities(now.own)
    where = sites(network)
    rows = {name: network.direction(now, name) for name in where}
    linear = {name: _linear(part, dot(rows[name], v), now.own[name], h) for name, part in where.items()}
    pushes = network.pushes(now)
    known = [0] * len(v)
    for name, push in pushes.items():
        share = [-x * linear[name].torque for x in rows[name]] if name in rows else push
        known = [a + b for a, b in zip(known, share, strict=True)]
    M, bias = network.mechanics(now)
    momentum = [dot(M[i], v) + h * (known[i] - bias[i]) for i in range(len(v))]
    damped = [[M[i][j] + h * sum((rows[s][i] * linear[s].slope * rows[s][j] for s in rows), start=0) for j in range(len(v))] for i in range(len(v))]
    factors = factor(damped)
    rigid_ones = {name: part for name, part in where.items() if isinstance(part, RigidFriction)}
    responses = {name: solve(factors, rows[name]) for name in rigid_ones}
    after = solve(factors, momentum)
    A = [[dot(rows[a], responses[b]) for b in rigid_ones] for a in rigid_ones]
    free = [dot(rows[name], after) for name in rigid_ones]
    limits = [_limits(part.law, dot(rows[name], v), h) for name, part in rigid_ones.items()]
    found = stick_slip(A, free, limits, [now.own[name][0] for name in rigid_ones])
    for name, p in zip(rigid_ones, found.impulse, strict=True):
        after = [x - r * p for x, r in zip(after, responses[name], strict=True)]
    states: dict[str, Sequence[Scalar]] = _moved(network, now, after, h)
    torques = {}
    for name in where:
        s, law = dot(rows[name], after), linear[name]
        torques[name] = law.torque + law.slope * s
        states[name] = [law.bend + law.bend_slope * s] if now.own[name] else []
    for name, p, mode in zip(rigid_ones, found.impulse, found.mode, strict=True):
        torques[name] = torques[name] + p / h
        states[name] = [mode, torques[name]]
    middle = [(a + b) / 2 for a, b in zip(v, after, strict=True)]
    pushes = {name: [-x * torques[name] for x in rows[name]] if name in rows else push for name, push in pushes.items()}
    done = [w + h * dot(push, middle) for w, push in zip(works, pushes.values(), strict=True)] if works else []
    return Stepped(network.settle([x for name in network.parts for x in states[name]]), done, found.residual / h)


def _linear(part: Site, s: Scalar, own: Sequence[Scalar], h: Scalar) -> Linear:
    """What a site does beside its row: viscous friction of dry laws, the whole of all others."""
    if isinstance(part, RigidFriction):
        return Linear(0, part.law.viscous, 0, 0)
    return part.law.implicit(s, own[0] if own else 0, h)


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


def _limits(law: Dry, s: Scalar, h: Scalar) -> Limits:
    """Impulses at break-away, and at the speed at which the step begins; viscous friction is not among them."""
    w = absolute(s)
    slide = [law.strength(w, direction) - law.viscous * w for direction in (1, -1)]
    return Limits(h * law.breakaway(1), h * law.breakaway(-1), h * slide[0], h * slide[1])
