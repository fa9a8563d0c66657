"""What controllers read and command: references, sensors and controllers of joints and of whole robots, wired by name.

A controller says by the names of its ports what it reads: "position", "velocity" and "current" come from sensors, or
are exact where there are none; "target", "target_velocity" and "target_acceleration" come from references. It gives
"command", in the unit of the drive, or "torque", at the joints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from stiction.control.cascade import Cascade
from stiction.control.loops import loop_part
from stiction.control.reference import Reference, ReferencePart
from stiction.control.sensor import Sensor
from stiction.control.task_control import REACTION
from stiction.drive.drive import Drive
from stiction.drive.motor import ElectricMotor, TorqueMotor
from stiction.network.labels import Label
from stiction.network.wires import InternalTerm, NetworkError, Term, Wire
from stiction.parts.kinds import Clock, Digital
from stiction.robot.units import ANGLE
from stiction.scene.wiring import Mount, Wiring
from stiction.trace.parameters import component_names

JOINT, MOTOR = "joint", "motor"
TARGETS = {"target": "position", "target_velocity": "velocity", "target_acceleration": "acceleration"}
MEASURED = ("position", "velocity", "current")
READINGS = (*MEASURED, *TARGETS)


class Target(NamedTuple):
    """Where a joint's set-points are: the part that says them, its number there, and how many there are."""

    part: str
    place: int
    size: int


