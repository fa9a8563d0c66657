"""Real arms from files, and random states of any robot."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from stiction import Robot

FILES = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
}


HUMANOIDS = {
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}


def _file(name: str) -> Path:
    spec = find_spec("cmeel")
    assert spec and spec.origin
    return Path(spec.origin).parent.parent / "cmeel.prefix/share/example-robot-data/robots" / name


def humanoid(name: str) -> Robot:
    """Talos or G1 from the installed example-robot-data, floating; joints that mimic others move on their own."""
    return Robot.from_urdf(_file(HUMANOIDS[name]), base="floating").without_mimics()


def quadruped() -> Robot:
    """Go1 from the installed example-robot-data, floating; its file has inertias that no body has."""
    return Robot.from_urdf(_file("go1_description/urdf/go1.urdf"), base="floating", lumped=True)


def real_arm(name: str) -> tuple[Robot, Path]:
    """UR5, Panda (fingers locked) or xArm7 from the installed example-robot-data, and its file."""
    path = _file(FILES[name])
    robot = Robot.from_urdf(path)
    if name == "panda":
        robot = robot.without_mimics().lock({"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0})
    return robot, path


def random_state(robot: Robot, seed: int, count: int | tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """Positions (with unit quaternions), velocities and accelerations or torques."""
    rng = np.random.default_rng(seed)
    shape = (count,) if isinstance(count, int) else count
    q = rng.uniform(-2, 2, (*shape, robot.nq))
    for body in robot.mechanism.bodies:
        if body.quaternion:
            q[..., body.quaternion] /= np.linalg.norm(q[..., body.quaternion], axis=-1, keepdims=True)
    v, a = rng.normal(size=(2, *shape, robot.nv))
    return q, v, a
