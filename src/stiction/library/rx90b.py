"""The Stäubli RX90B of closed_loop.md: six axes, a coupled wrist, a spring against gravity, seven friction elements.

The paper prints the geometry and the structure; it prints no inertia, drive, friction or gain, and no published set of
all of them was found. These are representative of an arm of this size, chosen so that what the paper shows comes about:
friction of 2 to 30 N·m that spans its range within tenths of a microradian, motors of some amperes, errors of tenths of
a millimetre.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.control import Cascade, Clock, CurrentLoop, PositionLoop, VelocityLoop
from stiction.drive import DCMotor, Drive
from stiction.fields import number, numbers
from stiction.friction import LuGre
from stiction.library.arm import Arm
from stiction.library.build import checked, in_series
from stiction.parts.two_point import TwoPointSpring
from stiction.robot.joint import Joint, Limits
from stiction.robot.link import Frame, Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.scene.friction_site import FrictionSite

UPPER_ARM, FOREARM, WRIST = 0.45, 0.45, 0.085  # m
SHOULDER = 0.42  # m above the floor
SPRING = {"stiffness": 4000.0, "length": 0.30, "preload": 300.0}  # closed_loop (7)
ENDS = ("spring_anchor", "spring_hook")
SLOW, FAST = Clock(period=1e-3), Clock(period=2.5e-4)  # position loop; velocity and current loops


class Body(NamedTuple):
    """A link: mass [kg], centre of mass [m] and moments of inertia about it [kg m²], in the axes of all links at q = 0,
    where the arm stands upright.
    """

    mass: float
    center: tuple[float, float, float]
    inertia: tuple[float, float, float]


class Axis(NamedTuple):
    """A joint with its drive: axis and offset [m]; end of its way [rad]; ratio, rotor inertia [kg m²] and constant
    [N·m/A] of the motor; of friction, at the joint: level and static torque for both senses [N·m], viscous coefficient
    [N·m·s/rad].
    """

    axis: tuple[int, int, int]
    offset: tuple[float, float, float]
    end: float
    ratio: float
    rotor: float
    constant: float
    level: tuple[float, float]
    static: tuple[float, float]
    viscous: float


BODIES = (
    Body(25.0, (0.0, 0.05, -0.10), (0.50, 0.45, 0.30)),
    Body(22.0, (0.0, 0.12, 0.18), (0.60, 0.55, 0.12)),
    Body(12.0, (0.0, 0.03, 0.02), (0.10, 0.09, 0.06)),
    Body(8.0, (0.0, 0.0, 0.20), (0.14, 0.14, 0.03)),
    Body(2.0, (0.0, 0.0, 0.01), (0.004, 0.004, 0.003)),
    Body(0.5, (0.0, 0.0, 0.06), (4e-4, 4e-4, 3e-4)),
)
AXES = (
    Axis((0, 0, 1), (0, 0, SHOULDER), 2.79, 128.6, 3.0e-4, 0.35, (20.0, 21.0), (24.0, 25.5), 60.0),
    Axis((0, 1, 0), (0, 0, 0), 2.40, 128.6, 3.0e-4, 0.35, (28.0, 26.0), (33.0, 31.0), 75.0),
    Axis((0, 1, 0), (0, 0, UPPER_ARM), 2.49, 97.0, 2.0e-4, 0.35, (14.0, 15.0), (17.0, 18.0), 28.0),
    Axis((0, 0, 1), (0, 0, 0), 4.71, 75.0, 6.0e-5, 0.20, (6.0, 6.0), (7.2, 7.2), 9.0),
    Axis((0, 1, 0), (0, 0, FOREARM), 2.09, 80.0, 4.0e-5, 0.20, (3.5, 3.2), (4.2, 3.9), 4.0),
    Axis((0, 0, 1), (0, 0, 0), 4.71, 50.0, 4.0e-5, 0.20, (1.2, 1.2), (1.5, 1.5), 1.2),
)
SEVENTH = ((2.0, 2.0), (2.4, 2.4), 2.0)  # level, static, viscous of the element on both wrist joints, (12)
STRIBECK, STRETCH, BRISTLE = (
    0.02,
    3e-7,
    2.0,
)  # velocity [rad/s], bending at break-away [rad], damping over level [s/rad]


def lugre(level: tuple[float, float], static: tuple[float, float], viscous: float) -> LuGre:
    """Friction that spans its range within tenths of a microradian."""
    stiffness, damping = max(static) / STRETCH, BRISTLE * min(level)
    return LuGre(
        level=level,
        static=static,
        velocity=STRIBECK,
        stiffness=stiffness,
        damping=damping,
        exponent=1.0,
        viscous=viscous,
    )


def drive(axis: Axis) -> Drive:
    """A motor behind a coupled gear: its ratio is in the robot's coupling."""
    return Drive(
        motor=DCMotor(
            resistance=1.5,
            inductance=6e-3,
            constant=axis.constant,
            rotor_inertia=axis.rotor,
            rated_voltage=160.0,
            current_limit=15.0,
        )
    )


