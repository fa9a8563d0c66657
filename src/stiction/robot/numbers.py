"""From the description to the mechanism: which numbers are folded into the program, and which stay inputs.

One walk over the description asks for every number by name. What comes back decides what the formulas run on: the value
itself (floats), a symbol, a uniform input (the same for all lanes) or a varying one (freed by the user). Zeros are
structure and folded everywhere; in rotations and axes so is what lies within 1e−15 of 0 or ±1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics.kinematics import Site
from stiction.dynamics.mechanism import POSITIONS, VELOCITIES, Body, Mechanism
from stiction.errors import RobotError
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import LUMPED, Link
from stiction.robot.solid import Origin
from stiction.spatial import NO_INERTIA, Inertia, Matrix, Pose, Vector, about_center, from_rpy

if TYPE_CHECKING:
    from stiction.robot.description import Description

FOLDED = 1e-15
SMALLEST = 1e-30  # kg m² or kg: an inertia below it cannot be divided by
COMPONENTS = ("x", "y", "z")
MOMENTS = (("xx", 0, 0), ("xy", 0, 1), ("xz", 0, 2), ("yy", 1, 1), ("yz", 1, 2), ("zz", 2, 2))


class Numbers:
    """Answers the walk: folds what is structure, takes what the user freed, asks `choose` for the rest.

    Attributes:
        names: of the numbers that were not folded, in the order of the walk.
        values: theirs.
        pattern: what became of each number asked for, one letter each; equal patterns mean equal programs.
    """

    def __init__(self, choose: Callable[[int, str, float], Any] | None = None, free: Mapping[str, Any] | None = None) -> None:
        self.choose = choose or (lambda _, __, value: value)
        self.free = free or {}
        self.names: list[str] = []
        self.values: list[float] = []
        self.pattern: list[str] = []

    def __call__(self, name: str, value: float, direction: bool = False) -> Any:
        """What stands for this number in the formulas."""
        if name in self.free:
            self.pattern.append(f"f{list(self.free).index(name)}")
            return self.free[name]
        for folded in (0, 1, -1) if direction else (0,):
            if abs(value - folded) <= (FOLDED if direction else 0.0):
                self.pattern.append("0+-"[folded])
                return folded
        self.pattern.append("u")
        self.names.append(name)
        self.values.append(value)
        return self.choose(len(self.names) - 1, name, value)

    def vector(self, name: str, values: Sequence[float], direction: bool = False) -> Vector:
        """Three numbers at once."""
        return Vector(*(self(f"{name}.{c}", x, direction) for c, x in zip(COMPONENTS, values, strict=True)))


def pose_of(number: Numbers, name: str, origin: Origin) -> Pose:
    """The pose of an origin; its angles enter the program only where one of them is free."""
    angles = [f"{name}.{angle}" for angle in ("roll", "pitch", "yaw")]
    if any(angle in number.free for angle in angles):
        rotation = from_rpy(*(number(angle, x) for angle, x in zip(angles, origin.rpy, strict=True)))
    else:
        rotation = Matrix([[number(f"{name}.rotation.{i}{j}", x, True) for j, x in enumerate(row)] for i, row in enumerate(origin.rotation.tolist())])
    return Pose(rotation, number.vector(name, origin.xyz))


def inertia_of(number: Numbers, link: Link) -> Inertia:
    """The inertia of a link in its own frame."""
    mass = number(f"{link.name}.mass", link.mass)
    center = number.vector(f"{link.name}.center_of_mass", link.center_of_mass)
    xx, xy, xz, yy, yz, zz = (number(f"{link.name}.inertia.{name}", link.inertia[i][j]) for name, i, j in MOMENTS)
    return about_center(mass, center, Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


class Assembly:
    """A robot's tree with its fixed joints merged: the mechanism, and where each link and frame went."""

    def __init__(self, robot: Description, number: Numbers) -> None:
        links = {link.name: link for link in robot.links}
        self.sites: dict[str, Site] = {robot.root: Site(-1, Pose())}
        self.owners: list[tuple[str, str]] = []  # joint and link of each body
        self._parts: list[tuple[int, str, Vector, Pose]] = []  # parent, kind, axis, origin
        inertias: list[Inertia] = []
        for joint in robot.joints:
            parent = self.sites[joint.parent]
            pose = parent.pose @ pose_of(number, f"{joint.name}.origin", joint.origin)
            if joint.kind == "fixed":
                self.sites[joint.child] = Site(parent.body, pose)
            else:
                for kind, axis in _pieces(number, joint):
                    self._parts.append((parent.body, kind, axis, pose))
                    self.owners.append((joint.name, joint.child))
                    inertias.append(NO_INERTIA)
                    parent, pose = Site(len(self._parts) - 1, Pose()), Pose()
                self.sites[joint.child] = parent
            site = self.sites[joint.child]
            if site.body >= 0:
                inertias[site.body] = inertias[site.body] + inertia_of(number, links[joint.child]).seen_from(site.pose)
        for frame in robot.frames:
            site = self.sites[frame.link]
            self.sites[frame.name] = Site(site.body, site.pose @ pose_of(number, f"{frame.name}.origin", frame.origin))
        self.mechanism = self._mechanism(robot, number, inertias)

    def _mechanism(self, robot: Description, number: Numbers, inertias: list[Inertia]) -> Mechanism:
        bodies, q, v = [], 0, 0
        for (parent, kind, axis, origin), inertia in zip(self._parts, inertias, strict=True):
            bodies.append(Body(parent, kind, axis, origin, inertia, q, v))
            q, v = q + POSITIONS[kind], v + VELOCITIES[kind]
        return Mechanism(tuple(bodies), rotors_of(robot, number, v, [owner for owner, _ in self.owners], bodies))


