"""The energy balance: what sources give is kinetic, potential, elastic or lost; the rest is the error of the method."""

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, simpson

from stiction import Coulomb, Dahl, DCMotor, Drive, ElastoPlastic, Gear, LuGre, Scene, simulate
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Ground, Mass, Source, SpringDamper
from stiction.trace import sin
from tests.scenes import TWO_LINK, flywheel


def turned_over(run):
    """Energy that was turned over in a run [J]: what sources gave and friction took, and the largest kinetic energy."""
    flows = [x for name, x in run.signals.items() if name.startswith(("work.", "loss."))]
    return sum(np.abs(np.diff(x)).sum() for x in flows) + run["energy.kinetic"].max()


def shaken(law):
    """A two-link arm in gravity, shaken so that both joints slide to and fro."""
    robot = TWO_LINK
    torque = {"shoulder": lambda t: 6 * sin(5 * t), "elbow": lambda t: 2 * sin(9 * t)}
    return Scene(robot=robot, friction={"shoulder": law, "elbow": law}, torque=torque)


SMOOTH = {
    "LuGre": LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=300.0, damping=1.0, viscous=0.05),
    "elasto-plastic": ElastoPlastic(level=0.5, static=0.6, velocity=0.1, stiffness=300.0, damping=1.0),
    "Dahl": Dahl(level=0.5, stiffness=300.0),
    "Coulomb": Coulomb(level=0.5, viscous=0.1, stiffness=300.0, damping=1.0),
}


@pytest.mark.parametrize("method", ["rk4", "gill"])
@pytest.mark.parametrize("law", SMOOTH)
def test_the_balance_closes(law, method):
    """To rounding of what was turned over. What friction took and does not store is lost, at all times, by Simpson."""
    run = simulate(shaken(SMOOTH[law]), duration=2.0, step=1e-4, method=method, record=2e-4, energy=True)
    bends = {joint: run[f"bend.{joint}"] for joint in ("shoulder", "elbow")}
    np.testing.assert_allclose(run["energy.elastic"], sum(300.0 * z**2 / 2 for z in bends.values()), rtol=1e-12)
    for joint, z in bends.items():
        taken = cumulative_simpson(run[f"friction.{joint}"] * run[f"v.{joint}"], x=run.time, initial=0)
        np.testing.assert_allclose(run[f"loss.friction.{joint}"], taken - 300.0 * z**2 / 2, atol=5e-5)
    assert run["loss.friction.shoulder"][-1] > 0.5, "it slid"
    assert np.abs(run["energy.residue"]).max() < 1e-9 * turned_over(run)


def test_the_residue_has_the_order_of_the_method():
    """4 by Runge–Kutta where all is smooth, or nearly (|v| has a corner), 2 by the midpoint, with rows, too."""

    def residue(law, h, **how):
        run = simulate(shaken(law), duration=1.0, step=h, record=0.1, energy=True, **how)
        return np.abs(run["energy.residue"]).max()

    smooth = LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=30.0, damping=0.1)
    assert residue(smooth, 1e-3, method="rk4") > 8 * residue(smooth, 5e-4, method="rk4")
    for law in (smooth, Coulomb(level=0.5)):
        assert residue(law, 1e-3) > 3.5 * residue(law, 5e-4)


def test_what_is_lost_is_force_times_way():
    """A block that slides to a stop loses what it had; the spring keeps its share."""
    scene = Scene(
        parts={
            "block": Mass(mass=2.0, velocity=1.0),
            "friction": Friction(law=Coulomb(level=3.0)),
            "spring": SpringDamper(stiffness=1.0),
        },
        wires=[
            Wire("friction.velocity", ["block.velocity"]),
            Wire("spring.position", ["block.position"]),
            Wire("spring.velocity", ["block.velocity"]),
            Wire("block.force", [Term("friction.torque", -1.0), Term("spring.force", -1.0)]),
        ],
    )
    run = simulate(scene, duration=1.0, step=1e-4, method="moreau", record=0.01, energy=True)
    way = run["block.position"][-1]
    assert run["loss.friction"][-1] == pytest.approx(3.0 * way, rel=1e-3)  # first order in the step
    assert run["energy.elastic"][-1] == pytest.approx(way**2 / 2, rel=1e-9)
    assert run["energy.kinetic"][0] == 1.0 and run["energy.kinetic"][-1] == 0.0
    assert abs(run["energy.residue"][-1]) < 1e-4


