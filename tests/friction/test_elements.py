"""Laws of many elements: hysteresis that closes its loops, and friction that lags behind the speed."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stiction
from stiction import FrictionError, Leuven, MaxwellSlip, Scene, simulate
from stiction.trace import cos, sin, where
from tests.scenes import flywheel, on_axle

ELEMENTS = {"stiffness": (6e3, 3e3, 1e3), "shares": (0.3, 0.3, 0.4)}
PLAIN = {"level": 0.8, "static": 0.8, "velocity": 0.1, "damping": 2.0}
MAXWELL = MaxwellSlip(**PLAIN, **ELEMENTS, attraction=50.0)
LEUVEN = Leuven(**PLAIN, stiffness=ELEMENTS["stiffness"], shares=(0.3, 0.3, 0.6))
STEPS = (1e-4, 1e-3, 2e-3)


def virgin(x):
    """Force of elements without damping, bent from rest by a way x: straight lines between the slips."""
    both = zip(ELEMENTS["stiffness"], ELEMENTS["shares"], strict=True)
    return sum(min(k * x, share * 0.8) for k, share in both)


def way(force):
    """The way that a force below break-away bends them."""
    xs = np.linspace(0, 1e-3, 100_001)
    return float(np.interp(force, [virgin(x) for x in xs], xs))


def loaded(law, low, high):
    """A load that comes slowly to `low` and then goes between `low` and `high`, once in 2 s."""
    middle, half = (low + high) / 2, (high - low) / 2
    return on_axle(
        0.0304, law, lambda t: where(t < 2, low / 2 * (1 - cos(math.pi * t / 2)), middle - half * cos(math.pi * t))
    )


def test_an_element_that_carries_its_share_slips_and_the_others_bend():
    bends = [0.3 * 0.8 / 6e3, 0.0, 0.0]
    rates = MAXWELL.flow(1e-3, [*bends, 0.0, 0.0, 0.0], 0.0)[1]
    assert rates[:3] == pytest.approx([0.0, 1e-3, 1e-3], abs=1e-15)
    assert MAXWELL.mode(1e-3, [*bends, 0.0, 0.0, 0.0], 0.0) == 1, "pre-sliding: some slip, some bend"
    full = [share * 0.8 / k for k, share in zip(ELEMENTS["stiffness"], ELEMENTS["shares"], strict=True)]
    assert MAXWELL.mode(1e-3, [*full, 1.0, 1.0, 1.0], 0.0) == 2


@pytest.mark.parametrize("step", STEPS)
def test_maxwell_slip_follows_masings_rule(step):
    """On the way up it is the first curve; back it is the same curve, twice as large, from where the motion turned."""
    run = simulate(loaded(MAXWELL, 0.2, 0.7), duration=6.0, step=step, record=1.0)
    q = run["q.axle"]
    assert q[2] == pytest.approx(way(0.2), rel=1e-3)
    assert q[3] == pytest.approx(way(0.7), rel=1e-3)
    back = way(0.7) - 2 * way((0.7 - 0.2) / 2)
    assert q[4] == pytest.approx(back, rel=2e-3)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("law", [MAXWELL, LEUVEN], ids=["Maxwell-slip", "Leuven"])
def test_loops(law, step):
    """Under a load that goes to and fro below break-away the loops of Maxwell-slip close: it remembers where it turned.
    Those of Leuven creep, but far less than LuGre's of the same stiffness.
    """
    q = simulate(loaded(law, 0.2, 0.7), duration=12.0, step=step, record=2.0)["q.axle"]
    drift = (q[-1] - q[2]) / 4
    lugre = 0.8 / 1e4 * math.log((0.64 - 0.04) / (0.64 - 0.49))
    assert abs(drift) < (1e-3 * way(0.7) if law is MAXWELL else 4 * lugre)


def test_a_small_loop_inside_a_large_one_is_forgotten():
    """Return-point memory: after a detour the large loop goes on as if nothing had been."""
    knots = [(0.0, 0.0), (2.0, 0.7), (4.0, 0.3), (5.0, 0.5), (6.0, 0.3), (8.0, -0.5)]
    plain = [(0.0, 0.0), (2.0, 0.7), (4.0, 0.3), (6.0, 0.3), (8.0, -0.5)]
    ends = []
    for points in (knots, plain):
        load = stiction.Table(time=[t for t, _ in points], value=[x for _, x in points])
        scene = Scene(robot=flywheel(0.0304), friction={"axle": MAXWELL}, torque={"axle": load})
        ends.append(simulate(scene, duration=8.0, step=1e-3, record=8.0)["q.axle"][-1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-6)


def test_maxwell_slip_against_events():
    """One element, pushed to and fro beyond break-away: SciPy with an event for each change between stick and slip."""
    k, F, S, vs, C, J, d, b = 2000.0, 0.8, 1.2, 0.1, 60.0, 0.0304, 3.0, 0.05
    law = MaxwellSlip(level=F, static=S, velocity=vs, stiffness=(k,), shares=(1.0,), attraction=C, damping=d, viscous=b)
    run = simulate(on_axle(J, law, lambda t: 2.0 * sin(4 * t)), duration=3.0, step=1e-4, record=1e-2)

    def strength(v):
        return F + (S - F) * math.exp(-((v / vs) ** 2))

    def slip_rate(v, z):
        return math.copysign(1, v) * C / k * (1 - k * abs(z) / strength(v))

    def rates(slipping):
        def rates(t, y):
            _, v, z = y
            rate = slip_rate(v, z) if slipping else v
            return [v, (2.0 * math.sin(4 * t) - k * z - d * rate - b * v) / J, rate]

        return rates

    def full(t, y):
        return k * y[2] * math.copysign(1, y[1]) - strength(y[1])

    def turns(t, y):
        return y[1]

    full.terminal, full.direction, turns.terminal = True, 1, True
    t, y, slipping, ts, qs = 0.0, [0.0, 0.0, 0.0], False, [0.0], [0.0]
    while t < 3.0:
        event = turns if slipping else full
        part = solve_ivp(rates(slipping), (t, 3.0), y, events=event, rtol=1e-9, atol=1e-12, max_step=1e-3)
        ts, qs = [*ts, *part.t[1:]], [*qs, *part.y[0, 1:]]
        t, y, slipping = part.t[-1], list(part.y[:, -1]), not slipping
        if not slipping:
            y[1] = -math.copysign(1e-15, part.y[1, -2])
    assert np.abs(run["q.axle"] - np.interp(run.time, ts, qs)).max() < 2e-3 * np.ptp(qs)


def test_friction_lags_behind_the_speed():
    """At a speed that goes up and down friction is larger while it grows: the loop of Hess and Soom."""
    law = MaxwellSlip(level=0.5, static=1.0, velocity=1.0, **ELEMENTS, attraction=10.0, damping=2.0, viscous=0.6)
    run = simulate(on_axle(0.05, law, lambda t: 1.5 + 0.5 * sin(6 * t)), duration=6.0, step=1e-3)
    v = run["v.axle"]
    f = run["friction.axle"] - 0.6 * v
    late = run.time > 3
    rising = np.gradient(v, run.time) > 0
    speeds = np.linspace(*np.quantile(v[late], [0.2, 0.8]), 5)
    assert v[late].min() > 0
    for speed in speeds:
        near = late & (np.abs(v - speed) < 0.05)
        assert f[near & rising].mean() > f[near & ~rising].mean()


def test_impossible_elements():
    with pytest.raises(FrictionError, match="do not add up to 1"):
        MaxwellSlip(**PLAIN, stiffness=(1e3, 2e3), shares=(0.5, 0.6), attraction=1.0)
    with pytest.raises(FrictionError, match="stiffness has 2 numbers and shares 1"):
        MaxwellSlip(**PLAIN, stiffness=(1e3, 2e3), shares=(1.0,), attraction=1.0)
    with pytest.raises(FrictionError, match="never reach the static torque"):
        Leuven(**PLAIN, stiffness=(1e3, 2e3), shares=(0.5, 0.4))
