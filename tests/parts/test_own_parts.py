"""Parts of the user's own."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from stiction.errors import InputError
from stiction.network import NetworkError, Term, Wire
from stiction.parts import Clock, Digital, Impedance, Mass
from stiction.scene import Scene
from stiction.simulation.simulate import simulate


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

    scene = Scene(
        parts={"ball": Mass(mass=1.0, position=1.0), "spring": Cubic(stiffness=4.0)},
        wires=[Wire("spring.position", ["ball.position"]), Wire("ball.force", [Term("spring.force", -1.0)])],
    )
    run = simulate(scene, duration=5.0, step=1e-3, method="rk4")
    energy = run["ball.velocity"] ** 2 / 2 + run["ball.position"] ** 4
    np.testing.assert_allclose(energy, 1.0, atol=1e-10)


@pytest.mark.parametrize(
    "returned",
    [
        ({"forces": [0.0]}, []),
        ({"force": [0.0, 0.0]}, []),
        ({"force": [0.0]}, [0.0]),
        {"force": [0.0]},
        0.0,
        ({"force": 0.0}, []),
        ({"force": [0.0]}, 0.0),
        None,
    ],
    ids=repr,
)
def test_parts_of_the_user_that_do_not_keep_their_word(returned):
    """What a part's force, or a controller's decide, should have returned is said by an example."""

    @dataclass(frozen=True, kw_only=True)
    class Wrong(Impedance):
        inputs = {"position": 1}
        outputs = {"force": 1}

        def force(self, motion, own, step, t):
            return returned

    @dataclass(frozen=True, kw_only=True)
    class Odd(Digital):
        clock: Clock = Clock(period=0.01)
        inputs = {"position": 1}
        outputs = {"force": 1}

        def decide(self, inputs, memory, t):
            return returned

    allowed = (
        rf"returns {re.escape(repr(returned))}; allowed: a list for each output, .* \({{'force': \[0.0\]}}, \[\]\)"
    )
    for part, message in ((Wrong(), rf"part 'w': Wrong.force {allowed}"), (Odd(), f"Odd.decide {allowed}")):
        wires = [Wire("w.position", ["ball.position"]), Wire("ball.force", ["w.force"])]
        with pytest.raises(InputError, match=message):
            simulate(Scene(parts={"ball": Mass(mass=1.0), "w": part}, wires=wires), duration=0.1, step=0.01)


@dataclass(frozen=True, kw_only=True)
class Powers(Impedance):
    """x, or x² and so on, times a number at each end."""

    gains: tuple[float, float]
    power: int = 1
    inputs = {"position": 1}
    outputs = {"force": 1}

    def force(self, motion, own, step, t):
        (x,) = motion["position"]
        for _ in range(self.power):
            x = x * x
        return {"force": [self.gains[0] * x + self.gains[1]]}, []


def test_whole_numbers_are_parameters_where_a_field_is_a_float():
    """2 means 2.0; a field that is declared int is a count, and says so."""
    wires = [Wire("p.position", ["ball.position"]), Wire("ball.force", [Term("p.force", -1.0)])]
    scene = Scene(parts={"ball": Mass(mass=1.0, position=1.0), "p": Powers(gains=(2, 3))}, wires=wires)
    assert scene.parameters["p.gains.0"] == 2.0 and scene.parameters["p.gains.1"] == 3.0
    run = simulate(scene, duration=0.01, step=0.01, parameters={"p.gains.1": [3.0, 8.0]})
    np.testing.assert_allclose(run["p.force"][0], [5.0, 10.0])
    with pytest.raises(
        InputError, match=r"'p.power' is a whole number, which shapes the program; declare the field as a float"
    ):
        simulate(scene, duration=0.01, step=0.01, parameters={"p.power": 2})


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
