"""A robot as a body of a scene."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stiction.dynamics.composite_body import mass_diagonal, mass_matrix
from stiction.dynamics.energy import kinetic_energy, potential_energy
from stiction.dynamics.mechanism import Mechanism
from stiction.dynamics.newton_euler import inverse_dynamics
from stiction.dynamics.sweep import WORLD
from stiction.dynamics.world import InWorld, about_origin, reaches
from stiction.fields import instance, numbers, texts
from stiction.parts.kinds import FRAME_INPUTS, FRAME_OUTPUTS, NOWHERE, Admittance, Ports
from stiction.robot.assembly import Assembly
from stiction.robot.dynamics import COMPOSITE_UP_TO, FORWARD_DYNAMICS
from stiction.robot.ports import GRAVITY
from stiction.robot.robot import Robot
from stiction.robot.substitution import Substitution as RobotSubstitution
from stiction.robot.units import motion_units, position_units
from stiction.spatial import Pose, Twist, Vector, Wrench, to_quaternion
from stiction.trace.functions import Scalar, sqrt
from stiction.trace.parameters import Substitution, absent

WRITTEN = COMPOSITE_UP_TO  # velocities up to which the mass matrix is written out
LIGHT = 3  # velocities up to which slopes of the bias cost little


def moving(pose: Pose, twist: Twist) -> dict[str, list[Scalar]]:
    """The outputs of a frame at a pose, where what carries it has this twist about the world's origin."""
    velocity = twist.linear + twist.angular.cross(pose.position)
    return {
        "position": list(pose.position),
        "rotation": pose.rotation.numbers,
        "quaternion": to_quaternion(pose.rotation),
        "velocity": list(velocity),
        "angular": list(twist.angular),
    }


