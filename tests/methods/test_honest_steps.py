"""Right at the steps that people use: the default method at 0.1, 1 and 2 ms, for built-in laws and for users' own."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from benchmarks.peers.robots import real_arm

import stiction
from stiction import (
    PID,
    RK4,
    Clock,
    Coulomb,
    Curve,
    Dahl,
    DCMotor,
    Drive,
    ElastoPlastic,
    FrictionSite,
    Gear,
    Joint,
    Link,
    LuGre,
    MaxwellSlip,
    Origin,
    Robot,
    Scene,
    Stribeck,
    Viscous,
    methods,
    simulate,
)
from stiction.friction.law import Law
from stiction.methods.midpoint import weights
from stiction.network import Term, Wire
from stiction.parts import FreeBody, Friction, Impedance, Mass, Source, SpringDamper
from stiction.reproduce.manutec import arm as manutec
from stiction.reproduce.manutec import stuck
from stiction.trace import absolute, cos, exp, loop, sign, sin, where
from tests.scenes import METHODS, flywheel, on_axle

STEPS = (1e-4, 1e-3, 2e-3)
TWO_LINK = stiction.library.two_link()


# Smooth motion is of order 2.


def geared(**gear):
    motor = DCMotor(resistance=1.2, constant=0.05, rotor_inertia=2e-5, inductance=2e-3 if gear else 0.0)
    drive = Drive(motor=motor, gear=Gear(ratio=80, **gear), command=lambda t: 6 * sin(6 * t))
    return Scene(robot=TWO_LINK, gravity=(9.81, 0, 0), drives=dict.fromkeys(TWO_LINK.velocity_names, drive))


def ur5(**more):
    robot = real_arm("ur5")[0]
    damped = dict.fromkeys(robot.velocity_names, Viscous(coefficient=2.0))
    return Scene(robot=robot, friction=damped, q=np.full(6, 0.3), **more)


SMOOTH = {
    "free": Scene(robot=real_arm("ur5")[0], q=np.full(6, 0.3), v=np.full(6, 0.5)),
    "damped": ur5(),
    "driven": ur5(torque={"shoulder_pan_joint": lambda t: 20 * sin(5 * t), "elbow_joint": lambda t: 10 * sin(8 * t)}),
    "motors": geared(),
    "elastic gears, coils": geared(stiffness=0.05, damping=1e-4),
}


@pytest.mark.parametrize("scene", SMOOTH.values(), ids=SMOOTH)
def test_order_2_where_nothing_switches(scene):
    def ends(step, method=None):
        run = simulate(scene, duration=0.4, step=step, method=method, record=0.4, signals=["q."])
        return run.stack("q.")[-1]

    exact = ends(5e-5, RK4())
    errors = [np.abs(ends(h) - exact).max() for h in (4e-3, 2e-3, 1e-3)]
    assert math.log2(errors[0] / errors[1]) > 1.9 and math.log2(errors[1] / errors[2]) > 1.9


@pytest.mark.parametrize("speed, gain", [(10.0, 1e-3), (50.0, 0.05)])
def test_energy_of_free_motion_is_kept(speed, gain):
    """Two links in space, 5 s at 1 ms."""
    scene = Scene(robot=TWO_LINK, gravity=(0, 0, 0), q=[0.0, 1.0], v=[speed, speed / 3])
    energy = simulate(scene, duration=5.0, step=1e-3, record=0.05, energy=True)["energy.kinetic"]
    assert np.abs(energy / energy[0] - 1).max() < gain


def test_a_tumbling_body_stays_bounded():
    """50 rad/s about a middle axis, at 1 ms: momentum and energy to a part in a hundred."""
    body = FreeBody(mass=1.0, inertia=(0.01, 0.02, 0.03), angular=(1.0, 50.0, 1.0), gravity=(0, 0, 0))
    run = simulate(Scene(parts={"body": body}), duration=2.0, step=1e-3, energy=True)
    assert np.abs(run["energy.kinetic"] / run["energy.kinetic"][0] - 1).max() < 0.01


def test_weights_of_decays():
    """θ = 1/(1 − e^−z) − 1/z to 2 % everywhere, and to z³ where a decay is slow."""
    z = np.array([0.01, 0.1, 1.0, 3.0, 10.0, 1e3])
    exact = -1 / np.expm1(-z) - 1 / z
    found = np.array([weights(float(x)).own for x in z])
    assert (np.abs(found - exact) < np.minimum(0.025 * exact, 0.003 * z**3 + 1e-12)).all()
    assert weights(-1.0).own == 0.5


@pytest.mark.parametrize("step, apart", [(1e-3, 2e-4), (2e-3, 5e-4)])
def test_a_whole_arm_at_any_time(step, apart):
    """Manutec r3 against the paper's implicit method at 0.02 ms; the same axis sticks at the end."""
    scene = manutec()
    how = {"duration": 1.856, "record": 2e-3, "signals": ["q.", "mode"], "parameters": scene.holding()}
    fine = simulate(scene, step=2e-5, method="gears_implicit", **how)
    run = simulate(scene, step=step, **how)
    assert np.abs(run.stack("q.") - fine.stack("q.")).max() < apart
    assert stuck(run) == stuck(fine)


