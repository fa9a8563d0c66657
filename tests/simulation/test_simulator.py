"""A scene that steps is the scene that is simulated: the same bits, run by run, with inputs and resets."""

import json
import pickle

import numpy as np
import pytest

import stiction
from stiction import (
    PID,
    Callback,
    Clock,
    Coulomb,
    Dahl,
    DCMotor,
    Drive,
    Gear,
    InputError,
    Scene,
    Simulator,
    methods,
    simulate,
)
from stiction.trace import sin
from tests.scenes import flywheel

ARM = stiction.library.two_link()
FRICTION = {"shoulder": Coulomb(level=0.3), "elbow": Coulomb(level=0.1, viscous=0.05)}
SCENE = Scene(robot=ARM, friction=FRICTION, q=[0.3, -0.2])
SEEN = {"inputs": ["torque.*"], "outputs": ["q.*", "v.*"]}


@pytest.mark.parametrize("method", methods.METHODS)
def test_steps_are_those_of_simulate(method):
    """Constant torques, seven steps at a time: what a long run records, to the last bit."""
    torques = np.array([[0.0, 0.0], [0.5, -0.3], [2.0, 1.0]])
    sim = Simulator(SCENE, step=1e-3, method=method, runs=3, **SEEN)
    seen = [sim.step(torques, steps=7) for _ in range(10)]
    for k, (shoulder, elbow) in enumerate(torques):
        given = Scene(robot=ARM, friction=FRICTION, q=[0.3, -0.2], torque={"shoulder": shoulder, "elbow": elbow})
        run = simulate(given, duration=0.07, step=1e-3, method=method, record=7e-3, signals=["q.", "v."])
        np.testing.assert_array_equal([x[k] for x in seen], run.stack("")[1:])


def test_commands_and_targets_come_from_outside():
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5)
    drives = {"shoulder": Drive(motor=motor, gear=Gear(ratio=50)), "elbow": Drive(motor=motor, gear=Gear(ratio=50))}
    pid = PID(clock=Clock(period=2e-3, delay=1), proportional=20.0, derivative=1.0, limit=24.0)
    scene = Scene(robot=ARM, drives=drives, control={"elbow": pid}, reference={"elbow": 0.0})
    sim = Simulator(scene, step=1e-3, method="moreau", runs=2, inputs=["drive.*", "reference.*"], outputs=["q.*"])
    assert sim.inputs == ("drive.shoulder.command", "reference.elbow")
    seen = sim.step([[3.0, 0.5], [0.0, -0.5]], steps=200)
    for k, (command, target) in enumerate(((3.0, 0.5), (0.0, -0.5))):
        fixed = {"drive.shoulder.command": command, "reference.elbow": target}
        run = simulate(scene, duration=0.2, step=1e-3, method="moreau", record=0.2, parameters=fixed)
        np.testing.assert_array_equal(seen[k], [run["q.shoulder"][-1], run["q.elbow"][-1]])


def test_single_runs_are_reset():
    """A run that is reset begins its own time anew, with what is given or drawn; the others do not notice."""
    pushed = Scene(robot=ARM, friction=FRICTION, torque={"elbow": lambda t: sin(30 * t)})
    sim, twin = (Simulator(pushed, step=1e-3, method="moreau", runs=3, outputs=["q.*", "v.*"]) for _ in range(2))
    sim.step(steps=50), twin.step(steps=50)
    sim.reset([False, True, False], q=[0.5, 0.1], parameters={"friction.shoulder.level": 0.05})
    np.testing.assert_allclose(sim.time, [0.05, 0.0, 0.05])
    after, other = sim.step(steps=80), twin.step(steps=80)
    np.testing.assert_array_equal(after[[0, 2]], other[[0, 2]])
    changed = Scene(
        robot=ARM, friction=FRICTION | {"shoulder": Coulomb(level=0.05)}, torque=pushed.torque, q=[0.5, 0.1]
    )
    alone = simulate(changed, duration=0.08, step=1e-3, method="moreau", record=0.08, signals=["q.", "v."])
    np.testing.assert_array_equal(after[1], alone.stack("")[-1])


def test_rotors_are_reset_with_their_joints():
    """Behind an elastic gear: a joint put elsewhere, at rest and without load, stays there."""
    gear = Gear(ratio=50, stiffness=1.0, damping=1e-3)
    drives = {"axle": Drive(motor=DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-4), gear=gear)}
    sim = Simulator(Scene(robot=flywheel(0.02), drives=drives), step=1e-4, runs=2, outputs=["q.*", "motor_angle.*"])
    sim.reset([1], q=[[0.4]])
    np.testing.assert_allclose(sim.step(steps=100), [[0.0, 0.0], [0.4, 20.0]], rtol=1e-12)