@dataclass(frozen=True, kw_only=True)
class RobotBody(Admittance):
    """A robot, network (8). Ports: torque [N·m or N] in; positions q and velocities v out; and for each of its frames
    those of a `FreeBody`: "LINK.position" and so on, of the frame's origin.

    Attributes:
        robot: the robot.
        frames: links and frames that have ports.
        q: positions at the start [rad or m]; the neutral ones if empty.
        v: velocities at the start [rad/s or m/s]; rest if empty.
        gravity: acceleration of free fall [m/s²].

    Example:
        >>> import stiction
        >>> from stiction.parts import RobotBody
        >>> RobotBody(robot=stiction.library.two_link()).outputs
        {'q': 2, 'v': 2}
    """

    robot: Robot = instance(Robot)
    frames: tuple[str, ...] = texts(())
    q: tuple[float, ...] = numbers(default=())
    v: tuple[float, ...] = numbers(default=())
    gravity: tuple[float, float, float] = numbers(3, default=GRAVITY)

    def __post_init__(self) -> None:
        super().__post_init__()
        r = self.robot
        self._set("q", self.q or tuple(map(float, r.neutral)))
        self._set("v", self.v or (0.0,) * r.nv)
        inputs, outputs = (
            {f"{frame}.{port}": n for frame in self.frames for port, n in ports.items()}
            for ports in (FRAME_INPUTS, FRAME_OUTPUTS)
        )
        self._set("inputs", {"torque": r.nv, **inputs})
        self._set("outputs", {"q": r.nq, "v": r.nv, **outputs})
        self._set("assembly", r.assembly)

    def conflicts(self) -> Sequence:
        """As many numbers as the robot has."""
        return [
            (given and len(given) != size, f"{what} has {len(given)} numbers; allowed: {size}, or none")
            for what, given, size in (("q", self.q, self.robot.nq), ("v", self.v, self.robot.nv))
        ]

    def with_parameters(self, substitution: Substitution) -> "RobotBody":
        """The same robot with the parameters of its description replaced; start values are no part of the formulas."""
        twin = copy.copy(self)
        gravity = zip("xyz", self.gravity, strict=True)
        twin._set("gravity", tuple(substitution(f"gravity.{c}", x) for c, x in gravity))
        varies = substitution.varying and any(map(substitution.varies, self.robot.parameters))
        if substitution.noting and not varies:
            plan = self.robot.programs.blueprint(())
            for k, (name, x) in enumerate(zip(plan.names, plan.values.tolist(), strict=True)):
                _ = substitution(name, x) if name else substitution.internal(f"rotation.{k}", x)
            return twin
        varying = {
            name: substitution(name, x) for name, x in self.robot.parameters.items() if substitution.varies(name)
        }
        chosen = RobotSubstitution(
            lambda k, name, x: substitution(name, x) if name else substitution.internal(f"rotation.{k}", x), varying
        )
        twin._set("assembly", Assembly(self.robot, chosen))
        return twin

    def structure(self) -> tuple:
        """That of the robot, with the names by which its coordinates and parameters are asked for."""
        r = self.robot
        names = (tuple(self._units), tuple(r.parameters), self.frames)
        return (type(self).__qualname__, r.programs.blueprint(()).structure, *names)

    def start(self) -> Mapping[str, float]:
        """Positions and velocities, by the names of the robot."""
        return dict(zip(self._units, (*self.q, *self.v), strict=True))

    def unit(self, signal: str) -> str:
        """Of a state, by the kind of its joint."""
        return self._units[signal]

    @cached_property
    def _units(self) -> dict[str, str]:
        positions = {f"q.{name}": unit for name, unit in position_units(self.robot).items()}
        return positions | {f"v.{name}": units["v"] for name, units in motion_units(self.robot).items()}

    def motion(self, own: list[Scalar]) -> Ports:
        """Positions and velocities; and how frames move."""
        q, v = self._split(own)
        found = {"q": q, "v": v}
        if self.frames:
            world = InWorld(self.mechanism, q)
            twists = world.twists(v)
            for name in self.frames:
                frame = self._assembly().attachments[name]
                found |= {f"{name}.{port}": x for port, x in moving(world.pose(frame), twists[frame.body]).items()}
        return found

    def _assembly(self) -> Assembly:
        return self.assembly  # type: ignore[attr-defined]

    @property
    def mechanism(self) -> Mechanism:
        """The robot as the formulas see it."""
        return self._assembly().mechanism

    def positions(self) -> int:
        """As many as the robot has."""
        return self.robot.nq

    def position_rates(self, own: list[Scalar]) -> list[Scalar]:
        """q̇ = N(q) v."""
        return self.mechanism.position_rates(*self._split(own))

    def mass_matrix(self, own: list[Scalar]) -> list[list[Scalar]]:
        """M(q), rotors included."""
        return mass_matrix(self.mechanism, self._split(own)[0]).lists

    def mass_diagonal(self, own: list[Scalar]) -> list[Scalar]:
        """The diagonal of M(q), rotors included."""
        if self.robot.nv <= WRITTEN:
            return super().mass_diagonal(own)
        return list(mass_diagonal(self.mechanism, self._split(own)[0]))

    def inverse_dynamics(self, own: list[Scalar], accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Inverse dynamics."""
        return inverse_dynamics(self.mechanism, *self._split(own), list(accelerations), Vector(*self.gravity))

    def generalized_forces(self, own: list[Scalar], forces: Ports) -> list[Scalar]:
        """The torques act along the velocities as they are [N·m or N]; what pushes frames is carried to them."""
        wrenches: dict[int, Wrench] = {}
        world = None
        for name in self.frames:
            force, moment = (Vector(*forces[f"{name}.{port}"]) for port in ("force", "moment"))
            if not all(map(absent, (*force, *moment))):
                world = world or InWorld(self.mechanism, self._split(own)[0])
                frame = self._assembly().attachments[name]
                wrench = about_origin(force, moment, world.pose(frame).position)
                wrenches[frame.body] = wrenches[frame.body] + wrench if frame.body in wrenches else wrench
        wrenches.pop(WORLD, None)  # what is fixed to the world does not move
        if not world or not wrenches:
            return forces["torque"]
        return [x + y for x, y in zip(forces["torque"], world.torques(wrenches), strict=True)]

    def unit_twists(self, own: list[Scalar]) -> Any:
        """How each velocity moves what it carries."""
        return InWorld(self.mechanism, self._split(own)[0]).unit_twists

    def reaches(self) -> list[tuple[int, int]]:
        """Which places each velocity carries."""
        return reaches(self.robot.mechanism)[1]

    def places(self) -> dict[str, int]:
        """Those of the frames."""
        numbers, at = reaches(self.robot.mechanism)[0], self.robot.assembly.attachments
        return {name: numbers[at[name].body] if at[name].body >= 0 else NOWHERE for name in self.frames}

    def energy(self, own: list[Scalar]) -> tuple[Scalar, Scalar]:
        """Kinetic and potential energy [J]."""
        m, (q, v) = self.mechanism, self._split(own)
        return kinetic_energy(m, q, v), potential_energy(m, q, Vector(*self.gravity))

    def rotor_inertias(self) -> list[Scalar]:
        """Of joints with a rotor of their own; coupled rotors belong to no joint alone."""
        rotors = self.mechanism.rotors
        return [] if rotors is None or self.robot.coupling is not None else [row[k] for k, row in enumerate(rotors)]

    def rates(self, own: list[Scalar], forces: Ports, t: Scalar) -> list[Scalar]:
        """Forward dynamics, by the method that suits the size of the robot."""
        forward = FORWARD_DYNAMICS[self.robot.forward_method]
        return [
            *self.position_rates(own),
            *forward(self.mechanism, *self._split(own), self.generalized_forces(own, forces), Vector(*self.gravity)),
        ]

    def _split(self, own: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        return own[: self.robot.nq], own[self.robot.nq :]

    @property
    def light(self) -> bool:
        """Whether it has few joints."""
        return self.robot.nv <= LIGHT

    def quaternions(self) -> list[slice]:
        """Those of spherical and floating joints."""
        return [body.quaternion for body in self.robot.mechanism.bodies if body.quaternion]

    def settle(self, own: list[Scalar]) -> list[Scalar]:
        """Quaternions take unit length again."""
        kept = list(own)
        for places in self.quaternions():
            size = sqrt(sum((x * x for x in own[places]), start=0))
            kept[places] = [x / size for x in own[places]]
        return kept
