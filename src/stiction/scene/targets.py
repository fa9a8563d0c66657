"""Where joints should be: references of a scene, what it is checked for, and what should be known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stiction.control.cascade import Cascade
from stiction.control.reference import Given, Reference, given
from stiction.control.sensor import Sensor
from stiction.errors import StictionError
from stiction.parts.kinds import Digital

if TYPE_CHECKING:
    from stiction.scene.scene import Scene

FAR = 1e-6  # rad or m from where a motion begins that is a jump


def check_servos(scene: Scene) -> None:
    """Refuse controllers, sensors and references that are none, or on something that is not there."""
    everything = [*scene.joints, *scene.all_robots]
    for name, controller in scene.control.items():
        if name not in scene.all_robots:
            scene.must_know(name, everything, "control")
            scene.must_be_single(name, "a controller")
        elif isinstance(controller, Cascade):
            raise scene.refusal(
                f"control of robot '{name}' is a Cascade, which is for one joint; give it to each joint"
            )
        gives = dict(controller.outputs) if isinstance(controller, Digital) else {}
        fits = name in scene.all_robots or gives.get("command") == 1
        if not isinstance(controller, Cascade) and not (gives and fits):
            raise scene.refusal(
                f"control of '{name}' is {controller!r}; "
                "allowed: a controller that gives a command, such as PID, Cascade or Callback"
            )
    for name, sensors in scene.sensors.items():
        scene.must_know(name, scene.joints, "sensors")
        scene.must_be_single(name, "a sensor")
        listed = [sensors] if isinstance(sensors, Sensor) else sensors if isinstance(sensors, (list, tuple)) else [None]
        if not all(isinstance(sensor, Sensor) for sensor in listed):
            raise scene.refusal(f"sensors of '{name}' are {sensors!r}; allowed: a list of sensors, such as Encoder")
        scene.sensors[name] = tuple(listed)  # type: ignore[index]
    for name in scene.reference:  # type: ignore[union-attr]
        scene.must_know(name, everything, "reference")


def references_of(scene: Scene) -> dict[str, Reference]:
    """The references as motions of joints, by the name of joint or robot."""
    found: dict[str, Reference] = {}
    for name, value in scene.reference.items():  # type: ignore[union-attr]
        joints = scene.joints_of(name)
        for joint in joints:
            scene.must_be_single(joint, "a reference")
        robot = scene.all_robots[name if name in scene.all_robots else scene.joints[name][0]]
        try:
            motion = found[name] = given(value).on(robot)
        except StictionError as error:
            raise type(error)(f"reference of '{name}': {error}") from None
        if motion.size != len(joints):
            raise scene.refusal(
                f"reference of '{name}' is for {motion.size} joints; allowed: {len(joints)} ({', '.join(joints)})"
            )
    names = [joint for name in found for joint in scene.joints_of(name)]
    for joint in names:
        if names.count(joint) > 1:
            raise scene.refusal(f"joint '{joint}' has two references, one of them for its whole robot; give one")
    return found


def begun(scene: Scene, what: str) -> dict[str, float]:
    """Where motions begin, by joint: positions "q" or velocities "v"; a plain target says nothing of the start."""
    found: dict[str, float] = {}
    for name, motion in scene.references.items():
        if not isinstance(motion, Given):
            found |= dict(zip(scene.joints_of(name), map(float, getattr(motion.at(0.0), what)), strict=True))
    return found


def target_at_start(scene: Scene, joint: str) -> float | None:
    """Where the reference of a joint begins [rad or m]; None where it has none."""
    for name, motion in scene.references.items():
        if joint in scene.joints_of(name):
            return float(motion.at(0.0).q[scene.joints_of(name).index(joint)])
    return None


def notes_of_references(scene: Scene) -> list[str]:
    """What should be known of references that jump, and of motions that begin elsewhere than the joints."""
    found: list[str] = []
    q = dict(zip(scene.position_names, scene.q, strict=True))
    for name, motion in scene.references.items():
        joints: Any = scene.joints_of(name)
        found += [
            f"the reference of '{joints[leap.joint]}' jumps by {leap.way:.3g} rad or m at {leap.time:g} s"
            for leap in motion.leaps()
        ]
    for joint, first in begun(scene, "q").items():
        if abs(first - q[joint]) > FAR:
            found.append(
                f"the reference of '{joint}' begins at {first:.4g} rad or m, and the joint at {q[joint]:.4g}: its "
                "controller sees a jump"
            )
    return found
