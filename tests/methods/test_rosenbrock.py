"""The stiff method: its order, its steps, and the same answers as others, where they can follow."""

import itertools
import math

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Dahl, ElastoPlastic, InputError, LuGre, Scene, StictionError, Stribeck, simulate
from stiction.methods.rosenbrock import _Order, rosenbrock_step
from stiction.network import Term, Wire
from stiction.network.layout import Layout, flat_states
from stiction.parts import FreeBody, Friction, Mass, Source, SpringDamper
from stiction.scene import Formula
from stiction.trace import Port, Program, loop, sin
from tests.scenes import TWO_LINK, flywheel


def pulled(law):
    return Scene(
        parts={
            "mass": Mass(mass=1.0, velocity=0.2),
            "pull": Source(functions=(lambda t: 0.1 * sin(3 * t),)),
            "spring": SpringDamper(stiffness=2.0),
            "friction": Friction(law=law),
        },
        wires=[
            Wire("spring.position", ["mass.position", Term("pull.force", -1.0)]),
            Wire("spring.velocity", ["mass.velocity"]),
            Wire("friction.velocity", ["mass.velocity"]),
            Wire("mass.force", [Term("spring.force", -1.0), Term("friction.torque", -1.0)]),
        ],
    )


def fixed_steps(network):
    """A program of equal steps, without control of the error."""
    order, layout = _Order(network), Layout(network)

    def function(h, steps, state):
        block = layout.block(state)

        def one(k, y):
            return rosenbrock_step(order, block, y, k * h, h)[0]

        after = order.states(loop(steps, one, order.sorted(block.own)))
        return (flat_states(network, after),)

    n = len(layout.slots)
    return Program(
        "fixed",
        function,
        [Port("h", role="uniform"), Port("steps", role="uniform"), Port("x", (n,))],
        [Port("x", (n,))],
    )


def test_observed_order():
    """Order 3 on a smooth stretch: LuGre while it slides one way, with a load that depends on time."""
    law = LuGre(level=0.02, static=0.03, velocity=0.1, stiffness=5.0, damping=0.1, viscous=0.1)
    network = pulled(law).network
    program, start = fixed_steps(network), flat_states(network, network.start)
    exact = program(0.4 / 4096, 4096, start)[0]
    errors = [np.abs(program(0.4 / n, n, start)[0] - exact).max() for n in (16, 32, 64)]
    for a, b in itertools.pairwise(errors):
        assert math.log2(a / b) == pytest.approx(3, abs=0.25)


def test_errors_shrink_with_the_tolerance_where_one_force_acts_alone():
    """Pendulum, mass on a spring: accelerations that are minus something must not confuse the derivatives."""
    spring = Scene(
        parts={"ball": Mass(mass=2.0, position=1.0), "spring": SpringDamper(stiffness=50.0)},
        wires=[
            Wire("spring.position", ["ball.position"]),
            Wire("spring.velocity", ["ball.velocity"]),
            Wire("ball.force", [Term("spring.force", -1.0)]),
        ],
    )
    for scene, signal in ((Scene(robot=stiction.library.pendulum(1), q=[1.0]), "q.joint1"), (spring, "ball.position")):
        exact = simulate(scene, duration=1.0, step=1e-4, record=1.0)[signal][-1]
        runs = [
            simulate(scene, duration=1.0, step=1.0, method=stiction.Rosenbrock(tolerance=tolerance))
            for tolerance in (1e-4, 1e-6, 1e-8)
        ]
        errors = [abs(run[signal][-1] - exact) for run in runs]
        assert errors[2] < 1e-6 and errors[1] < errors[0] / 20 and errors[2] < errors[1] / 20
        assert runs[2]["steps"][-1] < 6 * runs[1]["steps"][-1], (
            "a hundred times the accuracy takes the cube root of it in steps"
        )


def test_formulas_are_not_asked_before_the_start():
    run = simulate(
        Scene(robot=flywheel(0.02), torque={"axle": Formula("sqrt(t)")}), duration=1.0, step=0.1, method="rosenbrock"
    )
    assert run["v.axle"][-1] == pytest.approx(2 / 3 / 0.02, rel=1e-3)


def test_pulses_between_records_are_seen():
    pulse = stiction.Table(time=[0, 0.49, 0.5, 0.51, 1], value=[0, 0, 100, 0, 0])
    run = simulate(
        Scene(robot=flywheel(1.0), torque={"axle": pulse}), duration=1.0, step=0.01, record=1.0, method="rosenbrock"
    )
    assert run["v.axle"][-1] == pytest.approx(1.0, rel=1e-3)


def test_a_robot_agrees_with_runge_kutta():
    robot = stiction.library.puma560()
    law = LuGre(level=2.0, static=2.5, velocity=0.1, stiffness=200.0, damping=2.0)
    scene = Scene(
        robot=robot,
        friction=dict.fromkeys(robot.velocity_names, law),
        q=[0.1, 0.7, 2.8, 0.3, 0.6, 0.1],
        torque={"joint1": lambda t: 20 * sin(5 * t)},
    )
    fine = simulate(scene, duration=0.5, step=1e-5, record=0.1)
    run = simulate(scene, duration=0.5, step=0.05, record=0.1, method=stiction.Rosenbrock(tolerance=1e-9))
    np.testing.assert_allclose(run.stack("q."), fine.stack("q."), atol=1e-7)
    loose = simulate(scene, duration=0.5, step=0.05, record=0.1, method=stiction.Rosenbrock(tolerance=1e-4))
    assert loose["steps"][-1] < run["steps"][-1] / 4
    np.testing.assert_allclose(loose.stack("q."), fine.stack("q."), atol=5e-3)


