"""What can be seen of a run: states, forces, modes of friction, energies. And what must be kept along the way to see it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stiction.drive.motor import Motor
from stiction.friction.law import CREEP, SLIDING, STUCK
from stiction.part import Digital, Row, places
from stiction.simulation.forces import Friction
from stiction.simulation.gears import HeldFriction
from stiction.simulation.network import Network
from stiction.simulation.sites import sites
from stiction.trace.functions import Scalar, absolute, maximum, where


class Marks(NamedTuple):
    """What is kept of a friction site from step to step.

    Attributes:
        mode: 0 stuck, 1 pre-sliding, 2 sliding; a mode that does not last two steps is no switch. Below 0 before the first step.
        seen: the mode of the last step.
        switches: how often the mode changed.
        fastest: largest speed so far [rad/s or m/s].
    """

    mode: Scalar
    seen: Scalar
    switches: Scalar
    fastest: Scalar


def first_marks(network: Network) -> list[float]:
    """The marks before the first step."""
    return [x for _ in sites(network) for x in Marks(-1.0, -1.0, 0.0, 0.0)]


def next_marks(network: Network, before: Sequence[Scalar], state: Sequence[Scalar], marks: Sequence[Scalar], t: Scalar, h: Scalar) -> list[Scalar]:
    """The marks after a step, from the states before and after it."""
    was, now = network.evaluate(before, t, h), network.evaluate(state, t, h)
    after: list[Scalar] = []
    for k, (name, part) in enumerate(sites(network).items()):
        old = Marks(*marks[4 * k : 4 * k + 4])
        first = where(absolute(network.inputs(name, was.signals)["velocity"][0]) > CREEP, SLIDING, STUCK)
        old = old._replace(mode=where(old.mode < 0, first, old.mode))
        v = network.inputs(name, now.signals)["velocity"][0]
        mode = part.mode(v, now.own[name], h)
        changed = (mode == old.seen) & (mode != old.mode)
        after += [where(changed, mode, old.mode), mode, old.switches + where(changed, 1, 0), maximum(old.fastest, absolute(v))]
    return after


def signals(network: Network, state: Sequence[Scalar], marks: Sequence[Scalar], t: Scalar, h: Scalar) -> dict[str, Scalar]:
    """All signals of a network at a state, by name."""
    now = network.evaluate(state, t, h)
    seen: dict[str, Scalar] = {}
    for name, part in network.parts.items():
        hidden = ("slides", "held") if isinstance(part, (Row, HeldFriction)) else ()
        seen |= {f"{name}.{inner}": x for inner, x in zip(part.start(), now.own[name], strict=True) if " late " not in inner and inner not in hidden}
        if name in network.bodies:
            continue
        for port, size in part.outputs.items():
            names = [f"{name}.{port}"] if size == 1 else [f"{name}.{port}.{place}" for place in places(size)]
            seen |= dict(zip(names, now.signals[f"{name}.{port}"], strict=True))
    for k, (name, part) in enumerate(sites(network).items()):
        v = network.inputs(name, now.signals)["velocity"][0]
        seen[f"{name}.margin"] = part.margin(v, now.own[name], h)
        if marks:
            kept = Marks(*marks[4 * k : 4 * k + 4])
            seen[f"{name}.mode"] = where(kept.mode < 0, where(absolute(v) > CREEP, SLIDING, STUCK), kept.mode)
            seen[f"{name}.switches"] = kept.switches
            seen[f"{name}.fastest"] = maximum(kept.fastest, absolute(v))
    return seen


def energies(network: Network, state: Sequence[Scalar], works: Sequence[Scalar], t: Scalar, h: Scalar) -> dict[str, Scalar]:
    """Kinetic, potential and stored energies, and the works [J]."""
    now = network.evaluate(state, t, h)
    both = [body.energy(now.own[name]) for name, body in network.bodies.items()]
    seen = {"energy.kinetic": sum((e[0] for e in both), start=0), "energy.potential": sum((e[1] for e in both), start=0)}
    for name in network.order:
        seen[f"stored.{name}"] = network.parts[name].stored(network.inputs(name, now.signals), now.own[name])  # type: ignore[attr-defined]
    return seen | {f"work.{name}": x for name, x in zip(network.pushes(now), works, strict=True)}


def ledger(network: Network, seen: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The books: energies, works of sources, losses, and what does not add up [J].

    Motors, controllers, parts that do not take motion, and those driven by such parts are sources: their work counts. What another gives is what
    it stored or lost.
    """
    stored = {name: seen[f"stored.{name}"] for name in network.order}
    books = {"energy.kinetic": seen["energy.kinetic"], "energy.potential": seen["energy.potential"]}
    books["energy.elastic"] = sum(stored.values(), start=np.zeros_like(books["energy.kinetic"]))
    works = {name.removeprefix("work."): x for name, x in seen.items() if name.startswith("work.")}
    for name, work in works.items():
        part = network.parts.get(name)
        rubs = isinstance(part, (Friction, Row, HeldFriction))
        if rubs or (part is not None and part.inputs and not isinstance(part, (Motor, Digital)) and not network.driven_from_outside(name)):
            books[f"loss.{name}"] = -work - (stored[name] - stored[name][0]) if name in stored else -work
        else:
            books[f"work.{name}"] = work
    bodies = books["energy.kinetic"] + books["energy.potential"]
    books["energy.residue"] = bodies - bodies[0] - sum(works.values(), start=np.zeros_like(bodies))
    return books
