"""Programs are shared by networks of one structure."""

from stiction.simulation.simulate import simulate
from tests.scenes import oscillator


def test_other_parameters_do_not_compile_again(private_cache):
    simulate(oscillator(), duration=0.1, step=0.01)
    count = len(list(private_cache.glob("*.kernel")))
    simulate(oscillator(mass=3.0, stiffness=20.0, damping=0.5), duration=0.1, step=0.01)
    assert len(list(private_cache.glob("*.kernel"))) == count
