"""Networks: closed forms, observed orders, the experiments of network.md, and wrong wiring."""

import math

import numpy as np
import pytest

from stiction.network import NetworkError, Term, Wire
from stiction.parts import FreeBody, Mass, SpringDamper
from stiction.scene import Scene, SceneError
from stiction.simulation.simulate import simulate
from tests.scenes import METHODS, order


def fed(name):
    """What tells a spring about the ball."""
    return [Wire(f"{name}.position", ["ball.position"]), Wire(f"{name}.velocity", ["ball.velocity"])]


FED = fed("spring")


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_shift_is_a_constant_force(method):
    """On a mass it is a source like any other: 3 N over 2 kg, and its work is 3 N times the way."""
    brake = SpringDamper(stiffness=0.0, damping=1.0)
    scene = Scene(
        parts={"ball": Mass(mass=2.0), "brake": brake},
        wires=[*fed("brake"), Wire("ball.force", [Term("brake.force", -1.0)], shift=(3.0,))],
    )
    run = simulate(scene, duration=4.0, step=1e-3, method=method, record=0.5, energy=True)
    exact = 3.0 * (1 - np.exp(-run.time / 2.0))
    np.testing.assert_allclose(run["ball.velocity"], exact, atol={1: 5e-4, 2: 1e-7, 4: 1e-8}[order(method)])
    np.testing.assert_allclose(run["work.ball.force"], 3.0 * run["ball.position"], atol=1e-2)
    assert np.abs(run["energy.residue"]).max() < {1: 5e-3, 2: 1e-6, 4: 1e-8}[order(method)]


BALL = {"ball": Mass(mass=1.0)}


SPRING = {"spring": SpringDamper(stiffness=1.0)}


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
