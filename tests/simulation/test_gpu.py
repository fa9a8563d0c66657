"""The same program on a GPU: the same bits as on the processor, the same answers, and arrays that stay there.

Without a GPU its kernels run thread by thread on the processor (`tests/gpu.py`), and LLVM checks and translates them;
`pytest -m gpu` runs all of it where there is one, for 10⁵ steps.
"""

import functools
import math
import os
import pickle

import numpy as np
import pytest

import stiction
from stiction import RK4, Clock, Coulomb, InputError, Scene, Simulator, StictionError, simulate
from stiction.control import Callback
from stiction.trace import Port, Program, ptx, sin
from stiction.trace.device import Cuda
from stiction.trace.functions import power
from tests.constraint.mechanisms import five_bar
from tests.contact import scenes as contact
from tests.contact.test_fixed_bodies import resting
from tests.contact.test_turning import on_turntable
from tests.friction.test_every_law_every_method import LAWS
from tests.gpu import Placed, imitate, only_texts
from tests.scenes import EXAMPLES, METHODS, TWO_LINK, everything, flywheel

RUNS = 8
STEPS = 100_000  # on a GPU


def steps_of(scene, method=None, step=1e-3, inputs=(), outputs=None, **parameters):
    """A maker of simulators of a case, by device."""

    def make(device, **more):
        given = {"method": method, "step": step, "inputs": inputs, "outputs": outputs, "parameters": parameters}
        return Simulator(scene, **given, **more, runs=RUNS, device=device)

    return make


def a_law(name, method):
    loads = np.linspace(-1.0, 1.0, RUNS)
    scene = Scene(robot=flywheel(0.02), friction={"axle": LAWS[name]}, torque={"axle": 0.3}, gravity=(0, 0, -9.81))
    return steps_of(scene, METHODS[method], 1e-3 if METHODS[method].own_steps else 1e-4, **{"v.axle": loads})


def an_example(path):
    file = stiction.read_scene(path)
    scene, settings = file.scene, file.settings
    speeds = [name for name in scene.parameters if name.startswith("v.")]
    first = {speeds[0]: np.linspace(-0.1, 0.1, RUNS)} if speeds and not scene.constraints else {}
    return steps_of(scene, settings.get("method"), settings["step"], **first)


def arms(law, **more):
    scene = Scene(robot=TWO_LINK, friction=dict.fromkeys(TWO_LINK.velocity_names, law))
    starts = np.random.default_rng(1).uniform(-1.5, 1.5, (RUNS, 2))
    return steps_of(scene, **{"q.shoulder": starts[:, 0], "q.elbow": starts[:, 1]}, **more)


CASES = {
    f"{law}, {method}": functools.partial(a_law, law, method)
    for law in LAWS
    for method in METHODS
    if method != "rosenbrock" or law not in ("Stribeck", "own curve")
}
CASES |= {path.name: functools.partial(an_example, path) for path in sorted(EXAMPLES.glob("*.toml"))}
CASES |= {
    "two links": lambda: arms(Coulomb(level=0.3)),
    "everything": lambda: steps_of(everything(), step=1e-3),
    "five-bar": lambda: steps_of(five_bar(), step=1e-3),
    "chain on the ground": lambda: steps_of(contact.chain(4)),
    "stack": lambda: steps_of(contact.stack([1.0, 2.0])),
    "box on a fixed box": lambda: steps_of(resting("box", "box")[0]),
    "box on a fixed ball": lambda: steps_of(resting("box", "ball")[0]),
    "box on fixed points with springs": lambda: steps_of(resting("box", "points")[0], RK4()),
    "box on a turntable": lambda: steps_of(on_turntable((0.1, 0.09, 0.1), 0.9)),
    "chain of fourteen": lambda: steps_of(
        Scene(robot=stiction.library.chain(14), friction={"joint3": Coulomb(level=0.2)}), step=1e-3
    ),
}
FEW = [  # one of each law, of each method, of each kind of scene: those that run here without a GPU
    *(
        f"{law}, {method}"
        for law, method in zip(LAWS, [*METHODS, *METHODS], strict=False)
        if f"{law}, {method}" in CASES
    ),
    "Stribeck, moreau",
    "own curve, moreau",
    *(name for name in CASES if ", " not in name),
]


