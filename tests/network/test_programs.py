"""Programs are shared by networks of one structure."""

from stiction.network import programs
from stiction.simulation.simulate import simulate
from tests.scenes import oscillator


def test_other_parameters_do_not_compile_again(private_cache):
    simulate(oscillator(), duration=0.1, step=0.01)
    count = len(list(private_cache.glob("*.kernel")))
    simulate(oscillator(mass=3.0, stiffness=20.0, damping=0.5), duration=0.1, step=0.01)
    assert len(list(private_cache.glob("*.kernel"))) == count


def test_methods_share_the_terms_at_the_start(private_cache, monkeypatch):
    """They need no method: its options, choices and parameters are not in their key."""
    monkeypatch.setattr(programs, "_programs", type(programs._programs)())
    for method in ("moreau", "gears_implicit"):
        simulate(oscillator(), duration=0.1, step=0.01, method=method)
    names = [program.name for program in programs._programs.values()]
    assert names.count("terms at the start") == 1 and len(names) == 3
