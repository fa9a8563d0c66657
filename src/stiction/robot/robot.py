"""The robot: what users make, read, and ask."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from stiction.robot import reduce
from stiction.robot.link import Frame
from stiction.robot.sensitivity import Sensitivity


class Robot(Sensitivity):
    """A tree of links and joints, with everything that can be computed from it.

    Positions and velocities are ordered like `joints`. A spherical joint has 4 positions (quaternion w, x, y, z) and 3
    velocities (angular, in the link's axes); a floating one has 7 (position, quaternion) and 6: angular in the link's axes,
    then the velocity of the link's origin in the axes of the joint's frame (for a base the world's, as a rule). All methods
    take arrays of shape (..., nq) or (..., nv) and broadcast their leading axes.

    Attributes:
        name: of the robot.
        links: its bodies. The one without a parent is the root and rests in the world.
        joints: what carries them; kept with parents before children.
        frames: tools, sensors, contact points.
        coupling: matrix T of motor angles = T · joint positions, for the joints of one degree of freedom, one row per motor
            [1]; replaces the gear ratios. The rotors then weigh TᵀJT, with J each joint's rotor_inertia.

    Example:
        >>> import stiction
        >>> arm = stiction.Robot(
        ...     name="arm",
        ...     links=[stiction.Link(name="base"), stiction.Link.of("rod", stiction.PointMass(mass=2.0, origin=stiction.Origin(xyz=(0.5, 0, 0))))],
        ...     joints=[stiction.Joint(name="hinge", kind="revolute", parent="base", child="rod", axis=(0, -1, 0))],
        ... )
        >>> arm.gravity_torque([0.0])
        array([9.81])
    """

    @staticmethod
    def from_urdf(source: str | Path, *, base: str = "fixed", keep_fixed: bool = True, lumped: bool = False) -> "Robot":
        """Read a URDF file, or URDF text.

        Args:
            source: path of the file, or its content.
            base: "fixed" ties the root link to the world; "floating" puts a floating joint between them.
            keep_fixed: keep links that hang on fixed joints, as frames of the merged bodies; False forgets their names.
            lumped: accept identified inertial parameters that no real body has.

        Example:
            >>> import stiction
            >>> text = '''<robot name="one"><link name="base"/><link name="rod"><inertial><mass value="1"/><origin xyz="0 0 1"/>
            ... <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
            ... <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>'''
            >>> stiction.Robot.from_urdf(text).mass_matrix([0.0]).tolist()
            [[1.1]]
        """
        from stiction.robot.urdf import read_urdf

        return read_urdf(source, base=base, keep_fixed=keep_fixed, lumped=lumped)

    def merged(self) -> "Robot":
        """The same robot without fixed joints; what hangs on them becomes part of the link that carries it.

        Example:
            >>> import stiction
            >>> [link.name for link in stiction.library.manutec_r3().merged().links][-2:]
            ['link5', 'link6']
        """
        return reduce.merged(self)

    def lock(self, positions: Mapping[str, float]) -> "Robot":
        """The same robot with some joints held at given positions [rad or m].

        Example:
            >>> import stiction
            >>> stiction.library.puma560().lock({"joint4": 0.0, "joint6": 0.5}).nv
            4
        """
        return reduce.locked(self, positions)

    def without_mimics(self) -> "Robot":
        """The same robot with its mimic joints free to move on their own.

        Example:
            >>> import stiction
            >>> stiction.library.two_link().without_mimics().nv
            2
        """
        return replace(self, joints=tuple(replace(joint, mimic=None) for joint in self.joints))

    def with_frames(self, *frames: Frame) -> "Robot":
        """A copy with more frames.

        Example:
            >>> import stiction
            >>> arm = stiction.library.two_link().with_frames(stiction.Frame(name="pen", link="forearm"))
        """
        return replace(self, frames=(*self.frames, *frames))

    def __repr__(self) -> str:
        return f"<Robot '{self.name}': {len(self.links)} links, {len(self.moving_joints)} moving joints, nq = {self.nq}, nv = {self.nv}>"
