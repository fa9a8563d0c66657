"""Robots with published data, and the textbook machines: `stiction.library.puma560()` and others."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction.errors import RobotError
from stiction.fields import argument, count, number, numbers
from stiction.robot.joint import Joint
from stiction.robot.link import Frame, Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.robot.solid import Box, PointMass


def _checked(owner: str, name: str, value: Any, field: Any) -> Any:
    return argument(owner, name, value, field, RobotError)


def _in_series(
    links: Sequence[Link], kind: str, axes: Sequence[Sequence[float]], offsets: Sequence[Sequence[float]]
) -> list[Joint]:
    """Joints that carry each link by the one before it: their axes, and where they stand in the link before [m]."""
    return [
        Joint(
            name=f"joint{k + 1}",
            kind=kind,
            parent=links[k].name,
            child=links[k + 1].name,
            axis=axis,
            origin=Origin(xyz=offset),
        )
        for k, (axis, offset) in enumerate(zip(axes, offsets, strict=True))
    ]


def pendulum(links: int = 1, *, length: float = 1.0, mass: float = 1.0) -> Robot:
    """A plane chain of point masses on massless rods, hanging along −z; it swings about y. At q = 0 it hangs.

    Args:
        links: how many.
        length: of each rod [m].
        mass: at the end of each [kg].

    Example:
        >>> import stiction
        >>> stiction.library.pendulum(3).nv
        3
    """
    n = _checked("pendulum", "links", links, count(least=1))
    length = _checked("pendulum", "length", length, number(above=0))
    mass = _checked("pendulum", "mass", mass, number(above=0))
    bob = PointMass(mass=mass, origin=Origin(xyz=(0, 0, -length)))
    made = [Link(name="base"), *(Link.of(f"link{k + 1}", bob) for k in range(n))]
    offsets = [(0, 0, -length if k else 0) for k in range(n)]
    return Robot(name=f"pendulum{n}", links=made, joints=_in_series(made, "continuous", [(0, 1, 0)] * n, offsets))


def chain(links: int, *, length: float = 0.1, mass: float = 0.3, side: float = 0.04) -> Robot:
    """A spatial chain of equal boxes along z, with axes along y and x in turn: a snake arm of any length.

    Args:
        links: how many.
        length: of each box [m].
        mass: of each [kg].
        side: width and depth of each [m].

    Example:
        >>> import stiction
        >>> stiction.library.chain(7).nv
        7
    """
    n = _checked("chain", "links", links, count(least=1))
    box = Box(size=(side, side, length), mass=mass, origin=Origin(xyz=(0, 0, length / 2)))
    made = [Link(name="base"), *(Link.of(f"link{k + 1}", box) for k in range(n))]
    axes = [(0, 1, 0) if k % 2 == 0 else (1, 0, 0) for k in range(n)]
    offsets = [(0, 0, length if k else 0) for k in range(n)]
    return Robot(name=f"chain{n}", links=made, joints=_in_series(made, "revolute", axes, offsets))


def two_link(*, lengths: Sequence[float] = (0.1, 0.1), masses: Sequence[float] = (1.0, 1.0)) -> Robot:
    """The 2R arm of the textbooks: point masses at the ends of two rods in the x–y plane, axes along z, frame "tip".

    Args:
        lengths: of the rods [m].
        masses: at their ends [kg].

    Example:
        >>> import stiction
        >>> stiction.library.two_link().mass_matrix([0.0, 0.0]).round(6).tolist()
        [[0.05, 0.02], [0.02, 0.01]]
    """
    upper, fore = (Origin(xyz=(x, 0, 0)) for x in _checked("two_link", "lengths", lengths, numbers(2, above=0)))
    upper_mass, fore_mass = _checked("two_link", "masses", masses, numbers(2, above=0))
    return Robot(
        name="two_link",
        links=[
            Link(name="base"),
            Link.of("upper_arm", PointMass(mass=upper_mass, origin=upper)),
            Link.of("forearm", PointMass(mass=fore_mass, origin=fore)),
        ],
        joints=[
            Joint(name="shoulder", kind="continuous", parent="base", child="upper_arm"),
            Joint(name="elbow", kind="continuous", parent="upper_arm", child="forearm", origin=upper),
        ],
        frames=[Frame(name="tip", link="forearm", origin=fore)],
    )


def rp_arm(
    *,
    first_mass: float = 1.0,
    first_length: float = 0.5,
    second_mass: float = 1.0,
    first_inertia: float = 0.1,
    second_inertia: float = 0.1,
) -> Robot:
    """The RP arm of course section 1, in the x–y plane: a turning joint about z, then a sliding one along the arm.

    With gravity along −y, its equations are M = diag(I1 + I2 + m1 L1² + m2 θ2², m2) and so on.

    Args:
        first_mass: m1 [kg], its centre `first_length` from the axis.
        first_length: L1 [m].
        second_mass: m2 [kg], its centre θ2 from the axis.
        first_inertia: I1 about its centre [kg m²].
        second_inertia: I2 about its centre [kg m²].

    Example:
        >>> import stiction
        >>> stiction.library.rp_arm().mass_matrix([0.3, 2.0]).round(6).tolist()
        [[4.45, 0.0], [0.0, 1.0]]
    """
    first = _checked("rp_arm", "first_inertia", first_inertia, number(above=0))
    second = _checked("rp_arm", "second_inertia", second_inertia, number(above=0))
    flat = [np.diag([I / 2, I / 2, I]) for I in (first, second)]  # only the last matters in the plane
    return Robot(
        name="rp_arm",
        links=[
            Link(name="base"),
            Link(name="turret", mass=first_mass, center_of_mass=(first_length, 0, 0), inertia=flat[0].tolist()),
            Link(name="slider", mass=second_mass, inertia=flat[1].tolist()),
        ],
        joints=[
            Joint(name="turn", kind="continuous", parent="base", child="turret"),
            Joint(name="slide", kind="prismatic", parent="turret", child="slider", axis=(1, 0, 0)),
        ],
    )


# Corke and Armstrong-Hélouvry 1994, joint by joint.
PUMA_DH = (  # Denavit–Hartenberg d [m], a [m], α [rad]
    (0.67183, 0, math.pi / 2),
    (0, 0.4318, 0),
    (0.15005, 0.0203, -math.pi / 2),
    (0.4318, 0, math.pi / 2),
    (0, 0, -math.pi / 2),
    (0, 0, 0),
)
PUMA_MASS = (0, 17.4, 4.8, 0.82, 0.34, 0.09)  # [kg]
# centre of mass in the Denavit–Hartenberg frame [m]
PUMA_CENTER = ((0, 0, 0), (-0.3638, 0.006, 0.2275), (-0.0203, -0.0141, 0.07), (0, 0.019, 0), (0, 0, 0), (0, 0, 0.032))
PUMA_INERTIA = (  # xx, yy, zz about the centre of mass [kg m²]
    (0, 0.35, 0),
    (0.13, 0.524, 0.539),
    (0.066, 0.086, 0.0125),
    (1.8e-3, 1.3e-3, 1.8e-3),
    (0.3e-3, 0.4e-3, 0.3e-3),
    (0.15e-3, 0.15e-3, 0.04e-3),
)
PUMA_ROTOR = (200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6)  # at the motor [kg m²]
PUMA_RATIO = (-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686)
PUMA_VISCOUS = (1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6)  # at the motor [N·m·s/rad]
PUMA_COULOMB = (  # at the motor [N·m], for positive and for negative velocity
    (0.395, 0.435),
    (0.126, 0.071),
    (0.132, 0.105),
    (11.2e-3, 16.9e-3),
    (9.26e-3, 14.5e-3),
    (3.96e-3, 10.5e-3),
)


def puma560() -> Robot:
    """The Unimation Puma 560 with the consensus parameters of Corke and Armstrong-Hélouvry (1994).

    Joint axes are along z of the preceding Denavit–Hartenberg frame; the first stands 0.67183 m up. Rotor inertias,
    gear ratios and asymmetric friction are those of the paper, friction taken to the joint side.

    Example:
        >>> import stiction
        >>> stiction.library.puma560().mass_matrix([0.0] * 6).shape
        (6, 6)
    """
    links, joints = [Link(name="base")], []
    joint_frame = Origin()  # in the frame of the link before
    for k, (d, a, alpha) in enumerate(PUMA_DH):
        link_frame = Origin(xyz=(a, 0, d), rpy=(alpha, 0, 0))  # Denavit–Hartenberg frame in that of the joint
        R, ratio = link_frame.rotation, abs(PUMA_RATIO[k])
        link = Link(
            name=f"link{k + 1}",
            mass=PUMA_MASS[k],
            center_of_mass=(R @ PUMA_CENTER[k] + link_frame.xyz).tolist(),
            inertia=(R @ np.diag(PUMA_INERTIA[k]) @ R.T).tolist(),
            lumped=True,
        )
        joint = Joint(
            name=f"joint{k + 1}",
            kind="revolute",
            parent=links[-1].name,
            child=link.name,
            origin=joint_frame,
            rotor_inertia=PUMA_ROTOR[k],
            gear_ratio=PUMA_RATIO[k],
            damping=PUMA_VISCOUS[k] * ratio * ratio,
            friction=tuple(ratio * torque for torque in PUMA_COULOMB[k]),
        )
        links.append(link)
        joints.append(joint)
        joint_frame = link_frame
    return Robot(name="puma560", links=links, joints=joints)


# Otter and Türk's Manutec r3, from the RobotR3 data of the Modelica library, joint by joint: its offset [m] and axis;
# of its link the mass [kg], the centre of mass [m], and xx, yy, zz, xy about that [kg m²].
MANUTEC = (
    ((0, 0.351, 0), (0, 1, 0), 1.0, (0, 0, 0), (0.001, 1.16, 0.001, 0)),
    ((0, 0.324, 0.3), (1, 0, 0), 56.5, (0.172, 0.205, 0), (2.58, 0.64, 2.73, -0.46)),
    ((0, 0.65, 0), (1, 0, 0), 26.4, (0.064, -0.034, 0), (0.279, 0.245, 0.413, -0.07)),
    ((0, 0.414, -0.155), (0, 1, 0), 28.7, (0, 0, 0), (1.67, 0.081, 1.67, 0)),
    ((0, 0.186, 0), (1, 0, 0), 5.2, (0, 0, 0), (1.25, 0.81, 1.53, 0)),
    ((0, 0.125, 0), (0, 1, 0), 0.5, (0.05, 0.05, 0.05), (0.001, 0.001, 0.001, 0)),
)


def manutec_r3(*, load: float = 15.0) -> Robot:
    """The bodies of the Manutec r3 (Otter and Türk), y up: use it with gravity=(0, −9.81, 0).

    Args:
        load: mass at (0.1, 0.25, 0.1) m on the last link [kg]; 0 for none.

    Example:
        >>> import stiction
        >>> stiction.library.manutec_r3().gravity_torque([0.0] * 6, gravity=(0, -9.81, 0)).shape
        (6,)
    """
    links = [Link(name="base")]
    for k, (_, _, mass, center, (xx, yy, zz, xy)) in enumerate(MANUTEC):
        inertia = ((xx, xy, 0.0), (xy, yy, 0.0), (0.0, 0.0, zz))
        links.append(Link(name=f"link{k + 1}", mass=mass, center_of_mass=center, inertia=inertia, lumped=True))
    joints = _in_series(links, "revolute", [row[1] for row in MANUTEC], [row[0] for row in MANUTEC])
    load = _checked("manutec_r3", "load", load, number(least=0))
    if load:
        small = np.diag([0.001] * 3).tolist()  # so that it is a real body
        links.append(Link(name="load", mass=load, center_of_mass=(0.1, 0.25, 0.1), inertia=small))
        joints.append(Joint(name="grip", kind="fixed", parent="link6", child="load"))
    return Robot(name="manutec_r3", links=links, joints=joints)