def servo(axis: Axis, inertia: float) -> Cascade:
    """One of the six loops of the CS7B: PI on the position at 1 kHz, velocity and current at 4 kHz, feed-forward of
    acceleration and of Coulomb and viscous friction; all on the motor side. `inertia`: as the motor feels it [kg m²].
    """
    n, k = axis.ratio, axis.constant
    coulomb = sum(axis.level) / 2
    return Cascade(
        position=PositionLoop(clock=SLOW, proportional=50.0, integral=400.0),
        velocity=VelocityLoop(
            clock=FAST,
            proportional=200.0 * inertia / k,
            limit=12.0,
            acceleration_feedforward=inertia / k,
            coulomb_feedforward=coulomb / (n * k),
            viscous_feedforward=axis.viscous / (n * n * k),
            coulomb_velocity=1e-3 * n,
        ),
        current=CurrentLoop(clock=FAST, proportional=12.0, integral=3000.0, limit=160.0),
    )


def bodies(load: float = 3.0, tool: Sequence[float] = (0.0, 0.0, 0.2)) -> Robot:
    """Links, joints and frames: z up, upright at q = 0; motors coupled by (11), which makes rotors weigh TᵀJT (15)."""
    load = checked("rx90b", "load", load, number(least=0))
    tool = checked("rx90b", "tool", tool, numbers(3))
    links = [Link(name="base")]
    for k, body in enumerate(BODIES):
        inertia = np.diag(body.inertia).tolist()
        links.append(Link(name=f"link{k + 1}", mass=body.mass, center_of_mass=body.center, inertia=inertia))
    joints = in_series(links, "revolute", [x.axis for x in AXES], [x.offset for x in AXES])
    joints = [
        Joint(
            name=joint.name,
            kind="revolute",
            parent=joint.parent,
            child=joint.child,
            axis=joint.axis,
            origin=joint.origin,
            limits=Limits(lower=-axis.end, upper=axis.end),
            rotor_inertia=axis.rotor,
        )
        for joint, axis in zip(joints, AXES, strict=True)
    ]
    if load:
        center = (tool[0] / 2, tool[1] / 2, WRIST + tool[2] / 2)
        links.append(
            Link(name="head", mass=load, center_of_mass=center, inertia=np.diag([0.012, 0.012, 0.005]).tolist())
        )
        joints.append(Joint(name="mount", kind="fixed", parent="link6", child="head"))
    frames = [
        Frame(name="flange", link="link6", origin=Origin(xyz=(0, 0, WRIST))),
        Frame(name="tool", link="link6", origin=Origin(xyz=(tool[0], tool[1], WRIST + tool[2]))),
        Frame(name=ENDS[0], link="link1", origin=Origin(xyz=(0, 0, -0.40))),
        Frame(name=ENDS[1], link="link2", origin=Origin(xyz=(0, 0, -0.10))),
    ]
    coupling = np.diag([axis.ratio for axis in AXES])
    coupling[5, 4] = AXES[5].ratio  # (11)
    return Robot(name="rx90b", links=links, joints=joints, frames=frames, coupling=coupling.tolist())


def rx90b(*, load: float = 3.0, tool: Sequence[float] = (0.0, 0.0, 0.2)) -> Arm:
    """The Stäubli RX90B with its drives, friction, spring and servo, z up, upright at q = 0.

    Args:
        load: mass of the welding head on the flange [kg]; 0 for none.
        tool: its tip from the flange, the frame "tool" [m], 3 numbers.

    Example:
        >>> import stiction
        >>> arm = stiction.library.rx90b()
        >>> arm.robot.pose([0.0] * 6, "flange")[:3, 3].round(6).tolist()
        [0.0, 0.0, 1.405]
    """
    robot, names = bodies(load, tool), [f"joint{k + 1}" for k in range(6)]
    pose = [0.0, 0.6, 1.2, 0.0, 1.3, 0.0]  # amid its work
    reflected = (
        np.linalg.inv(np.array(robot.coupling)).T @ robot.mass_matrix(pose) @ np.linalg.inv(np.array(robot.coupling))
    )
    friction = {name: lugre(x.level, x.static, x.viscous) for name, x in zip(names, AXES, strict=True)}
    return Arm(
        robot=robot,
        drives={name: drive(axis) for name, axis in zip(names, AXES, strict=True)},
        friction={**friction, "wrist": FrictionSite(law=lugre(*SEVENTH), joints={"joint5": 1, "joint6": 1})},
        parts={"spring": TwoPointSpring(between=[f"robot.{end}" for end in ENDS], **SPRING)},
        control={
            name: servo(axis, float(reflected[k, k])) for k, (name, axis) in enumerate(zip(names, AXES, strict=True))
        },
        sources={
            "geometry": "published: upper arm and forearm 0.45 m, wrist 0.085 m (Waiboer and others, ICINCO 2004)",
            "structure": "published there: coupled wrist (11), spring (7), seventh friction element (12), loop rates",
            "inertias": "representative",
            "drives": "representative",
            "friction": "representative; its range within tenths of a microradian as published there",
            "servo": "representative",
        },
    )
