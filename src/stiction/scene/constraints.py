"""Constraints of a scene: joints that follow others as robots' descriptions say, checks, and wires."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.constraint.constraint import ENDS, POSE, TWIST, WORLD, Constraint
from stiction.constraint.equations import Follow
from stiction.errors import unknown
from stiction.network.closing import Closing, starting_values
from stiction.network.layout import states_of
from stiction.network.network import Network
from stiction.network.wires import InternalTerm, Wire
from stiction.parts.bodies import Fixed, FreeBody

if TYPE_CHECKING:
    from stiction.scene.scene import Scene


def constraint_name(name: str) -> str:
    """The name of a constraint's part."""
    return f"constraint.{name}"


def all_constraints(scene: Scene) -> dict[str, Constraint]:
    """Those of the scene, and one for each joint that mimics another, by its name."""
    return mimics(scene) | dict(scene.constraints)


def mimics(scene: Scene) -> dict[str, Constraint]:
    """What robots' descriptions say of joints that follow others, by joint."""
    found: dict[str, Constraint] = {}
    robots = {"robot": scene.robot} if scene.robot is not None else scene.robots
    for robot, r in robots.items():
        for joint in r.joints:
            if joint.mimic is not None:
                name, of = (scene.key(robot, x) for x in (joint.name, joint.mimic.joint))
                found[name] = Follow(joint=name, of=of, ratio=joint.mimic.multiplier, offset=joint.mimic.offset)
    return found


def check_constraints(scene: Scene) -> None:
    """Refuse what is no constraint, and constraints on what is not there."""
    for name, constraint in scene.constraints.items():
        if not isinstance(constraint, Constraint):
            raise scene.refusal(
                f"constraint '{name}' is {constraint!r}; allowed: constraints, such as Pin, Weld, Rolling, OnSurface, "
                "Follow, Holonomic and Pfaffian"
            )
        if not isinstance(name, str) or not name:
            raise scene.refusal(f"a constraint cannot be called {name!r}; choose a text")
        if name in mimics(scene):
            raise scene.refusal(
                f"a constraint cannot be called '{name}', as the joint that mimics another is; choose another name, or "
                "take the robot.without_mimics()"
            )
    if scene.near and not scene.all_constraints:
        raise scene.refusal("near is for positions that follow by constraints, and there are none; give q instead")
    for name, constraint in scene.all_constraints.items():
        for joint in constraint.joints:
            scene.must_know(joint, scene.joints, f"constraint '{name}'")
            scene.must_be_single(joint, f"constraint '{name}'")
        frames = frames_of(scene)
        for end in constraint.frames:
            if end != WORLD and end not in frames:
                raise scene.refusal(f"constraint '{name}': " + unknown("end", end, "this scene", [*frames, WORLD]))


def frames_of(scene: Scene) -> list[str]:
    """All that springs and constraints can be fastened to."""
    bodies = [name for name, part in scene.parts.items() if isinstance(part, (Fixed, FreeBody))]
    return bodies + [f"{name}.{x}" for name, robot in scene.all_robots.items() for x in robot.assembly.attachments]


def ends_of(scene: Scene) -> set[str]:
    """The frames that constraints read."""
    return {end for x in scene.all_constraints.values() for end in x.frames if end != WORLD}


def wires_of(scene: Scene, name: str, constraint: Constraint) -> list[Wire]:
    """What drives the inputs of a constraint."""
    part, wires = constraint_name(name), []
    for port in ("q", "v"):
        if port in constraint.inputs:
            wires.append(Wire(f"{part}.{port}", _joint_terms(scene, constraint.joints, port)))
    for word, end in zip(ENDS, constraint.frames, strict=False):
        seen = [port for port in (*POSE, *TWIST) if f"{word}_{port}" in constraint.inputs]
        wires += [Wire(f"{part}.{word}_{port}", [f"{end}.{port}"]) for port in seen]
    return wires


def _joint_terms(scene: Scene, joints: Collection[str], port: str) -> list[Any]:
    """Positions or velocities of joints, of all robots."""
    terms = []
    for robot, r in scene.all_robots.items():
        names = r.position_names if port == "q" else r.velocity_names
        rows = [[float(scene.joints[joint] == (robot, inner)) for inner in names] for joint in joints]
        if any(map(any, rows)):
            terms.append(InternalTerm(f"{robot}.{port}", rows))
    return terms


def closed_coordinates(scene: Scene, network: Network) -> dict[str, tuple[float, ...]]:
    """Positions and velocities of robots that keep the constraints, where what the user gave by name stays."""
    parameters, first = starting_values(network)
    closing = Closing(network, parameters)
    closed = closing.closed(first, fixed_states(scene))
    own = states_of(network, closed.tolist())
    for kept, constraint in network.constraints.items():
        why = constraint.misplaced(network.inputs(kept, network.motions(own)))
        if not why and constraint.keeps_velocities and not _linear(network, kept, own):
            why = "its velocities are not linear in v (of twice v twice as large, of none none)"
        if why:
            raise scene.refusal(f"constraint '{kept.removeprefix('constraint.')}': {why}")
    found: dict[str, list[float]] = {"q": [], "v": []}
    at = 0
    for name, part in network.parts.items():
        size = len(part.start())
        if name in scene.all_robots:
            nq = scene.all_robots[name].nq
            found["q"] += map(float, closed[at : at + nq])
            found["v"] += map(float, closed[at + nq : at + size])
        at += size
    return {what: tuple(x) for what, x in found.items()}


def _linear(network: Network, name: str, own: Any) -> bool:
    """Whether what a constraint keeps of velocities is linear in them."""
    part, n = network.constraints[name], len(network.velocities(own))
    v = np.cos(1.0 + np.arange(n))
    seen = []
    for factor in (0.0, 1.0, 2.0):
        motions = network.motions(network.with_velocities(own, (factor * v).tolist()))
        seen.append(np.array(part.velocities(network.inputs(name, motions)), float))
    size = 1e-9 * max(1.0, float(np.abs(seen).max()))
    return bool(np.abs(seen[0]).max() <= size and np.abs(seen[2] - 2 * seen[1]).max() <= size)


def fixed_states(scene: Scene, besides: Collection[str] = ()) -> set[tuple[str, str]]:
    """States of robots that the user gave; of all that were given at once, all, unless some of the kind ("q" or "v")
    are given besides.
    """
    found = set()
    for what, given in scene.given_coordinates.items():
        if given is None and what in besides:
            continue
        for robot, r in scene.all_robots.items():
            for inner in r.position_names if what == "q" else r.velocity_names:
                if given is None or scene.key(robot, inner) in given:
                    found.add((robot, f"{what}.{inner}"))
    return found