def _pieces(number: Numbers, joint: Joint) -> list[tuple[str, Vector]]:
    """The simple joints that a joint is made of."""
    if joint.kind in ("spherical", "floating"):
        return [(joint.kind, Vector(0, 0, 1))]
    axis = number.vector(f"{joint.name}.axis", joint.axis, True)
    if joint.kind == "universal":
        return [("revolute", axis), ("revolute", number.vector(f"{joint.name}.second_axis", joint.second_axis or (), True))]
    if joint.kind == "planar":
        along, across = plane_axes(joint.axis)
        first, second = (number.vector(f"{joint.name}.{name}", d, True) for name, d in (("plane_x", along), ("plane_y", across)))
        return [("prismatic", first), ("prismatic", second), ("revolute", axis)]
    return [("prismatic" if joint.kind == "prismatic" else "revolute", axis)]


def plane_axes(normal: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two unit vectors that span the plane of a normal, right-handed with it; x and y for the normal z."""
    n = np.array(normal)
    x = np.eye(3)[0 if abs(n[0]) < 0.9 else 1]
    x = x - n * (n @ x)
    x /= np.linalg.norm(x)
    return tuple(x.tolist()), tuple(np.cross(n, x).tolist())


def rotors_of(robot: Description, number: Numbers, nv: int, owners: list[str], bodies: list[Body]) -> list[list[Any]] | None:
    """Rotor inertias as felt at the velocities: Jn² on the diagonal, or TᵀJT where a coupling T is declared."""
    if not any(joint.rotor_inertia or f"{joint.name}.rotor_inertia" in number.free for joint in robot.joints):
        return None
    place = {owner: body.v for owner, body in zip(owners, bodies, strict=True)}
    driven = [joint for joint in robot.joints if joint.kind in SINGLE]
    inertia = [number(f"{joint.name}.rotor_inertia", joint.rotor_inertia) for joint in driven]
    rotors: list[list[Any]] = [[0] * nv for _ in range(nv)]
    if robot.coupling is None:
        for joint, J in zip(driven, inertia, strict=True):
            n = number(f"{joint.name}.gear_ratio", joint.gear_ratio)
            rotors[place[joint.name]][place[joint.name]] = J * n * n
        return rotors
    T = [[number(f"coupling.{i}.{j}", x) for j, x in enumerate(row)] for i, row in enumerate(robot.coupling)]
    columns = [place[joint.name] for joint in driven]
    for i, row in enumerate(columns):
        for j, column in enumerate(columns):
            rotors[row][column] = sum((T[k][i] * inertia[k] * T[k][j] for k in range(len(driven))), start=0)
    return rotors


def check_inertias(robot: Description, assembly: Assembly) -> None:
    """Refuse moving links whose motion nothing resists."""
    bodies = assembly.mechanism.bodies
    carrying = {body.parent for body in bodies}
    links = {link.name: link for link in robot.links}
    rotors = assembly.mechanism.rotors
    for k, body in enumerate(bodies):
        joint, link = assembly.owners[k]
        own = k + 1 == len(bodies) or assembly.owners[k + 1] != assembly.owners[k]  # not an inner piece of a composed joint
        if own and not links[link].lumped and body.inertia.mass <= 0:
            raise RobotError(f"link '{link}': mass is {body.inertia.mass:g} and joint '{joint}' moves it; give a moving link a mass above 0. {LUMPED}")
        if k in carrying:
            continue
        for motion, v in zip(body.motions, body.velocities, strict=True):
            felt = motion.dot(body.inertia @ motion) + (rotors[v][v] if rotors else 0)
            if felt < SMALLEST:
                raise RobotError(
                    f"link '{link}': its inertia about the {body.kind} joint '{joint}' is {felt:g}; "
                    "give it an inertia (or a centre of mass off the axis) that resists this motion"
                )
