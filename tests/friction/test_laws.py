"""Closed forms and published digits of each law."""

import importlib
import math
import re
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stiction.friction import Coulomb, Dahl, ElastoPlastic, FrictionError, LuGre, Stribeck
from stiction.friction.law import Law
from stiction.methods.schemes import runge_kutta_4
from stiction.registry import open_room
from stiction.trace import Port, Program, cos, loop, minimum, sin, where
from stiction.trace.parameters import Substitution

CANUDAS = LuGre(level=1.0, static=1.5, velocity=0.001, exponent=2.0, stiffness=1e5, damping=math.sqrt(1e5), viscous=0.4)
LAWS = {
    "Coulomb": Coulomb(level=1.0, viscous=0.3, stiffness=1e4, damping=1.0),
    "asymmetric Coulomb": Coulomb(level=(1.0, 2.0), stiffness=1e4, damping=1.0),
    "Stribeck": Stribeck(level=1.0, static=1.4, velocity=0.05, viscous=0.3, stiffness=1e4, damping=10.0),
    "Gaussian Stribeck": Stribeck(level=1.0, static=1.4, velocity=0.05, exponent=2.0, stiffness=1e4, damping=10.0),
    "Dahl": Dahl(level=1.0, stiffness=1e4),
    "LuGre": LuGre(level=1.0, static=1.4, velocity=0.05, stiffness=1e4, damping=10.0, viscous=0.3),
    "asymmetric LuGre": LuGre(level=(1.0, 0.8), static=(1.4, 1.7), velocity=0.05, stiffness=1e4, damping=10.0),
    "elasto-plastic": ElastoPlastic(level=1.0, static=1.4, velocity=0.05, stiffness=1e4, damping=10.0),
}
STEEP = Stribeck(level=1.0, static=1.4, velocity=0.005, stiffness=1e4, damping=1.0)  # falls faster than damping rises
DRY = {name: law for name, law in LAWS.items() if isinstance(law, Coulomb)} | {"steep Stribeck": STEEP}
BRISTLES = {name: law for name, law in LAWS.items() if isinstance(law, (Dahl, LuGre))}


def bristle(law, speed, h, steps, z=0.0):
    """The own state after steps of RK4 at the velocity speed(t)."""

    def function(h, steps, z):
        return (
            loop(
                steps,
                lambda k, x: runge_kutta_4(lambda y, t, step: law.flow(speed(t), y, step)[1], x, k * h, h),
                [z],
            )[0],
        )

    program = Program(
        "bristle", function, [Port("h", role="uniform"), Port("steps", role="uniform"), Port("z")], [Port("z")]
    )
    return float(program(h, steps, z)[0])


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("v", [0.4, -0.4, 0.03, -0.03])
def test_constant_speed_ends_on_the_curve(name, v):
    law = LAWS[name]
    z = bristle(law, lambda t: v + 0 * t, 1e-5, 200_000)
    torque, (rate,) = law.flow(v, [z], 1e-5)
    assert torque == pytest.approx(law.steady(v), rel=1e-6)
    assert rate == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("name", DRY)
@given(st.floats(-2, 2), st.floats(-1e-4, 1e-4), st.floats(1e-6, 1e-2))
def test_dry_laws_solve_their_own_inclusion(name, v, z, step):
    """What does not bend the bristle slides, against the strength of its speed; or nothing does, below break-away.

    Newton's method ends at 1e−12 of the speed, and the strength falls by at most 80 N·m·s/rad: 1e−6 leaves room.
    """
    law = DRY[name]
    torque, (rate,) = law.flow(v, [z], step)
    assert torque == pytest.approx(law.stiffness * (z + step * rate) + law.damping * rate, rel=1e-9, abs=1e-9)
    slid = v - rate
    if abs(slid) > 1e-9:
        assert torque == pytest.approx(math.copysign(law.strength(abs(slid), slid), slid), rel=1e-6)
    else:
        assert abs(torque) <= law.breakaway(torque) * (1 + 1e-9)


@pytest.mark.parametrize("name", BRISTLES)
@given(st.floats(-2, 2))
def test_a_bristle_does_not_bend_beyond_break_away(name, v):
    """At the ends of [−static/K, static/K] it bends no further, whatever the velocity: that stretch is never left."""
    law = BRISTLES[name]
    for end in (1, -1):
        assert end * law.flow(v, [end * law.breakaway(end) / law.stiffness], 0.0)[1][0] <= 1e-12


