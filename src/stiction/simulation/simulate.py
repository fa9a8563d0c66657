"""`simulate`: a scene in, a trajectory out, by the method of choice."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import stiction
from stiction.errors import InputError
from stiction.friction.dry import Coulomb
from stiction.friction.law import Law
from stiction.simulation.bristles import growth, largest_stable_step, with_bristles
from stiction.simulation.integrate import METHODS
from stiction.simulation.run import Steps, compiled, follow, stepping
from stiction.simulation.scene import Scene, SceneError
from stiction.simulation.semi_implicit import Site, semi_implicit_step
from stiction.simulation.trajectory import Trajectory
from stiction.spatial import Vector
from stiction.trace import machine
from stiction.trace.functions import Scalar
from stiction.trace.program import Port, Program


def simulate(
    scene: Scene,
    *,
    duration: float,
    step: float,
    method: str = "rk4",
    record: float | None = None,
    values: Mapping[str, Any] | None = None,
    threads: int | None = 1,
) -> Trajectory:
    """Simulate a scene, once or for many values of its numbers.

    Signals: "q.NAME" [rad or m] and "v.NAME" [rad/s or m/s] of each joint; "friction.NAME" [N·m or N], with the sign of the
    velocity, of each friction site; with "semi_implicit" also "mode.NAME" (0 stuck, ±1 sliding) and "residual" [N·m or N], how far
    the search for stick and slip was from an end; with the other methods "bend.NAME", the state of the bristle [rad or m].

    Args:
        scene: what is simulated.
        duration: [s]; a whole number of records.
        step: [s].
        method: "semi_implicit" (dry friction stays rigid; order 1), or "euler", "rk4", "gill" (dry friction by stiff bristles:
            their stiffness is chosen where the law does not give it, and refused where it is unstable at this step).
        record: time between records [s], a whole number of steps; every step by default.
        values: numbers to replace, by name (see `numbers`), by arrays that fit each other; signals then have shape (T, ...).
        threads: how many share a batch; None takes all cores.

    Example:
        >>> import numpy as np, stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=0.5)}, q=[0.1])
        >>> stiction.simulate(scene, duration=1.0, step=0.01)["q.joint1"].shape
        (101,)
        >>> levels = np.linspace(0.1, 2.0, 50)
        >>> run = stiction.simulate(scene, duration=1.0, step=0.01, method="semi_implicit", values={"friction.joint1.level": levels})
        >>> bool((run["q.joint1"][-1, levels > 0.98] == 0.1).all())  # these hold 0.979 N·m of gravity
        True
    """
    if method != "semi_implicit" and method not in METHODS:
        raise InputError(f"method is {method!r}; allowed: 'semi_implicit', {', '.join(map(repr, METHODS))}")
    steps = _rigid(scene, values) if method == "semi_implicit" else _flowing(scene, step, method, values)
    run = follow(steps, duration, step, record, threads)
    if method != "semi_implicit":
        run = _named(with_bristles(scene, step), run, step, values or {})
    return replace(run, units={name: _unit(scene, name) for name in run.signals}, origin=_origin(scene, step, method))


def _unit(scene: Scene, signal: str) -> str:
    """The unit of a signal of a scene."""
    kind, _, name = signal.partition(".")
    if kind in ("mode", "residual"):
        return "1" if kind == "mode" else "N·m or N"
    site = scene.sites.get(name) if kind in ("friction", "bend") else None
    joint = scene.robot.joint(next(iter(site.joints)) if site else _joint(scene, name))
    if joint.kind in ("spherical", "floating"):
        return {"q": "1 or m", "v": "rad/s or m/s"}[kind]
    linear = joint.kind == "prismatic" or (joint.kind == "planar" and not name.endswith(".turn"))
    return {"q": ("rad", "m"), "bend": ("rad", "m"), "v": ("rad/s", "m/s"), "friction": ("N·m", "N")}[kind][linear]


def _joint(scene: Scene, name: str) -> str:
    """The joint that a position or velocity belongs to; the names of its parts follow a dot."""
    return name if any(joint.name == name for joint in scene.robot.joints) else name.rpartition(".")[0]


def _origin(scene: Scene, step: float, method: str) -> dict[str, str]:
    """What was run, and with what."""
    return {
        "robot": repr(scene.robot),
        "friction": "; ".join(f"{name}: {site.law} on {dict(site.joints)}" for name, site in scene.sites.items()),
        "torque": "; ".join(f"{name}: {x if not callable(x) else getattr(x, 'text', 'a Python function')}" for name, x in scene.torque.items()),
        "gravity": str(tuple(scene.gravity)),
        "start": f"q = {scene.q}, v = {scene.v}",
        "method": f"{method}, step {step:g} s",
        "versions": f"stiction {stiction.__version__}, numpy {np.__version__}",
        "machine": machine.signature(),
    }


def numbers(scene: Scene) -> dict[str, float]:
    """The numbers of a scene that `simulate` can replace, by name [SI]: of the robot, of the friction, and gravity."""
    found: dict[str, float] = {}
    _with_numbers(scene, found.setdefault)
    return found


def _flowing(scene: Scene, step: float, method: str, values: Mapping[str, Any] | None) -> Steps:
    if not step > 0:
        raise InputError(f"step is {step}; allowed: a time above 0")
    scene = with_bristles(scene, step)
    if growth(scene, method, step) > 1 + 1e-9:
        raise SceneError(
            f"stuck joints would shake themselves loose: the friction bristles are too stiff for '{method}' at {step:g} s; "
            f"the largest stable step is {largest_stable_step(scene, method, step):.3g} s. Take it, or leave stiffness and damping out, or use 'semi_implicit'"
        )
    return compiled(scene.network, method, values, _plain)


def _plain(name: str) -> str:
    """The name of a number in the network of a scene as the scene's users know it."""
    if name.startswith("friction "):
        return name.replace("friction ", "friction.", 1).replace(".law.", ".", 1)
    return name.removeprefix("robot.")


