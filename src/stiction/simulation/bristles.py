"""How stiff the bristles of dry friction may be at a given step, and how stiff they are when the user does not say.

Under a flow a stuck joint is a stiff spring. By default K = J/(2 h²) and B = J/(2 h), with J the inertia that the site feels
at the start: the slowest decay of a stuck bristle is then 0.65 per step with Runge–Kutta, and the joint stays stable while
the arm moves to poses with a quarter of that inertia. Stiffnesses that the user gives are tried out on the linear motion of
all stuck sites together, and refused if it grows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stiction.friction.dry import Coulomb
from stiction.simulation.integrate import METHODS

if TYPE_CHECKING:
    from stiction.simulation.scene import Scene

STIFFNESS, DAMPING = 0.5, 0.5  # K h²/J and B h/J


def apparent_inertia(scene: Scene) -> dict[str, float]:
    """The inertia that each site feels at the start while the other joints are free [kg m² or kg]."""
    M = scene.robot.mass_matrix(np.array(scene.q, float))
    rows = {name: np.array(scene.row(site)) for name, site in scene.sites.items()}
    return {name: float(1 / (row @ np.linalg.solve(M, row))) for name, row in rows.items()}


def with_bristles(scene: Scene, step: float) -> Scene:
    """The scene with a stiffness and a damping in every dry law."""
    inertia = apparent_inertia(scene) if scene.sites else {}
    friction = {}
    for name, site in scene.sites.items():
        law = site.law
        if isinstance(law, Coulomb):
            J = inertia[name]
            stiffness = STIFFNESS * J / step**2 if law.stiffness is None else law.stiffness
            damping = DAMPING * J / step if law.damping is None else law.damping
            law = replace(law, stiffness=stiffness, damping=damping)
        friction[name] = replace(site, law=law)
    return replace(scene, friction=friction)


def growth(scene: Scene, method: str, step: float) -> float:
    """Largest factor by which a motion of the stuck sites grows in one step; below 1 it decays. Bristles must be chosen."""
    dry = [site for site in scene.sites.values() if isinstance(site.law, Coulomb)]
    if not dry:
        return 0.0
    M = scene.robot.mass_matrix(np.array(scene.q, float))
    S = np.array([scene.row(site) for site in dry])
    K, B = (np.array([getattr(site.law, what) for site in dry]) for what in ("stiffness", "damping"))
    A = S @ np.linalg.solve(M, S.T)  # velocities of the sites under their torques

    def flow(x: list, _t: float, stage: float) -> list:
        s, e = np.array(x[: len(dry)]), np.array(x[len(dry) :])
        return [*(-A @ (K * e + (B + stage * K) * s)), *s]

    columns = [METHODS[method](flow, list(unit), 0.0, step) for unit in np.eye(2 * len(dry))]
    return float(np.abs(np.linalg.eigvals(np.array(columns, float).T)).max())


def largest_stable_step(scene: Scene, method: str, step: float) -> float:
    """The largest step, found by halving, at which stuck sites with these bristles stay put [s]."""
    low, high = 0.0, step
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if growth(scene, method, middle) < 1 else (low, middle)
    return low
