"""Which programs a robot needs: its structure, its numbers, and the formulas over them.

Robots of one structure share one program. A program's inputs are the robot's numbers (uniform), those that the user freed
(varying), and the signals of the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, RobotError, unknown
from stiction.robot.numbers import Assembly, Numbers
from stiction.trace.program import Port, Program

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


@dataclass(frozen=True)
class Formula:
    """A computation on an assembled robot.

    Attributes:
        name: of the program.
        inputs: ports of its signals.
        outputs: ports of its results.
        function: takes the assembly and one value per input, returns one value per output.
        options: whatever else determines the function.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    function: Callable[..., tuple]
    options: tuple = ()


@dataclass(frozen=True)
class Blueprint:
    """A robot seen as structure and numbers, with some numbers freed.

    Attributes:
        structure: equal for robots that can share a program.
        values: the numbers that are neither folded nor free, (k,).
        free: names of the freed numbers.
    """

    structure: tuple
    values: np.ndarray
    free: tuple[str, ...]


def blueprint(robot: Robot, free: tuple[str, ...]) -> Blueprint:
    """The structure and the numbers of a robot, computed once per choice of free numbers."""
    known = robot.__dict__.setdefault("_blueprints", {})
    if free not in known:
        known[free] = _blueprint(robot, free)
    return known[free]


def _blueprint(robot: Robot, free: tuple[str, ...]) -> Blueprint:
    following = [joint for joint in robot.joints if joint.mimic]
    if following:
        raise RobotError(
            f"robot '{robot.name}': joint '{following[0].name}' mimics '{following[0].mimic.joint}', which dynamics does not support; "  # type: ignore[union-attr]
            "use robot.without_mimics() to let it move freely or robot.lock({joint: position}) to fix it"
        )
    numbers = Numbers(free=dict.fromkeys(free, 1.0))
    Assembly(robot, numbers)
    places = {link.name: k for k, link in enumerate(robot.links)}
    joints = tuple((joint.kind, places[joint.parent], places[joint.child]) for joint in robot.joints)
    frames = tuple(places[frame.link] for frame in robot.frames)
    structure = (joints, frames, len(robot.links), robot.coupling is not None, "".join(numbers.pattern))
    return Blueprint(structure, np.array(numbers.values), free)


_programs: dict[tuple, Program] = {}


def program(robot: Robot, formula: Formula, free: tuple[str, ...] = ()) -> Program:
    """The program of a formula on robots of this structure."""
    plan = blueprint(robot, free)
    key = (plan.structure, len(free), formula.name, formula.options)
    if key not in _programs:
        _programs[key] = _make(robot, formula, plan, key)
    return _programs[key]


def _make(robot: Robot, formula: Formula, plan: Blueprint, key: tuple) -> Program:
    ports = [Port("numbers", (len(plan.values),), "SI", "uniform")]
    if plan.free:
        ports.append(Port("free", (len(plan.free),), "SI"))

    def function(numbers: list, *signals: Any) -> tuple:
        freed: Mapping[str, Any] = {}
        if plan.free:
            freed, signals = dict(zip(plan.free, signals[0], strict=True)), signals[1:]
        assembly = Assembly(robot, Numbers(lambda k, _, __: numbers[k], freed))
        return formula.function(assembly, *signals)

    return Program(formula.name, function, [*ports, *formula.inputs], formula.outputs, key=key)


def compute(robot: Robot, formula: Formula, signals: Sequence[Any], values: Mapping[str, Any] | None, threads: int | None) -> tuple[np.ndarray, ...]:
    """Run a formula on a robot, with `values` in place of some of its numbers."""
    free = tuple(values or ())
    for name in free:
        if name not in robot.numbers:
            raise InputError(unknown("number", name, f"robot '{robot.name}'", robot.numbers))
    run = program(robot, formula, free)
    first: list[Any] = [blueprint(robot, free).values]
    if values:
        first.append(np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in values.values())), axis=-1))
    return run(*first, *signals, threads=threads)
