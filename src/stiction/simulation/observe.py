"""What can be seen of a run: states, outputs, modes of friction. And the marks that must be kept along the way to see
it.
"""

from collections.abc import Sequence

from stiction.friction.law import CREEP, SLIDING, STUCK
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.wires import Port
from stiction.parts.end_stop import EndStopPart
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Row, output_names
from stiction.trace.functions import Scalar, absolute, maximum, where
from stiction.trace.parameters import Key

MARKED = ("mode", "switches", "fastest")  # signals that need marks
REACHED = "reached"  # mark of an end stop: 1 once it has pushed


def sites(network: Network) -> dict[str, FrictionPart]:
    """Friction on one velocity, by name."""
    return {
        name: part
        for name, part in network.parts.items()
        if isinstance(part, FrictionPart) and part.inputs["velocity"] == 1
    }


def end_stops(network: Network) -> list[str]:
    """The names of end stops."""
    return [name for name, part in network.parts.items() if isinstance(part, EndStopPart)]


def first_marks(network: Network) -> dict[str, dict[str, float]]:
    """What is kept of each friction site, with first values.

    mode: 0 stuck, 1 pre-sliding, 2 sliding; a mode that does not last two steps is no switch. Below 0 before the first
        step.
    seen: the mode of the last step, where the states of the site do not tell it.
    switches: how often the mode changed.
    fastest: largest speed so far [rad/s or m/s].
    """
    made = {}
    for name, part in sites(network).items():
        seen = {} if isinstance(part, Row) else {"seen": -1.0}
        made[name] = {"mode": -1.0, **seen, "switches": 0.0, "fastest": 0.0}
    return made


def marked(network: Network, before: Block, after: Block, t: Scalar, h: Scalar) -> Block:
    """The state after a step with its marks, from the states before and after it."""
    was, now = network.evaluate(before.own, t, h), network.evaluate(after.own, t, h)
    marks: dict[str, Sequence[Scalar]] = {}
    for name in end_stops(network):
        (torque,) = now.signals[Port(name, "torque")]
        marks[name] = [where(absolute(torque) > 0, 1, before.marks[name][0])]
    for name, part in sites(network).items():
        if name not in before.marks:
            continue
        mode_before, *seen, switches, fastest = before.marks[name]
        u, v = (network.inputs(name, moment.signals)["velocity"][0] for moment in (was, now))
        begun = mode_before >= 0
        old = where(begun, mode_before, _at_first(u))
        last = seen[0] if seen else where(begun, part.mode(u, was.own[name], h), -1)
        mode = part.mode(v, now.own[name], h)
        changed = (mode == last) & (mode != old)
        kept = [mode] if seen else []
        counted = switches + where(changed, 1, 0)
        marks[name] = [where(changed, mode, old), *kept, counted, maximum(fastest, absolute(v))]
    return after._replace(marks=marks)


def _at_first(v: Scalar) -> Scalar:
    """The mode before the first step."""
    return where(absolute(v) > CREEP, SLIDING, STUCK)


def signal_keys(network: Network) -> list[Key]:
    """Keys of all signals that a network can show, those of marks included."""
    found: list[Key] = []
    for name, part in network.parts.items():
        outputs = [] if name in network.bodies else output_names(part.outputs)
        hidden = set(part.hidden)
        visible = (state for state in part.start() if state not in hidden)
        found += dict.fromkeys((name, x) for x in (*visible, *outputs))
    return found + [(name, what) for name in sites(network) for what in ("margin", *MARKED)]


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
    for name, part in sites(network).items():
        v = network.inputs(name, now.signals)["velocity"][0]
        seen[name, "margin"] = part.margin(v, now.own[name], h)
        if name in block.marks:
            mode, *_, switches, fastest = block.marks[name]
            seen[name, "mode"] = where(mode < 0, _at_first(v), mode)
            seen[name, "switches"] = switches
            seen[name, "fastest"] = maximum(fastest, absolute(v))
    return seen
