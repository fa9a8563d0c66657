"""Levels of code generation: kernels that are compiled fast compute the same bits as those that users get."""

import numpy as np
import pytest

from stiction.errors import InputError
from stiction.trace import Port, Program, processor, sin
from tests.simulation.test_gpu import CASES, FEW, same

LEVEL = "STICTION_OPTIMIZATION"


@pytest.mark.parametrize("name", FEW)
def test_bits_do_not_depend_on_the_level(name, monkeypatch):
    """Whole simulations, with what is computed once at their start."""
    make, found = CASES[name](), []
    for level in (processor.FAST, processor.FULL):
        monkeypatch.setenv(LEVEL, str(level))
        sim = make("cpu")
        sim.step(steps=1)
        found.append((sim.step(steps=200).tobytes(), sim.state, sim.notes))
        assert level in {level for _, level in sim._core.program.program._kernels}
    (fast, first, notes), (full, second, others) = found
    assert fast == full and same(first, second) and notes == others


def test_programs_of_the_setup_are_compiled_fast_unless_for_many_rows(monkeypatch):
    monkeypatch.setenv(LEVEL, "2")
    program = Program("setup", lambda x: (sin(x) / (1 + x * x),), [Port("x")], [Port("y")], setup=True)
    x = np.linspace(-9, 9, 20_000)
    few, many = program(x[:100])[0], program(x)[0]
    assert {level for _, level in program._kernels} == {processor.FAST, processor.FULL}
    assert few.tobytes() == many[:100].tobytes()


def test_other_levels_are_refused(monkeypatch):
    monkeypatch.setenv(LEVEL, "3")
    with pytest.raises(InputError, match=r"STICTION_OPTIMIZATION is '3'; allowed: 0, 2"):
        Program("x", lambda x: (x,), [Port("x")], [Port("y")])(1.0)
