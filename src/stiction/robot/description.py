"""The description of a robot: a tree of links and joints, checked when it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from stiction.dynamics.mechanism import POSITIONS, VELOCITIES, Mechanism
from stiction.errors import RobotError, unknown
from stiction.robot.checks import finite_vector, name_of
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import Frame, Link
from stiction.robot.numbers import Assembly, Numbers, check_inertias
from stiction.robot.tree import ordered_joints

PIECES = {
    "spherical": ("w", "x", "y", "z"),
    "floating": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "planar": ("x", "y", "turn"),
    "universal": ("first", "second"),
}
PIECE_RATES = {
    "spherical": ("wx", "wy", "wz"),
    "floating": ("wx", "wy", "wz", "vx", "vy", "vz"),
    "planar": ("x", "y", "turn"),
    "universal": ("first", "second"),
}


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a robot is: the fields of `Robot`, checked, and what follows from them without computing any motion."""

    name: str
    links: Sequence[Link]
    joints: Sequence[Joint] = ()
    frames: Sequence[Frame] = ()
    coupling: Sequence[Sequence[float]] | None = None

    def __post_init__(self) -> None:
        owner = f"robot '{name_of('robot', self.name)}'"
        for what, kind in (("links", Link), ("joints", Joint), ("frames", Frame)):
            given = getattr(self, what)
            if not isinstance(given, (list, tuple)):
                raise RobotError(f"{owner}: {what} is {given!r}; allowed: a list of {kind.__name__} objects")
            parts = tuple(given)
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
                raise RobotError(
                    f"{owner}, joint '{joint.name}': "
                    + unknown("joint to mimic", joint.mimic.joint, "this robot", others)
                )

    def _check_coupling(self, owner: str) -> None:
        if self.coupling is None:
            return
        driven = [joint for joint in self.joints if joint.kind in SINGLE]
        if not hasattr(self.coupling, "__len__"):
            raise RobotError(
                f"{owner}: coupling is {self.coupling!r}; allowed: {len(driven)} rows of {len(driven)} numbers"
            )
        rows = tuple(finite_vector(owner, "a row of coupling", row, len(driven)) for row in self.coupling)
        if len(rows) != len(driven) or abs(np.linalg.det(np.array(rows))) < 1e-12:
            raise RobotError(
                f"{owner}: coupling must be a square, invertible matrix with {len(driven)} rows, one per joint of one degree of freedom"
            )
        if any(joint.gear_ratio != 1 for joint in driven):
            raise RobotError(
                f"{owner}: it has a coupling and gear ratios; put the ratios into the coupling's diagonal and leave gear_ratio at 1"
            )
        object.__setattr__(self, "coupling", rows)

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
        return tuple(
            f"{joint.name}.{part}" if part else joint.name
            for joint in self.moving_joints
            for part in PIECES.get(joint.kind, ("",))
        )

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each velocity."""
        return tuple(
            f"{joint.name}.{part}" if part else joint.name
            for joint in self.moving_joints
            for part in PIECE_RATES.get(joint.kind, ("",))
        )

    @property
    def numbers(self) -> dict[str, float]:
        """Every number of the description that can be freed, by name, with its value [SI]."""
        return dict(self.assembly.numbers)

    @property
    def neutral(self) -> np.ndarray:
        """Positions at rest: zeros and unit quaternions, (nq,) [rad or m]."""
        q = np.zeros(self.nq)
        for body in self.mechanism.bodies:
            if body.quaternion:
                q[body.quaternion] = 1, 0, 0, 0
        return q

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or another process needs: the description alone. Programs are found again there."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def joint(self, name: str) -> Joint:
        """The joint of this name."""
        return _named(self.joints, name, "joint", self.name)

    def frame(self, name: str) -> Frame:
        """The frame of this name."""
        return _named(self.frames, name, "frame", self.name)

    def link(self, name: str) -> Link:
        """The link of this name."""
        return _named(self.links, name, "link", self.name)


def _named(parts: Sequence, name: str, what: str, robot: str) -> Any:
    for part in parts:
        if part.name == name:
            return part
    raise RobotError(unknown(what, name, f"robot '{robot}'", [part.name for part in parts]))