@pytest.mark.parametrize("name", BRISTLES)
@given(st.floats(-1, 1), st.floats(-3, 3))
def test_a_bristle_loses_what_it_does_not_store(name, speed, bend):
    """Torque · v − K z ż is |v| (K z)²/F by Dahl's law, and never below 0 by the others, up to `passive_up_to`."""
    law = BRISTLES[name]
    v = speed * min(2.0, getattr(law, "passive_up_to", math.inf))
    z = bend * law.breakaway(bend) / law.stiffness
    torque, (rate,) = law.flow(v, [z], 0.0)
    loss = torque * v - law.stiffness * z * rate
    if isinstance(law, Dahl):
        assert loss == pytest.approx(abs(v) * (law.stiffness * z) ** 2 / law.breakaway(v), rel=1e-9, abs=1e-12)
    assert loss >= -1e-12


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_elasto_plastic_slides_as_lugre_or_not_at_all(v, part):
    """Below the elastic stretch and on the way back ż = v, to the bit; from steady bending on it is LuGre's law."""
    law, lugre = LAWS["elasto-plastic"], LuGre(level=1.0, static=1.4, velocity=0.05, stiffness=1e4, damping=10.0)
    z = part * law.strength(v) / law.stiffness
    (rate,), (other,) = law.flow(v, [z], 0.0)[1], lugre.flow(v, [z], 0.0)[1]
    if abs(part) < law.elastic - 1e-9 or v * z < 0:
        assert rate == v
    elif abs(part) > 1 + 1e-9:
        assert rate == other
    else:
        assert min(v, other) - 1e-12 <= rate <= max(v, other) + 1e-12


def test_the_steepest_fall_of_the_curve():
    for name in ("Stribeck", "Gaussian Stribeck"):
        law, w = LAWS[name], np.linspace(1e-9, 0.5, 200_001)
        strength = np.array([law.strength(x, 1) for x in w])
        assert law.steepest == pytest.approx(-(np.diff(strength) / np.diff(w)).min(), rel=1e-3)
    assert Stribeck(level=1.0, static=1.4, velocity=0.05, exponent=0.5).steepest == math.inf


def test_below_break_away_nothing_slides():
    law = LAWS["Stribeck"]
    z = bristle(law, lambda t: 1e-3 * cos(100 * t), 1e-5, 100_000)
    assert z == pytest.approx(1e-5 * math.sin(100 * 1.0), abs=1e-12)  # z is the whole motion: the anchor stays


def test_lugre_at_constant_speed():
    v, t = 0.002, 0.004
    g = CANUDAS.strength(v) / CANUDAS.stiffness
    assert bristle(CANUDAS, lambda t: v + 0 * t, 1e-6, 4000) == pytest.approx(g * (1 - math.exp(-v * t / g)), rel=1e-9)
    assert CANUDAS.steady(v) == pytest.approx(1 + 0.5 * math.exp(-4) + 0.4 * v, rel=1e-14)


@pytest.mark.parametrize(
    "omega, falling, rising", [(1, 1.05270, 1.05392), (10, 1.04831, 1.06109), (25, 1.04347, 1.07956)]
)
def test_lugre_lags(omega, falling, rising):
    """Figure 3 of Canudas de Wit and others 1995: v = 0.001 (1.5 + cos ωt), torque at v = 0.0015."""

    def speed(t):
        return 0.001 * (1.5 + cos(omega * t))

    quarter, turns = 2 * math.pi / omega / 4, 3 if omega > 1 else 1
    for quarters, expected in ((1, falling), (3, rising)):
        t = (4 * turns + quarters) * quarter
        steps = round(t / 2e-6)
        z = bristle(CANUDAS, speed, t / steps, steps)
        assert CANUDAS.flow(speed(t), [z], 0.0)[0] == pytest.approx(expected, abs=1e-4)


def test_dahl_after_a_reversal():
    law, start = Dahl(level=2.0, stiffness=500.0), 1.5
    z = bristle(law, lambda t: -0.01 + 0 * t, 1e-4, 5000, z=start / 500)
    assert law.stiffness * z == pytest.approx(-2 + (start + 2) * math.exp(-500 * 0.005 / 2), rel=1e-9)


