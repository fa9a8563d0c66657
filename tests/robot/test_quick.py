"""Plain calls on one robot take a short way to the same numbers, and leave everything else to the long one."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import stiction
from stiction import InputError

ARM = stiction.library.puma560()
Q, V, U = np.random.default_rng(3).normal(size=(3, 6))
CALLS = {
    "forward_dynamics": (Q, V, U),
    "inverse_dynamics": (Q, V, U),
    "mass_matrix": (Q,),
    "coriolis_matrix": (Q, V),
    "gravity_torque": (Q,),
}


@pytest.mark.parametrize("name, signals", CALLS.items())
def test_the_short_way_gives_the_same_bits(name, signals):
    """Lists, integers, float32 and batches go the long way; so does the first call."""
    robot = stiction.library.puma560()
    call = getattr(robot, name)
    first, plain = call(*signals), call(*signals)
    assert robot.programs.ready[name](signals) is not None, "it is ready"
    for way in (first, call(*(list(x) for x in signals)), call(*(x[None] for x in signals))[0]):
        np.testing.assert_array_equal(plain, way)
    half = [x.astype(np.float32) for x in signals]
    np.testing.assert_array_equal(call(*half), call(*(x.astype(float) for x in half)))
    whole = [np.arange(6) for _ in signals]
    np.testing.assert_array_equal(call(*whole), call(*(x.astype(float) for x in whole)))
    every_other = [np.repeat(x, 2)[::2] for x in signals]
    np.testing.assert_array_equal(call(*every_other), plain)
    assert call(*signals) is not plain, "results are the caller's"


def test_robots_keep_their_own_parameters_and_options():
    """Robots of one structure share a program, not its arrays; options go the long way."""
    light, heavy = (stiction.library.pendulum(1, mass=m) for m in (1.0, 2.0))
    q, v, u = np.array([0.3]), np.zeros(1), np.ones(1)
    for _ in range(3):
        assert heavy.mass_matrix(q)[0, 0] == pytest.approx(2 * light.mass_matrix(q)[0, 0])
    free = light.forward_dynamics(q, v, u, gravity=(0, 0, 0))
    assert free[0] == pytest.approx(1 / light.mass_matrix(q)[0, 0]) and light.forward_dynamics(q, v, u)[0] < free[0]
    assert light.forward_dynamics(q, v, u, method="articulated") == pytest.approx(light.forward_dynamics(q, v, u))


@pytest.mark.parametrize("bad", [np.zeros(5), np.zeros(7), np.zeros(()), np.zeros(6) * 1j, np.array(["a"] * 6), None])
def test_what_does_not_fit_is_refused_as_before(bad):
    ARM.forward_dynamics(Q, V, U)
    with pytest.raises(InputError, match="q "):
        ARM.forward_dynamics(bad, V, U)


def test_threads_do_not_share_desks():
    many = np.random.default_rng(0).normal(size=(2000, 6))
    expected = ARM.forward_dynamics(many, many, many)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda x: ARM.forward_dynamics(x, x, x), many))
    np.testing.assert_array_equal(found, expected)


def test_signatures_are_those_of_the_long_way():
    assert list(inspect.signature(ARM.forward_dynamics).parameters)[:4] == ["q", "v", "torque", "gravity"]
    with pytest.raises(TypeError):
        ARM.forward_dynamics(Q, V, U, (0, 0, 0))
