"""Tables: straight lines between points."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid

from stiction import Scene, Table, library, simulate
from tests.scenes import METHODS, flywheel, order

TABLES = {
    "uneven": Table(time=[0, 0.3, 0.35, 2.0], value=[0, 1, -1, 0.5]),
    "even": Table(time=[0.5, 1.0, 1.5, 2.0], value=[2, 1, -1, 0.5]),
    "two points": Table(time=[0.1, 0.4], value=[1, -1]),
    "many": Table(time=np.cumsum(np.linspace(1e-3, 0.01, 300)), value=np.sin(np.arange(300.0))),
}


@pytest.mark.parametrize("name", TABLES)
def test_straight_lines_between_points_and_constant_beyond(name):
    """By machine code, as NumPy interpolates; on floats, too."""
    points = TABLES[name]
    run = simulate(Scene(robot=library.two_link(), torque={"elbow": points}), duration=2.5, step=1e-3)
    expected = np.interp(run.time, points.time, points.value)
    np.testing.assert_allclose(run["torque.elbow"], expected, atol=1e-12)
    np.testing.assert_allclose([points(t) for t in run.time[::50]], expected[::50], atol=1e-12)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_table_pushes_by_what_is_under_it(method):
    """Knots on multiples of the step: the impulse is the area, exactly, or to h/2 by methods of order 1."""
    ramps = Table(time=[0, 0.2, 0.3, 0.5], value=[0, 2, -1, 0])
    run = simulate(Scene(robot=flywheel(0.5), torque={"axle": ramps}), duration=0.6, step=1e-3, method=method)
    area = cumulative_trapezoid(np.interp(run.time, ramps.time, ramps.value), run.time, initial=0)
    np.testing.assert_allclose(0.5 * run["v.axle"], area, atol=2e-3 if order(method) == 1 else 1e-9)
