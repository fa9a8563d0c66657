"""Whether forces couple velocities, as far as the wires tell."""

from collections.abc import Mapping

from stiction.friction.dry import Dry
from stiction.network.network import Network
from stiction.network.wires import Port
from stiction.parts.contact import ContactPart
from stiction.parts.end_stop import EndStopPart
from stiction.parts.friction import FrictionPart
from stiction.parts.kinds import Row
from stiction.parts.robot_body import RobotBody
from stiction.trace.parameters import absent


def uncoupled(network: Network) -> bool:
    """Whether each velocity feels no other through the slopes of forces, and carries one row at most."""
    reach: dict[Port, list[set[int]]] = {}
    sizes = {name: len(body.start()) - body.positions() for name, body in network.bodies.items()}
    first = 0
    for name, body in network.bodies.items():
        own = set(range(first, first + sizes[name]))
        for port, size in body.outputs.items():
            single = isinstance(body, RobotBody) and port == "v"
            still = isinstance(body, RobotBody) and port == "q"
            reach[Port(name, port)] = [set() if still else {first + k} if single else own for k in range(size)]
        first += len(own)
    taken: list[int] = []
    for name in network.order:
        part = network.parts[name]
        felt = {port: _felt(network, Port(name, port), size, reach) for port, size in part.inputs.items()}
        found = set().union(*(x for sets in felt.values() for x in sets)) if felt else set()
        dry = isinstance(part, FrictionPart) and isinstance(part.law, Dry)
        rigid = dry or isinstance(part, (Row, EndStopPart, ContactPart))
        if dry or isinstance(part, Row):
            taken += found if len(found) == 1 else [-1, -1]  # on several: no joint's row
        reach |= {Port(name, port): [set() if rigid else found] * size for port, size in part.outputs.items()}
    first = 0
    for name, body in network.bodies.items():
        inputs = [x for port, size in body.inputs.items() for x in _felt(network, Port(name, port), size, reach)]
        if isinstance(body, RobotBody):
            coupled = any(x - {first + k} for k, x in enumerate(inputs))
        else:
            coupled = bool(set().union(*inputs) - {first}) if inputs else False
        if coupled:
            return False
        first += sizes[name]
    return len(set(taken)) == len(taken)


def _felt(network: Network, port: Port, size: int, reach: Mapping[Port, list[set[int]]]) -> list[set[int]]:
    """The velocities on which each number of an input depends."""
    wire, total = network.driven.get(port), [set[int]() for _ in range(size)]
    for term in wire.all_terms if wire else ():
        source, gain = reach.get(term.port, []), term.gain
        for i in range(size if source else 0):
            for j, g in enumerate(gain[i]) if isinstance(gain, tuple) else [(i, gain)]:
                if not absent(g):
                    total[i] = total[i] | source[j]
    return total