def _named(scene: Scene, run: Trajectory, step: float, values: Mapping[str, Any]) -> Trajectory:
    """The signals of a network under the names of the scene, with the friction torques."""
    signals = {name.removeprefix("robot."): x for name, x in run.signals.items() if name.startswith("robot.")}
    v = np.stack([signals[f"v.{name}"] for name in scene.robot.velocity_names], axis=-1)
    for name, site in scene.sites.items():
        bend = run.signals.get(f"friction {name}.bend")
        signals[f"friction.{name}"] = _torques(name, site.law, v @ np.array(scene.row(site)), 0.0 if bend is None else bend, step, values)
        if bend is not None:
            signals[f"bend.{name}"] = bend
    return replace(run, signals=signals)


def _torques(name: str, law: Law, v: np.ndarray, bend: Any, step: float, values: Mapping[str, Any]) -> np.ndarray:
    """The torque of a law along recorded velocities and bendings."""
    freed = {key.removeprefix(f"friction.{name}."): x for key, x in values.items() if key.startswith(f"friction.{name}.")}

    def function(v: Scalar, z: Scalar, *more: Scalar) -> tuple:
        table = dict(zip(freed, more, strict=True))
        return (law.with_numbers(lambda field, x: table.get(field, x)).flow(v, z, step)[0],)

    program = Program("friction", function, [Port("v"), Port("z"), *(Port(field) for field in freed)], [Port("torque")])
    return program(v, bend, *freed.values())[0]


def _rigid(scene: Scene, values: Mapping[str, Any] | None) -> Steps:
    for name, site in scene.sites.items():
        if not isinstance(site.law, Coulomb):
            raise SceneError(
                f"friction '{name}' is {type(site.law).__name__}, which bends before it slides; method 'semi_implicit' takes dry laws "
                "(Coulomb, Stribeck): use one of them, or method 'rk4'"
            )
    n, m, names = scene.robot.nv, len(scene.sites), list(scene.sites)
    labels = [*scene.body.start(), *(f"mode.{s}" for s in names), *(f"friction.{s}" for s in names), "residual"]
    start = [*scene.q, *scene.v, *[0.0] * (2 * m + 1)]

    def advance(table: Mapping[str, Scalar], h: Scalar) -> Callable[[Scalar, list], list]:
        body, sites = _with_numbers(scene, lambda name, _: table[name])
        nq = body.robot.nq

        def one(t: Scalar, x: list) -> list:
            q, v, mode = x[:nq], x[nq : nq + n], x[nq + n : nq + n + m]
            after = semi_implicit_step(body.mechanism, q, v, scene.torques(t), Vector(*body.gravity), sites, mode, h)
            return [*body.settle([*after.q, *after.v]), *after.mode, *after.friction, after.residual]

        return one

    return stepping("semi_implicit", numbers(scene), values, advance, labels, start)


def _with_numbers(scene: Scene, number: Any) -> tuple[Any, list[Site]]:
    """The robot and the sites with their numbers replaced."""
    body = scene.body.with_numbers(number)
    sites = []
    for name, site in scene.sites.items():
        law = site.law.with_numbers(lambda inner, x, name=name: number(f"friction.{name}.{inner}", x))  # type: ignore[misc]
        sites.append(Site([int(x) if x in (0, 1, -1) else x for x in scene.row(site)], law))  # type: ignore[arg-type]
    return body, sites
