"""Bodies that slide, roll, bounce, rock and fall in contact, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stiction import (
    Box,
    Capsule,
    Contacts,
    HalfSpace,
    Link,
    Moreau,
    Origin,
    Points,
    Robot,
    Scene,
    Simulator,
    Sphere,
    Surface,
    simulate,
)
from stiction.parts import Fixed, FreeBody
from stiction.robot import Joint
from tests.contact.scenes import FLOOR, Slope, chain

G = 9.81
POINT = (Points(points=[(0, 0, 0)]),)


@pytest.mark.parametrize("step", [1e-4, 1e-3, 2e-3, 5e-3])
def test_a_block_slides_down(step):
    slope = Slope(25, Surface(static=0.3))
    way = slope.way(simulate(slope.scene, duration=1.0, step=step))
    assert np.isclose(2 * way[-1], -1.478621330, atol=1e-8)


@pytest.mark.parametrize("method", [None, Moreau(scheme="gill"), Moreau(contact="momentum", scheme="gill", fade=0.0)])
def test_a_block_thrown_up_stops_and_slides_back(method):
    """Stops after 0.293550018 s and m, with kinetic friction at full strength to the end."""
    slope = Slope(25, Surface(static=0.3), speed=2.0)
    run = simulate(slope.scene, duration=0.5, step=1e-3, method=method)
    way, speed = slope.way(run), slope.speed(run)
    assert np.isclose(way.max(), 0.293550018, atol=1e-5)
    assert np.isclose(run.time[np.argmax(speed <= 0)], 0.293550018, atol=1e-3)
    assert way[-1] < way.max() - 0.02


@pytest.mark.parametrize("step", [1e-4, 1e-3, 2e-3])
def test_a_sphere_slips_and_then_rolls(step):
    """network.md I without the drop: slip ends at 0.583090 s with 1.428571 m/s and 7.142857 rad/s."""
    ball = FreeBody.of(Sphere(radius=0.2, mass=0.3), position=(0, 0, 0.2), velocity=(2.0, 0, 0))
    scene = Scene(parts={"ball": ball, **FLOOR}, gravity=(0, 0, -9.8), contacts=Contacts(surface=Surface(static=0.1)))
    run = simulate(scene, duration=2.0, step=step)
    slip = run["ball.velocity.x"] - 0.2 * run["ball.angular.y"]
    ends = run.time[np.argmax(np.abs(slip) < 1e-9)]
    assert 0.583090 - 1e-9 <= ends <= 0.583090 + 2 * step
    assert np.isclose(run["ball.velocity.x"][-1], 10 / 7, atol=1e-6)
    assert np.isclose(run["ball.angular.y"][-1], 50 / 7, atol=1e-6)
    assert np.abs(slip[-1]) < 1e-11


def test_a_capsule_rolls_down_a_slope():
    """It rolls about its axis: a = g sin φ / (1 + I/(m r²))."""
    angle, radius = 0.3, 0.05
    solid = Capsule(radius=radius, length=0.2, mass=2.0, origin=Origin(rpy=(np.pi / 2, 0, 0)))
    inertia = np.diag(solid.inertia)
    origin = Origin(rpy=(0, -angle, 0))
    body = FreeBody.of(solid, position=origin.rotation @ [0, 0, radius])
    scene = Scene(parts={"roll": body, "slope": Fixed(shapes=(HalfSpace(origin=origin),))})
    run = simulate(scene, duration=1.0, step=1e-3)
    along = origin.rotation @ [1, 0, 0]
    speed = sum(run[f"roll.velocity.{c}"][-1] * x for c, x in zip("xyz", along, strict=True))
    assert np.isclose(-speed, G * np.sin(angle) / (1 + inertia[1] / (2.0 * radius**2)), rtol=1e-6)


@pytest.mark.parametrize("step", [1e-4, 1e-3])
def test_a_ball_bounces_and_comes_to_rest(step):
    ball = FreeBody.of(Sphere(radius=0.1, mass=1.0), position=(0, 0, 1.1))
    scene = Scene(parts={"ball": ball, **FLOOR}, contacts=Contacts(surface=Surface(restitution=0.8)))
    run = simulate(scene, duration=5.0, step=step, record=1e-3)
    speed, height = run["ball.velocity.z"], run["ball.position.z"] - 0.1
    assert np.isclose(run.time[np.argmax(speed > 0)], 0.451523641, atol=1e-3 + step)
    second = height[(run.time > 0.5) & (run.time < 1.1)].max()
    assert np.isclose(second, 0.64, atol=4 * step)  # e² h
    assert np.abs(speed[run.time > 4.063712769 + 0.05 + 300 * step]).max() < 1e-9
    assert height.min() > -2e-8


def test_nothing_bounces_without_restitution():
    ball = FreeBody.of(Sphere(radius=0.1, mass=1.0), position=(0, 0, 1.1))
    run = simulate(Scene(parts={"ball": ball, **FLOOR}), duration=1.0, step=1e-3)
    assert np.abs(run["ball.velocity.z"][460:]).max() < 1e-7 * np.sqrt(2 * G)  # its softness
    assert np.abs(run["ball.velocity.z"][600:]).max() < 1e-10
    assert run["ball.position.z"].min() > 0.1 - 1e-9


def test_two_balls_exchange_their_speeds():
    balls = {
        name: FreeBody.of(Sphere(radius=0.1, mass=1.0), position=(x, 0, 0), velocity=(v, 0, 0))
        for name, x, v in (("a", -0.5, 1.0), ("b", 0.0, 0.0))
    }
    scene = Scene(parts=balls, gravity=(0, 0, 0), contacts=Contacts(surface=Surface(static=0.0, restitution=1.0)))
    run = simulate(scene, duration=1.0, step=1e-3)
    assert np.isclose(run["a.velocity.x"][-1], 0.0, atol=1e-7)
    assert np.isclose(run["b.velocity.x"][-1], 1.0, atol=1e-7)


def test_a_block_rocks_as_housner_says():
    """A slender block that tips back onto its other edge keeps (1 − 3/2 sin² α) of its angular velocity."""
    wide, high = 0.2, 0.6
    alpha = np.arctan(wide / high)
    tilt = 0.1
    corner = np.array([wide / 2, 0.0])  # the edge about which it turns, in the plane x–z
    to_center = np.array([-wide / 2, high / 2])
    c, s = np.cos(tilt), np.sin(tilt)
    center = corner + np.array([[c, s], [-s, c]]) @ to_center  # turned about y by tilt
    block = FreeBody.of(
        Box(size=(wide, 0.2, high), mass=5.0),
        position=(center[0], 0, center[1]),
        quaternion=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0),
    )
    scene = Scene(parts={"block": block, **FLOOR}, contacts=Contacts(surface=Surface(static=2.0)))
    run = simulate(scene, duration=1.2, step=1e-4)
    w = run["block.angular.y"]
    impact = int(np.argmin(w))
    slowing = (w[impact + 9] - w[impact + 4]) / 5  # in a step, as it rises on the other edge
    after = w[impact + 4] - 3 * slowing
    assert np.isclose(after / w[impact], 1 - 1.5 * np.sin(alpha) ** 2, rtol=1e-3)


def test_a_rod_slides_out_without_friction():
    """A thin rod on a smooth floor, whose centre falls straight:
    φ'' (1/12 + sin² φ/4) + φ'² sin φ cos φ/4 = g/(2 l) sin φ.
    """
    length = 1.0
    rod = FreeBody(
        mass=1.0,
        inertia=(1 / 12, 1 / 12, 1e-4),
        position=(0, 0, 0.5 * np.cos(0.3)),
        quaternion=(np.cos(0.15), 0, np.sin(0.15), 0),
        shapes=(Points(points=[(0, 0, -length / 2)]),),
    )
    scene = Scene(parts={"rod": rod, **FLOOR}, contacts=Contacts(surface=Surface(static=0.0)))

    def flow(_, y):
        phi, rate = y
        pull = G / (2 * length) * np.sin(phi) - rate**2 * np.sin(phi) * np.cos(phi) / 4
        return [rate, pull / (1 / 12 + np.sin(phi) ** 2 / 4)]

    exact = solve_ivp(flow, (0, 0.4), [0.3, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]
    errors = []
    for step in (1e-3, 5e-4):
        run = simulate(scene, duration=0.4, step=step)
        angle = 2 * np.arctan2(run["rod.quaternion.y"][-1], run["rod.quaternion.w"][-1])
        errors.append(abs(angle - exact[0]))
        assert abs(run["rod.position.x"][-1]) < 1e-12
    assert errors[0] < 1e-5
    assert errors[1] < errors[0] / 1.8


def test_energy_is_lost_and_never_gained():
    run = simulate(chain(6), duration=2.0, step=1e-3, energy=True)
    total = run["energy.kinetic"] + run["energy.potential"]
    lost = run["loss.contact"] + sum(run[f"loss.friction.joint{k}"] for k in range(1, 7))
    assert (np.diff(run["loss.contact"]) > -1e-5).all()
    turned_over = np.ptp(run["energy.potential"])
    assert np.abs(total - total[0] + lost).max() < 0.01 * turned_over
    assert (np.diff(total) < 1e-4 * turned_over).all()


def test_lanes_have_the_same_bits():
    q = -np.pi / 3 + np.linspace(0, 0.01, 11)
    scene = chain(6)
    many = simulate(scene, duration=1.0, step=1e-3, parameters={"q.joint1": q}, record=1.0)
    for some in (slice(0, 1), slice(3, 5), slice(2, 11)):
        few = simulate(scene, duration=1.0, step=1e-3, parameters={"q.joint1": q[some]}, record=1.0)
        for name in few.signals:
            assert np.array_equal(few[name], many[name][:, some]), name


def test_a_run_that_goes_on_has_the_same_bits():
    scene = chain(3, height=0.25)
    whole = simulate(scene, duration=1.0, step=1e-3)
    half = simulate(scene, duration=0.5, step=1e-3)
    rest = simulate(scene, duration=0.5, step=1e-3, start=half.state)
    assert all(np.array_equal(rest[name][-1], whole[name][-1]) for name in rest.signals)


def test_a_simulator_steps_and_resets():
    scene = chain(3, height=0.25)
    run = simulate(scene, duration=0.8, step=1e-3)
    sim = Simulator(scene, step=1e-3, runs=4, outputs=["q."])
    for _ in range(8):
        seen = sim.step(steps=100)
    assert np.isclose(seen[:, 2], run["q.joint3"][-1], atol=1e-12).all()
    sim.reset([False, True, False, False])
    assert (sim.state["contact.1.candidate"][[1, 0]] == [-1, run["contact.1.candidate"][-1]]).all()
    seen = sim.step(steps=100)
    first = simulate(scene, duration=0.1, step=1e-3)
    assert np.isclose(seen[1, 0], first["q.joint1"][-1], atol=1e-12)


def test_a_body_that_passes_an_edge_is_not_caught():
    """A fast point beside a table, 1 mm from its edge, falls past it."""
    point = FreeBody(
        mass=1.0,
        inertia=(1e-3,) * 3,
        position=(0.101, 0, 0.2),
        velocity=(0, 0, -8.0),
        shapes=(Points(points=[(0, 0, 0)]),),
    )
    table = Fixed(shapes=(Box(size=(0.2, 0.2, 0.1)),))
    run = simulate(Scene(parts={"point": point, "table": table}), duration=0.05, step=1e-3)
    assert np.isclose(run["point.velocity.z"][-1], -8 - 0.05 * G, atol=1e-9)


@pytest.mark.parametrize("speed", [1.0, 20.0, 100.0])
def test_a_fast_point_does_not_tunnel(speed):
    """5 cm thick, at 100 m/s and 1 ms: ten centimetres a step."""
    point = FreeBody(
        mass=1.0,
        inertia=(1e-3,) * 3,
        position=(0.01, 0.02, 0.5),
        velocity=(0, 0, -speed),
        shapes=(Points(points=[(0, 0, 0)]),),
    )
    table = Fixed(shapes=(Box(size=(0.2, 0.2, 0.05)),))
    run = simulate(Scene(parts={"point": point, "table": table}), duration=0.6, step=1e-3)
    assert run["point.position.z"].min() > 0.025 - 1e-9 * speed
    assert np.isclose(run["point.position.z"][-1], 0.025, atol=1e-9)


def test_a_chain_of_links_that_touch_each_other():
    """Links that are not neighbours touch: a folded chain does not go through itself."""
    bar = Box(size=(0.3, 0.04, 0.04), mass=1.0, origin=Origin(xyz=(0.15, 0, 0)))
    links = [Link(name="base"), *(Link.of(f"link{k}", bar) for k in (1, 2, 3))]
    joints = [
        Joint(
            name=f"joint{k}",
            kind="continuous",
            parent=links[k - 1].name,
            child=links[k].name,
            axis=(0, 0, 1),
            origin=Origin(xyz=(0.0 if k == 1 else 0.3, 0, 0)),
            damping=0.02,
        )
        for k in (1, 2, 3)
    ]
    scene = Scene(
        robot=Robot(name="folding", links=links, joints=joints),
        gravity=(0, 0, 0),
        torque={"joint2": 0.5, "joint3": 0.5},
        contacts=Contacts(),
        q={"joint2": 0.5, "joint3": 0.5},
    )
    run = simulate(scene, duration=3.0, step=1e-3, record=1e-2)
    turned = run["q.joint2"] + run["q.joint3"]
    assert turned.max() < 2 * np.pi
    assert run["contacts_wanted"][-1] > 0
    assert min(run[f"contact.{k}.gap"].min() for k in range(1, 9)) > -1e-3