def test_drawn_values_follow_the_seed():
    def levels(random, count):
        return random.uniform(0.1, 0.5, (count, 2))

    made = [Simulator(SCENE, step=1e-3, runs=4, seed=s, parameters={"friction.*.level": levels}) for s in (1, 1, 2)]
    for sim in made:
        sim.reset(q=lambda random, count: random.normal(size=(count, 2)))
    first, same, other = (sim.step(steps=20) for sim in made)
    assert np.array_equal(first, same) and not np.array_equal(first, other)


def test_states_are_copied_restored_and_sent():
    sim = Simulator(SCENE, step=1e-3, method="moreau", runs=2, **SEEN)
    push = np.array([[1.0, 0.2], [-1.0, 0.3]])
    sim.step(push, steps=30)
    saved, sent = sim.state, pickle.loads(pickle.dumps(sim))
    first = sim.step(push, steps=40)
    sim.state = saved
    np.testing.assert_array_equal(sim.step(push, steps=40), first)
    np.testing.assert_array_equal(sent.step(push, steps=40), first)


def test_parameters_go_with_the_state():
    """A state restored after resets with other parameters brings its own back, also those that did not vary before."""
    sim = Simulator(
        SCENE, step=1e-3, method="moreau", runs=2, parameters={"friction.shoulder.level": [0.1, 0.2]}, **SEEN
    )
    push = np.array([1.0, 0.2])
    sim.step(push, steps=30)
    saved = sim.state
    first = sim.step(push, steps=40)
    sim.reset([1], parameters={"friction.shoulder.level": 0.9, "robot.upper_arm.mass": 3.0})
    sim.step(push, steps=5)
    sim.state = saved
    np.testing.assert_array_equal(sim.parameters["friction.shoulder.level"], [0.1, 0.2])
    other = Simulator(SCENE, step=1e-3, method="moreau", runs=2, start=saved, **SEEN)
    np.testing.assert_array_equal(other.step(push, steps=40), first)
    sim.reset([1], parameters={"robot.upper_arm.mass": SCENE.parameters["robot.upper_arm.mass"]})
    sim.state = saved
    np.testing.assert_array_equal(sim.step(push, steps=40), first)


@pytest.mark.parametrize("method", ["rk4", "moreau"])
def test_a_run_that_is_reset_is_a_fresh_run(method):
    """Bristles that the method chooses are those of the pose and the masses that a run is reset to; the others keep
    theirs, also where the program is compiled anew for a parameter that did not vary.
    """
    sim = Simulator(SCENE, step=1e-3, method=method, runs=3, **SEEN)
    twin = Simulator(SCENE, step=1e-3, method=method, runs=3, **SEEN)
    sim.step(steps=20), twin.step(steps=20)
    q = np.array([0.9, -1.5])
    sim.reset([0], q=q)
    sim.reset([2], q=q, parameters={"robot.forearm.mass": 4.0})
    seen, other = sim.step(steps=60), twin.step(steps=60)
    np.testing.assert_array_equal(seen[1], other[1])
    for run, mass in ((0, SCENE.parameters["robot.forearm.mass"]), (2, 4.0)):
        scene = Scene(robot=ARM, friction=FRICTION, q=q)
        given = {"robot.forearm.mass": [mass]}
        alone = simulate(
            scene, duration=0.06, step=1e-3, method=method, record=0.06, signals=["q.", "v."], parameters=given
        )
        np.testing.assert_array_equal(seen[run], alone.stack("")[-1, 0])


def test_what_is_refused_has_changed_nothing():
    sim = Simulator(SCENE, step=1e-3, method="moreau", runs=2, parameters={"friction.*.level": 0.2}, **SEEN)
    sim.step([1.0, 0.2], steps=10)
    before, time = sim.state, sim.time
    with pytest.raises(InputError, match="level"):
        sim.reset([1], parameters={"friction.elbow.level": -1.0})
    with pytest.raises(InputError, match=r"'q' has the shape \(3,\); allowed: \(2,\) or \(1, 2\): q.shoulder, q.elbow"):
        sim.reset([1], q=[0.0, 0.0, 0.0])
    for runs, message in (([2], "below 2"), ([0.5], "numbers of runs"), ([True], "a mask"), ([1, 1], "each once")):
        with pytest.raises(InputError, match=message):
            sim.reset(runs)
    with pytest.raises(
        InputError, match=r"allowed: numbers of shape \(2, 2\) or \(2,\), in the order of sim.inputs \(torque.sh"
    ):
        sim.step([1.0, 2.0, 3.0])
    with pytest.raises(InputError, match=r"run 1 of the batch"):
        sim.reset([1], parameters={"friction.shoulder.level": -2.0})
    with pytest.raises(InputError, match=r"out has the shape \(2,\); allowed: \(2, 4\)"):
        sim.step(out=np.empty(2))
    for steps in (-1, 1.5, "2"):
        with pytest.raises(InputError, match="steps is"):
            sim.step(steps=steps)
    np.testing.assert_array_equal(sim.state.values, before.values)
    np.testing.assert_array_equal(sim.time, time)


