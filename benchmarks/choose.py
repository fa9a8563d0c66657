"""Every friction law under every method: the tables of docs/choose.md, measured.

    ./run bench choose [--quick]       print the tables
    ./run bench choose --write         and put them into docs/choose.md

One joint of 0.0304 kg m² with 0.5 N·m of friction, 0.6 at break-away where the law tells them apart; bristles of
5000 N·m/rad and 1 N·m·s/rad. Cells have three numbers, for steps of 0.1, 1 and 2 ms: errors against references that are
exact where friction is dry, and of Runge-Kutta at 5 µs where it has bristles.
"""

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stiction
from benchmarks.measure import Timed, arguments, per_item
from benchmarks.peers.steps import core_of, steps_of
from stiction import (
    Coulomb,
    Curve,
    Dahl,
    DivergedError,
    ElastoPlastic,
    Leuven,
    LuGre,
    MaxwellSlip,
    Scene,
    StictionError,
    Stribeck,
    Term,
    Trajectory,
    Wire,
    simulate,
)
from stiction.friction import Dry
from stiction.methods import METHODS, method_named
from stiction.parts import Friction, Mass, SpringDamper
from stiction.reproduce.manutec import arm as manutec
from stiction.reproduce.manutec import stuck as stuck_axes
from stiction.trace import cos, where

INERTIA, STEPS, FINE = 0.0304, (1e-4, 1e-3, 2e-3), 5e-6
FALLING = {"level": 0.5, "static": 0.6, "velocity": 0.01}
BRISTLE = {"stiffness": 5000.0, "damping": 1.0}
ELEMENTS = {"stiffness": (3000.0, 1500.0, 500.0), "shares": (0.4, 0.3, 0.3), "damping": 1.0}
LAWS = {
    "Coulomb": Coulomb(level=0.5),
    "Stribeck": Stribeck(**FALLING),
    "Curve": Curve(function=lambda w: 0.5 + 0 * w, static=0.6),
    "Dahl": Dahl(level=0.5, stiffness=5000.0),
    "LuGre": LuGre(**FALLING, **BRISTLE),
    "ElastoPlastic": ElastoPlastic(**FALLING, **BRISTLE),
    "MaxwellSlip": MaxwellSlip(**FALLING, **ELEMENTS, attraction=20.0),
    "Leuven": Leuven(**FALLING, **ELEMENTS),
}
LOADS = (0.5, 0.8, 0.95)  # of break-away
PAGE = Path(__file__).parent.parent / "docs" / "choose.md"
MARKS = {"laws": ("<!-- laws -->", "<!-- end of laws -->"), "arm": ("<!-- arm -->", "<!-- end of arm -->")}


class Choice(NamedTuple):
    """A law under a method, by their names."""

    law: str
    method: str


CHOICES = [Choice(law, method) for law in LAWS for method in METHODS]


# What is measured.


def pushed(choice: Choice, torque: Any, duration: float, record: float, step: float) -> Trajectory:
    """The joint under a torque."""
    robot = stiction.library.pendulum(1, length=1.0, mass=INERTIA)
    friction = {"joint1": LAWS[choice.law]}
    scene = Scene(robot=robot, friction=friction, torque={"joint1": torque}, gravity=(0, 0, 0))
    return simulate(scene, duration=duration, step=step, method=choice.method, record=record)


def drift(choice: Choice, step: float) -> float:
    """Way per cycle of a load that goes between 0.1 and 0.4 N·m once a second, below break-away [rad]."""

    def load(t: Any) -> Any:
        return where(t < 1, 0.05 - 0.05 * cos(np.pi * t), 0.25 - 0.15 * cos(2 * np.pi * (t - 1)))

    q = pushed(choice, load, 6.0, 1.0, step)["q.joint1"]
    return float(q[6] - q[3]) / 3


def breakaway(choice: Choice, step: float) -> float:
    """Largest friction torque while the load grows by 1 N·m/s, until the joint slides [N·m]."""
    run = pushed(choice, lambda t: t, 0.8, max(step, 1e-4), step)
    slides = np.flatnonzero(run["v.joint1"] > 0.2)
    return float(run["friction.joint1"][: slides[0] + 1 if len(slides) else None].max())


