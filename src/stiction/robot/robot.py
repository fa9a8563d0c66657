"""The robot: a tree of links and joints, checked when it is made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from stiction.dynamics.mechanism import POSITIONS, VELOCITIES, Mechanism
from stiction.errors import RobotError, unknown
from stiction.robot import reduce
from stiction.robot.checks import finite_vector, name_of
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.frames import Frames
from stiction.robot.link import Frame, Link
from stiction.robot.motion import Motion
from stiction.robot.numbers import Assembly, Numbers, check_inertias
from stiction.robot.sensitivity import Sensitivity
from stiction.robot.tree import ordered_joints

PIECES = {"spherical": ("w", "x", "y", "z"), "floating": ("x", "y", "z", "qw", "qx", "qy", "qz"), "planar": ("x", "y", "turn"), "universal": ("first", "second")}
PIECE_RATES = {"spherical": ("wx", "wy", "wz"), "floating": ("wx", "wy", "wz", "vx", "vy", "vz"), "planar": ("x", "y", "turn"), "universal": ("first", "second")}


@dataclass(frozen=True, kw_only=True)
class Robot(Frames, Motion, Sensitivity):
    """A tree of links and joints, with everything that can be computed from it.

    Positions and velocities are ordered like `joints`. A spherical joint has 4 positions (quaternion w, x, y, z) and 3
    velocities (angular, in the link's axes); a floating one has 7 (position, quaternion) and 6 (angular and linear, in the
    link's axes). All methods take arrays of shape (..., nq) or (..., nv) and broadcast their leading axes.

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

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    coupling: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        owner = f"robot '{name_of('robot', self.name)}'"
        for what, kind in (("links", Link), ("joints", Joint), ("frames", Frame)):
            parts = tuple(getattr(self, what))
            for part in parts:
                if not isinstance(part, kind):
                    raise RobotError(f"{owner}: {what} holds {part!r}; allowed: {kind.__name__} objects")
            object.__setattr__(self, what, parts)
        object.__setattr__(self, "joints", ordered_joints(owner, self.links, self.joints, self.frames))
        self._check_mimics(owner)
        self._check_coupling(owner)
        check_inertias(self, self.assembly)

    def _check_mimics(self, owner: str) -> None:
        names = [joint.name for joint in self.joints]
        for joint in self.joints:
            if joint.mimic and (joint.mimic.joint not in names or joint.mimic.joint == joint.name):
                others = [name for name in names if name != joint.name]
                raise RobotError(f"{owner}, joint '{joint.name}': " + unknown("joint to mimic", joint.mimic.joint, "this robot", others))

    def _check_coupling(self, owner: str) -> None:
        if self.coupling is None:
            return
        driven = [joint for joint in self.joints if joint.kind in SINGLE]
        rows = tuple(finite_vector(owner, "a row of coupling", row, len(driven)) for row in self.coupling)
        if len(rows) != len(driven) or abs(np.linalg.det(np.array(rows))) < 1e-12:
            raise RobotError(f"{owner}: coupling must be a square, invertible matrix with {len(driven)} rows, one per joint of one degree of freedom")
        if any(joint.gear_ratio != 1 for joint in driven):
            raise RobotError(f"{owner}: it has a coupling and gear ratios; put the ratios into the coupling's diagonal and leave gear_ratio at 1")
        object.__setattr__(self, "coupling", rows)

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

    @cached_property
    def root(self) -> str:
        """Name of the link that rests in the world."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    @cached_property
    def assembly(self) -> Assembly:
        """The mechanism with plain floats, and where each link and frame went."""
        return Assembly(self, Numbers())

    @property
    def mechanism(self) -> Mechanism:
        """The robot as the formulas see it, with plain floats: the reference, and the way to look inside."""
        return self.assembly.mechanism

    @cached_property
    def nq(self) -> int:
        """Number of positions."""
        return sum(POSITIONS[body.kind] for body in self.mechanism.bodies)

    @cached_property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(VELOCITIES[body.kind] for body in self.mechanism.bodies)

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints that are not fixed, in the order of their positions."""
        return tuple(joint for joint in self.joints if joint.kind != "fixed")

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """A name for each position."""
        return tuple(f"{joint.name}.{part}" if part else joint.name for joint in self.moving_joints for part in PIECES.get(joint.kind, ("",)))

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each velocity."""
        return tuple(f"{joint.name}.{part}" if part else joint.name for joint in self.moving_joints for part in PIECE_RATES.get(joint.kind, ("",)))

    @property
    def numbers(self) -> dict[str, float]:
        """Every number of the description that can be freed, by name, with its value [SI]."""
        found = {}
        for joint in self.joints:
            names = ["x", "y", "z", "roll", "pitch", "yaw"]
            found |= {f"{joint.name}.origin.{n}": x for n, x in zip(names, (*joint.origin.xyz, *joint.origin.rpy), strict=True)}
            if joint.kind in SINGLE:
                found |= {f"{joint.name}.rotor_inertia": joint.rotor_inertia, f"{joint.name}.gear_ratio": joint.gear_ratio}
        for link in self.links:
            found[f"{link.name}.mass"] = link.mass
            found |= {f"{link.name}.center_of_mass.{c}": x for c, x in zip("xyz", link.center_of_mass, strict=True)}
            for name, i, j in (("xx", 0, 0), ("xy", 0, 1), ("xz", 0, 2), ("yy", 1, 1), ("yz", 1, 2), ("zz", 2, 2)):
                found[f"{link.name}.inertia.{name}"] = link.inertia[i][j]
        return found

    @property
    def neutral(self) -> np.ndarray:
        """Positions at rest: zeros and unit quaternions, (nq,) [rad or m]."""
        q = np.zeros(self.nq)
        for body in self.mechanism.bodies:
            if body.kind in ("spherical", "floating"):
                q[body.q + (3 if body.kind == "floating" else 0)] = 1.0
        return q


    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        return _named(self.joints, name, "joint", self.name)

    def link(self, name: str) -> Link:
        """The link of this name."""
        return _named(self.links, name, "link", self.name)

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


def _named(parts: tuple, name: str, what: str, robot: str):  # noqa: ANN202
    for part in parts:
        if part.name == name:
            return part
    raise RobotError(unknown(what, name, f"robot '{robot}'", [part.name for part in parts]))
