"""The stiff method: its order, its steps, and the same answers as others, where they can follow."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import ellipj, ellipk

import stiction
from stiction import Clock, Coulomb, Dahl, ElastoPlastic, InputError, LuGre, Scene, StictionError, Stribeck, simulate
from stiction.control import PID
from stiction.drive import DCMotor, Drive, Gear
from stiction.methods import rodas
from stiction.network import Term, Wire, programs
from stiction.network.layout import Layout, flat_states
from stiction.parts import FreeBody, Friction, Mass, Source, SpringDamper
from stiction.scene import Formula
from stiction.trace import Port, Program, loop, sin
from tests.scenes import TWO_LINK, flywheel, on_axle, oscillator

# θ(1 s) of θ̈ = −9.81 sin θ from rest at 1 rad, by elliptic functions: sin(θ/2) = k sn(K − ω t), k = sin ½
PENDULUM = 2 * math.asin(math.sin(0.5) * ellipj(ellipk(math.sin(0.5) ** 2) - math.sqrt(9.81), math.sin(0.5) ** 2)[0])


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
    layout = Layout(network)

    def function(h, steps, state):
        block = layout.block(state)
        order = rodas.Order(network, block)

        def one(k, y):
            return rodas.step(order, block, y, k * h, h)[0]

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


@pytest.mark.parametrize(
    "scene, signal, exact",
    [
        (Scene(robot=stiction.library.pendulum(1), q=[1.0]), "q.joint1", PENDULUM),
        (oscillator(damping=0.0), "ball.position", math.cos(5.0)),
    ],
    ids=["pendulum", "spring"],
)
def test_errors_shrink_with_the_tolerance_where_one_force_acts_alone(scene, signal, exact):
    """Accelerations that are minus something must not confuse the derivatives.

    A hundredth of the error per step takes the cube root of 100 more steps; the error of the run falls with it.
    """
    runs = [
        simulate(scene, duration=1.0, step=1.0, method=stiction.Rosenbrock(tolerance=tolerance))
        for tolerance in (1e-4, 1e-6, 1e-8)
    ]
    errors = [abs(run[signal][-1] - exact) for run in runs]
    assert all(0.3 < error / tolerance < 4 for error, tolerance in zip(errors, (1e-4, 1e-6, 1e-8), strict=True))
    for (coarse, fine), (a, b) in zip(itertools.pairwise(runs), itertools.pairwise(errors), strict=True):
        assert 20 < a / b < 500
        assert fine["steps"][-1] / coarse["steps"][-1] == pytest.approx(100 ** (1 / 3), rel=0.25)


def test_formulas_are_not_asked_before_the_start():
    """√t has no value there, and no slope at it: the first steps are short."""
    scene = Scene(robot=flywheel(0.02), torque={"axle": Formula("sqrt(t)")})
    run = simulate(scene, duration=1.0, step=0.1, method="rosenbrock")
    np.testing.assert_allclose(run["v.axle"], 2 / 3 / 0.02 * run.time**1.5, atol=1e-4)
    assert run["rejected"][-1] > 0


def test_pulses_between_records_are_seen():
    """No step crosses a multiple of the longest one, where knots lie: straight lines between are integrated exactly."""
    pulse = stiction.Table(time=[0, 0.49, 0.5, 0.51, 1], value=[0, 0, 100, 0, 0])
    scene = Scene(robot=flywheel(1.0), torque={"axle": pulse})
    run = simulate(scene, duration=1.0, step=0.01, record=1.0, method="rosenbrock")
    assert run["v.axle"][-1] == pytest.approx(1.0, rel=1e-9)
    assert run["q.axle"][-1] == pytest.approx(0.5, rel=1e-9)


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
    """Bristles of 1e7 N·m/rad: Runge–Kutta would need steps of a microsecond, five million of them.

    While the load is above break-away it slides on the curve, J v̇ = 0.3 sin 5t − 0.1, until it stops; below it stays.
    """
    law = LuGre(level=0.5, static=0.6, velocity=0.01, stiffness=1e7, damping=100.0)
    scene = on_axle(0.02, law, lambda t: 0.4 + 0.3 * sin(5 * t))
    run = simulate(scene, duration=5.0, step=0.01, method="rosenbrock")
    assert run["steps"][-1] < 10_000
    v = run["v.axle"]
    slides = np.minimum(v[1:], v[:-1]) > 0.1
    np.testing.assert_allclose(run["friction.axle"][1:][slides], 0.5, rtol=1e-3)
    change = np.diff(-0.1 * run.time - 0.06 * np.cos(5 * run.time)) / 0.02
    np.testing.assert_allclose(np.diff(v)[slides], change[slides], atol=1e-5)
    held = simulate(on_axle(0.02, law, 0.3), duration=10.0, step=1.0, method="rosenbrock")
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
    """The chosen bristle of a dry law has K = 0.4 J/h² = 80 N·m/rad at steps of 10 ms."""
    how = {"duration": 3.0, "step": 0.01, "record": 0.1, "method": "rosenbrock"}
    held = simulate(on_axle(0.02, law, 0.2), **how)
    bent = 0.2 / (law.stiffness or 80.0)
    if isinstance(law, Dahl):
        assert bent < held["q.axle"][-1] < 0.02, "it rings, and slides a little each time"
    else:
        assert held["q.axle"][-1] == pytest.approx(bent, rel=1e-5)
        assert held["friction.axle"][-1] == pytest.approx(0.2, rel=1e-5)
    slid = simulate(on_axle(0.02, law, 1.0), **how)
    assert slid["friction.axle"][-1] == pytest.approx(0.5, rel=1e-6)
    assert np.diff(slid["v.axle"])[-1] == pytest.approx(0.5 / 0.02 * 0.1, rel=1e-6)
    assert slid["mode.axle"][-1] == 2


def test_two_coupled_joints_and_their_energy_balance():
    """Works are integrated along with the states, to the same tolerance; the loss is that of the records."""
    law = LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=300.0, damping=1.0)
    both, torque = {"shoulder": law, "elbow": law}, {"shoulder": lambda t: 6 * sin(5 * t)}
    scene = Scene(robot=TWO_LINK, friction=both, torque=torque)
    run = simulate(scene, duration=2.0, step=1e-3, method=stiction.Rosenbrock(tolerance=1e-8), energy=True)
    for joint in both:
        power = run[f"friction.{joint}"] * run[f"v.{joint}"]
        stored = 300.0 * run[f"bend.{joint}"][-1] ** 2 / 2
        assert run[f"loss.friction.{joint}"][-1] == pytest.approx(simpson(power, x=run.time) - stored, rel=1e-4)
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


def _driven():
    """Two links with bristles, geared motors with inductance under a controller on a clock, and a load by time."""
    motor = DCMotor(resistance=1.0, constant=0.05, rotor_inertia=1e-5, inductance=2e-3)
    names = TWO_LINK.velocity_names
    return Scene(
        robot=TWO_LINK,
        friction=dict.fromkeys(names, STIFF),
        drives={names[0]: Drive(motor=motor, gear=Gear(ratio=20.0))},
        control={names[0]: PID(clock=Clock(period=0.01), proportional=20.0, derivative=0.5, limit=24.0)},
        reference={names[0]: 0.4},
        torque={names[1]: Formula("0.3*sin(20*t)")},
        q=[0.3, -0.2],
    )


def _floating():
    """A spinning body on a spring: its orientation is a quaternion."""
    robot = stiction.library.chain(3)
    base = replace(
        robot,
        joints=[replace(robot.joints[0], kind="floating", limits=None), *robot.joints[1:]],
    )
    return Scene(robot=base, friction={base.joints[2].name: STIFF}, v=np.linspace(0.5, -1.0, base.nv))


STIFF = LuGre(level=0.05, static=0.06, velocity=0.05, stiffness=300.0, damping=0.3, viscous=0.01)


@pytest.mark.parametrize("scene", [_driven, _floating, lambda: pulled(STIFF)], ids=["driven", "floating", "pulled"])
def test_in_loops_as_unrolled(scene, monkeypatch):
    """The same steps, the same motion, the same works, one robot and in a batch."""
    runs, scene = [], scene()
    site = "friction.level" if not scene.robot else f"friction.{next(iter(scene.friction))}.level"
    for few in (1000, 1):
        monkeypatch.setattr(rodas, "LOOP_FROM", few)
        monkeypatch.setenv("STICTION_CACHE", "")
        programs._programs.clear()
        levels = {site: np.linspace(0.04, 0.06, 3)}
        runs.append(simulate(scene, duration=0.3, step=5e-3, method="rosenbrock", parameters=levels, energy=True))
    programs._programs.clear()
    unrolled, looped = runs
    assert np.array_equal(unrolled["steps"], looped["steps"]) and unrolled["steps"][-1].min() > 60
    for name, x in unrolled.signals.items():
        np.testing.assert_allclose(x, looped[name], atol=1e-9 * max(1.0, np.abs(x).max()), err_msg=name)


def test_a_chain_of_thirty_against_others():
    """Thirty joints with stiff bristles: the same motion as by `moreau` at a tenth of a millisecond."""
    robot = stiction.library.chain(30)
    law = LuGre(level=0.02, static=0.03, velocity=0.05, stiffness=200.0, damping=0.2)
    scene = Scene(robot=robot, friction=dict.fromkeys(robot.velocity_names, law), q=np.linspace(0.2, 1.0, 30))
    runs = [simulate(scene, duration=0.1, step=h, method=m) for h, m in ((5e-3, "rosenbrock"), (1e-4, "moreau"))]
    for joint in robot.velocity_names:
        np.testing.assert_allclose(runs[0][f"q.{joint}"][-1], runs[1][f"q.{joint}"][-1], atol=2e-5)