def period(choice: Choice, step: float) -> float:
    """Mean period of stick and slip on a belt of 0.5 rad/s, held by 2 N·m/rad [s]; 0 where there is none."""
    parts = {
        "m": Mass(mass=INERTIA),
        "rub": Friction(law=LAWS[choice.law]),
        "spring": SpringDamper(stiffness=2.0),
    }
    wires = [
        Wire("rub.velocity", ["m.velocity"], [-0.5]),
        *(Wire(f"spring.{what}", [f"m.{what}"]) for what in ("position", "velocity")),
        Wire("m.force", [Term("rub.torque", -1.0), Term("spring.force", -1.0)]),
    ]
    run = simulate(
        Scene(parts=parts, wires=wires), duration=8.0, step=step, method=choice.method, record=max(step, 1e-4)
    )
    late = run.time > 2
    t, x = run.time[late], run["m.position"][late]
    x = x - (x.max() + x.min()) / 2
    ups = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    if np.ptp(x) < 0.02 or len(ups) < 3:
        return 0.0
    crossings = t[ups] - x[ups] * (t[ups + 1] - t[ups]) / (x[ups + 1] - x[ups])
    return float(np.diff(crossings).mean())


def holds(choice: Choice, step: float) -> int:
    """How many of the loads that come at once hold, up to the first that does not."""
    most = LAWS[choice.law].breakaway(1)
    for k, part in enumerate(LOADS):
        try:
            run = pushed(choice, part * most, 1.0, 0.1, step)
        except DivergedError:  # it went, faster than the method follows
            return k
        if abs(run["v.joint1"][-1]) > 1e-2:
            return k
    return len(LOADS)


EXACT: dict[str, Callable[[str], float | None]] = {  # of dry laws, and of those whose loops close
    "drift": lambda law: 0.0 if isinstance(LAWS[law], (Dry, ElastoPlastic, MaxwellSlip)) else None,
    "breakaway": lambda law: float(LAWS[law].breakaway(1)) if isinstance(LAWS[law], Dry) else None,
    "period": lambda law: (0.0 if law == "Coulomb" else BELT) if law in ("Coulomb", "Curve") else None,
}
MEASURES = {"drift": drift, "breakaway": breakaway, "period": period}


def _belt() -> float:
    """Exact period of dry friction on the belt: it sticks until the spring takes break-away, then swings about the end
    that sliding friction gives it.
    """
    w, v, far, near = np.sqrt(2.0 / INERTIA), 0.5, 0.6 / 2, 0.5 / 2
    slips = 2 * (np.pi - np.arctan2(far - near, v / w)) / w
    return float(slips + 2 * (far - near) / v)


BELT = _belt()


@functools.cache
def reference(what: str, law: str) -> float:
    """What a measure should be."""
    exact = EXACT[what](law)
    if exact is not None:
        return exact
    finest = Choice(law, "moreau" if law == "Stribeck" else "rk4")  # bristles of dry laws bend, at any step
    return MEASURES[what](finest, FINE)


# Cells.


def cell(what: str, choice: Choice, steps: tuple[float, ...] = STEPS) -> str:
    """Errors of a measure at some steps."""
    right = reference(what, choice.law)
    if what == "period" and not right:
        return "–"
    return _at_steps(lambda step: _error(MEASURES[what](choice, step), right), steps)


def _at_steps(measured: Callable[[float], str], steps: tuple[float, ...]) -> str:
    """What is measured at some steps, one after another."""
    found = []
    for step in steps:
        try:
            found.append(measured(step))
        except DivergedError:
            found.append("diverges")
        except StictionError:
            found.append("refused")
    return " / ".join(found) if len(set(found)) > 1 or found[0] != "refused" else "refused"


def _error(found: float, right: float) -> str:
    if not right:
        return "0" if abs(found) < 1e-12 else f"{abs(found):.0e} rad"
    percent = 100 * abs(found / right - 1)
    if not found or percent > 1000:
        return "none" if not found else "wrong"
    return "0" if percent < 5e-3 else f"{percent:.1g} %" if percent < 1 else f"{percent:.0f} %"


