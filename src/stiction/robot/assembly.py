"""From the description of a robot to the mechanism that the formulas run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics.kinematics import Attachment
from stiction.dynamics.mechanism import POSITIONS, VELOCITIES, Body, Mechanism
from stiction.robot.joint import SINGLE, Joint
from stiction.robot.link import Link
from stiction.robot.origin import Origin
from stiction.robot.substitution import Substitution
from stiction.spatial import NO_INERTIA, ZERO, Inertia, Matrix, Pose, Vector, about_center, from_rpy

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

MOMENTS = (("xx", 0, 0), ("xy", 0, 1), ("xz", 0, 2), ("yy", 1, 1), ("yz", 1, 2), ("zz", 2, 2))


class Assembly:
    """A robot's tree with its fixed joints merged, on what stands for its parameters.

    Attributes:
        mechanism: the moving bodies, as the formulas take them.
        attachments: which body carries each link and frame, and where, by name.
        owners: names of the joint and the link that each body comes from.
        parameters: those of the robot that can be replaced, by name, with their values [SI].
    """

    def __init__(self, robot: Robot, parameter: Substitution) -> None:
        self.attachments: dict[str, Attachment] = {robot.root: Attachment(-1, Pose())}
        self.owners: list[tuple[str, str]] = []
        self._bodies: list[tuple[int, str, Vector, Pose]] = []  # parent, kind, axis, origin
        inertias: list[Inertia] = []
        links = {link.name: link for link in robot.links}
        for joint in robot.joints:
            self._attach(joint, parameter)
            inertias += [NO_INERTIA] * (len(self._bodies) - len(inertias))
            carrier, pose = self.attachments[joint.child]
            if carrier >= 0:
                own = inertia_of(parameter, links[joint.child])
                inertias[carrier] = inertias[carrier] + own.seen_from(pose)
        for frame in robot.frames:
            carrier, pose = self.attachments[frame.link]
            self.attachments[frame.name] = Attachment(
                carrier, pose @ _pose(parameter, f"{frame.name}.frame", frame.origin)
            )
        self.mechanism = self._mechanism(robot, parameter, inertias)
        self.parameters = parameter.offered

    def _attach(self, joint: Joint, parameter: Substitution) -> None:
        """Add the bodies that a joint moves, and say where its link is."""
        carrier, pose = self.attachments[joint.parent]
        pose = pose @ _pose(parameter, f"{joint.name}.origin", joint.origin)
        if joint.kind != "fixed":
            for kind, axis in _simple_joints(parameter, joint):
                self._bodies.append((carrier, kind, axis, pose))
                self.owners.append((joint.name, joint.child))
                carrier, pose = len(self._bodies) - 1, Pose()
        self.attachments[joint.child] = Attachment(carrier, pose)

    def _mechanism(self, robot: Robot, parameter: Substitution, inertias: list[Inertia]) -> Mechanism:
        bodies: list[Body] = []
        q, v, before = 0, 0, ""
        for (parent, kind, axis, origin), inertia in zip(self._bodies, inertias, strict=True):
            # the velocities of a floating joint begin with those of its rotation, which comes second
            shift = 3 if kind == "translation" else -3 if before == "translation" else 0
            bodies.append(Body(len(bodies), parent, kind, axis, origin, inertia, q, v + shift))
            q, v, before = q + POSITIONS[kind], v + VELOCITIES[kind], kind
        places = {joint: body.v for (joint, _), body in zip(self.owners, bodies, strict=True)}
        rotors = _rotors(robot, parameter, v, places)
        if rotors:
            bodies = [replace(b, rotor=rotors[b.v][b.v]) if VELOCITIES[b.kind] == 1 else b for b in bodies]
        return Mechanism(tuple(bodies), rotors)


def _pose(parameter: Substitution, name: str, origin: Origin) -> Pose:
    """The pose of an origin; its angles enter the program only where one of them is replaced."""
    angles = {f"{name}.{angle}": x for angle, x in zip(("roll", "pitch", "yaw"), origin.rpy, strict=True)}
    if parameter.replaced.keys() & angles.keys():
        rotation = from_rpy(*(parameter(angle, x) for angle, x in angles.items()))
    else:
        rotation = Matrix([[parameter.derived(x) for x in row] for row in origin.rotation.tolist()])
        parameter.offered |= angles
    return Pose(rotation, parameter.vector(name, origin.xyz))


def inertia_of(parameter: Substitution, link: Link) -> Inertia:
    """The inertia of a link in its own frame."""
    mass = parameter(f"{link.name}.mass", link.mass)
    center = parameter.vector(f"{link.name}.center_of_mass", link.center_of_mass)
    moments = (parameter(f"{link.name}.inertia.{name}", link.inertia[i][j]) for name, i, j in MOMENTS)
    xx, xy, xz, yy, yz, zz = moments
    return about_center(mass, center, Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def _simple_joints(parameter: Substitution, joint: Joint) -> list[tuple[str, Vector]]:
    """The joints that the formulas know, by kind and axis, of which a joint is composed."""
    if joint.kind == "spherical":
        return [("spherical", ZERO)]
    if joint.kind == "floating":
        return [("translation", ZERO), ("spherical", ZERO)]
    if joint.kind == "planar":
        along, across = _plane_axes(joint.axis)
        axes = (("prismatic", along), ("prismatic", across), ("revolute", joint.axis))
        return [(kind, Vector(*(parameter.derived(x) for x in axis))) for kind, axis in axes]
    axis = parameter.direction(f"{joint.name}.axis", joint.axis)
    if joint.kind == "universal":
        second = parameter.direction(f"{joint.name}.second_axis", joint.second_axis or ())
        return [("revolute", axis), ("revolute", second)]
    return [("prismatic" if joint.kind == "prismatic" else "revolute", axis)]


def _plane_axes(normal: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two unit vectors that span the plane of a normal, right-handed with it; x and y for the normal z."""
    n = np.array(normal)
    x = np.eye(3)[0 if abs(n[0]) < 0.9 else 1]
    x = x - n * (n @ x)
    x /= np.linalg.norm(x)
    return tuple(x.tolist()), tuple(np.cross(n, x).tolist())


def _rotors(robot: Robot, parameter: Substitution, nv: int, places: dict[str, int]) -> list[list[Any]] | None:
    """Rotor inertias as felt at the velocities: Jn² on the diagonal, or TᵀJT where a coupling T is declared."""
    driven = [joint for joint in robot.joints if joint.kind in SINGLE]
    inertias = [parameter(f"{joint.name}.rotor_inertia", joint.rotor_inertia) for joint in driven]
    if robot.coupling is None:
        ratios = [parameter(f"{joint.name}.gear_ratio", joint.gear_ratio) for joint in driven]
        T = [[ratio if i == j else 0 for j in range(len(driven))] for i, ratio in enumerate(ratios)]
    else:
        T = [[parameter(f"coupling.{i}.{j}", x) for j, x in enumerate(row)] for i, row in enumerate(robot.coupling)]
    if all(isinstance(J, int) for J in inertias):  # folded zeros
        return None
    rotors: list[list[Any]] = [[0] * nv for _ in range(nv)]
    columns = [places[joint.name] for joint in driven]
    for J, row in zip(inertias, T, strict=True):
        felt = [(column, t) for column, t in zip(columns, row, strict=True) if not isinstance(t, int)]
        for i, s in felt:
            for j, t in felt:
                rotors[i][j] = rotors[i][j] + s * J * t
    return rotors
