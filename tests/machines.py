"""Robots for tests: random trees without a single zero among their parameters."""

import numpy as np

from stiction import Frame, Joint, Link, Origin, Robot

ALL_KINDS = ("revolute", "prismatic", "spherical", "floating", "planar", "universal", "continuous", "fixed")


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
