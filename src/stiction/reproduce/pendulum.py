"""The six-link pendulum of contact.md: the paper's three ways to compute contacts, and ours."""

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from stiction.contact import Contacts, Surface
from stiction.errors import StictionError
from stiction.methods import Moreau
from stiction.parts import Fixed
from stiction.reproduce.case import Case, Claim, Result, Tell, below, complete, shares
from stiction.robot import Box, HalfSpace, Joint, Link, Origin, Robot
from stiction.scene import Scene
from stiction.show.figure import subplots
from stiction.simulation.trajectory import Trajectory

LINKS, HEIGHT, WIDE, LONG = 6, 0.42, 0.04, 0.1
DEEP = 0.5e-3  # m that vertices of the authors' own library sink in
MICROSCOPIC = (2.5e5, 150.0)  # N/m and N·s/m with which penalty sinks in as deep
STIFFEST = (1.5e8, 5e3)  # N/m and N·s/m of which 1e-5 s is the limit
RANKS = ["3/3", "5/6", "6/9", "6/12"]
STEPS = tuple(a * 10.0**b for b in (-5, -4, -3) for a in (1, 2, 5))
METHODS: dict[str, Any] = {
    "microscopic": "gill",
    "macroscopic": Moreau(scheme="gill", contact="plastic"),
    "proposed": Moreau(scheme="gill", contact="momentum", relaxation=10.0, compensation=0.3),
    "ours": Moreau(),
}


def pendulum(spring: tuple[float, float] = MICROSCOPIC) -> Scene:
    """Links of 4 × 4 × 10 cm and 0.3 kg, the root 42 cm above the ground and turned by 60°; vertices touch the ground
    alone.
    """
    box = Box(size=(WIDE, WIDE, LONG), mass=0.3, origin=Origin(xyz=(0, 0, -LONG / 2)))
    links = [Link(name="base"), *(Link.of(f"link{k + 1}", box) for k in range(LINKS))]
    joints = [
        Joint(
            name=f"joint{k + 1}",
            kind="continuous",
            parent=links[k].name,
            child=links[k + 1].name,
            axis=(0, 1, 0),
            origin=Origin(xyz=(0, 0, HEIGHT if k == 0 else -LONG)),
            damping=1e-4,
        )
        for k in range(LINKS)
    ]
    return Scene(
        robot=Robot(name="pendulum", links=links, joints=joints),
        parts={"ground": Fixed(shapes=(HalfSpace(),))},
        contacts=Contacts(
            surface=Surface(static=1.0, kinetic=0.4),
            off=[("robot.*", "robot.*")],
            stiffness=spring[0],
            damping=spring[1],
        ),
        q={"joint1": -np.pi / 3},
    )


def lowest(run: Trajectory) -> np.ndarray:
    """Height of the lowest vertex [m], (T,)."""
    angle, top = np.zeros(len(run.time)), np.full(len(run.time), HEIGHT)
    found = np.full(len(run.time), np.inf)
    for k in range(1, LINKS + 1):
        angle = angle + run[f"q.joint{k}"]
        corners = [top - np.sin(angle) * x - np.cos(angle) * z for x in (-WIDE / 2, WIDE / 2) for z in (0, LONG)]
        found = np.minimum(found, np.min(corners, axis=0))
        top = top - np.cos(angle) * LONG
    return found


def normal_force(run: Trajectory) -> np.ndarray:
    """Of all contacts together [N], (T,)."""
    return np.sum([run[f"contact.robot.link{k}.force.z"] for k in range(1, LINKS + 1)], axis=0)


def friction_force(run: Trajectory) -> np.ndarray:
    """Of all contacts together [N], (T,)."""
    return np.sum([run[f"contact.robot.link{k}.force.x"] for k in range(1, LINKS + 1)], axis=0)


def tip(run: Trajectory) -> np.ndarray:
    """Where the end of the last link is, along the ground [m], (T,)."""
    angles = np.cumsum([run[f"q.joint{k}"] for k in range(1, LINKS + 1)], axis=0)
    return -LONG * np.sin(angles).sum(axis=0)


def of_vertex(run: Trajectory, candidate: int, what: str) -> np.ndarray:
    """A signal of one vertex, whichever slot it is in, (T,)."""
    slots = [k for k in range(1, 9) if f"contact.{k}.candidate" in run.signals]
    shares = [np.where(run[f"contact.{k}.candidate"] == candidate, run[f"contact.{k}.{what}"], 0.0) for k in slots]
    return np.sum(shares, axis=0)


def is_stable(method: Any, step: float, spring: tuple[float, float], duration: float) -> bool:
    """Whether a run ends, no vertex goes through the ground, and nothing moves faster than the fall allows."""
    try:
        run = complete(pendulum(spring), duration=duration, step=step, method=method, record=1e-2, on_divergence="keep")
    except StictionError:
        return False  # the step cannot follow the springs
    fast = max(float(np.abs(run[f"v.joint{k}"]).max()) for k in range(1, LINKS + 1))
    return run.status == "completed" and float(lowest(run).min()) > -10 * DEEP and fast < 200.0


