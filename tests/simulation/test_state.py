"""A run can stop after any record and go on, bit for bit as if it had never stopped, with all that is in flight."""

import pickle

import numpy as np
import pytest

import stiction
from stiction import (
    PID,
    Callback,
    Clock,
    Coulomb,
    CurrentMotor,
    DCMotor,
    Drive,
    Encoder,
    Gear,
    InputError,
    LuGre,
    Moreau,
    Rosenbrock,
    Scene,
    Stribeck,
    Trajectory,
    methods,
    simulate,
)
from stiction.trace import sin, where

ARM = stiction.library.two_link(lengths=(0.3, 0.3), masses=(0.5, 0.5))


def controlled():
    """A geared joint under a PID with a delay of two ticks, and an elastic one under another with its own clock."""
    stiff = Drive(
        motor=DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0, inductance=1e-3),
        gear=Gear(ratio=120),
        joint_friction=Stribeck(level=4.32, static=4.92, velocity=0.01, viscous=2.2),
    )
    soft = Drive(
        motor=CurrentMotor(constant=0.05, rotor_inertia=1e-4),
        gear=Gear(ratio=50, stiffness=0.3, damping=2e-3, backlash=0.01),
        motor_friction=Coulomb(level=0.01),
    )
    slow = PID(
        clock=Clock(period=6e-3, phase=2e-3, delay=2),
        proportional=300.0,
        integral=50.0,
        derivative=10.0,
        limit=24.0,
    )
    quick = PID(clock=Clock(period=2e-3), proportional=20.0, integral=1.0, derivative=0.5, limit=9.0)
    return Scene(
        robot=ARM,
        drives={"shoulder": stiff, "elbow": soft},
        control={"shoulder": slow, "elbow": quick},
        reference={"shoulder": lambda t: where(t < 0.05, 0, 1), "elbow": 0.5},
        sensors={"elbow": [Encoder(counts=1000, noise=1e-4, delay=1, window=2, cutoff=300.0)]},
    )


def plain():
    """What methods with their own steps take: no clocks."""
    bristle = LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=1e4, damping=10.0, viscous=0.1)
    return Scene(
        robot=ARM,
        friction={"shoulder": Coulomb(level=0.3, viscous=0.02), "elbow": bristle},
        torque={"shoulder": lambda t: 3 * sin(20 * t)},
    )


