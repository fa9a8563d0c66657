"""Random numbers without a state."""

import numpy as np
import pytest
from scipy import stats

from stiction.trace.functions import normal, uniform
from stiction.trace.program import Port, Program
from stiction.trace.random import philox

KNOWN = [  # the known answers that come with Random123, 4 × 32 bits in 10 rounds
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
PORTS = [Port(name) for name in ("seed", "run", "drawer", "draw")]
DRAW = Program("draw", lambda *x: (uniform(*x, 0), normal(*x)), PORTS, [Port("u"), Port("n")])


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_known_answers(counter, key, words):
    assert philox(counter, key) == words


def test_machine_code_draws_as_python_does_in_any_number_of_lanes():
    runs = np.arange(1003.0)
    given = np.full(1003, 7.0), runs, np.full(1003, 3e9), np.full(1003, 12345.0)
    u, n = DRAW(*given)
    for k in (0, 1, 500, 1002):
        numbers = [float(x[k]) for x in given]
        assert u[k] == uniform(*numbers, 0)
        assert n[k] == pytest.approx(normal(*numbers), abs=1e-14)
        assert [x[()] for x in DRAW(*numbers)] == [u[k], n[k]]


def test_distributions_and_independence():
    runs, draws = np.meshgrid(np.arange(300.0), np.arange(300.0))
    u, n = DRAW(np.zeros(90000), runs.ravel(), np.full(90000, 5.0), draws.ravel())
    assert stats.kstest(u, "uniform").pvalue > 1e-3
    assert stats.kstest(n, "norm").pvalue > 1e-3
    assert 0 < u.min() and u.max() < 1
    table = n.reshape(300, 300)
    for a, b in ((table[1:], table[:-1]), (table[:, 1:], table[:, :-1])):  # neighbours in time, and of runs
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 5 / 300
