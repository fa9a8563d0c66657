"""Contacts whose results can be written down: rigid rows at 1 ms, and the same scenes with penalty at 0.1 ms."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from stiction.contact import Contacts, Surface
from stiction.parts import Fixed, FreeBody
from stiction.reproduce.case import Case, Claim, Result, Tell, complete, shares
from stiction.reproduce.closed_forms import SLOPE, SOURCE
from stiction.reproduce.network import MASS, RADIUS
from stiction.robot import Box, HalfSpace, Sphere
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory

G = 9.81
FLOOR = {"floor": Fixed(shapes=(HalfSpace(),))}


def on_floor(body: FreeBody, surface: Surface, gravity: tuple[float, float, float] = (0, 0, -G)) -> Scene:
    """A body on the floor."""
    return Scene(parts={"body": body, **FLOOR}, gravity=gravity, contacts=Contacts(surface=surface))


def rolling() -> Scene:
    """The solid ball of network.md on the ground, with 2 m/s."""
    solid = Sphere(radius=RADIUS, mass=MASS)
    return on_floor(FreeBody.of(solid, position=(0, 0, RADIUS), velocity=(2, 0, 0)), Surface(static=0.1), (0, 0, -9.8))


def sliding(friction: float, speed: float) -> Scene:
    """A block of 1 kg on a slope of 25°, x down the slope."""
    solid = Box(size=(0.2, 0.2, 0.1), mass=1.0)
    gravity = (G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE))
    return on_floor(
        FreeBody.of(solid, position=(0, 0, 0.05), velocity=(speed, 0, 0)), Surface(static=friction), gravity
    )


def bouncing() -> Scene:
    """A ball that falls by 1 m, with restitution 0.8."""
    solid = Sphere(radius=0.1, mass=1.0)
    return on_floor(FreeBody.of(solid, position=(0, 0, 1.1)), Surface(restitution=0.8))


def resting() -> Scene:
    """A box on four corners."""
    return on_floor(FreeBody.of(Box(size=(0.2, 0.3, 0.1), mass=1.0), position=(0, 0, 0.05)), Surface())


def _side_by_side(what: str, exact: float, found: dict[str, float], bar: float, unit: str) -> Claim:
    """A claim that rows are exact within a bar; what penalty gives stands beside."""
    shown = ", ".join(f"{name} {x:.7g}" for name, x in found.items())
    return Claim(what, f"{exact:.9g} ± {bar:g} {unit}", f"{shown} {unit}", abs(found["rows"] - exact) <= bar)


def _when(run: Trajectory, here: np.ndarray) -> float:
    """The first time at which something holds [s]."""
    return float(run.time[int(np.argmax(here))])


def _forms(_: bool, tell: Tell) -> Result:
    scenes = {"rolls": (rolling(), 1.0), "thrown": (sliding(0.3, -2.0), 1.0), "bounces": (bouncing(), 5.0)}
    share, runs = iter(shares(tell, 7)), {}
    for name, (scene, duration) in scenes.items():
        runs[name] = tuple(
            complete(scene, duration=duration, step=step, method=method, record=1e-3, progress=next(share))
            for method, step in (("moreau", 1e-3), ("rk4", 1e-4))
        )
    stands = complete(resting(), duration=2.0, step=1e-3, progress=next(share))
    rolls, thrown, bounces = runs.values()
    return _claims(rolls, thrown, bounces, stands), partial(_draw, rolls, thrown, bounces)


Pair = Sequence[Trajectory]  # with rows, with penalty


def _both(rows: float, penalty: float) -> dict[str, float]:
    return {"rows": rows, "penalty": penalty}


def _slip(run: Trajectory) -> np.ndarray:
    return run["body.velocity.x"] - RADIUS * run["body.angular.y"]


def _claims(rolls: Pair, thrown: Pair, bounces: Pair, stands: Trajectory) -> list[Claim]:
    late = bounces[0].time > 4.063712769 + 0.35
    still = float(np.abs(bounces[0]["body.velocity.z"][late]).max())
    forces = np.stack([stands[f"contact.{k}.force.z"][1000:] for k in range(1, 5)])
    return [
        _side_by_side("sphere: slip ends", 0.583090, _both(*(_when(x, _slip(x) < 1e-3) for x in rolls)), 1e-3, "s"),
        _side_by_side(
            "sphere: speed when it rolls", 10 / 7, _both(*(float(x["body.velocity.x"][-1]) for x in rolls)), 1e-4, "m/s"
        ),
        _side_by_side(
            "block thrown up at 2 m/s: way",
            0.293550018,
            _both(*(-float(x["body.position.x"].min()) for x in thrown)),
            1e-3,
            "m",
        ),
        _side_by_side(
            "ball: first impact", 0.451523641, _both(*(_when(x, x["body.velocity.z"] > 0) for x in bounces)), 2e-3, "s"
        ),
        Claim("ball: rests after 4.0637 s", "below 1e-09 m/s", f"rows {still:.1g} m/s from 4.42 s on", still < 1e-9),
        Claim(
            "box on four corners: ΣN − m g, and spread of N",
            "below 1e-09 of m g, 1e-06",
            f"rows {abs(float(forces.sum(axis=0).mean()) - G) / G:.1g}, {float(forces.std() / forces.mean()):.1g}",
            bool(np.abs(forces.sum(axis=0) - G).max() < 1e-9 * G and forces.std() < 1e-6 * forces.mean()),
        ),
    ]


def _draw(rolls: Pair, thrown: Pair, bounces: Pair) -> Any:
    picture, (slip, way, height) = subplots(3, 7.5, sharex=False)
    for k, (label, style) in enumerate((("rows, 1 ms", "-"), ("penalty, 0.1 ms", "--"))):
        slip.plot(rolls[k].time, _slip(rolls[k]), style, label=label)
        way.plot(thrown[k].time, -thrown[k]["body.position.x"], style, label=label)
        height.plot(bounces[k].time, bounces[k]["body.velocity.z"], style, label=label, linewidth=0.9)
    for ax, title, label in (
        (slip, "a sphere slips, then rolls", "slip [m/s]"),
        (way, "a block is thrown up a slope", "way [m]"),
        (height, "a ball bounces to rest", "velocity [m/s]"),
    ):
        ax.set_title(title)
        ax.set_ylabel(label)
        ax.legend()
    height.set_xlabel("time [s]")
    return picture


CASES = {"contacts": Case("sphere, block, ball and box: rigid contacts beside penalty", SOURCE, _forms)}
