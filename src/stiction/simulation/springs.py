"""Springs that a step cannot follow are refused, with the largest step that can."""

import numpy as np

from stiction.drive.gear import ElasticGear
from stiction.simulation.forces import SpringDamper
from stiction.simulation.integrate import METHODS
from stiction.simulation.network import Network, NetworkError


def check_springs(network: Network, method: str, h: float) -> None:
    """Try every spring alone on the bodies that it moves, at the start."""
    springs = {name: part for name, part in network.parts.items() if isinstance(part, (ElasticGear, SpringDamper))}
    if not springs or not all(body.mechanical for body in network.bodies.values()):
        return
    now = network.evaluate(list(network.start.values()), 0.0, h)
    M = np.array(network.mechanics(now)[0], float)
    for name, part in springs.items():
        unit = {"motor_torque": [-1.0], "joint_torque": [part.ratio]} if isinstance(part, ElasticGear) else {"force": [1.0]}
        signals = now.signals | {f"{name}.{port}": x for port, x in unit.items()}
        row = np.array(network.push(now._replace(signals=signals), name), float)
        a = float(row @ np.linalg.solve(M, row))
        K, B = float(part.stiffness) * a, float(part.damping) * a
        if _growth(K, B, method, h) <= 1 + 1e-9:
            continue
        low, high = 0.0, h
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if _growth(K, B, method, middle) <= 1 + 1e-9 else (low, middle)
        raise NetworkError(
            f"the spring of '{name}' is too stiff for '{method}' at {h:g} s: it swings at {np.sqrt(K):.3g} rad/s; "
            f"the largest stable step is {low:.3g} s. Take it, or a softer spring, or method 'stiff'"
        )


def _growth(K: float, B: float, method: str, h: float) -> float:
    """Largest factor by which the motion of a spring on a unit mass grows in one step."""

    def flow(x: list, _t: float, _stage: float) -> list:
        return [x[1], -K * x[0] - B * x[1]]

    if method in METHODS or method != "semi_implicit":
        columns = [METHODS.get(method, METHODS["gill"])(flow, list(unit), 0.0, h) for unit in np.eye(2)]
        return float(np.abs(np.linalg.eigvals(np.array(columns, float).T)).max())
    step = np.array([[1 - h * h * K, h - h * h * B], [-h * K, 1 - h * B]])
    return float(np.abs(np.linalg.eigvals(step)).max())
