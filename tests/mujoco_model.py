"""The same robot in MuJoCo (joints of one degree of freedom and balls), as MJCF text."""

import mujoco
import numpy as np


def _words(values):
    return " ".join(f"{x:.17g}" for x in np.ravel(np.array(values, float)))


def _pose(pose):
    R = np.array([list(row) for row in pose.rotation], float)
    return f'pos="{_words(pose.position)}" xyaxes="{_words(R[:, 0])} {_words(R[:, 1])}"'


def mjcf(robot):
    bodies = robot.mechanism.bodies

    def write(k):
        body, I = bodies[k], bodies[k].inertia
        c = np.array(I.moment, float) / I.mass
        about = np.array([list(row) for row in I.rotational], float) - I.mass * (c @ c * np.eye(3) - np.outer(c, c))
        inertia = _words([about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]])
        rotor = robot.mechanism.rotors[body.v][body.v] if robot.mechanism.rotors else 0.0
        kind = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}[body.kind]
        axis = "" if kind == "ball" else f'axis="{_words(body.axis)}"'
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
            joint = self.model.joint(f"j{k}")
            width = len(body.velocities)
            self.v[body.v : body.v + width] = joint.dofadr[0] + np.arange(width)
            positions = 4 if body.kind == "spherical" else 1
            self.q[body.q : body.q + positions] = joint.qposadr[0] + np.arange(positions)

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
