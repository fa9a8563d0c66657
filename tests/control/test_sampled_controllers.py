"""Digital control: sampled on ticks, held in between, late if asked; the same by a formula and by a Python function."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from stiction.control import PID, Callback, Clock
from stiction.errors import InputError, StictionError
from stiction.network import NetworkError, Term, Wire
from stiction.parts import Digital, Mass, Source
from stiction.scene import Scene
from stiction.simulation.simulate import simulate
from stiction.trace import where


def sampled(controller, start=1.0, target=0.0):
    """J = 0.1 kg m² under a controller that reads its position and velocity, and a target."""
    wires = [
        Wire("pd.position", ["wheel.position"]),
        Wire("pd.velocity", ["wheel.velocity"]),
        Wire("wheel.force", ["pd.command"]),
    ]
    goal = Source(functions=(target,))
    parts = {"wheel": Mass(mass=0.1, position=start), "pd": controller}
    if "target" in controller.inputs:
        return Scene(parts=parts | {"goal": goal}, wires=[*wires, Wire("pd.target", ["goal.force"])])
    return Scene(parts=parts, wires=wires)


def pd(period, **clock):
    return PID(clock=Clock(period=period, **clock), proportional=40.0, derivative=2.0)


def by_function(period, **clock):
    def function(t, x):
        return {"command": -40 * x["position"] - 2 * x["velocity"]}

    return Callback(
        clock=Clock(period=period, **clock),
        function=function,
        reads={"position": 1, "velocity": 1},
        gives={"command": 1},
    )


@pytest.mark.parametrize("controller", [pd, by_function], ids=["PID", "Callback"])
@pytest.mark.parametrize("step", [0.01, 0.0025])
@pytest.mark.parametrize("method", ["rk4", "gill", "rosenbrock"])
def test_digits_of_a_sampled_pd(controller, step, method):
    run = simulate(sampled(controller(0.01)), duration=0.2, step=step, method=method, record=0.05)
    assert run["wheel.position"][-1] == pytest.approx(-0.155696476092, abs=1e-11)
    assert run["wheel.velocity"][-1] == pytest.approx(1.772868032228, abs=1e-10)
    late = simulate(sampled(controller(0.01, delay=1)), duration=0.2, step=step, method=method, record=0.05)
    assert late["wheel.position"][-1] == pytest.approx(-0.169497190469, abs=1e-11)
    slow = simulate(sampled(controller(0.05)), duration=0.2, step=step, method=method, record=0.05)
    assert slow["wheel.position"][-1] == pytest.approx(-0.0625, abs=1e-12)
    assert slow["wheel.velocity"][-1] == pytest.approx(7.5, abs=1e-11)
    if controller is by_function:
        assert run.calls == 20 and slow.calls == 4


@pytest.mark.parametrize("period, grows", [(0.099, False), (0.101, True)])
def test_the_limit_of_stability(period, grows):
    """Stable below T = 0.1 s, unstable above; every tick multiplies position and velocity by a known matrix."""
    run = simulate(sampled(pd(period)), duration=period * 80, step=period)
    T, J = period, 0.1
    M = np.array([[1 - 40 * T**2 / (2 * J), T - 2 * T**2 / (2 * J)], [-40 * T / J, 1 - 2 * T / J]])
    assert bool(np.abs(np.linalg.eigvals(M)).max() > 1) is grows
    for ticks in (1, 20, 80):
        position, velocity = np.linalg.matrix_power(M, ticks) @ [1.0, 0.0]
        assert run["wheel.position"][ticks] == pytest.approx(position, rel=1e-9)
        assert run["wheel.velocity"][ticks] == pytest.approx(velocity, rel=1e-9)


def by_hand(controllers, x, steps, h=5e-3, J=0.1):
    """Positions and commands of the wheel under controllers (every, first, delay, decide), tick by tick of h."""
    v, memories, queues, rows = 0.0, [0.0] * len(controllers), [[0.0] * (c[2] + 1) for c in controllers], []
    for tick in range(steps + 1):
        rows.append([x, *(queue[0] for queue in queues)])
        for k, (every, first, _, decide) in enumerate(controllers):
            if tick >= first and (tick - first) % every == 0:
                command, memories[k] = decide(x, v, tick * h, memories[k])
                queues[k] = [*queues[k][1:], command]
        force = sum(queue[0] for queue in queues)
        x, v = x + v * h + force / J * h**2 / 2, v + force / J * h
    return np.array(rows)


def proportional(clock, gain):
    """A Python function, or a PID, with a derivative of a twentieth of its gain."""

    def function(t, x):
        return {"command": -gain * x["position"] - gain / 20 * x["velocity"]}

    reads = {"position": 1, "velocity": 1, "target": 1}
    by_formula = PID(clock=clock, proportional=gain, derivative=gain / 20)
    return by_formula, Callback(clock=clock, function=function, reads=reads, gives={"command": 1})


@pytest.mark.parametrize("kind, every", [(0, 1), (1, 1), (1, 10)], ids=["PID", "Callback", "Callback, few records"])
def test_phases_delays_and_several_clocks(kind, every):
    """Two controllers on clocks of their own add up; one begins late, and its commands come late."""
    one = proportional(Clock(period=0.02), 20.0)[kind]
    other = proportional(Clock(period=0.03, phase=0.01, delay=2), 10.0)[kind]
    wires = [Wire(f"{name}.{port}", [f"wheel.{port}"]) for name in ("a", "b") for port in ("position", "velocity")]
    goals = [Wire(f"{name}.target", ["goal.force"]) for name in ("a", "b")]
    scene = Scene(
        parts={"wheel": Mass(mass=0.1, position=1.0), "a": one, "b": other, "goal": Source(functions=(0.0,))},
        wires=[*wires, *goals, Wire("wheel.force", ["a.command", "b.command"])],
    )
    run = simulate(scene, duration=0.5, step=5e-3, record=5e-3 * every)
    expected = by_hand(
        [
            (4, 0, 0, lambda x, v, t, _: (-20 * x - v, 0.0)),
            (6, 2, 2, lambda x, v, t, _: (-10 * x - 0.5 * v, 0.0)),
        ],
        1.0,
        100,
    )[::every]
    np.testing.assert_allclose(run["wheel.position"], expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(run["a.command"][1:], expected[1:, 1], atol=1e-11)
    np.testing.assert_allclose(run["b.command"][1:], expected[1:, 2], atol=1e-11)
    late = run["b.command"][run.time < 0.0725]
    assert not late.any() and run["b.command"][len(late)] != 0, "from tick 2 + 2 · 6 on"
    assert run.calls == kind * (25 + 17)


def test_saturation_does_not_wind_up():
    """A wheel driven to 1 rad with 0.05 N·m: the integral stands still where it would drive further, as by hand."""

    def target(t):
        return where(t < 0.5, 0.0, 1.0)

    def decide(x, v, t, total):
        error = (0.0 if t < 0.5 else 1.0) - x
        wish = 2.0 * error + 2.0 * (total + error * 0.01) - 0.6 * v
        winding = abs(wish) > 0.05 and wish * error > 0
        return min(max(wish, -0.05), 0.05), total if winding else total + error * 0.01

    gains = {"proportional": 2.0, "integral": 2.0, "derivative": 0.6, "limit": 0.05}
    pid = PID(clock=Clock(period=0.01), **gains)
    run = simulate(sampled(pid, start=0.0, target=target), duration=20.0, step=1e-3, record=0.01)
    expected = by_hand([(1, 0, 0, decide)], 0.0, 2000, h=0.01)
    np.testing.assert_allclose(run["wheel.position"], expected[:, 0], atol=1e-9)
    assert np.abs(run["pd.command"]).max() == 0.05
    assert 1.0 < run["wheel.position"].max() < 1.6
    assert run["wheel.position"][-1] == pytest.approx(1.0, abs=1e-3)


def test_python_controllers_in_a_batch():
    starts = np.array([0.5, 1.0, -2.0])
    run = simulate(
        sampled(by_function(0.01)), duration=0.2, step=2e-3, record=0.1, parameters={"wheel.position": starts}
    )
    np.testing.assert_allclose(run["wheel.position"][-1], -0.155696476092 * starts, rtol=1e-9)
    assert run.calls == 20


@pytest.mark.parametrize(
    "make, message, kind",
    [
        (
            lambda: simulate(sampled(pd(0.01)), duration=0.1, step=0.004, record=0.02),
            "period is 0.01 s, which is no whole number of steps",
            InputError,
        ),
        (lambda: simulate(sampled(pd(0.01, phase=0.003)), duration=0.1, step=0.002), "phase is 0.003 s", InputError),
        (lambda: Clock(period=0.0), "period is 0", InputError),
        (lambda: Clock(period=0.01, phase=0.02), "a phase below the period", InputError),
        (lambda: Clock(period=0.01, delay=-1), "delay is -1", InputError),
        (lambda: PID(clock=0.01, proportional=1.0), "clock is 0.01; allowed: a Clock", InputError),
        (lambda: PID(clock=Clock(period=0.01), proportional=-1.0), "proportional is -1", InputError),
        (lambda: PID(clock=Clock(period=0.01), proportional=1.0, limit=0), "limit is 0", InputError),
        (
            lambda: Scene(parts={"wheel": Mass(mass=1.0), "pd": pd(0.01)}, wires=[Wire("wheel.force", ["pd.command"])]),
            "'pd.position' dangles",
            NetworkError,
        ),
    ],
)
def test_bad_input(make, message, kind):
    with pytest.raises(kind, match=message):
        make()


def returning(value, gives=None):
    """A Python function that always returns the same."""
    ports = {"reads": {"position": 1, "velocity": 1}, "gives": gives or {"command": 1}}
    return Callback(clock=Clock(period=0.01), function=lambda t, x: value, **ports)


@pytest.mark.parametrize(
    "returned",
    [
        {},
        {"comand": 1.0},
        {"command": 1.0, "more": 2.0},
        {"command": float("nan")},
        {"command": [1.0, 2.0]},
        None,
        "1.0",
        1j,
        np.array([1j]),
        [],
        [1.0, 2.0],
        float("inf"),
        [[1.0], [2.0, 3.0]],
        True,
    ],
    ids=repr,
)
def test_a_python_controller_that_gives_nonsense_is_named(returned):
    message = rf"controller 'pd': its function returned {re.escape(repr(returned))} at 0 s; allowed: finite numbers as"
    with pytest.raises(InputError, match=message + r" \{'command': a number\}, or as an array of shape \(1,\)"):
        simulate(sampled(returning(returned)), duration=0.1, step=0.01)


@pytest.mark.parametrize("returned", [0.5, [0.5], np.array(0.5), np.array([0.5]), np.float32(0.5)], ids=repr)
def test_what_a_python_function_may_give(returned):
    """The command by name or alone, the same for all runs of a batch."""
    for given in (returned, {"command": returned}):
        run = simulate(sampled(returning(given)), duration=0.1, step=0.01)
        assert run["wheel.velocity"][-1] == pytest.approx(0.5)
        many = simulate(
            sampled(returning(given)), duration=0.1, step=0.01, parameters={"wheel.position": [0.0, 1.0, 2.0]}
        )
        np.testing.assert_allclose(many["wheel.velocity"][-1], 0.5)


def test_a_python_function_that_fails_is_named_with_its_time():
    ports = {"reads": {"position": 1, "velocity": 1}, "gives": {"command": 1}}
    fails = Callback(clock=Clock(period=0.01), function=lambda t: {}, **ports)
    with pytest.raises(StictionError, match="controller 'pd': its function failed at 0 s: TypeError"):
        simulate(sampled(fails), duration=0.1, step=0.01)


@pytest.mark.parametrize("shape", [(3,), (3, 1), (2, 3)], ids=str)
def test_a_python_function_gets_all_runs_of_a_batch_at_once(shape):
    """Inputs are (*batch, n); what it returns for each run moves that run, by name or as an array."""
    pushes, seen = np.arange(1.0, 1 + np.prod(shape)).reshape(shape), []

    def push(t, x):
        seen.append((x["position"].shape, x["velocity"].shape))
        return pushes[..., None]

    ways = [push, lambda t, x: {"command": pushes[..., None]}, lambda t, x: {"command": pushes}]
    for way in ways:
        relay = Callback(
            clock=Clock(period=0.01), function=way, reads={"position": 1, "velocity": 1}, gives={"command": 1}
        )
        run = simulate(sampled(relay), duration=0.1, step=0.01, parameters={"wheel.position": np.zeros(shape)})
        np.testing.assert_allclose(run["wheel.velocity"][-1], pushes)  # J = 0.1 kg m², 0.1 s
    assert seen == [((*shape, 1), (*shape, 1))] * 10
    with pytest.raises(InputError, match=rf"one row for each run, of shape {re.escape(str((*shape, 1)))}"):
        simulate(
            sampled(returning(np.zeros(7))), duration=0.1, step=0.01, parameters={"wheel.position": np.zeros(shape)}
        )


def test_several_commands_in_one_array_stand_in_the_order_of_the_ports():
    ports = {"reads": {"position": 1}, "gives": {"left": 1, "both": 2}}
    drives = Callback(clock=Clock(period=0.01), function=lambda t, x: [1.0, 2.0, 3.0], **ports)
    parts = {"a": Mass(mass=1.0), "b": Mass(mass=1.0), "brain": drives}
    wires = [
        Wire("brain.position", ["a.position"]),
        Wire("a.force", ["brain.left"]),
        Wire("b.force", [Term("brain.both", [[1.0, 10.0]])]),
    ]
    scene = Scene(parts=parts, wires=wires)
    run = simulate(scene, duration=1.0, step=0.01)
    assert run["a.velocity"][-1] == pytest.approx(1.0) and run["b.velocity"][-1] == pytest.approx(2.0 + 30.0)
    one = replace(scene, parts=parts | {"brain": replace(drives, function=lambda t, x: 1.0)})
    with pytest.raises(InputError, match=r"\{'left': a number, 'both': 2 numbers\}, or as an array of shape \(3,\)"):
        simulate(one, duration=1.0, step=0.01)


@pytest.mark.parametrize("by_call", [False, True], ids=["formula", "Callback"])
def test_cascaded_controllers_on_one_clock(by_call):
    """A position loop commands a speed loop, on one clock: the inner one sees what the outer one has just decided.

    Listed inner first; by hand it is v_ref = 4 (1 − x), force = 3 (v_ref − v) at every tick.
    """

    @dataclass(frozen=True, kw_only=True)
    class Gain(Digital):
        clock: Clock
        gain: float
        inputs = {"wanted": 1, "seen": 1}
        outputs = {"command": 1}

        def decide(self, inputs, memory, t):
            return {"command": [self.gain * (inputs["wanted"][0] - inputs["seen"][0])]}, memory

    def made(gain):
        if not by_call:
            return Gain(clock=clock, gain=gain)
        function = lambda t, x: {"command": gain * (x["wanted"] - x["seen"])}  # noqa: E731
        return Callback(clock=clock, function=function, reads=Gain.inputs, gives=Gain.outputs)

    clock, h, x, v = Clock(period=0.01), 0.01, 0.0, 0.0
    scene = Scene(
        parts={
            "cart": Mass(mass=1.0),
            "inner": made(3.0),
            "outer": made(4.0),
            "goal": Source(functions=(1.0,)),
        },
        wires=[
            Wire("inner.wanted", ["outer.command"]),
            Wire("inner.seen", ["cart.velocity"]),
            Wire("outer.wanted", ["goal.force"]),
            Wire("outer.seen", ["cart.position"]),
            Wire("cart.force", ["inner.command"]),
        ],
    )
    for method in ("moreau", "rk4"):
        run = simulate(scene, duration=1.0, step=1e-3, method=method, record=0.01)
        expected, x, v = [0.0], 0.0, 0.0
        for _ in range(100):
            force = 3.0 * (4.0 * (1.0 - x) - v)
            x, v = x + h * v + force * h * h / 2, v + force * h
            expected.append(x)
        np.testing.assert_allclose(run["cart.position"], expected, atol=1e-12)
