"""A block on a belt, held by a spring: it is carried along, breaks away and slips back, again and again."""

import numpy as np
import pytest

from stiction import Box, Contacts, Joint, Link, Origin, Robot, Scene, Surface, Term, Wire, simulate
from stiction.parts import FreeBody, SpringDamper

G = 9.81
MASS, STIFFNESS, SPEED, STATIC, KINETIC = 1.3, 150.0, 0.12, 0.55, 0.35
LEVEL = 0.05  # m: each period passes it once upwards


def exact_period():
    """Of stick and slip at constant coefficients: carried over twice the fall of the force, then part of a swing."""
    w, fall = np.sqrt(STIFFNESS / MASS), (STATIC - KINETIC) * MASS * G / STIFFNESS
    return 2 * fall / SPEED + 2 * (np.pi - np.arctan2(fall * w, SPEED)) / w


def on_belt():
    belt = Link.of("belt", Box(size=(8, 0.4, 0.1), mass=1.0, origin=Origin(xyz=(0, 0, -0.05))))
    rail = Joint(name="rail", kind="prismatic", parent="base", child="belt", axis=(1, 0, 0))
    block = FreeBody.of(Box(size=(0.2, 0.2, 0.02), mass=MASS), position=(0, 0, 0.01), velocity=(SPEED, 0, 0))
    along = ((1.0, 0, 0),)
    return Scene(
        robot=Robot(name="belt", links=[Link(name="base"), belt], joints=[rail]),
        motion={"rail": lambda t: SPEED * t},
        parts={"block": block, "spring": SpringDamper(stiffness=STIFFNESS, damping=0.0)},
        wires=[
            Wire("spring.position", [Term("block.position", along)]),
            Wire("spring.velocity", [Term("block.velocity", along)]),
            Wire("block.force", [Term("spring.force", ((-1.0,), (0,), (0,)))]),
        ],
        contacts=Contacts(surface=Surface(static=STATIC, kinetic=KINETIC)),
    )


@pytest.mark.parametrize("step", [1e-3, 2e-4])
def test_it_breaks_away_within_two_steps(step):
    """In the mean: a period has one break-away, and one catch that is found to a step."""
    run = simulate(on_belt(), duration=6.0, step=step)
    x, t = run["block.position.x"], run.time
    at = np.flatnonzero((x[:-1] < LEVEL) & (x[1:] >= LEVEL))
    crossed = t[at] + (LEVEL - x[at]) / (x[at + 1] - x[at]) * step
    periods = np.diff(crossed)[1:]
    assert len(periods) > 4
    assert abs(periods.mean() - exact_period()) < 2 * step
