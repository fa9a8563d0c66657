"""Which programs a robot needs: its structure, its numbers, and the formulas over them.

Robots of one structure share one program. A program's inputs are the robot's numbers (uniform), those that the user freed
(varying), and the signals of the formula.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.errors import InputError, RobotError, unknown
from stiction.robot.description import Description
from stiction.robot.numbers import Assembly, Numbers
from stiction.trace.program import Port, Program


@dataclass(frozen=True)
class Formula:
    """A computation on an assembled robot.

    Attributes:
        inputs: ports of its signals.
        outputs: ports of its results.
        function: takes the assembly and one value per input, returns one value per output.
        free_role: role of the port of freed numbers; "uniform" where lanes are not robots but directions.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    function: Callable[..., tuple]
    free_role: str = "varying"


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


def blueprint(robot: Description, free: tuple[str, ...]) -> Blueprint:
    """The structure and the numbers of a robot, computed once per choice of free numbers."""
    known = robot.__dict__.setdefault("_blueprints", {})
    if free not in known:
        known[free] = _blueprint(robot, free)
    return known[free]


def _blueprint(robot: Description, free: tuple[str, ...]) -> Blueprint:
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
    structure = (joints, frames, len(robot.links), robot.coupling is not None, tuple(numbers.pattern))
    return Blueprint(structure, np.array(numbers.values), free)


_programs: dict[tuple, Program] = {}


def program(
    robot: Description, name: str, options: tuple, free: tuple[str, ...], make: Callable[[], Formula]
) -> Program:
    """The program of a formula on robots of this structure; name and options tell formulas apart."""
    plan = blueprint(robot, free)
    key = (plan.structure, len(free), name, options)
    if key not in _programs:
        _programs[key] = _make(robot, name, make(), plan, key)
    return _programs[key]


def _make(robot: Description, name: str, formula: Formula, plan: Blueprint, key: tuple) -> Program:
    ports = [Port("numbers", (len(plan.values),), "SI", "uniform")]
    if plan.free:
        ports.append(Port("free", (len(plan.free),), "SI", formula.free_role))

    def function(numbers: list, *signals: Any) -> tuple:
        freed: Mapping[str, Any] = {}
        if plan.free:
            freed, signals = dict(zip(plan.free, signals[0], strict=True)), signals[1:]
        assembly = Assembly(robot, Numbers(lambda k, _, __: numbers[k], freed))
        return formula.function(assembly, *signals)

    return Program(name, function, [*ports, *formula.inputs], formula.outputs, key=key)


Call = tuple[Program, np.ndarray]


def prepared(robot: Description, name: str, options: tuple, free: tuple[str, ...], make: Callable[[], Formula]) -> Call:
    """The program and the numbers for a computation on this robot, looked up once and then remembered with it."""
    calls: dict[tuple, Call] = robot.__dict__.setdefault("_calls", {})
    key = (name, options, free)
    if key not in calls:
        for number in free:
            if number not in robot.numbers:
                raise InputError(unknown("number", number, f"robot '{robot.name}'", robot.numbers))
        calls[key] = program(robot, name, options, free, make), blueprint(robot, free).values
    return calls[key]


def _stacked(values: Mapping[str, Any]) -> np.ndarray:
    """The values of freed numbers, the last axis in their order."""
    arrays = []
    for name, value in values.items():
        try:
            if value is None:
                raise TypeError
            arrays.append(np.asarray(value, float))
        except (TypeError, ValueError):
            raise InputError(f"the values of '{name}' must be numbers; got {value!r}") from None
    try:
        return np.stack(np.broadcast_arrays(*arrays), axis=-1)
    except ValueError:
        shapes = ", ".join(f"'{name}' {array.shape}" for name, array in zip(values, arrays, strict=True))
        raise InputError(f"the values of freed numbers must have shapes that fit each other; got {shapes}") from None


def compute(
    robot: Description,
    name: str,
    options: tuple,
    make: Callable[[], Formula],
    signals: Sequence[Any],
    values: Mapping[str, Any] | None = None,
    threads: int | None = 1,
) -> tuple[np.ndarray, ...]:
    """Run a formula on a robot, with `values` in place of some of its numbers; `make` is asked for the formula the first time."""
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"values is a {type(values).__name__}; allowed: a dict from names of numbers to arrays")
    run, numbers = prepared(robot, name, options, tuple(values) if values else (), make)
    if values:
        freed = _stacked(values)
        return run(numbers, freed, *signals, threads=threads)
    return run(numbers, *signals, threads=threads)
