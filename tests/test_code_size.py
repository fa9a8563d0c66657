"""Programs stay small enough for the compiler and the instruction cache; the run ends with a table of them."""

import numpy as np
import pytest

import stiction

SIZES = (6, 7, 12, 20, 50, 100)
LARGEST = 30_000  # operations
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


def size(program):
    return sum(program.operations.values())


@pytest.mark.parametrize("what", COMPUTATIONS)
def test_size(what, request):
    header = f"{'program':30s} joints  operations  object [KiB]  compile [s]"
    rows = request.config.__dict__.setdefault("code_sizes", [header])
    operations = {}
    for n in SIZES:
        robot = stiction.library.chain(n)
        COMPUTATIONS[what](robot, np.zeros((2, n)))
        program = max((p for p, _ in robot.programs.found.values() if p.name.startswith(NAMES[what])), key=size)
        operations[n], kernel = size(program), program.kernel()
        made = f"{kernel.bytes / 1024:12.0f}  {kernel.seconds:11.2f}{' (from the cache)' if kernel.cached else ''}"
        rows.append(f"{program.name:30s} {n:6d}  {operations[n]:10d}  {made}")
        assert operations[n] < LARGEST
    if what.endswith("dynamics"):
        per_joint = [operations[n] / n for n in (20, 50, 100)]
        assert max(per_joint) < 1.15 * min(per_joint), "operations grow linearly with the joints"
