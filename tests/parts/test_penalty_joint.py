"""Hinges that hold by springs tell what their friction does."""

import numpy as np
import pytest

from stiction import Coulomb, LuGre, Scene, simulate
from stiction.network import Wire
from stiction.parts import Fixed, FreeBody, PenaltyJoint, Source
from stiction.trace import where

PORTS = ("position", "quaternion", "velocity", "angular")
LAWS = {
    "Coulomb": Coulomb(level=0.5, stiffness=500.0, damping=1.0),
    "LuGre": LuGre(level=0.5, static=0.5, velocity=0.1, stiffness=500.0, damping=1.0),
}


@pytest.mark.parametrize("method, step", [("rk4", 1e-4), ("moreau", 1e-3)])
@pytest.mark.parametrize("name", LAWS)
def test_its_mode_margin_and_direction(name, method, step):
    """A wheel of 0.02 kg m² on a wall: 0.3 N·m are held, 0.8 turn it with 15 rad/s², −0.8 turn it back."""
    stiff = {"stiffness": 1e5, "damping": 100.0, "turning_stiffness": 500.0, "turning_damping": 0.5}
    parts = {
        "wall": Fixed(),
        "wheel": FreeBody(mass=1.0, inertia=(0.02,) * 3, gravity=(0, 0, 0)),
        "hinge": PenaltyJoint(law=LAWS[name], **stiff),
        "push": Source(functions=(0.0, 0.0, lambda t: where(t < 1, 0.3, where(t < 1.5, 0.8, -0.8)))),
    }
    wires = [
        Wire(f"hinge.{port}_{side}", [f"{body}.{port}"])
        for side, body in zip("ab", ("wall", "wheel"), strict=True)
        for port in PORTS
    ]
    wires += [Wire("wheel.force", ["hinge.force_b"]), Wire("wheel.moment", ["hinge.moment_b", "push.force"])]
    run = simulate(Scene(parts=parts, wires=wires), duration=3.0, step=step, method=method, record=0.01)
    held, ahead, back = (run.time > 0.8) & (run.time < 1), (run.time > 1.2) & (run.time < 1.5), run.time > 2.5
    assert (run["hinge.mode"][held] < 2).all() and (run["hinge.mode"][ahead | back] == 2).all()
    np.testing.assert_allclose(run["hinge.margin"][held], 0.2, atol=2e-3)
    assert not run["hinge.margin"][ahead].any()
    assert (run["hinge.direction"][ahead] == 1).all() and (run["hinge.direction"][back] == -1).all()
    assert run["hinge.fastest"][-1] == pytest.approx(np.abs(run["wheel.angular.z"]).max(), rel=1e-2)
    np.testing.assert_allclose(np.gradient(run["wheel.angular.z"], run.time)[ahead][1:-1], 15.0, rtol=1e-3)