@pytest.fixture
def imitated(monkeypatch):
    imitate(monkeypatch)


def same(a, b):
    """The states to the last bit."""
    return a.values.tobytes() == b.values.tobytes() and np.array_equal(a.tick, b.tick)


@pytest.mark.parametrize("name", FEW)
def test_the_text_for_gpus_gives_the_same_bits(name, imitated):
    make = CASES[name]()
    here, there = make("cpu"), make("cuda")
    for steps in (1, 60):
        a, b = here.step(steps=steps), there.step(steps=steps)
        assert isinstance(b, Placed)
        assert a.tobytes() == np.ascontiguousarray(b).tobytes()
    assert same(here.state, there.state)
    assert here.notes == there.notes


@pytest.mark.parametrize(("name", "bits"), [*((name, 64) for name in CASES), *((name, 32) for name in FEW[::4])])
def test_every_program_becomes_ptx(name, bits, monkeypatch):
    """LLVM verifies and translates it."""
    only_texts(monkeypatch)
    sim = CASES[name]()("cuda", dtype=f"float{bits}")
    code = ptx.assembled(sim._core.program.program.cuda_text().kernel, 75, level=0).decode()
    assert ".entry kernel(" in code and ".target sm_75" in code
    assert "stiction_" not in code  # no function of a library


def test_functions_at_all_sizes(imitated):
    """Huge angles and powers, whose bits came from the C library once."""
    program = Program("f", lambda x, y: ([sin(x), power(x, y), x * y],), [Port("x"), Port("y")], [Port("z", (3,))])
    rng = np.random.default_rng(5)
    x, y = 10 ** rng.uniform(-3, 300, 64) * rng.choice([-1, 1], 64), rng.uniform(-1, 1, 64).round(1) * 3
    device = Cuda()
    result = device.array(np.full((64, 3), np.nan))
    device.bind(program, [device.array(x), device.array(y)], [result], 1)()
    assert program(x, y)[0].tobytes() == np.ascontiguousarray(result).tobytes()


def test_arrays_that_kernels_would_read_wrongly_are_refused(imitated):
    program = Program("sum", lambda x: (x[0] + x[1],), [Port("x", (2,))], [Port("y")])
    device = Cuda()
    with pytest.raises(InputError, match=r"the array of x must be float64, of shape \(3, 2\) and slot by slot"):
        device.bind(program, [device.given(np.ones((3, 2)))], [device.array(np.ones(3))], 1)


def test_what_has_died_away_is_nothing():
    """A rate that halves with every step ends at 0, not among numbers that only some processors have."""
    scene = Scene(robot=flywheel(0.02), friction={"axle": stiction.Viscous(coefficient=4.0)})
    run = simulate(scene, duration=1.0, step=1e-3, method="moreau", parameters={"v.axle": 1e-100})
    speeds = run["v.axle"]
    assert speeds[-1] == 0 and speeds[speeds > 0].min() >= 1e-150


def test_arrays_stay_where_they_are(imitated):
    make = arms(Coulomb(level=0.3), inputs=["torque.*"], outputs=["q.*"])
    sim, here = make("cuda"), make("cpu")
    loads = np.linspace(-1, 1, 2 * RUNS).reshape(RUNS, 2)
    given = sim.device.given(loads)
    assert isinstance(sim.step(given, 20), Placed) and isinstance(sim.step(steps=2), Placed)
    assert type(sim.step(loads, 5)) is np.ndarray  # NumPy in, NumPy out
    here.step(loads, 20), here.step(steps=2), here.step(loads, 5)
    assert same(sim.state, here.state) and isinstance(sim.time, Placed) and isinstance(sim.diverged, Placed)
    out = sim.device.given(np.full((RUNS, 2), np.nan))
    assert sim.step(given, out=out) is out
    np.testing.assert_array_equal(out, here.step(loads))


