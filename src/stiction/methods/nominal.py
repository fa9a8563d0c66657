"""Nominal motions: a robot's equations of motion linearised along its reference, closed_loop (25) to (32).

What is linearised is the robot with its rotors and its springs, by exact derivatives of inverse dynamics; friction,
drives and controllers are not part of it. Kept is the bias b0 = τ0 − M0 q̈0 and not τ0: it does not jump where the
acceleration of a trapezoid does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from stiction.control.cubic import spline_rows
from stiction.control.reference import ReferencePart
from stiction.errors import InputError
from stiction.network.network import Network
from stiction.network.programs import shared_program
from stiction.network.terms import Terms
from stiction.network.wires import Term, Wire
from stiction.parts.bodies import Fixed
from stiction.parts.linear_robot import LinearRobot, Moment, packed_rows
from stiction.parts.robot_body import RobotBody
from stiction.parts.two_point import TwoPointSpring
from stiction.trace.derivative import directional
from stiction.trace.functions import constant
from stiction.trace.program import Port, Program

MOST = 100_000  # points
SAME = 1e-9  # part of a number by which two robots may differ
ON_REFERENCE = 1e-6  # rad or m by which a motion may be another than the reference


class StateSpace(NamedTuple):
    """A linear system ẋ = A x + B u, y = C x + D u at one instant: closed_loop (29) to (32).

    Attributes:
        A: of the state x = [δq, δq̇], (2n, 2n).
        B: of the input u = δτ [N·m or N], (2n, n).
        C: of the output y: x itself, or [δx, δẋ] of a frame, angles first, (…, 2n).
        D: 0, (…, n).
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


