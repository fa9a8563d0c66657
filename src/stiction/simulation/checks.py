"""What no run can have: values that parts refuse, quaternions that are no rotations, masses that are impossible."""

from dataclasses import replace
from typing import Any

import numpy as np

from stiction.errors import StictionError
from stiction.fields import misfits
from stiction.network.layout import Layout, flat_states, states_of
from stiction.network.parameters import Parameters
from stiction.network.programs import shared_program
from stiction.network.start import StartTerms
from stiction.network.wires import Port
from stiction.parts.contact import contact_name
from stiction.parts.end_stop import EndStopPart
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.robot_body import RobotBody
from stiction.scene.scene import ROUNDING
from stiction.simulation.given import Given, place_of
from stiction.trace.parameters import absent
from stiction.trace.program import Port as Slot
from stiction.trace.program import Program


def check_quaternions(layout: Layout, first: np.ndarray, given: Given) -> None:
    """Refuse first values that are no rotation."""
    for name, body in layout.network.bodies.items():
        for places in body.quaternions():
            at = [layout.places[name, state] for state in list(body.start())[places]]
            wrong = np.abs((first[..., at] ** 2).sum(axis=-1) - 1) > 1e-6
            if wrong.any():
                run = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise given.refusal(
                    f"'{name}': its quaternion has not length 1 at the start; allowed: (1, 0, 0, 0)", run
                )


def check_positions(layout: Layout, first: np.ndarray, parameters: Parameters, given: Given) -> None:
    """Refuse first values beyond the ends of a way, or elsewhere than an imposed motion begins."""
    for name, part in layout.network.parts.items():
        if not isinstance(part, (EndStopPart, ImposedMotion)):
            continue
        x = _position(layout, name, first)
        if x is None:
            continue  # something moves under it
        ends: Any = parameters.in_arrays(name)
        if isinstance(part, ImposedMotion):
            begins = part.at_start()[0] if callable(part.function) else ends.function
            wrong = np.abs(x - begins) > ROUNDING * np.maximum(1.0, np.abs(begins))
            why = "where its motion does not; start there"
        else:
            rounding = ROUNDING * np.maximum(1.0, np.abs(x))
            wrong = np.zeros(given.batch, bool) if ends.lower is None else x < ends.lower - rounding
            wrong = wrong if ends.upper is None else wrong | (x > ends.upper + rounding)
            why = "beyond its end; start within, or give limits='ignore'"
        if np.any(wrong):
            run = tuple(int(i) for i in np.argwhere(np.broadcast_to(wrong, given.batch))[0])
            raise given.refusal(f"'{name}' begins at {float(np.broadcast_to(x, given.batch)[run]):g}, {why}", run)


def _position(layout: Layout, name: str, first: np.ndarray) -> Any:
    """The position of a part at the start, (*batch); None where something that is no body has a part in it."""
    network = layout.network
    wire = network.driven[Port(name, "position")]
    owners = {term.port.part for term in wire.all_terms}
    if not owners <= set(network.bodies):
        return None
    signals: dict[Port, Any] = {}
    for owner in owners:
        own: Any = [first[..., layout.places[owner, state]] for state in network.parts[owner].start()]
        body: Any = network.bodies[owner]
        body = replace(body, frames=()) if isinstance(body, RobotBody) else body  # they take single numbers
        signals |= {Port(owner, port): x for port, x in body.motion(own).items()}
    return wire.value(1, signals)[0] if all(term.port in signals for term in wire.all_terms) else None


