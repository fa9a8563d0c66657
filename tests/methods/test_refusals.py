"""What a method cannot follow is refused, with the step or the method that can."""

import numpy as np
import pytest

from stiction import Coulomb, Scene, StictionError, simulate
from stiction.network import NetworkError, Term, Wire
from stiction.parts import FreeBody, Friction, Ground, Mass
from stiction.reproduce.closed_forms import box
from tests.scenes import anchor, on_axle, oscillator


@pytest.mark.parametrize("method", ["rk4", "gill", "moreau"])
def test_springs_that_a_step_cannot_follow_are_refused(method):
    with pytest.raises(
        NetworkError, match=r"the spring of 'spring' is too stiff for .* the largest stable step is"
    ) as error:
        simulate(oscillator(stiffness=1e6), duration=1.0, step=0.01, method=method)
    largest = float(str(error.value).split("largest stable step is ")[1].split(" ")[0])
    run = simulate(oscillator(stiffness=1e6), duration=0.99 * largest * 5000, step=0.99 * largest, method=method)
    assert np.abs(run["ball.position"][-1000:]).max() < 1, "it decays, in the end"


def test_friction_that_pushes_is_refused():
    scene = Scene(
        parts={"ball": Mass(mass=1.0, velocity=1.0), "rub": Friction(law=Coulomb(level=1.0))},
        wires=[Wire("rub.velocity", ["ball.velocity"]), Wire("ball.force", ["rub.torque"])],
    )
    with pytest.raises(NetworkError, match="wired to push its body along"):
        simulate(scene, duration=0.1, step=0.01)


def test_a_conveyor_is_for_flows():
    """Friction against a belt that moves: the block is taken along; rows cannot see the belt and say so."""
    scene = Scene(
        parts={"block": Mass(mass=1.0), "rub": Friction(law=Coulomb(level=1.0))},
        wires=[
            Wire("rub.velocity", ["block.velocity"], shift=(-0.5,)),
            Wire("block.force", [Term("rub.torque", -1.0)]),
        ],
    )
    assert simulate(scene, duration=2.0, step=1e-3)["block.velocity"][-1] == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(NetworkError, match="sees a velocity while everything rests"):
        simulate(scene, duration=2.0, step=1e-3, method="moreau")


def test_bristles_that_cannot_hold_are_refused_with_the_step_that_can():
    law = Coulomb(level=0.5, stiffness=5000.0, damping=1.0)
    simulate(on_axle(0.0304, law, 0.3), duration=0.1, step=1e-3)
    with pytest.raises(StictionError, match="largest stable step is") as error:
        simulate(on_axle(1e-4, law, 0.3), duration=0.1, step=1e-3)
    step = float(str(error.value).split("largest stable step is ")[1].split(" ")[0])
    run = simulate(on_axle(1e-4, law, 0.3), duration=2000 * step * 0.99, step=step * 0.99)
    assert np.ptp(anchor(run, "axle")[1000:]) < 1e-9


def test_bristles_in_space_and_on_the_ground_are_tried_too():
    body = FreeBody(mass=1.0, inertia=(1, 1, 1))
    rub = Friction(law=Coulomb(level=20.0, stiffness=1e8, damping=1.0), dimension=3)
    space = Scene(
        parts={"puck": body, "rub": rub},
        wires=[Wire("rub.velocity", ["puck.velocity"]), Wire("puck.force", [Term("rub.torque", -1.0)])],
    )
    with pytest.raises(StictionError, match=r"the bristles of 'rub' are too stiff for 'rk4' at 0\.001 s"):
        simulate(space, duration=1.0, step=1e-3)
    ground = Ground(stiffness=1e8, damping=1.0, coefficient=0.5)
    wires = [
        Wire("ground.position", ["puck.position"]),
        Wire("ground.velocity", ["puck.velocity"]),
        Wire("puck.force", [Term("ground.force", -1.0)]),
    ]
    with pytest.raises(StictionError, match="the bristles of 'ground' are too stiff"):
        simulate(Scene(parts={"puck": body, "ground": ground}, wires=wires), duration=1.0, step=1e-3)
    with pytest.raises(StictionError, match="the bristles of 'corner0' are too stiff"):
        simulate(box(), duration=1.0, step=1e-2)


def test_friction_that_acts_elsewhere_than_it_looks_is_refused_by_rows():
    scene = Scene(
        parts={"a": Mass(mass=1.0), "b": Mass(mass=1.0), "f": Friction(law=Coulomb(level=1.0))},
        wires=[Wire("f.velocity", ["a.velocity"]), Wire("b.force", [Term("f.torque", -1.0)])],
    )
    with pytest.raises(NetworkError, match="acts on another"):
        simulate(scene, duration=0.1, step=0.01, method="moreau")
