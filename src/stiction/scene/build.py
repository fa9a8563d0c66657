"""From a scene to its network."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stiction.control.cascade import Cascade
from stiction.control.task_control import HybridControl
from stiction.control.whole_arm import ArmController
from stiction.drive.drive import Drive
from stiction.errors import unknown
from stiction.network.network import Network
from stiction.network.wires import InternalTerm, NetworkError, Term, Wire, port_named
from stiction.parts.bodies import Fixed, FreeBody
from stiction.parts.contact import SEEN, ContactPart
from stiction.parts.kinds import FRAME_INPUTS, Admittance, Clock, output_names
from stiction.parts.robot_body import RobotBody
from stiction.parts.two_point import TwoPointSpring
from stiction.robot.joint import SINGLE
from stiction.robot.robot import Robot
from stiction.robot.units import motion_units
from stiction.scene.constraints import constraint_name, ends_of, frames_of, wires_of
from stiction.scene.limits import limited_drive
from stiction.scene.servos import Servos
from stiction.scene.touch import CONTACT, contact_part
from stiction.scene.wiring import Mount, Wiring

if TYPE_CHECKING:
    from stiction.scene.scene import Scene


def network_of(scene: Scene) -> Network:
    """The network of a scene: robots, torques, friction, drives and controllers, then own parts and wires."""
    made, first = Wiring(), {"q": 0, "v": 0}
    mounts = {name: _mount(scene, name) for name in scene.joints}
    touching = contact_part(scene)
    springs = {name: part for name, part in scene.parts.items() if isinstance(part, TwoPointSpring) and part.between}
    ports = {str(port) for wire in scene.wires for port in (wire.port, *(term.port for term in wire.all_terms))}
    ports |= {f"{end}.force" for end in (*(x for spring in springs.values() for x in spring.between), *ends_of(scene))}
    _check_ends(scene, springs)
    for name, robot in scene.all_robots.items():
        states = {}
        for what, size in (("q", robot.nq), ("v", robot.nv)):
            states[what] = getattr(scene, what)[first[what] : first[what] + size]
            first[what] += size
        used = [*(x.part for x in map(port_named, ports)), *(touching.movers if touching else ())]
        frames = [x for x in robot.assembly.attachments if f"{name}.{x}" in used]
        body = RobotBody(
            robot=_with_rotors(scene, name),
            frames=frames,  # type: ignore[arg-type]
            gravity=scene.gravity,  # type: ignore[arg-type]
            **states,
        )
        keys = {inner: scene.key(name, inner) for inner in (*robot.position_names, *robot.velocity_names)}
        made.robot(name, body, keys)
        for joint in scene.joints:
            if scene.joints[joint][0] == name and joint in scene.torque:
                made.torque(mounts[joint], scene.torque[joint])
    for name, site in scene.sites.items():
        rows = {
            robot: [site.joints.get(scene.key(robot, inner), 0.0) for inner in r.velocity_names]
            for robot, r in scene.all_robots.items()
        }
        made.friction(name, site, rows, mounts[next(iter(site.joints))].units)
    _attach(scene, mounts, made)
    for name, function in scene.motion.items():
        made.motion(mounts[name], function)
    for name, limits in scene.way_limits.items():
        made.end_stop(mounts[name], limits)
    for name, part in scene.parts.items():
        if isinstance(part, FreeBody) and part.gravity is None:
            part = replace(part, gravity=scene.gravity)  # type: ignore[arg-type]
            made.fall(name)
        made.parts[name] = part
    for name, constraint in scene.all_constraints.items():
        made.parts[constraint_name(name)] = constraint
        made.wires += wires_of(scene, name, constraint)
    user = list(scene.wires)
    for name, spring in springs.items():
        for word, end in zip(("first", "second"), spring.between, strict=True):
            made.wires += [Wire(f"{name}.{word}_{port}", [f"{end}.{port}"]) for port in ("position", "velocity")]
            user = _with_force(user, f"{end}.force", f"{name}.{word}_force")
    if touching:
        made.parts[CONTACT] = touching
        seen = [f"{name}.{port}" for name in touching.movers for port in SEEN]
        made.wires += [Wire(f"{CONTACT}.{port}", [port]) for port in seen]
        user = _with_contacts(user, touching)
    wires = [*made.wires, *_joined(user, made.pushes)]
    _check_names(made)
    return Network(parts=made.parts, wires=wires, labels=made.labels, followers=made.followers)


def _attach(scene: Scene, mounts: Mapping[str, Mount], made: Wiring) -> None:
    """Put drives on joints, and sensors and controllers that command them."""
    drives = {name: drive for name in scene.drives if (drive := limited_drive(scene, name)) is not None}
    looped = [name for name, x in scene.joint_control.items() if isinstance(x, Cascade) and x.current is not None]
    servos = Servos(made, mounts, drives, looped)
    for name, reference in scene.references.items():
        servos.reference(name, reference, scene.joints_of(name))
    for name, sensors in scene.sensors.items():
        servos.put_sensors(name, sensors, _fastest(scene, name))
    outer: dict[str, Term] = {}
    for robot, controller in scene.robot_control.items():
        if isinstance(controller, ArmController):
            fixed = {name: part.position for name, part in scene.parts.items() if isinstance(part, Fixed)}
            springs = {
                name: x
                for name, x in scene.parts.items()
                if isinstance(x, TwoPointSpring) and _belongs(x, robot, fixed)
            }
            anchors = {end: fixed[end] for spring in springs.values() for end in spring.between if end in fixed}
            body: Any = made.parts[robot]
            whole = replace(body, robot=_with_rotors(scene, robot, behind_springs=True))  # as if all gears were rigid
            if isinstance(controller, HybridControl):
                kept = scene.all_constraints
                if controller.constraint not in kept:
                    raise NetworkError(
                        f"control of robot '{robot}': "
                        + unknown("constraint", controller.constraint, "the scene", kept)
                    )
                joints = {key: inner for key, (owner, inner) in scene.joints.items() if owner == robot}
                controller = controller.under(kept[controller.constraint], robot, joints)
            controller = controller.on(whole, springs, anchors)
        outer |= servos.robot_controller(robot, controller, scene.joints_of(robot))
    for name in dict.fromkeys([*drives, *scene.joint_control, *outer]):
        mount, drive = mounts[name], drives.get(name)
        command = _command(scene, servos, mount, drive, outer.get(name))
        if drive is not None:
            made.drive(mount, drive, command or made.command(mount, drive))
            if command is not None or name in scene.sensors:
                made.labels.parameters[f"drive.{name}.gear", "ratio"] = None  # wires of the servo hold it, too
        elif command is not None:
            made.push_term(mount, command)


def _check_ends(scene: Scene, springs: Mapping[str, TwoPointSpring]) -> None:
    """Refuse springs to what is not there."""
    frames = frames_of(scene)
    for name, spring in springs.items():
        for end in spring.between:
            if end not in frames:
                raise NetworkError(f"part '{name}': " + unknown("end", end, "this scene", frames))


def _belongs(spring: TwoPointSpring, robot: str, fixed: Collection[str]) -> bool:
    """Whether a spring is between points of one robot, and of what is fixed."""
    ends = [end.startswith(f"{robot}.") or end in fixed for end in spring.between]
    return bool(ends) and all(ends)


def _command(scene: Scene, servos: Servos, mount: Mount, drive: Drive | None, outer: Term | None) -> Term | None:
    """What a joint's controller, or that of its robot, commands."""
    controller = scene.joint_control.get(mount.name)
    unit = drive.motor.unit_of_command if drive else mount.units["torque"]
    if controller is None:
        return outer
    cascade = isinstance(controller, Cascade)
    if outer is not None and not (cascade and list(controller.loops) == ["current"]):
        raise NetworkError(
            f"joint '{mount.name}' is commanded by its own controller and by that of its robot; give one of them, or "
            "Cascade(current=...) at the joint, which takes the robot's torque as a current"
        )
    joint_side = not cascade or (controller.side == "joint" and outer is None)
    sense = servos.sense(mount.name) if joint_side else 1.0
    if cascade:
        command = servos.cascade(mount.name, controller, unit, outer, sense)
        sense = sense if controller.current is None else 1.0  # turned round before the current loop
    else:
        command = servos.joint_controller(mount.name, controller, unit)
    return command if sense > 0 else InternalTerm(command.source, -1.0)


