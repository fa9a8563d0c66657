"""Programs stay small enough for the compiler and the instruction cache; the run ends with a table of them."""

import os

import numpy as np
import pytest
from conftest import SIZES as SIZES_FILE

import stiction
from stiction import methods
from stiction.network.layout import Layout
from stiction.network.parameters import Parameters
from stiction.reproduce.gears import chain_with_drives
from stiction.simulation.program import StepProgram
from stiction.trace.device import Host
from stiction.trace.grid import LOOP_FROM
from stiction.trace.program import Program

HEAD = f"{'program':30s} joints  operations  object [KiB]  compile [s]"
SIZES = (6, 7, 12, 20, 50, 100)
UNROLLED, LOOPED = 12_000, 6_000  # operations that a program may have


def limit(joints):
    return LOOPED if joints >= LOOP_FROM else UNROLLED


COMPUTATIONS = {
    "inverse dynamics": lambda r, q: r.inverse_dynamics(q, q, q),
    "forward dynamics": lambda r, q: r.forward_dynamics(q, q, q),
    "mass matrix": lambda r, q: r.mass_matrix(q),
    "forward derivatives": lambda r, q: r.forward_dynamics_derivatives(q, q, q),
}


NAMES = {
    "inverse dynamics": ("inverse_dynamics",),
    "forward dynamics": ("forward_dynamics",),
    "mass matrix": ("mass_",),
    "forward derivatives": ("forward_dynamics_", "inverse_dynamics_"),
}


def note(line):
    """A line of the table at the end of the run, which several processes write."""
    with open(os.path.join(os.environ["STICTION_TEST_FOLDER"], SIZES_FILE), "a") as table:
        table.write(f"{HEAD}\n{line}\n")


def size(program):
    return sum(program.operations.values())


@pytest.mark.parametrize("what", COMPUTATIONS)
def test_size(what):
    operations = {}
    for n in SIZES:
        robot = stiction.library.chain(n)
        COMPUTATIONS[what](robot, np.zeros((2, n)))
        program = max((p for p, _ in robot.programs.found.values() if p.name.startswith(NAMES[what])), key=size)
        operations[n], kernel = size(program), program.kernel()
        made = f"{kernel.bytes / 1024:12.0f}  {kernel.seconds:11.2f}{' (from the cache)' if kernel.cached else ''}"
        note(f"{program.name:30s} {n:6d}  {operations[n]:10d}  {made}")
        assert operations[n] <= limit(n)


COMPILED_UP_TO = 7  # joints; larger step programs are traced only, which is enough to know their size


def step_scene(n, method):
    """A chain with friction in every joint; with drives where a method finds friction from their rotors."""
    if method == "gears_semi_implicit":
        return chain_with_drives(n)
    bristle = stiction.LuGre(level=1.0, static=1.2, velocity=0.1, stiffness=100.0, damping=1.0)
    law = bristle if method == "rosenbrock" else stiction.Coulomb(level=1.0)
    robot = stiction.library.chain(n)
    return stiction.Scene(robot=robot, friction=dict.fromkeys(robot.velocity_names, law), q=np.linspace(0.1, 0.3, n))


def traced_steps(scene, method):
    """The step program of a scene, not compiled."""
    network = method.prepare(scene.network, 1e-3)
    layout = Layout(network, method=method.slots(network, 1e-3))
    parameters = Parameters(network, method, {}, ())
    wanted = [slot.key for slot in layout.slots if slot.kind == "position"]
    return StepProgram(parameters, layout, 1e-3, wanted, False, Host())


@pytest.mark.parametrize("name", methods.METHODS)
def test_size_of_a_step(name, monkeypatch):
    """Step programs of every method do not grow with the joints."""
    method = methods.method_named(name)
    operations = {}
    for n in SIZES:
        with monkeypatch.context() as patch:
            if n > COMPILED_UP_TO:
                patch.setattr(Program, "kernel", lambda self, *_: self.trace())
            program = traced_steps(step_scene(n, name), method).program
        operations[n] = size(program)
        kernel = next(iter(program._kernels.values()), None)
        compiled = f"{kernel.bytes / 1024:12.0f}  {kernel.seconds:11.2f}" if kernel else f"{'–':>12s}  {'–':>11s}"
        note(f"{'step, ' + name:30s} {n:6d}  {operations[n]:10d}  {compiled}")
    assert all(count <= limit(n) for n, count in operations.items())
