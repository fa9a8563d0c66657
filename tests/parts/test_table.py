"""Tables: straight lines between points."""

import numpy as np

from stiction import Scene, Table, library, simulate


def test_tables_of_torque_are_straight_lines():
    points = Table(time=[0, 0.3, 0.35, 2.0], value=[0, 1, -1, 0.5])
    run = simulate(Scene(robot=library.two_link(), torque={"elbow": points}), duration=2.5, step=1e-3)
    np.testing.assert_allclose(run["torque.elbow"], np.interp(run.time, points.time, points.value), atol=1e-12)
