"""What is too stiff for a step is refused, and only that: judged together, and tried by runs on both sides."""

import warnings

import numpy as np
import pytest

from stiction import Scene, StictionError, StictionWarning, simulate
from stiction.methods.elastic import ElasticParts
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Ground, Mass, SpringDamper, TouchingPoint

METHODS = ["moreau", "gears_implicit", "rk4", "gill"]


def tied(springs):
    """Two masses of 1 kg, a row of springs (stiffness, damping) between them, and one to the wall."""
    parts = {"a": Mass(mass=1.0, position=1e-3), "b": Mass(mass=1.0)}
    wires, on_a, on_b = [], [], []
    for k, (stiffness, damping) in enumerate(springs):
        name = f"s{k}"
        parts[name] = SpringDamper(stiffness=stiffness, damping=damping)
        for what in ("position", "velocity"):
            other = [] if k == 0 else [Term(f"b.{what}", -1.0)]
            wires.append(Wire(f"{name}.{what}", [f"a.{what}", *other]))
        on_a.append(Term(f"{name}.force", -1.0))
        if k:
            on_b.append(Term(f"{name}.force", 1.0))
    return Scene(parts=parts, wires=[*wires, Wire("a.force", on_a), *([Wire("b.force", on_b)] if on_b else [])])


def stable_step(scene, method, step=1e-2):
    with pytest.raises(StictionError, match="too stiff") as error:
        simulate(scene, duration=1.0, step=step, method=method)
    return float(str(error.value).split("largest stable step is ")[1].split(" s")[0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("springs", [[(1e5, 0.0)], [(5e4, 5.0), (5e4, 5.0), (8e4, 0.0)], [(1e4, 300.0), (9e4, 0.0)]])
def test_the_largest_stable_step_is_that(method, springs):
    """A little below it a swing stays; a little above it would grow beyond all bounds."""
    scene = tied(springs)
    stable = stable_step(scene, method)
    h = 0.98 * stable
    run = simulate(scene, duration=2000 * h, step=h, method=method, record=100 * h)
    assert np.abs(run["a.position"]).max() < 3e-3
    h = 1.05 * stable
    with pytest.raises(StictionError, match="too stiff"):
        simulate(scene, duration=2000 * h, step=h, method=method)


@pytest.mark.parametrize("method, most", [("moreau", 2.0), ("rk4", 8**0.5), ("gill", 8**0.5)])
def test_the_largest_stable_step_of_one_spring_is_a_closed_form(method, most):
    """Of a swing at ω without damping: ω h = 2 for the midpoint, 2 √2 for Runge and Kutta."""
    assert stable_step(tied([(1e5, 0.0)]), method) == pytest.approx(most / 1e5**0.5, rel=2e-3)  # told with three digits


@pytest.mark.parametrize("method", METHODS)
def test_what_is_refused_would_have_blown_up(method, monkeypatch):
    scene = tied([(5e4, 0.0), (5e4, 0.0), (8e4, 0.0)])
    h = 1.05 * stable_step(scene, method)
    monkeypatch.setattr(ElasticParts, "refuse", lambda self: None)
    with pytest.raises(StictionError, match="left the numbers"):
        simulate(scene, duration=5000 * h, step=h, method=method, record=100 * h)


@pytest.mark.parametrize("method", METHODS)
def test_springs_that_are_too_stiff_only_together(method):
    """Each alone could be followed; the error names them all."""
    alone = stable_step(tied([(1e5, 0.0)]), method)
    scene = tied([(1e5, 0.0), (1e5, 0.0), (1e5, 0.0)])
    with pytest.raises(StictionError, match="'s0', 's1', 's2' together are too stiff"):
        simulate(scene, duration=65 * alone, step=0.65 * alone, method=method)
    simulate(scene, duration=40 * alone, step=0.4 * alone, method=method)


def box(stiffness, damping):
    """A box of 1 kg on four corners, a little above the ground, that slides."""
    parts = {"box": FreeBody(mass=1.0, inertia=(0.01,) * 3, position=(0, 0, 0.101), velocity=(0.5, 0, 0))}
    wires, on = [], {"force": [], "moment": []}
    for k, (x, y) in enumerate([(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)]):
        point = {"stiffness": stiffness, "damping": damping, "coefficient": 0.3}
        parts[f"c{k}"] = TouchingPoint(point=(x, y, -0.1), **point)
        wires += [Wire(f"c{k}.{port}", [f"box.{port}"]) for port in ("position", "quaternion", "velocity", "angular")]
        for what, terms in on.items():
            terms.append(Term(f"c{k}.{what}", -1.0))
    return Scene(parts=parts, wires=[*wires, *(Wire(f"box.{what}", terms) for what, terms in on.items())])


@pytest.mark.parametrize("stiffness, damping", [(1e4, 50.0), (2.5e3, 50.0), (1e4, 200.0), (2.5e4, 20.0)])
@pytest.mark.parametrize("step", [1e-3, 2e-3])
@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_box_on_four_corners_rests_or_the_run_says_that_it_chatters(method, step, stiffness, damping):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", StictionWarning)
        run = simulate(box(stiffness, damping), duration=2.0, step=step, method=method)
    late = run.time > 1.5
    rests = max(np.abs(run.stack(f"box.{what}")[late]).max() for what in ("velocity", "angular")) < 1e-9
    chatters = any("they then chatter" in str(note.message) for note in told)
    assert rests != chatters
    assert rests or method == "rk4"


def test_the_ground_under_moreau_at_large_steps():
    """At 2 and 5 ms: it slides v²/(2 μ g) and rests; what would creep is refused."""
    for step in (2e-3, 5e-3):
        ground = Ground(stiffness=1e4, damping=50.0, coefficient=0.3)
        body = FreeBody(mass=1.0, inertia=(0.1,) * 3, position=(0, 0, -9.81e-4), velocity=(0.6, -0.8, 0))
        wires = [Wire(f"ground.{what}", [f"block.{what}"]) for what in ("position", "velocity")]
        scene = Scene(
            parts={"block": body, "ground": ground}, wires=[*wires, Wire("block.force", [Term("ground.force", -1.0)])]
        )
        run = simulate(scene, duration=1.5, step=step)
        way = 1 / (2 * 0.3 * 9.81)
        assert run["block.position.x"][-1] == pytest.approx(0.6 * way, abs=3e-4)
        assert np.abs(run.stack("block.velocity")[run.time > 1]).max() < 1e-5
    hard = Ground(stiffness=1e6, damping=50.0, coefficient=0.3)
    with pytest.raises(StictionError, match="the bristles of 'ground' are too stiff for 'moreau'"):
        simulate(Scene(parts={"block": body, "ground": hard}, wires=scene.wires), duration=0.1, step=5e-3)
