"""The industrial arm in closed loop, closed_loop.md: a straight weld, the perturbation method, and what friction does
to the path.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stiction import library
from stiction.control import Cascade, Line, ToolPath, Trapezoid
from stiction.control.tool_path import Deviation, PathMotion
from stiction.friction import Coulomb, LuGre, MaxwellSlip, Stribeck
from stiction.methods import Perturbation, Rosenbrock
from stiction.reproduce.case import Case, Claim, Result, Tell, below, complete, shares
from stiction.scene import FrictionSite, Scene
from stiction.show.figure import subplots
from stiction.simulation.nominal import nominal_motion
from stiction.simulation.trajectory import Trajectory

SPEED, ACCELERATION, LENGTH, BEGIN = 0.1, 0.5, 1.2, 0.8  # m/s, m/s², m, s
DURATION, STEP, RECORD = 14.0, 2.5e-4, 1e-3  # s
WELD = (0.5, -LENGTH / 2, 0.25)  # where the weld begins, in front of the arm [m]
JOINTS = [f"joint{k + 1}" for k in range(6)]
NEAR = 0.3  # s around a reversal
SIGNALS = ["q.", "v.", "motor_current", "friction", "mode", "error"]


class Weld(NamedTuple):
    """A weld by the RX90B: its scene, the motion of its tool, and how it starts."""

    scene: Scene
    motion: PathMotion
    start: Mapping[str, float]

    def run(self, **how: Any) -> Trajectory:
        """A run, recorded each millisecond."""
        given = {"duration": DURATION, "step": STEP, "record": RECORD, "signals": SIGNALS, "parameters": self.start}
        return complete(self.scene, **(given | how))

    def deviation(self, run: Trajectory) -> Deviation:
        """How far the tool is from its path, by joint angles and nominal kinematics."""
        return self.motion.deviation(run.time, run.stack("q."))

    def reversal(self, joint: int) -> float:
        """When a joint turns round on the way [s]."""
        t = np.arange(BEGIN + 0.5, self.motion.duration - 0.5, RECORD)
        v = self.motion.sample(t).v[:, joint]
        return float(t[np.flatnonzero(np.diff(np.sign(v)))[0]])


def weld(**changes: Any) -> Weld:
    """A straight horizontal line of 1.2 m, the welding head vertical; `changes` are of the arm's scene."""
    arm = library.rx90b()
    pose = np.diag([1.0, -1.0, -1.0, 1.0])  # the tool looks down
    pose[:3, 3] = WELD
    q = arm.robot.inverse_kinematics(pose, "tool", q=[-0.87, 0.6, 1.2, 0.0, 1.3, 0.0])
    end = Line(to=(WELD[0], WELD[1] + LENGTH, WELD[2]))
    speed = Trapezoid(speed=SPEED, acceleration=ACCELERATION)
    path = ToolPath(q=q.tolist(), segments=[end], profile=speed, frame="tool", begin=BEGIN)
    scene = replace(arm.scene(reference=path), **changes)
    motion: Any = scene.references["robot"]
    return Weld(scene, motion, scene.holding())


def apart(weld: Weld, run: Trajectory, other: Trajectory) -> np.ndarray:
    """Distance between the tools of two runs [m], (T,)."""
    both = [weld.motion.robot.pose(x.stack("q."), weld.motion.frame)[:, :3, 3] for x in (run, other)]
    n = min(map(len, both))
    return np.linalg.norm(both[0][:n] - both[1][:n], axis=1)


def _weld(quick: bool, tell: Tell) -> Result:
    share = list(shares(tell, 3))
    made = weld()
    run = made.run(progress=share[0])
    short = 2.0 if quick else 8.0  # the reversal is at 6.9 s
    fine = made.run(duration=short, step=STEP / 10, progress=share[1])
    stiff = made.run(duration=short, method=Rosenbrock(tolerance=1e-7), progress=share[2])
    claims = _path_claims(made, run)
    claims += [
        below(
            f"fixed steps of 0.25 ms beside 0.025 ms, tool, first {short:g} s",
            1e6 * apart(made, run, fine).max(),
            1.0,
            "µm",
        ),
        below(
            f"fixed steps beside the stiff method, tool, first {short:g} s",
            1e6 * apart(made, run, stiff).max(),
            1.0,
            "µm",
        ),
    ]
    return claims, lambda: draw_weld(made, run)


