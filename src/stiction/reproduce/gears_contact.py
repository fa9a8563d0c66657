"""The experiments of forward dynamics with frictional gears in which something touches the ground (gears.md)."""

import math
import time
from functools import partial
from typing import Any

import numpy as np

from stiction.contact import Contacts, Surface
from stiction.control import PID, Clock
from stiction.methods import Moreau
from stiction.parts import Fixed
from stiction.reproduce.case import Case, Claim, Result, Tell, agrees, complete, shares
from stiction.reproduce.gears import CORRECTED, RATIO, SOURCE
from stiction.robot import Box, HalfSpace, Joint, Link, Origin, Points, Robot
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.simulator import Simulator
from stiction.simulation.trajectory import Trajectory

OFF = {f"control.joint{k}.limit": 1e-9 for k in (1, 2)}  # V: the voltage is taken away
SEMI_IMPLICIT = Moreau(rows="by_joint", scheme="gill", contact="momentum", pull=0.1, softness=1e-3)
IMPLICIT = Moreau(rows="together", scheme="gill", contact="momentum")
METHODS: dict[str, Moreau] = {"exact rows": Moreau(), "semi-implicit": SEMI_IMPLICIT, "implicit": IMPLICIT}
FORCE = "contact.robot.link2.force.z"


def two_links() -> Scene:
    """Two links with gear units under high gains, whose target is below the ground: as the authors' model has them."""
    upper = Link(
        name="link1", mass=1.5, center_of_mass=(0, 0, 0.267), inertia=np.diag([0.02229, 0.02229, 1e-3]).tolist()
    )
    lower = Link(
        name="link2",
        mass=1.0,
        center_of_mass=(0, 0, 0.2),
        inertia=np.diag([0.00833, 0.00833, 1e-3]).tolist(),
        shapes=[Box(size=(0.1, 0.1, 0.3), origin=Origin(xyz=(0, 0, 0.2)))],
    )
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind="continuous",
            parent=parent,
            child=child,
            axis=(0, 1, 0),
            origin=Origin(xyz=(0, 0, height)),
        )
        for k, (parent, child, height) in enumerate((("base", "link1", 0.15), ("link1", "link2", 0.4)))
    ]
    pid = PID(clock=Clock(period=2e-3), proportional=RATIO * 100, derivative=RATIO * 1.0, limit=24.0)
    names = ("joint1", "joint2")
    return Scene(
        robot=Robot(name="two links", links=[Link(name="base"), upper, lower], joints=joints),
        parts={"floor": Fixed(shapes=(HalfSpace(),))},
        drives=dict.fromkeys(names, CORRECTED),
        control=dict.fromkeys(names, pid),
        reference=dict.fromkeys(names, math.pi / 2),
        gravity=(0, 0, -9.80665),
        contacts=Contacts(surface=Surface(static=0.5, kinetic=0.3)),
        q={"joint1": math.pi / 2, "joint2": -math.pi / 2},
    )


def _two_links(_: bool, tell: Tell) -> Result:
    share = list(shares(tell, 2 * len(METHODS)))
    on, off = {}, {}
    for k, (name, method) in enumerate(METHODS.items()):
        how: dict[str, Any] = {"step": 1e-3, "method": method}
        on[name] = complete(two_links(), duration=4.0, progress=share[2 * k], **how)
        off[name] = complete(
            two_links(), duration=2.0, progress=share[2 * k + 1], start=on[name].state, parameters=OFF, **how
        )
    return _of_two_links(on, off), partial(_draw_two_links, on, off)