@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
def test_a_damper_between_bodies_does_not_brake_their_fall(step):
    """1 g and 1 kg, 1000 N·s/m between them: both fall freely, and nothing is lost."""
    parts = {"a": Mass(mass=1e-3), "b": Mass(mass=1.0), "d": SpringDamper(stiffness=0.0, damping=1000.0)}
    wires = [
        Wire("d.position", ["a.position", Term("b.position", -1.0)]),
        Wire("d.velocity", ["a.velocity", Term("b.velocity", -1.0)]),
        Wire("a.force", [Term("d.force", -1.0)], shift=(9.81e-3,)),
        Wire("b.force", ["d.force"], shift=(9.81,)),
    ]
    run = simulate(Scene(parts=parts, wires=wires), duration=1.0, step=step, energy=True)
    assert run["b.velocity"][-1] == pytest.approx(9.81, rel=1e-10)
    assert np.abs(run["energy.residue"]).max() < 1e-9


@pytest.mark.parametrize("damping", [10.0, 1e3, 1e5])
def test_a_damped_mass_goes_as_far_as_it_should(damping):
    """From 1 m/s it goes m v/c, however fast it stops within a step."""
    parts = {"m": Mass(mass=1.0, velocity=1.0), "rub": Friction(law=Viscous(coefficient=damping))}
    wires = [Wire("rub.velocity", ["m.velocity"]), Wire("m.force", [Term("rub.torque", -1.0)])]
    for step in STEPS:
        run = simulate(Scene(parts=parts, wires=wires), duration=3.0, step=step, record=0.1)
        assert run["m.position"][-1] == pytest.approx(1.0 / damping, rel=1e-9)


@dataclass(frozen=True, kw_only=True)
class Coupling(Impedance):
    """Forces on two bodies from their two velocities, by a matrix that need not be symmetric."""

    matrix: tuple[tuple[float, ...], ...]
    inputs = {"velocity": 2}
    outputs = {"force": 2}
    folded = ("matrix",)

    def force(self, motion, own, step, t):
        x, y = motion["velocity"]
        return {"force": [a * x + b * y for a, b in self.matrix]}, []


def coupled(matrix, **more):
    """Two masses of 10 g with friction on the second."""
    parts = {"a": Mass(mass=0.01, velocity=1.0), "b": Mass(mass=0.01), "c": Coupling(matrix=matrix)}
    wires = [
        Wire("c.velocity", [Term("a.velocity", [[1.0], [0.0]]), Term("b.velocity", [[0.0], [1.0]])]),
        Wire("a.force", [Term("c.force", [[1.0, 0.0]])]),
        Wire("b.force", [Term("c.force", [[0.0, 1.0]]), *more.get("also", [])]),
    ]
    return Scene(parts=parts | more.get("parts", {}), wires=wires + more.get("wires", []))


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_magnetic_force_does_no_work(step):
    """Forces across the motion, 500 rad/s: the speed stays, whatever the step."""
    run = simulate(coupled(((0.0, 5.0), (-5.0, 0.0))), duration=0.5, step=step)
    np.testing.assert_allclose(np.hypot(run["a.velocity"], run["b.velocity"]), 1.0, atol=1e-12)


