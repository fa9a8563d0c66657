"""Friction never gives out more than it stored: work put in ≥ change of stored energy, whatever the motion."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction.friction import Coulomb, Dahl, Dry, ElastoPlastic, LuGre, Stribeck
from stiction.methods.schemes import runge_kutta_4
from stiction.trace import Port, Program, loop, maximum, minimum, sin

LAWS = {
    "Coulomb": Coulomb(level=(1.0, 0.7), viscous=0.1, stiffness=2e3, damping=2.0),
    "Stribeck": Stribeck(level=1.0, static=1.4, velocity=0.1, viscous=0.1, stiffness=2e3, damping=6.0),
    "Dahl": Dahl(level=1.0, stiffness=2e3),
    "LuGre": LuGre(level=1.0, static=1.4, velocity=0.1, stiffness=2e3, damping=3.0, viscous=0.2),
    "elasto-plastic": ElastoPlastic(level=1.0, static=1.4, velocity=0.1, stiffness=2e3, damping=3.0),
}


def worker(law):
    """Bending, work put in, least and most bending so far, under the velocity Σ amplitude sin(frequency t + phase)."""

    def function(h, steps, waves, state):
        def flow(x, t, step):
            v = sum((a * sin(w * t + p) for a, w, p in waves), start=0)
            torque, (rate,) = law.flow(v, x[:1], step)
            return [rate, torque * v]

        def one(k, x):
            z, work = runge_kutta_4(flow, x[:2], k * h, h)
            return [z, work, minimum(x[2], z), maximum(x[3], z)]

        return (loop(steps, one, state),)

    ports = [Port("h", role="uniform"), Port("steps", role="uniform"), Port("waves", (3, 3)), Port("state", (4,))]
    return Program("work", function, ports, [Port("state", (4,))])


PROGRAMS = {name: worker(law) for name, law in LAWS.items()}
REST = [0.0] * 4


@pytest.mark.parametrize("name", LAWS)
@given(
    st.lists(st.tuples(st.floats(0, 0.3), st.floats(0, 60), st.floats(0, 6)), min_size=3, max_size=3),
    st.integers(1, 4000),
)
def test_passive(name, waves, steps):
    """And no bristle bends further than its torque at most can bend it, to the order of the method.

    That torque is break-away; the bristle of a dry law carries its viscous friction, too.
    """
    law, fastest = LAWS[name], sum(a for a, _, _ in waves)
    if isinstance(law, LuGre):
        assert fastest <= law.passive_up_to
    z, work, low, high = PROGRAMS[name](1e-4, steps, np.array(waves), REST)[0]
    assert work >= law.stored([z]) - law.stored([0.0]) - 1e-6 * (1 + abs(work))  # to the order of the method
    for end, bend in ((1, high), (-1, -low)):
        most = law.breakaway(end) + (law.viscous * fastest if isinstance(law, Dry) else 0.0)
        assert law.stiffness * bend <= most * (1 + 1e-6)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("v", [0.2, -0.2])
def test_a_long_way_costs_its_friction(name, v):
    """Two metres one way: work = steady torque · way, but for the bristle, which bends by a few static/K."""
    law = LAWS[name]
    work = PROGRAMS[name](1e-4, 100_000, [[v, 0.0, math.pi / 2], [0.0] * 3, [0.0] * 3], REST)[0][1]
    most = max(law.breakaway(1), law.breakaway(-1))
    assert work == pytest.approx(2.0 * abs(law.steady(v)), abs=3 * most**2 / law.stiffness)


def loss(law, v, z):
    """Power put in less the rate of stored energy."""
    torque, (rate,) = law.flow(v, [z], 0.0)
    return torque * v - law.stiffness * z * rate


def test_the_condition_of_lugre_is_sharp():
    law = LuGre(level=1.0, static=1.0, velocity=0.1, stiffness=1e4, damping=50.0, viscous=0.5)
    bends = np.linspace(-4e-4, 4e-4, 8001)  # worst at twice the bending of steady sliding
    below, above = 0.999 * law.passive_up_to, 1.02 * law.passive_up_to
    assert min(loss(law, below, z) for z in bends) >= -1e-12
    assert min(loss(law, above, z) for z in bends) < 0
    assert LuGre(level=1.0, static=1.0, velocity=0.1, stiffness=1e4, damping=0.0).passive_up_to == math.inf


@pytest.mark.parametrize("levels", [(1.0, 0.5), (0.5, 1.0)])
def test_the_weaker_direction_of_lugre_decides(levels):
    law = LuGre(level=levels, static=levels, velocity=0.1, stiffness=1e4, damping=50.0, viscous=0.5)
    bends, weaker = np.linspace(-4e-4, 4e-4, 8001), 1 if levels[0] < levels[1] else -1
    for way in (1, -1):
        assert min(loss(law, way * 0.999 * law.passive_up_to, z) for z in bends) >= -1e-12
        gives = min(loss(law, way * 1.02 * law.passive_up_to, z) for z in bends) < 0
        assert bool(gives) is (way == weaker)