def _of_two_links(on: dict[str, Trajectory], off: dict[str, Trajectory]) -> list[Claim]:
    held = {name: run[FORCE][2000:] for name, run in on.items()}
    after = {name: float(run[FORCE][-1]) for name, run in off.items()}
    touches = {name: float(run.time[np.argmax(run[FORCE] > 0)]) for name, run in on.items()}
    peak = {name: float(run[FORCE].max()) for name, run in on.items()}
    modes = {name: [run[f"mode.joint{k}"][2000:] for k in (1, 2)] for name, run in on.items()}
    stuck = {name: [float(np.mean(mode == 0)) for mode in pair] for name, pair in modes.items()}
    switches = {name: float(run["switches.joint2"][-1] - run["switches.joint2"][500]) for name, run in on.items()}
    apart = max(float(np.abs(on["semi-implicit"][f"q.joint{k}"] - on["implicit"][f"q.joint{k}"]).max()) for k in (1, 2))
    rows = on["exact rows"]
    claims = [agrees(f"first contact, {name}", 0.436, x, 2e-3, "s", 4) for name, x in touches.items()]
    claims += [
        agrees(f"pose under voltage, joint {k}, exact rows", x, float(rows[f"q.joint{k}"][-1]), 2e-3, "rad", 4)
        for k, x in ((1, 1.094), (2, 1.569))
    ]
    claims += [
        agrees("force on the floor under voltage, exact rows", 85.6, float(held["exact rows"].mean()), 1.7, "N", 3),
        Claim(
            "the same by the relaxed methods",
            "74 to 96 N",
            ", ".join(f"{name} {held[name].min():.1f} to {held[name].max():.1f}" for name in list(METHODS)[1:]),
            all(74 <= held[name].min() and held[name].max() <= 96 for name in list(METHODS)[1:]),
        ),
        Claim(
            "afterwards, without voltage (as all rows were when they stuck)",
            "17.8 to 24.4 N (± 5 %: open by statics)",
            ", ".join(f"{name} {x:.1f}" for name, x in after.items()) + " N",
            all(0.95 * 17.8 <= x <= 1.05 * 24.4 for x in after.values()),
        ),
        Claim("semi-implicit and implicit have the same motion", "yes", f"within {apart:.1g} rad", apart < 5e-3),
        Claim(
            "the peak of the semi-implicit method is larger",
            "not comparable, though said: a peak of one step depends on k h",
            f"{peak['semi-implicit']:.0f} and {peak['implicit']:.0f} N (exact rows {peak['exact rows']:.0f} N)",
            None,
        ),
        Claim(
            "joint 1 sticks during 2 to 4 s, semi-implicit",
            "yes",
            f"in {100 * stuck['semi-implicit'][0]:.0f} % of the steps",
            stuck["semi-implicit"][0] > 0.99,
        ),
        Claim(
            "joint 2 sticks and slips, semi-implicit",
            "yes",
            f"{switches['semi-implicit']:.0f} switches after 0.5 s",
            switches["semi-implicit"] > 1,
        ),
        Claim(
            "joint 1 has kinetic friction at rest, implicit",
            "yes",
            f"in {100 * (1 - stuck['implicit'][0]):.0f} % of the steps, at most "
            f"{float(np.abs(on['implicit']['v.joint1'][2000:]).max()):.1g} rad/s",
            stuck["implicit"][0] < 0.5,
        ),
    ]
    return claims


def _draw_two_links(on: dict[str, Trajectory], off: dict[str, Trajectory]) -> Any:
    picture, axes = subplots(4, 9.0)
    for (name, run), style in zip(on.items(), ("-", "--", ":"), strict=True):
        t = np.concatenate([run.time, off[name].time])

        def both(signal: str, run: Trajectory = run, name: str = name) -> np.ndarray:
            return np.concatenate([run[signal], off[name][signal]])

        for k in (1, 2):
            axes[0].plot(t, both(f"q.joint{k}"), style, label=f"joint {k}, {name}")
            axes[2 + k - 1].plot(t, both(f"friction.joint{k}"), style, label=name)
        axes[1].plot(t, both(FORCE), style, label=name)
    for ax, title, label in zip(
        axes,
        (
            "two links hit the ground; no voltage after 4 s",
            "force on the floor",
            "friction, joint 1",
            "friction, joint 2",
        ),
        ("angle [rad]", "force [N]", "torque [N·m]", "torque [N·m]"),
        strict=True,
    ):
        ax.set_title(title)
        ax.set_ylabel(label)
    axes[0].legend(ncols=3, loc="lower right")
    axes[1].set_ylim(-5, 150)
    axes[1].legend()
    axes[3].set_xlabel("time [s]")
    return picture


# How the time of a step grows with the number of joints.