def test_a_coupling_of_one_way_acts_one_way():
    """The second body is pushed by the speed of the first, which does not notice; with friction on the second."""
    rub = {"rub": Friction(law=Coulomb(level=0.5))}
    wires = [Wire("rub.velocity", ["b.velocity"])]
    scene = coupled(((0.0, 0.0), (20.0, -0.1)), parts=rub, wires=wires, also=[Term("rub.torque", -1.0)])
    for step in (1e-3, 5e-3):
        run = simulate(scene, duration=0.5, step=step)
        np.testing.assert_allclose(run["a.velocity"], 1.0, atol=1e-12)
        steady = (20.0 - 0.5) / 0.1 * (1 - np.exp(-0.1 / 0.01 * run.time))
        np.testing.assert_allclose(run["b.velocity"], steady, atol=0.02 * steady[-1])


@pytest.mark.parametrize("spin, step", [(300.0, 1e-3), (300.0, 5e-3), (600.0, 2e-3)])
@pytest.mark.filterwarnings("ignore:something turned")
def test_a_gyroscope_in_gimbals(spin, step):
    """It nods and precesses under its weight, with friction in the gimbals: 5 mrad of 0.25 rad at any step."""
    links = [Link(name=name, mass=0.2, inertia=np.diag([1e-3] * 3)) for name in ("outer", "inner")]
    wheel = Link(name="wheel", mass=1.0, inertia=np.diag([2e-3, 2e-3, 4e-3]))
    made = {"kind": "continuous"}
    joints = [
        Joint(name="t1", parent="base", child="outer", axis=(1, 0, 0), **made),
        Joint(name="t2", parent="outer", child="inner", axis=(0, 1, 0), **made),
        Joint(name="spin", parent="inner", child="wheel", axis=(0, 0, 1), origin=Origin(xyz=(0, 0, 0.05)), **made),
    ]
    robot = Robot(name="gyroscope", links=[Link(name="base"), *links, wheel], joints=joints)
    friction = dict.fromkeys(("t1", "t2"), Coulomb(level=0.002))
    scene = Scene(robot=robot, q=[0.3, 0.2, 0.0], v=[0.0, 0.0, spin], friction=friction)
    fine = simulate(scene, duration=0.5, step=2e-5, method="gears_implicit", record=0.01)
    run = simulate(scene, duration=0.5, step=step, record=0.01)
    np.testing.assert_allclose(run["q.t2"], fine["q.t2"], atol=5e-3)


def test_fast_spin_keeps_its_energy_and_is_noted():
    """Slopes of gyroscopic terms hold the energy of a free body; its phase is lost, which is told."""
    body = FreeBody(mass=1.0, inertia=(0.01, 0.01, 0.02), angular=(1.0, 0.5, 200.0), gravity=(0, 0, 0))
    with pytest.warns(stiction.StictionWarning, match=r"turned by up to 0\.2 rad in one step"):
        run = simulate(Scene(parts={"body": body}), duration=1.0, step=1e-3, energy=True)
    np.testing.assert_allclose(run["energy.kinetic"], run["energy.kinetic"][0], rtol=1e-12)
    assert not simulate(Scene(parts={"body": body}), duration=0.01, step=1e-4).notes


# Bristles.


@dataclass(frozen=True, kw_only=True)
class OwnDahl(Law):
    states = ("bend",)
    level: float
    stiffness: float

    def flow(self, v, z, step):
        return self.stiffness * z[0], [v - absolute(v) * self.stiffness * z[0] / self.level]

    def breakaway(self, direction):
        return self.level


