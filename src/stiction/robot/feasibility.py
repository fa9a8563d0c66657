"""Whether a robot can move as described: mimicked joints exist, couplings have an inverse, motions meet inertia."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.dynamics import articulated_body, composite_body, newton_euler
from stiction.dynamics.mechanism import Body, Mechanism
from stiction.errors import RobotError, unknown
from stiction.robot.joint import SINGLE
from stiction.robot.link import LUMPED
from stiction.spatial import ZERO

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

SMALLEST = 1e-30  # kg m² or kg: an inertia below it cannot be divided by


def refuse_mimics(robot: Robot) -> None:
    """Refuse what the robot alone cannot keep."""
    for joint in robot.joints:
        if joint.mimic:
            raise RobotError(
                f"robot '{robot.name}': joint '{joint.name}' mimics '{joint.mimic.joint}', which the robot alone does "
                "not keep; a Scene does (scene.constrained() has its dynamics), robot.without_mimics() lets it move "
                "freely, and robot.lock({joint: position}) fixes it"
            )


def check_mimics(robot: Robot) -> None:
    """Refuse joints that follow themselves, or joints that are not there."""
    for joint in robot.joints:
        others = [other.name for other in robot.joints if other is not joint]
        if joint.mimic and joint.mimic.joint not in others:
            why = unknown("joint to mimic", joint.mimic.joint, "this robot", others)
            raise robot.refusal(f"joint '{joint.name}': {why}")


def check_coupling(robot: Robot) -> None:
    """Refuse couplings that do not fit the joints, or that have no inverse."""
    if robot.coupling is None:
        return
    driven = [joint for joint in robot.joints if joint.kind in SINGLE]
    if len(robot.coupling) != len(driven) or abs(np.linalg.det(np.array(robot.coupling))) < 1e-12:
        raise robot.refusal(
            f"coupling must be a square, invertible matrix with {len(driven)} rows, "
            "one per joint of one degree of freedom"
        )
    if any(joint.gear_ratio != 1 for joint in driven):
        raise robot.refusal(
            "it has a coupling and gear ratios; put the ratios into the coupling's diagonal and leave gear_ratio at 1"
        )


def check_inertias(robot: Robot) -> None:
    """Refuse moving links whose motion nothing resists."""
    owners, mechanism = robot.assembly.owners, robot.mechanism
    carrying = {body.parent for body in mechanism.bodies}
    lumped = {link.name for link in robot.links if link.lumped}
    for k, body in enumerate(mechanism.bodies):
        joint, link = owners[k]
        last = k + 1 == len(owners) or owners[k + 1] != owners[k]  # of the bodies that a composed joint makes
        if last and link not in lumped and body.inertia.mass <= 0:
            raise RobotError(
                f"link '{link}': mass is {body.inertia.mass:g} and joint '{joint}' moves it; "
                f"give a moving link a mass above 0. {LUMPED}"
            )
        if k not in carrying:
            _check_leaf(body, joint, link, mechanism.rotors)
    _check_mass_matrix(robot, mechanism)


def _check_leaf(body: Body, joint: str, link: str, rotors: list[list[Any]] | None) -> None:
    """Refuse a link at the end of a chain without inertia about its own joint."""
    for motion, v in zip(body.motions, body.velocities, strict=True):
        felt = motion.dot(body.inertia @ motion) + (rotors[v][v] if rotors else 0)
        if felt < SMALLEST:
            raise RobotError(
                f"link '{link}': its inertia about the {body.kind} joint '{joint}' is {felt:g}; "
                "give it an inertia (or a centre of mass off the axis) that resists this motion"
            )


def _check_mass_matrix(robot: Robot, m: Mechanism) -> None:
    """In a generic pose, torques must give accelerations that need these torques: else M is singular."""
    rng = np.random.default_rng(1)
    q, torque = rng.uniform(0.3, 1.2, m.nq).tolist(), rng.uniform(0.5, 1.5, m.nv).tolist()
    rest = [0.0] * m.nv
    method = composite_body if robot.coupling else articulated_body
    try:
        accelerations = method.forward_dynamics(m, q, rest, torque, ZERO)
        again = newton_euler.inverse_dynamics(m, q, rest, accelerations, ZERO)
        worst = max((abs(x - y) for x, y in zip(torque, again, strict=True)), default=0.0)
    except (ZeroDivisionError, OverflowError):
        worst = np.inf
    if not worst < 1e-3:
        raise robot.refusal(
            "its mass matrix is singular: some motion meets no inertia (point masses on a ball joint, "
            "several joints on one axis with a link that has no inertia about it); give these links an inertia"
        )
