"""A scene: robots and other parts, their friction, the torques on them and where they start. What users describe and simulate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stiction.drive.drive import Drive
from stiction.drive.gear import Gear
from stiction.errors import StictionError, unknown
from stiction.friction import Coulomb, Viscous
from stiction.friction.law import Law
from stiction.part import Digital, Part, function_of_time
from stiction.robot.dynamics import GRAVITY
from stiction.robot.joint import SINGLE
from stiction.robot.robot import Robot
from stiction.simulation.bodies import FreeBody, RobotBody
from stiction.simulation.forces import Source
from stiction.simulation.network import SIGNALS, Network, Term, Wire
from stiction.simulation.wiring import Mount, Wiring
from stiction.trace.functions import Scalar

OURS = ("friction ", "torque ", "motor ", "rotor ", "gear ", "mesh ", "control ", "command ")  # first words of the parts that a scene makes
DRIVE_WORDS = {"motor": "drive", "rotor": "drive", "gear": "drive", "mesh": "drive", "control": "control", "command": "drive"}
DRIVE_SIGNALS = {
    ("motor", "torque"): "motor_torque",
    ("motor", "current"): "motor_current",
    ("rotor", "position"): "motor_angle",
    ("rotor", "velocity"): "motor_speed",
    ("gear", "motor_torque"): "gear_motor_torque",
    ("gear", "joint_torque"): "gear_joint_torque",
    ("mesh", "torque"): "mesh_friction",
    ("mesh", "load"): "gear_load",
    ("control", "command"): "command",
    ("control", "sum"): "control_sum",
    ("command", "force"): "command",
}
RESERVED = (*SIGNALS, *DRIVE_SIGNALS.values(), "q", "v", "friction", "torque", "mode", "margin", "switches", "fastest", "bend", "drive", "control", "gravity")


class SceneError(StictionError):
    """A scene names something that is not there, or cannot be simulated as it is."""


@dataclass(frozen=True, kw_only=True)
class FrictionSite:
    """Friction on a combination of joint velocities.

    Attributes:
        law: the friction law.
        joints: factor of each joint's velocity, by the joint's name.

    Example:
        >>> import stiction
        >>> wrist = stiction.FrictionSite(law=stiction.Coulomb(level=2.0), joints={"joint5": 1, "joint6": 1})
    """

    law: Law
    joints: Mapping[str, float]

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise SceneError(f"FrictionSite: law is {self.law!r}; allowed: a friction law")
        if not isinstance(self.joints, Mapping) or not self.joints:
            raise SceneError(f"FrictionSite: joints is {self.joints!r}; allowed: a factor for each joint, such as {{'joint5': 1, 'joint6': 1}}")
        object.__setattr__(self, "joints", {name: _number(f"FrictionSite: the factor of joint '{name}'", x) for name, x in self.joints.items()})


def _number(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not abs(float(value)) < 1e15:
        raise SceneError(f"{what} is {value!r}; allowed: a finite number")
    return float(value)


Torque = float | Callable[[Scalar], Scalar]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What is simulated.

    Joints are called by their names; with several robots by "robot.joint".

    Attributes:
        robot: the robot, if there is one alone.
        robots: several robots, by name.
        parts: further parts (bodies, springs, grounds, your own), by name.
        wires: what drives the inputs of the parts; a robot's ports are "robot.q", "robot.v" and "robot.torque" ("NAME.q", ... of several).
        friction: law at each joint, by the joint's name; or `FrictionSite` objects under names of your choice. Damping and friction
            in a robot's description count where nothing is given here; None at a joint takes them away.
        drives: motor and gear of each joint, by the joint's name. They replace what the description says of rotors, gears and friction there.
        control: controllers (`PID`, `Callback`, your own) of joints, by name: they read position and velocity, their command goes to the drive, or
            is a torque at the joint where there is no drive.
        torque: at each joint [N·m or N], by name: a number, a `Table`, or a formula of the time t [s] (a function that uses `stiction.trace`).
        gravity: acceleration of free fall [m/s²], 3 numbers.
        q: positions at the start [rad or m], (nq,), or by name; 0 by default.
        v: velocities at the start [rad/s or m/s], (nv,), or by name; 0 by default.

    Example:
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=1.0)}, q={"joint1": 0.05})
        >>> run = stiction.simulate(scene, duration=10.0, step=1e-3, method="semi_implicit", record=1.0)
        >>> run["q.joint1"][-1] == 0.05  # 0.49 N·m of gravity, held
        np.True_
    """

    robot: Robot | None = None
    robots: Mapping[str, Robot] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    wires: Sequence[Wire] = ()
    friction: Mapping[str, Law | FrictionSite | None] = field(default_factory=dict)
    drives: Mapping[str, Drive] = field(default_factory=dict)
    control: Mapping[str, Digital] = field(default_factory=dict)
    torque: Mapping[str, Torque] = field(default_factory=dict)
    gravity: Sequence[float] = GRAVITY
    q: Any = ()
    v: Any = ()

    def __post_init__(self) -> None:
        for what in ("robots", "parts", "friction", "drives", "control", "torque"):
            if not isinstance(getattr(self, what), Mapping):
                raise SceneError(f"{what} is {getattr(self, what)!r}; allowed: a mapping from names")
        if isinstance(self.wires, str) or not isinstance(self.wires, Sequence) or not all(isinstance(wire, Wire) for wire in self.wires):
            raise SceneError(f"wires is {self.wires!r}; allowed: a list of Wire objects")
        object.__setattr__(self, "wires", tuple(self.wires))
        self._check_parts()
        for name, torque in self.torque.items():
            self._known(name, self.joints, "torque")
            if callable(torque):
                function_of_time(f"torque of '{name}'", torque, SceneError)
            else:
                _number(f"torque of '{name}'", torque) if not isinstance(torque, str) else _refuse_text(name, torque)
        for name, drive in self.drives.items():
            self._check_drive(name, drive)
        for name, controller in self.control.items():
            self._known(name, self.joints, "control")
            self._must_be_single(name, "a controller")
            sizes = dict(controller.inputs) if isinstance(controller, Digital) else {"": 0}
            if not set(sizes.items()) <= {("position", 1), ("velocity", 1)} or dict(controller.outputs) != {"command": 1}:
                raise SceneError(
                    f"control of '{name}' is {controller!r}; allowed: a controller that reads position and velocity and gives a command, such as PID"
                )
        for name, part in self.friction.items():
            if part is not None and not isinstance(part, (Law, FrictionSite)):
                raise SceneError(f"friction '{name}' is {part!r}; allowed: a friction law, a FrictionSite, or None")
            for joint in part.joints if isinstance(part, FrictionSite) else (name,):
                self._known(joint, self.joints, f"friction '{name}'")
        if isinstance(self.gravity, (str, float, int)) or len(self.gravity) != 3:
            raise SceneError(f"gravity is {self.gravity!r}; allowed: 3 numbers [m/s²], such as (0, 0, -9.81)")
        object.__setattr__(self, "gravity", tuple(_number("gravity", x) for x in self.gravity))
        for what in ("q", "v"):
            object.__setattr__(self, what, self._state(what, getattr(self, what)))
        _ = self.network  # checks the numbers and the wires

    def _check_parts(self) -> None:
        if self.robot is not None and self.robots:
            raise SceneError("give either robot or robots; one robot alone is robot, several are robots")
        for name, robot in self.machines.items():
            if not isinstance(robot, Robot):
                raise SceneError(f"robot '{name}' is {robot!r}; allowed: Robot objects")
            if "." in name or name in RESERVED:
                raise SceneError(f"a robot cannot be called '{name}'; choose a name without dots that is no name of a signal")
        if not self.machines and not self.parts:
            raise SceneError("the scene is empty; give a robot, robots or parts")
        for name, part in self.parts.items():
            if not isinstance(part, Part):
                raise SceneError(f"part '{name}' is {part!r}; allowed: Admittance and Impedance objects")
            if name in self.machines or name.startswith(OURS) or name in RESERVED or "." in name:
                raise SceneError(f"a part cannot be called '{name}' in this scene; choose another name, without dots")

    def _check_drive(self, name: str, drive: Any) -> None:
        self._known(name, self.joints, "drives")
        if not isinstance(drive, Drive):
            raise SceneError(f"drive of '{name}' is {drive!r}; allowed: Drive objects")
        robot = self._must_be_single(name, "a drive")
        if name in self.control and (callable(drive.command) or drive.command):
            raise SceneError(f"joint '{name}' has a controller and its drive a command; give one of them")
        if drive.joint_friction is not None and self.friction.get(name) is not None:
            raise SceneError(f"joint '{name}' has friction both in its drive and in the scene; give one of them")
        if self.machines[robot].coupling is not None and drive.gear != Gear(ratio=1.0):
            raise SceneError(f"drive of '{name}': the robot's coupling matrix holds its gear ratios; leave the gear out")

    def _must_be_single(self, name: str, what: str) -> str:
        """The robot of a joint that has one position and one velocity."""
        robot, inner = self.joints[name]
        kinds = {joint.name: joint.kind for joint in self.machines[robot].joints}
        if kinds.get(inner) not in SINGLE:
            raise SceneError(f"{what} cannot be on '{name}'; allowed: {', '.join(SINGLE)} joints")
        return robot

    def _known(self, joint: str, joints: Any, where: str) -> None:
        if joint not in joints:
            raise SceneError(unknown("joint", joint, self._owner, joints) + f" (in {where})")

    @property
    def _owner(self) -> str:
        return f"robot '{self.robot.name}'" if self.robot is not None else "this scene"

    def _state(self, what: str, given: Any) -> tuple[float, ...]:
        usual = {
            self.key(name, inner): x
            for name, r in self.machines.items()
            for inner, x in zip(*((r.position_names, r.neutral) if what == "q" else (r.velocity_names, [0.0] * r.nv)), strict=True)
        }
        if isinstance(given, Mapping):
            for name in given:
                self._known(name, usual, what)
            return tuple(_number(f"{what} of '{name}'", given.get(name, float(x))) for name, x in usual.items())
        try:
            values = [_number(what, float(x)) for x in given]
        except (TypeError, ValueError):
            raise SceneError(f"{what} is {given!r}; allowed: {len(usual)} numbers, or numbers by name") from None
        if values and len(values) != len(usual):
            raise SceneError(f"{what} has {len(values)} numbers; allowed: {len(usual)} ({', '.join(usual)}), or numbers by name")
        return tuple(values or (float(x) for x in usual.values()))

    @cached_property
    def machines(self) -> dict[str, Robot]:
        """The robots, by the names of their parts in the network."""
        return {"robot": self.robot} if self.robot is not None else dict(self.robots)

    def key(self, robot: str, name: str) -> str:
        """The name in the scene of what a robot calls so."""
        return name if self.robot is not None else f"{robot}.{name}"

    @cached_property
    def joints(self) -> dict[str, tuple[str, str]]:
        """Robot and inner name of every velocity, by the name it has in the scene."""
        return {self.key(robot, name): (robot, name) for robot, r in self.machines.items() for name in r.velocity_names}

    @cached_property
    def sites(self) -> dict[str, FrictionSite]:
        """All friction as sites, by name: what the robots' descriptions say, and what the scene says instead or in addition."""
        found: dict[str, Law | FrictionSite | None] = {}
        for key, (robot, name) in self.joints.items():
            found[key] = self.drives[key].joint_friction if key in self.drives else described(self.machines[robot], name)
        found |= self.friction
        made = {name: part if isinstance(part, FrictionSite) else FrictionSite(law=part, joints={name: 1}) for name, part in found.items() if part is not None}
        return {name: made[name] for name in [*self.friction, *made] if name in made}

    @cached_property
    def network(self) -> Network:
        """The scene as a network."""
        made = Wiring()
        first = {"q": 0, "v": 0}
        for name, robot in self.machines.items():
            states = {what: getattr(self, what)[first[what] : first[what] + size] for what, size in (("q", robot.nq), ("v", robot.nv))}
            first = {what: first[what] + len(states[what]) for what in first}
            made.parts[name] = RobotBody(robot=self._with_rotors(name), gravity=tuple(self.gravity), **states)  # type: ignore[arg-type]
            made.pushes[name] = []
            given = self.torques_on(name)
            if given:
                made.parts[f"torque {name}"] = Source(functions=tuple(given.values()), names=tuple(given))
                made.pushes[name].append(Term(f"torque {name}.force", [[float(inner == joint) for joint in given] for inner in robot.velocity_names]))
        for name, site in self.sites.items():
            rows = {robot: [site.joints.get(self.key(robot, inner), 0.0) for inner in r.velocity_names] for robot, r in self.machines.items()}
            made.rub(name, site.law, rows)
        for name in dict.fromkeys([*self.drives, *self.control]):
            self._attach(name, made)
        for name, part in self.parts.items():
            made.parts[name] = replace(part, gravity=self.gravity) if isinstance(part, FreeBody) and part.gravity is None else part  # type: ignore[arg-type]
        return Network(parts=made.parts, wires=[*made.wires, *self._joined(made.pushes)])

    def _attach(self, name: str, made: Wiring) -> None:
        """Put a drive, and the controller that commands it, on a joint."""
        mount, drive = self._mount(name), self.drives.get(name)
        if drive is None:
            made.push(mount, made.control(mount, self.control[name]))
        elif name in self.control:
            turns = sum(a * b for a, b in zip(mount.motor, mount.velocity, strict=True))
            made.drive(mount, drive, made.control(mount, self.control[name]), -1.0 if turns < 0 else 1.0)
        else:
            made.drive(mount, drive, made.command(mount, drive), 1.0)

    def _mount(self, name: str) -> Mount:
        """A joint as drives see it."""
        robot, inner = self.joints[name]
        r = self.machines[robot]
        velocity = [float(other == inner) for other in r.velocity_names]
        ratio = self.drives[name].gear.ratio if name in self.drives else 1.0
        motor = [ratio * x for x in velocity]
        if r.coupling is not None:
            single = [joint.name for joint in r.joints if joint.kind in SINGLE]
            row = dict(zip(single, r.coupling[single.index(inner)], strict=True))
            motor = [float(row.get(other, 0.0)) for other in r.velocity_names]
        start = {what: dict(zip(self.names(what), getattr(self, what), strict=True)).get(name, 0.0) for what in ("q", "v")}
        return Mount(name, robot, velocity, [float(other == inner) for other in r.position_names], motor, start["q"], start["v"])

    def torques_on(self, robot: str) -> dict[str, Torque]:
        """The torques on a robot, by the names of its velocities."""
        return {inner: self.torque[key] for key, (owner, inner) in self.joints.items() if owner == robot and key in self.torque}

    def _with_rotors(self, name: str) -> Robot:
        """A robot with the rotors of its drives; those behind elastic gears move on their own."""
        robot = self.machines[name]
        driven = {inner: self.drives[key] for key, (owner, inner) in self.joints.items() if owner == name and key in self.drives}
        if not driven:
            return robot
        joints = []
        for joint in robot.joints:
            if joint.name in driven:
                drive = driven[joint.name]
                joint = replace(joint, rotor_inertia=0.0 if drive.gear.elastic else drive.motor.rotor_inertia, gear_ratio=drive.gear.ratio)
            joints.append(joint)
        return replace(robot, joints=tuple(joints))

    def names(self, what: str) -> list[str]:
        """The names of all positions or velocities."""
        return [self.key(name, inner) for name, r in self.machines.items() for inner in (r.position_names if what == "q" else r.velocity_names)]

    def _joined(self, terms: dict[str, list[Term | str]]) -> list[Wire]:
        """The wires of the user; what drives a robot joins what the scene puts there."""
        made = []
        shifts: dict[str, Sequence[float]] = {}
        for wire in self.wires:
            robot = wire.target.rpartition(".")[0]
            if wire.target == f"{robot}.torque" and robot in terms and robot not in shifts:
                terms[robot].extend(wire.terms)
                shifts[robot] = wire.shift
            else:
                made.append(wire)
        return [*made, *(Wire(f"{robot}.torque", given, shifts.get(robot, ())) for robot, given in terms.items() if given or shifts.get(robot))]


def described(robot: Robot, velocity: str) -> Law | None:
    """The friction that a robot's own description gives to one of its velocities."""
    joints = {joint.name: joint for joint in robot.joints}
    joint = joints.get(velocity) or joints[velocity.rpartition(".")[0]]
    if any(joint.friction):  # type: ignore[arg-type]
        return Coulomb(level=tuple(joint.friction), viscous=joint.damping)  # type: ignore[arg-type]
    return Viscous(coefficient=joint.damping) if joint.damping else None


def _refuse_text(name: str, text: str) -> None:
    raise SceneError(f"torque of '{name}' is {text!r}; allowed: a number, a Table, or a function of the time (in code a formula is Formula({text!r}))")