def largest_step(method: Any, spring: tuple[float, float], duration: float) -> float:
    """The largest of some steps that is stable, and all smaller ones with it [s]; 0 if none is."""
    best = 0.0
    for step in STEPS:
        if not is_stable(method, step, spring, duration):
            break
        best = step
    return best


def ranks() -> list[str]:
    """Ranks of A of (9) over its size, of a free box on 1 to 4 corners."""
    found, inertia = [], np.array([1, 1, 1, 0.1, 0.2, 0.15])
    corners = [np.array([x, y, -0.1]) for x in (-0.1, 0.1) for y in (-0.15, 0.15)]
    for m in range(1, 5):
        J = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), r)]) for r in corners[:m]])
        found.append(f"{np.linalg.matrix_rank((J / inertia) @ J.T)}/{3 * m}")
    return found


def _pendulum(quick: bool, tell: Tell) -> Result:
    share = list(shares(tell, 8))
    runs: dict[str, Trajectory] = {}
    steps = dict.fromkeys(METHODS, 1e-3) | {"microscopic": 1e-4}
    for k, (name, method) in enumerate(METHODS.items()):
        runs[name] = complete(pendulum(), duration=5.0, step=steps[name], method=method, record=1e-3, progress=share[k])
    dropped = complete(
        pendulum(), duration=5.0, step=1e-3, method=replace(METHODS["macroscopic"], dropping=True), record=1e-3
    )
    share[4](1.0)
    limits = {name: largest_step(method, MICROSCOPIC, 1.0 if quick else 5.0) for name, method in METHODS.items()}
    share[5](1.0)
    stiff = largest_step("gill", STIFFEST, 0.5)
    share[6](1.0)
    times = {name: _seconds(METHODS[name], 1e-5 if name == "microscopic" else 1e-3) for name in METHODS}
    share[7](1.0)
    calmed = {f"friction.joint{k}.coefficient": 1e-2 for k in range(1, LINKS + 1)}
    later = complete(pendulum(), duration=30.0, step=1e-3, record=30.0, start=runs["ours"].state, parameters=calmed)
    claims = [*_claims(runs, dropped, limits, stiff, times), *_held(runs, later), *_motions(runs)]
    return claims, partial(_draw, runs)


def _seconds(method: Any, step: float) -> float:
    """Best time of 5 s of simulation, nothing recorded [s]."""
    found = []
    for _ in range(2):
        began = time.perf_counter()
        complete(pendulum(), duration=5.0, step=step, method=method, record=5.0, signals=["q."])
        found.append(time.perf_counter() - began)
    return min(found)


def _claims(
    runs: dict[str, Trajectory],
    dropped: Trajectory,
    limits: dict[str, float],
    stiff: float,
    times: dict[str, float],
) -> list[Claim]:
    deep = {name: -float(lowest(run).min()) for name, run in runs.items()}
    rest = slice(4000, 5001)
    chatter = {
        name: float(np.diff(normal_force(run)[rest]).std()) for name, run in runs.items() if len(run.time) > 4000
    }
    rubs = {name: float(np.diff(friction_force(run)[rest]).std()) for name, run in runs.items()}
    paper = dict.fromkeys(METHODS, "0.001 s") | {
        "microscopic": "not comparable: 1e-05 s, without a stiffness",
        "ours": "not there",
    }
    claims = [
        Claim(
            f"largest stable step, {name}, {1e3 * deep[name]:.2g} mm deep",
            paper[name],
            f"{limits[name]:g} s",
            limits[name] >= 1e-3 if name != "microscopic" else None,
        )
        for name in METHODS
    ]
    claims += [
        Claim(
            f"largest stable step, microscopic, {STIFFEST[0]:g} N/m", "1e-05 s", f"{stiff:g} s", 1e-5 <= stiff <= 2e-5
        ),
        Claim(
            "5 s take the macroscopic and the proposed method much less time than the microscopic one",
            "7.59 and 22.3 s against 160.8 s",
            ", ".join(f"{name} {1e3 * x:.0f} ms" for name, x in times.items()),
            max(times["macroscopic"], times["proposed"]) < times["microscopic"] / 5,
            timing=True,
        ),
        Claim(
            "ranks of A of (9), one to four points of a free body",
            ", ".join(RANKS),
            ", ".join(ranks()),
            ranks() == RANKS,
        ),
        Claim(
            "normal forces of the macroscopic method chatter, those of the proposed one are smoother (standard "
            "deviation from step to step, 4 to 5 s)",
            "yes",
            f"{chatter['macroscopic']:.3g} and {chatter['proposed']:.3g} N; ours {chatter['ours']:.2g} N",
            chatter["macroscopic"] > 2 * chatter["proposed"],
        ),
        Claim(
            "friction forces likewise",
            "yes",
            f"{rubs['macroscopic']:.3g} and {rubs['proposed']:.3g} N; ours {rubs['ours']:.2g} N",
            rubs["macroscopic"] > 2 * rubs["proposed"],
        ),
        Claim(
            "points with negative normal forces dropped instead of (13): the deepest vertex",
            "not published",
            f"{-1e3 * float(lowest(dropped).min()):.2g} mm, {1e3 * deep['macroscopic']:.2g} mm without",
            None,
        ),
    ]
    return claims


