"""Parts of the user's own."""

from dataclasses import dataclass

import numpy as np
import pytest

from stiction.network import NetworkError, Term, Wire
from stiction.parts import Impedance, Mass
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
    run = simulate(scene, duration=5.0, step=1e-3)
    energy = run["ball.velocity"] ** 2 / 2 + run["ball.position"] ** 4
    np.testing.assert_allclose(energy, 1.0, atol=1e-10)


def test_parts_of_the_user_that_do_not_keep_their_word():
    @dataclass(frozen=True, kw_only=True)
    class Wrong(Impedance):
        inputs = {"position": 1}
        outputs = {"force": 1}

        def force(self, motion, own, step, t):
            return {"forces": [0.0, 0.0]}, []

    scene = Scene(
        parts={"ball": Mass(mass=1.0), "w": Wrong()},
        wires=[Wire("w.position", ["ball.position"]), Wire("ball.force", ["w.force"])],
    )
    with pytest.raises(NetworkError, match=r"part 'w' \(Wrong\): its force gives the outputs {'forces': 2}"):
        simulate(scene, duration=0.1, step=0.01)


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
