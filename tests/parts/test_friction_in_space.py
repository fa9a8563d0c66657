"""Dry friction in the plane and in space."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stiction import Coulomb, LuGre, Scene, Stribeck, simulate
from stiction.errors import InputError
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Source

BRISTLE = {"viscous": 0.3, "stiffness": 2000.0, "damping": 30.0}
STRIBECK = Stribeck(level=0.4, static=0.5, velocity=0.02, **BRISTLE)


def pushed(law, push, velocity=(0, 0, 0)):
    """A puck of 0.5 kg in space without gravity, pushed."""
    return Scene(
        parts={
            "puck": FreeBody(mass=0.5, inertia=(1, 1, 1), gravity=(0, 0, 0), velocity=velocity),
            "push": Source(functions=push),
            "friction": Friction(law=law, dimension=3),
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
    """Below break-away nothing drifts; above it the puck goes where it is pushed, by what the law leaves."""
    direction = np.array([1.0, 2.0, -2.0]) / 3
    held = simulate(pushed(law, tuple(0.45 * direction)), duration=2.0, step=1e-4, method="rk4", record=0.5)
    anchor = held.stack("puck.position") - held.stack("friction.bend")
    assert np.abs(anchor[1:] - anchor[1]).max() < 1e-12
    np.testing.assert_allclose(held.stack("friction.torque")[-1], 0.45 * direction, rtol=1e-6)
    slid = simulate(pushed(law, tuple(0.8 * direction)), duration=2.0, step=1e-4, method="rk4", record=0.5)
    np.testing.assert_allclose(slid.stack("friction.torque")[1:], np.tile(law.level[0] * direction, (4, 1)), rtol=1e-9)
    change = np.diff(slid.stack("puck.velocity"), axis=0)[1:]
    np.testing.assert_allclose(change, np.tile((0.8 - law.level[0]) / 0.5 * 0.5 * direction, (3, 1)), rtol=1e-6)


@pytest.mark.parametrize("method", ["rk4", "gill", "moreau", "gears_implicit", "rosenbrock"])
def test_a_puck_that_turns(method):
    """Pushed across its motion it slides round a bend: m v̇ = push − level v/|v|, by SciPy, while it slides."""
    law = Coulomb(level=0.5, viscous=0.1, stiffness=5e4, damping=50.0)
    scene = pushed(law, (0.0, 0.8, 0.0), velocity=(2.0, 0.0, 0.0))
    run = simulate(scene, duration=1.0, step=1e-4, method=method, record=0.1)

    def rates(_, y):
        v = np.array(y[3:])
        speed = np.linalg.norm(v)
        return [*v, *((np.array([0.0, 0.8, 0.0]) - (0.5 / speed + 0.1) * v) / 0.5)]

    y = solve_ivp(rates, (0, 1), [0, 0, 0, 2.0, 0, 0], t_eval=run.time, rtol=1e-10, atol=1e-12).y
    assert y[3, -1] < 1.0 and y[4, -1] > 0.5, "it turns"
    np.testing.assert_allclose(run.stack("puck.position"), y[:3].T, atol=1e-4)  # one evaluation: h/2 · v


def test_one_dimension_of_space_is_the_plain_law():
    for v, z in ((0.3, 1e-5), (-2.0, 0.0), (1e-6, -1e-4)):
        for law in (Coulomb(level=0.5, **BRISTLE), STRIBECK):
            (force,), (rate,) = law.flow_in_space([v], [z], 1e-3)
            torque, (bending,) = law.flow(v, [z], 1e-3)
            assert force == pytest.approx(torque, rel=1e-12) and rate == pytest.approx(bending, rel=1e-9, abs=1e-12)


def test_space_takes_dry_laws():
    with pytest.raises(InputError, match="LuGre acts on one velocity, and dimension is 2"):
        Friction(law=LuGre(level=1.0, static=1.0, velocity=0.1, stiffness=1.0, damping=0.0), dimension=2)
    with pytest.raises(InputError, match="differs for the two directions"):
        Friction(law=Coulomb(level=(1.0, 2.0)), dimension=2)
    with pytest.raises(InputError, match="dimension is 0"):
        Friction(law=Coulomb(level=1.0), dimension=0)
