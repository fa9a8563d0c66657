"""Scenes in contact."""

import numpy as np

from stiction import Box, Contacts, HalfSpace, Joint, Limits, Link, Origin, Robot, Scene, Surface
from stiction.parts import Fixed, FreeBody

FLOOR = {"floor": Fixed(shapes=(HalfSpace(),))}


class Slope:
    """A block on a slope that rises along its x axis by an angle in degrees."""

    def __init__(self, degrees, surface, size=(0.2, 0.2, 0.1), mass=1.0, speed=0.0):
        angle = np.radians(degrees)
        origin = Origin(rpy=(0, -angle, 0))
        self.along, up = (origin.rotation @ axis for axis in ([1, 0, 0], [0, 0, 1]))
        block = FreeBody.of(
            Box(size=size, mass=mass),
            position=up * size[2] / 2,
            quaternion=(np.cos(angle / 2), 0, -np.sin(angle / 2), 0),
            velocity=self.along * speed,
        )
        parts = {"block": block, "slope": Fixed(shapes=(HalfSpace(origin=origin),))}
        self.scene = Scene(parts=parts, contacts=Contacts(surface=surface))

    def way(self, run):
        """How far up it is [m]."""
        x = np.stack([run[f"block.position.{c}"] for c in "xyz"], axis=-1) @ self.along
        return x - x[0]

    def speed(self, run):
        """How fast it goes up [m/s]."""
        return np.stack([run[f"block.velocity.{c}"] for c in "xyz"], axis=-1) @ self.along


def stack(masses, **more):
    """Boxes of 20 × 20 × 10 cm on each other."""
    boxes = {
        f"box{k}": FreeBody.of(Box(size=(0.2, 0.2, 0.1), mass=mass), position=(0, 0, 0.1 * k + 0.05))
        for k, mass in enumerate(masses)
    }
    return Scene(parts={**boxes, **FLOOR}, contacts=Contacts(most=4 * len(masses), **more))


def chain(n, height=0.42, damping=1e-4, angle=np.pi / 3, **more):
    """Links of 4 × 4 × 10 cm and 0.3 kg that hang from a hinge above the floor, the first turned."""
    box = Box(size=(0.04, 0.04, 0.1), mass=0.3, origin=Origin(xyz=(0, 0, -0.05)))
    links = [Link(name="base"), *(Link.of(f"link{k + 1}", box) for k in range(n))]
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind="continuous",
            parent=links[k].name,
            child=links[k + 1].name,
            axis=(0, 1, 0),
            origin=Origin(xyz=(0, 0, height if k == 0 else -0.1)),
            damping=damping,
        )
        for k in range(n)
    ]
    contacts = Contacts(surface=Surface(static=1.0, kinetic=0.4), off=[("robot.*", "robot.*")], **more)
    robot = Robot(name="chain", links=links, joints=joints)
    return Scene(robot=robot, parts=FLOOR, contacts=contacts, q={"joint1": -angle})


def slide(name, link, axis, height=0.0, side=0.0):
    """A link that slides along an axis of the world."""
    joint = Joint(
        name="slide",
        kind="prismatic",
        parent="base",
        child=link.name,
        axis=axis,
        origin=Origin(xyz=(side, 0, height)),
        limits=Limits(lower=-1, upper=1),
    )
    return Robot(name=name, links=[Link(name="base"), link], joints=[joint])