@dataclass(frozen=True, kw_only=True)
class OwnLuGre(Law):
    states = ("bend",)
    level: float
    static: float
    velocity: float
    stiffness: float
    damping: float
    viscous: float = 0.0

    def flow(self, v, z, step):
        g = (self.level + (self.static - self.level) * exp(-((v / self.velocity) ** 2))) / self.stiffness
        rate = v - absolute(v) * z[0] / g
        return self.stiffness * z[0] + self.damping * rate + self.viscous * v, [rate]

    def breakaway(self, direction):
        return self.static


@dataclass(frozen=True, kw_only=True)
class OwnMaxwell(Law):
    """Two elements, typed with states of other names."""

    states = ("first", "second", "first_slips", "second_slips")
    units = {"first_slips": "1", "second_slips": "1"}
    stiffness: tuple[float, float]
    shares: tuple[float, float]
    level: float
    damping: float

    def _one(self, k, share, v, z, s):
        full = (z * v > 0) & (k * absolute(z) >= share * self.level)
        return where((s * v > 0) | full, sign(v) * 20.0 * (share - k * absolute(z) / self.level) / k, v)

    def flow(self, v, z, step):
        a, b, s, t = z
        (k, m), (p, q) = self.stiffness, self.shares
        rates = [self._one(k, p, v, a, s), self._one(m, q, v, b, t)]
        return k * a + m * b + self.damping * (rates[0] + rates[1]) / 2, [*rates, 0, 0]

    def settled(self, v, z):
        bends, slips = [], []
        for k, p, a, s in zip(self.stiffness, self.shares, z[:2], z[2:], strict=True):
            full = (s == 0) & (a * v > 0) & (k * absolute(a) >= p * self.level)
            bends.append(where(full, sign(v) * p * self.level / k, a))
            slips.append(where(full, sign(v), where(s * v > 0, s, 0)))
        return [*bends, *slips]

    def breakaway(self, direction):
        return self.level


ELEMENTS = {"stiffness": (3000.0, 1000.0), "shares": (0.6, 0.4), "level": 0.8, "damping": 1.0}
BRISTLE = {"level": 0.8, "static": 0.8, "velocity": 0.01, "stiffness": 2000.0, "damping": 1.0}


def cycling(law):
    """A load that comes slowly to 0.2 and then cycles between 0.2 and 0.6 N·m, once in 2 s."""
    return on_axle(0.0304, law, lambda t: where(t < 2, 0.1 - 0.1 * cos(math.pi * t / 2), 0.4 - 0.2 * cos(math.pi * t)))


@pytest.mark.parametrize("step, bar", [*zip(STEPS, (3e-3, 3e-3, 5e-3), strict=True)])
@pytest.mark.parametrize("law", [Dahl(level=0.8, stiffness=2000.0), LuGre(**BRISTLE)], ids=["Dahl", "LuGre"])
def test_drift_per_cycle(law, step, bar):
    """(F/K) ln[(F² − τ₁²)/(F² − τ₂²)]."""
    run = simulate(cycling(law), duration=8.0, step=step, record=2.0)
    exact = 0.8 / 2000.0 * math.log((0.64 - 0.04) / (0.64 - 0.36))
    assert (run["q.axle"][-1] - run["q.axle"][1]) / 3 == pytest.approx(exact, rel=bar)


def sled(law, force):
    """A sled of 1 kg with friction under a force."""
    return Scene(
        parts={"m": Mass(mass=1.0), "rub": Friction(law=law), "pull": Source(functions=(force,))},
        wires=[Wire("rub.velocity", ["m.velocity"]), Wire("m.force", ["pull.force", Term("rub.torque", -1.0)])],
    )


CANUDAS = {"level": 1.0, "static": 1.5, "velocity": 0.001, "stiffness": 1e5, "damping": math.sqrt(1e5), "viscous": 0.4}


@pytest.mark.parametrize("rate, most", [(2.0, 1.39442), (10.0, 1.21995)])
@pytest.mark.parametrize("step, bar", [(1e-4, 2e-3), (1e-3, 1e-2)])
def test_break_away_against_rate(rate, most, step, bar):
    run = simulate(sled(LuGre(**CANUDAS), lambda t: rate * t), duration=2.4 / rate, step=step)
    assert run["rub.torque"].max() == pytest.approx(most, rel=bar)