def resting(run: Trajectory) -> list[int]:
    """The four vertices of the end link that carry most from 4 to 5 s."""
    vertices = range(8 * (LINKS - 1), 8 * LINKS)
    return sorted(vertices, key=lambda v: -float(of_vertex(run, v, "force.z")[4000:].mean()))[:4]


def _held(runs: dict[str, Trajectory], later: Trajectory) -> list[Claim]:
    """The end link lies on four vertices from 4 to 5 s."""
    rest, made = slice(4000, 5001), []
    for name, least in (("proposed", 0.5), ("ours", 0.9)):
        run = runs[name]
        modes = np.stack([of_vertex(run, v, "state")[rest] for v in resting(run)])
        still = float(np.mean(modes == 1)) / float(np.mean(modes > 0))
        speed = float(np.median(np.abs(np.diff(tip(run)[rest]) / 1e-3)))
        made.append(
            Claim(
                f"{name}: the end link's vertices rest with static friction from 4 to 5 s, while other links swing",
                "yes, velocities of almost zero",
                f"static in {100 * still:.0f} % of the steps with a load, {speed:.1g} m/s in the median",
                still > least,
            )
        )
    speeds = max(float(np.abs(later[f"v.joint{k}"][-1])) for k in range(1, LINKS + 1))
    forces = {v: of_vertex(runs["ours"], v, "force.z")[rest] for v in resting(runs["ours"])}
    a, b, c, d = (forces[v] for v in sorted(forces))
    apart = max(float(np.abs(a - c).max()), float(np.abs(b - d).max()))
    creeps = {name: float(np.ptp(tip(run)[rest])) for name, run in runs.items()}
    made += [
        below("ours: after 30 s more with hundredfold viscosity joints move by", speeds, 1e-6, "rad/s"),
        Claim(
            "the microscopic method creeps where the others hold (way of the tip from 4 to 5 s)",
            "cannot hold static friction",
            ", ".join(f"{name} {1e3 * x:.2g} mm" for name, x in creeps.items()),
            creeps["microscopic"] > 10 * creeps["ours"],
        ),
        Claim(
            "symmetric vertices have equal forces (1 and 4, 2 and 3)",
            "yes",
            f"ours within {apart:.1g} N of {float(a.mean() + b.mean()):.2g} N",
            apart < 0.01,
        ),
    ]
    return made


def _motions(runs: dict[str, Trajectory]) -> list[Claim]:
    """The motions of the methods, side by side."""

    def apart(name: str, first: int, last: int) -> float:
        joints = [f"q.joint{k}" for k in range(1, LINKS - 1)]  # but the two that are thrown about
        return max(float(np.abs(runs["microscopic"][q][first:last] - runs[name][q][first:last]).max()) for q in joints)

    others = ("macroscopic", "proposed", "ours")
    before, during = ({name: apart(name, *span) for name in others} for span in ((0, 430), (792, 991)))
    return [
        Claim(
            "the motions are almost the same at first (joints 1 to 4 up to 0.43 s, against the microscopic method)",
            "yes",
            ", ".join(f"{name} {x:.2g}" for name, x in before.items()) + " rad",
            max(before.values()) < 0.15,
        ),
        Claim(
            "the reactions of the collisions from 0.792 to 0.990 s differ",
            "obviously",
            ", ".join(f"{name} {x:.2g}" for name, x in during.items()) + " rad",
            min(during.values()) > 2 * max(before.values()) or max(during.values()) > 0.5,
        ),
    ]


def _draw(runs: dict[str, Trajectory]) -> Any:
    picture, axes = subplots(5, 11.0)
    for ax, (name, run) in zip(axes[:4], runs.items(), strict=True):
        for what, force in (("normal", normal_force(run)), ("friction", friction_force(run))):
            ax.plot(run.time, force, linewidth=0.8, label=what)
        ax.set_ylim(-15, 40)
        ax.set_ylabel("force [N]")
        ax.set_title(name)
        ax.legend(loc="upper right")
    for name, run in runs.items():
        axes[4].plot(run.time, 1e3 * lowest(run), linewidth=0.8, label=name)
    axes[4].set_ylim(-2, 2)
    axes[4].set_title("lowest vertex")
    axes[4].set_ylabel("height [mm]")
    axes[4].set_xlabel("time [s]")
    axes[4].legend(loc="upper right", ncols=4)
    return picture


SOURCE = "forward dynamics with momentum-level penetration compensation, 2014"
CASES = {"contact-1": Case("a six-link pendulum falls on the ground, by four methods", SOURCE, _pendulum)}
