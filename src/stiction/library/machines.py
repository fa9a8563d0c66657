"""Machines of the textbooks: pendulums, chains, plane arms."""

from collections.abc import Sequence

import numpy as np

from stiction.fields import count, number, numbers
from stiction.library.build import checked, in_series
from stiction.robot.joint import Joint
from stiction.robot.link import Frame, Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.robot.solid import Box, PointMass

MOST = 1000  # links: of more not even the description is of use


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
    n = checked("pendulum", "links", links, count(least=1, most=MOST))
    length = checked("pendulum", "length", length, number(above=0))
    mass = checked("pendulum", "mass", mass, number(above=0))
    bob = PointMass(mass=mass, origin=Origin(xyz=(0, 0, -length)))
    made = [Link(name="base"), *(Link.of(f"link{k + 1}", bob) for k in range(n))]
    offsets = [(0, 0, -length if k else 0) for k in range(n)]
    return Robot(name=f"pendulum{n}", links=made, joints=in_series(made, "continuous", [(0, 1, 0)] * n, offsets))


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
    n = checked("chain", "links", links, count(least=1, most=MOST))
    box = Box(size=(side, side, length), mass=mass, origin=Origin(xyz=(0, 0, length / 2)))
    made = [Link(name="base"), *(Link.of(f"link{k + 1}", box) for k in range(n))]
    axes = [(0, 1, 0) if k % 2 == 0 else (1, 0, 0) for k in range(n)]
    offsets = [(0, 0, length if k else 0) for k in range(n)]
    return Robot(name=f"chain{n}", links=made, joints=in_series(made, "revolute", axes, offsets))


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
    upper, fore = (Origin(xyz=(x, 0, 0)) for x in checked("two_link", "lengths", lengths, numbers(2, above=0)))
    upper_mass, fore_mass = checked("two_link", "masses", masses, numbers(2, above=0))
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
    first = checked("rp_arm", "first_inertia", first_inertia, number(above=0))
    second = checked("rp_arm", "second_inertia", second_inertia, number(above=0))
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
