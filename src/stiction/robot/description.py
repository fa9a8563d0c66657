"""The description of a robot: a tree of links and joints, checked when it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from stiction.dynamics.mechanism import POSITIONS, VELOCITIES, Mechanism
from stiction.errors import RobotError, unknown
from stiction.fields import instances, matrix, text
from stiction.robot.element import Element
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import Frame, Link
from stiction.robot.numbers import Assembly, Numbers, check_inertias
from stiction.robot.tree import ordered_joints


@dataclass(frozen=True, kw_only=True)
class Description(Element):
    """What a robot is: the fields of `Robot`, checked, and what follows from them without computing any motion."""

    name: str = text()
    links: Sequence[Link] = instances(Link)
    joints: Sequence[Joint] = instances(Joint, ())
    frames: Sequence[Frame] = instances(Frame, ())
    coupling: Sequence[Sequence[float]] | None = matrix(default=None, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("joints", ordered_joints(f"robot '{self.name}'", self.links, self.joints, self.frames))
        self._check_mimics()
        self._check_coupling()
        check_inertias(self, self.assembly)

    def _check_mimics(self) -> None:
        names = [joint.name for joint in self.joints]
        for joint in self.joints:
            others = [name for name in names if name != joint.name]
            if joint.mimic and joint.mimic.joint not in others:
                raise self.refusal(
                    f"joint '{joint.name}': " + unknown("joint to mimic", joint.mimic.joint, "this robot", others)
                )

    def _check_coupling(self) -> None:
        driven = [joint for joint in self.joints if joint.kind in SINGLE]
        if self.coupling is None:
            return
        if len(self.coupling) != len(driven) or abs(np.linalg.det(np.array(self.coupling))) < 1e-12:
            raise self.refusal(
                f"coupling must be a square, invertible matrix with {len(driven)} rows, one per joint of one degree of freedom"
            )
        if any(joint.gear_ratio != 1 for joint in driven):
            raise self.refusal(
                "it has a coupling and gear ratios; put the ratios into the coupling's diagonal and leave gear_ratio at 1"
            )

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
        return tuple(name for joint in self.joints for name in joint.position_names)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each velocity."""
        return tuple(name for joint in self.joints for name in joint.velocity_names)

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