def test_high_stiffness_takes_few_steps():
    """Bristles of 1e7 N·m/rad: Runge–Kutta would need steps of a microsecond."""
    law = LuGre(level=0.5, static=0.6, velocity=0.01, stiffness=1e7, damping=100.0)
    scene = Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": lambda t: 0.4 + 0.3 * sin(5 * t)})
    run = simulate(scene, duration=5.0, step=0.1, method="rosenbrock")
    assert run.status == "completed" and run["steps"][-1] < 5000
    slides = run["v.axle"] > 0.1
    np.testing.assert_allclose(run["friction.axle"][slides], 0.5, rtol=1e-3)
    held = simulate(
        Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": 0.3}),
        duration=10.0,
        step=1.0,
        method="rosenbrock",
    )
    assert abs(held["q.axle"][-1]) < 3e-7, "a load that begins as a step bends it, and slides it a little"
    assert np.ptp(held["q.axle"][1:]) < 1e-12, "then it stays"


@pytest.mark.parametrize(
    "law",
    [
        Dahl(level=0.5, stiffness=500.0),
        ElastoPlastic(level=0.5, static=0.6, velocity=0.1, stiffness=500.0, damping=1.0),
        Coulomb(level=0.5),
    ],
    ids=lambda law: type(law).__name__,
)
def test_it_holds_and_slides(law):
    held = simulate(
        Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": 0.2}),
        duration=3.0,
        step=0.01,
        record=0.1,
        method="rosenbrock",
    )
    assert abs(held["q.axle"][-1]) < (0.02 if isinstance(law, Dahl) else 2.1e-3)  # bent
    slid = simulate(
        Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": 1.0}),
        duration=3.0,
        step=0.01,
        record=0.1,
        method="rosenbrock",
    )
    assert slid["friction.axle"][-1] == pytest.approx(0.5, rel=1e-3)
    assert slid["mode.axle"][-1] == 2


def test_two_coupled_joints_and_their_energy_balance():
    robot = TWO_LINK
    law = LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=300.0, damping=1.0)
    scene = Scene(robot=robot, friction={"shoulder": law, "elbow": law}, torque={"shoulder": lambda t: 6 * sin(5 * t)})
    run = simulate(scene, duration=2.0, step=0.01, method=stiction.Rosenbrock(tolerance=1e-8), energy=True)
    assert run["loss.friction.shoulder"][-1] > 0.5
    assert np.abs(run["energy.residue"]).max() < 1e-6
    assert run["switches.elbow"][-1] > 2


def test_a_spinning_body_keeps_its_energy():
    scene = Scene(
        parts={"top": FreeBody(mass=1.0, inertia=(0.1, 0.2, 0.25), angular=(0.3, 4.0, 0.2), gravity=(0, 0, 0))}
    )
    run = simulate(scene, duration=3.0, step=0.1, method=stiction.Rosenbrock(tolerance=1e-8), energy=True)
    assert np.abs(run["energy.residue"]).max() < 1e-5
    fine = simulate(scene, duration=3.0, step=1e-4, record=0.1)
    np.testing.assert_allclose(run.stack("top.quaternion"), fine.stack("top.quaternion"), atol=1e-5)


def test_each_run_of_a_batch_has_its_own_steps():
    law = LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=100.0, damping=1.0)
    scene = Scene(robot=flywheel(0.02), friction={"axle": law}, torque={"axle": lambda t: sin(9 * t)})
    stiffness = np.array([1e2, 1e4, 1e6])
    batch = simulate(
        scene, duration=1.0, step=0.05, method="rosenbrock", parameters={"friction.axle.stiffness": stiffness}
    )
    assert len(set(batch["steps"][-1].tolist())) == 3
    for k, x in enumerate(stiffness):
        alone = simulate(scene, duration=1.0, step=0.05, method="rosenbrock", parameters={"friction.axle.stiffness": x})
        assert alone["q.axle"].tobytes() == batch["q.axle"][:, k].tobytes()


def test_what_it_does_not_take():
    scene = Scene(robot=flywheel(0.02), friction={"axle": Stribeck(level=0.5, static=0.6, velocity=0.1)})
    with pytest.raises(StictionError, match="Stribeck finds its speed of sliding step by step"):
        simulate(scene, duration=1.0, step=0.1, method="rosenbrock")
    with pytest.raises(InputError, match="tolerance is 2"):
        simulate(scene, duration=1.0, step=0.1, method=stiction.Rosenbrock(tolerance=2))
    soft = Scene(robot=flywheel(0.02), friction={"axle": Coulomb(level=0.5, stiffness=100.0, damping=0.0)})
    with pytest.raises(StictionError, match="its bristle has no damping"):
        simulate(soft, duration=1.0, step=0.1, method="rosenbrock")
