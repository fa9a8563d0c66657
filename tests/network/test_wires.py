"""Networks: closed forms, observed orders, the experiments of network.md, and wrong wiring."""

import math

import pytest

from stiction.network import NetworkError, Term, Wire
from stiction.parts import FreeBody, Mass, SpringDamper
from stiction.scene import Scene, SceneError

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