@pytest.mark.parametrize("step, part", [(1e-3, 2e-3), (2e-3, 1e-2)])
def test_stick_slip_of_lugre(step, part):
    """Figure 6 of Canudas de Wit and others: a spring of 2 N/m pulled at 0.1 m/s."""
    parts = {
        "m": Mass(mass=1.0),
        "rub": Friction(law=LuGre(**CANUDAS)),
        "spring": SpringDamper(stiffness=2.0, damping=0.0),
    }
    pulled = Source(functions=(lambda t: 0.1 * t, lambda t: 0.1 + 0 * t))
    wires = [
        Wire("rub.velocity", ["m.velocity"]),
        Wire("spring.position", [Term("pull.force", [[1.0, 0.0]]), Term("m.position", -1.0)]),
        Wire("spring.velocity", [Term("pull.force", [[0.0, 1.0]]), Term("m.velocity", -1.0)]),
        Wire("m.force", ["spring.force", Term("rub.torque", -1.0)]),
    ]
    run = simulate(Scene(parts=parts | {"pull": pulled}, wires=wires), duration=20.0, step=step)
    starts = run.time[1:][np.diff((run["m.velocity"] > 0.01).astype(int)) == 1]
    assert starts[1] - starts[0] == pytest.approx(13.821 - 7.458, rel=part)
    assert run["m.velocity"].max() == pytest.approx(0.36982, rel=part)
    assert run["rub.torque"].max() == pytest.approx(1.4766, rel=part)


@pytest.mark.parametrize(
    "law, method",
    [
        (LuGre(level=0.3, static=0.45, velocity=0.02, stiffness=2e3, damping=1.0, viscous=0.02), "rk4"),
        (Stribeck(level=0.3, static=0.45, velocity=0.02, viscous=0.02), "gears_implicit"),
    ],
    ids=["LuGre", "Stribeck"],
)
def test_a_controller_that_hunts(law, method):
    """A PID whose integral winds up until the axle breaks away, overshoots and sticks: its period at 1 and 2 ms."""
    gains = {"proportional": 8.0, "integral": 60.0, "derivative": 0.3}
    pid = PID(clock=Clock(period=2e-3), **gains)
    scene = Scene(robot=flywheel(0.02), friction={"axle": law}, control={"axle": pid}, reference={"axle": 0.5})

    def period(step, method=None):
        run = simulate(scene, duration=12.0, step=step, method=method, record=2e-3, signals=["q."])
        ups = run.time[1:][np.diff(np.sign(run["q.axle"] - 0.5)) > 0]
        return np.diff(ups[ups > 4]).mean()

    exact = period(2e-5, method)
    assert period(1e-3) == pytest.approx(exact, rel=2e-3)
    assert period(2e-3) == pytest.approx(exact, rel=1e-2)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("method", [name for name in methods.METHODS if name != "euler"])
@pytest.mark.parametrize(
    "own, ours",
    [
        (OwnDahl(level=0.8, stiffness=2000.0), Dahl(level=0.8, stiffness=2000.0)),
        (OwnLuGre(**BRISTLE), LuGre(**BRISTLE)),
        (OwnMaxwell(**ELEMENTS), MaxwellSlip(**ELEMENTS, static=0.8, velocity=0.1, attraction=20.0)),
    ],
    ids=["Dahl", "LuGre", "Maxwell-slip"],
)
def test_an_own_law_is_as_good_as_ours(own, ours, method, step):
    """Typed again by a user, and pushed to and fro up to break-away: the same motion."""
    first, second = (
        simulate(on_axle(0.0304, law, lambda t: 0.79 * sin(3 * t)), duration=2.0, step=step, method=method, record=0.01)
        for law in (own, ours)
    )
    np.testing.assert_allclose(first["q.axle"], second["q.axle"], rtol=1e-9, atol=1e-12)