def _path_claims(made: Weld, run: Trajectory) -> list[Claim]:
    """What the paper says of the path, and what we get."""
    deviation, turn = made.deviation(run), made.reversal(1)
    moving = (run.time > BEGIN + 0.5) & (run.time < made.motion.duration - 0.3)
    near = moving & (np.abs(run.time - turn) < NEAR)
    usual, jump = np.median(deviation.across[moving]), deviation.across[near].max()
    ways = [1e3 * float(made.motion.way(made.reversal(k))[0]) for k in (1, 2)]
    current = run["motor_current.joint3"]
    before, after = (float(np.interp(turn + s, run.time, current)) for s in (-0.3, 0.3))
    moved = run["friction.joint3"]
    step = float(np.interp(turn - 0.3, run.time, moved) - np.interp(turn + 0.3, run.time, moved))
    n, k = made.motion.robot.coupling[2][2], made.scene.drives["joint3"].motor.constant  # type: ignore[index, attr-defined]
    largest = 1e6 * float(deviation.across.max())
    return [
        Claim("speed along the path", "more than 100 mm/s asked for", f"{1e3 * SPEED:g} mm/s", SPEED >= 0.1),
        *(
            Claim(f"joint {k} reverses on the path", "near 600 mm", f"{x:.1f} mm", abs(x - 600) < 50)
            for k, x in zip((2, 3), ways, strict=True)
        ),
        Claim(
            "deviation at the reversal over the usual one",
            "relatively large, by the jump of friction",
            f"{1e6 * jump:.1f} µm over {1e6 * usual:.1f} µm",
            jump > 5 * usual,
        ),
        below("largest deviation from the path", largest, 100.0, "µm"),
        Claim(
            "current of joint 3 jumps at the reversal by the jump of its friction",
            f"{step / (n * k):.3f} A",
            f"{before - after:.3f} A",
            abs(before - after - step / (n * k)) < 0.15 * abs(step / (n * k)),
        ),
        Claim("simulated and measured path", "not with digits: within 20 µm", "no measurement to compare with", None),
    ]


def draw_weld(made: Weld, run: Trajectory) -> Any:
    """Figures 6 to 9 of the paper in one: joint velocities, deviation, currents, friction."""
    picture, (speeds, away, currents, friction) = subplots(4, 9.0)
    set_points, deviation = made.motion.sample(run.time), made.deviation(run)
    for k, joint in enumerate(JOINTS):
        if np.ptp(set_points.v[:, k]) > 1e-6:
            speeds.plot(run.time, set_points.v[:, k], label=f"joint {k + 1}")
        currents.plot(run.time, run[f"motor_current.{joint}"], label=f"joint {k + 1}", color=f"C{k}")
    away.plot(run.time, 1e6 * deviation.horizontal, label="horizontal")
    away.plot(run.time, 1e6 * deviation.vertical, label="vertical")
    away.plot(run.time, 1e6 * deviation.along, label="along", color="0.6", linewidth=1.0)
    for k in (1, 2):
        friction.plot(run.time, run[f"friction.{JOINTS[k]}"], label=f"joint {k + 1}", color=f"C{k}")
    friction.plot(run.time, run["friction.wrist"], label="wrist, joints 5 + 6", color="C6")
    turn = made.reversal(1)
    for ax in (speeds, away, currents, friction):
        ax.axvline(turn, color="0.5", linewidth=0.8, linestyle=":")
        _legend(ax, 6)
    way = 1e3 * float(made.motion.way(turn)[0])
    speeds.set_title(f"a straight weld of 1.2 m at 100 mm/s: joints 2 and 3 reverse at {way:.0f} mm")
    for ax, label in zip(
        (speeds, away, currents, friction),
        ("set-point [rad/s]", "deviation [µm]", "motor current [A]", "friction [N·m]"),
        strict=True,
    ):
        ax.set_ylabel(label)
    friction.set_xlabel("time [s]")
    return picture


def _legend(ax: Any, columns: int) -> None:
    """A legend above all lines."""
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.25 * (high - low))
    ax.legend(ncols=columns, loc="upper right")


# arm-2: the perturbation method.

POINTS = (25, 50, 100, 200, 400, 800)
PUBLISHED = 400  # points of the paper
PATH_SIGNALS = ["q.", "motor_current"]


def _timed(made: Weld, method: Any, tell: Tell) -> tuple[Trajectory, float]:
    """A run, and how long it takes once it is compiled [s]."""
    made.run(method=method, duration=STEP, record=STEP, signals=PATH_SIGNALS)
    began = time.perf_counter()
    run = made.run(method=method, progress=tell, signals=PATH_SIGNALS)
    return run, time.perf_counter() - began


