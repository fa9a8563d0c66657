"""Sensors: what controllers know of a joint."""

import numpy as np
import pytest

import stiction
from stiction import (
    PID,
    Callback,
    Clock,
    CurrentSensor,
    DCMotor,
    Drive,
    Encoder,
    Gear,
    InputError,
    Scene,
    Tachometer,
    simulate,
)
from stiction.network import NetworkError
from stiction.trace import sin
from tests.scenes import flywheel

TICK = 2e-3


def watched(*sensors, drive=None, control=None, **more):
    """A flywheel that swings, and a controller that reads it and does nothing."""
    quiet = control or PID(clock=Clock(period=TICK), proportional=0.0)
    return Scene(
        robot=flywheel(0.02),
        control={"axle": quiet},
        reference={"axle": 0.0},
        sensors={"axle": sensors},
        drives={"axle": drive} if drive else {},
        torque={"axle": lambda t: 0.5 * sin(20 * t)},
        q=[0.3],
        **more,
    )


def at_ticks(run, signal):
    """A held signal just after each tick: recorded in the step that follows."""
    return run[signal][1::2]


def exact(run, signal):
    return run[signal][0:-1:2]


def simulated(scene, **more):
    return simulate(scene, duration=0.4, step=1e-3, **more)


def test_an_encoder_counts_and_estimates():
    run = simulated(watched(Encoder(counts=4096)))
    quantum = 2 * np.pi / 4096
    read, q = at_ticks(run, "measured_position.axle"), exact(run, "q.axle")
    np.testing.assert_allclose(read, np.floor(q / quantum + 0.5) * quantum, atol=1e-12)
    v = at_ticks(run, "measured_velocity.axle")
    assert v[0] == 0, "the first estimate has one reading alone"
    np.testing.assert_allclose(v[1:], np.diff(read) / TICK, atol=1e-9)


def test_windows_and_filters_of_the_velocity():
    run = simulated(watched(Encoder(window=5)))
    q, v = exact(run, "q.axle"), at_ticks(run, "measured_velocity.axle")
    np.testing.assert_allclose(v[5:], (q[5:] - q[:-5]) / (5 * TICK), atol=1e-9)
    np.testing.assert_allclose(v[1:5], (q[1:5] - q[0]) / (np.arange(1, 5) * TICK), atol=1e-9)  # from the first reading
    run = simulated(watched(Encoder(cutoff=100.0)))
    expected, part = [0.0], 1 - np.exp(-100.0 * TICK)
    for raw in np.diff(exact(run, "q.axle")) / TICK:
        expected.append(expected[-1] + part * (raw - expected[-1]))
    np.testing.assert_allclose(at_ticks(run, "measured_velocity.axle"), expected, atol=1e-9)


@pytest.mark.parametrize("delay", [1, 3])
def test_late_readings_begin_with_the_first(delay):
    run = simulated(watched(Encoder(delay=delay), Tachometer(delay=delay)))
    q, v = exact(run, "q.axle"), exact(run, "v.axle")
    np.testing.assert_array_equal(at_ticks(run, "measured_position.axle"), [q[0]] * delay + list(q[:-delay]))
    np.testing.assert_array_equal(at_ticks(run, "measured_velocity.axle"), [v[0]] * delay + list(v[:-delay]))


def test_noise_has_its_size_and_is_the_same_in_any_batch():
    scene = watched(Tachometer(noise=0.05))
    run = simulate(scene, duration=20.0, step=1e-3, record=1e-3, signals=["v.", "measured"], seed=3)
    noise = at_ticks(run, "measured_velocity.axle") - exact(run, "v.axle")
    assert noise.std() == pytest.approx(0.05, rel=0.05) and abs(noise.mean()) < 4 * 0.05 / 100
    many = {"q.axle": np.full(11, 0.3)}
    short = {"duration": 0.4, "step": 1e-3, "signals": ["v.", "measured"]}
    batch = simulate(scene, **short, seed=3, parameters=many)
    np.testing.assert_array_equal(batch["measured_velocity.axle"][:, 0], run["measured_velocity.axle"][:401])
    assert len(np.unique(batch["measured_velocity.axle"][-1])) == 11, "every run has its own"
    other = simulate(scene, **short, seed=4)
    assert (other["measured_velocity.axle"][1:] != run["measured_velocity.axle"][1:401]).all()
    again = simulate(
        scene, duration=0.2, step=1e-3, start=simulate(scene, duration=0.2, step=1e-3, seed=3).state, seed=3
    )
    np.testing.assert_array_equal(again["measured_velocity.axle"][-1], run["measured_velocity.axle"][400])


