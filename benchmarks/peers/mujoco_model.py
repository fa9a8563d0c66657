"""The same robot in MuJoCo (joints of one degree of freedom, balls, and floating joints at the root), as MJCF text."""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from stiction import Origin, Robot
from stiction.dynamics.mechanism import POSITIONS, VELOCITIES

KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


def _words(values: Any) -> str:
    return " ".join(f"{x:.17g}" for x in np.ravel(np.array(values, float)))


def _pose(pose: Any) -> str:
    R = np.array([list(row) for row in pose.rotation], float)
    return f'pos="{_words(pose.position)}" xyaxes="{_words(R[:, 0])} {_words(R[:, 1])}"'


def _inertial(I: Any) -> str:
    c = np.array(I.moment, float) / I.mass
    about = np.array([list(row) for row in I.rotational], float) - I.mass * (c @ c * np.eye(3) - np.outer(c, c))
    six = _words([about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]])
    return f'<inertial pos="{_words(c)}" mass="{I.mass:.17g}" fullinertia="{six}"/>'


def mjcf(
    robot: Robot,
    *,
    option: str = "",
    joint: str = "",
    actuators: str = "",
    tendons: str = "",
    sites: Mapping[int, str] | None = None,
    equalities: str = "",
) -> str:
    """The model.

    Args:
        robot: ours; its bodies get joints "j0", "j1", ...
        option: more attributes of the element option.
        joint: more attributes of every joint.
        actuators: elements of actuator.
        tendons: elements of tendon.
        sites: elements of some bodies, by index.
        equalities: elements of equality.
    """
    bodies = robot.mechanism.bodies

    def inside(k: int) -> str:
        return "".join(write(j) for j, other in enumerate(bodies) if other.parent == k)

    def write(k: int) -> str:
        body = bodies[k]
        if body.kind == "translation":  # with the spherical joint that follows it is MuJoCo's free joint, which moves
            assert body.parent < 0 and Origin.from_pose(body.origin) == Origin()  # in the axes of the world
            return inside(k)
        rotor = robot.mechanism.rotors[body.v][body.v] if robot.mechanism.rotors else 0.0
        floats = body.parent >= 0 and bodies[body.parent].kind == "translation"
        kind = "free" if floats else KINDS[body.kind]
        axis = f'axis="{_words(body.axis)}"' if kind in ("hinge", "slide") else ""
        return (
            f'<body {_pose(body.origin)}><joint name="j{k}" type="{kind}" {axis} armature="{rotor:.17g}" {joint}/>'
            f"{_inertial(body.inertia)}{(sites or {}).get(k, '')}{inside(k)}</body>"
        )

    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option gravity="0 0 -9.81" {option}><flag contact="disable"/></option>'
        f"<worldbody>{inside(-1)}</worldbody><tendon>{tendons}</tendon><actuator>{actuators}</actuator>"
        f"<equality>{equalities}</equality></mujoco>"
    )


class MujocoRobot:
    """MuJoCo's answers, in our order of positions and velocities."""

    def __init__(self, robot: Robot) -> None:
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

    def set(self, q: Any, v: Any, torque: Any) -> None:
        """Take a state and torques, and compute everything."""
        self.data.qpos[self.q], self.data.qvel[self.v], self.data.qfrc_applied[self.v] = q, v, torque
        mujoco.mj_forward(self.model, self.data)

    def mass_matrix(self) -> np.ndarray:
        """(nv, nv)."""
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return full[np.ix_(self.v, self.v)]

    def bias(self) -> np.ndarray:
        """Torques at acceleration 0, (nv,)."""
        return self.data.qfrc_bias[self.v].copy()

    def acceleration(self) -> np.ndarray:
        """(nv,)."""
        return self.data.qacc_smooth[self.v].copy()