def test_resets_and_states_are_those_of_the_processor(imitated):
    make = arms(Coulomb(level=0.3))
    sims = [make("cpu"), make("cuda")]
    mask = np.arange(RUNS) % 2 == 0
    for sim in sims:
        sim.step(steps=50)
        sim.reset(sim.device.given(mask), q=[0.4, -0.2], parameters={"friction.*.level": 0.1})
        sim.step(steps=30)
    assert same(sims[0].state, sims[1].state)
    saved = sims[1].state
    sims[1].step(steps=10)
    sims[1].state = saved
    again = pickle.loads(pickle.dumps(sims[1]))
    assert again.device.name == "cuda" and same(again.state, sims[0].state)
    for sim in (*sims, again):
        sim.step(steps=10)
    assert same(sims[0].state, sims[1].state) and same(sims[0].state, again.state)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_runs_begin_anew_at_starts_that_were_drawn(device, imitated):
    """Those that a mask names, at one of the starts, with its parameters; the others go on as if nothing had been."""
    make = arms(Coulomb(level=0.3), inputs=["torque.*"])
    sim, other = make(device), make(device)
    sim.step(np.ones((RUNS, 2)), 20), other.step(np.ones((RUNS, 2)), 20)
    levels = lambda random, n: np.linspace(0.1, 0.2, n)  # noqa: E731
    starts = sim.starts(5, q=[0.4, -0.2], parameters={"friction.shoulder.level": levels}, seed=3)
    mask = sim.device.given(np.arange(RUNS) < 5)
    sim.restart(mask, starts)
    np.testing.assert_array_equal(sim.time[:5], 0.0)
    np.testing.assert_array_equal(sim.state["q.shoulder"][:5], 0.4)
    drawn = sim.parameters["friction.shoulder.level"]
    assert set(drawn[:5]) <= set(np.linspace(0.1, 0.2, 5)) and len(set(drawn[:5])) > 1 and (drawn[5:] == 0.3).all()
    sim.step(np.ones((RUNS, 2)), 10), other.step(np.ones((RUNS, 2)), 10)
    assert sim.state.values[5:, :4].tobytes() == other.state.values[5:, :4].tobytes()
    sim.reset(parameters={"friction.elbow.level": 0.2})
    with pytest.raises(InputError, match="these starts were made before other parameters began to vary"):
        sim.restart(mask, starts)


@pytest.mark.parametrize("method", ["moreau", "rosenbrock"])
def test_runs_divergence_and_notes_are_those_of_the_processor(method, imitated):
    law = stiction.LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=500.0, damping=1.0)
    scene = Scene(robot=flywheel(0.02), friction={"axle": law})
    given = {"v.axle": np.array([0.1, 1.0, 30.0])}
    run, there = (
        simulate(scene, duration=0.05, step=1e-3, method=method, parameters=given, device=device)
        for device in ("cpu", "cuda")
    )
    assert run.notes == there.notes and run.signals.keys() == there.signals.keys()
    assert all(run[name].tobytes() == there[name].tobytes() for name in run.signals)
    wild = Scene(robot=flywheel(0.02), torque={"axle": lambda t: 1 / (0.02 - t)})
    lost = [
        simulate(wild, duration=0.05, step=1e-3, parameters=given, device=device, on_divergence="keep")
        for device in ("cpu", "cuda")
    ]
    assert lost[0].message == lost[1].message and lost[0].status == lost[1].status == "diverged"


def test_numbers_of_32_bits():
    """Some five digits of the motion, on the processor as on a GPU; friction holds as it does in 64 bits."""
    scene = Scene(robot=TWO_LINK, friction=dict.fromkeys(TWO_LINK.velocity_names, Coulomb(level=0.3)), q=[0.9, 0.4])
    long, short = (simulate(scene, duration=1.0, step=1e-3, dtype=f"float{bits}") for bits in (64, 32))
    for name in ("q.shoulder", "q.elbow"):
        np.testing.assert_allclose(short[name], long[name], atol=2e-4)
    held = Scene(robot=TWO_LINK, friction=dict.fromkeys(TWO_LINK.velocity_names, Coulomb(level=5.0)), q=[0.9, 0.4])
    run = simulate(held, duration=2.0, step=1e-3, dtype="float32")
    assert np.ptp(run["q.shoulder"]) == 0 and (run["mode.shoulder"][1:] == 0).all()


