"""How drives hold robots at rest: what currents, windings of gears and integrals of controllers must be for that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.control.cascade import Cascade
from stiction.control.loops import Loop
from stiction.control.pid import PID
from stiction.drive.drive import Drive
from stiction.drive.motor import ElectricMotor, ServoMotor
from stiction.errors import InputError
from stiction.network.network import Network
from stiction.network.terms import Terms
from stiction.network.wires import Wire
from stiction.parts.kinds import Digital
from stiction.parts.robot_body import RobotBody
from stiction.robot.joint import SINGLE
from stiction.scene.targets import target_at_start

if TYPE_CHECKING:
    from stiction.scene.scene import Scene

LOOSE = 1e-9  # of a command that may be missing
MOVERS = ("drive.", "friction.", "control.", "motion.", "limit.", "reference.")  # what does not load an arm at rest


class Held(NamedTuple):
    """A joint at rest, and what holds it.

    Attributes:
        name: of the joint.
        torque: of its motor, or at the joint where there is no drive [N·m or N].
        ratio: motor speed over joint speed; 1 where there is no drive.
        angle: of the motor, were its gear rigid [rad].
        goal: the same where the reference has the joints; None where one has none.
        drive: its drive.
    """

    name: str
    torque: float
    ratio: float
    angle: float
    goal: float | None
    drive: Drive | None

    @property
    def wound(self) -> float:
        """Winding of the gear, motor side, play included [rad]."""
        gear = self.drive.gear if self.drive else None
        if gear is None or gear.stiffness is None:
            return 0.0
        return self.torque / gear.stiffness + math.copysign(gear.backlash / 2, self.torque)

    @property
    def current(self) -> float:
        """Of the motor [A]; the torque itself where there is none."""
        motor = self.drive.motor if self.drive else None
        return self.torque / motor.constant if isinstance(motor, ElectricMotor) else self.torque

    @property
    def command(self) -> float:
        """Of the motor, in its unit, motor side."""
        motor = self.drive.motor if self.drive else None
        return motor.resistance * self.current if motor and motor.unit_of_command == "V" else self.current  # type: ignore[attr-defined]

    def error(self, scene: Scene, side: str) -> float:
        """What a controller on a side of the gear reads as missing, by its encoder or as it is."""
        sensors = [x for x in scene.sensors.get(self.name, ()) if "position" in x.outputs]
        at = sensors[0].side if sensors else side
        away = (self.goal or 0.0) - self.angle - (self.wound if at == "motor" else 0.0)
        return away if side == "motor" else away / self.ratio


def holding(scene: Scene) -> dict[str, float]:
    """First values of a scene at which its drives hold its robots at rest, without friction: windings of elastic gears,
    currents and voltages of motors, integrals of controllers.
    """
    for name in scene.all_constraints:
        raise InputError(
            f"constraint '{name}' leaves open which drives hold how much; start as the scene says (no 'held'), or give "
            "first values"
        )
    found: dict[str, float] = {}
    for joint in _held(scene):
        found |= _of_drive(joint)
        controller: Any = scene.joint_control.get(joint.name)
        if isinstance(controller, (PID, Cascade)):
            _refuse_late(joint.name, controller)
            found |= (
                _of_pid(scene, joint, controller)
                if isinstance(controller, PID)
                else _of_cascade(scene, joint, controller)
            )
    known = scene.parameters
    return {name: x for name, x in found.items() if name in known}


def _held(scene: Scene) -> list[Held]:
    """All joints of one degree of freedom with what holds them."""
    found, loads = [], _loads(scene)
    q = dict(zip(scene.position_names, scene.q, strict=True))
    for robot, r in scene.all_robots.items():
        names = [joint.name for joint in r.moving_joints if joint.kind in SINGLE]
        keys = [scene.key(robot, name) for name in names]
        rows = np.eye(len(names))
        for k, key in enumerate(keys):
            if key in scene.drives:
                rows[k] = r.coupling[k] if r.coupling is not None else scene.drives[key].gear.ratio * rows[k]
        torques = np.linalg.solve(rows.T, [loads[key] for key in keys])
        goals = [target_at_start(scene, key) for key in keys]
        for k, key in enumerate(keys):
            needed = [goal for goal, x in zip(goals, rows[k], strict=True) if x]
            known = None not in needed
            goal = float(rows[k] @ np.array([x or 0.0 for x in goals])) if known else None
            angle = float(rows[k] @ np.array([q[name] for name in keys]))
            found.append(Held(key, float(torques[k]), float(rows[k, k]), angle, goal, scene.drives.get(key)))
    return found


def _loads(scene: Scene) -> dict[str, float]:
    """Torques that rest takes, by joint [N·m or N]: gravity, and what other parts push."""
    network = _without_movers(scene.network)
    still = {name: list(values) for name, values in network.start.items()}
    for name, body in network.bodies.items():
        still[name][body.positions() :] = [0.0] * (len(still[name]) - body.positions())
    terms = Terms(network, network.evaluate(still, 0.0, 1e-3))
    total = [b - p for b, p in zip(terms.bias, terms.pushed(), strict=True)]
    found, left = {}, iter(total)
    for name, body in network.bodies.items():
        for k in range(len(still[name]) - body.positions()):
            load = next(left)
            if isinstance(body, RobotBody):
                found[scene.key(name, body.robot.velocity_names[k])] = float(load)
    return found


def _without_movers(network: Network) -> Network:
    """The bodies, and what loads them at rest."""
    aside = [name for name, part in network.parts.items() if isinstance(part, Digital) or name.startswith(MOVERS)]
    rotors = [name for name in aside if name in network.bodies]
    left = {name: part for name, part in network.parts.items() if name not in aside or name in rotors}
    wires = []
    for wire in network.wires:
        if wire.port.part in left and wire.port.part not in rotors:
            terms = [term for term in wire.all_terms if term.port.part in left]
            if terms or wire.shift:
                wires.append(Wire(wire.target, terms, wire.shift))
    return Network(parts=left, wires=wires)


def _of_drive(joint: Held) -> Mapping[str, float]:
    """Angle of the rotor, current and voltage of the motor."""
    if joint.drive is None:
        return {}
    found = {f"motor_angle.{joint.name}": joint.angle + joint.wound, f"motor_current.{joint.name}": joint.current}
    if isinstance(joint.drive.motor, ServoMotor):
        found[f"motor_voltage.{joint.name}"] = joint.drive.motor.resistance * joint.current
    return found


def _refuse_late(name: str, controller: PID | Cascade) -> None:
    """Refuse controllers whose first command comes late: until then nothing holds."""
    laws = [controller] if isinstance(controller, PID) else list(controller.loops.values())
    for law in laws:
        if law.clock is not None and (law.clock.delay or law.clock.phase):
            raise InputError(
                f"control of '{name}' has a clock with a delay or phase: until its first command nothing holds the "
                "joint; start otherwise than held, or take these away"
            )


def _of_pid(scene: Scene, joint: Held, pid: PID) -> Mapping[str, float]:
    """The integral at which it commands what holds."""
    if joint.goal is None:
        return {}
    if not pid.integral:
        _refuse_loose(
            joint, pid.proportional * joint.error(scene, "joint"), math.copysign(1.0, joint.ratio) * joint.command
        )
        return {}
    sense = math.copysign(1.0, joint.ratio)
    error = joint.error(scene, "joint")
    rest = sense * joint.command - pid.proportional * error
    return {f"control_sum.{joint.name}": rest / pid.integral - pid.clock.period * error}


def _of_cascade(scene: Scene, joint: Held, cascade: Cascade) -> Mapping[str, float]:
    """The integrals of its loops at which the last commands what holds."""
    found: dict[str, float] = {}
    position, velocity, current = cascade.position, cascade.velocity, cascade.current
    if current is not None and current.integral:
        found[f"current_sum.{joint.name}"] = joint.command / current.integral
    if velocity is None or joint.goal is None:
        return found
    sense = 1.0 if cascade.side == "motor" else math.copysign(1.0, joint.ratio)
    wish = sense * (joint.current if current is not None else joint.command)
    error = joint.error(scene, cascade.side) if position is not None else 0.0
    outer = 0.0 if position is None else position.proportional * error
    if velocity.integral:
        total = (wish - velocity.proportional * outer) / velocity.integral
        found[f"velocity_sum.{joint.name}"] = total - _period(velocity) * outer
    elif position is not None and position.integral and velocity.proportional:
        total = (wish / velocity.proportional - outer) / position.integral
        found[f"position_sum.{joint.name}"] = total - _period(position) * error
    else:
        _refuse_loose(joint, velocity.proportional * outer, wish)
    return found


def _refuse_loose(joint: Held, given: float, wish: float) -> None:
    """Refuse controllers that command something else than what holds, and have no integral to make up for it."""
    if abs(given - wish) > LOOSE * max(1.0, abs(wish)):
        raise InputError(
            f"control of '{joint.name}' has no integral, and commands {given:.4g} where {wish:.4g} would hold the "
            "joint; start otherwise than held, or give it an integral"
        )


def _period(law: Loop) -> float:
    """By which a sampled loop counts its present error."""
    return 0.0 if law.clock is None else law.clock.period
