"""Putting friction, drives and controllers on the joints of robots: the parts and wires of a scene's network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stiction.drive.drive import Drive
from stiction.drive.gear import ElasticGear, Mesh
from stiction.friction.law import Law
from stiction.part import Digital, Part
from stiction.simulation.bodies import Mass
from stiction.simulation.forces import Friction, Source
from stiction.simulation.network import Term, Wire

LOCKED = 1e6  # N·m that hold a gear which cannot be driven back


@dataclass(frozen=True)
class Mount:
    """A joint of a robot, as parts see it.

    Attributes:
        name: of the joint in the scene.
        robot: name of the robot's part.
        velocity: its velocity as a row over those of the robot.
        position: its position likewise.
        motor: the speed of its motor as a row over the velocities of the robot.
        q: position at the start [rad or m].
        v: velocity at the start [rad/s or m/s].
    """

    name: str
    robot: str
    velocity: list[float]
    position: list[float]
    motor: list[float]
    q: float
    v: float


@dataclass
class Wiring:
    """What a network is made of, while it is made.

    Attributes:
        parts: by name.
        wires: all but those that drive robots.
        pushes: what drives each robot, by its name.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)
    pushes: dict[str, list[Term | str]] = field(default_factory=dict)

    def rub(self, site: str, law: Law, rows: Mapping[str, Sequence[float]]) -> None:
        """Friction on a combination of the velocities of robots."""
        part = f"friction {site}"
        self.parts[part] = Friction(law=law)
        seen = {robot: list(row) for robot, row in rows.items() if any(row)}
        self.wires.append(Wire(f"{part}.velocity", [Term(f"{robot}.v", [row]) for robot, row in seen.items()]))
        for robot, row in seen.items():
            self.pushes[robot].append(Term(f"{part}.torque", [[-x] for x in row]))

    def push(self, mount: Mount, source: str, gain: float = 1.0) -> None:
        """A torque at a joint."""
        self.pushes[mount.robot].append(Term(source, [[gain * x] for x in mount.velocity]))

    def control(self, mount: Mount, controller: Digital) -> str:
        """A controller that reads a joint; gives the port of its command."""
        part = f"control {mount.name}"
        self.parts[part] = controller
        ports = {"position": Term(f"{mount.robot}.q", [mount.position]), "velocity": Term(f"{mount.robot}.v", [mount.velocity])}
        self.wires += [Wire(f"{part}.{port}", [ports[port]]) for port in controller.inputs]
        return f"{part}.command"

    def command(self, mount: Mount, drive: Drive) -> str:
        """The drive's own command; gives its port."""
        self.parts[f"command {mount.name}"] = Source(functions=(drive.command,), names=("command",))
        return f"command {mount.name}.force"

    def drive(self, mount: Mount, drive: Drive, command: str, sense: float) -> None:
        """A motor with its gear on a joint; `sense` is −1 where a command that moves the joint ahead must turn the motor back."""
        motor = f"motor {mount.name}"
        self.parts[motor] = drive.motor
        self.wires.append(Wire(f"{motor}.command", [Term(command, sense)]))
        if drive.gear.elastic:
            self._elastic(mount, drive)
        else:
            self.wires.append(Wire(f"{motor}.speed", [Term(f"{mount.robot}.v", [mount.motor])]))
            self.pushes[mount.robot].append(Term(f"{motor}.torque", [[x] for x in mount.motor]))
            if drive.motor_friction is not None:
                self.rub(f"{mount.name}.motor", drive.motor_friction, {mount.robot: mount.motor})
        if drive.gear.lossy:
            self._mesh(mount, drive)

    def _elastic(self, mount: Mount, drive: Drive) -> None:
        """A rotor that moves on its own behind a spring."""
        rotor, gear, motor = (f"{word} {mount.name}" for word in ("rotor", "gear", "motor"))
        n = drive.gear.ratio
        self.parts[rotor] = Mass(mass=drive.motor.rotor_inertia, position=n * mount.q, velocity=n * mount.v)
        self.parts[gear] = ElasticGear(ratio=n, stiffness=drive.gear.stiffness, damping=drive.gear.damping, backlash=drive.gear.backlash)  # type: ignore[arg-type]
        self.wires += [
            Wire(f"{motor}.speed", [f"{rotor}.velocity"]),
            Wire(f"{gear}.motor_angle", [f"{rotor}.position"]),
            Wire(f"{gear}.motor_speed", [f"{rotor}.velocity"]),
            Wire(f"{gear}.joint_angle", [Term(f"{mount.robot}.q", [mount.position])]),
            Wire(f"{gear}.joint_speed", [Term(f"{mount.robot}.v", [mount.velocity])]),
        ]
        self.push(mount, f"{gear}.joint_torque")
        on_rotor: list[Term | str] = [f"{motor}.torque", f"{gear}.motor_torque"]
        if drive.motor_friction is not None:
            site = f"friction {mount.name}.motor"
            self.parts[site] = Friction(law=drive.motor_friction)
            self.wires.append(Wire(f"{site}.velocity", [f"{rotor}.velocity"]))
            on_rotor.append(Term(f"{site}.torque", -1.0))
        self.wires.append(Wire(f"{rotor}.force", on_rotor))

    def _mesh(self, mount: Mount, drive: Drive) -> None:
        """Losses in the teeth."""
        gear, mesh = drive.gear, f"mesh {mount.name}"
        self.parts[mesh] = Mesh(
            driving=1 - gear.efficiency,
            braking=1 / gear.back_efficiency - 1,  # type: ignore[operator]
            locked=LOCKED if gear.self_locking else 0.0,
            reflected_inertia=0.0 if gear.elastic else drive.reflected_inertia,
        )
        source = Term(f"gear {mount.name}.joint_torque") if gear.elastic else Term(f"motor {mount.name}.torque", gear.ratio)
        self.wires += [Wire(f"{mesh}.velocity", [Term(f"{mount.robot}.v", [mount.velocity])]), Wire(f"{mesh}.motor", [source])]
        self.push(mount, f"{mesh}.torque", -1.0)
