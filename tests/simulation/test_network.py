"""Networks: closed forms, observed orders, the experiments of network.md, and wrong wiring."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import stiction
from stiction.errors import DivergedError, InputError, StictionWarning
from stiction.friction import Coulomb, LuGre
from stiction.network import NetworkError, Term, Wire
from stiction.parts import FreeBody, Friction, Impedance, Mass, RobotBody, Source, SpringDamper
from stiction.scene import Formula, Scene, SceneError
from stiction.simulation.simulate import simulate
from stiction.trace import cos, minimum, sin, sqrt, where


def oscillator(mass=2.0, stiffness=50.0, damping=1.0):
    return Scene(
        parts={"ball": Mass(mass=mass, position=1.0), "spring": SpringDamper(stiffness=stiffness, damping=damping)},
        wires=[
            Wire("spring.position", ["ball.position"]),
            Wire("spring.velocity", ["ball.velocity"]),
            Wire("ball.force", [Term("spring.force", -1.0)]),
        ],
    )


def exact(t, mass=2.0, stiffness=50.0, damping=1.0):
    decay = damping / (2 * mass)
    omega = math.sqrt(stiffness / mass - decay**2)
    return math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))


@pytest.mark.parametrize("method, order", [("euler", 1), ("moreau", 1), ("rk4", 4), ("gill", 4)])
def test_observed_orders(method, order):
    errors = [
        abs(simulate(oscillator(), duration=1.0, step=h, method=method)["ball.position"][-1] - exact(1.0))
        for h in (0.005, 0.0025)
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_a_users_own_part():
    @dataclass(frozen=True, kw_only=True)
    class Cubic(Impedance):
        """A hardening spring."""

        stiffness: float
        inputs = {"position": 1}
        outputs = {"force": 1}

        def force(self, motion, own, step, t):
            x = motion["position"][0]
            return {"force": [self.stiffness * x * x * x]}, []

    network = Scene(
        parts={"ball": Mass(mass=1.0, position=1.0), "spring": Cubic(stiffness=4.0)},
        wires=[Wire("spring.position", ["ball.position"]), Wire("ball.force", [Term("spring.force", -1.0)])],
    )
    run = simulate(network, duration=5.0, step=1e-3)
    energy = run["ball.velocity"] ** 2 / 2 + run["ball.position"] ** 4
    np.testing.assert_allclose(energy, 1.0, atol=1e-10)


def two_links(law):
    """network.md II: point masses of 0.05 kg on rods of 0.35 m, friction at both joints, no gravity."""

    def torque(wave):
        return lambda t: where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * wave(100 * t))

    arm = stiction.library.two_link(lengths=(0.35, 0.35), masses=(0.05, 0.05))
    parts = {"arm": RobotBody(robot=arm, gravity=(0, 0, 0)), "motors": Source(functions=(torque(sin), torque(cos)))}
    parts |= {f"friction{k}": Friction(law=law) for k in (1, 2)}
    rows = [[1.0, 0.0]], [[0.0, 1.0]]
    columns = [[-1.0], [0.0]], [[0.0], [-1.0]]
    wires = [Wire(f"friction{k + 1}.velocity", [Term("arm.v", rows[k])]) for k in (0, 1)]
    wires.append(
        Wire("arm.torque", ["motors.force", Term("friction1.torque", columns[0]), Term("friction2.torque", columns[1])])
    )
    return Scene(parts=parts, wires=wires)


def test_two_links_stop_and_stay():
    run = simulate(two_links(Coulomb(level=0.5, stiffness=5000.0, damping=1.0)), duration=15.0, step=1e-4, record=0.1)
    for k, joint in enumerate(("shoulder", "elbow")):
        anchor = run[f"arm.q.{joint}"] - run[f"friction{k + 1}.bend"]
        after = anchor[run.time > 4.95]
        assert np.ptp(after) < 1e-9
        assert abs(run[f"arm.v.{joint}"][-1]) < 0.01


def test_two_links_drift_with_lugre():
    law = LuGre(level=0.5, static=0.5, velocity=0.01, stiffness=5000.0, damping=1.0)
    run = simulate(two_links(law), duration=15.0, step=1e-4, record=0.1)
    q = run["arm.q.shoulder"]
    drift = q[-1] - q[run.time > 5][0]
    assert drift > 1e-3


@pytest.mark.parametrize("method", ["rk4", "gill", "moreau"])
def test_springs_that_a_step_cannot_follow_are_refused(method):
    with pytest.raises(
        NetworkError, match=r"the spring of 'spring' is too stiff for .* the largest stable step is"
    ) as error:
        simulate(oscillator(stiffness=1e6), duration=1.0, step=0.01, method=method)
    largest = float(str(error.value).split("largest stable step is ")[1].split(" ")[0])
    run = simulate(oscillator(stiffness=1e6), duration=0.99 * largest * 5000, step=0.99 * largest, method=method)
    assert np.abs(run["ball.position"][-1000:]).max() < 1, "it decays, in the end"


def test_friction_that_pushes_is_refused():
    network = Scene(
        parts={"ball": Mass(mass=1.0, velocity=1.0), "rub": Friction(law=Coulomb(level=1.0))},
        wires=[Wire("rub.velocity", ["ball.velocity"]), Wire("ball.force", ["rub.torque"])],
    )
    with pytest.raises(NetworkError, match="wired to push its body along"):
        simulate(network, duration=0.1, step=0.01)


def test_parts_of_the_user_that_do_not_keep_their_word():
    @dataclass(frozen=True, kw_only=True)
    class Wrong(Impedance):
        inputs = {"position": 1}
        outputs = {"force": 1}

        def force(self, motion, own, step, t):
            return {"forces": [0.0, 0.0]}, []

    network = Scene(
        parts={"ball": Mass(mass=1.0), "w": Wrong()},
        wires=[Wire("w.position", ["ball.position"]), Wire("ball.force", ["w.force"])],
    )
    with pytest.raises(NetworkError, match=r"part 'w' \(Wrong\): its force gives the outputs {'forces': 2}"):
        simulate(network, duration=0.1, step=0.01)


def test_classes_that_lack_something_are_named():
    class Plain(Impedance):
        inputs = {"position": 1}
        outputs = {"force": 1}

    @dataclass(frozen=True, kw_only=True)
    class Empty(Impedance):
        inputs = {"position": 1}
        outputs = {"force": 1}

    wires = [Wire("x.position", ["ball.position"]), Wire("ball.force", ["x.force"])]
    for part, message in (
        (Plain(), "its class Plain is no dataclass"),
        (Empty(), "its class Empty has no method 'force'"),
    ):
        with pytest.raises(NetworkError, match=message):
            Scene(parts={"ball": Mass(mass=1.0), "x": part}, wires=wires)


def test_what_is_no_number_is_no_data():
    """A torque that is infinite at the start is refused; one that becomes so ends the run there."""
    with pytest.raises(InputError, match=r"torque\.elbow is no number at the start|force is no number"):
        simulate(
            stiction.Scene(robot=stiction.library.two_link(), torque={"elbow": Formula("1/t")}), duration=1.0, step=0.1
        )
    late = stiction.Scene(robot=stiction.library.two_link(), torque={"elbow": lambda t: sqrt(2.005 - t)})
    with pytest.raises(DivergedError, match=r"left the numbers at 2") as error:
        simulate(late, duration=4.0, step=0.01)
    run = error.value.run
    assert run.status == "diverged" and run.time[-1] == pytest.approx(1.99, abs=0.02) and "at 2" in run.message
    assert all(np.isfinite(x).all() for x in run.signals.values())


def test_a_conveyor_is_for_flows():
    """Friction against a belt that moves: the block is taken along; rows cannot see the belt and say so."""
    network = Scene(
        parts={"block": Mass(mass=1.0), "rub": Friction(law=Coulomb(level=1.0))},
        wires=[
            Wire("rub.velocity", ["block.velocity"], shift=(-0.5,)),
            Wire("block.force", [Term("rub.torque", -1.0)]),
        ],
    )
    assert simulate(network, duration=2.0, step=1e-3)["block.velocity"][-1] == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(NetworkError, match="sees a velocity while everything rests"):
        simulate(network, duration=2.0, step=1e-3, method="moreau")


def test_numbers_do_not_compile_again(private_cache):
    simulate(oscillator(), duration=0.1, step=0.01)
    count = len(list(private_cache.glob("*.kernel")))
    simulate(oscillator(mass=3.0, stiffness=20.0, damping=0.5), duration=0.1, step=0.01)
    assert len(list(private_cache.glob("*.kernel"))) == count


def test_a_run_that_diverges_keeps_what_it_had():
    with pytest.raises(DivergedError, match="smaller step") as error:
        simulate(oscillator(stiffness=1e9), duration=1.0, step=0.01, method="euler")
    run = error.value.run
    with pytest.warns(StictionWarning, match="the run diverged"):
        kept = simulate(oscillator(stiffness=1e9), duration=1.0, step=0.01, method="euler", on_divergence="keep")
    np.testing.assert_array_equal(kept["ball.position"], run["ball.position"])
    assert run.status == kept.status == "diverged" and run.diverged
    assert "smaller step" in run.message and "ball." in run.message
    assert all(np.isfinite(x).all() for x in run.signals.values())
    assert len(run.time) == len(run["ball.position"]) > 1


BALL = {"ball": Mass(mass=1.0)}
SPRING = {"spring": SpringDamper(stiffness=1.0)}
FED = [Wire("spring.position", ["ball.position"]), Wire("spring.velocity", ["ball.velocity"])]


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: Scene(parts=BALL | SPRING, wires=[Wire("spring.position", ["ball.position"])]),
            "'spring.velocity' dangles: nothing drives it",
        ),
        (lambda: Scene(parts=BALL | SPRING, wires=FED), "part 'spring' dangles: none of its outputs"),
        (lambda: Scene(parts=BALL | SPRING, wires=[*FED, *FED]), "'spring.position' has two drivers"),
        (
            lambda: Scene(parts=BALL | SPRING, wires=[Wire("sprng.position", ["ball.position"])]),
            "unknown part 'sprng'; this scene has: ball, spring",
        ),
        (
            lambda: Scene(parts=BALL | SPRING, wires=[Wire("spring.positon", ["ball.position"])]),
            "unknown input 'positon'; part 'spring' has: position",
        ),
        (
            lambda: Scene(parts=BALL | SPRING, wires=[Wire("ball.force", ["spring.position"])]),
            "unknown output 'position'; part 'spring' has: force",
        ),
        (
            lambda: Scene(parts=BALL, wires=[Wire("ball.force", [Term("ball.position", [[1.0, 2.0]])])]),
            "a 1 × 2 gain; allowed: 1 × 1",
        ),
        (
            lambda: Scene(
                parts={"body": FreeBody(mass=1, inertia=(1, 1, 1))} | BALL,
                wires=[Wire("body.force", ["ball.position"])],
            ),
            r"from 'ball.position' \(1 numbers\) to 'body.force' \(3\)",
        ),
        (
            lambda: Scene(parts=BALL, wires=[Wire("ball.force", ["ball.position"], shift=(1, 2))]),
            "shifts by 2 numbers; the port has 1",
        ),
        (
            lambda: Scene(
                parts={"a": SpringDamper(stiffness=1.0), "b": SpringDamper(stiffness=1.0)},
                wires=[
                    Wire(f"{x}.{port}", [f"{y}.force"]) for x, y in ("ab", "ba") for port in ("position", "velocity")
                ],
            ),
            "algebraic loop: the forces of a, b",
        ),
        (lambda: Scene(parts={"ball": 3}), "part 'ball' is 3"),
        (lambda: Scene(parts=[1]), "parts is .1.; allowed: a mapping"),
        (lambda: Scene(parts={"energy": Mass(mass=1.0)}), "cannot be called 'energy'"),
        (lambda: Term("ball.position", "x"), "the gain of 'ball.position' is 'x'"),
        (lambda: Term("ball.position", math.nan), "the gain of 'ball.position' is nan"),
        (lambda: Wire("ball.force", "spring.force"), "the terms 'spring.force'"),
        (lambda: Wire("ball.force", [], shift=5), "is shifted by 5"),
    ],
)
def test_wrong_wiring_is_named(make, message):
    with pytest.raises((NetworkError, SceneError), match=message):
        make()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: simulate(oscillator(), duration=1.0, step=0.3), "a whole number of"),
        (lambda: simulate(oscillator(), duration=1.0, step=0.1, method="rk5"), "'moreau', 'rk4', 'gill', 'euler'"),
        (
            lambda: simulate(oscillator(), duration=0.1, step=0.1)["ball.speed"],
            "unknown signal 'ball.speed'; this run has: ball.position",
        ),
        (lambda: Mass(mass=0), "mass is 0"),
        (lambda: FreeBody(mass=1, inertia=(1, 1)), "inertia is .*3 finite numbers"),
        (lambda: RobotBody(robot=stiction.library.two_link(), q=(1,)), "q has 1 numbers; allowed: 2"),
        (lambda: Source(functions=("3",)), "functions of the time"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(InputError, match=message):
        make()
