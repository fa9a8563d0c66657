"""The frictional ground under points and bodies."""

import pytest

from stiction import Scene, simulate
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Ground


def test_a_block_on_the_ground_by_both_methods():
    parts = {
        "block": FreeBody(mass=1.0, inertia=(0.1,) * 3, velocity=(1, 0, 0)),
        "ground": Ground(stiffness=1e4, damping=50.0, coefficient=0.3),
    }
    wires = [
        Wire("ground.position", ["block.position"]),
        Wire("ground.velocity", ["block.velocity"]),
        Wire("block.force", [Term("ground.force", -1.0)]),
    ]
    way = 1 / (2 * 0.3 * 9.81)
    for method in ("rk4", "moreau"):
        run = simulate(Scene(parts=parts, wires=wires), duration=1.0, step=1e-4, method=method, record=0.1)
        assert run["block.position.x"][-1] == pytest.approx(way, rel=0.02)  # the first touch bounces a little
