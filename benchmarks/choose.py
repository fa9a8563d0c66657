"""What each friction law does: the table of docs/choose.md, measured.

    ./run bench choose [--quick]       print the table
    ./run bench choose --write         and put it into docs/choose.md

One joint of 0.0304 kg m² with 0.5 N·m of friction (0.6 at break-away, where the law tells them apart), bristles of
5000 N·m/rad and 1 N·m·s/rad, unless a cell says otherwise.
"""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stiction
from benchmarks.measure import Timed, arguments, per_item
from benchmarks.peers.steps import core_of, steps_of
from stiction import Coulomb, Dahl, ElastoPlastic, LuGre, Scene, StictionError, Stribeck, Trajectory, Viscous, simulate
from stiction.friction.law import Law
from stiction.methods import method_named
from stiction.trace import clip, sin

INERTIA, STEP = 0.0304, 1e-3
BRISTLE = {"stiffness": 5000.0, "damping": 1.0}
CURVE = {"level": 0.5, "static": 0.6, "velocity": 0.01}
PAGE = Path(__file__).parent.parent / "docs" / "choose.md"
HELD = (
    "drift in 10 s",
    "break-away, slow load [N·m]",
    "fast load [N·m]",
    "gives under 0.4 N·m",
    "stays afterwards",
)
BEGIN, END = "<!-- measured -->", "<!-- end -->"


class Choice(NamedTuple):
    """A law under a method."""

    name: str
    law: Law
    method: str


CHOICES = (
    Choice("Coulomb", Coulomb(level=0.5), "moreau"),
    Choice("Stribeck", Stribeck(**CURVE), "moreau"),
    Choice("Coulomb", Coulomb(level=0.5, **BRISTLE), "rk4"),
    Choice("Stribeck", Stribeck(**CURVE, stiffness=5000.0, damping=12.0), "rk4"),
    Choice("Dahl", Dahl(level=0.5, stiffness=5000.0), "rk4"),
    Choice("LuGre", LuGre(**CURVE, **BRISTLE), "rk4"),
    Choice("LuGre", LuGre(**CURVE, **BRISTLE), "moreau"),
    Choice("LuGre", LuGre(**CURVE, **BRISTLE), "rosenbrock"),
    Choice("ElastoPlastic", ElastoPlastic(**CURVE, **BRISTLE), "rk4"),
    Choice("ElastoPlastic", ElastoPlastic(**CURVE, **BRISTLE), "moreau"),
    Choice("Viscous", Viscous(coefficient=0.5), "rk4"),
)


def loaded(choice: Choice, torque: Any, duration: float, record: float, step: float = STEP) -> Trajectory:
    """The joint under a torque."""
    robot = stiction.library.pendulum(1, length=1.0, mass=INERTIA)
    scene = Scene(robot=robot, friction={"joint1": choice.law}, torque={"joint1": torque}, gravity=(0, 0, 0))
    return simulate(scene, duration=duration, step=step, method=choice.method, record=record)


def anchor(run: Trajectory) -> np.ndarray:
    """The position less the bending."""
    return run["q.joint1"] - run.signals.get("bend.joint1", 0.0)


def drift(choice: Choice) -> float:
    """How far the joint creeps in 10 s under a load that oscillates below break-away, after the first second [rad]."""
    moved = anchor(loaded(choice, lambda t: 0.336 + 0.144 * sin(100 * t), 11.0, 1.0))
    return float(abs(moved[-1] - moved[1]))


def breakaway(choice: Choice, rate: float) -> float:
    """Largest friction torque while the load grows at a rate [N·m/s] until the joint slides [N·m]."""
    time = 0.8 / rate
    record = max(STEP, round(time / 2000 / STEP) * STEP)
    run = loaded(choice, lambda t: rate * t, round(time / record) * record, record)
    slides = np.flatnonzero(run["v.joint1"] > 0.2)
    return float(run["friction.joint1"][: slides[0] + 1 if len(slides) else None].max())


