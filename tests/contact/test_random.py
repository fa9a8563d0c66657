"""Random scenes in contact: whatever falls on whatever, nothing gains energy, and nothing ends in NaN in silence."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from stiction import Box, Capsule, Contacts, Cylinder, Scene, Sphere, Surface, simulate
from stiction.parts import FreeBody
from tests.contact.scenes import FLOOR

GAINED = 1e-5  # of all energy that is turned over


def solid(kind, size, mass):
    return {
        "box": lambda: Box(size=(size, 0.6 * size, 0.3 * size), mass=mass),
        "ball": lambda: Sphere(radius=size / 2, mass=mass),
        "rod": lambda: Capsule(radius=size / 4, length=size / 2, mass=mass),
        "disc": lambda: Cylinder(radius=size / 2, length=0.3 * size, corners=6, mass=mass),
    }[kind]()


bodies = st.tuples(
    st.sampled_from(["box", "ball", "rod", "disc"]),
    st.floats(-1.5, 0.0),  # log of the size [m]
    st.floats(-2.0, 3.0),  # log of the mass [kg]
    st.integers(0, 2**31),  # pose and motion
)


@settings(max_examples=10)
@given(
    listed=st.lists(bodies, min_size=1, max_size=2),
    step=st.sampled_from([1e-4, 1e-3, 5e-3]),
    static=st.floats(0.0, 1.2),
    bounce=st.sampled_from([0.0, 0.5]),
)
def test_nothing_gains_energy(listed, step, static, bounce):
    parts, height = {}, 0.0
    for k, (kind, size, mass, seed) in enumerate(listed):
        rng = np.random.default_rng(seed)
        size, mass = 10.0**size, 10.0**mass
        height += size
        parts[f"body{k}"] = FreeBody.of(
            solid(kind, size, mass),
            position=(0.1 * size * rng.normal(), 0.1 * size * rng.normal(), height),
            quaternion=np.roll(Rotation.random(random_state=seed).as_quat(), 1),
            velocity=rng.normal(size=3),
            angular=rng.normal(size=3),
        )
        height += size
    contacts = Contacts(most=12, surface=Surface(static=static, restitution=bounce))
    run = simulate(Scene(parts={**parts, **FLOOR}, contacts=contacts), duration=0.6, step=step, energy=True)
    total = run["energy.kinetic"] + run["energy.potential"]
    turned_over = np.ptp(run["energy.potential"]) + run["energy.kinetic"].max()
    assert np.isfinite(total).all()
    assert total.max() - total[0] <= GAINED * turned_over
    for name in parts:
        assert run[f"{name}.position.z"].min() > 0  # nothing falls through the floor
