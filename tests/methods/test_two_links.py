"""The experiment of network.md II: two links that stop and stay, or drift with LuGre, steadily."""

import numpy as np
import pytest

import stiction
from stiction.friction import Coulomb, LuGre
from stiction.network import Term, Wire
from stiction.parts import Friction, RobotBody, Source
from stiction.scene import Scene
from stiction.simulation.simulate import simulate
from stiction.trace import cos, minimum, sin, where


def two_links(law):
    """network.md II: point masses of 0.05 kg on rods of 0.35 m, friction at both joints, no gravity."""

    def torque(wave):
        return lambda t: where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * wave(100 * t))

    arm = stiction.library.two_link(lengths=(0.35, 0.35), masses=(0.05, 0.05))
    parts = {"arm": RobotBody(robot=arm, gravity=(0, 0, 0)), "motors": Source(functions=(torque(sin), torque(cos)))}
    parts |= {f"friction{k}": Friction(law=law) for k in (1, 2)}
    rows = [[1.0, 0.0]], [[0.0, 1.0]]
    columns = [[-1.0], [0.0]], [[0.0], [-1.0]]
    wires = [Wire(f"friction{k + 1}.velocity", [Term("arm.v", rows[k])]) for k in (0, 1)]
    wires.append(
        Wire("arm.torque", ["motors.force", Term("friction1.torque", columns[0]), Term("friction2.torque", columns[1])])
    )
    return Scene(parts=parts, wires=wires)


def test_two_links_stop_and_stay():
    run = simulate(
        two_links(Coulomb(level=0.5, stiffness=5000.0, damping=1.0)), duration=15.0, step=1e-4, method="rk4", record=0.1
    )
    for k, joint in enumerate(("shoulder", "elbow")):
        anchor = run[f"arm.q.{joint}"] - run[f"friction{k + 1}.bend"]
        assert np.ptp(anchor[(run.time > 1.7) & (run.time < 4)]) > 0.1, "it is pushed beyond break-away"
        assert np.ptp(anchor[run.time > 4.95]) < 1e-9
        bend = run[f"friction{k + 1}.bend"][run.time > 4.95]
        assert 0.19 / 5000 * 0.9 < bend.min() and bend.max() < 0.48 / 5000 * 1.1, "what is left shakes in the bristle"


def test_two_links_drift_with_lugre():
    law = LuGre(level=0.5, static=0.5, velocity=0.01, stiffness=5000.0, damping=1.0)
    run = simulate(two_links(law), duration=15.0, step=1e-4, method="rk4", record=0.1)
    q = run["arm.q.shoulder"]
    halves = [q[np.isclose(run.time, b)][0] - q[np.isclose(run.time, a)][0] for a, b in ((5, 10), (10, 15))]
    assert halves[0] > 1e-3 and halves[1] == pytest.approx(halves[0], rel=0.05)
