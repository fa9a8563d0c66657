"""The Manutec r3 (Otter and Türk 1988): bodies, drives and servo, from the data of the Modelica library's RobotR3."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.control import Cascade, PositionLoop, VelocityLoop
from stiction.drive import Drive, Gear, ServoMotor
from stiction.fields import number, numbers
from stiction.friction import Coulomb, Stribeck
from stiction.library.arm import Arm
from stiction.library.build import checked, in_series
from stiction.robot.joint import Joint
from stiction.robot.link import Frame, Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot

# joint by joint: its offset [m] and axis; of its link the mass [kg], the centre of mass [m], and xx, yy, zz, xy about
# that [kg m²]
BODIES = (
    ((0, 0.351, 0), (0, 1, 0), 1.0, (0, 0, 0), (0.001, 1.16, 0.001, 0)),
    ((0, 0.324, 0.3), (1, 0, 0), 56.5, (0.172, 0.205, 0), (2.58, 0.64, 2.73, -0.46)),
    ((0, 0.65, 0), (1, 0, 0), 26.4, (0.064, -0.034, 0), (0.279, 0.245, 0.413, -0.07)),
    ((0, 0.414, -0.155), (0, 1, 0), 28.7, (0, 0, 0), (1.67, 0.081, 1.67, 0)),
    ((0, 0.186, 0), (1, 0, 0), 5.2, (0, 0, 0), (1.25, 0.81, 1.53, 0)),
    ((0, 0.125, 0), (0, 1, 0), 0.5, (0.05, 0.05, 0.05), (0.001, 0.001, 0.001, 0)),
)

RESISTANCE = 250.0  # Ω
AMPLIFIER = 5.0  # voltage of the motor over that of its current loop


class Axis(NamedTuple):
    """The drive of an axis: frequency w [rad/s] and damping D of its current loop, ratio n, torque constant k [N·m/A],
    rotor inertia J [kg m²]; friction Rv0 + Rv1 |speed| with a peak at rest, on the motor shaft where there is a spring
    of c [N·m/rad] and d [N·m·s/rad] behind it, else at the joint.
    """

    w: float
    n: float
    k: float
    D: float
    J: float
    Rv0: float
    Rv1: float
    peak: float = 1.0
    c: float = 0.0
    d: float = 0.0

    @property
    def motor(self) -> ServoMotor:
        """Armature and current loop: La di/dt = 5 v − Ra i − k ω, v̇ = (i_ref − i)/(10 · 0.004 D/w)."""
        return ServoMotor(
            resistance=RESISTANCE,
            inductance=RESISTANCE / (2 * self.D * self.w),
            constant=self.k,
            rotor_inertia=self.J,
            integral=AMPLIFIER / (10 * 0.004 * self.D / self.w),
        )

    @property
    def drive(self) -> Drive:
        """Motor, gear and friction."""
        if self.c:
            gear = Gear(ratio=self.n, stiffness=self.c, damping=self.d)
            return Drive(motor=self.motor, gear=gear, motor_friction=Coulomb(level=self.Rv0, viscous=self.Rv1))
        peak = Stribeck(level=self.Rv0, static=self.peak * self.Rv0, velocity=1e-6, viscous=self.Rv1)  # at rest alone
        return Drive(motor=self.motor, gear=Gear(ratio=self.n), joint_friction=peak)


AXES = (
    Axis(4590.0, -105.0, 1.1616, 0.6, 0.0013, 0.4, 0.13 / 160, 1.0, 43.0, 0.005),
    Axis(5500.0, 210.0, 1.1616, 0.6, 0.0013, 0.5, 0.1 / 130, 1.0, 8.0, 0.01),
    Axis(5500.0, 60.0, 1.1616, 0.6, 0.0013, 0.7, 0.2 / 130, 1.0, 58.0, 0.04),
    Axis(6250.0, -99.0, 0.2365, 0.55, 1.6e-4, 21.8, 9.8, 26.7 / 21.8),
    Axis(6250.0, 79.2, 0.2608, 0.55, 1.8e-4, 30.1, 0.03, 39.6 / 30.1),
    Axis(7400.0, -99.0, 0.0842, 0.27, 4.3e-5, 10.9, 3.92, 16.8 / 10.9),
)


def servo() -> Cascade:
    """The controller of every axis, continuous, on the motor side: u = n q̇_ref + 5 (n q_ref − φ) − ω, i_ref = (u +
    ∫u/0.05)/2.
    """
    return Cascade(position=PositionLoop(proportional=5.0), velocity=VelocityLoop(proportional=0.5, integral=10.0))


def bodies(load: float = 15.0, place: Sequence[float] = (0.1, 0.25, 0.1)) -> Robot:
    """The bodies alone, y up."""
    links = [Link(name="base")]
    for k, (_, _, mass, center, (xx, yy, zz, xy)) in enumerate(BODIES):
        inertia = ((xx, xy, 0.0), (xy, yy, 0.0), (0.0, 0.0, zz))
        links.append(Link(name=f"link{k + 1}", mass=mass, center_of_mass=center, inertia=inertia, lumped=True))
    joints = in_series(links, "revolute", [row[1] for row in BODIES], [row[0] for row in BODIES])
    load = checked("manutec_r3", "load", load, number(least=0))
    place = checked("manutec_r3", "place", place, numbers(3))
    if load:
        small = np.diag([0.001] * 3).tolist()  # so that it is a real body
        links.append(Link(name="load", mass=load, center_of_mass=place, inertia=small))
        joints.append(Joint(name="grip", kind="fixed", parent="link6", child="load"))
    tool = Frame(name="tool", link="link6", origin=Origin(xyz=place))
    return Robot(name="manutec_r3", links=links, joints=joints, frames=[tool])


def manutec_r3(*, load: float = 15.0, place: Sequence[float] = (0.1, 0.25, 0.1)) -> Arm:
    """The Manutec r3 (Otter and Türk) with its drives and servo, y up.

    Args:
        load: mass on the last link [kg]; 0 for none.
        place: where it is there [m], 3 numbers; also that of the frame "tool".

    Example:
        >>> import stiction
        >>> arm = stiction.library.manutec_r3(load=5.0)
        >>> arm.robot.gravity_torque([0.0] * 6, gravity=arm.gravity).shape, arm.drives["joint2"].gear.ratio
        ((6,), 210.0)
    """
    names = [f"joint{k + 1}" for k in range(6)]
    return Arm(
        robot=bodies(load, place),
        drives={name: axis.drive for name, axis in zip(names, AXES, strict=True)},
        control=dict.fromkeys(names, servo()),
        gravity=(0.0, -9.81, 0.0),
        sources={"all": "published: Otter and Türk 1988, as in the Modelica library's RobotR3"},
    )