def check_overlaps(layout: Layout, first: np.ndarray, parameters: Parameters, given: Given) -> None:
    """Refuse bodies that overlap too much at the start."""
    network = layout.network
    name = contact_name(network)
    if not name:
        return
    part: Any = network.parts[name]
    slots = len(flat_states(network, network.start))
    parameters = parameters.without_method()

    def function(*numbers: Any) -> tuple:
        traced, _, (flat,) = parameters.traced(numbers)
        own = states_of(network, flat)
        still = traced.with_velocities(own, [0 * x for x in traced.velocities(own)])
        now = traced.evaluate(still, 0, 0)
        contacts: Any = traced.parts[name]
        found = contacts.detected(traced.inputs(name, now.signals), 0, [0 * flat[0]])
        return (found.number(0, "gap"), found.number(0, "candidate"))

    key = parameters.key("overlaps")
    ports = [*parameters.ports, Slot("state", (slots,), "SI")]
    outputs = [Slot("gap"), Slot("candidate")]
    program = shared_program(key, lambda: Program("overlaps", function, ports, outputs, key=key, setup=True))
    gap, candidate = program(*parameters.arrays, first[..., :slots])
    depth = np.where(candidate >= 0, -gap, 0.0)
    allowed = np.array([*part.depths, np.inf])[np.asarray(candidate, int)]
    wrong = depth > allowed
    if np.any(wrong):
        run = tuple(int(i) for i in np.argwhere(wrong)[0])
        x = part.candidates.listed[int(candidate[run])]
        raise given.refusal(
            f"'{x.body}' and '{x.other}' overlap by {float(depth[run]):.3g} m at the start; allowed: "
            f"{float(allowed[run]):.3g} m. Start them apart, list the pair in Contacts(off=...), or give "
            "Contacts(overlap=1) to have them pushed out",
            run,
        )


def check_values(parameters: Parameters, given: Given) -> None:
    """Refuse values that no part could have, in any run; the mass matrix tells of robots."""
    for name in dict.fromkeys(owner for owner, _ in given.parameters):
        if name not in parameters.network.parts:
            continue
        if isinstance(parameters.network.parts[name], RobotBody):
            _check_robot(name, parameters, given)
            continue
        usual, part = parameters.network.parts[name], parameters.in_arrays(name)
        for was, thing in zip(_inner(usual), _inner(part), strict=True):
            wrong = misfits(thing, parameters.batch)
            for field in thing.vanishing:
                lost = np.asarray(getattr(thing, field) == 0) & (not absent(getattr(was, field)))
                wrong |= np.broadcast_to(lost, parameters.batch)
            if wrong.any():
                raise _refusal(parameters, name, tuple(int(i) for i in np.argwhere(wrong)[0]), given)


def _inner(part: Any) -> list[Any]:
    """A part and what of it has rules of its own: its law, its surfaces."""
    law = getattr(part, "law", None)
    return [part, *([] if law is None else [law]), *getattr(part, "surfaces", ())]


def _check_robot(name: str, parameters: Parameters, given: Given) -> None:
    """Refuse masses and rotors below 0, and rotors that vanish; the mass matrix tells of inertias."""
    robot: Any = parameters.network.parts[name]
    least = {f"{link.name}.mass": 0.0 for link in robot.robot.links}
    rotors = {f"{joint.name}.rotor_inertia": joint.rotor_inertia for joint in robot.robot.joints}
    for (owner, field), x in given.parameters.items():
        wrong = (x < least.get(field, -np.inf)) | ((x <= 0) & bool(rotors.get(field)) | (x < 0) & (field in rotors))
        if owner == name and wrong.any():
            run = tuple(int(i) for i in np.argwhere(np.broadcast_to(wrong, parameters.batch))[0])
            worst = float(np.broadcast_to(x, parameters.batch)[run])
            raise given.refusal(f"'{name}': {field} is {worst:g}; allowed: above 0", run)


def _refusal(parameters: Parameters, name: str, run: tuple[int, ...], given: Given) -> StictionError:
    """The error that the part of one run alone would raise."""
    part = parameters.of_run(name, run)
    things = _inner(part)
    found = [why() if callable(why) else why for thing in things for wrong, why in thing.conflicts() if wrong]
    if found:
        return given.refusal(f"{type(part).__name__}: {found[0]}", run)
    try:
        for thing in things:
            thing.__post_init__()
    except StictionError as error:
        return given.refusal(str(error), run)
    why = f"'{name}': a parameter that a program leaves out where it is 0 cannot become 0 in a batch; simulate it apart"
    return given.refusal(why, run)


def check_masses(terms: StartTerms, given: Given, batch: tuple[int, ...]) -> None:
    """Refuse runs in which some motion meets no inertia."""
    M = terms.mass_matrix
    if not M.shape[1]:
        return
    sound = np.isfinite(M).all(axis=(1, 2))
    least = np.linalg.eigvalsh(np.where(sound[:, None, None], M, 0.0)).min(axis=1)
    wrong = ~sound | (least <= 0)
    if wrong.any():
        why = "the mass matrix is not positive at the start: masses and inertias are impossible"
        raise given.refusal(why, place_of(int(np.argmax(wrong)), batch))