def held(choice: Choice, steps: tuple[float, ...] = STEPS) -> str:
    """Up to which part of break-away loads that come at once hold."""

    def one(step: float) -> str:
        k = holds(choice, step)
        return str(LOADS[k - 1]) if k else "none"

    return _at_steps(one, steps)


def row(choice: Choice, steps: tuple[float, ...] = STEPS) -> dict[str, str]:
    """The cells of a choice that no machine changes."""
    names = {"drift per cycle": "drift", "break-away": "breakaway", "stick-slip period": "period"}
    cells = {"law": choice.law, "method": f"`{choice.method}`"}
    return cells | {title: cell(what, choice, steps) for title, what in names.items()} | {"holds": held(choice, steps)}


def hundred_steps(law: Any, method: str) -> Timed | None:
    """A call that advances a six-joint arm with this friction in every joint by 100 steps, and how many it took."""
    arm = stiction.library.puma560()
    friction = dict.fromkeys(arm.velocity_names, law)
    scene = Scene(robot=arm, friction=friction, q=np.full(6, 0.3), v=np.full(6, 0.5))
    chosen = method_named(method)
    step, signals = 1e-3 if chosen.own_steps else 1e-4, ["q.", "v.", *chosen.signals(scene.network)]
    try:
        core = core_of(scene, chosen, step, signals)
    except StictionError:
        return None
    call = steps_of(core, 100)
    call()
    seen = dict(zip(core.program.wanted, core.seen[0], strict=True))
    return call, int(seen["", "steps"]) if chosen.own_steps else 100


def costs(seconds: float) -> dict[Choice, str]:
    """Time of a step with this friction in every joint over that of Runge–Kutta 4 without friction, one robot."""
    functions = {choice: hundred_steps(LAWS[choice.law], choice.method) for choice in CHOICES}
    timed = {choice: call for choice, call in functions.items() if call is not None}
    times: Any = per_item({None: hundred_steps(None, "rk4"), **timed}, seconds)  # type: ignore[dict-item]
    return {choice: f"{times[choice] / times[None]:.1f}" if choice in times else "refused" for choice in CHOICES}


@functools.cache
def _arm_reference() -> tuple[np.ndarray, str]:
    run = _arm("gears_implicit", 1e-5)
    return run.stack("q."), stuck_axes(run)


def _arm(method: str, step: float) -> Trajectory:
    scene, how = manutec(), {"duration": 1.856, "step": step, "record": max(step, 2e-3), "signals": ["q.", "mode"]}
    return simulate(scene, **how, method=method, parameters=scene.holding())


def arm_row(method: str, steps: tuple[float, ...] = STEPS) -> dict[str, str]:
    """Largest distance of a joint of the Manutec arm from the reference at any time; whether the same axes stick."""
    cells = {"method": f"`{method}`"}
    q, stuck = _arm_reference()
    for step in steps:
        title = f"{1e3 * step:g} ms"
        try:
            run = _arm(method, step)
            apart = float(np.abs(run.stack("q.") - q[:: (len(q) - 1) // (len(run.time) - 1)]).max())
            others = "" if stuck_axes(run) == stuck else ", other axes stick"
            cells[title] = f"{apart:.1e} rad{others}"
        except StictionError:
            cells[title] = "refused"
    return cells


def written(rows: list[dict[str, str]]) -> str:
    """Rows as a table."""
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join([*lines, *("| " + " | ".join(cells.values()) + " |" for cells in rows)])


def main() -> None:
    options = arguments("Every friction law under every method.", {"write": "put the tables into docs/choose.md"})
    warnings.simplefilter("ignore", stiction.StictionWarning)
    cost = costs(0.05 if options.quick else 0.2)
    tables = {
        "laws": written([row(choice) | {"cost": cost[choice]} for choice in CHOICES]),
        "arm": written([arm_row(method) for method in METHODS]),
    }
    print(*tables.values(), sep="\n\n")
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        for name, (begin, end) in MARKS.items():
            page = f"{page.split(begin)[0]}{begin}\n{tables[name]}\n{end}{page.split(end)[1]}"
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
