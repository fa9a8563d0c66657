"""Bristles that are chosen: stiff enough to hold, soft enough for the step, and nothing else decides."""

import itertools
import warnings

import numpy as np
import pytest

from stiction import (
    Coulomb,
    Curve,
    FrictionSite,
    LuGre,
    Scene,
    StictionError,
    StictionWarning,
    Stribeck,
    library,
    simulate,
)
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Ground, Source
from stiction.trace import where
from tests.scenes import TWO_LINK, flywheel, on_axle

EXPLICIT = ("rk4", "gill", "euler")


def stiffness(run, load):
    """What bends under a load, from where it ends [N·m/rad]."""
    return load / run["q.axle"][-1]


@pytest.mark.parametrize("inertia, h", [(0.0304, 1e-3), (1e-4, 1e-3), (10.0, 1e-4), (0.02, 5e-3)])
@pytest.mark.parametrize("method", EXPLICIT)
def test_one_site(method, inertia, h):
    """K = 0.4 J/h², under Euler 0.2 J/h²: seen in what 0.1 of 0.5 N·m bend it by."""
    run = simulate(on_axle(inertia, Coulomb(level=0.5), 0.1), duration=400 * h, step=h, method=method, record=h)
    assert stiffness(run, 0.1) == pytest.approx((0.2 if method == "euler" else 0.4) * inertia / h**2, rel=1e-3)


@pytest.mark.parametrize("method, decay", [("rk4", 0.61), ("gill", 0.6), ("euler", 0.66)])
def test_a_stuck_bristle_decays(method, decay):
    """Per step by 0.61 under Runge–Kutta, as `bristles` says; over 20 steps its swing is but a phase of ± 5 %."""
    run = simulate(on_axle(0.02, Coulomb(level=0.5), 0.1), duration=0.06, step=1e-3, method=method)
    swing = np.abs(run["v.axle"])
    envelope = [swing[k : k + 8].max() for k in (10, 30)]
    assert (envelope[1] / envelope[0]) ** (1 / 20) == pytest.approx(decay, rel=0.05)


@pytest.mark.parametrize("method", ["rk4", "gill"])
@pytest.mark.parametrize("share, holds", [(3.0, True), (3.5, False)])
def test_a_bristle_stays_stable_at_a_third_of_the_inertia(method, share, holds):
    """The margin for poses with less inertia than that at the start, from which it was chosen."""
    J, h = 0.02, 1e-3
    scene = on_axle(J / share, Coulomb(level=0.5, stiffness=0.4 * J / h**2, damping=0.7 * J / h), 0.1)
    if holds:
        run = simulate(scene, duration=1.0, step=h, method=method, record=0.1)
        assert np.ptp(run["q.axle"][5:]) < 1e-12
    else:
        with pytest.raises(StictionError, match=f"too stiff for '{method}'"):
            simulate(scene, duration=1.0, step=h, method=method)


def test_an_arm_gets_bristles_that_decay():
    """Stuck joints of an arm are coupled by a mass matrix that makes some of their motions much lighter."""
    friction = {"shoulder": Coulomb(level=5.0), "elbow": Coulomb(level=5.0)}
    scene = Scene(robot=TWO_LINK, friction=friction, torque={"shoulder": 1.0, "elbow": -0.5}, gravity=(0, 0, 0))
    for method in EXPLICIT:
        run = simulate(scene, duration=2.0, step=1e-3, method=method, record=0.1)
        assert np.abs(run.stack("v.")[-1]).max() < 1e-9, method
        assert run["friction.shoulder"][-1] == pytest.approx(1.0, rel=1e-9)


def test_bristles_are_chosen_from_the_inertia_and_not_from_the_load():
    """A pendulum of 1 kg m², held level against 9.81 N·m."""
    scene = Scene(robot=library.pendulum(1), friction={"joint1": Coulomb(level=50.0)}, q=[np.pi / 2])
    chosen = simulate(scene, duration=0.01, step=1e-3, method="rk4").state.chosen
    assert chosen["friction.joint1.stiffness"] == pytest.approx(0.4 * 1.0 / 1e-6, rel=1e-9)
    assert chosen["friction.joint1.damping"] == pytest.approx(0.7 * 1.0 / 1e-3, rel=1e-9)


def test_many_sites_on_one_joint_hold_together():
    """Eight side by side, each as stiff as one alone would be, would be too stiff for any step."""
    seals = {f"seal{k}": FrictionSite(law=Coulomb(level=0.1), joints={"axle": 1}) for k in range(8)}
    scene = Scene(robot=flywheel(0.02), friction=seals, torque={"axle": 0.4})
    run = simulate(scene, duration=0.4, step=1e-3, method="rk4", record=0.1)
    assert abs(run["v.axle"][-1]) < 1e-9


