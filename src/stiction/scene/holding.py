"""How drives hold robots at rest: what currents, windings of gears and integrals of controllers must be for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.control.cascade import Cascade
from stiction.control.pid import PID
from stiction.drive.drive import Drive
from stiction.drive.motor import DCMotor, ElectricMotor, ServoMotor
from stiction.network.network import Network
from stiction.network.terms import Terms
from stiction.network.wires import Wire
from stiction.parts.kinds import Digital
from stiction.parts.robot_body import RobotBody
from stiction.robot.joint import SINGLE
from stiction.scene.targets import target_at_start

if TYPE_CHECKING:
    from stiction.scene.scene import Scene

MOVERS = ("drive.", "friction.", "control.", "motion.", "limit.", "reference.")  # what does not load an arm at rest


def holding(scene: Scene) -> dict[str, float]:
    """First values of a scene at which its drives hold its robots at rest, without friction: windings of elastic gears,
    currents and voltages of motors, integrals of controllers.
    """
    found: dict[str, float] = {}
    loads = _loads(scene)
    for robot, r in scene.all_robots.items():
        names = [joint.name for joint in r.moving_joints if joint.kind in SINGLE]
        rows = np.eye(len(names))
        for k, name in enumerate(names):
            drive = scene.drives.get(scene.key(robot, name))
            if drive is not None:
                rows[k] = r.coupling[k] if r.coupling is not None else drive.gear.ratio * rows[k]
        torques = np.linalg.solve(rows.T, [loads[scene.key(robot, name)] for name in names])
        q = dict(zip(scene.position_names, scene.q, strict=True))
        angles = rows @ np.array([q[scene.key(robot, name)] for name in names])
        for k, name in enumerate(names):
            joint = scene.key(robot, name)
            if joint in scene.drives:
                wound = _wound(scene.drives[joint], float(torques[k]))
                found |= _of_drive(joint, scene.drives[joint], float(torques[k]), float(angles[k]) + wound)
                found |= _of_control(scene, joint, float(torques[k]), wound, float(rows[k, k]))
    known = scene.parameters
    return {name: x for name, x in found.items() if name in known}


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


def _wound(drive: Drive, torque: float) -> float:
    """Winding of the gear, motor side [rad]."""
    return torque / drive.gear.stiffness if drive.gear.stiffness is not None else 0.0


def _current(drive: Drive, torque: float) -> float:
    return torque / drive.motor.constant if isinstance(drive.motor, ElectricMotor) else torque


def _of_drive(joint: str, drive: Drive, torque: float, angle: float) -> Mapping[str, float]:
    """Angle of the rotor, current and voltage of the motor."""
    found = {f"motor_angle.{joint}": angle, f"motor_current.{joint}": _current(drive, torque)}
    if isinstance(drive.motor, ServoMotor):
        found[f"motor_voltage.{joint}"] = drive.motor.resistance * _current(drive, torque)
    return found


def _of_control(scene: Scene, joint: str, torque: float, wound: float, ratio: float) -> Mapping[str, float]:
    """Integrals of the joint's controller, at which it commands what holds."""
    controller: Any = scene.joint_control.get(joint)
    drive = scene.drives[joint]
    current = _current(drive, torque)
    volts = drive.motor.resistance * current if isinstance(drive.motor, DCMotor) else current
    target, sense = target_at_start(scene, joint), 1.0 if ratio > 0 else -1.0
    found = {}
    if isinstance(controller, Cascade) and controller.current is not None and controller.current.integral:
        found[f"current_sum.{joint}"] = volts / controller.current.integral
    if controller is None or target is None:
        return found
    q = dict(zip(scene.position_names, scene.q, strict=True))[joint]
    if isinstance(controller, PID):
        wish = sense * (current if drive.motor.unit_of_command == "A" else volts)
        rest = wish - controller.proportional * (target - q)
        return {f"control_sum.{joint}": rest / controller.integral} if controller.integral else {}
    if not isinstance(controller, Cascade) or controller.velocity is None:
        return found
    motor_side = controller.side == "motor"
    wish = current if motor_side else sense * current
    wish = (
        wish if controller.current or drive.motor.unit_of_command == "A" else wish * volts / current if current else 0.0
    )
    error = ratio * (target - q) - wound if motor_side else target - q - wound / ratio
    outer = 0.0 if controller.position is None else controller.position.proportional * error
    inner = controller.velocity
    if inner.integral:
        found[f"velocity_sum.{joint}"] = (wish - inner.proportional * outer) / inner.integral
    elif controller.position is not None and controller.position.integral and inner.proportional:
        found[f"position_sum.{joint}"] = (wish / inner.proportional - outer) / controller.position.integral
    return found
