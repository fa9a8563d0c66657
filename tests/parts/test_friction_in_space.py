"""Dry friction in the plane and in space."""

import numpy as np
import pytest

from stiction import Coulomb, LuGre, Scene, Stribeck, simulate
from stiction.errors import InputError
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Source

BRISTLE = {"viscous": 0.3, "stiffness": 2000.0, "damping": 30.0}


STRIBECK = Stribeck(level=0.4, static=0.5, velocity=0.02, **BRISTLE)


def pushed(dimension_law, push):
    """A puck of 0.5 kg in the plane, pushed."""
    return Scene(
        parts={
            "puck": FreeBody(mass=0.5, inertia=(1, 1, 1), gravity=(0, 0, 0)),
            "push": Source(functions=push),
            "friction": Friction(law=dimension_law, dimension=3),
        },
        wires=[
            Wire("friction.velocity", ["puck.velocity"]),
            Wire("puck.force", ["push.force", Term("friction.torque", -1.0)]),
        ],
    )


@pytest.mark.parametrize(
    "law",
    [
        Coulomb(level=0.5, stiffness=5e4, damping=50.0),
        Stribeck(level=0.4, static=0.5, velocity=0.01, stiffness=5e4, damping=50.0),
    ],
    ids=["Coulomb", "Stribeck"],
)
def test_friction_in_space_is_the_same_in_all_directions(law):
    """Below break-away nothing drifts; above it the puck goes where it is pushed, against the force of the law."""
    direction = np.array([1.0, 2.0, -2.0]) / 3
    held = simulate(pushed(law, tuple(0.45 * direction)), duration=2.0, step=1e-4, record=0.5)
    anchor = held.stack("puck.position") - held.stack("friction.bend")
    assert np.abs(anchor[1:] - anchor[1]).max() < 1e-12
    np.testing.assert_allclose(held.stack("friction.torque")[-1], 0.45 * direction, rtol=1e-6)
    slid = simulate(pushed(law, tuple(0.8 * direction)), duration=2.0, step=1e-4, record=0.5)
    v = slid.stack("puck.velocity")[-1]
    np.testing.assert_allclose(v / np.linalg.norm(v), direction, rtol=1e-9)
    np.testing.assert_allclose(slid.stack("friction.torque")[-1], law.level[0] * direction, rtol=1e-3)


def test_one_dimension_of_space_is_the_plain_law():
    for v, z in ((0.3, 1e-5), (-2.0, 0.0), (1e-6, -1e-4)):
        for law in (Coulomb(level=0.5, **BRISTLE), STRIBECK):
            (force,), (rate,) = law.flow_in_space([v], [z], 1e-3)
            plain = law.flow(v, z, 1e-3)
            assert force == pytest.approx(plain[0], rel=1e-12) and rate == pytest.approx(plain[1], rel=1e-9, abs=1e-12)


def test_space_takes_dry_laws():
    with pytest.raises(InputError, match="LuGre acts on one velocity, and dimension is 2"):
        Friction(law=LuGre(level=1.0, static=1.0, velocity=0.1, stiffness=1.0, damping=0.0), dimension=2)
    with pytest.raises(InputError, match="differs for the two directions"):
        Friction(law=Coulomb(level=(1.0, 2.0)), dimension=2)
    with pytest.raises(InputError, match="dimension is 0"):
        Friction(law=Coulomb(level=1.0), dimension=0)