def test_an_own_spring_keeps_its_energy():
    """A user's own part with a state of its own: a spring whose stretch it integrates, far too stiff for the step."""

    @dataclass(frozen=True, kw_only=True)
    class Stretch(Impedance):
        stiffness: float
        inputs = {"velocity": 1}
        outputs = {"force": 1}

        def start(self):
            return {"stretch": 1e-3}

        def force(self, motion, own, step, t):
            return {"force": [self.stiffness * own[0]]}, [motion["velocity"][0]]

    wires = [Wire("s.velocity", ["m.velocity"]), Wire("m.force", [Term("s.force", -1.0)])]
    for stiffness in (1e2, 1e4, 1e8):
        scene = Scene(parts={"m": Mass(mass=1.0), "s": Stretch(stiffness=stiffness)}, wires=wires)
        run = simulate(scene, duration=5.0, step=1e-3)
        energy = run["m.velocity"] ** 2 / 2 + stiffness * run["s.stretch"] ** 2 / 2
        assert energy.max() <= energy[0] * (1 + 1e-9)
        if stiffness < 1e3:
            assert energy.min() > 0.999 * energy[0]


@pytest.mark.parametrize("until_zero", [None, 1])
def test_a_loop_has_slopes_and_a_search_is_refused_by_name(until_zero):
    """A force by a series in a loop, (1 − 0.9⁵) v, is as good as one without; a search has no slopes."""

    @dataclass(frozen=True, kw_only=True)
    class Series(Impedance):
        inputs = {"velocity": 1}
        outputs = {"force": 1}

        def force(self, motion, own, step, t):
            v = motion["velocity"][0]
            return {
                "force": loop(5, lambda _, x: [x[0] - 0.1 * (x[0] - v), x[1]], [0 * v, 0 * v + 1], until_zero)[:1]
            }, []

    wires = [Wire("s.velocity", ["m.velocity"]), Wire("m.force", [Term("s.force", -1.0)])]
    scene = Scene(parts={"m": Mass(mass=1.0, velocity=1.0), "s": Series()}, wires=wires)
    if until_zero is not None:
        with pytest.raises(stiction.NetworkError, match=r"'s' searches in a loop, .* or use method 'rk4'"):
            simulate(scene, duration=0.1, step=1e-3)
    for method in ("rk4",) if until_zero is not None else ("rk4", "moreau"):
        run = simulate(scene, duration=0.1, step=1e-3, method=method)
        assert run["m.velocity"][-1] == pytest.approx(np.exp(-0.1 * (1 - 0.9**5)), rel=1e-8)


# Rest, and what moves under friction.


@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("load", [0.7, 0.8, 0.9, 0.99])
@pytest.mark.parametrize(
    "law",
    [
        Coulomb(level=1.0),
        Stribeck(level=0.5, static=1.0, velocity=0.01),
        Curve(function=lambda w: 0.5 + 0.5 * exp(-w / 0.01)),
    ],
    ids=["Coulomb", "Stribeck", "Curve"],
)
def test_a_step_load_moves_nothing(law, load, step):
    run = simulate(on_axle(0.02, law, load), duration=1.0, step=step, record=0.05)
    assert np.abs(run["q.axle"]).max() < 1e-12


@pytest.mark.parametrize("step", STEPS)
def test_a_curve_that_rises_is_viscous_friction(step):
    """1 + 1000 w as a user's own curve, and as Coulomb with viscous friction: the decay in a step is 0.1 to 2."""

    def pulled(law):
        run = simulate(sled(law, lambda t: 300 + 200 * sin(10 * t)), duration=1.0, step=step, record=0.02)
        return run["m.velocity"]

    viscous = pulled(Coulomb(level=1.0, viscous=1000.0))
    np.testing.assert_allclose(pulled(Curve(function=lambda w: 1 + 1000 * w)), viscous, atol=2e-4 * viscous.max())


