"""The Unimation Puma 560."""

import math

import numpy as np

from stiction.robot.joint import Joint
from stiction.robot.link import Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot

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
