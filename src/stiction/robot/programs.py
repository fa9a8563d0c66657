"""Which programs a robot needs: its structure, its parameters, and the computations over them.

Robots of one structure share one program. A program's inputs are the robot's parameters (uniform), those that the user
replaced (varying), and the signals of the computation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, unknown
from stiction.robot.assembly import Assembly
from stiction.robot.feasibility import refuse_mimics
from stiction.robot.substitution import Substitution
from stiction.trace.program import Port, Program

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

Parameters = Mapping[str, Any] | None  # parameters to replace, by name, with arrays over the leading axes


@dataclass(frozen=True)
class Computation:
    """Something to compute from an assembled robot.

    Attributes:
        inputs: ports of its signals.
        outputs: ports of its results.
        function: takes the assembly and one value per input, returns one value per output.
        replaced_role: role of the port of replaced parameters; "uniform" where lanes are not robots but directions.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    function: Callable[..., tuple]
    replaced_role: str = "varying"


@dataclass(frozen=True)
class Blueprint:
    """A robot seen as structure and parameters, some of them replaced.

    Attributes:
        structure: equal for robots that can share a program.
        names: of the parameters that are neither folded nor replaced; empty texts for entries of rotations.
        values: of the same [SI], (k,).
        replaced: names of the replaced parameters.
    """

    structure: tuple
    names: tuple[str, ...]
    values: np.ndarray
    replaced: tuple[str, ...]


shared_programs: dict[tuple, Program] = {}  # of all robots in this process, by structure and computation


class Programs:
    """The programs of one robot, each looked up once and then remembered.

    Attributes:
        found: program and parameter values, by name and options of the computation and names of replaced parameters.
        ready: the same laid out for plain calls, by name (see `quick`).
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.found: dict[tuple, tuple[Program, np.ndarray]] = {}
        self.ready: dict[str, Any] = {}
        self._blueprints: dict[tuple[str, ...], Blueprint] = {}

    def blueprint(self, replaced: tuple[str, ...] = ()) -> Blueprint:
        """The structure and the parameters of the robot when these parameters are replaced."""
        if replaced not in self._blueprints:
            self._blueprints[replaced] = _blueprint(self.robot, replaced)
        return self._blueprints[replaced]

    def find(
        self, name: str, options: tuple, replaced: tuple[str, ...], make: Callable[[], Computation]
    ) -> tuple[Program, np.ndarray]:
        """The program of a computation and the parameter values that it takes; name and options tell programs apart."""
        key = (name, options, replaced)
        known = self.found.get(key)
        if known is not None:
            return known
        for parameter in replaced:
            if parameter not in self.robot.parameters:
                owner, names = f"robot '{self.robot.name}'", self.robot.parameters
                raise InputError(unknown("parameter", parameter, owner, names, source="robot.parameters"))
        plan = self.blueprint(replaced)
        shared = (plan.structure, len(replaced), name, options)
        if shared not in shared_programs:
            shared_programs[shared] = _program(self.robot, name, make(), plan, shared)
        self.found[key] = shared_programs[shared], plan.values
        return self.found[key]


def _blueprint(robot: Robot, replaced: tuple[str, ...]) -> Blueprint:
    refuse_mimics(robot)
    parameter = Substitution(replaced=dict.fromkeys(replaced, 1.0))
    Assembly(robot, parameter)
    places = {link.name: k for k, link in enumerate(robot.links)}
    joints = tuple((joint.kind, places[joint.parent], places[joint.child]) for joint in robot.joints)
    frames = tuple(places[frame.link] for frame in robot.frames)
    structure = (joints, frames, len(robot.links), robot.coupling is not None, tuple(parameter.pattern))
    return Blueprint(structure, tuple(parameter.names), np.array(parameter.values), replaced)


def _program(robot: Robot, name: str, computation: Computation, plan: Blueprint, key: tuple) -> Program:
    ports = [Port("parameters", (len(plan.values),), "SI", "uniform")]
    if plan.replaced:
        ports.append(Port("replaced parameters", (len(plan.replaced),), "SI", computation.replaced_role))

    def function(values: list, *signals: Any) -> tuple:
        replaced: Mapping[str, Any] = {}
        if plan.replaced:
            replaced, signals = dict(zip(plan.replaced, signals[0], strict=True)), signals[1:]
        assembly = Assembly(robot, Substitution(lambda k, _, __: values[k], replaced))
        return computation.function(assembly, *signals)

    return Program(name, function, [*ports, *computation.inputs], computation.outputs, key=key)


def compute(
    robot: Robot,
    name: str,
    options: tuple,
    make: Callable[[], Computation],
    signals: Sequence[Any],
    parameters: Parameters = None,
    threads: int | None = 1,
) -> tuple[np.ndarray, ...]:
    """Compute something from a robot.

    Args:
        robot: the robot.
        name: of the computation, in errors and dumps.
        options: what tells apart computations of one name; anything with a `repr` that never changes.
        make: gives the computation; asked the first time only.
        signals: one array per input of the computation.
        parameters: parameters to replace.
        threads: how many share a batch; None takes all cores.
    """
    if parameters is None:
        program, values = robot.programs.find(name, options, (), make)
        return program(values, *signals, threads=threads)
    if not isinstance(parameters, Mapping):
        given = type(parameters).__name__
        raise InputError(f"parameters is a {given}; allowed: a dict from names of parameters to arrays")
    program, values = robot.programs.find(name, options, tuple(parameters), make)
    replaced = (_stacked(parameters),) if parameters else ()
    try:
        return program(values, *replaced, *signals, threads=threads)
    except InputError as error:
        raise InputError(f"{error}; parameters have the shapes {_shapes(parameters)}") from None


def _stacked(parameters: Mapping[str, Any]) -> np.ndarray:
    """The values of replaced parameters, the last axis in their order."""
    arrays = []
    for name, value in parameters.items():
        try:
            if value is None:
                raise TypeError
            arrays.append(np.asarray(value, float))
        except (TypeError, ValueError):
            raise InputError(f"the values of '{name}' must be numbers; got {value!r}") from None
    try:
        return np.stack(np.broadcast_arrays(*arrays), axis=-1)
    except ValueError:
        raise InputError(f"the shapes of parameters do not fit each other: {_shapes(parameters)}") from None


def _shapes(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"'{name}' {np.shape(x)}" for name, x in parameters.items())
