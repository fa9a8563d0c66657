"""Bodies that are no robots, and the joint between them: against SciPy on equations of its own."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from stiction import Coulomb, Scene, Viscous, simulate
from stiction.network import Wire
from stiction.parts import Fixed, FreeBody, PenaltyJoint, Source
from stiction.trace import sin
from tests.scenes import METHODS, order

INERTIA = np.array([0.1, 0.2, 0.25])


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_tumbling_body_under_forces_and_moments(method):
    """Forces and moments act in the world's axes, the spin is kept in the body's; gravity is the body's own."""
    push, twist, gravity = np.array([0.3, 0.1, -0.2]), np.array([0.2, 0.1, 0.05]), np.array([1.0, 0.0, -2.0])
    start = {"quaternion": (0.5, 0.5, -0.5, 0.5), "angular": (0.3, 2.0, 0.2), "velocity": (1.0, 0.0, 0.0)}
    body = FreeBody(mass=2.0, inertia=tuple(INERTIA), gravity=tuple(gravity), **start)
    scene = Scene(
        parts={
            "body": body,
            "push": Source(functions=tuple(push)),
            "twist": Source(functions=(twist[0], lambda t: twist[1] * sin(2 * t), twist[2])),
        },
        wires=[Wire("body.force", ["push.force"]), Wire("body.moment", ["twist.force"])],
    )
    run = simulate(scene, duration=2.0, step=1e-3, method=method, record=0.1)

    def rates(t, y):
        (w, *imaginary), spin = y[:4], y[4:7]
        turn = Rotation.from_quat([*imaginary, w])
        moment = turn.inv().apply(twist * [1, math.sin(2 * t), 1])
        quaternion = 0.5 * np.array([-np.dot(imaginary, spin), *(w * spin + np.cross(imaginary, spin))])
        return [*quaternion, *((moment - np.cross(spin, INERTIA * spin)) / INERTIA)]

    y = solve_ivp(rates, (0, 2), [*body.quaternion, *body.angular], t_eval=run.time, rtol=1e-10, atol=1e-12).y
    error = {1: 3e-3, 2: 5e-6, 4: 1e-8}[order(method)]
    np.testing.assert_allclose(np.linalg.norm(run.stack("body.quaternion"), axis=1), 1, atol=1e-14)
    np.testing.assert_allclose(run.stack("body.quaternion"), y[:4].T, atol=error)
    np.testing.assert_allclose(run.stack("body.angular"), y[4:].T, atol=2 * error)
    fall = push / 2.0 + gravity
    way = np.outer(run.time, body.velocity) + np.outer(run.time**2 / 2, fall)
    np.testing.assert_allclose(run.stack("body.position"), way, atol=error)


def hung(angle, stiffness, law):
    """A body of 1 kg that hangs on a hinge along y, 0.3 m above its centre of mass."""
    ports = ("position", "quaternion", "velocity", "angular")
    hinge = PenaltyJoint(
        anchor_b=(0, 0, 0.3),
        axis=(0, 2, 0),
        stiffness=stiffness,
        damping=50.0,
        turning_stiffness=1e3,
        turning_damping=1.0,
        law=law,
    )
    bob = FreeBody(
        mass=1.0,
        inertia=(0.02,) * 3,
        quaternion=(math.cos(angle / 2), 0, math.sin(angle / 2), 0),
        position=(-0.3 * math.sin(angle), 0, -0.3 * math.cos(angle)),
    )
    return Scene(
        parts={"bob": bob, "world": Fixed(), "hinge": hinge},
        wires=[
            *(Wire(f"hinge.{port}_a", [f"world.{port}"]) for port in ports),
            *(Wire(f"hinge.{port}_b", [f"bob.{port}"]) for port in ports),
            Wire("bob.force", ["hinge.force_b"]),
            Wire("bob.moment", ["hinge.moment_b"]),
        ],
    )


def test_a_body_on_a_hinge_is_a_pendulum():
    """The stiffer the joint, the more so: its give, m g/K, makes the period a little longer, in proportion to 1/K."""
    inertia = 0.02 + 0.3**2
    times = np.linspace(0, 2, 41)

    def rates(_, y):
        return [y[1], (-9.81 * 0.3 * math.sin(y[0]) - 0.05 * y[1]) / inertia]

    angle = solve_ivp(rates, (0, 2), [0.5, 0.0], t_eval=times, rtol=1e-10, atol=1e-12).y[0]
    errors = []
    for stiffness in (1e5, 4e5):
        run = simulate(hung(0.5, stiffness, Viscous(coefficient=0.05)), duration=2.0, step=2e-4, record=0.05)
        x, z = run["bob.position.x"], run["bob.position.z"]
        np.testing.assert_allclose(run["bob.position.y"], 0, atol=1e-12)
        errors.append(np.abs(np.arctan2(-x, -z) - angle).max())
    assert errors[0] < 1e-3 and errors[0] / errors[1] == pytest.approx(4, rel=0.05)


def test_a_hinge_stores_what_hangs_on_it():
    """m g bend it by m g/K: half of that product is elastic energy."""
    scene = hung(0.0, 1e5, Viscous(coefficient=0.05))
    run = simulate(scene, duration=2.0, step=2e-4, record=0.1, energy=True)
    assert run["bob.position.z"][-1] == pytest.approx(-0.3 - 9.81 / 1e5, rel=1e-9)
    assert run["energy.elastic"][-1] == pytest.approx(9.81**2 / (2 * 1e5), rel=1e-6)
    assert run["loss.hinge"][-1] == pytest.approx(9.81**2 / (2 * 1e5), rel=1e-6), "and half is lost while it swings"


def test_friction_about_a_hinge_holds_a_body():
    """m g l sin 0.3 = 0.87 N·m, by Coulomb friction of 1 N·m; by one of 0.8 N·m it swings."""
    for level, holds in ((1.0, True), (0.8, False)):
        scene = hung(0.3, 1e5, Coulomb(level=level, stiffness=2e3, damping=10.0))
        run = simulate(scene, duration=2.0, step=2e-4, record=0.1)
        x = run["bob.position.x"] + 0.3 * math.sin(0.3)
        assert bool(np.abs(x).max() < 1e-3) is holds
        if holds:
            assert 2e3 * run["hinge.bend"][-1] == pytest.approx(9.81 * run["bob.position.x"][-1], rel=1e-9)


@pytest.mark.parametrize("own", [None, (0.0, 0.5, 0.0)])
def test_bodies_fall_as_their_scene_says(own):
    """Unless they have a gravity of their own."""
    ball = FreeBody(mass=2.0, inertia=(0.1, 0.1, 0.1), gravity=own)
    run = simulate(Scene(parts={"ball": ball}, gravity=(1.0, 2.0, -3.0)), duration=1.0, step=0.01, record=1.0)
    fell = [run[f"ball.velocity.{c}"][-1] for c in "xyz"]
    assert fell == pytest.approx(own or (1.0, 2.0, -3.0), abs=1e-12)
