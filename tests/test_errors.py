"""Messages: names that are not known are answered by the ones that were meant, never by all."""

import pytest

import stiction
from stiction import InputError, simulate
from stiction.errors import FEW, unknown

MANY = [f"{word}.joint{k}" for word in ("q", "v", "friction") for k in range(1, 31)] + ["residual"]


def listed(given, known=MANY):
    return unknown("signal", given, "this run", known).partition(" has: ")[2]


@pytest.mark.parametrize(
    "given, meant",
    [
        ("q.jont7", "q.joint7, "),
        ("Q.JOINT7", "q.joint7, "),
        ("residul", "residual ... and 90 more"),
        ("joint30", "q.joint30, "),
        ("q.wrist", "q.joint1, q.joint2"),
        ("friction.*.jiont", "friction.joint"),
        ("speed", "q.*, v.*, friction.*, residual"),
        (3, "q.joint3, "),
    ],
)
def test_only_names_like_it_are_listed(given, meant):
    assert listed(given).startswith(meant)
    assert len(listed(given).split(", ")) <= FEW


def test_few_names_are_all_listed():
    assert listed("x", ["a", "b"]) == "a, b" and listed("x", []) == "none"


@pytest.mark.parametrize(
    "ask, source",
    [
        (lambda scene, run: run["q.joint9"], lambda scene, run: run.signals),
        (lambda scene, run: run.stack("speed"), lambda scene, run: run.signals),
        (lambda scene, run: run.state["speed"], lambda scene, run: run.state.names),
        (
            lambda scene, run: simulate(scene, duration=0.1, step=0.01, parameters={"speed": 1.0}),
            lambda scene, run: scene.parameters,
        ),
        (
            lambda scene, run: scene.robot.mass_matrix([0.0] * 6, parameters={"speed": 1.0}),
            lambda scene, run: scene.robot.parameters,
        ),
        (lambda scene, run: stiction.Simulator(scene, step=0.01, outputs=["speed"]), lambda scene, run: run.signals),
        (lambda scene, run: stiction.Simulator(scene, step=0.01, inputs=["torqe.*"]), lambda scene, run: scene.joints),
        (
            lambda scene, run: stiction.Simulator(scene, step=0.01, parameters={"speed": 1.0}),
            lambda scene, run: scene.parameters,
        ),
    ],
    ids=["signal", "beginning", "slot", "parameter", "of a robot", "output", "input", "of a simulator"],
)
def test_large_scenes_get_short_answers(ask, source):
    """77 signals and 200 parameters: a line, and where all of them are."""
    arm = stiction.library.puma560()
    scene = stiction.Scene(
        robot=arm, friction={name: stiction.Dahl(level=1.0, stiffness=1e3) for name in arm.velocity_names}
    )
    run = simulate(scene, duration=0.01, step=0.01)
    with pytest.raises(InputError, match="unknown") as caught:
        ask(scene, run)
    assert len(str(caught.value)) < 250
    if "lists all" in str(caught.value):
        assert len(source(scene, run)) > FEW
