"""Mechanisms with closed loops, ours and the same in MuJoCo and Pinocchio."""

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.peers.mujoco_model import mjcf
from benchmarks.peers.pinocchio_model import PinocchioRobot
from stiction import Coulomb, Follow, Joint, Link, Origin, Pin, Robot, Scene
from stiction.parts import FreeBody

DOWN = (0.0, -9.81, 0.0)
CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.6
STIFF = 'solref="-1e6 -2e3" solimp="0.9999 0.9999 0.001"'  # of MuJoCo's equalities, where small steps or RK4 bear it
SOFTER = 'solref="0.002 1" solimp="0.99 0.999 0.001"'  # twice the step, the least that it takes


def bar(name: str, length: float, mass: float = 1.0) -> Link:
    """A slender bar along x."""
    turns = mass * length**2 / 12
    inertia = np.diag([1e-3 * turns + 1e-9, turns, turns])
    return Link(name=name, mass=mass, center_of_mass=(length / 2, 0, 0), inertia=inertia)  # type: ignore[arg-type]


def hinge(name: str, parent: str, child: str, x: float = 0.0, y: float = 0.0, **more: Any) -> Joint:
    """A joint about z."""
    return Joint(name=name, kind="continuous", parent=parent, child=child, origin=Origin(xyz=(x, y, 0)), **more)


def four_bar_robot() -> Robot:
    """Crank and coupler, and a rocker beside them."""
    return Robot(
        name="four-bar",
        links=[Link(name="base"), bar("crank", CRANK), bar("coupler", COUPLER, 2.0), bar("rocker", ROCKER, 1.5)],
        joints=[
            hinge("crank", "base", "crank"),
            hinge("coupler", "crank", "coupler", CRANK),
            hinge("rocker", "base", "rocker", GROUND),
        ],
    )


LOOP = Pin(between=("robot.coupler", "robot.rocker"), first_point=(COUPLER, 0, 0), second_point=(ROCKER, 0, 0))


def four_bar(q: float = 1.0, constraints: Any = None, **more: Any) -> Scene:
    """A four-bar linkage, open to the upper side."""
    kept = {"loop": LOOP} if constraints is None else constraints
    start = {} if "motion" in more else {"q": {"crank": q}}
    rocker = rocker_angle(q)
    end = GROUND + ROCKER * np.cos(rocker), ROCKER * np.sin(rocker)
    coupler = np.arctan2(end[1] - CRANK * np.sin(q), end[0] - CRANK * np.cos(q))
    near = {"coupler": coupler - q + 0.1, "rocker": rocker - 0.1}
    robot = more.pop("robot", None) or four_bar_robot()
    return Scene(robot=robot, constraints=kept, gravity=DOWN, near=near, **start, **more)


def rocker_angle(crank: Any) -> Any:
    """The angle of the rocker, by the triangle of the diagonal."""
    x, y = GROUND - CRANK * np.cos(crank), -CRANK * np.sin(crank)  # from the crank's end to the rocker's foot
    diagonal = np.hypot(x, y)
    inner = np.arccos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))
    return np.arctan2(-y, -x) - inner


def gripper(**more: Any) -> Scene:
    """Two fingers on parallelograms, geared against each other: six joints, one degree of freedom."""
    links, joints, kept = [Link(name="base")], [], {}
    for side, sign in (("left", 1), ("right", -1)):
        names = [f"{side}_{word}" for word in ("crank", "finger", "rocker")]
        links += [bar(names[0], 0.1, 0.1), bar(names[1], 0.06, 0.08), bar(names[2], 0.1, 0.1)]
        joints += [
            hinge(names[0], "base", names[0], 0.0, 0.04 * sign),
            hinge(names[1], names[0], names[1], 0.1),
            hinge(names[2], "base", names[2], 0.05, 0.04 * sign),
        ]
        kept[side] = Pin(
            between=(f"robot.{names[1]}", f"robot.{names[2]}"), first_point=(0.05, 0, 0), second_point=(0.1, 0, 0)
        )
    kept["gears"] = Follow(joint="right_crank", of="left_crank", ratio=-1.0)  # type: ignore[assignment]
    near = {"left_finger": -0.6, "left_rocker": 0.6, "right_crank": -0.6, "right_finger": 0.6, "right_rocker": -0.6}
    robot = Robot(name="gripper", links=links, joints=joints)
    return Scene(robot=robot, constraints=kept, gravity=DOWN, q={"left_crank": 0.6}, near=near, **more)