@dataclass(frozen=True, kw_only=True)
class NominalMotion:
    """A motion of a robot and its linear equations along it, at points equally spaced in time.

    Attributes:
        robot: name of the robot, and its parameters, by which another is told apart.
        time: of the points [s], (N + 1,).
        q: nominal positions [rad or m], (N + 1, n).
        v: nominal velocities, (N + 1, n).
        a: nominal accelerations, (N + 1, n).
        torque: τ0, what the motion takes without friction [N·m or N], (N + 1, n).
        M: M0 with rotors [kg m² or kg], (N + 1, n, n).
        C: ∂τ/∂q̇ [N·m·s/rad or N·s/m], (N + 1, n, n).
        K: ∂τ/∂q [N·m/rad or N/m], (N + 1, n, n).

    Example:
        >>> import stiction
        >>> move = stiction.PointToPoint(start=[0, 0], stop=[1, 1], velocity=1.0, acceleration=5.0)
        >>> scene = stiction.Scene(robot=stiction.library.two_link(), reference=move)
        >>> nominal = stiction.nominal_motion(scene, points=50)
        >>> nominal.state_space(0.5).A.shape
        (4, 4)
    """

    robot: Mapping[str, float] = field(repr=False)
    time: np.ndarray
    q: np.ndarray = field(repr=False)
    v: np.ndarray = field(repr=False)
    a: np.ndarray = field(repr=False)
    torque: np.ndarray = field(repr=False)
    M: np.ndarray = field(repr=False)
    C: np.ndarray = field(repr=False)
    K: np.ndarray = field(repr=False)

    @property
    def period(self) -> float:
        """Time between points [s]."""
        return float(self.time[1] - self.time[0])

    @cached_property
    def rows(self) -> list[tuple[float, ...]]:
        """The table of a `LinearRobot`."""
        x = np.arange(len(self.time), dtype=float)
        bias = self.torque - np.einsum("kij,kj->ki", self.M, self.a)
        ends = [np.gradient(bias[:3], axis=0)[0], np.gradient(bias[-3:], axis=0)[-1]]
        cubics = spline_rows(x, bias, *ends)[:, 1:].reshape(len(x) - 1, -1, 4)
        return packed_rows(self.M, self.C, self.K, [cubics, _hermite(self.q, self.v * self.period)])

    def torque_near(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Torques that motions near the nominal one take by its linear equations, (S, n), at times (S,)."""
        x = np.clip(t / self.period, 0, len(self.time) - 1)
        k = np.clip(np.floor(x), 0, len(self.time) - 2).astype(int)
        now = Moment(list(np.array(self.rows)[k].T), self.q.shape[1], x - k, self.period)
        total = np.stack(now.bias, axis=-1)
        away, faster = q - np.stack(now.position, axis=-1), v - np.stack(now.velocity, axis=-1)
        for matrix, by in ((now.mass_matrix, a), (now.damping, faster), (now.stiffness, away)):
            total = total + np.einsum("ijs,sj->si", np.array(matrix), by)
        return total

    def linear(self, network: Network) -> LinearRobot:
        """The robot of a network as its equations along the motion have it."""
        body: Any = network.parts[_robot(network)]
        return LinearRobot(body=body, rows=self.rows, period=self.period)

    def state_space(self, t: float, robot: Any = None, frame: str | None = None) -> StateSpace:
        """The linear system at a time, between points as the simulation has it.

        Args:
            t: [s].
            robot: the robot, where the outputs are those of a frame: (23), (24).
            frame: name of the frame; without one the outputs are the states.
        """
        if (frame is None) != (robot is None):
            raise InputError("outputs of a frame take the robot and the name of the frame; give both, or none of them")
        if not 0 <= t <= self.time[-1]:
            raise InputError(f"t is {t!r}; allowed: a time of the nominal motion, 0 to {self.time[-1]:g} s")
        n, x = self.q.shape[1], t / self.period
        k = int(min(x, len(self.time) - 2))
        M, C, K = ((1 - x + k) * y[k] + (x - k) * y[k + 1] for y in (self.M, self.C, self.K))
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])  # (31)
        B = np.concatenate([np.zeros((n, n)), np.linalg.inv(M)])
        output = np.eye(2 * n)
        if frame is not None:
            q, v = ((1 - x + k) * y[k] + (x - k) * y[k + 1] for y in (self.q, self.v))
            J, rate = robot.jacobian(q, frame), robot.jacobian_rate(q, v, frame)
            output = np.block([[J, np.zeros_like(J)], [rate, J]])  # (23), (24), (32)
        return StateSpace(A, B, output, np.zeros((len(output), n)))

    def save(self, path: str | Path) -> None:
        """Write it to a file of NumPy's, ".npz"."""
        arrays = {name: getattr(self, name) for name in ("time", "q", "v", "a", "torque", "M", "C", "K")}
        names, values = list(self.robot), list(self.robot.values())
        np.savez(path, names=np.array(names), values=np.array(values), **arrays)

    @staticmethod
    def load(path: str | Path) -> "NominalMotion":
        """Read one that `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as read:
                robot = dict(zip(read["names"].tolist(), read["values"].tolist(), strict=True))
                arrays = {name: read[name] for name in ("time", "q", "v", "a", "torque", "M", "C", "K")}
        except FileNotFoundError:
            raise InputError(f"there is no file '{path}'") from None
        except (OSError, KeyError, ValueError, TypeError, BadZipFile) as error:
            raise InputError(f"'{path}' is no nominal motion that NominalMotion.save wrote: {error}") from None
        return NominalMotion(robot=robot, **arrays)

    def must_fit(self, network: Network) -> None:
        """Refuse to be used for another robot, or for another reference."""
        name, here = _robot(network), described_robot(network)
        for key in dict.fromkeys([*self.robot, *here]):
            a, b = self.robot.get(key), here.get(key)
            if a is None or b is None or abs(a - b) > SAME * max(abs(a), abs(b), 1e-12):
                said = " and ".join(f"{'none' if x is None else f'{x:g}'} {w}" for x, w in ((a, "there"), (b, "here")))
                raise InputError(
                    f"the nominal motion is of another robot than '{name}': {key} is {said}; make it again by "
                    "nominal_motion(scene)"
                )
        q = reference_of(network, self.time)[0]
        apart = np.abs(q - self.q).max(axis=1)
        if apart.max() > ON_REFERENCE:
            t = float(self.time[np.argmax(apart > ON_REFERENCE)])
            raise InputError(
                f"the nominal motion is another than the scene's reference: {apart.max():.3g} rad or m apart, from "
                f"{t:g} s on; make it again by nominal_motion(scene)"
            )


def _hermite(values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Coefficients of cubics over intervals of length 1, (N, n, 4)."""
    a, b, va, vb = values[:-1], values[1:], slopes[:-1], slopes[1:]
    return np.stack([a, va, 3 * (b - a) - 2 * va - vb, va + vb - 2 * (b - a)], axis=-1)


def _robot(network: Network) -> str:
    """The name of the one robot of a network; others are refused."""
    robots = [name for name, body in network.bodies.items() if isinstance(body, RobotBody)]
    if len(robots) != 1:
        raise InputError(f"a nominal motion is that of one robot; this scene has {len(robots)}")
    body: Any = network.parts[robots[0]]
    if body.robot.nq != body.robot.nv:
        raise InputError(
            f"robot '{robots[0]}' has joints of several degrees of freedom, along which no nominal motion is known"
        )
    return robots[0]


def _springs(network: Network, robot: str) -> list[str]:
    """Springs that belong to the robot: between points of it, and of what is fixed."""
    found = []
    fixed = [name for name, part in network.parts.items() if isinstance(part, Fixed)]
    for name, part in network.parts.items():
        if isinstance(part, TwoPointSpring):
            seen = {term.port.part for wire in network.wires if wire.port.part == name for term in wire.all_terms}
            if seen <= {robot, *fixed}:
                found.append(name)
    return found


def own_network(network: Network) -> Network:
    """The robot with its springs alone."""
    robot = _robot(network)
    springs = _springs(network, robot)
    fixed = [name for name, part in network.parts.items() if isinstance(part, Fixed)]
    kept = {name: network.parts[name] for name in network.parts if name in (robot, *springs, *fixed)}
    wires = []
    for wire in network.wires:
        terms = [
            term
            for term in wire.all_terms
            if term.port.part in (*springs, *(kept if wire.port.part in springs else ()))
        ]
        if wire.port.part in kept and terms:
            wires.append(Wire(str(wire.port), [Term(str(term.port), term.gain) for term in terms]))
    return Network(parts=kept, wires=wires)


def described_robot(network: Network) -> dict[str, float]:
    """All numbers that decide what is linearised."""
    own = own_network(network)
    name = _robot(network)
    body: Any = network.parts[name]
    found = {f"{name}.{key}": float(x) for key, x in body.robot.parameters.items()}
    found |= {f"gravity.{c}": float(x) for c, x in zip("xyz", body.gravity, strict=True)}
    for spring, part in own.parts.items():
        if isinstance(part, TwoPointSpring):
            fields = ("stiffness", "damping", "length", "preload")
            found |= {f"{spring}.{field}": float(getattr(part, field)) for field in fields}
            seen = [term.port for wire in own.wires if wire.port.part == spring for term in wire.all_terms]
            found |= {f"{spring} at {port}": 1.0 for port in seen}
        elif isinstance(part, Fixed):
            found |= {f"{spring}.position.{c}": float(x) for c, x in zip("xyz", part.position, strict=True)}
    return found


def reference_of(network: Network, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Set-points of all joints of the robot at some times, (N, n) each."""
    robot = _robot(network)
    body: Any = network.parts[robot]
    parts = [part for part in network.parts.values() if isinstance(part, ReferencePart)]
    known = {f"q.{joint}": (part, k) for part in parts for k, joint in enumerate(part.joints)}
    signals = {name: network.labels.signal((robot, f"q.{name}")) for name in body.robot.velocity_names}
    places = {name: known[signal] for name, signal in signals.items() if signal in known}
    missing = [name for name in body.robot.velocity_names if name not in places]
    if missing:
        raise InputError(
            f"joint '{missing[0]}' has no reference, along which a nominal motion could be; give the scene a reference "
            "for all joints"
        )
    found = []
    for what in range(3):
        columns = [
            places[name][0].reference.sample(times)[what][:, places[name][1]] for name in body.robot.velocity_names
        ]
        found.append(np.stack(columns, axis=1))
    return found[0], found[1], found[2]


def linearization(network: Network, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, ...]:
    """Torques that a motion takes, without friction, and M, C, K along it, by exact derivatives."""
    own = own_network(network)
    robot = _robot(network)
    body: Any = own.parts[robot]
    n = body.robot.nv

    def function(*given: list) -> tuple:
        q, v, a = ([constant(x) for x in group] for group in given)  # nodes that loops pass rates on from
        states = {name: list(values) for name, values in own.start.items()} | {robot: [*q, *v]}
        terms = Terms(own, own.evaluate(states, 0, 0))
        first = _place(own, robot)
        moving: list[Any] = [0] * len(terms.velocities)
        moving[first : first + n] = a
        taken, pushed = terms.inverse_dynamics(moving), terms.pushed()
        torque = [x - y for x, y in zip(taken, pushed, strict=True)][first : first + n]
        columns = [[directional(torque, {x: 1.0}) for x in group] for group in (a, v, q)]
        matrices = [[[column[i] for column in group] for i in range(n)] for group in columns]
        return (torque, *matrices)

    ports = [Port(name, (n,)) for name in ("q", "v", "a")]
    outputs = [Port("torque", (n,)), *(Port(name, (n, n)) for name in "MCK")]
    key = (
        "nominal motion",
        own.structure(),
        tuple(described_robot(network).items()),
    )  # its numbers are constants there
    program = shared_program(key, lambda: Program("nominal motion", function, ports, outputs, setup=True))
    return tuple(program(q, v, a))


def _place(network: Network, robot: str) -> int:
    """Where the velocities of a robot begin among those of all bodies."""
    first = 0
    for name, body in network.bodies.items():
        if name == robot:
            break
        first += len(network.start[name]) - body.positions()
    return first


def nominal_of(network: Network, points: int, duration: float | None) -> NominalMotion:
    """The nominal motion of a network."""
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or not 2 <= points <= MOST:
        raise InputError(f"points is {points!r}; allowed: a whole number, 2 to {MOST}")
    reference_of(network, np.zeros(1))  # refuses where there is none
    if duration is None:
        parts = [part.reference.duration for part in network.parts.values() if isinstance(part, ReferencePart)]
        duration = max(parts, default=float("inf"))
    if not 0 < duration < 1e9:
        raise InputError(
            f"duration is {duration!r}; allowed: a time above 0 [s]. Where the reference itself does not end, give one "
            "to nominal_motion(scene, duration=...), and the motion to Perturbation(nominal=...)"
        )
    time = np.linspace(0.0, duration, int(points) + 1)
    q, v, a = reference_of(network, time)
    torque, M, C, K = linearization(network, q, v, a)
    return NominalMotion(robot=described_robot(network), time=time, q=q, v=v, a=a, torque=torque, M=M, C=C, K=K)


def linear_network(network: Network, nominal: NominalMotion) -> Network:
    """The network with the linear robot in place of the robot and its springs."""
    nominal.must_fit(network)
    robot = _robot(network)
    springs = _springs(network, robot)
    linear = nominal.linear(network)
    parts = {name: linear if name == robot else part for name, part in network.parts.items() if name not in springs}
    wires = []
    for wire in network.wires:
        terms = [term for term in wire.all_terms if term.port.part not in springs]
        if wire.port.part in springs or (not terms and not wire.shift):
            continue
        for port in (wire.port, *(term.port for term in terms)):
            if port.part == robot and port.name not in ("q", "v", "torque"):
                raise InputError(
                    f"'{port}' is a frame of the robot, and a linearised robot has none; leave out what is there"
                )
        wires.append(_with_terms(wire, terms))
    return Network(parts=parts, wires=wires, labels=network.labels, followers=network.followers)


def _with_terms(wire: Wire, terms: Sequence[Term]) -> Wire:
    """A wire with some of its terms."""
    made = object.__new__(Wire)
    made.__dict__.update({"target": wire.target, "port": wire.port, "terms": tuple(terms), "shift": wire.shift})
    return made
