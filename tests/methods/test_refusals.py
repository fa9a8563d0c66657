"""What a method cannot follow is refused, with the step or the method that can."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Dahl, LuGre, Scene, StictionError, StictionWarning, simulate
from stiction.network import NetworkError, Term, Wire
from stiction.parts import FreeBody, Friction, Ground, Impedance, Mass, Source
from stiction.reproduce.closed_forms import box
from stiction.trace import exp, tanh
from tests.scenes import METHODS, anchor, on_axle, oscillator


def largest_step(error):
    """The step that a refusal names [s]."""
    return float(str(error.value).split("largest stable step is ")[1].split(" ")[0])


@pytest.mark.parametrize("method, limit", [("rk4", 2.828427), ("gill", 2.828427), ("moreau", 2.0)])
def test_springs_that_a_step_cannot_follow_are_refused(method, limit):
    """ω h may be 2√2 by methods of order 4, 2 by a symplectic one, damping aside (7e−4 of ω); a little less decays."""
    scene = oscillator(stiffness=1e6)
    with pytest.raises(NetworkError, match=r"the spring of 'spring' is too stiff .* swings at 707 rad/s") as error:
        simulate(scene, duration=1.0, step=0.01, method=method)
    h = largest_step(error)
    assert h == pytest.approx(limit / math.sqrt(1e6 / 2.0), rel=2e-3)
    with pytest.raises(NetworkError, match="too stiff"):
        simulate(scene, duration=10.1 * h, step=1.01 * h, method=method)
    run = simulate(scene, duration=0.99 * h * 5000, step=0.99 * h, method=method)
    assert np.abs(run["ball.position"][-1000:]).max() < 0.5, "it decays"


def test_friction_that_pushes_is_refused():
    scene = Scene(
        parts={"ball": Mass(mass=1.0, velocity=1.0), "rub": Friction(law=Coulomb(level=1.0))},
        wires=[Wire("rub.velocity", ["ball.velocity"]), Wire("ball.force", ["rub.torque"])],
    )
    with pytest.raises(NetworkError, match="wired to push its body along"):
        simulate(scene, duration=0.1, step=0.01)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_conveyor(method):
    """Friction against a belt at 0.5 m/s takes the block along at 1 m/s², until it rests on the belt."""
    scene = Scene(
        parts={"block": Mass(mass=1.0), "rub": Friction(law=Coulomb(level=1.0))},
        wires=[
            Wire("rub.velocity", ["block.velocity"], shift=(-0.5,)),
            Wire("block.force", [Term("rub.torque", -1.0)]),
        ],
    )
    run = simulate(scene, duration=2.0, step=1e-3, method=method)
    np.testing.assert_allclose(run["block.velocity"], np.minimum(run.time, 0.5), atol=2e-3)  # a bristle bends first
    assert run["block.velocity"][-1] == pytest.approx(0.5, abs=1e-6)


def test_the_run_that_is_refused_is_named():
    """Gains that are possible in some runs of a batch, and not in others."""
    rub = Friction(law=Coulomb(level=1.0, stiffness=10.0, damping=1.0))
    wires = [
        Wire("rub.velocity", [Term("block.velocity", 2.0)], shift=(0.0,)),
        Wire("block.force", [Term("rub.torque", -2.0)]),
    ]
    scene = Scene(parts={"block": Mass(mass=1.0), "rub": rub}, wires=wires)
    for name, values, method, message in (
        ("block.force.gain.rub.torque", [-2.0, -2.0, -3.0], "moreau", "'rub' takes its velocity as one combination"),
        ("block.force.gain.rub.torque", [-2.0, -2.0, 3.0], "rk4", "friction 'rub' is wired to push its body along"),
    ):
        with pytest.raises(StictionError, match=rf"{message}.*\(run 2 of the batch: {name} = "):
            simulate(scene, duration=0.1, step=1e-3, method=method, parameters={name: values})


def test_a_lossy_gear_is_called_so():
    motor, gear = stiction.TorqueMotor(rotor_inertia=1e-4), stiction.Gear(ratio=10, efficiency=0.8)
    scene = Scene(robot=stiction.library.pendulum(1), drives={"joint1": stiction.Drive(motor=motor, gear=gear)})
    for method, message in (
        ("rk4", "is rigid and needs method 'moreau'"),
        ("gears_implicit", "with the scheme 'midpoint'"),
    ):
        with pytest.raises(StictionError, match=rf"the gear of 'joint1' \(with an efficiency.*{message}"):
            simulate(scene, duration=0.1, step=1e-3, method=method)


@pytest.mark.parametrize("method", ["rk4", "gill", "euler"])
def test_bristles_that_cannot_hold_are_refused_with_the_step_that_can(method):
    """5000 N·m/rad on 1e−4 kg m²: 1 % less than the step that is named holds without drift, 1 % more is refused.

    That step is the one at which ė = s, J ṡ = −K e − (B + τK) s, with τ the stage step, begins to grow.
    """
    law = Coulomb(level=0.5, stiffness=5000.0, damping=1.0)
    simulate(on_axle(0.0304, law, 0.3), duration=0.1, step=1e-3, method=method)
    with pytest.raises(StictionError, match="friction bristles are too stiff") as error:
        simulate(on_axle(1e-4, law, 0.3), duration=0.1, step=1e-3, method=method)
    h = largest_step(error)
    with pytest.raises(StictionError, match="friction bristles are too stiff"):
        simulate(on_axle(1e-4, law, 0.3), duration=10.1 * h, step=1.01 * h, method=method)
    run = simulate(on_axle(1e-4, law, 0.3), duration=2000 * h * 0.99, step=h * 0.99, method=method)
    assert np.ptp(anchor(run, "axle")[1000:]) < 1e-9
    assert run["bend.axle"][-1] == pytest.approx(0.3 / 5000.0, rel=1e-6)


def test_bristles_in_space_and_on_the_ground_are_tried_too():
    body = FreeBody(mass=1.0, inertia=(1, 1, 1))
    rub = Friction(law=Coulomb(level=20.0, stiffness=1e8, damping=1.0), dimension=3)
    space = Scene(
        parts={"puck": body, "rub": rub},
        wires=[Wire("rub.velocity", ["puck.velocity"]), Wire("puck.force", [Term("rub.torque", -1.0)])],
    )
    with pytest.raises(StictionError, match=r"the bristles of 'rub' are too stiff for 'rk4' at 0\.001 s"):
        simulate(space, duration=1.0, step=1e-3, method="rk4")
    ground = Ground(stiffness=1e8, damping=1.0, coefficient=0.5)
    wires = [
        Wire("ground.position", ["puck.position"]),
        Wire("ground.velocity", ["puck.velocity"]),
        Wire("puck.force", [Term("ground.force", -1.0)]),
    ]
    with pytest.raises(StictionError, match="the bristles of 'ground' are too stiff"):
        simulate(Scene(parts={"puck": body, "ground": ground}, wires=wires), duration=1.0, step=1e-3, method="rk4")
    with pytest.raises(StictionError, match="the bristles of 'corner0' are too stiff"):
        simulate(box(), duration=1.0, step=1e-2, method="rk4")


def test_friction_that_acts_elsewhere_than_it_looks_is_refused_by_rows():
    scene = Scene(
        parts={"a": Mass(mass=1.0), "b": Mass(mass=1.0), "f": Friction(law=Coulomb(level=1.0))},
        wires=[Wire("f.velocity", ["a.velocity"]), Wire("b.force", [Term("f.torque", -1.0)])],
    )
    with pytest.raises(NetworkError, match="acts on another"):
        simulate(scene, duration=0.1, step=0.01, method="moreau")


@pytest.mark.parametrize("count", [2, 4])
def test_several_bristles_on_one_body_are_one(count):
    """n bristles beside each other are one of n times the stiffness and level: refused and held like it."""

    def pulled(n, load=0.7, **law):
        laws = {f"rub{k}": Friction(law=Coulomb(**{what: x / n for what, x in law.items()})) for k in range(n)}
        wires = [Wire(f"{name}.velocity", ["m.velocity"]) for name in laws]
        wires.append(Wire("m.force", ["pull.force", *(Term(f"{name}.torque", -1.0) for name in laws)]))
        return Scene(parts={"m": Mass(mass=1.0), "pull": Source(functions=(load,)), **laws}, wires=wires)

    law = {"level": 1.0, "stiffness": 1e3, "damping": 1.0}
    one, many = (simulate(pulled(n, **law), duration=1.0, step=1e-3, method="rk4") for n in (1, count))
    np.testing.assert_allclose(many["m.position"], one["m.position"], rtol=1e-9, atol=1e-15)
    steps = []
    for n in (1, count):
        with pytest.raises(StictionError, match="friction bristles are too stiff") as error:
            simulate(pulled(n, **law), duration=1.0, step=0.2, method="rk4")
        steps.append(largest_step(error))
    assert steps[0] == pytest.approx(steps[1], rel=1e-3)
    held = simulate(pulled(count, level=1.0), duration=2.0, step=1e-3, method="rk4")
    assert np.ptp(held["m.position"][1000:]) < 1e-12, "chosen ones hold, too"


@pytest.mark.parametrize("method", ["rk4", "gill", "gears_implicit"])
@pytest.mark.parametrize(
    "law",
    [
        Dahl(level=0.5, stiffness=1e6),
        LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=1e6, damping=10.0),
        LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=1e3, damping=200.0),
    ],
    ids=["Dahl", "stiff LuGre", "damped LuGre"],
)
def test_bristles_of_every_law_are_tried(law, method):
    """A little below the step that is named a joint under 0.02 N·m comes to rest, a little above it is refused."""
    with pytest.raises(StictionError, match="friction bristles are too stiff") as error:
        simulate(on_axle(0.02, law, 0.02), duration=1.0, step=1e-2, method=method)
    h = largest_step(error)
    with pytest.raises(StictionError, match="too stiff"):
        simulate(on_axle(0.02, law, 0.02), duration=10.1 * h, step=1.01 * h, method=method)
    run = simulate(on_axle(0.02, law, 0.02), duration=0.97 * h * 20_000, step=0.97 * h, method=method, record=0.97 * h)
    assert np.abs(run["v.axle"][-100:]).max() < 0.1 * np.abs(run["v.axle"][:100]).max()


@dataclass(frozen=True, kw_only=True)
class SteepFall(Impedance):
    """A user's own friction, smooth, that falls steeply from standstill on."""

    fall: float
    inputs = {"velocity": 1}
    outputs = {"force": 1}

    def force(self, motion, own, step, t):
        (v,) = motion["velocity"]
        return {"force": [tanh(v / 1e-3) * (1 + self.fall * exp(-((v / 0.02) ** 2)))]}, []


def test_a_force_that_pushes_on_more_than_a_step_follows_is_noted():
    """Against small steps: what is right has no note, and what is wrong has one."""

    def moved(fall, step):
        parts = {"m": Mass(mass=0.1, velocity=0.3), "f": SteepFall(fall=fall), "p": Source(functions=(0.9,))}
        wires = [Wire("f.velocity", ["m.velocity"]), Wire("m.force", ["p.force", Term("f.force", -1.0)])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StictionWarning)
            run = simulate(Scene(parts=parts, wires=wires), duration=1.0, step=step, record=1.0)
        return run["m.position"][-1], any("made a velocity grow" in note for note in run.notes)

    for fall in (0.0, 0.3, 3.0):
        exact = moved(fall, 2e-5)[0]
        for step in (1e-4, 1e-3, 5e-3):
            way, noted = moved(fall, step)
            assert noted == (abs(way - exact) > 1e-2 * exact)
