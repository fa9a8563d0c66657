"""Without its extras the library simulates; what needs one says which."""

import subprocess
import sys
import textwrap

import pytest

WITHOUT = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
import stiction
scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.1])
run = stiction.simulate(scene, duration=0.1, step=1e-2)
assert run["q.joint1"].shape == (11,)
try:
    {call}
except stiction.StictionError as error:
    print(error)
"""


def said(missing, call):
    script = textwrap.dedent(WITHOUT).format(missing=missing, call=call)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


EVERYTHING = ["msgspec", "tomli_w", "h5py", "matplotlib", "cyclopts", "tqdm", "sympy"]


@pytest.mark.parametrize(
    "call, message",
    [
        (
            "run.save('run.h5')",
            "HDF5 files need h5py, which is not installed; run, in the clone of stiction: pip install '.[hdf5]'",
        ),
        ("stiction.write_scene('s.toml', scene, duration=1.0, step=1e-3)", "pip install '.[files]'"),
        (
            "run.plot()",
            "figures need matplotlib, which is not installed; run, in the clone of stiction: pip install '.[plot]'",
        ),
        ("run.plot(path='run.png')", "pip install '.[plot]'"),
    ],
)
def test_what_is_missing_is_named(call, message):
    assert message in said(EVERYTHING, call)


def test_the_command_needs_its_extra():
    script = "import sys; sys.modules['cyclopts'] = None; import stiction.cli"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1 and "pip install '.[command]'" in done.stderr and "Traceback" not in done.stderr