def _fastest(scene: Scene, joint: str) -> Clock | None:
    """The fastest clock of the controllers that read a joint."""
    mine, robots = scene.joint_control.get(joint), scene.robot_control.get(scene.joints[joint][0])
    loops = list(mine.loops.values()) if isinstance(mine, Cascade) else [mine]
    clocks = [x.clock for x in (*loops, robots) if x is not None and x.clock is not None]
    if not clocks:
        return None
    first, period = min(clock.phase for clock in clocks), min(clock.period for clock in clocks)
    return Clock(period=period, phase=first if first < period else 0.0)


def _mount(scene: Scene, name: str) -> Mount:
    """A joint as drives see it."""
    robot, inner = scene.joints[name]
    r = scene.all_robots[robot]
    ratio = scene.drives[name].gear.ratio if name in scene.drives else 1.0
    row = {inner: ratio}
    single = [joint.name for joint in r.joints if joint.kind in SINGLE]
    coupled = r.coupling is not None and inner in single
    if coupled:
        row = dict(zip(single, r.coupling[single.index(inner)], strict=True))  # type: ignore[index]
    q = dict(zip(scene.position_names, scene.q, strict=True))
    v = dict(zip(scene.joints, scene.v, strict=True))
    return Mount(
        name=name,
        robot=robot,
        joint=inner,
        names=[scene.key(robot, other) for other in r.velocity_names],
        velocity=[float(other == inner) for other in r.velocity_names],
        position=[float(other == inner) for other in r.position_names],
        motor=[float(row.get(other, 0.0)) for other in r.velocity_names],
        motor_position=[float(row.get(other, 0.0)) for other in r.position_names],
        coupled=coupled,
        ratio=ratio,
        q=[q[scene.key(robot, other)] for other in r.position_names],
        v=[v[scene.key(robot, other)] for other in r.velocity_names],
        units=motion_units(r)[inner],
    )


