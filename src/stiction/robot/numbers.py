"""From the description to the mechanism: which numbers are folded into the program, and which stay inputs.

One walk over the description asks for every number by name. What comes back decides what the formulas run on: the value
itself (floats), a symbol, a uniform input (the same for all lanes) or a varying one (freed by the user). Zeros are
structure and folded everywhere; in rotations and axes so is what lies within 1e−15 of 0 or ±1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import articulated_body, composite_body, newton_euler
from stiction.dynamics.kinematics import Site
from stiction.dynamics.mechanism import POSITIONS, VELOCITIES, Body, Mechanism
from stiction.errors import RobotError
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import LUMPED, Link
from stiction.robot.origin import Origin
from stiction.spatial import NO_INERTIA, Inertia, Matrix, Pose, Vector, about_center, from_rpy
from stiction.trace.functions import sqrt

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
        pattern: what became of each number asked for; equal patterns mean equal programs.
        offered: every number that can be freed, by name.
    """

    def __init__(
        self, choose: Callable[[int, str, float], Any] | None = None, free: Mapping[str, Any] | None = None
    ) -> None:
        self.choose = choose or (lambda _, __, value: value)
        self.free = free or {}
        self.names: list[str] = []
        self.values: list[float] = []
        self.pattern: list[str] = []
        self.offered: dict[str, float] = {}

    def __call__(self, name: str, value: float, direction: bool = False) -> Any:
        """What stands for this number in the formulas; zeros are folded, in directions also what is nearly 0 or ±1."""
        self.offered[name] = value
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

    def fixed(self, value: float) -> Any:
        """What stands for an entry of a rotation: it follows from angles, so it has no name of its own."""
        answer = self("", value, True)
        del self.offered[""]
        return answer

    def vector(self, name: str, values: Sequence[float]) -> Vector:
        """Three numbers at once."""
        return Vector(*(self(f"{name}.{c}", x) for c, x in zip(COMPONENTS, values, strict=True)))

    def direction(self, name: str, values: Sequence[float]) -> Vector:
        """A unit vector; made one in the program where a component is free."""
        names = [f"{name}.{c}" for c in COMPONENTS]
        x, y, z = (self(n, value, True) for n, value in zip(names, values, strict=True))
        if not self.free.keys() & set(names):
            return Vector(x, y, z)
        return Vector(x, y, z) * (1 / sqrt(x * x + y * y + z * z))


def pose_of(number: Numbers, name: str, origin: Origin) -> Pose:
    """The pose of an origin; its angles enter the program only where one of them is free."""
    angles = {f"{name}.{angle}": x for angle, x in zip(("roll", "pitch", "yaw"), origin.rpy, strict=True)}
    if number.free.keys() & angles.keys():
        rotation = from_rpy(*(number(angle, x) for angle, x in angles.items()))
    else:
        rotation = Matrix([[number.fixed(x) for x in row] for row in origin.rotation.tolist()])
        number.offered |= angles
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
            self.sites[frame.name] = Site(site.body, site.pose @ pose_of(number, f"{frame.name}.frame", frame.origin))
        self.mechanism = self._mechanism(robot, number, inertias)
        self.numbers = number.offered

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
    if joint.kind == "planar":
        along, across = plane_axes(joint.axis)
        return [
            (kind, Vector(*(number.fixed(x) for x in d)))
            for kind, d in (("prismatic", along), ("prismatic", across), ("revolute", joint.axis))
        ]
    axis = number.direction(f"{joint.name}.axis", joint.axis)
    if joint.kind == "universal":
        return [
            ("revolute", axis),
            ("revolute", number.direction(f"{joint.name}.second_axis", joint.second_axis or ())),
        ]
    return [("prismatic" if joint.kind == "prismatic" else "revolute", axis)]


