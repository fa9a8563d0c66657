"""Structure and parameters: changing a value compiles nothing, and a second run of a structure traces nothing."""

import numpy as np
import pytest

import stiction
from stiction import (
    PID,
    Clock,
    Coulomb,
    Curve,
    DCMotor,
    Drive,
    Formula,
    Gear,
    Scene,
    Stribeck,
    Table,
    Term,
    TorqueMotor,
    Wire,
    simulate,
)
from stiction.network import programs
from stiction.parts import Friction, Mass, Source, SpringDamper
from stiction.trace import exp, program, sin
from tests.scenes import flywheel


@pytest.fixture
def compiled(private_cache, monkeypatch):
    """How many kernels were compiled since the last time one asked."""
    monkeypatch.setattr(programs, "_programs", type(programs._programs)())
    seen = [0]

    def count():
        total = len(list(private_cache.glob("*.kernel")))
        new, seen[0] = total - seen[0], total
        return new

    return count


@pytest.fixture
def traced(monkeypatch):
    """How many programs were traced since the last time one asked, those of single functions aside."""
    seen = []
    trace = program.Program.trace

    def noting(self):
        if self._traced is None and self.name != "function":
            seen.append(self.name)
        return trace(self)

    monkeypatch.setattr(program.Program, "trace", noting)

    def names():
        found = list(seen)
        seen.clear()
        return found

    return names


def wired(gain=0.7, shift=0.2, stiffness=10.0, value=(1.0, 2.0)):
    """A mass on a spring, wired with a gain and a shift, pushed by a table and by a number."""
    return Scene(
        parts={
            "mass": Mass(mass=1.0),
            "spring": SpringDamper(stiffness=stiffness, damping=1.0),
            "push": Source(functions=(Table(time=[0, 1], value=value),)),
            "rub": Friction(law=Coulomb(level=0.1)),
        },
        wires=[
            Wire("spring.position", [Term("mass.position", gain)], shift=(shift,)),
            Wire("spring.velocity", [Term("mass.velocity", gain)]),
            Wire("rub.velocity", ["mass.velocity"]),
            Wire("mass.force", [Term("spring.force", -gain), "push.force", Term("rub.torque", -1.0)]),
        ],
    )


def limited(limit, ratio=50.0):
    drive = Drive(motor=TorqueMotor(torque_limit=limit, rotor_inertia=1e-4), gear=Gear(ratio=ratio), command=3.0)
    return Scene(robot=flywheel(0.02), drives={"axle": drive}, friction={"axle": Coulomb(level=0.1)})


PAIRS = {
    "gains, shifts and tables": (wired(), wired(gain=0.9, shift=-0.4, stiffness=20.0, value=(3.0, -1.0))),
    "torque-speed curves": (limited(((0, 2.0), (10, 1.0), (20, 0.0))), limited(((0, 3.0), (5, 1.5), (9, 0.5)))),
    "gear ratios": (limited(2.0), limited(3.0, ratio=-80.0)),
}


@pytest.mark.parametrize("method", ["rk4", "moreau"])
@pytest.mark.parametrize("name", PAIRS)
def test_values_are_inputs(name, method, compiled, traced):
    """The second scene compiles and traces nothing, and moves as it does in a program of its own."""
    first, second = PAIRS[name]
    how = {"duration": 0.2, "step": 1e-3, "method": method, "record": 0.05}
    simulate(first, **how)
    assert compiled() == 2 and len(traced()) >= 2, "the terms at the start, and the steps"
    shared = simulate(second, **how)
    assert compiled() == 0 and traced() == []
    programs._programs.clear()
    own = simulate(second, **how)
    for signal in shared.signals:
        np.testing.assert_array_equal(shared[signal], own[signal])


def test_the_values_count():
    """Values that are inputs are those that were given: against closed forms."""
    run = simulate(Scene(parts=wired().parts, wires=wired().wires), duration=1.0, step=1e-3)
    assert run["spring.force"][0] == pytest.approx(10.0 * 0.2), "shift · stiffness, at rest"
    table = simulate(
        Scene(
            parts={"m": Mass(mass=2.0), "p": Source(functions=(Table(time=[0, 1, 3], value=[0, 4, 4]),))},
            wires=[Wire("m.force", ["p.force"])],
        ),
        duration=3.0,
        step=1e-3,
        record=1.0,
    )
    np.testing.assert_allclose(table["m.velocity"], [0, 1, 3, 5], rtol=1e-12, atol=1e-12)


def test_a_new_process_traces_nothing(private_cache, traced):
    """With a warm cache on disk a program is found by its structure alone, also with formulas and functions in it."""

    def scene(amplitude):
        own = Curve(function=lambda w: 0.4 + 0.1 * exp(-w))
        pid = PID(clock=Clock(period=2e-3), proportional=20.0)
        return Scene(
            robot=stiction.library.two_link(),
            friction={
                "shoulder": own,
                "elbow": Stribeck(level=0.1, static=0.2, velocity=0.1),
            },
            drives={"elbow": Drive(motor=DCMotor(resistance=1.0, constant=0.1))},
            control={"elbow": pid},
            reference={"elbow": Formula("0.5*sin(3*t)")},
            torque={"shoulder": lambda t: amplitude * sin(5 * t)},
        )

    how = {"duration": 0.1, "step": 1e-3, "method": "moreau", "record": 0.05}
    first = simulate(scene(1.0), **how)
    programs._programs.clear()  # as a new process has none
    traced()
    again = simulate(scene(1.0), **how)
    assert traced() == []
    np.testing.assert_array_equal(first["q.elbow"], again["q.elbow"])
    other = simulate(scene(2.0), **how)
    assert traced(), "another number in a user's function is another function"
    assert abs(other["q.shoulder"][-1] - first["q.shoulder"][-1]) > 1e-6


def test_what_is_structure_makes_another_program(compiled):
    for scene in (wired(), wired(gain=1.0), wired(shift=0.3), limited(2.0), limited(((0, 2.0), (5, 1.0)))):
        simulate(scene, duration=0.01, step=1e-3)
    assert compiled() == 2 * 4, "a gain of 1 is folded, a curve is no number; a shift is a value"


def test_own_laws_are_traced_each_time(traced):
    """The package knows the source of its own classes only: a user's law may have changed in between."""
    from dataclasses import dataclass

    strength = [0.3]

    @dataclass(frozen=True, kw_only=True)
    class Changing(Coulomb):
        def strength(self, w, direction):
            return super().strength(w, direction) * strength[0]

    scene = Scene(robot=flywheel(0.02), friction={"axle": Changing(level=1.0)}, v=[5.0])
    first = simulate(scene, duration=0.1, step=1e-3, method="moreau")["v.axle"][-1]
    strength[0] = 0.6
    second = simulate(scene, duration=0.1, step=1e-3, method="moreau")["v.axle"][-1]
    assert first == pytest.approx(5.0 - 0.3 * 0.1 / 0.02, rel=1e-9)
    assert second == pytest.approx(5.0 - 0.6 * 0.1 / 0.02, rel=1e-9)