def _with_rotors(scene: Scene, name: str, behind_springs: bool = False) -> Robot:
    """A robot with the rotors of its drives; those behind elastic gears move on their own, or count with the others."""
    robot = scene.all_robots[name]
    driven = {
        inner: scene.drives[key]
        for key, (owner, inner) in scene.joints.items()
        if owner == name and key in scene.drives
    }
    if not driven:
        return robot
    joints = []
    for joint in robot.joints:
        if joint.name in driven:
            drive = driven[joint.name]
            rotor = 0.0 if drive.gear.elastic and not behind_springs else drive.motor.rotor_inertia
            joint = replace(joint, rotor_inertia=rotor, gear_ratio=drive.gear.ratio)
        joints.append(joint)
    return replace(robot, joints=tuple(joints))


def _joined(wires: Sequence[Wire], pushes: dict[str, list[Term]]) -> list[Wire]:
    """The wires of the user; what drives a robot joins what the scene puts there."""
    made = []
    shifts: dict[str, Sequence[float]] = {}
    for wire in wires:
        robot = wire.port.part
        if wire.port.name == "torque" and robot in pushes and robot not in shifts:
            pushes[robot].extend(wire.all_terms)
            shifts[robot] = wire.shift
        else:
            made.append(wire)
    driven = [(robot, terms) for robot, terms in pushes.items() if terms or shifts.get(robot)]
    return [*made, *(Wire(f"{robot}.torque", terms, shifts.get(robot, ())) for robot, terms in driven)]


def _with_contacts(wires: list[Wire], touching: ContactPart) -> list[Wire]:
    """Wires to bodies, with what contacts push them; the user's own terms come first."""
    for name in touching.movers:
        for port in FRAME_INPUTS:
            wires = _with_force(wires, f"{name}.{port}", f"{CONTACT}.{name}.{port}")
    return wires


def _with_force(wires: list[Wire], target: str, source: str) -> list[Wire]:
    """Wires with one more term to an input, which the user may drive, too."""
    left = {wire.target: wire for wire in wires}
    before = left.get(target)
    left[target] = Wire(target, [*(before.all_terms if before else ()), Term(source)], before.shift if before else ())
    return list(left.values())


def _check_names(made: Wiring) -> None:
    """Refuse parts whose signals would have the names of others."""
    seen: dict[str, str] = {}
    for name, part in made.parts.items():
        outputs = [] if isinstance(part, Admittance) else output_names(part.outputs)
        for output in dict.fromkeys([*part.start(), *outputs]):
            signal = made.labels.signal((name, output))
            if seen.setdefault(signal, name) != name:
                raise NetworkError(
                    f"parts '{seen[signal]}' and '{name}' would both have a signal '{signal}'; call "
                    "one of them otherwise"
                )