def test_sites_on_one_joint_share_what_one_would_have():
    """Two equal sites side by side are one of twice the strength: together as stiff as one, to a halving."""
    seal = FrictionSite(law=Coulomb(level=0.3), joints={"axle": 1})
    for method, inertia, h in itertools.product(EXPLICIT, (0.0304, 0.02, 0.05, 1e-3), (1e-3, 1e-4)):
        friction = {"axle": Coulomb(level=0.3), "seal": seal}
        scene = Scene(robot=flywheel(inertia), friction=friction, torque={"axle": 0.1})
        run = simulate(scene, duration=400 * h, step=h, method=method, record=h)
        assert 0.4 < stiffness(run, 0.1) / 0.4 * h**2 / inertia < 2.5, (method, inertia, h)


@pytest.mark.parametrize("method", ["moreau", "gears_implicit"])
def test_stiff_bristles_in_space_hold_or_are_refused_by_all_methods(method):
    """1e8 N/m under 0.5 kg at 1 ms, with 0.3 of 0.5 N: what does not hold at this step must be refused, as by `rk4`."""
    puck = FreeBody(mass=0.5, inertia=(1, 1, 1), gravity=(0, 0, 0))
    law = Coulomb(level=0.5, stiffness=1e8, damping=1.0)
    scene = Scene(
        parts={"puck": puck, "push": Source(functions=(0.3, 0.0, 0.0)), "rub": Friction(law=law, dimension=3)},
        wires=[
            Wire("rub.velocity", ["puck.velocity"]),
            Wire("puck.force", ["push.force", Term("rub.torque", -1.0)]),
        ],
    )
    _holds_or_is_refused(scene, method, 1e-3)


def test_stiff_ground_holds_or_is_refused_by_moreau():
    """1e6 N/m under 1 kg at 2 ms, with 2 N of 4.9 N."""
    block = FreeBody(mass=1.0, inertia=(1, 1, 1), position=(0, 0, -9.81e-6))
    ground = Ground(stiffness=1e6, damping=10.0, coefficient=0.5)
    scene = Scene(
        parts={"puck": block, "ground": ground, "push": Source(functions=(2.0, 0.0, 0.0))},
        wires=[
            Wire("ground.position", ["puck.position"]),
            Wire("ground.velocity", ["puck.velocity"]),
            Wire("puck.force", [Term("ground.force", -1.0), "push.force"]),
        ],
    )
    _holds_or_is_refused(scene, "moreau", 2e-3)


def _holds_or_is_refused(scene, method, h):
    try:
        run = simulate(scene, duration=2.0, step=h, method=method, record=0.5)
    except Exception as error:
        assert "too stiff" in str(error)
        return
    assert np.abs(run["puck.position.x"]).max() < 1e-5


@pytest.mark.parametrize(
    "method",
    [
        "rk4",
        "gill",
        "gears_implicit",
    ],
)
def test_bristles_that_forget_too_fast_are_told(method):
    """A bristle that forgets within 1.2 ms under Runge–Kutta of 5 ms: its torque is wrong, and the run says so."""
    law = LuGre(level=(3.0, 5.0), static=(4.0, 6.0), velocity=0.2, stiffness=2000.0, damping=20.0, viscous=0.4)
    with pytest.warns(StictionWarning, match="the bristle forgets within"):
        simulate(on_axle(2.0, law, 9.0), duration=0.5, step=5e-3, method=method, record=0.1)


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize(
    "law",
    [
        Coulomb(level=1.0),
        Stribeck(level=0.5, static=1.0, velocity=0.01),
        Curve(function=lambda w: 0.5 + 0 * w, static=1.0),
    ],
    ids=lambda law: type(law).__name__,
)
def test_a_load_that_comes_at_once(law, method):
    """Of up to 0.8 of break-away nothing slides, at any step; what slides above it, as the bristle swings, is noted."""
    for h, begins in itertools.product((1e-4, 1e-3, 2e-3), (0.0, 0.0503)):
        for load in (0.5, 0.79, 0.95):
            torque = {"axle": lambda t, load=load, begins=begins: where(t < begins, 0, load)}
            scene = Scene(robot=flywheel(0.02), friction={"axle": law}, torque=torque)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", StictionWarning)
                run = simulate(scene, duration=0.5, step=h, method=method, record=0.1)
            slides = np.ptp(run["q.axle"][-3:]) > 1e-9
            noted = any("comes at once can make it slide" in str(note.message) for note in told)
            assert not slides or (load > 0.8 and noted)
