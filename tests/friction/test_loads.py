"""Friction whose level follows something: clutches, brakes, temperatures."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stiction
from stiction import Coulomb, Curve, Dahl, FrictionSite, LuGre, Scene, SceneError, Stribeck, Term, Wire, simulate
from stiction.parts import Friction, Mass, Source
from stiction.trace import exp, sin, where
from tests.scenes import flywheel

METHODS = ["moreau", "gears_implicit", "gears_semi_implicit", "rk4", "rosenbrock"]


def pressing(t):
    return where(t < 0.5, 0, 20 * (t - 0.5))


def braked(law, **load):
    site = FrictionSite(law=law, joints={"axle": 1}, **load)
    return Scene(robot=flywheel(0.02), friction={"brake": site}, v=[10.0], torque={"axle": 0.3})


@pytest.mark.parametrize("step", [1e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("method", METHODS)
def test_a_brake_that_is_pressed(method, step):
    """J v̇ = T − μ N(t) stops at a time that is known, and holds from there on with T, whatever it could."""
    run = simulate(braked(Coulomb(level=0.05), load=pressing), duration=3.0, step=step, method=method)
    # v(t) = 10 + 15 t − 25 (t − 1/2)²  [rad/s]
    stop = np.roots([-25, 15 + 25, 10 - 25 / 4]).max()
    sliding = run.time < stop - 0.02
    exact = 10 + 15 * run.time - 25 * np.maximum(0, run.time - 0.5) ** 2
    np.testing.assert_allclose(run["v.axle"][sliding], exact[sliding], atol=0.02 if method == "rk4" else 5e-3)
    assert np.abs(run["v.axle"][run.time > stop + 0.1]).max() < 1e-6
    assert run["friction.brake"][-1] == pytest.approx(0.3, rel=1e-6)
    assert run["margin.brake"][-1] == pytest.approx(0.05 * 50 - 0.3, rel=1e-6)
    assert run["load.brake"][-1] == 50.0


LAWS = {
    "Stribeck": Stribeck(level=0.05, static=0.06, velocity=0.1),
    "Curve": Curve(function=lambda w: 0.05 + 0.01 * exp(-w / 0.1)),
    "Dahl": Dahl(level=0.05, stiffness=50.0),
    "LuGre": LuGre(level=0.05, static=0.06, velocity=0.1, stiffness=50.0, damping=0.1),
}


STRONG = {
    "Stribeck": Stribeck(level=0.15, static=0.18, velocity=0.1),
    "Curve": Curve(function=lambda w: 0.15 + 0.03 * exp(-w / 0.1)),
    "Dahl": Dahl(level=0.15, stiffness=150.0),
    "LuGre": LuGre(level=0.15, static=0.18, velocity=0.1, stiffness=150.0, damping=0.3),
}


@pytest.mark.parametrize("name", LAWS)
def test_every_law_takes_a_load(name):
    """A load of 3 is the law with three times its torques; none is no friction; one below 0 is none."""
    runs = [simulate(braked(LAWS[name], load=x), duration=2.0, step=1e-3) for x in (3.0, 0.0, -2.0)]
    plain = simulate(
        Scene(robot=flywheel(0.02), friction={"axle": STRONG[name]}, v=[10.0], torque={"axle": 0.3}),
        duration=2.0,
        step=1e-3,
    )
    np.testing.assert_allclose(runs[0]["v.axle"], plain["v.axle"], rtol=1e-9, atol=1e-9)
    for free in runs[1:]:
        np.testing.assert_allclose(free["v.axle"], 10 + 15 * free.time, rtol=1e-12)


def test_a_load_by_wire():
    """The normal force of a sled that is pressed by the speed of another mass; against SciPy."""
    parts = {
        "sled": Mass(mass=1.0, velocity=3.0),
        "governor": Mass(mass=2.0, velocity=1.0),
        "rub": Friction(law=Coulomb(level=0.4), loaded=True),
        "push": Source(functions=(lambda t: sin(3 * t),)),
    }
    wires = [
        Wire("rub.velocity", ["sled.velocity"]),
        Wire("rub.load", [Term("governor.velocity", 2.0)], [1.0]),
        Wire("sled.force", [Term("rub.torque", -1.0)]),
        Wire("governor.force", ["push.force"]),
    ]
    run = simulate(Scene(parts=parts, wires=wires), duration=1.5, step=1e-3)

    def rates(t, y):
        return [np.sin(3 * t) / 2, -0.4 * (1 + 2 * y[0])]

    exact = solve_ivp(rates, (0, 1.5), [1.0, 3.0], t_eval=run.time, rtol=1e-10, atol=1e-12).y
    assert exact[1].min() > 0
    np.testing.assert_allclose(run["sled.velocity"], exact[1], atol=1e-6)


def test_friction_in_space_takes_a_load_and_tells_its_mode():
    """A puck on a table that is tilted to slide, then pressed down: it slides along the force, then sticks."""
    law = Coulomb(level=0.5, stiffness=1e4, damping=50.0)
    parts = {
        "a": Mass(mass=1.0),
        "b": Mass(mass=1.0),
        "rub": Friction(law=law, dimension=2, loaded=True),
        "push": Source(functions=(0.6, 0.8)),
        "press": Source(functions=(lambda t: where(t < 1, 1, 4),)),
    }
    wires = [
        Wire("rub.velocity", [Term("a.velocity", [[1.0], [0.0]]), Term("b.velocity", [[0.0], [1.0]])]),
        Wire("rub.load", ["press.force"]),
        Wire("a.force", [Term("push.force", [[1.0, 0.0]]), Term("rub.torque", [[-1.0, 0.0]])]),
        Wire("b.force", [Term("push.force", [[0.0, 1.0]]), Term("rub.torque", [[0.0, -1.0]])]),
    ]
    run = simulate(Scene(parts=parts, wires=wires), duration=3.0, step=1e-3, method="rk4")
    sliding = (run.time > 0.1) & (run.time < 1.0)
    assert (run["rub.mode"][sliding] == 2).all() and not run["rub.margin"][sliding].any()
    np.testing.assert_allclose(run["rub.direction.0"][sliding], 0.6, atol=1e-6)
    np.testing.assert_allclose(run["rub.direction.1"][sliding], 0.8, atol=1e-6)
    assert run["rub.mode"][-1] == 0 and run["rub.margin"][-1] == pytest.approx(2.0 - 1.0, rel=1e-4)
    assert run["rub.direction.0"][-1] == 0 and run["rub.lasting_mode"][-1] == 0 and run["rub.switches"][-1] >= 1


def test_loads_differ_from_run_to_run():
    run = simulate(
        braked(Coulomb(level=0.05), load=1.0), duration=2.0, step=1e-3, parameters={"load.brake": [4.0, 6.0, 20.0]}
    )
    np.testing.assert_allclose(run["v.axle"][-1], [10 + 2 * 5.0, 10.0, 0.0], atol=1e-9)


def test_files_and_refusals(tmp_path):
    scene = braked(Coulomb(level=0.05), load=stiction.Formula("2*t"))
    stiction.write_scene(tmp_path / "a.toml", scene, duration=1.0, step=1e-3)
    read = stiction.read_scene(tmp_path / "a.toml").scene
    assert read.friction["brake"].load(3.0) == 6.0
    with pytest.raises(SceneError, match="it has a load and load_from; give one of them"):
        FrictionSite(law=Coulomb(level=1.0), joints={"axle": 1}, load=1.0, load_from="a.b")
    with pytest.raises(SceneError, match="load is 'much'"):
        FrictionSite(law=Coulomb(level=1.0), joints={"axle": 1}, load="much")
    with pytest.raises(stiction.StictionError, match="unknown part 'press'"):
        braked(Coulomb(level=0.05), load_from="press.force")