@dataclass
class Servos:
    """Sensors, references and controllers of a scene, while it is wired.

    Attributes:
        made: what is wired so far.
        mounts: the joints, by name.
        drives: those that joints have, by joint.
        targets: where the set-points of joints are, by joint.
        looped: joints with a current loop of their own.
        sensors: names of the sensor parts of each joint, by what they tell.
    """

    made: Wiring
    mounts: Mapping[str, Mount]
    drives: Mapping[str, Drive]
    looped: Sequence[str] = ()
    targets: dict[str, Target] = field(default_factory=dict)
    sensors: dict[str, dict[str, tuple[str, Sensor]]] = field(default_factory=dict)

    # What there is to read.

    def reference(self, name: str, reference: Reference, joints: Sequence[str]) -> None:
        """Set-points of some joints."""
        part = f"reference.{name}"
        self.made.parts[part] = ReferencePart(reference=reference, joints=tuple(joints))
        self.made.labels.parameters[part, "value"] = part
        for place, joint in enumerate(joints):
            self.targets[joint] = Target(part, place, len(joints))
            units = self.mounts[joint].units
            for word, (port, unit) in zip(
                TARGETS,
                (("position", units["q"]), ("velocity", units["v"]), ("acceleration", f"{units['v']}²")),
                strict=True,
            ):
                output = port if len(joints) == 1 else f"{port}.{component(place, len(joints))}"
                self.made.labels.signals[part, output] = Label(f"{word}.{joint}", unit)

    def put_sensors(self, joint: str, sensors: Sequence[Sensor], clock: Clock | None) -> None:
        """The sensors of a joint; those without a clock read with that of a controller."""
        known = self.sensors[joint] = {}
        for sensor in sensors:
            part = self._sensor(joint, sensor, clock)
            for port in sensor.outputs:
                if port not in known or sensor.measures == port:  # what is measured counts before what is estimated
                    known[port] = part, sensor
        for sensor in sensors:
            part = f"sensor.{joint}.{sensor.measures}"
            units = self.mounts[joint].units if sensor.side == JOINT else ANGLE
            told = {"position": units["q"], "velocity": units["v"], "current": "A"}
            for port in sensor.outputs:
                word = "measured" if known[port][0] == part else "estimated"
                self.made.labels.signals[part, port] = Label(f"{word}_{port}.{joint}", told[port])

    def _sensor(self, joint: str, sensor: Sensor, clock: Clock | None) -> str:
        """One of them; gives its name."""
        if sensor.clock is None and clock is None:
            raise NetworkError(
                f"sensors of '{joint}': one has no clock, and no controller on a clock reads the joint; give it a clock"
            )
        part = f"sensor.{joint}.{sensor.measures}"
        if part in self.made.parts:
            raise NetworkError(f"sensors of '{joint}': two of them measure its {sensor.measures}; give one")
        if sensor.clock is not None and sensor.clock.phase:
            raise NetworkError(f"sensors of '{joint}': one has a clock with a phase; a sensor reads from the start on")
        slides = self.mounts[joint].units["q"] == "m" and sensor.side == JOINT
        if slides and getattr(sensor, "counted", False):
            raise NetworkError(
                f"sensors of '{joint}': it slides, and counts are those of a turn; give a resolution [m]"
            )
        self.made.parts[part] = sensor.with_clock(clock) if clock is not None else sensor
        self.made.wires.append(Wire(f"{part}.{sensor.measures}", self._exact(joint, sensor.measures, sensor.side)))
        return part

    def _exact(self, joint: str, what: str, side: str) -> Sequence[Term | str]:
        """A quantity of a joint as it is."""
        mount, drive = self.mounts[joint], self.drives.get(joint)
        if what == "current":
            motor = f"drive.{joint}.motor"
            if drive is None or not isinstance(drive.motor, ElectricMotor):
                raise NetworkError(f"joint '{joint}' has no motor with a current; its sensor or controller reads one")
            return [f"{motor}.current"]
        if side == MOTOR and drive is not None and drive.gear.elastic:
            return [f"drive.{joint}.rotor.{what}"]
        rows = {
            (JOINT, "position"): mount.position,
            (JOINT, "velocity"): mount.velocity,
            (MOTOR, "position"): mount.motor_position,
            (MOTOR, "velocity"): mount.motor,
        }
        port = {"position": "q", "velocity": "v"}[what]
        return [InternalTerm(f"{mount.robot}.{port}", [rows[side, what]])]

    def reading(self, joint: str, port: str, side: str, who: str) -> Sequence[Term | str]:
        """What a controller reads of a joint, as it counts on one side of its gear."""
        if port in TARGETS:
            return self._target(joint, port, side, who)
        if port not in MEASURED:
            raise NetworkError(f"{who} reads '{port}', which joints do not tell; they tell: {', '.join(READINGS)}")
        part, sensor = self.sensors.get(joint, {}).get(port, ("", None))
        if sensor is None:
            return self._exact(joint, port, side)
        if port == "current" or sensor.side == side:
            return [f"{part}.{port}"]
        mount = self.mounts[joint]
        if mount.coupled:
            raise NetworkError(
                f"{who} counts on the {side} side and the sensor of '{joint}' sits on the {sensor.side} side of a "
                "coupled gear; put both on one side"
            )
        ratio = mount.ratio if side == MOTOR else 1 / mount.ratio
        return [InternalTerm(f"{part}.{port}", ratio)]

    def _target(self, joint: str, port: str, side: str, who: str) -> Sequence[Term | str]:
        """Set-points as they count on one side; coupled motors turn with those of several joints."""
        mount = self.mounts[joint]
        row = mount.motor if side == MOTOR else mount.velocity
        gains: dict[str, list[float]] = {}
        for other, factor in zip(mount.names, row, strict=True):
            if not factor:
                continue
            if other not in self.targets:
                raise NetworkError(
                    f"{who} reads '{port}', and joint '{other}' has no reference; give one, such as "
                    f"reference={{'{other}': 0.5}}"
                )
            part, place, size = self.targets[other]
            gains.setdefault(part, [0.0] * size)[place] = factor
        return [InternalTerm(f"{part}.{TARGETS[port]}", [row]) for part, row in gains.items()]

    # Controllers.

    def joint_controller(self, joint: str, controller: Digital, unit: str) -> Term:
        """A controller of one joint; gives its command."""
        part = f"control.{joint}"
        self.made.parts[part] = controller
        who = f"control of '{joint}'"
        for port, size in controller.inputs.items():
            if size != 1:
                raise NetworkError(
                    f"{who} reads {size} numbers of '{port}', and one joint has 1; control the robot instead"
                )
            self.made.wires.append(Wire(f"{part}.{port}", self.reading(joint, port, JOINT, who)))
        q = self.mounts[joint].units["q"]
        units = {"command": unit, "sum": f"{q} s", "error": q}
        self.made.label(part, joint, units, command="command", sum="control_sum", error="error", ticks="ticks")
        return Term(f"{part}.command")

    def cascade(self, joint: str, cascade: Cascade, unit: str, outer: Term | None, sense: float) -> Term:
        """The loops of a joint, from the outside in; gives the command of the last. `outer` commands a current loop
        alone. `sense`: −1 where a current that moves the joint ahead is below 0.
        """
        mount, who = self.mounts[joint], f"control of '{joint}'"
        units = mount.units if cascade.side == JOINT else ANGLE
        error_units = {"position": units["q"], "velocity": units["v"], "current": "A"}
        command_units = {"position": units["v"], "velocity": "A" if cascade.current else unit, "current": unit}
        last = list(cascade.loops)[-1]
        if cascade.current is not None and unit != "V":
            raise NetworkError(
                f"{who} has a current loop, which commands a voltage, and its motor takes {unit}; leave that loop out, "
                "or take a DCMotor"
            )
        command = outer
        for name, law in cascade.loops.items():
            part = f"control.{joint}.{name}"
            self.made.parts[part] = loop_part(law)
            for port in law.inputs:
                if port == "command" and command is not None:
                    turned = name == "current" and len(cascade.loops) > 1 and sense < 0
                    given: Sequence[Term | str] = [InternalTerm(command.source, -1.0) if turned else command]
                elif port == "command":
                    given = self._first_command(joint, name, cascade.side, who)
                else:
                    given = self.reading(joint, port, cascade.side, who)
                self.made.wires.append(Wire(f"{part}.{port}", given))
            words = {"command": "command" if name == last else f"{FOLLOWS[name]}_command"}
            words |= {"error": "error" if name == "position" else f"{name}_error"}
            words |= {"sum": f"{name}_sum", "ticks": f"{name}_ticks"}
            known = {"command": command_units[name], "error": error_units[name], "sum": f"{error_units[name]} s"}
            self.made.label(part, joint, known, **words)
            command = Term(f"{part}.command")
        assert command
        return command

    def _first_command(self, joint: str, loop: str, side: str, who: str) -> Sequence[Term | str]:
        if loop == "velocity":
            return self.reading(joint, "target_velocity", side, who)
        raise NetworkError(
            f"{who} is a current loop alone, and nothing commands it; add a velocity loop, or control the robot"
        )

    def robot_controller(self, robot: str, controller: Digital, joints: Sequence[str]) -> dict[str, Term]:
        """A controller of all joints of a robot; gives the command of each, by joint."""
        part, n, who = f"control.{robot}", len(joints), f"control of robot '{robot}'"
        self.made.parts[part] = controller
        for port, size in controller.inputs.items():
            if port == REACTION:
                self.made.wires.append(Wire(f"{part}.{port}", reaction_terms(controller)))
                continue
            if size != n:
                raise NetworkError(f"{who} reads {size} numbers of '{port}'; the robot has {n} joints")
            self.made.wires.append(Wire(f"{part}.{port}", self._stacked(joints, port, who)))
        given = {port: size for port, size in controller.outputs.items() if port in ("torque", "command")}
        if list(given.values()) != [n]:
            raise NetworkError(
                f"{who} gives {dict(controller.outputs)}; allowed: {{'torque': {n}}}, at the joints, or "
                f"{{'command': {n}}}, of the drives"
            )
        (port,) = given
        for place, joint in enumerate(joints):
            output = f"{port}.{component(place, n)}" if n > 1 else port
            unit = self.mounts[joint].units["torque"] if port == "torque" else self._unit(joint)
            self.made.labels.signals[part, output] = Label(f"control_{port}.{joint}", unit)
            name = f"error.{component(place, n)}" if n > 1 else "error."
            self.made.labels.signals[part, name] = Label(f"error.{joint}", self.mounts[joint].units["q"])
        if port == "command":
            rows = {joint: [self.sense(joint) * x for x in unit_row(k, n)] for k, joint in enumerate(joints)}
            return {joint: InternalTerm(f"{part}.command", [row]) for joint, row in rows.items()}
        return self._by_torque(part, joints)

    def sense(self, joint: str) -> float:
        """−1 where a command that moves the joint ahead turns the motor back."""
        mount = self.mounts[joint]
        turns = sum(a * b for a, b in zip(mount.motor, mount.velocity, strict=True))
        return -1.0 if joint in self.drives and turns < 0 else 1.0

    def _unit(self, joint: str) -> str:
        drive = self.drives.get(joint)
        return drive.motor.unit_of_command if drive else self.mounts[joint].units["torque"]

    def _stacked(self, joints: Sequence[str], port: str, who: str) -> list[Term | str]:
        """A quantity of all joints: one term for each source."""
        gains: dict[str, np.ndarray] = {}
        for k, joint in enumerate(joints):
            for term in self.reading(joint, port, JOINT, who):
                term = Term(term) if isinstance(term, str) else term
                row = np.atleast_2d(np.asarray(term.gain, float))
                rows = gains.setdefault(term.source, np.zeros((len(joints), row.shape[1])))
                rows[k] += row[0]
        return [InternalTerm(source, rows.tolist()) for source, rows in gains.items()]

    def _by_torque(self, part: str, joints: Sequence[str]) -> dict[str, Term]:
        """Commands that make drives give torques at the joints: closed_loop (16) solved for the motors; where there is
        no drive, what is left at the joint itself.
        """
        T = np.eye(len(joints))
        for k, joint in enumerate(joints):
            if joint in self.drives:
                mount = self.mounts[joint]
                T[k] = [mount.motor[mount.names.index(other)] for other in joints]
        back = np.linalg.inv(T).T
        found: dict[str, Term] = {}
        for k, joint in enumerate(joints):
            each = self._torque_per_command(joint, part) if joint in self.drives else 1.0
            found[joint] = InternalTerm(f"{part}.torque", [(back[k] / each).tolist()])
        return found

    def _torque_per_command(self, joint: str, part: str) -> float:
        """Torque of a motor per command, if it is one of torque or current, or has a current loop in front."""
        motor = self.drives[joint].motor
        if isinstance(motor, TorqueMotor):
            return 1.0
        if isinstance(motor, ElectricMotor) and (motor.unit_of_command == "A" or joint in self.looped):
            return motor.constant
        raise NetworkError(
            f"'{part}' gives torques, and the motor of '{joint}' takes a voltage; control '{joint}' by "
            "Cascade(current=CurrentLoop(...)), or take a motor that is commanded by a current or torque"
        )


FOLLOWS = {"position": "velocity", "velocity": "current"}


def unit_row(place: int, size: int) -> list[float]:
    """A row that picks one of several numbers."""
    return [float(k == place) for k in range(size)]


def component(place: int, size: int) -> str:
    """The name of a component of a port."""
    return component_names(size)[place]


def reaction_terms(controller: Any) -> list[Term | str]:
    """The multipliers of the constraint that a controller reads, one after another."""
    names = controller.kept.multipliers
    return [
        InternalTerm(f"constraint.{controller.constraint}.{name}", [[float(j == k)] for j in range(len(names))])
        for k, name in enumerate(names)
    ]