def test_noise_belongs_to_the_tick_not_to_the_step():
    fine = simulate(watched(Tachometer(noise=0.05)), duration=0.1, step=5e-4, record=TICK)
    coarse = simulate(watched(Tachometer(noise=0.05)), duration=0.1, step=1e-3, record=TICK)
    a, b = (run["measured_velocity.axle"][1:] - run["v.axle"][:-1] for run in (fine, coarse))
    np.testing.assert_allclose(a, b, atol=1e-12)


MOTOR = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)


@pytest.mark.parametrize(
    "gear", [Gear(ratio=-50), Gear(ratio=-50, stiffness=0.5, damping=1e-3)], ids=["rigid", "elastic"]
)
def test_a_motor_encoder_is_read_in_the_coordinates_of_the_controller(gear):
    """Behind an elastic gear it tells the angle of the rotor, over the ratio."""
    reads = Callback(
        clock=Clock(period=TICK),
        function=lambda t, x: {"command": x["position"]},
        reads={"position": 1},
        gives={"command": 1},
    )
    scene = watched(Encoder(side="motor"), drive=Drive(motor=MOTOR, gear=gear), control=reads)
    run = simulated(scene)
    angle = run["motor_angle.axle"] if gear.elastic else -50 * run["q.axle"]
    np.testing.assert_allclose(at_ticks(run, "measured_position.axle"), angle[0:-1:2], atol=1e-9)
    np.testing.assert_allclose(at_ticks(run, "command.axle"), angle[0:-1:2] / -50, atol=1e-11)
    assert run.units["measured_position.axle"] == "rad"


def test_currents_are_measured():
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5, inductance=5e-3)
    reads = Callback(
        clock=Clock(period=TICK), function=lambda t, x: 1 - x["current"], reads={"current": 1}, gives={"command": 1}
    )
    run = simulated(
        watched(CurrentSensor(resolution=0.01), drive=Drive(motor=motor, gear=Gear(ratio=50)), control=reads)
    )
    i = exact(run, "motor_current.axle")
    np.testing.assert_allclose(at_ticks(run, "measured_current.axle"), np.floor(i / 0.01 + 0.5) * 0.01, atol=1e-12)
    np.testing.assert_allclose(at_ticks(run, "command.axle"), 1 - at_ticks(run, "measured_current.axle"), atol=1e-12)


def test_a_sensor_may_have_a_clock_of_its_own():
    run = simulated(watched(Encoder(clock=Clock(period=1e-2))))
    held = run["measured_position.axle"]
    np.testing.assert_allclose(held[1:], np.repeat(run["q.axle"][:-1:10], 10), atol=1e-15)
    assert run["sensor.axle.position.ticks"][-1] == 40 and run["ticks.axle"][-1] == 200


@pytest.mark.parametrize(
    ("make", "words", "kind"),
    [
        (lambda: Encoder(counts=1), "counts is 1; allowed: a number, 2 or above", InputError),
        (lambda: Encoder(counts=100, resolution=0.1), "counts and a resolution", InputError),
        (lambda: Encoder(delay=-1), "delay is -1", InputError),
        (lambda: Encoder(side="left"), "side is 'left'", InputError),
        (lambda: Encoder(window=0), "window is 0", InputError),
        (lambda: Tachometer(noise=-1), "noise is -1", InputError),
        (lambda: watched(Encoder(clock=Clock(period=1e-2, phase=1e-3))), "a clock with a phase", NetworkError),
        (lambda: watched(Encoder(), Encoder()), "two of them measure its position", NetworkError),
        (lambda: watched(CurrentSensor()), "no motor with a current", NetworkError),
        (lambda: watched("ruler"), "allowed: a list of sensors", stiction.SceneError),
        (
            lambda: Scene(robot=flywheel(1.0), sensors={"axle": [Encoder()]}),
            "no controller on a clock reads the joint",
            NetworkError,
        ),
        (lambda: Scene(robot=flywheel(1.0), sensors={"axl": [Encoder()]}), "unknown joint 'axl'", stiction.SceneError),
        (lambda: simulated(watched(Encoder()), seed=-1), "seed is -1", InputError),
        (lambda: simulated(watched(Encoder(clock=Clock(period=1.5e-3)))), "no whole number of steps", InputError),
    ],
)
def test_bad_sensors_are_refused(make, words, kind):
    with pytest.raises(kind, match=words):
        make()