def _perturbed(quick: bool, tell: Tell) -> Result:
    made, share = weld(), list(shares(tell, len(POINTS) + 1))
    full, seconds = _timed(made, None, share[0])
    runs, times = {}, {}
    for points, each in zip(POINTS, share[1:], strict=True):
        nominal = nominal_motion(made.scene, points=points)
        runs[points], times[points] = _timed(made, Perturbation(nominal=nominal), each)
    away = {points: 1e6 * apart(made, run, full) for points, run in runs.items()}
    largest = [float(away[points].max()) for points in POINTS]
    there = away[PUBLISHED]
    currents = np.abs(runs[PUBLISHED].stack("motor_current.") - full.stack("motor_current.")).max()
    claims = [
        below(f"tool, perturbation beside non-linear, {PUBLISHED} points, everywhere", float(there.max()), 10.0, "µm")
    ]
    mostly = float((there < 2.0).mean())
    claims += [
        Claim(
            f"tool, {PUBLISHED} points, mostly below 2 µm", "mostly", f"{100 * mostly:.1f} % of the time", mostly > 0.9
        ),
        below(f"motor currents, {PUBLISHED} points", float(currents), 0.1, "A"),
        Claim(
            "more points come nearer",
            "(no digits)",
            ", ".join(f"{n}: {x:.3g} µm" for n, x in zip(POINTS, largest, strict=True)),
            largest[0] > 3 * largest[-2] > largest[-1],
        ),
        Claim(
            "non-linear over perturbation, computation time",
            "about 10",
            f"{seconds / times[PUBLISHED]:.2f} ({seconds:.2f} s and {times[PUBLISHED]:.2f} s)",
            seconds / times[PUBLISHED] > 5,
            timing=True,
        ),
    ]

    def draw() -> Any:
        picture, (above, under) = subplots(2, 6.0)
        for run, label in ((full, "non-linear"), (runs[PUBLISHED], f"perturbation, {PUBLISHED} points")):
            above.plot(
                run.time, 1e6 * made.deviation(run).horizontal, label=label, linestyle="-" if run is full else "--"
            )
        above.set_ylabel("horizontal deviation [µm]")
        above.set_title("the perturbation method beside the non-linear simulation")
        above.legend()
        for points in POINTS[::2]:
            under.semilogy(full.time, np.maximum(away[points], 1e-4), label=f"{points} points", linewidth=1.0)
        under.set_ylabel("tools apart [µm]")
        under.set_xlabel("time [s]")
        under.legend(ncols=3)
        return picture

    return claims, draw


# arm-4: what friction does to the path.


def _coulomb(law: LuGre) -> Coulomb:
    return Coulomb(level=law.level, viscous=law.viscous)


def _stribeck(law: LuGre) -> Stribeck:
    return Stribeck(
        level=law.level, static=law.static, velocity=law.velocity, exponent=law.exponent, viscous=law.viscous
    )


def _maxwell(law: LuGre) -> MaxwellSlip:
    """Four elements that share the stiffness of the bristle, the softest of which slips last."""
    shares_ = (0.4, 0.3, 0.2, 0.1)
    return MaxwellSlip(
        level=law.level,
        static=law.static,
        velocity=law.velocity,
        exponent=law.exponent,
        viscous=law.viscous,
        stiffness=tuple(law.stiffness * s * w for s, w in zip(shares_, (2.0, 0.8, 0.3, 0.1), strict=True)),
        shares=shares_,
        attraction=1e3 * max(law.level),  # type: ignore[arg-type]
        damping=law.damping,
    )


LAWS: dict[str, Any] = {
    "none": None,
    "Coulomb + viscous": _coulomb,
    "Stribeck": _stribeck,
    "LuGre": lambda law: law,
    "Maxwell-slip": _maxwell,
}


def with_law(scene: Scene, change: Any) -> Scene:
    """The arm with another law of the same numbers at all seven places; None takes friction away."""
    if change is None:
        return replace(scene, friction={})
    changed: dict[str, Any] = {}
    for name, site in scene.friction.items():
        wrist = isinstance(site, FrictionSite)
        law: Any = change(site.law if wrist else site)  # type: ignore[union-attr]
        changed[name] = replace(site, law=law) if wrist else law  # type: ignore[type-var]
    return replace(scene, friction=changed)


