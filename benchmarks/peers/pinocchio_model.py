"""The same robot in Pinocchio, and the exchange of positions, velocities and matrices between the two."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from stiction import Robot

JOINTS = {
    "revolute": pin.JointModelRevoluteUnaligned,
    "prismatic": pin.JointModelPrismaticUnaligned,
    "spherical": lambda _: pin.JointModelSpherical(),
    "translation": lambda _: pin.JointModelTranslation(),
}
PLACES = {"spherical": (1, 2, 3, 0), "translation": (0, 1, 2)}  # of Pinocchio's positions among ours


def depth_first(bodies: Sequence[Any]) -> list[int]:
    """Indices of the bodies, each subtree in one piece."""
    order: list[int] = []
    stack = [k for k, body in reversed(list(enumerate(bodies))) if body.parent < 0]
    while stack:
        k = stack.pop()
        order.append(k)
        stack += [j for j, body in reversed(list(enumerate(bodies))) if body.parent == k]
    return order


def _inertia(I: Any) -> pin.Inertia | None:
    about_origin = np.array([list(row) for row in I.rotational], float)
    if not I.mass and not about_origin.any():
        return None
    c = np.array(I.moment, float) / I.mass if I.mass else np.zeros(3)
    return pin.Inertia(float(I.mass), c, about_origin - I.mass * (c @ c * np.eye(3) - np.outer(c, c)))


class PinocchioRobot:
    """A Pinocchio model of one of our robots, body by body, depth first (as Pinocchio's algorithms require)."""

    def __init__(self, robot: Robot, gravity: Sequence[float] = (0, 0, -9.81)) -> None:
        self.model = pin.Model()
        self.model.gravity.linear = np.array(gravity, float)
        self.joints = {-1: 0}  # Pinocchio's index of the joint that carries each body
        self.order_q: list[int] = []
        self.order_v: list[int] = []
        bodies = robot.mechanism.bodies
        self.order = depth_first(bodies)
        for k in self.order:
            self._add(k, bodies[k])
        if robot.mechanism.rotors is not None:
            self.model.armature = np.array([robot.mechanism.rotors[i][i] for i in self.order_v], float)
        self.data = self.model.createData()

    def _add(self, k: int, body: Any) -> None:
        joint = JOINTS[body.kind](np.array(body.axis, float))
        rotation = np.array([list(row) for row in body.origin.rotation], float)
        place = pin.SE3(rotation, np.array(body.origin.position, float))
        self.joints[k] = self.model.addJoint(self.joints[body.parent], joint, place, f"j{k}")
        inertia = _inertia(body.inertia)
        if inertia is not None:
            self.model.appendBodyToJoint(self.joints[k], inertia, pin.SE3.Identity())
        self.order_q += [body.q + at for at in PLACES.get(body.kind, (0,))]
        self.order_v += body.velocities

    def q(self, q: Any) -> np.ndarray:
        """Our positions in Pinocchio's order."""
        return np.asarray(q)[self.order_q]

    def v(self, v: Any) -> np.ndarray:
        """Our velocities in Pinocchio's order."""
        return np.asarray(v)[self.order_v]

    def back(self, x: np.ndarray) -> np.ndarray:
        """Vectors and matrices over velocities, in our order."""
        inverse = np.argsort(self.order_v)
        return x[inverse] if x.ndim == 1 else x[np.ix_(inverse, inverse)]

    def columns(self, x: np.ndarray) -> np.ndarray:
        """A matrix with a column per velocity and rows (linear, angular), in our order of both."""
        return x.reshape(6, -1)[[3, 4, 5, 0, 1, 2]][:, np.argsort(self.order_v)]
