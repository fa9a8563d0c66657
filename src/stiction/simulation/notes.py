"""What should be known of runs: of each friction site, in each set of parameters that it had, and of the method."""

import numpy as np

from stiction.simulation import observe
from stiction.simulation.program import StepProgram

MOST_NOTES = 3  # about one site of a batch


def notes_of(program: StepProgram, state: np.ndarray) -> tuple[str, ...]:
    """What should be known of the run: of each site, in each set of parameters that it had, and of the method."""
    network, fastest = program.layout.network, _fastest(program, state)
    found: list[str] = []
    for name in observe.sites(network):
        texts = [
            note
            for part in program.parameters.variants(name)
            for note in program.method.site_notes(part, program.step, fastest.get(name, 0.0))
        ]
        site = network.labels.signal((name, "torque"))
        found += [f"{site}: {note}" for note in texts[:MOST_NOTES]]
    return (*found, *program.method.notes(network, program.kept(state)))


def _fastest(program: StepProgram, state: np.ndarray) -> dict[str, float]:
    """The largest speed of each site in any run, where it was marked."""
    places = program.layout.places
    return {site: float(np.max(state[..., places[site, "fastest"]])) for site in program.layout.marks}