def test_kikuuwe_one_joint():
    """Network II with one joint: slip from t = 5/3 s, momentum 0.046 at 4 s, then a stop and no drift at all."""
    law = Coulomb(level=0.5, stiffness=5000.0, damping=1.0)
    for J, phase, stop in ((0.0304, 0.0, 4.267996010), (0.005, math.pi / 2, 4.294888163)):

        def flow(x, t, step, J=J, phase=phase):
            _, v, e = x
            torque, (rate,) = law.flow(v, [e], step)
            return [v, (_load(t, phase) - torque) / J, rate]

        program = Program(
            "kikuuwe",
            lambda h, start, steps, x, flow=flow: (
                loop(steps, lambda k, y: runge_kutta_4(flow, y, (start + k) * h, h), x),
            ),
            [Port("h", role="uniform"), Port("start", role="uniform"), Port("steps", role="uniform"), Port("x", (3,))],
            [Port("x", (3,))],
        )
        h = 1e-4
        at_four = program(h, 0, 40_000, [0.0, 0.0, 0.0])[0]
        assert J * at_four[1] == pytest.approx(0.046, abs=1e-5)
        near = [program(h, 40_000, round((stop - 4) / h) + steps, at_four)[0] for steps in (-2, 2)]
        assert near[1][1] <= 0 < near[0][1]
        later = program(h, 40_000, 3500, at_four)[0]
        much_later = program(h, 43_500, 50_000, later)[0]
        assert much_later[0] - much_later[2] == pytest.approx(later[0] - later[2], abs=1e-12)


def _load(t, phase):
    return where(t < 4, minimum(0.52, 0.3 * t), 0.336 + 0.144 * sin(100 * t + phase))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Coulomb(level=-1), "Coulomb: level is -1; allowed: a number, 0 or above"),
        (lambda: Coulomb(level=(1, 2, 3)), "a number, 0 or above, or two"),
        (lambda: Coulomb(level=1, viscous=math.nan), "viscous is nan"),
        (lambda: Coulomb(level=1, stiffness=0), "stiffness is 0; allowed: a number above 0"),
        (lambda: Stribeck(level=2, static=1, velocity=0.1), "static is 1 and below level 2"),
        (lambda: Stribeck(level=1, static=2, velocity=0), "velocity is 0"),
        (lambda: LuGre(level=1, static=0.5, velocity=0.1, stiffness=1, damping=1), "static is 0.5 and level 1"),
        (lambda: ElastoPlastic(level=1, static=2, velocity=0.1, stiffness=1, damping=1, elastic=1.0), "elastic is 1"),
        (lambda: Dahl(level=0, stiffness=1), "level is 0"),
        (lambda: Coulomb(level="much"), "level is 'much'"),
    ],
)
def test_impossible_parameters_are_refused(make, message):
    with pytest.raises(FrictionError, match=message):
        make()


def test_laws_run_on_symbols():
    """The curve as SymPy writes it is the one of the docstring, and its value is that of floats."""
    sympy = pytest.importorskip("sympy")
    v = sympy.Symbol("v", positive=True)
    law = LAWS["Stribeck"].with_parameters(Substitution(lambda key, _: sympy.Symbol(key[1], positive=True)))
    level, static, velocity, viscous = sympy.symbols("level static velocity viscous", positive=True)
    curve = level + (static - level) * sympy.exp(-v / velocity) + viscous * v
    for ours in (law.strength(v, 1), law.steady(v), -law.steady(-v)):
        assert sympy.simplify(ours - curve) == 0
    values = {level: 1.0, static: 1.4, velocity: 0.05, viscous: 0.3}
    for speed in (0.1, 2.0):
        assert float(curve.subs(values | {v: speed})) == pytest.approx(LAWS["Stribeck"].steady(speed), rel=1e-14)


@pytest.mark.parametrize("returned", [1.0, (1.0,), (1.0, 0.0), (1.0, [0.0]), None], ids=repr)
def test_an_own_law_that_does_not_give_torque_and_rate_is_refused(returned):
    @dataclass(frozen=True, kw_only=True)
    class Own(Law):
        def flow(self, v, z, step):
            return returned

    with pytest.raises(FrictionError, match=rf"Own: its flow returns {re.escape(repr(returned))}; allowed: the torque"):
        Own()


@pytest.mark.parametrize("states", [1, "bend", ["bend"], ("bend", 2)], ids=repr)
def test_states_are_names(states):
    @dataclass(frozen=True, kw_only=True)
    class Own(Law):
        def flow(self, v, z, step):
            return v, [0] * len(z)

    Own.states = states
    with pytest.raises(FrictionError, match="allowed: a tuple of names, such as"):
        Own()


def test_all_files_of_a_room_are_opened(tmp_path, monkeypatch):
    """A new law is one class in one new file: nobody has to name it elsewhere."""
    (tmp_path / "a_room").mkdir()
    (tmp_path / "a_room" / "__init__.py").touch()
    for name in ("one", "two", "other"):
        (tmp_path / "a_room" / f"{name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    open_room(importlib.import_module("a_room"), lambda name: name != "other")
    assert {name for name in sys.modules if name.startswith("a_room.")} == {"a_room.one", "a_room.two"}