def plane_axes(normal: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two unit vectors that span the plane of a normal, right-handed with it; x and y for the normal z."""
    n = np.array(normal)
    x = np.eye(3)[0 if abs(n[0]) < 0.9 else 1]
    x = x - n * (n @ x)
    x /= np.linalg.norm(x)
    return tuple(x.tolist()), tuple(np.cross(n, x).tolist())


def rotors_of(
    robot: Description, number: Numbers, nv: int, owners: list[str], bodies: list[Body]
) -> list[list[Any]] | None:
    """Rotor inertias as felt at the velocities: Jn² on the diagonal, or TᵀJT where a coupling T is declared."""
    driven = [joint for joint in robot.joints if joint.kind in SINGLE]
    inertia = [number(f"{joint.name}.rotor_inertia", joint.rotor_inertia) for joint in driven]
    if robot.coupling is None:
        ratios = [number(f"{joint.name}.gear_ratio", joint.gear_ratio) for joint in driven]
        T = [[ratio if i == j else 0 for j in range(len(driven))] for i, ratio in enumerate(ratios)]
    else:
        T = [[number(f"coupling.{i}.{j}", x) for j, x in enumerate(row)] for i, row in enumerate(robot.coupling)]
    if all(isinstance(J, int) for J in inertia):  # folded zeros
        return None
    place = {owner: body.v for owner, body in zip(owners, bodies, strict=True)}
    rotors: list[list[Any]] = [[0] * nv for _ in range(nv)]
    columns = [place[joint.name] for joint in driven]
    for J, row in zip(inertia, T, strict=True):
        felt = [(column, t) for column, t in zip(columns, row, strict=True) if not isinstance(t, int)]
        for i, s in felt:
            for j, t in felt:
                rotors[i][j] = rotors[i][j] + s * J * t
    return rotors


def check_inertias(robot: Description, assembly: Assembly) -> None:
    """Refuse moving links whose motion nothing resists."""
    bodies = assembly.mechanism.bodies
    carrying = {body.parent for body in bodies}
    links = {link.name: link for link in robot.links}
    rotors = assembly.mechanism.rotors
    for k, body in enumerate(bodies):
        joint, link = assembly.owners[k]
        own = (
            k + 1 == len(bodies) or assembly.owners[k + 1] != assembly.owners[k]
        )  # not an inner piece of a composed joint
        if own and not links[link].lumped and body.inertia.mass <= 0:
            raise RobotError(
                f"link '{link}': mass is {body.inertia.mass:g} and joint '{joint}' moves it; give a moving link a mass above 0. {LUMPED}"
            )
        if k not in carrying:
            _check_leaf(body, joint, link, rotors)
    _check_generic(robot, assembly.mechanism)


def _check_leaf(body: Body, joint: str, link: str, rotors: list[list[Any]] | None) -> None:
    for motion, v in zip(body.motions, body.velocities, strict=True):
        felt = motion.dot(body.inertia @ motion) + (rotors[v][v] if rotors else 0)
        if felt < SMALLEST:
            raise RobotError(
                f"link '{link}': its inertia about the {body.kind} joint '{joint}' is {felt:g}; "
                "give it an inertia (or a centre of mass off the axis) that resists this motion"
            )


def _check_generic(robot: Description, m: Mechanism) -> None:
    """In a generic pose, torques must give accelerations that need these torques: else M is singular."""
    rng = np.random.default_rng(1)
    q, torque = rng.uniform(0.3, 1.2, m.nq).tolist(), rng.uniform(0.5, 1.5, m.nv).tolist()
    rest, still = [0.0] * m.nv, Vector(0, 0, 0)
    road = composite_body if robot.coupling else articulated_body
    try:
        again = newton_euler.inverse_dynamics(m, q, rest, road.forward_dynamics(m, q, rest, torque, still), still)
        worst = max((abs(x - y) for x, y in zip(torque, again, strict=True)), default=0.0)
    except (ZeroDivisionError, OverflowError):
        worst = np.inf
    if not worst < 1e-3:
        raise RobotError(
            f"robot '{robot.name}': its mass matrix is singular: some motion meets no inertia (point masses on a ball joint, "
            "several joints on one axis with a link that has no inertia about it); give these links an inertia"
        )
