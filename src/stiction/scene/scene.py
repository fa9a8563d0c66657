"""A scene: robots and other parts, their friction, the torques on them and where they start. What users describe and
simulate.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from stiction.constraint.constraint import Constraint
from stiction.contact.candidates import Candidate
from stiction.contact.settings import Contacts
from stiction.control.cascade import Cascade
from stiction.control.reference import Reference
from stiction.control.sensor import Sensor
from stiction.drive.drive import Drive
from stiction.errors import StictionError, unknown
from stiction.fields import (
    MisfitError,
    Validated,
    because,
    choice,
    instance,
    numbers,
    printable,
    real,
    shortened,
    timely,
)
from stiction.friction.law import Law
from stiction.network.layout import start_values
from stiction.network.network import Network
from stiction.network.parameters import parameters_of
from stiction.network.wires import Wire
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.kinds import Digital, Part
from stiction.robot.joint import SINGLE, Limits
from stiction.robot.ports import GRAVITY
from stiction.robot.robot import Robot
from stiction.scene.build import network_of
from stiction.scene.constrained import Constrained, constrained
from stiction.scene.constraints import all_constraints, check_constraints, closed_coordinates
from stiction.scene.friction_site import FrictionSite, SceneError, checked_number, described
from stiction.scene.holding import holding
from stiction.scene.limits import described_limits, has_ends, notes_of_limits
from stiction.scene.targets import begun, check_servos, notes_of_references, references_of
from stiction.scene.touch import CONTACT
from stiction.trace.functions import Scalar

MAPPINGS = (
    "robots",
    "parts",
    "friction",
    "drives",
    "control",
    "reference",
    "sensors",
    "torque",
    "motion",
    "constraints",
    "near",
)
TAKEN = ("energy", "work", "loss", "stored", "start", CONTACT)  # words that begin names of other signals
ROUNDING = 1e-9  # rad or m by which a position may be elsewhere than it should
Torque = float | Callable[[Scalar], Scalar]


@dataclass(frozen=True, kw_only=True)
class Scene(Validated):
    """What is simulated.

    Joints are called by their names; with several robots by "robot.joint".

    Attributes:
        robot: the robot, if there is one alone.
        robots: several robots, by name.
        parts: further parts (bodies, springs, grounds, your own), by name.
        wires: what drives the inputs of the parts; a robot's ports are "robot.q", "robot.v" and "robot.torque"
            ("NAME.q", ... of several).
        friction: law at each joint, by the joint's name; or `FrictionSite` objects under names of your choice. Damping
            and friction in a robot's description count where nothing is given here; None at a joint takes them away.
        drives: motor and gear of each joint, by the joint's name. They replace what the description says of rotors,
            gears and friction there.
        control: controllers of joints, by the joint's name (`PID`, `Cascade`, `Callback`, your own), whose command goes
            to the drive, or is a torque at the joint where there is no drive; or of a whole robot, by its name
            ("robot", if there is one alone). What they read, their ports name: position, velocity, current, target,
            target_velocity, target_acceleration.
        reference: where joints should be, by the joint's name: a number, a `Table`, a formula of the time t [s] or a
            motion of one joint; or of a whole robot, by its name, or alone: `PointToPoint`, `Spline`, `ToolPath`.
            Joints start where such a motion begins.
        sensors: what controllers know of joints, by the joint's name: lists of `Encoder`, `Tachometer`,
            `CurrentSensor`. What no sensor tells they know exactly.
        torque: at each joint [N·m or N], by name: a number, a `Table`, or a formula of the time t [s] (a function that
            uses `stiction.trace`).
        motion: position of joints that move as they are told [rad or m], by name, as `torque`; what it takes is the
            signal "motion.JOINT" [N·m or N]. They start where it says.
        limits: "act": joints stop at the ends of their ways, as robots' descriptions give them; "ignore": they go
            through, which is noted in the run.
        constraints: motion that is kept, whatever force it takes, by names of your choice: loops that are closed
            (`Pin`, `Weld`), wheels that roll, tools on surfaces, joints that follow others, equations of your own.
            Joints that mimic others in a robot's description are among them.
        contacts: how shapes touch: `Contacts`. None: where a free or fixed body among the parts has shapes, as by
            `Contacts()`; else nothing touches.
        gravity: acceleration of free fall [m/s²], 3 numbers.
        q: positions at the start [rad or m], (nq,), or by name; 0 by default, or the end of a joint's way that is
            nearest to it. With constraints, those that are not given follow from those that are.
        v: velocities at the start [rad/s or m/s], (nv,), or by name; 0 by default. With constraints likewise.
        near: positions by name [rad or m], near which those are sought that follow by constraints: on which side a loop
            is closed.

    Example:
        >>> import stiction
        >>> friction = {"joint1": stiction.Coulomb(level=1.0)}
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction, q={"joint1": 0.05})
        >>> run = stiction.simulate(scene, duration=10.0, step=1e-3, method="moreau", record=1.0)
        >>> float(run["q.joint1"][-1])  # 0.49 N·m of gravity, held
        0.05
    """

    error = SceneError
    given_coordinates: ClassVar[Mapping[str, list[str] | None]]  # as `_given` finds them

    robot: Robot | None = instance(Robot, default=None, words="a Robot", optional=True)
    robots: Mapping[str, Robot] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    wires: Sequence[Wire] = ()
    friction: Mapping[str, Law | FrictionSite | None] = field(default_factory=dict)
    drives: Mapping[str, Drive] = field(default_factory=dict)
    control: Mapping[str, Digital | Cascade] = field(default_factory=dict)
    reference: Reference | Mapping[str, Any] = field(default_factory=dict)
    sensors: Mapping[str, Sequence[Sensor]] = field(default_factory=dict)
    torque: Mapping[str, Torque] = field(default_factory=dict)
    motion: Mapping[str, Torque] = field(default_factory=dict)
    limits: str = choice(("act", "ignore"), default="act")
    constraints: Mapping[str, Constraint] = field(default_factory=dict)
    contacts: Contacts | None = instance(Contacts, default=None, words="a stiction.Contacts object", optional=True)
    gravity: Sequence[float] = numbers(3, default=GRAVITY)
    q: Any = ()
    v: Any = ()
    near: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.reference, Reference):
            if len(self.all_robots) != 1:
                raise SceneError(
                    f"reference is one motion, and there are {len(self.all_robots)} robots; give it by name"
                )
            self._set("reference", dict.fromkeys(self.all_robots, self.reference))
        for what in MAPPINGS:
            if not isinstance(getattr(self, what), Mapping):
                raise SceneError(f"{what} is {getattr(self, what)!r}; allowed: a mapping from names")
            self._set(what, dict(getattr(self, what)))  # what becomes of the user's own does not matter
        if not isinstance(self.wires, (list, tuple)) or not all(isinstance(wire, Wire) for wire in self.wires):
            raise SceneError(f"wires is {self.wires!r}; allowed: a list of Wire objects")
        self._set("wires", tuple(self.wires))
        self._check_parts()
        for what in ("torque", "motion"):
            self._set(what, {name: self._in_time(what, name, x) for name, x in getattr(self, what).items()})
        for name in self.motion:
            self.must_be_single(name, "an imposed motion")
        for name, drive in self.drives.items():
            self._check_drive(name, drive)
        check_servos(self)
        check_constraints(self)
        _ = self.references
        for name, site in self.friction.items():
            if site is not None and not isinstance(site, (Law, FrictionSite)):
                raise SceneError(f"friction '{name}' is {site!r}; allowed: a friction law, a FrictionSite, or None")
            for joint in site.joints if isinstance(site, FrictionSite) else (name,):
                self.must_know(joint, self.joints, f"friction '{name}'")
        self._set("given_coordinates", {what: self._given(what) for what in ("q", "v")})
        for what in ("q", "v"):
            self._set(what, self._coordinates(what, getattr(self, what)))
        if self.all_constraints:
            for what, closed in closed_coordinates(self, network_of(self)).items():
                self._set(what, closed)
        self._check_told()
        self._check_ways()
        _ = self.network  # checks the parameters and the wires

    def refusal(self, why: str) -> StictionError:
        """Errors name the field alone: there is one scene."""
        return SceneError(why)

    # Checks.

    def _check_parts(self) -> None:
        if self.robot is not None and self.robots:
            raise SceneError("give either robot or robots; one robot alone is robot, several are robots")
        if not self.all_robots and not self.parts:
            raise SceneError("the scene is empty; give a robot, robots or parts")
        for name, robot in self.all_robots.items():
            if not isinstance(robot, Robot):
                raise SceneError(f"robot '{name}' is {robot!r}; allowed: Robot objects")
        for name, part in self.parts.items():
            if not isinstance(part, Part):
                raise SceneError(f"part '{name}' is {part!r}; allowed: Admittance, Impedance and Digital objects")
        for name in [*self.all_robots, *self.parts]:
            if not isinstance(name, str) or not name or "." in name or name in TAKEN or not printable(name):
                raise SceneError(
                    f"a robot or part cannot be called {name!r}; choose a name that can be printed, without dots, "
                    f"other than {', '.join(TAKEN)}"
                )
        for name in self.parts:
            if name in self.all_robots:
                raise SceneError(f"a part cannot be called '{name}', as a robot is; choose another name")

    def _in_time(self, quantity: str, name: str, value: Any) -> Torque:
        self.must_know(name, self.joints, quantity)
        what = f"{quantity} of '{name}'"
        if isinstance(value, str):
            raise SceneError(
                f"{what} is {value!r}; allowed: a number, a Table, or a function of the time "
                f"(in code a formula is Formula({value!r}))"
            )
        if not callable(value):
            return checked_number(what, value)
        try:
            timely(value)
        except MisfitError as problem:
            raise SceneError(f"{what}: {problem}; allowed: a function of the time that uses stiction.trace") from None
        return value

    def _check_drive(self, name: str, drive: Any) -> None:
        self.must_know(name, self.joints, "drives")
        if not isinstance(drive, Drive):
            raise SceneError(f"drive of '{name}' is {drive!r}; allowed: Drive objects")
        robot = self.must_be_single(name, "a drive")
        if (name in self.control or robot in self.control) and (callable(drive.command) or drive.command):
            raise SceneError(f"joint '{name}' has a controller and its drive a command; give one of them")
        if drive.joint_friction is not None and name in self.friction:
            raise SceneError(f"joint '{name}' has friction both in its drive and in the scene; give one of them")
        if self.all_robots[robot].coupling is not None and drive.gear.ratio != 1:
            raise SceneError(
                f"drive of '{name}': the robot's coupling matrix holds its gear ratios; leave that of the gear out"
            )

    def must_be_single(self, name: str, what: str) -> str:
        """The robot of a joint that has one position and one velocity."""
        robot, inner = self.joints[name]
        kinds = {joint.name: joint.kind for joint in self.all_robots[robot].joints}
        if kinds.get(inner) not in SINGLE:
            raise SceneError(f"{what} cannot be on '{name}'; allowed: {', '.join(SINGLE)} joints")
        return robot

    def _told(self) -> dict[str, dict[str, float]]:
        """Position and velocity at the start of joints that move as they are told."""
        found = {}
        for name, function in self.motion.items():
            x, v = ImposedMotion(function=function).at_start()
            found[name] = {"q": x, "v": v}
        return found

    def _check_told(self) -> None:
        """Refuse positions at the start that are not those of the motion."""
        q = dict(zip(self.position_names, self.q, strict=True))
        for name, told in self._told().items():
            if abs(q[name] - told["q"]) > ROUNDING * max(1.0, abs(told["q"])):
                raise SceneError(
                    f"q of '{name}' is {q[name]:g}, and its motion begins at {told['q']:g}; leave one of them out"
                )

    def _check_ways(self) -> None:
        """Refuse positions beyond the ends of a joint's way."""
        q = dict(zip(self.position_names, self.q, strict=True))
        for name, limits in self.way_limits.items():
            rounding = ROUNDING * max(1.0, abs(q[name]))  # a run may end there by rounding, and another begin
            if not limits.lower - rounding <= q[name] <= limits.upper + rounding:
                raise SceneError(
                    f"q of '{name}' is {q[name]:g} and beyond the ends of its way; allowed: {limits.lower:g} to "
                    f"{limits.upper:g}. Start within them, or give limits='ignore'"
                )

    def must_know(self, joint: str, joints: Any, where: str) -> None:
        """Refuse a name that is none of these."""
        if joint not in joints:
            owner = f"robot '{self.robot.name}'" if self.robot is not None else "this scene"
            raise SceneError(unknown("joint", joint, owner, joints) + f" (in {where})")

    def _given(self, what: str) -> list[str] | None:
        """Names of the coordinates at the start that stay as they are given; None: all."""
        stated = getattr(self, what)
        if not isinstance(stated, Mapping) and np.size(stated):
            return None
        return [*stated, *begun(self, what), *self.motion]

    def replaced(self, **fields: Any) -> "Scene":
        """The same scene with other fields; positions and velocities that follow by constraints still do."""
        found = dict(fields)
        for what, given in self.given_coordinates.items() if self.all_constraints else ():
            if given is None or what in fields:
                continue
            names = [
                self.key(robot, inner)
                for robot, r in self.all_robots.items()
                for inner in (r.position_names if what == "q" else r.velocity_names)
            ]
            values = dict(zip(names, getattr(self, what), strict=True))
            found[what] = {name: x for name, x in values.items() if name in given}
            if what == "q" and "near" not in fields:
                found["near"] = {name: x for name, x in values.items() if name not in given}
        return replace(self, **found)

    def _coordinates(self, what: str, stated: Any) -> tuple[float, ...]:
        usual: dict[str, float] = {}
        for name, r in self.all_robots.items():
            inner, first = (r.position_names, r.neutral) if what == "q" else (r.velocity_names, [0.0] * r.nv)
            usual |= {self.key(name, each): float(x) for each, x in zip(inner, first, strict=True)}
        if what == "q":
            for name in self.near:
                self.must_know(name, usual, "near")
            usual |= {name: checked_number(f"near of '{name}'", x) for name, x in self.near.items()}
            usual |= {name: min(max(x.lower, usual[name]), x.upper) for name, x in self.way_limits.items()}
        usual |= begun(self, what) | {name: told[what] for name, told in self._told().items()}
        if isinstance(stated, Mapping):
            for name in stated:
                self.must_know(name, usual, what)
            return tuple(checked_number(f"{what} of '{name}'", stated.get(name, x)) for name, x in usual.items())
        try:
            values = [real(x) for x in stated]
        except (TypeError, ValueError) as problem:
            raise SceneError(
                f"{what} is {shortened(repr(stated))}{because(problem)}; "
                f"allowed: {len(usual)} finite numbers, or numbers by name"
            ) from None
        if values and len(values) != len(usual):
            raise SceneError(
                f"{what} has {len(values)} numbers; allowed: {len(usual)} ({', '.join(usual)}), or numbers by name"
            )
        return tuple(values or usual.values())

    # What it consists of.

    @cached_property
    def references(self) -> dict[str, Reference]:
        """The references as motions of joints, by the name of joint or robot."""
        return references_of(self)

    @property
    def reference_notes(self) -> list[str]:
        """What should be known of references that jump."""
        return notes_of_references(self)

    def joints_of(self, name: str) -> list[str]:
        """The joints that a reference or controller of this name is for."""
        if name not in self.all_robots:
            return [name]
        return [self.key(name, inner) for inner in self.all_robots[name].velocity_names]

    def holding(self) -> dict[str, float]:
        """First values at which the drives hold the robots at rest, without friction: currents, windings of elastic
        gears, integrals of controllers. Give them to `simulate` as parameters.

        Example:
            >>> import stiction
            >>> arm = stiction.library.manutec_r3()
            >>> scene = arm.scene(reference=dict.fromkeys(arm.drives, 0.0), q={"joint3": 1.0})
            >>> round(scene.holding()["motor_current.joint3"], 4)  # A
            -2.9823
        """
        return holding(self)

    def constrained(self, q: Any = None, v: Any = None) -> Constrained:
        """The dynamics under the constraints at positions q [rad or m], (..., nq), and velocities v [rad/s or m/s],
        (..., nv), of the robots; by default those at the start. Friction, drives and other parts are left aside.

        Example:
            >>> import stiction
            >>> geared = {"gears": stiction.Follow(joint="joint2", of="joint1", ratio=-2.0)}
            >>> moment = stiction.Scene(robot=stiction.library.pendulum(2), constraints=geared).constrained()
            >>> moment.A.tolist(), int(moment.rank)
            ([[2.0, 1.0]], 1)
            >>> bool(abs(moment.projector @ moment.projector - moment.projector).max() < 1e-12)
            True
        """
        return constrained(self, q, v)

    @property
    def joint_control(self) -> dict[str, Any]:
        """Controllers of joints, by joint."""
        return {name: x for name, x in self.control.items() if name not in self.all_robots}

    @property
    def robot_control(self) -> dict[str, Any]:
        """Controllers of whole robots, by robot."""
        return {name: x for name, x in self.control.items() if name in self.all_robots}

    @cached_property
    def all_robots(self) -> dict[str, Robot]:
        """The robots, by the names of their parts in the network; one alone is called "robot"."""
        robots = {"robot": self.robot} if self.robot is not None else dict(self.robots)
        return {name: r.without_mimics() if _mimics(r) else r for name, r in robots.items()}

    @cached_property
    def all_constraints(self) -> dict[str, Constraint]:
        """The constraints, those of joints that mimic others included."""
        return all_constraints(self)

    def key(self, robot: str, name: str) -> str:
        """The name in the scene of what a robot calls so."""
        return name if self.robot is not None else f"{robot}.{name}"

    @cached_property
    def joints(self) -> dict[str, tuple[str, str]]:
        """Robot and inner name of every velocity, by the name it has in the scene."""
        return {
            self.key(robot, name): (robot, name) for robot, r in self.all_robots.items() for name in r.velocity_names
        }

    @cached_property
    def position_names(self) -> list[str]:
        """The names of all positions of robots."""
        return [self.key(robot, name) for robot, r in self.all_robots.items() for name in r.position_names]

    @cached_property
    def described_limits(self) -> dict[str, Limits]:
        """What robots' descriptions say of limits, by joint."""
        return described_limits(self)

    @cached_property
    def way_limits(self) -> dict[str, Limits]:
        """Joints whose ways end, where that acts; what moves as it is told moves on."""
        return {
            name: limits
            for name, limits in self.described_limits.items()
            if self.limits == "act" and name not in self.motion and has_ends(limits)
        }

    @property
    def limit_notes(self) -> list[str]:
        """What should be known of limits that do not act."""
        return notes_of_limits(self)

    @cached_property
    def sites(self) -> dict[str, FrictionSite]:
        """All friction as sites, by name: what the robots' descriptions say, and what the scene says instead or in
        addition.
        """
        found: dict[str, Law | FrictionSite | None] = {}
        for key, (robot, name) in self.joints.items():
            found[key] = (
                self.drives[key].joint_friction if key in self.drives else described(self.all_robots[robot], name)
            )
        found |= self.friction
        made = {
            name: site if isinstance(site, FrictionSite) else FrictionSite(law=site, joints={name: 1})
            for name, site in found.items()
            if site is not None
        }
        return {name: made[name] for name in [*self.friction, *made] if name in made}

    @property
    def candidates(self) -> list[Candidate]:
        """What may touch what, in the order of the numbers that the signals "contact.1.candidate" … tell."""
        part: Any = self.network.parts.get(CONTACT)
        return list(part.candidates.listed) if part else []

    @cached_property
    def network(self) -> Network:
        """The scene as a network."""
        return network_of(self)

    @property
    def parameters(self) -> dict[str, float]:
        """Every parameter and first value that `simulate` can replace, by name [SI].

        Example:
            >>> import stiction
            >>> friction = {"joint1": stiction.Coulomb(level=0.5)}
            >>> known = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction).parameters
            >>> known["friction.joint1.level"], known["robot.link1.mass"], known["q.joint1"]
            (0.5, 1.0, 0.0)
        """
        return {name: x for name, (x, _) in parameters_of(self.network).items()} | start_values(
            self.network, bristles=False
        )

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or another process needs: the description alone."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _mimics(robot: Any) -> bool:
    """Whether joints of a robot follow others."""
    return isinstance(robot, Robot) and any(joint.mimic for joint in robot.joints)