def test_outputs_follow_a_reset_at_once():
    sim = Simulator(SCENE, step=1e-3, method="moreau", runs=3, **SEEN)
    sim.step([1.0, 0.2], steps=10)
    seen = sim.reset([1], q=[0.5, 0.1], v=[[0.0, 2.0]])
    np.testing.assert_array_equal(seen[1], [0.5, 0.1, 0.0, 2.0])
    np.testing.assert_array_equal(seen, sim.step(steps=0))
    assert (sim.reset([])[[0, 2]] == seen[[0, 2]]).all(), "nothing to reset"


def test_the_manifest_is_plain_data():
    """All that a program in another language needs: it goes through JSON and names every number of the core."""
    pid = PID(clock=Clock(period=2e-3, delay=1), proportional=20.0)
    drives = {"elbow": Drive(motor=DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5))}
    scene = Scene(robot=ARM, drives=drives, control={"elbow": pid}, reference={"elbow": 0.0}, friction=FRICTION)
    sim = Simulator(scene, step=1e-3, method="moreau", runs=5, inputs=["torque.shoulder"], outputs=["q.*"])
    told = json.loads(json.dumps(sim.manifest))
    sizes = {port["name"]: int(np.prod(port["shape"])) for port in told["core"]["takes"]}
    assert sizes["state"] == len(told["state"]) and sizes["parameters"] == len(told["shared"])
    assert sizes["varying"] == len(told["varying"]) and told["varying"][0] == "torque.shoulder"
    assert told["inputs"] == [{"name": "torque.shoulder", "unit": "N·m"}]
    assert told["outputs"][0]["name"] == "q.shoulder" and list(told["clocks"].values()) == [[2, 0]]
    assert {"h", "run", "tick", "steps", "alive"} <= set(sizes)


def test_what_should_be_known_is_told():
    """The notes of a simulator are those of `simulate`: here a free body that spins too fast for the step."""
    body = stiction.parts.FreeBody(mass=1.0, inertia=(0.01, 0.01, 0.02), angular=(1.0, 0.5, 200.0), gravity=(0, 0, 0))
    sim = Simulator(Scene(parts={"body": body}), step=1e-3, outputs=["body.angular", "body.position"])
    assert not sim.notes and sim.places(["body.position.*"]) == [0, 1, 2]
    sim.step(steps=5)
    assert "turned by up to 0.2 rad in one step" in sim.notes[0]


def test_the_step_length_is_an_input_of_the_core():
    """One program for all steps, clocks included: the same kernel serves 1 ms and 0.5 ms."""
    pid = PID(clock=Clock(period=4e-3, phase=2e-3), proportional=20.0)
    drives = {"elbow": Drive(motor=DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5))}
    scene = Scene(robot=ARM, drives=drives, control={"elbow": pid}, reference={"elbow": 0.0})
    programs = {id(Simulator(scene, step=h, outputs=["q.*"])._core.program.program) for h in (1e-3, 5e-4, 2e-3)}
    assert len(programs) == 1


def test_a_run_that_diverges_is_frozen_until_it_is_reset():
    fast = Scene(robot=flywheel(0.02), friction={"axle": Dahl(level=0.5, stiffness=10.0)}, v=[50.0])
    stiff = {"friction.axle.stiffness": [10.0, 1e5]}
    sim = Simulator(fast, step=1e-3, method="rk4", runs=2, outputs=["q.*"], parameters=stiff)
    for _ in range(20):
        seen = sim.step(steps=100)
    assert sim.diverged.tolist() == [False, True] and np.isfinite(seen).all()
    assert seen[1] == sim.step(steps=10)[1], "it stays where it was"
    sim.reset([1], parameters={"friction.axle.stiffness": 10.0})
    assert not sim.diverged.any() and sim.step(steps=1)[1] > 0


