"""The same robot in MuJoCo (joints of one degree of freedom, balls, and floating joints at the root), as MJCF text."""

import mujoco
import numpy as np

from stiction import Origin
from stiction.dynamics.mechanism import POSITIONS, VELOCITIES


def _words(values):
    return " ".join(f"{x:.17g}" for x in np.ravel(np.array(values, float)))


def _pose(pose):
    R = np.array([list(row) for row in pose.rotation], float)
    return f'pos="{_words(pose.position)}" xyaxes="{_words(R[:, 0])} {_words(R[:, 1])}"'


def mjcf(robot):
    bodies = robot.mechanism.bodies

    def floats(body):
        return body.parent >= 0 and bodies[body.parent].kind == "translation"

    def write(k):
        body, I = bodies[k], bodies[k].inertia
        if body.kind == "translation":  # with the spherical joint that follows it is MuJoCo's free joint
            assert (
                body.parent < 0 and Origin.from_pose(body.origin) == Origin()
            )  # whose positions and velocities are the world's
            return "".join(write(j) for j, other in enumerate(bodies) if other.parent == k)
        c = np.array(I.moment, float) / I.mass
        about = np.array([list(row) for row in I.rotational], float) - I.mass * (c @ c * np.eye(3) - np.outer(c, c))
        inertia = _words([about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]])
        rotor = robot.mechanism.rotors[body.v][body.v] if robot.mechanism.rotors else 0.0
        kind = "free" if floats(body) else {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}[body.kind]
        axis = f'axis="{_words(body.axis)}"' if kind in ("hinge", "slide") else ""
        children = "".join(write(j) for j, other in enumerate(bodies) if other.parent == k)
        return (
            f'<body {_pose(body.origin)}><joint name="j{k}" type="{kind}" {axis} armature="{rotor:.17g}"/>'
            f'<inertial pos="{_words(c)}" mass="{I.mass:.17g}" fullinertia="{inertia}"/>{children}</body>'
        )

    world = "".join(write(k) for k, body in enumerate(bodies) if body.parent < 0)
    settings = '<compiler angle="radian" inertiafromgeom="false"/>'
    options = '<option gravity="0 0 -9.81"><flag contact="disable"/></option>'
    return f"<mujoco>{settings}{options}<worldbody>{world}</worldbody></mujoco>"


class MujocoRobot:
    """MuJoCo's answers, in our order of positions and velocities."""

    def __init__(self, robot):
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot))
        self.data = mujoco.MjData(self.model)
        self.q, self.v = np.zeros(robot.nq, int), np.zeros(robot.nv, int)
        for k, body in enumerate(robot.mechanism.bodies):
            shifts = body.kind == "translation"  # the first three numbers of the free joint of the body that follows
            joint = self.model.joint(f"j{k + shifts}")
            after = 3 if joint.type == mujoco.mjtJoint.mjJNT_FREE and not shifts else 0
            positions, velocities = np.arange(POSITIONS[body.kind]), np.arange(VELOCITIES[body.kind])
            self.q[body.q + positions] = joint.qposadr[0] + after + positions
            self.v[body.v + velocities] = joint.dofadr[0] + after + velocities

    def set(self, q, v, torque):
        self.data.qpos[self.q], self.data.qvel[self.v], self.data.qfrc_applied[self.v] = q, v, torque
        mujoco.mj_forward(self.model, self.data)

    def mass_matrix(self):
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return full[np.ix_(self.v, self.v)]

    def bias(self):
        return self.data.qfrc_bias[self.v].copy()

    def acceleration(self):
        return self.data.qacc_smooth[self.v].copy()
