"""The same robot in Pinocchio, and the exchange of positions, velocities and matrices between the two."""

import numpy as np
import pinocchio as pin


def depth_first(bodies):
    """Indices of the bodies, each subtree in one piece."""
    order, stack = [], [k for k, body in reversed(list(enumerate(bodies))) if body.parent < 0]
    while stack:
        k = stack.pop()
        order.append(k)
        stack += [j for j, body in reversed(list(enumerate(bodies))) if body.parent == k]
    return order


class PinocchioRobot:
    """A Pinocchio model of one of our robots, body by body, depth first (as Pinocchio's algorithms require)."""

    def __init__(self, robot, gravity=(0, 0, -9.81)):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(gravity, float)
        bodies = robot.mechanism.bodies
        self.joints = {-1: 0}  # Pinocchio's index of the joint that carries each body
        self.order = depth_first(bodies)
        for k in self.order:
            body = bodies[k]
            axis = np.array(body.axis, float)
            joint = {
                "revolute": lambda a: pin.JointModelRevoluteUnaligned(a),
                "prismatic": lambda a: pin.JointModelPrismaticUnaligned(a),
                "spherical": lambda a: pin.JointModelSpherical(),
                "translation": lambda a: pin.JointModelTranslation(),
            }[body.kind](axis)
            place = pin.SE3(
                np.array([list(row) for row in body.origin.rotation], float), np.array(body.origin.position, float)
            )
            self.joints[k] = self.model.addJoint(self.joints[body.parent], joint, place, f"j{k}")
            I = body.inertia
            if I.mass > 0 or np.any(np.array([list(row) for row in I.rotational]) != 0):
                c = np.array(I.moment, float) / I.mass if I.mass else np.zeros(3)
                about_origin = np.array([list(row) for row in I.rotational], float)
                about_center = about_origin - I.mass * (c @ c * np.eye(3) - np.outer(c, c))
                inertia = pin.Inertia(float(I.mass), c, about_center)
                self.model.appendBodyToJoint(self.joints[k], inertia, pin.SE3.Identity())
        self.order_q, self.order_v = [], []
        for k in self.order:
            body = bodies[k]
            self.order_q += [
                body.q + k for k in {"spherical": (1, 2, 3, 0), "translation": (0, 1, 2)}.get(body.kind, (0,))
            ]
            self.order_v += body.velocities
        if robot.mechanism.rotors is not None:
            self.model.armature = np.array([robot.mechanism.rotors[i][i] for i in self.order_v], float)
        self.data = self.model.createData()

    def q(self, q):
        return np.asarray(q)[self.order_q]

    def v(self, v):
        return np.asarray(v)[self.order_v]

    def back(self, x):
        """Vectors and matrices over velocities, in our order."""
        inverse = np.argsort(self.order_v)
        return x[inverse] if x.ndim == 1 else x[np.ix_(inverse, inverse)]

    def columns(self, x):
        """A matrix with a column per velocity and rows (linear, angular), in our order of both."""
        return x.reshape(6, -1)[[3, 4, 5, 0, 1, 2]][:, np.argsort(self.order_v)]
