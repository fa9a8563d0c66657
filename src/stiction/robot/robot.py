"""The robot: what users make, read, and ask."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stiction.dynamics.mechanism import Mechanism
from stiction.errors import RobotError, unknown
from stiction.fields import instances, matrix, text
from stiction.robot import (
    derivatives,
    dynamics,
    ellipsoid,
    energy,
    feasibility,
    identification,
    inverse_kinematics,
    kinematics,
    step_by_step,
    symbolic,
    task_space,
    variants,
)
from stiction.robot.assembly import Assembly
from stiction.robot.element import Element
from stiction.robot.joint import Joint
from stiction.robot.link import Frame, Link
from stiction.robot.programs import Programs
from stiction.robot.substitution import Substitution
from stiction.robot.tree import ordered_joints
from stiction.robot.urdf import read_urdf


@dataclass(frozen=True, kw_only=True)
class Robot(Element):
    """A tree of links and joints, with everything that can be computed from it.

    Positions and velocities are ordered like `joints`. A spherical joint has 4 positions (quaternion w, x, y, z) and 3
    velocities (angular, in the link's axes); a floating one has 7 (position, quaternion) and 6: angular in the link's
    axes, then the velocity of the link's origin in the axes of the joint's frame (for a base the world's, as a rule).
    All methods take arrays of shape (..., nq) or (..., nv) and broadcast their leading axes.

    Where a method takes them, `gravity` is the acceleration of free fall [m/s²] in the world; `parameters` replaces
    parameters of the robot, by name (see `Robot.parameters`), by arrays over the leading axes; `threads` is how many
    threads share a batch, None for all cores.

    Attributes:
        name: of the robot.
        links: its bodies. The one without a parent is the root and rests in the world.
        joints: what carries them; kept with parents before children.
        frames: tools, sensors, contact points.
        coupling: matrix T of motor angles = T · joint positions, for the joints of one degree of freedom, one row per
            motor [1]; replaces the gear ratios. The rotors then weigh TᵀJT, with J each joint's rotor_inertia.

    Example:
        >>> import stiction
        >>> bob = stiction.PointMass(mass=2.0, origin=stiction.Origin(xyz=(0.5, 0, 0)))
        >>> arm = stiction.Robot(
        ...     name="arm",
        ...     links=[stiction.Link(name="base"), stiction.Link.of("rod", bob)],
        ...     joints=[stiction.Joint(name="hinge", kind="revolute", parent="base", child="rod", axis=(0, -1, 0))],
        ... )
        >>> arm.gravity_torque([0.0])
        array([9.81])
    """

    name: str = text()
    links: Sequence[Link] = instances(Link)
    joints: Sequence[Joint] = instances(Joint, ())
    frames: Sequence[Frame] = instances(Frame, ())
    coupling: Sequence[Sequence[float]] | None = matrix(default=None, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("joints", ordered_joints(self))
        feasibility.check_mimics(self)
        feasibility.check_coupling(self)
        feasibility.check_inertias(self)

    @classmethod
    def from_urdf(
        cls, source: str | Path, *, base: str = "fixed", keep_fixed: bool = True, lumped: bool = False
    ) -> "Robot":
        """Read a URDF file, or URDF text.

        Args:
            source: path of the file, or its content.
            base: "fixed" ties the root link to the world; "floating" puts a floating joint between them.
            keep_fixed: keep links that hang on fixed joints, as frames of the merged bodies; False forgets their names.
            lumped: accept identified inertial parameters that no real body has.

        Example:
            >>> import stiction
            >>> text = '''<robot name="one"><link name="base"/>
            ... <link name="rod"><inertial><mass value="1"/><origin xyz="0 0 1"/>
            ... <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
            ... <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
            ... </joint></robot>'''
            >>> stiction.Robot.from_urdf(text).mass_matrix([0.0]).tolist()
            [[1.1]]
        """
        content = read_urdf(source, base=base, lumped=lumped)
        try:
            robot = cls(name=content.name, links=content.links, joints=content.joints)
        except RobotError as error:
            raise RobotError(f"{content.where}: {error}") from None
        return robot if keep_fixed else robot.merged()

    # What can be computed: each method is a plain function of a robot, documented in the file that it comes from
    # (which names Robot for type checkers only, so that nothing imports in a circle).

    pose = kinematics.pose
    twist = kinematics.twist
    jacobian = kinematics.jacobian
    jacobian_rate = kinematics.jacobian_rate
    position_rates = kinematics.position_rates
    inverse_kinematics = inverse_kinematics.inverse_kinematics
    ellipsoid = ellipsoid.ellipsoid

    inverse_dynamics = dynamics.inverse_dynamics
    newton_euler = step_by_step.newton_euler
    task_space = task_space.task_space
    forward_dynamics = dynamics.forward_dynamics
    mass_matrix = dynamics.mass_matrix
    coriolis_matrix = dynamics.coriolis_matrix
    gravity_torque = dynamics.gravity_torque

    kinetic_energy = energy.kinetic_energy
    potential_energy = energy.potential_energy
    center_of_mass = energy.center_of_mass
    momentum = energy.momentum

    inverse_dynamics_derivatives = derivatives.inverse_dynamics_derivatives
    forward_dynamics_derivatives = derivatives.forward_dynamics_derivatives
    regressor = identification.regressor

    symbolic = symbolic.symbolic

    merged = variants.merged
    lock = variants.lock
    without_mimics = variants.without_mimics
    with_frames = variants.with_frames

    # What follows from the description.

    @cached_property
    def root(self) -> str:
        """Name of the link that rests in the world."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints that are not fixed, in the order of their positions."""
        return tuple(joint for joint in self.joints if joint.kind != "fixed")

    @cached_property
    def nq(self) -> int:
        """Number of positions."""
        return self.mechanism.nq

    @cached_property
    def nv(self) -> int:
        """Number of velocities."""
        return self.mechanism.nv

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """A name for each position, (nq,)."""
        return tuple(name for joint in self.joints for name in joint.position_names)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each velocity, (nv,)."""
        return tuple(name for joint in self.joints for name in joint.velocity_names)

    @property
    def neutral(self) -> np.ndarray:
        """Positions at rest: zeros and unit quaternions, (nq,) [rad or m]."""
        q = np.zeros(self.nq)
        for body in self.mechanism.bodies:
            if body.quaternion:
                q[body.quaternion] = 1, 0, 0, 0
        return q

    @property
    def parameters(self) -> dict[str, float]:
        """Every parameter of the description that can be replaced, by name, with its value [SI].

        Example:
            >>> import stiction
            >>> stiction.library.two_link().parameters["forearm.mass"]
            1.0
        """
        return dict(self.assembly.parameters)

    @property
    def inertial_parameters(self) -> np.ndarray:
        """Parameters π of `regressor`, (p,).

        Of each moving body mass [kg], first moment [kg m] and xx, xy, xz, yy, yz, zz [kg m²] about its frame's origin;
        then the rotor inertias as felt at the joints [kg m² or kg], one per pair of `rotor_pairs`.
        """
        return identification.inertial_parameters(self)

    @property
    def rotor_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of velocities that rotors resist: (i, i), and (i, j) where they couple two."""
        return identification.rotor_pairs(self)

    @cached_property
    def forward_method(self) -> str:
        """The method that `forward_dynamics` chooses by itself."""
        return "composite" if self.nv <= dynamics.COMPOSITE_UP_TO or self.coupling else "articulated"

    @cached_property
    def assembly(self) -> Assembly:
        """The mechanism with plain floats, and where each link and frame went."""
        return Assembly(self, Substitution())

    @property
    def mechanism(self) -> Mechanism:
        """The robot as the formulas see it, with plain floats: the reference, and the way to look inside."""
        return self.assembly.mechanism

    @cached_property
    def programs(self) -> Programs:
        """The programs that were made for this robot."""
        return Programs(self)

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        return self._named("joint", self.joints, name)

    def frame(self, name: str) -> Frame:
        """The frame of this name."""
        return self._named("frame", self.frames, name)

    def link(self, name: str) -> Link:
        """The link of this name."""
        return self._named("link", self.links, name)

    def _named(self, what: str, elements: Sequence[Any], name: str) -> Any:
        for element in elements:
            if element.name == name:
                return element
        raise RobotError(unknown(what, name, f"robot '{self.name}'", [element.name for element in elements]))

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or another process needs: the description alone. Programs are found again there."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __repr__(self) -> str:
        size = f"{len(self.links)} links, {len(self.moving_joints)} moving joints, nq = {self.nq}, nv = {self.nv}"
        return f"<Robot '{self.name}': {size}>"