def without_feedforward(scene: Scene) -> Scene:
    """The arm whose servo does not compensate friction."""
    control: dict[str, Any] = {}
    for name, servo in scene.control.items():
        assert isinstance(servo, Cascade) and servo.velocity is not None
        control[name] = replace(
            servo, velocity=replace(servo.velocity, coulomb_feedforward=0.0, viscous_feedforward=0.0)
        )
    return replace(scene, control=control)


class Errors(NamedTuple):
    """Of a path: usual distance from it while moving, the largest at the reversal, and the largest of all [µm]."""

    usual: float
    reversal: float
    largest: float


def _study(quick: bool, tell: Tell) -> Result:
    made, share = weld(), list(shares(tell, 2 * len(LAWS)))
    found: dict[tuple[str, bool], Errors] = {}
    lines: dict[tuple[str, bool], np.ndarray] = {}
    turn = made.reversal(1)
    for k, (name, change) in enumerate(LAWS.items()):
        for j, compensated in enumerate((True, False)):
            scene = with_law(made.scene, change)
            scene = scene if compensated else without_feedforward(scene)
            one = made._replace(scene=scene)
            run = one.run(progress=share[2 * k + j], signals=["q."])
            away = 1e6 * one.deviation(run).across
            moving = (run.time > BEGIN + 0.5) & (run.time < made.motion.duration - 0.3)
            near = moving & (np.abs(run.time - turn) < NEAR)
            found[name, compensated] = Errors(
                float(np.median(away[moving])), float(away[near].max()), float(away.max())
            )
            lines[name, compensated] = away
    time_ = np.arange(len(away)) * RECORD
    claims = [_row(name, found) for name in LAWS]
    real = [name for name in LAWS if name != "none"]
    claims.append(
        Claim(
            "feed-forward lowers the largest error, with every law",
            "expected",
            ", ".join(f"{found[name, False].largest / found[name, True].largest:.1f}" for name in real),
            all(found[name, True].largest < found[name, False].largest for name in real),
        )
    )
    return claims, lambda: _draw_study(found, lines, time_)


def _row(name: str, found: Mapping[tuple[str, bool], Errors]) -> Claim:
    """A row of the table: with and without feed-forward."""
    words = [
        f"{x.usual:.1f} / {x.reversal:.1f} / {x.largest:.1f} µm"
        for x in (found[name, compensated] for compensated in (True, False))
    ]
    return Claim(
        f"{name}: usual / at the reversal / largest", "not published", "; without feed-forward ".join(words), None
    )


def _draw_study(
    found: Mapping[tuple[str, bool], Errors], lines: Mapping[tuple[str, bool], np.ndarray], t: np.ndarray
) -> Any:
    """Bars of the errors, and the path errors over time."""
    picture, (bars, with_, without) = subplots(3, 8.0, sharex=False)
    places = np.arange(len(LAWS))
    for j, (what, label) in enumerate((("usual", "usual"), ("reversal", "at the reversal"), ("largest", "largest"))):
        for compensated, offset in ((True, 0.0), (False, 0.4)):
            heights = [max(0.05, getattr(found[name, compensated], what)) for name in LAWS]
            color = f"C{j}" if compensated else "none"
            text = label if compensated else None
            bars.bar(places + offset + 0.12 * j, heights, 0.11, color=color, edgecolor=f"C{j}", label=text)
    bars.set_yscale("log")
    bars.set_xticks(places + 0.32, LAWS)
    bars.set_ylabel("distance from the path [µm]")
    bars.set_title("path errors by friction law; filled: with feed-forward of friction, hollow: without")
    bars.set_ylim(top=2000)
    bars.legend(ncols=3)
    for ax, compensated, title in ((with_, True, "with feed-forward"), (without, False, "without")):
        for k, name in enumerate(LAWS):
            ax.plot(t, lines[name, compensated], label=name, color=f"C{k}", linewidth=1.0)
        ax.set_ylabel(f"{title} [µm]")
        _legend(ax, 5)
    without.set_xlabel("time [s]")
    return picture


SOURCE = "Waiboer, Aarts and Jonker 2004"
CASES = {
    "arm-1": Case("an industrial arm welds a straight line: what friction does at a reversal", SOURCE, _weld),
    "arm-2": Case("the perturbation method beside the non-linear simulation", SOURCE, _perturbed),
    "arm-4": Case("path errors by friction law and feed-forward", "a study of our own", _study),
}
