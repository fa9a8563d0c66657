"""Robots for tests: random trees without a single zero among their parameters, and real arms from files."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from stiction import Frame, Joint, Link, Origin, Robot

ALL_KINDS = ("revolute", "prismatic", "spherical", "floating", "planar", "universal", "continuous", "fixed")
REAL_ARMS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
}


def random_link(rng, name):
    """A link whose inertia is that of a real body: a cloud of points."""
    points = rng.normal(size=(8, 3)) * 0.2
    masses = rng.uniform(0.1, 1.0, 8)
    center = masses @ points / masses.sum()
    d = points - center
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, d, strict=True))
    return Link(name=name, mass=masses.sum(), center_of_mass=center, inertia=inertia)


def random_robot(seed, kinds, *, branching=0.3, rotors=False):
    """A tree with one joint of each given kind; seeds change parameters, never the structure (`kinds` decides it)."""
    rng = np.random.default_rng(seed)
    shape = np.random.default_rng(len(kinds))  # parents depend on the kinds only
    links, joints = [Link(name="root")], []
    for k, kind in enumerate(kinds):
        parent = k if shape.random() > branching else int(shape.integers(0, k + 1))
        links.append(random_link(rng, f"link{k + 1}"))
        axis = rng.normal(size=3)
        joints.append(
            Joint(
                name=f"joint{k + 1}",
                kind=kind,
                parent=links[parent].name,
                child=links[k + 1].name,
                origin=Origin(xyz=rng.normal(size=3) * 0.3, rpy=rng.uniform(-3, 3, 3)),
                axis=axis,
                second_axis=np.cross(axis, rng.normal(size=3)) if kind == "universal" else None,
                rotor_inertia=rng.uniform(1e-5, 1e-3) if rotors and kind in ("revolute", "prismatic") else 0.0,
                gear_ratio=rng.uniform(-100, 100) if rotors and kind in ("revolute", "prismatic") else 1.0,
            )
        )
    frames = [Frame(name="tool", link=links[-1].name, origin=Origin(xyz=rng.normal(size=3), rpy=rng.uniform(-3, 3, 3)))]
    return Robot(name=f"random{len(kinds)}", links=links, joints=joints, frames=frames)


def random_state(robot, seed, count=()):
    """Positions (with unit quaternions), velocities and accelerations or torques."""
    rng = np.random.default_rng(seed)
    shape = (count,) if isinstance(count, int) else count
    q = rng.uniform(-2, 2, (*shape, robot.nq))
    for body in robot.mechanism.bodies:
        if body.quaternion:
            q[..., body.quaternion] /= np.linalg.norm(q[..., body.quaternion], axis=-1, keepdims=True)
    v, a = rng.normal(size=(2, *shape, robot.nv))
    return q, v, a


def real_arm(name):
    """UR5, Panda (fingers locked) or xArm7 from the installed example-robot-data."""
    spec = find_spec("cmeel")
    folder = Path(spec.origin).parent.parent / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    path = folder / REAL_ARMS[name]
    robot = Robot.from_urdf(path)
    if name == "panda":
        robot = robot.without_mimics().lock({"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0})
    return robot, path
