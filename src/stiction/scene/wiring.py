"""Putting friction, drives and controllers on the joints of robots: the parts, wires and names of a scene's network.

Every part gets its name here, and what users call its signals and parameters for short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stiction.drive.drive import Drive
from stiction.drive.gear import ElasticGear, Mesh
from stiction.fields import LARGEST
from stiction.friction.law import Law
from stiction.network.labels import Label, Labels
from stiction.network.network import Follower
from stiction.network.wires import InternalTerm, Term, Wire
from stiction.parts.bodies import Mass
from stiction.parts.end_stop import EndStop
from stiction.parts.friction import Friction
from stiction.parts.imposed_motion import ImposedMotion
from stiction.parts.kinds import Part
from stiction.parts.robot_body import RobotBody
from stiction.parts.source import Source
from stiction.robot.joint import Limits
from stiction.robot.units import ANGLE
from stiction.scene.friction_site import SceneError
from stiction.trace.parameters import Key

LOCKED = 1e6  # N·m that hold a gear which cannot be driven back


@dataclass(frozen=True)
class Mount:
    """A joint of a robot, as parts see it.

    Attributes:
        name: of the joint in the scene.
        robot: name of the robot's part.
        joint: name of the joint in the robot.
        names: of the robot's velocities in the scene.
        velocity: its velocity as a row over those of the robot.
        position: its position likewise.
        motor: the speed of its motor as a row over the velocities of the robot.
        motor_position: the angle of its motor as a row over the positions of the robot.
        coupled: whether its motor turns with several joints.
        ratio: motor speed over joint speed, where it is not coupled.
        q: positions of the robot at the start [rad or m].
        v: velocities of the robot at the start [rad/s or m/s].
        units: of position "q", velocity "v" and "torque".
    """

    name: str
    robot: str
    joint: str
    names: Sequence[str]
    velocity: list[float]
    position: list[float]
    motor: list[float]
    motor_position: list[float]
    coupled: bool
    ratio: float
    q: Sequence[float]
    v: Sequence[float]
    units: Mapping[str, str]

    @property
    def shaft(self) -> list[float]:
        """The speed that a gear turns into that of the motor, as a row over the velocities of the robot."""
        return self.motor if self.coupled else self.velocity

    @property
    def shaft_position(self) -> list[float]:
        """Likewise the angle."""
        return self.motor_position if self.coupled else self.position


@dataclass
class Wiring:
    """What a network is made of, while it is made.

    Attributes:
        parts: by name.
        wires: all but those that drive robots.
        pushes: what drives each robot, by its name.
        labels: what users call signals and parameters.
        followers: states whose first values follow from others.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)
    pushes: dict[str, list[Term]] = field(default_factory=dict)
    labels: Labels = field(default_factory=Labels)
    followers: dict[Key, Follower] = field(default_factory=dict)

    def label(self, part: str, name: str, units: Mapping[str, str] | None = None, **outputs: str) -> None:
        """Short forms "WORD.NAME" of some outputs of a part, by their words."""
        for output, word in outputs.items():
            self.labels.signals[part, output] = Label(f"{word}.{name}", (units or {}).get(output))

    def robot(self, name: str, body: RobotBody, keys: Mapping[str, str]) -> None:
        """A robot; `keys` are the names of its coordinates in the scene."""
        self.parts[name] = body
        self.pushes[name] = []
        for what, inner in (("q", body.robot.position_names), ("v", body.robot.velocity_names)):
            for coordinate in inner:
                self.labels.signals[name, f"{what}.{coordinate}"] = Label(f"{what}.{keys[coordinate]}")
        self.fall(name)

    def fall(self, name: str) -> None:
        """The gravity of a part is that of the scene."""
        self.labels.parameters |= {(name, f"gravity.{c}"): f"gravity.{c}" for c in "xyz"}

    def torque(self, mount: Mount, value: Any) -> None:
        """A torque at a joint, given in time."""
        part = f"torque.{mount.name}"
        self.parts[part] = Source(functions=(value,))
        self.labels.signals[part, "force"] = Label(part, mount.units["torque"])
        self.labels.parameters[part, "value"] = part
        self.push(mount, f"{part}.force")

    def friction(self, site: str, friction: Any, rows: Mapping[str, Sequence[float]], units: Mapping[str, str]) -> None:
        """Friction on a combination of the velocities of robots: a `FrictionSite`, or a law."""
        law, load = getattr(friction, "law", friction), getattr(friction, "load_from", None)
        if getattr(friction, "load", None) is not None:
            source = f"load.{site}"
            self.parts[source] = Source(functions=(friction.load,))
            self.labels.signals[source, "force"] = Label(source, "1")
            self.labels.parameters[source, "value"] = source
            load = f"{source}.force"
        part = self._site(site, law, units, loaded=load is not None)
        if load is not None:
            self.wires.append(Wire(f"{part}.load", [load]))
        seen = {robot: list(row) for robot, row in rows.items() if any(row)}
        self.wires.append(Wire(f"{part}.velocity", [InternalTerm(f"{robot}.v", [row]) for robot, row in seen.items()]))
        for robot, row in seen.items():
            self.pushes[robot].append(InternalTerm(f"{part}.torque", [[-x] for x in row]))

    def _site(self, site: str, law: Law, units: Mapping[str, str], loaded: bool = False) -> str:
        part = f"friction.{site}"
        self.parts[part] = Friction(law=law, loaded=loaded)
        of = {"torque": "torque", "margin": "torque", "link_torque": "torque", "way": "q", "fastest": "v"}
        known = {what: units[quantity] for what, quantity in of.items()}
        for state, bends in zip(law.states, law.bends, strict=True):
            known[state] = units["q"] if bends else law.units[state.partition(".")[0]]
        words = {what: what for what in (*known, "mode", "lasting_mode", "direction", "switches")}
        self.label(part, site, known, **words | {"torque": "friction"})
        return part

    def end_stop(self, mount: Mount, limits: Limits) -> None:
        """The ends of a joint's way."""
        part = f"limit.{mount.name}"
        ends = {what: x for what in ("lower", "upper") if abs(x := getattr(limits, what)) < LARGEST}
        if limits.lower == limits.upper:
            raise SceneError(
                f"joint '{mount.name}': its limits are lower = upper = {limits.lower:g}, so it cannot move; make it a "
                "fixed joint, lock it (robot.lock), or give limits='ignore'"
            )
        self.parts[part] = EndStop(**ends, restitution=limits.restitution)
        self.label(part, mount.name, {"torque": mount.units["torque"]}, torque="limit", reached="limit_reached")
        self.wires += [
            Wire(f"{part}.position", [InternalTerm(f"{mount.robot}.q", [mount.position])]),
            Wire(f"{part}.velocity", [InternalTerm(f"{mount.robot}.v", [mount.velocity])]),
        ]
        self.push(mount, f"{part}.torque", -1.0)

    def motion(self, mount: Mount, function: Any) -> None:
        """A position of a joint, given in time."""
        part = f"motion.{mount.name}"
        self.parts[part] = ImposedMotion(function=function)
        self.label(part, mount.name, {"torque": mount.units["torque"]}, torque="motion")
        self.wires += [
            Wire(f"{part}.position", [InternalTerm(f"{mount.robot}.q", [mount.position])]),
            Wire(f"{part}.velocity", [InternalTerm(f"{mount.robot}.v", [mount.velocity])]),
        ]
        self.push(mount, f"{part}.torque")

    def push(self, mount: Mount, source: str, gain: float = 1.0) -> None:
        """A torque at a joint."""
        self.pushes[mount.robot].append(InternalTerm(source, [[gain * x] for x in mount.velocity]))

    def push_term(self, mount: Mount, term: Term) -> None:
        """A torque at a joint that comes from one of several numbers of a port."""
        gain = term.gain if isinstance(term.gain, tuple) else ((term.gain,),)
        rows = [[x * g for g in gain[0]] for x in mount.velocity]
        pushes = self.pushes[mount.robot]
        for k, other in enumerate(pushes):
            if other.source == term.source:
                before: Any = other.gain
                rows = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(before, rows, strict=True)]
                pushes[k] = InternalTerm(term.source, rows)
                return
        pushes.append(InternalTerm(term.source, rows))

    def command(self, mount: Mount, drive: Drive) -> Term:
        """The drive's own command."""
        part = f"drive.{mount.name}.command"
        self.parts[part] = Source(functions=(drive.command,))
        self.labels.signals[part, "force"] = Label(f"command.{mount.name}", drive.motor.unit_of_command)
        self.labels.parameters[part, "value"] = part
        return Term(f"{part}.force")

    def drive(self, mount: Mount, drive: Drive, command: Term) -> None:
        """A motor with its gear on a joint."""
        motor = f"drive.{mount.name}.motor"
        self.parts[motor] = drive.motor
        self.labels.owners[motor] = f"drive.{mount.name}"
        self.label(motor, mount.name, torque="motor_torque", current="motor_current", voltage="motor_voltage")
        self.label(motor, mount.name, copper="loss.copper", supplied="work.supply")
        self.wires.append(Wire(f"{motor}.command", [command]))
        follows = drive.gear.elastic or drive.gear.lossy  # friction in the teeth holds the rotor's inertia, too
        rotor = None if follows else f"drive.{mount.name}.rotor_inertia"
        self.labels.parameters[mount.robot, f"{mount.joint}.rotor_inertia"] = rotor
        self.labels.parameters[mount.robot, f"{mount.joint}.gear_ratio"] = None  # the wires hold it, too
        n = len(mount.velocity)
        self.labels.parameters |= {(mount.robot, f"coupling.{i}.{j}"): None for i in range(n) for j in range(n)}
        if drive.gear.elastic:
            self._elastic(mount, drive)
        else:
            self.wires.append(Wire(f"{motor}.speed", [InternalTerm(f"{mount.robot}.v", [mount.motor])]))
            self.pushes[mount.robot].append(InternalTerm(f"{motor}.torque", [[x] for x in mount.motor]))
            if drive.motor_friction is not None:
                self.friction(f"{mount.name}.motor", drive.motor_friction, {mount.robot: mount.motor}, ANGLE)
        if drive.gear.lossy:
            self._mesh(mount, drive)

    def _elastic(self, mount: Mount, drive: Drive) -> None:
        """A rotor that moves on its own behind a spring."""
        rotor, gear, motor = (f"drive.{mount.name}.{word}" for word in ("rotor", "gear", "motor"))
        own, n = drive.gear, drive.gear.ratio
        first = {"q": _sum(mount.shaft_position, mount.q), "v": _sum(mount.shaft, mount.v)}
        far = max(abs(n * x) for x in first.values())
        if far >= LARGEST:
            raise SceneError(
                f"drive of '{mount.name}': its rotor begins at {n:g} (gear ratio) times the joint's q = {first['q']:g} "
                f"and v = {first['v']:g}; allowed: below {LARGEST:g}. Start nearer to 0, or take a smaller ratio"
            )
        self.parts[rotor] = Mass(mass=drive.motor.rotor_inertia, position=n * first["q"], velocity=n * first["v"])
        self.parts[gear] = ElasticGear(ratio=n, stiffness=own.stiffness, damping=own.damping, backlash=own.backlash)  # type: ignore[arg-type]
        body: Any = self.parts[mount.robot]
        inner = {"q": body.robot.position_names, "v": body.robot.velocity_names}
        for what, state, row in (("q", "position", mount.shaft_position), ("v", "velocity", mount.shaft)):
            leaders = {(mount.robot, f"{what}.{name}"): x for name, x in zip(inner[what], row, strict=True) if x}
            self.followers[rotor, state] = Follower(leaders, (gear, "ratio"))
        self.labels.owners[gear] = f"drive.{mount.name}"
        self.labels.parameters[rotor, "mass"] = f"drive.{mount.name}.rotor_inertia"
        units = {"position": "rad", "velocity": "rad/s"}
        self.label(rotor, mount.name, units, position="motor_angle", velocity="motor_speed")
        units = {"joint_torque": mount.units["torque"]}
        self.label(gear, mount.name, units, motor_torque="gear_motor_torque", joint_torque="gear_joint_torque")
        self.wires += [
            Wire(f"{motor}.speed", [f"{rotor}.velocity"]),
            Wire(f"{gear}.motor_angle", [f"{rotor}.position"]),
            Wire(f"{gear}.motor_speed", [f"{rotor}.velocity"]),
            Wire(f"{gear}.joint_angle", [InternalTerm(f"{mount.robot}.q", [mount.shaft_position])]),
            Wire(f"{gear}.joint_speed", [InternalTerm(f"{mount.robot}.v", [mount.shaft])]),
        ]
        self._turn(mount, f"{gear}.joint_torque")
        on_rotor: list[Term | str] = [f"{motor}.torque", f"{gear}.motor_torque"]
        if drive.motor_friction is not None:
            site = self._site(f"{mount.name}.motor", drive.motor_friction, ANGLE)
            self.wires.append(Wire(f"{site}.velocity", [f"{rotor}.velocity"]))
            on_rotor.append(Term(f"{site}.torque", -1.0))
        self.wires.append(Wire(f"{rotor}.force", on_rotor))

    def _mesh(self, mount: Mount, drive: Drive) -> None:
        """Losses in the teeth."""
        gear, mesh = drive.gear, f"drive.{mount.name}.mesh"
        self.parts[mesh] = Mesh(
            efficiency=gear.efficiency,
            back_efficiency=gear.back_efficiency,  # type: ignore[arg-type]
            locked=LOCKED if gear.self_locking else 0.0,
            reflected_inertia=0.0 if gear.elastic else drive.reflected_inertia,
        )
        self.labels.owners[mesh] = f"drive.{mount.name}"
        self.labels.parameters |= {(mesh, "locked"): None, (mesh, "reflected_inertia"): None}  # follow from the gear
        self.labels.parts[mesh] = f"the gear of '{mount.name}' (with an efficiency, back_efficiency or self_locking)"
        units = dict.fromkeys(("torque", "transmitted"), mount.units["torque"])
        self.label(mesh, mount.name, units, torque="mesh_friction", transmitted="transmitted_torque")
        name = f"drive.{mount.name}"
        source = [Term(f"{name}.gear.joint_torque")]
        if not gear.elastic:  # what the motor gives to the teeth: its torque less what its own friction takes
            source = [InternalTerm(f"{name}.motor.torque", gear.ratio)]
            if drive.motor_friction is not None:
                source.append(InternalTerm(f"friction.{mount.name}.motor.torque", -gear.ratio))
        self.wires += [
            Wire(f"{mesh}.velocity", [InternalTerm(f"{mount.robot}.v", [mount.shaft])]),
            Wire(f"{mesh}.motor", source),
        ]
        self._turn(mount, f"{mesh}.torque", -1.0)

    def _turn(self, mount: Mount, source: str, gain: float = 1.0) -> None:
        """A torque on the shaft that a gear turns."""
        self.pushes[mount.robot].append(InternalTerm(source, [[gain * x] for x in mount.shaft]))


def _sum(row: Sequence[float], values: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(row, values, strict=True))