def standing_chain(n: int) -> Scene:
    """A chain of n joints with drives and friction on all of them, whose last link stands on the ground on two
    vertices.
    """
    long, half = 0.1, 0.02
    solid = Box(size=(2 * half, 2 * half, long), mass=0.3, origin=Origin(xyz=(0, 0, -long / 2)))
    link = Link.of("link", solid)
    same: dict[str, Any] = {"mass": link.mass, "center_of_mass": link.center_of_mass, "inertia": link.inertia}
    feet = Points(points=[(-half, 0, -long), (half, 0, -long)])
    links = [
        Link(name="base"),
        *(Link(name=f"link{k + 1}", shapes=[feet] if k == n - 1 else [], **same) for k in range(n)),
    ]
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind="continuous",
            parent=links[k].name,
            child=links[k + 1].name,
            axis=(0, 1, 0),
            origin=Origin(xyz=(0, 0, n * long if k == 0 else -long)),
        )
        for k in range(n)
    ]
    names = [joint.name for joint in joints]
    return Scene(
        robot=Robot(name="chain", links=links, joints=joints),
        parts={"floor": Fixed(shapes=(HalfSpace(),))},
        drives=dict.fromkeys(names, CORRECTED),
        contacts=Contacts(most=2, surface=Surface(static=0.5, kinetic=0.3)),
        v={name: 0.02 * (-1) ** k for k, name in enumerate(names)},
    )


def seconds_per_step(n: int, method: Any, steps: int) -> float:
    """Best time of a step of one robot [s]."""
    sim = Simulator(standing_chain(n), step=1e-3, method=method, outputs=["q."])
    best = math.inf
    for _ in range(8):
        began = time.perf_counter()
        sim.step(steps=steps)
        best = min(best, time.perf_counter() - began)
    return best / steps


def _scaling(quick: bool, tell: Tell) -> Result:
    sizes = (5, 10, 20) if quick else (1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100)
    methods: dict[str, Any] = {"semi-implicit": "gears_semi_implicit", "implicit": "gears_implicit", "ours": "moreau"}
    times: dict[str, dict[int, float]] = {name: {} for name in methods}
    for share, n in zip(shares(tell, len(sizes)), sizes, strict=True):
        for name, method in methods.items():
            times[name][n] = seconds_per_step(n, method, max(100, 2000 // n))
        share(1.0)
    large = [n for n in sizes if n >= 10]
    slopes = {
        name: float(np.polyfit(np.log(large), np.log([found[n] for n in large]), 1)[0]) for name, found in times.items()
    }
    last = sizes[-1]
    claims = [
        Claim(
            "slope of the semi-implicit method, log-log",
            "1 ± 0.15",
            f"{slopes['semi-implicit']:.2f}, {large[0]} to {large[-1]} joints (ours {slopes['ours']:.2f})",
            abs(slopes["semi-implicit"] - 1) <= 0.15,
            timing=True,
        ),
        Claim(
            f"implicit over semi-implicit at {last} joints",
            "not comparable: a matrix that grows with n³; here both lock joints",
            f"{times['implicit'][last] / times['semi-implicit'][last]:.1f} times, slope {slopes['implicit']:.2f}",
            None,
            timing=True,
        ),
        Claim(
            "a step at 10 joints, two contacts",
            "below 144 µs (the authors' library)",
            ", ".join(f"{name} {1e6 * found[10]:.1f}" for name, found in times.items()) + " µs",
            max(found[10] for found in times.values()) < 144e-6,
            timing=True,
        ),
        Claim(
            f"a step at {last} joints, two contacts",
            "below 737 µs (at 100)",
            ", ".join(f"{name} {1e6 * found[last]:.1f}" for name, found in times.items()) + " µs",
            max(found[last] for found in times.values()) < 737e-6,
            timing=True,
        ),
    ]
    return claims, partial(_draw_scaling, times)


def _draw_scaling(times: dict[str, dict[int, float]]) -> Any:
    picture, ax = subplots(1, 4.2)
    for name, found in times.items():
        ax.loglog(list(found), [1e6 * x for x in found.values()], "o-", label=name)
    ax.set_title("time of a step against the number of joints, two contacts")
    ax.set_xlabel("joints")
    ax.set_ylabel("time per step [µs]")
    ax.legend()
    return picture


CASES = {
    "gears-2": Case("two links under high gains hit the ground", SOURCE, _two_links),
    "gears-3": Case("time of a step against the number of joints, in contact", SOURCE, _scaling),
}