def test_one_run_has_no_axis_of_runs_and_results_go_where_they_should():
    sim = Simulator(SCENE, step=1e-3, method="moreau", **SEEN)
    out = np.full(4, np.nan)
    assert sim.step([0.5, 0.1], out=out) is out and np.isfinite(out).all() and sim.state.values.ndim == 1
    assert [x["name"] for x in sim.manifest["inputs"]] == list(sim.inputs) and sim.manifest["state"][0][
        "name"
    ] == "q.shoulder"


@pytest.mark.parametrize(
    "more, message",
    [
        (
            {"inputs": ["torque.wrist"]},
            r"unknown input 'torque.wrist'; this scene can take: torque.shoulder, torque.elbow",
        ),
        ({"runs": 0}, "runs is 0"),
        ({"parameters": {"friction.*.levl": 1.0}}, "unknown parameter"),
        (
            {"runs": 3, "parameters": {"friction.*.level": np.ones((3, 5))}},
            r"\(3, 5\); allowed: \(\) or \(3,\) or \(3, 2\): friction.shoulder.level, friction",
        ),
        (
            {"runs": 3, "parameters": {"friction.elbow.level": np.ones(4)}},
            r"'friction.elbow.level' has the shape \(4,\)",
        ),
        ({"parameters": {"friction.elbow.level": "much"}}, "values of 'friction.elbow.level' are 'much'"),
        ({"parameters": [1.0]}, r"parameters is \[1.0\]; allowed: numbers, arrays or functions that draw, by name"),
        ({"threads": 0}, "threads is 0"),
        ({"seed": 2**32}, "seed is 4294967296; allowed: a whole number from 0 to 4294967295"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_input(more, message):
    with pytest.raises(InputError, match=message):
        Simulator(SCENE, step=1e-3, **more)


@pytest.mark.parametrize(
    "inputs", [np.zeros(3), np.zeros((2, 3)), np.zeros((4, 2)), "ab", [[1.0, 2.0], [3.0]]], ids=repr
)
def test_inputs_of_a_wrong_shape_are_told_the_right_one(inputs):
    sim = Simulator(SCENE, step=1e-3, method="moreau", runs=3, **SEEN)
    names = r"sim.inputs \(torque.shoulder, torque.elbow\)"
    with pytest.raises(
        InputError, match=r"inputs .*; allowed: numbers of shape \(3, 2\) or \(2,\), in the order of " + names
    ):
        sim.step(inputs)
    alone = Simulator(SCENE, step=1e-3, method="moreau", inputs=[], outputs=["q.*"])
    with pytest.raises(InputError, match=r"none: name some when the Simulator is made, such as inputs=\['torque"):
        alone.step([1.0, 2.0])


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"q": np.zeros(3)},
            r"'q' has the shape \(3,\); allowed: \(2,\) or \(3, 2\): q.shoulder, q.elbow",
        ),
        (
            {"runs": [0, 2], "v": np.zeros((3, 2))},
            r"'v' has the shape \(3, 2\); allowed: \(2,\) or \(2, 2\): v.shoulder, v.elbow",
        ),
        ({"q": lambda random, n: random.normal(size=(n, 3))}, r"'q' has the shape \(3, 3\)"),
        ({"q": [np.nan, 0.0]}, "values of 'q' are"),
        (
            {"parameters": {"friction.elbow.level": np.ones(2)}},
            r"'friction.elbow.level' has the shape \(2,\); .*\(3,\)",
        ),
        ({"runs": [3]}, r"runs is \[3\]; allowed: a mask \(3,\), or numbers of runs below 3, each once"),
        ({"runs": [0.5]}, "runs is .*; allowed: a mask"),
    ],
)
def test_resets_to_a_wrong_shape_name_what_was_given(given, message):
    sim = Simulator(SCENE, step=1e-3, method="moreau", runs=3, **SEEN)
    with pytest.raises(InputError, match=message):
        sim.reset(**given)


def test_a_state_of_another_number_of_runs_is_refused():
    two, three = (Simulator(SCENE, step=1e-3, method="moreau", runs=n, **SEEN) for n in (2, 3))
    with pytest.raises(InputError, match=r"the state of runs of shape \(2,\); this simulation has \(3,\)"):
        three.state = two.state


def test_python_functions_are_the_callers_own():
    relay = Callback(clock=Clock(period=1e-2), function=lambda t, x: x, reads={"position": 1}, gives={"command": 1})
    with pytest.raises(InputError, match="make its command an input"):
        Simulator(Scene(robot=ARM, control={"elbow": relay}), step=1e-3)
