"""Motion given in time: it is kept, and the force that it takes is told."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stiction
from stiction import Coulomb, InputError, Scene, SceneError, Table, Term, Wire, simulate
from stiction.parts import ImposedMotion, Mass, SpringDamper
from stiction.trace import sin
from tests.scenes import flywheel


def pulled():
    """A mass that moves by 0.1 sin 5t pulls another by a spring."""
    parts = {
        "m": Mass(mass=2.0, velocity=0.5),
        "n": Mass(mass=1.0),
        "spring": SpringDamper(stiffness=50.0, damping=1.0),
        "drive": ImposedMotion(function=lambda t: 0.1 * sin(5 * t)),
    }
    wires = [Wire(f"drive.{what}", [f"m.{what}"]) for what in ("position", "velocity")]
    wires += [Wire(f"spring.{what}", [f"m.{what}", Term(f"n.{what}", -1.0)]) for what in ("position", "velocity")]
    wires += [Wire("m.force", ["drive.torque", Term("spring.force", -1.0)]), Wire("n.force", ["spring.force"])]
    return Scene(parts=parts, wires=wires)


@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("method", ["moreau", "gears_implicit", "gears_semi_implicit"])
def test_a_mass_that_moves_as_it_is_told(method, step):
    """Positions to h³, velocities to h²; the force is that of the middle of each step; its work is what was put in."""
    run = simulate(pulled(), duration=4.0, step=step, method=method, energy=True)
    t = run.time

    def rates(t, y):
        return [y[1], 50 * (0.1 * np.sin(5 * t) - y[0]) + 0.5 * np.cos(5 * t) - y[1]]

    x, v = solve_ivp(rates, (0, 4), [0, 0], t_eval=t, rtol=1e-10, atol=1e-12).y
    force = -5 * np.sin(5 * t) + 50 * (0.1 * np.sin(5 * t) - x) + 0.5 * np.cos(5 * t) - v
    assert np.abs(run["m.position"] - 0.1 * np.sin(5 * t)).max() < 10 * step**3
    assert np.abs(run["m.velocity"] - 0.5 * np.cos(5 * t)).max() < 10 * step**2
    assert np.abs(run["n.position"] - x).max() < 3 * step**2
    middle = np.interp(t - step / 2, t, force)
    assert np.abs(run["drive.torque"] - middle)[3:].max() < 120 * step**2 * 10
    total = run["energy.kinetic"] + run["energy.elastic"] + run["loss.spring"] - run["energy.kinetic"][0]
    np.testing.assert_allclose(run["work.drive"], total, atol=1e-6 + 100 * step**3)


def test_a_joint_of_an_arm_that_moves_as_it_is_told():
    """The other joint feels it: against SciPy, which solves for the rest; the torque is that of inverse dynamics."""
    robot = stiction.library.two_link()
    scene = Scene(robot=robot, motion={"shoulder": lambda t: 0.5 * sin(3 * t)}, gravity=(0, -9.81, 0))
    assert scene.v == pytest.approx((1.5, 0.0), abs=1e-9)
    run = simulate(scene, duration=2.0, step=1e-3)

    def parts(t, y):
        q, v = [0.5 * np.sin(3 * t), y[0]], [1.5 * np.cos(3 * t), y[1]]
        M = robot.mass_matrix(q)
        b = robot.inverse_dynamics(q, v, np.zeros(2), gravity=(0, -9.81, 0))
        a = -4.5 * np.sin(3 * t)
        b_elbow = -(b[1] + M[1, 0] * a) / M[1, 1]
        return b_elbow, b[0] + M[0, 0] * a + M[0, 1] * b_elbow

    exact = solve_ivp(lambda t, y: [y[1], parts(t, y)[0]], (0, 2), [0, 0], t_eval=run.time, rtol=1e-10, atol=1e-12).y
    np.testing.assert_allclose(run["q.elbow"], exact[0], atol=2e-4)
    torque = np.array([parts(t, y)[1] for t, y in zip(run.time, exact.T, strict=True)])
    middle = np.interp(run.time - 5e-4, run.time, torque)
    np.testing.assert_allclose(run["motion.shoulder"][3:], middle[3:], atol=2e-3 * np.abs(torque).max())


def test_it_takes_friction_along():
    """Pulled evenly over dry friction the force is the friction; at rest it is none."""
    law = Coulomb(level=0.4)
    motion = Table(time=[0.0, 1.0, 2.0], value=[0.0, 0.5, 0.5])
    run = simulate(
        Scene(robot=flywheel(0.02), friction={"axle": law}, motion={"axle": motion}), duration=2.0, step=1e-3
    )
    moving = (run.time > 0.1) & (run.time < 0.9)
    np.testing.assert_allclose(run["motion.axle"][moving], 0.4, rtol=1e-6)
    told = np.interp(run.time, [0, 1, 2], [0, 0.5, 0.5])
    np.testing.assert_allclose(run["q.axle"], told, atol=0.5 * 1e-3 / 2)  # at the kink two steps smooth what is asked
    assert np.abs(run["q.axle"] - told)[run.time > 1.002].max() < 1e-12


def test_what_is_refused():
    robot = flywheel(0.02)
    with pytest.raises(SceneError, match="q of 'axle' is 1, and its motion begins at 0"):
        Scene(robot=robot, motion={"axle": lambda t: sin(t)}, q=[1.0])
    with pytest.raises(InputError, match=r"'motion\.axle' begins at 0\.3, where its motion does not"):
        simulate(Scene(robot=robot, motion={"axle": 0.0}), duration=1.0, step=1e-3, parameters={"q.axle": 0.3})
    with pytest.raises(InputError, match="needs method 'moreau'; got 'rk4'"):
        simulate(Scene(robot=robot, motion={"axle": 0.0}), duration=1.0, step=1e-3, method="rk4")
    with pytest.raises(SceneError, match="unknown joint 'wheel'"):
        Scene(robot=robot, motion={"wheel": 0.0})


def test_files(tmp_path):
    scene = Scene(robot=flywheel(0.02), motion={"axle": stiction.Formula("0.2*sin(3*t)")})
    stiction.write_scene(tmp_path / "a.toml", scene, duration=1.0, step=1e-3)
    read = stiction.read_scene(tmp_path / "a.toml").scene
    assert read.motion["axle"](1.0) == scene.motion["axle"](1.0)


def test_tables_with_any_times_and_starts_as_parameters():
    table = Table(time=[0, 0.1, 0.3], value=[0, 0.1, 0])
    run = simulate(Scene(robot=flywheel(0.02), motion={"axle": table}), duration=0.4, step=1e-3)
    np.testing.assert_allclose(run["q.axle"], np.interp(run.time, table.time, table.value), atol=1e-3)
    scene = Scene(robot=flywheel(0.02), motion={"axle": 0.1})
    with pytest.raises(InputError, match=r"'motion\.axle' begins at 0\.1, where its motion does not"):
        simulate(scene, duration=0.1, step=1e-3, parameters={"motion.axle.function": [0.1, 0.2]})
