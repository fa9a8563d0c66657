"""Values set on the command line, `stiction run FILE --set NAME=VALUE`: one run, or a small sweep in one batch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from stiction.errors import InputError, StictionError, unknown
from stiction.files.scene_file import SETTINGS, SceneFile, setting
from stiction.show.motion import MODES
from stiction.show.panels import split
from stiction.simulation.trajectory import Trajectory

MOST = 1000  # runs of a sweep
JOINTS = 6  # columns of positions in a table
ALIKE = 1e-9  # rad or m: ends that are nearer to each other are the same
SETTABLE = tuple(key for key in SETTINGS if key != "signals")


@dataclass(frozen=True)
class Sweep:
    """What is simulated.

    Attributes:
        file: the scene, with the settings that were set.
        values: what was set, by the names and patterns that were given: a number, or one for each run, (runs,).
        parameters: the same by the names of the parameters, as `simulate` takes them.
    """

    file: SceneFile
    values: Mapping[str, Any]
    parameters: Mapping[str, Any]

    @property
    def varied(self) -> dict[str, np.ndarray]:
        """What differs between the runs, (runs,) each; nothing for a single run."""
        return {name: x for name, x in self.values.items() if np.ndim(x)}


def sweep_of(file: SceneFile, words: Sequence[str]) -> Sweep:
    """What "NAME=VALUE" and "NAME=VALUE,VALUE,..." ask for: parameters and first values of the scene, by name or by a
    pattern with *, and settings. Several values of a name make a sweep, several such names the product of theirs, the
    last one running fastest.

    Example:
        >>> import stiction
        >>> from stiction.sweep import sweep_of
        >>> friction = {"joint1": stiction.Coulomb(level=0.5)}
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction=friction)
        >>> file = stiction.SceneFile(scene, {"duration": 1.0, "step": 1e-3})
        >>> made = sweep_of(file, ["friction.*.level=0.2,0.4", "q.joint1=0.1", "step=1e-4"])
        >>> made.parameters["friction.joint1.level"], made.parameters["q.joint1"], made.file.settings["step"]
        (array([0.2, 0.4]), 0.1, 0.0001)
    """
    given: dict[str, list[str]] = {}
    for word in words:
        name, sign, listed = (piece.strip() for piece in word.partition("="))
        if not (name and sign and listed):
            raise InputError(f"--set {word}: write NAME=VALUE, such as friction.joint1.level=0.4 or step=1e-4")
        given.setdefault(name, []).extend(value.strip() for value in listed.split(","))
    settings = {name: _setting(name, values) for name, values in given.items() if name in SETTABLE}
    names = _names([name for name in given if name not in SETTABLE], file.scene.parameters)
    values = _product({name: _numbers(name, given[name]) for name in given if name not in SETTABLE})
    parameters = {name: values[pattern] for name, pattern in names.items()}
    return Sweep(replace(file, settings=file.settings | settings), values, parameters)


def _setting(name: str, values: Sequence[str]) -> Any:
    """A setting of the file; a number, true or false, or a text."""
    if len(values) > 1:
        raise InputError(f"--set {name}={','.join(values)}: a setting has one value for all runs; give one")
    (text,) = values
    try:
        value: Any = {"true": True, "false": False}[text] if text in ("true", "false") else float(text)
    except ValueError:
        value = text
    try:
        return setting(name, value)
    except StictionError as error:
        raise InputError(f"--set {name}={text}: {error}") from None


def _numbers(name: str, values: Sequence[str]) -> list[float]:
    found = []
    for text in values:
        try:
            found.append(float(text))
        except ValueError:
            found.append(math.nan)
        if not math.isfinite(found[-1]):
            raise InputError(f"--set {name}={','.join(values)}: '{text}' is no finite number; write 0.4 or 0.2,0.4")
    return found


def _names(patterns: Sequence[str], known: Mapping[str, float]) -> dict[str, str]:
    """The parameters that names and patterns stand for, with who stands for them."""
    found: dict[str, str] = {}
    for pattern in patterns:
        fitting = [name for name in known if name == pattern or ("*" in pattern and fnmatchcase(name, pattern))]
        if not fitting:
            raise InputError("--set: " + unknown("parameter", pattern, "this scene", [*known, *SETTABLE]))
        for name in fitting:
            if name in found:
                raise InputError(f"--set sets '{name}' twice, by '{found[name]}' and by '{pattern}'; leave one out")
            found[name] = pattern
    return found


def _product(numbers: Mapping[str, list[float]]) -> dict[str, Any]:
    """A number for each name, or one for each run of the product of all that have several."""
    runs = math.prod(map(len, numbers.values()))
    if runs > MOST:
        counts = " · ".join(str(len(x)) for x in numbers.values() if len(x) > 1)
        raise InputError(
            f"--set asks for {counts} runs; allowed: at most {MOST}. Python takes more: simulate(..., parameters=...)"
        )
    several = {name: x for name, x in numbers.items() if len(x) > 1}
    grid = np.meshgrid(*several.values(), indexing="ij")
    return {name: x[0] for name, x in numbers.items()} | {
        name: x.reshape(-1) for name, x in zip(several, grid, strict=True)
    }


def table(sweep: Sweep, run: Trajectory) -> list[tuple[str, ...]]:
    """A heading, and for each run what was set, where it ended as far as that differs, and how."""
    positions = positions_of(run)[0][:JOINTS]
    rows = [(*sweep.varied, *(f"{name} [{run.units[name]}]" for name in positions), "at the end")]
    for k, diverged in enumerate(run.diverged):
        values = [f"{x[k]:g}" for x in sweep.varied.values()]
        if diverged:
            rows.append((*values, *("-" for _ in positions), f"diverged at {run.valid_until[k]:g} s"))  # type: ignore[index]
        else:
            rows.append((*values, *(f"{run[name][-1, k]:.6g}" for name in positions), modes(run, k) or "completed"))
    return rows


def positions_of(run: Trajectory) -> tuple[list[str], list[str]]:
    """The signals that say where joints are, or bodies where there are no joints: those whose ends differ between the
    runs, and those whose ends do not.
    """
    joints = [name for name in run.signals if split(name)[0] == "q"]
    found = joints or [name for name in run.signals if "position" in name.split(".")]
    good = ~run.diverged
    alike = [name for name in found if good.sum() > 1 and np.ptp(run[name][-1, good]) < ALIKE]
    return [name for name in found if name not in alike], alike


def modes(run: Trajectory, k: int) -> str:
    """Which sites of friction are in which mode at the end of run k of a batch, in words."""
    found: dict[str, list[str]] = {}
    for name, x in run.signals.items():
        word, site = split(name)
        if word == "mode":
            found.setdefault(list(MODES)[int(x[-1, k])], []).append(site)
    if len(found) < 2:
        return "".join(mode if len(sites) == 1 else f"all {mode}" for mode, sites in found.items())
    *few, (most, others) = sorted(found.items(), key=lambda group: len(group[1]))
    told = [f"{', '.join(sites)} {mode}" for mode, sites in few]
    return "; ".join([*told, f"{others[0] if len(others) == 1 else 'the others'} {most}"])