def presliding(choice: Choice) -> tuple[float, float]:
    """How far the joint gives under 0.4 N·m, put on and taken off within a second each, and what of it stays [rad]."""
    run = loaded(choice, lambda t: 0.4 * (clip(t, 0, 1) - clip(t - 2, 0, 1)), 4.0, 0.1)
    return float(run["q.joint1"][20]), float(run["q.joint1"][-1])


def stable(choice: Choice, step: float) -> bool:
    """Whether the joint rests under 0.3 N·m at this step; under viscous friction, whether it comes to its speed."""
    count = max(4, round(0.25 / step / 100))
    try:
        run = loaded(choice, 0.3, 100 * count * step, 100 * step, step)
    except StictionError:
        return False
    if isinstance(choice.law, Viscous):
        return abs(run["v.joint1"][-1] - 0.3 / choice.law.coefficient) < 0.05
    return run.status == "completed" and abs(run["v.joint1"][-1]) < 1e-3 and abs(run["q.joint1"][-1]) < 0.1


def largest_step(choice: Choice) -> float:
    """The largest step, up to 0.1 s, at which the joint rests [s]."""
    if stable(choice, 0.1):
        return 0.1
    low, high = 1e-5, 0.1
    for _ in range(20):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if stable(choice, middle) else (low, middle)
    return low


def hundred_steps(law: Law | None, method: str) -> Timed:
    """A call that advances a six-joint arm with this friction in every joint by 100 steps, and how many it took."""
    arm = stiction.library.puma560()
    friction = dict.fromkeys(arm.velocity_names, law)
    scene = Scene(robot=arm, limits="ignore", friction=friction, q=np.full(6, 0.3), v=np.full(6, 0.5))
    chosen = method_named(method)
    step, signals = 1e-3 if chosen.own_steps else 1e-4, ["q.", "v.", *chosen.signals(scene.network)]
    core = core_of(scene, chosen, step, signals)
    call = steps_of(core, 100)
    call()
    seen = dict(zip(core.program.wanted, core.seen[0], strict=True))
    return call, int(seen["", "steps"]) if chosen.own_steps else 100


def costs(seconds: float) -> dict[Choice, float]:
    """Time of a step with this friction in every joint over that of Runge–Kutta 4 without friction, one robot."""
    functions = {choice: hundred_steps(choice.law, choice.method) for choice in CHOICES}
    times = per_item({None: hundred_steps(None, "rk4"), **functions}, seconds)
    return {choice: times[choice] / times[None] for choice in CHOICES}


def number(x: float, unit: str = "") -> str:
    """A measured number in two digits."""
    return "0" if abs(x) < 1e-13 else f"{x:.2g}{unit}"


def step_of(choice: Choice) -> str:
    """The largest stable step, in words."""
    if method_named(choice.method).own_steps:
        return "own steps"
    longest = largest_step(choice)
    return "above 100 ms" if longest >= 0.1 else f"{1e3 * longest:.2g} ms"


def row(choice: Choice) -> dict[str, str]:
    """The cells of a choice that no machine changes, without its largest step."""
    cells = {"law": choice.name, "method": choice.method}
    if isinstance(choice.law, Viscous):
        return cells | dict.fromkeys(HELD, "none") | {HELD[0]: "does not hold"}
    gives, stays = presliding(choice)
    held = [number(drift(choice), " rad"), number(breakaway(choice, 0.1)), number(breakaway(choice, 10.0))]
    return cells | dict(zip(HELD, [*held, number(gives, " rad"), number(stays, " rad")], strict=True))


def table(seconds: float) -> str:
    """The table of the page."""
    cost = costs(seconds)
    rows = [row(c) | {"largest stable step": step_of(c), "cost": f"{cost[c]:.1f}"} for c in CHOICES]
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join([*lines, *("| " + " | ".join(cells.values()) + " |" for cells in rows)])


def main() -> None:
    options = arguments("What each friction law does.", {"write": "put the table into docs/choose.md"})
    warnings.simplefilter("ignore", stiction.StictionWarning)
    text = table(0.1 if options.quick else 0.5)
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