METHODS = {name: make() for name, make in methods.METHODS.items()} | {
    "pulled": stiction.gears_semi_implicit(pull=0.1, softness=1e-3, splitting=True),
    "by joint, midpoint": Moreau(rows="by_joint"),
    "together, RK4": Moreau(scheme="rk4"),
    "tight": Rosenbrock(tolerance=1e-9),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_going_on_is_as_if_it_had_never_stopped(method):
    scene = plain() if method.own_steps else controlled()
    how = {"step": 2e-4, "method": method, "record": 0.01, "energy": True}
    whole = simulate(scene, duration=0.15, **how)
    first = simulate(scene, duration=0.06, **how)
    second = simulate(scene, duration=0.09, start=first.state, **how)
    assert second.time[0] == first.time[-1] and second.state.tick == whole.state.tick
    assert np.ptp(whole["q.shoulder"]) > 1e-3, "something happens"
    for name, x in whole.signals.items():
        joined = np.concatenate([first[name], second[name][1:]])
        assert joined.tobytes() == x.tobytes(), name
    np.testing.assert_array_equal(second.state.values, whole.state.values)


def test_works_go_on():
    """The work of a source is part of the state: what the second half records is what the whole run does."""
    how = {"step": 1e-3, "method": "moreau", "record": 0.1, "energy": True}
    whole = simulate(plain(), duration=0.6, **how)
    first = simulate(plain(), duration=0.3, **how)
    second = simulate(plain(), duration=0.3, start=first.state, **how)
    np.testing.assert_array_equal(second["work.torque.shoulder"], whole["work.torque.shoulder"][3:])


def test_batches_go_on(tmp_path):
    levels = {"friction.shoulder.level": np.linspace(0.1, 0.6, 5)}
    how = {"step": 1e-3, "method": "rk4", "parameters": levels}
    whole = simulate(plain(), duration=0.2, **how)
    first = simulate(plain(), duration=0.1, **how)
    first.save(tmp_path / "half.h5")
    kept = Trajectory.load(tmp_path / "half.h5").state
    for state in (first.state, kept, pickle.loads(pickle.dumps(first.state))):
        second = simulate(plain(), duration=0.1, start=state, **how)
        np.testing.assert_array_equal(second["q.shoulder"], whole["q.shoulder"][100:])


def test_a_state_knows_its_slots():
    run = simulate(controlled(), duration=0.02, step=2e-4, method="moreau")
    state = run.state
    assert len(set(state.names)) == len(state.names) == state.values.shape[-1] == len(state.units) == len(state.kinds)
    slots = dict(zip(state.names, zip(state.units, state.kinds, strict=True), strict=True))
    assert slots["q.shoulder"] == ("rad", "position") and slots["motor_speed.elbow"] == ("rad/s", "velocity")
    assert slots["motor_current.shoulder"] == ("A", "state") and slots["control_sum.elbow"][1] == "memory"
    assert slots["control.shoulder.in_2.command"][1] == "memory" and slots["residual"][1] == "method"
    assert state["q.shoulder"] == run["q.shoulder"][-1] and state.time == pytest.approx(0.02)
    with pytest.raises(InputError, match=r"unknown slot 'q.wrist'; this state has: q.shoulder"):
        state["q.wrist"]


def test_python_controllers_go_on():
    """Their outputs on the way through the delay are in the state; what the function remembers is its own business."""
    relay = Callback(
        clock=Clock(period=5e-3, delay=1),
        function=lambda t, x: {"command": -5 * x["position"] - 0.5 * np.sin(9 * t)},
        reads={"position": 1},
        gives={"command": 1},
    )
    scene = Scene(robot=ARM, control={"elbow": relay}, q=[0.1, 0.4])
    whole = simulate(scene, duration=0.2, step=1e-3, record=0.01)
    first = simulate(scene, duration=0.12, step=1e-3, record=0.01)
    second = simulate(scene, duration=0.08, step=1e-3, record=0.01, start=first.state)
    np.testing.assert_array_equal(second["q.elbow"], whole["q.elbow"][12:])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"start": 3.0}, "start is 3.0; allowed: the state of a run"),
        ({"step": 3e-4, "record": 3e-3}, "no whole number of steps of 0.0003 s"),
        ({"method": "rk4"}, "another scene or method: it has no 'bend"),
    ],
    ids=["no state", "another step", "another method"],
)
def test_states_that_do_not_fit(change, message):
    first = simulate(plain(), duration=0.1, step=1e-3, method="moreau", record=0.01)
    how = {"duration": 0.03, "step": 1e-3, "method": "moreau", "record": 1e-2, "start": first.state}
    with pytest.raises(InputError, match=message):
        simulate(plain(), **how | change)
    with pytest.raises(InputError, match="another scene"):
        simulate(Scene(robot=stiction.library.pendulum(1)), duration=0.1, step=1e-3, start=first.state)


def test_observing_more_than_before_begins_anew():
    """What only observes may be missing in a state: the motion is the same, modes are counted from here on."""
    scene = Scene(robot=ARM, friction={"shoulder": Coulomb(level=0.3)}, torque={"shoulder": lambda t: 3 * sin(20 * t)})
    how = {"duration": 0.5, "step": 1e-3, "method": "moreau"}
    quiet, watched = simulate(scene, signals=["q."], **how), simulate(scene, **how)
    second, again = (simulate(scene, start=run.state, **how) for run in (quiet, watched))
    np.testing.assert_array_equal(second["q.elbow"], again["q.elbow"])
    assert second["switches.shoulder"][0] == 0 and again["switches.shoulder"][0] == watched["switches.shoulder"][-1] > 0


@pytest.mark.parametrize("count", [(), (3,)])
def test_bristles_that_were_chosen_go_on(count, tmp_path):
    """A pose given for a run decides the bristles that the method chooses; going on keeps them, through files, too."""
    arm = stiction.library.two_link()
    scene = Scene(robot=arm, friction=dict.fromkeys(arm.velocity_names, Coulomb(level=0.3)), q=[0.2, 0.1])
    given = {"q.elbow": np.broadcast_to(2.5, count) if count else 2.5, "v.elbow": 3.0}
    how = {"step": 1e-3, "method": "rk4"}
    whole = simulate(scene, duration=0.4, parameters=given, **how)
    half = simulate(scene, duration=0.2, parameters=given, **how)
    half.save(tmp_path / "half.h5")
    for state in (half.state, Trajectory.load(tmp_path / "half.h5").state):
        rest = simulate(scene, duration=0.2, start=state, **how)
        np.testing.assert_array_equal(rest["q.elbow"], whole["q.elbow"][200:])
    finer = simulate(scene, duration=0.2, start=half.state, step=5e-4, method="rk4")
    assert finer.state.chosen["friction.elbow.stiffness"] != half.state.chosen["friction.elbow.stiffness"]
