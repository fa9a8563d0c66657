"""What can be seen of a run: states, outputs, modes of friction. And the marks that must be kept along the way to see
it.
"""

from collections.abc import Sequence
from typing import Any

from stiction.friction.law import CREEP, SLIDING, STUCK
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.wires import Port
from stiction.parts.end_stop import EndStopPart
from stiction.parts.friction import RubbingPart, length
from stiction.parts.kinds import Row, flat_ports, output_names, split
from stiction.trace.functions import Scalar, absolute, maximum, where
from stiction.trace.parameters import Key

MARKED = ("lasting_mode", "switches", "fastest")  # signals that need marks
REACHED = "reached"  # mark of an end stop: 1 once it has pushed


def sites(network: Network) -> dict[str, RubbingPart]:
    """Where there is friction, by name."""
    return {
        name: part for name, part in network.parts.items() if isinstance(part, RubbingPart) and part.law is not None
    }


def _directions(part: RubbingPart) -> list[str]:
    """Names of the components of the direction in which it slides."""
    return output_names({"direction": part.inputs.get("velocity", 1)})


def end_stops(network: Network) -> list[str]:
    """The names of end stops."""
    return [name for name, part in network.parts.items() if isinstance(part, EndStopPart)]


def first_marks(network: Network) -> dict[str, dict[str, float]]:
    """What is kept of each friction site, with first values.

    lasting_mode: 0 stuck, 1 pre-sliding, 2 sliding; a mode that does not last two steps does not count. Below 0 before
        the first step.
    seen: the mode of the last step, where the states of the site do not tell it.
    switches: how often the mode changed.
    fastest: largest speed so far [rad/s or m/s].
    """
    made = {}
    for name, part in sites(network).items():
        seen = {} if isinstance(part, Row) else {"seen": -1.0}
        made[name] = {"lasting_mode": -1.0, **seen, "switches": 0.0, "fastest": 0.0}
    return made


def marked(network: Network, before: Block, after: Block, t: Scalar, h: Scalar) -> Block:
    """The state after a step with its marks, from the states before and after it."""
    was, now = network.evaluate(before.own, t, h), network.evaluate(after.own, t, h)
    marks: dict[str, Sequence[Scalar]] = {}
    for name in end_stops(network):
        (torque,) = now.signals[Port(name, "torque")]
        part: Any = network.parts[name]
        motion = network.inputs(name, was.signals)
        (x,), (v,) = motion["position"], motion["velocity"]
        soon = x + h * v  # an impact may begin and end within a step
        beyond = absolute(torque) > 0
        beyond = beyond if part.upper is None else beyond | (soon > part.upper)
        beyond = beyond if part.lower is None else beyond | (soon < part.lower)
        marks[name] = [where(beyond, 1, before.marks[name][0])]

    def site(_: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
        first, left = split(part.inputs, numbers)
        second, left = split(part.inputs, left)
        n = len(part.start())
        was, now, (mode_before, *seen, switches, fastest) = left[:n], left[n : 2 * n], left[2 * n :]
        u, v = (length(part.surface_velocity(motion)) for motion in (first, second))
        begun = mode_before >= 0
        old = where(begun, mode_before, _at_first(u))
        last = seen[0] if seen else where(begun, part.mode(first, was, h), -1)
        mode = part.mode(second, now, h)
        changed = (mode == last) & (mode != old)
        kept = [mode] if seen else []
        counted = switches + where(changed, 1, 0)
        return [where(changed, mode, old), *kept, counted, maximum(fastest, v)]

    names = [name for name in sites(network) if name in before.marks]
    given = {}
    for name in names:
        motions = [x for moment in (was, now) for x in flat_ports(network.inputs(name, moment.signals))]
        given[name] = [*motions, *was.own[name], *now.own[name], *before.marks[name]]
    return after._replace(marks=marks | network.for_all(names, given, site))


def _at_first(speed: Scalar) -> Scalar:
    """The mode before the first step."""
    return where(speed > CREEP, SLIDING, STUCK)


def signal_keys(network: Network) -> list[Key]:
    """Keys of all signals that a network can show, those of marks included."""
    found: list[Key] = []
    for name, part in network.parts.items():
        outputs = [] if name in network.bodies else output_names(part.outputs)
        hidden = set(part.hidden)
        visible = (state for state in part.start() if state not in hidden)
        found += dict.fromkeys((name, x) for x in (*visible, *outputs))
    for name, part in sites(network).items():
        found += [(name, what) for what in ("margin", "mode", *_directions(part), *MARKED)]
    return found


def signals(network: Network, block: Block, t: Scalar, h: Scalar) -> dict[Key, Scalar]:
    """All signals of a network at a state; those of marks where they are kept."""
    now = network.evaluate(block.own, t, h)
    seen: dict[Key, Scalar] = {}
    for name, part in network.parts.items():
        states, hidden = zip(part.start(), now.own[name], strict=True), set(part.hidden)
        seen |= {(name, state): x for state, x in states if state not in hidden}
        if name not in network.bodies:
            values = [x for port in part.outputs for x in now.signals[Port(name, port)]]
            seen |= {(name, output): x for output, x in zip(output_names(part.outputs), values, strict=True)}

    def site(_: str, part: Any, numbers: list[Scalar]) -> list[Scalar]:
        motion, left = split(part.inputs, numbers)
        own, marks = left[: len(part.start())], left[len(part.start()) :]
        found = [part.margin(motion, own, h), part.mode(motion, own, h), *part.direction(motion, own, h)]
        if marks:
            (mode, *_seen), (switches, fastest) = marks[:-2], marks[-2:]
            speed = length(part.surface_velocity(motion))
            found += [where(mode < 0, _at_first(speed), mode), switches, maximum(fastest, speed)]
        return found

    given = {
        name: [*flat_ports(network.inputs(name, now.signals)), *now.own[name], *block.marks.get(name, ())]
        for name in sites(network)
    }
    places = sites(network)
    for name, numbers in network.for_all(list(given), given, site).items():
        what = ["margin", "mode", *_directions(places[name]), *MARKED]
        seen |= {(name, signal): x for signal, x in zip(what, numbers, strict=False)}
    return seen