def in_mujoco(scene: Scene, step: float, integrator: str = "RK4", equality: str = STIFF) -> tuple[Any, Any]:
    """Model and data of a scene with one robot, whose constraints are pins and followers."""
    robot: Any = scene.robot
    bodies = {body: k for k, body in enumerate(x.child for x in robot.moving_joints)}
    places = {joint.name: k for k, joint in enumerate(robot.moving_joints)}
    sites: dict[int, str] = {}
    equal = ""
    for name, kept in scene.constraints.items():
        if isinstance(kept, Follow):
            pair = f'joint1="j{places[kept.joint]}" joint2="j{places[kept.of]}"'
            equal += f'<joint {pair} polycoef="{kept.offset} {kept.ratio} 0 0 0" {equality}/>'
            continue
        assert isinstance(kept, Pin)
        for word, end, point in zip("ab", kept.between, (kept.first_point, kept.second_point), strict=True):
            k = bodies[end.partition(".")[2]]
            sites[k] = sites.get(k, "") + f'<site name="{name}_{word}" pos="{" ".join(map(str, point))}"/>'
        equal += f'<connect site1="{name}_a" site2="{name}_b" {equality}/>'
    option = f'timestep="{step}" integrator="{integrator}" tolerance="1e-12"'
    model = mujoco.MjModel.from_xml_string(mjcf(robot, option=option, sites=sites, equalities=equal))
    model.opt.gravity[:] = scene.gravity
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = scene.q, scene.v
    return model, data


class InPinocchio:
    """A scene with one robot and pins."""

    def __init__(self, scene: Scene) -> None:
        robot: Any = scene.robot
        self.peer = peer = PinocchioRobot(robot, gravity=scene.gravity)
        bodies = {body: k for k, body in enumerate(x.child for x in robot.moving_joints)}
        self.models, self.data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for kept in scene.constraints.values():
            assert isinstance(kept, Pin)
            places = [pin.SE3(np.eye(3), np.array(x, float)) for x in (kept.first_point, kept.second_point)]
            at = [peer.joints[bodies[end.partition(".")[2]]] for end in kept.between]
            model = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, peer.model, at[0], places[0], at[1], places[1])
            self.models.append(model)
            self.data.append(model.createData())
        pin.initConstraintDynamics(peer.model, peer.data, self.models, self.data)
        self.settings = pin.ProximalSettings(1e-12, 1e-12, 100)

    def acceleration(self, q: Any, v: Any, torque: Any) -> np.ndarray:
        """Accelerations under torques, in our order."""
        peer = self.peer
        arguments = (peer.q(q), peer.v(v), peer.v(torque), self.models, self.data, self.settings)
        return peer.back(pin.constraintDynamics(peer.model, peer.data, *arguments))


def without(scene: Scene, name: str) -> Scene:
    """A scene with one constraint less."""
    return replace(scene, constraints={key: x for key, x in scene.constraints.items() if key != name})


def stewart() -> Scene:
    """Six legs with universal joints, pinned to a platform: 24 velocities, 18 rows, six degrees of freedom."""
    feet, heads = (
        [np.array([r * np.cos(a), r * np.sin(a), 0.0]) for a in np.radians(angles)]
        for r, angles in ((0.6, [10, 110, 130, 230, 250, 350]), (0.35, [50, 70, 170, 190, 290, 310]))
    )
    legs, pins = {}, {}
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        lower, rod = (
            Link(name=name, mass=mass, center_of_mass=(0, 0, z), inertia=np.diag([turn, turn, turn / 20]))  # type: ignore[arg-type]
            for name, mass, z, turn in (("lower", 1.0, 0.2, 0.02), ("rod", 0.5, -0.2, 0.01))
        )
        cross: dict[str, Any] = {"axis": (1, 0, 0), "second_axis": (0, 1, 0), "origin": Origin(xyz=tuple(foot))}
        joints = [
            Joint(name="foot", kind="universal", parent="base", child="lower", **cross),
            Joint(name="slide", kind="prismatic", parent="lower", child="rod"),
        ]
        legs[f"leg{k}"] = Robot(name=f"leg{k}", links=[Link(name="base"), lower, rod], joints=joints)
        pins[f"head{k}"] = Pin(between=(f"leg{k}.rod", "platform"), second_point=tuple(head))
    slides = [f"leg{k}.slide" for k in range(6)]
    return Scene(
        robots=legs,
        parts={"platform": FreeBody(mass=10.0, inertia=(0.3, 0.3, 0.5), position=(0, 0, 0.7))},
        constraints=pins,
        near=dict.fromkeys(slides, 0.7),
        friction=dict.fromkeys(slides, Coulomb(level=5.0)),
        torque=dict.fromkeys(slides, 20.0),
    )