def on_belt(law):
    """A mass on a belt at 0.1 m/s, held by a spring."""
    return Scene(
        parts={
            "m": Mass(mass=1.0, velocity=0.1),
            "spring": SpringDamper(stiffness=100.0, damping=0.0),
            "rub": Friction(law=law),
        },
        wires=[
            Wire("spring.position", ["m.position"]),
            Wire("spring.velocity", ["m.velocity"]),
            Wire("rub.velocity", ["m.velocity"], shift=(-0.1,)),
            Wire("m.force", [Term("spring.force", -1.0), Term("rub.torque", -1.0)]),
        ],
    )


PERIOD, LEAST, MOST = 0.4 + 0.406888787, 0.017639320, 0.062360680


@pytest.mark.parametrize("step, part", [(1e-3, 1.0), (1e-4, 0.1)])
def test_stick_slip_on_a_belt(step, part):
    """Break-away at 6 N, sliding at 4 N: mean period over ten cycles, and how far it goes."""
    run = simulate(on_belt(Stribeck(level=4.0, static=6.0, velocity=1e-6)), duration=12.0, step=step)
    sticks = run.time[1:][np.diff((run["rub.mode"] == 0).astype(int)) == 1]
    period = np.diff(sticks[sticks > 1.5])[:10].mean()
    assert period == pytest.approx(PERIOD, rel=5e-4 * part)
    late = run["m.position"][run.time > 3]
    assert (late.min(), late.max()) == pytest.approx((LEAST, MOST), rel=1e-3 * part)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_belt_by_every_method(method):
    if method.title == "rosenbrock":
        law = ElastoPlastic(level=4.0, static=6.0, velocity=1e-3, stiffness=1e6, damping=1e3, elastic=0.95)
    else:
        law = Stribeck(level=4.0, static=6.0, velocity=1e-4)
    run = simulate(on_belt(law), duration=4.0, step=1e-4, method=method, record=1e-3)
    late = run["m.position"][run.time > 1.5]
    assert (late.min(), late.max()) == pytest.approx((LEAST, MOST), rel=3e-2)


def test_a_belt_that_starts_and_stops():
    """A mass rests on a belt whose speed is a function of time: it goes where the belt goes."""
    law = Coulomb(level=10.0)
    scene = Scene(
        parts={"m": Mass(mass=1.0), "belt": Source(functions=(lambda t: 0.2 * sin(3 * t),)), "rub": Friction(law=law)},
        wires=[
            Wire("rub.velocity", ["m.velocity", Term("belt.force", -1.0)]),
            Wire("m.force", [Term("rub.torque", -1.0)]),
        ],
    )
    for method in ("moreau", "gears_implicit"):
        run = simulate(scene, duration=2.0, step=1e-3, method=method)
        np.testing.assert_allclose(run["m.velocity"], 0.2 * np.sin(3 * run.time), atol=1e-12)
        np.testing.assert_allclose(run["m.position"], 0.2 / 3 * (1 - np.cos(3 * run.time)), atol=1e-6)


def test_many_velocities_that_forces_couple_take_runge_kutta_and_say_so():
    """A damper between two joints couples them by its slope; without it the default takes any number of joints."""
    chain = stiction.library.chain(14)
    friction = {"joint1": Coulomb(level=1.0)}
    damper = FrictionSite(law=Viscous(coefficient=0.1), joints={"joint2": 1.0, "joint3": -1.0})
    scene = Scene(robot=chain, friction={**friction, "between": damper})
    with pytest.warns(stiction.StictionWarning, match="simulated by 'rk4', as forces couple the 14 velocities"):
        run = simulate(scene, duration=1e-3, step=1e-3)
    assert "bend.joint1" in run.signals and "14 velocities" in run.notes[0]
    with pytest.warns(stiction.StictionWarning, match="14 velocities"):
        stiction.Simulator(scene, step=1e-3)
    assert "residual" in simulate(Scene(robot=chain, friction=friction), duration=1e-3, step=1e-3).signals
    assert "residual" in simulate(scene, duration=1e-3, step=1e-3, method="moreau").signals, "with a matrix"
    assert "residual" in simulate(Scene(robot=flywheel(0.1)), duration=1e-3, step=1e-3).signals
