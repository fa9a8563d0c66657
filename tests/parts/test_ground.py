"""The frictional ground under points and bodies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from stiction import Scene, simulate
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Ground, TouchingPoint

G = 9.81


def block(ground, velocity, **body):
    """A block of 1 kg, as deep in the ground as it carries it."""
    depth = (0.0, 0.0, -G / ground.stiffness)
    return Scene(
        parts={
            "block": FreeBody(mass=1.0, inertia=(0.1,) * 3, position=depth, velocity=velocity, **body),
            "ground": ground,
        },
        wires=[
            Wire("ground.position", ["block.position"]),
            Wire("ground.velocity", ["block.velocity"]),
            Wire("block.force", [Term("ground.force", -1.0)]),
        ],
    )


@pytest.mark.parametrize(
    "method, step", [("rk4", 1e-3), ("moreau", 1e-4), ("gears_implicit", 1e-3), ("rosenbrock", 1e-2)]
)
def test_a_block_slides_straight_to_a_stop(method, step):
    """From 1 m/s it goes v²/(2 μ g); the bristle bends by μ g/K = 0.3 mm at most, and `moreau` errs by h/2 · v."""
    ground, direction = Ground(stiffness=1e4, damping=50.0, coefficient=0.3), np.array([0.6, -0.8, 0.0])
    run = simulate(block(ground, tuple(direction)), duration=1.0, step=step, method=method, record=0.1)
    slowing = 0.3 * G
    t = np.minimum(run.time, 1 / slowing)
    way = t - slowing * t**2 / 2
    np.testing.assert_allclose(run.stack("block.position")[:, :2], np.outer(way, direction[:2]), atol=3.5e-4)
    np.testing.assert_allclose(run["block.position.z"], -G / 1e4, atol=1e-9)


def test_on_a_slope_it_holds_or_slides():
    """Gravity at an angle: below μ it stays, with the force of the slope; above, it gets what friction leaves."""
    for slope, slides in ((0.29, False), (0.31, True)):
        ground = Ground(stiffness=1e4, damping=50.0, coefficient=0.3)
        scene = block(ground, (0, 0, 0), gravity=(slope * G, 0, -G))
        run = simulate(scene, duration=4.0, step=1e-3, method="rk4", record=0.5)
        if slides:
            np.testing.assert_allclose(np.diff(run["block.velocity.x"])[2:], 0.01 * G * 0.5, rtol=1e-6)
        else:
            assert np.ptp(run["block.position.x"][2:]) < 1e-9
            assert run["ground.force.x"][-1] == pytest.approx(slope * G, rel=1e-9)


def test_the_ground_does_not_pull():
    """A damper of the ground would hold back what leaves it fast: neither that nor friction acts then."""
    ground = Ground(stiffness=1e3, damping=10.0, coefficient=0.4)
    for depth, up, normal in ((-0.01, 0.5, 5.0), (-0.01, 2.0, 0.0), (0.01, -2.0, 0.0)):
        motion = {"position": [0.0, 0.0, depth], "velocity": [1.0, 0.0, up]}
        sideways, _, down = ground.force(motion, [0.0, 0.0], 1e-3, 0.0)[0]["force"]
        assert -down == pytest.approx(normal, abs=1e-12)
        assert sideways == pytest.approx(0.4 * normal, abs=1e-12)


def test_a_touching_point_is_the_ground_where_it_touches():
    """Position and velocity of a point of a turned, turning body, and the moment of its force, by SciPy's rotations."""
    rng = np.random.default_rng(4)
    touches = {"stiffness": 1e3, "damping": 2.0, "coefficient": 0.4}
    for _ in range(20):
        turn, point, bend = Rotation.random(rng=rng), rng.normal(size=3) * 0.1, rng.normal(size=2) * 1e-3
        position, velocity, angular = rng.normal(size=3) * 0.1, rng.normal(size=3), rng.normal(size=3)
        x, y, z, w = turn.as_quat()
        motion = {"position": position, "quaternion": [w, x, y, z], "velocity": velocity, "angular": angular}
        ours, rates = TouchingPoint(point=point, **touches).force(
            {port: [float(c) for c in value] for port, value in motion.items()}, list(bend), 1e-3, 0.0
        )
        arm = turn.apply(point)
        at = {"position": list(position + arm), "velocity": list(velocity + np.cross(angular, arm))}
        theirs, their_rates = Ground(**touches).force(at, list(bend), 1e-3, 0.0)
        np.testing.assert_allclose(ours["force"], theirs["force"], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ours["moment"], np.cross(arm, theirs["force"]), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(rates, their_rates, rtol=1e-10, atol=1e-12)
