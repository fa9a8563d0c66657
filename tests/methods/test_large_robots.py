"""Large robots: rows on joints without a mass matrix, against the same scenes with one, and against other solvers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import stiction
from stiction import Clock, Coulomb, Curve, Dahl, LuGre, Scene, Stribeck, Viscous, simulate
from stiction.control import PID
from stiction.drive import DCMotor, Drive, Gear
from stiction.methods import masses, method_for
from stiction.network import Term, Wire, programs
from stiction.parts import EndStop, Friction, Mass, robot_body
from stiction.trace import sin, where
from tests.machines import random_robot

N = 13
LAWS = {
    "Coulomb": Coulomb(level=0.02),
    "viscous": Coulomb(level=0.02, viscous=0.005),
    "two ways": Coulomb(level=(0.02, 0.03)),
    "LuGre": LuGre(level=0.02, static=0.03, velocity=0.05, stiffness=20.0, damping=0.02, viscous=0.001),
    "Dahl": Dahl(level=0.02, stiffness=5.0),
    "only viscous": Viscous(coefficient=0.003),
    "rising": Curve(function=lambda w: 0.02 + 0.01 * w / (1 + w)),
}


def both_ways(monkeypatch, scene, limit=12, **how):
    """The same run without a mass matrix where there are more joints than that, and with one."""
    runs = []
    for written in (limit, 1000):
        monkeypatch.setattr(masses, "WRITTEN", written)
        monkeypatch.setattr(robot_body, "WRITTEN", written)
        monkeypatch.setenv("STICTION_CACHE", "")
        programs._programs.clear()
        runs.append(simulate(scene, **({"duration": 0.15, "step": 1e-3, "method": "moreau"} | how)))
    programs._programs.clear()
    return runs


def agree(a, b, tolerance):
    for name, x in a.signals.items():
        scale = max(1.0, np.abs(x).max())
        assert np.abs(x - b[name]).max() < tolerance * scale, name


def chain_with(law, **more):
    robot = stiction.library.chain(N)
    return Scene(robot=robot, friction=dict.fromkeys(robot.velocity_names, law), q=np.linspace(0.1, 0.5, N), **more)


@pytest.mark.parametrize(
    ("law", "method"), [*((law, "moreau") for law in LAWS), ("Coulomb", "gears_implicit"), ("rising", "gears_implicit")]
)
def test_every_law_as_with_a_matrix(law, method, monkeypatch):
    a, b = both_ways(monkeypatch, chain_with(LAWS[law]), method=method)
    agree(a, b, 1e-9)
    assert np.ptp(a["q.joint1"]) > 1e-3


@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
def test_falling_friction_as_with_a_matrix(step, monkeypatch):
    law = Stribeck(level=0.02, static=0.03, velocity=0.05, viscous=0.001)
    a, b = both_ways(monkeypatch, chain_with(law), step=step)
    agree(a, b, 1e-9)


def test_drives_and_controllers_as_with_a_matrix(monkeypatch):
    motor = DCMotor(resistance=1.0, constant=0.05, rotor_inertia=1e-5, inductance=2e-3)
    robot = stiction.library.chain(N)
    scene = Scene(
        robot=robot,
        friction=dict.fromkeys(robot.velocity_names, Coulomb(level=0.02)),
        drives=dict.fromkeys(robot.velocity_names, Drive(motor=motor, gear=Gear(ratio=20.0))),
        control=dict.fromkeys(
            robot.velocity_names,
            PID(clock=Clock(period=2e-3), proportional=20.0, derivative=0.5, integral=5.0, limit=24.0),
        ),
        reference={joint: 0.01 * k for k, joint in enumerate(robot.velocity_names)},
    )
    a, b = both_ways(monkeypatch, scene)
    agree(a, b, 1e-8)


@pytest.mark.parametrize(
    ("gear", "method"),
    [(Gear(ratio=20.0, efficiency=0.8), "moreau"), (Gear(ratio=20.0), stiction.Moreau(softness=1e-4))],
    ids=["lossy gears", "soft rows"],
)
def test_what_takes_a_matrix_has_one(gear, method, monkeypatch):
    """Two rows on each joint, and rows that give, are not found by locking joints."""
    motor = DCMotor(resistance=1.0, constant=0.05, rotor_inertia=1e-5)
    robot = stiction.library.chain(N)
    names = robot.velocity_names
    scene = Scene(
        robot=robot,
        friction=dict.fromkeys(names, Coulomb(level=0.02)),
        drives=dict.fromkeys(names, Drive(motor=motor, gear=gear)),
        torque={names[0]: 3.0},
        q=np.linspace(0.1, 0.5, N),
    )
    a, b = both_ways(monkeypatch, scene, duration=0.03, method=method)
    agree(a, b, 1e-9)
    assert np.ptp(a["q.joint1"]) > 1e-3


def test_end_stops_as_with_a_matrix(monkeypatch):
    """What rests at a stop may be held by it or by friction: when it is said to have left may differ by a step, and
    with it from where the next is extrapolated.
    """
    robot = stiction.library.chain(N)
    limits = stiction.Limits(lower=-0.4, upper=0.6)
    robot = replace(robot, joints=[replace(joint, limits=limits) for joint in robot.joints])
    scene = Scene(
        robot=robot, friction=dict.fromkeys(robot.velocity_names[::2], Coulomb(level=0.02)), q=np.full(N, 0.3)
    )
    a, b = both_ways(monkeypatch, scene, duration=0.3)
    q = np.array([a[f"q.{joint}"] for joint in robot.velocity_names])
    assert q.min() > -0.4 - 1e-12 and q.max() < 0.6 + 1e-12 and (np.abs(q - 0.6) < 1e-9).any()
    for joint in robot.velocity_names:
        np.testing.assert_allclose(a[f"q.{joint}"], b[f"q.{joint}"], atol=1e-4)


def test_bounces_as_with_a_matrix(monkeypatch):
    """A stop that gives back half of the speed, at one joint of many that hang on each other."""
    robot = stiction.library.chain(N)
    parts = {"stop": EndStop(lower=-0.05, upper=0.35, restitution=0.5)}
    pick = [[float(k == 2) for k in range(N)]]
    wires = [
        Wire("stop.position", [Term("robot.q", pick)]),
        Wire("stop.velocity", [Term("robot.v", pick)]),
        Wire("robot.torque", [Term("stop.torque", [[-x] for x in pick[0]])]),
    ]
    scene = Scene(robot=robot, parts=parts, wires=wires, q=np.full(N, 0.3), v=np.full(N, 0.5))
    a, b = both_ways(monkeypatch, scene, duration=0.2)
    assert (np.abs(np.diff(a["v.joint3"])) > 0.3).any()
    agree(a, b, 1e-6)


def test_imposed_motion_as_with_a_matrix(monkeypatch):
    """One joint moves as it is told, the others hang on it with friction."""
    robot = stiction.library.chain(N)
    friction = dict.fromkeys(robot.velocity_names[1:], Coulomb(level=0.02))
    scene = Scene(robot=robot, friction=friction, motion={"joint1": lambda t: 0.2 * sin(8 * t)}, gravity=(0, 0, 0))
    a, b = both_ways(monkeypatch, scene)
    agree(a, b, 1e-8)
    np.testing.assert_allclose(a["q.joint1"], 0.2 * np.sin(8 * a.time), atol=1e-6)


def test_several_bodies_as_with_a_matrix(monkeypatch):
    """Two robots, one of them large, and a mass, all with friction."""
    small = stiction.library.pendulum(2)
    robots = {"snake": stiction.library.chain(N), "arm": small}
    joints = [f"snake.{joint}" for joint in robots["snake"].velocity_names] + ["arm.joint1", "arm.joint2"]
    parts = {"mass": Mass(mass=0.5, velocity=1.0), "rub": Friction(law=Coulomb(level=0.3))}
    wires = [Wire("rub.velocity", ["mass.velocity"]), Wire("mass.force", [Term("rub.torque", -1.0)])]
    scene = Scene(
        robots=robots,
        parts=parts,
        wires=wires,
        friction=dict.fromkeys(joints, Coulomb(level=0.02)),
        q={"snake.joint3": 0.5, "arm.joint1": 0.4},
    )
    a, b = both_ways(monkeypatch, scene)
    agree(a, b, 1e-6)  # the small arm's gyroscopic terms are extrapolated beside a large robot, with slopes otherwise
    assert a["mass.velocity"][-1] == pytest.approx(1 - 0.15 * 0.3 / 0.5, rel=1e-9)


def test_every_kind_of_joint(monkeypatch):
    robot = random_robot(
        5, ["floating", *["revolute", "spherical", "prismatic", "universal", "planar"] * 2], branching=0.4
    )
    single = [joint.name for joint in robot.joints if joint.kind in ("revolute", "prismatic")]
    scene = Scene(robot=robot, friction=dict.fromkeys(single, Coulomb(level=0.5)))
    a, b = both_ways(monkeypatch, scene, duration=0.05)
    agree(a, b, 1e-8)


def test_batches_and_energy(monkeypatch):
    scene = chain_with(Coulomb(level=0.02, viscous=0.002))
    parameters = {"friction.joint3.level": np.array([0.01, 0.02, 0.5]), "robot.link5.mass": np.array([0.2, 0.3, 0.4])}
    a, b = both_ways(monkeypatch, scene, parameters=parameters, energy=True)
    agree(a, b, 1e-8)
    one = {name: float(x[1]) for name, x in parameters.items()}
    alone = simulate(scene, duration=0.15, step=1e-3, method="moreau", parameters=one)
    np.testing.assert_allclose(a["q.joint13"][:, 1], alone["q.joint13"], atol=1e-12)


@pytest.mark.parametrize("n", [30, 60])
def test_chains_on_which_pivoting_ran_out(n):
    """Equal pendulums at 0.01 rad with 1 N·m each, from rest: the first torques minimise the energy after the step."""
    robot, h = stiction.library.pendulum(n), 1e-3
    q = np.full(n, 0.01)
    scene = Scene(robot=robot, friction=dict.fromkeys(robot.velocity_names, Coulomb(level=1.0)), q=q)
    run = simulate(scene, duration=0.02, step=h)
    assert run["residual"].max() < 1e-9 and not run.notes
    A = np.linalg.inv(robot.mass_matrix(q))
    L = np.linalg.cholesky(A)
    free = -h * A @ robot.gravity_torque(q)
    expected = lsq_linear(L.T, np.linalg.solve(L, free), (-h, h), tol=1e-15, max_iter=1000).x / h
    found = np.array([run[f"friction.{joint}"][1] for joint in robot.velocity_names])
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_twenty_joints_that_break_away_in_one_step():
    """A chain at rest on a table (no gravity) whose joints are all pushed beyond break-away at once."""
    n = 20
    robot = stiction.library.chain(n)
    pushes = {joint: (lambda t: where(t > 0.0105, 0.05, 0)) for joint in robot.velocity_names}
    scene = Scene(
        robot=robot, gravity=(0, 0, 0), friction=dict.fromkeys(robot.velocity_names, Coulomb(level=0.02)), torque=pushes
    )
    run = simulate(scene, duration=0.03, step=1e-3)
    modes = np.array([run[f"mode.{joint}"] for joint in robot.velocity_names])
    assert not modes[:, :10].any() and (modes[:, 12] == 2).sum() > 4 and run["residual"].max() < 1e-9
    moved = np.array([run[f"q.{joint}"] for joint in robot.velocity_names])
    assert not moved[:, :10].any()


@pytest.mark.parametrize("n", [13, 40])
def test_it_is_the_default_at_any_size(n):
    robot = stiction.library.chain(n)
    scene = Scene(robot=robot, friction=dict.fromkeys(robot.velocity_names, LAWS["Coulomb"]))
    assert method_for(scene.network)[0].title == "moreau"
