"""What should be known of runs: of each friction site, in each set of parameters that it had, and of the method."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.control.task_control import OperationalSpace
from stiction.parts.kinds import Row
from stiction.scene.scene import Scene
from stiction.simulation import observe
from stiction.simulation.program import StepProgram

SPRINGS = (
    "; under '{}' it is a spring, chosen for the inertia at the start: where that falls by more than 3 it adds energy, "
    "and method 'moreau' does not"
)
MOST_NOTES = 3  # about one site of a batch
GIVEN_BACK = 1e-3  # of the largest change of an energy, by which a loss may fall by rounding and by the method's order


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
    return (*found, *_stopped(program, state), *program.method.notes(network, program.kept(state)))


def _stopped(program: StepProgram, state: np.ndarray) -> list[str]:
    """What ran into end stops."""
    layout, found = program.layout, []
    for name in observe.end_stops(layout.network):
        if state[..., layout.places[name, observe.REACHED]].any():
            springs = "" if isinstance(layout.network.parts[name], Row) else SPRINGS.format(program.method.title)
            found.append(f"{layout.network.labels.signal((name, 'torque'))}: the end of the way was reached{springs}")
    return found


def speed_notes(scene: Scene, signals: Mapping[str, np.ndarray]) -> list[str]:
    """Joints that were seen to move faster than their descriptions allow, or were told to move beyond their ends."""
    found = []
    for name, limits in scene.described_limits.items():
        q = signals.get(f"q.{name}", np.zeros(0))
        if name in scene.motion and ((q < limits.lower) | (q > limits.upper)).any():
            found.append(f"q.{name}: its motion goes beyond the ends of its way, {limits.lower:g} to {limits.upper:g}")
        fastest = float(np.max(np.abs(signals.get(f"v.{name}", 0.0)), initial=0.0))
        if fastest > limits.velocity:
            found.append(f"v.{name}: moved at up to {fastest:.3g}; its description allows {limits.velocity:.3g}")
    return found


def energy_notes(scene: Scene, signals: Mapping[str, np.ndarray], step: float) -> list[str]:
    """Losses that cannot be, in a balance of energy: those that fall, and those of windings faster than a step."""
    found = []
    sizes = [np.ptp(x) for name, x in signals.items() if name.startswith(("energy.", "work.", "loss."))]
    for name, x in signals.items():
        fall = float((np.maximum.accumulate(x, axis=0) - x).max()) if name.startswith("loss.") else 0.0
        if fall > GIVEN_BACK * max(sizes):
            found.append(f"{name}: it fell by {fall:.2g} J, which no loss gives back; the step is too long: halve it")
    for name, drive in scene.drives.items():
        motor: Any = drive.motor
        if f"loss.copper.{name}" in signals and 0 < motor.inductance < step * motor.resistance:
            found.append(
                f"loss.copper.{name}: its winding follows in {motor.inductance / motor.resistance:.2g} s, less than a "
                f"step of {step:g} s; what is lost there, and taken from the supply, is rough: take a smaller step"
            )
    return found


def control_notes(scene: Scene, signals: Mapping[str, np.ndarray]) -> list[str]:
    """Controllers of tools that came near a singularity."""
    found = []
    for name, controller in scene.control.items():
        seen = signals.get(f"control.{name}.openness")
        if isinstance(controller, OperationalSpace) and seen is not None and seen.min() < controller.damped:
            found.append(
                f"control.{name}: the arm came near a singularity (openness {seen.min():.2g}, damped below "
                f"{controller.damped:g}): there its tool lags behind the reference"
            )
    return found


def _fastest(program: StepProgram, state: np.ndarray) -> dict[str, float]:
    """The largest speed of each site in any run, where it was marked."""
    places = program.layout.places
    return {
        site: float(np.max(state[..., places[site, "fastest"]]))
        for site in program.layout.marks
        if (site, "fastest") in places
    }