@pytest.mark.parametrize("name", [*FEW[:12:3], *FEW[12:]])
def test_every_kind_of_scene_in_32_bits(name):
    """It runs, and goes where 64 bits go, as far as friction, which is chaotic, lets it for a while."""
    make = CASES[name]()
    long, short = make("cpu"), make("cpu", dtype="float32")
    for sim in (long, short):
        sim.step(steps=30)
    assert not short.diverged.any()
    moved = [k for k, kind in enumerate(long.state.kinds) if kind == "position"]
    wide = np.abs(long.state.values[:, moved]).max(initial=1.0)
    np.testing.assert_allclose(short.state.values[:, moved], long.state.values[:, moved], atol=1e-3 * wide)


def test_steps_that_32_bits_cannot_count_are_refused():
    scene = Scene(robot=flywheel(0.02))
    with pytest.raises(InputError, match="20000000 steps, and float32 counts 16777216: its time would stand still"):
        simulate(scene, duration=20_000.0, step=1e-3, record=100.0, dtype="float32")
    sim = Simulator(scene, step=1e-3, dtype="float32")
    with pytest.raises(InputError, match="its time would stand still"):
        sim.step(steps=2**24 + 1)
    sim.step(steps=10)
    assert sim.time == np.float32(10) * np.float32(1e-3)


def test_refusals(monkeypatch):
    scene = Scene(robot=flywheel(0.02))
    with pytest.raises(InputError, match="device is 'gpu'; allowed: 'cpu', 'cuda'"):
        simulate(scene, duration=0.1, step=1e-3, device="gpu")
    with pytest.raises(InputError, match="dtype is 'float16'; allowed: 'float64', 'float32'"):
        Simulator(scene, step=1e-3, dtype="float16")
    with monkeypatch.context() as without:
        without.setitem(__import__("sys").modules, "cupy", None)
        with pytest.raises(StictionError, match=r"need cupy, which is not installed; run, .* pip install '.\[cuda\]'"):
            Simulator(scene, step=1e-3, device="cuda")
    imitate(monkeypatch)
    relay = Callback(clock=Clock(period=0.01), function=dict, reads={"position": 1}, gives={"command": 1})
    called = Scene(robot=flywheel(0.02), control={"axle": relay})
    with pytest.raises(InputError, match="is a Python function, which a GPU cannot call"):
        simulate(called, duration=0.1, step=1e-3, device="cuda")


# On a GPU.


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.gpu) for name in CASES])
def test_bits_on_a_gpu(name):
    """10⁵ steps on both, to the last bit."""
    make = CASES[name]()
    here, there = make("cpu"), make("cuda")
    done = 0
    for steps in (1, 99, 900, 9_000, STEPS - 10_000):
        here.step(steps=steps), there.step(steps=steps)
        done += steps
        assert same(here.state, there.state), f"after {done} steps"
    assert here.notes == there.notes
    assert math.isclose(float(there.device.fetched(there.time).max()), here.time.max())


@pytest.mark.gpu
@pytest.mark.parametrize("library", ["cupy", "torch", "jax"])
def test_other_libraries_take_the_arrays_without_a_copy(library):
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # JAX would take most of the memory
    pytest.importorskip(library)
    sim = arms(Coulomb(level=0.3), inputs=["torque.*"], outputs=["q.*", "v.*"])("cuda")
    seen = sim.step(steps=5)
    address = seen.__cuda_array_interface__["data"][0]
    if library == "torch":
        import torch

        tensor = torch.as_tensor(seen, device="cuda")
        assert tensor.data_ptr() == address
        loads = torch.full((RUNS, 2), 0.5, dtype=torch.float64, device="cuda")
    elif library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        tensor = jax.dlpack.from_dlpack(seen)
        assert tensor.unsafe_buffer_pointer() == address
        loads = jax.numpy.full((RUNS, 2), 0.5)
    else:
        import cupy

        loads = cupy.full((RUNS, 2), 0.5)
    other = arms(Coulomb(level=0.3), inputs=["torque.*"], outputs=["q.*", "v.*"])("cpu")
    other.step(steps=5)
    expected = other.step(np.full((RUNS, 2), 0.5), 5)
    assert expected.tobytes() == np.ascontiguousarray(sim.device.fetched(sim.step(loads, 5))).tobytes()
