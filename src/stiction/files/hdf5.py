"""Runs in HDF5 files, without loss, and in CSV files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.extras import needed

FORMAT = "stiction run 3"
ENDINGS = (".h5", ".hdf5", ".csv")


def write_run(path: str | Path, run: Any) -> None:
    """Write a run to a file: HDF5 (.h5 or .hdf5), which `read_run` reads without loss, or CSV (.csv)."""
    path = Path(path)
    check_ending(path)
    try:
        (_write_csv if path.suffix == ".csv" else _write_hdf5)(path, run)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error}") from None


def check_ending(path: Path) -> None:
    """Refuse a file that no run can be written to, by its name."""
    if path.suffix not in ENDINGS:
        raise InputError(f"cannot save a run as '{path.name}'; allowed endings: {', '.join(ENDINGS)}")


def _write_csv(path: Path, run: Any) -> None:
    if run.valid_until is not None:
        raise InputError("a batch of runs does not fit a CSV file; save it as .h5, or one of its runs, run.of(0)")
    names = [f"{name} [{run.units[name]}]" if name in run.units else name for name in run.signals]
    columns = np.column_stack([run.time, *run.signals.values()])
    np.savetxt(path, columns, delimiter=",", header=",".join(["time [s]", *names]), comments="", fmt="%.17g")


def _write_hdf5(path: Path, run: Any) -> None:
    h5py = needed("h5py", "HDF5 files")
    with h5py.File(path, "w", track_order=True) as file:  # no times of writing: equal runs give equal bytes
        about = {"status": run.status, "message": run.message, "notes": "\n".join(run.notes), "calls": run.calls}
        file.attrs.update(about | {"format": FORMAT})
        file.create_group("origin").attrs.update(dict(run.origin))
        file.create_group("aliases").attrs.update(dict(run.aliases))
        time = file.create_dataset("time", data=run.time)
        time.attrs["units"] = "s"
        time.make_scale("time")
        if run.valid_until is not None:
            file.create_dataset("valid_until", data=run.valid_until).attrs["units"] = "s"
        group = file.create_group("signals", track_order=True)
        for name, x in run.signals.items():
            place = name.replace("/", "|")  # a slash would make a folder
            data = group.create_dataset(f"{place} {len(group)}" if place in group else place, data=x)
            data.attrs["name"] = name
            data.dims[0].attach_scale(time)
            data.attrs["units"] = run.units.get(name, "")
        _write_numbers(file, "parameters", run.parameters)
        if run.state is not None:
            state = file.create_group("state")
            state.attrs.update({"tick": run.state.tick, "step": run.state.step, "seed": run.state.seed})
            state.create_dataset("values", data=run.state.values)
            for what in ("names", "units", "kinds"):
                state.create_dataset(what, data=list(getattr(run.state, what)), dtype=h5py.string_dtype())
            for what in ("parameters", "chosen"):
                _write_numbers(state, what, getattr(run.state, what))


def _write_numbers(place: Any, what: str, values: Mapping[str, np.ndarray]) -> None:
    group = place.create_group(what, track_order=True)
    for k, (name, x) in enumerate(values.items()):
        group.create_dataset(str(k), data=x).attrs["name"] = name


def _numbers(group: Any) -> dict[str, np.ndarray]:
    return {x.attrs["name"]: x[()] for x in group.values()}


def read_run(path: str | Path) -> dict[str, Any]:
    """What was written to an HDF5 file, by the fields of a run; of the state its own fields."""
    h5py = needed("h5py", "HDF5 files")
    try:
        with h5py.File(path, "r") as file:
            if file.attrs.get("format") != FORMAT:
                raise InputError(f"{path} is an HDF5 file, but no run of this version of stiction")
            return _content(file)
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is a damaged run of stiction: {error}") from None
    except OSError:
        raise InputError(f"{path} is no HDF5 file, or a damaged one; a run is written by save('run.h5')") from None


def _content(file: Any) -> dict[str, Any]:
    data: dict[str, Any] = {x.attrs["name"]: x for x in file["signals"].values()}
    state = None
    if "state" in file:
        kept = file["state"]
        texts = {what: tuple(kept[what].asstr()[()]) for what in ("names", "units", "kinds")}
        numbers = {"tick": int(kept.attrs["tick"]), "step": float(kept.attrs["step"]), "seed": int(kept.attrs["seed"])}
        tables = {what: _numbers(kept[what]) for what in ("parameters", "chosen")}
        state = {"values": kept["values"][()], **tables, **texts, **numbers}
    return {
        "time": file["time"][()],
        "signals": {name: x[()] for name, x in data.items()},
        "status": file.attrs["status"],
        "message": file.attrs["message"],
        "units": {name: x.attrs["units"] for name, x in data.items() if x.attrs["units"]},
        "origin": dict(file["origin"].attrs),
        "valid_until": file["valid_until"][()] if "valid_until" in file else None,
        "notes": tuple(file.attrs["notes"].split("\n")) if file.attrs["notes"] else (),
        "calls": int(file.attrs["calls"]),
        "aliases": dict(file["aliases"].attrs),
        "parameters": _numbers(file["parameters"]),
        "state": state,
    }