def test_what_a_spring_stores():
    """A mass swings on it: what it stores is k x²/2, and goes to and fro without loss."""
    parts = {"mass": Mass(mass=2.0, position=0.1), "spring": SpringDamper(stiffness=50.0)}
    wires = [Wire(f"spring.{what}", [f"mass.{what}"]) for what in ("position", "velocity")]
    scene = Scene(parts=parts, wires=[*wires, Wire("mass.force", [Term("spring.force", -1.0)])])
    run = simulate(scene, duration=1.0, step=1e-3, method="rk4", energy=True)
    np.testing.assert_allclose(run["energy.elastic"], 25.0 * run["mass.position"] ** 2, atol=1e-15)
    np.testing.assert_allclose(run["energy.elastic"] + run["energy.kinetic"], 0.25, rtol=1e-8)
    assert np.abs(run["loss.spring"]).max() < 1e-9


def test_a_spring_that_is_moved_from_outside_brings_work_in():
    """A mass on a spring whose other end a source moves: what the spring gives is work, and no loss."""
    spring = SpringDamper(stiffness=50.0, damping=0.5)
    scene = Scene(
        parts={"mass": Mass(mass=2.0), "hand": Source(functions=(lambda t: 0.1 * sin(3 * t),)), "spring": spring},
        wires=[
            Wire("spring.position", ["mass.position", Term("hand.force", -1.0)]),
            Wire("spring.velocity", ["mass.velocity"]),
            Wire("mass.force", [Term("spring.force", -1.0)]),
        ],
    )
    run = simulate(scene, duration=2.0, step=1e-3, energy=True)
    assert "loss.spring" not in run.signals
    np.testing.assert_allclose(run["work.spring"], 2.0 * run["mass.velocity"] ** 2 / 2, atol=1e-9)


def test_a_ball_that_rolls_off_has_a_balance_too():
    R = 0.2
    cross = ((0.0, -R, 0.0), (R, 0.0, 0.0), (0.0, 0.0, 0.0))
    scene = Scene(
        parts={
            "ball": FreeBody(mass=0.3, inertia=(0.0048,) * 3, position=(0, 0, R), velocity=(2, 0, 0)),
            "ground": Ground(stiffness=1e5, damping=10.0, coefficient=0.1),
            "wind": Source(functions=(0.02, 0.0, 0.0)),
        },
        wires=[
            Wire("ground.position", ["ball.position"], shift=(0, 0, -R)),
            Wire("ground.velocity", ["ball.velocity", Term("ball.angular", cross)]),
            Wire("ball.force", [Term("ground.force", -1.0), "wind.force"]),
            Wire("ball.moment", [Term("ground.force", cross)]),
        ],
    )
    run = simulate(scene, duration=1.0, step=1e-5, record=0.01, energy=True)
    assert run["work.wind"][-1] == pytest.approx(0.02 * run["ball.position.x"][-1], rel=1e-9)
    assert run["loss.ground"][-1] > 0.1
    assert np.abs(run["energy.residue"]).max() < 1e-9 * turned_over(run)


@pytest.mark.parametrize("method", ["moreau", "rk4", "gears_implicit"])
@pytest.mark.parametrize("inductance", [0.0, 5e-3])
def test_what_the_supply_gives_is_lost_stored_or_moved(method, inductance):
    """Work of the supply = copper losses + energy of the field + work at the shaft; copper as the records say."""
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5, inductance=inductance, current_limit=2.5)
    drive = Drive(
        motor=motor, gear=Gear(ratio=50), command=lambda t: 8 * sin(20 * t), joint_friction=Coulomb(level=0.5)
    )
    scene = Scene(robot=flywheel(0.05), drives={"axle": drive})
    apart = []
    for step in (4e-4, 2e-4):
        run = simulate(scene, duration=1.0, step=step, method=method, energy=True, record=2e-3)
        work, supply, copper = (run[name] for name in ("work.drive.axle.motor", "work.supply.axle", "loss.copper.axle"))
        magnetic = run["energy.magnetic"] if inductance else 0.0
        apart.append(np.abs(supply - copper - magnetic - work).max() / supply[-1])
        assert copper[-1] == pytest.approx(simpson(2.0 * run["motor_current.axle"] ** 2, x=run.time), rel=2e-3)
    assert apart[1] < 2e-3 and apart[1] < 0.7 * apart[0] + 1e-9
    assert (
        run.units["loss.copper.axle"] == "J"
        and "loss.copper.axle" not in simulate(scene, duration=0.1, step=1e-3).signals
    )
