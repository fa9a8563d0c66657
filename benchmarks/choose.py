"""What each friction law does: the table of docs/choose.md, measured.

    ./run bench choose [--quick]       print the table
    ./run bench choose --write         and put it into docs/choose.md

One joint of 0.0304 kg m² with 0.5 N·m of friction (0.6 at break-away, where the law tells them apart), bristles of 5000 N·m/rad
and 1 N·m·s/rad, unless a cell says otherwise.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measure import per_item
from stiction.simulation.names import names_of
from stiction.simulation.prepare import How, prepare, prepared
from tests.friction.test_hold import flywheel

import stiction
from stiction import Coulomb, Dahl, ElastoPlastic, LuGre, Scene, StictionError, Stribeck, Trajectory, Viscous, simulate
from stiction.friction.law import Law
from stiction.trace import clip, sin

INERTIA, STEP = 0.0304, 1e-3
BRISTLE = {"stiffness": 5000.0, "damping": 1.0}
CURVE = {"level": 0.5, "static": 0.6, "velocity": 0.01}
PAGE = Path(__file__).parent.parent / "docs" / "choose.md"
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


def on_axle(choice: Choice, torque: Any, duration: float, record: float, step: float = STEP) -> Trajectory:
    """The joint under a torque."""
    scene = Scene(robot=flywheel(INERTIA), friction={"axle": choice.law}, torque={"axle": torque})
    return simulate(scene, duration=duration, step=step, method=choice.method, record=record)


def anchor(run: Trajectory) -> np.ndarray:
    """The position less the bending."""
    return run["q.axle"] - run.signals.get("bend.axle", 0.0)


def drift(choice: Choice) -> float:
    """How far the joint creeps in 10 s under a load that oscillates below break-away, after the first second [rad]."""
    moved = anchor(on_axle(choice, lambda t: 0.336 + 0.144 * sin(100 * t), 11.0, 1.0))
    return float(abs(moved[-1] - moved[1]))


def breakaway(choice: Choice, rate: float) -> float:
    """Largest friction torque while the load grows at a rate [N·m/s] until the joint slides [N·m]."""
    time = 0.8 / rate
    record = max(STEP, round(time / 2000 / STEP) * STEP)
    run = on_axle(choice, lambda t: rate * t, round(time / record) * record, record)
    slides = np.flatnonzero(run["v.axle"] > 0.2)
    return float(run["friction.axle"][: slides[0] + 1 if len(slides) else None].max())


def presliding(choice: Choice) -> tuple[float, float]:
    """How far the joint gives under 80 % of 0.5 N·m, put on and taken off within a second each, and what of it stays [rad]."""
    run = on_axle(choice, lambda t: 0.4 * (clip(t, 0, 1) - clip(t - 2, 0, 1)), 4.0, 0.1)
    return float(run["q.axle"][20]), float(run["q.axle"][-1])


def stable(choice: Choice, step: float) -> bool:
    """Whether the joint rests under 0.3 N·m at this step; with viscous friction, whether it comes to its steady speed."""
    count = max(4, round(0.25 / step / 100))
    try:
        run = on_axle(choice, 0.3, 100 * count * step, 100 * step, step)
    except StictionError:
        return False
    if isinstance(choice.law, Viscous):
        return abs(run["v.axle"][-1] - 0.3 / choice.law.coefficient) < 0.05
    return run.status == "completed" and abs(run["v.axle"][-1]) < 1e-3 and abs(run["q.axle"][-1]) < 0.1


def largest_step(choice: Choice) -> float:
    """The largest step, up to 0.1 s, at which the joint rests [s]."""
    if stable(choice, 0.1):
        return 0.1
    low, high = 1e-5, 0.1
    for _ in range(20):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if stable(choice, middle) else (low, middle)
    return low


def costs(seconds: float) -> dict[Choice, float]:
    """Time of a step of a six-joint arm with this friction in every joint, over that of Runge–Kutta 4 without friction, one robot."""
    arm = stiction.library.puma560()
    functions: dict[Any, tuple[Callable[[], Any], int]] = {}
    for choice in (None, *CHOICES):
        method = choice.method if choice else "rk4"
        laws = {name: choice.law if choice else None for name in arm.velocity_names}
        scene = Scene(robot=arm, friction=laws, q=np.full(6, 0.3), v=np.full(6, 0.5))
        step = 1e-3 if method == "rosenbrock" else 1e-4
        made = prepare(prepared(scene, method, step), names_of(scene), How(method=method, step=step), {}, ("q.", "v."))
        start = made.start.copy()
        after = made.advance(start, step, 0, 100, 1)[0]
        taken = int(after[made.arrival + 2]) if made.arrival is not None else 100
        functions[choice] = (lambda made=made, start=start, step=step: made.advance(start, step, 0, 100, 1), taken)  # type: ignore[misc]
    times = per_item(functions, seconds, rounds=3)
    return {choice: times[choice] / times[None] for choice in CHOICES}  # type: ignore[index]


def number(x: float, unit: str = "") -> str:
    """A measured number in two digits."""
    return "0" if abs(x) < 1e-13 else f"{x:.2g}{unit}"


def row(choice: Choice) -> dict[str, str]:
    """The cells of a choice, without its cost."""
    if isinstance(choice.law, Viscous):
        held = ["does not hold", "none", "none", "none", "none"]
    else:
        gives, stays = presliding(choice)
        held = [
            number(drift(choice), " rad"),
            number(breakaway(choice, 0.1)),
            number(breakaway(choice, 10.0)),
            number(gives, " rad"),
            number(stays, " rad"),
        ]
    longest = "own steps" if choice.method == "rosenbrock" else largest_step(choice)
    longest = longest if isinstance(longest, str) else "above 100 ms" if longest >= 0.1 else f"{1e3 * longest:.2g} ms"
    keys = (
        "drift in 10 s",
        "break-away, slow load [N·m]",
        "fast load [N·m]",
        "gives under 0.4 N·m",
        "stays afterwards",
        "largest stable step",
    )
    return {"law": choice.name, "method": choice.method} | dict(zip(keys, [*held, longest], strict=True))


def table(seconds: float) -> str:
    """The table of the page."""
    cost = costs(seconds)
    rows = [row(choice) | {"cost": f"{cost[choice]:.1f}"} for choice in CHOICES]
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join([*lines, *("| " + " | ".join(cells.values()) + " |" for cells in rows)])


def main() -> None:
    warnings.simplefilter("ignore", stiction.StictionWarning)
    text = table(0.1 if "--quick" in sys.argv else 0.5)
    print(text)
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
